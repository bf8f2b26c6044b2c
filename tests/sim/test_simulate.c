/* The simulator: times, counts, deadlocks and planted faults. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "collective/variant.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024 };

/* A broadcast of WORDS doubles from node 0 that every node checks. */
static hyla_status broadcast(hyla_cube *cube, void *arg) {
  (void)arg;
  double *data = NULL;
  TRY(hy_agree(cube, hy_alloc(&cube->base, WORDS, sizeof *data, &data)));
  for (int i = 0; i < WORDS && cube->address == 0; i++) data[i] = i + 1;
  hyla_status status =
      hy_broadcast(cube, (uint32_t)cube->nodes - 1, 0, data, WORDS * (int64_t)sizeof *data);
  for (int i = 0; i < WORDS && status == HYLA_OK; i++)
    if (data[i] != i + 1) status = hy_fail(&cube->base, HYLA_ARGUMENT, "word %d is wrong", i);
  hy_free(&cube->base, &data);
  return status;
}

/* d steps, one after the other; node x sends over the dimensions above its highest bit. */
static void a_broadcast_takes_its_time(void **state) {
  (void)state;
  for (int dims = 0; dims <= 8; dims++)
    for (int ports = HYLA_ALL_PORTS; ports <= HYLA_ONE_PORT; ports++) {
      hyla_simulation model = {.dims = dims, .ports = (hyla_ports)ports, .alpha = 100, .beta = 2};
      hyla_report report;
      assert_int_equal(hyla_simulate(&model, broadcast, NULL, &report), HYLA_OK);
      assert_string_equal(report.message, "");
      assert_true(report.time == dims * (100 + 2.0 * WORDS * 8));
      int64_t messages = 0;
      for (int dim = 0; dim < dims; dim++) {
        messages += report.messages[dim];
        assert_int_equal(report.bytes[dim], report.messages[dim] * WORDS * 8);
        assert_int_equal(report.most_messages[dim], 1);
      }
      assert_int_equal(messages, (1 << dims) - 1);
      assert_int_equal(report.far_messages, 0);
    }
}

/* An all-gather of one word a node, after a broadcast; every node checks every word. */
static hyla_status broadcast_and_gather(hyla_cube *cube, void *arg) {
  TRY(broadcast(cube, arg));
  uint64_t *data = NULL;
  int64_t *offsets = arg;
  TRY(hy_agree(cube, hy_alloc(&cube->base, cube->nodes, sizeof *data, &data)));
  data[cube->address] = (uint64_t)cube->address * 3 + 1;
  const struct hy_subcube_op group =
      hy_subcube_plain(cube, (uint32_t)cube->nodes - 1, HY_TASK_ALLGATHER, 1, NULL);
  hyla_status status = hy_subcube_allgather(&group, data, offsets);
  for (int x = 0; x < cube->nodes && status == HYLA_OK; x++)
    if (data[x] != (uint64_t)x * 3 + 1)
      status = hy_fail(&cube->base, HYLA_ARGUMENT, "word %d is wrong", x);
  hy_free(&cube->base, &data);
  return status;
}

static void a_cube_of_4096_nodes(void **state) {
  (void)state;
  enum { DIMS = 12, NODES = 1 << DIMS };
  static int64_t offsets[NODES + 1];
  for (int x = 0; x <= NODES; x++) offsets[x] = 8 * x;
  hyla_simulation model = {.dims = DIMS, .alpha = 100, .beta = 1};
  hyla_report report;
  assert_int_equal(hyla_simulate(&model, broadcast_and_gather, offsets, &report), HYLA_OK);
  assert_true(report.time == DIMS * (100 + WORDS * 8.0) + DIMS * 100 + (NODES - 1) * 8.0);
}

/* Every node of an array gives WORDS doubles to the next one.  nodes: how many there should be. */
static hyla_status pass_on(hyla_cube *cube, void *nodes) {
  static double data[WORDS];
  double in[WORDS];
  const int rank = cube->base.rank, all = cube->nodes;
  CHECK(&cube->base, all == *(int *)nodes, ARGUMENT, "there are %d nodes", all);
  CHECK(&cube->base, hy_has_node(cube, cube->address) == (rank < all), ARGUMENT, "no node");
  struct hy_message messages[] = {
      {.verb = HY_SEND, .peer = hy_address_of(cube, (rank + 1) % all), .data = data},
      {.verb = HY_RECV, .peer = hy_address_of(cube, (rank + all - 1) % all), .data = in}};
  messages[0].bytes = messages[1].bytes = sizeof in;
  return rank < all ? hy_link_step(cube, messages, 2) : HYLA_OK;
}

