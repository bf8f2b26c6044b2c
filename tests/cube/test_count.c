/* Counting cubes: a program's messages, memory and operations on a node are counted as in a run of
 * all nodes, on any of them, without touching its cube. */
#include "collective/collective.h"
#include "hyla_lab.h"
#include "plan/plan.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 5, WORDS_MAX = 40 };

/* The program of all nodes, drawn beforehand. */
struct program {
  int dims;
  uint32_t mask; /* of the broadcast and of the reduction */
  int root;
  int64_t words;
  hyla_cost ran[1 << DIMS_MAX];     /* by node, in the run */
  hyla_cost counted[1 << DIMS_MAX]; /* by node, as node 0 counts */
};

static void add(void *into, const void *from, int64_t count, const void *arg) {
  hyla_cube *cube = (hyla_cube *)(uintptr_t)arg;
  double *to = into;
  for (int64_t i = 0; i < count && !hy_cube_dry(cube); i++) to[i] += ((const double *)from)[i];
  hy_compute(cube, count, sizeof *to, false);
  hy_count_copied(cube, count);
}

static hyla_status play(hyla_cube *cube, const struct program *p, double *data, double *work) {
  int64_t bytes = p->words * (int64_t)sizeof *data;
  int peer = cube->nodes - 1 - cube->address;
  TRY(hy_broadcast(cube, p->mask, p->root, data, bytes));
  TRY(hy_reduce(cube, p->mask, p->root, data, p->words, sizeof *data, add, cube, work));
  TRY(hy_exchange(cube, peer, data, bytes, work, bytes));
  TRY(hy_link_poll(cube));
  hy_count_touched(cube, p->words);
  hy_count_read(cube, 2 * p->words);
  return HYLA_OK;
}

static hyla_status take_and_play(hyla_cube *cube, const struct program *p) {
  double *data = NULL, *work = NULL;
  hyla_status status = hy_alloc_data(&cube->base, p->words, sizeof *data, &data);
  if (status == HYLA_OK) status = hy_alloc_data(&cube->base, p->words, sizeof *work, &work);
  if (status == HYLA_OK) status = play(cube, p, data, work);
  hy_free(&cube->base, &data);
  hy_free(&cube->base, &work);
  return status;
}

static void sum_up(const hyla_ledger *ledger, hyla_cost *cost) {
  *cost = (hyla_cost){.steps = ledger->steps, .messages = ledger->far_messages};
  int64_t bytes = ledger->far_bytes;
  for (int dim = 0; dim < ledger->dims; dim++) {
    cost->messages += ledger->messages[dim];
    bytes += ledger->bytes[dim];
  }
  cost->words = bytes / (int64_t)sizeof(double);
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct program *p = arg;
  for (int node = 0; node < cube->nodes && cube->address == 0; node++) {
    const int64_t before = cube->base.bytes_now;
    hyla_cube counting;
    hy_count_begin(cube, node, &counting);
    hyla_status status = take_and_play(&counting, p);
    p->counted[node] = hy_count_end(cube, &counting, sizeof(double));
    TRY(status);
    CHECK(&cube->base, cube->base.bytes_now == before && cube->network.ledger.steps == 0, FORMAT,
          "counting left something behind");
  }
  TRY(take_and_play(cube, p));
  sum_up(&cube->network.ledger, &p->ran[cube->address]);
  return HYLA_OK;
}

static void a_run_is_counted_for_every_node(void **state) {
  (void)state;
  for (int trial = 0; trial < 60; trial++) {
    struct program p = {.dims = trial % (DIMS_MAX + 1), .words = harness_draw(0, WORDS_MAX)};
    int nodes = 1 << p.dims;
    p.mask = (uint32_t)harness_draw(0, nodes - 1);
    p.root = (int)harness_draw(0, nodes - 1);
    hyla_simulation model = {.dims = p.dims, .alpha = 1, .dry = trial % 2 == 1};
    hyla_report report;
    harness_note("d = %d, mask %u, root %d, %lld words", p.dims, (unsigned)p.mask, p.root,
                 (long long)p.words);
    if (hyla_simulate(&model, body, &p, &report) != HYLA_OK) fail_msg("%s", report.message);
    for (int node = 0; node < nodes; node++) {
      const hyla_cost *cost = &p.counted[node];
      assert_int_equal(cost->steps, p.ran[node].steps);
      assert_int_equal(cost->messages, p.ran[node].messages);
      assert_int_equal(cost->words, p.ran[node].words);
      assert_int_equal(cost->memory, 2 * p.words * (int64_t)sizeof(double));
      assert_int_equal(cost->touched, p.words);
      assert_int_equal(cost->read, 2 * p.words);
      assert_int_equal(cost->flops, cost->copied);
      assert_int_equal(cost->lent, 0);
    }
  }
}

static hyla_cube plain_cube(void) {
  return (hyla_cube){.dims = 2, .nodes = 4, .ranks.all = 4, .network.ledger = {.dims = 2}};
}

static void loans_are_counted_where_blocks_can_be_read(void **state) {
  (void)state;
  for (int readable = 0; readable < 2; readable++) {
    hyla_cube cube = plain_cube(), counting;
    hy_count_begin(&cube, 1, &counting);
    struct hy_message pair[] = {{.verb = HY_LEND, .peer = 3, .bytes = 24},
                                {.verb = HY_BORROW, .peer = 3, .bytes = 16}};
    for (int i = 0; i < 2; i++) pair[i].window = readable ? hy_window_counted() : NULL;
    assert_int_equal(hy_link_start(&counting, pair, 2), HYLA_OK);
    assert_int_equal(hy_link_wait(&counting, pair + 1, 1), HYLA_OK);
    assert_int_equal(hy_link_return(&counting, pair + 1, 1), HYLA_OK);
    assert_int_equal(hy_link_wait(&counting, pair, 1), HYLA_OK);
    hyla_cost cost = hy_count_end(&cube, &counting, 8);
    const hyla_cost want = {.steps = 1, .messages = 1, .words = 3, .lent = readable ? 3 : 0};
    assert_memory_equal(&cost, &want, sizeof want);
  }
}

