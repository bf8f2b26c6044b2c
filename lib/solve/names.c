/* The names and references of all variants, for programs that let people choose. */
#include "solve/solve.h"

#include <string.h>

/* The i-th family of all. */
static const struct hy_family *family_at(int i) {
  static const struct hy_family *const matrices[] = {&hy_gemm_family, &hy_redistribute_family,
                                                     &hy_solve_family};
  enum { MATRICES = sizeof matrices / sizeof *matrices };
  return i < MATRICES ? matrices[i] : hy_collective_family(i - MATRICES);
}

static const struct hy_variant *find(const char *operation, int i) {
  const struct hy_family *family = NULL;
  for (int f = 0; operation != NULL && (family = family_at(f)) != NULL; f++)
    if (strcmp(family->name, operation) == 0)
      return i >= 0 && i < hy_family_count(family) ? family->rows[i] : NULL;
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
