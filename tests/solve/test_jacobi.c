/* Orderings of Jacobi's method: all pairs of blocks meet once in a sweep, over single links; what a
 * sweep sends is its formula; balanced codes keep all links about equally busy. */
// ranks: 1
#include "lu_case.h"

#include "hyla_lab.h"
#include "solve/jacobi/jacobi.h"

#include <math.h>
#include <string.h>

enum { DIMS = 10, COUNTED = 7 };

static const struct hy_jacobi_ordering *const ORDERINGS[] = {&hy_jacobi_br, &hy_jacobi_balanced,
                                                             &hy_jacobi_long_run, &hy_jacobi_ring};
enum { COUNT = sizeof ORDERINGS / sizeof *ORDERINGS };

/* An order's tables, owned by `memory'. */
struct order {
  struct hy_base base;
  char *memory;
  struct hy_jacobi_order is;
};

static void open_order(const struct hy_jacobi_ordering *ordering, uint32_t nodes, struct order *o) {
  memset(o, 0, sizeof *o);
  assert_int_equal(hy_alloc(&o->base, 1, 1, &o->memory), HYLA_OK);
  assert_int_equal(hy_jacobi_order_make(&o->base, o->memory, ordering, nodes, &o->is), HYLA_OK);
}

static void close_order(struct order *o) { hy_free(&o->base, &o->memory); }

/* The block that is in a slot in step t, by its place at the sweep's beginning. */
static int64_t block_at(const struct order *o, int64_t sweep, int64_t t, struct hy_jacobi_slot at) {
  const struct hy_jacobi_slot began = hy_jacobi_began(&o->is, sweep, t, at);
  return 2 * (int64_t)began.node + began.slot;
}

/* A block goes where it is found next, by at most one link of a cube, and comes from where it was.
 */
static void check_move(const struct order *o, int64_t sweep, int64_t t, struct hy_jacobi_slot at) {
  const struct hy_jacobi_slot to = hy_jacobi_to(&o->is, sweep, t, at);
  const struct hy_jacobi_slot back = hy_jacobi_from(&o->is, sweep, t, to);
  assert_true(back.node == at.node && back.slot == at.slot);
  assert_int_equal(block_at(o, sweep, t, at), block_at(o, sweep, t + 1, to));
  const uint32_t crossed = to.node ^ at.node;
  if (o->is.link != NULL) assert_true((crossed & (crossed - 1)) == 0);
}

static void check_sweep(const struct order *o, int64_t sweep) {
  const int64_t blocks = 2 * (int64_t)o->is.nodes;
  char *met = calloc((size_t)(blocks * blocks), 1);
  assert_non_null(met);
  for (int64_t t = 0; t < o->is.steps; t++)
    for (uint32_t x = 0; x < o->is.nodes; x++) {
      const int64_t one = block_at(o, sweep, t, (struct hy_jacobi_slot){x, 0}),
                    other = block_at(o, sweep, t, (struct hy_jacobi_slot){x, 1});
      assert_true(one != other && !met[one * blocks + other] && !met[other * blocks + one]);
      met[one * blocks + other] = 1;
      for (int s = 0; s < 2; s++) check_move(o, sweep, t, (struct hy_jacobi_slot){x, s});
    }
  free(met); /* as many pairs as there are, all different */
}

static void all_pairs_meet_once(void **state) {
  (void)state;
  struct harness_walk walk = harness_walk(COUNT * (DIMS + 1), 16);
  for (int64_t index; harness_next(&walk, &index);) {
    const int i = (int)(index % COUNT), d = (int)(index / COUNT);
    struct order o;
    const bool ring = ORDERINGS[i]->path == NULL;
    open_order(ORDERINGS[i], ring ? (uint32_t)(3 * d + 1) : UINT32_C(1) << d, &o);
    harness_note("%s on %u nodes", ORDERINGS[i]->name, o.is.nodes);
    assert_int_equal(o.is.steps, 2 * (int64_t)o.is.nodes - 1);
    for (int64_t sweep = 0; sweep < 2; sweep++) check_sweep(&o, sweep);
    close_order(&o);
  }
}

