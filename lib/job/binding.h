/* Private to lib/job: a job's operands, priced and moved together. */
#ifndef HY_JOB_BINDING_H
#define HY_JOB_BINDING_H 1

#include "job/job.h"

/* Local.  Adds this node's cost of moving operands to workspaces and back, all at once each way and
 * by direct exchange, and of the workspaces.  wanted, stands_in: of each operand. */
hyla_status hy_bindings_cost(hyla_cube *cube, const struct hy_binding *bindings,
                             const struct hy_operand *wanted, const bool *stands_in, int count,
                             const struct hy_kernels *k, hyla_cost *cost);

/* Plans the redistribution of all operands that are brought or, back, of all results, as one;
 * *moves stays as it was if nothing moves.  Collective, one outcome on all ranks. */
hyla_status hy_bindings_moved(hyla_cube *cube, const struct hy_binding *bindings, int count,
                              bool back, hyla_plan **moves);
/* Local.  Finishes the operands once all have arrived. */
void hy_bindings_arrived(const struct hy_binding *bindings, int count);

#endif
