/* The drop-in's QR, least squares, inverses by Cholesky and conditions compared with ScaLAPACK
 * itself: its p?ormqr takes hyla's reflections, solutions and inverses are the same, estimates of
 * conditions are near; queries for workspaces are answered as by ScaLAPACK. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }
static int least_of(int a, int b) { return a < b ? a : b; }

static double first_of(int type, const void *values) {
  return is_single(type) ? (double)*(const float *)values : *(const double *)values;
}

/* A workspace as long as a routine asks for; the caller frees it. */
struct room {
  int words, more;
  void *work, *integers;
};

static struct room room_make(int type, const union scalar *words, const union scalar *more) {
  struct room r = {.words = (int)first_of(type, words)};
  if (more != NULL)
    r.more = type >= C ? (int)first_of(type, more) : *(const int *)(const void *)more;
  /* getri asks for no workspace on a rank without rows. */
  assert_true(r.words >= 0 && r.more >= 0);
  r.work = calloc((size_t)r.words + 1, 16);
  r.integers = calloc((size_t)r.more + 1, 16);
  assert_true(r.work != NULL && r.integers != NULL);
  return r;
}

static void room_free(struct room *r) {
  free(r->work);
  free(r->integers);
}

/* ------------------------------------------------------------------- QR -- */

static int factor_qr(struct array *a, void *tau) {
  union scalar words = {0};
  int query = -1, info = 99;
  routine_of(a->type, "geqrf")(&a->rows, &a->cols, PLACE(*a), tau, &words, &query, &info);
  assert_int_equal(info, 0);
  struct room r = room_make(a->type, &words, NULL);
  info = 99;
  routine_of(a->type, "geqrf")(&a->rows, &a->cols, PLACE(*a), tau, r.work, &r.words, &info);
  assert_int_equal(first_of(a->type, r.work), r.words);
  room_free(&r);
  return info;
}

/* b := Q^H b by ScaLAPACK. */
static void reflect(struct array *a, void *tau, struct array *b) {
  const char *name = a->type >= C ? "unmqr" : "ormqr", *op = a->type >= C ? "C" : "T";
  union scalar words = {0};
  int query = -1, info = 99, count = least_of(a->rows, a->cols);
  routine *call = routine_of(a->type, name);
  call("L", op, &b->rows, &b->cols, &count, PLACE(*a), tau, PLACE(*b), &words, &query, &info);
  assert_int_equal(info, 0);
  struct room r = room_make(a->type, &words, NULL);
  call("L", op, &b->rows, &b->cols, &count, PLACE(*a), tau, PLACE(*b), r.work, &r.words, &info);
  assert_int_equal(info, 0);
  room_free(&r);
}

/* Q^H A, by hyla's factors of A, is R. */
static void try_qr(struct grid *grid, int type) {
  struct array a = array_make(grid, type, draw(1, 40), draw(1, 40), draw(1, 6), entry_pivoting);
  struct array q = array_copy(&a), r;
  void *tau = calloc((size_t)a.local_cols + 1, 16);
  assert_non_null(tau);
  harness_note("p%cgeqrf %dx%d: %d x %d", LETTERS[type], grid->p, grid->q, a.rows, a.cols);
  take_all();
  assert_int_equal(factor_qr(&q, tau), 0);
  take_none();
  reflect(&q, tau, &a);
  r = array_copy(&q);
  array_clear_below(grid, &r);
  assert_near(grid, &a, &r, 100 * (a.rows + a.cols) * unit_of(type));
  free(tau);
  array_free(&r);
  array_free(&q);
  array_free(&a);
}

static void reflections_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(3);
      for (int64_t i; harness_next(&trials, &i);) try_qr(&walk.grid, type);
    }
}

/* ---------------------------------------------------------- least squares -- */

/* The workspace is longer than asked for.  If A does not begin with a block, PxGELS of ScaLAPACK
 * 2.2.1 asks for less than its PxGEQRF and PxORMLQ need, and uses their incomplete results. */
