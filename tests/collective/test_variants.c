/* Every variant of every collective, verified for whole cubes without MPI: sound for any length and
 * root, and no longer than its closed form.  test_formulas checks that it is exactly as long. */
#include "cases.h"
#include "collective/variant.h"

/* Lengths that do not divide: sound, and no longer than the next length that does. */
static void every_row_takes_any_length_and_root(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++)
    for (int d = 0; d <= 6; d++)
      for (int trial = 0; trial < HARNESS_SIZES; trial++) {
        int64_t sizes[HARNESS_SIZES];
        int count = harness_sizes(d + 1, sizes);
        enum hy_task tasks[2];
        int task = (int)harness_draw(0, tasks_of(row, tasks) - 1);
        struct hy_collective collective = {.task = tasks[task],
                                           .dims = d,
                                           .groups = 3,
                                           .band = draw_band(row, d),
                                           .window = draw_window(row, d),
                                           .matrices = draw_matrices(row),
                                           .active = active,
                                           .to = to};
        draw(row, d);
        draw_lost(row, &collective);
        collective.blocks.words = sizes[trial % count];
        /* some permutations allow no other lengths, or dimensions */
        if (hy_variant_refuses(row, &collective) != NULL)
          collective.blocks.words *= hy_variant_form(row, &collective).divisor;
        if (row->banded && d == 0) continue; /* one node has no band */
        assert_null(hy_variant_refuses(row, &collective));
        collective.root =
            tasks[task] >= HY_TASK_ALLGATHER ? 0 : (uint32_t)harness_draw(0, (1 << d) - 1);
        harness_note("%s %s, d = %d, m = %lld, root %u", hy_task_name(collective.task),
                     row->base.name, d, (long long)collective.blocks.words, collective.root);
        struct hy_verify_report report = verify(row, &collective, &row->machine);
        struct hy_form form = hy_variant_form(row, &collective);
        int64_t whole = hy_ceil_div(collective.blocks.words, form.divisor) * form.divisor;
        if (row->asynchronous) continue;
        assert_true(report.steps <= form.steps);
        assert_true(report.words * form.words.den <= form.words.num * whole);
      }
}

/* Blocks of unequal lengths, if the row allows them. */
static void rows_take_unequal_blocks_or_say_why_not(void **state) {
  (void)state;
  int64_t offsets[33] = {0};
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    if (row->task == HY_TASK_BROADCAST || row->task == HY_TASK_PERMUTE) continue;
    for (int d = 0; d <= 5; d++) {
      for (int x = 0; x < 1 << d; x++) offsets[x + 1] = offsets[x] + harness_draw(0, 4);
      enum hy_task tasks[2];
      int count = tasks_of(row, tasks);
      for (int i = 0; i < count; i++) {
        struct hy_collective collective = {.task = tasks[i],
                                           .dims = d,
                                           .blocks = {.offsets = offsets},
                                           .active = active,
                                           .to = to};
        draw(row, d);
        harness_note("%s %s, d = %d", hy_task_name(tasks[i]), row->base.name, d);
        const char *reason = hy_variant_refuses(row, &collective);
        if (reason == NULL) verify(row, &collective, &row->machine);
        assert_int_equal(reason != NULL, tasks[i] >= HY_TASK_EXCHANGE);
      }
    }
  }
}

/* Rooms that are not full: members of different lengths, some without words. */
static void rows_take_rooms_or_say_why_not(void **state) {
  (void)state;
  int64_t sources[1 << 6], targets[1 << 6];
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    if (row->task != HY_TASK_EXCHANGE && row->task != HY_TASK_PERMUTE) continue;
    for (int d = 0; d <= (row->task == HY_TASK_PERMUTE ? 6 : 4); d++) {
      int64_t longest = harness_draw(0, 9);
      for (int x = 0; x < 1 << d; x++) {
        sources[x] = harness_draw(0, longest);
        targets[x] = harness_draw(0, 3);
      }
      struct hy_collective collective = {.task = row->task,
                                         .dims = d,
                                         .blocks = {.words = longest, .sources = sources},
                                         .to = to,
                                         .band = draw_band(row, d),
                                         .window = draw_window(row, d),
                                         .matrices = draw_matrices(row)};
      if (row->task == HY_TASK_EXCHANGE) {
        collective.blocks.words *= 3;
        collective.blocks.targets = targets;
      }
      draw(row, d);
      harness_note("%s, d = %d", row->base.name, d);
      if (hy_variant_refuses(row, &collective) == NULL)
        verify(row, &collective, &row->machine);
      else
        assert_true(!row->ragged || (row->banded && d == 0));
    }
  }
}

