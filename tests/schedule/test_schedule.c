/* Schedules and the toolbox, verified for whole cubes without MPI. */
#include "tests/formulas/paper.h"

static const struct hy_paper_machine all_ports = {.tau = 1, .beta = 1};
static const struct hy_paper_machine one_port = {.one_port = true, .tau = 1, .beta = 1};

enum { D_MAX = 8 };

static int64_t popular_words(int i, int d) {
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(1 << d, sizes);
  return sizes[i % count];
}

static void doubling_delivers_any_length_from_any_root(void **state) {
  (void)state;
  for (int d = 0; d <= D_MAX; d++)
    for (int i = 0; i < HARNESS_SIZES; i++) {
      struct hy_generator base = {hy_doubling_broadcast, .dims = d};
      uint32_t root = (uint32_t)harness_draw(0, (1 << d) - 1);
      struct hy_generator broadcast = hy_reroot(&base, root);
      struct hy_generator reduce = hy_reverse(&broadcast, HY_ADD);
      int64_t m = popular_words(i, d);
      harness_note("d = %d, m = %lld, root %u", d, (long long)m, root);
      struct hy_collective contract = {
          .task = HY_TASK_BROADCAST, .dims = d, .root = root, .blocks = {.words = m}};
      struct hy_verify_report report = paper_sound(&broadcast, &contract, &one_port);
      assert_int_equal(report.steps, m > 0 ? d : 0);
      assert_int_equal(report.words, m * d);
      assert_int_equal(report.packets, m > 0 ? (1 << d) - 1 : 0);
      contract.task = HY_TASK_REDUCE;
      report = paper_sound(&reduce, &contract, &one_port);
      assert_int_equal(report.words, m * d);
      assert_int_equal(report.makespan, m > 0 ? d * (m + 1) : 0);
    }
}

static void both_all_reductions_deliver(void **state) {
  (void)state;
  for (int d = 0; d <= D_MAX; d++)
    for (int i = 0; i <= HARNESS_SIZES; i++) {
      int64_t m = i < HARNESS_SIZES ? popular_words(i, d) : 3 << d;
      harness_note("d = %d, m = %lld", d, (long long)m);
      struct hy_collective contract = {
          .task = HY_TASK_ALLREDUCE, .dims = d, .blocks = {.words = m}};
      struct hy_generator doubling = {hy_doubling_allreduce, .dims = d};
      struct hy_generator halving = {hy_halving_allreduce, .dims = d};
      assert_int_equal(paper_sound(&doubling, &contract, &one_port).words, m * d);
      struct hy_verify_report report = paper_sound(&halving, &contract, &one_port);
      if (m % (1 << d) == 0) assert_int_equal(report.words << d, 2 * ((1 << d) - 1) * m);
    }
}

static void allgather_takes_blocks_of_any_lengths(void **state) {
  (void)state;
  int64_t offsets[(1 << D_MAX) + 1] = {0};
  for (int d = 0; d <= D_MAX; d++) {
    int nodes = 1 << d;
    for (int x = 0; x < nodes; x++)
      offsets[x + 1] = offsets[x] + (harness_draw(0, 2) == 0 ? 0 : harness_draw(0, 7));
    harness_note("d = %d", d);
    struct hy_collective contract = {
        .task = HY_TASK_ALLGATHER, .dims = d, .blocks = {.offsets = offsets}};
    struct hy_generator doubling = {hy_doubling_allgather, .dims = d};
    struct hy_generator base = {hy_doubling_broadcast, .dims = d};
    struct hy_generator spread = hy_symmetrize(&base);
    struct hy_generator complete = hy_complete(&spread, true);
    struct hy_generator histogram = hy_reverse(&complete, HY_ADD);
    paper_sound(&doubling, &contract, &one_port);
    paper_sound(&complete, &contract, &all_ports);
    contract.task = HY_TASK_REDUCE_SCATTER;
    paper_sound(&histogram, &contract, &all_ports);
  }
}

/* SW90: BROADCAST 2 and COMPLETE BROADCAST follow from a one-line base schedule. */
static void the_toolbox_makes_the_symmetric_forms(void **state) {
  (void)state;
  for (int d = 1; d <= D_MAX; d++)
    for (int m = d; m <= 3 * d; m += d) {
      harness_note("d = %d, m = %d", d, m);
      struct hy_generator base = {hy_doubling_broadcast, .dims = d};
      struct hy_generator spread = hy_symmetrize(&base);
      struct hy_generator complete = hy_complete(&spread, true);
      struct hy_collective contract = {
          .task = HY_TASK_BROADCAST, .dims = d, .blocks = {.words = m}};
      struct hy_verify_report report = paper_sound(&spread, &contract, &all_ports);
      assert_int_equal(report.steps, d);
      assert_int_equal(report.words, m);
      contract =
          (struct hy_collective){.task = HY_TASK_ALLGATHER, .dims = d, .blocks = {.words = m}};
      report = paper_sound(&complete, &contract, &all_ports);
      assert_int_equal(report.steps, d);
      assert_int_equal(report.words * d, ((1 << d) - 1) * m);
    }
}

