/* Every variant of every collective on arrays, tori and folded cubes, verified for whole networks:
 * sound, and as long as its closed form.  The thesis' figures: tests/formulas/mesh_collectives.c
 */
#include "cases.h"
#include "collective/mesh.h"
#include "hyla_embedding.h"
#include "hyla_lab.h"

#include <math.h>

enum { MOST = 128 };
static uint8_t some[MOST];
static int32_t targets[MOST];

static struct hy_network network_of(const char *text) {
  struct hy_network network;
  const char *reason = hy_network_read(&network, text);
  if (reason != NULL) fail_msg("%s: %s", text, reason);
  return network;
}

static const char *const NETWORKS[] = {
    "line:1",      "line:2",      "line:7",      "ring:2",      "ring:3",      "ring:6",
    "ring:7",      "array:2x2",   "array:3x4",   "array:1x5",   "array:5x5",   "array:4x4",
    "array:3x3x3", "array:2x3x4", "array:2x2x2", "torus:3x3",   "torus:4x4",   "torus:2x5",
    "torus:5x5",   "torus:6x6",   "torus:3x3x3", "torus:4x3x2", "torus:2x2x2", "folded:2",
    "folded:3",    "folded:4",    "folded:5",    "folded:6"};
enum { NETWORKS_COUNT = sizeof NETWORKS / sizeof *NETWORKS };

static void draw_some(uint32_t nodes) {
  const int64_t odds = harness_draw(1, 8);
  for (uint32_t x = 0; x < nodes; x++) some[x] = harness_draw(1, 8) <= odds;
  some[harness_draw(0, nodes - 1)] = 1;
}

/* Targets that keep the order of the nodes, the first ones every third time; or any. */
static void draw_targets(uint32_t nodes, bool ordered) {
  const bool packs = harness_draw(0, 2) == 0;
  int32_t next = 0;
  uint32_t left = 0;
  for (uint32_t x = 0; x < nodes; x++) left += some[x];
  for (uint32_t x = 0; x < nodes; x++) {
    targets[x] = -1;
    if (!some[x]) continue;
    const int64_t room = (int64_t)nodes - next - left;
    targets[x] = next + (int32_t)(packs ? 0 : harness_draw(0, hy_min(room, 3)));
    next = targets[x] + 1;
    left--;
  }
  for (uint32_t x = nodes; !ordered && x-- > 1;) {
    const uint32_t other = (uint32_t)harness_draw(0, x);
    const int32_t swap = targets[x];
    targets[x] = targets[other];
    targets[other] = swap;
  }
}

static struct hy_collective draw_case(const struct hy_collective_variant *row, enum hy_task task,
                                      const struct hy_network *network) {
  struct hy_collective c = {
      .task = task, .dims = network->axes, .network = network, .active = some, .to = targets};
  draw_some(network->nodes);
  draw_targets(network->nodes, row == &hy_permute_monotone);
  if (hy_task_rooted(task)) c.root = (uint32_t)harness_draw(0, network->nodes - 1);
  return c;
}

/* Some forms also count steps that they reserve: where only some nodes take part, in packing, and
 * where an array's side of 2 needs no second step. */
static void assert_counts(const struct hy_collective_variant *row, const struct hy_collective *c,
                          const struct hy_verify_report *report) {
  const struct hy_form form = hy_variant_form(row, c);
  const bool reserves = hy_task_chooses(c->task) || row == &hy_allgather_whole ||
                        row->task == HY_TASK_PERMUTE || row->task == HY_TASK_EXCHANGE ||
                        (row->folds && c->network->kind == HY_ARRAY);
  assert_true(c->blocks.words % form.divisor == 0);
  if (hy_members(c) == 1) return;
  if (row->task != HY_TASK_PERMUTE || row == &hy_permute_monotone)
    assert_int_equal(report->planned, form.steps);
  assert_true(report->words * form.words.den <= form.words.num * c->blocks.words);
  if (!reserves) {
    assert_int_equal(report->steps, form.steps);
    assert_int_equal(report->words * form.words.den, form.words.num * c->blocks.words);
  }
  if (form.packets > 0 && row->task != HY_TASK_PARTIAL)
    assert_int_equal(report->packets, form.packets);
}

