/* Collectives on users' buffers compared with MPI's own on the same ranks: roots, subcubes,
 * lengths, element sizes, operations, in place and not. */
// ranks: 1 2 4 8 16
// sample: 1 2 4
#include "user_case.h"

#include <string.h>

static void move_rooted(const struct ground *g, const hyla_message *m, int root) {
  hyla_plan *plan = NULL;
  MPI_Request request;
  const size_t one = (size_t)m->count * m->size;
  const int bytes = (int)one;
  harness_note("%lld of %zu, root %d, apart %x", (long long)m->count, m->size, root, m->apart);
  fill();
  assert_int_equal(hyla_broadcast_plan(cube, m, root, &plan), HYLA_OK);
  if (g->me == root) memcpy(want, given, one);
  MPI_Ibcast(want, bytes, MPI_BYTE, root, g->comm, &request);
  harness_finish(&request);
  run(plan, g->me == root ? one : 0);
  compare();
  fill();
  assert_int_equal(hyla_scatter_plan(cube, m, root, &plan), HYLA_OK);
  MPI_Iscatter(given, bytes, MPI_BYTE, want, bytes, MPI_BYTE, root, g->comm, &request);
  harness_finish(&request);
  run(plan, 0);
  compare();
  for (int in_place = 0; in_place < 2; in_place++) {
    fill();
    assert_int_equal(hyla_gather_plan(cube, m, root, &plan), HYLA_OK);
    MPI_Igather(given, bytes, MPI_BYTE, want, bytes, MPI_BYTE, root, g->comm, &request);
    harness_finish(&request);
    run_at(plan, (size_t)g->me * one, in_place == 1 && g->me == root ? one : 0);
    compare();
  }
}

static void move_all(const struct ground *g, const hyla_message *m) {
  hyla_plan *plan = NULL;
  MPI_Request request;
  const size_t one = (size_t)m->count * m->size;
  const int bytes = (int)one;
  for (int in_place = 0; in_place < 2; in_place++) {
    fill();
    assert_int_equal(hyla_exchange_plan(cube, m, NULL, 0, &plan), HYLA_OK);
    MPI_Ialltoall(given, bytes, MPI_BYTE, want, bytes, MPI_BYTE, g->comm, &request);
    harness_finish(&request);
    run(plan, in_place == 1 ? (size_t)g->ranks * one : 0);
    compare();
    fill();
    assert_int_equal(hyla_allgather_plan(cube, m, &plan), HYLA_OK);
    MPI_Iallgather(given, bytes, MPI_BYTE, want, bytes, MPI_BYTE, g->comm, &request);
    harness_finish(&request);
    run_at(plan, (size_t)g->me * one, in_place == 1 ? one : 0);
    compare();
  }
}

static void move_some(const struct ground *g, const hyla_message *m) {
  hyla_plan *plan = NULL;
  const size_t one = (size_t)m->count * m->size;
  const int dims = hy_popcount((uint32_t)g->ranks - 1);
  bool both[MEMBERS], active[MEMBERS], mine[MEMBERS];
  int nearest = (int)harness_draw(0, 2), farthest = (int)harness_draw(hy_max(1, nearest), 4);
  for (int x = 0; x < g->ranks; x++) {
    int away = hy_popcount((uint32_t)(x ^ g->me));
    both[x] = nearest <= away && away <= farthest;
  }
  harness_note("neighbourhood %d to %d, %lld of %zu", nearest, farthest, (long long)m->count,
               m->size);
  fill();
  assert_int_equal(hyla_exchange_near_plan(cube, m, nearest, farthest, &plan), HYLA_OK);
  by_blocks(g, one, both, both);
  run(plan, 0);
  compare();
  bool tags[MEMBERS];
  for (int t = 0; t < g->ranks; t++) tags[t] = harness_draw(0, 2) == 0;
  for (int x = 0; x < g->ranks; x++) both[x] = tags[x ^ g->me];
  fill();
  assert_int_equal(hyla_exchange_tags_plan(cube, m, tags, &plan), HYLA_OK);
  by_blocks(g, one, both, both);
  run(plan, 0);
  compare();
  for (int b = 0; b < hy_max(dims, 1); b++) {
    for (int x = 0; x < g->ranks; x++) {
      int away = (hyla_band_column(g->ranks, b, x) - hyla_band_column(g->ranks, b, g->me)) &
                 (g->ranks - 1);
      both[x] = away <= 1 << b || g->ranks - away <= 1 << b;
      assert_int_equal(hyla_band_rank(g->ranks, b, hyla_band_column(g->ranks, b, x)), x);
    }
    fill();
    assert_int_equal(hyla_exchange_band_plan(cube, m, b, &plan), HYLA_OK);
    by_blocks(g, one, both, both);
    run(plan, 0);
    compare();
  }
  fill();
  for (int x = 0; x < g->ranks; x++) active[x] = harness_draw(0, 1) != 0;
  assert_int_equal(hyla_partial_plan(cube, m, active, &plan), HYLA_OK);
  for (int x = 0; x < g->ranks; x++) mine[x] = active[g->me];
  for (int x = 0; x < g->ranks; x++) memcpy(given + (size_t)x * one, kept, one);
  by_blocks(g, one, mine, active);
  memcpy(given, kept, sizeof given);
  run(plan, 0);
  compare();
}

