/* The table of kernels compared with plain loops in double complex, for all four types. */
#include "tests/harness/harness.h"

#include "local/kernels.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 41, MANY = 600, SOME = 67 };

static const hyla_operation operations[] = {HYLA_NONE, HYLA_TRANSPOSE, HYLA_CONJUGATE};

/* An array with ld rows; every entry is set. */
struct block {
  const struct hy_kernels *k;
  int ld;
  void *data;
};

static double draw(void) { return (double)harness_draw(-1000, 1000) / 1000; }

static struct block block_make(const struct hy_kernels *k, int rows, int cols) {
  struct block block = {k, rows + 3, NULL};
  block.data = calloc((size_t)block.ld * (size_t)(cols + 1), k->size);
  assert_non_null(block.data);
  for (int64_t i = 0; i < (int64_t)block.ld * cols; i++)
    k->set(block.data, i, draw() + draw() * (double _Complex)_Complex_I);
  return block;
}

static double _Complex at(struct block block, int i, int j) {
  return block.k->get(block.data, i + (int64_t)j * block.ld);
}

static double _Complex at_op(struct block block, hyla_operation op, int i, int j) {
  if (op == HYLA_NONE) return at(block, i, j);
  return op == HYLA_TRANSPOSE ? at(block, j, i) : conj(at(block, j, i));
}

static void put(struct block block, int i, int j, double _Complex value) {
  block.k->set(block.data, i + (int64_t)j * block.ld, value);
}

static void assert_near(double _Complex got, double _Complex wanted, double bound) {
  if (!(cabs(got - wanted) <= bound)) {
    harness_note("got %g%+gi, wanted %g%+gi, bound %g", creal(got), cimag(got), creal(wanted),
                 cimag(wanted), bound);
    fail();
  }
}

static double _Complex scalar(const struct hy_kernels *k) {
  return k->complex_type ? 1.5 - 0.25 * (double _Complex)_Complex_I : 1.5;
}

static void for_all_types(void (*check)(const struct hy_kernels *)) {
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
    const struct hy_kernels *k = hy_kernels_of((hyla_type)type);
    assert_non_null(k);
    assert_int_equal(k->type, type);
    check(k);
  }
}

static void check_gemm(const struct hy_kernels *k, hyla_operation op_a, hyla_operation op_b, int m,
                       int n, int inner) {
  bool a_turned = op_a != HYLA_NONE, b_turned = op_b != HYLA_NONE;
  struct block a = block_make(k, a_turned ? inner : m, a_turned ? m : inner);
  struct block b = block_make(k, b_turned ? n : inner, b_turned ? inner : n);
  struct block c = block_make(k, m, n), before = block_make(k, m, n);
  k->copy(HYLA_NONE, m, n, 1, c.data, c.ld, before.data, before.ld);
  double _Complex alpha = scalar(k), beta = -0.5;
  k->gemm(op_a, op_b, m, n, inner, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double _Complex sum = 0;
      for (int l = 0; l < inner; l++) sum += at_op(a, op_a, i, l) * at_op(b, op_b, l, j);
      assert_near(at(c, i, j), alpha * sum + beta * at(before, i, j),
                  16 * (inner + 2) * k->epsilon);
    }
  free(a.data);
  free(b.data);
  free(c.data);
  free(before.data);
}

