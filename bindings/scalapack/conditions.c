/* ScaLAPACK's estimates of reciprocal condition numbers, from factors. */
#include "dropin.h"

/* gecon, pocon: letter, N, A, its norm, RCOND, WORK, IWORK (in complex types RWORK), INFO. */
enum { ORDER = 1, A = 2, ANORM = 6, RCOND = 7, WORK = 8, MORE = 10, INFO = 12 };

/* ScaLAPACK answers the other cases without work: 0 for a norm of 0, 1 for order 1. */
static bool read_condition(struct dropin_call *call) {
  int n = dropin_integer(call, ORDER);
  dropin_operand(call, A, n, n);
  call->info = call->arguments[INFO];
  call->size = n;
  return dropin_square_blocks(call, 0) && !dropin_asks_workspace(call, WORK, MORE) && n > 1 &&
         dropin_real(call, ANORM) > 0;
}

static hyla_status run_condition(struct dropin_call *call, hyla_method method) {
  double rcond = 0;
  if (!dropin_has_workspace(call, WORK, MORE, !dropin_is_complex(call->type))) return HYLA_ARGUMENT;
  hyla_status status =
      hyla_packed_condition(call->grid->cube, method, call->triangle, call->operand[0].view,
                            call->norm, dropin_real(call, ANORM), &rcond);
  if (status != HYLA_OK) return status;
  if (call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX)
    *(float *)call->arguments[RCOND] = (float)rcond;
  else
    *(double *)call->arguments[RCOND] = rcond;
  return dropin_succeed(call);
}

bool dropin_read_gecon(struct dropin_call *call) {
  return read_condition(call) && dropin_read_norm(call, 0);
}

hyla_status dropin_run_gecon(struct dropin_call *call) { return run_condition(call, HYLA_LU); }

bool dropin_read_pocon(struct dropin_call *call) {
  call->norm = HYLA_NORM_ONE;
  return read_condition(call) && dropin_read_triangle(call, 0);
}

hyla_status dropin_run_pocon(struct dropin_call *call) {
  return run_condition(call, HYLA_CHOLESKY);
}
