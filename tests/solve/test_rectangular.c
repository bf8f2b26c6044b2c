/* LU of matrices of any shape: factors known exactly, or P A = L U to rounding, on any array; other
 * calls give the same factors; failures.  For messages and memory see test_predicted. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "methods.h"
#include "tests/harness/draw.h"
#include "tests/harness/peer_lapack.h"

static const int64_t BLOCKS[] = {1, 3, 8};

enum { SIZES = 14 };

/* Sizes near the number of nodes, and others. */
static int64_t size_of(int nodes, int64_t i) {
  const int64_t p = nodes,
                sizes[SIZES] = {0, 1, p - 1, p, p + 1, 2 * p, 2, 3, 11, 17, 23, 37, 53, 59};
  return sizes[i % SIZES];
}

/* A matrix and its factorization, in its own layout. */
struct subject {
  hyla_cube *cube;
  const char *variant;
  int type;
  int64_t m, n, order;
  hyla_layout layout;
  hyla_matrix *a;
  hyla_factor *factor;
};

static struct subject subject_make(hyla_cube *cube, const char *variant, int type, int64_t m,
                                   int64_t n, int64_t block) {
  struct subject s = {.cube = cube, .variant = variant, .type = type, .m = m, .n = n};
  hyla_layout foreign = draw_on(cube);
  s.order = hy_min(m, n);
  s.layout = lu_draw_layout(cube, block);
  harness_note("%s, %lld x %lld, type %d, %s", variant, (long long)m, (long long)n, type,
               lu_layout_name(&s.layout));
  s.a = lu_matrix(cube, type, m, n, harness_draw(0, 1) ? &foreign : &s.layout);
  lu_assert_status(cube,
                   hyla_factor_create_rectangular(cube, HYLA_LU, (hyla_type)type, m, n, 0,
                                                  &s.layout, variant, &s.factor),
                   HYLA_OK);
  return s;
}

static void subject_free(struct subject *s) {
  hyla_factor_destroy(&s->factor);
  hyla_matrix_destroy(&s->a);
}

/* The factors, as arrays that every rank holds whole. */
struct factors {
  double _Complex *l, *u; /* m x order, order x n */
  int64_t *rows;          /* m */
};

static double _Complex *part_of(const struct subject *s, bool lower) {
  hyla_layout layout = draw_on(s->cube);
  hyla_matrix *part =
      lu_matrix(s->cube, s->type, lower ? s->m : s->order, lower ? s->order : s->n, &layout);
  lu_assert_status(s->cube,
                   lower ? hyla_factor_lower(s->cube, s->factor, part)
                         : hyla_factor_upper(s->cube, s->factor, part),
                   HYLA_OK);
  double _Complex *entries = lu_get_all(part);
  hyla_matrix_destroy(&part);
  return entries;
}

static struct factors factors_of(const struct subject *s) {
  struct factors f = {part_of(s, true), part_of(s, false),
                      calloc((size_t)s->m + 1, sizeof *f.rows)};
  assert_non_null(f.rows);
  lu_assert_status(s->cube, hyla_factor_permutation(s->cube, s->factor, f.rows), HYLA_OK);
  return f;
}

static void factors_free(struct factors *f) {
  free(f->l);
  free(f->u);
  free(f->rows);
}

/* ------------------------------------------------------------ to rounding -- */

/* The triangles have exact zeros on the other side of the diagonal, and L has ones on it; L's
 * entries are at most `most'; the list of rows is a permutation. */
static void check_structure(const struct subject *s, const struct factors *f, double most) {
  bool *seen = calloc((size_t)s->m + 1, sizeof *seen);
  assert_non_null(seen);
  for (int64_t j = 0; j < s->order; j++)
    for (int64_t i = 0; i < s->m; i++) {
      double _Complex entry = f->l[i + j * s->m];
      if (i <= j) assert_true(entry == (i == j));
      assert_true(cabs(entry) <= most);
    }
  for (int64_t j = 0; j < s->n; j++)
    for (int64_t i = j + 1; i < s->order; i++) assert_true(f->u[i + j * s->order] == 0);
  for (int64_t i = 0; i < s->m; i++) {
    assert_in_range(f->rows[i], 0, s->m - 1);
    assert_false(seen[f->rows[i]]);
    seen[f->rows[i]] = true;
  }
  free(seen);
}

