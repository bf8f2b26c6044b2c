/* Groups: every variant of the collectives inside multiplications and solutions, over subcubes,
 * from any root, at any length up to the planned one: data, counts, memory.  Asking for variants:
 * test_group_asked.c. */
// ranks: 1 2 3 4 8
// sample: 1 3 8
#include "collective/variant.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

/* One collective over a subcube of every node. */
struct trial {
  enum hy_task task;
  const struct hy_collective_variant *row;
  uint32_t dims;
  int root;
  int64_t planned, words; /* of the message, or in all */
  bool halves;            /* the broadcast in two halves */
  int64_t offsets[65];    /* of the blocks of an all-gather or a reduce-scatter */
  bool placed;            /* with these places, and gathered step by step */
  uint32_t place[64];     /* otherwise in member order */
};

static const enum hy_task TASKS[] = {HY_TASK_BROADCAST, HY_TASK_REDUCE, HY_TASK_ALLREDUCE,
                                     HY_TASK_ALLGATHER, HY_TASK_REDUCE_SCATTER};
enum { TASK_COUNT = sizeof TASKS / sizeof *TASKS };

static bool is_numbered(enum hy_task task) {
  return task == HY_TASK_ALLGATHER || task == HY_TASK_REDUCE_SCATTER;
}

static int64_t value(uint32_t member, int64_t word) { return member * 100003 + word; }

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((int64_t *)into)[i] += ((const int64_t *)from)[i];
}

/* The expected word on a member at the end; -1: any value. */
static int64_t wanted(const struct trial *t, uint32_t me, int64_t word) {
  uint32_t members = 1u << hy_popcount(t->dims), root = hy_extract((uint32_t)t->root, t->dims);
  int64_t sum = 0;
  for (uint32_t x = 0; x < members; x++) sum += value(x, word);
  if (t->task == HY_TASK_BROADCAST) return value(root, word);
  if (t->task == HY_TASK_ALLREDUCE) return sum;
  if (t->task == HY_TASK_REDUCE) return me == root ? sum : -1;
  for (uint32_t x = 0; x < members; x++) {
    uint32_t at = t->place[x];
    if (word < t->offsets[at] || word >= t->offsets[at + 1]) continue;
    if (t->task == HY_TASK_ALLGATHER) return value(x, word);
    return x == me ? sum : -1;
  }
  return -1;
}

/* After each step the blocks that should have arrived are there, before the last ones are. */
static hyla_status gather_in_steps(const struct hy_subcube_op *group, const struct trial *t,
                                   int64_t *data) {
  uint32_t members = 1u << hy_popcount(t->dims);
  int last = 0;
  for (uint32_t x = 0; x < members; x++)
    last = (int)hy_max(last, hy_subcube_arrival(group, t->place[x]));
  TRY(hy_subcube_allgather_start(group, data, t->offsets));
  for (int steps = 0; steps <= last; steps++) {
    for (uint32_t x = 0; x < members; x++)
      for (int64_t i = t->offsets[t->place[x]];
           i < t->offsets[t->place[x] + 1] && hy_subcube_arrival(group, t->place[x]) <= steps; i++)
        CHECK(&group->cube->base, data[i] == value(x, i), COMMUNICATION,
              "word %lld is not there after %d steps", (long long)i, steps);
    TRY(hy_subcube_advance(group));
  }
  return hy_subcube_complete(group);
}

static hyla_status run(const struct hy_subcube_op *group, const struct trial *t, int64_t *data) {
  switch (t->task) {
  case HY_TASK_BROADCAST:
    if (!t->halves || group->schedules == NULL || group->cube->address < 0)
      return hy_subcube_broadcast(group, t->root, data, t->words);
    TRY(hy_subcube_start(group, t->root, data, t->words));
    return hy_subcube_complete(group);
  case HY_TASK_REDUCE: return hy_subcube_reduce(group, t->root, data, t->words, add, NULL);
  case HY_TASK_ALLREDUCE: return hy_subcube_allreduce(group, data, t->words, add, NULL);
  case HY_TASK_REDUCE_SCATTER: return hy_subcube_reduce_scatter(group, data, t->offsets, add, NULL);
  default:
    return t->placed && group->cube->address >= 0 ? gather_in_steps(group, t, data)
                                                  : hy_subcube_allgather(group, data, t->offsets);
  }
}