static void rows_are_sound_and_as_long_as_their_forms(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++)
    for (int n = 0; n < NETWORKS_COUNT; n++) {
      const struct hy_network network = network_of(NETWORKS[n]);
      enum hy_task tasks[2];
      for (int t = tasks_of(row, tasks); t-- > 0;) {
        struct hy_collective c = draw_case(row, tasks[t], &network);
        harness_note("%s %s on %s, root %u", hy_task_name(c.task), row->base.name, NETWORKS[n],
                     c.root);
        if (hy_variant_refuses(row, &c) != NULL) continue;
        c.groups = (int)harness_draw(1, 3);
        c.blocks.words = hy_variant_form(row, &c).divisor * harness_draw(1, 3);
        const struct hy_verify_report report = verify(row, &c, &row->machine);
        assert_counts(row, &c, &report);
        c.blocks.words = harness_draw(0, 9); /* lengths that do not divide */
        verify(row, &c, &row->machine);
      }
    }
}

/* Rows for cubes serve no other network, rows for meshes no folded cube, and the other way. */
static void rows_say_which_networks_they_serve(void **state) {
  (void)state;
  const struct hy_network torus = network_of("torus:2x2"), folded = network_of("folded:2");
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    struct hy_collective c = {.task = row->task, .dims = 2, .network = &torus};
    assert_string_equal(hy_variant_refuses(row, &c), "it needs a cube");
  }
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++) {
    const bool cubes = row->networks == HY_ON_FOLDED, tori = row->networks == HY_ON_TORI;
    struct hy_collective c = {.task = row->task, .dims = 2};
    assert_true(cubes || tori || row->networks == HY_ON_MESHES);
    const char *wants = cubes  ? "it needs a folded cube"
                        : tori ? "it needs a torus"
                               : "it needs an array or a torus";
    assert_string_equal(hy_variant_refuses(row, &c), wants);
    c.network = cubes ? &torus : &folded;
    assert_string_equal(hy_variant_refuses(row, &c), wants);
  }
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++) {
    struct hy_collective c = {.task = row->task, .dims = 2, .network = &torus};
    if (row->networks == HY_ON_MESHES && hy_task_chooses(row->task))
      assert_string_equal(hy_variant_refuses(row, &c), "it needs the list of active nodes");
  }
}

/* Blocks of lengths of their own, where the row takes them. */
static void rows_take_unequal_blocks_or_say_why_not(void **state) {
  (void)state;
  int64_t offsets[MOST + 1] = {0};
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++) {
    if (row->task == HY_TASK_BROADCAST || row->task == HY_TASK_ALLREDUCE) continue;
    if (row->task == HY_TASK_PERMUTE) continue;
    for (int n = 0; n < NETWORKS_COUNT; n++) {
      const struct hy_network network = network_of(NETWORKS[n]);
      enum hy_task tasks[2];
      for (int t = tasks_of(row, tasks); t-- > 0;) {
        struct hy_collective c = draw_case(row, tasks[t], &network);
        for (uint32_t x = 0; x < network.nodes; x++)
          offsets[x + 1] = offsets[x] + harness_draw(0, 4);
        c.blocks = (struct hy_blocks){.offsets = offsets};
        harness_note("%s %s on %s", hy_task_name(c.task), row->base.name, NETWORKS[n]);
        if (hy_variant_refuses(row, &c) == NULL)
          verify(row, &c, &row->machine);
        else
          assert_true(row->folds || row->task >= HY_TASK_EXCHANGE ||
                      (row->networks & 1u << network.kind) == 0 || row->applies != NULL);
      }
    }
  }
}

/* The n-th allocation fails, for every n. */
static void no_row_leaks_when_memory_runs_out(void **state) {
  (void)state;
  static const char *const few[] = {"line:4", "ring:4", "array:3x3", "torus:3x3", "folded:3"};
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++)
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
      const struct hy_network network = network_of(few[i]);
      struct hy_collective c = draw_case(row, row->task, &network);
      c.blocks.words = 12;
      if (hy_variant_refuses(row, &c) != NULL) continue;
      hyla_status status = HYLA_MEMORY;
      for (int64_t n = 1; status != HYLA_OK; n++) {
        struct hy_base base = {.fail_at = n};
        struct hy_recipe recipe;
        struct hy_schedule schedule;
        harness_note("%s %s on %s, allocation %lld", hy_task_name(row->task), row->base.name,
                     few[i], (long long)n);
        hy_schedule_init(&schedule, &base);
        status = hy_recipe_make(&recipe, &base, row, &c);
        if (status == HYLA_OK) status = hy_generate(hy_recipe_top(&recipe), 3, &base, &schedule);
        assert_true(status == HYLA_OK || status == HYLA_MEMORY);
        hy_schedule_free(&schedule);
        hy_recipe_free(&recipe);
        assert_int_equal(base.bytes_now, 0);
      }
    }
}