static double *moduli_of(const double _Complex *entries, int64_t count) {
  double *moduli = calloc((size_t)count + 1, sizeof *moduli);
  assert_non_null(moduli);
  for (int64_t e = 0; e < count; e++) moduli[e] = cabs(entries[e]);
  return moduli;
}

/* |P A - L U| <= 4 (order + 1) u |L| |U|, for every entry; all ranks have the same arrays, and each
 * multiplies its share of the columns. */
static void check_product(const struct subject *s, const struct factors *f,
                          const double _Complex *a) {
  double epsilon = s->a->k->epsilon;
  double *l_size = moduli_of(f->l, s->m * s->order), *u_size = moduli_of(f->u, s->order * s->n);
  for (int64_t j = harness_rank(); j < s->n; j += harness_ranks())
    for (int64_t i = 0; i < s->m; i++) {
      double _Complex sum = 0;
      double size = 0;
      for (int64_t k = 0; k < s->order && k <= hy_min(i, j); k++) {
        sum += f->l[i + k * s->m] * f->u[k + j * s->order];
        size += l_size[i + k * s->m] * u_size[k + j * s->order];
      }
      double found = cabs(a[f->rows[i] + j * s->m] - sum);
      double bound = 4 * (double)(s->order + 1) * epsilon * size;
      if (!(found <= bound))
        fail_msg("|PA - LU| is %g at (%lld, %lld), more than %g", found, (long long)i, (long long)j,
                 bound);
    }
  free(l_size);
  free(u_size);
}

/* The growth is the largest |u_ij| over the largest |a_ij|. */
static void check_growth(const struct subject *s, const struct factors *f) {
  double largest = 0, growth = 0, expected = 0;
  lu_assert_status(s->cube, hyla_matrix_norm(s->cube, s->a, HYLA_NORM_MAX, &largest), HYLA_OK);
  lu_assert_status(s->cube, hyla_factor_growth(s->cube, s->factor, largest, &growth), HYLA_OK);
  for (int64_t i = 0; i < s->order * s->n; i++) expected = fmax(expected, cabs(f->u[i]));
  expected = s->order == 0 ? 1 : expected / largest;
  assert_true(fabs(growth - expected) <= 1e-6 * expected);
}

/* The largest multiplier must be at most 1; for complex types |re| + |im| is compared. */
static double largest_multiplier(const struct subject *s) {
  if (strcmp(s->variant, "partial") != 0) return 20;
  return s->type >= HYLA_COMPLEX ? 1.5 : 1 + 2 * s->a->k->epsilon;
}

static void one_matrix(hyla_cube *cube, const char *variant, int type, int64_t m, int64_t n,
                       int64_t block) {
  struct subject s = subject_make(cube, variant, type, m, n, block);
  lu_assert_status(cube, hyla_matrix_generate(cube, s.a, HYLA_RANDOM, (uint64_t)(m + n)), HYLA_OK);
  double _Complex *entries = lu_get_all(s.a);
  for (int again = 0; again < 2; again++) {
    lu_assert_status(cube, hyla_factor_compute(cube, s.factor, s.a), HYLA_OK);
    struct factors f = factors_of(&s);
    check_structure(&s, &f, largest_multiplier(&s));
    check_product(&s, &f, entries);
    check_growth(&s, &f);
    factors_free(&f);
  }
  free(entries);
  subject_free(&s);
}

/* Case i of a variant.  The numbers of rows and of columns, the type, the block and the memory do
 * not occur in all combinations, but any three of them occur with all their values. */
static void one_product(hyla_cube *cube, const char *variant, int v, int64_t i) {
  int64_t half = i % 2, m = i / 2 % SIZES, n = i / 2 / SIZES, memory = cube->session.private_memory;
  int64_t type = 2 * half + (m + n + memory) % 2, block = (m + n + half + 2 * memory + v) % 3;
  one_matrix(cube, variant, (int)type, size_of(cube->nodes, m), size_of(cube->nodes, n),
             BLOCKS[block]);
}

