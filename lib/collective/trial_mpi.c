/* hyla_collective_run_mpi: MPI's own collective in place of hyla's, on the same labelled words,
 * checked. */
#include "collective/planned.h"

#include <string.h>

/* MPI's operation for each task that it has. */
struct peer {
  enum hy_task task;
  enum hy_peer_operation operation;
};
static const struct peer PEERS[] = {
    {HY_TASK_BROADCAST, HY_PEER_BROADCAST},
    {HY_TASK_REDUCE, HY_PEER_REDUCE},
    {HY_TASK_ALLREDUCE, HY_PEER_ALLREDUCE},
    {HY_TASK_SCATTER, HY_PEER_SCATTER},
    {HY_TASK_GATHER, HY_PEER_GATHER},
    {HY_TASK_ALLGATHER, HY_PEER_ALLGATHER},
    {HY_TASK_EXCHANGE, HY_PEER_EXCHANGE},
    {HY_TASK_REDUCE_SCATTER, HY_PEER_REDUCE_SCATTER},
    {HY_TASK_PARTIAL, HY_PEER_ALLGATHER_SOME},
    {HY_TASK_PERMUTE, HY_PEER_PERMUTE},
    {HY_TASK_PARTIAL_EXCHANGE, HY_PEER_EXCHANGE_SOME},
    {HY_TASK_PARTIAL_GATHER, HY_PEER_EXCHANGE_SOME},
};
enum { PEER_COUNT = sizeof PEERS / sizeof *PEERS };

/* The words to give and to get, in the contract's layout, and the partners; it owns them. */
struct words {
  struct hy_collective what;
  int64_t count;
  uint64_t *from, *into;
  int *counts; /* words to each rank, words from each, and their places */
};

static const struct peer *peer_of(const hyla_collective *c) {
  enum hy_task task;
  for (int i = 0; i < PEER_COUNT && hy_trial_task(c->name, &task); i++)
    if (PEERS[i].task == task) return &PEERS[i];
  return NULL;
}

static hyla_status check(hyla_cube *cube, const hyla_collective *c, const void *place) {
  TRY(hy_trial_check(cube, c, place));
  const struct peer *peer = peer_of(c);
  CHECK(&cube->base, peer != NULL, UNSUPPORTED, "MPI has no %s", c->name);
  bool all = peer->operation >= HY_PEER_EXCHANGE && peer->operation != HY_PEER_PERMUTE;
  return hy_peer_check(cube, c->words * (all ? cube->ranks.all : 1));
}

/* Does `rank' have words for `other'? */
static bool has(const struct hy_collective *c, uint32_t rank, uint32_t other) {
  if (c->task == HY_TASK_EXCHANGE) return hy_partners(c, rank, other);
  return c->active[c->task == HY_TASK_PARTIAL_GATHER ? other : rank] != 0;
}

static hyla_status allocate(hyla_cube *cube, struct words *x) {
  const struct hy_collective *c = &x->what;
  const uint32_t me = (uint32_t)cube->base.rank, nodes = (uint32_t)cube->ranks.all;
  const int words = (int)c->blocks.words;
  bool chooses = c->task == HY_TASK_EXCHANGE || hy_task_chooses(c->task);
  x->count = hy_contract_words(c);
  TRY(hy_alloc_for(&cube->base, x, x->count, sizeof *x->from, &x->from));
  TRY(hy_alloc_for(&cube->base, x, x->count, sizeof *x->into, &x->into));
  for (int64_t i = 0; i < x->count; i++) x->from[i] = hy_contract_before(c, me, i);
  memset(x->into, 0, (size_t)x->count * sizeof *x->into);
  if (!chooses) return HYLA_OK;
  TRY(hy_alloc_for(&cube->base, x, 3 * (int64_t)nodes, sizeof *x->counts, &x->counts));
  for (uint32_t y = 0; y < nodes; y++) {
    x->counts[y] = has(c, me, y) ? words : 0;
    x->counts[nodes + y] = has(c, y, me) ? words : 0;
    x->counts[2 * nodes + y] = (int)y * words;
  }
  return HYLA_OK;
}

