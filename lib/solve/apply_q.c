/* hyla_factor_apply_q, hyla_factor_q, hyla_packed_apply_q, hyla_packed_q: the unitary factor of
 * A = Q R times a matrix, and its leading columns.
 *
 * Q multiplies from the left a matrix whose rows lie as A's.  A product from the right is made of
 * the transposed one, X Q = (Q^H X^H)^H, and one with Q^T of conjugates or of the transposed one,
 * Q^T X = conj(Q^H conj(X)), X Q^T = (Q X^T)^T.  A matrix that lies otherwise passes through a
 * workspace. */
#include "solve/apply_q.h"
#include "solve/qr/qr.h"

#include <string.h>

static hyla_status times(const struct hy_unitary *u, enum hy_q_times what, const hyla_matrix *x) {
  return hy_agree(u->cube, u->cube->address < 0 ? HYLA_OK : u->times(u->state, what, x));
}

/* Does x lie so that Q can multiply it in its place?  Its columns may lie in any blocks over the
 * dimensions of A's columns. */
static bool lies(const struct hy_unitary *u, const hyla_matrix *x) {
  hyla_axis code = x->col.code;
  if (x->unused_dims != 0 || x->col.mirrored || x->col.parts != u->col->parts) return false;
  code.block = u->layout.col.block;
  code.storage = u->layout.col.storage;
  const struct hy_axis like = hy_axis_make(&code, u->col->n);
  const struct hy_axis own = hy_axis_make(&u->layout.col, u->col->n);
  return hy_axis_equal(&x->row, u->row) && hy_axis_equal(&like, &own);
}

static hyla_status make_workspace(const struct hy_unitary *u, int64_t columns, hyla_matrix **made) {
  hyla_layout layout = u->layout;
  const int64_t share = hy_ceil_div(columns, u->col->parts);
  layout.col.storage = HYLA_CYCLIC;
  layout.col.block = hy_max(1, hy_min(share, u->col->block));
  return hy_matrix_make(u->cube, u->k->type, u->row->n, columns, &layout, made);
}

/* ---------------------------------------------------------------- products -- */

/* What the product is of: Q, the move of x to the workspace and back, and whether the entries are
 * conjugated before and after. */
static void set_product(struct hy_q_product *p, hyla_side side, hyla_operation op) {
  const bool turned = op == HYLA_TRANSPOSE && p->u.k->complex_type;
  const bool left = side == HYLA_LEFT;
  p->what = (op == HYLA_NONE) == left ? HY_Q_PLAIN : HY_Q_ADJOINT;
  p->move = left ? HYLA_NONE : turned ? HYLA_TRANSPOSE : HYLA_CONJUGATE;
  p->conjugated = left && turned;
}

