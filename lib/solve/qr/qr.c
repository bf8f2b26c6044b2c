/* QR: A = Q R by Householder's reflections, right-looking, blocked.
 *
 * Reference: Householder 1958; Schreiber and Van Loan 1989, for the reflections of a panel in one;
 * Puglisi 1992, for S; look-ahead as in LU.  theory.md, qr:householder.
 * Layout: block-cyclic on any array, square blocks; in Gray code on sides of 2^r ranks.
 * Method: in the loop over panels (panels/lookahead.c), with A's rows from panel k on,
 *
 *   make:  [A11; A21] = Q_k [R11; 0], Q_k = (I - V S^-1 V^H) D_k   on rank column q_k (qr_panel.c)
 *   use:   W := V^H [A12; A22], added up over the rank column
 *          W := S^-H W
 *          [A12; A22] := D_k ([A12; A22] - V W) = Q_k^H [A12; A22]
 *
 *   A solution is R^-1 Q^H b: for Q^H b the panels travel along the rank rows once more, for Q b in
 *   the opposite order.
 *
 * Steps a panel of w columns: 2 w r for its columns (the last of every 16 has no products, but all
 * 16 have one together), at most c for the panel, at least r for the products.  Flops: 4 n^3 / 3 on
 * all ranks together.  No pivots: what travels does not depend on the entries.  Workspace: three
 * panels, V's rows once more, V^H times 512 columns, S of this rank column's panels. */
#include "solve/qr/qr.h"

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_qr_panel panel = hy_qr_panel_at(state, index, slot);
  return hy_qr_factor_panel(state, &panel);
}

/* ----------------------------------------------------------------- memory -- */

/* Columns that are reflected at a time. */
static int64_t strip_of(int64_t columns, int64_t sides) {
  return hy_max(hy_min(HY_QR_STRIP, hy_max(columns, sides)), 2 * HY_QR_BASE);
}

/* Room for V^H times a strip and two squares a row of that, or for the products of HY_QR_BASE
 * columns with a panel and S's columns. */
static int64_t products_of(const struct hy_qr *q, int64_t columns, int64_t sides) {
  const int64_t squares = hy_qr_few(q, HY_QR_FEW) ? 2 : 0;
  return q->array.block * (strip_of(columns, sides) + squares);
}

static hyla_status make_groups(struct hy_qr *q) {
  const struct hy_factorization *problem = q->problem;
  const struct hy_block_cyclic *array = &q->array;
  const size_t size = q->k->size;
  const int64_t header = HY_PANEL_HEADER / (int64_t)size, block = array->block;
  const int64_t rows = hy_axis_most(&problem->row);
  const int64_t products =
      products_of(q, hy_axis_most(&problem->col), hy_axis_most(&problem->x_col));
  const struct hy_group groups[] = {
      {&q->shares, array->col_dims, HY_TASK_BROADCAST, header + (rows + block) * block, size},
      {&q->norms, array->row_dims, HY_TASK_ALLREDUCE, 1, sizeof q->norm},
      {&q->sums, array->row_dims, HY_TASK_ALLREDUCE, products, size},
      {&q->tops, array->row_dims, HY_TASK_BROADCAST, block * (block + 1), size},
      {0}};
  return hy_make_groups(q, q->cube, groups);
}

/* Room for V's rows of a panel. */
static int64_t packed_of(const struct hy_qr *q) {
  const int64_t rows = hy_min(q->array.rows, HY_QR_PACKED_ROWS);
  return hy_packed_entries(rows, hy_min(q->array.block, q->problem->n));
}

/* Are systems solved? Only square ones are. */
static bool solves(const struct hy_qr *q) { return q->problem->m == q->problem->n; }

/* Are panels factored by trees? */
static bool by_tree(const struct hy_qr *q) { return q->way != NULL && q->way->bytes != NULL; }

/* R X = B, or op(R) X = B. */
static struct hy_triangular form_of(const struct hy_qr *q, hyla_operation op) {
  return (struct hy_triangular){.block = q->array.block, .triangle = HYLA_UPPER, .op = op};
}

hyla_status hy_qr_create(const struct hy_factorization *problem, const struct hy_qr_way *way,
                         struct hy_qr **made) {
  hyla_cube *cube = problem->cube;
  struct hy_qr *q = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *q, &q));
  *made = q;
  *q = (struct hy_qr){.problem = problem,
                      .way = way,
                      .cube = cube,
                      .k = problem->k,
                      .array = hy_factor_array(problem)};
  return make_groups(q);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct hy_qr *q = NULL;
  hyla_status status = hy_qr_create(problem, variant->traits, &q);
  *state = q;
  if (status != HYLA_OK || !solves(q)) return status;
  return hy_triangular_of_factors(q, problem, form_of(q, HYLA_NONE), &q->backward);
}

static hyla_status allocate_arrays(struct hy_qr *q) {
  const struct hy_block_cyclic *array = &q->array;
  const int64_t size = (int64_t)q->k->size, width = hy_min(array->block, q->problem->n);
  const int64_t sides = hy_held(&q->problem->x_col, array->col_part);
  const struct hy_owned arrays[] = {{&q->triangles, array->cols * array->block * size},
                                    {&q->upper, width * width * size},
                                    {&q->products, products_of(q, array->cols, sides) * size},
                                    {&q->tree, by_tree(q) ? q->way->bytes(q) : 0},
                                    {&q->packed.entries, packed_of(q) * size},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&q->shares, &q->norms, &q->sums, &q->tops, NULL};
  q->strip = strip_of(array->cols, sides);
  q->packed.products = hy_packed_best(q->k, q->cube->session.team);
  q->packed.size = q->k->size;
  TRY(hy_take_arrays(&q->cube->base, q, arrays));
  return hy_allocate_groups(groups);
}

