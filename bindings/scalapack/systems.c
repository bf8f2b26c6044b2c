/* ScaLAPACK's systems: factorizations and solutions.
 *
 * A factorization is computed in memory of its own and moved back when it has succeeded, so that a
 * failure leaves the caller's A unchanged.  ScaLAPACK then gets the same matrix, and leaves its
 * usual results in INFO and A.  Factors and IPIV follow ScaLAPACK's contract, so that either
 * library can continue with the other's results. */
#include "dropin.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- LU -- */

/* A matrix is factored in its own layout if its blocks are neither tiny nor large for its size;
 * else hyla chooses the layout. */
static const hyla_layout *factor_layout(const struct dropin_call *call) {
  enum { BLOCK_LEAST = 32, BLOCK_MOST = 256, BLOCKS_LEAST = 10 };
  const struct dropin_grid *grid = call->grid;
  const struct dropin_operand *a = &call->operand[0];
  int block = a->desc[MB];
  bool fits = block >= BLOCK_LEAST && block <= BLOCK_MOST &&
              (int64_t)block * BLOCKS_LEAST <= a->rows && grid->p <= 2 * grid->q &&
              grid->p * grid->q > 1;
  return fits ? hyla_matrix_layout(a->view) : NULL;
}

/* Turns P A of hyla_factor_permutation into LAPACK's row swaps: row k changes places with swaps[k].
 * work: room for 2 m numbers. */
static void swaps_of(const int64_t *rows, int64_t m, int64_t count, int64_t *swaps, int64_t *work) {
  int64_t *holds = work, *place = work + m;
  for (int64_t i = 0; i < m; i++) holds[i] = place[i] = i;
  for (int64_t k = 0; k < count; k++) {
    int64_t other = place[rows[k]];
    swaps[k] = other;
    holds[other] = holds[k];
    place[holds[other]] = other;
    holds[k] = rows[k];
    place[rows[k]] = k;
  }
}

/* Writes IPIV: for each local row of A the global row, from 1, with which it changed places. */
static void write_pivots(const struct dropin_call *call, const int64_t *swaps, int64_t count) {
  const struct dropin_operand *a = &call->operand[0];
  for (int64_t k = 0; k < count; k++) {
    int64_t local = dropin_local_row(call->grid, a->desc, a->i - 1 + k);
    if (local >= 0) call->pivots[local] = a->i + (int)swaps[k];
  }
}

/* A := its factors, and IPIV; the factorization, the record's, also serves nrhs right-hand
 * sides. */
static hyla_status factor_lu(struct dropin_call *call, int64_t nrhs) {
  hyla_cube *cube = call->grid->cube;
  const struct dropin_operand *a = &call->operand[0];
  const int64_t m = a->rows, count = m < a->cols ? m : a->cols;
  hyla_factor **factor = &call->kept->factor;
  hyla_status status = HYLA_OK;
  if (*factor == NULL)
    status = hyla_factor_create_rectangular(cube, HYLA_LU, call->type, m, a->cols, nrhs,
                                            factor_layout(call), NULL, factor);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, *factor, a->view);
  if (status != HYLA_OK) return status;
  /* If one process has no memory, rows is NULL there, and the next call tells all processes. */
  int64_t *rows = malloc((size_t)(4 * m) * sizeof *rows);
  status = hyla_factor_permutation(cube, *factor, rows);
  if (status == HYLA_OK) status = hyla_factor_packed(cube, *factor, HYLA_LOWER, a->view);
  if (status == HYLA_OK) {
    swaps_of(rows, m, count, rows + m, rows + 2 * m);
    write_pivots(call, rows + m, count);
  }
  free(rows);
  return status;
}

bool dropin_read_getrf(struct dropin_call *call) {
  int m = dropin_integer(call, 0), n = dropin_integer(call, 1);
  dropin_operand(call, 2, m, n);
  call->pivots = call->arguments[6];
  call->info = call->arguments[7];
  call->size = dropin_order_of_work(m, n, m < n ? m : n);
  return dropin_square_blocks(call, 0);
}

hyla_status dropin_run_getrf(struct dropin_call *call) {
  hyla_status status = factor_lu(call, 0);
  return status == HYLA_OK ? dropin_succeed(call) : status;
}

bool dropin_read_gesv(struct dropin_call *call) {
  int n = dropin_integer(call, 0), nrhs = dropin_integer(call, 1);
  dropin_operand(call, 2, n, n);
  dropin_operand(call, 7, n, nrhs);
  call->pivots = call->arguments[6];
  call->info = call->arguments[11];
  call->size = n;
  return dropin_square_blocks(call, 0) && dropin_same_rows(call, 0, 1);
}

/* Solves for B once A holds the factors; if that fails ScaLAPACK continues from there. */
hyla_status dropin_run_gesv(struct dropin_call *call) {
  struct dropin_operand *b = &call->operand[1];
  hyla_status status = factor_lu(call, b->cols);
  if (status == HYLA_OK) {
    if (hyla_factor_solve(call->grid->cube, call->kept->factor, HYLA_NONE, b->view, b->view) !=
        HYLA_OK) {
      void **a = call->arguments;
      dropin_next(DROPIN_getrs, call->type,
                  (void *[]){"N", a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                             a[11]});
    } else {
      *call->info = 0;
    }
  }
  return status;
}

/* ------------------------------------------------ solutions with factors -- */

bool dropin_read_getrs(struct dropin_call *call) {
  int n = dropin_integer(call, 1), nrhs = dropin_integer(call, 2);
  dropin_operand(call, 3, n, n);
  dropin_operand(call, 8, n, nrhs);
  call->pivots = call->arguments[7];
  call->info = call->arguments[12];
  call->size = dropin_order_of_work(n, n, nrhs);
  return dropin_read_operation(call, 0, &call->op_a) && dropin_square_blocks(call, 0) &&
         dropin_same_rows(call, 0, 1);
}