/* Products with a Hermitian matrix' triangle; entries above the diagonal are not read. */
static void check_mirrored(const struct hy_kernels *k, bool below, int m, int n) {
  struct block a = block_make(k, m, n), x = block_make(k, 2 * n, 1), w = block_make(k, m, 1);
  struct block y = block_make(k, m, 1), z = block_make(k, (int)hy_max(m, n), 1), one = y, other = z;
  for (int j = 0; j < n && below; j++) {
    put(a, j, j, hy_complex(creal(at(a, j, j)), k->complex_type ? NAN : 0));
    for (int i = 0; i < j; i++) put(a, i, j, (double)NAN);
  }
  one.data = malloc((size_t)(one.ld + 1) * k->size);
  other.data = malloc((size_t)(other.ld + 1) * k->size);
  for (int kind = 0; kind < 3; kind++) {
    if (below && kind > 0) continue;
    const bool makes_y = kind != 1, makes_z = kind != 2;
    k->copy(HYLA_NONE, m, 1, 1, y.data, y.ld, one.data, one.ld);
    k->copy(HYLA_NONE, (int)hy_max(m, n), 1, 1, z.data, z.ld, other.data, other.ld);
    if (kind == 0)
      k->both(below, m, n, a.data, a.ld, x.data, w.data, one.data, other.data);
    else if (kind == 1)
      k->dots(m, n, a.data, a.ld, w.data, other.data);
    else
      k->pair(m, n, a.data, a.ld, x.data, one.data, other.data);
    for (int i = 0; i < m; i++) {
      double _Complex sum = 0, second = 0;
      for (int j = 0; j < n && (!below || j <= i); j++) {
        const double _Complex entry = below && i == j ? creal(at(a, i, j)) : at(a, i, j);
        sum += entry * at(x, j, 0);
        second += entry * at(x, n + j, 0);
      }
      if (kind == 2) sum = -sum;
      assert_near(at(one, i, 0), at(y, i, 0) + makes_y * sum, 16 * (n + 2) * k->epsilon);
      if (!makes_z) assert_near(at(other, i, 0), at(z, i, 0) - second, 16 * (n + 2) * k->epsilon);
    }
    for (int j = 0; j < n && makes_z; j++) {
      double _Complex sum = 0;
      for (int i = below ? j + 1 : 0; i < m; i++) sum += conj(at(a, i, j)) * at(w, i, 0);
      assert_near(at(other, j, 0), at(z, j, 0) + sum, 16 * (m + 2) * k->epsilon);
    }
  }
  free(one.data);
  free(other.data);
  free(a.data);
  free(x.data);
  free(w.data);
  free(y.data);
  free(z.data);
}

/* w := f_0 w + f_1 v, x := x - f_2 v - w; from another place on, entries have the same bits. */
static void check_settled(const struct hy_kernels *k, int m, int from) {
  struct block f = block_make(k, 3, 1), v = block_make(k, m, 1);
  struct block w = block_make(k, m, 1), x = block_make(k, m, 1), old_w = w, old_x = x;
  const size_t first = (size_t)from * k->size, rest = (size_t)(m - from) * k->size;
  char *again_w = malloc(rest + 1), *again_x = malloc(rest + 1);
  old_w.data = malloc((size_t)(w.ld + 1) * k->size);
  old_x.data = malloc((size_t)(x.ld + 1) * k->size);
  k->copy(HYLA_NONE, m, 1, 1, w.data, w.ld, old_w.data, old_w.ld);
  k->copy(HYLA_NONE, m, 1, 1, x.data, x.ld, old_x.data, old_x.ld);
  memcpy(again_w, (char *)w.data + first, rest);
  memcpy(again_x, (char *)x.data + first, rest);
  k->settle(m, f.data, v.data, w.data, x.data);
  k->settle(m - from, f.data, (char *)v.data + first, again_w, again_x);
  assert_memory_equal(again_w, (char *)w.data + first, rest);
  assert_memory_equal(again_x, (char *)x.data + first, rest);
  for (int i = 0; i < m; i++) {
    const double _Complex due = at(f, 0, 0) * at(old_w, i, 0) + at(f, 1, 0) * at(v, i, 0);
    assert_near(at(w, i, 0), due, 16 * k->epsilon);
    assert_near(at(x, i, 0), at(old_x, i, 0) - at(f, 2, 0) * at(v, i, 0) - due, 24 * k->epsilon);
  }
  free(again_w);
  free(again_x);
  free(old_w.data);
  free(old_x.data);
  free(f.data);
  free(v.data);
  free(w.data);
  free(x.data);
}

