/* The simulator's links: one message at a time in each direction, over any distance. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "cube/cube.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages_share_links)};
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
