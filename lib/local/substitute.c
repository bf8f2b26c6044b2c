/* A triangular system with one right-hand side on one rank, by the rank's threads.
 *
 * Method: blocks of the diagonal, one after the other.  The caller solves for a block; between
 * blocks the threads share a product of a matrix and a vector:
 *     op(A) = A         x_rest -= A_rest,k x_k after the solution, by strips of rows
 *     op(A) transposed  x_k -= A_done,k^T x_done before the solution, by strips of columns
 * The system is bound by memory: a thread reads its strips from its own core's caches. */
#include "local/local.h"

enum {
  BLOCK = 128,
  STRIP = 64,       /* least rows of a strip: a cache line's end costs nothing then */
  WORTH = 1 << 20,  /* bytes of a triangle that are read in the time of waking the threads */
  SHARED = 64 << 10 /* bytes of a product that threads share */
};

struct substitution {
  const struct hy_kernels *k;
  struct hy_team *team;
  hyla_operation op;
  const char *a;
  int lda;
  char *x;
  int at, width;     /* the block */
  int first, others; /* the rows of the block column that a product reads */
  int strip;         /* its rows or columns in a piece */
};

static const char *entry(const struct substitution *s, int row, int column) {
  return s->a + ((size_t)column * (size_t)s->lda + (size_t)row) * s->k->size;
}

static char *place(const struct substitution *s, int row) {
  return s->x + (size_t)row * s->k->size;
}

static void subtract_strip(void *arg, int64_t index, int thread) {
  const struct substitution *s = arg;
  const int skipped = (int)index * s->strip;
  (void)thread;
  if (s->op == HYLA_NONE) {
    const int row = s->first + skipped, rows = (int)hy_min(s->strip, s->others - skipped);
    s->k->gemv(s->op, rows, s->width, -1, entry(s, row, s->at), s->lda, place(s, s->at),
               place(s, row));
  } else {
    const int column = s->at + skipped, columns = (int)hy_min(s->strip, s->width - skipped);
    s->k->gemv(s->op, s->others, columns, -1, entry(s, s->first, column), s->lda,
               place(s, s->first), place(s, column));
  }
}

/* Subtracts the product with the block's column, by all threads if it is large enough. */
static void subtract(struct substitution *s) {
  if (s->others == 0) return;
  const int whole = s->op == HYLA_NONE ? s->others : s->width;
  const bool shared = (int64_t)s->others * s->width * (int64_t)s->k->size >= SHARED;
  const int threads = shared ? hy_team_threads(s->team) : 1;
  s->strip = (int)hy_ceil_div(hy_ceil_div(whole, threads), STRIP) * STRIP;
  struct hy_work work = {.piece = subtract_strip, .arg = s, .count = hy_ceil_div(whole, s->strip)};
  work.threads = (int)hy_min(threads, work.count);
  hy_team_do(s->team, &work);
}

void hy_substitute(const struct hy_kernels *k, struct hy_team *team, hyla_triangle triangle,
                   hyla_operation op, hyla_diagonal diagonal, int n, const void *a, int lda,
                   void *x) {
  if (team == NULL || (int64_t)n * n / 2 * (int64_t)k->size < WORTH || k->dry) {
    k->trsv(triangle, op, diagonal, n, a, lda, x);
    return;
  }
  struct substitution s = {.k = k, .team = team, .op = op, .a = a, .lda = lda, .x = x};
  const bool down = (triangle == HYLA_LOWER) == (op == HYLA_NONE);
  const int blocks = (int)hy_ceil_div(n, BLOCK);
  for (int step = 0; step < blocks; step++) {
    s.at = (down ? step : blocks - 1 - step) * BLOCK;
    s.width = (int)hy_min(BLOCK, n - s.at);
    const int after = s.at + s.width;
    const bool behind = triangle == HYLA_LOWER; /* the block column lies below its diagonal block */
    s.first = behind ? after : 0;
    s.others = behind ? n - after : s.at;
    if (op != HYLA_NONE) subtract(&s);
    k->trsv(triangle, op, diagonal, s.width, entry(&s, s.at, s.at), lda, place(&s, s.at));
    if (op == HYLA_NONE) subtract(&s);
  }
}
