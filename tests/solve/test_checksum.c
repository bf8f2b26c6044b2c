/* Factorizations with checksums: sound ones raise no alarm, cost what was predicted and allocate
 * nothing.  A bit that changes in A, L or U is found and named; in L or U it is corrected, or the
 * factorization is repeated. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
#include "solve/guard/guard.h"

#include "tests/harness/checked.h"
#include "tests/harness/cube.h"
#include "tests/harness/draw.h"
#include "tests/harness/harness.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double largest(double mine) {
  double all = 0;
  harness_allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX);
  return all;
}

struct trial {
  hyla_cube *cube;
  hyla_method method;
  hyla_matrix *a, *b, *x, *copy; /* copy: the correct factors */
  hyla_factor *factor;
  struct hy_checksum *check;
};

static void trial_make(hyla_cube *cube, hyla_method method, const char *variant, int64_t n,
                       struct trial *t) {
  *t = (struct trial){.cube = cube, .method = method};
  if (variant != NULL && strcmp(variant, "diagonal") == 0 && cube->sides.count > 0)
    variant = NULL; /* it needs a cube */
  hyla_type type = (hyla_type)harness_draw(0, 3);
  hyla_layout layout = draw_on(cube);
  const char *kind = hyla_method_at((int)method)->sample;
  assert_int_equal(hyla_matrix_create(cube, type, n, n, &layout, &t->a), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, type, n, 2, NULL, &t->b), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, type, n, 2, NULL, &t->x), HYLA_OK);
  bool dominant = variant != NULL && strcmp(variant, "diagonal") == 0;
  assert_int_equal(hyla_matrix_gallery(cube, t->a, dominant ? "dominant" : kind, 3), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, t->b, HYLA_RANDOM, 4), HYLA_OK);
  /* Blocks that are small enough for many panels, or single entries. */
  static const char *const layouts[] = {"binary/cyclic:4", "gray/cyclic:9"};
  const char *text = dominant ? "binary/cyclic:1" : layouts[harness_draw(0, 1)];
  layout = cube_layout(cube, text);
  assert_int_equal(hyla_factor_create(cube, method, type, n, 2, &layout, variant, &t->factor),
                   HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, type, n, n, hyla_factor_layout(t->factor), &t->copy),
                   HYLA_OK);
  t->check = t->factor->checksum;
  harness_note("%s, %s, %s, order %lld", hyla_method_at((int)method)->name,
               hyla_plan_variant(hyla_factor_plan(t->factor)), t->a->k->name, (long long)n);
}

static void trial_free(struct trial *t) {
  t->factor->checksum = t->check;
  hyla_factor_destroy(&t->factor);
  hyla_matrix_destroy(&t->copy);
  hyla_matrix_destroy(&t->x);
  hyla_matrix_destroy(&t->b);
  hyla_matrix_destroy(&t->a);
}

static const char *const variants[] = {"partial", "tournament", "diagonal", NULL};

static const char *variant_of(hyla_method method, int trial) {
  return method == HYLA_LU ? variants[trial % 4] : NULL;
}

/* ------------------------------------------------------------- no fault -- */

static void sound_factors_raise_no_alarm(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 40; trial++) {
    struct trial t;
    hyla_method method = trial % 5 == 4 ? HYLA_CHOLESKY : HYLA_LU;
    trial_make(cube, method, variant_of(method, trial), harness_draw(1, 90), &t);
    double residual = NAN;
    int64_t before = cube->base.allocations;
    assert_int_equal(hyla_factor_compute(cube, t.factor, t.a), HYLA_OK);
    assert_int_equal(hyla_factor_compute(cube, t.factor, t.a), HYLA_OK);
    assert_true(hy_matrix_has_copies(t.a) || cube->base.allocations >= before);
    before = cube->base.allocations;
    assert_int_equal(hyla_factor_compute(cube, t.factor, t.a), HYLA_OK);
    assert_int_equal(cube->base.allocations, before);
    assert_int_equal(hyla_factor_solve(cube, t.factor, HYLA_NONE, t.b, t.x), HYLA_OK);
    assert_int_equal(hyla_residual(cube, t.a, t.x, t.b, &residual), HYLA_OK);
    assert_true(residual < 16);
    trial_free(&t);
  }
  hyla_faults faults = faults_of(cube);
  assert_int_equal(faults.checked, 120);
  assert_int_equal(faults.damaged, 0);
  cube_close(&cube);
}

