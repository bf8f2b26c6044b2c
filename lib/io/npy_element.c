/* Converts elements of a .npy file to entries of a matrix. */
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
  return element->kind == 'f' && element->size <= 4 ? HYLA_FLOAT : HYLA_DOUBLE;
}

static uint64_t bits_of(const struct hy_npy_element *element, const char *bytes) {
  int size = element->size;
  uint64_t bits = 0;
  for (int b = 0; b < size; b++) {
    bits = bits << 8 | (unsigned char)bytes[element->big ? b : size - 1 - b];
  }
  return bits;
}

/* The double nearest to an integer element; true is 1. */
static double integer_value(const struct hy_npy_element *element, const char *bytes) {
  const int size = element->size;
  const uint64_t bits = bits_of(element, bytes);
  if (element->kind == 'b') return bits != 0;
  uint64_t all = UINT64_MAX >> (64 - 8 * size);
  bool negative = element->kind == 'i' && bits > all >> 1;
  return negative ? (double)(-(int64_t)(all - bits) - 1) : (double)bits;
}

/* Converts IEEE's half precision (a sign, 5 bits of exponent, 10 of fraction) to single, which
 * holds it exactly.  A NaN keeps its fraction. */
static float half_value(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = (float)fraction * 0x1p-24f; /* if the exponent is 0 */
  uint32_t single;
  if (exponent == 31)
    single = UINT32_C(0xff) << 23 | fraction << 13;
  else if (exponent > 0)
    single = (exponent + 112) << 23 | fraction << 13;
  else
    memcpy(&single, &value, sizeof single);
  single |= (bits & 0x8000) << 16;
  memcpy(&value, &single, sizeof value);
  return value;
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
  } else if (element->kind == 'f' && size == 2) {
    for (int64_t i = 0; i < count; i++) {
      float value = half_value((uint32_t)bits_of(element, from + i * size));
      memcpy(out + i * (int64_t)sizeof value, &value, sizeof value);
    }
  } else if (element->big == hy_npy_machine_is_big()) {
    memcpy(out, from, (size_t)(count * size));
  } else {
    /* Real and imaginary part of a complex number are byte-swapped separately. */
    int part = element->kind == 'c' ? size / 2 : size;
    for (int64_t i = 0; i < count * size; i += part) {
      for (int b = 0; b < part; b++) out[i + b] = from[i + part - 1 - b];
    }
  }
}
