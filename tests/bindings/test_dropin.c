/* The drop-in's systems compared with ScaLAPACK itself: the same calls on the same arrays, taken by
 * hyla and passed on, leave the same arrays.  Factors made by one are used for solving by the
 * other; INFO is ScaLAPACK's. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }

/* -------------------------------------------------------------- systems -- */

/* INFO before a call, and the pivots beyond their array. */
enum { RUBBISH = -987654, SPARE = 4 };

struct system {
  struct grid *grid;
  int type, n, nrhs, block, info;
  char triangle, diagonal;
  struct array a, b;
  int *pivots;
};

static struct system make_system(struct grid *grid, int type, entry *of) {
  struct system s = {.grid = grid, .type = type, .n = draw(1, 40), .nrhs = draw(1, 9)};
  s.block = draw(1, 8);
  s.triangle = "LU"[draw(0, 1)];
  s.diagonal = "NU"[draw(0, 1)];
  s.a = array_make(grid, type, s.n, s.n, s.block, of);
  s.b = array_make(grid, type, s.n, s.nrhs, s.block, entry_random);
  /* B's rows begin on the same process row as A's. */
  int row = (s.a.i - 1) / s.block + s.a.desc[6], shift = (s.b.i - 1) / s.block;
  while ((row - shift) % grid->p != s.b.desc[6]) {
    array_free(&s.b);
    s.b = array_make(grid, type, s.n, s.nrhs, s.block, entry_random);
    shift = (s.b.i - 1) / s.block;
    row = (s.a.i - 1) / s.block + s.a.desc[6] + 8 * grid->p;
  }
  s.pivots = calloc((size_t)(s.a.local_rows + s.block + SPARE), sizeof *s.pivots);
  assert_non_null(s.pivots);
  for (int i = 0; i < SPARE; i++) s.pivots[s.a.local_rows + s.block + i] = RUBBISH;
  return s;
}

static struct system copy_system(const struct system *from) {
  struct system s = *from;
  const size_t bytes = (size_t)(s.a.local_rows + s.block + SPARE) * sizeof *s.pivots;
  s.a = array_copy(&from->a);
  s.b = array_copy(&from->b);
  s.pivots = malloc(bytes);
  assert_non_null(s.pivots);
  memcpy(s.pivots, from->pivots, bytes);
  return s;
}

static void free_system(struct system *s) {
  for (int i = 0; i < SPARE; i++)
    assert_int_equal(s->pivots[s->a.local_rows + s->block + i], RUBBISH);
  array_free(&s->a);
  array_free(&s->b);
  free(s->pivots);
}

static void getrf(struct system *s) {
  s->info = RUBBISH;
  routine_of(s->type, "getrf")(&s->n, &s->n, PLACE(s->a), s->pivots, &s->info);
}

static void getrs(struct system *s, char op) {
  s->info = RUBBISH;
  routine_of(s->type, "getrs")(&op, &s->n, &s->nrhs, PLACE(s->a), s->pivots, PLACE(s->b), &s->info);
}

static void gesv(struct system *s) {
  s->info = RUBBISH;
  routine_of(s->type, "gesv")(&s->n, &s->nrhs, PLACE(s->a), s->pivots, PLACE(s->b), &s->info);
}

static void potrf(struct system *s) {
  s->info = RUBBISH;
  routine_of(s->type, "potrf")(&s->triangle, &s->n, PLACE(s->a), &s->info);
}

static void potrs(struct system *s) {
  s->info = RUBBISH;
  routine_of(s->type, "potrs")(&s->triangle, &s->n, &s->nrhs, PLACE(s->a), PLACE(s->b), &s->info);
}

static void posv(struct system *s) {
  s->info = RUBBISH;
  routine_of(s->type, "posv")(&s->triangle, &s->n, &s->nrhs, PLACE(s->a), PLACE(s->b), &s->info);
}

static void trtri(struct system *s) {
  s->info = RUBBISH;
  routine_of(s->type, "trtri")(&s->triangle, &s->diagonal, &s->n, PLACE(s->a), &s->info);
}

