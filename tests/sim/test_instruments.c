/* The two instruments agree: the verifier's results for a whole cube's schedule are those that the
 * simulator finds when every node runs its own: messages and words over every dimension, and the
 * time, exactly, for every variant of every collective, up to 8 dimensions.  The time is that at
 * the nodes' own pace, because nodes do not wait for each other between steps.  It is smaller than
 * the closed form if steps overlap, and never larger.  Packets that leave as soon as they can take
 * the time that the verifier finds for such packets. */
#include "hyla_lab.h"
#include "tests/collective/cases.h"

/* One collective and one variant, run by all nodes. */
struct program {
  const struct hy_generator *generator;
  const struct hy_collective *collective;
  bool flows; /* it has no steps */
};

static void add_labels(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((uint64_t *)into)[i] += ((const uint64_t *)from)[i];
}

/* A node's buffers for a schedule. */
static hyla_status allocate_memory(struct hy_base *base, const struct hy_schedule *schedule,
                                   const struct hy_blocks *blocks, bool flows, struct hy_run *run) {
  int64_t scratch = schedule->scratch * blocks->words;
  int64_t work = flows ? hy_flow_work(schedule, blocks) : hy_schedule_work(schedule, blocks);
  TRY(hy_alloc(base, run->words, sizeof(uint64_t), &run->data));
  if (scratch > 0) TRY(hy_alloc(base, scratch, sizeof(uint64_t), &run->scratch));
  return hy_alloc(base, work, sizeof(uint64_t), &run->work);
}

static hyla_status play(hyla_cube *cube, const struct hy_schedule *schedule, bool flows,
                        const struct hy_run *run) {
  struct hy_flow *flow = NULL;
  if (!flows) return hy_schedule_run(cube, schedule, run);
  TRY(hy_flow_create(schedule, &run->blocks, &flow));
  hyla_status status = hy_flow_run(cube, flow, run);
  hy_flow_destroy(&flow);
  return status;
}

static hyla_status run_and_check(hyla_cube *cube, const struct hy_schedule *schedule,
                                 const struct program *program, const struct hy_run *run) {
  const struct hy_collective *c = program->collective;
  uint32_t node = (uint32_t)cube->address;
  uint64_t *data = run->data;
  for (int64_t i = 0; i < run->words; i++) data[i] = hy_contract_before(c, node, i);
  TRY(play(cube, schedule, program->flows, run));
  for (int64_t i = 0; i < run->words; i++) {
    uint64_t wanted = hy_contract_after(c, node, i);
    CHECK(&cube->base, wanted == 0 || wanted == data[i], ARGUMENT, "node %u: word %lld is wrong",
          node, (long long)i);
  }
  return HYLA_OK;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  const struct program *program = arg;
  struct hy_base *base = &cube->base;
  struct hy_schedule schedule;
  struct hy_run run = {.dims = (uint32_t)cube->nodes - 1,
                       .blocks = program->collective->blocks,
                       .size = sizeof(uint64_t),
                       .words = hy_contract_words(program->collective),
                       .combine = add_labels};
  hyla_status status = hy_generate(program->generator, (uint32_t)cube->address, base, &schedule);
  if (status == HYLA_OK)
    status = allocate_memory(base, &schedule, &run.blocks, program->flows, &run);
  if (status == HYLA_OK) status = run_and_check(cube, &schedule, program, &run);
  hy_schedule_free(&schedule);
  hy_free(base, &run.data);
  hy_free(base, &run.scratch);
  hy_free(base, &run.work);
  return status;
}

static hyla_report simulate(const struct hy_collective_variant *row, const struct hy_collective *c,
                            bool flows) {
  struct hy_base base = {0};
  struct hy_recipe recipe;
  hyla_report report;
  assert_int_equal(hy_recipe_make(&recipe, &base, row, c), HYLA_OK);
  struct program program = {hy_recipe_top(&recipe), c, flows};
  hyla_simulation model = {.dims = c->dims,
                           .ports = row->machine.one_port ? HYLA_ONE_PORT : HYLA_ALL_PORTS,
                           .switching = row->machine.circuits ? HYLA_CIRCUIT : HYLA_STORE,
                           .alpha = (double)c->beta,
                           .beta = (double)c->tau / sizeof(uint64_t)};
  hyla_status status = hyla_simulate(&model, body, &program, &report);
  assert_string_equal(report.message, "");
  assert_int_equal(status, HYLA_OK);
  hy_recipe_free(&recipe);
  assert_int_equal(base.bytes_now, 0);
  return report;
}

