/* Lower bounds of the collectives (Stout and Wagar 1990, section 9; Bertsekas et al. 1991, table 1;
 * Varvarigos 1992, chapter 2, theorem 1) compared with the schedules of all variants: none is
 * below; the page names those that reach their bound. */
#include "bounds.h"

#include "collective/papers.h"
#include "tests/collective/cases.h"

enum { DIMS = 6, MANY = 4096, BAND_DIMS = 8 };

static struct hy_collective case_of(const struct hy_collective_variant *row, enum hy_task task,
                                    int d) {
  struct hy_collective collective = {.task = task,
                                     .dims = d,
                                     .blocks = {.words = 1},
                                     .band = row->banded ? (d > 1 ? d - 1 : d) : 0,
                                     .window = draw_window(row, d),
                                     .matrices = draw_matrices(row),
                                     .groups = 2,
                                     .tau = 1,
                                     .beta = 1,
                                     .active = active,
                                     .to = to};
  draw(row, d);
  collective.blocks.words = hy_variant_form(row, &collective).divisor;
  while (collective.blocks.words % hy_variant_form(row, &collective).divisor != 0)
    collective.blocks.words *= hy_variant_form(row, &collective).divisor;
  return collective;
}

/* Asserts that the schedule is not faster than the bound and carries no fewer words. */
static void check_above(const struct hy_collective_variant *row, struct hy_collective collective) {
  struct hy_paper_machine machine = machine_of(row, &collective);
  const struct hy_bound bound = hy_collective_bound(&collective, &machine);
  int64_t m = collective.blocks.words;
  if (hy_variant_refuses(row, &collective) != NULL) return;
  for (int64_t beta = 0; beta <= 1000; beta += 1000) {
    machine.tau = 1;
    machine.beta = beta;
    struct hy_verify_report report = verify(row, &collective, &machine);
    double least = hy_bound_time(&bound, &machine, (double)m, 1, (double)beta);
    int64_t steps = report.steps * beta + report.words; /* the makespan does not depend on
                                                         * ports */
    int64_t time = machine.one_port ? steps : report.makespan;
    assert_true((double)time >= least - 1e-9 * least);
    if (!machine.dry) assert_true(report.carried >= bound.packets * m);
  }
}

/* The words of the form divided by the bound's; 1 if they are equal.  whole: by the bound in whole
 * messages. */
static double excess(const struct hy_collective_variant *row, struct hy_collective collective,
                     int groups, bool whole) {
  collective.groups = groups;
  struct hy_bound bound = hy_collective_bound(&collective, &row->machine);
  const struct hy_form form = hy_variant_form(row, &collective);
  if (whole) bound.words = (struct hy_ratio){hy_ceil_div(bound.words.num, bound.words.den), 1};
  if (bound.words.num == 0) return form.words.num == 0 ? 1 : 2;
  return (double)form.words.num * (double)bound.words.den /
         ((double)form.words.den * (double)bound.words.num);
}

/* IN_MANY: within 2 in 1000 if the message has many packets. */
enum reach { ABOVE, IN_MANY, WHOLE, ALWAYS };

static enum reach reach_of(const struct hy_collective_variant *row, enum hy_task task) {
  enum reach reach = ALWAYS;
  for (int d = 2; d <= DIMS; d++) {
    struct hy_collective collective = case_of(row, task, d);
    bool blocks = task >= HY_TASK_SCATTER && task <= HY_TASK_EXCHANGE;
    bool whole = blocks && excess(row, collective, 1, true) < 1 + 1e-12;
    bool many = excess(row, collective, MANY, false) < 1.002;
    if (excess(row, collective, 1, false) < 1 + 1e-12) continue;
    enum reach here = many ? IN_MANY : whole ? WHOLE : ABOVE;
    if (here < reach) reach = here;
  }
  return reach;
}

static bool same_machine(const struct hy_collective_variant *row, int machine) {
  return row->machine.one_port == (machine > 0) && row->machine.circuits == (machine == 2);
}

/* The rows for a task on a machine; `reached' gets the names of those that take the fewest
 * words. */