static int solve_least(char op, struct array *a, struct array *b) {
  union scalar words = {0};
  int query = -1, info = 99;
  routine *call = routine_of(a->type, "gels");
  call(&op, &a->rows, &a->cols, &b->cols, PLACE(*a), PLACE(*b), &words, &query, &info);
  assert_int_equal(info, 0);
  const int asked = (int)first_of(a->type, &words);
  words = scalar_of(a->type, 3 * asked + 2000, 0);
  struct room r = room_make(a->type, &words, NULL);
  info = 99;
  call(&op, &a->rows, &a->cols, &b->cols, PLACE(*a), PLACE(*b), r.work, &r.words, &info);
  assert_int_equal(first_of(a->type, r.work), asked);
  room_free(&r);
  return info;
}

/* B beside A, aligned as ScaLAPACK needs it. */
static struct array make_sides(struct grid *grid, const struct array *a, int rows) {
  for (;;) {
    struct array b = array_make(grid, a->type, rows, draw(1, 9), a->desc[4], entry_random);
    if (array_rows_begin_together(grid, a, &b)) return b;
    array_free(&b);
  }
}

/* For the shortest solution all entries agree; for least squares the solution agrees, and below it
 * the sum of squares.  A holds the same factors; complex ones may differ by phases. */
static void try_least(struct grid *grid, int type, bool transposed) {
  int m = draw(1, 40), n = draw(1, 40), most = m > n ? m : n;
  char op = !transposed ? 'N' : type >= C ? 'C' : 'T';
  struct array a = array_make(grid, type, m, n, draw(1, 6), entry_pivoting), theirs_a, theirs_b;
  struct array b = make_sides(grid, &a, most);
  bool least_squares = (m >= n) != transposed;
  const double bound = 200 * (most + 5) * unit_of(type);
  theirs_a = array_copy(&a);
  theirs_b = array_copy(&b);
  harness_note("p%cgels %dx%d: %c, %d x %d", LETTERS[type], grid->p, grid->q, op, m, n);
  take_all();
  assert_int_equal(solve_least(op, &a, &b), 0);
  take_none();
  assert_int_equal(solve_least(op, &theirs_a, &theirs_b), 0);
  if (least_squares) {
    double mine = array_clear_rows(grid, &b, least_of(m, n));
    double theirs = array_clear_rows(grid, &theirs_b, least_of(m, n));
    assert_true(fabs(mine - theirs) <= bound * fmax(1, theirs));
  }
  assert_near(grid, &b, &theirs_b, bound);
  if (type < C) assert_near(grid, &a, &theirs_a, bound);
  array_free(&theirs_b);
  array_free(&theirs_a);
  array_free(&b);
  array_free(&a);
}

static void least_squares_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(4);
      for (int64_t i; harness_next(&trials, &i);) try_least(&walk.grid, type, i % 2 == 1);
    }
}

/* ------------------------------------------------------ Cholesky's inverse -- */

static void try_inverse(struct grid *grid, int type) {
  int n = draw(1, 60), info = 99, infos[2] = {99, 99};
  char triangle = "LU"[draw(0, 1)];
  struct array a = array_make(grid, type, n, n, draw(1, 6), entry_hermitian);
  harness_note("p%cpotri %dx%d: n %d %c", LETTERS[type], grid->p, grid->q, n, triangle);
  array_spoil(grid, &a, triangle == 'L');
  take_none();
  routine_of(type, "potrf")(&triangle, &n, PLACE(a), &info);
  assert_int_equal(info, 0);
  struct array theirs = array_copy(&a);
  routine_of(type, "potri")(&triangle, &n, PLACE(theirs), &infos[1]);
  take_all();
  routine_of(type, "potri")(&triangle, &n, PLACE(a), &infos[0]);
  assert_int_equal(infos[0], infos[1]);
  assert_near(grid, &a, &theirs, 100 * (n + 5) * unit_of(type));
  array_free(&theirs);
  array_free(&a);
}

