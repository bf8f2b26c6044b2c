/* Code that is tuned to OpenBLAS.  See kernels.h. */
#include "local/kernels.h"

#include <cblas.h>
#include <string.h>
#include <sys/mman.h>

/* In a product with few rows and many columns OpenBLAS packs all of B before it takes the next rows
 * of A.  If B comes in strips, it stays in the caches. */
enum {
  SHORT = 512, /* a product of up to SHORT rows is multiplied in strips */
  STRIP = 8192 /* bytes of a row of B in a strip; in single precision twice that */
};

int hy_openblas_strip(int m, int n, size_t size, size_t part) {
  const int width = STRIP * (int)(sizeof(double) / part) / (int)size;
  return m <= SHORT && n > 2 * width ? width : n;
}

/* OpenBLAS multiplies matrices with m n k up to 10^6 without packing them, if it has kernels for
 * that: in double precision those for AVX-512, for matrices that are not transposed.  Packing B
 * pays only for many rows of A, so a product with few rows and many columns is made of such
 * tiles. */
enum { TILE_WORK = 1000000, TILE_ROWS = 96, TILE_COLUMNS = 32, TILE_LEAST = 64, TILE_MOST = 512 };

static bool has_small_kernels(void) {
  const char *core = openblas_get_corename();
  return strcmp(core, "SkylakeX") == 0 || strcmp(core, "Cooperlake") == 0 ||
         strcmp(core, "SapphireRapids") == 0;
}

bool hy_openblas_tiles_pay(hyla_operation op_a, hyla_operation op_b, int m, int n, int k) {
  return op_a == HYLA_NONE && op_b == HYLA_NONE && m <= SHORT &&
         n > 2 * STRIP / (int)sizeof(double) && k >= TILE_LEAST && k <= TILE_MOST &&
         hy_blas_threads() == 1 && has_small_kernels();
}

void hy_openblas_multiply_tiles(int m, int n, int k, double alpha, const double *a, int lda,
                                const double *b, int ldb, double *c, int ldc) {
  const int columns = (int)hy_min(TILE_COLUMNS, TILE_WORK / (TILE_ROWS * k) / 8 * 8);
  for (int64_t j = 0; j < n; j += columns)
    for (int64_t i = 0; i < m; i += TILE_ROWS)
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)hy_min(TILE_ROWS, m - i),
                  (int)hy_min(columns, n - j), k, alpha, a + i, lda, b + j * ldb, ldb, 0,
                  c + i + j * ldc, ldc);
}

/* OpenBLAS clears all of C, through the caches, before it adds.  A large C is then read, written
 * and read again.  With several threads OpenBLAS clears in parallel, which the caller could not. */
enum { LARGE = 11 << 20 };

bool hy_openblas_clear_first(int64_t bytes) { return bytes >= LARGE && hy_blas_threads() == 1; }

/* The inner dimension that OpenBLAS takes in one go.  It cuts a longer one, and one up to twice as
 * long in halves.  In single precision the limit is 320, so 384 would be slower. */
int64_t hy_kernels_depth(const struct hy_kernels *k) { return k->type == HYLA_FLOAT ? 320 : 384; }
const char *hy_blas_name(void) { return openblas_get_config(); }
int hy_blas_threads(void) { return openblas_get_num_threads(); }

void hy_openblas_use(int threads) {
  if (threads > 0 && threads != openblas_get_num_threads()) openblas_set_num_threads(threads);
}

/* Operations of about a millisecond of one core. */
enum { WORTH_THREADS = 50000000 };

int hy_openblas_use_for(double flops) {
  const int threads = openblas_get_num_threads();
  if (threads == 1 || flops >= WORTH_THREADS) return 0;
  openblas_set_num_threads(1);
  return threads;
}

int hy_openblas_use_for_bytes(double bytes) {
  enum { READ = 1 << 20 }; /* bytes that take a tenth of a millisecond */
  return hy_openblas_use_for(bytes >= READ ? WORTH_THREADS : 0);
}

/* Does the limit on addresses leave `bytes' bytes? */
static bool is_there(size_t bytes) {
  void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return place != MAP_FAILED && munmap(place, bytes) == 0;
}

/* Makes one product in which all threads take part. */
static hyla_status multiply_once(struct hy_base *base, int threads) {
  enum { ALONE = 2, TOGETHER = 128 };
  const int n = threads > 1 ? TOGETHER : ALONE;
  double *a = NULL;
  TRY(hy_alloc(base, INT64_C(2) * n * n, sizeof *a, &a));
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, a, n, 0, a + n * n, n);
  hy_free(base, &a);
  return HYLA_OK;
}

/* OpenBLAS allocates a buffer for each of its threads when the thread starts, and one for the
 * caller in its first product, and keeps them.  If it gets no memory it tries again for ever, so
 * the check comes first. */
hyla_status hy_blas_start(struct hy_base *base, int threads) {
  const size_t buffer = (size_t)32 << 22, beside = (size_t)1 << 20;
  const int before = hy_blas_threads();
  if (threads <= 0) threads = before;
  size_t bytes = buffer * (size_t)(1 + hy_max(0, threads - before)) + beside;
  CHECK(base, is_there(bytes), MEMORY,
        "out of memory: %zu bytes for OpenBLAS' buffers on rank %d; give the process more (ulimit "
        "-v), or set OPENBLAS_NUM_THREADS=1, as each of its threads takes one",
        bytes, base->rank);
  if (threads != before) openblas_set_num_threads(threads);
  return multiply_once(base, threads);
}
