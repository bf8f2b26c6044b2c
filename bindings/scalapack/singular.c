/* ScaLAPACK's p?gesvd, by hyla_svd_plan.
 *
 * Values and vectors come by bidiagonal form and divide and conquer where ScaLAPACK iterates.  A is
 * not changed, which ScaLAPACK allows itself.  In complex types RWORK, which has no length among
 * the arguments, stands before INFO; ScaLAPACK's query writes the length that it wants there. */
#include "dropin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Positions of arguments. */
enum { LEFT, RIGHT, ROWS, COLUMNS, OF_A, VALUES = 8, OF_U, OF_VT = 13, WORK = 17, INFO = 19 };

static int letter(const struct dropin_call *call, int at) {
  return toupper(*(const unsigned char *)call->arguments[at]);
}

static bool wants(const struct dropin_call *call, int at) { return letter(call, at) == 'V'; }

/* Operands: A; U and V^T, if they are wanted. */
bool dropin_read_gesvd(struct dropin_call *call) {
  const int m = dropin_integer(call, ROWS), n = dropin_integer(call, COLUMNS);
  const int count = m < n ? m : n;
  const bool left = wants(call, LEFT), right = wants(call, RIGHT);
  const double numbers[DROPIN_EXTRA] = {left, right};
  call->info = call->arguments[INFO + dropin_more(call->number, call->type)];
  call->size = dropin_order_of_work(m, n, count);
  call->written = left || right;
  dropin_operand(call, OF_A, m, n);
  if (left) dropin_operand(call, OF_U, m, count);
  if (right) dropin_operand(call, OF_VT, count, n);
  memcpy(call->extra, numbers, sizeof numbers);
  call->kind = !left && !right;
  return (left || letter(call, LEFT) == 'N') && (right || letter(call, RIGHT) == 'N') &&
         !dropin_asks_workspace(call, WORK, -1);
}

static hyla_status plan(struct dropin_call *call, int64_t count, hyla_plan **plan) {
  struct dropin_operand *o = call->operand;
  hyla_matrix *left = wants(call, LEFT) ? o[1].view : NULL,
              *right = wants(call, RIGHT) ? o[call->operands - 1].view : NULL;
  /* If one process has no memory, values is NULL there, and the call that needs it tells all. */
  call->kept->values = malloc((size_t)count * sizeof *call->kept->values);
  return hyla_svd_plan(call->grid->cube, NULL, o[0].view, call->kept->values, left, right, plan);
}

static void write_values(const struct dropin_call *call, int64_t count) {
  const double *values = call->kept->values;
  void *to = call->arguments[VALUES];
  for (int64_t i = 0; i < count; i++)
    if (call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX)
      ((float *)to)[i] = (float)values[i];
    else
      ((double *)to)[i] = values[i];
}

hyla_status dropin_run_gesvd(struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0];
  const int64_t count = a->rows < a->cols ? a->rows : a->cols;
  hyla_plan **step = NULL;
  hyla_status status = HYLA_OK;
  if (!dropin_has_workspace(call, WORK, -1, false)) return HYLA_ARGUMENT;
  step = dropin_next_step(call);
  if (*step == NULL) status = plan(call, count, step);
  status = dropin_run_step(call, status, *step);
  if (status != HYLA_OK) return status;
  write_values(call, count);
  return dropin_succeed(call);
}
