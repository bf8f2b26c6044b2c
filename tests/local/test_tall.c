/* L U of tall panels, and products with few columns or of long ones, in every instruction set that
 * the processor has. */
#include "tests/harness/harness.h"

#include "local/kernels.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A drawn panel, and its factors. */
struct panel {
  const struct hy_kernels *k;
  int m, n, lda;
  void *a;
  double _Complex *given, *found; /* m x n, by columns */
  int *pivots;
};

static double _Complex draw(void) {
  return (double)harness_draw(-1000, 1000) / 1000 +
         (double)harness_draw(-1000, 1000) / 1000 * (double _Complex)_Complex_I;
}

static void *draw_array(const struct hy_kernels *k, int64_t n) {
  void *x = calloc((size_t)n, k->size);
  for (int64_t i = 0; i < n; i++) k->set(x, i, draw());
  return x;
}

static struct panel draw_panel(const struct hy_kernels *k, int m, int n) {
  struct panel p = {.k = k, .m = m, .n = n, .lda = m + (int)harness_draw(0, 5)};
  p.a = draw_array(k, (int64_t)p.lda * n);
  p.given = calloc((size_t)m * (size_t)n, sizeof *p.given);
  p.found = calloc((size_t)m * (size_t)n, sizeof *p.found);
  p.pivots = calloc((size_t)n, sizeof *p.pivots);
  return p;
}

static void free_panel(struct panel *p) {
  free(p->a);
  free(p->given);
  free(p->found);
  free(p->pivots);
}

static void put(struct panel *p, int row, int col, double _Complex value) {
  p->k->set(p->a, row + (int64_t)col * p->lda, value);
}

static void read_panel(const struct panel *p, double _Complex *to) {
  for (int j = 0; j < p->n; j++)
    for (int i = 0; i < p->m; i++) to[i + j * p->m] = p->k->get(p->a, i + (int64_t)j * p->lda);
}

static int factor(struct panel *p, hy_tall_factor *by) {
  read_panel(p, p->given);
  int failed = by(p->m, p->n, p->a, p->lda, p->pivots);
  read_panel(p, p->found);
  return failed;
}

static void swap_given(struct panel *p) {
  for (int j = 0; j < p->n; j++) {
    assert_in_range(p->pivots[j], j, p->m - 1);
    for (int c = 0; c < p->n; c++) {
      double _Complex *column = p->given + c * p->m, held = column[j];
      column[j] = column[p->pivots[j]];
      column[p->pivots[j]] = held;
    }
  }
}

/* P A = L U to rounding, entry by entry. */
static void assert_factors(struct panel *p) {
  swap_given(p);
  for (int j = 0; j < p->n; j++)
    for (int i = 0; i < p->m; i++) {
      double _Complex sum = i <= j ? p->found[i + j * p->m] : 0;
      double size = cabs(sum);
      for (int l = 0; l < (i <= j ? i : j + 1); l++) {
        double _Complex term = p->found[i + l * p->m] * p->found[l + j * p->m];
        sum += term;
        size += cabs(term);
      }
      double off = cabs(sum - p->given[i + j * p->m]);
      if (!(off <= 4 * (p->n + 4) * p->k->epsilon * size))
        fail_msg("%d x %d, entry %d, %d: %g off", p->m, p->n, i, j, off);
    }
}

static double measure(double _Complex x) { return fabs(creal(x)) + fabs(cimag(x)); }

/* No entry of a column was larger than its pivot: compared as multiplier times pivot. */
static void assert_pivots(const struct panel *p) {
  for (int j = 0; j < p->n; j++) {
    double _Complex pivot = p->found[j + j * p->m];
    for (int i = j + 1; i < p->m; i++)
      if (!(measure(p->found[i + j * p->m] * pivot) <= measure(pivot) * (1 + 16 * p->k->epsilon)))
        fail_msg("%d x %d: row %d was better than %d, the pivot of column %d", p->m, p->n, i,
                 p->pivots[j], j);
  }
}

static void over_factors(void (*check)(const struct hy_kernels *k, hy_tall_factor *by)) {
  int found = 0;
  for (int bytes = 32; bytes <= 64; bytes += 32)
    for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
      hy_tall_factor *by = hy_tall_factorer((hyla_type)type, bytes);
      if (by == NULL) continue;
      harness_note("type %d, vectors of %d bytes", type, bytes);
      check(hy_kernels_of((hyla_type)type), by);
      found++;
    }
  if (found == 0) skip();
}

