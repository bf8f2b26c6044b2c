/* Nicol and Bokhari 1994: the number of times that each message of a multiphase exchange is
 * sent. */
#include "transmissions.h"

#include "collective/variant.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <string.h>

/* An exchange that is played: the message in each block of each node, and the number of times that
 * each was sent, by source and target. */
enum { PHASED_DIMS = 7, PHASED_NODES = 1 << PHASED_DIMS };
static uint16_t message[2][PHASED_NODES][PHASED_NODES];
static uint8_t sent[PHASED_NODES][PHASED_NODES];
static struct hy_schedule schedules[PHASED_NODES];

static const struct hy_packet *packet_of(const struct hy_schedule *schedule, int step,
                                         enum hy_action action) {
  const struct hy_packet *found = NULL;
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    if (packet->step != step || packet->action != action) continue;
    assert_null(found);
    found = packet;
  }
  assert_non_null(found);
  return found;
}

/* The blocks that a node receives in a step replace those that it sends. */
static void receive(int d, uint32_t node, int step) {
  const struct hy_packet *in = packet_of(&schedules[node], step, HY_IN);
  const uint32_t peer = node ^ in->across;
  const struct hy_packet *out = packet_of(&schedules[peer], step, HY_OUT);
  assert_true(in->across != 0 && in->across == out->across && in->count == out->count);
  for (int64_t i = 0; i < in->count; i++) {
    const struct hy_piece *from = &schedules[peer].pieces[out->first + i];
    const struct hy_piece *into = &schedules[node].pieces[in->first + i];
    assert_int_equal(from->run, into->run);
    for (uint32_t x = 0; x < from->run; x++) {
      const uint16_t it = message[0][peer][from->block + x];
      message[1][node][into->block + x] = it;
      sent[it >> d][it & ((1 << d) - 1)]++;
    }
  }
}

static void play(int d, const struct hy_generator *generator, struct hy_base *base) {
  const uint32_t nodes = 1u << d;
  memset(sent, 0, sizeof sent);
  for (uint32_t x = 0; x < nodes; x++) {
    hy_schedule_init(&schedules[x], base);
    assert_int_equal(hy_generate(generator, x, base, &schedules[x]), HYLA_OK);
    for (uint32_t y = 0; y < nodes; y++) message[0][x][y] = (uint16_t)(x << d | y);
  }
  memcpy(message[1], message[0], sizeof message[0]);
  for (int step = 0; step < schedules[0].steps; step++) {
    for (uint32_t x = 0; x < nodes; x++) receive(d, x, step);
    memcpy(message[0], message[1], sizeof message[0]);
  }
  for (uint32_t x = 0; x < nodes; x++) {
    for (uint32_t y = 0; y < nodes; y++) assert_int_equal(message[0][x][y], y << d | x);
    hy_schedule_free(&schedules[x]);
  }
}

/* The number of times a message of this tag must be sent: once in each phase in whose dimensions
 * its ends differ. */
static int wanted_of(int d, const uint8_t *phases, int count, uint32_t tag) {
  int wanted = 0;
  for (int i = 0, stop = d; i < count; i++) {
    stop -= phases[i];
    wanted += (tag >> stop & ((1u << phases[i]) - 1)) != 0;
  }
  return wanted;
}

/* The results of hyla_collective_transmissions for these phases. */
struct transmissions {
  hyla_collective collective;
  int64_t messages[HYLA_DIMS_MAX + 1];
};

static hyla_status ask_transmissions(hyla_cube *cube, void *arg) {
  struct transmissions *t = arg;
  if (hyla_cube_address(cube) != 0) return HYLA_OK;
  return hyla_collective_transmissions(cube, &t->collective, t->messages);
}

static void check_told(int d, const uint8_t *phases, int count) {
  struct transmissions t = {
      .collective = {.name = "exchange", .variant = "multiphase", .words = 1, .phases = count}};
  const hyla_simulation cube = {.dims = d};
  hyla_report report;
  for (int i = 0; i < count; i++) t.collective.phase[i] = phases[i];
  assert_int_equal(hyla_simulate(&cube, ask_transmissions, &t, &report), HYLA_OK);
  for (uint32_t tag = 1; tag >> d == 0; tag++) t.messages[wanted_of(d, phases, count, tag)]--;
  for (int k = 0; k <= HYLA_DIMS_MAX; k++) assert_int_equal(t.messages[k], 0);
}

static void check_phases(int d, const uint8_t *phases, int count) {
  struct hy_base base = {0};
  struct hy_recipe recipe;
  struct hy_collective task = {.task = HY_TASK_EXCHANGE,
                               .dims = d,
                               .blocks = {.words = 1},
                               .phases = phases,
                               .phase_count = count};
  assert_int_equal(hy_recipe_make(&recipe, &base, &hy_exchange_multiphase, &task), HYLA_OK);
  play(d, hy_recipe_top(&recipe), &base);
  for (uint32_t i = 0; i >> d == 0; i++)
    for (uint32_t j = 0; j >> d == 0; j++) {
      assert_int_equal(sent[i][j], wanted_of(d, phases, count, i ^ j));
      assert_true(sent[i][j] <= count);
      if (count == d) assert_int_equal(sent[i][j], hy_popcount(i ^ j));
    }
  check_told(d, phases, count);
  hy_recipe_free(&recipe);
}

void transmissions_check_all(FILE *page) {
  for (int d = 1; d <= PHASED_DIMS; d++)
    for (uint32_t cuts = 0; cuts >> (d - 1) == 0; cuts++) {
      uint8_t phases[PHASED_DIMS] = {1};
      int count = 1;
      for (int bit = 0; bit < d - 1; bit++) {
        if (cuts >> bit & 1u) phases[count++] = 0;
        phases[count - 1]++;
      }
      harness_note("d = %d, cuts %x", d, cuts);
      check_phases(d, phases, count);
    }
  fprintf(page,
          "| a message's transmissions (N10) | nicol-bokhari-1994, section 1 | ones(i xor j) by "
          "the standard exchange, at most k in k phases: one for each in which i and j differ | "
          "all compositions of d = 1-%d, each message counted where the schedules of all nodes are "
          "played | equal |\n",
          PHASED_DIMS);
}
