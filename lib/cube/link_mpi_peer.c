/* MPI's own collectives, for comparison only; hyla uses none of them.
 *
 * They block in MPI, whose waits spin, and no watchdog notices a rank that does not come.  All
 * words have 8 bytes; reductions are sums of unsigned integers. */
#include "cube/link.h"

#include <limits.h>
#include <string.h>

static int rank_or_none(int rank) { return rank < 0 ? MPI_PROC_NULL : rank; }

static int call(MPI_Comm comm, const struct hy_peer_call *p) {
  const MPI_Datatype word = MPI_UINT64_T;
  const int n = (int)p->words, bytes = n * (int)sizeof(uint64_t);
  switch (p->operation) {
  case HY_PEER_BROADCAST: return MPI_Bcast(p->into, n, word, p->root, comm);
  case HY_PEER_REDUCE: return MPI_Reduce(p->from, p->into, n, word, MPI_SUM, p->root, comm);
  case HY_PEER_ALLREDUCE: return MPI_Allreduce(p->from, p->into, n, word, MPI_SUM, comm);
  case HY_PEER_SCATTER: return MPI_Scatter(p->from, n, word, p->into, n, word, p->root, comm);
  case HY_PEER_GATHER: return MPI_Gather(p->from, n, word, p->into, n, word, p->root, comm);
  case HY_PEER_ALLGATHER: return MPI_Allgather(p->from, n, word, p->into, n, word, comm);
  case HY_PEER_REDUCE_SCATTER:
    return MPI_Reduce_scatter_block(p->from, p->into, n, word, MPI_SUM, comm);
  case HY_PEER_EXCHANGE:
    return MPI_Alltoall(p->from, bytes, MPI_BYTE, p->into, bytes, MPI_BYTE, comm);
  case HY_PEER_EXCHANGE_SOME:
    return MPI_Alltoallv(p->from, p->to, p->at, word, p->into, p->of, p->at, word, comm);
  case HY_PEER_ALLGATHER_SOME:
    return MPI_Allgatherv(p->from, n, word, p->into, p->of, p->at, word, comm);
  case HY_PEER_PERMUTE: break;
  }
  return MPI_Sendrecv(p->from, n, word, rank_or_none(p->target), 0, p->into, n, word,
                      rank_or_none(p->source), 0, comm, MPI_STATUS_IGNORE);
}

hyla_status hy_peer_check(hyla_cube *cube, int64_t words) {
  struct hy_base *base = &cube->base;
  CHECK(base, cube->network.link != NULL && cube->network.link->kind->renumber != NULL, UNSUPPORTED,
        "MPI's collectives do not run on a virtual cube");
  CHECK(
      base, cube->ranks.all == cube->nodes || cube->ranks.shapes.given, UNSUPPORTED,
      "MPI's collectives take all %d ranks, but those of the cube have %d; make it with the option "
      "network",
      cube->ranks.all, cube->nodes);
  CHECK(base, words <= INT_MAX / (int64_t)sizeof(uint64_t), UNSUPPORTED,
        "MPI's collectives take at most %d bytes a rank", INT_MAX);
  return HYLA_OK;
}

hyla_status hy_peer_run(hyla_cube *cube, const struct hy_peer_call *p) {
  const struct hy_link_mpi *link = (const struct hy_link_mpi *)(const void *)cube->network.link;
  CHECK(&cube->base, call(link->comm, p) == MPI_SUCCESS, COMMUNICATION,
        "a collective of MPI's failed");
  return HYLA_OK;
}
