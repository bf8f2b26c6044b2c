/* The common part of all variants of matrix-vector operations: vectors travel to A's blocks, the
 * blocks are multiplied, sums travel back. */
#include "gemm/gemv.h"

#include <string.h>

struct run {
  const struct hy_gemv_task *task;
  const struct hy_gemv_traits *way;
  bool here; /* does this node have a part of A? */
  struct hy_carrier carrier[HY_GEMV_ENDS];
};

bool hy_gemv_leaves(const struct hy_gemv_problem *problem) {
  const struct hy_operand *a = &problem->a;
  return a->row.code.dims + a->col.code.dims < problem->cube->dims;
}

/* vector := beta vector, for all entries on the node. */
static void scale(const hyla_matrix *vector, double _Complex beta) {
  int64_t count = vector->local_rows * vector->local_cols;
  if (beta == 1 || count == 0) return;
  hy_count_copied(vector->cube, count);
  vector->k->combine(HYLA_NONE, (int)count, 1, 0, vector->local, (int)count, beta, vector->local,
                     (int)count);
}

void hy_carrier_put(const struct hy_carrier *c, const char *sum, int64_t count) {
  const struct hy_kernels *k = c->task->problem.kernels;
  if (count == 0) return;
  hy_count_copied(c->task->problem.cube, count);
  k->combine(HYLA_NONE, (int)count, 1, 1, sum, (int)count, c->beta, c->vector->local, (int)count);
  if (c->beta != 0) hy_compute(c->task->problem.cube, count, k->size, k->complex_type);
}

void hy_carrier_combine(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_carrier *c = arg;
  const struct hy_kernels *k = c->task->problem.kernels;
  k->add((int)count, 1, from, (int)count, into, (int)count);
  hy_count_copied(c->task->problem.cube, count);
  hy_compute(c->task->problem.cube, count, k->size, k->complex_type);
}

hyla_status hy_gemv_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemv_task *task = given;
  const struct hy_gemv_problem *problem = &task->problem;
  hyla_cube *cube = problem->cube;
  struct run *r = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *r, &r));
  *state = r;
  r->task = task;
  r->way = hy_gemv_traits_of(variant);
  r->here = hy_operand_holds(cube->dims, &problem->a, cube->address);
  for (int i = 0; i < problem->ends && r->here && !problem->idle; i++) {
    struct hy_carrier *c = &r->carrier[i];
    const struct hy_gemv_end *end = &problem->end[i];
    *c = (struct hy_carrier){.owner = r,
                             .task = task,
                             .end = end,
                             .vector = task->vector[i],
                             .axis = hy_gemv_axis(problem, end),
                             .across = hy_gemv_across(problem, end),
                             .beta = i == HY_GEMV_Y ? task->beta : 0,
                             .node = cube->address};
    c->length = hy_held_at(c->axis, c->node);
    c->along = c->length == 0 ? 0 : hy_axis_mask(&c->across->code);
  }
  return HYLA_OK;
}

hyla_status hy_gemv_allocate(void *state) {
  struct run *r = state;
  const struct hy_gemv_problem *problem = &r->task->problem;
  for (int i = 0; i < problem->ends; i++) {
    struct hy_carrier *c = &r->carrier[i];
    if (c->along == 0) continue;
    TRY(hy_alloc_data_for(&problem->cube->base, r, c->length, problem->kernels->size, &c->room));
    TRY(r->way->allocate(c));
  }
  return HYLA_OK;
}

hyla_status hy_gemv_run(void *state) {
  struct run *r = state;
  const struct hy_gemv_problem *problem = &r->task->problem;
  char *data[HY_GEMV_ENDS] = {NULL};
  if (problem->cube->address < 0) return HYLA_OK;
  if (problem->idle && !problem->update) scale(r->task->vector[HY_GEMV_Y], r->task->beta);
  if (problem->idle || !r->here) return HYLA_OK;
  for (int i = 0; i < problem->ends; i++) {
    struct hy_carrier *c = &r->carrier[i];
    if (c->along == 0) { /* the vector's own entries; if y stays, it is set to beta y first */
      c->data = c->vector->local;
      if (c->end->sum) scale(c->vector, c->beta);
    } else if (c->end->sum) { /* clears the place of the summands */
      c->data = c->ordered != NULL ? c->ordered : c->room;
      if (!problem->kernels->dry) memset(c->data, 0, (size_t)c->length * problem->kernels->size);
    } else {
      TRY(r->way->spread(c));
    }
    data[i] = c->data;
  }
  hy_gemv_local(r->task, data);
  for (int i = 0; i < problem->ends; i++)
    if (r->carrier[i].end->sum && r->carrier[i].along != 0) TRY(r->way->sum(&r->carrier[i]));
  return HYLA_OK;
}

void hy_gemv_explain(const void *state, struct hy_text *text) {
  const struct run *r = state;
  for (int i = 0; i < r->task->problem.ends; i++) {
    const struct hy_carrier *c = &r->carrier[i];
    if (c->along == 0) continue;
    const char *what = c->end->sum ? "sums of y" : "entries";
    if (c->group.cube != NULL) hy_subcube_explain(&c->group, what, text);
    if (c->packets > 0)
      hy_text_add(text, "  %s: along %d nodes, in %lld packets of %lld words\n", what,
                  c->across->parts, (long long)c->packets, (long long)c->packet_length);
    if (r->way->figure != NULL && c->across->code.parts == 0) /* papers count on cubes */
      hy_text_add(text, "  %s: %lld communications of one element by %s\n", what,
                  (long long)r->way->figure(c), r->way->source);
  }
}
