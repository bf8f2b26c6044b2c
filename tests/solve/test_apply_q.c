/* Q of A = Q R applied from both sides with each op, and formed: it is unitary, Q R is A, and all
 * products are those with the formed Q.  Reflections of any phase from outside, also none. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "tests/harness/draw.h"

enum { SIZES = 11, BLOCK_COUNT = 4 };
static const int64_t BLOCKS[] = {1, 3, 8, 40};

static int64_t size_of(int nodes, int64_t i) {
  const int64_t p = nodes, sizes[SIZES] = {0, 1, p - 1, p, p + 1, 2 * p, 2, 3, 17, 23, 37};
  return sizes[i % SIZES];
}

/* ------------------------------------------------ matrices that all ranks have -- */

struct whole {
  int64_t m, n;
  double _Complex *e; /* by columns */
};

static struct whole whole_make(int64_t m, int64_t n) {
  struct whole w = {m, n, calloc((size_t)(m * n) + 1, sizeof *w.e)};
  assert_non_null(w.e);
  return w;
}

static struct whole whole_of(const hyla_matrix *a) {
  return (struct whole){a->row.n, a->col.n, lu_get_all(a)};
}

static double _Complex entry(const struct whole *w, hyla_operation op, int64_t i, int64_t j) {
  const double _Complex e = op == HYLA_NONE ? w->e[i + j * w->m] : w->e[j + i * w->m];
  return op == HYLA_CONJUGATE ? conj(e) : e;
}

/* op(a) op(b) */
static struct whole product(hyla_operation op_a, const struct whole *a, hyla_operation op_b,
                            const struct whole *b) {
  const int64_t inner = op_a == HYLA_NONE ? a->n : a->m;
  struct whole c = whole_make(op_a == HYLA_NONE ? a->m : a->n, op_b == HYLA_NONE ? b->n : b->m);
  for (int64_t j = 0; j < c.n; j++)
    for (int64_t l = 0; l < inner; l++)
      for (int64_t i = 0; i < c.m; i++)
        c.e[i + j * c.m] += entry(a, op_a, i, l) * entry(b, op_b, l, j);
  return c;
}

static double norm(const struct whole *w) {
  double squares = 0;
  for (int64_t e = 0; e < w->m * w->n; e++) squares += pow(cabs(w->e[e]), 2);
  return sqrt(squares);
}

/* Frees b. */
static void check_equal(const struct whole *a, struct whole b, double bound, const char *what) {
  double squares = 0;
  assert_true(a->m == b.m && a->n == b.n);
  for (int64_t e = 0; e < b.m * b.n; e++) squares += pow(cabs(a->e[e] - b.e[e]), 2);
  if (!(sqrt(squares) <= bound))
    fail_msg("%s is off by %g, more than %g", what, sqrt(squares), bound);
  free(b.e);
}

static double bound_for(double epsilon, int64_t m) { return 16 * (double)(m + 4) * epsilon; }

static void check_unitary(const struct whole *q, double epsilon) {
  struct whole one = whole_make(q->n, q->n);
  for (int64_t i = 0; i < q->n; i++) one.e[i + i * q->n] = 1;
  check_equal(&one, product(HYLA_CONJUGATE, q, HYLA_NONE, q),
              bound_for(epsilon, q->m) * sqrt((double)q->n), "Q^H Q");
  free(one.e);
}

/* ----------------------------------------------------------------- products -- */

/* What has a Q: a factorization, or vectors with their tau. */
struct has_q {
  hyla_cube *cube;
  const hyla_factor *factor;
  const hyla_matrix *packed;
  const double _Complex *tau;
  int type;
  int64_t m;
  double epsilon;
};

static hyla_status apply(const struct has_q *h, hyla_side side, hyla_operation op, hyla_matrix *x) {
  return h->factor != NULL ? hyla_factor_apply_q(h->cube, h->factor, side, op, x)
                           : hyla_packed_apply_q(h->cube, h->packed, h->tau, side, op, x);
}

static struct whole formed(const struct has_q *h, int64_t columns) {
  struct lu_place place = lu_place_draw(h->cube, h->type, h->m, columns);
  lu_assert_status(h->cube, hyla_matrix_generate(h->cube, place.m, HYLA_RANDOM, 3), HYLA_OK);
  lu_assert_status(h->cube,
                   h->factor != NULL ? hyla_factor_q(h->cube, h->factor, place.m)
                                     : hyla_packed_q(h->cube, h->packed, h->tau, place.m),
                   HYLA_OK);
  struct whole q = whole_of(place.m);
  lu_place_free(&place);
  return q;
}

