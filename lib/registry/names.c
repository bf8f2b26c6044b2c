/* The operations that have variants, with the variants' names and references, for programs that let
 * people choose. */
#include "registry/registry.h"

#include <string.h>

const struct hy_family *hy_family_at(int i) {
  static const struct hy_family *const matrices[] = {
      &hy_gemm_family,         &hy_gemv_family,
      &hy_redistribute_family, &hy_trsm_family,
      &hy_trtri_family,        &hy_tridiagonal_family,
      &hy_eigen_family,        &hy_eigen_generalized_family,
      &hy_svd_family,          &hy_qr_pivoted_family};
  enum { MATRICES = sizeof matrices / sizeof *matrices };
  if (i < 0) return NULL;
  if (i < MATRICES) return matrices[i];
  if (i < MATRICES + hy_method_count) return &hy_methods[i - MATRICES].variants;
  return hy_collective_family(i - MATRICES - hy_method_count);
}

static const struct hy_variant *find(const char *operation, int i) {
  const struct hy_family *family = NULL;
  for (int f = 0; operation != NULL && (family = hy_family_at(f)) != NULL; f++)
    if (strcmp(family->name, operation) == 0)
      return i >= 0 && i < hy_family_count(family) ? family->rows[i] : NULL;
  return NULL;
}

const char *hyla_variant_operation(int i) {
  const struct hy_family *family = hy_family_at(i);
  return family == NULL ? NULL : family->name;
}

const char *hyla_variant_name(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row == NULL ? NULL : row->name;
}

const char *hyla_variant_reference(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row == NULL ? NULL : row->reference;
}

bool hyla_variant_asked_only(const char *operation, int i) {
  const struct hy_variant *row = find(operation, i);
  return row != NULL && row->asked != NULL;
}