/* V92, chapter 2, theorem 6: a band of 2^(b+1) + 1 in 2^b steps, for all b < d. */
static void bands_exchange_in_half_their_width(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "v92-band");
  for (int d = 1; d <= 8; d++)
    for (int b = 0; b < d; b++) {
      struct hy_collective collective = {
          .task = HY_TASK_EXCHANGE, .dims = d, .blocks = {.words = 1}, .band = b + 1};
      struct hy_paper_machine machine = {.tau = 1, .beta = 1};
      harness_note("d = %d, b = %d", d, b);
      assert_int_equal(verify(row, &collective, &machine).steps, 1 << b);
      for (uint32_t c = 0; c >> d == 0; c++)
        assert_int_equal(hy_banded_column(d, b, hy_banded_node(d, b, c)), c);
    }
}

/* The n-th allocation fails, for every n. */
static void no_row_leaks_when_memory_runs_out(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    struct hy_collective collective = {.task = row->task,
                                       .dims = 4,
                                       .groups = 2,
                                       .band = draw_band(row, 4),
                                       .window = draw_window(row, 4),
                                       .matrices = draw_matrices(row),
                                       .active = active,
                                       .to = to};
    draw(row, 4);
    collective.blocks.words = hy_variant_form(row, &collective).divisor;
    collective.root = row->task < HY_TASK_ALLGATHER ? 5 : 0;
    hyla_status status = HYLA_MEMORY;
    for (int64_t n = 1; status != HYLA_OK; n++) {
      struct hy_base base = {.fail_at = n};
      struct hy_recipe recipe;
      struct hy_schedule schedule;
      harness_note("%s %s, allocation %lld", hy_task_name(row->task), row->base.name, (long long)n);
      hy_schedule_init(&schedule, &base);
      status = hy_recipe_make(&recipe, &base, row, &collective);
      if (status == HYLA_OK) status = hy_generate(hy_recipe_top(&recipe), 6, &base, &schedule);
      struct hy_flow *flow = NULL;
      if (status == HYLA_OK && row->asynchronous)
        status = hy_flow_create(&schedule, &collective.blocks, &flow);
      assert_true(status == HYLA_OK || status == HYLA_MEMORY);
      hy_flow_destroy(&flow);
      hy_schedule_free(&schedule);
      hy_recipe_free(&recipe);
      assert_int_equal(base.bytes_now, 0);
    }
  }
}

/* Varvarigos 1992, 3.6: the example of d = 16, M = 1024 (III is misprinted as 96). */
static void the_example_of_partial_broadcasts(void **state) {
  (void)state;
  assert_int_equal(hy_partial_time(16, 1, 1024).num, 125);
  struct hy_ratio two = hy_partial_time(16, 2, 1024);
  assert_int_equal(two.num * 10000, 653125 * two.den);
  assert_int_equal(hy_partial_time(16, 3, 1024).num, 89);
  for (int d = 1; d <= 16; d++)
    for (uint32_t m = 1; m <= 1u << d; m = 2 * m + m % 3) {
      int64_t nodes = (int64_t)1 << d;
      two = hy_partial_time(d, 2, m);
      /* T_II <= (M / d) (N - 1) / N + 2 and T_III <= ceil(M / d) + 2 d - 1. */
      assert_true(two.num * nodes <= m * (nodes - 1) + 2 * d * nodes);
      assert_true(hy_partial_time(d, 3, m).num <= hy_ceil_div(m, d) + 2 * d - 1);
    }
}