/* Other shapes, in place, and calls that are not checked. */
static void all_calls_take_the_option(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 10; trial++) {
    hyla_matrix *a = NULL, *b = NULL;
    hyla_factor *factor = NULL;
    int64_t m = harness_draw(1, 60), n = harness_draw(1, 60);
    hyla_type type = (hyla_type)(trial % 4);
    assert_int_equal(hyla_matrix_create(cube, type, m, n, NULL, &a), HYLA_OK);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 5), HYLA_OK);
    assert_int_equal(hyla_factor_adopt(cube, HYLA_LU, 0, NULL, &a, &factor), HYLA_OK);
    hyla_factor_destroy(&factor);
    assert_int_equal(hyla_matrix_create(cube, type, m, m, NULL, &a), HYLA_OK);
    assert_int_equal(hyla_matrix_create(cube, type, m, 3, NULL, &b), HYLA_OK);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_DOMINANT, 5), HYLA_OK);
    assert_int_equal(hyla_solve_in_place(cube, a, b, b, NULL), HYLA_OK);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  assert_int_equal(faults_of(cube).checked, 20);
  assert_int_equal(faults_of(cube).damaged, 0);
  cube_close(&cube);
}

/* ---------------------------------------------------------------- a bit -- */

/* The parts of a checked run, so that a fault can be put between them. */
static void factor_unseen(struct trial *t) {
  t->factor->checksum = NULL;
  assert_int_equal(hyla_factor_compute(t->cube, t->factor, t->a), HYLA_OK);
}

static enum hy_check_result end(struct trial *t) {
  enum hy_check_result worst = HY_DAMAGED;
  assert_int_equal(hy_agree(t->cube, hy_checksum_end(t->check, &worst)), HYLA_OK);
  return worst;
}

static void keep(const struct trial *t) {
  const hyla_matrix *a = t->factor->factors.a;
  a->k->copy(HYLA_NONE, (int)a->local_rows, (int)a->local_cols, 1, a->local, (int)a->ld,
             t->copy->local, (int)t->copy->ld);
}

/* The largest difference between the factors and the correct ones; for Cholesky in the lower
 * triangle. */
static double distance(const struct trial *t) {
  const hyla_matrix *a = t->factor->factors.a;
  double mine = 0;
  for (int64_t j = 0; j < a->local_cols; j++)
    for (int64_t i = 0; i < a->local_rows; i++) {
      if (t->method == HYLA_CHOLESKY && hyla_matrix_row(a, i) < hyla_matrix_col(a, j)) continue;
      double here = cabs(a->k->get(hy_at(a, i, j), 0) - a->k->get(hy_at(t->copy, i, j), 0));
      mine = fmax(mine, isnan(here) ? INFINITY : here);
    }
  return largest(mine);
}

/* Flips a bit of an entry where it lies; returns the size of the change. */
static double flip(hyla_cube *cube, hyla_matrix *x, int64_t row, int64_t col, int64_t bit) {
  int node = hy_matrix_node(x, hy_axis_owner(&x->row, row), hy_axis_owner(&x->col, col));
  double change = 0;
  if (node == cube->address) {
    char *entry = hy_at(x, hy_axis_before(&x->row, x->row_part, row),
                        hy_axis_before(&x->col, x->col_part, col));
    double _Complex old = x->k->get(entry, 0);
    entry[bit / 8] = (char)(entry[bit / 8] ^ 1 << bit % 8);
    change = cabs(x->k->get(entry, 0) - old);
    if (isnan(change)) change = INFINITY;
  }
  return largest(change);
}

/* The largest error that rounding may hide, in any row. */
static double hidden(const struct trial *t) {
  double mine = 0;
  for (int64_t i = 0; i < t->factor->problem.m && t->cube->address >= 0; i++) {
    double size = fmax(t->check->due[i].size, t->check->found[i].size);
    mine = fmax(mine, t->check->tolerance * size);
  }
  return largest(mine);
}

