/* The drop-in's p?ormqr and p?orgqr (p?unmqr, p?ungqr) compared with ScaLAPACK itself, for its own
 * reflections, whose TAU are complex in complex types, from both sides and with each op; p?geqpf:
 * pivots, reflections and R are ScaLAPACK's. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <math.h>
#include <stdlib.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static bool is_single(int type) { return type == S || type == C; }

static int length_of(int type, const union scalar *words) {
  return is_single(type) ? (int)words->single[0] : (int)words->real[0];
}

static void *room(int words) {
  void *work = calloc((size_t)words + 1, 16);
  assert_non_null(work);
  return work;
}

/* ScaLAPACK's factors of a, and TAU, which the caller frees. */
static void *factor(struct array *a) {
  union scalar words = {0};
  int query = -1, info = 99;
  void *tau = room(a->local_cols);
  routine *call = routine_of(a->type, "geqrf");
  take_none();
  call(&a->rows, &a->cols, PLACE(*a), tau, &words, &query, &info);
  int length = length_of(a->type, &words);
  void *work = room(length);
  call(&a->rows, &a->cols, PLACE(*a), tau, work, &length, &info);
  assert_int_equal(info, 0);
  free(work);
  return tau;
}

static void multiply(char side, char op, struct array *a, int k, void *tau, struct array *c) {
  union scalar words = {0};
  int query = -1, info = 99;
  routine *call = routine_of(a->type, a->type >= C ? "unmqr" : "ormqr");
  call(&side, &op, &c->rows, &c->cols, &k, PLACE(*a), tau, PLACE(*c), &words, &query, &info);
  assert_int_equal(info, 0);
  int length = length_of(a->type, &words);
  void *work = room(length);
  info = 99;
  call(&side, &op, &c->rows, &c->cols, &k, PLACE(*a), tau, PLACE(*c), work, &length, &info);
  assert_int_equal(info, 0);
  free(work);
}

/* C whose rows, for 'L', begin where A's begin. */
static struct array sides_of(struct grid *grid, const struct array *a, char side) {
  const int other = draw(1, 40);
  for (;;) {
    struct array c = array_make(grid, a->type, side == 'L' ? a->rows : other,
                                side == 'L' ? other : a->rows, a->desc[4], entry_random);
    if (side == 'R' || array_rows_begin_together(grid, a, &c)) return c;
    array_free(&c);
  }
}

static void try_product(struct grid *grid, int type) {
  const char side = "LR"[draw(0, 1)], op = draw(0, 1) ? 'N' : type >= C ? 'C' : 'T';
  const int order = draw(1, 40), k = draw(1, order);
  struct array a = array_make(grid, type, order, k, draw(1, 6), entry_random);
  struct array mine = sides_of(grid, &a, side), theirs = array_copy(&mine);
  harness_note("p%cormqr %dx%d: %c %c, %d reflections of %d, %d x %d", LETTERS[type], grid->p,
               grid->q, side, op, k, order, mine.rows, mine.cols);
  void *tau = factor(&a);
  struct array before = array_copy(&a);
  multiply(side, op, &a, k, tau, &theirs);
  take_all();
  multiply(side, op, &a, k, tau, &mine);
  take_none();
  assert_near(grid, &mine, &theirs, 100 * (order + 5) * unit_of(type));
  assert_near(grid, &a, &before, 0);
  free(tau);
  array_free(&before);
  array_free(&theirs);
  array_free(&mine);
  array_free(&a);
}

static void form(struct array *a, int k, void *tau) {
  union scalar words = {0};
  int query = -1, info = 99;
  routine *call = routine_of(a->type, a->type >= C ? "ungqr" : "orgqr");
  call(&a->rows, &a->cols, &k, PLACE(*a), tau, &words, &query, &info);
  assert_int_equal(info, 0);
  int length = length_of(a->type, &words);
  void *work = room(length);
  info = 99;
  call(&a->rows, &a->cols, &k, PLACE(*a), tau, work, &length, &info);
  assert_int_equal(info, 0);
  free(work);
}

static void try_form(struct grid *grid, int type) {
  const int m = draw(1, 40), n = draw(1, m), k = draw(1, n);
  struct array mine = array_make(grid, type, m, n, draw(1, 6), entry_random);
  harness_note("p%corgqr %dx%d: %d x %d of %d", LETTERS[type], grid->p, grid->q, m, n, k);
  void *tau = factor(&mine);
  struct array theirs = array_copy(&mine);
  form(&theirs, k, tau);
  take_all();
  form(&mine, k, tau);
  take_none();
  assert_near(grid, &mine, &theirs, 100 * (m + 5) * unit_of(type));
  free(tau);
  array_free(&theirs);
  array_free(&mine);
}

