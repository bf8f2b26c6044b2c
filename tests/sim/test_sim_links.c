/* The simulator's links: one message at a time in each direction, over any distance, on a cube and
 * on networks that are none; collectives of all nodes of these. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "cube/cube.h"

#include <string.h>

/* Node 1 sends to node 3 `arg' times, node 0 once, past node 1. */
static hyla_status meet_on_a_link(hyla_cube *cube, void *arg) {
  const int *times = arg;
  enum { MOST = 4 };
  double in[MOST + 1], out = cube->address;
  struct hy_message messages[MOST + 1];
  int count = 0, sends = cube->address == 0 ? 1 : *times;
  for (; cube->address < 2 && count < sends; count++)
    messages[count] =
        (struct hy_message){.verb = HY_SEND, .peer = 3, .bytes = sizeof out, .data = &out};
  for (; cube->address == 3 && count <= *times; count++)
    messages[count] = (struct hy_message){
        .verb = HY_RECV, .peer = count < *times, .bytes = sizeof out, .data = &in[count]};
  return hy_link_step(cube, messages, count);
}

/* A link carries one message at a time, including those from distant nodes: stored on their way,
 * they wait there or arrive a step later; over a circuit they wait for all their links together. */
static void messages_share_links(void **state) {
  (void)state;
  for (int switching = HYLA_STORE; switching <= HYLA_CIRCUIT; switching++)
    for (int times = 0; times <= 4; times++) {
      hyla_simulation model = {
          .dims = 2, .alpha = 92, .beta = 1, .switching = (hyla_switching)switching};
      hyla_report report;
      assert_int_equal(hyla_simulate(&model, meet_on_a_link, &times, &report), HYLA_OK);
      int stored = times == 0 ? 2 : times + 1;
      assert_true(report.time == 100.0 * (switching == HYLA_STORE ? stored : times + 1));
      assert_int_equal(report.far_messages, 1);
    }
}

/* The same on a line: node 1 sends to node 2, a guest of the cube, and node 0 past node 1. */
static hyla_status meet_on_a_line(hyla_cube *cube, void *arg) {
  const int *times = arg;
  enum { MOST = 4 };
  double in[MOST + 1], out = cube->base.rank;
  struct hy_message messages[MOST + 1];
  int count = 0, sends = cube->base.rank == 0 ? 1 : *times;
  for (; cube->base.rank < 2 && count < sends; count++)
    messages[count] = (struct hy_message){
        .verb = HY_SEND, .peer = 2, .port = 1, .bytes = sizeof out, .data = &out};
  for (; cube->base.rank == 2 && count <= *times; count++)
    messages[count] = (struct hy_message){.verb = HY_RECV,
                                          .peer = count < *times,
                                          .port = 2,
                                          .bytes = sizeof out,
                                          .data = &in[count]};
  return hy_link_step(cube, messages, count);
}

static void messages_share_links_of_networks(void **state) {
  (void)state;
  for (int switching = HYLA_STORE; switching <= HYLA_CIRCUIT; switching++)
    for (int times = 0; times <= 4; times++) {
      hyla_simulation model = {
          .alpha = 92, .beta = 1, .switching = (hyla_switching)switching, .network = "line:3"};
      hyla_report report;
      assert_int_equal(hyla_simulate(&model, meet_on_a_line, &times, &report), HYLA_OK);
      int stored = times == 0 ? 2 : times + 1;
      assert_true(report.time == 100.0 * (switching == HYLA_STORE ? stored : times + 1));
      assert_int_equal(report.nodes, 3);
      assert_int_equal(report.messages[0], times + 1);
    }
}

struct asked {
  hyla_collective what;
  hyla_collective_result result;
};

static hyla_status run_collective(hyla_cube *cube, void *arg) {
  struct asked *asked = arg;
  return hyla_collective_run(cube, &asked->what, &asked->result);
}

/* The least steps of an all-gather of a word, and of others; every word is checked on every node.
 */
static void collectives_take_all_nodes_of_a_network(void **state) {
  static const struct {
    const char *network, *name;
    int64_t words;
    double time; /* -1: no closed form */
  } cases[] = {{"line:7", "allgather", 1, 6},      {"ring:7", "allgather", 1, 3},
               {"array:7x7", "allgather", 1, 24},  {"torus:6x6", "allgather", 1, 9},
               {"torus:3x3x3", "allgather", 1, 5}, {"folded:6", "allgather", 7, 63},
               {"folded:6", "exchange", 1, 22},    {"torus:5x3", "broadcast", 1, 3},
               {"torus:5x3", "gather", 1, 4},      {"torus:6x6", "reduce-scatter", 1, 9},
               {"array:3x4", "permute", 2, -1},    {"array:3x3", "partial-exchange", 3, -1}};
  hyla_report report;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct asked asked = {.what = {.name = cases[i].name, .words = cases[i].words, .beta = 1}};
    const hyla_machine machine = {.name = "words", .beta = 1.0 / 8, .network = HYLA_NETWORK_CUBE};
    const hyla_simulation model = {.machine = &machine, .network = cases[i].network};
    harness_note("%s on %s", cases[i].name, cases[i].network);
    assert_int_equal(hyla_simulate(&model, run_collective, &asked, &report), HYLA_OK);
    if (cases[i].time >= 0) assert_true(asked.result.seconds == cases[i].time);
    assert_true(asked.result.seconds == asked.result.seconds_predicted);
    assert_int_equal(asked.result.counted.messages, asked.result.predicted.messages);
    assert_int_equal(asked.result.counted.words, asked.result.predicted.words);
  }
}

/* The machine may name the network; a network that is none is refused. */
static void machines_have_networks(void **state) {
  struct asked asked = {.what = {.name = "allgather", .words = 1, .beta = 1}};
  hyla_machine machine = {
      .name = "torus", .beta = 1.0 / 8, .network = HYLA_NETWORK_OTHER, .links = "torus:4x4x2"};
  const hyla_simulation model = {.machine = &machine};
  hyla_report report;
  (void)state;
  assert_int_equal(hyla_simulate(&model, run_collective, &asked, &report), HYLA_OK);
  assert_int_equal(report.nodes, 32);
  assert_true(asked.result.seconds == 7); /* 31 words over 5 links of a node */
  strcpy(machine.links, "torus:4x0");
  assert_int_equal(hyla_simulate(&model, run_collective, &asked, &report), HYLA_ARGUMENT);
  assert_non_null(strstr(report.message, "torus:4x0 cannot be simulated"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_share_links),
      cmocka_unit_test(messages_share_links_of_networks),
      cmocka_unit_test(collectives_take_all_nodes_of_a_network),
      cmocka_unit_test(machines_have_networks),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
