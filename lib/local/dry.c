/* The kernels of dry simulations, which have no data: they do nothing. */
#include "local/local.h"

#include <string.h>

/* Marks the arguments as unused. */
#define IGNORE(...) ((void)sizeof((int[]){__VA_ARGS__}))

static void gemm(hyla_operation op_a, hyla_operation op_b, int m, int n, int k,
                 double _Complex alpha, const void *a, int lda, const void *b, int ldb,
                 double _Complex beta, void *c, int ldc) {
  IGNORE(op_a, op_b, m, n, k, alpha != 0, a != NULL, lda, b != NULL, ldb, beta != 0, c != NULL,
         ldc);
}

static void trsm(hyla_side side, hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal,
                 int m, int n, double _Complex alpha, const void *t, int ldt, void *b, int ldb) {
  IGNORE((int)side, (int)triangle, op, (int)diagonal, m, n, alpha != 0, t != NULL, ldt, b != NULL,
         ldb);
}

static void trsv(hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal, int n,
                 const void *t, int ldt, void *x) {
  IGNORE(triangle, op, diagonal, n, t != NULL, ldt, x != NULL);
}

static void trtri(hyla_triangle triangle, hyla_diagonal diagonal, int n, void *t, int ldt) {
  IGNORE((int)triangle, (int)diagonal, n, t != NULL, ldt);
}

static void herk(hyla_operation op, int n, int k, double alpha, const void *a, int lda, void *c,
                 int ldc) {
  IGNORE((int)op, n, k, alpha != 0, a != NULL, lda, c != NULL, ldc);
}

static int potrf(int n, void *a, int lda) {
  IGNORE(n, a != NULL, lda);
  return 0;
}

static int getrf(int m, int n, void *a, int lda, int *pivots) {
  IGNORE(m, n, a != NULL, lda);
  for (int i = 0; i < m && i < n; i++) pivots[i] = i;
  return 0;
}

static void ger(int m, int n, double _Complex alpha, const void *x, int incx, const void *y,
                int incy, void *a, int lda) {
  IGNORE(m, n, alpha != 0, x != NULL, incx, y != NULL, incy, a != NULL, lda);
}

static void gemv(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                 const void *x, void *y) {
  IGNORE(op, m, n, alpha != 0, a != NULL, lda, x != NULL, y != NULL);
}

static void hemv(hyla_triangle triangle, int n, double _Complex alpha, const void *a, int lda,
                 const void *x, void *y) {
  IGNORE((int)triangle, n, alpha != 0, a != NULL, lda, x != NULL, y != NULL);
}

static void scale(int n, double _Complex alpha, void *x, int incx) {
  IGNORE(n, alpha != 0, x != NULL, incx);
}

static struct hy_pivot search(int n, const void *x) {
  IGNORE(n, x != NULL);
  return (struct hy_pivot){0};
}

static void swap(int n, void *x, int incx, void *y, int incy) {
  IGNORE(n, x != NULL, incx, y != NULL, incy);
}

static void copy(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                 void *b, int ldb) {
  IGNORE(op, m, n, alpha != 0, a != NULL, lda, b != NULL, ldb);
}

static void turn(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                 void *b, int ldb, bool stream, const void *next) {
  IGNORE(op, m, n, alpha != 0, a != NULL, lda, b != NULL, ldb, stream, next != NULL);
}

static void add(int m, int n, const void *a, int lda, void *b, int ldb) {
  IGNORE(m, n, a != NULL, lda, b != NULL, ldb);
}

static void combine(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                    double _Complex beta, void *b, int ldb) {
  IGNORE(op, m, n, alpha != 0, a != NULL, lda, beta != 0, b != NULL, ldb);
}

static double _Complex get(const void *x, int64_t i) {
  IGNORE(x != NULL, i != 0);
  return 0;
}

static void set(void *x, int64_t i, double _Complex value) {
  IGNORE(x != NULL, i != 0, value != 0);
}

static void add_up(int m, int n, const void *a, int lda, double *sums) {
  IGNORE(m, n, a != NULL, lda, sums != NULL);
}

static void add_weighted(hyla_operation op, int m, int n, const void *a, int lda,
                         const double *weights, double *sums) {
  IGNORE(op, m, n, a != NULL, lda, weights != NULL, sums != NULL);
}

static void add_squared(hyla_operation op, int m, int n, const void *a, int lda, double scale,
                        double *sums) {
  IGNORE(op, m, n, a != NULL, lda, sums != NULL);
  (void)scale;
}

static double largest(int m, int n, const void *a, int lda) {
  IGNORE(m, n, a != NULL, lda);
  return 0;
}

static void pass(int m, int n, const void *a, int lda, const void *x, const double *weights,
                 const struct hy_pass *into) {
  (void)m, (void)n, (void)a, (void)lda, (void)x, (void)weights, (void)into;
}
static bool finite_block(int m, int n, const void *a, int lda) {
  IGNORE(m, n, a != NULL, lda);
  return true;
}

static double squares(int m, int n, const void *a, int lda, double unit) {
  IGNORE(m, n, a != NULL, lda, unit != 0);
  return 0;
}

static void annihilate(int n, void *x, void *y) { IGNORE(n, x != NULL, y != NULL); }

static void rotate(int n, const void *v, void *x, void *y) {
  IGNORE(n, v != NULL, x != NULL, y != NULL);
}

/* Keeps the description of the type and replaces every function. */
#define TABLE(letter, tag, bytes, complex_entries, roundoff)                                       \
  {                                                                                                \
    .name = letter, .type = tag, .size = bytes, .complex_type = complex_entries,                   \
    .epsilon = roundoff, .dry = true, .gemm = gemm, .trsm = trsm, .trsv = trsv, .trtri = trtri,    \
    .herk = herk, .potrf = potrf, .getrf = getrf, .ger = ger, .gerc = ger, .gemv = gemv,           \
    .hemv = hemv, .scale = scale, .divide = scale, .search = search, .swap = swap, .copy = copy,   \
    .turn = turn, .add = add, .combine = combine, .get = get, .set = set, .column_sums = add_up,   \
    .row_sums = add_up, .weighted_sums = add_weighted, .squared_sums = add_squared,                \
    .largest = largest, .pass = pass, .finite = finite_block, .squares = squares,                  \
    .annihilate = annihilate, .rotate = rotate, .rotate_back = rotate                              \
  }

static const struct hy_kernels tables[] = {
    TABLE("s", HYLA_FLOAT, 4, false, 0x1p-24), TABLE("d", HYLA_DOUBLE, 8, false, 0x1p-53),
    TABLE("c", HYLA_COMPLEX, 8, true, 0x1p-24), TABLE("z", HYLA_DOUBLE_COMPLEX, 16, true, 0x1p-53)};

const struct hy_kernels *hy_kernels_dry(hyla_type type) {
  return hy_kernels_of(type) == NULL ? NULL : &tables[type];
}

void hy_copy_entries(const struct hy_kernels *k, void *to, const void *from, int64_t count) {
  if (!k->dry && count > 0) memcpy(to, from, (size_t)count * k->size);
}