static void check_factors(const struct hy_kernels *k, hy_tall_factor *by) {
  static const int sizes[][2] = {{1, 1},   {2, 2},   {8, 8},    {9, 9},    {13, 7},   {17, 16},
                                 {40, 40}, {67, 33}, {300, 64}, {401, 72}, {131, 128}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int turn = 0; turn < 2; turn++) {
      int more = turn == 0 ? 0 : (int)harness_draw(1, 40);
      struct panel p = draw_panel(k, sizes[i][0] + more, sizes[i][1]);
      assert_int_equal(factor(&p, by), 0);
      assert_factors(&p);
      assert_pivots(&p);
      free_panel(&p);
    }
}

/* The first of equal entries is the pivot, as a plain loop finds it. */
static void check_ties(const struct hy_kernels *k, hy_tall_factor *by) {
  for (int turn = 0; turn < 40; turn++) {
    struct panel p = draw_panel(k, (int)harness_draw(1, 100), 1);
    int first = 0;
    for (int i = 0; i < p.m; i++)
      put(&p, i, 0,
          (double)harness_draw(-2, 2) + (double)harness_draw(-2, 2) * (double _Complex)_Complex_I);
    read_panel(&p, p.given);
    for (int i = 1; i < p.m; i++)
      if (measure(p.given[i]) > measure(p.given[first])) first = i;
    int failed = factor(&p, by);
    assert_int_equal(failed, measure(p.given[first]) == 0);
    assert_int_equal(p.pivots[0], first);
    free_panel(&p);
  }
}

/* Columns of zeros have no pivot; the first one is reported. */
static void check_zeros(const struct hy_kernels *k, hy_tall_factor *by) {
  for (int turn = 0; turn < 20; turn++) {
    struct panel p = draw_panel(k, (int)harness_draw(40, 90), 40);
    int first = (int)harness_draw(0, 38), second = (int)harness_draw(first, 39);
    for (int i = 0; i < p.m; i++) {
      put(&p, i, first, 0);
      put(&p, i, second, 0);
    }
    assert_int_equal(factor(&p, by), first + 1);
    assert_factors(&p);
    free_panel(&p);
  }
}

/* NaN and infinities stay visible, and a NaN is no pivot while its column has other entries. */
static void check_not_finite(const struct hy_kernels *k, hy_tall_factor *by) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (int turn = 0; turn < 30; turn++) {
    struct panel p = draw_panel(k, (int)harness_draw(30, 90), 30);
    int row = (int)harness_draw(0, p.m - 1), col = (int)harness_draw(0, p.n - 1);
    put(&p, row, col, values[turn % 3]);
    assert_false(k->finite(p.m, p.n, p.a, p.lda));
    (void)factor(&p, by);
    assert_false(k->finite(p.m, p.n, p.a, p.lda));
    if (turn % 3 == 0 && p.pivots[0] == row && col == 0) fail_msg("a NaN is the pivot");
    free_panel(&p);
  }
}

/* A pivot may be so small that it has no reciprocal. */
static void check_small(const struct hy_kernels *k, hy_tall_factor *by) {
  const double small = k->epsilon > 1e-10 ? 0x1p-130 : 0x1p-1030;
  for (int turn = 0; turn < 10; turn++) {
    struct panel p = draw_panel(k, (int)harness_draw(1, 90), 1);
    for (int i = 0; i < p.m; i++) put(&p, i, 0, (double)harness_draw(-8, 8) * small);
    put(&p, (int)harness_draw(0, p.m - 1), 0, 8 * small);
    assert_int_equal(factor(&p, by), 0);
    swap_given(&p);
    for (int i = 1; i < p.m; i++)
      assert_true(cabs(p.found[i] - p.given[i] / p.given[0]) <= 4 * k->epsilon);
    free_panel(&p);
  }
}

