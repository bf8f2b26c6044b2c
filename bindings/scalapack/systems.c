/* ScaLAPACK's systems: factorizations, solutions, inverses.
 *
 * A factorization is computed in memory of its own and brought back when it has succeeded, so that
 * the caller's A is untouched where it fails: ScaLAPACK then meets the same matrix and says INFO,
 * and leaves in A, what it always does.  Factors and IPIV are those of ScaLAPACK's contract, so
 * that either library may go on with what the other one made. */
#include "dropin.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- LU -- */

static double order_of_work(int64_t a, int64_t b, int64_t c) {
  return cbrt((double)a * (double)b * (double)c);
}

/* A matrix whose blocks are neither tiny nor large for its size is factored as it lies; else hyla
 * chooses. */
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

/* P A of hyla_factor_permutation as the row swaps of LAPACK: swaps[k] changes places with k.
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

/* IPIV: for each local row of A the global row, from 1, that it changed places with. */
static void write_pivots(const struct dropin_call *call, const int64_t *swaps, int64_t count) {
  const struct dropin_operand *a = &call->operand[0];
  for (int64_t k = 0; k < count; k++) {
    int64_t local = dropin_local_row(call->grid, a->desc, a->i - 1 + k);
    if (local >= 0) call->pivots[local] = a->i + (int)swaps[k];
  }
}

/* A := its factors, and IPIV; they serve for nrhs right-hand sides too. */
static hyla_status factor_lu(struct dropin_call *call, int64_t nrhs, hyla_factor **factor) {
  hyla_cube *cube = call->grid->cube;
  const struct dropin_operand *a = &call->operand[0];
  const int64_t m = a->rows, count = m < a->cols ? m : a->cols;
  hyla_status status = hyla_factor_create_rectangular(cube, HYLA_LU, call->type, m, a->cols, nrhs,
                                                      factor_layout(call), NULL, factor);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, *factor, a->view);
  if (status != HYLA_OK) return status;
  /* Where one process has no memory for these, rows is NULL there, and the next call tells all. */
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

static hyla_status succeed(struct dropin_call *call) {
  *call->info = 0;
  return HYLA_OK;
}

bool dropin_read_getrf(struct dropin_call *call) {
  int m = dropin_integer(call, 0), n = dropin_integer(call, 1);
  dropin_operand(call, 2, m, n);
  call->pivots = call->arguments[6];
  call->info = call->arguments[7];
  call->size = order_of_work(m, n, m < n ? m : n);
  return dropin_square_blocks(call, 0);
}

