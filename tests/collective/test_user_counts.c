/* Collectives on users' buffers in blocks of different lengths, compared with MPI's own on the same
 * ranks: roots, subcubes, variants, element sizes, in place and not. */
// ranks: 1 2 4 8 16
// sample: 1 2 4
#include "collective/collective.h"
#include "user_case.h"

struct uneven {
  int64_t counts[MEMBERS];
  int lengths[MEMBERS], starts[MEMBERS]; /* as for MPI, in bytes */
  int64_t all;
};

/* Some blocks are empty, now and then all. */
static struct uneven draw_uneven(const struct ground *g, size_t size) {
  struct uneven u = {.all = 0};
  const int64_t longest = harness_draw(0, COUNT_MAX);
  for (int x = 0; x < g->ranks; x++) {
    u.counts[x] = harness_draw(0, 2) == 0 ? 0 : harness_draw(0, longest);
    u.lengths[x] = (int)(u.counts[x] * (int64_t)size);
    u.starts[x] = (int)(u.all * (int64_t)size);
    u.all += u.counts[x];
  }
  return u;
}

/* A variant of the task; all of them serve blocks of any lengths.  NULL: the library's choice. */
static const char *some_variant(enum hy_task task) {
  const struct hy_family *family = hy_collective_family(task);
  const struct hy_variant *row = family->rows[harness_draw(0, hy_family_count(family))];
  return row != NULL ? row->name : NULL;
}

static void scatter_uneven(const struct ground *g, hyla_message m, int root) {
  const struct uneven u = draw_uneven(g, m.size);
  hyla_plan *plan = NULL;
  MPI_Request request;
  m.counts = u.counts;
  m.variant = some_variant(HY_TASK_SCATTER);
  harness_note("scatter %s, root %d, own %lld", m.variant != NULL ? m.variant : "chosen", root,
               (long long)u.counts[g->me]);
  fill();
  assert_int_equal(hyla_scatter_plan(cube, &m, root, &plan), HYLA_OK);
  MPI_Iscatterv(given, u.lengths, u.starts, MPI_BYTE, want, u.lengths[g->me], MPI_BYTE, root,
                g->comm, &request);
  harness_finish(&request);
  run(plan, 0);
  compare();
}

static void gather_uneven(const struct ground *g, hyla_message m, int root, bool to_all) {
  const struct uneven u = draw_uneven(g, m.size);
  const size_t own = (size_t)u.lengths[g->me];
  hyla_plan *plan = NULL;
  MPI_Request request;
  m.counts = u.counts;
  m.variant = some_variant(to_all ? HY_TASK_ALLGATHER : HY_TASK_GATHER);
  for (int in_place = 0; in_place < 2; in_place++) {
    harness_note("gather %s, root %d, to all %d, in place %d",
                 m.variant != NULL ? m.variant : "chosen", root, to_all, in_place);
    fill();
    if (to_all) {
      assert_int_equal(hyla_allgather_plan(cube, &m, &plan), HYLA_OK);
      MPI_Iallgatherv(given, (int)own, MPI_BYTE, want, u.lengths, u.starts, MPI_BYTE, g->comm,
                      &request);
    } else {
      assert_int_equal(hyla_gather_plan(cube, &m, root, &plan), HYLA_OK);
      MPI_Igatherv(given, (int)own, MPI_BYTE, want, u.lengths, u.starts, MPI_BYTE, root, g->comm,
                   &request);
    }
    harness_finish(&request);
    bool stands = in_place == 1 && (to_all || g->me == root);
    run_at(plan, (size_t)u.starts[g->me], stands ? own : 0);
    compare();
  }
}

static void reduce_uneven(const struct ground *g, uint32_t apart, bool ordered) {
  const struct uneven u = draw_uneven(g, sizeof(int32_t));
  const hyla_reduction how = {.number = HYLA_NUMBER_INT32, .ordered = ordered};
  const hyla_message m = {.apart = apart,
                          .counts = u.counts,
                          .variant = ordered ? NULL : some_variant(HY_TASK_REDUCE_SCATTER)};
  int lengths[MEMBERS];
  hyla_plan *plan = NULL;
  MPI_Request request;
  harness_note("reduce-scatter %s, ordered %d", m.variant != NULL ? m.variant : "chosen", ordered);
  for (int x = 0; x < g->ranks; x++) lengths[x] = (int)u.counts[x];
  fill();
  assert_int_equal(hyla_reduce_scatter_plan(cube, &m, &how, &plan), HYLA_OK);
  MPI_Ireduce_scatter(given, want, lengths, MPI_INT32_T, MPI_SUM, g->comm, &request);
  harness_finish(&request);
  run(plan, 0);
  compare();
}

static void move_uneven(const struct ground *g, const hyla_message *m, int root) {
  scatter_uneven(g, *m, root);
  gather_uneven(g, *m, root, false);
  gather_uneven(g, *m, root, true);
  reduce_uneven(g, m->apart, false);
  reduce_uneven(g, m->apart, true);
}

static void try_ground(uint32_t apart) {
  static const size_t element_sizes[] = {1, 4, 8, 16};
  struct ground g = make_ground(apart);
  for (int i = 0; i < 8; i++) {
    const hyla_message m = {.size = element_sizes[i % 4], .apart = apart};
    move_uneven(&g, &m, i < 4 ? (int)harness_draw(0, g.ranks - 1) : g.ranks - 1);
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
  try_ground((uint32_t)cube->nodes - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(on_the_whole_cube, set_up, tear_down),
      cmocka_unit_test_setup_teardown(on_subcubes, set_up, tear_down),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
