/* Private to this folder: the pieces of a redistribution. */
#ifndef HY_MOVE_H
#define HY_MOVE_H 1

#include "matrix/matrix.h"

/* What one part of an axis shares with each part of another axis of the same
 * length: for part q of the other, the indices start[q] ... start[q+1]-1 of the
 * two lists, which hold the local index here and there, both ascending. */
struct hy_shares {
  int32_t *start; /* parts of the other axis + 1; owns the memory of all three */
  int32_t *here;
  int32_t *there;
};

/* part -1 (a guest) shares nothing. */
hyla_status hy_shares_create(struct hy_base *base, const struct hy_axis *axis, int part,
                             const struct hy_axis *other, struct hy_shares *shares);
void hy_shares_destroy(struct hy_base *base, struct hy_shares *shares);

/* Positions on one axis of a source and a target array: entry i of the source's
 * list goes to entry i of the target's.  Ascending; NULL: 0 ... count-1. */
struct hy_places {
  int count;
  const int32_t *from;
  const int32_t *to;
};

/* Entries of the scratch that hy_copy_places needs for an operation. */
int64_t hy_copy_scratch(hyla_operation op);

/* Copies the entries at rows x cols of the source, operated upon, to their
 * places in the target.  rows and cols are the source's; under a transposing
 * op rows->to are columns of the target and cols->to its rows. */
void hy_copy_places(const struct hy_kernels *k, hyla_operation op, const struct hy_places *rows,
                    const struct hy_places *cols, const void *source, int64_t ld_source,
                    void *target, int64_t ld_target, void *scratch);

#endif
