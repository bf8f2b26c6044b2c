/* L D L^H: P A P^T = L D L^H for Hermitian A, definite or not, by panels, right-looking.
 *
 * Layout: block-cyclic on any array, square blocks; in Gray code on sides of 2^r ranks.
 * Pivots: Bunch and Kaufman's partial pivoting (ldl_pivot.c), of order 1 and 2; at most two columns
 *   are examined for each pivot.
 * Steps of a panel: its pivots are found, swapped and kept, one after another (ldl_panel.c,
 *   ldl_swap.c).  Each rank then updates its part of the lower triangle behind the panel by
 *   products.  Last, the panel's swaps are applied to the columns of L before it (ldl_rows.c), so
 *   that L's rows are final when the factorization ends.
 * Reference: Bunch, Kaufman 1977; delayed updates as in LAPACK's xLAHEF; the distribution is ours.
 * Panels and blocks: a panel begins where the one before it ended, not where a block begins; a
 *   pivot of order 2 may end a panel one column later.  Blocks determine only where entries lie.
 * Example on 4 nodes, 2 x 2, a panel of one column k: the nodes sum column k over the cube, each
 *   gets all of it, and all agree on the pivot.  Node (i, j) then keeps l in its rows and w = l d
 *   in the rows that stand for its columns, and updates A(i, j) -= l(i) w(j)^H without a further
 *   message.
 * Sums over the cube: at most three columns of the remaining matrix for each pivot.  Words: at most
 *   3 n^2 / 2 in them, on each rank.  Flops: n^3 / 3 on all ranks together, and those of the
 *   strips' corners.  Workspace: a panel's rows of L and of W, twice a panel's width of rows, three
 *   columns. */
#include "solve/ldl/ldl.h"

/* ------------------------------------------------------------ elimination -- */

/* The number of local columns that are updated at a time.  The update also writes the entries above
 * the diagonal in the strip's corner; nobody reads these. */
enum { STRIP_LEAST = 32 };

/* A := A - L W^H behind the panel, in the lower triangle.  The strips end in the same places for
 * all panels, so that a panel that ends later writes no more unused entries.  A pivot of order 2
 * may add a column to a panel: without data the corners count as if one did. */
static void update(const struct hy_ldl *f, const struct hy_ldl_panel *panel) {
  int64_t step = hy_max(STRIP_LEAST, hy_min(f->array.block, 2 * HY_LDL_PANEL));
  int64_t width = panel->width, end = 0;
  for (int64_t col = hy_ldl_cols_before(f, panel->first + width); col < f->local_cols; col = end) {
    end = hy_min((col / step + 1) * step, f->local_cols);
    int64_t count = end - col;
    int64_t row = hy_ldl_rows_before(f, f->col_index[col]), rows = f->local_rows - row;
    if (rows == 0) continue;
    f->k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)rows, (int)count, (int)width, -1,
               hy_ldl_lower(f, row, 0), (int)hy_max(1, f->local_rows), hy_ldl_across(f, col, 0),
               (int)hy_max(1, f->local_cols), 1, hy_at(f->a, row, col), (int)f->a->ld);
    int64_t corner = hy_ldl_rows_before(f, f->col_index[end - 1]) - row;
    hy_compute(f->cube, 2 * count * (rows * width + (f->k->dry ? corner : 0)), f->k->size,
               f->k->complex_type);
  }
}

/* Applies a panel's swaps to the columns before it.  Without data, the panel's own columns count
 * too: if pivots of order 2 make panels begin later, at most these columns have a swap. */
static hyla_status apply_later_swaps(const struct hy_ldl *f, const struct hy_ldl_panel *panel) {
  int64_t end = panel->first + panel->width;
  int64_t columns = hy_ldl_cols_before(f, f->k->dry ? end : panel->first);
  return hy_ldl_move(f, &f->rows_down, f->a, columns, panel->first, end, false);
}

static hyla_status eliminate(struct hy_ldl *f, int64_t *failed, hyla_status *pivot_status) {
  struct hy_ldl_panel panel = {0, 0};
  *pivot_status = HYLA_OK;
  f->d.largest = (struct hy_norm){0, 0};
  while (panel.first < f->n) {
    TRY(hy_ldl_make_panel(f, &panel, failed, pivot_status));
    if (*pivot_status != HYLA_OK) return HYLA_OK;
    update(f, &panel);
    TRY(apply_later_swaps(f, &panel));
    TRY(hy_link_poll(f->cube));
    panel = (struct hy_ldl_panel){panel.first + panel.width, 0};
  }
  return HYLA_OK;
}

/* ----------------------------------------------------------------- memory -- */

static hyla_status make_groups(struct hy_ldl *f) {
  const struct hy_factorization *problem = f->problem;
  const uint32_t row_dims = f->array.row_dims, col_dims = f->array.col_dims;
  const size_t size = f->k->size;
  const int64_t rows = hy_min(HY_LDL_ROWS, f->n), across = hy_axis_most(&problem->turned_col);
  const int64_t down = hy_max(hy_axis_most(&problem->col), hy_axis_most(&problem->x_col));
  const struct hy_group groups[] = {
      {&f->columns, row_dims | col_dims, HY_TASK_ALLREDUCE, f->n + 4 * HY_LDL_WIDTH, size},
      {&f->rows_down, row_dims, HY_TASK_ALLREDUCE, rows * down, size},
      {&f->rows_across, col_dims, HY_TASK_ALLREDUCE, rows * across, size},
      {0}};
  return hy_make_groups(f, f->cube, groups);
}

