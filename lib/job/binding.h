/* Private to lib/job: a job's operands, priced and moved together. */
#ifndef HY_JOB_BINDING_H
#define HY_JOB_BINDING_H 1

#include "job/job.h"

/* Local.  Adds what bringing operands to workspaces and back costs this node, all at once each way
 * and by direct exchange, the workspaces included.  wanted, stands_in: of each operand. */
hyla_status hy_bindings_cost(hyla_cube *cube, const struct hy_binding *bindings,
                             const struct hy_operand *wanted, const bool *stands_in, int count,
                             size_t size, hyla_cost *cost);

/* Plan the redistribution of all operands that are brought, and of all results; the plan stays as
 * it was where nothing moves.  Collective; all ranks return the same. */
hyla_status hy_bindings_in(hyla_cube *cube, const struct hy_binding *bindings, int count,
                           hyla_plan **in);
hyla_status hy_bindings_out(hyla_cube *cube, const struct hy_binding *bindings, int count,
                            hyla_plan **out);
/* Local.  What is left to do to the operands once all are there. */
void hy_bindings_arrived(const struct hy_binding *bindings, int count);

#endif
