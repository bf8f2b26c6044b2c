/* Collectives of all ranks, guests too (hyla_options.network), compared with MPI's own: every call,
 * blocks of equal and of unequal lengths, on each shape of P nodes; their counts are those that the
 * plan has, and nothing is allocated. */
// ranks: 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
// sample: 3 6 7
#include "collective/variant.h"
#include "user_case.h"

#include <stdio.h>
#include <string.h>

static int ranks(void) { return harness_ranks(); }

static void make_cube(const char *network) {
  hyla_options options;
  hyla_options_init(&options);
  options.network = network;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
}

static void end_cube(void) { assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK); }

/* The messages and bytes in the ledger. */
static hyla_cost counted(void) {
  hyla_ledger ledger;
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  hyla_cost cost = {
      .steps = ledger.steps, .messages = ledger.far_messages, .words = ledger.far_bytes};
  for (int dim = 0; dim < ledger.dims; dim++) {
    cost.messages += ledger.messages[dim];
    cost.words += ledger.bytes[dim];
  }
  return cost;
}

/* Runs the plan, whose counts must be the ledger's, and compares the result with MPI's. */
static void play_at(hyla_plan *plan, size_t size, size_t at, size_t in_place) {
  const hyla_cost mine = hy_plan_mine(plan), before = counted();
  harness_note("%s by %s", hyla_plan_operation(plan), hyla_plan_variant(plan));
  run_at(plan, at, in_place);
  const hyla_cost after = counted();
  assert_int_equal(after.steps - before.steps, mine.steps);
  assert_int_equal(after.messages - before.messages, mine.messages);
  assert_int_equal(after.words - before.words, mine.words * (int64_t)size);
  compare();
}

static void play(hyla_plan *plan, size_t size, size_t in_place) {
  play_at(plan, size, 0, in_place);
}

/* ------------------------------------------------------------- all calls -- */

static void gather(const struct ground *g, const hyla_message *m, int root, bool to_all,
                   bool in_place) {
  int lengths[MEMBERS], starts[MEMBERS], end = 0;
  hyla_plan *plan = NULL;
  MPI_Request request;
  for (int x = 0; x < g->ranks; x++) {
    lengths[x] = (int)((m->counts != NULL ? m->counts[x] : m->count) * (int64_t)m->size);
    starts[x] = end;
    end += lengths[x];
  }
  fill();
  if (to_all) {
    assert_int_equal(hyla_allgather_plan(cube, m, &plan), HYLA_OK);
    MPI_Iallgatherv(given, lengths[g->me], MPI_BYTE, want, lengths, starts, MPI_BYTE, g->comm,
                    &request);
  } else {
    assert_int_equal(hyla_gather_plan(cube, m, root, &plan), HYLA_OK);
    MPI_Igatherv(given, lengths[g->me], MPI_BYTE, want, lengths, starts, MPI_BYTE, root, g->comm,
                 &request);
  }
  harness_finish(&request);
  play_at(plan, m->size, (size_t)starts[g->me],
          in_place && (to_all || g->me == root) ? (size_t)lengths[g->me] : 0);
  fill();
  assert_int_equal(hyla_scatter_plan(cube, m, root, &plan), HYLA_OK);
  MPI_Iscatterv(given, lengths, starts, MPI_BYTE, want, lengths[g->me], MPI_BYTE, root, g->comm,
                &request);
  harness_finish(&request);
  play(plan, m->size, 0);
}

static void broadcast(const struct ground *g, const hyla_message *m, int root) {
  hyla_plan *plan = NULL;
  MPI_Request request;
  const size_t one = (size_t)m->count * m->size;
  fill();
  assert_int_equal(hyla_broadcast_plan(cube, m, root, &plan), HYLA_OK);
  if (g->me == root) memcpy(want, given, one);
  MPI_Ibcast(want, (int)one, MPI_BYTE, root, g->comm, &request);
  harness_finish(&request);
  play(plan, m->size, g->me == root ? one : 0);
}

