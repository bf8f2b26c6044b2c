/* Cholesky whose bits depend neither on the number of ranks nor on the layout.
 *
 * Reference: Golub and Van Loan 2013, section 4.2, the blocked outer product form.
 * Layout: block columns of a fixed width, each whole on one rank (panels.h).
 * Method: cholesky.c, on one rank row.  The rank that holds a panel makes it and sends it to all
 *   ranks.  Each rank updates its columns one block at a time, so the shape of a product does not
 *   depend on the number of blocks that a rank holds.  Right-hand sides are distributed to the
 *   ranks, each whole on one rank, for both substitutions.
 * Steps, words: a broadcast of each panel to all ranks, in the factorization and in each
 *   substitution.
 * Memory: three panels of n times the width, the rows of two panels.
 * Restriction: none; an inverse is the solution for the identity. */
#include "solve/cholesky/cholesky.h"

/* L X = B or L^H X = B; for order 1, A X = B. */
static hyla_status substitute(struct hy_cholesky *c, hyla_operation op, const hyla_matrix *x) {
  const struct hy_fixed system = {.cube = c->cube,
                                  .k = c->k,
                                  .t = c->problem->n == 1 ? &c->alone : c->a,
                                  .array = c->array,
                                  .tile = c->problem->x_col.block,
                                  .side = HYLA_LEFT,
                                  .triangle = HYLA_LOWER,
                                  .op = op,
                                  .diagonal = HYLA_ANY_DIAGONAL,
                                  .panels = &c->panels};
  return hy_fixed_run(&system, x);
}

/* A system of order 1 needs no root: backward divides by A. */
static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_cholesky *c = state;
  (void)op;
  bool nothing = c->cube->address < 0 || c->problem->n == 1;
  return nothing ? HYLA_OK : substitute(c, HYLA_NONE, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_cholesky *c = state;
  (void)op;
  return c->cube->address < 0 ? HYLA_OK : substitute(c, HYLA_CONJUGATE, x);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_cholesky *c = state;
  hy_fixed_explain(&c->array, c->problem->x_col.block, text);
  hy_cholesky_explain(state, text);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward}},
    .hermitian = true,
    .resume = hy_cholesky_resume};

const struct hy_variant hy_cholesky_fixed = {
    .name = "fixed",
    .arrays = true,
    .reference = "golub-2013, section 4.2",
    .traits = &SUBSTITUTIONS,
    .asked = HY_FIXED_ASKED,
    .fixed = true,
    HY_CHOLESKY_OPERATIONS,
    .explain = explain,
};
