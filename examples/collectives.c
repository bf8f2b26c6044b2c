/* Each collective operation on a program's own numbers, compared with MPI's call for the same.
 *
 *   mpicc collectives.c $(pkg-config --cflags --libs hyla) -o collectives
 *   mpiexec -n 4 ./collectives
 *
 * On 1, 2, 4, ... 64 ranks, on which the cube's numbers are those of MPI_COMM_WORLD. */
#include <hyla_collective.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, ROOT = 0, BANDS = 2 };

/* A rank has two numbers for each rank, for each of two matrices.  It gets results by hyla and by
 * MPI. */
struct data {
  int rank, ranks;
  double mine[2 * BANDS * MOST], got[2 * BANDS * MOST], wanted[2 * BANDS * MOST];
};

static const hyla_message pair = {.count = 2, .size = sizeof(double)};
static const hyla_reduction sum = {.number = HYLA_NUMBER_DOUBLE, .by = HYLA_COMBINE_SUM};
static const MPI_Comm all = MPI_COMM_WORLD;

static hyla_status broadcast(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_broadcast_plan(cube, &pair, ROOT, plan);
  if (x->rank == ROOT) memcpy(x->got, x->mine, 2 * sizeof(double));
  if (!status) status = hyla_plan_run_on(cube, *plan, x->got, x->rank == ROOT ? NULL : x->got);
  if (x->rank == ROOT) memcpy(x->wanted, x->mine, 2 * sizeof(double));
  MPI_Bcast(x->wanted, 2, MPI_DOUBLE, ROOT, all);
  return status;
}