static void getri(struct system *s) {
  union scalar most = {0};
  int words = -1, integers = -1, *numbers = &integers, count = 0;
  s->info = RUBBISH;
  routine_of(s->type, "getri")(&s->n, PLACE(s->a), s->pivots, &most, &words, &count, numbers,
                               &s->info);
  words = s->type == S || s->type == C ? (int)most.single[0] : (int)most.real[0];
  assert_int_equal(s->info, 0);
  s->info = RUBBISH;
  integers = count;
  void *work = calloc((size_t)words, 16);
  numbers = getri_integers(&s->a, integers);
  assert_non_null(work);
  routine_of(s->type, "getri")(&s->n, PLACE(s->a), s->pivots, work, &words, numbers, &integers,
                               &s->info);
  free(work);
  free(numbers);
}

static void assert_same(struct system *mine, struct system *theirs) {
  const double bound = 100 * (mine->n + 5) * unit_of(mine->type);
  assert_int_equal(mine->info, theirs->info);
  assert_near(mine->grid, &mine->a, &theirs->a, bound);
  assert_near(mine->grid, &mine->b, &theirs->b, bound);
  /* Pivots of other rows are ScaLAPACK's scratch. */
  for (int r = 0; r < mine->a.local_rows; r++) {
    int row = array_row(mine->grid, &mine->a, r);
    if (row >= 0 && row < mine->n) assert_int_equal(mine->pivots[r], theirs->pivots[r]);
  }
  free_system(mine);
  free_system(theirs);
}

static void note(const struct system *s, const char *what) {
  harness_note("p%c%s %dx%d: n %d nrhs %d block %d %c", LETTERS[s->type], what, s->grid->p,
               s->grid->q, s->n, s->nrhs, s->block, s->triangle);
}

static void try_lu(struct grid *grid, int type) {
  struct system mine = make_system(grid, type, entry_pivoting), theirs = copy_system(&mine);
  char op = "NTC"[draw(0, 2)];
  note(&mine, "getrf, getrs");
  take_all();
  getrf(&mine);
  take_none();
  getrf(&theirs);
  assert_near(grid, &mine.b, &theirs.b, 0);
  getrs(&mine, op); /* with hyla's factors */
  take_all();
  getrs(&theirs, op); /* with ScaLAPACK's factors */
  assert_same(&mine, &theirs);
}

static void try_call(struct grid *grid, int type, const char *name, void (*call)(struct system *),
                     entry *of) {
  struct system mine = make_system(grid, type, of), theirs;
  if (of == entry_hermitian) array_spoil(grid, &mine.a, mine.triangle == 'L');
  theirs = copy_system(&mine);
  struct system again = copy_system(&mine); /* a call of the same kind, for other arrays */
  note(&mine, name);
  take_all();
  call(&mine);
  call(&again);
  take_none();
  call(&theirs);
  assert_int_equal(again.info, mine.info);
  assert_near(grid, &again.a, &mine.a, 0);
  assert_near(grid, &again.b, &mine.b, 0);
  free_system(&again);
  assert_same(&mine, &theirs);
}

static void factor_and_invert(struct system *s) {
  getrf(s);
  getri(s);
}

static void factor_and_solve(struct system *s) {
  potrf(s);
  potrs(s);
}

static void general_systems_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      try_lu(&walk.grid, type);
      try_call(&walk.grid, type, "gesv", gesv, entry_pivoting);
      try_call(&walk.grid, type, "getri", factor_and_invert, entry_pivoting);
    }
}

static void definite_systems_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      try_call(&walk.grid, type, "potrf, potrs", factor_and_solve, entry_hermitian);
      try_call(&walk.grid, type, "posv", posv, entry_hermitian);
      try_call(&walk.grid, type, "trtri", trtri, entry_hermitian);
    }
}

/* --------------------------------------------------------------- errors -- */

static void info_is_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      try_call(&walk.grid, type, "gesv, singular", gesv, entry_singular);
      try_call(&walk.grid, type, "getri, singular", factor_and_invert, entry_singular);
      try_call(&walk.grid, type, "posv, indefinite", posv, entry_indefinite);
    }
}

enum { SPOILT = 6 };

