/* Collectives in the simulator: every variant delivers, sends the messages that it predicts, and
 * takes the time of its closed form. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "collective/variant.h"

#include <math.h>
#include <string.h>

/* Every node takes part in this; node 0 keeps the result. */
struct trial {
  hyla_collective collective;
  int dead_count; /* links that lose each message, whether or not the collective knows */
  const hyla_lost_link *dead;
  hyla_collective_result result;
};

static hyla_status body(hyla_cube *cube, void *arg) {
  struct trial *trial = arg;
  hyla_collective_result result;
  TRY(hyla_collective_run(cube, &trial->collective, &result));
  if (cube->address == 0) trial->result = result;
  return HYLA_OK;
}

static hyla_status simulate(int dims, const struct hy_collective_variant *row,
                            struct trial *trial) {
  hyla_simulation model = {.dims = dims,
                           .ports = row->machine.one_port ? HYLA_ONE_PORT : HYLA_ALL_PORTS,
                           .switching = row->machine.circuits ? HYLA_CIRCUIT : HYLA_STORE,
                           .alpha = trial->collective.alpha,
                           .beta = trial->collective.beta / 8,
                           .lost_count = trial->dead_count,
                           .lost = trial->dead};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, trial, &report);
  harness_note("%s %s, %d dimensions, %lld words: %s", trial->collective.name, row->base.name, dims,
               (long long)trial->collective.words, report.message);
  return status;
}

/* Counts are exact except for V92's variants, which reserve steps for packets that a given set of
 * active nodes may not have, and for successive broadcasts and matched exchanges, in which a node
 * without packets to pass on does not wait. */
static bool reserves(const struct hy_collective_variant *row) {
  return strncmp(row->base.name, "v92", 3) == 0 || row == &hy_allgather_successive ||
         row == &hy_partial_exchange_matched;
}

/* The active nodes of a row that serves two opposite corners. */
static int corners[2];

/* All nodes, or half of them for a row that allows no more; likewise for banded matrices. */
static int active_of(const struct hy_collective_variant *row, enum hy_task task, int dims) {
  if (row == &hy_partial_exchange_corners) return 1 + (dims > 0);
  bool half = row == &hy_partial_exchange_matched || task >= HY_TASK_BAND_EXCHANGE;
  return half ? (1 << dims) / 2 : 0;
}

static void check(enum hy_task task, const struct hy_collective_variant *row, int dims,
                  int64_t words) {
  const bool root = hy_task_rooted(task) || task == HY_TASK_PERMUTE;
  struct trial trial = {.collective = {.name = hy_task_name(task),
                                       .variant = row->base.name,
                                       .words = words,
                                       .root = root ? (1 << dims) - 1 : 0,
                                       .active = active_of(row, task, dims),
                                       .alpha = 100,
                                       .beta = 1}};
  if (row == &hy_partial_exchange_corners) trial.collective.which = corners;
  corners[1] = (1 << dims) - 1;
  hyla_status status = simulate(dims, row, &trial);
  const hyla_collective_result *r = &trial.result;
  /* One node has no band; PERMUTED SEND cuts a message into one part a node. */
  bool refused = (row == &hy_exchange_v92_band && dims == 0) ||
                 (row == &hy_permute_sw90 && words % ((int64_t)1 << dims) != 0);
  assert_int_equal(status, refused ? HYLA_UNSUPPORTED : HYLA_OK);
  if (refused) return;
  assert_string_equal(r->variant, row->base.name);
  assert_int_equal(r->counted.words, r->predicted.words);
  assert_int_equal(r->counted.messages, r->predicted.messages);
  assert_true(r->counted.steps <= r->predicted.steps);
  /* A time that was counted has no closed form; a row with a formula reports its letters. */
  assert_string_equal(r->closed_form, row->formula != NULL ? row->formula : "");
  assert_string_equal(r->formula, row->formula != NULL ? row->base.reference : "");
  if (row->formula == NULL) assert_true(isnan(r->formula_value));
  assert_true((r->letters[0] != 0) == (row->formula != NULL || r->published[0] != 0));
  assert_true(isfinite(r->published_value) == (r->published[0] != 0));
  /* Without words nothing travels, in no time; the forms are for messages. */
  if (!isfinite(r->formula_value) || words == 0) return;
  if (reserves(row))
    assert_true(r->seconds <= r->formula_value);
  else
    assert_true(r->seconds == r->formula_value);
}

