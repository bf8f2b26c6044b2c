/* Cases for the variants of the collectives: the targets of sends, the active nodes, and the
 * meaning of a closed form for a verdict. */
#ifndef CASES_H
#define CASES_H 1

#include "collective/variant.h"
#include "tests/formulas/paper.h"

#include <string.h>

/* The active nodes of a partial all-gather, drawn anew for each case. */
static uint8_t active[1 << 11];

static inline void draw_active(int d) {
  int64_t odds = harness_draw(1, 8);
  for (int x = 0; x < 1 << d; x++) active[x] = harness_draw(1, 8) <= odds;
  active[harness_draw(0, (1 << d) - 1)] = 1;
}

/* Lost links, for rows that go round them: fewer than d of the sender's own links.  Each of these
 * lies on one of the d paths to its target. */
static struct hy_lost_link lost[HYLA_DIMS_MAX];

static inline void draw_lost(const struct hy_collective_variant *variant, struct hy_collective *c) {
  if (!variant->detours || c->dims == 0) return;
  int64_t most = harness_draw(0, c->dims - 1);
  uint32_t sender = 0;
  while (c->to[sender] < 0) sender++;
  c->lost = lost;
  for (int dim = 0; dim < c->dims && c->lost_count < most; dim++)
    if (harness_draw(0, 1) == 0) lost[c->lost_count++] = (struct hy_lost_link){sender, 1u << dim};
}

/* The target of each node's message, drawn as the row needs it. */
static int32_t to[1 << 11];

static inline void draw_to(const struct hy_collective_variant *variant, int d) {
  int32_t nodes = 1 << d;
  bool inversion = strcmp(variant->base.name, "inversion") == 0;
  bool all = strcmp(variant->base.name, "sw90") == 0;
  bool rotates = strncmp(variant->base.name, "rotate", 6) == 0;
  uint32_t places = (uint32_t)harness_draw(0, nodes - 1);
  int32_t differ = harness_draw(0, 1) ? nodes - 1 : (int32_t)harness_draw(0, nodes - 1);
  for (int32_t x = 0; x < nodes; x++) to[x] = inversion ? x ^ differ : all ? x : -1;
  for (int32_t x = 0; variant->sends != NULL && x < nodes; x++)
    to[x] = (int32_t)(rotates ? hy_rotation_target(d, places, (uint32_t)x)
                              : variant->sends(d, (uint32_t)x));
  for (int32_t x = nodes - 1; all && x > 0; x--) {
    int32_t other = (int32_t)harness_draw(0, x);
    int32_t swap = to[x];
    to[x] = to[other];
    to[other] = swap;
  }
  if (inversion || all || variant->sends != NULL) return;
  int32_t source = (int32_t)harness_draw(0, nodes - 1);
  int32_t away = (int32_t)harness_draw(d > 0, nodes - 1);
  int32_t six = d < 8 ? nodes - 1 : 0x6f << (d - 8); /* dimensions; more would make too many
                                                      * parts */
  away = (away & six) != 0 ? away & six : six;
  if (strncmp(variant->base.name, "corner", 6) == 0) away = nodes - 1;
  to[source] = source ^ away;
  const struct hy_collective one = {.task = HY_TASK_PERMUTE, .dims = d, .to = to};
  if (hy_variant_refuses(variant, &one) != NULL)
    to[source] = source ^ (nodes - 1); /* not so near */
  away = to[source] ^ source;
  const struct hy_collective mutual = {.task = HY_TASK_PERMUTE, .dims = d, .to = to};
  if (harness_draw(0, 1) == 0) return;
  to[source ^ away] = source; /* two nodes send to each other, if the row allows it */
  if (hy_variant_refuses(variant, &mutual) != NULL) to[source ^ away] = -1;
}

/* Draws at most half of the nodes if a row serves no more. */
static inline void draw_few(int d) {
  int64_t most = hy_max(1, INT64_C(1) << d >> 1), count = 0;
  for (int x = 0; x < 1 << d; x++) {
    if (active[x] && count == most) active[x] = 0;
    count += active[x];
  }
}