static void settled_of_type(const struct hy_kernels *k) {
  static const int sizes[] = {1, 2, 3, 7, 8, 9, 17, 100};
  for (int i = 0; i < 8; i++)
    for (int from = 0; from < sizes[i] && from < 10; from++) check_settled(k, sizes[i], from);
}

static void mirrored_of_type(const struct hy_kernels *k) {
  static const int sizes[] = {0, 1, 2, 3, 7, 8, 9, 17, MOST, 1100, 2100};
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 9; j++) {
      if (sizes[j] <= sizes[i]) check_mirrored(k, true, sizes[i], sizes[j]);
      check_mirrored(k, false, sizes[i], sizes[j]);
    }
}

static void gemm_of_type(const struct hy_kernels *k) {
  static const int sizes[] = {0, 1, 2, 7, MOST};
  for (int op_a = 0; op_a < 3; op_a++)
    for (int op_b = 0; op_b < 3; op_b++) {
      for (int s = 0; s < 5; s++)
        check_gemm(k, operations[op_a], operations[op_b], sizes[s], sizes[(s + 2) % 5],
                   sizes[(s + 1) % 5]);
      check_gemm(k, operations[op_a], operations[op_b], 3, 8195, 2); /* in strips */
    }
}

/* With beta = 0 the entries of C are not read, even if C is cleared past the caches, and entries
 * between its columns stay unchanged. */
static void gemm_of_large_c(const struct hy_kernels *k) {
  const int m = 131, n = (int)((12 << 20) / (131 * k->size));
  struct block a = block_make(k, m, 1), b = block_make(k, 1, n), c = block_make(k, m, n);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) put(c, i, j, (double)NAN);
    for (int i = m; i < c.ld; i++) put(c, i, j, j % 100);
  }
  k->gemm(HYLA_NONE, HYLA_NONE, m, n, 1, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) assert_near(at(c, i, j), at(a, i, 0) * at(b, 0, j), 8 * k->epsilon);
    for (int i = m; i < c.ld; i++) assert_near(at(c, i, j), j % 100, 0);
  }
  free(a.data);
  free(b.data);
  free(c.data);
}

/* A short and wide product of several whole and partial strips or tiles; its C is not read. */
static void gemm_of_wide_c(const struct hy_kernels *k) {
  const int m = 205, n = 8195, inner = 67, every = harness_slowed() ? 30 : 3;
  struct block a = block_make(k, m, inner), b = block_make(k, inner, n), c = block_make(k, m, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < c.ld; i++) put(c, i, j, i < m ? (double)NAN : j % 100);
  double _Complex alpha = scalar(k);
  k->gemm(HYLA_NONE, HYLA_NONE, m, n, inner, alpha, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld);
  for (int j = 0; j < n; j++) {
    for (int i = j % every; i < m; i += every) {
      double _Complex sum = 0;
      for (int l = 0; l < inner; l++) sum += at(a, i, l) * at(b, l, j);
      assert_near(at(c, i, j), alpha * sum, 16 * (inner + 2) * k->epsilon);
    }
    for (int i = m; i < c.ld; i++) assert_near(at(c, i, j), j % 100, 0);
  }
  free(a.data);
  free(b.data);
  free(c.data);
}

/* A well conditioned triangle; the other half is noise, which must not be read. */
static struct block triangle_make(const struct hy_kernels *k, int n) {
  struct block t = block_make(k, n, n);
  for (int i = 0; i < n; i++) put(t, i, i, n + 2);
  return t;
}

static double _Complex triangle_at(struct block t, hyla_triangle triangle, hyla_diagonal diagonal,
                                   hyla_operation op, int i, int j) {
  int row = op == HYLA_NONE ? i : j, col = op == HYLA_NONE ? j : i;
  if (i == j && diagonal == HYLA_UNIT_DIAGONAL) return 1;
  if (triangle == HYLA_LOWER ? row < col : row > col) return 0;
  return at_op(t, op, i, j);
}

