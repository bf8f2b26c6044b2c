/* The drop-in's eigensolvers p?syev, p?syevd, p?syevx, p?syevr (p?heev, ...) compared with
 * ScaLAPACK itself: values, their numbers, IFAIL, ICLUSTR and GAP; the vectors satisfy A Z = Z W
 * and are orthogonal; the triangle that is not meant is not read. */
// ranks: 1 2 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }

enum { MOST = 64, PROCESSES = 16 };

/* A call: what is asked for, and what comes back. */
struct call {
  char job, range, triangle;
  union scalar low, high, tolerance, orthogonal;
  int first, last, m, nz, info;
  double values[MOST], gap[PROCESSES];
  int failed[MOST], clusters[2 * PROCESSES];
};

/* A query writes more than a length: p?heevx the bounds too. */
struct room {
  union scalar words[4], reals[4];
  int integers[4], lengths[3];
};

/* The routine with the lengths in the room. */
static void invoke(const char *name, struct call *c, struct array *a, struct array *z,
                   struct room *r, void *work, void *more, int *ints) {
  routine *f = routine_of(a->type, name);
  int *l = r->lengths, *n = &a->rows;
  const bool complex_type = a->type >= C;
#define HEAD &c->job, &c->triangle, n, PLACE(*a), c->values, PLACE(*z), work, &l[0]
#define EXPERT                                                                                     \
  &c->job, &c->range, &c->triangle, n, PLACE(*a), &c->low, &c->high, &c->first, &c->last
#define TAIL c->failed, c->clusters, c->gap, &c->info
  switch (name[strlen(name) - 1]) {
  case 'v':
    if (complex_type)
      f(HEAD, more, &l[1], &c->info);
    else
      f(HEAD, &c->info);
    break;
  case 'd':
    if (complex_type)
      f(HEAD, more, &l[1], ints, &l[2], &c->info);
    else
      f(HEAD, ints, &l[2], &c->info);
    break;
  case 'x':
    if (complex_type)
      f(EXPERT, &c->tolerance, &c->m, &c->nz, c->values, &c->orthogonal, PLACE(*z), work, &l[0],
        more, &l[1], ints, &l[2], TAIL);
    else
      f(EXPERT, &c->tolerance, &c->m, &c->nz, c->values, &c->orthogonal, PLACE(*z), work, &l[0],
        ints, &l[2], TAIL);
    break;
  default:
    if (complex_type)
      f(EXPERT, &c->m, &c->nz, c->values, PLACE(*z), work, &l[0], more, &l[1], ints, &l[2],
        &c->info);
    else
      f(EXPERT, &c->m, &c->nz, c->values, PLACE(*z), work, &l[0], ints, &l[2], &c->info);
  }
}

static int length_of(int type, const union scalar *words) {
  return is_single(type) ? (int)words->single[0] : (int)words->real[0];
}

static void make_double(int type, double *values, int count) {
  float single[MOST];
  if (!is_single(type)) return;
  memcpy(single, values, sizeof single);
  for (int k = 0; k < count; k++) values[k] = (double)single[k];
}

/* Asks for the workspaces, and calls.  Values of single precision become double. */
static void solve(const char *name, struct call *c, struct array *a, struct array *z) {
  struct room r = {.lengths = {-1, -1, -1}};
  c->info = 99;
  invoke(name, c, a, z, &r, r.words, r.reals, r.integers);
  assert_int_equal(c->info, 0);
  r.lengths[0] = length_of(a->type, r.words) + 8 * MOST;
  r.lengths[1] = length_of(a->type, r.reals) + 8 * MOST;
  r.lengths[2] = r.integers[0] + 8 * MOST;
  void *work = calloc((size_t)r.lengths[0], 16), *more = calloc((size_t)r.lengths[1], 16);
  int *ints = calloc((size_t)r.lengths[2], sizeof *ints);
  assert_true(work != NULL && more != NULL && ints != NULL);
  c->info = 99;
  invoke(name, c, a, z, &r, work, more, ints);
  make_double(a->type, c->values, MOST);
  free(ints), free(more), free(work);
}

/* Positive and negative, simple values. */
static double _Complex entry_spread(int n, int row, int col) {
  const double _Complex e = entry_hermitian(n, row, col);
  return row == col ? 4 * (row - n / 3) + creal(e) - n : e;
}