static void reduce(const struct ground *g, int64_t count, const int64_t *counts, int root) {
  const hyla_message m = {.count = count}, blocks = {.count = count, .counts = counts};
  const hyla_reduction how = {.number = HYLA_NUMBER_INT32,
                              .by = harness_draw(0, 1) == 0 ? HYLA_COMBINE_SUM : HYLA_COMBINE_MAX};
  const MPI_Op op = how.by == HYLA_COMBINE_SUM ? MPI_SUM : MPI_MAX;
  hyla_plan *plan = NULL;
  MPI_Request request;
  int lengths[MEMBERS];
  fill();
  assert_int_equal(hyla_reduce_plan(cube, &m, &how, root, &plan), HYLA_OK);
  MPI_Ireduce(given, want, (int)count, MPI_INT32_T, op, root, g->comm, &request);
  harness_finish(&request);
  play(plan, sizeof(int32_t), g->me == root ? (size_t)count * sizeof(int32_t) : 0);
  fill();
  assert_int_equal(hyla_allreduce_plan(cube, &m, &how, &plan), HYLA_OK);
  MPI_Iallreduce(given, want, (int)count, MPI_INT32_T, op, g->comm, &request);
  harness_finish(&request);
  play(plan, sizeof(int32_t), 0);
  for (int x = 0; x < g->ranks; x++) lengths[x] = (int)(counts != NULL ? counts[x] : count);
  fill();
  assert_int_equal(hyla_reduce_scatter_plan(cube, &blocks, &how, &plan), HYLA_OK);
  MPI_Ireduce_scatter(given, want, lengths, MPI_INT32_T, op, g->comm, &request);
  harness_finish(&request);
  play(plan, sizeof(int32_t), 0);
}

/* Functions that are not commutative are composed in the order of the ranks' numbers. */
static void reduce_ordered(const struct ground *g, int64_t count, const int64_t *counts, int root) {
  const hyla_message m = {.count = count, .size = 8};
  const hyla_message blocks = {.count = count, .size = 8, .counts = counts};
  const hyla_reduction how = {.combine = compose, .ordered = true};
  MPI_Datatype pair;
  MPI_Op composed;
  MPI_Request request;
  hyla_plan *plan = NULL;
  int lengths[MEMBERS];
  MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose_mpi, 0, &composed);
  fill();
  assert_int_equal(hyla_reduce_plan(cube, &m, &how, root, &plan), HYLA_OK);
  MPI_Ireduce(given, want, (int)count, pair, composed, root, g->comm, &request);
  harness_finish(&request);
  play(plan, 8, g->me == root ? (size_t)count * 8 : 0);
  fill();
  assert_int_equal(hyla_allreduce_plan(cube, &m, &how, &plan), HYLA_OK);
  MPI_Iallreduce(given, want, (int)count, pair, composed, g->comm, &request);
  harness_finish(&request);
  const int64_t before = hyla_cube_operations(cube), flops = hy_plan_mine(plan).flops;
  play(plan, 8, 0);
  assert_int_equal(hyla_cube_operations(cube) - before, flops);
  for (int x = 0; x < g->ranks; x++) lengths[x] = (int)(counts != NULL ? counts[x] : count);
  fill();
  assert_int_equal(hyla_reduce_scatter_plan(cube, &blocks, &how, &plan), HYLA_OK);
  MPI_Ireduce_scatter(given, want, lengths, pair, composed, g->comm, &request);
  harness_finish(&request);
  play(plan, 8, 0);
  MPI_Op_free(&composed);
  MPI_Type_free(&pair);
}

static void exchange(const struct ground *g, const hyla_message *m) {
  const size_t one = (size_t)m->count * m->size;
  bool all[MEMBERS], active[MEMBERS], mine[MEMBERS];
  hyla_plan *plan = NULL;
  for (int x = 0; x < g->ranks; x++) all[x] = true;
  for (int x = 0; x < g->ranks; x++) active[x] = harness_draw(0, 2) > 0;
  for (int x = 0; x < g->ranks; x++) mine[x] = active[g->me];
  fill();
  assert_int_equal(hyla_exchange_plan(cube, m, NULL, 0, &plan), HYLA_OK);
  by_blocks(g, one, all, all);
  play(plan, m->size, harness_draw(0, 1) == 0 ? one * (size_t)g->ranks : 0);
  fill();
  assert_int_equal(hyla_partial_exchange_plan(cube, m, active, &plan), HYLA_OK);
  by_blocks(g, one, mine, active);
  play(plan, m->size, 0);
  fill();
  assert_int_equal(hyla_partial_gather_plan(cube, m, active, &plan), HYLA_OK);
  by_blocks(g, one, active, mine);
  play(plan, m->size, 0);
  fill();
  assert_int_equal(hyla_partial_plan(cube, m, active, &plan), HYLA_OK);
  for (int x = 0; x < g->ranks; x++) memcpy(given + (size_t)x * one, kept, one);
  by_blocks(g, one, mine, active);
  memcpy(given, kept, sizeof given);
  play(plan, m->size, 0);
}

