/* hyla_simple.h: systems and spectra of each type in arrays that all ranks hold, or rank 0 alone;
 * info is LAPACK's; wrong arguments of one rank are told on all. */
// ranks: 1 3 4 5
// sample: 1 3 4
#include "tests/harness/harness.h"

#include <complex.h>
#include <hyla_simple.h>
#include <math.h>
#include <string.h>

enum { N = 23, SIDES = 3 };

/* A = random + N I, made Hermitian if asked to; B = A X with X all i + 2 j. */
static void make(bool hermitian, bool real, double _Complex a[N * N],
                 double _Complex b[N * SIDES]) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double re = (double)harness_draw(-100, 100) / 100, im = (double)harness_draw(-100, 100) / 100;
      a[i + j * N] = real ? re : __builtin_complex(re, im);
    }
  for (int j = 0; j < N; j++) {
    a[j + j * N] = N;
    for (int i = 0; hermitian && i < j; i++) a[i + j * N] = conj(a[j + i * N]);
  }
  for (int k = 0; k < SIDES; k++)
    for (int i = 0; i < N; i++) {
      b[i + k * N] = 0;
      for (int j = 0; j < N; j++) b[i + k * N] += a[i + j * N] * (j + 2 * k);
    }
}

/* The largest error of X. */
static double error_of(const double _Complex x[N * SIDES]) {
  double worst = 0;
  for (int k = 0; k < SIDES; k++)
    for (int i = 0; i < N; i++) worst = fmax(worst, cabs(x[i + k * N] - (i + 2 * k)));
  return worst;
}

/* Calls the function of that name with copies in its type.  held: this rank has arrays. */
#define CASE(NAME, METHOD, TYPE, NUMBER)                                                           \
  static double error_of_##NAME(const double _Complex *a, const double _Complex *b, bool held,     \
                                hyla_answer *answer) {                                             \
    NUMBER as[N * N], bs[N * SIDES];                                                               \
    double _Complex x[N * SIDES];                                                                  \
    for (int i = 0; i < N * N; i++) as[i] = (NUMBER)a[i];                                          \
    for (int i = 0; i < N * SIDES; i++) bs[i] = (NUMBER)b[i];                                      \
    assert_int_equal(                                                                              \
        hyla_##NAME(MPI_COMM_WORLD, N, SIDES, held ? as : NULL, held ? bs : NULL, answer),         \
        HYLA_OK);                                                                                  \
    for (int i = 0; i < N * SIDES; i++) x[i] = bs[i];                                              \
    return held ? error_of(x) : 0;                                                                 \
  }
HYLA_SIMPLE_LIST(CASE)

static void each_type_is_solved(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*error)(const double _Complex *, const double _Complex *, bool, hyla_answer *);
  } cases[] = {
#define ROW(NAME, METHOD, TYPE, NUMBER) {#NAME, error_of_##NAME},
      HYLA_SIMPLE_LIST(ROW)};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int held = 0; held < 2; held++) {
      double _Complex a[N * N], b[N * SIDES];
      const char letter = cases[i].name[0];
      const bool real = letter == 's' || letter == 'd', single = letter == 's' || letter == 'c';
      hyla_answer answer;
      make(strcmp(cases[i].name + 1, "posv") == 0, real, a, b);
      double error = cases[i].error(a, b, held == 1 || harness_rank() == 0, &answer);
      harness_note("%s, held %d: error %g", cases[i].name, held, error);
      assert_true(error < (single ? 1e-3 : 1e-11));
      assert_true(answer.info == 0 && answer.message[0] == '\0');
      assert_true(answer.rcond > 1e-4 && answer.forward_bound < (single ? 1e-2 : 1e-10));
    }
}

