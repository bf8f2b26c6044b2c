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
 * panels, V^H times 512 columns, S of this rank column's panels. */
#include "solve/qr/qr.h"

#include <string.h>

static struct hy_qr_panel panel_at(const struct hy_qr *q, int64_t index,
                                   struct hy_panel_slot *slot) {
  struct hy_qr_panel panel = {.at = hy_diagonal_block(&q->array, index), .slot = slot};
  const struct hy_diagonal_block *at = &panel.at;
  panel.ld = (int)hy_max(1, at->rows);
  panel.bytes = hy_qr_at_v(at, q->k->size) + (int64_t)panel.ld * at->width * (int64_t)q->k->size;
  return panel;
}

static int64_t bytes_of(const void *state, int64_t index) {
  return panel_at(state, index, NULL).bytes;
}

/* ----------------------------------------------------------------- make -- */

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_qr_panel panel = panel_at(state, index, slot);
  return hy_qr_factor_panel(state, &panel);
}

/* Loads a panel that is factored already. */
static hyla_status make_again(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_qr_panel panel = panel_at(state, index, slot);
  hy_qr_load_panel(state, &panel);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ use -- */

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_qr *q = state;
  q->panel = panel_at(q, index, slot);
  return HYLA_OK;
}

void hy_qr_multiply(const struct hy_qr *q, int rows, int width, const char *v, int ldv, int columns,
                    const char *m, int64_t ldm, char *products) {
  const struct hy_kernels *k = q->k;
  if (k->dry) return;
  if (rows == 0)
    memset(products, 0, (size_t)width * (size_t)columns * k->size);
  else
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, columns, rows, 1, v, ldv, m, (int)ldm, 0, products,
            width);
}

/* m := Q_k^H m (adjoint) or Q_k m in some columns, from the panel's first row on. */
static hyla_status reflect_strip(const struct hy_qr *q, bool adjoint, int columns, char *m,
                                 int64_t ld) {
  const struct hy_kernels *k = q->k;
  const struct hy_qr_panel *panel = &q->panel;
  const struct hy_diagonal_block *at = &panel->at;
  const char *s = panel->slot->seen + HY_PANEL_HEADER;
  const char *v = panel->slot->seen + hy_qr_at_v(at, k->size);
  const int w = at->width, top = adjoint && at->top ? w : 0;
  const size_t below = (size_t)top * k->size;

  /* Q_k m begins with D_k m */
  if (!adjoint && at->top) k->combine(HYLA_NONE, w, columns, 0, NULL, 1, -1, m, (int)ld);

  /* W := V^H m */
  hy_qr_multiply(q, at->rows, w, v, panel->ld, columns, m, ld, q->products);
  TRY(hy_subcube_allreduce(&q->sums, q->products, (int64_t)w * columns, hy_solve_sum, k));

  /* W := S^-H W, or S^-1 W */
  k->trsm(HYLA_LEFT, HYLA_UPPER, adjoint ? HYLA_CONJUGATE : HYLA_NONE, HYLA_ANY_DIAGONAL, w,
          columns, 1, s, w, q->products, w);

  /* m := m - V W; the panel's own rows, for Q_k^H: V W - m */
  if (top > 0)
    k->gemm(HYLA_NONE, HYLA_NONE, top, columns, w, 1, v, panel->ld, q->products, w, -1, m, (int)ld);
  if (at->rows > top)
    k->gemm(HYLA_NONE, HYLA_NONE, at->rows - top, columns, w, -1, v + below, panel->ld, q->products,
            w, 1, m + below, (int)ld);
  hy_compute(q->cube, (4 * (int64_t)at->rows + w) * w * columns, k->size, k->complex_type);
  return HYLA_OK;
}

static hyla_status reflect(const struct hy_qr *q, bool adjoint, const struct hy_columns *x) {
  for (int64_t begin = x->first; begin < x->first + x->count; begin += HY_QR_STRIP) {
    int64_t columns = hy_min(HY_QR_STRIP, x->first + x->count - begin);
    char *m = hy_at(x->m, q->panel.at.row, begin);
    TRY(reflect_strip(q, adjoint, (int)columns, m, x->m->ld));
    TRY(hy_link_poll(q->cube));
  }
  return HYLA_OK;
}

