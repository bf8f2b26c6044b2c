/* Elements of a .npy file, made entries of a matrix. */
#include "io/io.h"

#include <string.h>

bool hy_npy_machine_is_big(void) {
  const uint16_t probe = 1;
  unsigned char first;
  memcpy(&first, &probe, 1);
  return first == 0;
}

hyla_type hy_npy_type(const struct hy_npy_element *element) {
  if (element->kind == 'c') return element->size == 8 ? HYLA_COMPLEX : HYLA_DOUBLE_COMPLEX;
  return element->kind == 'f' && element->size == 4 ? HYLA_FLOAT : HYLA_DOUBLE;
}

/* The nearest double to an integer element; true is 1. */
static double integer_value(const struct hy_npy_element *element, const char *bytes) {
  int size = element->size;
  uint64_t bits = 0;
  for (int b = 0; b < size; b++) {
    bits = bits << 8 | (unsigned char)bytes[element->big ? b : size - 1 - b];
  }
  if (element->kind == 'b') return bits != 0;
  uint64_t all = UINT64_MAX >> (64 - 8 * size);
  bool negative = element->kind == 'i' && bits > all >> 1;
  return negative ? (double)(-(int64_t)(all - bits) - 1) : (double)bits;
}

void hy_npy_convert(const struct hy_npy_element *element, const char *from, int64_t count,
                    void *to) {
  int size = element->size;
  char *out = to;
  if (strchr("biu", element->kind) != NULL) {
    for (int64_t i = 0; i < count; i++) {
      double value = integer_value(element, from + i * size);
      memcpy(out + i * (int64_t)sizeof value, &value, sizeof value);
    }
  } else if (element->big == hy_npy_machine_is_big()) {
    memcpy(out, from, (size_t)(count * size));
  } else {
    /* The parts of a complex number are turned round one by one. */
    int part = element->kind == 'c' ? size / 2 : size;
    for (int64_t i = 0; i < count * size; i += part) {
      for (int b = 0; b < part; b++) out[i + b] = from[i + part - 1 - b];
    }
  }
}
