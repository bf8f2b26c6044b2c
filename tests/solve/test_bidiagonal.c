/* The reduction to bidiagonal form: A = Q B P^H with unitary Q and P; what it sends is what a
 * counting cube counts. */
// ranks: 1 2 3 4 5 6 8
// sample: 1 4 6
#include "lu_case.h"

#include "solve/bidiagonal/bidiagonal.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64, 100};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

/* A reduction of an m x n matrix. */
struct reduced {
  hyla_cube *cube;
  int64_t m, n;
  hyla_matrix *a;
  struct hy_bidiagonal *t;
  double _Complex *given; /* the whole matrix */
  hyla_matrix *z;         /* its rows whole on each node; NULL: Q and P are not applied */
};

/* Columns dealt to all nodes in blocks. */
static hyla_layout layout_of(const hyla_cube *cube, int64_t m, int64_t n, int64_t block) {
  hyla_layout layout = hy_bidiagonal_layout(cube, m, n);
  layout.col.block = block;
  return layout;
}

static struct reduced open_case(hyla_cube *cube, int type, int64_t m, int64_t n, int power) {
  struct reduced r = {.cube = cube, .m = m, .n = n};
  const int64_t block = harness_draw(1, 40);
  const hyla_layout layout = layout_of(cube, m, n, block);
  r.a = lu_matrix(cube, type, m, n, &layout);
  assert_int_equal(hyla_matrix_generate(cube, r.a, HYLA_RANDOM, (uint64_t)n), HYLA_OK);
  r.given = lu_get_all(r.a);
  for (int64_t e = 0; e < m * n; e++) r.given[e] *= ldexp(1, power);
  lu_put(r.a, r.given);
  harness_note("m = %lld, n = %lld, type %d, power %d, block %lld", (long long)m, (long long)n,
               type, power, (long long)block);
  return r;
}

static void close_case(struct reduced *r) {
  if (r->t != NULL) hy_free(&r->cube->base, &r->t);
  hyla_matrix_destroy(&r->z);
  hyla_matrix_destroy(&r->a);
  free(r->given);
}

static hyla_status reduce(struct reduced *r) {
  struct hy_bidiagonal_problem problem = {.cube = r->cube, .a = r->a, .applies = r->z != NULL};
  if (r->z != NULL) problem.sides = r->z->col;
  TRY(hy_agree(r->cube, hy_bidiagonal_create(&problem, NULL, &r->t)));
  TRY(hy_bidiagonal_allocate(r->t));
  TRY(hy_agree(r->cube, hy_bidiagonal_scale(r->t, r->a)));
  return hy_agree(r->cube, hy_bidiagonal_run(r->t));
}

/* The numbers of a reduction on every rank, and A's entries after it. */
struct result {
  int64_t exponent;
  double *numbers;
  double _Complex *a;
};

static struct result result_of(const struct reduced *r) {
  const int64_t n = r->n;
  struct result x = {.numbers = calloc((size_t)(6 * n + 1), sizeof *x.numbers)};
  assert_non_null(x.numbers);
  if (r->cube->address >= 0) {
    memcpy(x.numbers, r->t->numbers, (size_t)(6 * n) * sizeof *x.numbers);
    x.exponent = r->t->exponent;
  }
  assert_int_equal(hy_tell_guests(r->cube, x.numbers, 6 * n * (int64_t)sizeof *x.numbers), HYLA_OK);
  assert_int_equal(hy_tell_guests(r->cube, &x.exponent, sizeof x.exponent), HYLA_OK);
  x.a = lu_get_all(r->a);
  return x;
}

static void drop(struct result *x) {
  free(x->numbers);
  free(x->a);
}

/* B := Q B, or P B; B has m rows, or n. */
static void apply(const struct reduced *r, const struct result *x, bool right, int64_t columns,
                  double _Complex *b) {
  const int64_t m = r->m, n = r->n, length = right ? n : m;
  const double *tau = x->numbers + (right ? 4 : 2) * n;
  for (int64_t j = n - 1 - right; j >= 0; j--) {
    const int64_t row = j + right;
    const double _Complex *v = right ? x->a + j : x->a + j * m;
    const int64_t step = right ? m : 1;
    for (int64_t c = 0; c < columns; c++) {
      double _Complex sum = 0, *to = b + c * length;
      for (int64_t i = row; i < length; i++) sum += conj(v[i * step]) * to[i];
      for (int64_t i = row; i < length; i++)
        to[i] -= hy_complex(tau[j], tau[n + j]) * sum * v[i * step];
    }
  }
}

static double _Complex *identity(int64_t n) {
  double _Complex *q = calloc((size_t)(n * n + 1), sizeof *q);
  assert_non_null(q);
  for (int64_t i = 0; i < n; i++) q[i + i * n] = 1;
  return q;
}