static void arrays_of_any_sides(void **state) {
  (void)state;
  static const struct {
    const char *array, *network;
    int nodes, ranks, dims;
  } cases[] = {{"2x3", NULL, 6, 6, 3},      {"1x5", NULL, 5, 5, 3},    {"3x3", "", 9, 9, 4},
               {"4x6", NULL, 24, 24, 5},    {"2x4", NULL, 8, 8, 3},    {"2x3", "switch:7", 6, 7, 3},
               {NULL, "switch:6", 4, 6, 2}, {"3x2", "ring:6", 6, 6, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int nodes = cases[i].nodes;
    const bool ring = cases[i].network != NULL && cases[i].network[0] == 'r';
    hyla_machine machine = *hyla_machine_preset(0);
    machine.network = ring ? HYLA_NETWORK_CUBE : HYLA_NETWORK_SWITCH;
    machine.alpha = 100;
    machine.beta = 2;
    machine.delta = 0;
    hyla_simulation model = {
        .array = cases[i].array, .network = cases[i].network, .machine = &machine};
    hyla_report report;
    assert_int_equal(hyla_simulate(&model, pass_on, &nodes, &report), HYLA_OK);
    assert_int_equal(report.nodes, cases[i].ranks);
    assert_int_equal(report.dims, cases[i].dims);
    assert_true(report.time == 100 + 2.0 * WORDS * 8);
    int64_t messages = report.far_messages;
    for (int dim = 0; dim < report.dims; dim++) messages += report.messages[dim];
    assert_int_equal(messages, nodes);
  }
}

static void bad_arrays(void **state) {
  (void)state;
  static const struct {
    const char *array, *network, *message;
  } cases[] = {
      {"2x", NULL, "the network 2x cannot be simulated: give rows x columns of nodes, as in 2x3"},
      {"2x3x1", NULL,
       "the network 2x3x1 cannot be simulated: give rows x columns of nodes, as in 2x3"},
      {NULL, "switch:0", "the network switch:0 cannot be simulated: it has from 1 to 2^20 nodes"},
      {NULL, "switch:6x", "the network switch:6x cannot be simulated: it has from 1 to 2^20 nodes"},
      {"2x3", "switch:5",
       "the option array is \"2x3\", 6 nodes; of 5 ranks give an array more than 2 and at most 5"}};
  int nodes = 6;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_simulation model = {.array = cases[i].array, .network = cases[i].network};
    hyla_report report;
    assert_int_equal(hyla_simulate(&model, pass_on, &nodes, &report), HYLA_ARGUMENT);
    assert_string_equal(report.message, cases[i].message);
  }
}

/* Every node exchanges over all its dimensions at once. */
static hyla_status all_dimensions(hyla_cube *cube, void *arg) {
  (void)arg;
  double in[HYLA_DIMS_MAX] = {0}, out = cube->address;
  struct hy_message messages[2 * HYLA_DIMS_MAX] = {0};
  for (int dim = 0; dim < cube->dims; dim++) {
    int peer = cube->address ^ 1 << dim;
    messages[2 * dim] =
        (struct hy_message){.verb = HY_RECV, .peer = peer, .bytes = sizeof out, .data = &in[dim]};
    messages[2 * dim + 1] =
        (struct hy_message){.verb = HY_SEND, .peer = peer, .bytes = sizeof out, .data = &out};
  }
  TRY(hy_link_step(cube, messages, 2 * cube->dims));
  for (int dim = 0; dim < cube->dims; dim++)
    CHECK(&cube->base, in[dim] == (cube->address ^ 1 << dim), ARGUMENT, "wrong word");
  return HYLA_OK;
}

/* One step with all ports; with one port, one step a dimension. */
static void ports_make_the_difference(void **state) {
  (void)state;
  for (int dims = 1; dims <= 7; dims++) {
    hyla_simulation model = {.dims = dims, .ports = HYLA_ALL_PORTS, .alpha = 5, .beta = 1};
    hyla_report report;
    assert_int_equal(hyla_simulate(&model, all_dimensions, NULL, &report), HYLA_OK);
    assert_true(report.time == 13);
    assert_int_equal(report.steps, 1);
    model.ports = HYLA_ONE_PORT;
    assert_int_equal(hyla_simulate(&model, all_dimensions, NULL, &report), HYLA_OK);
    assert_true(report.time == 13 * dims);
  }
}

