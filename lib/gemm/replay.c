/* A product on a counting cube: the caller plays a part of its run.  lib/job plays whole runs.
 *
 * The scalars are 1: a sum is added to C, and nothing is scaled. */
#include "gemm/gemm.h"

void hy_gemm_replay_begin(const struct hy_gemm_problem *problem, int node,
                          struct hy_gemm_replay *replay) {
  hyla_cube *cube = &replay->cube;
  hyla_type type = problem->kernels->type;
  hy_count_begin(problem->cube, node, cube);
  replay->a = hy_matrix_counted(cube, type, &problem->a);
  replay->b = hy_matrix_counted(cube, type, &problem->b);
  replay->c = hy_matrix_counted(cube, type, &problem->c);
  struct hy_gemm_task *task = &replay->task;
  *task = (struct hy_gemm_task){.problem = *problem,
                                .alpha = 1,
                                .beta = 1,
                                .a = {&replay->a, HYLA_NONE},
                                .b = {&replay->b, HYLA_NONE},
                                .c = &replay->c};
  task->problem.cube = cube;
  task->problem.kernels = replay->c.k;
}

hyla_cost hy_gemm_replay_end(const struct hy_gemm_problem *problem,
                             const struct hy_gemm_replay *replay) {
  return hy_count_end(problem->cube, &replay->cube, problem->kernels->size);
}
