/* The number of packets of a block that travels over several links.  See packets.h.
 *
 * Among the numbers of packets that have the same length w, only the smallest can be best.  One of
 * P and w is at most the root of the entries, so all candidates are tried with few steps. */
#include "gemm/packets.h"

#include <math.h>

/* The best number so far. */
struct search {
  const hyla_machine *machine;
  const struct hy_pipe *pipe;
  size_t size;
  int64_t packets;
  double least;
};

static void try(struct search *search, int64_t packets) {
  const struct hy_pipe *pipe = search->pipe;
  int64_t bytes = hy_ceil_div(pipe->entries, packets) * (int64_t)search->size;
  double time = (double)(pipe->each * packets + pipe->once) *
                (search->machine->alpha + search->machine->beta * (double)bytes);
  if (time > search->least || (time == search->least && packets >= search->packets)) return;
  search->least = time;
  search->packets = packets;
}

int hy_gemm_packets(const struct hy_gemm_problem *problem, const struct hy_pipe *pipe) {
  const hyla_machine *machine = &problem->cube->session.machine;
  bool links = machine->network == HYLA_NETWORK_CUBE && machine->ports == HYLA_ALL_PORTS;
  if (!links || pipe->once <= 0) return 1;
  struct search search = {machine, pipe, problem->kernels->size, 1, INFINITY};
  for (int64_t x = 1; x <= hy_max(1, pipe->entries / x); x++) {
    if (pipe->each * x <= HY_PACKETS_LIMIT) try(&search, x);
    int64_t packets = hy_ceil_div(pipe->entries, x);
    if (packets > 0 && pipe->each * packets <= HY_PACKETS_LIMIT) try(&search, packets);
  }
  return (int)search.packets;
}
