/* Private to lib/solve: triangular systems for the user, X := alpha op(A)^-1 B or alpha B op(A)^-1.
 *
 * The front ends bring the triangle and the right-hand sides, scaled, to the layouts that
 * substitution needs (triangle.h); a variant solves in place. */
#ifndef HY_TRSM_H
#define HY_TRSM_H 1

#include "job/job.h"
#include "solve/solve.h"
#include "solve/triangle/triangle.h"

/* trsm.c: for both front ends.
 * copies     local: does this operand need a workspace however it lies?  It does if it is brought
 *            through its op, or if several nodes hold its entries
 * check_diagonal  collective: SINGULAR, NOT_FINITE if a diagonal entry of the task's triangle is
 *            zero, is not finite; the message names the first such one */
bool hy_trsm_copies(const struct hy_job *job, const struct hy_variant *variant, int operand);
hyla_status hy_trsm_check_diagonal(const struct hy_trsm_task *task);

#endif