static int64_t busiest(const struct hy_jacobi_ordering *ordering, int e) {
  static uint8_t link[1 << 12];
  int64_t count[12] = {0}, most = 0;
  ordering->path(e, link);
  for (int64_t i = 0; i < (INT64_C(1) << e) - 1; i++) most = hy_max(most, ++count[link[i]]);
  return most;
}

/* In deep pipelines a phase takes as long as its busiest link. */
static void balanced_codes_keep_all_links_busy(void **state) {
  (void)state;
  int64_t balanced = 0, br = 0, least = 0;
  for (int e = 1; e <= 12; e++) {
    balanced += busiest(&hy_jacobi_balanced, e);
    br += busiest(&hy_jacobi_br, e);
    least += hy_ceil_div((INT64_C(1) << e) - 1, e);
    assert_true(100 * balanced <= 106 * least);
    if (e == 8) assert_true(100 * balanced <= 36 * br);
    if (e == 10) assert_true(100 * balanced <= 26 * br);
  }
}

/* So many moves in sequence cross different dimensions. */
static int64_t run_of(const struct hy_jacobi_ordering *ordering, int e) {
  static uint8_t link[1 << 12];
  int64_t last[12], least = INT64_C(1) << e;
  for (int i = 0; i < e; i++) last[i] = -least;
  ordering->path(e, link);
  for (int64_t i = 0; i < (INT64_C(1) << e) - 1; i++) {
    least = hy_min(least, i - last[link[i]]);
    last[link[i]] = i;
  }
  return least;
}

static double shallow(const char *ordering, int d, int64_t packets) {
  const hyla_machine machine = {
      .name = "given", .beta = .125, .network = HYLA_NETWORK_CUBE, .ports = HYLA_ALL_PORTS};
  const hyla_sweep sweep = {ordering, 840 * packets, packets};
  hyla_sweep_formula f;
  assert_int_equal(hyla_jacobi_sweep_formula(&machine, d, &sweep, &f), HYLA_OK);
  return f.seconds;
}

/* Long runs keep packets of shallow pipelines from meeting on a link: as many packets as a run has
 * moves take the time of one, but for the ends of phases. */
static void long_runs_keep_few_packets_apart(void **state) {
  (void)state;
  static const int64_t runs[] = {0, 1, 2, 2, 2, 4, 3, 5, 5, 6, 7, 8, 8};
  for (int e = 2; e <= 12; e++) {
    assert_int_equal(run_of(&hy_jacobi_long_run, e), runs[e]);
    assert_int_equal(run_of(&hy_jacobi_br, e), 2);
  }
  for (int d = 8; d <= 12; d++) {
    const double ours = shallow("long-run", d, runs[d]), theirs = shallow("br", d, runs[d]),
                 other = shallow("balanced", d, runs[d]);
    harness_note("%d dimensions: %g of br, %g of balanced", d, ours / theirs, ours / other);
    assert_true(ours <= .6 * theirs && ours <= .75 * other);
  }
}

/* ------------------------------------------------------------------ counts -- */

struct counted {
  const struct hy_jacobi_ordering *ordering;
  int64_t m, n;
  bool v;
};

/* What this node has sent. */
struct sent {
  int64_t messages, bytes;
};

static struct sent sent_between(const hyla_ledger *before, const hyla_ledger *after) {
  struct sent sent = {after->far_messages - before->far_messages,
                      after->far_bytes - before->far_bytes};
  for (int i = 0; i < after->dims; i++) {
    sent.messages += after->messages[i] - before->messages[i];
    sent.bytes += after->bytes[i] - before->bytes[i];
  }
  return sent;
}

static void combine_nothing(void *into, const void *from, int64_t count, const void *arg) {
  (void)into, (void)from, (void)count, (void)arg;
}

