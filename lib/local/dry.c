/* The kernels of dry simulations, which have no data: they do nothing. */
#include "local/local.h"

#include <string.h>

/* They leave their arguments alone. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static void gemm(hyla_operation op_a, hyla_operation op_b, int m, int n, int k,
                 double _Complex alpha, const void *a, int lda, const void *b, int ldb,
                 double _Complex beta, void *c, int ldc) {}
static void trsm(hyla_side side, hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal,
                 int m, int n, double _Complex alpha, const void *t, int ldt, void *b, int ldb) {}
static void trsv(hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal, int n,
                 const void *t, int ldt, void *x) {}
static void trtri(hyla_triangle triangle, hyla_diagonal diagonal, int n, void *t, int ldt) {}
static void herk(hyla_operation op, int n, int k, double alpha, const void *a, int lda, void *c,
                 int ldc) {}
static int potrf(int n, void *a, int lda) { return 0; }
static int getrf(int m, int n, void *a, int lda, int *pivots) {
  for (int i = 0; i < m && i < n; i++) pivots[i] = i;
  return 0;
}
static void qr(int m, int n, void *a, int lda, int *columns, void *tau, void *work) {}
static void ger(int m, int n, double _Complex alpha, const void *x, int incx, const void *y,
                int incy, void *a, int lda) {}
static void gemv(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                 const void *x, void *y) {}
static void hemv(hyla_triangle triangle, int n, double _Complex alpha, const void *a, int lda,
                 const void *x, void *y) {}
static void both(bool below, int m, int n, const void *a, int lda, const void *x, const void *w,
                 void *y, void *z) {}
static void dots(int m, int n, const void *a, int lda, const void *w, void *z) {}
static void pair(int m, int n, const void *a, int lda, const void *x, void *y, void *z) {}
static void settle(int m, const void *factors, const void *v, void *w, void *x) {}
static void scale(int n, double _Complex alpha, void *x, int incx) {}
static struct hy_pivot search(int n, const void *x) { return (struct hy_pivot){0}; }
static void swap(int n, void *x, int incx, void *y, int incy) {}
static void copy(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                 void *b, int ldb) {}
static void turn(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                 void *b, int ldb, bool stream, const void *next) {}
static void add(int m, int n, const void *a, int lda, void *b, int ldb) {}
static void combine(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                    double _Complex beta, void *b, int ldb) {}
static double _Complex get(const void *x, int64_t i) { return 0; }
static void set(void *x, int64_t i, double _Complex value) {}
static void add_up(int m, int n, const void *a, int lda, double *sums) {}
static void add_weighted(hyla_operation op, int m, int n, const void *a, int lda,
                         const double *weights, double *sums) {}
static void add_squared(hyla_operation op, int m, int n, const void *a, int lda, double scale,
                        double *sums) {}
static double largest(int m, int n, const void *a, int lda) { return 0; }
static void pass(int m, int n, const void *a, int lda, const void *x, const double *weights,
                 const struct hy_pass *into) {}
static bool finite_block(int m, int n, const void *a, int lda) { return true; }
static double squares(int m, int n, const void *a, int lda, double unit) { return 0; }
static void annihilate(int n, void *x, void *y) {}
static void rotate(int n, const void *v, void *x, void *y) {}

/* Keeps the description of the type and replaces every function. */
#define TABLE(letter, tag, bytes, complex_entries, roundoff)                                       \
  {                                                                                                \
    .name = letter, .type = tag, .size = bytes, .complex_type = complex_entries,                   \
    .epsilon = roundoff, .dry = true, .gemm = gemm, .trsm = trsm, .trsv = trsv, .trtri = trtri,    \
    .herk = herk, .potrf = potrf, .getrf = getrf, .qr = qr, .ger = ger, .gerc = ger, .gemv = gemv, \
    .hemv = hemv, .both = both, .dots = dots, .pair = pair, .settle = settle, .scale = scale,      \
    .divide = scale, .search = search, .swap = swap, .copy = copy, .turn = turn, .add = add,       \
    .combine = combine, .get = get, .set = set, .column_sums = add_up, .row_sums = add_up,         \
    .weighted_sums = add_weighted, .squared_sums = add_squared, .largest = largest, .pass = pass,  \
    .finite = finite_block, .squares = squares, .annihilate = annihilate, .rotate = rotate,        \
    .rotate_back = rotate                                                                          \
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