static void permute(const struct ground *g, const hyla_message *m, const int *to, bool in_place,
                    hyla_plan *plan) {
  const size_t one = (size_t)m->count * m->size;
  const bool gives = to[g->me] >= 0;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (in_place && gives) memcpy(want, given, one);
  if (gives) MPI_Isend(given, (int)one, MPI_BYTE, to[g->me], 0, g->comm, &requests[0]);
  for (int x = 0; x < g->ranks; x++)
    if (to[x] == g->me) MPI_Irecv(want, (int)one, MPI_BYTE, x, 0, g->comm, &requests[1]);
  harness_finish(&requests[0]);
  harness_finish(&requests[1]);
  run(plan, in_place && gives ? one : 0);
  compare();
}

static void permute_all(const struct ground *g, const hyla_message *m) {
  hyla_plan *plan = NULL;
  int to[MEMBERS];
  for (int kind = 0; kind < 4; kind++) {
    for (int x = 0; x < g->ranks; x++) to[x] = kind == 1 ? x ^ (g->ranks - 1) : x;
    for (int x = g->ranks - 1; kind % 2 == 0 && x > 0; x--) {
      int other = (int)harness_draw(0, x), swap = to[x];
      to[x] = to[other];
      to[other] = swap;
    }
    for (int x = 0; kind >= 2 && x < g->ranks; x++)
      if (harness_draw(0, 1) != 0) to[x] = -1;
    harness_note("permutation %d, %lld of %zu", kind, (long long)m->count, m->size);
    fill();
    assert_int_equal(hyla_permute_plan(cube, m, to, &plan), HYLA_OK);
    permute(g, m, to, kind % 2 == 1, plan);
  }
  for (int gray = 0; gray < 2; gray++) {
    int places = (int)harness_draw(-20, 20);
    for (int j = 0; j < g->ranks; j++) {
      int k = (j + places) & (g->ranks - 1);
      to[gray == 1 ? j ^ j >> 1 : j] = gray == 1 ? k ^ k >> 1 : k;
    }
    harness_note("rotation %d, code %d, %lld of %zu", places, gray, (long long)m->count, m->size);
    fill();
    assert_int_equal(hyla_rotate_plan(cube, m, gray == 1 ? HYLA_GRAY : HYLA_BINARY, places, &plan),
                     HYLA_OK);
    permute(g, m, to, gray == 1, plan);
  }
}

/* parts: numbers in an element of a floating-point type; 0: its bytes are any. */
struct sum {
  hyla_reduction how;
  size_t size;
  MPI_Datatype type;
  MPI_Op op;
  int parts;
};

/* Small integers, so that sums and products are exact in any order. */
static void fill_numbers(const struct sum *s) {
  fill();
  for (size_t i = 0; s->parts > 0 && i < ROOM / s->size * (size_t)s->parts; i++) {
    double x = 1 + (double)(((size_t)cube->address * 37 + i * 11) % 3);
    float y = (float)x;
    if (s->size / (size_t)s->parts == sizeof y)
      memcpy(given + i * sizeof y, &y, sizeof y);
    else
      memcpy(given + i * sizeof x, &x, sizeof x);
  }
  memcpy(kept, given, sizeof given);
}

static void reduce(const struct ground *g, const struct sum *s, int64_t count, int root) {
  const hyla_message m = {.count = count, .size = s->size, .apart = g->apart};
  hyla_plan *plan = NULL;
  MPI_Request request;
  harness_note("reduction %d %d%s, %lld", (int)s->how.number, (int)s->how.by,
               s->how.ordered ? ", ordered" : "", (long long)count);
  fill_numbers(s);
  assert_int_equal(hyla_reduce_plan(cube, &m, &s->how, root, &plan), HYLA_OK);
  MPI_Ireduce(given, want, (int)count, s->type, s->op, root, g->comm, &request);
  harness_finish(&request);
  run(plan, 0);
  if (g->me == root) compare();
  fill_numbers(s);
  assert_int_equal(hyla_reduce_plan(cube, &m, &s->how, root, &plan), HYLA_OK);
  MPI_Ireduce(given, want, (int)count, s->type, s->op, root, g->comm, &request);
  harness_finish(&request);
  run(plan, g->me == root ? (size_t)count * s->size : 0);
  if (g->me == root) compare();
  for (size_t in_place = 0; in_place < 2; in_place++) {
    fill_numbers(s);
    assert_int_equal(hyla_allreduce_plan(cube, &m, &s->how, &plan), HYLA_OK);
    MPI_Iallreduce(given, want, (int)count, s->type, s->op, g->comm, &request);
    harness_finish(&request);
    run(plan, in_place * (size_t)count * s->size);
    compare();
    fill_numbers(s);
    assert_int_equal(hyla_reduce_scatter_plan(cube, &m, &s->how, &plan), HYLA_OK);
    MPI_Ireduce_scatter_block(given, want, (int)count, s->type, s->op, g->comm, &request);
    harness_finish(&request);
    run(plan, in_place * (size_t)count * s->size * (size_t)g->ranks);
    assert_memory_equal(got, want, (size_t)count * s->size);
  }
}

