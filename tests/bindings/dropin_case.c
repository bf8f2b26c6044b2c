/* Arrays as ScaLAPACK has them, for the tests of the drop-in. */
#include "dropin_case.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *p, int *q, int *row, int *col);
void Cblacs_gridexit(int context);
void Cdgsum2d(int context, const char *scope, const char *topology, int m, int n, double *a, int ld,
              int row, int col);

enum { M = 2, N, MB, NB, RSRC, CSRC, LLD };

void grid_open(struct grid *grid, const char *order, int p, int q) {
  Cblacs_get(-1, 0, &grid->context);
  Cblacs_gridinit(&grid->context, order, p, q);
  Cblacs_gridinfo(grid->context, &grid->p, &grid->q, &grid->row, &grid->col);
}

void grid_close(struct grid *grid) { Cblacs_gridexit(grid->context); }

static double uniform(int row, int col, uint64_t salt) {
  uint64_t x = ((uint64_t)row << 32 | (uint64_t)col) + salt * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53 - 0.5;
}

double _Complex entry_random(int n, int row, int col) {
  (void)n;
  return uniform(row, col, 1) + uniform(row, col, 2) * I;
}

/* Entries of a well conditioned matrix that cannot be factored without row swaps. */
double _Complex entry_pivoting(int n, int row, int col) {
  return entry_random(n, row, col) + ((row + n / 3 + 1) % n == col ? n : 0);
}

double _Complex entry_hermitian(int n, int row, int col) {
  int low = row > col ? row : col, high = row > col ? col : row;
  double _Complex lower = entry_random(n, low, high);
  return row == col ? n + creal(lower) : row > col ? lower : conj(lower);
}

double _Complex entry_singular(int n, int row, int col) {
  return col == n / 2 ? 0 : entry_pivoting(n, row, col);
}

double _Complex entry_indefinite(int n, int row, int col) {
  return entry_hermitian(n, row, col) - (row == col && row == 2 * n / 3 ? 2 * n : 0);
}

static size_t size_of(int type) { return (size_t)(type % 2 + 1) * 4 * (type >= C ? 2 : 1); }

static double _Complex get(const struct array *a, int64_t at) {
  switch (a->type) {
  case S: return ((const float *)a->data)[at];
  case D: return ((const double *)a->data)[at];
  case C: return ((const float _Complex *)a->data)[at];
  default: return ((const double _Complex *)a->data)[at];
  }
}

static void set(struct array *a, int64_t at, double _Complex value) {
  switch (a->type) {
  case S: ((float *)a->data)[at] = (float)creal(value); break;
  case D: ((double *)a->data)[at] = creal(value); break;
  case C: ((float _Complex *)a->data)[at] = (float _Complex)value; break;
  default: ((double _Complex *)a->data)[at] = value;
  }
}

static int held(int n, int block, int me, int source, int processes) {
  int rows = 0, first = (me - source + processes) % processes;
  for (int b = first; b * block < n; b += processes)
    rows += n - b * block < block ? n - b * block : block;
  return rows;
}

static int global(int local, int block, int me, int source, int processes) {
  return (local / block * processes + (me - source + processes) % processes) * block +
         local % block;
}

int array_row(const struct grid *g, const struct array *a, int local) {
  return global(local, a->desc[MB], g->row, a->desc[RSRC], g->p) - (a->i - 1);
}

static int col_of(const struct grid *g, const struct array *a, int local) {
  return global(local, a->desc[NB], g->col, a->desc[CSRC], g->q) - (a->j - 1);
}

static bool is_inside(const struct array *a, int row, int col) {
  return row >= 0 && row < a->rows && col >= 0 && col < a->cols;
}

static int draw(int low, int high) { return (int)harness_draw(low, high); }

/* The value in a column beyond the array, which nobody may write. */
static const double _Complex GUARD = -55 + 11 * I;

void array_fill(const struct grid *grid, struct array *a, entry *of) {
  const int lld = a->desc[LLD], n = a->rows > a->cols ? a->rows : a->cols;
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < lld; r++) {
      int row = r < a->local_rows ? array_row(grid, a, r) : -1, col = col_of(grid, a, c);
      set(a, r + (int64_t)c * lld, is_inside(a, row, col) ? of(n, row, col) : 77 + 5 * I);
    }
}

