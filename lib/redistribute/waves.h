/* Private to this room and its tests: conversions between consecutive and cyclic storage in waves,
 * element by element.
 *
 * Letters: an axis has 2^n elements on 2^k parts, n > k.  y is an element's index, or its Gray code
 * on an axis in Gray code.  Consecutive storage has bits n-k ... n-1 of y in the node's address,
 * cyclic storage bits 0 ... k-1 (in Gray code the last of these is the parity of bits k-1 ... n-1).
 * Dimension j is settled after the dimensions below it: elements whose bits j and n-k+j differ
 * cross it, half of all on a node.  The node's address gives k bits of its elements; the other n-k
 * bits, from the number of settled dimensions on, are the window.
 *
 * Method: an element has a wave number and crosses dimension j in step j + wave.  All elements that
 * cross one link must have different wave numbers.  So the wave is a linear map of y over the field
 * of two elements: with L = n-k-1, bit i of y is added to bit i mod L of the wave, and any L
 * adjacent bits determine it.  Bits 0 and n-1 (in Gray code n-2 too) are added to none.  With two
 * axes the wave has the bits of both, and one more: bit n-1 of the row's y plus bit 0 of the
 * column's.  It is needed because an axis' dimensions leave the whole window of the other free.  An
 * element that arrives in a wave takes the place of the one that left in it.
 *
 * Example: n = 3, k = 2 (8 elements on 4 nodes), so there is one wave.  Elements on each node:
 *   node         0    1    2    3
 *   consecutive  0 1  2 3  4 5  6 7
 *   dimension 0  0 2  1 3  4 6  5 7     1 and 2, 5 and 6 change places
 *   dimension 1  0 4  1 5  2 6  3 7     2 and 4, 3 and 5 change places
 * Reference: Johnsson 1987, theorems 3.1 to 3.3, which have the steps. */
#ifndef HY_WAVES_H
#define HY_WAVES_H 1

#include "address/address.h"
#include "base/base.h"

/* An axis; k = n = 0 if it is not converted. */
struct hy_wave_axis {
  int n, k;
  bool gray; /* with k = 1 both codes are the same */
  uint8_t dim[HYLA_DIMS_MAX];
};

/* All crossings of a node.  Local element e is number e mod 2^(n-k) on the row axis and number
 * e / 2^(n-k) on the column axis. */
struct hy_waves {
  struct hy_wave_axis axis[2];
  int dims;        /* crossed dimensions, the row axis' first */
  int bits;        /* of a wave number: 2^bits elements cross each dimension */
  int64_t held;    /* number of elements on a node, and of places */
  int32_t *places; /* the place of the element in wave w over dimension j: [j 2^bits + w] */
  int32_t *first;  /* the element in each place in consecutive storage, ... */
  int32_t *last;   /* ... at the end in cyclic storage */
};

/* Local.  Sets dims, bits and held from two axes. */
struct hy_waves hy_waves_of(const struct hy_wave_axis axis[2]);
/* Local.  The cube dimension of crossing j. */
int hy_waves_dim(const struct hy_waves *waves, int j);
/* Local.  Computes the places of a node; they belong to the owner.  MEMORY. */
hyla_status hy_waves_make(struct hy_base *base, void *owner, uint32_t node, struct hy_waves *waves);

#endif