static void info_is_that_of_lapack(void **state) {
  (void)state;
  const double singular[] = {1, 2, 2, 4}, indefinite[] = {1, 2, 2, 1}, bad[] = {1, NAN, 0, 1};
  /* its inverse has entries of 2^60 */
  const double near[] = {1, 1, 1, 1 + 0x1p-52};
  double b[] = {1, 2};
  hyla_answer answer;
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 2, 1, singular, b, &answer), HYLA_SINGULAR);
  assert_true(answer.info == 2 && strstr(answer.message, "pivot 2") != NULL && isnan(answer.rcond));
  assert_int_equal(hyla_dposv(MPI_COMM_WORLD, 2, 1, indefinite, b, &answer), HYLA_INDEFINITE);
  assert_true(answer.info == 2);
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 2, 1, bad, b, &answer), HYLA_NOT_FINITE);
  assert_true(answer.info == 1 && b[0] == 1 && b[1] == 2);
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 2, 1, near, b, &answer), HYLA_UNRELIABLE);
  assert_true(answer.info == 3 && answer.message[0] != '\0' && answer.rcond < 1e-15);
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 0, 1, NULL, NULL, &answer), HYLA_OK);
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 1, 0, near, NULL, NULL), HYLA_OK);
}

static void wrong_arguments_are_told(void **state) {
  (void)state;
  const double a[] = {1, 0, 0, 1};
  double b[] = {1, 2};
  const bool first = harness_rank() == 0, last = harness_rank() == harness_ranks() - 1;
  hyla_answer answer;
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, -1, 1, a, b, &answer), HYLA_ARGUMENT);
  assert_true(answer.info == -HYLA_ARGUMENT && strstr(answer.message, "n is -1") != NULL);
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 2, 1, first ? NULL : a, b, &answer), HYLA_ARGUMENT);
  assert_non_null(strstr(answer.message, "a is NULL on rank 0"));
  assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, 2, 1, a, first ? NULL : b, NULL), HYLA_ARGUMENT);
  if (harness_ranks() > 1)
    assert_int_equal(hyla_dgesv(MPI_COMM_WORLD, last ? 1 : 2, 1, a, b, NULL), HYLA_MISMATCH);
  assert_int_equal(hyla_dgesv(MPI_COMM_NULL, 2, 1, a, b, &answer), HYLA_ARGUMENT);
  assert_non_null(strstr(answer.message, "communicator"));
}

/* The largest entry of A V - V diag(w), for A made Hermitian from its lower triangle. */
static double error_of_vectors(const double _Complex *a, const double *w,
                               const double _Complex *v) {
  double worst = 0;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double _Complex sum = -w[j] * v[i + j * N];
      for (int k = 0; k < N; k++)
        sum += (i >= k ? a[i + k * N] : conj(a[k + i * N])) * v[k + j * N];
      worst = fmax(worst, cabs(sum));
    }
  return worst;
}

/* Calls the function of that name with copies in its type, vectors in the place of A or not; then
 * for values alone. */
#define SPECTRUM(NAME, TYPE, NUMBER)                                                               \
  static double error_of_##NAME(const double _Complex *a, bool held, bool in_place) {              \
    NUMBER as[N * N], vs[N * N], *to = in_place ? as : vs;                                         \
    double _Complex v[N * N];                                                                      \
    double w[N], alone[N];                                                                         \
    hyla_answer answer;                                                                            \
    for (int i = 0; i < N * N; i++) as[i] = (NUMBER)a[i];                                          \
    assert_int_equal(                                                                              \
        hyla_##NAME(MPI_COMM_WORLD, HYLA_LOWER, N, held ? as : NULL, alone, NULL, &answer),        \
        HYLA_OK);                                                                                  \
    assert_int_equal(hyla_##NAME(MPI_COMM_WORLD, HYLA_LOWER, N, held ? as : NULL, w,               \
                                 held ? to : NULL, &answer),                                       \
                     HYLA_OK);                                                                     \
    assert_true(answer.info == 0 && answer.message[0] == '\0');                                    \
    assert_memory_equal(w, alone, sizeof w);                                                       \
    for (int i = 0; i < N * N; i++) v[i] = to[i];                                                  \
    return held ? error_of_vectors(a, w, v) : 0;                                                   \
  }