static int check_rows(enum hy_task task, int machine, struct hy_text *reached) {
  static const char *const how[] = {"", " (in many packets)", " (whole messages)", ""};
  const struct hy_collective_variant *row = NULL;
  int count = 0;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    for (int i = tasks_of(row, tasks) - 1; i >= 0; i--) {
      if (tasks[i] != task || !same_machine(row, machine)) continue;
      count++;
      for (int d = 0; d <= DIMS; d++) {
        harness_note("%s %s, d = %d", hy_task_name(task), row->base.name, d);
        check_above(row, case_of(row, task, d));
      }
      enum reach reach = reach_of(row, task);
      if (reach != ABOVE) hy_text_add(reached, " %s%s", row->base.name, how[reach]);
    }
  }
  return count;
}

static struct hy_bound some_bound(enum hy_task task, int kind) {
  struct hy_paper_machine machine = {.one_port = kind > 0, .circuits = kind == 2};
  struct hy_collective collective = {
      .task = task, .dims = DIMS, .blocks = {.words = 1}, .active = active, .to = to};
  if (task >= HY_TASK_BAND_EXCHANGE) collective.band = collective.matrices = 2;
  if (task == HY_TASK_WINDOW) collective.window = DIMS;
  memset(active, 1, sizeof active);
  for (int32_t x = 0; x >> DIMS == 0; x++) to[x] = x ^ ((1 << DIMS) - 1);
  return hy_collective_bound(&collective, &machine);
}

/* Table 1 in numbers, for whole packets: units and transmissions. */
static void check_table(void) {
  static const struct hy_paper_machine all_ports = {.tau = 1};
  for (int64_t d = 1; d <= 12; d++) {
    struct hy_collective task = {.dims = (int)d, .blocks = {.words = 1}};
    int64_t nodes = INT64_C(1) << d;
    task.task = HY_TASK_SCATTER;
    struct hy_bound bound = hy_collective_bound(&task, &all_ports);
    assert_int_equal(bound.words.num * d, bound.words.den * (nodes - 1));
    assert_int_equal(bound.packets, d * nodes / 2);
    task.task = HY_TASK_ALLGATHER;
    bound = hy_collective_bound(&task, &all_ports);
    assert_int_equal(hy_ceil_div(bound.words.num, bound.words.den), hy_ceil_div(nodes - 1, d));
    assert_int_equal(bound.packets, nodes * (nodes - 1));
    task.task = HY_TASK_EXCHANGE;
    bound = hy_collective_bound(&task, &all_ports);
    assert_int_equal(bound.words.num, bound.words.den * nodes / 2);
    assert_int_equal(bound.packets, d * nodes * nodes / 2);
  }
}

/* Within a band: compared with a count of all pairs, on machines that each emphasise a different
 * figure. */
static void check_bands(void) {
  for (int d = 1; d <= BAND_DIMS; d++)
    for (int b = 0; b < d; b++) {
      const struct hy_collective task = {
          .task = HY_TASK_EXCHANGE, .dims = d, .blocks = {.words = 1}, .band = b + 1};
      const struct hy_paper_machine networks[] = {
          {.one_port = false}, {.one_port = true}, {.one_port = true, .circuits = true}};
      int64_t across[BAND_DIMS] = {0}, hops = 0, most = 0, farthest = 0, busiest = 0;
      harness_note("d = %d, b = %d", d, b);
      for (uint32_t x = 0; x >> d == 0; x++) {
        int64_t own = 0;
        for (uint32_t y = 0; y >> d == 0; y++) {
          if (x == y || !hy_partners(&task, x, y)) continue;
          for (int j = 0; j < d; j++) across[j] += (x ^ y) >> j & 1u;
          hops += hy_popcount(x ^ y);
          farthest = hy_max(farthest, hy_popcount(x ^ y));
          own++;
        }
        most = hy_max(most, own);
      }
      for (int j = 0; j < d; j++) busiest = hy_max(busiest, across[j]);
      for (int i = 0; i < 3; i++) {
        const struct hy_bound bound = hy_collective_bound(&task, &networks[i]);
        const struct hy_ratio own = {most, i == 0 ? d : 1}, all = {i == 0 ? busiest : hops, 1 << d};
        bool circuits = i == 2, more = all.num * own.den > own.num * all.den;
        const struct hy_ratio links = more && !circuits ? all : own;
        assert_int_equal(bound.packets, hops);
        assert_int_equal(bound.farthest, farthest);
        assert_int_equal(bound.words.num * links.den, links.num * bound.words.den);
      }
    }
}

