/* A variant's cost: its own create, allocate and run on a counting cube.
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

static hyla_status play(const struct hy_variant *variant, const struct hy_gemm_task *task,
                        void **state) {
  TRY(variant->create(variant, task, state));
  TRY(variant->allocate(*state));
  return variant->run(*state);
}

hyla_status hy_gemm_replay(const struct hy_variant *variant, const struct hy_gemm_problem *problem,
                           int node, hyla_cost *cost) {
  struct hy_gemm_replay replay;
  void *state = NULL;
  hy_gemm_replay_begin(problem, node, &replay);
  hyla_status status = play(variant, &replay.task, &state);
  hy_variant_destroy(variant, &replay.cube.base, &state);
  *cost = hy_gemm_replay_end(problem, &replay);
  return status;
}