/* Times of forms with the best whole number of groups, m = 65536, tau = 1, beta = 100, by the
 * formulas of Stout and Wagar 1990; words are so short that they need not be cut. */
static double best_time(enum hy_task task, const char *name, int d, int distance) {
  const int64_t cuts = 10000;
  struct hy_collective collective = {.task = task,
                                     .dims = d,
                                     .blocks = {.words = 65536 * cuts},
                                     .tau = 1,
                                     .beta = 100 * cuts,
                                     .to = to};
  for (int x = 0; x < 1 << d; x++) to[x] = -1;
  to[0] = (1 << distance) - 1;
  struct hy_form form = hy_variant_form(hy_variant_find(task, name), &collective);
  return (double)form.steps * 100 + 65536.0 * (double)form.words.num / (double)form.words.den;
}

static void assert_near(double value, double printed, double digit) {
  if (value < printed - digit / 2 || value > printed + digit / 2)
    fail_msg("%.6f is not %.6f", value, printed);
}

static void times_of_stout_and_wagar(void **state) {
  (void)state;
  static const double table[][7] = {{2, 131272, 65736, 98604, 36488.4, 65736, 36488.4},
                                    {3, 196908, 65836, 87781.3, 26225.8, 54913.3, 25665.8},
                                    {4, 262544, 65936, 82420, 21118.2, 44090.7, 19990.3},
                                    {6, 393816, 66136, 77158.7, 16097.2, 28998.9, 14067.0},
                                    {8, 525088, 66336, 74628, 13681.3, 20772.9, 11063.0}};
  static const char *const names[] = {"doubling", "sw90-2", "sw90-3a", "sw90-4"};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    int d = (int)table[i][0];
    harness_note("d = %d", d);
    for (int j = 0; j < 4; j++)
      assert_near(best_time(HY_TASK_BROADCAST, names[j], d, d), table[i][j + 1], 0.11);
    assert_near(best_time(HY_TASK_PERMUTE, "corner-3", d, d), table[i][5], 0.11);
    assert_near(best_time(HY_TASK_PERMUTE, "corner-4", d, d), table[i][6], 0.11);
  }
  static const double sends[][8] = {
      {65636, 36488.4, 25665.8, 19990.3, 16463.6, 14067.0, 12345.6, 11063.0},
      {10952.3, 11628.0, 12212.4, 12740.0, 13226.2, 13681.3, 13681.3, 13681.3},
      {10952.3, 11052.3, 11043.6, 11029.8, 11033.9, 11059.4, 11104.5, 11063.0}};
  static const char *const rows[] = {"arbitrary-1", "arbitrary-2", "arbitrary-3"};
  for (int i = 0; i < 3; i++)
    for (int n = 1; n <= 8; n++) {
      harness_note("%s, n = %d", rows[i], n);
      assert_near(best_time(HY_TASK_PERMUTE, rows[i], 8, n), sends[i][n - 1], 0.11);
    }
}

/* The schedule of a permutation or exchange, in synchronous steps. */
static int64_t verified_time(enum hy_task task, const char *name,
                             struct hy_collective *collective) {
  const struct hy_collective_variant *row = hy_variant_find(task, name);
  collective->task = task;
  collective->to = to;
  if (task == HY_TASK_PERMUTE && row->sends != NULL)
    for (uint32_t x = 0; x >> collective->dims == 0; x++)
      to[x] = (int32_t)row->sends(collective->dims, x);
  struct hy_verify_report report = verify(row, collective, &row->machine);
  return report.words * collective->tau + report.steps * collective->beta;
}

/* If starts take no time, as in Johnsson 1987, words travel one by one: theorems 4.1 and 4.4,
 * corollaries 4.2, 4.1, 3.4 and 3.5.  An odd word has its own packet. */
