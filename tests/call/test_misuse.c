/* Wrong arguments of the public calls with matrices: each one, on all ranks or on one, gives the
 * same status on all, and a message that names the call and the argument. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "misuse_case.h"

#include "cube/cube.h"

#include <ctype.h>
#include <string.h>

/* The arguments of the tests: good matrices of each shape, as many as a call takes, and others. */
struct world {
  hyla_cube *cube, *second;
  hyla_matrix *good[3][MATRICES]; /* SQUARE, SIDES, VECTOR */
  hyla_matrix *laid[3];           /* in another layout */
  hyla_matrix *single[3];         /* of another type */
  hyla_matrix *low[3];            /* with a row less */
  hyla_matrix *foreign[3];        /* of another cube */
  hyla_matrix *tall;              /* SIZE + 1 rows */
  hyla_factor *computed, *unitary, *fresh, *elsewhere;
};

static const char UNKNOWN[] = "strassen"; /* variant */
static const int64_t COLUMNS[] = {SIZE, COLS, 1};

static int kind_of(enum shape shape) { return shape == SIDES ? 1 : shape == VECTOR ? 2 : 0; }

static hyla_matrix *matrix(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                           const char *layout) {
  hyla_layout parsed;
  hyla_matrix *made = NULL;
  if (layout != NULL) assert_int_equal(hyla_layout_parse(cube, layout, &parsed), HYLA_OK);
  assert_int_equal(
      hyla_matrix_create(cube, type, rows, cols, layout != NULL ? &parsed : NULL, &made), HYLA_OK);
  assert_int_equal(hyla_matrix_gallery(cube, made, rows == cols ? "dominant" : "random", 1),
                   HYLA_OK);
  return made;
}

static hyla_factor *factor(hyla_cube *cube, hyla_method method) {
  hyla_factor *made = NULL;
  assert_int_equal(hyla_factor_create(cube, method, HYLA_DOUBLE, SIZE, COLS, NULL, NULL, &made),
                   HYLA_OK);
  return made;
}

static struct world open_world(void) {
  struct world w = {.cube = cube_open(false), .second = cube_open(true)};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < MATRICES; i++)
      w.good[k][i] = matrix(w.cube, HYLA_DOUBLE, SIZE, COLUMNS[k], NULL);
    w.laid[k] = matrix(w.cube, HYLA_DOUBLE, SIZE, COLUMNS[k], "binary/cyclic:1");
    w.single[k] = matrix(w.cube, HYLA_FLOAT, SIZE, COLUMNS[k], NULL);
    w.low[k] = matrix(w.cube, HYLA_DOUBLE, SIZE - 1, COLUMNS[k], NULL);
    w.foreign[k] = matrix(w.second, HYLA_DOUBLE, SIZE, COLUMNS[k], NULL);
  }
  w.tall = matrix(w.cube, HYLA_DOUBLE, SIZE + 1, SIZE + 1, NULL);
  w.computed = factor(w.cube, HYLA_LU);
  w.unitary = factor(w.cube, HYLA_QR);
  w.fresh = factor(w.cube, HYLA_LU);
  w.elsewhere = factor(w.second, HYLA_LU);
  assert_int_equal(hyla_factor_compute(w.cube, w.computed, w.good[0][0]), HYLA_OK);
  assert_int_equal(hyla_factor_compute(w.cube, w.unitary, w.good[0][0]), HYLA_OK);
  return w;
}

static void close_world(struct world *w) {
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < MATRICES; i++) hyla_matrix_destroy(&w->good[k][i]);
    hyla_matrix_destroy(&w->laid[k]);
    hyla_matrix_destroy(&w->single[k]);
    hyla_matrix_destroy(&w->low[k]);
    hyla_matrix_destroy(&w->foreign[k]);
  }
  hyla_matrix_destroy(&w->tall);
  hyla_factor_destroy(&w->computed);
  hyla_factor_destroy(&w->unitary);
  hyla_factor_destroy(&w->fresh);
  hyla_factor_destroy(&w->elsewhere);
  cube_close(&w->second);
  cube_close(&w->cube);
}

/* A good call. */
static struct given given_of(const struct world *w, const struct misuse_call *call) {
  struct given g = {.cube = w->cube, .factor = w->computed, .alpha = 1, .beta = 1};
  if (call->unitary) g.factor = w->unitary;
  for (int i = 0; i < MATRICES && call->matrix[i].name != NULL; i++)
    g.m[i] = w->good[kind_of(call->matrix[i].shape)][i];
  for (int i = 0; i < OPTIONS; i++) g.option[i] = call->option[i].good;
  return g;
}

/* Is the name a word of the message? */
static bool names(const char *message, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(message, name); at != NULL; at = strstr(at + 1, name)) {
    bool begins = at == message || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
    if (begins && ends) return true;
  }
  return false;
}

