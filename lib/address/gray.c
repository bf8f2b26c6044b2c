/* The binary-reflected Gray code, G(i) = i ^ (i >> 1), and loops along it.
 *
 * Reference: Johnsson 1987, section 3.1. */
#include "address/address.h"

uint32_t hy_gray(uint32_t i) { return i ^ (i >> 1); }

uint32_t hy_gray_inverse(uint32_t code) {
  for (int shift = 1; shift < 32; shift *= 2) code ^= code >> shift;
  return code;
}

int hy_gray_transition(uint32_t i) { return hy_lowest(i + 1); }

int hy_loop_dims(uint32_t length) { return length <= 1 ? 0 : hy_log2_floor(length - 1) + 1; }

/* Lemmas 3.1 and 3.2.  2^n is the smallest power of two that holds the loop.  The loop leaves out
 * codes in the middle and rejoins the Gray code `tail' codes before its end.
 * Length 6, n = 3, tail 1: i = 0, 1, 2, 3, 4 lie at G(0), G(1), G(2), G(3), G(4); i = 5 at G(7). */
uint32_t hy_loop_node(uint32_t length, uint32_t i) {
  if (length <= 2) return i;
  uint32_t nodes = UINT32_C(1) << hy_loop_dims(length);
  uint32_t tail = (length - nodes / 2) / 2;
  return hy_gray(i < length - tail ? i : nodes - length + i);
}

uint32_t hy_loop_point(uint32_t length, uint32_t node) {
  if (length <= 2) return node;
  uint32_t nodes = UINT32_C(1) << hy_loop_dims(length);
  uint32_t tail = (length - nodes / 2) / 2, place = hy_gray_inverse(node);
  if (place < length - tail) return place;
  return place >= nodes - tail && place < nodes ? place + length - nodes : length;
}

uint32_t hy_banded_node(int dims, int b, uint32_t column) {
  uint32_t low = column & ((1u << b) - 1);
  return low << (dims - b) | hy_gray(column >> b);
}

uint32_t hy_banded_column(int dims, int b, uint32_t node) {
  uint32_t high = hy_gray_inverse(node & ((1u << (dims - b)) - 1));
  return high << b | node >> (dims - b);
}
