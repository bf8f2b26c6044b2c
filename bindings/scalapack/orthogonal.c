/* ScaLAPACK's QR and least squares.  hyla computes A = Q R, with the reflections and R in
 * ScaLAPACK's form, so that p?ormqr and p?orgqr can use them.  p?gels leaves these factors in A, as
 * hyla_lstsq cannot: its steps are taken one by one, with the same QR and the same products with
 * Q. */
#include "dropin.h"

#include <float.h>
#include <stdlib.h>

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
static bool is_single(hyla_type type) { return type == HYLA_FLOAT || type == HYLA_COMPLEX; }

/* Writes TAU to the processes that have the column (or row) of A of each reflection. */
static void write_tau(const struct dropin_call *call, const double *values, int64_t count,
                      bool along_rows, void *tau) {
  const struct dropin_grid *grid = call->grid;
  const struct dropin_operand *a = &call->operand[0];
  int width = dropin_is_complex(call->type) ? 2 : 1;
  for (int64_t k = 0; k < count; k++) {
    int64_t at = along_rows ? dropin_local_row(grid, a->desc, a->i - 1 + k)
                            : dropin_local_col(grid, a->desc, a->j - 1 + k);
    for (int part = 0; part < width && at >= 0; part++) {
      double value = part == 0 ? values[k] : 0;
      if (is_single(call->type))
        ((float *)tau)[at * width + part] = (float)value;
      else
        ((double *)tau)[at * width + part] = value;
    }
  }
}

/* to := the factors of `of', with their reflections.  `to' may be `of': it changes only when
 * nothing can fail any more except its own redistribution. */
static hyla_status factor_qr(struct dropin_call *call, hyla_matrix *of, int64_t m, int64_t n,
                             double *values) {
  hyla_cube *cube = call->grid->cube;
  hyla_factor **factor = &call->kept->factor;
  hyla_status status = HYLA_OK;
  if (*factor == NULL)
    status = hyla_factor_create_rectangular(cube, HYLA_QR, call->type, m, n, 0, NULL, NULL, factor);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, *factor, of);
  if (status == HYLA_OK) status = hyla_factor_reflections(cube, *factor, values);
  if (status == HYLA_OK) status = hyla_factor_packed(cube, *factor, HYLA_UPPER, of);
  return status;
}

/* A := its factors, and TAU; for wide A = L Q the factors of A^H = Q^H L^H, transposed back. */
static hyla_status factor(struct dropin_call *call, bool wide, void *tau) {
  hyla_cube *cube = call->grid->cube;
  const struct dropin_operand *a = &call->operand[0];
  const int64_t count = least_of(a->rows, a->cols);
  hyla_matrix *turned = NULL;
  hyla_status status = HYLA_OK;
  /* If one process has no memory, values is NULL there, and the call that needs it tells all. */
  double *values = malloc((size_t)count * sizeof *values);
  if (wide) {
    status = hyla_matrix_create(cube, call->type, a->cols, a->rows, NULL, &turned);
    const hyla_transfer turn = {HYLA_CONJUGATE, 1, a->view, turned};
    if (status == HYLA_OK) status = hyla_redistribute(cube, 1, &turn);
  }
  if (status == HYLA_OK)
    status = factor_qr(call, wide ? turned : a->view, wide ? a->cols : a->rows,
                       wide ? a->rows : a->cols, values);
  if (status == HYLA_OK && wide) {
    const hyla_transfer back = {HYLA_CONJUGATE, 1, turned, a->view};
    status = hyla_redistribute(cube, 1, &back);
  }
  hyla_matrix_destroy(&turned);
  if (status == HYLA_OK) write_tau(call, values, count, wide, tau);
  free(values);
  return status;
}

/* --------------------------------------------------------------------- QR -- */

enum { GEQRF_TAU = 6, GEQRF_WORK = 7, GEQRF_INFO = 9 };

bool dropin_read_geqrf(struct dropin_call *call) {
  int m = dropin_integer(call, 0), n = dropin_integer(call, 1);
  dropin_operand(call, 2, m, n);
  call->info = call->arguments[GEQRF_INFO];
  call->size = dropin_order_of_work(m, n, least_of(m, n));
  return !dropin_asks_workspace(call, GEQRF_WORK, -1);
}

