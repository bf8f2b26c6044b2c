/* Every variant of every collective compared with MPI's own on the same ranks: the whole cube and
 * subcubes, any root, lengths of 0 words, lengths that do not divide, and unequal ones if the call
 * takes them. */
// ranks: 1 2 4 8 16
// sample: 1 4 8
#include "cases.h"
#include "collective/planned.h"
#include "cube/cube.h"
#include "hyla_lab.h"

enum { MOST_WORDS = 1 << 14, MEMBERS = 16 };

static hyla_cube *cube;
static int64_t data[MOST_WORDS], work[MOST_WORDS], before[MOST_WORDS], want[MOST_WORDS];

static int set_up(void **state) {
  (void)state;
  return hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) != HYLA_OK;
}

static int tear_down(void **state) {
  (void)state;
  return hyla_cube_destroy(&cube) != HYLA_OK;
}

/* A subcube, its communicator and the collective on it.  The counts are in MPI's form. */
struct trial {
  uint32_t dims;
  MPI_Comm comm;
  int me;
  struct hy_collective c;
  int64_t offsets[MEMBERS + 1], sources[MEMBERS], targets[MEMBERS];
  int out[MEMBERS], in[MEMBERS], start[MEMBERS], own[MEMBERS];
};

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((int64_t *)into)[i] += ((const int64_t *)from)[i];
}

/* Counts this member's words from each member, their block and their place. */
static void count_words(struct trial *t) {
  const struct hy_collective *c = &t->c;
  for (int x = 0; x < 1 << c->dims; x++) {
    const int64_t *offsets = c->blocks.offsets;
    bool permutes = c->task == HY_TASK_PERMUTE;
    int64_t words = offsets != NULL ? offsets[x + 1] - offsets[x] : c->blocks.words;
    t->start[x] = (int)(permutes ? 0 : offsets != NULL ? offsets[x] : x * words);
    t->out[x] = t->in[x] = (int)words;
    if (c->task == HY_TASK_PARTIAL && !active[x]) t->in[x] = 0;
    if (c->blocks.sources != NULL) {
      t->out[x] = (int)hy_blocks_filled(&c->blocks, (uint32_t)t->me, (uint32_t)x);
      t->in[x] = (int)hy_blocks_filled(&c->blocks, (uint32_t)x, (uint32_t)t->me);
    }
    if (c->task == HY_TASK_PARTIAL_EXCHANGE) {
      if (!active[t->me]) t->out[x] = 0;
      if (!active[x]) t->in[x] = 0;
    }
    if (c->task == HY_TASK_PARTIAL_GATHER) {
      if (!active[x]) t->out[x] = 0;
      if (!active[t->me]) t->in[x] = 0;
    }
    if (c->task == HY_TASK_WINDOW && (x | t->me) >> c->window != 0) t->in[x] = 0;
    if (permutes && to[t->me] != x) t->out[x] = 0;
    if (permutes && to[x] != t->me) t->in[x] = 0;
  }
}

/* One exchange for each matrix, among the nodes within its band. */
static void by_matrices(struct trial *t) {
  const struct hy_collective *c = &t->c;
  const int words = (int)c->blocks.words, members = 1 << c->dims;
  for (int j = 0; j < c->matrices; j++) {
    MPI_Request request;
    for (int x = 0; x < members; x++) {
      bool partners = hy_partners_of(c, j, (uint32_t)t->me, (uint32_t)x);
      t->out[x] = t->in[x] = partners ? words : 0;
      t->start[x] = (j * members + x) * words;
      t->own[x] = c->task == HY_TASK_BAND_BROADCAST ? (j * members + t->me) * words : t->start[x];
    }
    MPI_Ialltoallv(before, t->out, t->own, MPI_INT64_T, want, t->in, t->start, MPI_INT64_T, t->comm,
                   &request);
    harness_finish(&request);
  }
}