static hyla_status predict(const struct hy_subcube_op *group, const struct trial *t,
                           hyla_cost *cost) {
  uint32_t number = hy_extract((uint32_t)group->cube->address, t->dims);
  if (is_numbered(t->task)) return hy_subcube_cost_blocks(group, number, t->offsets, cost);
  if (t->task != HY_TASK_ALLREDUCE) number ^= hy_extract((uint32_t)t->root, t->dims);
  *cost = hy_subcube_cost(group, number, t->words);
  return HYLA_OK;
}

static int64_t messages_sent(const hyla_cube *cube) {
  const hyla_ledger *ledger = &cube->network.ledger;
  int64_t messages = ledger->far_messages;
  for (int dim = 0; dim < cube->dims; dim++) messages += ledger->messages[dim];
  return messages;
}

static hyla_status compare(const hyla_cube *cube, const hyla_cost *cost) {
  const hyla_ledger *ledger = &cube->network.ledger;
  int64_t bytes = ledger->far_bytes;
  for (int dim = 0; dim < cube->dims; dim++) bytes += ledger->bytes[dim];
  bool same = messages_sent(cube) == cost->messages && bytes == 8 * cost->words &&
              ledger->steps == cost->steps;
  return same ? HYLA_OK : HYLA_COMMUNICATION;
}

/* One trial on one node. */
static hyla_status check(hyla_cube *cube, const struct trial *t, struct hy_subcube_op *group,
                         int64_t *data) {
  struct hy_base *base = &cube->base;
  uint32_t me = hy_extract((uint32_t)cube->address, t->dims);
  hyla_cost cost = {0};
  CHECK(base, group->variant == t->row, COMMUNICATION, "another variant was taken");
  for (int64_t i = 0; i < t->words; i++) data[i] = value(me, i);
  hyla_cube_ledger_clear(cube);
  int64_t allocations = base->allocations;
  TRY(run(group, t, data));
  CHECK(base, base->allocations == allocations, COMMUNICATION, "the run took memory");
  if (cube->address < 0) return HYLA_OK;
  for (int64_t i = 0; i < t->words; i++) {
    int64_t want = wanted(t, me, i);
    CHECK(base, want < 0 || data[i] == want, COMMUNICATION, "word %lld is wrong", (long long)i);
  }
  TRY(predict(group, t, &cost));
  CHECK(base, compare(cube, &cost) == HYLA_OK, COMMUNICATION, "the counts are not as predicted");
  return HYLA_OK;
}

static hyla_status make(hyla_cube *cube, const struct trial *t, struct hy_subcube_op *group) {
  if (!t->placed) {
    TRY(hy_subcube_make(cube, t->dims, t->task, t->planned, sizeof(int64_t), group));
    return hy_subcube_allocate(group);
  }
  TRY(hy_subcube_make_for(NULL, cube, t->dims, t->task, t->planned, sizeof(int64_t), t->place,
                          group));
  return hy_subcube_allocate_blocks(group, t->offsets);
}

static hyla_status try_one(hyla_cube *cube, void *arg) {
  const struct trial *t = arg;
  struct hy_subcube_op group;
  int64_t *data = malloc((size_t)(t->words + 1) * sizeof *data), before = cube->base.bytes_now;
  hyla_status status = make(cube, t, &group);
  if (status == HYLA_OK) status = check(cube, t, &group, data);
  hy_subcube_free(&group);
  free(data);
  if (status == HYLA_OK && cube->base.bytes_now != before)
    status = hy_fail(&cube->base, HYLA_COMMUNICATION, "memory is left over");
  return status;
}

