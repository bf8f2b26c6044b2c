/* Gauss-Jordan: A^-1 in the place of A, with partial pivoting, blocked.
 *
 * Layout: block-cyclic on any array, square blocks; in Gray code on sides of 2^r ranks.
 * Method: in the loop over panels (panels/lookahead.c), with A_0 panel k's rows above the diagonal
 *   block, A_1 the diagonal block and A_2 the rows below it:
 *
 *     make:  P [A_1; A_2] = [L_1; L_2] U                        on rank column q_k, as LU's
 *            G := [-A_0 (L_1 U)^-1; (L_1 U)^-1; -L_2 L_1^-1]    replaces the panel
 *     use:   A := P A; B is block row k, which is set to 0 in A
 *            A := A + G B       in all other columns, before the panel and behind it
 *
 *   At the end the columns are swapped back.
 * Reference: Johnsson 1987, section 6.1, has the product form of the inverse in place on one
 *   element a rank; Quintana-Orti and others 2001 the blocks; the array, the look-ahead and the way
 *   of the swaps are ours.
 * Example on 4 nodes, 2 x 2, 2 blocks, without swaps: rank column 0 makes G = [A_00^-1; -A_10
 *   A_00^-1] and lends it.  Rank column 1 has B = A_01 and gets A_01 := A_00^-1 B, A_11 := A_11 -
 *   A_10 A_00^-1 B.  It then makes G of A_11, and rank column 0 updates likewise; both columns then
 *   hold A^-1.
 * Steps: n r in the panels; per panel at most c for the panel, 3 r for the swaps and, for each
 *   strip of rows, c for the columns.
 * Flops: 2 n^3 on all ranks together.  That is three times LU's, but a solution is one product, and
 *   the inverse is there.  The error grows with the condition (Higham 2002, section 14.4), unlike
 *   LU's backward error.
 * Workspace: as LU's; a strip of rows, transposed; two copies of all right-hand sides over the
 *   ranks of one row, or one column. */
#include "solve/jordan/jordan.h"

#include <string.h>

/* One of the two products: with the inverse, or with its transpose. */
struct inverse_product {
  struct hy_subcube_op gather; /* right-hand sides, over the ranks with the same rows of them */
  struct hy_subcube_op adds;   /* sums of the products, over the other dimensions */
};

struct gauss_jordan {
  const struct hy_factorization *problem;
  const struct hy_variant *variant;
  struct hy_factorization elimination; /* the same problem without right-hand sides, for lu */
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_lu *lu;     /* elimination: panels and swaps of rows */
  struct hy_lu turned;  /* swaps of columns: the state that lu_swap.c needs, along a's columns */
  hyla_matrix turned_a; /* a with its axes exchanged */
  char *strip;          /* rows of a, transposed */
  char *sides[2];       /* [0]: right-hand sides as received, later sums; [1]: right-hand sides in
                         * order */
  int64_t *offsets;     /* where members' right-hand sides begin */
  struct inverse_product product[2]; /* [op != HYLA_NONE] */
};

/* The number of a's rows that are transposed at a time. */
static int64_t strip_rows(int64_t rows) { return hy_min(rows, HY_LU_STRIP); }

/* ----------------------------------------------------------------- make -- */

/* All local rows form the message.  On a rank without rows of the diagonal block, that block is
 * stored behind the message and stays here. */
static struct hy_lu_panel panel_at(const struct gauss_jordan *g, int64_t index,
                                   struct hy_panel_slot *slot) {
  const struct hy_lu *lu = g->lu;
  int64_t size = (int64_t)g->k->size, begin = hy_lu_header_bytes(lu->array.block);
  int64_t rows = hy_held(&lu->array.row, lu->array.row_part);
  struct hy_lu_panel panel = {.at = hy_diagonal_block(&lu->array, index), .slot = slot};
  panel.bytes = begin + rows * panel.at.width * size;
  panel.at_rows = begin + panel.at.row * size;
  panel.ld = (int)hy_max(1, rows);
  panel.at_diagonal = panel.at.top ? panel.at_rows : panel.bytes;
  panel.ld_diagonal = panel.at.top ? panel.ld : panel.at.width;
  return panel;
}

