/* The operations of `peers': the work of both sides, and the comparison of their results. */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

static const int ONE = 1;

int columns_of_a(const struct contest *c) {
  return c->operation->narrow > 0 ? c->operation->narrow : (int)c->n;
}

int columns(const struct contest *c) {
  return c->operation->sides > 0 ? c->operation->sides : columns_of_a(c);
}

static hyla_status run_plan(struct contest *c) { return hyla_plan_run(c->cube, c->plan); }

static hyla_status plan_transpose(struct contest *c) {
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, c->own.matrix[0], c->own.matrix[2]};
  return hyla_redistribute_plan(c->cube, 1, &transfer, NULL, &c->plan);
}

static hyla_status plan_convert(struct contest *c) {
  const hyla_transfer transfer = {HYLA_NONE, 1, c->own.matrix[0], c->own.matrix[2]};
  return hyla_redistribute_plan(c->cube, 1, &transfer, NULL, &c->plan);
}

static hyla_status plan_gemm(struct contest *c) {
  return hyla_gemm_plan(c->cube, HYLA_NONE, HYLA_NONE, 1, c->own.matrix[0], c->own.matrix[1], 0,
                        c->own.matrix[2], NULL, &c->plan);
}

static hyla_status plan_gemv(struct contest *c) {
  return hyla_gemv_plan(c->cube, HYLA_NONE, 1, c->own.matrix[0], c->own.matrix[1], 0,
                        c->own.matrix[2], NULL, &c->plan);
}

static hyla_status plan_nothing(struct contest *c) {
  (void)c;
  return HYLA_OK;
}

static hyla_status solve(struct contest *c) {
  return hyla_solve(c->cube, c->own.matrix[0], c->own.matrix[1], c->own.matrix[2], NULL);
}

static hyla_status solve_in_place(struct contest *c) {
  return hyla_solve_in_place(c->cube, c->own.matrix[0], c->own.matrix[1], c->own.matrix[2], NULL);
}

static hyla_status plan_lu(struct contest *c) {
  return hyla_factor_create(c->cube, HYLA_LU, HYLA_DOUBLE, c->n, columns(c), NULL, NULL,
                            &c->factor);
}

static hyla_status plan_cholesky(struct contest *c) {
  return hyla_factor_create(c->cube, HYLA_CHOLESKY, HYLA_DOUBLE, c->n, columns(c), NULL, NULL,
                            &c->factor);
}

static hyla_status plan_qr(struct contest *c) {
  return hyla_factor_create(c->cube, HYLA_QR, HYLA_DOUBLE, c->n, 0, NULL, NULL, &c->factor);
}

static hyla_status plan_tall_qr(struct contest *c) {
  return hyla_factor_create_rectangular(c->cube, HYLA_QR, HYLA_DOUBLE, c->n, columns_of_a(c), 0,
                                        NULL, NULL, &c->factor);
}

static hyla_status factor(struct contest *c) {
  return hyla_factor_compute(c->cube, c->factor, c->own.matrix[0]);
}

/* LAPACK's reflections and R, which are unique. */
static hyla_status pack(struct contest *c) {
  return hyla_factor_packed(c->cube, c->factor, HYLA_UPPER, c->own.matrix[2]);
}

static hyla_status factor_with_q(struct contest *c) {
  hyla_status status = factor(c);
  return status == HYLA_OK ? hyla_factor_q(c->cube, c->factor, c->own.matrix[2]) : status;
}

static hyla_status lstsq(struct contest *c) {
  return hyla_lstsq(c->cube, NULL, c->own.matrix[0], c->own.matrix[1], c->own.matrix[2], NULL);
}

static hyla_status solve_again(struct contest *c) {
  return hyla_factor_solve(c->cube, c->factor, HYLA_NONE, c->own.matrix[1], c->own.matrix[2]);
}

static hyla_status factor_and_solve(struct contest *c) {
  hyla_status status = hyla_factor_compute(c->cube, c->factor, c->own.matrix[0]);
  return status == HYLA_OK ? solve_again(c) : status;
}

