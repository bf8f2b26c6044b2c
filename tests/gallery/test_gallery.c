/* Systems with the matrices of the gallery, by every variant of every method that applies:
 * - the residual |A x - b| / (n |A| |x| u) in the 1-norm is at most 1 if partial pivoting does not
 *   let entries grow exponentially; below order 4, by QR and in c and z, at most 4 / n;
 * - by Gauss-Jordan this holds if rcond is at least u^(3/8), which is 1e-6 in double precision; the
 *   residual is at most 10 if rcond is at least u^(3/4), 1e-12; below that the solution is
 *   UNRELIABLE;
 * - if entries grow, it holds after refinement, or the solution is reported as UNRELIABLE;
 * - after refinement, fixed or with extended residuals, the componentwise backward error is at most
 *   10 u, and is reported so, if rcond is at least u^(5/8), 1e-10;
 * - rcond is within a factor 10 of the true value, from LAPACK's singular value decomposition;
 * - singular matrices are reported alike on all ranks.
 * A sample of the cases is run.  All of them, a quarter on each of 1, 2, 4 and 8 ranks:
 *   HYLA_TEST_FULL=1 ../tests/run tests/gallery/test_gallery */
// ranks: 1 2 4 8
// sample: 1 4
// limit: 300
#include "backward.h"
#include "generators.h"
#include "tests/harness/draw.h"
#include "tests/harness/peer_lapack.h"
#include "tests/solve/lu_case.h"
#include "tests/solve/methods.h"

static const int64_t SIZES[] = {1, 2, 3, 5, 17, 33, 64, 100, 257, 512};
static const int64_t GROWN[] = {128, 256}; /* and 512, with all kinds */
static const int64_t BLOCKS[] = {1, 3, 8, 64};
enum {
  SIZE_COUNT = sizeof SIZES / sizeof *SIZES,
  GROWN_COUNT = sizeof GROWN / sizeof *GROWN,
  FEW = 50
};

/* The methods' variants, one after another. */
struct way {
  hyla_method method;
  const char *variant;
};

static bool way_of(int index, struct way *way) {
  const hyla_method_traits *traits = NULL;
  for (int method = 0; (traits = hyla_method_at(method)) != NULL; method++) {
    for (int i = 0; (way->variant = method_variant(traits->name, i)) != NULL; i++) {
      way->method = (hyla_method)method;
      if (index-- == 0) return true;
    }
  }
  return false;
}

static int way_count(void) {
  struct way way;
  int count = 0;
  while (way_of(count, &way)) count++;
  return count;
}

static bool applies(const struct way *way, const hyla_properties *known) {
  const struct method *method = method_row(way->method);
  if (method->definite) return known->definite;
  return !method->triangle || known->hermitian;
}

/* The kinds but the last ones, whose spectra test eigensolvers. */
static int solved_kinds(void) {
  int count = 0;
  while (hyla_kind_at(count) != NULL && strncmp(name_of(count), "sep-", 4) != 0) count++;
  return count;
}

struct system {
  int64_t number; /* in the walk's order */
  const char *kind;
  hyla_type type;
  int64_t n;
  struct way way;
  bool held; /* the type can hold it */
  uint64_t seed;
  hyla_properties known;
  hyla_cube *cube;
  const struct hy_kernels *k;
  double roundoff;       /* n u */
  struct backward whole; /* A, on rank 0 only; other ranks have no entries, because they judge
                          * nothing */
  double truth;          /* the true rcond, on rank 0; NaN: not yet computed */
  int exponent;          /* of the right-hand sides */
  hyla_matrix *a, *b, *x;
};

static bool judges(const struct system *s) { return s->whole.entries != NULL; }

/* Right-hand sides of about the size of A's entries or smaller, exact in every type. */
static double _Complex right_entry(const struct system *s, int64_t row) {
  return ldexp((double)(16 + 7 * row % 11), s->exponent);
}

static double _Complex fill_right(void *arg, int64_t row, int64_t col) {
  (void)col;
  return right_entry(arg, row);
}

/* -------------------------------------------------------------- judgements -- */

/* Collected over all cases of a walk, on rank 0. */
struct worst {
  double residual, componentwise, high, low; /* the last two: rcond relative to the true value */
  char where[128];                           /* the case with the largest residual */
  int cases, unreliable, failed;
};

struct errors {
  double residual, componentwise; /* backward errors, relative to n u and to u */
};

