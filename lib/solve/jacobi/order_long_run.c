/* The ordering of Gray codes with long runs: no dimension is crossed again soon.
 *
 * Reference: Goddyn, Lawrence and Nemeth 1988, for the code of 5 bits; Goddyn and Gvozdjak 2003,
 * for codes that are woven.  That they serve here, and how they are woven, is ours.
 *
 * A code of m + n bits is woven of cyclic codes of m and of n bits, p = 2^m and q = 2^n
 * transitions, m <= n.  It takes a transition of the first one in s of p steps, the same in each p
 * steps, and of the second one in the others; both go on where they were.  With s odd that is a
 * cycle through all p q nodes: p steps lead by s and p - s along the two cycles, and come back
 * first after q times.  The s steps are dealt evenly among the p.
 *
 * As many consecutive transitions differ, for e = 1 ... 12: 1 2 2 2 4 3 5 5 6 7 8 8; of the
 * reflected code always 2.  In pipelines of as many packets a block no two of them cross a link at
 * once.
 *
 * Steps: 2^(d+1) - 1; messages: one a step.  Restriction: a cube; for hyla_jacobi_sweep, since no
 * variant of svd sends packets. */
#include "solve/jacobi/jacobi.h"

#include <string.h>

enum { SEARCHED = 5, MOST = 12 };

/* Of each number of bits m and s, the best ones of all. */
static const struct {
  uint8_t bits, steps;
} WOVEN[MOST + 1] = {[6] = {3, 3},   [7] = {2, 1},  [8] = {3, 3}, [9] = {2, 1},
                     [10] = {5, 15}, [11] = {2, 1}, [12] = {2, 1}};

/* A cyclic code of e bits. */
static void write_code(int e, uint8_t *link) {
  static const uint8_t five[] = {0, 1, 2, 3, 0, 4, 2, 1, 0, 3, 2, 1, 0, 4, 2, 3};
  const uint32_t count = UINT32_C(1) << e;
  for (uint32_t i = 0; i < count && e <= SEARCHED; i++)
    link[i] =
        e == SEARCHED ? five[i % 16] : (uint8_t)(i + 1 == count ? e - 1 : __builtin_ctz(i + 1));
  if (e <= SEARCHED) return;
  uint8_t first[1 << SEARCHED], second[1 << (MOST - 2)];
  const int m = WOVEN[e].bits;
  const uint32_t s = WOVEN[e].steps, p = UINT32_C(1) << m, q = UINT32_C(1) << (e - m);
  uint32_t at[2] = {0, 0};
  write_code(m, first);
  write_code(e - m, second);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t k = i % p;
    if ((k + 1) * s / p != k * s / p)
      link[i] = first[at[0]++ % p];
    else
      link[i] = (uint8_t)(m + second[at[1]++ % q]);
  }
}

static void path(int e, uint8_t *link) {
  uint8_t code[1 << MOST];
  write_code(e, code);
  memcpy(link, code, ((size_t)1 << e) - 1);
}

const struct hy_jacobi_ordering hy_jacobi_long_run = {.name = "long-run", .path = path};