static void check_unitary(int64_t n, const double _Complex *q, double ulp, const char *name) {
  double worst = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t l = 0; l < n; l++) sum += conj(q[l + i * n]) * q[l + j * n];
      worst = fmax(worst, cabs(sum));
    }
  if (!(worst <= (double)hy_max(n, 16) * ulp)) fail_msg("%s^H %s - I: %g", name, name, worst);
}

/* |A - Q B P^H| <= m ulp |A| / 2, |Q^H Q - I| <= m ulp and |P^H P - I| <= n ulp, for m and n of at
 * least 16. */
static void check(const struct reduced *r, int power) {
  const int64_t m = r->m, n = r->n;
  const double ulp = 2 * r->a->k->epsilon;
  struct result x = result_of(r);
  const double *d = x.numbers, *e = d + n;
  double _Complex *b = calloc((size_t)(m * n + 1), sizeof *b), *p = identity(n), *q = identity(m);
  assert_non_null(b);
  apply(r, &x, true, n, p);
  apply(r, &x, false, m, q);
  check_unitary(n, p, ulp, "P");
  check_unitary(m, q, ulp, "Q");
  /* B P^H, then Q (B P^H) */
  for (int64_t c = 0; c < n; c++)
    for (int64_t i = 0; i < n; i++) {
      const double scale = ldexp(1, (int)x.exponent - power);
      b[i + c * m] = scale * d[i] * conj(p[c + i * n]);
      if (i + 1 < n) b[i + c * m] += scale * e[i] * conj(p[c + (i + 1) * n]);
    }
  apply(r, &x, false, n, b);
  double size = 0, residual = 0;
  for (int64_t i = 0; i < m * n; i++) {
    const double _Complex given = r->given[i] * ldexp(1, -power);
    size += cabs(given) * cabs(given);
    residual += cabs(b[i] - given) * cabs(b[i] - given);
  }
  residual = sqrt(residual);
  size = sqrt(size) * ulp * (double)hy_max(m, 16);
  if (!(residual <= .5 * size)) fail_msg("a residual of %g", residual / size);
  free(b);
  free(p);
  free(q);
  drop(&x);
}

static void run_case(hyla_cube *cube, int type, int64_t m, int64_t n, int power) {
  struct reduced r = open_case(cube, type, m, n, power);
  lu_assert_status(cube, reduce(&r), HYLA_OK);
  check(&r, power);
  close_case(&r);
}

static void matrices_become_bidiagonal(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * TYPES, 14);
  for (int64_t i; harness_next(&walk, &i);) {
    const int64_t n = SIZES[i / TYPES];
    run_case(cube, (int)(i % TYPES), n + harness_draw(0, 1) * harness_draw(0, 50), n, 0);
  }
  cube_close(&cube);
}

/* Q I and P I are what the reflections make one by one. */
static void q_and_p_are_applied_in_blocks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(2 * COUNT * TYPES, 14);
  for (int64_t i; harness_next(&walk, &i);) {
    const int type = (int)(i % TYPES);
    const int64_t n = SIZES[i / TYPES % COUNT], m = n + harness_draw(0, 20);
    const bool right = i / TYPES / COUNT == 1;
    const int64_t length = right ? n : m;
    struct reduced r = open_case(cube, type, m, n, 0);
    const hyla_layout layout = layout_of(cube, length, length, harness_draw(1, 40));
    r.z = lu_matrix(cube, type, length, length, &layout);
    lu_assert_status(cube, hyla_matrix_generate(cube, r.z, HYLA_IDENTITY, 0), HYLA_OK);
    lu_assert_status(cube, reduce(&r), HYLA_OK);
    lu_assert_status(cube, hy_agree(cube, hy_bidiagonal_apply(r.t, right, r.z)), HYLA_OK);
    struct result x = result_of(&r);
    double _Complex *q = lu_get_all(r.z), *due = identity(length);
    apply(&r, &x, right, length, due);
    const double bound = 4 * (double)hy_max(length, 16) * r.a->k->epsilon;
    for (int64_t e = 0; e < length * length; e++) assert_true(cabs(q[e] - due[e]) <= bound);
    free(q);
    free(due);
    drop(&x);
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
    const int64_t n = harness_draw(2, 40);
    run_case(cube, i % TYPES, n + harness_draw(0, 9), n, power);
  }
  cube_close(&cube);
}

/* All entries are nearly 1, so that nothing but rounding and little more is left behind the first
 * column; rows and columns of zeros, and parts that are far smaller than others. */
