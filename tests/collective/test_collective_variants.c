/* Every variant of every collective on ranks: over subcubes, from any root, with any length; the
 * messages are as predicted. */
// ranks: 1 2 4 8
// sample: 1 4 8
#include "address/address.h"
#include "collective/variant.h"
#include "hyla_collective.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

static hyla_cube *cube;

static int set_up(void **state) {
  (void)state;
  return hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) != HYLA_OK;
}

static int tear_down(void **state) {
  (void)state;
  return hyla_cube_destroy(&cube) != HYLA_OK;
}

enum { WORDS = 8 * 40 };
static int32_t data[WORDS];
static uint8_t active[8];
static int32_t to[8];

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((int32_t *)into)[i] += ((const int32_t *)from)[i];
}

/* Word i of member x's contribution. */
static int32_t value(uint32_t x, int64_t i) { return (int32_t)(x * 10000) + (int32_t)i; }

static int64_t start_of(const struct hy_collective *c, uint32_t block) {
  return c->blocks.offsets != NULL ? c->blocks.offsets[block] : block * c->blocks.words;
}

/* Draws the targets of a permutation, as the row needs it. */
static void draw_to(const struct hy_collective_variant *row, int d) {
  int32_t last = (1 << d) - 1;
  const char *name = row->base.name;
  bool all = strcmp(name, "sw90") == 0, rotates = strncmp(name, "rotate", 6) == 0;
  bool inversion = strcmp(name, "inversion") == 0;
  int32_t turn = (int32_t)harness_draw(0, last);
  for (int32_t x = 0; x <= last; x++) {
    to[x] = inversion ? x ^ last : all ? (x + turn) & last : -1;
    if (rotates)
      to[x] = (int32_t)hy_rotation_target(d, (uint32_t)turn, (uint32_t)x);
    else if (row->sends != NULL)
      to[x] = (int32_t)row->sends(d, (uint32_t)x);
  }
  if (inversion || all || row->sends != NULL) return;
  bool corner = strncmp(name, "corner", 6) == 0, far = strcmp(name, "arbitrary-2b") == 0;
  int32_t away = corner ? last : (int32_t)harness_draw(0, last);
  if (far && 2 * hy_popcount((uint32_t)away) < d) away ^= last; /* half the dimensions or more */
  to[turn] = turn ^ away;
}

/* Do the nodes have a message for each other? */
static bool in_band(const struct hy_collective *c, uint32_t x, uint32_t y) {
  if (c->band == 0) return true;
  uint32_t last = (1u << c->dims) - 1, reach = 1u << (c->band - 1);
  uint32_t away =
      (hy_banded_column(c->dims, c->band - 1, x) - hy_banded_column(c->dims, c->band - 1, y)) &
      last;
  return away <= reach || ((~away + 1) & last) <= reach;
}

/* Word i of the block from node b & (2^d - 1) of matrix b >> d, if that node has one for x. */
static int32_t wanted_of_band(const struct hy_collective *c, uint32_t x, uint32_t b, int64_t i) {
  const uint32_t from = b & ((1u << c->dims) - 1), matrix = b >> c->dims;
  int column[2] = {0, 0};
  for (int side = 0; side < 2; side++)
    column[side] = hyla_bands_column(1 << c->dims, c->band > 0 ? c->band - 1 : 0, (int)matrix,
                                     (int)(side == 0 ? x : from));
  int away = (column[0] - column[1]) & ((1 << c->dims) - 1);
  if (c->dims > 0 && away > 1 << (c->band - 1) && (1 << c->dims) - away > 1 << (c->band - 1))
    return -1;
  if (c->task == HY_TASK_BAND_BROADCAST) return value(from, i);
  return value(from, start_of(c, (matrix << c->dims) + x) + i - start_of(c, b));
}