static void one_bit(struct trial *t, int64_t *found, int64_t *corrected) {
  hyla_matrix *a = t->factor->factors.a;
  int64_t n = a->row.n, row = harness_draw(0, n - 1), col = harness_draw(0, n - 1);
  if (t->method == HYLA_CHOLESKY && row < col) {
    int64_t held = row;
    row = col;
    col = held;
  }
  assert_int_equal(hy_agree(t->cube, hy_checksum_begin(t->check, t->a, harness_draw(0, 1) == 1)),
                   HYLA_OK);
  factor_unseen(t);
  keep(t);
  assert_int_equal(end(t), HY_UNDAMAGED);
  double least = hidden(t);
  double change = flip(t->cube, a, row, col, harness_draw(0, 8 * (int64_t)a->k->size - 1));
  enum hy_check_result finding = end(t);
  harness_note("entry (%lld, %lld) of order %lld changed by %g, hidden %g", (long long)row,
               (long long)col, (long long)n, change, least);
  /* Times rows of L the change may be small, but not in its own row, or that of U. */
  if (finding == HY_CORRECTED) {
    char name[64];
    int64_t stands = row;
    if (row > col && t->method == HYLA_LU) {
      /* Later panels have swapped it. */
      if (t->cube->address >= 0) {
        hy_checksum_place(t->check, col / t->check->block * t->check->block);
        stands = t->check->place[row];
      }
      harness_broadcast(&stands, 1, MPI_INT64_T, 0);
    }
    const char *factor = row > col || t->method == HYLA_CHOLESKY ? "L" : "U";
    snprintf(name, sizeof name, "(%lld, %lld) of %s on node %d", (long long)stands, (long long)col,
             factor, hy_matrix_node(a, hy_axis_owner(&a->row, row), hy_axis_owner(&a->col, col)));
    harness_note("%s: \"%s\" has no \"%s\"", hyla_method_at((int)t->method)->name,
                 faults_of(t->cube).text, name);
    assert_non_null(strstr(faults_of(t->cube).text, name));
    assert_true(distance(t) <= fmax(1e4 * least, 0));
    ++*corrected;
  }
  if (finding == HY_UNDAMAGED) assert_true(distance(t) <= 1e4 * least);
  *found += finding != HY_UNDAMAGED;
}

static void a_bit_of_a_factor_is_found(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  int64_t found = 0, corrected = 0;
  for (int trial = 0; trial < 60; trial++) {
    struct trial t;
    hyla_method method = trial % 4 == 3 ? HYLA_CHOLESKY : HYLA_LU;
    trial_make(cube, method, variant_of(method, trial), harness_draw(1, 70), &t);
    one_bit(&t, &found, &corrected);
    trial_free(&t);
  }
  assert_true(found >= 20);
  assert_true(corrected >= 12);
  cube_close(&cube);
}

/* A times a power of two, so that squares overflow or vanish: its factors raise no alarm, but a
 * changed entry of U does. */
static void scale_hides_nothing(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 12; trial++) {
    struct trial t;
    hyla_method method = trial % 3 == 2 ? HYLA_CHOLESKY : HYLA_LU;
    trial_make(cube, method, variant_of(method, trial % 2), harness_draw(1, 40), &t);
    const struct hy_kernels *k = t.a->k;
    int exponent = (k->epsilon > 1e-10 ? 20 : 700) * (harness_draw(0, 1) ? 1 : -1);
    for (int64_t j = 0; j < t.a->local_cols; j++)
      k->scale((int)t.a->local_rows, ldexp(1, exponent), hy_at(t.a, 0, j), 1);
    assert_int_equal(hy_agree(cube, hy_checksum_begin(t.check, t.a, true)), HYLA_OK);
    factor_unseen(&t);
    assert_int_equal(end(&t), HY_UNDAMAGED);
    double other = ldexp(19, method == HYLA_CHOLESKY ? exponent / 2 : exponent);
    assert_int_equal(hyla_matrix_set(cube, t.factor->factors.a, 0, 0, other), HYLA_OK);
    harness_note("times 2^%d", exponent);
    assert_int_not_equal(end(&t), HY_UNDAMAGED);
    trial_free(&t);
  }
  cube_close(&cube);
}

/* A changes after it was summed: the row is named, and the factors are those of another matrix. */
static void a_bit_of_a_is_found(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  int named = 0;
  for (int trial = 0; trial < 20; trial++) {
    struct trial t;
    trial_make(cube, HYLA_LU, variant_of(HYLA_LU, trial), harness_draw(2, 70), &t);
    int64_t n = t.a->row.n, row = harness_draw(0, n - 1), col = harness_draw(0, n - 1);
    assert_int_equal(hy_agree(cube, hy_checksum_begin(t.check, t.a, harness_draw(0, 1) == 1)),
                     HYLA_OK);
    assert_int_equal(hyla_matrix_set(cube, t.a, row, col, 100), HYLA_OK);
    factor_unseen(&t);
    char name[64];
    snprintf(name, sizeof name, "row %lld of A", (long long)row);
    /* The last entry of A is an entry of U. */
    enum hy_check_result finding = end(&t);
    assert_int_not_equal(finding, HY_UNDAMAGED);
    named += strstr(faults_of(cube).text, name) != NULL;
    trial_free(&t);
  }
  assert_true(named >= 16);
  cube_close(&cube);
}

