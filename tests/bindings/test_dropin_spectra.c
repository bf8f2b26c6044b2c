/* The drop-in's eigensolvers p?syev, p?syevd, p?syevx, p?syevr (p?heev, ...) compared with
 * ScaLAPACK itself: values, their numbers, IFAIL, ICLUSTR and GAP; the vectors satisfy A Z = Z W
 * and are orthogonal; the triangle that is not meant is not read.  And p?syevr on glued W21+, where
 * ScaLAPACK's gives no vectors on one process, and on two vectors that are not orthogonal. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }

enum { MOST = 420, PROCESSES = 16 };

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

/* ---------------------------------------------------------------------- glued W21+ -- */

enum { WILKINSON = 21, COPIES = MOST / WILKINSON };

/* W21+ along the diagonal: |10 - i|, beside it 1; between two of them the glue. */
static double _Complex glued(int row, int col, double glue) {
  const int distance = abs(row - col), behind = row > col ? row : col;
  if (distance == 0) return abs(10 - row % WILKINSON);
  return distance > 1 ? 0 : behind % WILKINSON == 0 ? glue : 1;
}
#define GLUED(name, glue)                                                                          \
  static double _Complex name(int n, int row, int col) {                                           \
    (void)n;                                                                                       \
    return glued(row, col, glue);                                                                  \
  }
GLUED(glued_14, 1e-14)
GLUED(glued_11, 1e-11)
GLUED(glued_8, 1e-8)
GLUED(glued_5, 1e-5)
GLUED(glued_2, 1e-2)

/* |Z^T Z - I| in n ulp, of real vectors. */
static double distance_from_orthogonal(struct grid *grid, const struct array *z) {
  const int n = z->rows;
  double _Complex *v = array_whole(grid, z);
  double squares = 0, *x = calloc((size_t)n * (size_t)n, sizeof *x);
  assert_non_null(x);
  for (int e = 0; e < n * n; e++) x[e] = creal(v[e]);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      double sum = i == j ? -1 : 0;
      for (int k = 0; k < n; k++) sum += x[k + i * n] * x[k + j * n];
      squares += (i == j ? 1 : 2) * sum * sum;
    }
  free(x), free(v);
  return sqrt(squares) / (n * unit_of(D));
}

static void try_glued(struct grid *grid, entry *of) {
  const int n = COPIES * WILKINSON;
  struct call mine = {.job = 'V', .range = 'A', .triangle = "LU"[draw(0, 1)]};
  struct array a = array_make(grid, D, n, n, draw(1, 40), of), z = array_copy(&a);
  array_spoil(grid, &a, mine.triangle == 'L');
  solve("syevr", &mine, &a, &z);
  assert_true(mine.info == 0 && mine.m == n && mine.nz == n);
  const double distance = distance_from_orthogonal(grid, &z);
  if (grid->row == 0 && grid->col == 0)
    printf("%d glued W21+, %d x %d: orthogonal to %.3g n ulp\n", (int)COPIES, grid->p, grid->q,
           distance);
  assert_true(distance <= 1);
  array_free(&z);
  array_free(&a);
}

static void vectors_of_glued_matrices_are_orthogonal(void **state) {
  (void)state;
  static entry *const entries[] = {glued_14, glued_11, glued_8, glued_5, glued_2};
  enum { GLUES = sizeof entries / sizeof *entries };
  for (struct walk walk = {0}; next_grid(&walk);) {
    struct harness_walk trials = harness_walk(GLUES, 2);
    take_all();
    for (int64_t i; harness_next(&trials, &i);) try_glued(&walk.grid, entries[i]);
    take_none();
  }
}

/* ----------------------------------------------------------- singular values -- */