static void inverses_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(2);
      for (int64_t i; harness_next(&trials, &i);) try_inverse(&walk.grid, type);
    }
}

/* -------------------------------------------------------------- conditions -- */

static double condition(const char *name, char letter, struct array *a, double norm) {
  union scalar norms = scalar_of(a->type, norm, 0), words = {0}, more = {0}, rcond = {0};
  int query = -1, info = 99;
  routine *call = routine_of(a->type, name);
  call(&letter, &a->rows, PLACE(*a), &norms, &rcond, &words, &query, &more, &query, &info);
  assert_int_equal(info, 0);
  struct room r = room_make(a->type, &words, &more);
  info = 99;
  call(&letter, &a->rows, PLACE(*a), &norms, &rcond, r.work, &r.words, r.integers, &r.more, &info);
  assert_int_equal(info, 0);
  room_free(&r);
  return first_of(a->type, &rcond);
}

/* ScaLAPACK inverts A, or a triangle of a Hermitian A. */
static void invert(struct array *a, int *pivots, char triangle, bool definite) {
  union scalar words = {0};
  int query = -1, info = 99, count = 0;
  routine *call = routine_of(a->type, definite ? "potri" : "getri");
  if (definite) {
    call(&triangle, &a->rows, PLACE(*a), &info);
  } else {
    call(&a->rows, PLACE(*a), pivots, &words, &query, &count, &query, &info);
    struct room r = room_make(a->type, &words, NULL);
    int *integers = getri_integers(a, count);
    call(&a->rows, PLACE(*a), pivots, r.work, &r.words, integers, &count, &info);
    free(integers);
    room_free(&r);
  }
  assert_int_equal(info, 0);
}

/* Not below the true value, up to rounding, and seldom above three times it. */
static void try_condition(struct grid *grid, int type, bool definite) {
  int n = draw(1, 50), info = 99;
  char triangle = "LU"[draw(0, 1)], letter = definite ? triangle : "1OI"[draw(0, 2)];
  const char *name = definite ? "pocon" : "gecon";
  struct array a =
      array_make(grid, type, n, n, draw(1, 6), definite ? entry_hermitian : entry_random);
  int *pivots = calloc((size_t)a.local_rows + 8, sizeof *pivots);
  assert_non_null(pivots);
  harness_note("p%c%s %dx%d: n %d %c", LETTERS[type], name, grid->p, grid->q, n, letter);
  take_none();
  if (definite)
    routine_of(type, "potrf")(&triangle, &n, PLACE(a), &info);
  else
    routine_of(type, "getrf")(&n, &n, PLACE(a), pivots, &info);
  assert_int_equal(info, 0);
  if (definite) array_spoil(grid, &a, triangle == 'L');
  double norm = n, theirs = condition(name, letter, &a, norm);
  assert_true(condition(name, letter, &a, 0) == 0);
  take_all();
  double mine = condition(name, letter, &a, norm);
  assert_true(condition(name, letter, &a, 0) == 0);
  take_none();
  invert(&a, pivots, triangle, definite);
  double truth = 1 / norm / array_norm(grid, &a, letter == 'I', definite ? triangle : 'A');
  if (n == 1) truth = 1;
  harness_note("p%c%s %dx%d: n %d %c: %g, ScaLAPACK's %g, the truth %g", LETTERS[type], name,
               grid->p, grid->q, n, letter, mine, theirs, truth);
  assert_true(mine >= .99 * truth && mine <= 10 * truth);
  free(pivots);
  array_free(&a);
}

