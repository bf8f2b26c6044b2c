/* The drop-in's generalised eigenvalue problems compared with ScaLAPACK itself: p?sygst and
 * p?syngst (p?hegst, ...) leave the same triangle; p?sygvx (p?hegvx) finds values and vectors with
 * A Z = B Z W and Z^H B Z = I, or as the other two kinds have it, and leaves B's factor; p?ormtr
 * applies ScaLAPACK's reflections; p?elget and p?elset. */
// ranks: 1 2 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }

enum { MOST = 64, PROCESSES = 16, RUBBISH = -987654 };

static int length_of(int type, const union scalar *words) {
  return is_single(type) ? (int)words->single[0] : (int)words->real[0];
}

static const char *name_of(int type, const char *symmetric, const char *hermitian) {
  return type >= C ? hermitian : symmetric;
}

/* A pencil A, B, and Z, which lie alike, and A and B whole on every process. */
struct pencil {
  struct grid *grid;
  int type, n, kind;
  char triangle;
  struct array a, b, z;
  double _Complex *whole_a, *whole_b;
};

static double _Complex entry_definite(int n, int row, int col) {
  const double _Complex e = entry_hermitian(n, row + 3, col + 3);
  return row == col ? n + creal(e) : e;
}

static double _Complex entry_any_sign(int n, int row, int col) {
  const double _Complex e = entry_hermitian(n, row, col);
  return row == col ? 2 * (row - n / 3) + creal(e) - n : e;
}

static struct pencil make_pencil(struct grid *grid, int type, entry *of_b) {
  struct pencil p = {.grid = grid, .type = type, .n = draw(1, 30), .kind = draw(1, 3)};
  p.triangle = "LU"[draw(0, 1)];
  const int block = draw(1, 6);
  /* p?sygst of ScaLAPACK 2.2.1 takes B's first row for its first column. */
  for (p.a = array_make(grid, type, p.n, p.n, block, entry_any_sign); p.a.i != p.a.j;) {
    array_free(&p.a);
    p.a = array_make(grid, type, p.n, p.n, block, entry_any_sign);
  }
  p.b = array_copy(&p.a);
  p.z = array_copy(&p.a);
  array_fill(grid, &p.b, of_b);
  p.whole_a = array_whole(grid, &p.a);
  p.whole_b = array_whole(grid, &p.b);
  array_spoil(grid, &p.a, p.triangle == 'L');
  array_spoil(grid, &p.b, p.triangle == 'L');
  return p;
}

static struct pencil copy_pencil(const struct pencil *from) {
  struct pencil p = *from;
  p.a = array_copy(&from->a);
  p.b = array_copy(&from->b);
  p.z = array_copy(&from->z);
  p.whole_a = p.whole_b = NULL;
  return p;
}

static void free_pencil(struct pencil *p) {
  array_free(&p->a);
  array_free(&p->b);
  array_free(&p->z);
  free(p->whole_a);
  free(p->whole_b);
}

/* ------------------------------------------------------------- standard form -- */

static void factor(struct pencil *p) {
  int info = RUBBISH;
  take_none();
  routine_of(p->type, "potrf")(&p->triangle, &p->n, PLACE(p->b), &info);
  assert_int_equal(info, 0);
}

/* other: p?syngst. */
static int reduce(struct pencil *p, bool other) {
  union scalar scale = {0}, words = {0};
  int info = RUBBISH, length = -1;
  if (!other) {
    routine_of(p->type, name_of(p->type, "sygst", "hegst"))(
        &p->kind, &p->triangle, &p->n, PLACE(p->a), PLACE(p->b), &scale, &info);
  } else {
    routine *call = routine_of(p->type, name_of(p->type, "syngst", "hengst"));
    call(&p->kind, &p->triangle, &p->n, PLACE(p->a), PLACE(p->b), &scale, &words, &length, &info);
    assert_int_equal(info, 0);
    length = length_of(p->type, &words);
    void *work = calloc((size_t)length + 1, 16);
    info = RUBBISH;
    call(&p->kind, &p->triangle, &p->n, PLACE(p->a), PLACE(p->b), &scale, work, &length, &info);
    free(work);
  }
  assert_true((is_single(p->type) ? (double)scale.single[0] : scale.real[0]) == 1);
  return info;
}

