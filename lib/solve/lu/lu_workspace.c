/* LU: the workspace of a factorization, its collectives, and the substitutions with its factors. */
#include "solve/lu/lu.h"

/* --------------------------------------------------------------- create -- */

int64_t hy_lu_numbers(int64_t block, int64_t members) {
  return (13 * block + 4 * members + 3) * (int64_t)sizeof(int64_t);
}

void hy_lu_carve(struct hy_lu *lu) {
  struct hy_lu_swap *swap = &lu->swap;
  struct {
    int64_t **array;
    int64_t length;
  } part[] = {{&swap->row, lu->array.block},
              {&swap->content, 2 * lu->array.block},
              {&swap->place, lu->array.block},
              {&swap->held, lu->array.row.parts},
              {&swap->offset, lu->array.row.parts + 1},
              {&swap->entries, lu->array.row.parts + 1},
              {&swap->begin, lu->array.row.parts + 1},
              {&swap->from, lu->array.block},
              {&swap->to, lu->array.block},
              {&swap->leave, lu->array.block},
              {&swap->target, lu->array.block},
              {&swap->packed, 2 * lu->array.block},
              {&swap->touched, 2 * lu->array.block}};
  int64_t *next = lu->numbers;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].array = next;
    next += part[i].length;
  }
}

/* Bytes on this rank. */
struct sizes {
  int64_t slot, numbers, search, diagonals, gathered, strip, packed, sums;
};

static struct sizes sizes_of(const struct hy_lu *lu) {
  const struct hy_factorization *problem = lu->problem;
  struct sizes sizes = {0};
  int64_t size = (int64_t)problem->k->size, block = hy_factor_block(problem),
          members = problem->row.parts;
  const int q = lu->a->col_part;
  if (lu->cube->address < 0) return sizes;
  int64_t rows = lu->a->local_rows, cols = lu->a->local_cols;
  int64_t in_panels = hy_axis_before(&problem->col, q, hy_factor_order(problem));
  int64_t x_cols = hy_axis_before(&problem->x_col, q, problem->nrhs);
  int64_t few = hy_min(problem->nrhs, HY_STATIONARY_NRHS);
  int64_t widest = hy_max(cols, hy_max(x_cols, few));
  int64_t slot = hy_lu_header_bytes(block) + (rows + block) * block * size;
  sizes.slot = hy_ceil_div(slot, 64) * 64;
  sizes.numbers = hy_lu_numbers(block, members);
  sizes.search = lu->pivoting->room(rows, block, size);
  sizes.diagonals = hy_ceil_div(in_panels, block) * block * block * size;
  sizes.gathered = members > 1 ? 2 * block * widest * size : 0;
  /* Back substitution with few right-hand sides keeps two of their blocks there. */
  sizes.strip = block * hy_min(HY_LU_STRIP, hy_max(widest, 2 * few)) * size;
  sizes.packed = hy_packed_entries(rows, block) * size;
  sizes.sums = hy_max(rows, block) * few * size;
  return sizes;
}

static hyla_status allocate_arrays(struct hy_lu *lu, const struct sizes *sizes) {
  struct hy_base *base = &lu->cube->base;
  TRY(hy_alloc_control_for(base, lu, sizes->numbers, 1, &lu->numbers));
  TRY(hy_alloc_data_for(base, lu, sizes->search, 1, &lu->search));
  TRY(hy_alloc_data_for(base, lu, sizes->diagonals, 1, &lu->diagonals));
  TRY(hy_alloc_data_for(base, lu, sizes->gathered, 1, &lu->gathered));
  TRY(hy_alloc_data_for(base, lu, sizes->strip, 1, &lu->strip));
  TRY(hy_alloc_data_for(base, lu, sizes->packed, 1, &lu->packed.entries));
  TRY(hy_alloc_data_for(base, lu, sizes->sums, 1, &lu->sums));
  TRY(hy_subcube_allocate(&lu->shares));
  TRY(hy_subcube_allocate(&lu->adds));
  TRY(hy_subcube_allocate(&lu->blocks));
  TRY(hy_subcube_allocate(&lu->rows));
  hy_lu_carve(lu);
  return HYLA_OK;
}