struct array array_make(const struct grid *grid, int type, int rows, int cols, int square,
                        entry *of) {
  struct array a = {.type = type, .rows = rows, .cols = cols};
  int mb = square > 0 ? square : draw(1, 9), nb = square > 0 ? square : draw(1, 9);
  a.i = square > 0 ? 1 + square * draw(0, 2) : draw(1, 8);
  a.j = square > 0 ? 1 + square * draw(0, 2) : draw(1, 8);
  a.m = a.i - 1 + rows + draw(0, 3);
  a.n = a.j - 1 + cols + draw(0, 3);
  int source = draw(0, grid->p - 1), source_col = draw(0, grid->q - 1), spare = draw(0, 2);
  a.local_rows = held(a.m, mb, grid->row, source, grid->p);
  a.local_cols = held(a.n, nb, grid->col, source_col, grid->q);
  int lld = (a.local_rows > 1 ? a.local_rows : 1) + spare;
  int desc[9] = {1, grid->context, a.m, a.n, mb, nb, source, source_col, lld};
  memcpy(a.desc, desc, sizeof desc);
  a.data = calloc((size_t)lld * (size_t)(a.local_cols + 1), size_of(type));
  assert_non_null(a.data);
  for (int r = 0; r < lld; r++) set(&a, r + (int64_t)a.local_cols * lld, GUARD);
  array_fill(grid, &a, of);
  return a;
}

struct array array_copy(const struct array *from) {
  struct array a = *from;
  size_t bytes = (size_t)a.desc[LLD] * (size_t)(a.local_cols + 1) * size_of(a.type);
  a.data = malloc(bytes);
  assert_non_null(a.data);
  memcpy(a.data, from->data, bytes);
  return a;
}

void array_free(struct array *array) {
  const double _Complex guard = array->type >= C ? GUARD : creal(GUARD);
  for (int r = 0; r < array->desc[LLD]; r++)
    assert_true(get(array, r + (int64_t)array->local_cols * array->desc[LLD]) == guard);
  free(array->data);
  array->data = NULL;
}

void array_scale(struct array *a, int exponent) {
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->local_rows; r++) {
      int64_t at = r + (int64_t)c * a->desc[LLD];
      double _Complex x = get(a, at);
      set(a, at, ldexp(creal(x), exponent) + ldexp(cimag(x), exponent) * I);
    }
}

void array_spoil(const struct grid *grid, struct array *a, bool keeps_lower) {
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->local_rows; r++) {
      int row = array_row(grid, a, r), col = col_of(grid, a, c);
      if (is_inside(a, row, col) && (keeps_lower ? row < col : row > col))
        set(a, r + (int64_t)c * a->desc[LLD], (double)NAN);
    }
}

void array_clear_below(const struct grid *grid, struct array *a) {
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->local_rows; r++) {
      int row = array_row(grid, a, r), col = col_of(grid, a, c);
      if (is_inside(a, row, col) && row > col) set(a, r + (int64_t)c * a->desc[LLD], 0);
    }
}

double array_clear_rows(const struct grid *grid, struct array *a, int first) {
  double sum = 0;
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->local_rows; r++) {
      int row = array_row(grid, a, r), col = col_of(grid, a, c);
      if (!is_inside(a, row, col) || row < first) continue;
      double size = cabs(get(a, r + (int64_t)c * a->desc[LLD]));
      sum += size * size;
      set(a, r + (int64_t)c * a->desc[LLD], 0);
    }
  Cdgsum2d(grid->context, "All", " ", 1, 1, &sum, 1, -1, -1);
  return sum;
}

double array_norm(const struct grid *grid, const struct array *a, bool of_rows, char part) {
  enum { MOST = 64 };
  double sums[MOST] = {0}, largest = 0;
  assert_true(a->rows <= MOST && a->cols <= MOST);
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->local_rows; r++) {
      int row = array_row(grid, a, r), col = col_of(grid, a, c);
      bool counts = part == 'A' || (part == 'L' ? row >= col : row <= col);
      if (!is_inside(a, row, col) || !counts) continue;
      double size = cabs(get(a, r + (int64_t)c * a->desc[LLD]));
      sums[of_rows ? row : col] += size;
      if (part != 'A' && row != col) sums[of_rows ? col : row] += size;
    }
  Cdgsum2d(grid->context, "All", " ", MOST, 1, sums, MOST, -1, -1);
  for (int i = 0; i < MOST; i++) largest = fmax(largest, sums[i]);
  return largest;
}