static void words_travel_alone_where_starts_are_free(void **state) {
  (void)state;
  static const struct {
    enum hy_task task;
    const char *name;
    int dims;
    int64_t words, steps;
  } counts[] = {
      {HY_TASK_PERMUTE, "recursive", 6, 64, 69},    {HY_TASK_PERMUTE, "torus", 6, 64, 260},
      {HY_TASK_PERMUTE, "torus-paths", 6, 64, 132}, {HY_TASK_PERMUTE, "torus-paths", 6, 3, 12},
      {HY_TASK_PERMUTE, "mesh", 6, 64, 455},        {HY_TASK_PERMUTE, "gray", 9, 29, 36},
      {HY_TASK_EXCHANGE, "pipelined", 5, 3, 52},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    struct hy_collective collective = {
        .dims = counts[i].dims, .blocks = {.words = counts[i].words}, .tau = 1};
    harness_note("%s", counts[i].name);
    assert_int_equal(verified_time(counts[i].task, counts[i].name, &collective), counts[i].steps);
  }
}

/* No number of packets is better, whether or not it divides the length, if all packets are as long
 * as the longest: (each g + once)(tau ceil(m / (parts g)) + beta). */
static void packets_are_as_many_as_is_best(void **state) {
  (void)state;
  static const struct {
    enum hy_task task;
    const char *name;
    int dims, each, once, parts, unit;
  } rows[] = {
      {HY_TASK_BROADCAST, "sw90-4", 3, 1, 2, 3, 1},
      {HY_TASK_BROADCAST, "sw90-4", 4, 1, 3, 4, 1},
      {HY_TASK_PERMUTE, "recursive", 4, 1, 3, 1, 1},
      {HY_TASK_PERMUTE, "torus", 4, 1, 1, 1, 2},
      {HY_TASK_PERMUTE, "torus-paths", 4, 1, 1, 2, 2},
      {HY_TASK_PERMUTE, "mesh", 4, 1, 1, 1, 3},
      {HY_TASK_PERMUTE, "gray", 5, 1, 3, 1, 1},
      {HY_TASK_EXCHANGE, "pipelined", 3, 4, 2, 1, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int trial = 0; trial < 40; trial++) {
      int64_t m = harness_draw(0, 90), tau = harness_draw(1, 5), beta = harness_draw(0, 20);
      struct hy_collective collective = {
          .dims = rows[i].dims, .blocks = {.words = m}, .tau = tau, .beta = beta};
      int64_t time = verified_time(rows[i].task, rows[i].name, &collective);
      harness_note("%s, d = %d, m = %lld, tau %lld, beta %lld: %lld", rows[i].name, rows[i].dims,
                   (long long)m, (long long)tau, (long long)beta, (long long)time);
      for (int64_t g = 1; g <= m; g++)
        assert_true(time <= rows[i].unit * (rows[i].each * g + rows[i].once) *
                                (tau * hy_ceil_div(m, rows[i].parts * g) + beta));
    }
}

/* Stout and Wagar 1990, MATRIX TRANSPOSITION with N = 1024, tau = 1, beta = 100, where S, at least
 * 2c, is above the best: 3204 for d = 8; 1663.2 for d = 10, here 5 times the words and beta. */
static void blocks_have_packets_for_their_distance(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, "transpose");
  static const int64_t cases[][4] = {{8, 4096, 100, 3204}, {10, 5 * 1024, 500, 8316}};
  for (int i = 0; i < 2; i++) {
    struct hy_collective collective = {.task = HY_TASK_PERMUTE,
                                       .dims = (int)cases[i][0],
                                       .blocks = {.words = cases[i][1]},
                                       .tau = 1,
                                       .beta = cases[i][2],
                                       .to = to};
    draw(row, collective.dims);
    struct hy_paper_machine machine = {.tau = 1, .beta = cases[i][2]};
    machine.dry = collective.blocks.words << collective.dims > WORDS_MAX;
    struct hy_form form = hy_variant_form(row, &collective);
    assert_int_equal(collective.blocks.words % form.divisor, 0);
    assert_int_equal(form.steps * machine.beta +
                         form.words.num * collective.blocks.words / form.words.den,
                     cases[i][3]);
    if (!machine.dry) assert_int_equal(verify(row, &collective, &machine).makespan, cases[i][3]);
  }
}