/* If every node takes part in every step, steps take their closed form also at the nodes' own pace.
 * Exceptions: a length that the form is not for; packets that do not wait for steps (the form is
 * then the makespan); V92's steps that are reserved for packets which a node may not have;
 * reflections, in which only some nodes have an element; successive broadcasts and matched
 * exchanges, in which only some nodes pass blocks on. */
static void assert_closed_form(const struct hy_collective_variant *row,
                               const struct hy_collective *c,
                               const struct hy_verify_report *report) {
  struct hy_form form = hy_variant_form(row, c);
  bool reserves = strncmp(row->base.name, "v92", 3) == 0 ||
                  strcmp(row->base.name, "rotate-reflect") == 0 ||
                  row == &hy_allgather_successive || row == &hy_partial_exchange_matched;
  if (c->blocks.words % form.divisor != 0) return;
  int64_t time = form.steps * c->beta * form.words.den + form.words.num * c->blocks.words * c->tau;
  if (row->asynchronous)
    assert_true(report->own_pace * form.words.den >= time);
  else if (reserves)
    assert_true(report->own_pace * form.words.den <= time);
  else
    assert_int_equal(report->own_pace * form.words.den, time);
}

static void compare(const struct hy_collective_variant *row, const struct hy_collective *c) {
  struct hy_paper_machine machine = row->machine;
  machine.tau = c->tau;
  machine.beta = c->beta;
  struct hy_verify_report verified = verify(row, c, &machine);
  for (int flows = 0; flows <= row->asynchronous; flows++) {
    hyla_report report = simulate(row, c, flows);
    assert_true(report.time == (double)(flows ? verified.makespan : verified.own_pace));
    for (int dim = 0; dim < c->dims; dim++) {
      assert_int_equal(report.messages[dim], verified.count.messages[dim]);
      assert_int_equal(report.bytes[dim], verified.count.words[dim] * 8);
    }
    assert_int_equal(report.far_messages, verified.count.far_messages);
    assert_int_equal(report.far_bytes, verified.count.far_words * 8);
  }
  assert_closed_form(row, c, &verified);
  /* Free packets are at most as late; synchronous steps are at least as late. */
  assert_true(verified.makespan <= verified.own_pace);
  assert_true(verified.own_pace <= verified.words * c->tau + verified.steps * c->beta);
}

/* One length of the block, from two roots if there is a root. */
static void compare_roots(const struct hy_collective_variant *row, enum hy_task task, int d,
                          int64_t words) {
  for (int trial = 0; trial < 2; trial++) {
    bool rooted = task < HY_TASK_ALLGATHER;
    uint32_t root = trial == 0 ? (1u << d) - 1 : (uint32_t)harness_draw(0, (1 << d) - 1);
    struct hy_collective c = {.task = task,
                              .dims = d,
                              .band = draw_band(row, d),
                              .window = draw_window(row, d),
                              .matrices = draw_matrices(row),
                              .root = rooted ? root : 0,
                              .blocks = {.words = words},
                              .groups = 3,
                              .tau = 16,
                              .beta = 1000,
                              .active = active,
                              .to = to};
    draw(row, d);
    if (hy_variant_refuses(row, &c) != NULL) c.blocks.words = hy_variant_form(row, &c).divisor;
    if (hy_variant_refuses(row, &c) != NULL) return;
    harness_note("%s %s, d = %d, m = %lld, root %u", hy_task_name(task), row->base.name, d,
                 (long long)c.blocks.words, root);
    compare(row, &c);
    if (d > 6 && !rooted) return;
  }
}

/* Up to ALWAYS dimensions every cube each time; LARGE_AT_ONCE of the larger ones. */
enum { ALWAYS = 6, MOST = 8, LARGE_AT_ONCE = 12 };

/* Compares the index-th of the larger cubes, in the order of rows; returns their number. */
static int64_t compare_large(int64_t index) {
  const struct hy_collective_variant *row = NULL;
  int64_t before = 0;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    int count = tasks_of(row, tasks);
    for (int i = 0; i < count; i++, before += MOST - ALWAYS)
      if (before <= index && index < before + MOST - ALWAYS)
        compare_roots(row, tasks[i], ALWAYS + 1 + (int)(index - before), 1);
  }
  return before;
}

static void simulator_and_verifier_are_equal(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    int count = tasks_of(row, tasks);
    for (int i = 0; i < count; i++)
      for (int d = 0; d <= ALWAYS; d++) {
        compare_roots(row, tasks[i], d, 1);
        compare_roots(row, tasks[i], d, 12);
      }
  }
  int64_t index = 0;
  struct harness_walk walk = harness_walk(compare_large(-1), LARGE_AT_ONCE);
  while (harness_next(&walk, &index)) (void)compare_large(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simulator_and_verifier_are_equal),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