/* Node 0 sends, and computes while its message is under way; node 1 computes with the received
 * data.  arg: the number of operations of each. */
static hyla_status send_and_compute(hyla_cube *cube, void *arg) {
  const int64_t *flops = arg;
  double word = 0;
  struct hy_message message = {.verb = cube->address == 0 ? HY_SEND : HY_RECV,
                               .peer = cube->address ^ 1,
                               .bytes = sizeof word,
                               .data = &word};
  TRY(hy_link_start(cube, &message, 1));
  if (cube->address == 0) hy_compute(cube, *flops, sizeof(double), false);
  TRY(hy_link_wait(cube, &message, 1));
  if (cube->address == 1) hy_compute(cube, *flops, sizeof(double), false);
  return HYLA_OK;
}

static void computing_takes_time(void **state) {
  (void)state;
  hyla_simulation model = {.dims = 1, .alpha = 100, .beta = 1, .gamma = 0.5};
  hyla_report report;
  for (int64_t flops = 0; flops <= 1000; flops += 100) {
    assert_int_equal(hyla_simulate(&model, send_and_compute, &flops, &report), HYLA_OK);
    assert_true(report.time == 108 + 0.5 * (double)flops);
  }
}

/* A multiplication: type, variant. */
struct product {
  hyla_type type;
  const char *variant;
};

enum { ORDER = 32 };

static hyla_status multiply(hyla_cube *cube, void *arg) {
  const struct product *product = arg;
  hyla_matrix *matrix[3] = {NULL};
  hyla_plan *plan = NULL;
  hyla_layout layout;
  TRY(hyla_layout_parse(cube, "gray/consecutive", &layout));
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && status == HYLA_OK; i++)
    status = hyla_matrix_create(cube, product->type, ORDER, ORDER, &layout, &matrix[i]);
  if (status == HYLA_OK)
    status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, matrix[0], matrix[1], 0, matrix[2],
                            product->variant, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&matrix[i]);
  return status;
}

/* If messages take no time, a multiplication takes the time of its operations. */
static void a_multiplication_takes_its_operations(void **state) {
  (void)state;
  static const double times[] = {0.5, 1, 2, 4}; /* for an operation of s, d, c, z */
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++)
    for (int dims = 0; dims <= 4; dims += 2) {
      struct product product = {(hyla_type)type, "cannon"};
      hyla_simulation model = {.dims = dims, .gamma = 1};
      hyla_report report;
      assert_int_equal(hyla_simulate(&model, multiply, &product, &report), HYLA_OK);
      assert_true(report.time == 2.0 * ORDER * ORDER * ORDER / (1 << dims) * times[type]);
    }
}

/* A factorization and a solution on one node; arg: their costs. */
struct system {
  hyla_type type;
  int64_t m, n, nrhs;
  hyla_cost cost;
};

static hyla_status solve(hyla_cube *cube, void *arg) {
  struct system *system = arg;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  TRY(hyla_factor_create_rectangular(cube, HYLA_LU, system->type, system->m, system->n,
                                     system->nrhs, NULL, NULL, &factor));
  const hyla_layout *layout = hyla_factor_layout(factor);
  hyla_status status = hyla_matrix_create(cube, system->type, system->m, system->n, layout, &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, system->type, system->m, system->nrhs, layout, &b);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, a);
  if (status == HYLA_OK && system->nrhs > 0)
    status = hyla_factor_solve(cube, factor, HYLA_NONE, b, b);
  system->cost = hyla_plan_cost(hyla_factor_plan(factor));
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_factor_destroy(&factor);
  return status;
}

static void a_solution_takes_its_operations(void **state) {
  (void)state;
  static const double times[] = {0.5, 1, 2, 4};
  static const int64_t shapes[][3] = {
      {97, 97, 0}, {97, 97, 65}, {97, 97, 130}, {30, 97, 0}, {211, 97, 0}};
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++)
    for (int i = 0; i < 5; i++) {
      struct system system = {(hyla_type)type, shapes[i][0], shapes[i][1], shapes[i][2], {0}};
      hyla_simulation model = {.gamma = 1};
      hyla_report report;
      assert_int_equal(hyla_simulate(&model, solve, &system, &report), HYLA_OK);
      assert_true(report.time == (double)system.cost.flops * times[type]);
    }
}

