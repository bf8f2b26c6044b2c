/* Private to lib/gemm: a total exchange of rows for columns. */
#ifndef HY_GEMM_ROW_EXCHANGE_H
#define HY_GEMM_ROW_EXCHANGE_H 1

#include "gemm/fiber.h"

/* The nodes of a line of the array have the same rows of op(B), each other columns; afterwards they
 * have all these columns, each other rows: in rounds of 2^bits pieces of as many rows each, piece x
 * of a round is for node x.
 * By exchanges with the neighbours, over the lowest bit first.  Slot s holds what goes to node s;
 * once the bits `done` have been crossed, what has these bits of s in its source and the others in
 * its target.  So half of the slots cross a bit, as one message. */
struct hy_row_exchange {
  struct hy_fiber rows; /* of op(B) after it: the targets' */
  struct hy_fiber cols; /* of op(B): the sources' */
  int64_t stride;       /* entries of a slot */
  /* Of a run: */
  char *slots;
  char *out, *in;
};

/* Local.  rows: as they lie over the line, by its 2^bits lowest parts, afterwards; cols: as they
 * lie now.  take: the memory of a run, none without bits; MEMORY. */
struct hy_row_exchange hy_row_exchange_make(const struct hy_axis *rows, const struct hy_axis *cols,
                                            int bits, int node);
hyla_status hy_row_exchange_take(hyla_cube *cube, size_t size, struct hy_row_exchange *exchange);
void hy_row_exchange_free(hyla_cube *cube, struct hy_row_exchange *exchange);
/* Collective over the line.  The node's rows of op(B) without gaps to `to`, the columns of one
 * source after the other's. */
hyla_status hy_row_exchange_run(const struct hy_row_exchange *exchange,
                                const struct hy_gemm_factor *b, char *to);

#endif