static hyla_status use(void *state, const struct hy_columns *x) { return reflect(state, true, x); }

static hyla_status use_backwards(void *state, const struct hy_columns *x) {
  return reflect(state, false, x);
}

/* ------------------------------------------------------------------ run -- */

/* x := Q^H x, or x := Q x. */
static hyla_status multiply_by_q(struct hy_qr *q, bool adjoint, const hyla_matrix *x) {
  struct hy_lookahead loop = {.panels = &q->panels,
                              .array = &q->array,
                              .end = q->array.count,
                              .backwards = !adjoint,
                              .x = x,
                              .state = q,
                              .bytes = bytes_of,
                              .make = make_again,
                              .arrive = arrive,
                              .use = adjoint ? use : use_backwards};
  return hy_lookahead_run(&loop);
}

/* ----------------------------------------------------------------- memory -- */

/* Room for V^H times a strip, or for the products of HY_QR_BASE columns with a panel and S's
 * columns. */
static int64_t products_of(const struct hy_qr *q, int64_t columns, int64_t sides) {
  int64_t most = hy_min(HY_QR_STRIP, hy_max(columns, sides));
  return q->array.block * hy_max(most, 2 * HY_QR_BASE);
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
      {0}};
  return hy_make_groups(q, q->cube, groups);
}

/* Are systems solved? Only square ones are. */
static bool solves(const struct hy_qr *q) { return q->problem->m == q->problem->n; }

/* R X = B, or op(R) X = B. */
static struct hy_triangular form_of(const struct hy_qr *q, hyla_operation op) {
  return (struct hy_triangular){.block = q->array.block, .triangle = HYLA_UPPER, .op = op};
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_qr *q = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *q, &q));
  *state = q;
  *q = (struct hy_qr){
      .problem = problem, .cube = cube, .k = problem->k, .array = hy_factor_array(problem)};
  TRY(make_groups(q));
  if (!solves(q)) return HYLA_OK;
  return hy_triangular_of_factors(q, problem, form_of(q, HYLA_NONE), &q->backward);
}

static hyla_status allocate_arrays(struct hy_qr *q) {
  const struct hy_block_cyclic *array = &q->array;
  const int64_t size = (int64_t)q->k->size, width = hy_min(array->block, q->problem->n);
  const int64_t sides = hy_held(&q->problem->x_col, array->col_part);
  const struct hy_owned arrays[] = {{&q->triangles, array->cols * array->block * size},
                                    {&q->upper, width * width * size},
                                    {&q->products, products_of(q, array->cols, sides) * size},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&q->shares, &q->norms, &q->sums, NULL};
  TRY(hy_take_arrays(&q->cube->base, q, arrays));
  return hy_allocate_groups(groups);
}

static hyla_status allocate(void *state) {
  struct hy_qr *q = state;
  const bool guest = q->cube->address < 0;
  const int64_t size = (int64_t)q->k->size, width = hy_min(q->array.block, q->problem->n);
  const int64_t slot = HY_PANEL_HEADER + (hy_max(1, q->array.rows) + width) * width * size;
  q->a = q->problem->factors->a;
  hy_factor_no_swaps(q->problem);
  TRY(hy_agree(q->cube, guest ? HYLA_OK : allocate_arrays(q)));
  TRY(hy_panels_create(q, &q->shares, guest ? 0 : hy_ceil_div(slot, 64) * 64, &q->panels));
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
  return q->cube->address < 0 ? HYLA_OK : multiply_by_q(q, true, x);
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
  TRY(multiply_by_q(q, false, x));
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
                              .bytes = bytes_of,
                              .make = make,
                              .arrive = arrive,
                              .use = use};
  if (q->cube->address < 0) return HYLA_OK;
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
}

static void reflections(const void *state, double *tau) { hy_qr_reflections(state, tau); }

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward}},
    .solve_transposed = {{.run = solve_transposed, .at = HY_ALONG_COLUMNS},
                         {.run = finish_transposed}},
    .orthogonal = true,
    .reflections = reflections};

const struct hy_variant hy_qr_householder = {
    .name = "householder",
    .arrays = true,
    .reference = "schreiber-1989, section 2; puglisi-1992; householder-1958",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    HY_OPERATIONS,
};