/* Draws one of two opposite corners, or both. */
static inline void draw_corners(int d) {
  const int64_t corner = harness_draw(0, (1 << d) - 1), which = harness_draw(1, 3);
  memset(active, 0, (size_t)1 << d);
  active[corner] = (which & 1) != 0;
  active[((1 << d) - 1) ^ corner] |= (which & 2) != 0;
}

static inline void draw(const struct hy_collective_variant *variant, int d) {
  draw_active(d);
  if (variant == &hy_partial_exchange_matched) draw_few(d);
  if (variant == &hy_partial_exchange_corners) draw_corners(d);
  if (variant->task == HY_TASK_PERMUTE) draw_to(variant, d);
}

/* Draws the band of an exchange within a band. */
static inline int draw_band(const struct hy_collective_variant *variant, int d) {
  return variant->banded ? (int)harness_draw(1, hy_max(1, d)) : 0;
}

/* Draws the dimensions of a window. */
static inline int draw_window(const struct hy_collective_variant *variant, int d) {
  return variant->task == HY_TASK_WINDOW ? (int)harness_draw(0, d) : 0;
}

/* Draws the number of matrices, for rows that serve several. */
static inline int draw_matrices(const struct hy_collective_variant *variant) {
  return variant->task >= HY_TASK_BAND_EXCHANGE ? (int)harness_draw(1, 3) : 0;
}

/* The tasks that a row serves: its own and the reverse. */
static inline int tasks_of(const struct hy_collective_variant *variant, enum hy_task tasks[2]) {
  tasks[0] = variant->task;
  for (enum hy_task task = 0; task <= HY_TASK_BAND_BROADCAST; task++)
    if (task != variant->task && hy_task_forward(task) == variant->task) {
      tasks[1] = task;
      return 2;
    }
  return 1;
}

static inline struct hy_verify_report verify(const struct hy_collective_variant *variant,
                                             const struct hy_collective *collective,
                                             const struct hy_paper_machine *machine) {
  struct hy_base base = {0};
  struct hy_recipe recipe;
  assert_int_equal(hy_recipe_make(&recipe, &base, variant, collective), HYLA_OK);
  struct hy_verify_report report = paper_sound(hy_recipe_top(&recipe), collective, machine);
  hy_recipe_free(&recipe);
  assert_int_equal(base.bytes_now, 0);
  return report;
}

/* A row's schedule on a torus, and the same folded on the array with the same sides, in exactly
 * twice the steps. */
enum { FOLD_NODES = 256 };
struct fold_reports {
  struct hy_verify_report torus, array;
};
static inline struct fold_reports verify_folded(const struct hy_collective_variant *row,
                                                const struct hy_collective *on_torus,
                                                const struct hy_network *array) {
  static uint8_t active_there[FOLD_NODES];
  static int32_t to_there[FOLD_NODES];
  struct hy_base base = {0};
  struct hy_recipe recipe;
  struct hy_collective on_array = *on_torus;
  assert_in_range(array->nodes, 1, FOLD_NODES);
  assert_int_equal(hy_recipe_make(&recipe, &base, row, on_torus), HYLA_OK);
  const struct hy_generator folded = hy_fold(hy_recipe_top(&recipe), array);
  for (uint32_t x = 0; x < array->nodes; x++) {
    const uint32_t there = hy_fold_node(array, x, false);
    assert_int_equal(hy_fold_node(array, there, true), x);
    active_there[there] = on_torus->active[x];
    to_there[there] =
        on_torus->to[x] < 0 ? -1 : (int32_t)hy_fold_node(array, (uint32_t)on_torus->to[x], false);
  }
  on_array.network = array;
  on_array.root = hy_fold_node(array, on_torus->root, false);
  on_array.active = active_there;
  on_array.to = to_there;
  const struct fold_reports reports = {paper_sound(hy_recipe_top(&recipe), on_torus, &row->machine),
                                       paper_sound(&folded, &on_array, &row->machine)};
  assert_int_equal(reports.array.planned, 2 * reports.torus.planned);
  hy_recipe_free(&recipe);
  assert_int_equal(base.bytes_now, 0);
  return reports;
}