static void check_trsm(const struct hy_kernels *k, hyla_side side, hyla_triangle triangle,
                       hyla_diagonal diagonal, hyla_operation op, int m, int n) {
  int order = side == HYLA_LEFT ? m : n;
  struct block t = triangle_make(k, order), b = block_make(k, m, n), x = block_make(k, m, n);
  if (diagonal == HYLA_UNIT_DIAGONAL)
    for (int j = 0; j < order; j++)
      for (int i = 0; i < order; i++) put(t, i, j, at(t, i, j) / (order + 1));
  k->copy(HYLA_NONE, m, n, 1, b.data, b.ld, x.data, x.ld);
  double _Complex alpha = scalar(k);
  k->trsm(side, triangle, op, diagonal, m, n, alpha, t.data, t.ld, x.data, x.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double _Complex sum = 0;
      for (int l = 0; l < order; l++)
        sum += side == HYLA_LEFT ? triangle_at(t, triangle, diagonal, op, i, l) * at(x, l, j)
                                 : at(x, i, l) * triangle_at(t, triangle, diagonal, op, l, j);
      assert_near(sum, alpha * at(b, i, j), 64 * (order + 4) * k->epsilon);
    }
  free(t.data);
  free(b.data);
  free(x.data);
}

static void trsm_of_type(const struct hy_kernels *k) {
  for (hyla_side side = HYLA_LEFT; side <= HYLA_RIGHT; side++)
    for (hyla_triangle triangle = HYLA_LOWER; triangle <= HYLA_UPPER; triangle++)
      for (hyla_diagonal diagonal = HYLA_ANY_DIAGONAL; diagonal <= HYLA_UNIT_DIAGONAL; diagonal++)
        for (int op = 0; op < 3; op++) {
          check_trsm(k, side, triangle, diagonal, operations[op], 13, 5);
          check_trsm(k, side, triangle, diagonal, operations[op], 1, 7);
          check_trsm(k, side, triangle, diagonal, operations[op], 0, 3);
          /* Whole and partial strips and groups of columns; an order that is halved. */
          check_trsm(k, side, triangle, diagonal, operations[op], 37, 39);
          check_trsm(k, side, triangle, diagonal, operations[op], side == HYLA_LEFT ? 131 : 9,
                     side == HYLA_LEFT ? 9 : 131);
        }
}

static void check_herk(const struct hy_kernels *k, hyla_operation op, int n, int inner) {
  struct block a = op == HYLA_NONE ? block_make(k, n, inner) : block_make(k, inner, n);
  struct block c = block_make(k, n, n), before = block_make(k, n, n);
  k->copy(HYLA_NONE, n, n, 1, c.data, c.ld, before.data, before.ld);
  k->herk(op, n, inner, -0.5, a.data, a.ld, c.data, c.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      bool made_real = i == j && inner > 0;
      double _Complex sum = made_real ? creal(at(before, i, j)) : at(before, i, j);
      for (int l = 0; l < inner && i >= j; l++)
        sum -= 0.5 * at_op(a, op, i, l) * conj(at_op(a, op, j, l));
      assert_true(!made_real || cimag(at(c, i, i)) == 0);
      assert_near(at(c, i, j), sum, i < j ? 0 : 64 * (inner + 4) * k->epsilon);
    }
  free(a.data);
  free(c.data);
  free(before.data);
}

static void herk_of_type(const struct hy_kernels *k) {
  for (int n = 0; n < MOST; n++)
    for (int op = 0; op < 3; op += 2) check_herk(k, operations[op], n, n / 2);
}

