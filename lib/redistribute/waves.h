/* Private to this room and its tests: conversions between consecutive and cyclic storage, element
 * by element, in waves.
 *
 * An axis of 2^n elements on 2^k parts, n > k.  Bit i of an element's index y, or of its Gray code
 * under that: consecutive storage has bits n-k ... n-1 in the node's address, cyclic storage bits
 * 0 ... k-1 (under Gray code the last of these as the parity of bits k-1 ... n-1).  Dimension j is
 * settled after those below it: elements whose bits j and n-k+j differ cross it, half of what a
 * node holds.  A node knows the bits that its address has; the others are the window, n-k bits
 * from the number of settled dimensions on.
 *
 * Method: an element has a wave number, and crosses dimension j in step j + wave.  The wave is a
 * linear map of y over the field of two elements such that of those that cross a link no two have
 * the same: with L = n-k-1, bit i falls on bit i mod L of the wave, so that any L bits one behind
 * the other determine it; bits 0 and n-1 (under Gray code n-2 too) fall on none.  With two axes the
 * waves of both stand side by side, and one bit more is bit n-1 of the row's plus bit 0 of the
 * column's, for in each axis' dimensions the whole window of the other is free.  What comes in a
 * wave takes the places of what goes in it.
 * Reference: Johnsson 1987, theorems 3.1 to 3.3, which have the steps. */
#ifndef HY_WAVES_H
#define HY_WAVES_H 1

#include "address/address.h"
#include "base/base.h"

/* An axis; k = n = 0: it is not converted. */
struct hy_wave_axis {
  int n, k;
  bool gray; /* with k = 1 both codes are the same */
  uint8_t dim[HYLA_DIMS_MAX];
};

/* All crossings of a node.  Element e is number e mod 2^(n-k) of the row axis' local ones, and
 * number e / 2^(n-k) of the column axis'. */
struct hy_waves {
  struct hy_wave_axis axis[2];
  int dims;        /* crossed, those of the row axis first */
  int bits;        /* of a wave: 2^bits elements cross each dimension */
  int64_t held;    /* elements on a node, and places for them */
  int32_t *places; /* of dimension j and wave w: [j 2^bits + w] */
  int32_t *first;  /* by place: which element stands there in consecutive storage, ... */
  int32_t *last;   /* ... at the end in cyclic storage */
};

/* Local.  dims, bits and held of two axes. */
struct hy_waves hy_waves_of(const struct hy_wave_axis axis[2]);
/* Local.  The cube dimension of crossing j. */
int hy_waves_dim(const struct hy_waves *waves, int j);
/* Local.  Places of a node; free them also after a failure.  MEMORY. */
hyla_status hy_waves_make(struct hy_base *base, uint32_t node, struct hy_waves *waves);
void hy_waves_free(struct hy_base *base, struct hy_waves *waves);

#endif
