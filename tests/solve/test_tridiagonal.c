/* The reduction to tridiagonal form: A = Q T Q^H with a unitary Q, whatever the other triangle
 * holds; what it sends is what a counting cube counts. */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "lu_case.h"

#include "solve/tridiagonal/tridiagonal.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64, 100};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

/* A reduction of a matrix in a drawn layout. */
struct reduced {
  hyla_cube *cube;
  int64_t n;
  hyla_matrix *a;
  struct hy_tridiagonal *t;
  double _Complex *given; /* the whole Hermitian matrix */
  hyla_matrix *z;         /* n x n, its rows as A's; NULL: Q is not applied */
};

/* The entries of A above the diagonal become NaN, and the imaginary parts on it. */
static void spoil_the_rest(hyla_matrix *a) {
  const double _Complex nothing = hy_complex(NAN, NAN);
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      const int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
      if (i < j) a->k->set(hy_at(a, l, m), 0, nothing);
      if (i == j)
        a->k->set(hy_at(a, l, m), 0, hy_complex(creal(a->k->get(hy_at(a, l, m), 0)), NAN));
    }
}

static struct reduced open_case(hyla_cube *cube, int type, int64_t n, int64_t block, int power) {
  struct reduced r = {.cube = cube, .n = n};
  hyla_layout layout = lu_draw_layout(cube, block);
  r.a = lu_matrix(cube, type, n, n, &layout);
  assert_int_equal(hyla_matrix_generate(cube, r.a, HYLA_RANDOM, (uint64_t)n), HYLA_OK);
  r.given = lu_get_all(r.a);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      double _Complex *entry = &r.given[i + j * n];
      *entry *= ldexp(1, power);
      if (i == j) *entry = creal(*entry);
      r.given[j + i * n] = conj(*entry);
    }
  lu_put(r.a, r.given);
  spoil_the_rest(r.a);
  harness_note("n = %lld, type %d, power %d, %s", (long long)n, type, power,
               lu_layout_name(&layout));
  return r;
}

static void close_case(struct reduced *r) {
  if (r->t != NULL) hy_free(&r->cube->base, &r->t);
  hyla_matrix_destroy(&r->z);
  hyla_matrix_destroy(&r->a);
  free(r->given);
}

static hyla_status reduce(struct reduced *r) {
  struct hy_tridiagonal_problem problem = {.cube = r->cube, .a = r->a, .applies = r->z != NULL};
  if (r->z != NULL) problem.sides = r->z->col;
  TRY(hy_agree(r->cube, hy_tridiagonal_create(&problem, NULL, &r->t)));
  TRY(hy_tridiagonal_allocate(r->t));
  return hy_agree(r->cube, hy_tridiagonal_run(r->t));
}

/* B := H B, or H^H B, for the reflection of column j, whose vector stands in `vectors'. */
static void apply(int64_t n, const double _Complex *vectors, int64_t j, double _Complex tau,
                  double _Complex *b) {
  const double _Complex *v = vectors + j * n;
  for (int64_t c = 0; c < n; c++) {
    double _Complex sum = 0;
    for (int64_t i = j + 1; i < n; i++) sum += conj(v[i]) * b[i + c * n];
    for (int64_t i = j + 1; i < n; i++) b[i + c * n] -= tau * sum * v[i];
  }
}

static void conjugate_transpose(int64_t n, double _Complex *b) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      const double _Complex held = b[i + j * n];
      b[i + j * n] = conj(b[j + i * n]);
      b[j + i * n] = conj(held);
    }
}

static double norm_of(int64_t n, const double _Complex *b) {
  double sum = 0;
  for (int64_t i = 0; i < n * n; i++) sum += cabs(b[i]) * cabs(b[i]);
  return sqrt(sum);
}

/* The numbers of the reduction on every rank: d, e, and tau's parts. */
static double *numbers_of(const struct reduced *r) {
  const int64_t n = r->n;
  double *numbers = calloc((size_t)(4 * n + 1), sizeof *numbers);
  assert_non_null(numbers);
  if (r->cube->address >= 0) memcpy(numbers, r->t->numbers, (size_t)(4 * n) * sizeof *numbers);
  assert_int_equal(hy_tell_guests(r->cube, numbers, 4 * n * (int64_t)sizeof *numbers), HYLA_OK);
  return numbers;
}

