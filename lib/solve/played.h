/* Private to solve: plans of calls that make other calls as they go.
 *
 * The call's own program is played by all ranks together on counting cubes (hy_count_together), so
 * that the plans that it makes on the way are those of a run; what the ledger and the books then
 * hold is the cost.  The variants are those of a factorization that the program makes: what the
 * rest of it costs is added to each. */
#ifndef HY_SOLVE_PLAYED_H
#define HY_SOLVE_PLAYED_H 1

#include "call/call.h"
#include "solve/solve.h"

/* Collective, agreed.  A program's run on a counting cube, by the plan's state. */
typedef hyla_status hy_program(hyla_cube *counting, hyla_plan *plan);

/* make    collective, agreed: a plan of that kind for the call; on failure *plan is NULL
 * choose  local, for programs: the plan chooses among the variants of a factorization's plan, under
 *         the name of the operation; the first factorization counts
 * name    local: the static name of the variant that the caller has asked for, once it is chosen;
 *         NULL: for none
 * price   collective, agreed: plays the program, which must choose; k: of the call's type */
hyla_status hy_played_make(hyla_cube *cube, const struct hy_plan_kind *kind,
                           const struct hy_call *call, hyla_plan **plan);
hyla_status hy_played_choose(hyla_plan *plan, const char *operation, const hyla_plan *factored);
const char *hy_played_name(const hyla_plan *plan, const char *asked);
hyla_status hy_played_price(hyla_plan *plan, const struct hy_kernels *k, hy_program *program);

#endif