static hyla_status plan_again(struct contest *c) {
  hyla_status status = plan_lu(c);
  return status == HYLA_OK ? factor_and_solve(c) : status;
}

static hyla_status invert(struct contest *c) {
  return hyla_invert(c->cube, HYLA_LU, c->own.matrix[0], c->own.matrix[2], NULL);
}

static hyla_status invert_definite(struct contest *c) {
  return hyla_invert(c->cube, HYLA_CHOLESKY, c->own.matrix[0], c->own.matrix[2], NULL);
}

static hyla_status plan_trsm(struct contest *c) {
  return hyla_trsm_plan(c->cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1,
                        c->own.matrix[0], c->own.matrix[2], NULL, &c->plan);
}

static double *local(const struct side *side, int x) {
  void *data = NULL;
  hyla_matrix_local(side->matrix[x], &data, NULL, NULL, NULL);
  return data;
}

static int leading(const struct side *side, int x) {
  int64_t ld = 1;
  hyla_matrix_local(side->matrix[x], NULL, NULL, NULL, &ld);
  return (int)ld;
}

static void peer_transpose(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  const double one = 1, zero = 0;
  pdtran_(&n, &n, &one, local(s, 0), &ONE, &ONE, s->descriptor[0], &zero, local(s, 2), &ONE, &ONE,
          s->descriptor[2]);
}

static void peer_convert(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  pdgemr2d_(&n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 2), &ONE, &ONE,
            s->descriptor[2], &c->context);
}

static void peer_gemm(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  const double one = 1, zero = 0;
  pdgemm_("N", "N", &n, &n, &n, &one, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 1), &ONE,
          &ONE, s->descriptor[1], &zero, local(s, 2), &ONE, &ONE, s->descriptor[2]);
}

static void peer_gemv(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  const double one = 1, zero = 0;
  pdgemv_("N", &n, &n, &one, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 1), &ONE, &ONE,
          s->descriptor[1], &ONE, &zero, local(s, 2), &ONE, &ONE, s->descriptor[2], &ONE);
}

/* Solutions overwrite right-hand sides, and factorizations A; both are restored before, untimed. */
static void peer_solve(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c);
  int info = 0;
  pdgesv_(&n, &sides, local(s, 0), &ONE, &ONE, s->descriptor[0], c->pivots, local(s, 2), &ONE, &ONE,
          s->descriptor[2], &info);
}

static void peer_cholesky(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c);
  int info = 0;
  pdposv_("L", &n, &sides, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 2), &ONE, &ONE,
          s->descriptor[2], &info);
}

static void peer_factor(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  int info = 0;
  pdgetrf_(&n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], c->pivots, &info);
}

static void peer_again(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c);
  int info = 0;
  pdgetrs_("N", &n, &sides, local(s, 0), &ONE, &ONE, s->descriptor[0], c->pivots, local(s, 2), &ONE,
           &ONE, s->descriptor[2], &info);
}

static void peer_trsm(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c);
  const double one = 1;
  pdtrsm_("L", "L", "N", "N", &n, &sides, &one, local(s, 0), &ONE, &ONE, s->descriptor[0],
          local(s, 2), &ONE, &ONE, s->descriptor[2]);
}

/* On one rank, which holds everything, by columns. */
static void peer_lapack_lu(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c), lda = leading(s, 0), ldb = leading(s, 2);
  int info = 0;
  dgesv_(&n, &sides, local(s, 0), &lda, c->pivots, local(s, 2), &ldb, &info);
}

static void peer_lapack_cholesky(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c), lda = leading(s, 0), ldb = leading(s, 2);
  int info = 0;
  dposv_("L", &n, &sides, local(s, 0), &lda, local(s, 2), &ldb, &info);
}

/* Each asks for its room, and is called again. */
static void peer_qr(struct contest *c, struct side *s) {
  const int n = (int)c->n, ask = -1;
  int info = 0;
  double words = 0;
  pdgeqrf_(&n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], &words, &words, &ask, &info);
  const int room = (int)words;
  double *tau = malloc((size_t)(n + room) * sizeof *tau);
  if (tau != NULL)
    pdgeqrf_(&n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], tau, tau + n, &room, &info);
  free(tau);
}

