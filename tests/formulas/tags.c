/* Varvarigos 1992: any isotropic task in its critical sum (V1), exchanges between distances K to L
 * (V3), packing of any active nodes (V9). */
#include "tags.h"

#include "collective/variant.h"
#include "formula.h"
#include "hyla_collective.h"
#include "hyla_lab.h"
#include "tests/collective/cases.h"

#include <math.h>

/* Asserts that every tag, equal ones included, has each of its dimensions once and never two in a
 * step, and that no step has a dimension twice. */
static void check_colouring(const uint32_t *tags, int64_t count, const struct hy_hops *hops) {
  uint32_t done[60] = {0};
  int64_t ones = 0;
  for (int64_t i = 0; i < count; i++) ones += hy_popcount(tags[i]);
  assert_int_equal(hops->count, ones);
  for (int64_t i = 0; i < hops->count; i++) {
    const struct hy_hop *hop = &hops->hops[i];
    bool new_step = i == 0 || hops->hops[i - 1].step < hop->step;
    assert_true(new_step ||
                (hops->hops[i - 1].step == hop->step && hops->hops[i - 1].across < hop->across));
    int64_t j = 0;
    while (j < count && (tags[j] != hop->tag || (done[j] & hop->across) != 0)) j++;
    assert_true(j < count && (tags[j] & hop->across) != 0);
    done[j] |= hop->across;
  }
}

/* The largest number of tags with a given bit, or of bits in one tag. */
static int64_t critical_sum(int d, const uint32_t *tags, int64_t count) {
  int64_t most = 0;
  for (int dim = 0; dim < d; dim++) {
    int64_t column = 0;
    for (int64_t i = 0; i < count; i++) column += tags[i] >> dim & 1u;
    most = hy_max(most, column);
  }
  for (int64_t i = 0; i < count; i++) most = hy_max(most, hy_popcount(tags[i]));
  return most;
}

static void check_any_tags(void) {
  for (int trial = 0; trial < 300; trial++) {
    struct hy_base base = {0};
    struct hy_hops *hops = NULL;
    uint32_t tags[60];
    int d = (int)harness_draw(1, 9);
    int64_t count = harness_draw(0, 60);
    for (int64_t i = 0; i < count; i++) tags[i] = (uint32_t)harness_draw(0, (1 << d) - 1);
    harness_note("trial %d: d = %d, %lld tags", trial, d, (long long)count);
    assert_int_equal(hy_hops_colour(&base, d, tags, count, &hops), HYLA_OK);
    assert_int_equal(hops->found.steps, critical_sum(d, tags, count));
    check_colouring(tags, count, hops);
    hy_free(&base, &hops);
    assert_int_equal(base.bytes_now, 0);
  }
}

/* The time by the printed text, in lengths of one step. */
static int64_t steps_of(const char *text, struct formula_names *names, int d) {
  formula_set(names, "d", d);
  formula_set(names, "m", 1);
  formula_set(names, "tau", 1);
  formula_set(names, "beta", 0);
  return formula_whole(text, names);
}

/* The exchange of any tags through the call: its schedules, for whole cubes. */
static void check_any_exchange(FILE *page) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "v92");
  for (int trial = 0; trial < 300; trial++) {
    uint32_t list[1 << 7];
    uint8_t tags[1 << 7] = {0};
    int d = (int)harness_draw(0, 7), odds = (int)harness_draw(1, 8);
    int64_t count = 0;
    for (uint32_t tag = 0; tag >> d == 0; tag++) {
      tags[tag] = harness_draw(1, 8) <= odds;
      if (tags[tag]) list[count++] = tag;
    }
    harness_note("trial %d: d = %d, %lld tags", trial, d, (long long)count);
    struct hy_collective collective = {
        .task = HY_TASK_EXCHANGE, .dims = d, .blocks = {.words = 1 + trial % 3}, .tags = tags};
    struct hy_paper_machine machine = {.tau = 1, .beta = 1};
    struct hy_verify_report report = verify(row, &collective, &machine);
    struct hy_form form = hy_variant_form(row, &collective);
    struct formula_names names = {.tags = list, .tag_count = (int)count};
    assert_int_equal(report.steps, critical_sum(d, list, count));
    assert_int_equal(report.steps, steps_of(row->formula_tags, &names, d));
    assert_form(row, &machine, &report, &form, collective.blocks.words);
  }
  fprintf(page,
          "| any isotropic task | exchange v92 | varvarigos-1992, chapter 2, theorem 5 (V1) | %s | "
          "1-9 | equal: the most tags with one bit or bits in a tag; for 300 collections of tags, "
          "repeated ones too, and 300 exchanges of whole cubes to d = 7 |\n",
          row->formula_tags);
}

static void check_distances(const struct hy_collective_variant *row, int d, int k, int l) {
  struct formula_names names = {.count = 0};
  formula_set(&names, "K", k);
  formula_set(&names, "L", l);
  struct hy_collective collective = {.task = HY_TASK_EXCHANGE,
                                     .dims = d,
                                     .blocks = {.words = d < 7 ? 1 + (k + l) % 3 : 1},
                                     .nearest = k,
                                     .farthest = l};
  harness_note("d = %d, distances %d to %d", d, k, l);
  struct hy_paper_machine machine = {.tau = 1, .beta = 1};
  struct hy_verify_report report = verify(row, &collective, &machine);
  assert_int_equal(report.steps, steps_of(row->formula_near, &names, d));
  assert_int_equal(report.words, report.steps * collective.blocks.words);
}