/* A wrong argument of gesv, by INFO: N, IA, DESCA's MB, the column of B's end. */
static void spoil_call(struct system *s, int what) {
  if (what == 0) s->n = -1;
  if (what == 1) s->a.i = 0;
  if (what == 2) s->a.desc[4]++;
  if (what == 3) s->b.j += 100;
  if (what == 4) s->b.desc[8] = 0; /* LLD */
  if (what == 5) s->nrhs = -3;
}

static void arguments_are_refused_as_by_scalapack(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int what = 0; what < SPOILT; what++) {
      const int type = draw(0, TYPES - 1);
      struct system mine = make_system(&walk.grid, type, entry_pivoting);
      struct system theirs = copy_system(&mine), before = copy_system(&mine);
      take_all();
      gesv(&before); /* right, and remembered */
      assert_int_equal(before.info, 0);
      free_system(&before);
      int n = mine.n, column = mine.b.j, lld = mine.b.desc[8];
      spoil_call(&mine, what);
      spoil_call(&theirs, what);
      take_all();
      gesv(&mine);
      take_none();
      gesv(&theirs);
      harness_note("case %d: INFO %d, ScaLAPACK's %d", what, mine.info, theirs.info);
      assert_true(theirs.info < 0);
      mine.n = n;
      mine.b.j = theirs.b.j = column;
      mine.b.desc[8] = theirs.b.desc[8] = lld;
      assert_int_equal(mine.info, theirs.info);
      free_system(&mine);
      free_system(&theirs);
    }
}

/* --------------------------------------------------------------- memory -- */

static int64_t bytes_taken(void) { return (int64_t)mallinfo2().uordblks; }

static int64_t lines_of(const char *path) {
  FILE *file = fopen(path, "r");
  int64_t lines = 0;
  assert_non_null(file);
  for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
  fclose(file);
  return lines;
}

/* A thousand calls take no more memory than a hundred, and contexts that come and go leave no
 * cubes. */
static void calls_and_contexts_leave_nothing(void **state) {
  (void)state;
  enum { CALLS = 1000, WARM = 100, CONTEXTS = 24, WARM_CONTEXTS = 4 };
  if (harness_ranks() > 2) skip();
  struct grid grid;
  int64_t bytes = 0, maps = 0;
  take_all();
  grid_open(&grid, "Row", 1, harness_ranks());
  struct system s = make_system(&grid, D, entry_pivoting);
  for (int i = 0; i < CALLS; i++) {
    if (i == WARM) bytes = bytes_taken();
    if (i == WARM) maps = lines_of("/proc/self/maps");
    struct system again = copy_system(&s);
    gesv(&again);
    assert_int_equal(again.info, 0);
    free_system(&again);
  }
  harness_note("%d calls: %lld bytes, %lld mappings more", CALLS - WARM,
               (long long)(bytes_taken() - bytes), (long long)(lines_of("/proc/self/maps") - maps));
  assert_true(bytes_taken() - bytes < 16 * (CALLS - WARM)); /* the smallest block has 32 bytes */
  assert_true(lines_of("/proc/self/maps") - maps <= 2);
  free_system(&s);
  grid_close(&grid);
  for (int i = 0; i < CONTEXTS; i++) {
    if (i == WARM_CONTEXTS) bytes = bytes_taken();
    if (i == WARM_CONTEXTS) maps = lines_of("/proc/self/maps");
    grid_open(&grid, "Row", 1, harness_ranks());
    s = make_system(&grid, D, entry_pivoting);
    gesv(&s);
    assert_int_equal(s.info, 0);
    free_system(&s);
    grid_close(&grid);
  }
  harness_note("%d contexts: %lld bytes, %lld mappings more", CONTEXTS - WARM_CONTEXTS,
               (long long)(bytes_taken() - bytes), (long long)(lines_of("/proc/self/maps") - maps));
  assert_true(bytes_taken() - bytes < 1000 * (CONTEXTS - WARM_CONTEXTS)); /* a cube takes more */
  assert_true(lines_of("/proc/self/maps") - maps <= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(general_systems_are_scalapacks),
      cmocka_unit_test(definite_systems_are_scalapacks),
      cmocka_unit_test(info_is_scalapacks),
      cmocka_unit_test(arguments_are_refused_as_by_scalapack),
      cmocka_unit_test(calls_and_contexts_leave_nothing),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
