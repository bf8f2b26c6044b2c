/* PBLAS of level 3, sums with transposition, and products with a vector, by one call of hyla.h
 * each. */
#include "dropin.h"

#include <math.h>

static double cube_root(int64_t a, int64_t b, int64_t c) {
  return cbrt((double)a * (double)b * (double)c);
}

/* With alpha = 0 no factor is read; that case is left to PBLAS. */
static bool read_alpha(struct dropin_call *call, int at) {
  call->written = true;
  call->alpha = dropin_scalar(call, at);
  return call->alpha != 0;
}

bool dropin_read_gemm(struct dropin_call *call) {
  if (!dropin_read_operation(call, 0, &call->op_a) || !dropin_read_operation(call, 1, &call->op_b))
    return false;
  int m = dropin_integer(call, 2), n = dropin_integer(call, 3), k = dropin_integer(call, 4);
  bool plain_a = call->op_a == HYLA_NONE, plain_b = call->op_b == HYLA_NONE;
  dropin_operand(call, 6, plain_a ? m : k, plain_a ? k : m);
  dropin_operand(call, 10, plain_b ? k : n, plain_b ? n : k);
  dropin_operand(call, 15, m, n);
  call->beta = dropin_scalar(call, 14);
  call->size = cube_root(m, n, k);
  call->kind = !plain_a || !plain_b;
  return read_alpha(call, 5);
}

/* Makes the plan of a call. */
typedef hyla_status planner(const struct dropin_call *call, hyla_plan **plan);

/* Runs the one plan of such a call. */
static hyla_status run(struct dropin_call *call, planner *make) {
  hyla_plan **plan = dropin_next_step(call);
  const hyla_status planned = *plan == NULL ? make(call, plan) : HYLA_OK;
  return dropin_run_step(call, planned, *plan);
}

static hyla_status plan_gemm(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_gemm_plan(call->grid->cube, call->op_a, call->op_b, call->alpha, o[0].view, o[1].view,
                        call->beta, o[2].view, NULL, plan);
}

hyla_status dropin_run_gemm(struct dropin_call *call) { return run(call, plan_gemm); }

bool dropin_read_symm(struct dropin_call *call) {
  if (!dropin_read_side(call, 0) || !dropin_read_triangle(call, 1)) return false;
  int m = dropin_integer(call, 2), n = dropin_integer(call, 3);
  int order = call->side == HYLA_LEFT ? m : n;
  dropin_operand(call, 5, order, order);
  dropin_operand(call, 9, m, n);
  dropin_operand(call, 14, m, n);
  call->beta = dropin_scalar(call, 13);
  call->size = cube_root(m, n, order);
  return read_alpha(call, 4);
}

static hyla_status plan_symm(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_symm_plan(call->grid->cube, call->side, call->triangle, call->alpha, o[0].view,
                        o[1].view, call->beta, o[2].view, NULL, plan);
}

hyla_status dropin_run_symm(struct dropin_call *call) { return run(call, plan_symm); }

bool dropin_read_hemm(struct dropin_call *call) { return dropin_read_symm(call); }

static hyla_status plan_hemm(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_hemm_plan(call->grid->cube, call->side, call->triangle, call->alpha, o[0].view,
                        o[1].view, call->beta, o[2].view, NULL, plan);
}

hyla_status dropin_run_hemm(struct dropin_call *call) { return run(call, plan_hemm); }

/* In complex types syrk takes N and T, herk N and C. */
static bool read_update(struct dropin_call *call, hyla_operation other) {
  if (!dropin_read_triangle(call, 0) || !dropin_read_operation(call, 1, &call->op_a)) return false;
  int n = dropin_integer(call, 2), k = dropin_integer(call, 3);
  bool plain = call->op_a == HYLA_NONE;
  dropin_operand(call, 5, plain ? n : k, plain ? k : n);
  dropin_operand(call, 10, n, n);
  call->size = cube_root(n, n, k);
  return plain || call->op_a == other;
}

bool dropin_read_syrk(struct dropin_call *call) {
  call->beta = dropin_scalar(call, 9);
  return read_update(call, HYLA_TRANSPOSE) && read_alpha(call, 4);
}

static hyla_status plan_syrk(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_syrk_plan(call->grid->cube, call->triangle, call->op_a, call->alpha, o[0].view,
                        call->beta, o[1].view, NULL, plan);
}

hyla_status dropin_run_syrk(struct dropin_call *call) { return run(call, plan_syrk); }

bool dropin_read_herk(struct dropin_call *call) {
  call->written = true;
  call->alpha = dropin_real(call, 4);
  call->beta = dropin_real(call, 9);
  return read_update(call, HYLA_CONJUGATE) && call->alpha != 0;
}

static hyla_status plan_herk(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_herk_plan(call->grid->cube, call->triangle, call->op_a, __real__ call->alpha,
                        o[0].view, __real__ call->beta, o[1].view, NULL, plan);
}

hyla_status dropin_run_herk(struct dropin_call *call) { return run(call, plan_herk); }