static int64_t bytes_of(const void *state, int64_t index) {
  return panel_at(state, index, NULL).bytes;
}

/* The panel's first local row. */
static char *rows_of(const struct hy_lu *lu, char *message) {
  return message + hy_lu_header_bytes(lu->array.block);
}

/* Copies the rows above the diagonal block between matrix and message. */
static void copy_above(const struct gauss_jordan *g, const struct hy_lu_panel *panel, bool in) {
  const struct hy_diagonal_block *at = &panel->at;
  char *own = hy_at(g->a, 0, at->column), *data = rows_of(g->lu, panel->slot->data);
  int ld = (int)g->a->ld;
  hy_copy_block(g->cube, g->k, HYLA_NONE, at->row, at->width, in ? own : data, in ? ld : panel->ld,
                in ? data : own, in ? panel->ld : ld);
}

/* Turns a factored panel into G = -[A_0 U^-1; -U^-1; L_2] L_1^-1. */
static void invert_panel(const struct gauss_jordan *g, const struct hy_lu_panel *panel) {
  const struct hy_kernels *k = g->k;
  const struct hy_diagonal_block *at = &panel->at;
  int w = at->width, ld = (int)g->lu->array.block;
  int above = (int)at->row, top = at->top ? w : 0, all = above + at->rows;
  const char *lu = hy_lu_diagonal(g->lu, at);
  char *rows = rows_of(g->lu, panel->slot->data);
  char *block = rows + (size_t)above * k->size;
  if (at->top) {
    k->combine(HYLA_NONE, w, w, 0, block, panel->ld, 0, block, panel->ld);
    for (int64_t i = 0; i < w && !k->dry; i++) k->set(block, i + i * panel->ld, -1);
  }
  k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, above + top, w, 1, lu, ld, rows,
          panel->ld);
  k->trsm(HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, all, w, -1, lu, ld, rows,
          panel->ld);
  hy_compute(g->cube, ((int64_t)(above + top) * w + (int64_t)all * (w - 1)) * w, k->size,
             k->complex_type);
}

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct gauss_jordan *g = state;
  const struct hy_lu_panel panel = panel_at(g, index, slot);
  copy_above(g, &panel, true);
  hy_lu_load(g->lu, &panel);
  hy_count_copied(g->cube, (int64_t)panel.at.rows * panel.at.width);
  TRY(g->lu->pivoting->factor(g->lu, &panel));
  if (g->k->dry || hy_lu_header_of(&panel)->found.status == HYLA_OK) invert_panel(g, &panel);
  return HYLA_OK;
}

static void keep(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct gauss_jordan *g = state;
  const struct hy_lu_panel panel = panel_at(g, index, slot);
  copy_above(g, &panel, false);
  hy_lu_store(g->lu, &panel);
}

/* ------------------------------------------------------------------ use -- */

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct gauss_jordan *g = state;
  struct hy_lu *lu = g->lu;
  lu->panel = panel_at(g, index, slot);
  const struct hy_diagonal_block *at = &lu->panel.at;
  if (!g->k->dry)
    memcpy(lu->swaps + at->first, hy_lu_header_of(&lu->panel)->swaps,
           (size_t)at->width * sizeof *lu->swaps);
  hy_lu_swap_plan(lu, at, false);
  return HYLA_OK;
}