static void send(const struct ground *g, const hyla_message *m, const int *to, hyla_plan *plan) {
  const int one = (int)((size_t)m->count * m->size);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  fill();
  if (to[g->me] >= 0) MPI_Isend(given, one, MPI_BYTE, to[g->me], 0, g->comm, &requests[0]);
  for (int x = 0; x < g->ranks; x++)
    if (to[x] == g->me) MPI_Irecv(want, one, MPI_BYTE, x, 0, g->comm, &requests[1]);
  harness_finish(&requests[0]);
  harness_finish(&requests[1]);
  play(plan, m->size, 0);
}

static void permute(const struct ground *g, const hyla_message *m) {
  int to[MEMBERS];
  hyla_plan *plan = NULL;
  for (int x = 0; x < g->ranks; x++) {
    const int other = (int)harness_draw(0, x);
    to[x] = other < x ? to[other] : x;
    to[other] = x;
  }
  for (int whole = 1; whole >= 0; whole--) {
    for (int x = 0; x < g->ranks && whole == 0; x++)
      if (harness_draw(0, 2) == 0) to[x] = -1;
    assert_int_equal(hyla_permute_plan(cube, m, to, &plan), HYLA_OK);
    send(g, m, to, plan);
  }
  const int64_t places = harness_draw(-40, 40);
  for (int x = 0; x < g->ranks; x++)
    to[x] = (int)((x + places + INT64_C(100) * g->ranks) % g->ranks);
  assert_int_equal(hyla_rotate_plan(cube, m, HYLA_BINARY, places, &plan), HYLA_OK);
  send(g, m, to, plan);
}

static void count_active(const struct ground *g) {
  int before = -2, all = -2, wanted[] = {0, 0};
  bool mine = false;
  for (int x = 0; x < g->ranks; x++) {
    const bool active = harness_draw(0, 1) == 0;
    if (x == g->me) mine = active;
    wanted[0] += active && x < g->me;
    wanted[1] += active;
  }
  assert_int_equal(hyla_active_ranks(cube, 0, mine, &before, &all), HYLA_OK);
  assert_int_equal(before, wanted[0]);
  assert_int_equal(all, wanted[1]);
}

/* Some blocks are empty, now and then all. */
static void draw_counts(int64_t counts[MEMBERS]) {
  const int64_t longest = harness_draw(0, COUNT_MAX);
  for (int x = 0; x < ranks(); x++)
    counts[x] = harness_draw(0, 2) == 0 ? 0 : harness_draw(0, longest);
}

static void try_calls(const char *network, int64_t count, size_t size) {
  int64_t counts[MEMBERS];
  make_cube(network);
  struct ground g = make_ground(0);
  assert_int_equal(g.ranks, ranks());
  assert_int_equal(g.me, harness_rank());
  const int root = (int)harness_draw(0, ranks() - 1);
  draw_counts(counts);
  hyla_message m = {.count = count, .size = size}, uneven = {.size = size, .counts = counts};
  broadcast(&g, &m, root);
  gather(&g, &m, root, false, true);
  gather(&g, &m, root, true, true);
  gather(&g, &uneven, root, false, false);
  gather(&g, &uneven, ranks() - 1, true, true);
  reduce(&g, count, NULL, root);
  reduce(&g, count, counts, ranks() - 1);
  reduce_ordered(&g, count, NULL, root);
  reduce_ordered(&g, count, counts, ranks() - 1);
  exchange(&g, &m);
  permute(&g, &m);
  count_active(&g);
  MPI_Comm_free(&g.comm);
  end_cube();
}

static void all_ranks_take_part(void **state) {
  static const size_t sizes[] = {1, 4, 8, 16};
  (void)state;
  for (int i = 0; i < 3; i++)
    try_calls("all", i == 0 ? 0 : harness_draw(1, COUNT_MAX), sizes[harness_draw(0, 3)]);
}