/* Factors by hyla, then its estimate. */
static double own_condition(const char *name, char letter, struct array *a, int *pivots,
                            double norm) {
  int info = 99;
  if (strcmp(name, "pocon") == 0)
    routine_of(a->type, "potrf")(&letter, &a->rows, PLACE(*a), &info);
  else
    routine_of(a->type, "getrf")(&a->rows, &a->rows, PLACE(*a), pivots, &info);
  assert_int_equal(info, 0);
  return condition(name, letter, a, norm);
}

/* 2^k A has the condition of A: to the bit if the factors are the same, and to rounding if small
 * pivots are divided by in another way.  If the norm overflowed, nothing is known and RCOND is 0,
 * as LAPACK's page of xGECON says and ScaLAPACK's routine does. */
static void try_scales(struct grid *grid, int type, bool definite) {
  bool single = is_single(type);
  int n = draw(2, 50), same = single ? 44 : 450;
  /* Two ends of the range, and an exponent for which the factors are the same; all even, because
   * Cholesky takes roots. */
  int exponents[] = {single ? -122 : -1018, draw(-same, same) / 2 * 2, single ? 118 : 1014};
  int exponent = exponents[draw(0, 2)];
  const char *name = definite ? "pocon" : "gecon";
  char letter = definite ? "LU"[draw(0, 1)] : "1I"[draw(0, 1)];
  struct array a =
      array_make(grid, type, n, n, draw(1, 6), definite ? entry_hermitian : entry_random);
  struct array scaled = array_copy(&a);
  int *pivots = calloc((size_t)a.local_rows + 8, sizeof *pivots);
  assert_non_null(pivots);
  harness_note("p%c%s %dx%d: n %d %c times 2^%d", LETTERS[type], name, grid->p, grid->q, n, letter,
               exponent);
  array_scale(&scaled, exponent);
  take_all();
  double first = own_condition(name, letter, &a, pivots, n);
  double found = own_condition(name, letter, &scaled, pivots, ldexp(n, exponent));
  assert_true(first > 0 && first <= 1);
  double may = abs(exponent) <= same ? 0 : 100 * n * unit_of(type) * first;
  if (!(fabs(found - first) <= may)) fail_msg("%.17g, not %.17g", found, first);
  assert_true(condition(name, letter, &a, (double)INFINITY) == 0);
  take_none();
  assert_true(condition(name, letter, &a, (double)INFINITY) == 0);
  free(pivots);
  array_free(&scaled);
  array_free(&a);
}

static void conditions_do_not_depend_on_scale(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step())
      for (int definite = 0; definite < 2; definite++) try_scales(&walk.grid, type, definite);
}

static void conditions_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(2);
      for (int64_t i; harness_next(&trials, &i);) try_condition(&walk.grid, type, i == 1);
    }
}

/* ------------------------------------------------------------------ errors -- */

/* A workspace that is too short, or a negative number of rows: INFO reports it, and nothing
 * changes. */
static void arguments_are_refused_as_by_scalapack(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int what = 0; what < 2; what++) {
      struct array a = array_make(&walk.grid, D, 12, 9, 3, entry_pivoting), before = array_copy(&a);
      double tau[64] = {0}, work[4] = {0};
      int length = 1, rows = what == 0 ? 12 : -1, infos[2] = {99, 99};
      for (int mine = 0; mine < 2; mine++) {
        if (mine == 1)
          take_all();
        else
          take_none();
        routine_of(D, "geqrf")(&rows, &a.cols, PLACE(a), tau, work, &length, &infos[mine]);
      }
      assert_true(infos[0] < 0);
      assert_int_equal(infos[1], infos[0]);
      assert_near(&walk.grid, &a, &before, 0);
      array_free(&before);
      array_free(&a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reflections_are_scalapacks),
      cmocka_unit_test(least_squares_are_scalapacks),
      cmocka_unit_test(inverses_are_scalapacks),
      cmocka_unit_test(conditions_are_scalapacks),
      cmocka_unit_test(conditions_do_not_depend_on_scale),
      cmocka_unit_test(arguments_are_refused_as_by_scalapack),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