/* x := op(Q) x or x op(Q), in a matrix of any layout or in that of the factors. */
static void check_product(const struct has_q *h, const struct whole *q, hyla_side side,
                          hyla_operation op, const hyla_layout *layout) {
  const int64_t other = size_of(h->cube->nodes, harness_draw(0, SIZES - 1));
  const int64_t rows = side == HYLA_LEFT ? h->m : other, cols = side == HYLA_LEFT ? other : h->m;
  struct lu_place place = {NULL, NULL, NULL};
  if (harness_draw(0, 1))
    place = lu_place_draw(h->cube, h->type, rows, cols);
  else
    place.m = lu_matrix(h->cube, h->type, rows, cols, layout);
  lu_assert_status(h->cube, hyla_matrix_generate(h->cube, place.m, HYLA_RANDOM, 7), HYLA_OK);
  struct whole x = whole_of(place.m);
  lu_assert_status(h->cube, apply(h, side, op, place.m), HYLA_OK);
  struct whole found = whole_of(place.m);
  check_equal(&found,
              side == HYLA_LEFT ? product(op, q, HYLA_NONE, &x) : product(HYLA_NONE, &x, op, q),
              bound_for(h->epsilon, h->m) * norm(&x), side == HYLA_LEFT ? "op(Q) X" : "X op(Q)");
  free(found.e);
  free(x.e);
  if (place.owner == NULL && place.array == NULL)
    hyla_matrix_destroy(&place.m);
  else
    lu_place_free(&place);
}

static void check_products(const struct has_q *h, const struct whole *q,
                           const hyla_layout *layout) {
  for (int side = 0; side < 2; side++)
    for (int op = 0; op < 3; op++) check_product(h, q, (hyla_side)side, (hyla_operation)op, layout);
}

/* -------------------------------------------------------- a factorization's Q -- */

/* The thin Q times R is A; with LAPACK's vectors Q's first columns have the other sign, but that of
 * a last row without a reflection. */
static void check_factor(const struct has_q *h, const hyla_matrix *a, const hyla_layout *layout) {
  const int64_t n = a->col.n, order = hy_min(h->m, n);
  struct whole given = whole_of(a), q = formed(h, h->m), thin = formed(h, order);
  hyla_matrix *upper = lu_matrix(h->cube, h->type, order, n, NULL);
  lu_assert_status(h->cube, hyla_factor_upper(h->cube, h->factor, upper), HYLA_OK);
  struct whole r = whole_of(upper);
  check_unitary(&q, h->epsilon);
  check_equal(&given, product(HYLA_NONE, &thin, HYLA_NONE, &r),
              bound_for(h->epsilon, h->m) * norm(&given), "Q R");
  check_products(h, &q, layout);
  hyla_matrix *packed = lu_matrix(h->cube, h->type, h->m, n, layout);
  double tau[64];
  double _Complex tau_given[64];
  lu_assert_status(h->cube, hyla_factor_packed(h->cube, h->factor, HYLA_UPPER, packed), HYLA_OK);
  lu_assert_status(h->cube, hyla_factor_reflections(h->cube, h->factor, tau), HYLA_OK);
  for (int64_t i = 0; i < order; i++) tau_given[i] = tau[i];
  const struct has_q other = {.cube = h->cube,
                              .packed = packed,
                              .tau = tau_given,
                              .type = h->type,
                              .m = h->m,
                              .epsilon = h->epsilon};
  const int64_t reflected = h->m <= n ? order - 1 : order;
  for (int64_t e = 0; e < h->m * reflected; e++) q.e[e] = -q.e[e];
  check_equal(&q, formed(&other, h->m), bound_for(h->epsilon, h->m) * sqrt((double)h->m),
              "Q of packed vectors");
  free(given.e), free(q.e), free(thin.e), free(r.e);
  hyla_matrix_destroy(&packed);
  hyla_matrix_destroy(&upper);
}