static void use_strip(const struct gauss_jordan *g, const struct hy_columns *x, int64_t begin,
                      int count) {
  const struct hy_kernels *k = g->k;
  struct hy_lu *lu = g->lu;
  const struct hy_diagonal_block *at = &lu->panel.at;
  const char *panel = lu->panel.slot->seen + hy_lu_header_bytes(lu->array.block);
  const int rows = (int)x->m->local_rows, ld = (int)x->m->ld, w = at->width;

  /* A := P A, the top rows, B, in the strip */
  hy_lu_swap_strip(lu, at, x->m, x->first, x->count, begin, count, lu->strip);

  /* A_1 := 0 */
  char *top = hy_at(x->m, at->row, x->first + begin);
  if (at->top) k->combine(HYLA_NONE, w, count, 0, top, ld, 0, top, ld);

  /* A := A + G B */
  k->gemm(HYLA_NONE, HYLA_NONE, rows, count, w, 1, panel, lu->panel.ld, lu->strip, w, 1,
          hy_at(x->m, 0, x->first + begin), ld);
  hy_compute(g->cube, INT64_C(2) * rows * w * count, k->size, k->complex_type);
}

static hyla_status use(void *state, const struct hy_columns *x) {
  const struct gauss_jordan *g = state;
  struct hy_lu *lu = g->lu;
  TRY(hy_lu_swap_gather(lu, x->m, x->first, x->count));
  for (int64_t begin = 0; begin < x->count; begin += lu->strip_columns) {
    use_strip(g, x, begin, (int)hy_min(lu->strip_columns, x->count - begin));
    TRY(hy_link_poll(g->cube));
  }
  return HYLA_OK;
}

/* ------------------------------------------------------ columns swapped back -- */

/* The elimination leaves (P A)^-1 = A^-1 P^T, so A^-1 is that times P: the swaps of all panels are
 * undone in its columns, the last one first.  These columns are the rows of the transposed matrix.
 * Strip by strip, rows of A are transposed, swapped as LU swaps rows (lu_later_swaps.c), and
 * transposed back.  For each panel and strip at most two blocks of columns travel, to all ranks of
 * the rank row. */
static hyla_status swap_columns(struct gauss_jordan *g) {
  const hyla_matrix *a = g->a;
  int64_t step = strip_rows(a->local_rows);
  hy_count_copied(g->cube, 2 * a->local_rows * a->local_cols);
  for (int64_t first = 0; first < a->local_rows; first += step) {
    struct hyla_matrix strip = g->turned_a;
    strip.local = g->strip;
    strip.local_cols = hy_min(step, a->local_rows - first);
    int columns = (int)a->local_cols, rows = (int)strip.local_cols;
    g->k->copy(HYLA_TRANSPOSE, columns, rows, 1, hy_at(a, first, 0), (int)a->ld, strip.local,
               (int)strip.ld);
    TRY(hy_lu_swap_all(&g->turned, true, &strip));
    g->k->copy(HYLA_TRANSPOSE, rows, columns, 1, strip.local, (int)strip.ld, hy_at(a, first, 0),
               (int)a->ld);
  }
  return HYLA_OK;
}

/* -------------------------------------------------------------- solutions -- */

/* x := op(A^-1) b, by one product with the inverse, which stays where it is.
 *
 * b lies along the columns of op(A^-1), with its own columns over the dimensions of the rows; x
 * lies along the rows, with its columns over the dimensions of the columns.  The ranks with the
 * same rows of b gather all its columns.  Each multiplies them by its part of the inverse.  The
 * products are added over the ranks with the same rows of x, on each rank for its own columns.
 *
 * Example on 4 nodes, 2 x 2: nodes (0, j) and (1, j) gather b(j); node (i, j) computes A^-1(i, j)
 * b(j); nodes (i, 0) and (i, 1) add their products, each for its half of x's columns.
 *
 * Steps: one all-gather, and a reduction for each rank that x's columns are split over. */

