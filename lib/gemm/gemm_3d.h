/* Private to lib/gemm: multiplication as a word over i, j, k.  See gemm_word.c. */
#ifndef HY_GEMM_3D_H
#define HY_GEMM_3D_H 1

#include "gemm/result.h"
#include "gemm/split_operand_body.h"

/* A node's view of a word.  The factors are members, so a word can be tried without taking
 * memory. */
struct hy_gemm_3d {
  const struct hy_gemm_task *task;
  int64_t rounds;
  struct hy_split_operand a, b; /* gathered along j, along i */
  struct hy_result c;           /* added along k */
};

/* Local.  The word that the task's layouts mean; the task must keep its place in memory.
 * owner: the block that owns the memory of a run; a sketch needs none. */
struct hy_gemm_3d hy_gemm_3d_make(void *owner, const struct hy_gemm_task *task);
/* Local, on a counting cube: replaces take when a word is tried; takes no memory. */
hyla_status hy_gemm_3d_sketch(struct hy_gemm_3d *product);
/* A variant's function. */
hyla_status hy_gemm_3d_run(void *state);
/* Local.  The layouts of the fastest word. */
void hy_gemm_3d_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);

#endif
