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
 *           columns before it
 * certain   local, the same on all ranks: does a run take the step whatever v's entries are?  If
 *           not, a counting cube counts the estimate alone
 * stepped   local: has the latest run taken the step?  false on guests
 * step_cost local: what the step sends and computes from a node, played; 0 for a guest
 * explain   local: if the step is not certain, the most that it sends from any node; what: the
 *           columns' name */
hyla_status hy_orthogonal_create(const hyla_matrix *v, void *owner, struct hy_orthogonal **state);
hyla_status hy_orthogonal_allocate(struct hy_orthogonal *state);
hyla_status hy_orthogonal_run(struct hy_orthogonal *state, const hyla_matrix *v);
bool hy_orthogonal_certain(const hyla_matrix *v);
bool hy_orthogonal_stepped(const struct hy_orthogonal *state);
hyla_status hy_orthogonal_step_cost(const hyla_matrix *v, int node, hyla_cost *cost);
void hy_orthogonal_explain(const hyla_matrix *v, const char *what, struct hy_text *text);

#endif
