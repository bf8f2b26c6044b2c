/* p?trsm for unchanged.c in all its cases: side, triangle, op; each the best of some runs. */
#include "unchanged.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void trsm(const char *side, const char *triangle, const char *op, const char *diagonal,
                  const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                  const int *ja, const int *desc_a, void *b, const int *ib, const int *jb,
                  const int *desc_b);
trsm pstrsm_, pctrsm_, pztrsm_;
static const int ONE = 1;

/* A type: its letter, the bytes of an entry, its routine, the number 1. */
struct type {
  char letter;
  size_t bytes;
  trsm *solve;
  const void *one;
  const char *ops;
};

static void solve_double(const char *side, const char *triangle, const char *op,
                         const char *diagonal, const int *m, const int *n, const void *alpha,
                         const void *a, const int *ia, const int *ja, const int *desc_a, void *b,
                         const int *ib, const int *jb, const int *desc_b) {
  pdtrsm_(side, triangle, op, diagonal, m, n, alpha, a, ia, ja, desc_a, b, ib, jb, desc_b);
}

static const float SINGLE[] = {1, 0};
static const double DOUBLE[] = {1, 0};
static const struct type TYPES[] = {{'s', 4, pstrsm_, SINGLE, "NT"},
                                    {'d', 8, solve_double, DOUBLE, "NT"},
                                    {'c', 8, pctrsm_, SINGLE, "NTC"},
                                    {'z', 16, pztrsm_, DOUBLE, "NTC"}};

static void set(const struct type *type, void *x, int64_t at, double value) {
  if (type->letter == 's') ((float *)x)[at] = (float)value;
  if (type->letter == 'd') ((double *)x)[at] = value;
  if (type->letter == 'c') ((float _Complex *)x)[at] = (float _Complex)(value * (1 + 0.5 * I));
  if (type->letter == 'z') ((double _Complex *)x)[at] = value * (1 + 0.5 * I);
}

/* Repeated solutions keep the size of B: entries of order 1 on the diagonal, 1 / n beside it. */
static void fill(const struct work *w, const struct type *type, void *a, void *b) {
  for (int c = 0; c < w->cols; c++)
    for (int r = 0; r < w->rows; r++) {
      const int64_t at = r + (int64_t)c * w->rows;
      const int i = global_index(r, w->block, w->row, w->p);
      const int j = global_index(c, w->block, w->col, w->q);
      const double value = (double)((i * INT64_C(7919) + j * INT64_C(104729)) % 1000) / 1000 - 0.5;
      set(type, a, at, i == j ? 0.9 : value / w->n);
      set(type, b, at, value);
    }
}

static double seconds_of(const struct work *w, const struct type *type, const char form[3],
                         const void *a, void *b) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime(), slowest = 0;
  type->solve(form, form + 1, form + 2, "N", &w->n, &w->n, type->one, a, &ONE, &ONE, w->desc, b,
              &ONE, &ONE, w->desc);
  double mine = MPI_Wtime() - start;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int time_cases(const struct work *w, char letter, int repeat) {
  const struct type *type = NULL;
  for (int i = 0; i < 4; i++)
    if (TYPES[i].letter == letter) type = &TYPES[i];
  if (type == NULL) return -1;
  const size_t entries = (size_t)w->rows * (size_t)w->cols + 1;
  void *a = malloc(entries * type->bytes), *b = malloc(entries * type->bytes);
  for (int at = 0; a != NULL && b != NULL && at < 4 * (int)strlen(type->ops); at++) {
    const char form[3] = {"LR"[at % 4 / 2], "LU"[at % 2], type -> ops[at / 4]};
    double best = 0;
    fill(w, type, a, b);
    for (int i = -1; i < repeat; i++) {
      double seconds = seconds_of(w, type, form, a, b);
      if (i == 0 || (i > 0 && seconds < best)) best = seconds;
    }
    if (w->row == 0 && w->col == 0) printf("%c%c%c %.6f\n", form[0], form[1], form[2], best);
  }
  const int code = a != NULL && b != NULL ? 0 : 1;
  free(a);
  free(b);
  return code;
}