static void every_variant_takes_its_time(void **state) {
  (void)state;
  /* 2520 is a multiple of the divisors in the closed forms up to 7 dimensions. */
  static const int64_t lengths[] = {0, 1, 13, 2520};
  const struct hy_collective_variant *row = NULL;
  for (int i = 0; (row = hy_variant_at(i)) != NULL; i++)
    for (enum hy_task task = HY_TASK_BROADCAST; task <= HY_TASK_BAND_BROADCAST; task++)
      for (int dims = 0; dims <= 4 && hy_task_forward(task) == row->task; dims++)
        for (int length = 0; length < 4 && task != HY_TASK_ALLREDUCE; length++)
          check(task, row, dims, lengths[length]);
}

/* Stout and Wagar 1990, DISTRIBUTE 2: (2^d-1) tau m / d + k beta with tau = 2, beta = 1, m = 8
 * lcm(1 ... d), and less than DISTRIBUTE 1 takes.  Reversed, it gathers. */
static void waves_leave_as_soon_as_they_can(void **state) {
  (void)state;
  static const struct {
    int dims;
    int64_t words;
    double time;
  } waves[] = {{3, 48, 226}, {5, 480, 5955}, {6, 480, 10083}, {7, 3360, 121923}};
  for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
    for (enum hy_task task = HY_TASK_SCATTER; task <= HY_TASK_GATHER; task++) {
      struct trial trials[2] = {0};
      static const char *const names[] = {"sw90-2", "sw90-1"};
      for (int j = 0; j < 2; j++) {
        const struct hy_collective_variant *row = hy_variant_find(task, names[j]);
        trials[j].collective = (hyla_collective){.name = hy_task_name(task),
                                                 .variant = names[j],
                                                 .words = waves[i].words,
                                                 .alpha = 1,
                                                 .beta = 2};
        assert_int_equal(simulate(waves[i].dims, row, &trials[j]), HYLA_OK);
        assert_int_equal(trials[j].result.counted.steps, trials[j].result.predicted.steps);
      }
      assert_true(trials[0].result.seconds == waves[i].time);
      assert_true(trials[0].result.seconds < trials[1].result.seconds);
    }
}

/* ARBITRARY SEND 3 and 1 to every distance. */
static void sends_leave_as_soon_as_they_can(void **state) {
  (void)state;
  static const char *const names[] = {"arbitrary-1", "arbitrary-3"};
  for (int dims = 1; dims <= 7; dims++)
    for (int distance = 1; distance <= dims; distance++)
      for (int i = 0; i < 2; i++) {
        struct trial trial = {.collective = {.name = "permute",
                                             .variant = names[i],
                                             .words = 60 * dims,
                                             .distance = distance,
                                             .alpha = 1000,
                                             .beta = 1}};
        assert_int_equal(simulate(dims, hy_variant_find(HY_TASK_PERMUTE, names[i]), &trial),
                         HYLA_OK);
        const hyla_collective_result *r = &trial.result;
        if (isfinite(r->formula_value))
          assert_true(r->seconds == r->formula_value);
        else
          assert_true(distance > 6);
      }
}

/* On 512 to 2048 nodes, odd messages.  If starts take no time, messages are cut into words; if
 * starts take long, they are not cut.  index: of a variant and a cube; starts alternate, so that
 * each variant and each cube meets both. */