/* A call of p?gesvd: the workspace is asked for. */
static void decompose(char left, char right, struct array *a, struct array *u, struct array *vt,
                      double *values) {
  routine *f = routine_of(a->type, "gesvd");
  union scalar words = {{0}}, reals = {{0}};
  const int asks = -1;
  int info = 99, *end = a->type >= C ? NULL : &info; /* complex types have RWORK there */
#define HEAD_OF_SVD &left, &right, &a->rows, &a->cols, PLACE(*a), values, PLACE(*u), PLACE(*vt)
  f(HEAD_OF_SVD, &words, &asks, end != NULL ? (void *)end : (void *)&reals, &info);
  assert_int_equal(info, 0);
  const int length = length_of(a->type, &words) + 8 * MOST;
  void *work = calloc((size_t)length, 16), *more = calloc(8 * MOST, sizeof(double));
  assert_true(work != NULL && more != NULL);
  assert_true(length_of(a->type, &reals) <= 8 * MOST);
  info = 99;
  f(HEAD_OF_SVD, work, &length, end != NULL ? (void *)end : more, &info);
#undef HEAD_OF_SVD
  assert_int_equal(info, 0);
  make_double(a->type, values, MOST);
  free(more), free(work);
}

/* |A - U S V^T|, in units of max(m, n) ulp. */
static void check_product(struct grid *grid, const struct array *a, const struct array *u,
                          const struct array *vt, const double *values, double unit) {
  const int m = a->rows, n = a->cols, count = u->cols;
  double _Complex *full = array_whole(grid, a), *left = array_whole(grid, u),
                  *right = array_whole(grid, vt);
  double size = 0, rest = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double _Complex sum = full[i + j * m];
      size += pow(cabs(sum), 2);
      for (int k = 0; k < count; k++) sum -= left[i + k * m] * values[k] * right[k + j * count];
      rest += pow(cabs(sum), 2);
    }
  free(full), free(left), free(right);
  const double residual = sqrt(rest) / (sqrt(size) * (m > n ? m : n) * unit);
  if (!(residual <= 4)) fail_msg("residual %g", residual);
}

/* The squares of the values add up to that of A's norm. */
static void check_sum(struct grid *grid, const struct array *a, const double *values, int count,
                      double unit) {
  double _Complex *full = array_whole(grid, a);
  double size = 0, sum = 0;
  for (int e = 0; e < a->rows * a->cols; e++) size += pow(cabs(full[e]), 2);
  for (int k = 0; k < count; k++) sum += pow(values[k], 2);
  free(full);
  assert_true(fabs(sum / size - 1) <= 4 * (a->rows + a->cols) * unit);
}

static void try_singular(struct grid *grid, int type) {
  const int m = draw(1, 30), n = draw(1, 30), count = m < n ? m : n, block = draw(1, 6);
  const bool left = draw(0, 1) == 1, right = draw(0, 1) == 1;
  double mine[MOST] = {0}, theirs[MOST] = {0};
  struct array a = array_make(grid, type, m, n, block, entry_random), copy = array_copy(&a),
               u = array_make(grid, type, m, count, block, entry_random),
               vt = array_make(grid, type, count, n, block, entry_random);
  harness_note("p%cgesvd %dx%d: %d x %d, %d %d", LETTERS[type], grid->p, grid->q, m, n, left,
               right);
  take_all();
  decompose(left ? 'V' : 'N', right ? 'V' : 'N', &a, &u, &vt, mine);
  take_none();
  check_sum(grid, &copy, mine, count, unit_of(type));
  if (left && right) check_product(grid, &copy, &u, &vt, mine, unit_of(type));
  /* On more processes ScaLAPACK's values of tall parts depend on the grid (26 x 8 on 1 x 4 and on
   * 1 x 6). */
  const bool alone = grid->p * grid->q == 1;
  if (alone) decompose('N', 'N', &copy, &u, &vt, theirs);
  for (int k = 0; k < count && alone; k++)
    if (!(fabs(mine[k] - theirs[k]) <= 40 * (m + n) * unit_of(type) * theirs[0]))
      fail_msg("value %d: %.17g, not %.17g", k, mine[k], theirs[k]);
  array_free(&vt);
  array_free(&u);
  array_free(&copy);
  array_free(&a);
}

static void singular_values_are_those_of_a(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(6);
      for (int64_t i; harness_next(&trials, &i);) try_singular(&walk.grid, type);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spectra_are_scalapacks),
      cmocka_unit_test(vectors_of_glued_matrices_are_orthogonal),
      cmocka_unit_test(singular_values_are_those_of_a),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