/* sides[1] := all columns of b, in the order of x's columns, part by part. */
static hyla_status gather(const struct gauss_jordan *g, const struct hy_subcube_op *group,
                          const hyla_matrix *b, const hyla_matrix *x) {
  const struct hy_gathered all = {group, b, g->offsets, g->sides[0]};
  size_t bytes = (size_t)b->local_rows * g->k->size;
  char *to = g->sides[1];
  TRY(hy_gathered_run(&all));
  hy_count_copied(g->cube, b->local_rows * b->col.n);
  if (g->k->dry) return HYLA_OK;
  for (int part = 0; part < x->col.parts; part++)
    for (int64_t l = 0; l < hy_held(&x->col, part); l++) {
      memcpy(to, hy_gathered_column(&all, hy_axis_index(&x->col, part, l)), bytes);
      to += bytes;
    }
  return HYLA_OK;
}

/* Adds sides[0], x's local rows of all columns, on the ranks that have these columns of x. */
static hyla_status add_up(const struct gauss_jordan *g, const struct hy_subcube_op *adds,
                          const hyla_matrix *x) {
  int64_t rows = x->local_rows, ld = hy_max(1, rows);
  char *sums = g->sides[0];
  for (int part = 0; part < x->col.parts; part++) {
    int64_t columns = hy_held(&x->col, part);
    if (x->col.parts > 1)
      TRY(hy_sum_sides(adds, g->k, hy_matrix_node(x, x->row_part, part), sums, rows * columns));
    if (part == x->col_part) {
      hy_copy_block(g->cube, g->k, HYLA_NONE, rows, columns, sums, ld, x->local, x->ld);
    }
    sums += rows * columns * (int64_t)g->k->size;
  }
  return HYLA_OK;
}

static hyla_status multiply(void *state, hyla_operation op, const hyla_matrix *b, hyla_matrix *x) {
  const struct gauss_jordan *g = state;
  const struct hy_kernels *k = g->k;
  if (g->cube->address < 0 || b->col.n == 0) return HYLA_OK;
  const struct inverse_product *product = &g->product[op != HYLA_NONE];
  int rows = (int)x->local_rows, inner = (int)b->local_rows, columns = (int)b->col.n;
  TRY(gather(g, &product->gather, b, x));
  k->gemm(op, HYLA_NONE, rows, columns, inner, 1, g->a->local, (int)g->a->ld, g->sides[1],
          (int)hy_max(1, inner), 0, g->sides[0], (int)hy_max(1, rows));
  hy_compute(g->cube, INT64_C(2) * rows * inner * columns, k->size, k->complex_type);
  return add_up(g, &product->adds, x);
}

/* ----------------------------------------------------------------- memory -- */

static hyla_status make_groups(struct gauss_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  const struct hy_block_cyclic *array = &g->lu->array;
  struct hy_lu *turned = &g->turned;
  const uint32_t row_dims = array->row_dims, col_dims = array->col_dims;
  const int64_t rows = hy_axis_most(&problem->row), cols = hy_axis_most(&problem->col);
  const int64_t sides = hy_axis_most(&problem->x_col), across = hy_axis_most(&problem->turned_col);
  const int64_t nrhs = problem->nrhs, moved = 2 * array->block * strip_rows(rows);
  const size_t size = g->k->size;
  const struct hy_group groups[] = {
      {&turned->rows, col_dims, HY_TASK_ALLGATHER, moved, size},
      {&g->product[0].gather, row_dims, HY_TASK_ALLGATHER, cols * nrhs, size},
      {&g->product[0].adds, col_dims, HY_TASK_REDUCE, rows * sides, size},
      {&g->product[1].gather, col_dims, HY_TASK_ALLGATHER, rows * nrhs, size},
      {&g->product[1].adds, row_dims, HY_TASK_REDUCE, cols * across, size},
      {0}};
  turned->problem = &g->elimination;
  turned->cube = g->cube;
  turned->k = g->k;
  turned->a = &g->turned_a;
  turned->array = hy_block_cyclic_at(&problem->col, &problem->row, array->block, g->cube->address);
  TRY(hy_make_groups(g, g->cube, groups));
  return hy_lu_set_gathering(turned);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct gauss_jordan *g = NULL;
  void *lu = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *g, &g));
  *state = g;
  *g = (struct gauss_jordan){.problem = problem,
                             .variant = variant,
                             .elimination = *problem,
                             .cube = cube,
                             .k = problem->k};
  g->elimination.nrhs = 0;
  g->elimination.inverse = NULL;
  g->elimination.x_col = hy_axis_range(&problem->x_col, 0, 0);
  g->elimination.turned_col = hy_axis_range(&problem->turned_col, 0, 0);
  TRY(hy_alloc_for(&cube->base, g, hy_max(problem->row.parts, problem->col.parts) + 1,
                   sizeof *g->offsets, &g->offsets));
  hyla_status status = hy_lu_create(&hy_lu_partial, &g->elimination, &lu);
  hy_own(g, lu);
  g->lu = lu;
  TRY(status);
  return make_groups(g);
}