/* A sweep sends 2 P - 1 blocks of b (m + n) words from each node of a cube, beside one
 * all-reduction of three numbers. */
static hyla_status sweep_on(hyla_cube *cube, void *arg) {
  const struct counted *c = arg;
  const hyla_layout layout = hy_jacobi_layout(cube, c->n);
  hyla_matrix *y = NULL;
  struct hy_jacobi *j = NULL;
  TRY(hy_matrix_make(cube, HYLA_DOUBLE, c->m, c->n, &layout, &y));
  const struct hy_jacobi_problem problem = {.cube = cube,
                                            .k = y->k,
                                            .m = c->m,
                                            .n = c->n,
                                            .v_wanted = c->v,
                                            .ordering = c->ordering,
                                            .y = y};
  TRY(hy_jacobi_create(&problem, NULL, &j));
  TRY(hy_jacobi_allocate(j));
  hy_jacobi_begin(j);
  hyla_ledger ledger[3];
  (void)hyla_cube_ledger(cube, &ledger[0]);
  TRY(hy_jacobi_sweep(j));
  (void)hyla_cube_ledger(cube, &ledger[1]);
  TRY(hy_subcube_allreduce(&j->looks, &j->at, 1, combine_nothing, NULL));
  (void)hyla_cube_ledger(cube, &ledger[2]);
  const struct sent all = sent_between(&ledger[0], &ledger[1]),
                    reduced = sent_between(&ledger[1], &ledger[2]);
  const int64_t steps = 2 * (int64_t)cube->nodes - 1;
  CHECK(&cube->base,
        all.messages - reduced.messages == steps &&
            all.bytes - reduced.bytes == steps * j->width * (c->m + (c->v ? c->n : 0)) * 8,
        UNRELIABLE, "%lld messages, %lld bytes", (long long)all.messages, (long long)all.bytes);
  hy_free(&cube->base, &j);
  return hyla_matrix_destroy(&y);
}

static void sweeps_send_what_their_formula_says(void **state) {
  (void)state;
  for (int i = 0; i < COUNT - 1; i++)
    for (int d = 1; d <= COUNTED; d++) {
      const int64_t n = INT64_C(6) << d;
      struct counted c = {ORDERINGS[i], n + 5, n, d % 2 == 1};
      const hyla_simulation model = {.dims = d, .alpha = 1, .beta = 1, .dry = true};
      hyla_report report;
      harness_note("%s, %d dimensions", ORDERINGS[i]->name, d);
      hyla_simulate(&model, sweep_on, &c, &report);
      assert_string_equal(report.message, "");
    }
}

/* ------------------------------------------------------------------ packets -- */

/* A sweep alone, and what its nodes have sent at the most. */
struct travelled {
  hyla_sweep sweep;
  struct sent most;
  double seconds;
};

static hyla_status travel(hyla_cube *cube, void *arg) {
  struct travelled *t = arg;
  hyla_ledger before, after;
  (void)hyla_cube_ledger(cube, &before);
  const double begin = hyla_cube_clock(cube);
  TRY(hyla_jacobi_sweep(cube, &t->sweep));
  (void)hyla_cube_ledger(cube, &after);
  const struct sent here = sent_between(&before, &after);
  t->most.messages = hy_max(t->most.messages, here.messages);
  t->most.bytes = hy_max(t->most.bytes, here.bytes);
  t->seconds = fmax(t->seconds, hyla_cube_clock(cube) - begin);
  return HYLA_OK;
}

