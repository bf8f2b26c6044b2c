/* Private to this folder: functions that look at each entry of a block, for one processor's
 * instructions. */
#ifndef HY_LOOKS_H
#define HY_LOOKS_H 1

#include "local/local.h"

/* The least magnitude of parts other than zero (infinity if there is none), and the largest one;
 * NaN counts for neither. */
struct hy_magnitudes {
  double least, most;
};

struct hy_looks {
  /* By hyla_type, as in hy_kernels. */
  double (*largest[4])(int m, int n, const void *a, int lda);
  void (*pass[4])(int m, int n, const void *a, int lda, const void *x, const double *weights,
                  const struct hy_pass *into);
  struct hy_magnitudes (*magnitudes[4])(int m, int n, const void *a, int lda);
};

/* With vectors of 32 bytes, NULL where this processor has none; without. */
const struct hy_looks *hy_looks_of(bool wide);
/* The faster one of this processor. */
const struct hy_looks *hy_looks_best(void);

#endif
