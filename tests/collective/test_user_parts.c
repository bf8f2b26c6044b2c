/* Collectives of some ranks, and of several matrices, on users' buffers compared with MPI's own on
 * the same ranks: subcubes, lengths, element sizes, in place and not. */
// ranks: 1 2 4 8 16
// sample: 1 4
#include "user_case.h"

#include <string.h>

/* Active ranks send messages to all, or all send to them; both ways also in place. */
static void exchange_active(const struct ground *g, const hyla_message *m) {
  const size_t one = (size_t)m->count * m->size;
  bool active[MEMBERS], mine[MEMBERS];
  for (int gathers = 0; gathers < 4; gathers++) {
    hyla_plan *plan = NULL;
    bool in_place = gathers >= 2;
    for (int x = 0; x < g->ranks; x++) active[x] = harness_draw(0, 2) == 0;
    for (int x = 0; x < g->ranks; x++) mine[x] = active[g->me];
    harness_note("partial %d, %lld of %zu", gathers, (long long)m->count, m->size);
    fill();
    if (gathers % 2 == 0) {
      assert_int_equal(hyla_partial_exchange_plan(cube, m, active, &plan), HYLA_OK);
      if (in_place && mine[0]) memcpy(want, given, one * (size_t)g->ranks);
      by_blocks(g, one, mine, active);
      run(plan, in_place && mine[0] ? one * (size_t)g->ranks : 0);
    } else {
      assert_int_equal(hyla_partial_gather_plan(cube, m, active, &plan), HYLA_OK);
      if (in_place) memcpy(want, given, one * (size_t)g->ranks);
      by_blocks(g, one, active, mine);
      run(plan, in_place ? one * (size_t)g->ranks : 0);
    }
    compare();
  }
}

/* Several banded matrices; MPI takes one exchange for each. */
static void exchange_bands(const struct ground *g, const hyla_message *m) {
  const size_t one = (size_t)m->count * m->size, all = one * (size_t)g->ranks;
  const int b = g->ranks > 2 ? 1 : 0, matrices = all * 3 <= ROOM ? 3 : 1;
  for (int spread = 0; spread < 2; spread++) {
    hyla_plan *plan = NULL;
    harness_note("%d bands, spread %d, %lld of %zu", matrices, spread, (long long)m->count,
                 m->size);
    fill();
    for (int j = 0; j < matrices; j++) {
      int sends[MEMBERS], places[MEMBERS], from[MEMBERS];
      MPI_Request request;
      for (int x = 0; x < g->ranks; x++) {
        int away =
            (hyla_bands_column(g->ranks, b, j, x) - hyla_bands_column(g->ranks, b, j, g->me)) &
            (g->ranks - 1);
        sends[x] = away <= 1 << b || g->ranks - away <= 1 << b ? (int)one : 0;
        places[x] = (int)((size_t)j * all + (size_t)x * one);
        from[x] = spread == 1 ? j * (int)one : places[x];
      }
      int mine = hyla_bands_column(g->ranks, b, j, g->me);
      assert_int_equal(hyla_bands_rank(g->ranks, b, j, mine), g->me);
      MPI_Ialltoallv(given, sends, from, MPI_BYTE, want, sends, places, MPI_BYTE, g->comm,
                     &request);
      harness_finish(&request);
    }
    assert_int_equal(spread == 1 ? hyla_broadcast_bands_plan(cube, m, b, matrices, &plan)
                                 : hyla_exchange_bands_plan(cube, m, b, matrices, &plan),
                     HYLA_OK);
    run(plan, 0);
    compare();
  }
}

/* The first ranks of a subcube, with the links of all. */
static void look_through_window(const struct ground *g, const hyla_message *m) {
  const size_t one = (size_t)m->count * m->size;
  for (int dims = 0; 1 << dims <= g->ranks; dims++) {
    bool inside[MEMBERS];
    hyla_plan *plan = NULL;
    for (int x = 0; x < g->ranks; x++) inside[x] = (x | g->me) >> dims == 0;
    harness_note("window of %d, %lld of %zu", dims, (long long)m->count, m->size);
    fill();
    for (int x = 0; x < g->ranks; x++) memcpy(given + (size_t)x * one, kept, one);
    by_blocks(g, one, inside, inside);
    memcpy(given, kept, sizeof given);
    assert_int_equal(hyla_window_plan(cube, m, dims, &plan), HYLA_OK);
    run(plan, 0);
    compare();
  }
}

static void try_ground(uint32_t apart) {
  static const size_t element_sizes[] = {1, 4, 8, 16};
  struct ground g = make_ground(apart);
  int64_t counts[HARNESS_SIZES];
  int sizes = harness_sizes(g.ranks, counts);
  for (int i = 0; i < sizes; i += 1 + (g.ranks == 16)) {
    hyla_message m = {.count = counts[i], .size = element_sizes[(size_t)i % 4], .apart = apart};
    exchange_active(&g, &m);
    exchange_bands(&g, &m);
    look_through_window(&g, &m);
  }
  MPI_Comm_free(&g.comm);
}

static void on_the_whole_cube(void **state) {
  (void)state;
  try_ground(0);
}

static void on_subcubes(void **state) {
  (void)state;
  try_ground((uint32_t)harness_draw(0, cube->nodes - 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(on_the_whole_cube, set_up, tear_down),
      cmocka_unit_test_setup_teardown(on_subcubes, set_up, tear_down),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