/* Q in A's place.  It has the other sign than hyla's, whose reflections include the sign of R's
 * rows. */
static void peer_tall_qr(struct contest *c, struct side *s) {
  const int m = (int)c->n, n = columns_of_a(c), ask = -1;
  int info = 0;
  double words[2] = {0, 0};
  pdgeqrf_(&m, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], words, &words[0], &ask, &info);
  pdorgqr_(&m, &n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], words, &words[1], &ask, &info);
  const int room = (int)(words[0] > words[1] ? words[0] : words[1]);
  double *tau = malloc((size_t)(n + room) * sizeof *tau);
  if (tau != NULL) {
    pdgeqrf_(&m, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], tau, tau + n, &room, &info);
    pdorgqr_(&m, &n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], tau, tau + n, &room, &info);
  }
  free(tau);
}

static hyla_status turn_sign(struct contest *c) {
  double *q = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  void *data = NULL;
  hyla_status status = hyla_matrix_local(c->own.matrix[2], &data, &rows, &cols, &ld);
  q = data;
  for (int64_t j = 0; j < cols && status == HYLA_OK; j++)
    for (int64_t i = 0; i < rows; i++) q[i + j * ld] = -q[i + j * ld];
  return status;
}

static void peer_lapack_qr(struct contest *c, struct side *s) {
  const int n = (int)c->n, lda = leading(s, 0), room = 64 * n;
  int info = 0;
  double *tau = malloc((size_t)(n + room) * sizeof *tau);
  if (tau != NULL) dgeqrf_(&n, &n, local(s, 0), &lda, tau, tau + n, &room, &info);
  free(tau);
}

static void peer_squares(struct contest *c, struct side *s) {
  const int n = (int)c->n, sides = columns(c), ask = -1;
  int info = 0;
  double words = 0;
  pdgels_("N", &n, &n, &sides, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 2), &ONE, &ONE,
          s->descriptor[2], &words, &ask, &info);
  const int room = (int)words;
  double *work = malloc((size_t)(room + 1) * sizeof *work);
  if (work != NULL)
    pdgels_("N", &n, &n, &sides, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 2), &ONE, &ONE,
            s->descriptor[2], work, &room, &info);
  free(work);
}