static void trtri_of_type(const struct hy_kernels *k) {
  for (hyla_triangle triangle = HYLA_LOWER; triangle <= HYLA_UPPER; triangle++)
    for (int n = 0; n < 12; n++) {
      struct block t = triangle_make(k, n), inverse = block_make(k, n, n);
      k->copy(HYLA_NONE, n, n, 1, t.data, t.ld, inverse.data, inverse.ld);
      k->trtri(triangle, HYLA_ANY_DIAGONAL, n, inverse.data, inverse.ld);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
          double _Complex sum = 0;
          for (int l = 0; l < n; l++)
            sum += triangle_at(t, triangle, HYLA_ANY_DIAGONAL, HYLA_NONE, i, l) *
                   triangle_at(inverse, triangle, HYLA_ANY_DIAGONAL, HYLA_NONE, l, j);
          assert_near(sum, i == j, 64 * (n + 1) * k->epsilon);
        }
      free(t.data);
      free(inverse.data);
    }
}

static void vectors_of_type(const struct hy_kernels *k) {
  int m = 7, n = 5;
  struct block a = block_make(k, m, n), before = block_make(k, m, n);
  struct block x = block_make(k, m, 1), y = block_make(k, 1, n);
  k->copy(HYLA_NONE, m, n, 1, a.data, a.ld, before.data, before.ld);
  k->ger(m, n, scalar(k), x.data, 1, y.data, y.ld, a.data, a.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      assert_near(at(a, i, j), at(before, i, j) + scalar(k) * at(x, i, 0) * at(y, 0, j),
                  32 * k->epsilon);
  k->copy(HYLA_NONE, m, n, 1, a.data, a.ld, before.data, before.ld);
  k->scale(n, scalar(k), a.data, a.ld);
  for (int j = 0; j < n; j++)
    assert_near(at(a, 0, j), scalar(k) * at(before, 0, j), 32 * k->epsilon);
  k->divide(n, scalar(k), a.data, a.ld);
  for (int j = 0; j < n; j++) assert_near(at(a, 0, j), at(before, 0, j), 64 * k->epsilon);
  k->swap(m, a.data, 1, before.data, 1);
  k->swap(m, a.data, 1, before.data, 1);
  for (int i = 1; i < m; i++) assert_true(at(a, i, 0) == at(before, i, 0));
  free(a.data);
  free(before.data);
  free(x.data);
  free(y.data);
}

/* Even if 1 / alpha overflows, x / alpha may be finite. */
static void divide_by_a_tiny_number(const struct hy_kernels *k) {
  double tiny = k->epsilon == 0x1p-53 ? 0x1p-1070 : 0x1p-145;
  char entry[16];
  k->set(entry, 0, 3 * tiny);
  k->divide(1, tiny, entry, 1);
  assert_true(k->get(entry, 0) == 3);
}

static void search_of_type(const struct hy_kernels *k) {
  struct block x = block_make(k, MOST, 1);
  assert_int_equal(k->search(0, x.data).key, 0);
  for (int i = 0; i < MOST; i++) put(x, i, 0, 0);
  assert_int_equal(k->search(MOST, x.data).key, 0);
  assert_int_equal(k->search(MOST, x.data).index, 0);
  put(x, 17, 0, -2);
  put(x, 30, 0, 2);
  assert_int_equal(k->search(MOST, x.data).index, 17);
  put(x, 5, 0, INFINITY);
  struct hy_pivot infinite = k->search(MOST, x.data);
  assert_int_equal(infinite.index, 5);
  assert_true(infinite.key == HY_KEY_INFINITY);
  put(x, 39, 0, -(double)NAN);
  struct hy_pivot nan = k->search(MOST, x.data);
  assert_int_equal(nan.index, 39);
  assert_true(nan.key > HY_KEY_INFINITY);
  free(x.data);
}

/* |re| + |im| of two finite parts may overflow; the pivot is finite nevertheless. */
static void a_large_pivot_is_finite(void **state) {
  (void)state;
  double _Complex large = 1.5e308 - 1.5e308 * (double _Complex)_Complex_I;
  assert_true(hy_kernels_of(HYLA_DOUBLE_COMPLEX)->search(1, &large).key < HY_KEY_INFINITY);
}

static void check_copy(const struct hy_kernels *k, hyla_operation op, int m, int n,
                       double _Complex alpha) {
  bool transposed = op != HYLA_NONE;
  struct block a = block_make(k, transposed ? n : m, transposed ? m : n), b = block_make(k, m, n);
  double _Complex below = k->get(b.data, m);
  k->copy(op, m, n, alpha, a.data, a.ld, b.data, b.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      assert_near(at(b, i, j), alpha * at_op(a, op, i, j), alpha == 1 ? 0 : 16 * k->epsilon);
  if (n > 0) assert_true(k->get(b.data, m) == below);
  struct block sum = block_make(k, m, n), before = block_make(k, m, n);
  k->copy(HYLA_NONE, m, n, 1, sum.data, sum.ld, before.data, before.ld);
  k->add(m, n, b.data, b.ld, sum.data, sum.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      assert_near(at(sum, i, j), at(before, i, j) + at(b, i, j), 16 * k->epsilon);
  k->copy(HYLA_NONE, m, n, 1, sum.data, sum.ld, before.data, before.ld);
  below = k->get(sum.data, m);
  k->combine(op, m, n, alpha, a.data, a.ld, -0.5, sum.data, sum.ld);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      assert_near(at(sum, i, j), alpha * at_op(a, op, i, j) - 0.5 * at(before, i, j),
                  16 * k->epsilon);
  if (n > 0) assert_true(k->get(sum.data, m) == below);
  free(a.data);
  free(b.data);
  free(sum.data);
  free(before.data);
}

static void copy_of_type(const struct hy_kernels *k) {
  static const int sizes[] = {0, 1, 2, 31, 32, 33, MOST};
  for (int op = 0; op < 3; op++)
    for (int s = 0; s < 7; s++)
      for (int t = 0; t < 7; t++) {
        check_copy(k, operations[op], sizes[s], sizes[t], 1);
        check_copy(k, operations[op], sizes[s], sizes[t], scalar(k));
      }
}

static void norms_of_type(const struct hy_kernels *k) {
  int m = 9, n = 4;
  struct block a = block_make(k, m, n);
  double columns[4] = {0}, rows[9] = {0}, largest = 0, squares = 0;
  const double weights[4] = {1, 0, .5, 3};
  double weighted[9] = {0};
  k->column_sums(m, n, a.data, a.ld, columns);
  k->row_sums(m, n, a.data, a.ld, rows);
  k->weighted_sums(HYLA_NONE, m, n, a.data, a.ld, weights, weighted);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double size = cabs(at(a, i, j));
      columns[j] -= size;
      rows[i] -= size;
      weighted[i] -= size * weights[j];
      largest = fmax(largest, size);
      squares += size * size / 4;
    }
  for (int j = 0; j < n; j++) assert_near(columns[j], 0, 1e-14);
  for (int i = 0; i < m; i++) assert_near(rows[i], 0, 1e-14);
  for (int i = 0; i < m; i++) assert_near(weighted[i], 0, 1e-14);
  assert_near(k->largest(m, n, a.data, a.ld), largest, 0);
  assert_near(k->squares(m, n, a.data, a.ld, 2), squares, 1e-13);
  put(a, 3, 2, NAN);
  assert_true(isnan(k->largest(m, n, a.data, a.ld)));
  assert_true(isnan(k->squares(m, n, a.data, a.ld, 1)));
  free(a.data);
}

/* The sums to which one pass adds. */
struct found {
  double _Complex product[MANY];
  double sizes[MANY], rows[MANY], columns[SOME];
  double squares[2]; /* of the entries as they are, and divided by the largest */
};

/* Compares the pass with loops; both sets of instructions find the same to the bit. */
static void check_looks(const struct hy_kernels *k, int m, int n, double scale) {
  struct block a = block_make(k, m > 0 ? m : 1, n), x = block_make(k, SOME, 1);
  struct found found[2];
  double largest = 0, least = INFINITY, most = 0, weights[SOME];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) put(a, i, j, i % 7 == 3 ? 0 : at(a, i, j) * (i == 5 ? scale : 1));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      const double re = fabs(creal(at(a, i, j))), im = fabs(cimag(at(a, i, j)));
      largest = fmax(largest, hypot(re, im));
      most = fmax(most, fmax(re, im));
      least = fmin(least, fmin(re > 0 ? re : INFINITY, im > 0 ? im : INFINITY));
    }
  for (int j = 0; j < n; j++) weights[j] = cabs(at(x, j, 0));
  for (int wide = 0; wide < 2; wide++) {
    const struct hy_looks *looks = hy_looks_of(wide == 1);
    if (looks == NULL) looks = hy_looks_best();
    struct found *here = &found[wide];
    memset(here, 0, sizeof *here);
    const struct hy_pass into = {here->product, here->sizes, here->rows, here->columns};
    looks->pass[k->type](m, n, a.data, a.ld, x.data, weights, &into);
    const struct hy_magnitudes range = looks->magnitudes[k->type](m, n, a.data, a.ld);
    assert_true(looks->largest[k->type](m, n, a.data, a.ld) == largest);
    assert_true(range.least == least && range.most == most);
    for (int i = 0; i < 2 && largest > 0; i++)
      here->squares[i] = looks->squares[k->type](m, n, a.data, a.ld, i == 0 ? 1 : largest);
  }
  double squares = 0;
  for (int j = 0; j < n && largest > 0; j++)
    for (int i = 0; i < m; i++) squares += pow(cabs(at(a, i, j)) / largest, 2);
  assert_near(found[0].squares[1], squares, 1e-13 * squares);
  assert_memory_equal(&found[0], &found[1], sizeof found[0]);
  for (int i = 0; i < m; i++) {
    double _Complex product = 0;
    double size = 0, row = 0;
    for (int j = 0; j < n; j++) {
      product += at(a, i, j) * at(x, j, 0);
      size += cabs(at(a, i, j)) * weights[j];
      row += cabs(at(a, i, j));
    }
    assert_near(k->get(found[0].product, i), product, 4 * n * k->epsilon * size);
    assert_near(found[0].sizes[i], size, 1e-14 * size);
    assert_near(found[0].rows[i], row, 1e-14 * row);
  }
  for (int j = 0; j < n; j++) {
    double column = 0;
    for (int i = 0; i < m; i++) column += cabs(at(a, i, j));
    assert_near(found[0].columns[j], column, 1e-14 * column);
  }
  for (int wide = 0; wide < 2 && m > 2; wide++) {
    const struct hy_looks *looks = wide == 1 ? hy_looks_best() : hy_looks_of(false);
    put(a, m - 1, 0, 0);
    put(a, m / 2, n / 2, INFINITY);
    assert_true(isinf(looks->largest[k->type](m, n, a.data, a.ld)));
    assert_true(isinf(looks->magnitudes[k->type](m, n, a.data, a.ld).most));
    put(a, m - 1, 0, NAN);
    assert_true(isnan(looks->largest[k->type](m, n, a.data, a.ld)));
  }
  free(a.data);
  free(x.data);
}

