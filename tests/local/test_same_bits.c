/* The variants called fixed rely on this: BLAS and our own kernels give the same bits for the same
 * shapes wherever the arrays begin, whatever their leading dimensions are and however often they
 * are called, NaN and infinities included. */
#include "tests/harness/harness.h"

#include "local/local.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, EXTRA = 7 };

/* An array of m x n entries that begins at a given place of a cache line. */
struct array {
  const struct hy_kernels *k;
  int m, n, ld;
  char *memory, *data;
};

static struct array make(const struct hy_kernels *k, int m, int n, bool moved) {
  struct array a = {.k = k, .m = m, .n = n, .ld = m + 1};
  if (moved) a.ld += (int)harness_draw(0, EXTRA);
  size_t entries = (size_t)a.ld * (size_t)n + 1;
  a.memory = aligned_alloc(LINE, (entries * k->size + 2 * LINE - 1) / LINE * LINE);
  assert_non_null(a.memory);
  a.data = a.memory;
  if (moved) a.data += k->size * (size_t)harness_draw(0, LINE / (int64_t)k->size - 1);
  return a;
}

/* The same entries for the same seed; diagonal: large ones on the diagonal. */
static void fill(const struct array *a, uint32_t seed, bool diagonal, bool spoilt) {
  for (int j = 0; j < a->n; j++)
    for (int i = 0; i < a->m; i++) {
      seed = seed * 1664525u + 1013904223u;
      double re = (double)(seed >> 8) / (1 << 24) - 0.5;
      seed = seed * 1664525u + 1013904223u;
      double im = (double)(seed >> 8) / (1 << 24) - 0.5;
      if (diagonal && i == j) re += 2 * a->m, im = 0;
      a->k->set(a->data, i + (int64_t)j * a->ld, re + im * (double _Complex)_Complex_I);
    }
  if (!spoilt) return;
  a->k->set(a->data, (int64_t)(a->n - 1) * a->ld, NAN);
  a->k->set(a->data, a->m - 1, INFINITY);
}

static bool same(const struct array *a, const struct array *b) {
  for (int j = 0; j < a->n; j++)
    if (memcmp(a->data + (size_t)j * (size_t)a->ld * a->k->size,
               b->data + (size_t)j * (size_t)b->ld * b->k->size, (size_t)a->m * a->k->size) != 0)
      return false;
  return true;
}

enum kernel { GEMM, TRSM, HERK, POTRF, GETRF, SCALE, KERNELS };
static const char *const NAMES[KERNELS] = {"gemm", "trsm", "herk", "potrf", "getrf", "scale"};

/* The operands of one call, drawn. */
struct call {
  enum kernel kernel;
  int m, n, inner;
  hyla_operation op_a, op_b;
  hyla_side side;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  double _Complex alpha, beta;
  uint32_t seed;
  bool spoilt;
};

static int draw_size(int most) {
  return (int)(harness_draw(0, 2) ? harness_draw(1, most) : harness_draw(1, 20));
}

static struct call draw_call(enum kernel kernel) {
  struct call c = {.kernel = kernel,
                   .m = draw_size(400),
                   .n = draw_size(140),
                   .inner = draw_size(300),
                   .op_a = (hyla_operation)harness_draw(0, 2),
                   .op_b = (hyla_operation)harness_draw(0, 2),
                   .side = (hyla_side)harness_draw(0, 1),
                   .triangle = (hyla_triangle)harness_draw(0, 1),
                   .diagonal = (hyla_diagonal)harness_draw(0, 1),
                   .alpha = harness_draw(0, 1) ? -1 : 0.7 - 0.4 * (double _Complex)_Complex_I,
                   .beta = (double)harness_draw(0, 2) / 2,
                   .seed = (uint32_t)harness_draw(1, 1000000),
                   .spoilt = harness_draw(0, 3) == 0};
  if (kernel == HERK || kernel == POTRF) c.m = c.n;
  return c;
}

static void call(const struct call *c, const struct array *a, const struct array *b,
                 const struct array *to, int *pivots) {
  const struct hy_kernels *k = to->k;
  switch (c->kernel) {
  case GEMM:
    k->gemm(c->op_a, c->op_b, c->m, c->n, c->inner, c->alpha, a->data, a->ld, b->data, b->ld,
            c->beta, to->data, to->ld);
    return;
  case TRSM:
    k->trsm(c->side, c->triangle, c->op_a, c->diagonal, c->m, c->n, c->alpha, a->data, a->ld,
            to->data, to->ld);
    return;
  case HERK: k->herk(HYLA_NONE, c->n, c->inner, -1, a->data, a->ld, to->data, to->ld); return;
  case POTRF: pivots[0] = k->potrf(c->n, to->data, to->ld); return;
  case GETRF: pivots[c->m] = k->getrf(c->m, c->n, to->data, to->ld, pivots); return;
  case SCALE: k->scale(c->m, c->alpha, to->data, 1); return;
  case KERNELS: return;
  }
}

/* One call, with its own arrays; pivots: 512. */
static struct array run(const struct call *c, const struct hy_kernels *k, bool moved, int *pivots) {
  int order = c->side == HYLA_LEFT ? c->m : c->n;
  bool gemm = c->kernel == GEMM, trsm = c->kernel == TRSM;
  int rows = trsm ? order : gemm && c->op_a != HYLA_NONE ? c->inner : c->m;
  int cols = trsm ? order : gemm && c->op_a != HYLA_NONE ? c->m : c->inner;
  struct array a = make(k, rows, cols, moved);
  struct array b =
      c->op_b == HYLA_NONE ? make(k, c->inner, c->n, moved) : make(k, c->n, c->inner, moved);
  struct array to = make(k, c->m, c->n, moved);
  fill(&a, c->seed, trsm, c->spoilt && !trsm);
  fill(&b, c->seed + 1, false, false);
  fill(&to, c->seed + 2, c->kernel == POTRF, c->spoilt && c->kernel != GETRF);
  call(c, &a, &b, &to, pivots);
  free(a.memory);
  free(b.memory);
  return to;
}

static void bits_do_not_depend_on_places(void **state) {
  enum { CALLS = 60, PIVOTS = 512 };
  const int calls = harness_slowed() ? CALLS / 3 : CALLS;
  struct hy_base base = {.rank = 0};
  (void)state;
  assert_int_equal(hy_blas_start(&base, 1), HYLA_OK);
  for (int i = 0; i < calls * KERNELS * 4; i++) {
    const struct hy_kernels *k = hy_kernels_of((hyla_type)(i % 4));
    const struct call c = draw_call((enum kernel)(i / 4 % KERNELS));
    int first[PIVOTS] = {0}, second[PIVOTS] = {0};
    struct array x = run(&c, k, false, first);
    struct array y = run(&c, k, true, second);
    harness_note("%s%s %d x %d x %d, ops %d %d, %s %s %s, beta %g%s", k->name, NAMES[c.kernel], c.m,
                 c.n, c.inner, (int)c.op_a, (int)c.op_b, c.side == HYLA_LEFT ? "left" : "right",
                 c.triangle == HYLA_LOWER ? "lower" : "upper",
                 c.diagonal == HYLA_UNIT_DIAGONAL ? "unit" : "any", creal(c.beta),
                 c.spoilt ? ", spoilt" : "");
    assert_memory_equal(first, second, sizeof first);
    assert_true(same(&x, &y));
    free(x.memory);
    free(y.memory);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_depend_on_places)};
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
