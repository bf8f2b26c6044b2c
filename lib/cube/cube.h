/* Door of layer 2, cube: addresses and codes.  Integers only: nothing here
 * communicates, allocates or fails. */
#ifndef HY_CUBE_H
#define HY_CUBE_H 1

#include "base/base.h"

/* The binary-reflected Gray code G(i) and its inverse. (Johnsson 1987, 3.1) */
uint32_t hy_gray(uint32_t i);
uint32_t hy_gray_inverse(uint32_t code);

/* How many bits are 1; the place of the highest 1 (-1 for 0); the place of the
 * lowest 1 (-1 for 0). */
int hy_popcount(uint32_t bits);
int hy_log2_floor(uint32_t bits);
int hy_lowest(uint32_t bits);

/* Subcubes.  `dims` is a set of cube dimensions as a bit mask; the subcube of a
 * node is the nodes that agree with it outside dims.  Member x of the subcube,
 * 0 <= x < 2^popcount(dims), has x's bits at the places of dims, lowest first:
 *   hy_deposit(5, 0b10110) = 0b10010       hy_extract is its inverse. */
uint32_t hy_deposit(uint32_t member, uint32_t dims);
uint32_t hy_extract(uint32_t address, uint32_t dims);

/* An axis' part number from and to the address bits that hold it; see hyla_axis. */
uint32_t hy_axis_mask(const hyla_axis *axis);
uint32_t hy_axis_address(const hyla_axis *axis, uint32_t part);
uint32_t hy_axis_part(const hyla_axis *axis, uint32_t address);

#endif
