/* Private to lib/gemm: multiplication by outer products of panels that are passed on along trees;
 * what `outer` and `reflect` have in common. */
#ifndef HY_GEMM_OUTER_H
#define HY_GEMM_OUTER_H 1

#include "gemm/theorem.h"
#include "gemm/tree_pipeline.h"

/* What distinguishes them. */
struct hy_outer_kind {
  struct hy_tree_pipeline_way way;
  struct hy_theorem theorem;
};

/* The members of a variant, in gemm_outer.c. */
hyla_status hy_outer_create(const struct hy_outer_kind *kind, const struct hy_gemm_task *task,
                            void **state);
hyla_status hy_outer_take(void *state);
hyla_status hy_outer_run(void *state);
void hy_outer_explain(const void *state, struct hy_text *text);
void hy_outer_destroy(void **state);

/* Where all packets of panels come without a gap: their count. */
int64_t hy_outer_count(int64_t slots, int64_t s, int k);

/* Consecutive blocks, Gray-coded; or, on a square array, what parts of cyclic storage have. */
void hy_outer_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);

#endif
