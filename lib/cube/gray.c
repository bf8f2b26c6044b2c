/* The binary-reflected Gray code. Johnsson 1987, section 3.1: G(i) = i ^ (i >> 1). */
#include "cube/cube.h"

uint32_t hy_gray(uint32_t i) { return i ^ (i >> 1); }

uint32_t hy_gray_inverse(uint32_t code) {
  for (int shift = 1; shift < 32; shift *= 2) code ^= code >> shift;
  return code;
}
