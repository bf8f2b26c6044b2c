/* Products with checksums: sound ones raise no alarm, cost what was predicted and allocate nothing;
 * a bit that changes in C, A or B, or in a message, is found, named and, in C, corrected. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
#include "gemm/gemm_check.h"
#include "gemm_case.h"
#include "tests/campaign/network.h"
#include "tests/harness/checked.h"
#include "tests/harness/draw.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ no fault -- */

/* Compares results with the reference, counts with the ledger, memory with the books. */
static void sound_products_raise_no_alarm(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 24; trial++) {
    struct gemm_case x;
    case_draw(&x, cube);
    if (trial % 3 == 1) case_draw_update(&x);
    if (trial % 3 == 2) case_draw_symm_trmm(&x);
    x.cube = cube;
    case_must_hold(&x);
  }
  hyla_faults faults = faults_of(cube);
  assert_true(faults.checked >= 48);
  assert_int_equal(faults.damaged, 0);
  assert_string_equal(faults.text, "");
  cube_close(&cube);
}

static void virtual_cubes_too(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  assert_int_equal(setenv("HYLA_CHECK_RESULTS", "1", 1), 0);
  for (int trial = 0; trial < 8; trial++) {
    int dims = (int)harness_draw(0, 3);
    struct gemm_case x;
    const hyla_cube on = draw_nodes(dims, trial % 2 == 1);
    case_draw(&x, &on);
    if (trial % 3 == 1) case_draw_update(&x);
    if (trial % 3 == 2) case_draw_symm_trmm(&x);
    case_simulate(&on, &x);
  }
  assert_int_equal(unsetenv("HYLA_CHECK_RESULTS"), 0);
}

/* ---------------------------------------------------------------- a bit -- */

struct trial {
  hyla_cube *cube;
  hyla_matrix *a, *b, *c, *right; /* right: the correct C */
  hyla_plan *plan;
  struct hy_gemm_check *check;
  double _Complex beta;
};

static struct hy_gemm_own *own_of(const struct trial *t) { return hy_job_of(t->plan)->own; }

static int64_t draw_size(void) { return harness_draw(1, 40); }

static void trial_make(hyla_cube *cube, struct trial *t) {
  hyla_type type = (hyla_type)harness_draw(0, 3);
  hyla_operation op_a = (hyla_operation)harness_draw(0, 2),
                 op_b = (hyla_operation)harness_draw(0, 2);
  int64_t m = draw_size(), n = draw_size(), k = draw_size();
  double _Complex alpha = harness_draw(0, 1) ? 1 : .5 - I;
  *t = (struct trial){.cube = cube, .beta = harness_draw(0, 1) ? 0 : -2 + I};
  const int64_t sizes[4][2] = {
      {op_a ? k : m, op_a ? m : k}, {op_b ? n : k, op_b ? k : n}, {m, n}, {m, n}};
  hyla_matrix **const matrices[] = {&t->a, &t->b, &t->c, &t->right};
  for (int x = 0; x < 4; x++) {
    hyla_layout layout = x < 3 ? draw_on(cube) : t->c->layout;
    assert_int_equal(hyla_matrix_create(cube, type, sizes[x][0], sizes[x][1], &layout, matrices[x]),
                     HYLA_OK);
    assert_int_equal(hyla_matrix_generate(cube, *matrices[x], HYLA_RANDOM, (uint64_t)x + 1),
                     HYLA_OK);
  }
  assert_int_equal(hyla_matrix_copy(cube, t->c, t->right), HYLA_OK);
  assert_int_equal(
      hyla_gemm_plan(cube, op_a, op_b, alpha, t->a, t->b, t->beta, t->c, NULL, &t->plan), HYLA_OK);
  t->check = own_of(t)->check;
  assert_int_equal(hyla_gemm(cube, op_a, op_b, alpha, t->a, t->b, t->beta, t->right), HYLA_OK);
  harness_note("%s %lld x %lld x %lld, ops %d %d, beta %g", t->c->k->name, (long long)m,
               (long long)n, (long long)k, (int)op_a, (int)op_b, creal(t->beta));
}

static void trial_free(struct trial *t) {
  own_of(t)->check = t->check;
  hyla_plan_destroy(&t->plan);
  hyla_matrix_destroy(&t->right);
  hyla_matrix_destroy(&t->c);
  hyla_matrix_destroy(&t->b);
  hyla_matrix_destroy(&t->a);
}

/* The parts of a checked run, so that a fault can be put between them. */
static void begin(struct trial *t) {
  assert_int_equal(hy_agree(t->cube, hy_gemm_check_begin(t->check)), HYLA_OK);
  own_of(t)->check = NULL;
}

static enum hy_check_result end(struct trial *t) {
  enum hy_check_result worst = HY_DAMAGED;
  assert_int_equal(hy_agree(t->cube, hy_gemm_check_end(t->check, &worst)), HYLA_OK);
  return worst;
}

/* Flips a bit of an entry of x where it lies, in one of its copies; all ranks get the size of the
 * change. */