static void try_reduction(struct grid *grid, int type, bool other) {
  struct pencil mine = make_pencil(grid, type, entry_definite);
  factor(&mine);
  struct pencil theirs = copy_pencil(&mine), again = copy_pencil(&mine);
  harness_note("p%c%s %dx%d: kind %d, n %d, %c", LETTERS[type],
               other ? name_of(type, "syngst", "hengst") : name_of(type, "sygst", "hegst"), grid->p,
               grid->q, mine.kind, mine.n, mine.triangle);
  take_all();
  assert_int_equal(reduce(&mine, other), 0);
  assert_int_equal(reduce(&again, other), 0);
  take_none();
  assert_int_equal(reduce(&theirs, other), 0);
  assert_near(grid, &mine.a, &theirs.a, 200 * (mine.n + 5) * unit_of(type));
  assert_near(grid, &mine.a, &again.a, 0);
  assert_near(grid, &mine.b, &theirs.b, 0);
  free_pencil(&again);
  free_pencil(&theirs);
  free_pencil(&mine);
}

/* ------------------------------------------------------- values and vectors -- */

struct spectrum {
  char job, range;
  union scalar low, high, tolerance, orthogonal;
  int first, last, m, nz, info;
  double values[MOST], gap[PROCESSES];
  int failed[MOST], clusters[2 * PROCESSES];
};

static void invoke(struct pencil *p, struct spectrum *s, void *work, void *reals, int *integers,
                   int lengths[3]) {
  routine *f = routine_of(p->type, name_of(p->type, "sygvx", "hegvx"));
#define HEAD                                                                                       \
  &p->kind, &s->job, &s->range, &p->triangle, &p->n, PLACE(p->a), PLACE(p->b), &s->low, &s->high,  \
      &s->first, &s->last, &s->tolerance, &s->m, &s->nz, s->values, &s->orthogonal, PLACE(p->z),   \
      work, &lengths[0]
#define TAIL integers, &lengths[2], s->failed, s->clusters, s->gap, &s->info
  s->info = RUBBISH;
  if (p->type >= C)
    f(HEAD, reals, &lengths[1], TAIL);
  else
    f(HEAD, TAIL);
}

static void solve(struct pencil *p, struct spectrum *s) {
  union scalar words[8] = {0}, reals[8] = {0};
  int integers[8] = {0}, lengths[] = {-1, -1, -1};
  float single[MOST];
  invoke(p, s, words, reals, integers, lengths);
  assert_int_equal(s->info, 0);
  lengths[0] = length_of(p->type, words) + 16 * MOST;
  lengths[1] = length_of(p->type, reals) + 16 * MOST;
  lengths[2] = integers[0] + 8 * MOST;
  void *work = calloc((size_t)lengths[0], 16), *more = calloc((size_t)lengths[1], 16);
  int *ints = calloc((size_t)lengths[2], sizeof *ints);
  assert_true(work != NULL && more != NULL && ints != NULL);
  memset(s->failed, 0x55, sizeof s->failed);
  memset(s->clusters, 0x55, sizeof s->clusters);
  invoke(p, s, work, more, ints, lengths);
  free(ints), free(more), free(work);
  if (!is_single(p->type)) return;
  memcpy(single, s->values, sizeof single);
  for (int k = 0; k < MOST; k++) s->values[k] = (double)single[k];
}

static double _Complex row_times(const double _Complex *a, int n, int row,
                                 const double _Complex *x) {
  double _Complex sum = 0;
  for (int k = 0; k < n; k++) sum += a[row + k * n] * x[k];
  return sum;
}

