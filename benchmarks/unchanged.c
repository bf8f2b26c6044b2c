/* A ScaLAPACK program that does not know hyla: benchmarks/dropin times it as it is, and with the
 * drop-in before ScaLAPACK.
 *
 *   mpiexec -n P benchmarks/unchanged OPERATION N [BLOCK [REPEAT [ROWS [TYPE]]]]
 *
 * OPERATION is gemm (C := A B), gesv (A x = b, one right-hand side), potrf (A = L L^T), trsm (L X =
 * B, n columns), getrs (n columns), getri, tran, gemr2d (to blocks half as long) or one of
 * unchanged_more.c, in double precision on the most nearly square grid P x Q with P <= Q, or with
 * ROWS process rows.  Prints the median seconds of the slowest process, without the first run.
 * trsm-cases prints a line for each case of p?trsm, type s, d, c or z: its letters and its best
 * seconds. */
#include "unchanged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEAT_MAX = 101 };
static const int ONE = 1;

void Cblacs_gridinfo(int context, int *p, int *q, int *row, int *col);
int numroc_(const int *n, const int *block, const int *me, const int *source, const int *processes);

static double uniform(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53 - 0.5;
}

/* Adds `diagonal' to the diagonal.  symmetric: entries (i, j) and (j, i) are equal. */
static void fill(const struct work *w, double *x, double diagonal, int symmetric) {
  for (int c = 0; c < w->cols; c++)
    for (int r = 0; r < w->rows; r++) {
      uint64_t i = (uint64_t)global_index(r, w->block, w->row, w->p);
      uint64_t j = (uint64_t)global_index(c, w->block, w->col, w->q);
      uint64_t low = i > j && symmetric ? j : i, high = i > j && symmetric ? i : j;
      x[r + (int64_t)c * w->rows] = uniform((low << 32 | high) + 1) + (i == j ? diagonal : 0);
    }
}

static int prepare(struct work *w) {
  const int zero = 0, half = w->block / 2 > 0 ? w->block / 2 : 1;
  int info = 0, lld;
  Cblacs_gridinfo(w->context, &w->p, &w->q, &w->row, &w->col);
  w->rows = numroc_(&w->n, &w->block, &w->row, &zero, &w->p);
  w->cols = numroc_(&w->n, &w->block, &w->col, &zero, &w->q);
  lld = w->rows > 0 ? w->rows : 1;
  descinit_(w->desc, &w->n, &w->n, &w->block, &w->block, &zero, &zero, &w->context, &lld, &info);
  int half_rows = numroc_(&w->n, &half, &w->row, &zero, &w->p);
  lld = half_rows > 0 ? half_rows : 1;
  descinit_(w->desc_half, &w->n, &w->n, &half, &half, &zero, &zero, &w->context, &lld, &info);
  const size_t entries = (size_t)(w->rows + w->block) * (size_t)(w->cols + w->block) + 1;
  w->words = (w->rows + w->block) * w->block + w->block;
  w->integer_count = 4 * w->n + 4096;
  w->a = malloc(entries * sizeof *w->a);
  w->b = malloc(entries * sizeof *w->b);
  w->c = malloc(entries * sizeof *w->c);
  w->room = malloc((size_t)w->words * sizeof *w->room);
  w->pivots = malloc((size_t)(w->rows + w->block) * sizeof *w->pivots);
  w->integers = malloc((size_t)w->integer_count * sizeof *w->integers);
  return w->a && w->b && w->c && w->room && w->pivots && w->integers;
}

/* Restores what a run overwrites, factors too. */
static int make(struct work *w, const char *operation) {
  int info = 0;
  const int definite = strcmp(operation, "potrf") == 0 || strcmp(operation, "trsm") == 0;
  const int symmetric = definite || strncmp(operation, "syev", 4) == 0;
  fill(w, w->a, definite ? w->n : 0, symmetric);
  fill(w, w->b, 0, 0);
  fill(w, w->c, 0, 0);
  if (strcmp(operation, "getrs") == 0 || strcmp(operation, "getri") == 0)
    pdgetrf_(&w->n, &w->n, w->a, &ONE, &ONE, w->desc, w->pivots, &info);
  if (strcmp(operation, "ormqr") == 0 || strcmp(operation, "orgqr") == 0) info = factor_for_q(w);
  return info;
}