/* Stout and Wagar 1990, section 2: BROADCAST 4, reductions by it and ARBITRARY SEND take the bound
 * for packets of one size exactly, where these sizes divide the message. */
static void check_one_size(FILE *page) {
  const struct hy_collective_variant *rows[] = {&hy_broadcast_sw90_4, &hy_permute_arbitrary_2b};
  for (int d = 1; d <= DIMS; d++)
    for (int trial = 0; trial < 40; trial++) {
      const struct hy_collective_variant *row = rows[trial % 2];
      const int n = row == rows[1] ? d : 0;
      struct hy_collective collective = {.task = row->task, .dims = d, .tau = 1, .to = to};
      collective.beta = harness_draw(0, 300);
      collective.blocks.words = d * harness_draw(1, 400);
      for (int x = 0; x < 1 << d; x++) to[x] = -1;
      if (n > 0) to[0] = (1 << n) - 1;
      int64_t size = 0;
      const double bound = hy_bound_one_size(&collective, d, 1, (double)collective.beta, &size);
      harness_note("%s, d = %d, m = %lld, beta %lld, s = %lld", row->base.name, d,
                   (long long)collective.blocks.words, (long long)collective.beta, (long long)size);
      for (int64_t s = 1; s <= collective.blocks.words; s++) {
        const int64_t packets = hy_ceil_div(collective.blocks.words, d * s);
        assert_true(bound <= (double)((d + packets - 1) * (s + collective.beta)));
      }
      struct hy_paper_machine machine = machine_of(row, &collective);
      machine.tau = 1;
      machine.beta = collective.beta;
      const struct hy_verify_report report = verify(row, &collective, &machine);
      if (collective.blocks.words % (d * size) == 0) assert_true((double)report.makespan == bound);
    }
  fprintf(page,
          "| broadcast, sends to the corner, all ports, packets of one size s | "
          "stout-wagar-1990, section 2 (SW25) | (d + m/(d s) - 1)(tau s + beta), the least over "
          "s | 1-%d | sw90-4, arbitrary-2b: equal, starts too |\n",
          DIMS);
}

/* Stout and Wagar 1990, section 9: DISTRIBUTE 2 takes the least time there is, from a tau m / beta
 * on; below that its form may hold and the bound be lower. */