/* The largest entry of A x - v B x, A B x - v x or B A x - v x. */
static double residual(const struct pencil *p, const double _Complex *x, double value) {
  const int n = p->n;
  const double _Complex *a = p->whole_a, *b = p->whole_b;
  double _Complex first[MOST], second[MOST];
  double most = 0;
  for (int i = 0; i < n; i++) first[i] = row_times(p->kind == 3 ? a : b, n, i, x);
  for (int i = 0; i < n; i++) {
    if (p->kind == 1) second[i] = row_times(a, n, i, x) - value * first[i];
    if (p->kind == 2) second[i] = row_times(a, n, i, first) - value * x[i];
    if (p->kind == 3) second[i] = row_times(b, n, i, first) - value * x[i];
    most = fmax(most, cabs(second[i]));
  }
  return most;
}

static void check_vectors(const struct pencil *p, const struct pencil *given,
                          const struct spectrum *s) {
  const int n = p->n;
  const double scale = 100.0 * n * n * (n + 5) * unit_of(p->type);
  double _Complex *z = array_whole(p->grid, &p->z), product[MOST];
  for (int j = 0; j < s->m; j++) {
    const double wrong = residual(given, z + j * n, s->values[j]);
    if (!(wrong <= scale)) fail_msg("residual %g of vector %d, allowed %g", wrong, j, scale);
    if (p->kind == 3) continue; /* those are orthogonal by B^-1 */
    for (int i = 0; i < n; i++) product[i] = row_times(given->whole_b, n, i, z + j * n);
    for (int k = 0; k < s->m; k++) {
      double _Complex sum = k == j ? -1 : 0;
      for (int i = 0; i < n; i++) sum += conj(z[i + k * n]) * product[i];
      if (!(cabs(sum) <= scale)) fail_msg("orthogonality %g, %d, %d", cabs(sum), j, k);
    }
  }
  free(z);
}

/* The part that was asked for, against all values; to the bit, with and without vectors. */
static void assert_part(const struct pencil *p, const struct spectrum *mine,
                        const struct spectrum *all) {
  int first = 0, count = p->n;
  assert_int_equal(mine->info, 0);
  if (mine->range == 'I') first = mine->first - 1, count = mine->last - first;
  if (mine->range == 'V') {
    const bool single = is_single(p->type);
    const double low = single ? (double)mine->low.single[0] : mine->low.real[0];
    const double high = single ? (double)mine->high.single[0] : mine->high.real[0];
    while (first < p->n && all->values[first] <= low) first++;
    for (count = 0; first + count < p->n && all->values[first + count] <= high;) count++;
  }
  assert_int_equal(mine->m, count);
  if (mine->job == 'V') assert_int_equal(mine->nz, count);
  assert_memory_equal(mine->values, all->values + first, (size_t)count * sizeof *mine->values);
  for (int k = 0; k < count && mine->job == 'V'; k++) assert_int_equal(mine->failed[k], 0);
}

/* ScaLAPACK 2.2.1 is no witness: of some of these pencils its p?sygvx finds other values, which are
 * none of theirs, or other ones on each process. */
