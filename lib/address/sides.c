/* Addresses of an array whose sides are any numbers.
 *
 * A side of s parts takes the fewest bits that can count them, and its digit runs from 0 to s - 1.
 * So the bits of an address that belong to one side stay a mask, as on a cube; but for a side that
 * is no power of two the highest values of its bits belong to no node.
 *
 * 2 x 3 nodes, 1 bit for the row and 2 for the column:
 *   number    0   1   2   3   4   5
 *   address 000 001 010 100 101 110       011 and 111 are no nodes */
#include "address/address.h"

/* A mask takes all bits of a side, or none. */
static bool takes(const struct hy_sides *sides, int i, uint32_t dims) {
  return (sides->side[i].mask & dims) != 0;
}

bool hy_sides_even(const struct hy_sides *sides, uint32_t dims) {
  for (int i = 0; i < sides->count; i++)
    if (takes(sides, i, dims)) return false;
  return true;
}

uint32_t hy_sides_members(const struct hy_sides *sides, uint32_t dims) {
  uint32_t members = 1;
  for (int i = 0; i < sides->count; i++) {
    if (!takes(sides, i, dims)) continue;
    members *= sides->side[i].parts;
    dims &= ~sides->side[i].mask;
  }
  return members << hy_popcount(dims);
}

/* The bits of one digit from place `at' of the mask on: those of a side, or a single bit.  parts:
 * the number of its values. */
static uint32_t digit_at(const struct hy_sides *sides, int at, uint32_t *parts) {
  for (int i = 0; i < sides->count; i++) {
    if ((sides->side[i].mask >> at & 1) == 0) continue;
    *parts = sides->side[i].parts;
    return sides->side[i].mask;
  }
  *parts = 2;
  return 1u << at;
}

uint32_t hy_sides_digit(const struct hy_sides *sides, int at) {
  uint32_t parts;
  return digit_at(sides, at, &parts);
}

const struct hy_side *hy_sides_cut(const struct hy_sides *sides, uint32_t mask) {
  for (int i = 0; i < sides->count; i++) {
    const struct hy_side *side = &sides->side[i];
    if (takes(sides, i, mask) && (mask & side->mask) != side->mask) return side;
  }
  return NULL;
}

uint32_t hy_sides_number(const struct hy_sides *sides, uint32_t dims, uint32_t address) {
  uint32_t number = 0, unit = 1;
  if (hy_sides_even(sides, dims)) return hy_extract(address, dims);
  while (dims != 0) {
    uint32_t parts;
    const uint32_t digit = digit_at(sides, hy_lowest(dims), &parts);
    number += unit * hy_extract(address, digit);
    unit *= parts;
    dims &= ~digit;
  }
  return number;
}

uint32_t hy_sides_address(const struct hy_sides *sides, uint32_t dims, uint32_t number) {
  uint32_t address = 0;
  if (hy_sides_even(sides, dims)) return hy_deposit(number, dims);
  while (dims != 0) {
    uint32_t parts;
    const uint32_t digit = digit_at(sides, hy_lowest(dims), &parts);
    address |= hy_deposit(number % parts, digit);
    number /= parts;
    dims &= ~digit;
  }
  return address;
}

bool hy_sides_has(const struct hy_sides *sides, uint32_t address) {
  for (int i = 0; i < sides->count; i++)
    if (hy_extract(address, sides->side[i].mask) >= sides->side[i].parts) return false;
  return true;
}

int hy_sides_bits(uint32_t parts) { return parts > 1 ? hy_log2_floor(parts - 1) + 1 : 0; }

int hy_sides_make(struct hy_sides *sides, uint32_t rows, uint32_t cols) {
  const uint32_t parts[] = {cols, rows};
  int dims = 0;
  *sides = (struct hy_sides){.rows = rows, .cols = cols};
  for (int i = 0; i < 2; i++) {
    const int bits = hy_sides_bits(parts[i]);
    if (parts[i] != 1u << bits)
      sides->side[sides->count++] =
          (struct hy_side){.mask = ((1u << bits) - 1) << dims, .parts = parts[i]};
    dims += bits;
  }
  return dims;
}
