/* The names and references of all variants, for programs that let people choose. */
#include "solve/solve.h"

#include <string.h>

static const struct hy_variant *find(const char *operation, int i) {
  static const struct hy_family *const families[] = {&hy_gemm_family, &hy_redistribute_family,
                                                     &hy_solve_family};
  for (size_t f = 0; f < sizeof families / sizeof *families && operation != NULL; f++)
    if (strcmp(families[f]->name, operation) == 0)
      return i >= 0 && i < hy_family_count(families[f]) ? families[f]->rows[i] : NULL;
  return NULL;
}

const char *hyla_variant_name(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row == NULL ? NULL : row->name;
}

const char *hyla_variant_reference(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row == NULL ? NULL : row->reference;
}
