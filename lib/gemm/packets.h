/* Private to lib/gemm: the number of packets of a block that travels over several links. */
#ifndef HY_GEMM_PACKETS_H
#define HY_GEMM_PACKETS_H 1

#include "gemm/gemm.h"

/* A pipeline: each * P + once packets follow one another when every block of `entries' entries is
 * cut into P packets. */
struct hy_pipe {
  int64_t entries;
  int64_t each, once;
};

/* Local.  The P, at most HY_PACKETS_LIMIT, with the least time on the cube's machine; the smallest
 * one of several.  1 unless the nodes are joined by links that can all be used at once, because on
 * other machines packets are not known to gain anything. */
enum { HY_PACKETS_LIMIT = 4096 };
int hy_gemm_packets(const struct hy_gemm_problem *problem, const struct hy_pipe *pipe);

/* Where packet p of `packets' packets begins among the entries of a block. */
static inline int64_t hy_packet_start(int64_t entries, int packets, int p) {
  return entries * p / packets;
}

#endif