static double flip(hyla_cube *cube, hyla_matrix *x, int64_t row, int64_t col, int64_t bit) {
  int node = hy_matrix_node(x, hy_axis_owner(&x->row, row), hy_axis_owner(&x->col, col));
  double change = 0, all = 0;
  if (node == cube->address) {
    char *entry = hy_at(x, hy_axis_before(&x->row, x->row_part, row),
                        hy_axis_before(&x->col, x->col_part, col));
    double _Complex old = x->k->get(entry, 0);
    entry[bit / 8] = (char)(entry[bit / 8] ^ 1 << bit % 8);
    change = cabs(x->k->get(entry, 0) - old);
    if (isnan(change)) change = INFINITY;
  }
  harness_allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX);
  return all;
}

/* The largest difference between C and the correct one, on all ranks. */
static double distance(const struct trial *t) {
  double mine = 0, all = 0;
  for (int64_t j = 0; j < t->c->local_cols; j++)
    for (int64_t i = 0; i < t->c->local_rows; i++) {
      double here =
          cabs(t->c->k->get(hy_at(t->c, i, j), 0) - t->c->k->get(hy_at(t->right, i, j), 0));
      mine = fmax(mine, isnan(here) ? INFINITY : here);
    }
  harness_allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX);
  return all;
}

/* The error that rounding may hide in a row: the size of its sums times the tolerance. */
static double hidden(const struct trial *t, int64_t row) {
  double mine = t->cube->address < 0 ? 0 : t->check->tolerance * t->check->due[row].size, all = 0;
  harness_allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX);
  return all;
}

static void one_bit(struct trial *t, int64_t *visible, int64_t *corrected) {
  hyla_matrix *c = t->c;
  int64_t row = harness_draw(0, c->row.n - 1), col = harness_draw(0, c->col.n - 1);
  begin(t);
  assert_int_equal(hyla_plan_run(t->cube, t->plan), HYLA_OK);
  double change = flip(t->cube, c, row, col, harness_draw(0, 8 * (int64_t)c->k->size - 1));
  double least = hidden(t, row);
  enum hy_check_result found = end(t);
  harness_note("entry (%lld, %lld) of %lld x %lld changed by %g, hidden %g", (long long)row,
               (long long)col, (long long)c->row.n, (long long)c->col.n, change, least);
  if (change > 2 * least) {
    char name[64];
    snprintf(name, sizeof name, "row %lld of C", (long long)row);
    if (found == HY_CORRECTED)
      snprintf(name, sizeof name, "entry (%lld, %lld) of C on node %d", (long long)row,
               (long long)col,
               hy_rank_at(t->cube, hy_matrix_node(c, hy_axis_owner(&c->row, row),
                                                  hy_axis_owner(&c->col, col))));
    assert_int_not_equal(found, HY_UNDAMAGED);
    assert_non_null(strstr(faults_of(t->cube).text, name));
    ++*visible;
  }
  /* Finding the column needs a larger change. */
  if (change > 500 * (double)c->col.n * least) assert_int_equal(found, HY_CORRECTED);
  if (found == HY_CORRECTED) assert_true(distance(t) <= 2 * least);
  if (found == HY_UNDAMAGED) assert_true(distance(t) <= 2 * least);
  *corrected += found == HY_CORRECTED;
}

static void a_bit_of_c_is_found_and_corrected(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  int64_t visible = 0, corrected = 0;
  for (int trial = 0; trial < 60; trial++) {
    struct trial t;
    trial_make(cube, &t);
    one_bit(&t, &visible, &corrected);
    trial_free(&t);
  }
  assert_true(visible >= 30);
  assert_true(corrected >= 15);
  cube_close(&cube);
}

static void two_bits_are_found(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  for (int trial = 0; trial < 20; trial++) {
    struct trial t;
    trial_make(cube, &t);
    int64_t rows = t.c->row.n, cols = t.c->col.n;
    int64_t row = harness_draw(0, rows - 1), col = harness_draw(0, cols - 1);
    int64_t other = harness_draw(0, rows - 1), beside = harness_draw(0, cols - 1);
    begin(&t);
    assert_int_equal(hyla_plan_run(cube, t.plan), HYLA_OK);
    double size = t.c->k->complex_type ? (double)t.c->k->size / 2 : (double)t.c->k->size;
    int64_t top = 8 * (int64_t)size - 3; /* of the exponent */
    double change = flip(cube, t.c, row, col, top);
    bool two = other != row || beside != col;
    double second = two ? flip(cube, t.c, other, beside, top) : INFINITY;
    double least = hidden(&t, row), rest = hidden(&t, other);
    enum hy_check_result found = end(&t);
    if (change > 2 * least && second > 2 * rest && row != other) {
      assert_int_not_equal(found, HY_UNDAMAGED);
      if (found == HY_CORRECTED) assert_true(distance(&t) <= 2 * fmax(least, rest));
    }
    if (found != HY_DAMAGED) assert_true(distance(&t) <= 4 * fmax(least, rest));
    trial_free(&t);
  }
  cube_close(&cube);
}

