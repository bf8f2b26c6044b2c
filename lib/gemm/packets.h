/* Private to lib/gemm: into how many packets a block is cut that goes over several links. */
#ifndef HY_GEMM_PACKETS_H
#define HY_GEMM_PACKETS_H 1

#include "gemm/gemm.h"

/* Packets of a pipeline: each P + once of them follow one another when every block of `entries`
 * entries is cut into P. */
struct hy_pipe {
  int64_t entries;
  int64_t each, once;
};

/* Local.  The P for which all packets take the least time on the cube's machine, each P at most
 * HY_PACKETS_LIMIT, of several the smallest; 1 unless links join its nodes that are all used at
 * once: else nothing is known that packets could gain. */
enum { HY_PACKETS_LIMIT = 4096 };
int hy_gemm_packets(const struct hy_gemm_problem *problem, const struct hy_pipe *pipe);

/* Where packet p of so many begins among the entries of a block. */
static inline int64_t hy_packet_start(int64_t entries, int packets, int p) {
  return entries * p / packets;
}

#endif