/* An entry of U's diagonal is put right; that of Cholesky's L occurs squared and is not. */
static void a_diagonal_entry_is_corrected_in_u(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 16; trial++) {
    struct trial t;
    hyla_method method = trial % 4 == 3 ? HYLA_CHOLESKY : HYLA_LU;
    trial_make(cube, method, variant_of(method, trial), harness_draw(4, 40), &t);
    const int64_t at = harness_draw(0, t.a->row.n - 1);
    harness_note("%s, entry %lld", hyla_method_at((int)method)->name, (long long)at);
    assert_int_equal(hy_agree(cube, hy_checksum_begin(t.check, t.a, true)), HYLA_OK);
    factor_unseen(&t);
    keep(&t);
    assert_int_equal(hyla_matrix_set(cube, t.factor->factors.a, at, at, 1000), HYLA_OK);
    assert_int_equal(end(&t), method == HYLA_LU ? HY_CORRECTED : HY_DAMAGED);
    if (method == HYLA_LU) assert_true(distance(&t) <= 1e4 * hidden(&t));
    trial_free(&t);
  }
  cube_close(&cube);
}

static void two_bits_are_found(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 20; trial++) {
    struct trial t;
    hyla_method method = trial % 4 == 3 ? HYLA_CHOLESKY : HYLA_LU;
    trial_make(cube, method, variant_of(method, trial), harness_draw(4, 70), &t);
    hyla_matrix *a = t.factor->factors.a;
    int64_t n = a->row.n, row = harness_draw(1, n - 2), col = harness_draw(0, row - 1);
    assert_int_equal(hy_agree(cube, hy_checksum_begin(t.check, t.a, harness_draw(0, 1) == 1)),
                     HYLA_OK);
    factor_unseen(&t);
    assert_int_equal(hyla_matrix_set(cube, a, row, col, 30), HYLA_OK);
    assert_int_equal(hyla_matrix_set(cube, a, row + 1, col, -20), HYLA_OK);
    assert_int_equal(end(&t), HY_DAMAGED);
    trial_free(&t);
  }
  cube_close(&cube);
}

/* ----------------------------------------------------------------- costs -- */

static int64_t words_sent(const hyla_cube *cube, size_t size, int64_t *messages) {
  hyla_ledger ledger;
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  int64_t bytes = ledger.far_bytes;
  *messages = ledger.far_messages;
  for (int dim = 0; dim < ledger.dims; dim++) {
    bytes += ledger.bytes[dim];
    *messages += ledger.messages[dim];
  }
  return bytes / (int64_t)size;
}

/* The checks' messages and operations are those that they predict, and that a plan adds for
 * them. */
static void checks_cost_what_they_say(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube(), *plain = cube_open(false);
  for (int trial = 0; trial < 12; trial++) {
    struct trial t;
    hyla_factor *bare = NULL;
    hyla_cost said;
    int64_t messages = 0, n = harness_draw(1, 60);
    bool stays = trial % 2 == 0;
    trial_make(cube, trial % 3 == 2 ? HYLA_CHOLESKY : HYLA_LU, NULL, n, &t);
    const hyla_layout *layout = hyla_factor_layout(t.factor);
    hyla_matrix *a = NULL;
    const char *variant = hyla_plan_variant(hyla_factor_plan(t.factor));
    assert_int_equal(
        hyla_factor_create(plain, t.method, t.a->k->type, n, 2, layout, variant, &bare), HYLA_OK);
    assert_int_equal(hyla_matrix_create(cube, t.a->k->type, n, n, layout, &a), HYLA_OK);
    assert_int_equal(hyla_matrix_copy(cube, t.a, a), HYLA_OK);
    assert_int_equal(hy_checksum_cost(t.check, a, stays, &said), HYLA_OK);
    assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
    assert_int_equal(hy_agree(cube, hy_checksum_begin(t.check, a, stays)), HYLA_OK);
    int64_t words = words_sent(cube, t.a->k->size, &messages), more = 0;
    hyla_ledger ledger;
    assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
    int64_t steps = ledger.steps;
    factor_unseen(&t);
    assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
    assert_int_equal(end(&t), HY_UNDAMAGED);
    words += words_sent(cube, t.a->k->size, &more);
    messages += more;
    assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
    steps += ledger.steps;
    harness_note("stays %d, order %lld: %lld words, said %lld", stays, (long long)n,
                 (long long)words, (long long)said.words);
    assert_int_equal(steps, said.steps);
    assert_int_equal(messages, said.messages);
    assert_int_equal(words, said.words);
    if (cube->nodes > 1 && cube->address >= 0) assert_true(said.words > 0);
    assert_true(largest((double)said.touched) >= (double)(n * n) / 2 / cube->nodes);
    if (cube->address >= 0) assert_true(said.memory >= 6 * n * (int64_t)sizeof(double));
    assert_int_equal(hy_checksum_cost(t.check, a, true, &said), HYLA_OK);
    const hyla_cost with = hy_plan_mine(t.factor->plan), without = hy_plan_mine(bare->plan);
    assert_int_equal(with.words - without.words, said.words);
    assert_int_equal(with.touched - without.touched, said.touched);
    assert_int_equal(with.memory - without.memory, said.memory);
    hyla_matrix_destroy(&a);
    hyla_factor_destroy(&bare);
    trial_free(&t);
  }
  cube_close(&plain);
  cube_close(&cube);
}

