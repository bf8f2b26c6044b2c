/* The table of methods, from their list (hyla_methods.h). */
#include "solve/solve.h"

#define DECLARE(variant) extern const struct hy_variant variant;
#define DECLARE_ALL(NAME, name, text, sample, flops, needs_data, rectangular, list) list
HYLA_METHODS(DECLARE_ALL, DECLARE)

#define POINT(variant) &variant,
#define ROWS(NAME, name, text, sample, flops, needs_data, rectangular, list)                       \
  static const struct hy_variant *const NAME##_ROWS[] = {list NULL};
HYLA_METHODS(ROWS, POINT)

#define NO_VARIANT(variant)
#define METHOD(NAME, word, text, sample, flops, needs_data, rectangular, list)                     \
  {.is = {word, text, sample, flops, needs_data, rectangular},                                     \
   .variants = {.name = word, .rows = NAME##_ROWS}},

const struct hy_method hy_methods[] = {HYLA_METHODS(METHOD, NO_VARIANT)};

const int hy_method_count = sizeof hy_methods / sizeof *hy_methods;

const hyla_method_traits *hyla_method_at(int i) {
  return i >= 0 && i < hy_method_count ? &hy_methods[i].is : NULL;
}
