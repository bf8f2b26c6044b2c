/* Addresses: bits and subcubes; the Gray code and loops along it; the parts of an axis.
 *
 * Reference: Johnsson 1987, section 3.1. */
#include "address/address.h"

uint32_t hy_deposit(uint32_t member, uint32_t dims) {
  uint32_t address = 0;
  for (; dims != 0; dims &= dims - 1, member >>= 1)
    if (member & 1) address |= dims & (~dims + 1);
  return address;
}

uint32_t hy_extract(uint32_t address, uint32_t dims) {
  uint32_t member = 0;
  for (uint32_t bit = 1; dims != 0; dims &= dims - 1, bit <<= 1)
    if (address & dims & (~dims + 1)) member |= bit;
  return member;
}

/* The binary-reflected Gray code, G(i) = i ^ (i >> 1). */
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

/* The parts of an axis.  The bits of a part's number, in binary or in Gray code, stand at the
 * places of the axis' dimensions. */
uint32_t hy_axis_mask(const hyla_axis *axis) {
  uint32_t mask = 0;
  for (int i = 0; i < axis->dims; i++) mask |= 1u << axis->dim[i];
  return mask;
}

/* The lowest bit of the part number that is Gray-coded; bits below it are binary. */
static int gray_from(const hyla_axis *axis) {
  return axis->code == HYLA_GRAY && axis->binary < axis->dims ? axis->binary : axis->dims;
}

uint32_t hy_axis_address(const hyla_axis *axis, uint32_t part) {
  int from = gray_from(axis);
  uint32_t high = part >> from << from;
  uint32_t code = hy_gray(part >> from) << from | (part ^ high);
  if (axis->inner > 0) {
    const uint32_t inner = (uint32_t)axis->inner;
    code = part % inner | part / inner << hy_sides_bits(inner);
  }
  uint32_t address = 0;
  for (int i = 0; i < axis->dims; i++) address |= (code >> i & 1u) << axis->dim[i];
  return address;
}

uint32_t hy_axis_part(const hyla_axis *axis, uint32_t address) {
  uint32_t code = 0;
  for (int i = 0; i < axis->dims; i++) code |= (address >> axis->dim[i] & 1u) << i;
  if (axis->inner > 0) {
    const int bits = hy_sides_bits((uint32_t)axis->inner);
    return (code >> bits) * (uint32_t)axis->inner + (code & ((1u << bits) - 1));
  }
  int from = gray_from(axis);
  uint32_t high = code >> from << from;
  return hy_gray_inverse(code >> from) << from | (code ^ high);
}
