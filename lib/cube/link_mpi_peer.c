/* MPI's own collectives, for comparison only; hyla uses none of them.
 *
 * They block in MPI, whose waits spin, and no watchdog notices a rank that does not come.  All
 * words have 8 bytes; reductions are sums of unsigned integers. */
#include "cube/link.h"

#include <limits.h>
#include <string.h>

static int rank_or_none(int rank) { return rank < 0 ? MPI_PROC_NULL : rank; }

static int call_some(MPI_Comm comm, const struct hy_peer_call *p) {
  const MPI_Datatype word = MPI_UINT64_T;
  const int n = (int)p->words;
  if (p->operation == HY_PEER_EXCHANGE_SOME)
    return MPI_Alltoallv(p->from, p->to, p->at, word, p->into, p->of, p->at, word, comm);
  if (p->operation == HY_PEER_ALLGATHER_SOME)
    return MPI_Allgatherv(p->from, n, word, p->into, p->of, p->at, word, comm);
  return MPI_Sendrecv(p->from, n, word, rank_or_none(p->target), 0, p->into, n, word,
                      rank_or_none(p->source), 0, comm, MPI_STATUS_IGNORE);
}

static hyla_status call(MPI_Comm comm, const struct hy_peer_call *p) {
  const int n = (int)p->words, size = (int)sizeof(uint64_t);
  int code = MPI_SUCCESS;
  switch (p->operation) {
  case HY_PEER_BROADCAST: code = MPI_Bcast(p->into, n, MPI_UINT64_T, p->root, comm); break;
  case HY_PEER_REDUCE:
    code = MPI_Reduce(p->from, p->into, n, MPI_UINT64_T, MPI_SUM, p->root, comm);
    break;
  case HY_PEER_ALLREDUCE:
    code = MPI_Allreduce(p->from, p->into, n, MPI_UINT64_T, MPI_SUM, comm);
    break;
  case HY_PEER_SCATTER:
    code = MPI_Scatter(p->from, n, MPI_UINT64_T, p->into, n, MPI_UINT64_T, p->root, comm);
    break;
  case HY_PEER_GATHER:
    code = MPI_Gather(p->from, n, MPI_UINT64_T, p->into, n, MPI_UINT64_T, p->root, comm);
    break;
  case HY_PEER_ALLGATHER:
    code = MPI_Allgather(p->from, n, MPI_UINT64_T, p->into, n, MPI_UINT64_T, comm);
    break;
  case HY_PEER_REDUCE_SCATTER:
    code = MPI_Reduce_scatter_block(p->from, p->into, n, MPI_UINT64_T, MPI_SUM, comm);
    break;
  case HY_PEER_EXCHANGE:
    code = MPI_Alltoall(p->from, n * size, MPI_BYTE, p->into, n * size, MPI_BYTE, comm);
    break;
  default: code = call_some(comm, p); break;
  }
  return code == MPI_SUCCESS ? HYLA_OK : HYLA_COMMUNICATION;
}

hyla_status hy_peer_check(hyla_cube *cube, int64_t words) {
  struct hy_base *base = &cube->base;
  CHECK(base, cube->network.link != NULL && cube->network.link->kind->renumber != NULL, UNSUPPORTED,
        "MPI's collectives do not run on a virtual cube");
  CHECK(base, cube->ranks.all == cube->nodes, UNSUPPORTED,
        "MPI's collectives take all %d ranks, but the cube has %d", cube->ranks.all, cube->nodes);
  CHECK(base, words <= INT_MAX / (int64_t)sizeof(uint64_t), UNSUPPORTED,
        "MPI's collectives take at most %d bytes a rank", INT_MAX);
  return HYLA_OK;
}

hyla_status hy_peer_run(hyla_cube *cube, const struct hy_peer_call *p) {
  const struct hy_link_mpi *link = (const struct hy_link_mpi *)(const void *)cube->network.link;
  hyla_status status = call(link->comm, p);
  CHECK(&cube->base, status == HYLA_OK, COMMUNICATION, "a collective of MPI's failed");
  return HYLA_OK;
}
