/* hyla_collective_run_mpi: MPI's own collective in hyla's place, on the same labelled words,
 * checked. */
#include "collective/trial.h"

#include <string.h>

/* By task, where MPI has one. */
struct peer {
  enum hy_task task;
  enum hy_peer_operation operation;
};
static const struct peer PEERS[] = {
    {HY_TASK_BROADCAST, HY_PEER_BROADCAST}, {HY_TASK_REDUCE, HY_PEER_REDUCE},
    {HY_TASK_ALLREDUCE, HY_PEER_ALLREDUCE}, {HY_TASK_SCATTER, HY_PEER_SCATTER},
    {HY_TASK_GATHER, HY_PEER_GATHER},       {HY_TASK_ALLGATHER, HY_PEER_ALLGATHER},
    {HY_TASK_EXCHANGE, HY_PEER_EXCHANGE},   {HY_TASK_REDUCE_SCATTER, HY_PEER_REDUCE_SCATTER},
};
enum { PEER_COUNT = sizeof PEERS / sizeof *PEERS };

/* What is given and got, as the contract has them. */
struct words {
  struct hy_collective collective;
  int64_t count;
  uint64_t *from, *into;
};

static const struct peer *peer_of(const hyla_collective *c) {
  enum hy_task task;
  for (int i = 0; i < PEER_COUNT && hy_trial_task(c->name, &task); i++)
    if (PEERS[i].task == task) return &PEERS[i];
  return NULL;
}

static hyla_status check(hyla_cube *cube, const hyla_collective *c, const void *place) {
  TRY(hy_trial_check(cube, c, place));
  CHECK(&cube->base, peer_of(c) != NULL, UNSUPPORTED, "MPI has no %s", c->name);
  int64_t blocks = peer_of(c)->task == HY_TASK_EXCHANGE ? cube->nodes : 1;
  return hy_peer_check(cube, c->words * blocks);
}

static hyla_status take(hyla_cube *cube, struct words *x) {
  TRY(hy_alloc(&cube->base, x->count, sizeof *x->from, &x->from));
  TRY(hy_alloc(&cube->base, x->count, sizeof *x->into, &x->into));
  const uint32_t me = (uint32_t)cube->address;
  for (int64_t i = 0; i < x->count; i++) x->from[i] = hy_contract_before(&x->collective, me, i);
  memset(x->into, 0, (size_t)x->count * sizeof *x->into);
  return HYLA_OK;
}

/* Where a rank's own block stands, which gather and all-gather send from and scatter and
 * reduce-scatter receive to. */
static struct hy_peer_call call_of(const struct words *x, const struct peer *peer, int me) {
  const int64_t words = x->collective.blocks.words, own = me * words;
  struct hy_peer_call call = {peer->operation, (int)x->collective.root, words, x->from, x->into};
  if (peer->task == HY_TASK_BROADCAST) call.into = x->from;
  if (peer->task == HY_TASK_GATHER || peer->task == HY_TASK_ALLGATHER) call.from += own;
  if (peer->task == HY_TASK_SCATTER || peer->task == HY_TASK_REDUCE_SCATTER) call.into += own;
  return call;
}

static hyla_status compare(hyla_cube *cube, const struct words *x, const uint64_t *got) {
  const uint32_t me = (uint32_t)cube->address;
  for (int64_t i = 0; i < x->count; i++) {
    uint64_t wanted = hy_contract_after(&x->collective, me, i);
    CHECK(&cube->base, wanted == 0 || got[i] == wanted, COMMUNICATION,
          "MPI's %s: word %lld on node %u is wrong", hy_task_name(x->collective.task), (long long)i,
          me);
  }
  return HYLA_OK;
}

static hyla_status run(hyla_cube *cube, const hyla_collective *c, struct words *x,
                       double *seconds) {
  const struct peer *peer = peer_of(c);
  x->collective = (struct hy_collective){.task = peer->task,
                                         .dims = cube->dims,
                                         .root = (uint32_t)c->root,
                                         .blocks = {.words = c->words}};
  x->count = hy_contract_words(&x->collective);
  TRY(hy_agree(cube, take(cube, x)));
  const struct hy_peer_call call = call_of(x, peer, cube->address);
  double start = hyla_cube_clock(cube);
  TRY(hy_peer_run(cube, &call));
  *seconds = hyla_cube_clock(cube) - start;
  return compare(cube, x, peer->task == HY_TASK_BROADCAST ? x->from : x->into);
}

hyla_status hyla_collective_run_mpi(hyla_cube *cube, const hyla_collective *collective,
                                    double *seconds) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_enter(cube, check(cube, collective, seconds), hy_trial_fingerprint(collective),
               "hyla_collective_run_mpi"));
  struct words x = {0};
  double time = 0;
  hyla_status status = hy_agree(cube, run(cube, collective, &x, &time));
  hy_free(&cube->base, &x.from);
  hy_free(&cube->base, &x.into);
  if (status != HYLA_OK) return status;
  int64_t bits; /* positive numbers stand in the order of their bits */
  memcpy(&bits, &time, sizeof bits);
  TRY(hyla_cube_max(cube, &bits, 1));
  memcpy(seconds, &bits, sizeof *seconds);
  return HYLA_OK;
}