/* 1 / (|A|_1 |A^-1|_1) by LAPACK's singular values, once for each system. */
static double true_rcond(struct system *s) {
  if (!isnan(s->truth)) return s->truth;
  double _Complex *array = calloc((size_t)(s->n * (s->n + LAPACK_MARGIN)), sizeof *array);
  assert_non_null(array);
  memcpy(array, s->whole.entries, (size_t)(s->n * s->n) * sizeof *array);
  s->truth = lapack_rcond((int)s->n, array);
  free(array);
  return s->truth;
}

/* Is the matrix singular, or not definite, up to rounding? */
static bool is_lost(struct system *s) {
  if (s->known.rank >= 0 && s->known.rank < s->n) return true;
  return !(true_rcond(s) >= 8 * s->roundoff);
}

/* The errors of the present x. */
static struct errors errors_now(const struct system *s) {
  double _Complex *x = lu_get_all(s->x), *b = calloc((size_t)s->n, sizeof *b);
  struct errors errors = {0};
  assert_non_null(b);
  for (int64_t i = 0; i < s->n; i++) b[i] = right_entry(s, i);
  if (judges(s)) {
    struct backward_errors found = backward_errors(&s->whole, x, b);
    errors = (struct errors){found.norm / s->roundoff, found.componentwise / s->k->epsilon};
  }
  free(b);
  free(x);
  return errors;
}

static void judge_rcond(struct system *s, double rcond, struct worst *worst) {
  double truth = true_rcond(s);
  if (!(truth >= 16 * s->roundoff)) return; /* rounding may have made it another matrix */
  if (!(rcond <= 10 * truth && truth <= 10 * rcond)) fail_msg("rcond %g, true %g", rcond, truth);
  worst->high = fmax(worst->high, rcond / truth);
  worst->low = fmin(worst->low, rcond / truth);
}

/* ------------------------------------------------------------------ a case -- */

/* If there is no answer, that must be right. */
static void judge_failure(struct system *s, hyla_status status, int64_t pivot,
                          struct worst *worst) {
  worst->failed++;
  if (strcmp(s->kind, "singular") == 0 && method_row(s->way.method)->exact) {
    assert_int_equal(status, HYLA_SINGULAR);
    assert_int_equal(pivot, hy_max(s->n - 1, 1));
    return;
  }
  assert_true(pivot >= 1 && pivot <= s->n);
  if (s->known.grows && (status == HYLA_NOT_FINITE || status == HYLA_SINGULAR)) return;
  /* A matrix that is singular up to rounding may have a pivot so small that quotients overflow. */
  if (status != HYLA_NOT_FINITE)
    lu_assert_status(s->cube, status, method_row(s->way.method)->stops);
  if (judges(s)) assert_true(is_lost(s));
}

/* The limit of the residual.  Below order 4 reflections round more than n times, and so do complex
 * numbers from order 2 on, because each of their products rounds three times. */
static double most_residual(const struct system *s) {
  bool more = s->way.method == HYLA_QR || (s->n > 1 && s->k->complex_type);
  int64_t counted = more ? 4 : 1;
  return (double)hy_max(counted, s->n) / (double)s->n;
}

/* For solutions by an inverse: the limit of the residual of an answer that is reported as good. */
static double bound_by_inverse(const struct system *s, double rcond) {
  if (rcond >= pow(s->k->epsilon, .375)) return most_residual(s);
  return rcond >= pow(s->k->epsilon, .75) ? 10 : 0;
}

static void keep_worst(const struct system *s, double residual, struct worst *worst) {
  if (residual <= worst->residual) return;
  worst->residual = residual;
  snprintf(worst->where, sizeof worst->where, "%s, n = %lld, type %s, %s", s->kind, (long long)s->n,
           s->k->name, s->way.variant);
}

/* x as solved, and its errors. */
static void judge_solution(struct system *s, struct errors errors, double rcond,
                           struct worst *worst) {
  if (s->known.grows || !judges(s) || method_row(s->way.method)->by_inverse) return;
  if (!isfinite(errors.residual)) { /* x is larger than the largest number */
    assert_true(is_lost(s));
    return;
  }
  if (!(errors.residual <= most_residual(s)))
    fail_msg("residual %g, rcond %g", errors.residual, rcond);
  keep_worst(s, errors.residual, worst);
}

/* x as it is by default: by a refined inverse. */
static void judge_inverse(struct system *s, hyla_status status, double rcond, struct errors errors,
                          struct worst *worst) {
  if (!method_row(s->way.method)->by_inverse || s->known.grows || !judges(s)) return;
  double bound = bound_by_inverse(s, rcond);
  if (bound == 0)
    lu_assert_status(s->cube, status, HYLA_UNRELIABLE);
  else if (!(errors.residual <= bound))
    fail_msg("residual %g, rcond %g", errors.residual, rcond);
  if (status == HYLA_OK) keep_worst(s, errors.residual, worst);
}

