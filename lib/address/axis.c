/* The parts of an axis on the cube.  The bits of a part's number, in binary or in Gray code, stand
 * at the places of the axis' dimensions. */
#include "address/address.h"

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