/* MPI's result from `before'. */
static void by_mpi(struct trial *t) {
  const struct hy_collective *c = &t->c;
  int root = (int)c->root, words = (int)c->blocks.words, me = t->me;
  MPI_Request request;
  count_words(t);
  memcpy(want, before, sizeof want);
  switch (c->task) {
  case HY_TASK_BROADCAST: MPI_Ibcast(want, words, MPI_INT64_T, root, t->comm, &request); break;
  case HY_TASK_REDUCE:
    MPI_Ireduce(before, want, words, MPI_INT64_T, MPI_SUM, root, t->comm, &request);
    break;
  case HY_TASK_ALLREDUCE:
    MPI_Iallreduce(before, want, words, MPI_INT64_T, MPI_SUM, t->comm, &request);
    break;
  case HY_TASK_SCATTER:
    MPI_Iscatterv(before, t->in, t->start, MPI_INT64_T, want + t->start[me], t->in[me], MPI_INT64_T,
                  root, t->comm, &request);
    break;
  case HY_TASK_GATHER:
    MPI_Igatherv(before + t->start[me], t->in[me], MPI_INT64_T, want, t->in, t->start, MPI_INT64_T,
                 root, t->comm, &request);
    break;
  case HY_TASK_ALLGATHER:
  case HY_TASK_PARTIAL:
    MPI_Iallgatherv(before + t->start[me], t->in[me], MPI_INT64_T, want, t->in, t->start,
                    MPI_INT64_T, t->comm, &request);
    break;
  case HY_TASK_REDUCE_SCATTER:
    MPI_Ireduce_scatter(before, want + t->start[me], t->in, MPI_INT64_T, MPI_SUM, t->comm,
                        &request);
    break;
  case HY_TASK_WINDOW:
    /* Each gives its own block, at the place where it gets the other ones. */
    for (int x = 0; x < 1 << c->dims; x++) t->own[x] = t->start[me];
    for (int x = 0; x < 1 << c->dims; x++) t->out[x] = (x | me) >> c->window == 0 ? words : 0;
    MPI_Ialltoallv(before, t->out, t->own, MPI_INT64_T, want, t->in, t->start, MPI_INT64_T, t->comm,
                   &request);
    break;
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST: by_matrices(t); return;
  case HY_TASK_EXCHANGE:
  case HY_TASK_PARTIAL_EXCHANGE:
  case HY_TASK_PARTIAL_GATHER:
  case HY_TASK_PERMUTE:
    MPI_Ialltoallv(before, t->out, t->start, MPI_INT64_T, want, t->in, t->start, MPI_INT64_T,
                   t->comm, &request);
    break;
  }
  harness_finish(&request);
}

/* The contract says which words count, MPI what they are. */
static void compare(const struct trial *t) {
  for (int64_t i = 0; i < hy_contract_words(&t->c); i++)
    if (hy_contract_after(&t->c, (uint32_t)t->me, i) != 0) assert_true(data[i] == want[i]);
}

static void fill(void) {
  for (int64_t i = 0; i < MOST_WORDS; i++) before[i] = (cube->address + 1) * 1000003 + i;
  memcpy(data, before, sizeof data);
}

/* Draws lengths: equal, or unequal if the row takes them. */
static void draw_lengths(const struct hy_collective_variant *row, struct trial *t, int64_t words,
                         bool equal) {
  struct hy_collective *c = &t->c;
  c->blocks = (struct hy_blocks){.words = words};
  if (equal || c->task <= HY_TASK_ALLREDUCE) return; /* one block */
  if (c->task >= HY_TASK_PARTIAL_EXCHANGE) return;   /* equal lengths */
  for (int x = 0; x < 1 << c->dims; x++) {
    t->offsets[x + 1] = t->offsets[x] + harness_draw(0, 2 * words);
    t->sources[x] = harness_draw(0, words);
    t->targets[x] = harness_draw(0, 2);
  }
  bool ragged = c->task == HY_TASK_EXCHANGE || c->task == HY_TASK_PERMUTE;
  if (!ragged) c->blocks = (struct hy_blocks){.offsets = t->offsets};
  if (ragged && row->ragged) c->blocks.sources = t->sources;
  if (ragged && row->ragged && c->task == HY_TASK_EXCHANGE) {
    c->blocks.words = 2 * words;
    c->blocks.targets = t->targets;
  }
}

static void try_row(const struct hy_collective_variant *row, enum hy_task task, struct trial *t,
                    int64_t words, bool equal) {
  struct hy_subcube_op op;
  int d = hy_popcount(t->dims);
  bool rooted = task < HY_TASK_ALLGATHER;
  t->c = (struct hy_collective){.task = task,
                                .dims = d,
                                .within = t->dims,
                                .size = sizeof *data,
                                .combining = {.combine = add},
                                .root = rooted ? (uint32_t)harness_draw(0, (1 << d) - 1) : 0,
                                .groups = (int)harness_draw(1, 3),
                                .band = draw_band(row, d),
                                .window = draw_window(row, d),
                                .matrices = draw_matrices(row),
                                .active = active,
                                .to = to};
  draw(row, d);
  draw_lengths(row, t, words, equal);
  if (hy_variant_refuses(row, &t->c) != NULL)
    t->c.blocks.words = hy_variant_form(row, &t->c).divisor;
  if (row->banded && d == 0) return; /* one node has no band */
  assert_null(hy_variant_refuses(row, &t->c));
  harness_note("%s %s, dims %x, root %u, m = %lld%s", hy_task_name(task), row->base.name, t->dims,
               t->c.root, (long long)t->c.blocks.words, equal ? "" : ", unequal");
  fill();
  by_mpi(t);
  assert_int_equal(hy_subcube_plan(NULL, cube, &t->c, row->base.name, &op), HYLA_OK);
  assert_int_equal(hy_subcube_allocate(&op), HYLA_OK);
  assert_int_equal(hy_subcube_run(&op, data), HYLA_OK);
  hy_subcube_free(&op);
  compare(t);
}