static void looks_of_type(const struct hy_kernels *k) {
  static const int rows[] = {0, 1, 6, 31, 32, 33, 130, MANY}, cols[] = {1, 3, 4, SOME};
  const double far = k->epsilon > 1e-10 ? 0x1p90 : 0x1p600;
  for (int r = 0; r < 8; r++)
    for (int c = 0; c < 4; c++) {
      check_looks(k, rows[r], cols[c], 1);
      check_looks(k, rows[r], cols[c], far);
      check_looks(k, rows[r], cols[c], 1 / far);
    }
}

/* trsv gives the result of trsm, or that of quotients if a diagonal entry has no reciprocal. */
static void trsv_of_type(const struct hy_kernels *k) {
  static const int sizes[] = {0, 1, 2, 31, MOST};
  for (int s = 0; s < 5; s++)
    for (int form = 0; form < 12; form++) {
      const int n = sizes[s];
      const hyla_triangle triangle = form % 2 == 0 ? HYLA_LOWER : HYLA_UPPER;
      const hyla_diagonal diagonal = form / 2 % 2 == 0 ? HYLA_ANY_DIAGONAL : HYLA_UNIT_DIAGONAL;
      struct block t = block_make(k, n, n), x = block_make(k, n, 2);
      for (int i = 0; i < n; i++) put(t, i, i, MOST + i);
      for (int i = 0; i < n; i++) put(x, i, 1, at(x, i, 0));
      k->trsv(triangle, operations[form / 4], diagonal, n, t.data, t.ld, x.data);
      k->trsm(HYLA_LEFT, triangle, operations[form / 4], diagonal, n, 1, 1, t.data, t.ld,
              (char *)x.data + (size_t)x.ld * k->size, x.ld);
      for (int i = 0; i < n; i++)
        assert_near(at(x, i, 0), at(x, i, 1), 100 * MOST * k->epsilon * (1 + cabs(at(x, i, 1))));
      free(t.data);
      free(x.data);
    }
  struct block t = block_make(k, 2, 2), x = block_make(k, 2, 1);
  const double least = k->epsilon > 1e-10 ? 0x1p-149 : 0x1p-1074;
  for (int i = 0; i < 2; i++) put(t, i, i, least), put(x, i, 0, least);
  put(t, 1, 0, 0);
  k->trsv(HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 2, t.data, t.ld, x.data);
  for (int i = 0; i < 2; i++) assert_near(at(x, i, 0), 1, 0);
  free(t.data);
  free(x.data);
}