/* Calls with the fault on one rank, or on all if rank is -1; good: the other ranks' arguments. */
static void refuse(const struct misuse_call *call, const struct given *good,
                   const struct given *bad, const char *what, const char *name, int rank,
                   hyla_status expected) {
  struct given g = rank < 0 || rank == harness_rank() ? *bad : *good;
  harness_note("%s: %s, %s, on rank %d of %d", call->name, name, what, rank, harness_ranks());
  const int64_t before = good->cube->base.bytes_now;
  hyla_status status = call->make(&g);
  assert_int_equal(good->cube->base.bytes_now, before);
  const char *message = hyla_cube_message(good->cube);
  if (status != expected) fail_msg("status %d, not %d: %s", (int)status, (int)expected, message);
  if (!names(message, call->name)) fail_msg("the call is not named: %s", message);
  if (expected != HYLA_MISMATCH && !names(message, name))
    fail_msg("the argument is not named: %s", message);
}

static void refuse_twice(const struct misuse_call *call, const struct given *good,
                         const struct given *bad, const char *what, const char *name) {
  refuse(call, good, bad, what, name, -1, HYLA_ARGUMENT);
  refuse(call, good, bad, what, name, (int)harness_draw(0, harness_ranks() - 1), HYLA_ARGUMENT);
}

static int count_matrices(const struct misuse_call *call) {
  int count = 0;
  while (count < MATRICES && call->matrix[count].name != NULL) count++;
  return count;
}

static void matrices_that_do_not_fit(void **state) {
  (void)state;
  struct world w = open_world();
  for (int c = 0; misuse_call_at(c) != NULL; c++) {
    const struct misuse_call *call = misuse_call_at(c);
    const struct given good = given_of(&w, call);
    for (int i = 0; i < count_matrices(call); i++) {
      const struct misuse_matrix *m = &call->matrix[i];
      const int k = kind_of(m->shape);
      struct given bad = good;
      bad.m[i] = NULL;
      refuse_twice(call, &good, &bad, "NULL", m->name);
      bad.m[i] = w.foreign[k];
      refuse_twice(call, &good, &bad, "of another cube", m->name);
      bad.m[i] = w.single[k];
      if (m->shape < ALONE) {
        refuse_twice(call, &good, &bad, "of another type", m->name);
        assert_true(names(hyla_cube_message(w.cube), "hyla_matrix_convert"));
      }
      bad.m[i] = w.low[k];
      if (m->shape < ANY) refuse_twice(call, &good, &bad, "with a row less", m->name);
    }
  }
  close_world(&w);
}

/* The written matrix is also another argument, or lies one row beside it in one larger matrix. */
static void alias(const struct world *w, const struct misuse_call *call, int written, int other) {
  const struct misuse_matrix *m = &call->matrix[written], *n = &call->matrix[other];
  const struct given good = given_of(w, call);
  const int64_t mine = COLUMNS[kind_of(m->shape)], theirs = COLUMNS[kind_of(n->shape)];
  struct given bad = good;
  hyla_matrix *view[2];
  assert_int_equal(hyla_matrix_view(w->tall, 0, 0, SIZE, mine, &view[0]), HYLA_OK);
  assert_int_equal(hyla_matrix_view(w->tall, 1, 0, SIZE, theirs, &view[1]), HYLA_OK);
  bad.m[written] = view[0];
  bad.m[other] = view[1];
  /* Rank 0 has all entries of such a small matrix: only it can see that they are shared. */
  refuse(call, &good, &bad, "a row beside another", m->name, -1, HYLA_ARGUMENT);
  refuse(call, &good, &bad, "a row beside another", m->name, 0, HYLA_ARGUMENT);
  assert_true(names(hyla_cube_message(w->cube), n->name));
  bad = good;
  bad.m[written] = good.m[other];
  if (mine == theirs && !(m->traits & ITSELF)) {
    refuse(call, &good, &bad, "another argument", m->name, -1, HYLA_ARGUMENT);
    refuse(call, &good, &bad, "another argument", m->name, 0, HYLA_ARGUMENT);
  }
  for (int i = 0; i < 2; i++) hyla_matrix_destroy(&view[i]);
}

static void written_matrices_that_share_entries(void **state) {
  (void)state;
  struct world w = open_world();
  for (int c = 0; misuse_call_at(c) != NULL; c++) {
    const struct misuse_call *call = misuse_call_at(c);
    for (int i = 0; i < count_matrices(call); i++) {
      const int traits = call->matrix[i].traits;
      for (int other = 0; other < count_matrices(call); other++)
        if (other != i && traits & WRITTEN && !(traits & LATE)) alias(&w, call, i, other);
    }
  }
  close_world(&w);
}