hyla_status dropin_run_getrf(struct dropin_call *call) {
  hyla_factor *factor = NULL;
  hyla_status status = factor_lu(call, 0, &factor);
  hyla_factor_destroy(&factor);
  return status == HYLA_OK ? succeed(call) : status;
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

/* B is solved for when A holds factors; if that fails ScaLAPACK goes on from there. */
hyla_status dropin_run_gesv(struct dropin_call *call) {
  struct dropin_operand *b = &call->operand[1];
  hyla_factor *factor = NULL;
  hyla_status status = factor_lu(call, b->cols, &factor);
  if (status == HYLA_OK) {
    if (hyla_factor_solve(call->grid->cube, factor, HYLA_NONE, b->view, b->view) != HYLA_OK) {
      void **a = call->arguments;
      dropin_next(DROPIN_getrs, call->type,
                  (void *[]){"N", a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                             a[11]});
    } else {
      *call->info = 0;
    }
  }
  hyla_factor_destroy(&factor);
  return status;
}

/* ------------------------------------------------ solutions with factors -- */

/* The same triangle by the next library, in the letters of BLAS. */
static void next_trsm(struct dropin_call *call, hyla_triangle triangle, hyla_operation op,
                      hyla_diagonal diagonal, void **a, void **b) {
  static const double real_one[2] = {1, 0};
  static const float single_one[2] = {1, 0};
  bool single = call->type == HYLA_FLOAT || call->type == HYLA_COMPLEX;
  int m = (int)call->operand[1].rows, n = (int)call->operand[1].cols;
  const void *one = single ? (const void *)single_one : (const void *)real_one;
  char letters[4] = {'L', triangle == HYLA_LOWER ? 'L' : 'U', "NTC"[op],
                     diagonal == HYLA_UNIT_DIAGONAL ? 'U' : 'N'};
  dropin_next(DROPIN_trsm, call->type,
              (void *[]){letters, letters + 1, letters + 2, letters + 3, &m, &n, (void *)one, a[0],
                         a[1], a[2], a[3], b[0], b[1], b[2], b[3]});
}

/* B := op(A)^-1 B for a triangle of A.  a, b: where their four arguments stand.  B is unchanged
 * where hyla's call fails: a zero on the diagonal, no memory. */
static void substitute(struct dropin_call *call, hyla_triangle triangle, hyla_operation op,
                       hyla_diagonal diagonal, int a, int b) {
  hyla_status status = hyla_trsm(call->grid->cube, HYLA_LEFT, triangle, op, diagonal, 1,
                                 call->operand[0].view, call->operand[1].view);
  if (status != HYLA_OK)
    next_trsm(call, triangle, op, diagonal, call->arguments + a, call->arguments + b);
}

/* ScaLAPACK's own: rows of B, or columns of A, to where IPIV's swaps put them or back. */
typedef void permute(const char *direction, const char *what, const char *vector, const int *m,
                     const int *n, void *a, const int *ia, const int *ja, const int *desc_a,
                     const int *pivots, const int *ip, const int *jp, const int *desc_p, int *work,
                     size_t, size_t, size_t);

/* arguments: array, its indices and its descriptor. */
static void apply_pivots(struct dropin_call *call, const char *direction, const char *what, int m,
                         int n, void **array, int *work) {
  const struct dropin_grid *grid = call->grid;
  const struct dropin_operand *a = &call->operand[0];
  const int *desc = a->desc, one = 1;
  int rows = 0; /* of A on this process: NUMROC */
  for (int64_t block = 0, first; (first = block * desc[MB]) < desc[M]; block++)
    if ((block + desc[RSRC]) % grid->p == grid->row)
      rows += desc[M] - first < desc[MB] ? (int)(desc[M] - first) : desc[MB];
  const int pivots[] = {1,          desc[CTXT], desc[M] + desc[MB] * grid->p,
                        1,          desc[MB],   1,
                        desc[RSRC], grid->col,  desc[MB] + rows};
  char name[] = "p?lapiv_";
  name[1] = dropin_letter(call->type);
  ((permute *)dropin_find(name))(direction, what, "C", &m, &n, array[0], array[1], array[2],
                                 array[3], call->pivots, &a->i, &one, pivots, work, 1, 1, 1);
}

bool dropin_read_getrs(struct dropin_call *call) {
  int n = dropin_integer(call, 1), nrhs = dropin_integer(call, 2);
  dropin_operand(call, 3, n, n);
  dropin_operand(call, 8, n, nrhs);
  call->pivots = call->arguments[7];
  call->info = call->arguments[12];
  call->size = order_of_work(n, n, nrhs);
  return dropin_read_operation(call, 0, &call->op_a) && dropin_square_blocks(call, 0) &&
         dropin_same_rows(call, 0, 1);
}

hyla_status dropin_run_getrs(struct dropin_call *call) {
  enum { A = 3, B = 8 };
  struct dropin_operand *b = &call->operand[1];
  void **array = call->arguments + B;
  int n = (int)b->rows, nrhs = (int)b->cols;
  if (call->op_a == HYLA_NONE) {
    apply_pivots(call, "F", "R", n, nrhs, array, NULL);
    substitute(call, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, A, B);
    substitute(call, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, A, B);
  } else {
    substitute(call, HYLA_UPPER, call->op_a, HYLA_ANY_DIAGONAL, A, B);
    substitute(call, HYLA_LOWER, call->op_a, HYLA_UNIT_DIAGONAL, A, B);
    apply_pivots(call, "B", "R", n, nrhs, array, NULL);
  }
  return succeed(call);
}

/* -------------------------------------------------------------- inverses -- */

/* The workspaces are asked for and their lengths looked at as ScaLAPACK does, when it runs. */
bool dropin_read_getri(struct dropin_call *call) {
  int n = dropin_integer(call, 0);
  dropin_operand(call, 1, n, n);
  call->pivots = call->arguments[5];
  call->info = call->arguments[10];
  call->size = n;
  return dropin_square_blocks(call, 0) && dropin_integer(call, 7) != -1 &&
         dropin_integer(call, 9) != -1;
}

/* Has the caller given the workspace, on all processes?  WORK(1) and IWORK(1) say afterwards how
 * much it is. */
static bool has_workspace(struct dropin_call *call) {
  void **a = call->arguments;
  int query = -1;
  dropin_next(DROPIN_getri, call->type,
              (void *[]){a[0], a[1], a[2], a[3], a[4], a[5], a[6], &query, a[8], &query, a[10]});
  int64_t lacks = *call->info != 0 || dropin_integer(call, 7) < dropin_real(call, 6) ||
                  dropin_integer(call, 9) < dropin_integer(call, 8);
  return hyla_cube_max(call->grid->cube, &lacks, 1) == HYLA_OK && lacks == 0;
}

static size_t entry_size(hyla_type type) {
  static const size_t sizes[] = {sizeof(float), sizeof(double), 2 * sizeof(float),
                                 2 * sizeof(double)};
  return sizes[type];
}

/* What stands below the diagonal becomes zero. */
static void clear_below(hyla_matrix *a) {
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  const size_t size = entry_size(hyla_matrix_type(a));
  hyla_matrix_local(a, &local, &rows, &cols, &ld);
  for (int64_t col = 0; col < cols; col++)
    for (int64_t row = 0; row < rows; row++)
      if (hyla_matrix_row(a, row) > hyla_matrix_col(a, col))
        for (size_t byte = 0; byte < size; byte++)
          ((char *)local)[(size_t)(row + col * ld) * size + byte] = 0;
}

/* A^-1 = U^-1 L^-1 P: U is inverted in its place, the equation X L = U^-1 solved with a copy of L,
 * and the columns go where the swaps, backwards, put them.  All memory is taken before A changes.
 */
hyla_status dropin_run_getri(struct dropin_call *call) {
  hyla_cube *cube = call->grid->cube;
  struct dropin_operand *a = &call->operand[0];
  hyla_matrix *l = NULL;
  hyla_plan *solution = NULL;
  if (!has_workspace(call)) return HYLA_ARGUMENT;
  hyla_status status = hyla_matrix_create(cube, call->type, a->rows, a->cols, NULL, &l);
  if (status == HYLA_OK) status = hyla_matrix_copy(cube, a->view, l);
  if (status == HYLA_OK)
    status = hyla_trsm_plan(cube, HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, 1, l,
                            a->view, NULL, &solution);
  if (status == HYLA_OK) status = hyla_trtri(cube, HYLA_UPPER, HYLA_ANY_DIAGONAL, a->view);
  if (status == HYLA_OK) {
    clear_below(a->view);
    status = hyla_plan_run(cube, solution);
  }
  hyla_plan_destroy(&solution);
  hyla_matrix_destroy(&l);
  if (status != HYLA_OK) return status;
  int n = (int)a->rows;
  apply_pivots(call, "B", "C", n, n, call->arguments + 1, call->arguments[8]);
  return succeed(call);
}

bool dropin_read_trtri(struct dropin_call *call) {
  int n = dropin_integer(call, 2);
  dropin_operand(call, 3, n, n);
  call->info = call->arguments[7];
  call->size = n;
  return dropin_read_triangle(call, 0) && dropin_read_diagonal(call, 1) &&
         dropin_square_blocks(call, 0);
}

hyla_status dropin_run_trtri(struct dropin_call *call) {
  hyla_status status =
      hyla_trtri(call->grid->cube, call->triangle, call->diagonal, call->operand[0].view);
  return status == HYLA_OK ? succeed(call) : status;
}

/* -------------------------------------------------------------- Cholesky -- */

bool dropin_read_potrf(struct dropin_call *call) {
  int n = dropin_integer(call, 1);
  dropin_operand(call, 2, n, n);
  call->info = call->arguments[6];
  call->size = n;
  return dropin_read_triangle(call, 0) && dropin_square_blocks(call, 0);
}

/* hyla reads the lower triangle.  Of the upper one it is that of A^H, which is brought there. */
static hyla_status factor_cholesky(struct dropin_call *call, int64_t nrhs, hyla_factor **factor) {
  hyla_cube *cube = call->grid->cube;
  const struct dropin_operand *a = &call->operand[0];
  hyla_matrix *turned = NULL;
  hyla_status status = hyla_factor_create(cube, HYLA_CHOLESKY, call->type, a->rows, nrhs,
                                          factor_layout(call), NULL, factor);
  if (status == HYLA_OK && call->triangle == HYLA_UPPER)
    status = hyla_matrix_create(cube, call->type, a->rows, a->rows, hyla_factor_layout(*factor),
                                &turned);
  if (status == HYLA_OK && call->triangle == HYLA_UPPER) {
    const hyla_transfer move = {HYLA_CONJUGATE, 1, a->view, turned};
    status = hyla_redistribute(cube, 1, &move);
  }
  if (status == HYLA_OK)
    status = hyla_factor_compute(cube, *factor, turned != NULL ? turned : a->view);
  hyla_matrix_destroy(&turned);
  if (status == HYLA_OK) status = hyla_factor_packed(cube, *factor, call->triangle, a->view);
  return status;
}

hyla_status dropin_run_potrf(struct dropin_call *call) {
  hyla_factor *factor = NULL;
  hyla_status status = factor_cholesky(call, 0, &factor);
  hyla_factor_destroy(&factor);
  return status == HYLA_OK ? succeed(call) : status;
}

static bool read_cholesky(struct dropin_call *call) {
  int n = dropin_integer(call, 1), nrhs = dropin_integer(call, 2);
  dropin_operand(call, 3, n, n);
  dropin_operand(call, 7, n, nrhs);
  call->info = call->arguments[11];
  call->size = order_of_work(n, n, nrhs);
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
  enum { A = 3, B = 7 };
  substitute(call, call->triangle, lower ? HYLA_NONE : HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, A, B);
  substitute(call, call->triangle, lower ? HYLA_CONJUGATE : HYLA_NONE, HYLA_ANY_DIAGONAL, A, B);
  return succeed(call);
}

hyla_status dropin_run_posv(struct dropin_call *call) {
  struct dropin_operand *b = &call->operand[1];
  hyla_factor *factor = NULL;
  hyla_status status = factor_cholesky(call, b->cols, &factor);
  if (status == HYLA_OK) {
    if (hyla_factor_solve(call->grid->cube, factor, HYLA_NONE, b->view, b->view) != HYLA_OK)
      dropin_next(DROPIN_potrs, call->type, call->arguments);
    else
      *call->info = 0;
  }
  hyla_factor_destroy(&factor);
  return status;
}