/* Any schedule of a torus takes twice its steps on the array. */
static void tori_fold_on_arrays_in_twice_the_steps(void **state) {
  (void)state;
  static const char *const tori[] = {"ring:2",    "ring:3",    "ring:8",      "torus:3x3",
                                     "torus:4x5", "torus:2x3", "torus:3x3x3", "torus:5x1"};
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++)
    for (size_t n = 0; n < sizeof tori / sizeof *tori; n++) {
      struct hy_network torus = network_of(tori[n]), array = torus;
      enum hy_task tasks[2];
      array.kind = HY_ARRAY;
      for (int t = tasks_of(row, tasks); t-- > 0;) {
        struct hy_collective c = draw_case(row, tasks[t], &torus);
        c.blocks.words = 3;
        if (hy_variant_refuses(row, &c) != NULL) continue;
        harness_note("%s %s on %s", hy_task_name(c.task), row->base.name, tori[n]);
        verify_folded(row, &c, &array);
      }
    }
}

/* ---------------------------------------------------------------- public -- */

/* The packets that were shown; last: the step of the latest. */
struct shown {
  hyla_topology topology;
  int64_t packets, words, last;
};

static void show(const hyla_network_packet *packet, void *arg) {
  struct shown *shown = arg;
  assert_true(packet->step >= shown->last);
  assert_int_equal(hyla_topology_peer(&shown->topology, packet->node, packet->port), packet->peer);
  assert_in_range(packet->block + 1, 0, shown->topology.nodes);
  shown->last = packet->step;
  shown->packets++;
  shown->words += packet->words;
}

/* The packets that are shown are those that were counted, and end no later than steps that all
 * nodes take together. */
static void public_calls_show_what_they_count(void **state) {
  (void)state;
  static const char *const names[] = {"allgather", "broadcast", "allreduce", "exchange", "permute"};
  static const char *const networks[] = {"line:5", "torus:3x4", "folded:3"};
  for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      hyla_collective c = {.name = names[i], .words = 12, .alpha = 3, .beta = 1};
      hyla_network_variant v = {.variant = "?"};
      for (int row = 0; *v.variant != '\0'; row++) {
        struct shown shown = {.packets = 0};
        char reason[256] = "?";
        double time = -1;
        harness_note("%s, row %d on %s", names[i], row, networks[n]);
        assert_int_equal(hyla_network_variant_at(networks[n], &c, NULL, row, &v), HYLA_OK);
        assert_int_equal(hyla_topology_read(&shown.topology, networks[n]), HYLA_OK);
        assert_int_equal(v.nodes, shown.topology.nodes);
        if (*v.variant == '\0') continue;
        c.variant = v.variant;
        const hyla_status status =
            hyla_network_play(networks[n], &c, NULL, show, &shown, &time, reason, sizeof reason);
        assert_int_equal(status, *v.reason == '\0' ? HYLA_OK : HYLA_UNSUPPORTED);
        if (status != HYLA_OK) {
          assert_non_null(strstr(reason, v.reason));
          continue;
        }
        assert_string_equal(reason, "");
        assert_int_equal(shown.packets, v.transmissions);
        assert_true(shown.words >= v.words && shown.words <= v.words * v.transmissions);
        assert_true(time > 0 && time <= v.seconds);
        assert_true(v.seconds == (double)v.steps * 3 + (double)v.words);
      }
    }
}

/* Varvarigos' partial broadcasts take what their form says from any of the nodes, if all steps
 * count that the schedule reserves. */
static void reserved_steps_are_those_of_the_form(void **state) {
  (void)state;
  static const char *const networks[] = {"torus:5x5", "array:5x5", "torus:3x3x3", "array:4x4"};
  static const int nodes[] = {25, 25, 27, 16};
  int which[27], longer = 0;
  for (int trial = 0; trial < 40; trial++) {
    const int n = trial % 4, chosen = (int)harness_draw(2, nodes[n] - 1);
    int count = 0;
    for (int x = nodes[n]; x-- > 0;)
      if (harness_draw(0, x) < chosen - count) which[count++] = x;
    if (which[0] < chosen) continue; /* the first nodes: nothing is packed */
    const hyla_collective c = {
        .name = "partial", .words = 6, .active = chosen, .which = which, .alpha = 3, .beta = 1};
    hyla_network_variant v = {.variant = "?"};
    for (int row = 0; *v.variant != '\0'; row++) {
      assert_int_equal(hyla_network_variant_at(networks[n], &c, NULL, row, &v), HYLA_OK);
      harness_note("%d nodes of %s, %s", chosen, networks[n], v.variant);
      if (*v.variant == '\0' || *v.reason != '\0' || v.formula_value <= 0) continue;
      if (strncmp(v.variant, "v92-", 4) != 0 && strcmp(v.variant, "axes") != 0) continue;
      if (v.reserved_steps > v.steps) longer++;
      assert_float_equal(v.reserved_seconds, v.formula_value, 1e-9);
      assert_true(v.steps <= v.reserved_steps && v.seconds <= v.reserved_seconds);
    }
  }
  assert_true(longer > 0);
}

