/* Addresses: bits, subcubes, axes. */
#include "address/address.h"

int hy_popcount(uint32_t bits) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) count++;
  return count;
}

int hy_log2_floor(uint32_t bits) {
  int place = -1;
  for (; bits != 0; bits >>= 1) place++;
  return place;
}

int hy_lowest(uint32_t bits) { return hy_log2_floor(bits & (~bits + 1)); }

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

uint32_t hy_axis_mask(const hyla_axis *axis) {
  uint32_t mask = 0;
  for (int i = 0; i < axis->dims; i++) mask |= 1u << axis->dim[i];
  return mask;
}

/* The bits of a part that are Gray-coded, as a shift: those from it on. */
static int gray_from(const hyla_axis *axis) {
  return axis->code == HYLA_GRAY && axis->binary < axis->dims ? axis->binary : axis->dims;
}

uint32_t hy_axis_address(const hyla_axis *axis, uint32_t part) {
  int from = gray_from(axis);
  uint32_t high = part >> from << from;
  uint32_t code = hy_gray(part >> from) << from | (part ^ high);
  uint32_t address = 0;
  for (int i = 0; i < axis->dims; i++) address |= (code >> i & 1u) << axis->dim[i];
  return address;
}

uint32_t hy_axis_part(const hyla_axis *axis, uint32_t address) {
  uint32_t code = 0;
  for (int i = 0; i < axis->dims; i++) code |= (address >> axis->dim[i] & 1u) << i;
  int from = gray_from(axis);
  uint32_t high = code >> from << from;
  return hy_gray_inverse(code >> from) << from | (code ^ high);
}