static void an_allocation_that_fails_leaks_nothing(void **state) {
  (void)state;
  struct hy_generator base = {hy_doubling_broadcast, .dims = 3};
  struct hy_generator spread = hy_symmetrize(&base);
  struct hy_generator complete = hy_complete(&spread, true);
  struct hy_collective contract = {.task = HY_TASK_ALLGATHER, .dims = 3, .blocks = {.words = 3}};
  hyla_status status = HYLA_MEMORY;
  for (int64_t n = 1; status != HYLA_OK; n++) {
    struct hy_base books = {.fail_at = n};
    struct hy_verify_report report;
    status = hy_verify(&complete, &contract, &all_ports, &books, &report);
    assert_true(status == HYLA_OK || status == HYLA_MEMORY);
    assert_int_equal(books.bytes_now, 0);
  }
}

static void printing_names_every_packet(void **state) {
  (void)state;
  struct hy_base books = {0};
  struct hy_generator base = {hy_doubling_broadcast, .dims = 2};
  struct hy_schedule schedule;
  char text[200];
  struct hy_text out = {.text = text, .capacity = sizeof text};
  assert_int_equal(hy_generate(&base, 0, &books, &schedule), HYLA_OK);
  hy_schedule_print(&schedule, NULL, 0, &out);
  hy_schedule_free(&schedule);
  assert_string_equal(text, "step 0: node 0 sends to 2: 0.0-0.1 /1\n"
                            "step 1: node 0 sends to 1: 0.0-0.1 /1\n");
}

/* Blocks cut in more parts than they have words: packets without words are left out, the others
 * stay as they are. */
static void trimming_leaves_out_packets_without_words(void **state) {
  (void)state;
  struct hy_base books = {0};
  for (int d = 1; d <= D_MAX; d++) {
    struct hy_generator base = {hy_doubling_broadcast, .dims = d};
    struct hy_generator spread = hy_symmetrize(&base);
    struct hy_generator complete = hy_complete(&spread, true);
    for (int64_t words = 0; words <= d; words++) {
      const struct hy_blocks blocks = {.words = words};
      const uint32_t node = (uint32_t)harness_draw(0, (1 << d) - 1);
      struct hy_schedule whole, trimmed;
      int64_t kept = 0;
      harness_note("d = %d, m = %lld, node %u", d, (long long)words, node);
      assert_int_equal(hy_generate(&complete, node, &books, &whole), HYLA_OK);
      assert_int_equal(hy_generate(&complete, node, &books, &trimmed), HYLA_OK);
      assert_int_equal(hy_schedule_trim(&trimmed, &blocks), HYLA_OK);
      for (int64_t i = 0; i < whole.packet_count; i++) {
        const struct hy_packet *a = &whole.packets[i], *b = &trimmed.packets[kept];
        if (hy_packet_words(&whole, &blocks, a) == 0) continue;
        assert_true(kept++ < trimmed.packet_count);
        assert_int_equal(a->step, b->step);
        assert_int_equal(a->across, b->across);
        assert_int_equal(a->action, b->action);
        assert_int_equal(a->staged, b->staged);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(&whole.pieces[a->first], &trimmed.pieces[b->first],
                            (size_t)a->count * sizeof *whole.pieces);
      }
      assert_int_equal(kept, trimmed.packet_count);
      assert_int_equal(hy_schedule_work(&whole, &blocks), hy_schedule_work(&trimmed, &blocks));
      hy_schedule_free(&whole);
      hy_schedule_free(&trimmed);
    }
  }
  assert_int_equal(books.bytes_now, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(doubling_delivers_any_length_from_any_root),
      cmocka_unit_test(both_all_reductions_deliver),
      cmocka_unit_test(allgather_takes_blocks_of_any_lengths),
      cmocka_unit_test(the_toolbox_makes_the_symmetric_forms),
      cmocka_unit_test(an_allocation_that_fails_leaks_nothing),
      cmocka_unit_test(printing_names_every_packet),
      cmocka_unit_test(trimming_leaves_out_packets_without_words),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