/* An exchange with all ranks uses MPI's simpler operation. */
static enum hy_peer_operation operation_of(const struct hy_collective *c, const struct peer *peer) {
  bool some = c->band > 0 || c->farthest > 0 || c->tags != NULL;
  return some ? HY_PEER_EXCHANGE_SOME : peer->operation;
}

/* The call.  Gather and all-gather send from the place of the rank's own block; scatter and
 * reduce-scatter receive to it. */
static struct hy_peer_call call_of(const struct words *x, const struct peer *peer,
                                   const hyla_cube *cube) {
  const struct hy_collective *c = &x->what;
  const int64_t words = c->blocks.words, own = cube->base.rank * words;
  struct hy_peer_call call = {.operation = operation_of(c, peer),
                              .root = (int)c->root,
                              .words = words,
                              .from = x->from,
                              .into = x->into};
  if (x->counts != NULL) {
    call.to = x->counts;
    call.of = call.to + cube->ranks.all;
    call.at = call.of + cube->ranks.all;
  }
  if (c->task == HY_TASK_BROADCAST) call.into = x->from;
  if (c->task == HY_TASK_GATHER || c->task == HY_TASK_ALLGATHER) call.from += own;
  if (c->task == HY_TASK_SCATTER || c->task == HY_TASK_REDUCE_SCATTER) call.into += own;
  if (c->task == HY_TASK_PARTIAL) {
    call.from += own;
    call.words = x->counts[cube->ranks.all + cube->base.rank];
  }
  if (c->task == HY_TASK_PERMUTE) {
    call.target = c->to[cube->base.rank];
    call.source = (int)hy_contract_source(c, (uint32_t)cube->base.rank);
  }
  return call;
}

static hyla_status compare(hyla_cube *cube, const struct words *x, const uint64_t *got) {
  const uint32_t me = (uint32_t)cube->base.rank;
  const struct hy_collective *c = &x->what;
  for (int64_t i = 0; i < x->count; i++) {
    uint64_t wanted = hy_contract_after(c, me, i);
    CHECK(&cube->base, wanted == 0 || got[i] == wanted, COMMUNICATION,
          "MPI's %s: word %lld on node %u is wrong", hy_task_name(c->task), (long long)i, me);
  }
  return HYLA_OK;
}

static hyla_status run(hyla_cube *cube, const hyla_collective *c, struct words *x,
                       double *seconds) {
  const struct peer *peer = peer_of(c);
  TRY(hy_agree(cube, hy_trial_describe(cube, c, x, &x->what)));
  TRY(hy_agree(cube, allocate(cube, x)));
  const struct hy_peer_call call = call_of(x, peer, cube);
  double start = hyla_cube_clock(cube);
  TRY(hy_peer_run(cube, &call));
  *seconds = hyla_cube_clock(cube) - start;
  return compare(cube, x, peer->task == HY_TASK_BROADCAST ? x->from : x->into);
}

hyla_status hyla_collective_run_mpi(hyla_cube *cube, const hyla_collective *c, double *seconds) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_enter(cube, check(cube, c, seconds), hy_trial_fingerprint(c), "hyla_collective_run_mpi"));
  struct words *x = NULL;
  double time = 0;
  TRY(hy_agree(cube, hy_alloc(&cube->base, 1, sizeof *x, &x)));
  hyla_status status = hy_agree(cube, run(cube, c, x, &time));
  hy_free(&cube->base, &x);
  if (status != HYLA_OK) return status;
  int64_t bits; /* positive numbers are ordered as their bits are */
  memcpy(&bits, &time, sizeof bits);
  TRY(hyla_cube_max(cube, &bits, 1));
  memcpy(seconds, &bits, sizeof *seconds);
  return HYLA_OK;
}