hyla_status dropin_run_geqrf(struct dropin_call *call) {
  if (!dropin_has_workspace(call, GEQRF_WORK, -1, false)) return HYLA_ARGUMENT;
  hyla_status status = factor(call, false, call->arguments[GEQRF_TAU]);
  return status == HYLA_OK ? dropin_succeed(call) : status;
}

/* ---------------------------------------------------------------------- Q -- */

/* ormqr: SIDE, TRANS, M, N, K, A, TAU, C, WORK, INFO; orgqr: M, N, K, A, TAU, WORK, INFO. */
enum { ORMQR_A = 5, ORMQR_TAU = 9, ORMQR_C = 10, ORMQR_WORK = 14, ORMQR_INFO = 16 };
enum { ORGQR_A = 3, ORGQR_TAU = 7, ORGQR_WORK = 8, ORGQR_INFO = 10 };

/* tau := TAU, whole on every process.  Each process row has TAU of all columns.  Collective. */
static hyla_status read_tau(struct dropin_call *call, const void *given, int64_t count,
                            hyla_scalar **tau) {
  const struct dropin_grid *grid = call->grid;
  const struct dropin_operand *a = &call->operand[0];
  const int width = dropin_is_complex(call->type) ? 2 : 1;
  if (!dropin_grid_processes(call->grid)) return HYLA_COMMUNICATION;
  double *parts = calloc((size_t)count, sizeof **tau);
  int lacks = parts == NULL;
  dropin_share(grid, &lacks, 1, MPI_INT, MPI_MAX);
  for (int64_t k = 0; k < count && grid->row == 0 && !lacks; k++) {
    const int64_t at = dropin_local_col(grid, a->desc, a->j - 1 + k);
    for (int part = 0; part < width && at >= 0; part++)
      parts[2 * k + part] = is_single(call->type)
                                ? (double)((const float *)given)[at * width + part]
                                : ((const double *)given)[at * width + part];
  }
  if (!lacks) dropin_share(grid, parts, 2 * (int)count, MPI_DOUBLE, MPI_SUM);
  *tau = (hyla_scalar *)(void *)parts;
  return lacks ? HYLA_MEMORY : HYLA_OK;
}

/* The operands: the reflections, and C. */
bool dropin_read_ormqr(struct dropin_call *call) {
  const int m = dropin_integer(call, 2), n = dropin_integer(call, 3), k = dropin_integer(call, 4);
  if (!dropin_read_side(call, 0) || !dropin_read_operation(call, 1, &call->op_a)) return false;
  const int order = call->side == HYLA_LEFT ? m : n;
  dropin_operand(call, ORMQR_A, order, k);
  dropin_operand(call, ORMQR_C, m, n);
  call->info = call->arguments[ORMQR_INFO];
  call->size = dropin_order_of_work(m, n, k);
  return k <= order && !dropin_asks_workspace(call, ORMQR_WORK, -1);
}

hyla_status dropin_run_ormqr(struct dropin_call *call) {
  struct dropin_operand *o = call->operand;
  hyla_scalar *tau = NULL;
  if (!dropin_has_workspace(call, ORMQR_WORK, -1, false)) return HYLA_ARGUMENT;
  hyla_status status = read_tau(call, call->arguments[ORMQR_TAU], o[0].cols, &tau);
  if (status == HYLA_OK)
    status =
        hyla_packed_apply_q(call->grid->cube, o[0].view, tau, call->side, call->op_a, o[1].view);
  free(tau);
  return status == HYLA_OK ? dropin_succeed(call) : status;
}

bool dropin_read_unmqr(struct dropin_call *call) {
  return dropin_read_ormqr(call) && call->op_a != HYLA_TRANSPOSE;
}
hyla_status dropin_run_unmqr(struct dropin_call *call) { return dropin_run_ormqr(call); }

/* ormtr: SIDE, UPLO, TRANS, and the rest as of ormqr without K.  For a lower triangle Q is that of
 * the columns below the diagonal, and leaves C's first row, or column, alone; the reflections of an
 * upper one have another form, and are left to ScaLAPACK. */