/* ---------------------------------------------------------------- output -- */

/* m x n factors by a method, in blocks small enough for many panels, with P. */
struct written {
  hyla_matrix *a, *l, *u;
  hyla_factor *factor;
  int64_t *rows;
};

static void written_make(hyla_cube *cube, hyla_method method, hyla_type type, struct written *w) {
  const hyla_method_traits *traits = hyla_method_at((int)method);
  int64_t m = harness_draw(1, 60), n = traits->rectangular ? harness_draw(1, 60) : m;
  int64_t order = m < n ? m : n;
  hyla_layout layout, other = draw_on(cube);
  *w = (struct written){.rows = malloc((size_t)m * sizeof *w->rows)};
  harness_note("%s, %lld x %lld, type %d", traits->name, (long long)m, (long long)n, (int)type);
  assert_int_equal(hyla_layout_parse(cube, "binary/cyclic:4", &layout), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, type, m, n, &other, &w->a), HYLA_OK);
  assert_int_equal(hyla_matrix_gallery(cube, w->a, m == n ? traits->sample : "random", 3), HYLA_OK);
  assert_int_equal(
      hyla_factor_create_rectangular(cube, method, type, m, n, m == n, &layout, NULL, &w->factor),
      HYLA_OK);
  assert_int_equal(hyla_factor_compute(cube, w->factor, w->a), HYLA_OK);
  assert_int_equal(hyla_factor_permutation(cube, w->factor, w->rows), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, type, m, order, &other, &w->l), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, type, order, n, NULL, &w->u), HYLA_OK);
  assert_int_equal(hyla_factor_upper(cube, w->factor, w->u), HYLA_OK);
  if (method != HYLA_QR) assert_int_equal(hyla_factor_lower(cube, w->factor, w->l), HYLA_OK);
}

static void written_free(struct written *w) {
  hyla_factor_destroy(&w->factor);
  hyla_matrix_destroy(&w->u);
  hyla_matrix_destroy(&w->l);
  hyla_matrix_destroy(&w->a);
  free(w->rows);
}

/* Changes an entry of the diagonal, which every row of the product needs, in the file only. */
static void assert_change_is_found(hyla_cube *cube, const struct written *w, hyla_matrix *part,
                                   const char *lower, const char *upper, bool is_lower) {
  double worst = 0;
  int64_t at = harness_draw(0, hy_min(part->row.n, part->col.n) - 1);
  hyla_scalar old = 0;
  assert_int_equal(hyla_matrix_get(cube, part, at, at, &old), HYLA_OK);
  assert_int_equal(hyla_matrix_set(cube, part, at, at, 1.5 * old + 1), HYLA_OK);
  assert_int_equal(hyla_matrix_write(cube, part, is_lower ? lower : upper), HYLA_OK);
  assert_int_equal(hyla_factor_held(cube, w->factor, lower, upper, w->rows, &worst), HYLA_DAMAGED);
  assert_true(worst > 1);
  assert_non_null(
      strstr(hyla_cube_message(cube), "of the product of the factors is not that of A"));
  assert_int_equal(hyla_matrix_set(cube, part, at, at, old), HYLA_OK);
  assert_int_equal(hyla_matrix_write(cube, part, is_lower ? lower : upper), HYLA_OK);
}