static void the_product_is_the_permuted_matrix(void **state) {
  (void)state;
  enum { CASES = SIZES * SIZES * 2 };
  const char *variant = NULL;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t before = cube->base.bytes_now, i = 0;
    for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
      for (struct harness_walk walk = harness_walk(CASES, 40); harness_next(&walk, &i);)
        one_product(cube, variant, v, i);
    assert_int_equal(cube->base.bytes_now, before);
    cube_close(&cube);
  }
}

/* ------------------------------------------------------------ known exactly -- */

/* The known factors of a part of a known system: its leading m rows and n columns, and one swap for
 * each pivot. */
struct known {
  double _Complex *l, *u, *a;
  int64_t *rows;
};

static struct known known_draw(int64_t m, int64_t n, bool complex_type, int64_t zero) {
  int64_t order = hy_min(m, n), of = hy_max(m, n);
  struct lu_case x = lu_case_draw(of, complex_type, zero);
  struct known k = {
      calloc((size_t)(m * order + 1), sizeof *k.l), calloc((size_t)(order * n + 1), sizeof *k.u),
      calloc((size_t)(m * n + 1), sizeof *k.a), calloc((size_t)m + 1, sizeof *k.rows)};
  assert_true(k.l != NULL && k.u != NULL && k.a != NULL && k.rows != NULL);
  for (int64_t i = 0; i < m; i++) k.rows[i] = i;
  for (int64_t i = 0; i < order; i++) {
    int64_t other = i + (x.swaps[i] - i) % (m - i), held = k.rows[i];
    k.rows[i] = k.rows[other];
    k.rows[other] = held;
  }
  for (int64_t j = 0; j < order; j++)
    for (int64_t i = 0; i < m; i++) k.l[i + j * m] = x.l[i + j * of];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < order; i++) k.u[i + j * order] = x.u[i + j * of];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      for (int64_t t = 0; t < order; t++)
        k.a[k.rows[i] + j * m] += k.l[i + t * m] * k.u[t + j * order];
  lu_case_free(&x);
  return k;
}

static void known_free(struct known *k) {
  free(k->l);
  free(k->u);
  free(k->a);
  free(k->rows);
}

static void one_known(hyla_cube *cube, int type, int64_t m, int64_t n, int64_t block) {
  struct known k = known_draw(m, n, type >= HYLA_COMPLEX, -1);
  struct subject s = subject_make(cube, "partial", type, m, n, block);
  lu_put(s.a, k.a);
  lu_assert_status(cube, hyla_factor_compute(cube, s.factor, s.a), HYLA_OK);
  struct factors f = factors_of(&s);
  for (int64_t i = 0; i < m; i++) assert_int_equal(f.rows[i], k.rows[i]);
  for (int64_t i = 0; i < m * s.order; i++) assert_true(f.l[i] == k.l[i]);
  for (int64_t i = 0; i < s.order * n; i++) assert_true(f.u[i] == k.u[i]);
  factors_free(&f);
  subject_free(&s);
  known_free(&k);
}

/* All pairs of sizes; the blocks take turns, and private memory has other ones. */
static void known_factors_come_out(void **state) {
  (void)state;
  enum { CASES = SIZES * SIZES };
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t i = 0;
    for (struct harness_walk walk = harness_walk(CASES, 60); harness_next(&walk, &i);)
      one_known(cube, (int)harness_draw(0, TYPES - 1), size_of(cube->nodes, i),
                size_of(cube->nodes, i / SIZES),
                BLOCKS[(i % SIZES + i / SIZES + private_memory) % 3]);
    cube_close(&cube);
  }
}

/* With as many rows as columns the call is hyla_factor_create, bit for bit; and a matrix that is
 * given away has the same factors as one that is copied. */