double _Complex *array_whole(const struct grid *grid, const struct array *a) {
  const int count = a->rows * a->cols;
  double _Complex *whole = calloc((size_t)count + 1, sizeof *whole);
  assert_non_null(whole);
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->local_rows; r++) {
      int row = array_row(grid, a, r), col = col_of(grid, a, c);
      if (is_inside(a, row, col))
        whole[row + col * a->rows] = get(a, r + (int64_t)c * a->desc[LLD]);
    }
  Cdgsum2d(grid->context, "All", " ", 2 * count + 1, 1, (double *)(void *)whole, 2 * count + 1, -1,
           -1);
  return whole;
}

bool array_rows_begin_together(const struct grid *grid, const struct array *a,
                               const struct array *b) {
  int one = (a->i - 1) / a->desc[MB] + a->desc[RSRC];
  int other = (b->i - 1) / b->desc[MB] + b->desc[RSRC];
  return (one - other) % grid->p == 0;
}

double array_difference(const struct grid *grid, const struct array *a, const struct array *b) {
  double largest = 0, difference = 0;
  const size_t size = size_of(a->type);
  for (int c = 0; c < a->local_cols; c++)
    for (int r = 0; r < a->desc[LLD]; r++) {
      int64_t at = r + (int64_t)c * a->desc[LLD];
      int row = r < a->local_rows ? array_row(grid, a, r) : -1, col = col_of(grid, a, c);
      double _Complex x = get(a, at), y = get(b, at);
      if (!is_inside(a, row, col) || isnan(creal(y))) {
        if (memcmp((char *)a->data + (size_t)at * size, (char *)b->data + (size_t)at * size,
                   size) != 0)
          return HUGE_VAL;
        continue;
      }
      largest = fmax(largest, cabs(y));
      difference = isnan(cabs(x - y)) ? HUGE_VAL : fmax(difference, cabs(x - y));
    }
  return largest > 0 ? difference / largest : difference;
}

double unit_of(int type) { return type == S || type == C ? FLT_EPSILON : DBL_EPSILON; }

bool next_grid(struct walk *walk) {
  const int ranks = harness_ranks();
  if (walk->p > 0) grid_close(&walk->grid);
  do walk->p++;
  while (walk->p < ranks && ranks % walk->p != 0);
  if (walk->p > ranks) return false;
  grid_open(&walk->grid, draw(0, 1) == 0 ? "Row" : "Column", walk->p, ranks / walk->p);
  return true;
}

int *getri_integers(const struct array *x, int asked) {
  int *integers = calloc((size_t)asked + (size_t)x->m + (size_t)x->n, sizeof *integers);
  assert_non_null(integers);
  return integers;
}

/* On more than two ranks ScaLAPACK's ranks wait in a loop, so fewer types are taken. */
int type_step(void) { return harness_ranks() > 2 ? TYPES : 1; }
int first_type(void) { return draw(0, type_step() - 1); }

struct harness_walk some_trials(int64_t count) {
  return harness_walk(count, harness_ranks() > 2 ? (count + 1) / 2 : count);
}

union scalar scalar_of(int type, double re, double im) {
  union scalar s;
  if (type == S || type == C) {
    s.single[0] = (float)re;
    s.single[1] = (float)im;
  } else {
    s.real[0] = re;
    s.real[1] = im;
  }
  return s;
}

void assert_near(const struct grid *grid, const struct array *mine, const struct array *theirs,
                 double bound) {
  double difference = array_difference(grid, mine, theirs);
  harness_note("%c: difference %g, bound %g", LETTERS[mine->type], difference, bound);
  assert_true(difference <= bound);
}

routine *routine_of(int type, const char *name) {
  char text[32];
  routine *found = NULL;
  snprintf(text, sizeof text, "p%c%s_", LETTERS[type], name);
  void *symbol = dlsym(RTLD_DEFAULT, text);
  assert_non_null(symbol);
  memcpy(&found, &symbol, sizeof found);
  return found;
}

void take_all(void) { setenv("HYLA_SCALAPACK_FROM", "0", 1); }
void take_none(void) { setenv("HYLA_SCALAPACK_FROM", "1e300", 1); }
