/* Networks that are drawn from a seed.  Varvarigos 1992, section 7.1.
 *
 * Nothing is stored: a peer is computed anew whenever it is asked for, from numbers that depend on
 * the seed, the port and the node alone.  PSEUDO and ENHANCED take the bits of such a number.  The
 * others need permutations of the numbers of b bits that can be evaluated, and inverted, at one
 * point.  Such a permutation is a sequence of rounds; a round draws a mask and, for each pair x,
 * x XOR mask, whether the two change places.  One of M! permutations takes about M log2 M bits, and
 * a round draws M / 2 bits; so 4 b + 8 rounds draw twice the bits that are needed.
 *
 *   PERMUTATION     the nodes with equal bits above i form a group.  Its halves, with 0 and with 1
 *                   in bit i, are mapped onto each other, each by a permutation of the lower bits
 *   SYMMETRIC_CUBE  the half with 1 is mapped by the inverse of the other's permutation
 *   MATCHED         a permutation of all nodes puts them in a row; 2j and 2j + 1 are peers */
#include "address/address.h"

static uint64_t drawn(const struct hy_network *network, uint32_t x, uint32_t what, uint64_t more) {
  const uint64_t words[] = {x, what, more, network->seed, (uint64_t)network->kind};
  return hy_fingerprint(0, words, sizeof words);
}

/* Where the permutation with this name, of the numbers of `bits' bits, or its inverse leads x. */
static uint32_t permuted(const struct hy_network *network, uint32_t name, int bits, uint32_t x,
                         bool inverse) {
  const int rounds = bits > 0 ? 4 * bits + 8 : 0;
  const uint32_t all = (UINT32_C(1) << bits) - 1;
  for (int i = 0; i < rounds; i++) {
    const uint64_t round = (uint64_t)(inverse ? rounds - 1 - i : i);
    const uint64_t key = drawn(network, name, (uint32_t)bits, round);
    const uint32_t other = x ^ ((uint32_t)(key >> 32) & all);
    if (drawn(network, x > other ? x : other, (uint32_t)bits, key) >> 63) x = other;
  }
  return x;
}

/* The half of its group in which a node lies, as a number that all halves and ports have for
 * themselves. */
static uint32_t half_of(uint32_t node, int port) { return node >> port; }

uint32_t hy_network_draw(const struct hy_network *network, uint32_t node, int port) {
  const uint32_t bit = UINT32_C(1) << port, low = node & (bit - 1), high = node & ~(bit - 1);
  switch (network->kind) {
  case HY_PSEUDO:
    return (high ^ bit) | ((uint32_t)(drawn(network, node, (uint32_t)port, 0) >> 32) & (bit - 1));
  case HY_PERMUTATION:
    return (high ^ bit) | permuted(network, half_of(node, port), port, low, false);
  case HY_SYMMETRIC_CUBE: {
    const bool upper = node & bit;
    return (high ^ bit) | permuted(network, half_of(node & ~bit, port), port, low, upper);
  }
  case HY_ENHANCED:
    return (uint32_t)(drawn(network, node, (uint32_t)port, 0) >> 32) & (network->nodes - 1);
  default: { /* MATCHED */
    const uint32_t place = permuted(network, 0, port, node, false);
    return permuted(network, 0, port, place ^ 1, true);
  }
  }
}