static void check_large(int64_t index) {
  static const char *const names[] = {"recursive", "torus", "torus-paths", "mesh", "gray"};
  enum { NAMES = 5, CUBES = 3, PERMUTATIONS = NAMES * CUBES };
  const bool exchange = index >= PERMUTATIONS;
  const int64_t which = exchange ? index - PERMUTATIONS : index;
  const bool cut = (which / CUBES + which % CUBES) % 2 == 0;
  const bool halves = which / CUBES == 2 && !cut; /* on two paths */
  const int dims = 9 + (int)(which % CUBES);
  struct trial trial = {.collective = {.name = exchange ? "exchange" : "permute",
                                       .variant = exchange ? "pipelined" : names[which / CUBES],
                                       .words = exchange ? 3 : 13 + halves,
                                       .alpha = cut ? 0 : 1000,
                                       .beta = 1}};
  const hyla_simulation model = {
      .dims = dims, .dry = true, .alpha = trial.collective.alpha, .beta = 1.0 / 8};
  hyla_report report;
  harness_note("%s, %d dimensions, alpha %g", trial.collective.variant, dims,
               trial.collective.alpha);
  assert_int_equal(hyla_simulate(&model, body, &trial, &report), HYLA_OK);
  const hyla_collective_result *r = &trial.result;
  assert_true(r->seconds == r->formula_value);
  assert_int_equal(r->counted.steps, r->predicted.steps);
  assert_int_equal(r->counted.messages, r->predicted.messages);
  assert_int_equal(r->counted.words, r->predicted.words);
}

static void large_cubes_take_their_times(void **state) {
  (void)state;
  enum { PERMUTATIONS = 15, EXCHANGES = 2 /* to 10 dimensions */ };
  int64_t index = 0;
  struct harness_walk walk = harness_walk(PERMUTATIONS + EXCHANGES, 1);
  while (harness_next(&walk, &index)) check_large(index);
}

/* Without a name the planner takes a variant that is no slower than recursive doubling. */
static void the_choice_follows_the_machine(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_BROADCAST, "sw90-2");
  static const hyla_collective cases[] = {
      {.name = "broadcast", .words = 1, .alpha = 1000, .beta = 1},
      {.name = "broadcast", .words = 25200, .alpha = 1, .beta = 1},
  };
  for (int i = 0; i < 2; i++) {
    struct trial chosen = {.collective = cases[i]}, doubling = {.collective = cases[i]};
    doubling.collective.variant = "doubling";
    assert_int_equal(simulate(4, row, &chosen), HYLA_OK);
    assert_int_equal(simulate(4, row, &doubling), HYLA_OK);
    assert_true(chosen.result.seconds <= doubling.result.seconds);
    if (i == 1) assert_true(chosen.result.seconds < doubling.result.seconds / 2);
  }
}

/* The given times count, each of them, not those of the cube on which it runs. */
static void given_times_are_taken(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_BROADCAST, "doubling");
  static const double times[][2] = {{7, 3}, {0, 3}, {7, 0}, {1, 0.25}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    struct trial trial = {.collective = {.name = "broadcast",
                                         .variant = "doubling",
                                         .words = 24,
                                         .alpha = times[i][0],
                                         .beta = times[i][1]}};
    hyla_simulation model = {.dims = 3,
                             .ports = row->machine.one_port ? HYLA_ONE_PORT : HYLA_ALL_PORTS,
                             .alpha = 100,
                             .beta = 1.0 / 8};
    hyla_report report;
    assert_int_equal(hyla_simulate(&model, body, &trial, &report), HYLA_OK);
    const hyla_collective_result *r = &trial.result;
    const double wanted = 3 * times[i][0] + 3 * 24 * times[i][1];
    harness_note("alpha %g, beta %g: %g predicted, %g by the formula, %g taken", times[i][0],
                 times[i][1], r->seconds_predicted, r->formula_value, r->seconds);
    assert_true(fabs(r->seconds_predicted - wanted) <= 1e-12 * wanted);
    assert_true(r->formula_value == wanted);
    assert_true(r->seconds == 3 * 100 + 3 * 24);
  }
}

/* Phases that are asked for: all compositions of the cube's dimensions, by formula (2) of Nicol and
 * Bokhari, and none is better than the chosen one. */