/* Partial all-gathers may by luck be faster than their form; others never are. */
static inline void assert_form(const struct hy_collective_variant *variant,
                               const struct hy_paper_machine *machine,
                               const struct hy_verify_report *report, const struct hy_form *form,
                               int64_t m) {
  enum hy_task task = variant->task;
  int64_t time = form->steps * machine->beta * form->words.den + form->words.num * m * machine->tau;
  if (variant->asynchronous) {
    assert_int_equal(report->makespan * form->words.den, time);
    return;
  }
  assert_true(report->makespan * form->words.den <= time);
  if (hy_task_chooses(task) && variant != &hy_partial_exchange_corners) {
    assert_int_equal(report->planned, form->steps);
    assert_true(report->words * form->words.den <= form->words.num * m);
    return;
  }
  assert_int_equal(report->steps, form->steps);
  assert_int_equal(report->words * form->words.den, form->words.num * m);
  if (form->packets > 0) assert_int_equal(report->packets, form->packets);
}

/* The recipe's schedule.  Its blocks are followed in as few words as the recipe cuts them into,
 * because the longest ones would not fit into memory word by word. */
enum { CUT_BLOCKS = 1 << 11 };
struct cuts {
  int64_t offsets[CUT_BLOCKS + 1];
  int64_t weights[CUT_BLOCKS];
};

static inline int64_t common_divisor(int64_t a, int64_t b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

static inline void find_cuts(const struct hy_generator *generator, int64_t m, struct cuts *cuts) {
  struct hy_base base = {0};
  int64_t parts = 1, unit[CUT_BLOCKS] = {0};
  for (uint32_t node = 0; node >> generator->dims == 0; node++) {
    struct hy_schedule schedule;
    assert_int_equal(hy_generate(generator, node, &base, &schedule), HYLA_OK);
    parts = schedule.parts;
    for (int64_t i = 0; i < schedule.piece_count; i++) {
      const struct hy_piece *piece = &schedule.pieces[i];
      assert_int_equal(piece->run, 1);
      unit[piece->block] =
          common_divisor(common_divisor(unit[piece->block], piece->from), piece->to);
    }
    hy_schedule_free(&schedule);
  }
  assert_int_equal(m % parts, 0);
  cuts->offsets[0] = 0;
  for (uint32_t block = 0; block >> generator->dims == 0; block++) {
    int64_t words = unit[block] == 0 ? 1 : parts / common_divisor(parts, unit[block]);
    cuts->offsets[block + 1] = cuts->offsets[block] + words;
    cuts->weights[block] = m / words;
  }
}

static inline struct hy_verify_report verify_cuts(const struct hy_collective_variant *variant,
                                                  const struct hy_collective *collective,
                                                  const struct hy_paper_machine *machine) {
  static struct cuts cuts;
  struct hy_base base = {0};
  struct hy_recipe recipe;
  struct hy_collective coarse = *collective;
  struct hy_paper_machine heavy = *machine;
  assert_true(collective->dims <= 11);
  assert_int_equal(hy_recipe_make(&recipe, &base, variant, collective), HYLA_OK);
  find_cuts(hy_recipe_top(&recipe), collective->blocks.words, &cuts);
  coarse.blocks = (struct hy_blocks){.offsets = cuts.offsets};
  heavy.weights = cuts.weights;
  heavy.dry = false;
  struct hy_verify_report report = paper_sound(hy_recipe_top(&recipe), &coarse, &heavy);
  hy_recipe_free(&recipe);
  return report;
}

/* Above this many words in the cube only links and lengths are followed.  If packets leave as soon
 * as they can, their words must be followed too. */
enum { WORDS_MAX = 3000000, FREE_WORDS_MAX = 16000000 };

static inline struct hy_paper_machine machine_of(const struct hy_collective_variant *variant,
                                                 const struct hy_collective *collective) {
  struct hy_paper_machine machine = variant->machine;
  int64_t words = (int64_t)hy_collective_count(collective) * collective->blocks.words
                  << collective->dims;
  machine.dry = words > (variant->asynchronous ? FREE_WORDS_MAX : WORDS_MAX);
  machine.tau = 1000;
  machine.beta = 1000;
  return machine;
}

#endif