static void what_is_written_is_held_against_a(void **state) {
  (void)state;
  static const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_QR};
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 16; trial++) {
    struct written w;
    bool qr = methods[trial % 4] == HYLA_QR;
    double worst = NAN;
    const char *lower = qr ? NULL : "test_checksum-l.npy";
    const char *upper = trial % 3 ? "test_checksum-u.npy" : "test_checksum-u.mtx";
    written_make(cube, methods[trial % 4], (hyla_type)(trial / 4), &w);
    assert_int_equal(hyla_factor_held(cube, w.factor, NULL, NULL, w.rows, &worst), HYLA_ARGUMENT);
    assert_int_equal(hyla_factor_hold(cube, w.factor, w.a), HYLA_OK);
    assert_int_equal(hyla_factor_held(cube, w.factor, NULL, NULL, w.rows, &worst), HYLA_OK);
    assert_true(worst < .5);
    if (!qr) assert_int_equal(hyla_matrix_write(cube, w.l, lower), HYLA_OK);
    assert_int_equal(hyla_matrix_write(cube, w.u, upper), HYLA_OK);
    assert_int_equal(hyla_factor_held(cube, w.factor, lower, upper, w.rows, &worst), HYLA_OK);
    assert_true(worst < .5);
    if (!qr) assert_change_is_found(cube, &w, w.l, lower, upper, true);
    assert_change_is_found(cube, &w, w.u, lower, upper, false);
    w.rows[0] = -1;
    hyla_status status = hyla_factor_held(cube, w.factor, lower, upper, w.rows, &worst);
    assert_int_equal(status, qr ? HYLA_OK : HYLA_DAMAGED);
    assert_int_equal(hyla_factor_compute(cube, w.factor, w.a), HYLA_OK);
    assert_int_equal(hyla_factor_held(cube, w.factor, NULL, NULL, w.rows, &worst), HYLA_ARGUMENT);
    written_free(&w);
  }
  cube_close(&cube);
}

/* A matrix that has no factors is reported as before, without a fault. */
static void what_has_no_factors_has_none_twice(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 8; trial++) {
    struct trial t;
    int64_t n = harness_draw(2, 50), at = harness_draw(0, n - 1);
    trial_make(cube, HYLA_CHOLESKY, NULL, n, &t);
    assert_int_equal(hyla_matrix_set(cube, t.a, at, at, -1), HYLA_OK);
    assert_int_equal(hyla_factor_compute(cube, t.factor, t.a), HYLA_INDEFINITE);
    assert_int_equal(hyla_factor_pivot(t.factor), at + 1);
    assert_int_equal(faults_of(cube).damaged, 0);
    trial_free(&t);
  }
  cube_close(&cube);
}

/* A changes after it was summed, and is no longer definite. */
static void a_change_that_undoes_definiteness_is_found(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 8; trial++) {
    struct trial t;
    enum hy_check_result worst = HY_UNDAMAGED;
    int64_t n = harness_draw(2, 50), at = harness_draw(0, n - 1);
    char name[64];
    trial_make(cube, HYLA_CHOLESKY, NULL, n, &t);
    assert_int_equal(hy_agree(cube, hy_checksum_begin(t.check, t.a, true)), HYLA_OK);
    assert_int_equal(hy_agree(cube, hy_checksum_again(t.check, &worst)), HYLA_OK);
    assert_int_equal(worst, HY_UNDAMAGED);
    assert_int_equal(hyla_matrix_set(cube, t.a, at, at, -1), HYLA_OK);
    assert_int_equal(hy_agree(cube, hy_checksum_again(t.check, &worst)), HYLA_OK);
    assert_int_equal(worst, HY_DAMAGED);
    snprintf(name, sizeof name, "row %lld of A", (long long)at);
    assert_non_null(strstr(faults_of(cube).text, name));
    trial_free(&t);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_factors_raise_no_alarm),
      cmocka_unit_test(all_calls_take_the_option),
      cmocka_unit_test(a_bit_of_a_factor_is_found),
      cmocka_unit_test(a_bit_of_a_is_found),
      cmocka_unit_test(a_diagonal_entry_is_corrected_in_u),
      cmocka_unit_test(two_bits_are_found),
      cmocka_unit_test(checks_cost_what_they_say),
      cmocka_unit_test(what_is_written_is_held_against_a),
      cmocka_unit_test(what_has_no_factors_has_none_twice),
      cmocka_unit_test(a_change_that_undoes_definiteness_is_found),
      cmocka_unit_test(scale_hides_nothing),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
