/* Private to solve: columns that roundings have left less orthogonal than they can be.
 *
 * Householder's reflections and the products of divide and conquer leave vectors orthogonal to
 * about half an n ulp; where entries are equal, roundings are, too, and add up to some n ulp.  The
 * distance is estimated from a few products, and columns that are too far get one step, which
 * leaves the roundings of the step alone.  theory.md, "How good values and vectors are". */
#ifndef HY_SOLVE_ORTHOGONAL_H
#define HY_SOLVE_ORTHOGONAL_H 1

#include "solve/contract/contract.h"

struct hy_orthogonal;

/* create    local, for matrices of at most v's sizes that lie as v does, on all nodes; owner: a
 *           block that is freed after the state
 * allocate  local; all memory belongs to the state, a block.  MEMORY
 * run       collective over the nodes, not agreed; guests return at once.  v's columns, nearly
 *           orthogonal and of length 1, become so to rounding; column j changes by multiples of the
 *           columns before it.  On a counting cube more than 64 columns
 *           count the estimate alone */
hyla_status hy_orthogonal_create(const hyla_matrix *v, void *owner, struct hy_orthogonal **state);
hyla_status hy_orthogonal_allocate(struct hy_orthogonal *state);
hyla_status hy_orthogonal_run(struct hy_orthogonal *state, const hyla_matrix *v);

#endif