#define OVER_TYPES(check)                                                                          \
  static void check##_all(void **state) {                                                          \
    (void)state;                                                                                   \
    for_all_types(check);                                                                          \
  }
OVER_TYPES(gemm_of_type)
OVER_TYPES(mirrored_of_type)
OVER_TYPES(settled_of_type)
OVER_TYPES(gemm_of_large_c)
OVER_TYPES(gemm_of_wide_c)
OVER_TYPES(trsm_of_type)
OVER_TYPES(herk_of_type)
OVER_TYPES(trtri_of_type)
OVER_TYPES(vectors_of_type)
OVER_TYPES(divide_by_a_tiny_number)
OVER_TYPES(search_of_type)
OVER_TYPES(copy_of_type)
OVER_TYPES(norms_of_type)
OVER_TYPES(looks_of_type)
OVER_TYPES(trsv_of_type)

static void there_are_four_types(void **state) {
  (void)state;
  assert_null(hy_kernels_of((hyla_type)4));
  assert_null(hy_kernels_of((hyla_type)-1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemm_of_type_all),
      cmocka_unit_test(gemm_of_large_c_all),
      cmocka_unit_test(mirrored_of_type_all),
      cmocka_unit_test(settled_of_type_all),
      cmocka_unit_test(gemm_of_wide_c_all),
      cmocka_unit_test(trsm_of_type_all),
      cmocka_unit_test(herk_of_type_all),
      cmocka_unit_test(trtri_of_type_all),
      cmocka_unit_test(vectors_of_type_all),
      cmocka_unit_test(divide_by_a_tiny_number_all),
      cmocka_unit_test(search_of_type_all),
      cmocka_unit_test(copy_of_type_all),
      cmocka_unit_test(norms_of_type_all),
      cmocka_unit_test(a_large_pivot_is_finite),
      cmocka_unit_test(looks_of_type_all),
      cmocka_unit_test(trsv_of_type_all),
      cmocka_unit_test(there_are_four_types),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