static void try_spectrum(struct grid *grid, int type) {
  struct pencil whole = make_pencil(grid, type, entry_definite);
  struct pencil mine = copy_pencil(&whole), again = copy_pencil(&whole);
  struct pencil factored = copy_pencil(&whole);
  struct spectrum all = {.job = 'V', .range = 'A'}, s = {.job = "NV"[draw(0, 1)]};
  all.tolerance = all.orthogonal = scalar_of(type, 0, 0);
  s.tolerance = s.orthogonal = all.tolerance;
  s.range = "AIV"[draw(0, 2)];
  s.low = scalar_of(type, -1.25, 0);
  s.high = scalar_of(type, .75 * mine.n, 0);
  s.first = draw(1, mine.n), s.last = draw(s.first, mine.n);
  struct spectrum u = s;
  harness_note("p%c%s %dx%d: kind %d, n %d, %c %c %c, %d to %d", LETTERS[type],
               name_of(type, "sygvx", "hegvx"), grid->p, grid->q, mine.kind, mine.n, s.job, s.range,
               mine.triangle, s.first, s.last);
  take_all();
  solve(&whole, &all);
  solve(&mine, &s);
  solve(&again, &u);
  assert_int_equal(all.info, 0);
  assert_int_equal(all.m, mine.n);
  check_vectors(&whole, &whole, &all);
  assert_part(&mine, &s, &all);
  assert_memory_equal(s.values, u.values, (size_t)s.m * sizeof *s.values);
  if (s.job == 'V') assert_near(grid, &mine.z, &again.z, 0);
  if (s.job == 'V') check_vectors(&mine, &whole, &s);
  factor(&factored);
  assert_near(grid, &mine.b, &factored.b, 100 * (mine.n + 5) * unit_of(type));
  free_pencil(&factored);
  free_pencil(&again);
  free_pencil(&mine);
  free_pencil(&whole);
}

static void each(void (*trial)(struct grid *grid, int type)) {
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(4);
      for (int64_t i; harness_next(&trials, &i);) trial(&walk.grid, type);
    }
}

static void reductions_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step())
      for (int other = 0; other < 2; other++) try_reduction(&walk.grid, type, other == 1);
}

static void spectra_are_right(void **state) {
  (void)state;
  each(try_spectrum);
}

/* B indefinite, a short workspace, a wrong LLD on one process: INFO as ScaLAPACK has it, also after
 * a call of that kind that was right. */
static void what_is_wrong_is_told_as_by_scalapack(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);) {
    struct pencil good = make_pencil(&walk.grid, D, entry_definite);
    struct pencil mine = copy_pencil(&good);
    array_fill(&walk.grid, &mine.b, entry_indefinite);
    struct pencil theirs = copy_pencil(&mine);
    struct spectrum s = {.job = 'V', .range = 'A'}, t = s, right = s;
    take_all();
    solve(&good, &right);
    solve(&mine, &s);
    take_none();
    solve(&theirs, &t);
    assert_int_equal(right.info, 0);
    assert_int_equal(s.info, t.info);
    if (t.info != 0) assert_int_equal(s.failed[0], t.failed[0]);
    free_pencil(&theirs);
    free_pencil(&mine);
    free_pencil(&good);
  }
}

/* ----------------------------------------------------------------- one entry -- */

static void entries_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct array a = array_make(&walk.grid, type, 9, 11, 0, entry_random), b = array_copy(&a);
      union scalar value = scalar_of(type, -3.5, 2.25);
      char scope[] = "A", topology[] = " ";
      for (int what = 0; what < 2; what++) {
        union scalar got[2] = {{{0}}, {{0}}};
        struct array *both[] = {&a, &b};
        scope[0] = " A"[what];
        const int row = draw(0, 8), col = draw(0, 10);
        for (int x = 0; x < 2; x++) {
          struct array at = *both[x];
          at.i += row, at.j += col;
          if (x == 0)
            take_all();
          else
            take_none();
          routine_of(type, "elget")(scope, topology, &got[x], PLACE(at));
          routine_of(type, "elset")(PLACE(at), &value);
        }
        harness_note("p%c, scope '%c', (%d, %d)", LETTERS[type], scope[0], row, col);
        assert_memory_equal(&got[0], &got[1], type == S ? 4 : type == Z ? 16 : 8);
        assert_near(&walk.grid, &a, &b, 0);
      }
      array_free(&b);
      array_free(&a);
    }
}

/* --------------------------------------------------------------- reflections -- */

