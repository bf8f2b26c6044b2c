/* Private to this folder: copies, zeros and transpositions in the instructions of a processor. */
#ifndef HY_COPIES_H
#define HY_COPIES_H 1

#include "local/local.h"

struct hy_copies {
  void (*runs)(const struct hy_runs *runs, const void *from, void *to);
  /* Writes zeros past the caches, in columns that are ld bytes apart. */
  void (*clear)(int64_t bytes, int64_t columns, void *to, int64_t ld);
  /* Transpositions, indexed by hyla_type. */
  void (*turn[4])(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                  void *b, int ldb, bool stream, const void *next);
};

/* The table for vectors of 32 bytes (NULL if this processor lacks them), or for plain
 * instructions. */
const struct hy_copies *hy_copies_of(bool wide);
/* The faster table on this processor. */
const struct hy_copies *hy_copies_best(void);

#endif