/* L X = B with X's rows along A's; L^H X = B with X's rows along A's columns. */
static hyla_status make_systems(struct hy_ldl *f) {
  struct hy_triangular form = {
      .block = f->array.block, .triangle = HYLA_LOWER, .diagonal = HYLA_UNIT_DIAGONAL};
  TRY(hy_triangular_of_factors(f, f->problem, form, &f->forward));
  form.op = HYLA_CONJUGATE;
  return hy_triangular_of_factors(f, f->problem, form, &f->backward);
}

static hyla_status allocate_indices(struct hy_ldl *f) {
  const struct hy_block_cyclic *array = &f->array;
  TRY(hy_alloc_control_for(&f->cube->base, f, 2 * HY_LDL_ROWS, sizeof *f->rows, &f->rows));
  TRY(hy_alloc_control_for(&f->cube->base, f, f->local_rows + f->local_cols, sizeof *f->row_index,
                           &f->row_index));
  f->col_index = f->row_index + f->local_rows;
  for (int64_t i = 0; i < f->local_rows; i++)
    f->row_index[i] = hy_axis_index(&array->row, array->row_part, i);
  for (int64_t j = 0; j < f->local_cols; j++)
    f->col_index[j] = hy_axis_index(&array->col, array->col_part, j);
  return HYLA_OK;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_ldl *f = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *f, &f));
  *state = f;
  *f = (struct hy_ldl){.problem = problem,
                       .cube = cube,
                       .k = problem->k,
                       .array = hy_factor_array(problem),
                       .n = problem->n};
  f->local_rows = f->array.rows;
  f->local_cols = f->array.cols;
  TRY(make_groups(f));
  TRY(make_systems(f));
  return cube->address < 0 ? HYLA_OK : allocate_indices(f);
}

static hyla_status allocate_arrays(struct hy_ldl *f) {
  const struct hy_factorization *problem = f->problem;
  const int64_t size = (int64_t)f->k->size, rows = f->local_rows, cols = f->local_cols;
  /* the most columns here of a matrix whose rows move */
  const int64_t x = hy_held(&problem->x_col, f->array.col_part);
  const int64_t widest = hy_max(cols, hy_max(x, hy_held(&problem->turned_col, f->array.row_part)));
  const struct hy_owned arrays[] = {{&f->column[0], f->n * size},
                                    {&f->column[1], f->n * size},
                                    {&f->message, (f->n + 4 * HY_LDL_WIDTH) * size},
                                    {&f->part, hy_max(rows, cols) * size},
                                    {&f->lower, rows * HY_LDL_WIDTH * size},
                                    {&f->across, cols * HY_LDL_WIDTH * size},
                                    {&f->moved, hy_min(HY_LDL_ROWS, f->n) * widest * size},
                                    {&f->diagonal, f->n * (int64_t)sizeof *f->diagonal},
                                    {&f->below, f->n * (int64_t)sizeof *f->below},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&f->columns, &f->rows_down, &f->rows_across, NULL};
  TRY(hy_take_arrays(&f->cube->base, f, arrays));
  f->d = (struct hy_block_diagonal){.diagonal = f->diagonal, .below = f->below};
  return hy_allocate_groups(groups);
}

static hyla_status allocate(void *state) {
  struct hy_ldl *f = state;
  f->a = f->problem->factors->a;
  TRY(hy_agree(f->cube, f->cube->address < 0 ? HYLA_OK : allocate_arrays(f)));
  TRY(hy_triangular_allocate(&f->forward, f->a));
  return hy_triangular_allocate(&f->backward, f->a);
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_ldl *f = state;
  (void)op;
  if (f->cube->address < 0) return HYLA_OK;
  TRY(hy_ldl_permute(f, &f->rows_down, x, false));
  TRY(hy_triangular_run(&f->forward, x));
  return hy_ldl_divide(f, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_ldl *f = state;
  (void)op;
  if (f->cube->address < 0) return HYLA_OK;
  TRY(hy_triangular_run(&f->backward, x));
  return hy_ldl_permute(f, &f->rows_across, x, true);
}

static hyla_status run(void *state) {
  struct hy_ldl *f = state;
  struct hy_base *base = &f->cube->base;
  hyla_status pivot_status = HYLA_OK;
  int64_t *pivot = &f->problem->factors->pivot;
  if (f->cube->address < 0) return HYLA_OK;
  TRY(eliminate(f, pivot, &pivot_status));
  CHECK(base, pivot_status != HYLA_SINGULAR, SINGULAR,
        "the matrix is singular: column %lld of the remaining matrix is exactly zero",
        (long long)*pivot);
  CHECK(base, pivot_status != HYLA_NOT_FINITE, NOT_FINITE,
        "the candidates for pivot %lld are infinite or not numbers: entries of the matrix are, or "
        "products overflow",
        (long long)*pivot);
  struct hyla_matrix x;
  if (f->problem->rhs == NULL) return HYLA_OK;
  x = *f->problem->rhs;
  return forward(state, HYLA_NONE, &x);
}

static const struct hy_block_diagonal *diagonal(const void *state) {
  return &((const struct hy_ldl *)state)->d;
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_ldl *f = state;
  hy_subcube_explain(&f->columns, "columns and pivots", text);
  hy_subcube_explain(&f->rows_down, "rows that move", text);
  hy_text_add(text, "  the most that pivots can make it: two columns looked at and a swap for each "
                    "column\n");
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward, .at = HY_ALONG_COLUMNS}},
    .hermitian = true,
    .diagonal = diagonal};

const struct hy_variant hy_ldl_partial = {
    .name = "bunch-kaufman",
    .arrays = true,
    .reference = "bunch-1977",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    HY_OPERATIONS,
};