static void draw(struct trial *t, int dims) {
  static const int64_t lengths[] = {0, 1, 2, 7, 60, 131};
  uint32_t nodes = 1u << dims;
  t->dims = (uint32_t)harness_draw(0, nodes - 1);
  t->root = (int)harness_draw(0, nodes - 1);
  t->words = lengths[harness_draw(0, 5)];
  t->halves = harness_draw(0, 1) == 1;
  uint32_t members = 1u << hy_popcount(t->dims);
  for (uint32_t x = 0; x < members; x++)
    t->offsets[x + 1] = t->offsets[x] + lengths[harness_draw(0, 5)] / 2;
  if (is_numbered(t->task)) t->words = t->offsets[members];
  t->placed = is_numbered(t->task) && harness_draw(0, 1) == 1;
  for (uint32_t x = 0; x < members; x++) t->place[x] = x;
  for (uint32_t x = members; t->placed && --x > 0;) {
    uint32_t other = (uint32_t)harness_draw(0, x), swap = t->place[x];
    t->place[x] = t->place[other];
    t->place[other] = swap;
  }
  t->planned = t->words + harness_draw(0, 1) * harness_draw(0, 999);
  harness_note("%s %s, dims %x, root %d, %lld words of %lld%s", hy_task_name(t->task),
               t->row->base.name, t->dims, t->root, (long long)t->words, (long long)t->planned,
               t->placed ? ", placed" : "");
}

/* Row `index' of a task's family, NULL after the last, and the text that asks for it. */
static const struct hy_collective_variant *ask(enum hy_task task, int index, char text[64]) {
  const struct hy_variant *row = hy_collective_family(task)->rows[index];
  if (row != NULL) snprintf(text, 64, "gather=b91,%s=%s", hy_task_name(task), row->name);
  return hy_collective_variant_of(row);
}

static void every_variant_on_ranks(void **state) {
  (void)state;
  for (int i = 0; i < TASK_COUNT; i++) {
    char text[64];
    struct trial t = {.task = TASKS[i]};
    for (int r = 0; (t.row = ask(t.task, r, text)) != NULL; r++) {
      hyla_options options;
      hyla_cube *cube = NULL;
      hyla_options_init(&options);
      options.collective = text;
      assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
      for (int trial = 0; trial < 6; trial++) {
        draw(&t, cube->dims);
        hyla_status status = try_one(cube, &t);
        if (status != HYLA_OK) print_message("%s\n", hyla_cube_message(cube));
        assert_int_equal(status, HYLA_OK);
      }
      assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
    }
  }
}

static void every_variant_on_simulated_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int i = 0; i < TASK_COUNT; i++) {
    char text[64];
    struct trial t = {.task = TASKS[i]};
    for (int r = 0; (t.row = ask(t.task, r, text)) != NULL; r++)
      for (int dims = 0; dims <= 6; dims++) {
        hyla_options options;
        hyla_options_init(&options);
        options.collective = text;
        hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 1, .options = &options};
        hyla_report report;
        draw(&t, dims);
        hyla_simulate(&model, try_one, &t, &report);
        assert_string_equal(report.message, "");
        assert_int_equal(report.status, HYLA_OK);
      }
  }
}

/* Each word reaches each other member once, with every variant. */
static hyla_status sum_words(hyla_cube *cube, void *arg) {
  const struct trial *t = arg;
  struct hy_subcube_op group;
  int64_t members = 1 << cube->dims, sent = 0;
  uint32_t all = (uint32_t)cube->nodes - 1;
  hyla_status status = hy_subcube_make(cube, all, t->task, t->words, 8, &group);
  for (uint32_t x = 0; x < members && status == HYLA_OK; x++) {
    hyla_cost cost = {0};
    if (is_numbered(t->task))
      status = hy_subcube_cost_blocks(&group, x, t->offsets, &cost);
    else
      cost = hy_subcube_cost(&group, x, t->words);
    sent += cost.words;
  }
  hy_subcube_free(&group);
  TRY(status);
  CHECK(&cube->base, sent == (members - 1) * t->words, COMMUNICATION, "%lld words are sent",
        (long long)sent);
  return HYLA_OK;
}