bool dropin_read_ormtr(struct dropin_call *call) {
  const int m = dropin_integer(call, 3), n = dropin_integer(call, 4);
  if (!dropin_read_side(call, 0) || !dropin_read_triangle(call, 1) ||
      !dropin_read_operation(call, 2, &call->op_a))
    return false;
  const bool left = call->side == HYLA_LEFT;
  const int order = (left ? m : n) - 1;
  dropin_operand(call, ORMQR_A, order, order);
  dropin_operand(call, ORMQR_C, left ? m - 1 : m, left ? n : n - 1);
  call->operand[0].i++;
  if (left)
    call->operand[1].i++;
  else
    call->operand[1].j++;
  call->info = call->arguments[ORMQR_INFO];
  call->size = dropin_order_of_work(m, n, order);
  return call->triangle == HYLA_LOWER && !dropin_asks_workspace(call, ORMQR_WORK, -1);
}
hyla_status dropin_run_ormtr(struct dropin_call *call) { return dropin_run_ormqr(call); }

bool dropin_read_unmtr(struct dropin_call *call) {
  return dropin_read_ormtr(call) && call->op_a != HYLA_TRANSPOSE;
}
hyla_status dropin_run_unmtr(struct dropin_call *call) { return dropin_run_ormqr(call); }

/* The operands: the reflections, and Q, which takes their place. */
bool dropin_read_orgqr(struct dropin_call *call) {
  const int m = dropin_integer(call, 0), n = dropin_integer(call, 1), k = dropin_integer(call, 2);
  dropin_operand(call, ORGQR_A, m, k);
  dropin_operand(call, ORGQR_A, m, n);
  call->info = call->arguments[ORGQR_INFO];
  call->size = dropin_order_of_work(m, n, k);
  return k <= n && n <= m && !dropin_asks_workspace(call, ORGQR_WORK, -1);
}

hyla_status dropin_run_orgqr(struct dropin_call *call) {
  struct dropin_operand *o = call->operand;
  hyla_scalar *tau = NULL;
  if (!dropin_has_workspace(call, ORGQR_WORK, -1, false)) return HYLA_ARGUMENT;
  hyla_status status = read_tau(call, call->arguments[ORGQR_TAU], o[0].cols, &tau);
  if (status == HYLA_OK) status = hyla_packed_q(call->grid->cube, o[0].view, tau, o[1].view);
  free(tau);
  return status == HYLA_OK ? dropin_succeed(call) : status;
}

bool dropin_read_ungqr(struct dropin_call *call) { return dropin_read_orgqr(call); }
hyla_status dropin_run_ungqr(struct dropin_call *call) { return dropin_run_orgqr(call); }

/* ---------------------------------------------------------- least squares -- */

enum { GELS_A = 4, GELS_B = 8, GELS_WORK = 12, GELS_INFO = 14 };
/* The operands: A, its triangle, B, and the rows of B that form a system with the triangle. */
enum { WHOLE_A, TRIANGLE, WHOLE_B, TOP };

/* B's rows must begin on the process where the rows of A, or of A^H, begin. */
static bool lies_as_scalapack_wants(const struct dropin_call *call, bool wide) {
  const struct dropin_operand *a = &call->operand[WHOLE_A], *b = &call->operand[WHOLE_B];
  int block = b->desc[MB];
  if (call->grid == NULL || block < 1) return false;
  if (wide) return a->desc[NB] == block && (a->j - 1) % block == (b->i - 1) % block;
  int one = (a->i - 1) / block + a->desc[RSRC], other = (b->i - 1) / block + b->desc[RSRC];
  return a->desc[MB] == block && (a->i - 1) % block == (b->i - 1) % block &&
         (one - other) % call->grid->p == 0;
}