static void exchanges_in_any_phases(void **state) {
  (void)state;
  enum { DIMS = 5, WORDS = 20, ALPHA = 50 };
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "multiphase");
  const hyla_collective exchange = {
      .name = "exchange", .variant = "multiphase", .words = WORDS, .alpha = ALPHA, .beta = 1};
  struct trial best = {.collective = exchange};
  assert_int_equal(simulate(DIMS, row, &best), HYLA_OK);
  for (int cuts = 0; cuts >> (DIMS - 1) == 0; cuts++) {
    struct trial trial = {.collective = exchange};
    hyla_collective *c = &trial.collective;
    int64_t steps = 0, words = 0;
    c->phases = 1;
    for (int dim = 0; dim < DIMS; dim++) {
      c->phase[c->phases - 1]++;
      if (dim < DIMS - 1 && (cuts >> dim & 1) != 0) c->phases++;
    }
    for (int i = 0; i < c->phases; i++) {
      steps += (1 << c->phase[i]) - 1;
      words += ((1 << c->phase[i]) - 1) * (WORDS << (DIMS - c->phase[i]));
    }
    assert_int_equal(simulate(DIMS, row, &trial), HYLA_OK);
    assert_int_equal(trial.result.counted.steps, steps);
    assert_int_equal(trial.result.counted.words, words);
    assert_true(trial.result.seconds == (double)(steps * ALPHA + words));
    assert_true(best.result.seconds <= trial.result.seconds);
  }
}

/* A simulation of the chosen variant on all ports, with alpha for a start and 1 for a word. */
static void choose(int dims, struct trial *trial) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_BROADCAST, "doubling");
  trial->collective.alpha = 3;
  trial->collective.beta = 1;
  struct hy_collective_variant ports = *row;
  ports.machine = (struct hy_paper_machine){.one_port = false};
  assert_int_equal(simulate(dims, &ports, trial), HYLA_OK);
}

/* Some distances and some tags, drawn: in the time of the form that is printed. */
static void exchanges_with_some_nodes(void **state) {
  (void)state;
  for (int trials = 0; trials < 20; trials++) {
    const int dims = (int)harness_draw(1, 5);
    int tag[1 << 5], tags = 0, columns[5] = {0}, most = 0;
    for (int t = 1; t < 1 << dims; t++)
      if (harness_draw(0, 2) == 0) tag[tags++] = t;
    for (int i = 0; i < tags; i++) {
      most = (int)hy_max(most, hy_popcount((uint32_t)tag[i]));
      for (int j = 0; j < dims; j++) most = (int)hy_max(most, columns[j] += tag[i] >> j & 1);
    }
    if (tags == 0) continue;
    struct trial by_tags = {
        .collective = {.name = "exchange", .words = 7, .tags = tags, .tag = tag}};
    choose(dims, &by_tags);
    assert_true(by_tags.result.seconds == 10 * most);
    assert_true(by_tags.result.formula_value == 10 * most);
    assert_true(strncmp(by_tags.result.closed_form, "h (tau m", 8) == 0);
    const int nearest = (int)harness_draw(1, dims), farthest = (int)harness_draw(nearest, dims);
    struct trial near = {
        .collective = {.name = "exchange", .words = 7, .nearest = nearest, .farthest = farthest}};
    choose(dims, &near);
    assert_true(near.result.seconds == near.result.formula_value);
    assert_true(strncmp(near.result.closed_form, "max(L, ", 7) == 0);
  }
}

/* Any active nodes. */
static void some_nodes_are_active(void **state) {
  (void)state;
  static const int which[] = {14, 3, 9, 7, 8};
  for (enum hy_task task = HY_TASK_BROADCAST; task <= HY_TASK_BAND_BROADCAST; task++) {
    struct trial trial = {
        .collective = {.name = hy_task_name(task), .words = 12, .active = 5, .which = which}};
    if (!hy_task_chooses(task)) continue;
    choose(4, &trial);
    assert_true(trial.result.seconds <= trial.result.formula_value ||
                isnan(trial.result.formula_value));
  }
}

