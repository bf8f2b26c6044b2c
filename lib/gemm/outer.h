/* Private to lib/gemm: multiplication by outer products of panels that travel along trees; the
 * common part of `outer' and `reflect'. */
#ifndef HY_GEMM_OUTER_H
#define HY_GEMM_OUTER_H 1

#include "gemm/published_count.h"
#include "gemm/tree_pipeline.h"

/* The differences between the two. */
struct hy_outer_kind {
  struct hy_tree_pipeline_way way;
  struct hy_published_count published;
};

/* The functions of a variant, in gemm_outer.c. */
hyla_status hy_outer_create(const struct hy_outer_kind *kind, const void *task, void **state);
hyla_status hy_outer_allocate(void *state);
hyla_status hy_outer_run(void *state);
void hy_outer_explain(const void *state, struct hy_text *text);

/* The count of steps when all packets of all panels follow one another without a gap. */
int64_t hy_outer_count(int64_t slots, int64_t s, int k);

/* Consecutive blocks, Gray-coded; on a square array also the parts of cyclic axes. */
void hy_outer_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);

#endif