/* Odd nodes wait for a message that no node sends. */
static hyla_status deadlock(hyla_cube *cube, void *arg) {
  (void)arg;
  char byte = 0;
  struct hy_message message = {
      .verb = HY_RECV, .peer = cube->address ^ 1, .bytes = 1, .data = &byte};
  return cube->address % 2 == 1 ? hy_link_step(cube, &message, 1) : HYLA_OK;
}

static hyla_status everyone_waits(hyla_cube *cube, void *arg) {
  (void)arg;
  char byte = 0;
  struct hy_message message = {
      .verb = HY_RECV, .peer = cube->address ^ 1, .bytes = 1, .data = &byte};
  return hy_link_step(cube, &message, 1);
}

static void dead_locks_end_at_once(void **state) {
  (void)state;
  hyla_simulation model = {.dims = 2, .alpha = 1};
  hyla_report report;
  assert_int_equal(hyla_simulate(&model, deadlock, NULL, &report), HYLA_COMMUNICATION);
  assert_non_null(
      strstr(report.message, "node 1 waits for node 0 over dimension 0, which has end"));
  assert_non_null(strstr(report.message, "node 3 waits for node 2"));
  assert_int_equal(hyla_simulate(&model, everyone_waits, NULL, &report), HYLA_COMMUNICATION);
  assert_non_null(strstr(report.message, "node 0 waits for node 1 over dimension 0"));
}

/* Two all-reduces, so that a lost message is followed by another. */
static void add_one(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((int64_t *)into)[i] += ((const int64_t *)from)[i];
}

static hyla_status sums(hyla_cube *cube, void *arg) {
  int64_t *ended = arg, work = 0;
  for (int round = 0; round < 2; round++) {
    int64_t sum = 1;
    TRY(hy_allreduce(cube, (uint32_t)cube->nodes - 1, &sum, 1, sizeof sum, add_one, NULL, &work));
    CHECK(&cube->base, sum == cube->nodes, ARGUMENT, "a wrong sum was accepted");
    TRY(hy_agree(cube, HYLA_OK));
  }
  ++*ended;
  return HYLA_OK;
}

/* Whichever message is hit, the report names the fault, and no node ends with a wrong sum; without
 * a fault all end. */
static void planted_faults_are_reported(void **state) {
  (void)state;
  static const char *const words[] = {"", "", "delayed", "corrupted"};
  for (int fault = HYLA_FAULT_NONE; fault <= HYLA_FAULT_CORRUPTED; fault++)
    for (int64_t at = 1; at <= 2 * 2 * 4; at++) {
      int64_t ended = 0;
      hyla_simulation model = {.dims = 2,
                               .alpha = 1,
                               .limit = 50,
                               .fault = (hyla_fault)fault,
                               .fault_at = at,
                               .fault_delay = 100};
      hyla_report report;
      hyla_status status = hyla_simulate(&model, sums, &ended, &report);
      harness_note("fault %d at %lld: %s", fault, (long long)at, report.message);
      if (fault == HYLA_FAULT_NONE) {
        assert_int_equal(status, HYLA_OK);
        assert_int_equal(ended, 4);
        continue;
      }
      assert_true(ended < 4);
      assert_int_equal(status, fault == HYLA_FAULT_DELAYED ? HYLA_TIMEOUT : HYLA_COMMUNICATION);
      if (fault != HYLA_FAULT_LOST) assert_non_null(strstr(report.message, words[fault]));
      if (fault == HYLA_FAULT_LOST)
        assert_true(strstr(report.message, "lost") != NULL ||
                    strstr(report.message, "dead lock") != NULL);
    }
}

/* The same program runs the same way: times and counts are equal. */
static void runs_repeat(void **state) {
  (void)state;
  hyla_simulation model = {.dims = 5, .ports = HYLA_ONE_PORT, .alpha = 3, .beta = 0.25};
  hyla_report first, second;
  assert_int_equal(hyla_simulate(&model, broadcast, NULL, &first), HYLA_OK);
  assert_int_equal(hyla_simulate(&model, broadcast, NULL, &second), HYLA_OK);
  assert_true(first.time == second.time);
  assert_memory_equal(first.messages, second.messages, sizeof first.messages);
}