/* Sums go back over the links; v92 packs blocks first. */
static bool detours(const struct trial *t) {
  return t->task == HY_TASK_ALLREDUCE || t->row == &hy_allgather_v92;
}

static void no_variant_sends_a_word_twice(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int i = 0; i < TASK_COUNT; i++) {
    char text[64];
    struct trial t = {.task = TASKS[i]};
    for (int r = 0; (t.row = ask(t.task, r, text)) != NULL; r++)
      for (int dims = 0; dims <= 4 && !detours(&t); dims++) {
        hyla_options options;
        hyla_options_init(&options);
        options.collective = text;
        hyla_simulation model = {.dims = dims, .options = &options};
        hyla_report report;
        draw(&t, dims);
        int64_t share = harness_draw(0, 50);
        t.words = is_numbered(t.task) ? share << dims : share;
        for (int x = 0; x <= 1 << dims; x++) t.offsets[x] = x * share;
        hyla_simulate(&model, sum_words, &t, &report);
        assert_string_equal(report.message, "");
      }
  }
}

/* Roots alternate, and then no variant sends fewer packets; a long all-reduction halves. */
static hyla_status take_defaults(hyla_cube *cube, void *arg) {
  (void)arg;
  uint32_t all = (uint32_t)cube->nodes - 1;
  for (int i = 0; i < TASK_COUNT; i++)
    for (int64_t words = 0; words <= 1 << 24; words = 64 * words + 1) {
      struct hy_subcube_op group;
      hyla_status status = hy_subcube_make(cube, all, TASKS[i], words, 8, &group);
      const char *name = status == HYLA_OK ? group.variant->base.name : "";
      double d = cube->dims, nodes = cube->nodes, start = 1e-6, word = 8e-10 * (double)words;
      double doubled = d * (start + word), halved = 2 * d * start + 2 * (1 - 1 / nodes) * word;
      bool halves = TASKS[i] == HY_TASK_ALLREDUCE && halved < doubled;
      CHECK(&cube->base, strcmp(name, halves ? "halving" : "doubling") == 0, COMMUNICATION,
            "%s of %lld words goes by %s", hy_task_name(TASKS[i]), (long long)words, name);
      CHECK(&cube->base, group.schedules == NULL, COMMUNICATION, "schedules are kept");
      hy_subcube_free(&group);
    }
  return HYLA_OK;
}

static void doubling_is_the_default(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 8; dims++) {
    hyla_simulation model = {.dims = dims, .dry = true, .alpha = 1e-6, .beta = 1e-10};
    hyla_report report;
    hyla_simulate(&model, take_defaults, NULL, &report);
    assert_string_equal(report.message, "");
  }
}

/* Messages that this member sends in recursive doubling of any number of members: as many as it has
 * partners in the cube, and one if there is a member beside it. */
static int64_t doubled_messages(uint32_t number, uint32_t members) {
  const int k = hy_log2_floor(members);
  const uint32_t core = 1u << k;
  if (number >= core) return 1;
  return k + (number + core < members ? 1 : 0);
}