static void factor_case(hyla_cube *cube, int type, int64_t m, int64_t n, int64_t block) {
  hyla_layout layout = lu_draw_layout(cube, block);
  hyla_matrix *a = lu_matrix(cube, type, m, n, &layout);
  hyla_factor *factor = NULL;
  harness_note("%lld x %lld, type %d, %s", (long long)m, (long long)n, type,
               lu_layout_name(&layout));
  lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)(m + n)), HYLA_OK);
  lu_assert_status(cube,
                   hyla_factor_create_rectangular(cube, HYLA_QR, (hyla_type)type, m, n, 0, &layout,
                                                  NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  const struct has_q h = {
      .cube = cube, .factor = factor, .type = type, .m = m, .epsilon = a->k->epsilon};
  check_factor(&h, a, &layout);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

enum { CASES = SIZES * SIZES * BLOCK_COUNT };

static void q_of_a_factorization(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t before = cube->base.bytes_now, i = 0;
    for (struct harness_walk walk = harness_walk(CASES, 20); harness_next(&walk, &i);)
      factor_case(cube, (int)(i % TYPES), size_of(cube->nodes, i), size_of(cube->nodes, i / SIZES),
                  BLOCKS[i / SIZES / SIZES]);
    assert_int_equal(cube->base.bytes_now, before);
    cube_close(&cube);
  }
}

/* ------------------------------------------------------------ given vectors -- */

/* Makes each |1 - tau |v|^2| one, with a phase that is drawn; every fourth tau is 0. */
static void draw_tau(const struct whole *v, bool complex_type, double _Complex *tau) {
  for (int64_t k = 0; k < hy_min(v->m, v->n); k++) {
    double squares = 1;
    for (int64_t i = k + 1; i < v->m; i++) squares += pow(cabs(v->e[i + k * v->m]), 2);
    const double phase = (double)harness_draw(1, 6);
    tau[k] = complex_type ? (1 - cexp(I * phase)) / squares : 2 / squares;
    if (harness_draw(0, 3) == 0) tau[k] = 0;
  }
}

/* H_0 H_1 ..., one reflection after the other. */
static struct whole product_of_reflections(const struct whole *v, const double _Complex *tau) {
  const int64_t m = v->m;
  struct whole q = whole_make(m, m);
  for (int64_t j = 0; j < m; j++) {
    double _Complex *column = q.e + j * m;
    column[j] = 1;
    for (int64_t k = hy_min(m, v->n) - 1; k >= 0; k--) {
      double _Complex sum = column[k];
      for (int64_t i = k + 1; i < m; i++) sum += conj(v->e[i + k * m]) * column[i];
      column[k] -= tau[k] * sum;
      for (int64_t i = k + 1; i < m; i++) column[i] -= tau[k] * sum * v->e[i + k * m];
    }
  }
  return q;
}

static void given_case(hyla_cube *cube, int type, int64_t m, int64_t n, int64_t block) {
  hyla_layout layout = lu_draw_layout(cube, block);
  struct lu_place place = {lu_matrix(cube, type, m, n, &layout), NULL, NULL};
  const bool drawn = harness_draw(0, 1);
  if (drawn) {
    hyla_matrix_destroy(&place.m);
    place = lu_place_draw(cube, type, m, n);
  }
  double _Complex tau[64];
  harness_note("given %lld x %lld, type %d, %s", (long long)m, (long long)n, type,
               lu_layout_name(&layout));
  lu_assert_status(cube, hyla_matrix_generate(cube, place.m, HYLA_RANDOM, 5), HYLA_OK);
  struct whole v = whole_of(place.m);
  const struct has_q h = {.cube = cube,
                          .packed = place.m,
                          .tau = tau,
                          .type = type,
                          .m = m,
                          .epsilon = place.m->k->epsilon};
  draw_tau(&v, place.m->k->complex_type, tau);
  struct whole q = product_of_reflections(&v, tau);
  check_products(&h, &q, &layout);
  if (n <= m) { /* Q in the place of its vectors */
    lu_assert_status(cube, hyla_packed_q(cube, place.m, tau, place.m), HYLA_OK);
    struct whole first = {m, n, q.e};
    check_equal(&first, whole_of(place.m), bound_for(h.epsilon, m) * sqrt((double)m), "Q in place");
  }
  free(q.e), free(v.e);
  if (drawn)
    lu_place_free(&place);
  else
    hyla_matrix_destroy(&place.m);
}

static void q_of_given_vectors(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t before = cube->base.bytes_now, i = 0;
  for (struct harness_walk walk = harness_walk(CASES, 20); harness_next(&walk, &i);)
    given_case(cube, (int)(i % TYPES), size_of(cube->nodes, i), size_of(cube->nodes, i / SIZES),
               BLOCKS[i / SIZES / SIZES]);
  assert_int_equal(cube->base.bytes_now, before);
  cube_close(&cube);
}

/* ---------------------------------------------------------------- refusals -- */

static void what_has_no_q_says_so(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 6, 6, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, 6, 7, NULL);
  hyla_factor *factor = NULL;
  const double _Complex tau[6] = {0};
  lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 6, 0, NULL, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_apply_q(cube, factor, HYLA_LEFT, HYLA_NONE, x),
                   HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_factor_q(cube, factor, x), HYLA_UNSUPPORTED);
  lu_assert_status(cube, hyla_packed_q(cube, a, tau, x), HYLA_ARGUMENT);
  lu_assert_status(cube, hyla_packed_q(cube, a, NULL, a), HYLA_ARGUMENT);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(q_of_a_factorization),
      cmocka_unit_test(q_of_given_vectors),
      cmocka_unit_test(what_has_no_q_says_so),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