bool dropin_read_trmm(struct dropin_call *call) {
  if (!dropin_read_side(call, 0) || !dropin_read_triangle(call, 1) ||
      !dropin_read_operation(call, 2, &call->op_a) || !dropin_read_diagonal(call, 3))
    return false;
  int m = dropin_integer(call, 4), n = dropin_integer(call, 5);
  int order = call->side == HYLA_LEFT ? m : n;
  dropin_operand(call, 7, order, order);
  dropin_operand(call, 11, m, n);
  call->size = cube_root(m, n, order);
  call->kind = (call->side == HYLA_RIGHT) + 2 * (call->op_a != HYLA_NONE);
  return read_alpha(call, 6);
}

static hyla_status plan_trmm(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_trmm_plan(call->grid->cube, call->side, call->triangle, call->op_a, call->diagonal,
                        call->alpha, o[0].view, o[1].view, NULL, plan);
}

hyla_status dropin_run_trmm(struct dropin_call *call) { return run(call, plan_trmm); }

bool dropin_read_trsm(struct dropin_call *call) { return dropin_read_trmm(call); }

/* A zero on the diagonal leaves B unchanged; PBLAS then divides by it. */
static hyla_status plan_trsm(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_trsm_plan(call->grid->cube, call->side, call->triangle, call->op_a, call->diagonal,
                        call->alpha, o[0].view, o[1].view, NULL, plan);
}

hyla_status dropin_run_trsm(struct dropin_call *call) { return run(call, plan_trsm); }

/* C := alpha op(A) + beta C, C m x n. */
static bool read_tran(struct dropin_call *call, hyla_operation op) {
  int m = dropin_integer(call, 0), n = dropin_integer(call, 1);
  call->op_a = op;
  dropin_operand(call, 3, n, m);
  dropin_operand(call, 8, m, n);
  call->beta = dropin_scalar(call, 7);
  call->size = sqrt((double)m * (double)n);
  call->kind = call->beta != 0;
  return read_alpha(call, 2);
}

static hyla_status plan_move(const struct dropin_call *call, hyla_plan **plan) {
  const hyla_transfer move = {call->op_a, call->alpha, call->operand[0].view,
                              call->operand[1].view};
  return hyla_redistribute_plan(call->grid->cube, 1, &move, NULL, plan);
}

/* A move if nothing is added, else hyla_add, which plans its own move. */
static hyla_status run_tran(struct dropin_call *call) {
  if (call->beta == 0 && call->op_a != HYLA_NONE) return run(call, plan_move);
  return hyla_add(call->grid->cube, call->op_a, call->alpha, call->operand[0].view, call->beta,
                  call->operand[1].view);
}

bool dropin_read_tran(struct dropin_call *call) { return read_tran(call, HYLA_TRANSPOSE); }
bool dropin_read_tranu(struct dropin_call *call) { return read_tran(call, HYLA_TRANSPOSE); }
bool dropin_read_tranc(struct dropin_call *call) { return read_tran(call, HYLA_CONJUGATE); }
hyla_status dropin_run_tran(struct dropin_call *call) { return run_tran(call); }
hyla_status dropin_run_tranu(struct dropin_call *call) { return run_tran(call); }
hyla_status dropin_run_tranc(struct dropin_call *call) { return run_tran(call); }

/* C := alpha op(A) + beta C, with any op. */
bool dropin_read_geadd(struct dropin_call *call) {
  if (!dropin_read_operation(call, 0, &call->op_a)) return false;
  const int m = dropin_integer(call, 1), n = dropin_integer(call, 2);
  const bool plain = call->op_a == HYLA_NONE;
  dropin_operand(call, 4, plain ? m : n, plain ? n : m);
  dropin_operand(call, 9, m, n);
  call->beta = dropin_scalar(call, 8);
  call->size = sqrt((double)m * (double)n);
  call->kind = !plain;
  return read_alpha(call, 3);
}
hyla_status dropin_run_geadd(struct dropin_call *call) { return run_tran(call); }

/* y := alpha op(A) x + beta y, for vectors that are parts of columns. */
bool dropin_read_gemv(struct dropin_call *call) {
  if (!dropin_read_operation(call, 0, &call->op_a)) return false;
  const int m = dropin_integer(call, 1), n = dropin_integer(call, 2);
  const bool plain = call->op_a == HYLA_NONE;
  dropin_operand(call, 4, m, n);
  dropin_operand(call, 8, plain ? n : m, 1);
  dropin_operand(call, 14, plain ? m : n, 1);
  const bool columns = dropin_integer(call, 12) == 1 && dropin_integer(call, 18) == 1 &&
                       call->operand[1].desc[M] > 1 && call->operand[2].desc[M] > 1;
  call->beta = dropin_scalar(call, 13);
  call->size = sqrt((double)m * (double)n);
  return columns && read_alpha(call, 3);
}

static hyla_status plan_gemv(const struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *o = call->operand;
  return hyla_gemv_plan(call->grid->cube, call->op_a, call->alpha, o[0].view, o[1].view, call->beta,
                        o[2].view, NULL, plan);
}

hyla_status dropin_run_gemv(struct dropin_call *call) { return run(call, plan_gemv); }
