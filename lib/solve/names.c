/* The operations that have variants, and the names and references of these, for programs that
 * let people choose. */
#include "solve/solve.h"

#include <string.h>

static const struct hy_family *const others[] = {&hy_gemm_family, &hy_redistribute_family};
enum { OTHERS = sizeof others / sizeof *others };

static const struct hy_family *family(int i) {
  if (i < 0 || i >= OTHERS + HY_METHODS) return NULL;
  return i < OTHERS ? others[i] : &hy_methods[i - OTHERS].variants;
}

static const struct hy_variant *find(const char *operation, int i) {
  const struct hy_family *f = NULL;
  for (int x = 0; operation != NULL && (f = family(x)) != NULL; x++)
    if (strcmp(f->name, operation) == 0)
      return i >= 0 && i < hy_family_count(f) ? f->rows[i] : NULL;
  return NULL;
}

const char *hyla_variant_operation(int i) {
  const struct hy_family *f = family(i);
  return f == NULL ? NULL : f->name;
}

const char *hyla_variant_name(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row == NULL ? NULL : row->name;
}

const char *hyla_variant_reference(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row == NULL ? NULL : row->reference;
}