/* Chooses collectives for the longest messages of any rank, so that all ranks choose alike. */
static hyla_status make_groups(struct hy_lu *lu) {
  const struct hy_factorization *problem = lu->problem;
  hyla_cube *cube = lu->cube;
  int64_t block = lu->array.block, few = hy_min(problem->nrhs, HY_STATIONARY_NRHS);
  int64_t rows = hy_axis_most(&problem->row), cols = hy_axis_most(&problem->col);
  int64_t widest = hy_max(cols, hy_max(hy_axis_most(&problem->x_col), few));
  size_t size = lu->k->size;
  int64_t header = hy_lu_header_bytes(block) / (int64_t)size;
  TRY(hy_subcube_make_for(lu, cube, lu->array.col_dims, HY_TASK_BROADCAST,
                          header + (rows + block) * block, size, NULL, &lu->shares));
  TRY(hy_subcube_make_for(lu, cube, lu->array.col_dims, HY_TASK_REDUCE, hy_max(rows, block) * few,
                          size, NULL, &lu->adds));
  TRY(hy_subcube_make_for(lu, cube, lu->array.row_dims, HY_TASK_BROADCAST, block * widest, size,
                          NULL, &lu->blocks));
  TRY(hy_subcube_make_for(lu, cube, lu->array.row_dims, HY_TASK_ALLGATHER, 2 * block * widest, size,
                          NULL, &lu->rows));
  TRY(hy_subcube_make_for(lu, cube, lu->array.row_dims, HY_TASK_ALLREDUCE, 1,
                          (size_t)lu->pivoting->bytes(block, (int64_t)size), NULL, &lu->searches));
  return hy_lu_set_gathering(lu);
}

hyla_status hy_lu_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_lu *lu = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *lu, &lu));
  *state = lu;
  lu->problem = problem;
  lu->variant = variant;
  lu->pivoting = variant->traits;
  lu->cube = cube;
  lu->k = problem->k;
  lu->array =
      hy_block_cyclic_at(&problem->row, &problem->col, hy_factor_block(problem), cube->address);
  return make_groups(lu);
}

/* Gives all ranks of the rank column block k of x's rows, after the swaps of panel k. */
static hyla_status swap_rows(void *arg, const struct hy_diagonal_block *at,
                             const struct hyla_matrix *x, char *block) {
  struct hy_lu *lu = arg;
  hy_lu_swap_plan(lu, at, false);
  TRY(hy_lu_swap_gather(lu, x, 0, x->local_cols));
  hy_lu_swap_strip(lu, at, x, 0, x->local_cols, 0, x->local_cols, block);
  return HYLA_OK;
}

static const char *diagonal_of(void *arg, const struct hy_diagonal_block *at, int *ld) {
  const struct hy_lu *lu = arg;
  *ld = (int)lu->array.block;
  return hy_lu_diagonal(lu, at);
}

static void set_substitutions(struct hy_lu *lu) {
  struct hy_triangular system = {.t = lu->a, .block = lu->array.block};
  system.triangle = HYLA_UPPER;
  lu->upper = hy_substitution_of(&system);
  lu->upper.sums = lu->sums;
  lu->upper.adds = &lu->adds;
  lu->upper.spreads = &lu->blocks;
  lu->upper.blocks = lu->strip;
  lu->upper.panels = &lu->panels;
  lu->upper.solved = lu->gathered;
  system.triangle = HYLA_LOWER;
  system.diagonal = HYLA_UNIT_DIAGONAL;
  lu->lower = hy_substitution_of(&system);
  lu->lower.sums = lu->sums;
  lu->lower.adds = &lu->adds;
  lu->lower.spreads = &lu->blocks;
  lu->lower.blocks = lu->strip;
  lu->lower.panels = &lu->panels;
  lu->lower.solved = lu->gathered;
  lu->row_swaps = (struct hy_row_swaps){lu, swap_rows, diagonal_of};
  lu->lower.swaps = &lu->row_swaps;
}

hyla_status hy_lu_allocate(void *state) {
  struct hy_lu *lu = state;
  lu->a = lu->problem->factors->a;
  lu->swaps = lu->problem->factors->swaps;
  bool guest = lu->cube->address < 0;
  const struct sizes sizes = sizes_of(lu);
  TRY(hy_agree(lu->cube, guest ? HYLA_OK : allocate_arrays(lu, &sizes)));
  TRY(hy_panels_create(lu, &lu->shares, sizes.slot, &lu->panels));
  lu->strip_columns = hy_panels_travel(&lu->panels) ? HY_LU_SHORT_STRIP : HY_LU_STRIP;
  lu->packed.products = lu->pivoting->fixed ? NULL : hy_packed_best(lu->k, lu->cube->session.team);
  lu->packed.size = lu->k->size;
  set_substitutions(lu);
  return hy_lu_inverts(lu) ? hy_lu_inverse_allocate(lu) : HYLA_OK;
}

void hy_lu_destroy(void **state) {
  struct hy_lu *lu = *state;
  if (lu != NULL) (void)hyla_matrix_destroy(&lu->inverse.x);
}