static hyla_status sum_any_lengths(hyla_cube *cube, void *arg) {
  enum { LONGEST = 1 << 15 };
  const uint32_t all = (1u << cube->dims) - 1, members = (uint32_t)cube->nodes;
  const int64_t *fold = arg; /* steps of doubling, of halving */
  const double start = 1e-6, word = 8e-10;
  int64_t *data = NULL;
  struct hy_subcube_op group;
  TRY(hy_alloc(&cube->base, LONGEST, sizeof *data, &data));
  hyla_status status = hy_subcube_make(cube, all, HY_TASK_ALLREDUCE, LONGEST, 8, &group);
  if (status == HYLA_OK) status = hy_subcube_allocate(&group);
  for (int64_t words = 1; words <= LONGEST && status == HYLA_OK; words += words / 3 + 1) {
    const double m = word * (double)words;
    const double doubled = (double)fold[0] * (start + m);
    const double halved = (double)fold[1] * start + 2 * (1 - 1. / members) * m;
    const bool halves = words >= group.halved_from;
    const uint32_t number = hy_subcube_number(&group, cube->address, 0);
    hyla_cube_ledger_clear(cube);
    for (int64_t i = 0; i < words; i++) data[i] = value(number, i);
    status = hy_subcube_allreduce(&group, data, words, add, NULL);
    bool right = halves == (halved < doubled);
    for (int64_t i = 0; i < words; i++)
      right = right && data[i] == members * i + 100003 * (members * (members - 1) / 2);
    if (!halves) right = right && messages_sent(cube) == doubled_messages(number, members);
    if (status == HYLA_OK && !right)
      status = hy_fail(&cube->base, HYLA_COMMUNICATION, "%lld words by %s", (long long)words,
                       halves ? "halving" : "doubling");
  }
  if (status == HYLA_OK && (group.halved_from <= 1 || group.halved_from >= LONGEST))
    status = hy_fail(&cube->base, HYLA_COMMUNICATION, "one variant serves all lengths");
  hy_subcube_free(&group);
  hy_free(&cube->base, &data);
  return status;
}

static void all_reductions_of_any_number_halve_where_that_is_faster(void **state) {
  (void)state;
  static const struct {
    const char *array;
    int64_t steps[2];
  } cases[] = {{"1x3", {3, 4}}, {"5x1", {4, 6}}, {"2x3", {4, 6}}, {"1x7", {4, 6}}, {"3x3", {5, 8}}};
  if (harness_ranks() > 1) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_simulation model = {.array = cases[i].array, .alpha = 1e-6, .beta = 1e-10};
    int64_t steps[] = {cases[i].steps[0], cases[i].steps[1]};
    hyla_report report;
    hyla_simulate(&model, sum_any_lengths, steps, &report);
    harness_note("%s", cases[i].array);
    assert_string_equal(report.message, "");
  }
}

/* The n-th allocation fails, for every n. */
static void no_group_leaks_when_memory_runs_out(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  for (int i = 0; i < TASK_COUNT; i++) {
    char text[64];
    const struct hy_collective_variant *row = NULL;
    for (int r = 0; (row = ask(TASKS[i], r, text)) != NULL; r++) {
      hyla_cube *cube = NULL;
      options.collective = text;
      assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
      struct trial t = {.task = TASKS[i], .row = row};
      draw(&t, cube->dims);
      hyla_status status = HYLA_MEMORY;
      for (int64_t n = 1; status != HYLA_OK; n++) {
        struct hy_subcube_op group;
        int64_t before = cube->base.bytes_now;
        cube->base.fail_at = cube->base.allocations + n;
        harness_note("%s, allocation %lld", text, (long long)n);
        status = make(cube, &t, &group);
        assert_true(status == HYLA_OK || status == HYLA_MEMORY);
        hy_subcube_free(&group);
        assert_int_equal(cube->base.bytes_now, before);
      }
      assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_on_ranks),
      cmocka_unit_test(every_variant_on_simulated_cubes),
      cmocka_unit_test(no_variant_sends_a_word_twice),
      cmocka_unit_test(doubling_is_the_default),
      cmocka_unit_test(all_reductions_of_any_number_halve_where_that_is_faster),
      cmocka_unit_test(no_group_leaks_when_memory_runs_out),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
