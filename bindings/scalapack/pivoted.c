/* ScaLAPACK's p?geqpf, A P = Q R with pivoted columns, by hyla_qr_pivoted_plan's variant classic:
 * the column of the largest norm comes next, as in ScaLAPACK, and the reflections have its form, so
 * that p?ormqr and p?orgqr take them.  All columns are free at first.
 *
 * Column l of A P on this process was column IPIV(l) of the array.  Of columns whose norms agree
 * but for rounding, each library may take another one. */
#include "dropin.h"

#include <complex.h>
#include <float.h>
#include <stdlib.h>

/* Positions of arguments; in complex types RWORK and its length stand before INFO. */
enum { ROWS, COLUMNS, OF_A, PIVOTS = 6, TAU, WORK, REALS = 10, INFO = 10 };

static int more(const struct dropin_call *call) { return dropin_more(call->number, call->type); }

bool dropin_read_geqpf(struct dropin_call *call) {
  const int m = dropin_integer(call, ROWS), n = dropin_integer(call, COLUMNS);
  dropin_operand(call, OF_A, m, n);
  call->info = call->arguments[INFO + more(call)];
  call->size = dropin_order_of_work(m, n, m < n ? m : n);
  return !dropin_asks_workspace(call, WORK, more(call) > 0 ? REALS : -1);
}

/* Could a column's norm overflow, or has A a NaN?  hyla would say so when A has changed. */
static bool has_norms(struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0];
  const bool single = call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX;
  double largest = 0;
  const hyla_status status = hyla_matrix_norm(call->grid->cube, a->view, HYLA_NORM_MAX, &largest);
  return status == HYLA_OK &&
         largest <= (single ? (double)FLT_MAX : DBL_MAX) / (4. * (double)a->rows);
}

/* The places of TAU and of the columns' numbers, in one block of the record. */
static hyla_scalar *reflections(const struct dropin_call *call) {
  return (hyla_scalar *)(void *)call->kept->values;
}
static int64_t *numbers(const struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0];
  const int64_t count = a->rows < a->cols ? a->rows : a->cols;
  return call->kept->values == NULL ? NULL : (int64_t *)(void *)(reflections(call) + count);
}

static hyla_status plan(struct dropin_call *call, hyla_plan **plan) {
  const struct dropin_operand *a = &call->operand[0];
  const int64_t count = a->rows < a->cols ? a->rows : a->cols;
  /* If one process has no memory, values is NULL there, and the call that needs it tells all. */
  call->kept->values =
      malloc((size_t)count * sizeof(hyla_scalar) + (size_t)a->cols * sizeof(int64_t));
  return hyla_qr_pivoted_plan(call->grid->cube, a->view, reflections(call), numbers(call),
                              "classic", plan);
}

static void write_number(hyla_type type, void *to, int64_t at, hyla_scalar value) {
  switch (type) {
  case HYLA_FLOAT: ((float *)to)[at] = (float)creal(value); break;
  case HYLA_DOUBLE: ((double *)to)[at] = creal(value); break;
  case HYLA_COMPLEX: ((float _Complex *)to)[at] = (float _Complex)value; break;
  case HYLA_DOUBLE_COMPLEX: ((double _Complex *)to)[at] = value; break;
  }
}

/* Each process has IPIV and TAU of its columns. */
static void write_results(const struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0];
  const int64_t count = a->rows < a->cols ? a->rows : a->cols;
  for (int64_t k = 0; k < a->cols; k++) {
    const int64_t at = dropin_local_col(call->grid, a->desc, a->j - 1 + k);
    if (at < 0) continue;
    ((int *)call->arguments[PIVOTS])[at] = a->j + (int)numbers(call)[k];
    if (k < count) write_number(call->type, call->arguments[TAU], at, reflections(call)[k]);
  }
}

hyla_status dropin_run_geqpf(struct dropin_call *call) {
  if (!dropin_has_workspace(call, WORK, more(call) > 0 ? REALS : -1, false)) return HYLA_ARGUMENT;
  hyla_plan **step = dropin_next_step(call);
  hyla_status status = HYLA_OK;
  if (!has_norms(call)) {
    call->why = "scaling";
    return HYLA_UNSUPPORTED;
  }
  if (*step == NULL) status = plan(call, step);
  status = dropin_run_step(call, status, *step);
  if (status != HYLA_OK) return status;
  write_results(call);
  return dropin_succeed(call);
}