bool dropin_read_gels(struct dropin_call *call) {
  int m = dropin_integer(call, 1), n = dropin_integer(call, 2), nrhs = dropin_integer(call, 3);
  int order = (int)least_of(m, n);
  dropin_operand(call, GELS_A, m, n);
  dropin_operand(call, GELS_A, order, order);
  dropin_operand(call, GELS_B, m > n ? m : n, nrhs);
  dropin_operand(call, GELS_B, order, nrhs);
  call->info = call->arguments[GELS_INFO];
  call->size = dropin_order_of_work(m, n, order);
  if (!dropin_read_operation(call, 0, &call->op_a)) return false;
  bool other = call->op_a == HYLA_NONE ||
               call->op_a == (dropin_is_complex(call->type) ? HYLA_CONJUGATE : HYLA_TRANSPOSE);
  return other && lies_as_scalapack_wants(call, m < n) &&
         !dropin_asks_workspace(call, GELS_WORK, -1);
}

/* ScaLAPACK would scale A or B first, or has nothing to solve: then it does all. */
static bool is_of_middle_size(struct dropin_call *call, int operand) {
  const bool single = is_single(call->type);
  const double least = single ? FLT_MIN / FLT_EPSILON : DBL_MIN / DBL_EPSILON;
  double largest = 0;
  hyla_status status =
      hyla_matrix_norm(call->grid->cube, call->operand[operand].view, HYLA_NORM_MAX, &largest);
  return status == HYLA_OK && largest >= least && largest <= 1 / least;
}

/* The rows of B's top that go with rows of R which are negated in A: all but the last one of a
 * square A.  Those of B are negated, too. */
static hyla_status turn_signs(struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[WHOLE_A], *b = &call->operand[WHOLE_B];
  const int64_t order = least_of(a->rows, a->cols);
  hyla_matrix *rows = NULL;
  hyla_status status =
      hyla_matrix_view(b->view, 0, 0, order - (a->rows == a->cols), b->cols, &rows);
  if (status == HYLA_OK) status = hyla_scale(call->grid->cube, -1, rows);
  hyla_matrix_destroy(&rows);
  return status;
}

/* B := Q^H B or Q B, for A = Q R, or A^H = Q R of wide A. */
static hyla_status reflect_sides(struct dropin_call *call, bool adjoint) {
  return hyla_factor_apply_q(call->grid->cube, call->kept->factor, HYLA_LEFT,
                             adjoint ? HYLA_CONJUGATE : HYLA_NONE, call->operand[WHOLE_B].view);
}

/* Least squares apply the triangle last: R^-1 Q^H b.  The shortest solution applies Q last:
 * Q R^-H b.  The triangle in A is R, or L = R^H. */
hyla_status dropin_run_gels(struct dropin_call *call) {
  struct dropin_operand *o = call->operand;
  const bool wide = o[WHOLE_A].rows < o[WHOLE_A].cols, transposed = call->op_a != HYLA_NONE;
  const struct dropin_triangle by = {.side = HYLA_LEFT,
                                     .triangle = wide ? HYLA_LOWER : HYLA_UPPER,
                                     .op = call->op_a,
                                     .diagonal = HYLA_ANY_DIAGONAL};
  if (!dropin_has_workspace(call, GELS_WORK, -1, false)) return HYLA_ARGUMENT;
  if (!is_of_middle_size(call, WHOLE_A) ||
      !is_of_middle_size(call, wide == transposed ? WHOLE_B : TOP)) {
    call->why = "scaling";
    return HYLA_UNSUPPORTED;
  }
  hyla_status status = factor(call, wide, call->arguments[GELS_WORK]);
  if (wide == transposed) {
    if (status == HYLA_OK) status = reflect_sides(call, true);
    if (status == HYLA_OK) status = turn_signs(call);
    if (status == HYLA_OK) dropin_substitute(call, &by, &o[TRIANGLE], &o[TOP]);
  } else if (status == HYLA_OK) {
    dropin_substitute(call, &by, &o[TRIANGLE], &o[TOP]);
    dropin_clear(o[WHOLE_B].view, o[TRIANGLE].rows, 0);
    status = turn_signs(call);
    if (status == HYLA_OK) status = reflect_sides(call, false);
  }
  if (status != HYLA_OK) return status;
  dropin_write_length(call, GELS_WORK, false, call->kept->lengths[0]);
  return dropin_succeed(call);
}