static void small_parts_leave_q_and_p_unitary(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 6 * TYPES; i++) {
    const int64_t n = harness_draw(2, 60), m = n + harness_draw(0, 9), cut = harness_draw(0, n - 1);
    struct reduced r = open_case(cube, i % TYPES, m, n, 0);
    const bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    for (int64_t e = 0; e < m * n; e++) {
      const int64_t row = e % m, col = e / m;
      double _Complex *entry = &r.given[e];
      if (i / TYPES < 2) *entry = 1 + (i / TYPES == 0 ? 0x1p-30 : 0x1p-12) * *entry;
      if (i / TYPES == 2 && row >= cut) *entry = 0;
      if (i / TYPES == 3 && col >= cut) *entry = 0;
      if (i / TYPES == 4 && row >= cut && col >= cut) *entry *= single ? 0x1p-70 : 0x1p-600;
      if (i / TYPES == 5) *entry = ldexp(creal(*entry), -(int)(row + col));
    }
    lu_put(r.a, r.given);
    free(r.given);
    r.given = lu_get_all(r.a); /* rounded */
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
    const int64_t n = harness_draw(1, 40), m = n + harness_draw(0, 9);
    struct reduced r = open_case(cube, i % TYPES, m, n, 0);
    r.given[harness_draw(0, m * n - 1)] = i / TYPES == 0   ? NAN
                                          : i / TYPES == 1 ? INFINITY
                                                           : -INFINITY;
    lu_put(r.a, r.given);
    lu_assert_status(cube, reduce(&r), HYLA_NOT_FINITE);
    close_case(&r);
  }
  cube_close(&cube);
}

/* The same create, allocate, run and applications on a counting cube. */
static hyla_status count(hyla_cube *cube, const struct reduced *r, hyla_cost *cost) {
  hyla_cube counting;
  struct hy_bidiagonal *t = NULL;
  *cost = (hyla_cost){0};
  if (cube->address < 0) return HYLA_OK;
  hy_count_begin(cube, cube->address, &counting);
  const struct hy_operand wanted = hy_operand_of(r->a, HYLA_NONE),
                          z = hy_operand_of(r->z, HYLA_NONE);
  hyla_matrix counted = hy_matrix_counted(&counting, r->a->k->type, &wanted);
  hyla_matrix counted_z = hy_matrix_counted(&counting, r->a->k->type, &z);
  const struct hy_bidiagonal_problem problem = {
      .cube = &counting, .a = &counted, .sides = r->z->col, .applies = true};
  hyla_status status = hy_bidiagonal_create(&problem, NULL, &t);
  if (status == HYLA_OK) status = hy_bidiagonal_allocate(t);
  if (status == HYLA_OK) status = hy_bidiagonal_scale(t, &counted);
  if (status == HYLA_OK) status = hy_bidiagonal_run(t);
  for (int right = 0; right < 2; right++)
    if (status == HYLA_OK) status = hy_bidiagonal_apply(t, right == 1, &counted_z);
  if (t != NULL) hy_free(&counting.base, &t);
  *cost = hy_count_end(cube, &counting, r->a->k->size);
  return status;
}

static void what_is_sent_is_what_is_counted(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    const int64_t n = harness_draw(0, 70);
    struct reduced r = open_case(cube, i % TYPES, n, n, 0);
    const hyla_layout layout = layout_of(cube, n, n, harness_draw(1, 40));
    r.z = lu_matrix(cube, i % TYPES, n, n, &layout);
    lu_assert_status(cube, hyla_matrix_generate(cube, r.z, HYLA_IDENTITY, 0), HYLA_OK);
    const struct hy_bidiagonal_problem problem = {
        .cube = cube, .a = r.a, .sides = r.z->col, .applies = true};
    hyla_cost cost;
    lu_assert_status(cube, hy_agree(cube, count(cube, &r, &cost)), HYLA_OK);
    lu_assert_status(cube, hy_agree(cube, hy_bidiagonal_create(&problem, NULL, &r.t)), HYLA_OK);
    lu_assert_status(cube, hy_bidiagonal_allocate(r.t), HYLA_OK);
    const int64_t allocations = cube->base.allocations;
    assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
    hyla_status status = hy_bidiagonal_scale(r.t, r.a);
    if (status == HYLA_OK) status = hy_bidiagonal_run(r.t);
    for (int right = 0; right < 2; right++)
      if (status == HYLA_OK) status = hy_bidiagonal_apply(r.t, right == 1, r.z);
    if (status == HYLA_OK) status = lu_check_counted(cube, r.a->k->size, &cost);
    lu_assert_status(cube, hy_agree(cube, status), HYLA_OK);
    assert_int_equal(cube->base.allocations, allocations);
    close_case(&r);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_become_bidiagonal),
      cmocka_unit_test(q_and_p_are_applied_in_blocks),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(small_parts_leave_q_and_p_unitary),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(what_is_sent_is_what_is_counted),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
