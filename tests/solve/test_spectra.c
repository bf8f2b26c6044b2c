/* Spectra of the gallery's Hermitian matrices, LAPACK's types among them: values and vectors are
 * within hyla_eigen_check's bounds; values alone, by each variant, are those with vectors
 * (eigen_case.h); values by the other triangle, and those of a closed form, are met within 2
 * sqrt(n) ulp of the largest.  A sample of the cases is run; of all of them each kind and size in
 * another type on another number of ranks.
 */
// ranks: 1 2 3 4 8
// sample: 1 3
// limit: 300
#include "eigen_case.h"
#include "tests/gallery/generators.h"

#include <float.h>

static const int64_t SIZES[] = {1, 2, 3, 5, 17, 33, 64, 100, 257};
enum { COUNT = sizeof SIZES / sizeof *SIZES, FEW = 40 };

struct spectrum {
  hyla_cube *cube;
  hyla_type type;
  int64_t n;
  const char *kind;
  hyla_matrix *a, *v;
  double *values, *alone;
};

/* The worst of all cases of a walk, for its last line. */
struct worst {
  int cases;
  double residual, orthogonality;
  char residual_of[64], orthogonality_of[64];
};

static double ulp_of(const struct spectrum *s) {
  return s->type == HYLA_FLOAT || s->type == HYLA_COMPLEX ? FLT_EPSILON : DBL_EPSILON;
}

static void keep(double value, double *most, char *of, const struct spectrum *s) {
  if (value <= *most) return;
  *most = value;
  snprintf(of, sizeof(char[64]), "%s, n = %lld, type %d", s->kind, (long long)s->n, (int)s->type);
}

/* Value k of kinds with a closed form, in ascending order; NaN for others. */
static double known_value(const struct spectrum *s, int64_t k) {
  const double n = (double)s->n;
  if (strcmp(s->kind, "tridiagonal") == 0) {
    const double half = hy_sine(k + 1, 2 * s->n + 2);
    return 4 * half * half;
  }
  return strcmp(s->kind, "clement") == 0 ? 2 * (double)k - (n - 1) : NAN;
}

/* Values by the other triangle, too, which is another matrix by rounding. */
static void check_known(const struct spectrum *s) {
  const double largest = fmax(fabs(s->values[0]), fabs(s->values[s->n - 1]));
  const double most = 2 * sqrt((double)s->n) * ulp_of(s) * largest;
  for (int64_t k = 0; k < s->n; k++) {
    const double known = known_value(s, k);
    assert_true(fabs(s->values[k] - s->alone[k]) <= 2 * most);
    if (!isnan(known)) assert_true(fabs(s->values[k] - known) <= most);
  }
}

static void solve(struct spectrum *s, struct worst *worst) {
  hyla_eigen_errors errors = {NAN, NAN};
  lu_assert_status(s->cube, hyla_eigen(s->cube, HYLA_LOWER, s->a, s->values, s->v), HYLA_OK);
  lu_assert_status(s->cube, hyla_eigen_check(s->cube, HYLA_LOWER, s->a, s->values, s->v, &errors),
                   HYLA_OK);
  lu_assert_status(s->cube, hyla_eigen(s->cube, HYLA_UPPER, s->a, s->alone, NULL), HYLA_OK);
  for (int64_t k = 1; k < s->n; k++) assert_true(s->values[k - 1] <= s->values[k]);
  check_known(s);
  worst->cases++;
  if (s->n < 17) return;
  keep(errors.residual, &worst->residual, worst->residual_of, s);
  keep(errors.orthogonality, &worst->orthogonality, worst->orthogonality_of, s);
}

/* Counting does not doubt the ends of a part. */
static void check_part(struct spectrum *s) {
  hyla_eigen_counts counts;
  const int64_t first = harness_draw(0, s->n - 1), count = harness_draw(1, s->n - first);
  lu_assert_status(s->cube,
                   hyla_eigen_check_counts(s->cube, HYLA_PENCIL_AX_BX, HYLA_LOWER, s->a, NULL,
                                           first, count, s->values + first, &counts),
                   HYLA_OK);
}

static void run_case(hyla_cube *cube, int64_t index, struct worst *worst) {
  struct spectrum s = {.cube = cube,
                       .type = (hyla_type)((index / COUNT + index + harness_ranks()) % TYPES),
                       .n = SIZES[index % COUNT],
                       .kind = name_of((int)(index / COUNT))};
  hyla_properties known;
  assert_int_equal(hyla_kind_properties(s.kind, s.type, s.n, &known), HYLA_OK);
  if (!known.hermitian) return;
  harness_note("%s, n = %lld, type %d", s.kind, (long long)s.n, (int)s.type);
  hyla_layout layout = lu_draw_layout(cube, 3);
  s.a = lu_matrix(cube, (int)s.type, s.n, s.n, &layout);
  s.v = lu_matrix(cube, (int)s.type, s.n, s.n, NULL);
  s.values = calloc((size_t)s.n, sizeof *s.values);
  s.alone = calloc((size_t)s.n, sizeof *s.alone);
  assert_true(s.values != NULL && s.alone != NULL);
  if (hyla_matrix_gallery(cube, s.a, s.kind, (uint64_t)index) == HYLA_OK) { /* the type holds it */
    solve(&s, worst);
    eigen_check_alone(cube, HYLA_LOWER, s.a, s.values);
    check_part(&s);
  }
  free(s.alone);
  free(s.values);
  hyla_matrix_destroy(&s.v);
  hyla_matrix_destroy(&s.a);
}

static void spectra_of_the_gallery(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct worst worst = {.residual_of = "none", .orthogonality_of = "none"};
  struct harness_walk walk = harness_walk((int64_t)kind_count() * COUNT, FEW);
  for (int64_t index; harness_next(&walk, &index);) run_case(cube, index, &worst);
  if (harness_rank() == 0)
    printf("%d ranks, %d cases, from order 17 on: residual at most %.2g (%s), orthogonality %.2g "
           "(%s)\n",
           harness_ranks(), worst.cases, worst.residual, worst.residual_of, worst.orthogonality,
           worst.orthogonality_of);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(spectra_of_the_gallery)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
