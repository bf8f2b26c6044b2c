/* The table of all kinds, and their known properties. */
#include "gallery/gallery.h"

#include <math.h>
#include <string.h>

static const struct hy_kind *const themes[] = {
    hy_random_kinds,  hy_inverse_kinds, hy_integer_kinds, hy_band_kinds,    hy_toeplitz_kinds,
    hy_unitary_kinds, hy_scaled_kinds,  hy_growth_kinds,  hy_spectrum_kinds};

const struct hy_kind *hy_kind_at(int i) {
  for (size_t theme = 0; theme < sizeof themes / sizeof *themes && i >= 0; theme++)
    for (const struct hy_kind *kind = themes[theme]; kind->is.name != NULL; kind++)
      if (i-- == 0) return kind;
  return NULL;
}

const hyla_kind *hyla_kind_at(int i) {
  const struct hy_kind *kind = hy_kind_at(i);
  return kind != NULL ? &kind->is : NULL;
}

int hy_kind_number(const char *name) {
  const struct hy_kind *kind = NULL;
  for (int i = 0; name != NULL && (kind = hy_kind_at(i)) != NULL; i++)
    if (strcmp(kind->is.name, name) == 0) return i;
  return -1;
}

/* The properties that follow from the traits alone, for n >= 0. */
static void general_facts(unsigned traits, bool complex_type, int64_t n, hyla_properties *known) {
  bool alike = !complex_type && (traits & HY_REAL_SYMMETRIC) != 0;
  bool nonsingular = (traits & (HY_DEFINITE | HY_UNITARY | HY_NONSINGULAR)) != 0;
  *known = (hyla_properties){.rectangular = (traits & HY_RECTANGULAR) != 0,
                             .random = (traits & HY_RANDOM) != 0,
                             .symmetric = alike || (traits & HY_IS_SYMMETRIC) != 0,
                             .hermitian = alike || (traits & HY_IS_HERMITIAN) != 0,
                             .definite = (traits & HY_DEFINITE) != 0,
                             .unitary = (traits & HY_UNITARY) != 0,
                             .grows = (traits & HY_GROWS) != 0,
                             .lower = n - 1,
                             .upper = n - 1,
                             .rank = nonsingular ? n : -1,
                             .condition = traits & HY_UNITARY ? 1 : 0};
  if (hessenberg) known->lower = 1;
  if ((traits & HY_TRIDIAGONAL) != 0) known->upper = 1;
  if ((traits & HY_UPPER) != 0) known->lower = 0;
  if ((traits & HY_LOWER) != 0) known->upper = 0;
}

hyla_status hyla_kind_properties(const char *kind, hyla_type type, int64_t n,
                                 hyla_properties *known) {
  const struct hy_kind *row = hy_kind_at(hy_kind_number(kind));
  const struct hy_kernels *k = hy_kernels_of(type);
  if (row == NULL || k == NULL || n < 0 || known == NULL) return HYLA_ARGUMENT;
  general_facts(row->traits, k->complex_type, n, known);
  if ((row->traits & HY_CHOSEN) != 0) known->condition = n > 1 ? hy_gallery_condition(k) : 1;
  if (row->facts != NULL) row->facts(n, known);
  if (known->rank >= 0 && known->rank < n) known->condition = INFINITY;
  int64_t most = hy_max(n - 1, 0);
  known->lower = hy_min(hy_max(known->lower, 0), most);
  known->upper = hy_min(hy_max(known->upper, 0), most);
  return HYLA_OK;
}
