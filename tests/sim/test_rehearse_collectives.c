/* Collectives on a virtual cube: the predicted time of every variant is the time of its run, to the
 * last bit, with any ports and switching; so the chosen variant is the fastest.  Plans that take
 * long are made once for all nodes. */
#include "collective/planned.h"
#include "cube/cube.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <string.h>

/* The nodes share this; node 0 keeps the result. */
struct shared {
  hyla_collective collective;
  hyla_collective_result result;
};

static hyla_status body(hyla_cube *cube, void *arg) {
  struct shared *shared = arg;
  hyla_collective_result result;
  hyla_status status = hyla_collective_run(cube, &shared->collective, &result);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) shared->result = result;
  return status;
}

/* Every variant runs, then the choice.  Variants for special problems (permutations of one kind)
 * are available by name alone; the choice does not consider them. */
static void compare_all(struct shared *shared, const hyla_simulation *model) {
  hyla_collective *c = &shared->collective;
  const bool one_problem = strcmp(c->name, "permute") != 0 && strcmp(c->name, "exchange") != 0;
  hyla_report report;
  double best = -1;
  for (int v = 0;; v++) {
    c->variant = hyla_variant_name(c->name, v);
    hyla_status status = hyla_simulate(model, body, shared, &report);
    harness_note("%s %s, d = %d, %lld words, ports %d, switching %d, alpha %g, beta %g: %s",
                 c->name, c->variant ? c->variant : "chosen", model->dims, (long long)c->words,
                 (int)model->ports, (int)model->switching, model->alpha, model->beta,
                 report.message);
    if (c->variant && status == HYLA_UNSUPPORTED) continue;
    assert_int_equal(status, HYLA_OK);
    assert_true(shared->result.seconds_predicted == shared->result.seconds);
    assert_true(shared->result.seconds == report.time);
    if (c->variant == NULL) break;
    if (best < 0 || report.time < best) best = report.time;
  }
  if (one_problem)
    assert_true(report.time == best);
  else
    assert_true(report.time >= best);
}

static const char *const names[] = {"broadcast", "reduce",        "allreduce", "scatter",
                                    "gather",    "allgather",     "exchange",  "permute",
                                    "partial",   "reduce-scatter"};
enum { NAMES = sizeof names / sizeof *names, TIMES = 3 };

static void all_variants(void **state) {
  (void)state;
  static const double times[TIMES][2] = {{1, 1}, {177.5e-6, 0.394e-6}, {0, 0.5}};
  const int count = 7 * NAMES * 4 * TIMES;
  struct harness_walk walk = harness_walk(count, 60);
  for (int64_t i; harness_next(&walk, &i);) {
    const int kind = (int)(i / (7 * NAMES) % 4);
    const double *time = times[i / (7 * NAMES * 4)];
    const int dims = (int)(i % 7);
    const hyla_simulation model = {.dims = dims,
                                   .dry = harness_draw(0, 1) == 1,
                                   .ports = kind & 1 ? HYLA_ONE_PORT : HYLA_ALL_PORTS,
                                   .switching = kind & 2 ? HYLA_CIRCUIT : HYLA_STORE,
                                   .alpha = time[0],
                                   .beta = time[1] / 8};
    const char *name = names[i / 7 % NAMES];
    enum hy_task task;
    assert_true(hy_trial_task(name, &task));
    const int root = (int)harness_draw(0, (1 << dims) - 1);
    struct shared shared = {.collective = {.name = name,
                                           .words = harness_draw(0, dims < 5 ? 200 : 40),
                                           .root = hy_task_rooted(task) ? root : 0}};
    if (harness_draw(0, 1) == 1) {
      shared.collective.alpha = time[0];
      shared.collective.beta = time[1];
    }
    compare_all(&shared, &model);
  }
}

/* With equal messages the four trees are fastest; the fastest on all ports need not be so on
 * one. */
static void ports_decide(void **state) {
  (void)state;
  hyla_report report;
  hyla_simulation model = {.dims = 4, .alpha = 1, .beta = 0.125};
  struct shared trees = {.collective = {.name = "broadcast", .words = 100}};
  assert_int_equal(hyla_simulate(&model, body, &trees, &report), HYLA_OK);
  assert_string_equal(trees.result.variant, "sw90-4");
  assert_true(report.time == 48);
  struct shared all = {.collective = {.name = "allgather", .words = 100}}, one = all;
  assert_int_equal(hyla_simulate(&model, body, &all, &report), HYLA_OK);
  const double at_once = report.time;
  model.ports = HYLA_ONE_PORT;
  assert_int_equal(hyla_simulate(&model, body, &one, &report), HYLA_OK);
  assert_true(strcmp(all.result.variant, one.result.variant) != 0 && report.time > at_once);
}

/* For times that are not the cube's there is no rehearsal. */
static void other_times_are_priced(void **state) {
  (void)state;
  struct shared shared = {.collective = {.name = "broadcast", .words = 100, .alpha = 5, .beta = 1}};
  hyla_report report;
  const hyla_simulation model = {.dims = 4, .alpha = 1, .beta = 0.125};
  assert_int_equal(hyla_simulate(&model, body, &shared, &report), HYLA_OK);
  assert_non_null(strstr(shared.result.reason, "machine given: alpha 5 s"));
  assert_true(shared.result.seconds == report.time);
}

/* Things that all nodes use. */
enum { THINGS = 100 };
struct things {
  int made, kept;
  int thing[THINGS];
};

static void end_thing(void *thing) { ++*(int *)thing; }

static hyla_status share(hyla_cube *cube, void *arg) {
  struct things *things = arg;
  for (int i = 0; i < THINGS; i++) {
    int *found = hy_shared_table(cube, (uint64_t)i + 1);
    if (found == NULL) {
      things->made++;
      things->kept += hy_shared_table_keep(cube, (uint64_t)i + 1, &things->thing[i], end_thing);
    }
    CHECK(&cube->base, found == NULL || found == &things->thing[i], ARGUMENT, "thing %d", i);
    TRY(hyla_cube_barrier(cube));
  }
  return HYLA_OK;
}

/* As many as the room allows are made once and ended once; each node makes the others alone. */
static void what_is_common_is_made_once(void **state) {
  (void)state;
  enum { NODES = 8 };
  struct things things = {0};
  hyla_report report;
  assert_int_equal(hyla_simulate(&(hyla_simulation){.dims = 3}, share, &things, &report), HYLA_OK);
  assert_in_range(things.kept, 10, THINGS - 1);
  assert_int_equal(things.made, things.kept + NODES * (THINGS - things.kept));
  for (int i = 0; i < THINGS; i++) assert_int_equal(things.thing[i], i < things.kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_variants),
      cmocka_unit_test(ports_decide),
      cmocka_unit_test(other_times_are_priced),
      cmocka_unit_test(what_is_common_is_made_once),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
