/* Elimination with pivots on the diagonal: workspace. */
#include "solve/papers/pipeline.h"

/* Numbers each pivot's words and makes this node's schedule. */
static hyla_status number_words(struct hy_elimination *e) {
  const struct hy_pipeline *p = &e->pipeline;
  struct hy_generator generator = {
      .make = hy_pipeline_make, .dims = e->cube->dims, .numbered = true, .table = p};
  int64_t element = p->rows_at, factor = 0;
  for (int64_t j = 0; j < p->row.n; j++) {
    struct hy_pivot_place at = hy_pivot_place(p, (uint32_t)e->cube->address, j);
    e->element_at[j] = element;
    e->factor_at[j] = factor;
    element += at.elements;
    factor += at.factors;
  }
  return hy_generate(&generator, (uint32_t)e->cube->address, &e->cube->base, &e->schedule);
}

static void release(struct hy_release *self) {
  hy_schedule_free(&((struct hy_elimination *)self)->schedule);
}

hyla_status hy_elimination_create(void *owner, const struct hy_factorization *problem,
                                  enum hy_elimination_kind kind, struct hy_elimination *e) {
  uint32_t row_dims = hy_axis_mask(&problem->row.code), col_dims = hy_axis_mask(&problem->col.code);
  struct hy_base *base = &problem->cube->base;
  *e = (struct hy_elimination){
      .release = {.release = release}, .owner = owner, .cube = problem->cube, .k = problem->k};
  hy_on_free(owner, &e->release);
  TRY(hy_alloc_for(base, owner, 3 * problem->n + 1, sizeof *e->start, &e->start));
  e->element_at = e->start + problem->n;
  e->factor_at = e->element_at + problem->n;
  e->pipeline = hy_pipeline_of(&problem->row, &problem->col, &problem->x_col, kind, e->start);
  TRY(hy_alloc_for(base, owner, e->pipeline.words + 1, sizeof *e->offsets, &e->offsets));
  CHECK(base, e->pipeline.words <= INT32_MAX && e->pipeline.steps <= INT32_MAX, MEMORY,
        "%lld elements and factors come to a rank, which a schedule cannot number",
        (long long)e->pipeline.words);
  /* If rows above a pivot are eliminated too, all ranks of a rank column see its pivots, so
   * failures are reduced along the rank row alone. */
  if (hy_columns_travel(&e->pipeline))
    TRY(hy_subcube_make_for(owner, e->cube,
                            kind == HY_ELIMINATE_ALL ? col_dims : row_dims | col_dims,
                            HY_TASK_ALLREDUCE, 1, sizeof e->failure, NULL, &e->failures));
  return e->cube->address < 0 ? HYLA_OK : number_words(e);
}

static int64_t words_bytes(const struct hy_elimination *e) {
  return e->pipeline.words * (int64_t)e->k->size;
}

hyla_status hy_elimination_allocate(struct hy_elimination *e, const hyla_matrix *a) {
  e->a = a;
  if (e->cube->address < 0) return HYLA_OK;
  TRY(hy_alloc_data_for(&e->cube->base, e->owner, words_bytes(e), 1, &e->words));
  return hy_columns_travel(&e->pipeline) ? hy_subcube_allocate(&e->failures) : HYLA_OK;
}

const char *hy_elimination_applies(const void *given) {
  const struct hy_factorization *problem = given;
  const char *reason = hy_factor_applies(given);
  if (problem->m != problem->n) return "the matrix is not square";
  if (reason != NULL || hy_factor_block(problem) == 1) return reason;
  return "the layout is not in blocks of one element, as gray/cyclic:1";
}
