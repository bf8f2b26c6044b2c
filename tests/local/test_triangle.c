/* Small triangular systems, in every instruction set that the processor has. */
#include "tests/harness/harness.h"

#include "local/kernels.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES_MOST = 40 };

/* A drawn system with n right-hand sides, in its own memory. */
struct system {
  const struct hy_kernels *k;
  struct hy_triangle m;
  hyla_side side;
  void *t, *given;
  int64_t entries; /* of b */
};

static double _Complex draw(void) {
  return (double)harness_draw(-1000, 1000) / 1000 +
         (double)harness_draw(-1000, 1000) / 1000 * (double _Complex)_Complex_I;
}

static void fill(const struct hy_kernels *k, void *x, int64_t n) {
  for (int64_t i = 0; i < n; i++) k->set(x, i, draw());
}

static struct system draw_system(const struct hy_kernels *k, int order, int nrhs) {
  struct system s = {.k = k, .side = (hyla_side)harness_draw(0, 1)};
  int ldt = order + (int)harness_draw(0, 3);
  int rows = s.side == HYLA_LEFT ? order : nrhs, cols = order + nrhs - rows;
  int ldb = rows + (int)harness_draw(0, 3);
  s.entries = (int64_t)ldb * cols;
  s.t = calloc((size_t)(ldt * order), k->size);
  s.given = calloc((size_t)s.entries, k->size);
  fill(k, s.t, (int64_t)ldt * order);
  fill(k, s.given, s.entries);
  for (int j = 0; j < order; j++)
    k->set(s.t, j + (int64_t)j * ldt, draw() + 2 * (order + 1) + (double _Complex)_Complex_I);
  hyla_operation op = (hyla_operation)harness_draw(HYLA_NONE, HYLA_CONJUGATE);
  s.m = hy_triangle_of(s.side, (hyla_triangle)harness_draw(0, 1), op, HYLA_ANY_DIAGONAL, order,
                       nrhs, k->size, s.t, ldt);
  s.m.alpha = draw();
  s.m.ld = ldb;
  s.m.b = malloc((size_t)s.entries * k->size);
  memcpy(s.m.b, s.given, (size_t)s.entries * k->size);
  return s;
}

static void free_system(struct system *s) {
  free(s->t);
  free(s->given);
  free(s->m.b);
}

/* Entry (row, col) of M, and of the right-hand sides, in the system's own order. */
static double _Complex m_at(const struct system *s, int row, int col) {
  const char *first = s->m.t;
  int64_t at = row * s->m.down + col * s->m.across;
  return s->k->get(first + at * (int64_t)s->k->size, 0);
}

static double _Complex side_at(const struct system *s, const void *b, int side, int col) {
  if (s->m.backward) col = s->m.order - 1 - col;
  double _Complex x =
      s->k->get(b, s->m.transposed ? col + (int64_t)side * s->m.ld : side + (int64_t)col * s->m.ld);
  return s->m.conjugate ? conj(x) : x;
}

static void assert_solved(const struct system *s) {
  for (int side = 0; side < s->m.nrhs; side++)
    for (int j = 0; j < s->m.order; j++) {
      double _Complex sum = 0, alpha = s->k->complex_type ? s->m.alpha : creal(s->m.alpha);
      double size = 0;
      for (int l = 0; l <= j; l++) {
        double _Complex term = side_at(s, s->m.b, side, l) * m_at(s, l, j);
        sum += term;
        size += cabs(term);
      }
      double _Complex wanted = alpha * side_at(s, s->given, side, j);
      if (!(cabs(sum - wanted) <= 4 * (s->m.order + 4) * s->k->epsilon * (size + cabs(wanted))))
        fail_msg("order %d, side %d, column %d: %g off", s->m.order, side, j, cabs(sum - wanted));
    }
}

static void over_solvers(void (*check)(const struct hy_kernels *k, hy_triangle_solve *solve)) {
  int found = 0;
  for (int bytes = 32; bytes <= 64; bytes += 32)
    for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
      hy_triangle_solve *solve = hy_triangle_solver((hyla_type)type, bytes);
      if (solve == NULL) continue;
      harness_note("type %d, vectors of %d bytes", type, bytes);
      check(hy_kernels_of((hyla_type)type), solve);
      found++;
    }
  if (found == 0) skip();
}

static void check_solution(const struct hy_kernels *k, hy_triangle_solve *solve) {
  static const int orders[] = {1, 2, 3, 4, 5, 13, 32, 67, HY_TRIANGLE_MOST};
  for (int turn = 0; turn < 36; turn++) {
    struct system s = draw_system(k, orders[turn % 9], (int)harness_draw(1, SIDES_MOST));
    assert_true(solve(&s.m));
    assert_solved(&s);
    free_system(&s);
  }
}

/* The solution for a right-hand side is the same, bit by bit, whatever stands beside it. */
static void check_sides(const struct hy_kernels *k, hy_triangle_solve *solve) {
  for (int turn = 0; turn < 12; turn++) {
    struct system s = draw_system(k, (int)harness_draw(1, 50), SIDES_MOST);
    struct hy_triangle one = s.m;
    int side = (int)harness_draw(0, SIDES_MOST - 1);
    int64_t first = side * (int64_t)(s.m.transposed ? s.m.ld : 1),
            step = s.m.transposed ? 1 : s.m.ld;
    assert_true(solve(&s.m));
    one.nrhs = 1;
    one.b = (char *)s.given + first * (int64_t)k->size;
    assert_true(solve(&one));
    for (int j = 0; j < s.m.order; j++) {
      int64_t at = (first + j * step) * (int64_t)k->size;
      assert_memory_equal((char *)s.given + at, (char *)s.m.b + at, k->size);
    }
    free_system(&s);
  }
}

/* If a diagonal entry has no reciprocal, the kernel refuses and leaves the input unchanged for
 * BLAS. */
static void check_refusal(const struct hy_kernels *k, hy_triangle_solve *solve) {
  double tiny = k->epsilon > 1e-10 ? 0x1p-140 : 0x1p-1060;
  const double diagonals[] = {0, tiny, INFINITY, NAN};
  for (int i = 0; i < 4; i++) {
    struct system s = draw_system(k, 9, 20);
    int64_t at = harness_draw(0, 8) * (s.m.down + s.m.across) * (int64_t)k->size;
    k->set((char *)(uintptr_t)s.m.t + at, 0, diagonals[i]);
    assert_false(solve(&s.m));
    assert_memory_equal(s.m.b, s.given, (size_t)s.entries * k->size);
    free_system(&s);
  }
}

#define OVER_SOLVERS(check)                                                                        \
  static void check##_of_all(void **state) {                                                       \
    (void)state;                                                                                   \
    over_solvers(check);                                                                           \
  }
OVER_SOLVERS(check_solution)
OVER_SOLVERS(check_sides)
OVER_SOLVERS(check_refusal)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_solution_of_all),
      cmocka_unit_test(check_sides_of_all),
      cmocka_unit_test(check_refusal_of_all),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