static void assert_product(const struct hy_kernels *k, hy_narrow_product *by, int m, int n,
                           int depth) {
  hyla_operation op = harness_draw(0, 1) == 0 ? HYLA_NONE : HYLA_CONJUGATE;
  int lda = m + (int)harness_draw(0, 3), ldc = m + (int)harness_draw(0, 3);
  int ldb = (op == HYLA_NONE ? depth : n) + (int)harness_draw(0, 3);
  void *a = draw_array(k, (int64_t)lda * depth), *c = draw_array(k, (int64_t)ldc * n);
  void *b = draw_array(k, (int64_t)ldb * (op == HYLA_NONE ? n : depth));
  void *before = malloc((size_t)(ldc * n) * k->size);
  memcpy(before, c, (size_t)(ldc * n) * k->size);
  by(op, m, n, depth, a, lda, b, ldb, c, ldc);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < ldc; i++) {
      double _Complex sum = k->get(before, i + (int64_t)j * ldc);
      double size = cabs(sum);
      for (int l = 0; l < depth && i < m; l++) {
        double _Complex factor = op == HYLA_NONE ? k->get(b, l + (int64_t)j * ldb)
                                                 : conj(k->get(b, j + (int64_t)l * ldb));
        double _Complex term = k->get(a, i + (int64_t)l * lda) * factor;
        sum -= term;
        size += cabs(term);
      }
      double off = cabs(k->get(c, i + (int64_t)j * ldc) - sum);
      if (!(off <= (i < m ? 4 * (depth + 4) * k->epsilon * size : 0)))
        fail_msg("%d x %d, depth %d, entry %d, %d: %g off", m, n, depth, i, j, off);
    }
  free(a);
  free(b);
  free(c);
  free(before);
}

/* Multiplying by a packed copy of A gives the same bits as by A in place; the columns of the next
 * strip are prefetched. */
static void assert_packed(const struct hy_kernels *k, const struct hy_packed *by, int m, int n,
                          int depth) {
  int lda = m + (int)harness_draw(0, 3), ldb = depth + (int)harness_draw(0, 3), ldc = m + 1;
  int64_t entries = hy_packed_entries(m, depth);
  void *a = draw_array(k, (int64_t)lda * depth), *b = draw_array(k, (int64_t)ldb * n);
  void *c = draw_array(k, (int64_t)ldc * n), *packed = malloc((size_t)entries * k->size);
  void *narrow = malloc((size_t)(ldc * n) * k->size);
  assert_true(packed != NULL && narrow != NULL && entries >= (int64_t)m * depth);
  memcpy(narrow, c, (size_t)(ldc * n) * k->size);
  if (depth <= HY_PACKED_DEPTH && harness_draw(0, 1) == 0) {
    int32_t column[HY_PACKED_DEPTH];
    for (int j = 0; j < depth; j++) column[j] = j;
    by->gather(m, depth, a, lda, column, packed);
  } else {
    by->pack(m, depth, a, lda, packed);
  }
  /* In two strips; the second one computes only the last rows, since an entry's sum does not depend
   * on its place. */
  int some = n / 2, first = m / 2 / by->tile * by->tile;
  const int64_t rows[] = {m - 1, 0};
  const struct hy_next next = {some < n - some ? some : n - some, m > 0 ? 2 : 0, rows};
  assert_int_equal(HY_PACKED_ROWS % by->tile, 0);
  size_t behind = ((size_t)(some * ldc) + (size_t)first) * k->size;
  const char *second = (char *)b + (size_t)(some * ldb) * k->size;
  by->multiply(HYLA_NONE, m, some, depth, packed, 0, b, ldb, c, ldc, &next);
  by->multiply(HYLA_NONE, m, n - some, depth, packed, first, second, ldb, (char *)c + behind, ldc,
               NULL);
  hy_narrow_product *narrowly = hy_narrow_multiplier(k->type, 32);
  narrowly(HYLA_NONE, m, some, depth, a, lda, b, ldb, narrow, ldc);
  narrowly(HYLA_NONE, m - first, n - some, depth, (char *)a + (size_t)first * k->size, lda, second,
           ldb, (char *)narrow + behind, ldc);
  assert_memory_equal(c, narrow, (size_t)(ldc * n) * k->size);
  free(a), free(b), free(c), free(packed), free(narrow);
}