/* The expected word i of block b on member x; -1: any value. */
static int32_t wanted(const struct hy_collective *c, uint32_t x, uint32_t b, int64_t i) {
  int32_t sum = 0;
  for (uint32_t y = 0; y >> c->dims == 0; y++) sum += value(y, i);
  switch (c->task) {
  case HY_TASK_BROADCAST: return value(c->root, i);
  case HY_TASK_REDUCE: return x == c->root ? sum : -1;
  case HY_TASK_ALLREDUCE: return sum;
  case HY_TASK_SCATTER: return x == b ? value(c->root, i) : -1;
  case HY_TASK_GATHER: return x == c->root ? value(b, i) : -1;
  case HY_TASK_ALLGATHER: return value(b, i);
  case HY_TASK_PARTIAL: return active[b] ? value(b, i) : -1;
  case HY_TASK_REDUCE_SCATTER: return x == b ? sum : -1;
  case HY_TASK_EXCHANGE:
    if (!in_band(c, x, b)) return -1;
    return value(b, start_of(c, x) + i - start_of(c, b));
  case HY_TASK_PERMUTE:
    for (uint32_t y = 0; y >> c->dims == 0; y++)
      if (to[y] == (int32_t)x) return value(y, i);
    return -1;
  case HY_TASK_PARTIAL_EXCHANGE:
    return active[b] ? value(b, start_of(c, x) + i - start_of(c, b)) : -1;
  case HY_TASK_PARTIAL_GATHER:
    return active[x] ? value(b, start_of(c, x) + i - start_of(c, b)) : -1;
  case HY_TASK_WINDOW: return x >> c->window == 0 ? value(b, i) : -1;
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST: return wanted_of_band(c, x, b, i);
  }
  return -1;
}

static void run_and_check(const struct hy_collective_variant *row, uint32_t dims,
                          const struct hy_collective *c) {
  struct hy_subcube_op op;
  struct hy_collective what = *c;
  hyla_ledger ledger;
  uint32_t me = hy_extract((uint32_t)cube->address, dims);
  what.within = dims;
  what.size = sizeof *data;
  what.combining.combine = add;
  uint32_t blocks = hy_collective_count(c);
  for (int64_t i = 0; i < WORDS; i++) data[i] = value(me, i);
  assert_int_equal(hy_subcube_plan(NULL, cube, &what, row->base.name, &op), HYLA_OK);
  assert_int_equal(hy_subcube_allocate(&op), HYLA_OK);
  assert_ptr_equal(op.variant, row);
  hyla_cube_ledger_clear(cube);
  assert_int_equal(hy_subcube_run(&op, data), HYLA_OK);
  hyla_cube_ledger(cube, &ledger);
  for (uint32_t b = 0; b < blocks; b++)
    for (int64_t i = start_of(c, b); i < start_of(c, b + 1); i++)
      if (wanted(c, me, b, i) >= 0) assert_int_equal(data[i], wanted(c, me, b, i));
  for (int64_t i = start_of(c, blocks); i < WORDS; i++) assert_int_equal(data[i], value(me, i));
  hyla_cost cost = hy_subcube_cost_mine(&op);
  int64_t messages = ledger.far_messages;
  int64_t bytes = ledger.far_bytes;
  for (int dim = 0; dim < cube->dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  assert_int_equal(messages, cost.messages);
  assert_int_equal(bytes, cost.words * (int64_t)sizeof *data);
  hy_subcube_free(&op);
}

/* One trial.  Bands need two nodes. */
static void try_variant(const struct hy_collective_variant *row, enum hy_task task, int trial) {
  static int64_t offsets[9];
  uint32_t whole = (uint32_t)cube->nodes - 1;
  uint32_t dims = trial == 0 ? whole : (uint32_t)harness_draw(0, whole);
  int d = hy_popcount(dims);
  struct hy_collective c = {.task = task, .dims = d, .groups = 2, .active = active, .to = to};
  if (task >= HY_TASK_BAND_EXCHANGE) c.matrices = (int)harness_draw(1, 3);
  if (task == HY_TASK_WINDOW) c.window = (int)harness_draw(0, d);
  if (row->banded) c.band = (int)harness_draw(1, hy_max(1, d));
  draw_to(row, d);
  bool few = row == &hy_partial_exchange_matched; /* at most half */
  for (int x = 0; x < 8; x++) active[x] = harness_draw(0, 1) != 0 && (!few || x < 1 << d >> 1);
  if (row == &hy_partial_exchange_corners) { /* a corner, and perhaps the opposite one */
    const int corner = (int)harness_draw(0, (1 << d) - 1), opposite = (1 << d) - 1 - corner;
    for (int x = 0; x < 8; x++) active[x] = x == corner || (x == opposite && active[x]);
  }
  c.blocks.words = trial == 0 ? 12 : harness_draw(0, 13);
  c.root = (uint32_t)harness_draw(0, (1 << d) - 1);
  if (task >= HY_TASK_ALLGATHER) c.root = 0;
  if (task == HY_TASK_PERMUTE && hy_variant_refuses(row, &c) != NULL)
    c.blocks.words = strcmp(row->base.name, "transpose") == 0 ? 12 : 3 << d;
  harness_note("%s %s, dims %x, m = %lld", hy_task_name(task), row->base.name, dims,
               (long long)c.blocks.words);
  const char *reason = hy_variant_refuses(row, &c);
  if (reason != NULL && !(row->banded && d == 0)) fail_msg("refused: %s", reason);
  if (reason != NULL) return;
  for (int x = 0; x < 1 << d; x++) offsets[x + 1] = offsets[x] + harness_draw(0, 9);
  if (trial == 3 && row->task != HY_TASK_BROADCAST && task < HY_TASK_EXCHANGE)
    c.blocks.offsets = offsets;
  harness_note("%s %s, dims %x, root %u, m = %lld", hy_task_name(task), row->base.name, dims,
               c.root, (long long)c.blocks.words);
  run_and_check(row, dims, &c);
}

/* Every variant runs in every trial. */
static void every_variant_gives_the_result(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++)
    for (enum hy_task task = 0; task <= HY_TASK_BAND_BROADCAST; task++) {
      if (hy_task_forward(task) != row->task) continue;
      for (int trial = 0; trial < 4; trial++) try_variant(row, task, trial);
    }
}