/* hyla_collective_transmissions equals what a node sends. */
static hyla_status compare_transmissions(hyla_cube *cube, void *arg) {
  struct trial *trial = arg;
  int64_t messages[HYLA_DIMS_MAX + 1], sent = 0, all = 0;
  TRY(body(cube, arg));
  if (cube->address != 0) return HYLA_OK;
  TRY(hyla_collective_transmissions(cube, &trial->collective, messages));
  for (int k = 0; k <= HYLA_DIMS_MAX; k++) {
    sent += k * messages[k];
    all += messages[k];
  }
  CHECK(&cube->base, all == cube->nodes - 1, ARGUMENT, "%lld messages", (long long)all);
  CHECK(&cube->base, sent * trial->collective.words == trial->result.counted.words, ARGUMENT,
        "%lld transmissions, %lld words", (long long)sent, (long long)trial->result.counted.words);
  return HYLA_OK;
}

static void messages_are_sent_onwards(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int i = 0; (row = hy_variant_at(i)) != NULL; i++)
    for (int dims = 0; dims <= 5 && row->task == HY_TASK_EXCHANGE; dims++) {
      struct trial trial = {
          .collective = {.name = "exchange", .variant = row->base.name, .words = 60}};
      const hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 1};
      hyla_report report;
      harness_note("%s, %d dimensions", row->base.name, dims);
      hyla_status status = hyla_simulate(&model, compare_transmissions, &trial, &report);
      assert_int_equal(status, row == &hy_exchange_v92_band ? HYLA_UNSUPPORTED : HYLA_OK);
    }
}

/* Johnsson 1987, section 2: a message arrives by the other paths when a link is lost, for each link
 * of the cube, one way and both ways; it does not if nobody knows of the link.  With the sender's
 * links lost it arrives until the last one is. */
static void a_message_goes_round_lost_links(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, "paths");
  for (int dims = 2; dims <= 4; dims++)
    for (int n = 1; n <= dims; n++) {
      const int nodes = 1 << dims, from = nodes - 2, to = from ^ ((1 << n) - 1);
      struct trial trial = {.collective = {.name = "permute",
                                           .variant = "paths",
                                           .words = 12,
                                           .root = from,
                                           .distance = n,
                                           .alpha = 1,
                                           .beta = 1,
                                           .lost_count = 1},
                            .dead_count = 1};
      int used = 0, on_paths = 0;
      for (int path = 0; path < dims; path++)
        on_paths += hyla_disjoint_path(dims, from, to, path, (int[HYLA_PATH_NODES]){0});
      for (int node = 0; node < nodes; node++)
        for (int dim = 0; dim < dims; dim++) {
          const hyla_lost_link lost = {node, node ^ 1 << dim};
          if (node >> dim & 1) continue;
          trial.collective.lost = trial.dead = &lost;
          for (trial.collective.active = 0; trial.collective.active <= 2;
               trial.collective.active += 2) {
            assert_int_equal(simulate(dims, row, &trial), HYLA_OK);
            assert_true(trial.result.seconds == trial.result.formula_value);
          }
          trial.collective.active = 0;
          trial.collective.lost_count = 0;
          const hyla_status blind = simulate(dims, row, &trial);
          trial.collective.lost_count = 1;
          assert_true(blind == HYLA_OK || blind == HYLA_COMMUNICATION);
          used += blind != HYLA_OK;
        }
      assert_int_equal(used, on_paths);
      hyla_lost_link all[4];
      for (int dim = 0; dim < dims; dim++) all[dim] = (hyla_lost_link){from ^ 1 << dim, from};
      trial.collective.lost = trial.dead = all;
      for (int count = 0; count <= dims; count++) {
        trial.collective.lost_count = trial.dead_count = count;
        assert_int_equal(simulate(dims, row, &trial), count < dims ? HYLA_OK : HYLA_UNSUPPORTED);
      }
    }
}