static void public_calls_say_what_is_wrong(void **state) {
  (void)state;
  static const int outside[] = {0, 9}, twice[] = {3, 3};
  static const int64_t counts[9] = {1, 2, -1};
  static const struct {
    const char *network;
    hyla_collective c;
    const int64_t *counts;
    const char *reason;
  } bad[] = {
      {NULL, {.name = "allgather"}, NULL, "network : it is NULL"},
      {"torus:3x", {.name = "allgather"}, NULL, "network torus:3x: sides"},
      {"enhanced:3", {.name = "allgather"}, NULL, "on arrays, tori and folded cubes"},
      {"torus:3x3", {.name = NULL}, NULL, "the collective has no name"},
      {"torus:3x3", {.name = "gossip"}, NULL, "there is no collective 'gossip'"},
      {"torus:3x3", {.name = "window"}, NULL, "window is planned on cubes alone"},
      {"torus:3x3", {.name = "allgather", .words = -1}, NULL, "messages of -1 words"},
      {"torus:3x3", {.name = "broadcast", .root = 9}, NULL, "give a node from 0 to 8"},
      {"torus:3x3", {.name = "partial", .active = 10}, NULL, "10 active nodes; give 0 to 9"},
      {"torus:3x3", {.name = "exchange", .active = 2}, NULL, "exchange has all nodes"},
      {"torus:3x3", {.name = "partial", .active = 2, .which = outside}, NULL, "no node 9"},
      {"torus:3x3", {.name = "partial", .active = 2, .which = twice}, NULL, "3 is given twice"},
      {"torus:3x3", {.name = "exchange", .farthest = 2}, NULL, "are those of cubes"},
      {"torus:3x3", {.name = "allgather", .beta = NAN}, NULL, "give times from 0"},
      {"torus:3x3", {.name = "exchange"}, counts, "take counts"},
      {"torus:3x3", {.name = "allgather"}, counts, "a block of -1 words"},
  };
  hyla_bound bound;
  double time;
  char reason[256], few[8];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hyla_network_variant v;
    harness_note("%s", bad[i].reason);
    assert_int_equal(hyla_network_variant_at(bad[i].network, &bad[i].c, bad[i].counts, 0, &v),
                     HYLA_ARGUMENT);
    assert_non_null(strstr(v.reason, bad[i].reason));
    assert_int_equal(hyla_network_bound(bad[i].network, &bad[i].c, bad[i].counts, &bound),
                     HYLA_ARGUMENT);
    assert_int_equal(hyla_network_play(bad[i].network, &bad[i].c, bad[i].counts, show, NULL, &time,
                                       reason, sizeof reason),
                     HYLA_ARGUMENT);
    assert_string_equal(reason, v.reason);
  }
  const hyla_collective c = {.name = "allgather", .variant = "gossip"};
  assert_int_equal(hyla_network_play("line:3", &c, NULL, show, NULL, &time, reason, sizeof reason),
                   HYLA_ARGUMENT);
  assert_string_equal(reason, "variant gossip: there is no such variant");
  assert_int_equal(hyla_network_play("line:3", &c, NULL, show, NULL, &time, few, sizeof few),
                   HYLA_ARGUMENT);
  assert_string_equal(few, "variant");
  assert_int_equal(hyla_network_play("line:3", &c, NULL, NULL, NULL, &time, few, sizeof few),
                   HYLA_ARGUMENT);
  assert_int_equal(hyla_network_variant_at("line:3", &c, NULL, 0, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_network_bound("line:3", NULL, NULL, &bound), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_sound_and_as_long_as_their_forms),
      cmocka_unit_test(rows_say_which_networks_they_serve),
      cmocka_unit_test(rows_take_unequal_blocks_or_say_why_not),
      cmocka_unit_test(no_row_leaks_when_memory_runs_out),
      cmocka_unit_test(tori_fold_on_arrays_in_twice_the_steps),
      cmocka_unit_test(public_calls_show_what_they_count),
      cmocka_unit_test(reserved_steps_are_those_of_the_form),
      cmocka_unit_test(public_calls_say_what_is_wrong),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