/* A P = Q R.  Columns that are no part of A keep their numbers, and TAU. */
static void pivot(struct array *a, int *pivots, void *tau) {
  routine *call = routine_of(a->type, "geqpf");
  union scalar words = {0}, reals = {0};
  int query = -1, info = 99;
#define HEAD &a->rows, &a->cols, PLACE(*a), pivots, tau
  if (a->type >= C)
    call(HEAD, &words, &query, &reals, &query, &info);
  else
    call(HEAD, &words, &query, &info);
  assert_int_equal(info, 0);
  int length = length_of(a->type, &words), more = length_of(a->type, &reals);
  /* PCGEQPF and PZGEQPF of ScaLAPACK 2.2.1 receive entries behind the end of what they ask for. */
  void *work = room(length + 64), *real_work = room(more + 64);
  info = 99;
  if (a->type >= C)
    call(HEAD, work, &length, real_work, &more, &info);
  else
    call(HEAD, work, &length, &info);
#undef HEAD
  assert_int_equal(info, 0);
  assert_int_equal(length_of(a->type, work), length);
  free(real_work), free(work);
}

/* TAU as an array of one row, for comparisons of the places that ScaLAPACK sets. */
static void compare_tau(const struct array *a, const void *mine, const void *theirs) {
  const int width = a->type >= C ? 2 : 1;
  for (int e = 0; e < a->local_cols * width; e++) {
    const double one = is_single(a->type) ? (double)((const float *)mine)[e]
                                          : ((const double *)mine)[e],
                 other = is_single(a->type) ? (double)((const float *)theirs)[e]
                                            : ((const double *)theirs)[e];
    if (!(fabs(one - other) <= 400 * (a->rows + 5) * unit_of(a->type)))
      fail_msg("TAU %d is %g, not %g", e, one, other);
  }
}

static void try_pivots(struct grid *grid, int type) {
  const int m = draw(1, 40), n = draw(1, 40);
  struct array mine = array_make(grid, type, m, n, draw(1, 6), entry_random);
  struct array theirs = array_copy(&mine);
  harness_note("p%cgeqpf %dx%d: %d x %d", LETTERS[type], grid->p, grid->q, m, n);
  void *tau = room(mine.local_cols), *their_tau = room(mine.local_cols);
  int *pivots = room(mine.local_cols), *their_pivots = room(mine.local_cols);
  take_all();
  pivot(&mine, pivots, tau);
  take_none();
  pivot(&theirs, their_pivots, their_tau);
  for (int l = 0; l < mine.local_cols; l++) assert_int_equal(pivots[l], their_pivots[l]);
  compare_tau(&mine, tau, their_tau);
  assert_near(grid, &mine, &theirs, 400 * (m + 5) * unit_of(type));
  free(their_pivots), free(pivots);
  free(their_tau), free(tau);
  array_free(&theirs);
  array_free(&mine);
}

static void each(void (*trial)(struct grid *grid, int type)) {
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct harness_walk trials = some_trials(4);
      for (int64_t i; harness_next(&trials, &i);) trial(&walk.grid, type);
    }
}

static void products_are_scalapacks(void **state) {
  (void)state;
  each(try_product);
}

static void formed_q_is_scalapacks(void **state) {
  (void)state;
  each(try_form);
}

static void pivots_are_scalapacks(void **state) {
  (void)state;
  each(try_pivots);
}

/* Too short a workspace, more reflections than rows: INFO as ScaLAPACK has it, and nothing
 * changes. */
static void arguments_are_refused_as_by_scalapack(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int what = 0; what < 2; what++) {
      struct array a = array_make(&walk.grid, D, 12, 9, 3, entry_random), before = array_copy(&a);
      double tau[64] = {0}, work[512] = {0};
      int length = what == 0 ? 1 : 512, k = what == 0 ? 9 : 10, infos[2] = {99, 99};
      for (int mine = 0; mine < 2; mine++) {
        if (mine == 1)
          take_all();
        else
          take_none();
        routine_of(D, "orgqr")(&a.rows, &a.cols, &k, PLACE(a), tau, work, &length, &infos[mine]);
      }
      take_none();
      assert_true(infos[0] < 0);
      assert_int_equal(infos[1], infos[0]);
      assert_near(&walk.grid, &a, &before, 0);
      array_free(&before);
      array_free(&a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_scalapacks),
      cmocka_unit_test(formed_q_is_scalapacks),
      cmocka_unit_test(pivots_are_scalapacks),
      cmocka_unit_test(arguments_are_refused_as_by_scalapack),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
