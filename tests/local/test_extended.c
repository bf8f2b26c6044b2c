/* Sums of products in twice the precision, by the instructions of any processor and by fused ones,
 * compared with integers of 128 bits, in which they are exact. */
#include "tests/harness/harness.h"

#include "local/kernels.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 150, TYPES = 4, MARGIN = 3 };

__extension__ typedef __int128 integer;

/* A drawn integer of `bits' bits, or a few less. */
static int64_t draw_integer(int bits) {
  int64_t most = (INT64_C(1) << bits) - 1;
  return harness_draw(0, 7) == 0 ? harness_draw(-1, 1) * most : harness_draw(-most, most);
}

/* -------------------------------------------------------------- one step -- */

/* Numbers of 53 bits: the low word holds the product's rounding error, to the last bit. */
static void a_step_loses_nothing(void **state) {
  (void)state;
  for (int turn = 0; turn < 200; turn++) {
    double a[HY_STRIP], x = (double)draw_integer(53);
    for (int i = 0; i < HY_STRIP; i++) a[i] = (double)draw_integer(53);
    for (int fused = 0; fused < 2; fused++) {
      const struct hy_extended *way = hy_extended_of(fused == 1);
      if (way == NULL) continue;
      double high[HY_STRIP] = {0}, low[HY_STRIP] = {0};
      harness_note(fused ? "fused" : "plain");
      way->exact(a, x, high, low);
      for (int i = 0; i < HY_STRIP; i++)
        assert_true((integer)high[i] + (integer)low[i] == (integer)a[i] * (integer)x);
      /* Each sum has terms near 2^106, and its remainder is near 2^53. */
      way->exact(a, -x, high, low);
      for (int i = 0; i < HY_STRIP; i++) assert_true(high[i] + low[i] == 0);
      way->exact(a, 1, high, low);
      for (int i = 0; i < HY_STRIP; i++) assert_true(high[i] + low[i] == a[i]);
    }
  }
}

/* ------------------------------------------------------------ a product -- */

/* The bits of entries: products of two entries, and sums of products, are exact in two words. */
static int bits_of(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 22 : 44; }

struct system {
  const struct hy_kernels *k;
  int m, n, ld;
  char *a, *x;
  integer *sums; /* of each part */
};

static struct system draw_system(hyla_type type) {
  struct system s = {
      .k = hy_kernels_of(type), .m = (int)harness_draw(0, MOST), .n = (int)harness_draw(0, MOST)};
  int bits = bits_of(s.k);
  s.ld = s.m + MARGIN;
  s.a = calloc((size_t)(s.ld * (s.n + 1)), s.k->size);
  s.x = calloc((size_t)s.n + 1, s.k->size);
  s.sums = calloc((size_t)(2 * s.m) + 1, sizeof *s.sums);
  assert_true(s.a != NULL && s.x != NULL && s.sums != NULL);
  for (int j = 0; j < s.n; j++) {
    int64_t x[2] = {draw_integer(bits), s.k->complex_type ? draw_integer(bits) : 0};
    s.k->set(s.x, j, hy_complex((double)x[0], (double)x[1]));
    for (int i = 0; i < s.m; i++) {
      int64_t a[2] = {draw_integer(bits), s.k->complex_type ? draw_integer(bits) : 0};
      s.k->set(s.a, i + (int64_t)j * s.ld, hy_complex((double)a[0], (double)a[1]));
      s.sums[2 * i] += (integer)a[0] * x[0] - (integer)a[1] * x[1];
      s.sums[2 * i + 1] += (integer)a[0] * x[1] + (integer)a[1] * x[0];
    }
  }
  return s;
}

static void free_system(struct system *s) {
  free(s->sums);
  free(s->x);
  free(s->a);
}

static void assert_words(const struct system *s, const struct hy_double_word *words, int times) {
  int step = (int)hy_extended_words(s->k);
  for (int i = 0; i < s->m * step; i++) {
    integer sum = times * s->sums[i / step * 2 + i % step];
    assert_true((integer)words[i].high + (integer)words[i].low == sum);
    assert_true(words[i].high == (double)sum);
  }
}

/* b is the sum as the type rounds it; the remainder is below its last place, and exact. */
static void assert_rest(const struct system *s, const struct hy_double_word *words) {
  char *b = calloc((size_t)s->m + 1, s->k->size), *r = calloc((size_t)s->m + 1, s->k->size);
  assert_true(b != NULL && r != NULL);
  for (int i = 0; i < s->m; i++)
    s->k->set(b, i, hy_complex((double)s->sums[2 * i], (double)s->sums[2 * i + 1]));
  hy_extended_rest(s->k, s->m, b, words, r);
  hy_extended_rest(s->k, s->m, b, words, b);
  assert_memory_equal(b, r, (size_t)s->m * s->k->size);
  for (int i = 0; i < s->m; i++) {
    char given[16];
    s->k->set(given, 0, hy_complex((double)s->sums[2 * i], (double)s->sums[2 * i + 1]));
    double _Complex rounded = s->k->get(given, 0), rest = s->k->get(r, i);
    double re = (double)((integer)creal(rounded) - s->sums[2 * i]);
    double im = (double)((integer)cimag(rounded) - s->sums[2 * i + 1]);
    s->k->set(given, 0, hy_complex(re, im));
    assert_true(s->k->get(given, 0) == rest);
  }
  free(r);
  free(b);
}

static void products_are_exact(void **state) {
  (void)state;
  for (int turn = 0; turn < 40 * TYPES; turn++) {
    struct system s = draw_system((hyla_type)(turn % TYPES));
    int64_t count = s.m * hy_extended_words(s.k);
    struct hy_double_word *words = calloc((size_t)count + 1, sizeof *words);
    assert_non_null(words);
    harness_note("%d x %d, type %s", s.m, s.n, s.k->name);
    hy_extended_products(s.k, s.m, s.n, s.a, s.ld, s.x, words);
    assert_words(&s, words, 1);
    assert_rest(&s, words);
    hy_extended_add(count, words, words);
    assert_words(&s, words, 2);
    hy_extended_products(s.k, s.m, s.n, s.a, s.ld, s.x, words);
    assert_words(&s, words, 3);
    assert_true(words[count].high == 0 && words[count].low == 0);
    free(words);
    free_system(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_loses_nothing),
                                     cmocka_unit_test(products_are_exact)};
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