/* A factor that changes after it was summed makes rows of C wrong, and nothing can correct them. */
static void a_bit_of_a_factor_is_found(void **state) {
  (void)state;
  hyla_cube *cube = checked_cube();
  int found = 0;
  for (int trial = 0; trial < 20; trial++) {
    struct trial t;
    trial_make(cube, &t);
    hyla_matrix *x = trial % 2 ? t.a : t.b;
    begin(&t);
    int64_t exponent = 8 * (int64_t)x->k->size / (x->k->complex_type ? 2 : 1) - 4;
    (void)flip(cube, x, harness_draw(0, x->row.n - 1), harness_draw(0, x->col.n - 1), exponent);
    assert_int_equal(hyla_plan_run(cube, t.plan), HYLA_OK);
    double least = 0;
    for (int64_t i = 0; i < t.c->row.n; i++) least = fmax(least, hidden(&t, i));
    /* Wrong enough to be seen although signs cancel. */
    bool wrong = !(distance(&t) <= 1000 * least);
    enum hy_check_result finding = end(&t);
    if (wrong) assert_int_not_equal(finding, HY_UNDAMAGED);
    if (finding != HY_DAMAGED) assert_true(distance(&t) <= 1000 * least);
    found += finding != HY_UNDAMAGED;
    trial_free(&t);
  }
  assert_true(found >= 10);
  cube_close(&cube);
}

/* -------------------------------------------------------------- messages -- */

enum { NODES = 4, ORDER = 11 };

/* The ranks' results. */
struct seen {
  hyla_status status[NODES];
  double entries[NODES][ORDER * ORDER];
  int64_t damaged, corrected;
};

static hyla_status multiply(hyla_cube *cube, void *arg) {
  struct seen *seen = arg;
  hyla_matrix *m[3] = {NULL, NULL, NULL};
  hyla_status status = HYLA_OK;
  hyla_faults faults;
  for (int x = 0; x < 3 && !status; x++) {
    status = hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, NULL, &m[x]);
    if (!status) status = hyla_matrix_generate(cube, m[x], HYLA_RANDOM, (uint64_t)x + 1);
  }
  if (!status) status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, m[0], m[1], 0, m[2]);
  seen->status[cube->address] = status;
  for (int64_t j = 0; m[2] != NULL && j < m[2]->local_cols; j++)
    memcpy(&seen->entries[cube->address][j * ORDER], hy_at(m[2], 0, j),
           (size_t)m[2]->local_rows * sizeof(double));
  if (hyla_cube_faults(cube, &faults) == HYLA_OK) {
    seen->damaged = faults.damaged;
    seen->corrected = faults.corrected;
  }
  for (int x = 0; x < 3; x++) hyla_matrix_destroy(&m[x]);
  return status;
}

static double apart(const struct seen *one, const struct seen *other) {
  double most = 0;
  for (int node = 0; node < NODES; node++)
    for (int i = 0; i < ORDER * ORDER; i++) {
      double here = fabs(one->entries[node][i] - other->entries[node][i]);
      most = fmax(most, isnan(here) ? INFINITY : here);
    }
  return most;
}

/* Blocks and sums travel; a bit of any of them changes. */
static void a_bit_on_the_way_is_found(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  hyla_options options;
  hyla_options_init(&options);
  options.timeout = 10;
  options.check_results = true;
  options.private_memory = true;
  struct seen right = {.damaged = 0};
  struct run sound = {
      .ranks = NODES, .options = &options, .body = multiply, .arg = &right, .seed = 1};
  assert_true(network_run(&sound));
  int64_t met = 0, told = 0, good = 0;
  for (int64_t at = 1; at <= sound.sent; at++) {
    struct seen seen = {.damaged = 0};
    struct run run = sound;
    run.arg = &seen;
    run.faults = 1;
    run.fault[0] =
        (struct fault){.kind = DAMAGED, .at = at, .bit = (uint64_t)harness_draw(0, 1 << 20)};
    assert_true(network_run(&run));
    assert_false(run.hung);
    if (!run.fault[0].met || run.fault[0].stream != HY_DATA) continue;
    harness_note("bit %lld of transfer %lld", (long long)run.fault[0].bit,
                 (long long)run.fault[0].at);
    for (int i = 0; i < NODES; i++) {
      assert_int_equal(seen.status[i], seen.status[0]);
      assert_true(seen.status[i] == HYLA_OK || seen.status[i] == HYLA_DAMAGED);
    }
    if (seen.status[0] == HYLA_OK) assert_true(apart(&seen, &right) < 1e-11);
    met++;
    told += seen.damaged > 0;
    good += seen.corrected > 0;
  }
  assert_true(met > 20);
  assert_true(told > met / 4);
  assert_true(good > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_products_raise_no_alarm),
      cmocka_unit_test(virtual_cubes_too),
      cmocka_unit_test(a_bit_of_c_is_found_and_corrected),
      cmocka_unit_test(two_bits_are_found),
      cmocka_unit_test(a_bit_of_a_factor_is_found),
      cmocka_unit_test(a_bit_on_the_way_is_found),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