/* The formula of a sweep, after it has been held against a run. */
static hyla_sweep_formula check_sweep_alone(const hyla_sweep *sweep, int d, hyla_ports ports) {
  const hyla_machine machine = {
      .name = "given", .alpha = 3, .beta = 1. / 8, .network = HYLA_NETWORK_CUBE, .ports = ports};
  const hyla_simulation model = {.dims = d, .machine = &machine, .dry = true};
  struct travelled t = {.sweep = *sweep};
  hyla_sweep_formula formula;
  hyla_report report;
  harness_note("%s, %d dimensions, %lld packets", sweep->ordering, d, (long long)sweep->packets);
  assert_int_equal(hyla_jacobi_sweep_formula(&machine, d, sweep, &formula), HYLA_OK);
  hyla_simulate(&model, travel, &t, &report);
  assert_string_equal(report.message, "");
  assert_int_equal(t.most.messages, formula.messages);
  assert_int_equal(t.most.bytes, 8 * formula.words);
  if (isfinite(formula.seconds))
    assert_true(fabs(t.seconds - formula.seconds) <= 1e-9 * formula.seconds);
  return formula;
}

static void packets_take_the_time_of_their_formula(void **state) {
  (void)state;
  for (int d = 1; d <= 6; d++) {
    const int64_t steps = (INT64_C(2) << d) - 1;
    for (int i = 0; hyla_jacobi_ordering(i) != NULL; i++) {
      const hyla_sweep whole = {hyla_jacobi_ordering(i), 100, 1};
      const hyla_sweep_formula one = check_sweep_alone(&whole, d, HYLA_ALL_PORTS);
      assert_int_equal(one.steps, steps);
      if (strcmp(whole.ordering, "ring") == 0) continue;
      assert_int_equal(one.messages, steps);
      assert_int_equal(one.words, steps * whole.words);
      const hyla_sweep split = {whole.ordering, 100, harness_draw(2, 100)};
      (void)check_sweep_alone(&split, d, HYLA_ALL_PORTS);
    }
  }
}

/* In time, too, deep pipelines by balanced codes are near the bound, and far below BR's. */
static void deep_pipelines_need_balanced_codes(void **state) {
  (void)state;
  for (int d = 8; d <= 10; d += 2) {
    const hyla_machine machine = {.beta = 1. / 8, .ports = HYLA_ALL_PORTS};
    const int64_t packets = INT64_C(8) << d;
    const hyla_sweep balanced = {"balanced", packets, packets}, br = {"br", packets, packets};
    hyla_sweep_formula ours, theirs;
    assert_int_equal(hyla_jacobi_sweep_formula(&machine, d, &balanced, &ours), HYLA_OK);
    assert_int_equal(hyla_jacobi_sweep_formula(&machine, d, &br, &theirs), HYLA_OK);
    assert_true(ours.seconds <= 1.06 * (double)(ours.least * packets));
    assert_true(ours.seconds <= (d == 8 ? .36 : .26) * theirs.seconds);
  }
}

static void bad_sweeps_are_refused(void **state) {
  (void)state;
  const hyla_machine machine = {.alpha = 1};
  const hyla_sweep good = {"br", 8, 8};
  const hyla_sweep bad[] = {{NULL, 8, 1}, {"none", 8, 1}, {"br", 0, 1},
                            {"br", 8, 0}, {"br", 8, 9},   {"ring", 8, 2}};
  hyla_sweep_formula f;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(hyla_jacobi_sweep_formula(&machine, 3, &bad[i], &f), HYLA_ARGUMENT);
  assert_int_equal(hyla_jacobi_sweep_formula(&machine, 13, &good, &f), HYLA_ARGUMENT);
  assert_int_equal(hyla_jacobi_sweep_formula(&machine, -1, &good, &f), HYLA_ARGUMENT);
  assert_int_equal(hyla_jacobi_sweep_formula(NULL, 3, &good, &f), HYLA_ARGUMENT);
  assert_int_equal(hyla_jacobi_sweep_formula(&machine, 3, &good, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_jacobi_sweep_formula(&machine, 3, NULL, &f), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_pairs_meet_once),
      cmocka_unit_test(balanced_codes_keep_all_links_busy),
      cmocka_unit_test(long_runs_keep_few_packets_apart),
      cmocka_unit_test(sweeps_send_what_their_formula_says),
      cmocka_unit_test(packets_take_the_time_of_their_formula),
      cmocka_unit_test(deep_pipelines_need_balanced_codes),
      cmocka_unit_test(bad_sweeps_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