static void check_neighbourhoods(FILE *page) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "v92");
  for (int d = 1; d <= 8; d++) {
    struct harness_walk pairs = harness_walk(d * d, d < 8 ? d * d : d * d / 4);
    for (int64_t i; harness_next(&pairs, &i);) {
      const int k = 1 + (int)i / d, l = 1 + (int)i % d;
      if (k <= l) check_distances(row, d, k, l);
    }
  }
  fprintf(page,
          "| neighbours at distances K to L | exchange v92 | varvarigos-1992, section 2.4 (V3) "
          "| %s | 1-8 | equal, for all K and L |\n",
          row->formula_near);
}

static void check_packing_of(const struct hy_collective_variant *row, int d) {
  struct hy_collective collective = {
      .task = HY_TASK_PARTIAL, .dims = d, .blocks = {.words = 1}, .active = active};
  struct hy_paper_machine machine = {.tau = 1, .beta = 1};
  const struct hy_form form = hy_variant_form(row, &collective);
  collective.blocks.words = form.divisor;
  struct hy_verify_report report = verify(row, &collective, &machine);
  assert_form(row, &machine, &report, &form, form.divisor);
}

/* Algorithm I packs all packets at once, in class 0; II and III in d classes. */
static const char *const PARTIAL[] = {"v92-1", "v92-2", "v92-3"};
enum { PARTIALS = 3, PACKED_SETS = 4, ALL_SETS = 3, DRAWN_SETS = 8 };
enum { SETS_AT_ONCE = 1024, TRIALS = 20 };

/* Checks the first `count' of them. */
static void check_partials(int d, int count) {
  for (int i = 0; i < count; i++) check_packing_of(hy_variant_find(HY_TASK_PARTIAL, PARTIAL[i]), d);
}

static void check_packing(FILE *page) {
  for (int d = 1; d <= PACKED_SETS; d++) {
    struct harness_walk sets = harness_walk((INT64_C(1) << (1 << d)) - 1, SETS_AT_ONCE);
    for (int64_t i; harness_next(&sets, &i);) {
      for (int x = 0; x < 1 << d; x++) active[x] = (i + 1) >> x & 1;
      harness_note("d = %d, active %llx", d, (long long)i + 1);
      check_partials(d, d <= ALL_SETS ? PARTIALS : 1);
    }
  }
  for (int d = ALL_SETS + 1; d <= DRAWN_SETS; d++) {
    struct harness_walk trials = harness_walk(TRIALS, d < DRAWN_SETS - 1 ? TRIALS : TRIALS / 5);
    for (int64_t i; harness_next(&trials, &i);) {
      draw_active(d);
      harness_note("d = %d, trial %lld", d, (long long)i);
      check_partials(d, PARTIALS);
    }
  }
  fprintf(
      page,
      "| packing of M active nodes on the first M | partial v92-1 | varvarigos-1992, "
      "section 3.3 (V9) | d steps, dimension l in step l | 1-%d | no two packets on a link: "
      "all sets to d = %d, drawn ones beyond |\n"
      "| partial broadcasts of any nodes | partial v92-1, v92-2, v92-3 | varvarigos-1992, section "
      "3.6 (V10, V11, V12) | the forms above | 1-%d | equal, counting steps in which nothing needs "
      "to move: all sets to d = %d, drawn ones beyond |\n",
      DRAWN_SETS, PACKED_SETS, DRAWN_SETS, ALL_SETS);
}

/* ----------------------------------------------------------------- ranks -- */

struct ranking {
  uint32_t apart; /* of the subcubes */
  double seconds;
};

static hyla_status rank_all(hyla_cube *cube, void *arg) {
  struct ranking *r = arg;
  const uint32_t me = (uint32_t)cube->address;
  int before, all, wanted_before = 0, wanted_all = 0;
  for (uint32_t x = 0; x < (uint32_t)cube->nodes; x++) {
    if ((x & r->apart) != (me & r->apart)) continue;
    wanted_before += active[x] && x < me;
    wanted_all += active[x];
  }
  double begin = hyla_cube_clock(cube);
  TRY(hyla_active_ranks(cube, r->apart, active[me], &before, &all));
  r->seconds = fmax(r->seconds, hyla_cube_clock(cube) - begin);
  CHECK(&cube->base, before == wanted_before && all == wanted_all, ARGUMENT,
        "%d of %d active before %u; there are %d of %d", before, all, me, wanted_before,
        wanted_all);
  return HYLA_OK;
}

/* The ranking takes d steps of one number on subcubes of d dimensions, and nothing else. */
static void check_ranks(FILE *page) {
  enum { DIMS = 8 };
  for (int d = 0; d <= DIMS; d++)
    for (int trial = 0; trial < 6; trial++) {
      struct ranking r = {.apart = trial == 0 ? 0 : (uint32_t)harness_draw(0, (1 << d) - 1)};
      const hyla_simulation links = {.dims = d, .alpha = 1, .beta = 0.125};
      hyla_report report;
      for (int x = 0; x >> d == 0; x++) active[x] = harness_draw(0, 5) < trial;
      harness_note("d = %d, apart %x, trial %d", d, r.apart, trial);
      if (hyla_simulate(&links, rank_all, &r, &report) != HYLA_OK) fail_msg("%s", report.message);
      assert_true(r.seconds == 2 * (d - hy_popcount(r.apart)));
    }
  fprintf(
      page,
      "| ranks among the active nodes | hyla_active_ranks | varvarigos-1992, section 3.6.1 (V9) "
      "| d (tau + beta), a number being a word | 0-%d | equal, on subcubes too; the paper allows "
      "2d |\n",
      DIMS);
}

void tags_check_all(FILE *page) {
  check_any_tags();
  check_any_exchange(page);
  check_neighbourhoods(page);
  check_packing(page);
  check_ranks(page);
}