/* |A Z - Z W| and |Z^H Z - I| for the first m columns, in units of n ulp. */
static void check_vectors(struct grid *grid, const struct array *a, const struct array *z,
                          const double *values, int m, double unit) {
  const int n = a->rows;
  double _Complex *full = array_whole(grid, a), *v = array_whole(grid, z);
  double residual = 0, size = 0, orthogonality = 0;
  for (int e = 0; e < n * n; e++) size += pow(cabs(full[e]), 2);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      double _Complex sum = -values[j] * v[i + j * n], product = i == j ? -1 : 0;
      for (int k = 0; k < n; k++) sum += full[i + k * n] * v[k + j * n];
      for (int k = 0; k < n && i < m; k++) product += conj(v[k + i * n]) * v[k + j * n];
      residual += pow(cabs(sum), 2);
      if (i < m) orthogonality += pow(cabs(product), 2);
    }
  residual = sqrt(residual) / (sqrt(size) * n * unit);
  orthogonality = sqrt(orthogonality) / (n * unit);
  free(full), free(v);
  if (!(residual <= 1) || !(orthogonality <= (n < 17 ? 4 : 2)))
    fail_msg("residual %g, orthogonality %g", residual, orthogonality);
}

/* mine: what the drop-in found; all: all values, by ScaLAPACK's p?syev. */
static void compare(const struct call *mine, const double *all, int n, const char *kind, int type,
                    int processes) {
  const bool expert = strcmp(kind, "evx") == 0 || strcmp(kind, "evr") == 0;
  int first = 0, count = n;
  double largest = n;
  for (int k = 0; k < n; k++) largest = fmax(largest, fabs(all[k]));
  if (expert && mine->range == 'I') first = mine->first - 1, count = mine->last - first;
  if (expert && mine->range == 'V') {
    const double low = -1.5 * n, high = .5 * n;
    while (first < n && all[first] <= low) first++;
    for (count = 0; first + count < n && all[first + count] <= high;) count++;
  }
  if (expert) assert_int_equal(mine->m, count);
  if (expert && mine->job == 'V') assert_int_equal(mine->nz, count);
  for (int k = 0; k < count; k++)
    if (!(fabs(mine->values[k] - all[first + k]) <= 40 * (n + 5) * unit_of(type) * largest))
      fail_msg("value %d: %.17g, not %.17g", k, mine->values[k], all[first + k]);
  if (strcmp(kind, "evx") != 0 || mine->job == 'N') return;
  for (int k = 0; k < count; k++) assert_int_equal(mine->failed[k], 0);
  for (int k = 0; k < 2 * processes; k++) assert_int_equal(mine->clusters[k], 0);
}

static void try_spectrum(struct grid *grid, int type, const char *kind) {
  const int n = draw(1, 40);
  char name[8];
  struct call mine = {.job = strcmp(kind, "evd") == 0 ? 'V' : "NV"[draw(0, 1)],
                      .range = "AIV"[draw(0, 2)],
                      .triangle = "LU"[draw(0, 1)],
                      .tolerance = scalar_of(type, 0, 0),
                      .orthogonal = scalar_of(type, 1e-3, 0),
                      .low = scalar_of(type, -1.5 * n, 0),
                      .high = scalar_of(type, .5 * n, 0)};
  mine.first = draw(1, n), mine.last = draw(mine.first, n);
  struct call theirs = mine;
  struct array a = array_make(grid, type, n, n, draw(1, 6), entry_spread), z = array_copy(&a);
  struct array whole = array_copy(&a), z_theirs = array_copy(&a), a_theirs = array_copy(&a);
  array_spoil(grid, &a, mine.triangle == 'L');
  snprintf(name, sizeof name, "%s%s", type >= C ? "he" : "sy", kind);
  harness_note("p%c%s %dx%d: n %d, %c %c %c, %d to %d", LETTERS[type], name, grid->p, grid->q, n,
               mine.job, mine.range, mine.triangle, mine.first, mine.last);
  take_all();
  solve(name, &mine, &a, &z);
  take_none();
  theirs.job = 'N';
  name[4] = '\0';
  solve(name, &theirs, &a_theirs, &z_theirs);
  const bool expert = strcmp(kind, "evx") == 0 || strcmp(kind, "evr") == 0;
  assert_int_equal(mine.info, 0);
  assert_int_equal(theirs.info, 0);
  compare(&mine, theirs.values, n, kind, type, grid->p * grid->q);
  if (mine.job == 'V')
    check_vectors(grid, &whole, &z, mine.values, expert ? mine.m : n, unit_of(type));
  array_free(&a_theirs);
  array_free(&z_theirs);
  array_free(&whole);
  array_free(&z);
  array_free(&a);
}

static void spectra_are_scalapacks(void **state) {
  (void)state;
  static const char *const kinds[] = {"ev", "evd", "evx", "evr"};
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step())
      for (int kind = 0; kind < 4; kind++) {
        struct harness_walk trials = some_trials(4);
        for (int64_t i; harness_next(&trials, &i);) try_spectrum(&walk.grid, type, kinds[kind]);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(spectra_are_scalapacks)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