HYLA_SIMPLE_EIGEN_LIST(SPECTRUM)

static void each_type_has_its_spectrum(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*error)(const double _Complex *, bool, bool);
  } cases[] = {
#define SPECTRUM_ROW(NAME, TYPE, NUMBER) {#NAME, error_of_##NAME},
      HYLA_SIMPLE_EIGEN_LIST(SPECTRUM_ROW)};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int held = 0; held < 2; held++) {
      double _Complex a[N * N], b[N * SIDES];
      const char letter = cases[i].name[0];
      const bool real = letter == 's' || letter == 'd', single = letter == 's' || letter == 'c';
      make(true, real, a, b);
      const double error = cases[i].error(a, held == 1 || harness_rank() == 0, held == 1);
      harness_note("%s, held %d: error %g", cases[i].name, held, error);
      assert_true(error < (single ? 1e-3 : 1e-11));
    }
}

static void wrong_arguments_of_spectra_are_told(void **state) {
  (void)state;
  const double a[] = {2, 1, NAN, 2}, bad[] = {1, NAN, 0, 1};
  double w[2], v[4];
  const bool first = harness_rank() == 0, last = harness_rank() == harness_ranks() - 1;
  hyla_answer answer;
  assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, 2, a, w, v, &answer), HYLA_OK);
  assert_true(w[0] == 1 && w[1] == 3);
  assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, 2, bad, w, v, &answer), HYLA_NOT_FINITE);
  assert_true(answer.info == -HYLA_NOT_FINITE && answer.message[0] != '\0');
  assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, -1, a, w, v, &answer), HYLA_ARGUMENT);
  assert_non_null(strstr(answer.message, "n is -1"));
  assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, 2, first ? NULL : a, w, v, &answer),
                   HYLA_ARGUMENT);
  assert_non_null(strstr(answer.message, "a is NULL on rank 0"));
  assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, 2, a, last ? NULL : w, v, NULL),
                   HYLA_ARGUMENT);
  if (harness_ranks() > 1) {
    assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, 2, a, w, first ? NULL : v, &answer),
                     HYLA_ARGUMENT);
    assert_int_equal(
        hyla_dsyev(MPI_COMM_WORLD, last ? HYLA_UPPER : HYLA_LOWER, 2, bad, w, v, &answer),
        HYLA_MISMATCH);
  }
  assert_int_equal(hyla_dsyev(MPI_COMM_WORLD, HYLA_LOWER, 0, NULL, NULL, NULL, NULL), HYLA_OK);
}

/* ------------------------------------------------------------- least squares -- */

/* The residual of X is orthogonal to A, N x M, whose last column is the first one: of two such X
 * the one of least norm has the same in both rows. */
