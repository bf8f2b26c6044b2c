/* The number of packets of a block that travels over several links.  See packets.h.
 *
 * Among the numbers of packets that have the same length w, only the smallest can be best.  One of
 * P and w is at most the root of the entries, so all candidates are tried with few steps. */
#include "gemm/packets.h"

#include <math.h>

int hy_gemm_packets(const struct hy_gemm_problem *problem, const struct hy_pipe *pipe) {
  const hyla_machine *machine = &problem->cube->session.machine;
  bool links = machine->network == HYLA_NETWORK_CUBE && machine->ports == HYLA_ALL_PORTS &&
               problem->cube->sides.count == 0;
  if (!links || pipe->once <= 0) return 1;
  int64_t best = 1;
  double least = INFINITY;
  for (int64_t x = 1; x <= hy_max(1, pipe->entries / x); x++) {
    const int64_t candidates[] = {x, hy_ceil_div(pipe->entries, x)};
    for (int i = 0; i < 2; i++) {
      int64_t packets = candidates[i];
      if (packets == 0 || pipe->each * packets > HY_PACKETS_LIMIT) continue;
      int64_t bytes = hy_ceil_div(pipe->entries, packets) * (int64_t)problem->kernels->size;
      double time = (double)(pipe->each * packets + pipe->once) *
                    (machine->alpha + machine->beta * (double)bytes);
      if (time > least || (time == least && packets >= best)) continue;
      least = time;
      best = packets;
    }
  }
  return (int)best;
}
