#include "svd_case.h"

struct svd_case svd_open(hyla_cube *cube, int type, int64_t m, int64_t n) {
  struct svd_case p = {.cube = cube, .m = m, .n = n, .count = hy_min(m, n)};
  p.a = lu_place_draw(cube, type, m, n);
  p.left = lu_place_draw(cube, type, m, p.count);
  p.right = lu_place_draw(cube, type, p.count, n);
  p.values = calloc((size_t)p.count + 1, sizeof *p.values);
  assert_non_null(p.values);
  assert_int_equal(hyla_matrix_generate(cube, p.a.m, HYLA_RANDOM, (uint64_t)(m + n)), HYLA_OK);
  harness_note("%lld x %lld, type %d, %s", (long long)m, (long long)n, type,
               lu_layout_name(&p.a.m->layout));
  return p;
}

void svd_close(struct svd_case *p) {
  lu_place_free(&p->a);
  lu_place_free(&p->left);
  lu_place_free(&p->right);
  free(p->values);
}

void svd_check_values(const struct svd_case *p) {
  const double *values = p->values;
  for (int64_t i = 0; i < p->count; i++) {
    uint64_t mine, least, most;
    memcpy(&mine, &values[i], sizeof mine);
    harness_allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN);
    harness_allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX);
    assert_true(least == most && values[i] >= 0 && (i == 0 || values[i - 1] >= values[i]));
  }
}

hyla_status svd_decompose(struct svd_case *p, const char *method, double *values, hyla_matrix *left,
                          hyla_matrix *right) {
  const hyla_svd_options options = {.method = method};
  hyla_plan *plan = NULL;
  hyla_status status = hyla_svd_plan(p->cube, &options, p->a.m, values, left, right, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(p->cube, plan);
  if (status == HYLA_OK) assert_int_equal(hyla_svd_found(plan, &p->report), HYLA_OK);
  hyla_plan_destroy(&plan);
  return status;
}

bool svd_rotates(const char *method) { return strncmp(method, "jacobi", strlen("jacobi")) == 0; }

void svd_check_vectors(const struct svd_case *p) {
  hyla_svd_errors errors = {NAN, NAN, NAN};
  lu_assert_status(
      p->cube, hyla_svd_check(p->cube, p->a.m, p->values, p->left.m, p->right.m, &errors), HYLA_OK);
}

void svd_check(struct svd_case *p, const char *method) {
  double *alone = calloc((size_t)p->count + 1, sizeof *alone);
  assert_non_null(alone);
  lu_assert_status(p->cube, svd_decompose(p, method, p->values, p->left.m, p->right.m), HYLA_OK);
  svd_check_values(p);
  svd_check_vectors(p);
  lu_assert_status(p->cube, svd_decompose(p, method, alone, NULL, NULL), HYLA_OK);
  assert_memory_equal(alone, p->values, (size_t)p->count * sizeof *alone);
  free(alone);
}

void svd_scales(svd_method *method_of) {
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    const bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    const int power = (single ? 110 : 1000) * (i / TYPES == 0 ? 1 : -1);
    struct svd_case p = svd_open(cube, i % TYPES, harness_draw(2, 80), harness_draw(2, 40));
    double *plain = calloc((size_t)p.count, sizeof *plain);
    const char *method = method_of(&p);
    const double most = svd_rotates(method) ? 1e-5 : p.a.m->k->epsilon;
    assert_non_null(plain);
    lu_assert_status(cube, svd_decompose(&p, method, plain, NULL, NULL), HYLA_OK);
    assert_int_equal(hyla_scale(cube, ldexp(1, power), p.a.m), HYLA_OK);
    svd_check(&p, method);
    for (int64_t l = 0; l < p.count; l++)
      assert_true(fabs(ldexp(p.values[l], -power) - plain[l]) <= most * plain[0]);
    free(plain);
    svd_close(&p);
  }
  cube_close(&cube);
}

void svd_not_finite(svd_method *method_of) {
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    struct svd_case p = svd_open(cube, i % TYPES, harness_draw(1, 90), harness_draw(1, 40));
    const double bad = i / TYPES == 0 ? NAN : INFINITY;
    assert_int_equal(
        hyla_matrix_set(cube, p.a.m, harness_draw(0, p.m - 1), harness_draw(0, p.n - 1), bad),
        HYLA_OK);
    lu_assert_status(cube, svd_decompose(&p, method_of(&p), p.values, p.left.m, p.right.m),
                     HYLA_NOT_FINITE);
    svd_close(&p);
  }
  cube_close(&cube);
}