/* The shapes of P nodes with two axes, or one. */
static void on_each_shape(void **state) {
  static const char *const kinds[] = {"array", "torus"};
  (void)state;
  for (int side = 1; side <= ranks(); side++)
    for (int kind = 0; kind < 2 && ranks() % side == 0; kind++) {
      char name[32];
      if (side == ranks())
        snprintf(name, sizeof name, "%s:%d", kind == 0 ? "line" : "ring", side);
      else
        snprintf(name, sizeof name, "%s:%dx%d", kinds[kind], side, ranks() / side);
      try_calls(name, harness_draw(1, COUNT_MAX), 4);
    }
}

/* Every row that applies, by its name. */
static void by_each_variant(void **state) {
  (void)state;
  make_cube("all");
  struct ground g = make_ground(0);
  int64_t counts[MEMBERS];
  hyla_candidate candidate;
  hyla_plan *listed = NULL;
  draw_counts(counts);
  for (int uneven = 0; uneven < 2; uneven++) {
    hyla_message m = {.count = 5, .size = 4, .counts = uneven == 1 ? counts : NULL};
    assert_int_equal(hyla_allgather_plan(cube, &m, &listed), HYLA_OK);
    for (int i = 0; hyla_plan_candidate(listed, i, &candidate); i++) {
      if (!candidate.applies) continue;
      m.variant = candidate.name;
      hyla_plan *plan = NULL;
      fill();
      assert_int_equal(hyla_allgather_plan(cube, &m, &plan), HYLA_OK);
      assert_string_equal(hyla_plan_variant(plan), candidate.name);
      int64_t at = 0;
      memset(want, 0, sizeof want);
      memset(got, 0, sizeof got);
      for (int x = 0; x < ranks(); x++) {
        const int64_t own = (uneven == 1 ? counts[x] : 5) * 4;
        for (int64_t byte = 0; byte < own; byte++) want[at + byte] = (unsigned char)(x * 3 + byte);
        if (x == g.me) memcpy(given, want + at, (size_t)own);
        at += own;
      }
      memcpy(kept, given, sizeof given);
      play(plan, 4, 0);
    }
    assert_int_equal(hyla_plan_destroy(&listed), HYLA_OK);
  }
  MPI_Comm_free(&g.comm);
  end_cube();
}

static bool is_row(hyla_cube *many, enum hy_task task, const char *name) {
  struct hy_family *family = NULL;
  const char *wanted = NULL;
  assert_int_equal(hy_all_family(many, task, &wanted, &family), HYLA_OK);
  const bool found = hy_family_find(family, name) != NULL;
  hy_free(&many->base, &family);
  return found;
}

/* A cube of 1000 ranks, which need not be there, takes the shapes nearest to squares, and plans
 * exchanges only on those with short ways. */
static void many_ranks_have_the_squarest_shapes(void **state) {
  hyla_cube many = {.dims = 9, .nodes = 512, .ranks.all = 1000};
  (void)state;
  assert_int_equal(hy_shapes_make(&many, "all"), HYLA_OK);
  assert_true(many.ranks.shapes.given && !many.ranks.shapes.cube);
  assert_true(is_row(&many, HY_TASK_ALLGATHER, "line:1000/line"));
  assert_true(is_row(&many, HY_TASK_ALLGATHER, "torus:40x25/translated"));
  assert_true(is_row(&many, HY_TASK_ALLGATHER, "array:5x5x5x2x2x2/axes"));
  assert_false(is_row(&many, HY_TASK_ALLGATHER, "torus:50x20/translated"));
  assert_true(is_row(&many, HY_TASK_BROADCAST, "torus:10x10x10/tree"));
  assert_true(is_row(&many, HY_TASK_EXCHANGE, "torus:5x5x5x4x2/queued"));
  assert_false(is_row(&many, HY_TASK_EXCHANGE, "line:1000/queued"));
  assert_false(is_row(&many, HY_TASK_PARTIAL_GATHER, "ring:1000/queued"));
  hy_free(&many.base, &many.ranks.shapes.network);
}

/* --------------------------------------------------------------- refusals -- */

static void refused(hyla_status status, hyla_status wanted, const char *word) {
  harness_note("%s", hyla_cube_message(cube));
  assert_int_equal(status, wanted);
  assert_non_null(strstr(hyla_cube_message(cube), word));
}

