/* Private to lib/gemm: a total exchange of rows for columns. */
#ifndef HY_GEMM_ROW_EXCHANGE_H
#define HY_GEMM_ROW_EXCHANGE_H 1

#include "gemm/fiber.h"

/* At first the nodes of a line of the array have the same rows of op(B), each node other columns.
 * Afterwards each has all these columns and some of the rows.  The rows are dealt out in rounds of
 * 2^bits pieces of equal length; piece x of a round goes to node x.
 *
 * Method: exchanges with the neighbours, the lowest bit first.  Slot s holds the data for node s.
 * Once the bits `done' have been crossed, slot s holds the data whose source has these bits of s
 * and whose target has the other bits of s.  So half of the slots cross a bit, as one message. */
struct hy_row_exchange {
  struct hy_fiber rows; /* of op(B) afterwards, at the targets */
  struct hy_fiber cols; /* of op(B) before, at the sources */
  int64_t stride;       /* entries of a slot */
  /* Set for a run: */
  char *slots;
  char *out, *in;
};

/* Local.  rows: op(B)'s rows afterwards, over the line, by its 2^bits lowest parts; cols: op(B)'s
 * columns before.  take: takes the memory of a run (nothing if bits is 0); MEMORY. */
struct hy_row_exchange hy_row_exchange_make(const struct hy_axis *rows, const struct hy_axis *cols,
                                            int bits, int node);
hyla_status hy_row_exchange_allocate(void *owner, hyla_cube *cube, size_t size,
                                     struct hy_row_exchange *exchange);
/* Collective over the line.  Writes the node's rows of op(B) to `to' without gaps, the columns of
 * one source after those of another. */
hyla_status hy_row_exchange_run(const struct hy_row_exchange *exchange,
                                const struct hy_gemm_factor *b, char *to);

#endif