static hyla_status reduce(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_reduce_plan(cube, &pair, &sum, ROOT, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Reduce(x->mine, x->wanted, 2, MPI_DOUBLE, MPI_SUM, ROOT, all);
  return status;
}

static hyla_status scatter(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_scatter_plan(cube, &pair, ROOT, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Scatter(x->mine, 2, MPI_DOUBLE, x->wanted, 2, MPI_DOUBLE, ROOT, all);
  return status;
}

static hyla_status gather(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_gather_plan(cube, &pair, ROOT, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Gather(x->mine, 2, MPI_DOUBLE, x->wanted, 2, MPI_DOUBLE, ROOT, all);
  return status;
}

/* Rank y gives 1, 2 or 3 numbers. */
static hyla_status uneven(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int lengths[MOST], starts[MOST + 1] = {0};
  int64_t counts[MOST];
  for (int y = 0; y < x->ranks; y++) counts[y] = lengths[y] = 1 + y % 3;
  for (int y = 0; y < x->ranks; y++) starts[y + 1] = starts[y] + lengths[y];
  hyla_message some = {.size = sizeof(double), .counts = counts};
  hyla_status status = hyla_gather_plan(cube, &some, ROOT, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Gatherv(x->mine, lengths[x->rank], MPI_DOUBLE, x->wanted, lengths, starts, MPI_DOUBLE, ROOT,
              all);
  return status;
}

static hyla_status allgather(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_allgather_plan(cube, &pair, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Allgather(x->mine, 2, MPI_DOUBLE, x->wanted, 2, MPI_DOUBLE, all);
  return status;
}

static hyla_status reduce_scatter(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_reduce_scatter_plan(cube, &pair, &sum, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Reduce_scatter_block(x->mine, x->wanted, 2, MPI_DOUBLE, MPI_SUM, all);
  return status;
}

static hyla_status allreduce(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_allreduce_plan(cube, &pair, &sum, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Allreduce(x->mine, x->wanted, 2, MPI_DOUBLE, MPI_SUM, all);
  return status;
}

static hyla_status exchange(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  hyla_status status = hyla_exchange_plan(cube, &pair, NULL, 0, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Alltoall(x->mine, 2, MPI_DOUBLE, x->wanted, 2, MPI_DOUBLE, all);
  return status;
}

/* MPI's exchange with the ranks whose `counts' are 2, not 0. */
static void exchange_some(struct data *x, const int *counts) {
  int places[MOST];
  for (int y = 0; y < x->ranks; y++) places[y] = 2 * y;
  MPI_Alltoallv(x->mine, counts, places, MPI_DOUBLE, x->wanted, counts, places, MPI_DOUBLE, all);
}

/* An exchange with ranks whose numbers differ in one bit: the neighbours on the cube. */
static hyla_status neighbours(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int counts[MOST] = {0};
  hyla_status status = hyla_exchange_near_plan(cube, &pair, 1, 1, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  for (int bit = 1; bit < x->ranks; bit *= 2) counts[x->rank ^ bit] = 2;
  exchange_some(x, counts);
  return status;
}

/* An exchange with ranks whose numbers differ in bit 0, in bits 0 and 1, in bits 0 to 2, ... */
static hyla_status by_tags(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int counts[MOST] = {0};
  bool tags[MOST] = {false};
  for (int tag = 1; tag < x->ranks; tag = 2 * tag + 1) tags[tag] = true, counts[x->rank ^ tag] = 2;
  hyla_status status = hyla_exchange_tags_plan(cube, &pair, tags, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  exchange_some(x, counts);
  return status;
}

/* An exchange with ranks whose columns are adjacent to the own one, or equal: a tridiagonal
 * matrix. */
static hyla_status band(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int counts[MOST] = {0}, column = hyla_band_column(x->ranks, 0, x->rank);
  hyla_status status = hyla_exchange_band_plan(cube, &pair, 0, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  for (int at = column - 1; at <= column + 1; at++)
    counts[hyla_band_rank(x->ranks, 0, (at + x->ranks) % x->ranks)] = 2;
  exchange_some(x, counts);
  return status;
}

/* Sets counts to 2 for ranks whose columns are within the band of 2^(b+1) + 1 diagonals. */
static void count_band(const struct data *x, int b, int matrix, int *counts) {
  int column = hyla_bands_column(x->ranks, b, matrix, x->rank), reach = 1 << b;
  for (int y = 0; y < x->ranks; y++) counts[y] = 0;
  for (int at = column - reach; at <= column + reach; at++)
    counts[hyla_bands_rank(x->ranks, b, matrix, (at + x->ranks) % x->ranks)] = 2;
}

/* The same for two matrices at once, with five diagonals if there are enough columns. */
static hyla_status bands(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int counts[MOST], places[MOST], b = x->ranks > 2;
  hyla_status status = hyla_exchange_bands_plan(cube, &pair, b, BANDS, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  for (int j = 0; j < BANDS; j++) {
    count_band(x, b, j, counts);
    for (int y = 0; y < x->ranks; y++) places[y] = 2 * (j * x->ranks + y);
    MPI_Alltoallv(x->mine, counts, places, MPI_DOUBLE, x->wanted, counts, places, MPI_DOUBLE, all);
  }
  return status;
}

/* For two matrices at once: one message for all ranks whose columns are within the band. */
static hyla_status band_broadcast(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int counts[MOST], from[MOST], places[MOST], b = x->ranks > 2;
  hyla_status status = hyla_broadcast_bands_plan(cube, &pair, b, BANDS, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  for (int j = 0; j < BANDS; j++) {
    count_band(x, b, j, counts);
    for (int y = 0; y < x->ranks; y++) from[y] = 2 * j, places[y] = 2 * (j * x->ranks + y);
    MPI_Alltoallv(x->mine, counts, from, MPI_DOUBLE, x->wanted, counts, places, MPI_DOUBLE, all);
  }
  return status;
}

/* A message from each even rank to all ranks. */
static hyla_status partial(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  bool active[MOST];
  int counts[MOST], places[MOST];
  for (int y = 0; y < x->ranks; y++)
    active[y] = y % 2 == 0, counts[y] = active[y] ? 2 : 0, places[y] = 2 * y;
  hyla_status status = hyla_partial_plan(cube, &pair, active, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Allgatherv(x->mine, active[x->rank] ? 2 : 0, MPI_DOUBLE, x->wanted, counts, places,
                 MPI_DOUBLE, all);
  return status;
}

/* Each even rank has a message for every rank. */
static hyla_status partial_exchange(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  bool even[MOST];
  int out[MOST], in[MOST], places[MOST];
  for (int y = 0; y < x->ranks; y++) {
    even[y] = y % 2 == 0, places[y] = 2 * y;
    out[y] = x->rank % 2 == 0 ? 2 : 0, in[y] = even[y] ? 2 : 0;
  }
  hyla_status status = hyla_partial_exchange_plan(cube, &pair, even, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Alltoallv(x->mine, out, places, MPI_DOUBLE, x->wanted, in, places, MPI_DOUBLE, all);
  return status;
}

/* Every rank has a message for each even rank. */
static hyla_status partial_gather(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  bool even[MOST];
  int out[MOST], in[MOST], places[MOST];
  for (int y = 0; y < x->ranks; y++) {
    even[y] = y % 2 == 0, places[y] = 2 * y;
    out[y] = even[y] ? 2 : 0, in[y] = x->rank % 2 == 0 ? 2 : 0;
  }
  hyla_status status = hyla_partial_gather_plan(cube, &pair, even, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Alltoallv(x->mine, out, places, MPI_DOUBLE, x->wanted, in, places, MPI_DOUBLE, all);
  return status;
}

/* The first two ranks (or the only one) exchange messages; the others lend their links. */
static hyla_status window(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int few = x->ranks < 2 ? x->ranks : 2;
  hyla_status status = hyla_window_plan(cube, &pair, few - 1, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  for (int y = 0; y < few && x->rank < few; y++)
    MPI_Sendrecv(x->mine, 2, MPI_DOUBLE, y, 0, x->wanted + 2 * y, 2, MPI_DOUBLE, y, 0, all,
                 MPI_STATUS_IGNORE);
  return status;
}

/* A message to the rank whose number has the opposite bits, as in a reversal. */
static hyla_status permute(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int to[MOST], peer = x->ranks - 1 - x->rank;
  for (int y = 0; y < x->ranks; y++) to[y] = x->ranks - 1 - y;
  hyla_status status = hyla_permute_plan(cube, &pair, to, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Sendrecv(x->mine, 2, MPI_DOUBLE, peer, 0, x->wanted, 2, MPI_DOUBLE, peer, 0, all,
               MPI_STATUS_IGNORE);
  return status;
}

/* A message to the next rank on a circle. */
static hyla_status rotate(hyla_cube *cube, struct data *x, hyla_plan **plan) {
  int next = (x->rank + 1) % x->ranks, last = (x->rank + x->ranks - 1) % x->ranks;
  hyla_status status = hyla_rotate_plan(cube, &pair, HYLA_BINARY, 1, plan);
  if (!status) status = hyla_plan_run_on(cube, *plan, x->mine, x->got);
  MPI_Sendrecv(x->mine, 2, MPI_DOUBLE, next, 0, x->wanted, 2, MPI_DOUBLE, last, 0, all,
               MPI_STATUS_IGNORE);
  return status;
}

typedef hyla_status operation(hyla_cube *cube, struct data *x, hyla_plan **plan);

/* Runs one operation; rank 0 prints whether hyla's result equals MPI's on all ranks. */
static bool agrees(hyla_cube *cube, const char *name, operation *run) {
  struct data x = {.rank = hyla_cube_address(cube), .ranks = hyla_cube_nodes(cube)};
  for (int i = 0; i < 2 * BANDS * MOST; i++)
    x.mine[i] = 100 * x.rank + i, x.got[i] = x.wanted[i] = -1;
  hyla_plan *plan = NULL;
  hyla_status status = run(cube, &x, &plan);
  int same = !status && memcmp(x.got, x.wanted, sizeof x.got) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, all);
  if (x.rank == 0)
    printf("%-14s by %-16s %s\n", name, status ? "-" : hyla_plan_variant(plan),
           status ? hyla_cube_message(cube)
           : same ? "as MPI"
                  : "NOT as MPI");
  hyla_plan_destroy(&plan);
  return same;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    operation *run;
  } each[] = {{"broadcast", broadcast},
              {"reduce", reduce},
              {"scatter", scatter},
              {"gather", gather},
              {"uneven gather", uneven},
              {"allgather", allgather},
              {"reduce-scatter", reduce_scatter},
              {"allreduce", allreduce},
              {"exchange", exchange},
              {"neighbours", neighbours},
              {"tags", by_tags},
              {"band", band},
              {"bands", bands},
              {"band broadcast", band_broadcast},
              {"partial", partial},
              {"some to all", partial_exchange},
              {"all to some", partial_gather},
              {"window", window},
              {"permute", permute},
              {"rotate", rotate}};
  MPI_Init(&argc, &argv);
  hyla_cube *cube = NULL;
  hyla_options options;
  hyla_options_init(&options);
  options.array = "cube"; /* rotate and window want one */
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &options, &cube);
  bool good = !status && hyla_cube_guests(cube) == 0 && hyla_cube_nodes(cube) <= MOST;
  if (status)
    fprintf(stderr, "collectives: %s\n", hyla_cube_message(cube));
  else if (!good)
    fprintf(stderr, "collectives: start it on 1, 2, 4, ... %d ranks\n", MOST);
  for (size_t i = 0; good && i < sizeof each / sizeof *each; i++)
    good = agrees(cube, each[i].name, each[i].run);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return good ? 0 : 1;
}