enum { M = 5 };
#define SQUARES(NAME, TYPE, NUMBER)                                                                \
  static double error_of_##NAME(const double _Complex *a, const double _Complex *b, bool gets,     \
                                bool held) {                                                       \
    NUMBER tall[N * M], x[N * SIDES];                                                              \
    hyla_answer answer;                                                                            \
    int64_t rank = -1;                                                                             \
    double error = 0;                                                                              \
    for (int i = 0; i < N * M; i++) tall[i] = (NUMBER)a[i < N * (M - 1) ? i : i - N * (M - 1)];    \
    for (int i = 0; i < N * SIDES; i++) x[i] = (NUMBER)b[i];                                       \
    assert_int_equal(                                                                              \
        hyla_##NAME(MPI_COMM_WORLD, N, M, SIDES, tall, gets ? x : NULL, &rank, &answer), HYLA_OK); \
    assert_int_equal(rank, M - 1);                                                                 \
    assert_true(answer.info == 0 && answer.message[0] == '\0');                                    \
    for (int k = 0; k < SIDES && (held || harness_rank() == 0); k++) {                             \
      error = fmax(error, cabs((double _Complex)(x[k * N] - x[k * N + M - 1])));                   \
      for (int j = 0; j < M; j++) {                                                                \
        double _Complex product = 0;                                                               \
        for (int i = 0; i < N; i++) {                                                              \
          double _Complex r = b[i + k * N];                                                        \
          for (int l = 0; l < M; l++) r -= (double _Complex)(tall[i + l * N] * x[l + k * N]);      \
          product += conj((double _Complex)tall[i + j * N]) * r;                                   \
        }                                                                                          \
        error = fmax(error, cabs(product) / (N * N * N));                                          \
      }                                                                                            \
    }                                                                                              \
    return error;                                                                                  \
  }
HYLA_SIMPLE_SQUARES_LIST(SQUARES)

static void each_type_has_its_least_squares(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*error)(const double _Complex *, const double _Complex *, bool, bool);
  } cases[] = {
#define SQUARES_ROW(NAME, TYPE, NUMBER) {#NAME, error_of_##NAME},
      HYLA_SIMPLE_SQUARES_LIST(SQUARES_ROW)};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int held = 0; held < 2; held++) {
      double _Complex a[N * N], b[N * SIDES];
      const char letter = cases[i].name[0];
      const bool real = letter == 's' || letter == 'd', single = letter == 's' || letter == 'c';
      make(false, real, a, b);
      const double error = cases[i].error(a, b, held == 1 || harness_rank() == 0, held == 1);
      harness_note("%s, held %d: error %g", cases[i].name, held, error);
      assert_true(error < (single ? 1e-3 : 1e-11));
    }
}

static void wrong_arguments_of_least_squares_are_told(void **state) {
  (void)state;
  const double a[] = {1, 1, 0, 1, 2, 3}, bad[] = {1, NAN, 0, 1, 2, 3};
  double b[] = {1, 2, 3};
  const bool first = harness_rank() == 0, last = harness_rank() == harness_ranks() - 1;
  hyla_answer answer;
  int64_t rank = -1;
  assert_int_equal(hyla_dgels(MPI_COMM_WORLD, 3, 2, 1, a, b, &rank, &answer), HYLA_OK);
  assert_int_equal(rank, 2);
  assert_int_equal(hyla_dgels(MPI_COMM_WORLD, 3, 2, 1, bad, b, NULL, &answer), HYLA_NOT_FINITE);
  assert_true(answer.info == -HYLA_NOT_FINITE && answer.message[0] != '\0');
  assert_int_equal(hyla_dgels(MPI_COMM_WORLD, 3, -2, 1, a, b, &rank, &answer), HYLA_ARGUMENT);
  assert_non_null(strstr(answer.message, "n is -2"));
  assert_int_equal(hyla_dgels(MPI_COMM_WORLD, 3, 2, 1, first ? NULL : a, b, &rank, &answer),
                   HYLA_ARGUMENT);
  assert_non_null(strstr(answer.message, "a is NULL on rank 0"));
  if (harness_ranks() > 1) {
    assert_int_equal(hyla_dgels(MPI_COMM_WORLD, 3, 2, 1, a, first ? NULL : b, &rank, &answer),
                     HYLA_ARGUMENT);
    assert_int_equal(hyla_dgels(MPI_COMM_WORLD, last ? 2 : 3, 2, 1, a, b, &rank, &answer),
                     HYLA_MISMATCH);
  }
  assert_int_equal(hyla_dgels(MPI_COMM_WORLD, 0, 0, 0, NULL, NULL, NULL, NULL), HYLA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_is_solved),
      cmocka_unit_test(info_is_that_of_lapack),
      cmocka_unit_test(wrong_arguments_are_told),
      cmocka_unit_test(each_type_has_its_spectrum),
      cmocka_unit_test(wrong_arguments_of_spectra_are_told),
      cmocka_unit_test(each_type_has_its_least_squares),
      cmocka_unit_test(wrong_arguments_of_least_squares_are_told),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
