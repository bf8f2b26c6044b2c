/* Elimination with pivots on the diagonal, element by element, in step with the words that arrive
 * (pipeline.h).  The words are used in elimination_add.c and elimination_rotate.c.
 *
 * Steps: pipeline.steps, messages of one word.
 * Memory: a node keeps all elements and factors that come to it, and their schedule: N^2 / 2
 *   divided by the rank columns, and by the rank rows; the factors are N^2 if rows above a pivot
 *   have some. */
#include "solve/papers/pipeline.h"

static char *word(const struct hy_elimination *e, int64_t w) {
  return e->words + (size_t)e->offsets[w] * e->k->size;
}

struct hy_pivot_step hy_pivot_step_of(const struct hy_elimination *e, const hyla_matrix *x,
                                      int64_t pivot) {
  const struct hy_pipeline *p = &e->pipeline;
  struct hy_pivot_step l = {
      .at = hy_pivot_place(p, (uint32_t)e->cube->address, pivot), .pivot = pivot, .x = x};
  if (hy_columns_travel(p)) l.own = e->a->local_cols - l.at.col;
  if (pivot < hy_pipeline_sending(p)) {
    l.elements = word(e, e->element_at[pivot]);
    l.factors = word(e, e->factor_at[pivot]);
  }
  return l;
}

char *hy_pivot_step_entry(const struct hy_elimination *e, const struct hy_pivot_step *l,
                          int64_t row, int64_t slot) {
  if (slot < l->own) return hy_at(e->a, row, l->at.col + slot);
  if (l->x == NULL || slot - l->own >= l->x->local_cols) return NULL;
  return hy_at(l->x, row, slot - l->own);
}

hyla_status hy_pivot_status(const struct hy_kernels *k, const void *pivot) {
  uint64_t key = k->search(1, pivot).key;
  if (key >= HY_KEY_INFINITY) return HYLA_NOT_FINITE;
  return key == 0 ? HYLA_SINGULAR : HYLA_OK;
}

/* A node judges pivots in the order in which it meets them. */
void hy_pivot_judge(struct hy_elimination *e, int64_t pivot, const void *value) {
  if (e->k->dry || e->failure.pivot != 0) return;
  hyla_status pivot_status = hy_pivot_status(e->k, value);
  if (pivot_status == HYLA_OK) return;
  e->failure = (struct hy_pivot_failure){.pivot = pivot + 1, .status = pivot_status};
}

static void first_failure(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_pivot_failure *mine = into;
  const struct hy_pivot_failure *theirs = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++)
    if (theirs[i].pivot != 0 && (mine[i].pivot == 0 || theirs[i].pivot < mine[i].pivot))
      mine[i] = theirs[i];
}

/* Right-hand sides that are not eliminated with A have no words. */
static void set_offsets(struct hy_elimination *e, const hyla_matrix *x) {
  const struct hy_pipeline *p = &e->pipeline;
  int64_t riding = x == NULL ? 0 : x->local_cols, next = p->rows_at, w = p->rows_at;
  for (int64_t i = 0; i < w; i++) e->offsets[i] = i;
  for (int64_t j = 0; j < hy_pipeline_sending(p); j++) {
    struct hy_pivot_place at = hy_pivot_place(p, (uint32_t)e->cube->address, j);
    int64_t there = riding + (hy_columns_travel(p) ? e->a->local_cols - at.col : 0);
    for (int64_t s = 0; s < at.elements; s++, w++) {
      e->offsets[w] = next;
      next += s < there;
    }
  }
  while (w <= p->words) e->offsets[w++] = next;
}

/* Sends and receives the packets of a step, from the i-th on; *i becomes the first packet of the
 * next step. */
static hyla_status travel(const struct hy_elimination *e, int64_t step, int64_t *i) {
  struct hy_schedule now = e->schedule;
  int64_t first = *i;
  const struct hy_run run = {.dims = (1u << e->cube->dims) - 1,
                             .blocks = {.offsets = e->offsets},
                             .size = e->k->size,
                             .data = e->words};
  while (*i < e->schedule.packet_count && e->schedule.packets[*i].step == step) ++*i;
  if (*i == first) return HYLA_OK;
  now.packets += first;
  now.packet_count = *i - first;
  return hy_schedule_run(e->cube, &now, &run);
}

hyla_status hy_eliminate(struct hy_elimination *e, const hyla_matrix *x) {
  const struct hy_pipeline *p = &e->pipeline;
  int64_t n = p->row.n, oldest = 0, packet = 0;
  e->failure = (struct hy_pivot_failure){0};
  set_offsets(e, x);
  if (hy_columns_travel(p)) hy_part(e->cube, "what comes before");
  for (int64_t step = 0; oldest < n || packet < e->schedule.packet_count; step++) {
    if (hy_rotates(p))
      hy_rotate_rows_at(e, step, x, &oldest);
    else
      hy_add_rows_at(e, step, x, &oldest);
    TRY(travel(e, step, &packet));
  }
  if (!hy_columns_travel(p)) return HYLA_OK; /* these kinds judge no pivot */
  hy_part(e->cube, "elimination");
  return hy_subcube_allreduce(&e->failures, &e->failure, 1, first_failure, NULL);
}

hyla_status hy_elimination_run(struct hy_elimination *e, const struct hy_factorization *problem) {
  if (e->cube->address < 0) return HYLA_OK;
  TRY(hy_eliminate(e, problem->rhs));
  return hy_pivot_verdict(problem, HYLA_OK, (hyla_status)e->failure.status, e->failure.pivot);
}

/* ----------------------------------------------------------------- memory -- */

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

hyla_status hy_elimination_allocate(struct hy_elimination *e, const hyla_matrix *a) {
  e->a = a;
  if (e->cube->address < 0) return HYLA_OK;
  TRY(hy_alloc_data_for(&e->cube->base, e->owner, e->pipeline.words, e->k->size, &e->words));
  return hy_columns_travel(&e->pipeline) ? hy_subcube_allocate(&e->failures) : HYLA_OK;
}

const char *hy_elimination_applies(const void *given) {
  const struct hy_factorization *problem = given;
  const char *reason = hy_factor_applies(given);
  if (problem->m != problem->n) return "the matrix is not square";
  if (reason != NULL || hy_factor_block(problem) == 1) return reason;
  return "the layout is not in blocks of one element, as gray/cyclic:1";
}
