/* The names and references of all variants, for programs that let people choose. */
#include "solve/solve.h"

#include <string.h>

/* Both outputs are NULL when there is no such variant. */
static void find(const char *operation, int i, const char **name, const char **reference) {
  *name = *reference = NULL;
  if (operation == NULL || i < 0) return;
  if (strcmp(operation, "gemm") == 0) {
    const struct hy_gemm_variant *const *list = hy_gemm_variants();
    while (*list != NULL && i-- > 0) list++;
    if (*list != NULL) *name = (*list)->name, *reference = (*list)->reference;
  } else if (strcmp(operation, "redistribute") == 0) {
    const struct hy_redistribute_variant *const *list = hy_redistribute_variants();
    while (*list != NULL && i-- > 0) list++;
    if (*list != NULL) *name = (*list)->name, *reference = (*list)->reference;
  } else if (strcmp(operation, "solve") == 0) {
    const struct hy_solve_variant *const *list = hy_solve_variants();
    while (*list != NULL && i-- > 0) list++;
    if (*list != NULL) *name = (*list)->name, *reference = (*list)->reference;
  }
}

const char *hyla_variant_name(const char *operation, int i) {
  const char *name, *reference;
  find(operation, i, &name, &reference);
  return name;
}

const char *hyla_variant_reference(const char *operation, int i) {
  const char *name, *reference;
  find(operation, i, &name, &reference);
  return reference;
}
