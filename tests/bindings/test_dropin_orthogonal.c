/* The drop-in's p?ormqr and p?orgqr (p?unmqr, p?ungqr) compared with ScaLAPACK itself, for its own
 * reflections, whose TAU are complex in complex types, from both sides and with each op. */
// ranks: 1 2 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

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
      cmocka_unit_test(arguments_are_refused_as_by_scalapack),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