static hyla_status fail_on_one(hyla_cube *cube, void *arg) {
  const int *node = arg;
  CHECK(&cube->base, cube->address != *node, SINGULAR, "node %d says no", cube->address);
  return hy_agree(cube, HYLA_OK);
}

static void a_failing_node_does_not_hang_the_others(void **state) {
  (void)state;
  for (int node = 0; node < 8; node++) {
    hyla_simulation model = {.dims = 3};
    hyla_report report;
    hyla_status status = hyla_simulate(&model, fail_on_one, &node, &report);
    assert_true(status == HYLA_SINGULAR || status == HYLA_COMMUNICATION);
    assert_string_not_equal(report.message, "");
  }
}

/* Agreements bring all nodes to the clock of the latest, and give all nodes the same result. */
static hyla_status meet_late(hyla_cube *cube, void *arg) {
  double *clock = arg;
  int64_t most[] = {cube->address, -cube->address};
  hy_compute(cube, cube->address, sizeof(double), false);
  TRY(hy_cube_max(cube, most, 2));
  CHECK(&cube->base, most[0] == cube->nodes - 1 && most[1] == 0, ARGUMENT, "no largest");
  CHECK(&cube->base, hyla_cube_clock(cube) == cube->nodes - 1, ARGUMENT, "too early");
  TRY(hy_agree(cube, HYLA_OK));
  *clock = hyla_cube_clock(cube);
  return HYLA_OK;
}

static void nodes_meet_at_the_latest_clock(void **state) {
  (void)state;
  for (int dims = 0; dims <= 6; dims++) {
    hyla_simulation model = {.dims = dims, .alpha = 100, .gamma = 1};
    hyla_report report;
    double clock = -1;
    assert_int_equal(hyla_simulate(&model, meet_late, &clock, &report), HYLA_OK);
    assert_true(clock == (1 << dims) - 1 && report.time == clock);
    assert_int_equal(report.steps, 0);
  }
}

/* One node calls another agreement than the others. */
static hyla_status meet_otherwise(hyla_cube *cube, void *arg) {
  const int *node = arg;
  int64_t value = 1;
  return cube->address == *node ? hy_cube_max(cube, &value, 1) : hy_agree(cube, HYLA_OK);
}

static void meetings_of_different_things_end(void **state) {
  (void)state;
  for (int node = 0; node < 4; node++) {
    hyla_simulation model = {.dims = 2};
    hyla_report report;
    assert_int_equal(hyla_simulate(&model, meet_otherwise, &node, &report), HYLA_COMMUNICATION);
    assert_non_null(strstr(report.message, "they do different things"));
  }
}

static void bad_arguments(void **state) {
  (void)state;
  hyla_simulation model = {.dims = 21};
  hyla_report report;
  assert_int_equal(hyla_simulate(NULL, broadcast, NULL, &report), HYLA_ARGUMENT);
  assert_int_equal(hyla_simulate(&model, NULL, NULL, &report), HYLA_ARGUMENT);
  assert_int_equal(hyla_simulate(&model, broadcast, NULL, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_simulate(&model, broadcast, NULL, &report), HYLA_ARGUMENT);
  model = (hyla_simulation){.dims = 1, .alpha = -1};
  assert_int_equal(hyla_simulate(&model, broadcast, NULL, &report), HYLA_ARGUMENT);
  model = (hyla_simulation){.dims = 1, .gamma = -1};
  assert_int_equal(hyla_simulate(&model, broadcast, NULL, &report), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_broadcast_takes_its_time),
      cmocka_unit_test(a_cube_of_4096_nodes),
      cmocka_unit_test(arrays_of_any_sides),
      cmocka_unit_test(bad_arrays),
      cmocka_unit_test(ports_make_the_difference),
      cmocka_unit_test(computing_takes_time),
      cmocka_unit_test(a_multiplication_takes_its_operations),
      cmocka_unit_test(a_solution_takes_its_operations),
      cmocka_unit_test(dead_locks_end_at_once),
      cmocka_unit_test(planted_faults_are_reported),
      cmocka_unit_test(runs_repeat),
      cmocka_unit_test(a_failing_node_does_not_hang_the_others),
      cmocka_unit_test(nodes_meet_at_the_latest_clock),
      cmocka_unit_test(meetings_of_different_things_end),
      cmocka_unit_test(bad_arguments),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