/* Dimensions that change places in pairs, in any order, some of them not: arrays of 2^r x 2^c. */
static void any_pairs_of_dimensions_change_places(void **state) {
  (void)state;
  static const char *const names[] = {"recursive", "transpose", "torus", "torus-paths", "mesh"};
  for (int trial = 0; trial < 60; trial++) {
    int d = (int)harness_draw(0, 6), other[8], pairs = 0;
    const char *name = names[trial % 5];
    for (int i = 0; i < d; i++) other[i] = -1;
    for (int i = 0; i < d; i++) {
      int j = (int)harness_draw(0, d - 1);
      if (other[i] >= 0 || other[j] >= 0) continue;
      other[i] = j;
      other[j] = i;
      pairs += i != j;
    }
    for (int x = 0; x < 1 << d; x++) {
      to[x] = 0;
      for (int i = 0; i < d; i++) to[x] |= (x >> i & 1) << (other[i] < 0 ? i : other[i]);
    }
    const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, name);
    struct hy_collective collective = {.task = HY_TASK_PERMUTE,
                                       .dims = d,
                                       .blocks = {.words = harness_draw(0, 40)},
                                       .tau = 1,
                                       .beta = harness_draw(0, 9),
                                       .to = to};
    harness_note("%s, d = %d, %d pairs", name, d, pairs);
    assert_null(hy_variant_refuses(row, &collective));
    verify(row, &collective, &row->machine);
    collective.groups = 1;
    collective.blocks.words = 4 * 60;
    struct hy_paper_machine machine = {.tau = 1, .beta = 1};
    struct hy_verify_report report = verify(row, &collective, &machine);
    struct hy_form form = hy_variant_form(row, &collective);
    assert_int_equal(collective.blocks.words % form.divisor, 0);
    assert_form(row, &machine, &report, &form, collective.blocks.words);
    if (strcmp(name, "recursive") == 0) assert_int_equal(report.steps, 2 * pairs);
  }
}

/* Stout and Wagar 1990, BROADCAST 4 and O.C. SEND 4: no word is cut.  The least part of O.C. SEND
 * 4's 600 words that its fan allows is a tenth: 9 packets of 10 words before 10 + 2 + 1 + 1 + 2 +
 * 10. */
static void a_word_is_not_cut(void **state) {
  (void)state;
  const int64_t starts[] = {1, 10, 100};
  const int64_t broadcasts[] = {105105, 106050, 115500}, sends[] = {116015, 116150, 117500};
  for (int i = 0; i < 3; i++) {
    struct hy_collective collective = {
        .dims = 6, .blocks = {.words = 600}, .tau = 1000, .beta = starts[i]};
    assert_int_equal(verified_time(HY_TASK_BROADCAST, "sw90-4", &collective), broadcasts[i]);
    for (int x = 0; x < 64; x++) to[x] = x == 0 ? 63 : -1;
    const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, "corner-4");
    struct hy_paper_machine machine = {.tau = 1000, .beta = starts[i]};
    collective.task = HY_TASK_PERMUTE;
    collective.to = to;
    assert_int_equal(verify(row, &collective, &machine).makespan, sends[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_takes_any_length_and_root),
      cmocka_unit_test(no_row_leaks_when_memory_runs_out),
      cmocka_unit_test(the_example_of_partial_broadcasts),
      cmocka_unit_test(times_of_stout_and_wagar),
      cmocka_unit_test(words_travel_alone_where_starts_are_free),
      cmocka_unit_test(packets_are_as_many_as_is_best),
      cmocka_unit_test(a_word_is_not_cut),
      cmocka_unit_test(blocks_have_packets_for_their_distance),
      cmocka_unit_test(any_pairs_of_dimensions_change_places),
      cmocka_unit_test(rows_take_unequal_blocks_or_say_why_not),
      cmocka_unit_test(rows_take_rooms_or_say_why_not),
      cmocka_unit_test(bands_exchange_in_half_their_width),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