/* Q, from its reflections one by one. */
static double _Complex *form_q(const struct reduced *r) {
  const int64_t n = r->n;
  double *numbers = numbers_of(r);
  double _Complex *vectors = lu_get_all(r->a), *q = calloc((size_t)(n * n + 1), sizeof *q);
  assert_non_null(q);
  for (int64_t i = 0; i < n; i++) q[i + i * n] = 1;
  for (int64_t j = n - 2; j >= 0; j--)
    apply(n, vectors, j, hy_complex(numbers[2 * n + j], numbers[3 * n + j]), q);
  free(numbers);
  free(vectors);
  return q;
}

/* |A - Q T Q^H| <= n ulp |A| / 2 and |Q^H Q - I| <= n ulp, for n of at least 16. */
static void check(const struct reduced *r, int power) {
  const int64_t n = r->n;
  const struct hy_tridiagonal *t = r->t;
  const double ulp = 2 * r->a->k->epsilon, unit = ldexp(1, -power);
  double *numbers = numbers_of(r);
  double _Complex *vectors = lu_get_all(r->a), *q = form_q(r);
  double _Complex *b = calloc((size_t)(n * n + 1), sizeof *b);
  assert_non_null(b);
  int64_t exponent = r->cube->address < 0 ? 0 : t->exponent;
  double mean = r->cube->address < 0 ? 0 : t->mean;
  assert_int_equal(hy_tell_guests(r->cube, &exponent, sizeof exponent), HYLA_OK);
  assert_int_equal(hy_tell_guests(r->cube, &mean, sizeof mean), HYLA_OK);
  const double *d = numbers, *e = d + n, *re = e + n, *im = re + n;
  for (int64_t i = 0; i < n; i++) {
    b[i + i * n] = ldexp(d[i] + mean, (int)exponent - power);
    if (i + 1 < n) b[i + 1 + i * n] = b[i + (i + 1) * n] = ldexp(e[i], (int)exponent - power);
  }
  for (int turn = 0; turn < 2; turn++) { /* Q T, then Q (Q T)^H */
    for (int64_t j = n - 2; j >= 0; j--) apply(n, vectors, j, hy_complex(re[j], im[j]), b);
    conjugate_transpose(n, b);
  }
  for (int64_t i = 0; i < n * n; i++) r->given[i] *= unit;
  const double size = norm_of(n, r->given);
  for (int64_t i = 0; i < n * n; i++) b[i] -= r->given[i];
  const double residual = norm_of(n, b);
  if (residual > .5 * (double)hy_max(n, 16) * ulp * size)
    fail_msg("a residual of %g", residual / ((double)n * ulp * size));
  double worst = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t l = 0; l < n; l++) sum += conj(q[l + i * n]) * q[l + j * n];
      worst = fmax(worst, cabs(sum));
    }
  if (worst > (double)hy_max(n, 16) * ulp) fail_msg("Q^H Q - I: %g", worst);
  free(numbers);
  free(vectors);
  free(b);
  free(q);
}

static void run_case(hyla_cube *cube, int type, int64_t n, int64_t block, int power) {
  struct reduced r = open_case(cube, type, n, block, power);
  lu_assert_status(cube, reduce(&r), HYLA_OK);
  check(&r, power);
  close_case(&r);
}

static void matrices_become_tridiagonal(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * TYPES, 12);
  for (int64_t i; harness_next(&walk, &i);)
    run_case(cube, (int)(i % TYPES), SIZES[i / TYPES], harness_draw(1, 40), 0);
  cube_close(&cube);
}

/* Q I is what the reflections make one by one, and Q^H (Q I) is I again; the columns of Z may have
 * another block. */
static void q_is_applied_in_blocks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * TYPES, 12);
  for (int64_t i; harness_next(&walk, &i);) {
    const int type = (int)(i % TYPES);
    const int64_t n = SIZES[i / TYPES];
    struct reduced r = open_case(cube, type, n, harness_draw(1, 40), 0);
    const double bound = 4 * (double)hy_max(n, 16) * r.a->k->epsilon;
    hyla_layout layout = r.a->layout;
    layout.col.block = harness_draw(1, 40);
    r.z = lu_matrix(cube, type, n, n, &layout);
    lu_assert_status(cube, hyla_matrix_generate(cube, r.z, HYLA_IDENTITY, 0), HYLA_OK);
    lu_assert_status(cube, reduce(&r), HYLA_OK);
    lu_assert_status(cube, hy_agree(cube, hy_tridiagonal_apply(r.t, false, r.z)), HYLA_OK);
    double _Complex *q = lu_get_all(r.z), *due = form_q(&r);
    for (int64_t e = 0; e < n * n; e++) assert_true(cabs(q[e] - due[e]) <= bound);
    lu_assert_status(cube, hy_agree(cube, hy_tridiagonal_apply(r.t, true, r.z)), HYLA_OK);
    free(q);
    q = lu_get_all(r.z);
    for (int64_t e = 0; e < n * n; e++) assert_true(cabs(q[e] - (e % (n + 1) == 0)) <= bound);
    free(q);
    free(due);
    close_case(&r);
  }
  cube_close(&cube);
}