static void bad_arguments(void **state) {
  (void)state;
  static const int numbers[] = {1, 3, 1, 4, 0};
  static const hyla_lost_link links[] = {{0, 3}, {3, 7}};
  static const hyla_collective bad[] = {
      {.name = NULL},
      {.name = "gossip"},
      {.name = "broadcasts"},
      {.name = "broadcast", .words = -1},
      {.name = "broadcast", .root = 4},
      {.name = "broadcast", .root = -1},
      {.name = "allgather", .root = 1},
      {.name = "partial", .root = 1},
      {.name = "scatter", .distance = 1},
      {.name = "exchange", .active = 1},
      {.name = "permute", .distance = 3},
      {.name = "partial", .active = 5},
      {.name = "broadcast", .alpha = -1},
      {.name = "broadcast", .beta = NAN},
      {.name = "broadcast", .variant = "telepathy"},
      {.name = "exchange", .variant = "multiphase", .phases = -1},
      {.name = "exchange", .variant = "multiphase", .phases = HYLA_DIMS_MAX + 1},
      {.name = "exchange", .variant = "multiphase", .phases = 2, .phase = {2, 1}},
      {.name = "exchange", .variant = "multiphase", .phases = 2, .phase = {2, 0}},
      {.name = "exchange", .variant = "multiphase", .phases = 2, .phase = {3, -1}},
      {.name = "exchange", .variant = "direct", .phases = 1, .phase = {2}},
      {.name = "exchange", .nearest = 2},
      {.name = "exchange", .farthest = 2},
      {.name = "exchange", .nearest = 2, .farthest = 1},
      {.name = "exchange", .nearest = 1, .farthest = 3},
      {.name = "exchange", .nearest = 1, .farthest = 1, .tags = 1, .tag = numbers},
      {.name = "exchange", .variant = "v92-band", .distance = 1, .tags = 1, .tag = numbers},
      {.name = "exchange", .tags = 1},
      {.name = "exchange", .tags = -1, .tag = numbers},
      {.name = "exchange", .tags = 3, .tag = numbers},
      {.name = "exchange", .tags = 1, .tag = numbers + 3},
      {.name = "exchange", .tags = 1, .tag = numbers + 4},
      {.name = "gather", .tags = 1, .tag = numbers},
      {.name = "permute", .nearest = 1, .farthest = 1},
      {.name = "partial", .which = numbers},
      {.name = "partial", .active = 3, .which = numbers},
      {.name = "partial", .active = 1, .which = numbers + 3},
      {.name = "exchange", .active = 1, .which = numbers},
      {.name = "permute", .active = 3},
      {.name = "permute", .lost_count = -1, .lost = links},
      {.name = "permute", .lost_count = 1},
      {.name = "permute", .lost_count = 1, .lost = links},
      {.name = "permute", .lost_count = 1, .lost = links + 1},
  };
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_BROADCAST, "doubling");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct trial trial = {.collective = bad[i]};
    /* The machine's times are not the collective's: they are bad here. */
    hyla_simulation model = {.dims = 2, .alpha = 1};
    hyla_report report;
    harness_note("bad collective %zu", i);
    assert_int_equal(hyla_simulate(&model, body, &trial, &report), HYLA_ARGUMENT);
    assert_string_not_equal(report.message, "");
  }
  struct trial odd = {.collective = {.name = "permute", .variant = "sw90", .words = 3}};
  assert_int_equal(simulate(2, row, &odd), HYLA_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_takes_its_time),
      cmocka_unit_test(waves_leave_as_soon_as_they_can),
      cmocka_unit_test(sends_leave_as_soon_as_they_can),
      cmocka_unit_test(large_cubes_take_their_times),
      cmocka_unit_test(the_choice_follows_the_machine),
      cmocka_unit_test(given_times_are_taken),
      cmocka_unit_test(exchanges_in_any_phases),
      cmocka_unit_test(exchanges_with_some_nodes),
      cmocka_unit_test(some_nodes_are_active),
      cmocka_unit_test(messages_are_sent_onwards),
      cmocka_unit_test(a_message_goes_round_lost_links),
      cmocka_unit_test(bad_arguments),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