static void options_and_places_that_are_none(void **state) {
  (void)state;
  struct world w = open_world();
  for (int c = 0; misuse_call_at(c) != NULL; c++) {
    const struct misuse_call *call = misuse_call_at(c);
    const struct given good = given_of(&w, call);
    for (int i = 0; i < OPTIONS && call->option[i].name != NULL; i++) {
      struct given bad = good;
      bad.option[i] = call->option[i].bad;
      refuse_twice(call, &good, &bad, "no such value", call->option[i].name);
    }
    for (int i = 0; i < PLACES && call->place[i] != NULL; i++) {
      struct given bad = good;
      bad.nowhere[i] = true;
      refuse_twice(call, &good, &bad, "NULL", call->place[i]);
    }
    struct given unknown = good;
    unknown.variant = UNKNOWN;
    if (call->variant) {
      harness_note("%s: unknown variant", call->name);
      assert_int_equal(call->make(&unknown), HYLA_ARGUMENT);
      assert_true(names(hyla_cube_message(w.cube), UNKNOWN));
    }
    struct given nowhere = good;
    nowhere.cube = NULL;
    assert_int_equal(call->make(&nowhere), HYLA_ARGUMENT);
  }
  close_world(&w);
}

static void factors_that_do_not_serve(void **state) {
  (void)state;
  struct world w = open_world();
  for (int c = 0; misuse_call_at(c) != NULL; c++) {
    const struct misuse_call *call = misuse_call_at(c);
    const struct given good = given_of(&w, call);
    struct given bad = good;
    if (call->factor == NO_FACTOR) continue;
    bad.factor = NULL;
    refuse_twice(call, &good, &bad, "NULL", "factor");
    bad.factor = w.elsewhere;
    refuse_twice(call, &good, &bad, "of another cube", "factor");
    bad.factor = w.fresh;
    if (call->factor == COMPUTED) refuse_twice(call, &good, &bad, "not computed", "factors");
  }
  close_world(&w);
}

/* Good arguments, but the last rank's differ. */
static void ranks_that_differ(void **state) {
  (void)state;
  struct world w = open_world();
  const int last = harness_ranks() - 1;
  for (int c = 0; misuse_call_at(c) != NULL && last > 0; c++) {
    const struct misuse_call *call = misuse_call_at(c);
    const struct given good = given_of(&w, call);
    for (int i = 0; i < count_matrices(call); i++) {
      struct given other = good;
      other.m[i] = w.laid[kind_of(call->matrix[i].shape)];
      refuse(call, &good, &other, "in another layout", call->matrix[i].name, last, HYLA_MISMATCH);
    }
    for (int i = 0; i < OPTIONS && call->option[i].name != NULL; i++) {
      struct given other = good;
      other.option[i] = call->option[i].other;
      if (other.option[i] != good.option[i])
        refuse(call, &good, &other, "another value", call->option[i].name, last, HYLA_MISMATCH);
    }
    struct given other = good;
    other.alpha = 2;
    if (call->scalars > 0) refuse(call, &good, &other, "2", "alpha", last, HYLA_MISMATCH);
    other.alpha = good.alpha;
    other.beta = 2;
    if (call->scalars > 1) refuse(call, &good, &other, "2", "beta", last, HYLA_MISMATCH);
    other.beta = good.beta;
    other.variant = UNKNOWN;
    if (call->variant) refuse(call, &good, &other, "unknown", "variant", last, HYLA_MISMATCH);
  }
  close_world(&w);
}

/* The arguments that the other tests call good are good. */
static void good_calls_succeed(void **state) {
  (void)state;
  struct world w = open_world();
  for (int c = 0; misuse_call_at(c) != NULL; c++) {
    const struct misuse_call *call = misuse_call_at(c);
    struct given good = given_of(&w, call);
    harness_note("%s", call->name);
    bool taken = false;
    for (int i = 0; i < count_matrices(call); i++) taken |= (call->matrix[i].traits & TAKEN) != 0;
    if (taken) continue;
    for (int k = 0; k < 3; k++) /* an earlier call may have changed the entries */
      for (int i = 0; i < MATRICES; i++)
        assert_int_equal(hyla_matrix_gallery(w.cube, w.good[k][i], "random", (uint64_t)i), HYLA_OK);
    assert_int_equal(hyla_matrix_gallery(w.cube, w.good[0][0], "dominant", 1), HYLA_OK);
    hyla_status status = call->make(&good);
    /* A check may report that the given solution is none. */
    if (status != HYLA_OK && status != HYLA_UNRELIABLE)
      fail_msg("status %d: %s", (int)status, hyla_cube_message(w.cube));
  }
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_calls_succeed),
      cmocka_unit_test(matrices_that_do_not_fit),
      cmocka_unit_test(written_matrices_that_share_entries),
      cmocka_unit_test(options_and_places_that_are_none),
      cmocka_unit_test(factors_that_do_not_serve),
      cmocka_unit_test(ranks_that_differ),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