static hyla_status multiply(const struct hy_q_product *p, hyla_matrix *x) {
  if (p->conjugated) hy_conjugate_entries(x);
  TRY(times(&p->u, p->what, x));
  if (p->conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}

/* Collective, agreed. */
static hyla_status plan_product(struct hy_q_product *p, hyla_side side, hyla_operation op,
                                hyla_matrix *x) {
  hyla_cube *cube = p->u.cube;
  set_product(p, side, op);
  p->x = x;
  if (p->move == HYLA_NONE && lies(&p->u, x)) return HYLA_OK;
  TRY(make_workspace(&p->u, p->move == HYLA_NONE ? x->col.n : x->row.n, &p->work));
  const hyla_transfer there = {p->move, 1, x, p->work}, back = {p->move, 1, p->work, x};
  TRY(hy_redistribute_make(cube, 1, &there, NULL, NULL, &p->there));
  return hy_redistribute_make(cube, 1, &back, NULL, NULL, &p->back);
}

static hyla_status run_plan(const struct hy_q_product *p, hyla_plan *plan) {
  return plan == NULL ? HYLA_OK : hy_agree(p->u.cube, hy_plan_run(plan));
}

hyla_status hy_q_run(struct hy_q_product *p) {
  TRY(run_plan(p, p->bring));
  TRY(run_plan(p, p->there));
  TRY(multiply(p, p->work != NULL ? p->work : p->x));
  return run_plan(p, p->back);
}

void hy_q_free(struct hy_q_product *p) {
  (void)hyla_plan_destroy(&p->back);
  (void)hyla_plan_destroy(&p->there);
  (void)hyla_plan_destroy(&p->bring);
  (void)hyla_matrix_destroy(&p->work);
  if (p->q != NULL) hy_free(&p->u.cube->base, &p->q);
  (void)hyla_matrix_destroy(&p->copy);
}

/* Local.  x := the leading columns of the identity. */
static void set_identity(hyla_matrix *x) {
  const struct hy_kernels *k = x->k;
  for (int64_t col = 0; col < x->local_cols && !k->dry; col++) {
    const int64_t j = hyla_matrix_col(x, col);
    memset(hy_at(x, 0, col), 0, (size_t)x->local_rows * k->size);
    if (j >= x->row.n || hy_axis_owner(&x->row, j) != x->row_part) continue;
    k->set(hy_at(x, hy_axis_before(&x->row, x->row_part, j), col), 0, 1);
  }
}

/* x := Q's leading columns. */
static hyla_status form(const struct hy_unitary *u, hyla_matrix *x) {
  hyla_matrix *work = NULL;
  hyla_status status = lies(u, x) ? HYLA_OK : make_workspace(u, x->col.n, &work);
  if (status == HYLA_OK) set_identity(work != NULL ? work : x);
  if (status == HYLA_OK) status = times(u, HY_Q_OF_IDENTITY, work != NULL ? work : x);
  const hyla_transfer back = {HYLA_NONE, 1, work, x};
  if (status == HYLA_OK && work != NULL) status = hy_redistribute_once(u->cube, &back, NULL);
  (void)hyla_matrix_destroy(&work);
  return status;
}

/* --------------------------------------------------- of a factorization -- */

static struct hy_unitary unitary_of(const hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  return (struct hy_unitary){.cube = problem->cube,
                             .k = problem->k,
                             .row = &problem->row,
                             .col = &problem->col,
                             .layout = problem->layout,
                             .times = hy_factor_traits_of(factor)->times_q,
                             .state = hy_factor_state(factor)};
}

/* This rank's verdict. */
static hyla_status check(hyla_cube *cube, const hyla_factor *factor, struct hy_call *call) {
  TRY(hy_factor_call(cube, factor, HY_COMPUTED, call));
  CHECK(&cube->base, hy_factor_traits_of(factor)->times_q != NULL, UNSUPPORTED,
        "%s: %s (%s) has no Q that can be applied; take householder's qr", call->name,
        factor->problem.method->is.name, hy_choice_variant(&factor->plan->choice)->name);
  return HYLA_OK;
}

hyla_status hyla_factor_apply_q(hyla_cube *cube, const hyla_factor *factor, hyla_side side,
                                hyla_operation op, hyla_matrix *x) {
  struct hy_call call = {
      .name = "hyla_factor_apply_q",
      .option = {{"side", (int)side, hy_side_names}, {"op", (int)op, hy_operation_names}},
      .argument = {{"x", x, .sizes = side == HYLA_LEFT ? "Mr" : "rM", .result = x}}};
  TRY(hy_call_enter(cube, &call, check(cube, factor, &call)));
  struct hy_q_product p = {0};
  hyla_status status = hy_q_of_factor(factor, side, op, x, &p);
  if (status == HYLA_OK) status = hy_q_run(&p);
  hy_q_free(&p);
  return status;
}

hyla_status hy_q_of_factor(const hyla_factor *factor, hyla_side side, hyla_operation op,
                           hyla_matrix *x, struct hy_q_product *p) {
  *p = (struct hy_q_product){.u = unitary_of(factor)};
  return plan_product(p, side, op, x);
}

/* This rank's verdict on a matrix for Q's leading columns, with the verdict so far. */
static hyla_status check_columns(hyla_cube *cube, const char *name, hyla_status mine,
                                 const hyla_matrix *q) {
  TRY(mine);
  CHECK(&cube->base, q->col.n <= q->row.n, ARGUMENT,
        "%s: q is %lld x %lld, and Q has %lld columns; give no more", name, (long long)q->row.n,
        (long long)q->col.n, (long long)q->row.n);
  return HYLA_OK;
}

hyla_status hyla_factor_q(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *q) {
  struct hy_call call = {.name = "hyla_factor_q",
                         .argument = {{"q", q, .sizes = "Mr", .result = q}}};
  hyla_status mine = check(cube, factor, &call);
  if (mine == HYLA_OK) mine = hy_call_check(cube, &call);
  TRY(hy_call_agree(cube, &call, check_columns(cube, call.name, mine, q)));
  const struct hy_unitary u = unitary_of(factor);
  return form(&u, q);
}

/* ------------------------------------------------------- of given vectors -- */

static hyla_status times_given(void *state, enum hy_q_times what, const hyla_matrix *x) {
  return hy_qr_apply(state, what, x);
}

/* The number of reflections. */
static int64_t number_of(const hyla_matrix *packed) {
  return packed == NULL ? 0 : hy_min(packed->row.n, packed->col.n);
}

/* Can the vectors be read where they are? */
static bool serves(const struct hy_factorization *problem, const hyla_matrix *packed) {
  return packed->unused_dims == 0 && hy_axis_equal(&packed->row, &problem->row) &&
         hy_axis_equal(&packed->col, &problem->col);
}

/* columns: of the matrices that Q multiplies.  copied: the vectors may be overwritten meanwhile.
 * Collective, agreed. */
static hyla_status open_given(const hyla_matrix *packed, const double _Complex *tau,
                              int64_t columns, bool copied, struct hy_q_product *p) {
  hyla_cube *cube = packed->cube;
  const int64_t m = packed->row.n, n = packed->col.n;
  const bool whole = packed->row.parts == 1 && packed->col.parts == 1;
  const bool stays = !whole && hy_triangle_fits(packed, columns);
  struct hy_factorization *problem = &p->problem;
  *p = (struct hy_q_product){
      .problem = {.cube = cube,
                  .k = packed->k,
                  .m = m,
                  .n = n,
                  .nrhs = columns,
                  .layout = stays ? packed->layout : hy_factor_layout(cube, m, n),
                  .factors = &p->factors}};
  problem->row = hy_axis_make(&problem->layout.row, m);
  problem->col = hy_axis_make(&problem->layout.col, n);
  problem->x_layout = problem->layout;
  problem->x_col = hy_axis_make(&problem->layout.col, columns);
  p->u = (struct hy_unitary){.cube = cube,
                             .k = packed->k,
                             .row = &problem->row,
                             .col = &problem->col,
                             .layout = problem->layout,
                             .times = times_given};
  p->factors.a = (hyla_matrix *)(uintptr_t)packed; /* only read */
  if (copied || !serves(problem, packed)) {
    TRY(hy_matrix_make(cube, packed->k->type, m, n, &problem->layout, &p->copy));
    const hyla_transfer bring = {HYLA_NONE, 1, packed, p->copy};
    TRY(hy_redistribute_make(cube, 1, &bring, NULL, NULL, &p->bring));
    p->factors.a = p->copy;
  }
  TRY(hy_qr_given(problem, tau, &p->q));
  p->u.state = p->q;
  return HYLA_OK;
}

hyla_status hy_q_of_packed(const hyla_matrix *packed, const double _Complex *tau, hyla_side side,
                           hyla_operation op, hyla_matrix *x, struct hy_q_product *p) {
  TRY(open_given(packed, tau, side == HYLA_LEFT ? x->col.n : x->row.n, false, p));
  return plan_product(p, side, op, x);
}

hyla_status hyla_packed_apply_q(hyla_cube *cube, const hyla_matrix *packed,
                                const double _Complex *tau, hyla_side side, hyla_operation op,
                                hyla_matrix *x) {
  const struct hy_call call = {
      .name = "hyla_packed_apply_q",
      .option = {{"side", (int)side, hy_side_names}, {"op", (int)op, hy_operation_names}},
      .place = {{"tau", tau, number_of(packed)}},
      .argument = {{"packed", packed, .sizes = "mk"},
                   {"x", x, .sizes = side == HYLA_LEFT ? "mr" : "rm", .result = x}}};
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  struct hy_q_product p = {0};
  hyla_status status = hy_q_of_packed(packed, tau, side, op, x, &p);
  if (status == HYLA_OK) status = hy_q_run(&p);
  hy_q_free(&p);
  return status;
}

/* The vectors are copied, since q may be in their place. */
hyla_status hyla_packed_q(hyla_cube *cube, const hyla_matrix *packed, const double _Complex *tau,
                          hyla_matrix *q) {
  const struct hy_call call = {.name = "hyla_packed_q",
                               .place = {{"tau", tau, number_of(packed)}},
                               .argument = {{"packed", packed, .sizes = "mk"},
                                            {"q", q, .sizes = "mr", .result = q, .late = true}}};
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = hy_call_check(cube, &call);
  TRY(hy_call_agree(cube, &call, check_columns(cube, call.name, mine, q)));
  struct hy_q_product p = {0};
  hyla_status status = open_given(packed, tau, q->col.n, true, &p);
  if (status == HYLA_OK) status = run_plan(&p, p.bring);
  if (status == HYLA_OK) status = form(&p.u, q);
  hy_q_free(&p);
  return status;
}