static int run(struct work *w, const char *operation) {
  const double one = 1, zero = 0;
  const int *n = &w->n, *desc = w->desc;
  int info = 0;
  if (strcmp(operation, "gemm") == 0)
    pdgemm_("N", "N", n, n, n, &one, w->a, &ONE, &ONE, desc, w->b, &ONE, &ONE, desc, &zero, w->c,
            &ONE, &ONE, desc);
  else if (strcmp(operation, "gesv") == 0)
    pdgesv_(n, &ONE, w->a, &ONE, &ONE, desc, w->pivots, w->b, &ONE, &ONE, desc, &info);
  else if (strcmp(operation, "potrf") == 0)
    pdpotrf_("L", n, w->a, &ONE, &ONE, desc, &info);
  else if (strcmp(operation, "trsm") == 0)
    pdtrsm_("L", "L", "N", "N", n, n, &one, w->a, &ONE, &ONE, desc, w->b, &ONE, &ONE, desc);
  else if (strcmp(operation, "getrs") == 0)
    pdgetrs_("N", n, &w->sides, w->a, &ONE, &ONE, desc, w->pivots, w->b, &ONE, &ONE, desc, &info);
  else if (strcmp(operation, "getri") == 0)
    pdgetri_(n, w->a, &ONE, &ONE, desc, w->pivots, w->room, &w->words, w->integers,
             &w->integer_count, &info);
  else if (strcmp(operation, "tran") == 0)
    pdtran_(n, n, &one, w->a, &ONE, &ONE, desc, &zero, w->c, &ONE, &ONE, desc);
  else if (strcmp(operation, "gemr2d") == 0)
    pdgemr2d_(n, n, w->a, &ONE, &ONE, desc, w->c, &ONE, &ONE, w->desc_half, &w->context);
  else
    return run_more(w, operation);
  return info;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int measure(struct work *w, const char *operation, int repeat) {
  double seconds[REPEAT_MAX];
  int info = 0;
  for (int i = -1; i < repeat && info == 0; i++) {
    info = make(w, operation);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (info == 0) info = run(w, operation);
    double mine = MPI_Wtime() - start, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i >= 0) seconds[i] = slowest;
  }
  qsort(seconds, (size_t)repeat, sizeof *seconds, compare);
  if (info == 0 && w->row == 0 && w->col == 0) printf("%.7f\n", seconds[repeat / 2]);
  return info;
}

static int time_one(struct work *w, const char *operation, char type, int repeat) {
  if (strcmp(operation, "trsm-cases") == 0) return time_cases(w, type, repeat);
  return measure(w, operation, repeat);
}

int main(int count, char **texts) {
  MPI_Init(&count, &texts);
  struct work w = {.n = count > 2 ? atoi(texts[2]) : 0, .block = count > 3 ? atoi(texts[3]) : 64};
  int repeat = count > 4 ? atoi(texts[4]) : 5, ranks = 0, p = 1, code = 2;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i * i <= ranks; i++)
    if (ranks % i == 0) p = i;
  if (count > 5 && atoi(texts[5]) > 0 && ranks % atoi(texts[5]) == 0) p = atoi(texts[5]);
  w.sides = w.n;
  w.context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&w.context, "Row", p, ranks / p);
  if (w.n > 0 && w.block > 0 && repeat > 0 && repeat <= REPEAT_MAX && prepare(&w))
    code = time_one(&w, texts[1], count > 6 ? texts[6][0] : 'd', repeat) == 0 ? 0 : 1;
  if (code == 2) fprintf(stderr, "usage: unchanged OPERATION N [BLOCK [REPEAT [ROWS [TYPE]]]]\n");
  Cblacs_gridexit(w.context);
  MPI_Finalize();
  return code;
}