static void reduce_all(const struct ground *g, int64_t count, int root) {
  MPI_Datatype pair;
  MPI_Op composed;
  MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose_mpi, 0, &composed);
  const struct sum sums[] = {
      {{.number = HYLA_NUMBER_INT32}, 4, MPI_INT32_T, MPI_SUM, 0},
      {{.number = HYLA_NUMBER_INT64, .by = HYLA_COMBINE_PRODUCT}, 8, MPI_INT64_T, MPI_PROD, 0},
      {{.number = HYLA_NUMBER_INT64, .by = HYLA_COMBINE_MAX}, 8, MPI_INT64_T, MPI_MAX, 0},
      {{.number = HYLA_NUMBER_INT32, .by = HYLA_COMBINE_MIN}, 4, MPI_INT32_T, MPI_MIN, 0},
      {{.number = HYLA_NUMBER_DOUBLE}, 8, MPI_DOUBLE, MPI_SUM, 1},
      {{.number = HYLA_NUMBER_DOUBLE, .by = HYLA_COMBINE_MIN}, 8, MPI_DOUBLE, MPI_MIN, 1},
      {{.number = HYLA_NUMBER_FLOAT, .by = HYLA_COMBINE_PRODUCT}, 4, MPI_FLOAT, MPI_PROD, 1},
      {{.number = HYLA_NUMBER_FLOAT, .by = HYLA_COMBINE_MAX}, 4, MPI_FLOAT, MPI_MAX, 1},
      {{.number = HYLA_NUMBER_COMPLEX}, 8, MPI_C_FLOAT_COMPLEX, MPI_SUM, 2},
      {{.number = HYLA_NUMBER_DOUBLE_COMPLEX, .by = HYLA_COMBINE_PRODUCT},
       16,
       MPI_C_DOUBLE_COMPLEX,
       MPI_PROD,
       2},
      {{.combine = compose, .ordered = true}, 8, pair, composed, 0},
  };
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) reduce(g, &sums[i], count, root);
  MPI_Op_free(&composed);
  MPI_Type_free(&pair);
}

/* Sets drawn alike on all ranks, including the empty set and all ranks. */
static void rank_active(const struct ground *g) {
  for (int odds = 0; odds <= 4; odds++) {
    int before = -2, all = -2, wanted[] = {0, 0};
    for (int x = 0; x < g->ranks; x++) {
      bool active = harness_draw(1, 4) <= odds;
      given[x] = active;
      wanted[0] += active && x < g->me;
      wanted[1] += active;
    }
    harness_note("odds %d, apart %x", odds, g->apart);
    const int64_t allocations = cube->base.allocations;
    assert_int_equal(hyla_active_ranks(cube, g->apart, given[g->me], &before, &all), HYLA_OK);
    assert_int_equal(cube->base.allocations, allocations);
    assert_int_equal(before, wanted[0]);
    assert_int_equal(all, wanted[1]);
  }
}

static void try_ground(uint32_t apart, bool all) {
  static const size_t element_sizes[] = {1, 4, 8, 16};
  struct ground g = make_ground(apart);
  int64_t counts[HARNESS_SIZES];
  int sizes = harness_sizes(g.ranks, counts);
  rank_active(&g);
  for (int i = 0; i < sizes; i++) {
    if (!all && i % 2 == 0) continue;
    hyla_message m = {.count = counts[i], .size = element_sizes[(size_t)i % 4], .apart = apart};
    int root = (int)harness_draw(0, g.ranks - 1);
    move_rooted(&g, &m, root);
    move_rooted(&g, &m, g.ranks - 1);
    move_all(&g, &m);
    move_some(&g, &m);
    permute_all(&g, &m);
    reduce_all(&g, counts[i], root);
  }
  MPI_Comm_free(&g.comm);
}

static void on_the_whole_cube(void **state) {
  (void)state;
  try_ground(0, cube->nodes < 16);
}

static void on_subcubes(void **state) {
  (void)state;
  try_ground((uint32_t)harness_draw(0, cube->nodes - 1), false);
  try_ground((uint32_t)cube->nodes - 1, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(on_the_whole_cube, set_up, tear_down),
      cmocka_unit_test_setup_teardown(on_subcubes, set_up, tear_down),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