/* Memory that does not hold entries belongs to the cube, and so does its failure. */
static void books_go_on(void **state) {
  (void)state;
  hyla_cube cube = plain_cube(), counting;
  cube.base.fail_at = 2;
  hy_count_begin(&cube, 3, &counting);
  assert_int_equal(counting.base.rank, 3);
  void *data = NULL, *kept = NULL, *none = NULL;
  assert_int_equal(hy_alloc_data(&counting.base, 1000, 8, &data), HYLA_OK);
  assert_int_equal(hy_alloc(&counting.base, 3, 8, &kept), HYLA_OK);
  assert_int_equal(hy_alloc(&counting.base, 1, 8, &none), HYLA_MEMORY);
  hy_free(&counting.base, &data);
  hyla_cost cost = hy_count_end(&cube, &counting, 8);
  assert_int_equal(cost.memory, 8000);
  assert_int_equal(cube.base.rank, 0);
  assert_int_equal(cube.base.allocations, 2);
  assert_int_equal(cube.base.bytes_now, 24);
  assert_int_equal(cube.base.status, HYLA_MEMORY);
  assert_non_null(strstr(cube.base.message, "allocation 2"));
  assert_null(cube.base.no_data);
  hy_free(&cube.base, &kept);
  assert_int_equal(cube.base.bytes_now, 0);
}

/* ---------------------------------------------------------------- busiest -- */

/* Count c of candidate x on a node. */
static int64_t count_of(int node, int x, int c) {
  return (int64_t)(node ^ (x % 4)) * 100 + 10 * x + c;
}

static hyla_cost cost_on(int node, int x) {
  int64_t c[11];
  for (int i = 0; i < 11; i++) c[i] = count_of(node, x, i);
  return (hyla_cost){.steps = c[0],
                     .messages = c[1],
                     .words = c[2],
                     .flops = c[3],
                     .memory = c[4],
                     .lent = c[5],
                     .copied = c[6],
                     .touched = c[7],
                     .streamed = c[8],
                     .scattered = c[9],
                     .read = c[10]};
}

enum { CANDIDATES = 37 };

/* Candidates that do not apply or are not priced are left unchanged. */
static bool is_left(int x) { return x % 5 == 1 || x % 7 == 2; }

static hyla_status find_busiest(hyla_cube *cube, void *arg) {
  struct hy_candidate *list = calloc(CANDIDATES, sizeof *list);
  (void)arg;
  if (list == NULL) return HYLA_MEMORY;
  for (int x = 0; x < CANDIDATES; x++)
    list[x] = (struct hy_candidate){.name = "x",
                                    .reason = x % 5 == 1 ? "it is odd" : NULL,
                                    .unpriced = x % 7 == 2,
                                    .rehearsed = x % 11 == 3,
                                    .cost = cost_on(cube->address, x),
                                    .seconds = -x};
  hyla_status status = hy_plan_busiest(cube, hy_kernels_of(HYLA_DOUBLE), list, CANDIDATES);
  bool right = status == HYLA_OK;
  for (int x = 0; x < CANDIDATES && right; x++) {
    /* The largest value of node ^ c is nodes-1, and the mean is half of that. */
    hyla_cost most = cost_on((cube->nodes - 1) ^ (x % 4), x), mean;
    int64_t half = (int64_t)(cube->nodes - 1) * 50;
    hyla_cost mine = cost_on(cube->address, x), least = cost_on(x % 4, x);
    int64_t m[11];
    memcpy(m, &least, sizeof m);
    for (int i = 0; i < 11; i++) m[i] += half;
    memcpy(&mean, m, sizeof mean);
    double seconds =
        hy_machine_seconds_shared(&cube->session.machine, &most, &mean, sizeof(double), false);
    if (is_left(x))
      right = memcmp(&list[x].cost, &mine, sizeof mine) == 0 && list[x].seconds == -x;
    else
      right = memcmp(&list[x].cost, &most, sizeof most) == 0 &&
              memcmp(&list[x].mine, &mine, sizeof mine) == 0 &&
              list[x].seconds == (list[x].rehearsed ? -x : seconds);
    if (!right)
      status = hy_fail(&cube->base, HYLA_FORMAT, "candidate %d: %g s, not %g", x, list[x].seconds,
                       seconds);
  }
  free(list);
  return hy_agree(cube, status);
}

/* On cubes of all sizes, with more candidates than fit in one pass, some of them without a
 * price. */
static void the_busiest_node_is_found(void **state) {
  (void)state;
  for (int dims = 2; dims <= 4; dims++) {
    const hyla_simulation model = {.dims = dims, .alpha = 3, .beta = .5, .gamma = .25};
    hyla_report report;
    hyla_status status = hyla_simulate(&model, find_busiest, NULL, &report);
    if (status != HYLA_OK) fail_msg("%d dimensions: %s", dims, report.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_counted_for_every_node),
      cmocka_unit_test(loans_are_counted_where_blocks_can_be_read),
      cmocka_unit_test(books_go_on),
      cmocka_unit_test(the_busiest_node_is_found),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