static void try_allreduce(struct trial *t, int64_t words) {
  t->c = (struct hy_collective){
      .task = HY_TASK_ALLREDUCE, .dims = hy_popcount(t->dims), .blocks = {.words = words}};
  harness_note("allreduce, dims %x, m = %lld", t->dims, (long long)words);
  fill();
  by_mpi(t);
  assert_int_equal(hy_allreduce(cube, t->dims, data, words, sizeof *data, add, NULL, work),
                   HYLA_OK);
  compare(t);
}

static void try_all(uint32_t dims) {
  static const int64_t lengths[] = {7, 0, 13};
  struct trial t = {.dims = dims, .comm = MPI_COMM_WORLD, .me = cube->address};
  bool whole = dims == (uint32_t)cube->nodes - 1;
  if (!whole) {
    t.me = (int)hy_extract((uint32_t)cube->address, dims);
    MPI_Comm_split(MPI_COMM_WORLD, cube->address & (int)~dims, t.me, &t.comm);
  }
  for (int i = 0; i < 3; i++) {
    const struct hy_collective_variant *row = NULL;
    for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
      enum hy_task tasks[2];
      int count = tasks_of(row, tasks);
      for (int j = 0; j < count; j++) try_row(row, tasks[j], &t, lengths[i], i != 2);
    }
    try_allreduce(&t, lengths[i]);
  }
  try_allreduce(&t, MOST_WORDS - 1);
  if (!whole) MPI_Comm_free(&t.comm);
}

static void on_the_whole_cube(void **state) {
  (void)state;
  try_all((uint32_t)cube->nodes - 1);
}

static void on_subcubes(void **state) {
  (void)state;
  for (int i = 0; i < (cube->dims < 4 ? 2 : 1); i++)
    try_all((uint32_t)harness_draw(0, cube->nodes - 1));
}

/* MPI's own collectives through hyla's call, which checks every word; other names are refused. */
static void mpis_own_for_comparison(void **state) {
  (void)state;
  static const char *const names[] = {"broadcast", "reduce",    "allreduce",      "scatter",
                                      "gather",    "allgather", "reduce-scatter", "exchange"};
  static const char *const others[] = {"window", "band-exchange", "band-broadcast"};
  for (int i = 0; i < 8; i++)
    for (int64_t words = 0; words <= 17; words += words == 0 ? 1 : 16) {
      enum hy_task task;
      assert_true(hy_trial_task(names[i], &task));
      const int root = (int)harness_draw(0, cube->nodes - 1);
      const hyla_collective c = {
          .name = names[i], .words = words, .root = hy_task_rooted(task) ? root : 0};
      double seconds = -1;
      harness_note("%s of %lld words", c.name, (long long)words);
      assert_int_equal(hyla_collective_run_mpi(cube, &c, &seconds), HYLA_OK);
      assert_true(seconds >= 0);
    }
  for (int i = 0; i < 3; i++) {
    const hyla_collective c = {.name = others[i], .words = 1};
    double seconds;
    assert_int_equal(hyla_collective_run_mpi(cube, &c, &seconds), HYLA_UNSUPPORTED);
  }
  const hyla_collective unknown = {.name = "broadcats"};
  double seconds;
  assert_int_equal(hyla_collective_run_mpi(cube, &unknown, &seconds), HYLA_ARGUMENT);
}

/* The same for those on some of the ranks. */
static void mpis_own_for_some_ranks(void **state) {
  (void)state;
  const int last[] = {cube->nodes - 1}, dims = cube->dims;
  const hyla_collective some[] = {
      {.name = "partial"},
      {.name = "partial", .active = 1, .which = last},
      {.name = "partial-exchange", .active = 1, .which = last},
      {.name = "partial-gather", .active = (cube->nodes + 1) / 2},
      {.name = "permute"},
      {.name = "permute", .variant = "corner-2", .root = cube->nodes - 1},
      {.name = "permute", .variant = "gray"},
      {.name = "exchange", .nearest = dims > 0, .farthest = dims > 0},
      {.name = "exchange", .tags = dims > 0, .tag = last},
      {.name = "exchange", .variant = "v92-band", .distance = dims > 0},
  };
  for (size_t i = 0; i < sizeof some / sizeof *some; i++)
    for (int64_t words = 0; words <= 17; words += words == 0 ? 1 : 16) {
      hyla_collective c = some[i];
      double seconds = -1;
      c.words = words;
      harness_note("case %zu, %s of %lld words", i, c.name, (long long)words);
      assert_int_equal(hyla_collective_run_mpi(cube, &c, &seconds), HYLA_OK);
      assert_true(seconds >= 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(on_the_whole_cube, set_up, tear_down),
      cmocka_unit_test_setup_teardown(on_subcubes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(mpis_own_for_comparison, set_up, tear_down),
      cmocka_unit_test_setup_teardown(mpis_own_for_some_ranks, set_up, tear_down),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