/* Entries whose squares, or sums, leave the range of the type, and columns of subnormal numbers. */
static void scales_do_not_matter(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 4 * TYPES; i++) {
    const bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    const int power = (i / TYPES % 2 == 0 ? 1 : -1) * (i / TYPES < 2 ? single ? 120 : 1018 : 43);
    run_case(cube, i % TYPES, harness_draw(2, 40), harness_draw(1, 16), power);
  }
  cube_close(&cube);
}

/* All entries are nearly 1, so that nothing but rounding and little more is left behind the first
 * column: rows and columns of a rank must agree on it to the last bit. */
static void cancellation_leaves_q_unitary(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 4 * TYPES; i++) {
    struct reduced r = open_case(cube, i % TYPES, harness_draw(2, 60), harness_draw(1, 30), 0);
    const double small = i / TYPES % 2 == 0 ? 0x1p-30 : 0x1p-12;
    for (int64_t e = 0; e < r.n * r.n; e++) r.given[e] = 1 + small * r.given[e];
    lu_put(r.a, r.given);
    double _Complex *rounded = lu_get_all(r.a);
    memcpy(r.given, rounded, (size_t)(r.n * r.n) * sizeof *rounded);
    free(rounded);
    spoil_the_rest(r.a);
    lu_assert_status(cube, reduce(&r), HYLA_OK);
    check(&r, 0);
    close_case(&r);
  }
  cube_close(&cube);
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 3 * TYPES; i++) {
    const int64_t n = harness_draw(1, 40), row = harness_draw(0, n - 1), col = harness_draw(0, row);
    struct reduced r = open_case(cube, i % TYPES, n, harness_draw(1, 16), 0);
    r.given[row + col * n] = i / TYPES == 0 ? NAN : i / TYPES == 1 ? INFINITY : -INFINITY;
    lu_put(r.a, r.given);
    spoil_the_rest(r.a);
    lu_assert_status(cube, reduce(&r), HYLA_NOT_FINITE);
    close_case(&r);
  }
  cube_close(&cube);
}

/* The same create, allocate and run on a counting cube. */
static hyla_status count(hyla_cube *cube, const hyla_matrix *a, hyla_cost *cost) {
  hyla_cube counting;
  struct hy_tridiagonal *t = NULL;
  *cost = (hyla_cost){0};
  if (cube->address < 0) return HYLA_OK;
  hy_count_begin(cube, cube->address, &counting);
  const struct hy_operand wanted = hy_operand_of(a, HYLA_NONE);
  hyla_matrix counted = hy_matrix_counted(&counting, a->k->type, &wanted);
  const struct hy_tridiagonal_problem problem = {.cube = &counting, .a = &counted};
  hyla_status status = hy_tridiagonal_create(&problem, NULL, &t);
  if (status == HYLA_OK) status = hy_tridiagonal_allocate(t);
  if (status == HYLA_OK) status = hy_tridiagonal_run(t);
  if (t != NULL) hy_free(&counting.base, &t);
  *cost = hy_count_end(cube, &counting, a->k->size);
  return status;
}

static void what_is_sent_is_what_is_counted(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    struct reduced r = open_case(cube, i % TYPES, harness_draw(0, 70), harness_draw(1, 40), 0);
    const struct hy_tridiagonal_problem problem = {.cube = cube, .a = r.a};
    hyla_cost cost;
    lu_assert_status(cube, hy_agree(cube, count(cube, r.a, &cost)), HYLA_OK);
    lu_assert_status(cube, hy_agree(cube, hy_tridiagonal_create(&problem, NULL, &r.t)), HYLA_OK);
    lu_assert_status(cube, hy_tridiagonal_allocate(r.t), HYLA_OK);
    const int64_t allocations = cube->base.allocations;
    assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
    hyla_status status = hy_tridiagonal_run(r.t);
    if (status == HYLA_OK) status = lu_check_counted(cube, r.a->k->size, &cost);
    lu_assert_status(cube, hy_agree(cube, status), HYLA_OK);
    assert_int_equal(cube->base.allocations, allocations);
    close_case(&r);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_become_tridiagonal),
      cmocka_unit_test(q_is_applied_in_blocks),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(cancellation_leaves_q_unitary),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(what_is_sent_is_what_is_counted),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
