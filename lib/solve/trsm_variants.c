/* The family of triangular systems, from its list. */
#include "solve/trsm_variants.h"
#include "solve/trsm.h"

#define DECLARE(row) extern const struct hy_variant row;
HY_TRSM_VARIANTS(DECLARE)
#undef DECLARE

#define POINTER(row) &row,
static const struct hy_variant *const LIST[] = {HY_TRSM_VARIANTS(POINTER) NULL};
#undef POINTER

const struct hy_family hy_trsm_family = {.name = "trsm", .rows = LIST};