/* x after refinement. */
static void judge_refined(struct system *s, hyla_status status, const hyla_solve_report *report,
                          struct worst *worst) {
  struct errors errors = errors_now(s);
  if (status != HYLA_OK) lu_assert_status(s->cube, status, HYLA_UNRELIABLE);
  assert_int_equal(report->reliable, status == HYLA_OK);
  worst->unreliable += status != HYLA_OK;
  if (!judges(s)) return;
  if (status == HYLA_OK && !(errors.residual <= most_residual(s)))
    fail_msg("refined: residual %g is told to be good", errors.residual);
  if (s->known.grows) return;
  judge_rcond(s, report->rcond, worst);
  if (!(report->rcond >= pow(s->k->epsilon, .625))) return;
  lu_assert_status(s->cube, status, HYLA_OK);
  if (!(report->componentwise_error <= 10 * s->k->epsilon && errors.componentwise <= 10))
    fail_msg("refined: componentwise %g u, told %g, rcond %g", errors.componentwise,
             report->componentwise_error, report->rcond);
  worst->componentwise = fmax(worst->componentwise, errors.componentwise);
}

/* First by default, then by another kind of refinement. */
static void judge(struct system *s, hyla_factor *factor, struct worst *worst) {
  static const hyla_refinement REFINEMENTS[] = {HYLA_REFINE_FIXED, HYLA_REFINE_EXTENDED};
  hyla_refinement refinement = REFINEMENTS[harness_draw(0, 1)];
  hyla_solve_report report;
  struct errors errors = errors_now(s);
  bool unasked = method_row(s->way.method)->by_inverse;
  hyla_status status = hyla_factor_check(s->cube, factor, s->a, s->b,
                                         unasked ? HYLA_REFINE_DEFAULT : refinement, s->x, &report);
  judge_solution(s, errors, report.rcond, worst);
  if (unasked) {
    judge_inverse(s, status, report.rcond, errors_now(s), worst);
    status = hyla_factor_check(s->cube, factor, s->a, s->b, refinement, s->x, &report);
  }
  judge_refined(s, status, &report, worst);
}

static void solve(struct system *s, struct worst *worst) {
  hyla_factor *factor = NULL;
  hyla_layout layout = lu_draw_layout(s->cube, BLOCKS[harness_draw(0, 3)]);
  lu_assert_status(s->cube,
                   hyla_factor_create(s->cube, s->way.method, s->type, s->n, 1, &layout,
                                      s->way.variant, &factor),
                   HYLA_OK);
  hyla_status status = hyla_factor_compute(s->cube, factor, s->a);
  worst->cases++;
  bool exact = method_row(s->way.method)->exact;
  if (status != HYLA_OK || (exact && strcmp(s->kind, "singular") == 0)) {
    judge_failure(s, status, hyla_factor_pivot(factor), worst);
  } else {
    lu_assert_status(s->cube, hyla_factor_solve(s->cube, factor, HYLA_NONE, s->b, s->x), HYLA_OK);
    judge(s, factor, worst);
  }
  hyla_factor_destroy(&factor);
}

/* The same matrix, whole. */
static hyla_status take_whole(struct system *s, hyla_cube *alone) {
  hyla_matrix *a = lu_matrix(alone, (int)s->type, s->n, s->n, NULL);
  hyla_status status = hyla_matrix_gallery(alone, a, s->kind, s->seed);
  s->whole = backward_make(s->n);
  for (int64_t e = 0; e < s->n * s->n; e++)
    s->whole.entries[e] = s->k->get(hy_at(a, 0, e / s->n), e % s->n);
  backward_weigh(&s->whole);
  hyla_matrix_destroy(&a);
  return status;
}

/* Makes nothing if the type cannot hold the matrix. */
static void make(struct system *s, hyla_cube *alone) {
  hyla_layout layout = draw_layout(s->cube->dims);
  double largest = 0;
  s->a = lu_matrix(s->cube, (int)s->type, s->n, s->n, &layout);
  s->b = lu_matrix(s->cube, (int)s->type, s->n, 1, NULL);
  s->x = lu_matrix(s->cube, (int)s->type, s->n, 1, NULL);
  hyla_status status = hyla_matrix_gallery(s->cube, s->a, s->kind, s->seed);
  if (alone != NULL) assert_int_equal(take_whole(s, alone), status);
  s->held = status == HYLA_OK;
  if (!s->held) return;
  lu_assert_status(s->cube, hyla_matrix_norm(s->cube, s->a, HYLA_NORM_MAX, &largest), HYLA_OK);
  /* Small enough that products with x do not overflow. */
  int most = s->k->epsilon > 0x1p-30 ? 40 : 500;
  s->exponent = largest > 0 ? (int)hy_min(ilogb(largest), most) - 4 : 0;
  assert_int_equal(hyla_matrix_fill(s->cube, s->b, fill_right, s), HYLA_OK);
}

