/* Private to this folder: copies, zeros and transpositions in the instructions of a processor. */
#ifndef HY_COPIES_H
#define HY_COPIES_H 1

#include "local/local.h"

struct hy_copies {
  void (*runs)(const struct hy_runs *runs, const void *from, void *to);
  /* Zeros past the caches, in columns, ld apart; distances in bytes. */
  void (*clear)(int64_t bytes, int64_t columns, void *to, int64_t ld);
  /* By hyla_type. */
  void (*turn[4])(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                  void *b, int ldb, bool stream, const void *next);
};

/* With vectors of 32 bytes, NULL where this processor has none; without. */
const struct hy_copies *hy_copies_of(bool wide);
/* The faster one of this processor. */
const struct hy_copies *hy_copies_best(void);

#endif
