/* Private to lib/gemm: multiplication as a word over i, j, k.  See gemm_word.c. */
#ifndef HY_GEMM_WORD_H
#define HY_GEMM_WORD_H 1

#include "gemm/result.h"
#include "gemm/split_operand_body.h"

/* A node's view of a word.  The factors are members, so a word can be tried without taking
 * memory. */
struct hy_word {
  const struct hy_gemm_task *task;
  int64_t rounds;
  struct hy_split_operand a, b; /* gathered along j, along i */
  struct hy_result c;           /* added along k */
};

/* Local.  The word that the task's layouts mean; the task must keep its place in memory.
 * owner: the block that owns the memory of a run; a sketch needs none. */
struct hy_word hy_word_make(void *owner, const struct hy_gemm_task *task);
/* Local, on a counting cube: replaces take when a word is tried; takes no memory. */
hyla_status hy_word_sketch(struct hy_word *word);
/* A variant's function. */
hyla_status hy_word_run(void *state);
/* Local.  The layouts of the fastest word. */
void hy_word_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);

#endif