static void unmake(struct system *s) {
  backward_free(&s->whole);
  hyla_matrix_destroy(&s->x);
  hyla_matrix_destroy(&s->b);
  hyla_matrix_destroy(&s->a);
}

/* Chooses the system of this number; keeps the last one if it is the same. */
static void choose(struct system *s, hyla_cube *alone, int64_t number, const int64_t *sizes,
                   int size_count) {
  const int64_t kind = number / size_count, size = number % size_count;
  if (s->a != NULL && s->number == number) return;
  unmake(s);
  s->number = number;
  s->seed = (uint64_t)harness_draw(0, INT64_MAX);
  s->type = (hyla_type)((kind / 4 + size / 4 + s->cube->dims) % TYPES);
  s->n = sizes[size];
  s->kind = name_of((int)kind);
  s->k = hy_kernels_of(s->type);
  s->roundoff = (double)s->n * s->k->epsilon;
  s->truth = NAN;
  assert_int_equal(hyla_kind_properties(s->kind, s->type, s->n, &s->known), HYLA_OK);
  harness_note("%s, n = %lld, type %s, seed %llu", s->kind, (long long)s->n, s->k->name,
               (unsigned long long)s->seed);
  make(s, alone);
}

/* Each of the four cubes has a quarter of the whole walk.  So on all of them together every kind
 * meets every size and way, any two of these meet every type, and on each cube any two of these
 * meet. */
static bool is_walked(const struct system *s, int64_t index, int size_count) {
  int64_t part, parts, number = index / way_count();
  if (!harness_part(&part, &parts)) return true;
  return (number / size_count + number % size_count + index % way_count() + s->cube->dims) % 4 == 0;
}

/* Case `index' of these sizes, for kinds that grow or for all. */
static void run_case(struct system *s, hyla_cube *alone, int64_t index, const int64_t *sizes,
                     int size_count, bool grown, struct worst *worst) {
  int64_t number = index / way_count();
  hyla_properties known;
  struct way way;
  assert_true(way_of((int)(index % way_count()), &way));
  const char *kind = name_of((int)(number / size_count));
  assert_int_equal(hyla_kind_properties(kind, HYLA_DOUBLE, sizes[number % size_count], &known),
                   HYLA_OK);
  if ((grown && !known.grows) || !is_walked(s, index, size_count)) return;
  choose(s, alone, number, sizes, size_count);
  if (!s->held || !applies(&way, &s->known)) return;
  s->way = way;
  harness_note("%s, n = %lld, type %s, %s %s, seed %llu", s->kind, (long long)s->n, s->k->name,
               hyla_method_at((int)way.method)->name, way.variant, (unsigned long long)s->seed);
  solve(s, worst);
}

/* A sample leaves out the largest sizes. */
static void walk(const int64_t *sizes, int size_count, int left_out, bool grown, int few) {
  struct system s = {.cube = cube_open(false)};
  hyla_cube *alone = harness_rank() == 0 ? cube_alone() : NULL;
  int64_t part, parts, index;
  if (!harness_part(&part, &parts)) size_count -= left_out;
  struct harness_walk cases = harness_walk((int64_t)way_count() * size_count * solved_kinds(), few);
  struct worst worst = {.low = INFINITY, .where = "none"};
  while (harness_next(&cases, &index)) run_case(&s, alone, index, sizes, size_count, grown, &worst);
  unmake(&s);
  if (alone != NULL)
    printf("%d ranks, %d cases, %d without an answer, %d unreliable\n", harness_ranks(),
           worst.cases, worst.failed, worst.unreliable);
  if (alone != NULL && !grown)
    printf("the largest residual is %.2g (%s), componentwise %.2g u; rcond is %.2g to %.2g of the "
           "truth\n",
           worst.residual, worst.where, worst.componentwise, worst.low, worst.high);
  hyla_cube_destroy(&alone);
  cube_close(&s.cube);
}

static void systems_are_solved_well(void **state) {
  (void)state;
  walk(SIZES, SIZE_COUNT, 2, false, FEW);
}

static void growth_is_mended_or_told(void **state) {
  (void)state;
  walk(GROWN, GROWN_COUNT, 1, true, 0x7fffffff);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(systems_are_solved_well),
                                     cmocka_unit_test(growth_is_mended_or_told)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
