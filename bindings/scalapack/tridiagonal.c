/* ScaLAPACK's p?sytrd and p?hetrd, A = Q T Q^H with a tridiagonal T, by hyla_tridiagonal_form,
 * whose result has ScaLAPACK's form for both triangles, so that p?ormtr takes it.  It is made in a
 * workspace: A changes when nothing can fail any more.
 *
 * D, E and TAU are tied to A's columns: T's diagonal to its own, and what belongs to a reflection
 * to the column in which its vector stands. */
#include "dropin.h"

#include <complex.h>
#include <stdlib.h>

enum { TRIANGLE, ORDER, OF_A, RESULT_D = 6, RESULT_E, RESULT_TAU, WORK, INFO = 11 };

bool dropin_read_sytrd(struct dropin_call *call) {
  const int n = dropin_integer(call, ORDER);
  dropin_operand(call, OF_A, n, n);
  call->info = call->arguments[INFO];
  call->size = n;
  return dropin_read_triangle(call, TRIANGLE) && dropin_square_blocks(call, 0) &&
         !dropin_asks_workspace(call, WORK, -1);
}
bool dropin_read_hetrd(struct dropin_call *call) { return dropin_read_sytrd(call); }

/* The numbers of T and Q, in one block of the record: tau, d and e.  If one process has no memory,
 * it is NULL there, and the call that needs it tells all. */
static hyla_scalar *numbers(const struct dropin_call *call) {
  struct dropin_kept *kept = call->kept;
  const size_t n = (size_t)call->operand[0].rows;
  if (kept->values == NULL) kept->values = malloc(n * (sizeof(hyla_scalar) + 2 * sizeof(double)));
  return (hyla_scalar *)(void *)kept->values;
}

static void write_real(hyla_type type, void *to, int64_t at, double value) {
  if (type == HYLA_FLOAT || type == HYLA_COMPLEX)
    ((float *)to)[at] = (float)value;
  else
    ((double *)to)[at] = value;
}

static void write_tau(hyla_type type, void *to, int64_t at, hyla_scalar value) {
  switch (type) {
  case HYLA_COMPLEX: ((float _Complex *)to)[at] = (float _Complex)value; break;
  case HYLA_DOUBLE_COMPLEX: ((double _Complex *)to)[at] = value; break;
  default: write_real(type, to, at, creal(value));
  }
}

static void write_results(const struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0];
  const int64_t n = a->rows, behind = call->triangle == HYLA_UPPER ? 1 : 0;
  const hyla_scalar *tau = numbers(call);
  const double *d = (const double *)(tau + n), *e = d + n;
  for (int64_t j = 0; j < n; j++) {
    const int64_t at = dropin_local_col(call->grid, a->desc, a->j - 1 + j), i = j - behind;
    if (at < 0) continue;
    write_real(call->type, call->arguments[RESULT_D], at, d[j]);
    if (i < 0 || i + 1 >= n) continue;
    write_real(call->type, call->arguments[RESULT_E], at, e[i]);
    write_tau(call->type, call->arguments[RESULT_TAU], at, tau[i]);
  }
}

hyla_status dropin_run_sytrd(struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0];
  const enum dropin_region part = call->triangle == HYLA_LOWER ? DROPIN_LOWER : DROPIN_UPPER;
  hyla_matrix *form = NULL;
  if (!dropin_has_workspace(call, WORK, -1, false)) return HYLA_ARGUMENT;
  hyla_status status = dropin_twin(call, 0, 0, &form);
  if (status == HYLA_OK && !dropin_all_fit(call)) status = HYLA_ARGUMENT;
  if (status != HYLA_OK) return status;
  hyla_scalar *tau = numbers(call);
  double *d = tau == NULL ? NULL : (double *)(tau + a->rows);
  dropin_copy_part(call, 0, part, a->view, form);
  status = hyla_tridiagonal_form(call->grid->cube, call->triangle, form, d,
                                 d == NULL ? NULL : d + a->rows, tau);
  if (status != HYLA_OK) return status;
  dropin_add_part(call, 0, part, form, 0);
  write_results(call);
  dropin_write_length(call, WORK, false, call->kept->lengths[0]);
  return dropin_succeed(call);
}
hyla_status dropin_run_hetrd(struct dropin_call *call) { return dropin_run_sytrd(call); }
