/* Private to lib/gemm: multiplication by outer products of panels that are passed on along trees;
 * what `outer` and `reflect` have in common. */
#ifndef HY_GEMM_OUTER_H
#define HY_GEMM_OUTER_H 1

#include "gemm/tree_pipeline.h"

/* The members of a variant, in gemm_outer.c; create takes the trees' roots and when they start. */
hyla_status hy_outer_create(const struct hy_tree_pipeline_way *way, const struct hy_gemm_task *task,
                            void **state);
hyla_status hy_outer_take(void *state);
hyla_status hy_outer_run(void *state);
void hy_outer_destroy(void **state);

/* Consecutive blocks, Gray-coded. */
void hy_outer_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);

#endif