static void apply(char side, char triangle, char op, struct array *a, void *tau, struct array *c) {
  union scalar words[4] = {0};
  int query = -1, info = RUBBISH;
  routine *call = routine_of(a->type, a->type >= C ? "unmtr" : "ormtr");
  call(&side, &triangle, &op, &c->rows, &c->cols, PLACE(*a), tau, PLACE(*c), words, &query, &info);
  assert_int_equal(info, 0);
  int length = length_of(a->type, words);
  void *work = calloc((size_t)length + 1, 16);
  info = RUBBISH;
  call(&side, &triangle, &op, &c->rows, &c->cols, PLACE(*a), tau, PLACE(*c), work, &length, &info);
  assert_int_equal(info, 0);
  free(work);
}

/* ScaLAPACK's reduction, and its Q by hyla and by itself. */
static void try_reflections(struct grid *grid, int type) {
  const int n = draw(2, 40);
  const char side = "LR"[draw(0, 1)], triangle = "LU"[draw(0, 1)];
  const char op = draw(0, 1) ? 'N' : type >= C ? 'C' : 'T';
  union scalar words[4] = {0};
  int length = -1, info = RUBBISH;
  char t = triangle;
  struct array a = array_make(grid, type, n, n, draw(2, 6), entry_hermitian);
  void *tau = calloc((size_t)a.local_cols + 8, 16);
  double *d = calloc((size_t)a.local_cols + 8, sizeof *d),
         *e = calloc((size_t)a.local_cols + 8, 16);
  routine *reduction = routine_of(type, type >= C ? "hetrd" : "sytrd");
  take_none();
  reduction(&t, &a.rows, PLACE(a), d, e, tau, words, &length, &info);
  length = length_of(type, words);
  void *work = calloc((size_t)length + 1, 16);
  reduction(&t, &a.rows, PLACE(a), d, e, tau, work, &length, &info);
  assert_int_equal(info, 0);
  struct array mine = array_copy(&a);
  array_fill(grid, &mine, entry_random);
  struct array theirs = array_copy(&mine);
  harness_note("p%cormtr %dx%d: %c %c %c, n %d", LETTERS[type], grid->p, grid->q, side, triangle,
               op, n);
  apply(side, triangle, op, &a, tau, &theirs);
  take_all();
  apply(side, triangle, op, &a, tau, &mine);
  take_none();
  assert_near(grid, &mine, &theirs, 100 * (n + 5) * unit_of(type));
  free(work), free(e), free(d), free(tau);
  array_free(&theirs);
  array_free(&mine);
  array_free(&a);
}

static void reflections_are_scalapacks(void **state) {
  (void)state;
  each(try_reflections);
}

/* -------------------------------------------------------------------- memory -- */

/* Five hundred calls take no more memory than fifty. */
static void calls_leave_nothing(void **state) {
  (void)state;
  enum { CALLS = 500, WARM = 50 };
  if (harness_ranks() > 2) skip();
  struct walk walk = {0};
  assert_true(next_grid(&walk));
  struct pencil p = make_pencil(&walk.grid, D, entry_definite);
  int64_t bytes = 0;
  take_all();
  for (int i = 0; i < CALLS; i++) {
    if (i == WARM) bytes = (int64_t)mallinfo2().uordblks;
    struct pencil again = copy_pencil(&p);
    struct spectrum s = {.job = 'V', .range = 'A'};
    solve(&again, &s);
    assert_int_equal(s.info, 0);
    free_pencil(&again);
  }
  bytes = (int64_t)mallinfo2().uordblks - bytes;
  harness_note("%d calls: %lld bytes more", CALLS - WARM, (long long)bytes);
  assert_true(bytes < 16 * (CALLS - WARM));
  free_pencil(&p);
  while (next_grid(&walk)) continue;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reductions_are_scalapacks),
      cmocka_unit_test(spectra_are_right),
      cmocka_unit_test(what_is_wrong_is_told_as_by_scalapack),
      cmocka_unit_test(entries_are_scalapacks),
      cmocka_unit_test(reflections_are_scalapacks),
      cmocka_unit_test(calls_leave_nothing),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