/* B := op(T)^-1 B for a triangle T of A. */
static void substitute(struct dropin_call *call, hyla_triangle triangle, hyla_operation op,
                       hyla_diagonal diagonal) {
  const struct dropin_triangle by = {HYLA_LEFT, triangle, op, diagonal};
  dropin_substitute(call, &by, &call->operand[0], &call->operand[1]);
}

hyla_status dropin_run_getrs(struct dropin_call *call) {
  struct dropin_operand *b = &call->operand[1];
  if (!dropin_all_fit(call)) return HYLA_ARGUMENT;
  if (call->op_a == HYLA_NONE) {
    dropin_apply_pivots(call, "F", "R", b, NULL);
    substitute(call, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL);
    substitute(call, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL);
  } else {
    substitute(call, HYLA_UPPER, call->op_a, HYLA_ANY_DIAGONAL);
    substitute(call, HYLA_LOWER, call->op_a, HYLA_UNIT_DIAGONAL);
    dropin_apply_pivots(call, "B", "R", b, NULL);
  }
  return dropin_succeed(call);
}

/* -------------------------------------------------------------- Cholesky -- */

bool dropin_read_potrf(struct dropin_call *call) {
  int n = dropin_integer(call, 1);
  dropin_operand(call, 2, n, n);
  call->info = call->arguments[6];
  call->size = n;
  const bool read = dropin_read_triangle(call, 0) && dropin_square_blocks(call, 0);
  call->kind = call->triangle == HYLA_UPPER;
  return read;
}

/* hyla reads the lower triangle; for an upper one A^H is made, whose lower triangle it is. */
static hyla_status turn(struct dropin_call *call, hyla_matrix *a, hyla_matrix **turned) {
  hyla_cube *cube = call->grid->cube;
  const hyla_factor *factor = call->kept->factor;
  const int64_t n = call->operand[0].rows;
  hyla_plan **plan = dropin_next_step(call);
  hyla_status status = HYLA_OK;
  if (*turned == NULL)
    status = hyla_matrix_create(cube, call->type, n, n, hyla_factor_layout(factor), turned);
  const hyla_transfer move = {HYLA_CONJUGATE, 1, a, *turned};
  if (status == HYLA_OK && *plan == NULL)
    status = hyla_redistribute_plan(cube, 1, &move, NULL, plan);
  return dropin_run_step(call, status, *plan);
}

hyla_status dropin_factor_cholesky(struct dropin_call *call, int operand, int64_t nrhs,
                                   int turned) {
  hyla_cube *cube = call->grid->cube;
  const struct dropin_operand *a = &call->operand[operand];
  hyla_factor **factor = &call->kept->factor;
  hyla_matrix **from = &call->kept->work[turned];
  const bool upper = call->triangle == HYLA_UPPER;
  hyla_status status = HYLA_OK;
  if (*factor == NULL)
    status = hyla_factor_create(cube, HYLA_CHOLESKY, call->type, a->rows, nrhs, factor_layout(call),
                                NULL, factor);
  if (status == HYLA_OK && upper) status = turn(call, a->view, from);
  return status != HYLA_OK ? status : hyla_factor_compute(cube, *factor, upper ? *from : a->view);
}

/* A := its factor. */
static hyla_status factor_cholesky(struct dropin_call *call, int64_t nrhs) {
  hyla_status status = dropin_factor_cholesky(call, 0, nrhs, 0);
  return status != HYLA_OK ? status
                           : hyla_factor_packed(call->grid->cube, call->kept->factor,
                                                call->triangle, call->operand[0].view);
}

hyla_status dropin_run_potrf(struct dropin_call *call) {
  hyla_status status = factor_cholesky(call, 0);
  return status == HYLA_OK ? dropin_succeed(call) : status;
}

static bool read_cholesky(struct dropin_call *call) {
  int n = dropin_integer(call, 1), nrhs = dropin_integer(call, 2);
  dropin_operand(call, 3, n, n);
  dropin_operand(call, 7, n, nrhs);
  call->info = call->arguments[11];
  call->size = dropin_order_of_work(n, n, nrhs);
  return dropin_read_triangle(call, 0) && dropin_square_blocks(call, 0) &&
         dropin_same_rows(call, 0, 1);
}

bool dropin_read_potrs(struct dropin_call *call) { return read_cholesky(call); }

bool dropin_read_posv(struct dropin_call *call) {
  bool read = read_cholesky(call);
  call->size = (double)call->operand[0].rows;
  return read;
}

hyla_status dropin_run_potrs(struct dropin_call *call) {
  bool lower = call->triangle == HYLA_LOWER;
  if (!dropin_all_fit(call)) return HYLA_ARGUMENT;
  substitute(call, call->triangle, lower ? HYLA_NONE : HYLA_CONJUGATE, HYLA_ANY_DIAGONAL);
  substitute(call, call->triangle, lower ? HYLA_CONJUGATE : HYLA_NONE, HYLA_ANY_DIAGONAL);
  return dropin_succeed(call);
}

hyla_status dropin_run_posv(struct dropin_call *call) {
  struct dropin_operand *b = &call->operand[1];
  hyla_status status = factor_cholesky(call, b->cols);
  if (status == HYLA_OK) {
    if (hyla_factor_solve(call->grid->cube, call->kept->factor, HYLA_NONE, b->view, b->view) !=
        HYLA_OK)
      dropin_next(DROPIN_potrs, call->type, call->arguments);
    else
      *call->info = 0;
  }
  return status;
}