/* Makes one triangle of the inverse, in A's place. */
static void peer_invert_definite(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  int info = 0;
  pdpotrf_("L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], &info);
  pdpotri_("L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], &info);
}

/* Makes the inverse in A's place. */
static void peer_invert(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  int info = 0, words = -1, integers = -1;
  double most = 0;
  peer_factor(c, s);
  pdgetri_(&n, local(s, 0), &ONE, &ONE, s->descriptor[0], c->pivots, &most, &words, &integers,
           &integers, &info);
  words = (int)most;
  integers = 4 * n + 4096;
  double *work = malloc((size_t)words * sizeof *work);
  int *numbers = malloc((size_t)integers * sizeof *numbers);
  if (work != NULL && numbers != NULL)
    pdgetri_(&n, local(s, 0), &ONE, &ONE, s->descriptor[0], c->pivots, work, &words, numbers,
             &integers, &info);
  free(numbers);
  free(work);
}

/* Finds the largest difference of the results relative to the largest entry. */
hyla_status compare(struct contest *c, const struct side *s, double *difference) {
  hyla_matrix *copy = NULL;
  const hyla_matrix *result = c->own.matrix[2],
                    *peer_result = s->matrix[c->operation->in_a ? 0 : 2];
  double largest = 0;
  hyla_status status =
      hyla_matrix_create(c->cube, HYLA_DOUBLE, hyla_matrix_rows(result), hyla_matrix_cols(result),
                         hyla_matrix_layout(result), &copy);
  if (status == HYLA_OK) status = hyla_matrix_copy(c->cube, peer_result, copy);
  void *mine = NULL, *theirs = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  if (status == HYLA_OK) status = hyla_matrix_local(result, &mine, &rows, &cols, &ld);
  if (status == HYLA_OK) status = hyla_matrix_local(copy, &theirs, NULL, NULL, NULL);
  for (int64_t j = 0; j < cols && status == HYLA_OK; j++)
    for (int64_t i = 0; i < rows; i++) {
      double *entry = (double *)theirs + i + j * ld;
      const int64_t row = hyla_matrix_row(copy, i), col = hyla_matrix_col(copy, j);
      const bool made = !c->operation->lower || row >= col;
      *entry = made ? *entry - ((const double *)mine)[i + j * ld] : 0;
    }
  if (status == HYLA_OK) status = hyla_matrix_norm(c->cube, result, HYLA_NORM_MAX, &largest);
  if (status == HYLA_OK) status = hyla_matrix_norm(c->cube, copy, HYLA_NORM_MAX, difference);
  if (status == HYLA_OK && largest > 0) *difference /= largest;
  hyla_matrix_destroy(&copy);
  return status;
}

const struct operation operations[] = {
    {.name = "transpose",
     .blocks = {32, 64, 128, 256},
     .sizes = {1000, 4000},
     .prepare = plan_transpose,
     .hyla = run_plan,
     .peer = peer_transpose},
    {.name = "convert-cols",
     .blocks = {64},
     .sizes = {1000, 4000},
     .prepare = plan_convert,
     .hyla = run_plan,
     .peer = peer_convert},
    {.name = "convert-rows",
     .blocks = {64},
     .sizes = {1000, 4000},
     .prepare = plan_convert,
     .hyla = run_plan,
     .peer = peer_convert},
    {.name = "gemm",
     .blocks = {64, 128, 256},
     .sizes = {1000, 2000, 4000},
     .cubic = 2,
     .prepare = plan_gemm,
     .hyla = run_plan,
     .peer = peer_gemm},
    {.name = "gemv",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .sides = 1,
     .solves = true,
     .prepare = plan_gemv,
     .hyla = run_plan,
     .peer = peer_gemv},
    {.name = "solve",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .cubic = 2.0 / 3,
     .sides = 1,
     .solves = true,
     .prepare = plan_nothing,
     .hyla = solve,
     .peer = peer_solve},
    {.name = "solve-in-place",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .cubic = 2.0 / 3,
     .sides = 1,
     .solves = true,
     .overwrites = {true},
     .prepare = plan_nothing,
     .hyla = solve_in_place,
     .peer = peer_solve},
    {.name = "factor",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .cubic = 2.0 / 3,
     .sides = 1,
     .solves = true,
     .prepare = plan_lu,
     .hyla = factor_and_solve,
     .peer = peer_solve},
    {.name = "cholesky",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .kind = "definite",
     .cubic = 1.0 / 3,
     .sides = 1,
     .solves = true,
     .prepare = plan_cholesky,
     .hyla = factor_and_solve,
     .peer = peer_cholesky},
    {.name = "factor-lapack",
     .blocks = {64},
     .sizes = {1000, 2000, 4000},
     .cubic = 2.0 / 3,
     .sides = 1,
     .solves = true,
     .one_rank = true,
     .prepare = plan_lu,
     .hyla = factor_and_solve,
     .peer = peer_lapack_lu},
    {.name = "cholesky-lapack",
     .blocks = {64},
     .sizes = {1000, 2000, 4000},
     .kind = "definite",
     .cubic = 1.0 / 3,
     .sides = 1,
     .solves = true,
     .one_rank = true,
     .prepare = plan_cholesky,
     .hyla = factor_and_solve,
     .peer = peer_lapack_cholesky},
    {.name = "solve-again",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .sides = 100,
     .solves = true,
     .prepare = plan_again,
     .hyla = solve_again,
     .peer_before = peer_factor,
     .peer = peer_again},
    {.name = "trsm",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .kind = "definite",
     .solves = true,
     .triangle = true,
     .overwrites = {false, true},
     .prepare = plan_trsm,
     .hyla = run_plan,
     .peer = peer_trsm},
    {.name = "invert",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .cubic = 2,
     .prepare = plan_nothing,
     .in_a = true,
     .hyla = invert,
     .peer = peer_invert},
    {.name = "invert-definite",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .kind = "definite",
     .cubic = 1,
     .prepare = plan_nothing,
     .in_a = true,
     .lower = true,
     .hyla = invert_definite,
     .peer = peer_invert_definite},
    {.name = "qr",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .cubic = 4.0 / 3,
     .prepare = plan_qr,
     .hyla = factor,
     .finish = pack,
     .peer = peer_qr,
     .in_a = true},
    {.name = "qr-lapack",
     .blocks = {64},
     .sizes = {1000, 2000, 4000},
     .cubic = 4.0 / 3,
     .prepare = plan_qr,
     .hyla = factor,
     .finish = pack,
     .peer = peer_lapack_qr,
     .in_a = true,
     .one_rank = true},
    {.name = "qr-tall",
     .blocks = {32, 64},
     .sizes = {1000000},
     .narrow = 50,
     .cubic = 4,
     .prepare = plan_tall_qr,
     .hyla = factor_with_q,
     .finish = turn_sign,
     .peer = peer_tall_qr,
     .in_a = true},
    {.name = "lstsq",
     .blocks = {32, 64, 128},
     .sizes = {1000, 2000, 4000},
     .cubic = 4.0 / 3,
     .sides = 1,
     .solves = true,
     .prepare = plan_nothing,
     .hyla = lstsq,
     .peer = peer_squares},
    {.name = "eig",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 4,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_vectors,
     .peer = peer_divide},
    {.name = "eig-mrrr",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 4,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_vectors,
     .peer = peer_representations},
    {.name = "eigvals",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 4.0 / 3,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_values,
     .peer = peer_values},
    {.name = "eig-generalized",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 6,
     .spectrum = true,
     .second = "definite",
     .prepare = plan_nothing,
     .hyla = hyla_pencil,
     .peer = peer_pencil},
    {.name = "eig-scaled",
     .blocks = {64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 4,
     .spectrum = true,
     .prepare = scale_own,
     .hyla = hyla_vectors,
     .peer = peer_unscaled},
    {.name = "eig-lapack",
     .blocks = {64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 4,
     .one_rank = true,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_vectors,
     .peer = peer_lapack_vectors},
    {.name = "eigvals-lapack",
     .blocks = {64},
     .sizes = {500, 1000, 2000},
     .kind = "hermitian",
     .cubic = 4.0 / 3,
     .one_rank = true,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_values,
     .peer = peer_lapack_values},
    {.name = "svd",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .cubic = 28.0 / 3,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_decompose,
     .peer = peer_decompose},
    {.name = "svd-jacobi",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .cubic = 28.0 / 3,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_rotate,
     .peer = peer_decompose},
    {.name = "svdvals",
     .blocks = {32, 64},
     .sizes = {500, 1000, 2000},
     .cubic = 8.0 / 3,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_singular_values,
     .peer = peer_singular_values},
    {.name = "svd-lapack",
     .blocks = {64},
     .sizes = {500, 1000, 2000},
     .cubic = 28.0 / 3,
     .one_rank = true,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_decompose,
     .peer = peer_lapack_decompose},
    {.name = "svd-tall",
     .blocks = {32, 64},
     .sizes = {50000},
     .narrow = 500,
     .cubic = 6,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_decompose,
     .peer = peer_decompose},
    {.name = "svd-tall-lapack",
     .blocks = {64},
     .sizes = {50000},
     .narrow = 500,
     .cubic = 6,
     .one_rank = true,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_decompose,
     .peer = peer_lapack_decompose},
    {.name = "svdvals-lapack",
     .blocks = {64},
     .sizes = {500, 1000, 2000},
     .cubic = 8.0 / 3,
     .one_rank = true,
     .spectrum = true,
     .prepare = plan_nothing,
     .hyla = hyla_singular_values,
     .peer = peer_lapack_singular_values},
    {.name = NULL},
};

bool is_conversion(const struct operation *o) { return strncmp(o->name, "convert", 7) == 0; }

double flops_of(const struct contest *c) {
  double n = (double)c->n, once = c->operation->triangle ? 1 : 2, k = columns_of_a(c);
  return c->operation->cubic * n * k * k + (c->operation->solves ? once * n * n * columns(c) : 0);
}