static void the_other_calls_give_the_same(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    int64_t m = harness_draw(1, 150), n = i % 2 == 0 ? m : harness_draw(1, 150);
    int type = i / 2 % TYPES;
    hyla_layout layout = hy_factor_layout(cube, m, n);
    hyla_matrix *a = lu_matrix(cube, type, m, n, &layout);
    struct subject s = {
        .cube = cube, .type = type, .m = m, .n = n, .order = hy_min(m, n), .layout = layout};
    harness_note("%lld x %lld, type %d", (long long)m, (long long)n, type);
    lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, 5), HYLA_OK);
    lu_assert_status(cube,
                     hyla_factor_create_rectangular(cube, HYLA_LU, (hyla_type)type, m, n, 0, NULL,
                                                    NULL, &s.factor),
                     HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, s.factor, a), HYLA_OK);
    struct factors expected = factors_of(&s);
    hyla_factor_destroy(&s.factor);
    if (m == n) {
      lu_assert_status(
          cube, hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, 0, NULL, NULL, &s.factor),
          HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, s.factor, a), HYLA_OK);
    } else {
      lu_assert_status(cube, hyla_factor_adopt(cube, HYLA_LU, 0, NULL, &a, &s.factor), HYLA_OK);
      assert_false(s.factor->factors.a->owner);
    }
    struct factors found = factors_of(&s);
    assert_memory_equal(found.l, expected.l, (size_t)(m * s.order) * sizeof *found.l);
    assert_memory_equal(found.u, expected.u, (size_t)(s.order * n) * sizeof *found.u);
    assert_memory_equal(found.rows, expected.rows, (size_t)m * sizeof *found.rows);
    factors_free(&found);
    factors_free(&expected);
    hyla_factor_destroy(&s.factor);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------------- failures -- */

static void fails_at(hyla_cube *cube, const char *variant, int type, int64_t m, int64_t n,
                     const double _Complex *entries, hyla_status expected, int64_t column) {
  struct subject s = subject_make(cube, variant, type, m, n, BLOCKS[harness_draw(0, 2)]);
  int64_t rows[128];
  assert_true(m <= 128);
  lu_put(s.a, entries);
  lu_assert_status(cube, hyla_factor_compute(cube, s.factor, s.a), expected);
  assert_int_equal(hyla_factor_pivot(s.factor), column);
  assert_int_equal(hyla_factor_permutation(cube, s.factor, rows), HYLA_ARGUMENT);
  subject_free(&s);
}

/* The first pivot that LAPACK finds to be zero; 0: none is zero. */
static int64_t first_zero(int type, int64_t m, int64_t n, const double _Complex *entries) {
  const struct hy_kernels *k = hy_kernels_of((hyla_type)type);
  char *copy = calloc((size_t)(m * n + 1), k->size);
  assert_non_null(copy);
  for (int64_t i = 0; i < m * n; i++) k->set(copy, i, entries[i]);
  int found = lapack_lu((hyla_type)type, (int)m, (int)n, copy);
  free(copy);
  return found;
}

/* Known systems with a zero on U's diagonal; all arithmetic is exact. */
static void the_first_zero_is_lapacks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 40; i++) {
    int type = i % TYPES;
    int64_t m = harness_draw(1, 60), n = harness_draw(1, 60);
    int64_t zero = harness_draw(0, hy_min(m, n) - 1);
    struct known k = known_draw(m, n, type >= HYLA_COMPLEX, zero);
    int64_t column = first_zero(type, m, n, k.a);
    assert_int_equal(column, zero + 1);
    fails_at(cube, "partial", type, m, n, k.a, HYLA_SINGULAR, column);
    known_free(&k);
  }
  cube_close(&cube);
}

/* A column of zeros, a NaN or an infinity stops the factorization in the pivots' columns, but not
 * in the columns behind them. */
static void what_stops_it_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const char *variant = NULL;
  for (int v = 0; (variant = method_variant("lu", v)) != NULL; v++)
    for (int i = 0; i < 36; i++) {
      int type = i % TYPES;
      int64_t m = harness_draw(1, 60), n = harness_draw(1, 60), col = 0;
      hyla_status expected = HYLA_OK;
      double _Complex *entries = lu_spoilt(cube, type, m, n, i, &col, &expected);
      if (col < hy_min(m, n)) {
        fails_at(cube, variant, type, m, n, entries, expected, col + 1);
      } else {
        struct subject s = subject_make(cube, variant, type, m, n, 3);
        lu_put(s.a, entries);
        lu_assert_status(cube, hyla_factor_compute(cube, s.factor, s.a), HYLA_OK);
        subject_free(&s);
      }
      free(entries);
    }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_product_is_the_permuted_matrix),
      cmocka_unit_test(known_factors_come_out),
      cmocka_unit_test(the_other_calls_give_the_same),
      cmocka_unit_test(the_first_zero_is_lapacks),
      cmocka_unit_test(what_stops_it_is_named),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
