/* Buffers, subcubes and runs of collectives on users' buffers; see user_case.h. */
#include "user_case.h"

#include <string.h>

hyla_cube *cube;
_Alignas(16) unsigned char given[ROOM], kept[ROOM], got[ROOM], want[ROOM];

int set_up(void **state) {
  (void)state;
  return hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) != HYLA_OK;
}

int tear_down(void **state) {
  (void)state;
  return hyla_cube_destroy(&cube) != HYLA_OK;
}

struct ground make_ground(uint32_t apart) {
  struct ground g = {.apart = apart,
                     .me = hyla_subcube_rank(cube, apart),
                     .ranks = hyla_subcube_ranks(cube, apart)};
  MPI_Comm_split(MPI_COMM_WORLD, (int)((uint32_t)cube->address & apart), g.me, &g.comm);
  int rank = -1;
  MPI_Comm_rank(g.comm, &rank);
  assert_int_equal(rank, g.me);
  return g;
}

void fill(void) {
  for (int i = 0; i < ROOM; i++) {
    given[i] = (unsigned char)(cube->address * 37 + i * 11 + i / 251);
    got[i] = want[i] = (unsigned char)(i * 5 + 3);
  }
  memcpy(kept, given, sizeof given);
}

void run_at(hyla_plan *plan, size_t at, size_t in_place) {
  const int64_t before = cube->base.allocations;
  memcpy(got + at, given, in_place);
  assert_int_equal(hyla_plan_run_on(cube, plan, in_place > 0 ? MPI_IN_PLACE : given, got), HYLA_OK);
  assert_int_equal(cube->base.allocations, before);
  assert_memory_equal(given, kept, sizeof given);
  assert_int_equal(hyla_plan_destroy(&plan), HYLA_OK);
}

void run(hyla_plan *plan, size_t in_place) { run_at(plan, 0, in_place); }

void compare(void) { assert_memory_equal(got, want, sizeof got); }

void by_blocks(const struct ground *g, size_t one, const bool *out, const bool *in) {
  int sends[MEMBERS], receives[MEMBERS], starts[MEMBERS];
  MPI_Request request;
  for (int x = 0; x < g->ranks; x++) {
    sends[x] = out[x] ? (int)one : 0;
    receives[x] = in[x] ? (int)one : 0;
    starts[x] = x * (int)one;
  }
  MPI_Ialltoallv(given, sends, starts, MPI_BYTE, want, receives, starts, MPI_BYTE, g->comm,
                 &request);
  harness_finish(&request);
}

void compose(void *into, const void *from, int64_t count, const void *arg) {
  uint32_t *f = into;
  const uint32_t *g = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++, f += 2, g += 2) {
    f[1] = g[0] * f[1] + g[1];
    f[0] = g[0] * f[0];
  }
}

void compose_mpi(void *from, void *into, int *count, MPI_Datatype *type) {
  uint32_t *f = from, *g = into;
  (void)type;
  for (int i = 0; i < *count; i++, f += 2, g += 2) {
    g[1] = g[0] * f[1] + g[1];
    g[0] = g[0] * f[0];
  }
}