static void the_choice_is_explained(void **state) {
  (void)state;
  struct hy_subcube_op op;
  struct hy_collective c = {.task = HY_TASK_EXCHANGE,
                            .dims = cube->dims,
                            .within = (uint32_t)cube->nodes - 1,
                            .blocks = {.words = 5},
                            .size = 8};
  char text[4000];
  struct hy_text out = {.text = text, .capacity = sizeof text};
  assert_int_equal(hy_subcube_plan(NULL, cube, &c, NULL, &op), HYLA_OK);
  hy_choice_explain(&out, &op.choice, &cube->session.machine);
  assert_non_null(strstr(text, "exchange: variant"));
  assert_non_null(strstr(text, "not v92"));
  hy_subcube_free(&op);
  assert_int_equal(hy_subcube_plan(NULL, cube, &c, "no-such", &op), HYLA_ARGUMENT);
  hy_subcube_free(&op);
  c.dims++;
  assert_int_equal(hy_subcube_plan(NULL, cube, &c, NULL, &op), HYLA_ARGUMENT);
  hy_subcube_free(&op);
}

/* On a large cube inversion looks like exchanges of pairs at first, but is none. */
static void inversions_are_no_transpositions(void **state) {
  (void)state;
  static const char *const names[] = {"recursive", "transpose", "torus", "torus-paths", "mesh"};
  enum { DIMS = 14 };
  int32_t *all = malloc(sizeof *all << DIMS);
  assert_non_null(all);
  for (int d = 12; d <= DIMS; d++) {
    for (int x = 0; x < 1 << d; x++) all[x] = ~x & ((1 << d) - 1);
    const struct hy_collective collective = {
        .task = HY_TASK_PERMUTE, .dims = d, .blocks = {.words = 1}, .tau = 1, .beta = 1, .to = all};
    for (int i = 0; i < 5; i++)
      assert_non_null(hy_variant_refuses(hy_variant_find(HY_TASK_PERMUTE, names[i]), &collective));
  }
  free(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_variant_gives_the_result, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_choice_is_explained, set_up, tear_down),
      cmocka_unit_test(inversions_are_no_transpositions),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
