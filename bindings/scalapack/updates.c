/* PBLAS' updates: p?ger (p?geru, p?gerc), and p?syr2k, p?her2k by one product. */
#include "dropin.h"

#include <complex.h>
#include <math.h>

/* ----------------------------------------------------------------- rank one -- */

/* M, N, ALPHA, X, INCX, Y, INCY, A; vectors are parts of columns. */
static bool read_ger(struct dropin_call *call, hyla_operation op) {
  const int m = dropin_integer(call, 0), n = dropin_integer(call, 1);
  call->op_a = op;
  call->alpha = dropin_scalar(call, 2);
  call->written = true;
  dropin_operand(call, 3, m, 1);
  dropin_operand(call, 8, n, 1);
  dropin_operand(call, 13, m, n);
  call->size = sqrt((double)m * (double)n);
  return call->alpha != 0 && dropin_integer(call, 7) == 1 && dropin_integer(call, 12) == 1 &&
         call->operand[0].desc[M] > 1 && call->operand[1].desc[M] > 1;
}

static hyla_status run_ger(struct dropin_call *call) {
  struct dropin_operand *o = call->operand;
  hyla_plan **plan = dropin_next_step(call);
  hyla_status status = HYLA_OK;
  if (*plan == NULL)
    status = hyla_ger_plan(call->grid->cube, call->op_a, call->alpha, o[0].view, o[1].view,
                           o[2].view, NULL, plan);
  return dropin_run_step(call, status, *plan);
}

bool dropin_read_ger(struct dropin_call *call) { return read_ger(call, HYLA_TRANSPOSE); }
bool dropin_read_geru(struct dropin_call *call) { return read_ger(call, HYLA_TRANSPOSE); }
bool dropin_read_gerc(struct dropin_call *call) { return read_ger(call, HYLA_CONJUGATE); }
hyla_status dropin_run_ger(struct dropin_call *call) { return run_ger(call); }
hyla_status dropin_run_geru(struct dropin_call *call) { return run_ger(call); }
hyla_status dropin_run_gerc(struct dropin_call *call) { return run_ger(call); }

/* --------------------------------------------------------------- rank two k -- */

/* UPLO, TRANS, N, K, ALPHA, A, B, BETA, C. */
static bool read_update(struct dropin_call *call, hyla_operation other) {
  if (!dropin_read_triangle(call, 0) || !dropin_read_operation(call, 1, &call->op_a)) return false;
  const int n = dropin_integer(call, 2), k = dropin_integer(call, 3);
  const bool plain = call->op_a == HYLA_NONE;
  dropin_operand(call, 5, plain ? n : k, plain ? k : n);
  dropin_operand(call, 9, plain ? n : k, plain ? k : n);
  dropin_operand(call, 14, n, n);
  call->alpha = dropin_scalar(call, 4);
  call->written = true;
  call->op_b = other;
  call->size = cbrt((double)n * (double)n * (double)k);
  return (plain || call->op_a == other) && call->alpha != 0;
}

/* W := alpha op(A) op'(B); C := W + W^T (W^H) + beta C.  The product has as many operations as
 * p?syr2k. */
static hyla_status run_update(struct dropin_call *call, hyla_operation other) {
  hyla_cube *cube = call->grid->cube;
  struct dropin_operand *o = call->operand;
  const bool plain = call->op_a == HYLA_NONE;
  const enum dropin_region part = call->triangle == HYLA_LOWER ? DROPIN_LOWER : DROPIN_UPPER;
  hyla_plan **product = dropin_next_step(call), **image = dropin_next_step(call);
  hyla_matrix *w = NULL, *turned = NULL;
  hyla_status status = dropin_twin(call, 2, 0, &w);
  if (status == HYLA_OK) status = dropin_twin(call, 2, 1, &turned);
  if (status == HYLA_OK && *product == NULL)
    status = hyla_gemm_plan(cube, plain ? HYLA_NONE : other, plain ? other : HYLA_NONE, call->alpha,
                            o[0].view, o[1].view, 0, w, NULL, product);
  const hyla_transfer turn = {other, 1, w, turned};
  if (status == HYLA_OK && *image == NULL)
    status = hyla_redistribute_plan(cube, 1, &turn, NULL, image);
  status = dropin_run_step(call, status, *product);
  status = dropin_run_step(call, status, *image);
  if (status != HYLA_OK) return status;
  dropin_add_part(call, 2, part, w, call->beta);
  dropin_add_part(call, 2, part, turned, 1);
  if (other == HYLA_CONJUGATE) dropin_real_diagonal(call, 2, NULL);
  return HYLA_OK;
}

bool dropin_read_syr2k(struct dropin_call *call) {
  call->beta = dropin_scalar(call, 13);
  return read_update(call, HYLA_TRANSPOSE);
}
hyla_status dropin_run_syr2k(struct dropin_call *call) { return run_update(call, HYLA_TRANSPOSE); }

bool dropin_read_her2k(struct dropin_call *call) {
  call->beta = dropin_real(call, 13);
  return read_update(call, HYLA_CONJUGATE);
}
hyla_status dropin_run_her2k(struct dropin_call *call) { return run_update(call, HYLA_CONJUGATE); }