static void refuse_option(const char *network, const char *word) {
  hyla_options options;
  hyla_options_init(&options);
  options.network = network;
  refused(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_ARGUMENT, word);
  end_cube();
}

static void says_what_it_is_not_for(void **state) {
  (void)state;
  hyla_plan *plan = NULL;
  hyla_message m = {.count = 3, .size = 4};
  const bool tags[MEMBERS] = {false};
  refuse_option("line:17", "a network of 17 nodes");
  refuse_option("torus:", "torus:");
  refuse_option("enhanced:4", "collectives run on");
  make_cube("all");
  refused(hyla_window_plan(cube, &m, 0, &plan), HYLA_UNSUPPORTED, "option network");
  refused(hyla_exchange_near_plan(cube, &m, 0, 1, &plan), HYLA_UNSUPPORTED, "option network");
  refused(hyla_exchange_tags_plan(cube, &m, tags, &plan), HYLA_UNSUPPORTED, "option network");
  refused(hyla_exchange_band_plan(cube, &m, 0, &plan), HYLA_UNSUPPORTED, "option network");
  refused(hyla_exchange_bands_plan(cube, &m, 0, 1, &plan), HYLA_UNSUPPORTED, "option network");
  refused(hyla_broadcast_plan(cube, &m, ranks(), &plan), HYLA_ARGUMENT, "root");
  m.variant = "no-such";
  refused(hyla_allgather_plan(cube, &m, &plan), HYLA_ARGUMENT, "no-such");
  m.variant = NULL;
  m.apart = 1;
  refused(hyla_allgather_plan(cube, &m, &plan), HYLA_ARGUMENT, "apart");
  assert_int_equal(hyla_subcube_ranks(cube, 1), -1);
  assert_int_equal(hyla_subcube_rank(cube, 1), -1);
  /* One rank, a guest where there is one, gives another length. */
  m = (hyla_message){.count = harness_rank() == ranks() - 1 ? 4 : 3, .size = 4};
  refused(hyla_allgather_plan(cube, &m, &plan), HYLA_MISMATCH, "hyla_allgather_plan");
  m.count = harness_rank() == ranks() - 1 ? -1 : 3;
  refused(hyla_allgather_plan(cube, &m, &plan), HYLA_ARGUMENT, "-1 elements");
  end_cube();
}

/* The last rank, a guest where there is one, waits for a message that nobody sends, in place of the
 * run.  It gives up soon, the others much later: they have its failure from their neighbours. */
static void a_lost_message_ends_the_run_of_all(void **state) {
  (void)state;
  make_cube("all");
  hyla_plan *plan = NULL;
  const hyla_message m = {.count = 3, .size = 4};
  assert_int_equal(hyla_allgather_plan(cube, &m, &plan), HYLA_OK);
  fill();
  cube->network.timeout = harness_rank() == ranks() - 1 ? .2 : 60;
  struct hy_message lost = {.verb = HY_RECV, .peer = 0, .port = 1, .bytes = 8, .data = want};
  if (harness_rank() == ranks() - 1) {
    assert_int_equal(hy_enter(cube, HYLA_OK, plan->fingerprint, "hyla_plan_run_on"), HYLA_OK);
    assert_int_not_equal(hy_link_step(cube, &lost, 1), HYLA_OK);
    assert_true(cube->network.broken);
  } else {
    assert_int_not_equal(hyla_plan_run_on(cube, plan, given, got), HYLA_OK);
  }
  int mine = (int)cube->base.status, least = 0, most = 0;
  harness_allreduce(&mine, &least, 1, MPI_INT, MPI_MIN);
  harness_allreduce(&mine, &most, 1, MPI_INT, MPI_MAX);
  harness_note("%s", hyla_cube_message(cube));
  assert_true(mine == HYLA_TIMEOUT || mine == HYLA_COMMUNICATION);
  assert_int_equal(least, most);
  assert_int_equal(hyla_plan_run_on(cube, plan, given, got), HYLA_BROKEN);
  assert_int_equal(hyla_plan_destroy(&plan), HYLA_OK);
  end_cube();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_ranks_take_part),
      cmocka_unit_test(on_each_shape),
      cmocka_unit_test(by_each_variant),
      cmocka_unit_test(many_ranks_have_the_squarest_shapes),
      cmocka_unit_test(says_what_it_is_not_for),
      cmocka_unit_test(a_lost_message_ends_the_run_of_all),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
