/* Sums over the terms of a secular equation: right, and the same bits with all sets of
 * instructions; a rotation. */
#include "tests/harness/harness.h"

#include "local/local.h"

#include <math.h>
#include <string.h>

enum { MOST = 100 };
struct equation {
  struct hy_secular f;
  double pole[MOST], square[MOST], weight[MOST], shift[MOST], mu[MOST], first[MOST], last[MOST];
};

static double unit(void) { return (double)harness_draw(1, 1000000) / 1e6; }

/* Roots between the poles, counted from one of the two. */
static struct equation draw(int k) {
  struct equation e = {.f.k = k};
  for (int i = 0; i < k; i++) {
    e.pole[i] = (i > 0 ? e.pole[i - 1] : -1) + unit() / MOST;
    e.weight[i] = unit() - .5;
    e.square[i] = e.weight[i] * e.weight[i];
    e.first[i] = unit() - .5;
    e.last[i] = unit() - .5;
  }
  for (int i = 0; i < k; i++) {
    const double gap = i + 1 < k ? e.pole[i + 1] - e.pole[i] : 1;
    const bool upper = i + 1 < k && harness_draw(0, 1) == 0;
    e.shift[i] = e.pole[i + upper];
    e.mu[i] = gap / 3 * (upper ? -1 : 1);
  }
  return e;
}

/* The functions' results on an equation; `count' of them. */
enum { RESULTS = 6 + MOST + 3 + MOST };
static int results_of(const struct hy_secular_kernels *by, struct equation *e, int root,
                      double results[RESULTS]) {
  const int k = e->f.k;
  struct hy_secular_sums sums;
  int count = 0;
  e->f.pole = e->pole;
  e->f.square = e->square;
  e->f.weight = e->weight;
  by->sums(&e->f, root, root + 1, e->shift[root], e->mu[root], &sums);
  for (int s = 0; s < 3; s++) results[count++] = sums.below[s];
  for (int s = 0; s < 3; s++) results[count++] = sums.above[s];
  for (int i = 0; i < k; i++) results[count++] = by->weight(&e->f, e->shift, e->mu, i);
  by->column(&e->f, e->first, e->last, e->shift[root], e->mu[root], results + count);
  count += 3;
  by->fill[1](k, e->pole, e->weight, e->shift[root], e->mu[root], .5, results + count);
  return count + k;
}

/* The same by one loop each. */
static void expected(const struct equation *e, int root, double results[RESULTS]) {
  const int k = e->f.k;
  const double shift = e->shift[root], mu = e->mu[root];
  double *weights = results + 6, *column = weights + k, *filled = column + 3;
  memset(results, 0, RESULTS * sizeof *results);
  for (int i = 0; i < k; i++) {
    const double t = e->pole[i] - shift - mu, entry = e->weight[i] / t;
    for (int s = 0; s < 3 && i != root; s++)
      results[s + (i > root ? 3 : 0)] += e->square[i] / pow(t, s + 1);
    weights[i] = 1;
    for (int j = 0; j < k; j++) {
      weights[i] *= e->shift[j] - e->pole[i] + e->mu[j];
      if (j != i) weights[i] /= e->pole[j] - e->pole[i];
    }
    column[0] += entry * entry;
    column[1] += e->first[i] * entry;
    column[2] += e->last[i] * entry;
    filled[i] = entry / 2;
  }
}

static void sums_are_right_and_the_same_bits(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const int k = i < 40 ? i + 1 : (int)harness_draw(1, MOST), root = (int)harness_draw(0, k - 1);
    struct equation e = draw(k);
    double plain[RESULTS], wide[RESULTS], due[RESULTS], largest = 0;
    harness_note("%d poles, root %d", k, root);
    expected(&e, root, due);
    const int count = results_of(hy_secular_of(0), &e, root, plain);
    for (int r = 0; r < count; r++) largest = fmax(largest, fabs(due[r]));
    for (int r = 0; r < count; r++)
      if (!(fabs(plain[r] - due[r]) <= 1e-12 * largest))
        fail_msg("result %d is %.17g, not %.17g", r, plain[r], due[r]);
    for (int bytes = 32; bytes <= 64; bytes *= 2) {
      if (hy_secular_of(bytes) == NULL) continue;
      assert_int_equal(results_of(hy_secular_of(bytes), &e, root, wide), count);
      assert_memory_equal(plain, wide, (size_t)count * sizeof *wide);
    }
  }
}

static void columns_are_turned(void **state) {
  (void)state;
  for (int rows = 0; rows < 40; rows++)
    for (int bytes = 0; bytes <= 64; bytes += 32) {
      const struct hy_secular_kernels *by = hy_secular_of(bytes);
      if (by == NULL) continue;
      double x[MOST], y[MOST];
      float u[MOST], v[MOST];
      for (int i = 0; i <= rows; i++) u[i] = (float)(x[i] = i + 1), v[i] = (float)(y[i] = -3 * i);
      by->rotate[0](rows, .25, .5, u, v);
      by->rotate[1](rows, .25, .5, x, y);
      for (int i = 0; i <= rows; i++) {
        const double a = i + 1, b = -3 * i;
        assert_true(x[i] == (i < rows ? .25 * a + .5 * b : a) && (double)u[i] == x[i]);
        assert_true(y[i] == (i < rows ? .25 * b - .5 * a : b) && (double)v[i] == y[i]);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_right_and_the_same_bits),
                                     cmocka_unit_test(columns_are_turned)};
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