hyla_status hy_qr_allocate(struct hy_qr *q) {
  const bool guest = q->cube->address < 0;
  const int64_t size = (int64_t)q->k->size, width = hy_min(q->array.block, q->problem->n);
  const int64_t slot = HY_PANEL_HEADER + (hy_max(1, q->array.rows) + width) * width * size;
  q->a = q->problem->factors->a;
  TRY(hy_agree(q->cube, guest ? HYLA_OK : allocate_arrays(q)));
  return hy_panels_create(q, &q->shares, guest ? 0 : hy_ceil_div(slot, 64) * 64, &q->panels);
}

static hyla_status allocate(void *state) {
  struct hy_qr *q = state;
  hy_factor_no_swaps(q->problem);
  TRY(hy_qr_allocate(q));
  return solves(q) ? hy_triangular_allocate(&q->backward, q->a) : HYLA_OK;
}

static hyla_status create_transposed(struct hy_qr *q) {
  TRY(hy_alloc_for(&q->cube->base, q, 0, 1, &q->transposed_memory));
  return hy_triangular_of_factors(q->transposed_memory, q->problem, form_of(q, HYLA_CONJUGATE),
                                  &q->transposed);
}

/* Makes the system of op(R); collective over all ranks, agreed. */
static hyla_status allocate_transposed(struct hy_qr *q) {
  if (q->transposed_memory != NULL) return HYLA_OK;
  hyla_status status = hy_agree(q->cube, create_transposed(q));
  if (status == HYLA_OK) status = hy_triangular_allocate(&q->transposed, q->a);
  if (status != HYLA_OK) hy_free(&q->cube->base, &q->transposed_memory);
  return status;
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_qr *q = state;
  (void)op;
  return q->cube->address < 0 ? HYLA_OK : hy_qr_apply(q, HY_Q_ADJOINT, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_qr *q = state;
  (void)op;
  return q->cube->address < 0 ? HYLA_OK : hy_triangular_run(&q->backward, x);
}

static hyla_status solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_qr *q = state;
  TRY(allocate_transposed(q));
  if (q->cube->address < 0) return hy_agree(q->cube, HYLA_OK);
  q->transposed.s.op = op;
  return hy_agree(q->cube, hy_triangular_run(&q->transposed, x));
}

/* Q is unitary: Q^-H is Q, and Q^-T its conjugate. */
static hyla_status finish_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_qr *q = state;
  bool conjugated = op == HYLA_TRANSPOSE && q->k->complex_type;
  if (q->cube->address < 0) return HYLA_OK;
  if (conjugated) hy_conjugate_entries(x);
  TRY(hy_qr_apply(q, HY_Q_PLAIN, x));
  if (conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct hy_qr *q = state;
  struct hy_panel_header verdict = {HYLA_OK, q->problem->factors->pivot};
  struct hy_lookahead loop = {.panels = &q->panels,
                              .array = &q->array,
                              .end = q->array.count,
                              .a = q->a,
                              .x = q->problem->rhs,
                              .verdict = &verdict,
                              .state = q,
                              .bytes = hy_qr_bytes,
                              .make = make,
                              .arrive = hy_qr_arrive,
                              .use = hy_qr_use};
  if (q->cube->address < 0) return HYLA_OK;
  q->packed.panel = -1;
  hyla_status status = hy_lookahead_run(&loop);
  return hy_pivot_verdict(q->problem, status, (hyla_status)verdict.status, verdict.column);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_qr *q = state;
  if (q->shares.schedules == NULL)
    hy_text_add(text, "  panels: broadcast by doubling, lent one ahead (the default)\n");
  else
    hy_subcube_explain(&q->shares, "panels", text);
  hy_explain_asked(&q->sums, "products with columns", text);
  if (by_tree(q)) hy_explain_asked(&q->tops, "factors of Q's top", text);
}

static void reflections(const void *state, double *tau) { hy_qr_reflections(state, tau); }

static hyla_status times_q(void *state, enum hy_q_times what, const hyla_matrix *x) {
  return hy_qr_apply(state, what, x);
}

#define SUBSTITUTIONS                                                                              \
  {                                                                                                \
    .solve = {{.run = forward}, {.run = backward}},                                                \
    .solve_transposed = {{.run = solve_transposed, .at = HY_ALONG_COLUMNS},                        \
                         {.run = finish_transposed}},                                              \
    .orthogonal = true, .reflections = reflections, .times_q = times_q                             \
  }

static const struct hy_qr_way COLUMNS = {.traits = SUBSTITUTIONS, .factor = hy_qr_factor_columns};
static const struct hy_qr_way TREE = {
    .traits = SUBSTITUTIONS, .factor = hy_qr_factor_tree, .bytes = hy_qr_tree_bytes};

const struct hy_variant hy_qr_householder = {
    .name = "householder",
    .arrays = true,
    .reference = "schreiber-1989, section 2; puglisi-1992; householder-1958",
    .traits = &COLUMNS,
    .applies = hy_factor_applies,
    HY_OPERATIONS,
};

const struct hy_variant hy_qr_tsqr = {
    .name = "tsqr",
    .arrays = true,
    .reference = "demmel-2012, section 4; ballard-2015; puglisi-1992",
    .traits = &TREE,
    .applies = hy_factor_applies,
    HY_OPERATIONS,
};
