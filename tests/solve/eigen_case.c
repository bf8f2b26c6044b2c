/* Eigenvalues alone, by every variant. */
#include "eigen_case.h"

#include <math.h>

bool eigen_plan_alone(hyla_cube *cube, int i, hyla_triangle triangle, const hyla_matrix *a,
                      double *values, const char **name, hyla_plan **plan) {
  const hyla_eigen_options options = {.variant = hyla_variant_name("eigen", i)};
  *name = options.variant;
  if (options.variant == NULL) return false;
  const hyla_status status = hyla_eigen_plan(cube, &options, triangle, a, values, NULL, plan);
  if (status == HYLA_UNSUPPORTED) return false;
  harness_note("values alone, n = %lld, by %s", (long long)hyla_matrix_rows(a), options.variant);
  lu_assert_status(cube, status, HYLA_OK);
  return true;
}

/* The same bits everywhere. */
static void check_shared(const double *values, int64_t count) {
  uint64_t *bits = calloc((size_t)(3 * count + 1), sizeof *bits);
  assert_non_null(bits);
  memcpy(bits, values, (size_t)count * sizeof *bits);
  harness_allreduce(bits, bits + count, (int)count, MPI_UINT64_T, MPI_MIN);
  harness_allreduce(bits, bits + 2 * count, (int)count, MPI_UINT64_T, MPI_MAX);
  assert_memory_equal(bits + count, bits + 2 * count, (size_t)count * sizeof *bits);
  free(bits);
}

static void check_near(int64_t n, double epsilon, const double *alone, const double *values) {
  const double largest = n == 0 ? 0 : fmax(fabs(values[0]), fabs(values[n - 1]));
  const double most = (double)n * 2 * epsilon * largest;
  for (int64_t i = 0; i < n; i++)
    if (!(fabs(alone[i] - values[i]) <= most))
      fail_msg("value %lld is %g ulp of the largest from that with a vector", (long long)i,
               fabs(alone[i] - values[i]) / (2 * epsilon * largest));
}

void eigen_check_alone(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                       const double *values) {
  const int64_t n = hyla_matrix_rows(a);
  double *alone = calloc((size_t)n + 1, sizeof *alone);
  const char *name;
  hyla_plan *chosen = NULL;
  int found = 0, of_vectors = 0;
  assert_non_null(alone);
  lu_assert_status(cube, hyla_eigen_plan(cube, NULL, triangle, a, alone, NULL, &chosen), HYLA_OK);
  for (int i = 0; i == 0 || name != NULL; i++) {
    hyla_plan *plan = NULL;
    if (!eigen_plan_alone(cube, i, triangle, a, alone, &name, &plan)) continue;
    const bool same = strcmp(name, hyla_plan_variant(chosen)) == 0;
    lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
    check_shared(alone, n);
    check_near(n, a->k->epsilon, alone, values);
    if (same) assert_memory_equal(alone, values, (size_t)n * sizeof *alone);
    found++;
    of_vectors += same;
    hyla_plan_destroy(&plan);
  }
  assert_true(of_vectors == 1 && found >= (n > 16 ? 2 : 1));
  hyla_plan_destroy(&chosen);
  free(alone);
}