static hyla_status allocate_arrays(struct gauss_jordan *g) {
  const int64_t size = (int64_t)g->k->size, rows = g->a->local_rows, cols = g->a->local_cols;
  const int64_t strip = strip_rows(rows), members = g->problem->col.parts;
  const int64_t block = g->lu->array.block, sides = hy_max(rows, cols) * g->problem->nrhs * size;
  struct hy_lu *turned = &g->turned;
  const struct hy_owned arrays[] = {{&turned->gathered, members > 1 ? 2 * block * strip * size : 0},
                                    {&turned->strip, block * strip * size},
                                    {&g->strip, cols * strip * size},
                                    {&g->sides[0], sides},
                                    {&g->sides[1], sides},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&turned->rows,       &g->product[0].gather,
                                          &g->product[0].adds, &g->product[1].gather,
                                          &g->product[1].adds, NULL};
  TRY(hy_alloc_control_for(&g->cube->base, g, hy_lu_numbers(block, members), 1, &turned->numbers));
  TRY(hy_take_arrays(&g->cube->base, g, arrays));
  TRY(hy_allocate_groups(groups));
  hy_lu_carve(turned);
  return HYLA_OK;
}

static hyla_status allocate(void *state) {
  struct gauss_jordan *g = state;
  g->a = g->problem->factors->a;
  g->turned_a = hy_substitution_transposed(g->a);
  g->turned.swaps = g->problem->factors->swaps;
  g->turned.strip_columns = HY_LU_STRIP;
  TRY(hy_lu_allocate(g->lu));
  return hy_agree(g->cube, g->cube->address < 0 ? HYLA_OK : allocate_arrays(g));
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status run(void *state) {
  struct gauss_jordan *g = state;
  struct hy_panel_header verdict = {HYLA_OK, g->problem->factors->pivot};
  struct hy_lookahead loop = {.panels = &g->lu->panels,
                              .array = &g->lu->array,
                              .end = g->lu->array.count,
                              .a = g->a,
                              .everywhere = true,
                              .verdict = &verdict,
                              .state = g,
                              .bytes = bytes_of,
                              .make = make,
                              .keep = keep,
                              .arrive = arrive,
                              .use = use};
  if (g->cube->address < 0) return HYLA_OK;
  hyla_status status = hy_lookahead_run(&loop);
  TRY(hy_pivot_verdict(g->problem, status, (hyla_status)verdict.status, verdict.column));
  return swap_columns(g);
}

static void explain(const void *state, struct hy_text *text) {
  const struct gauss_jordan *g = state;
  hy_lu_explain_elimination(g->lu, text);
  hy_explain_asked(&g->product[0].gather, "right-hand sides", text);
  hy_explain_asked(&g->product[0].adds, "sums of right-hand sides", text);
  hy_lu_explain_least(g->problem, g->variant, text);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .form = HY_INVERSE,
    .solve = {{.product = multiply, .at = HY_ALONG_COLUMNS}},
    .solve_transposed = {{.product = multiply}}};

const struct hy_variant hy_gauss_jordan_blocked = {
    .name = "blocked",
    .arrays = true,
    .reference = "johnsson-1987, section 6.1; quintana-2001",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    HY_OPERATIONS,
};