static void check_starts(FILE *page) {
  static const struct hy_ratio form[] = {{0, 1},  {0, 1},    {3, 1}, {24, 1}, {60, 29},
                                         {15, 8}, {280, 99}, {4, 1}, {16, 1}};
  static const struct hy_ratio proof[] = {{0, 1},  {2, 1},   {3, 2},     {12, 11}, {20, 1},
                                          {70, 9}, {56, 13}, {504, 191}, {72, 43}};
  char from[200] = "";
  struct hy_text text = {.text = from, .capacity = sizeof from};
  for (int d = 1; d <= 9; d++) {
    const struct hy_ratio *a = &form[d - 1], *b = &proof[d - 1];
    const struct hy_ratio *least = a->num * b->den > b->num * a->den ? a : b;
    hy_text_add(&text, least->den == 1 ? " %lld" : " %lld/%lld", (long long)least->num,
                (long long)least->den);
    for (int64_t times = 1; times <= 1000; times *= 10) {
      struct hy_collective collective = {.task = HY_TASK_SCATTER, .dims = d, .tau = 1};
      collective.blocks.words = hy_variant_form(&hy_scatter_sw90_2, &collective).divisor *
                                hy_max(1, least->num) * 10 * times;
      const int64_t m = collective.blocks.words;
      collective.beta = least->num == 0 ? m : m / least->num * least->den / times;
      const struct hy_form two = hy_variant_form(&hy_scatter_sw90_2, &collective);
      const int64_t words = two.words.num * m / two.words.den;
      int packets = 0;
      harness_note("d = %d, m = %lld, beta %lld", d, (long long)m, (long long)collective.beta);
      assert_true(hy_scatter_sw90_2.holds(&collective));
      double bound = hy_bound_scatter(d, (double)m, 1, (double)collective.beta, &packets);
      assert_true(bound == (double)(words + two.steps * collective.beta));
      assert_int_equal(packets, two.steps);
      /* A little less, where the bound decides: fewer packets might do. */
      if (least != b || least->num == 0 || times > 1) continue;
      bound = hy_bound_scatter(d, (double)m * 0.99, 1, (double)collective.beta, &packets);
      assert_true(bound < (double)words * 0.99 + (double)(two.steps * collective.beta));
    }
  }
  fprintf(page,
          "| scatter, gather, all ports, starts too | stout-wagar-1990, section 9 (SW26) | "
          "(2^d-1) tau m / d + k beta, the least over packets that are passed on in time | 1-9 | "
          "sw90-2: equal, starts too, for tau m / beta from%s on |\n",
          from);
}

/* Stout and Wagar 1990, section 9: among permutations without fixed points the one over a single
 * dimension goes the shortest ways, and wants tau m as the inversion does. */
static void check_reflections(FILE *page) {
  static const struct hy_paper_machine all_ports = {.tau = 1};
  for (int d = 1; d <= 11; d++)
    for (int dim = 0; dim < d; dim++) {
      struct hy_collective task = {
          .task = HY_TASK_PERMUTE, .dims = d, .blocks = {.words = 7}, .to = to};
      for (int32_t x = 0; x >> d == 0; x++) to[x] = x ^ 1 << dim;
      const struct hy_bound bound = hy_collective_bound(&task, &all_ports);
      assert_int_equal(bound.words.num, bound.words.den);
      const struct hy_form form = hy_variant_form(&hy_permute_inversion, &task);
      assert_int_equal(form.steps, 1);
      assert_int_equal(form.words.num, form.words.den);
    }
  fprintf(page, "| permute, all ports, reflection over one dimension | stout-wagar-1990, section 9 "
                "(SW27) | tau m + beta | 1-11 | inversion: equal, starts too |\n");
}

void bounds_check_all(FILE *page) {
  static const char *const machines[] = {"all ports", "one port", "one port, circuits"};
  fprintf(
      page,
      "\n## Lower bounds\n\n"
      "`hyla explain collective --bound` prints them.  A variant takes at least the bound, and a\n"
      "start for each link to the farthest node.  ports: d, or one; over a dimension: the most\n"
      "messages between nodes that differ in one; M active nodes, if not all are.  Verified for\n"
      "all variants, d = 0-%d, with beta = 0 and 1000 tau; the table names those that take no\n"
      "more words.  For permutations the bound is that of the variant's own permutation.\n\n"
      "| collective | reference | at least | d | words of the bound |\n|---|---|---|---|---|\n",
      DIMS);
  check_table();
  check_bands();
  for (int task = HY_TASK_BROADCAST; task <= HY_TASK_BAND_BROADCAST; task++)
    for (int machine = 0; machine < 3; machine++) {
      char names[600] = "";
      struct hy_text reached = {.text = names, .capacity = sizeof names};
      if (check_rows((enum hy_task)task, machine, &reached) == 0) continue;
      const struct hy_bound bound = some_bound((enum hy_task)task, machine);
      fprintf(page, "| %s, %s | %s (%s) | %s | 0-%d |%s |\n", hy_task_name((enum hy_task)task),
              machines[machine], bound.reference,
              strncmp(bound.reference, "varv", 4) == 0 ? "V17" : "B12", bound.formula, DIMS,
              *names ? names : " none");
    }
  check_one_size(page);
  check_starts(page);
  check_reflections(page);
}