static void draw_packed(const struct hy_kernels *k, const struct hy_packed *by) {
  for (int turn = 0; turn < 30; turn++)
    assert_packed(k, by, (int)harness_draw(1, 300), (int)harness_draw(1, 40),
                  (int)harness_draw(1, 40));
  assert_packed(k, by, 500, 19, 300);
}

/* For all types and vectors that this processor has. */
static void over_multipliers(void (*check)(const struct hy_kernels *k,
                                           const struct hy_packed *by)) {
  int found = 0;
  for (int bytes = 32; bytes <= 64; bytes += 32)
    for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
      const struct hy_packed *by = hy_packed_multiplier((hyla_type)type, bytes);
      if (by == NULL) continue;
      harness_note("type %d, vectors of %d bytes", type, bytes);
      check(hy_kernels_of((hyla_type)type), by);
      found++;
    }
  if (found == 0) skip();
}

static void check_packed(void **state) {
  (void)state;
  over_multipliers(draw_packed);
}

/* C = A^H B, and nothing beside it. */
static void assert_inner(const struct hy_kernels *k, const struct hy_packed *by, int m, int n,
                         int depth) {
  const int lda = depth + (int)harness_draw(0, 3), ldb = depth + (int)harness_draw(0, 3);
  const int ldc = m + (int)harness_draw(0, 3);
  void *a = draw_array(k, (int64_t)lda * m), *b = draw_array(k, (int64_t)ldb * n);
  void *c = draw_array(k, (int64_t)ldc * n), *before = malloc((size_t)(ldc * n) * k->size);
  memcpy(before, c, (size_t)(ldc * n) * k->size);
  by->inner(m, n, depth, a, lda, b, ldb, c, ldc);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < ldc; i++) {
      double _Complex sum = i < m ? 0 : k->get(before, i + (int64_t)j * ldc);
      double size = 0;
      for (int l = 0; l < depth && i < m; l++) {
        double _Complex term =
            conj(k->get(a, l + (int64_t)i * lda)) * k->get(b, l + (int64_t)j * ldb);
        sum += term;
        size += cabs(term);
      }
      double off = cabs(k->get(c, i + (int64_t)j * ldc) - sum);
      if (!(off <= 4 * (depth + 4) * k->epsilon * size))
        fail_msg("%d x %d, depth %d, entry %d, %d: %g off", m, n, depth, i, j, off);
    }
  free(a), free(b), free(c), free(before);
}

static void draw_inner(const struct hy_kernels *k, const struct hy_packed *by) {
  for (int turn = 0; turn < 30; turn++)
    assert_inner(k, by, (int)harness_draw(0, 20), (int)harness_draw(0, 20),
                 (int)harness_draw(0, 90));
  assert_inner(k, by, 5, 7, 2500);
}

static void check_inner(void **state) {
  (void)state;
  over_multipliers(draw_inner);
}

static void check_products(void **state) {
  (void)state;
  int found = 0;
  for (int bytes = 32; bytes <= 64; bytes += 32)
    for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
      hy_narrow_product *by = hy_narrow_multiplier((hyla_type)type, bytes);
      if (by == NULL) continue;
      harness_note("type %d, vectors of %d bytes", type, bytes);
      for (int turn = 0; turn < 30; turn++)
        assert_product(hy_kernels_of((hyla_type)type), by, (int)harness_draw(1, 150),
                       (int)harness_draw(1, 40), (int)harness_draw(1, 40));
      assert_product(hy_kernels_of((hyla_type)type), by, 77, 9, 300);
      found++;
    }
  if (found == 0) skip();
}

#define OVER_FACTORS(check)                                                                        \
  static void check##_of_all(void **state) {                                                       \
    (void)state;                                                                                   \
    over_factors(check);                                                                           \
  }
OVER_FACTORS(check_factors)
OVER_FACTORS(check_ties)
OVER_FACTORS(check_zeros)
OVER_FACTORS(check_not_finite)
OVER_FACTORS(check_small)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_factors_of_all), cmocka_unit_test(check_ties_of_all),
      cmocka_unit_test(check_zeros_of_all),   cmocka_unit_test(check_not_finite_of_all),
      cmocka_unit_test(check_small_of_all),   cmocka_unit_test(check_products),
      cmocka_unit_test(check_packed),         cmocka_unit_test(check_inner),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
