/* Multiplication by panels that are passed on along trees: the run that follows the
 * timetable.  See relay.h. */
#include "gemm/tree_pipeline.h"

/* ------------------------------------------------------------- lengths -- */

static int64_t width(const struct hy_tree_pipeline *relay, int panel) {
  return hy_panel_start(relay->k, relay->panels, panel + 1) -
         hy_panel_start(relay->k, relay->panels, panel);
}

/* What of the node's rows of A, columns of B a panel has entries with. */
static struct hy_reach reach_of(const struct hy_tree_pipeline *relay,
                                const struct hy_tree_pipeline_side *s, int panel) {
  struct hy_indices k =
      hy_interval(hy_panel_start(relay->k, relay->panels, panel), width(relay, panel));
  struct hy_indices across = hy_indices_of(s->rows ? &s->operand->col : &s->operand->row, s->node);
  const struct hy_triangle_block block = {s->part, s->rows ? k : across, s->rows ? across : k};
  return s->rows ? hy_triangle_block_cols(&block) : hy_triangle_block_rows(&block);
}

static int64_t words(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                     const struct hy_tree_pipeline_leg *leg) {
  return reach_of(relay, s, leg->panel).count * width(relay, leg->panel);
}

static int64_t own_entries(const struct hy_tree_pipeline_side *s) {
  return s->in_place ? 0 : s->across * hy_held(s->axis, s->own);
}

/* The first panel is the widest. */
static int64_t slot_entries(const struct hy_tree_pipeline *relay,
                            const struct hy_tree_pipeline_side *s) {
  return s->across * width(relay, 0);
}

/* -------------------------------------------------------------- memory -- */

static hyla_status side_take(const struct hy_tree_pipeline *relay, struct hy_tree_pipeline_side *s,
                             const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  struct hy_base *base = &x->cube->base;
  if (s->in_place) return hy_block_access_create(factor, s->rows, s->part, &s->access);
  TRY(hy_alloc_data(base, own_entries(s), x->k->size, &s->packed));
  return hy_alloc_data(base, 2 * s->in.most * slot_entries(relay, s), x->k->size, &s->slots);
}

hyla_status hy_tree_pipeline_take(void *state) {
  struct hy_tree_pipeline *relay = state;
  const struct hy_gemm_task *task = relay->task;
  struct hy_base *base = &task->problem.cube->base;
  if (task->problem.cube->address < 0) return HYLA_OK;
  TRY(side_take(relay, &relay->a, &task->a));
  TRY(side_take(relay, &relay->b, &task->b));
  TRY(hy_result_take(&relay->c, task));
  int64_t most = relay->a.in.most + relay->a.out.most + relay->b.in.most + relay->b.out.most;
  return hy_alloc(base, most, sizeof *relay->messages, &relay->messages);
}

void hy_tree_pipeline_destroy(void **state) {
  struct hy_tree_pipeline *relay = *state;
  if (relay == NULL) return;
  hyla_cube *cube = relay->task->problem.cube;
  struct hy_tree_pipeline_side *sides[] = {&relay->a, &relay->b};
  for (int x = 0; x < 2; x++) {
    hy_block_access_destroy(cube, &sides[x]->access);
    hy_free(&cube->base, &sides[x]->packed);
    hy_free(&cube->base, &sides[x]->slots);
    hy_free(&cube->base, &sides[x]->link);
    hy_free(&cube->base, &sides[x]->in.leg);
    hy_free(&cube->base, &sides[x]->out.leg);
  }
  hy_result_free(cube, &relay->c);
  hy_free(&cube->base, &relay->products.leg);
  hy_free(&cube->base, &relay->messages);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* Where a panel begins in its owner's block. */
static int64_t skip_of(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                       int panel) {
  return hy_axis_before(s->axis, panel / s->each, hy_panel_start(relay->k, relay->panels, panel));
}

static struct hy_panel in_block(const struct hy_tree_pipeline *relay,
                                const struct hy_tree_pipeline_side *s, int panel,
                                const struct hy_panel *block, size_t size) {
  int64_t skip = skip_of(relay, s, panel);
  return hy_panel_at(block, s->rows ? skip : 0, s->rows ? 0 : skip, size);
}

/* Of a panel without gaps: its leading dimension, and how far from entry (0, 0) the first one
 * stands that is in its reach. */
static int64_t ld_of(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                     int panel) {
  return hy_max(1, s->rows ? width(relay, panel) : reach_of(relay, s, panel).count);
}
static int64_t first_of(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                        int panel) {
  return reach_of(relay, s, panel).from * (s->rows ? width(relay, panel) : 1);
}

/* Where the panels of the node's own block stand. */
static char *own_panel(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                       int panel, size_t size) {
  return s->packed + s->across * skip_of(relay, s, panel) * (int64_t)size;
}

/* Lends the node's block, or copies its panels one after the other. */
static hyla_status side_begin(const struct hy_tree_pipeline *relay, struct hy_tree_pipeline_side *s,
                              const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_panel block = {x->local, x->ld, factor->op};
  if (s->in_place) return hy_block_access_open(s->access);
  hy_count_copied(x->cube, own_entries(s));
  s->came = (struct hy_tree_pipeline_group){0};
  for (int panel = s->own * s->each; panel < (s->own + 1) * s->each; panel++) {
    int64_t wide = width(relay, panel);
    struct hy_reach reach = reach_of(relay, s, panel);
    int rows = (int)(s->rows ? wide : reach.count), cols = (int)(s->rows ? reach.count : wide);
    if (rows == 0 || cols == 0) continue;
    struct hy_panel from = in_block(relay, s, panel, &block, x->k->size);
    from = hy_panel_at(&from, s->rows ? 0 : reach.from, s->rows ? reach.from : 0, x->k->size);
    char *to =
        own_panel(relay, s, panel, x->k->size) + first_of(relay, s, panel) * (int64_t)x->k->size;
    x->k->copy(from.op, rows, cols, 1, from.data, (int)from.ld, to, rows);
  }
  return HYLA_OK;
}

/* What comes as number `index` in a step; what the step before brought stays. */
static char *slot(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                  int step, int64_t index, size_t size) {
  return s->slots + (2 * index + step % 2) * slot_entries(relay, s) * (int64_t)size;
}

/* A panel that is the node's own or came in the step before. */
static char *held(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                  int step, int panel, size_t size) {
  if (panel / s->each == s->own) return own_panel(relay, s, panel, size);
  int64_t index = 0;
  while (s->came.leg[index].panel != panel) index++;
  return slot(relay, s, step - 1, index, size);
}

/* Adds a side's messages of a step; returns how many there are. */
static int side_messages(const struct hy_tree_pipeline *relay,
                         const struct hy_tree_pipeline_side *s, const hyla_matrix *x,
                         const struct hy_tree_pipeline_group *in,
                         const struct hy_tree_pipeline_group *out, struct hy_message *messages) {
  int count = 0, node = x->cube->address;
  size_t size = x->k->size;
  for (int64_t i = 0; i < in->count; i++) {
    const struct hy_tree_pipeline_leg *leg = &in->leg[i];
    int64_t skip = first_of(relay, s, leg->panel) * (int64_t)size;
    messages[count++] = (struct hy_message){.verb = HY_RECV,
                                            .peer = hy_node_along(s->axis, node, leg->part),
                                            .bytes = words(relay, s, leg) * (int64_t)size,
                                            .data = slot(relay, s, leg->step, i, size) + skip};
  }
  for (int64_t i = 0; i < out->count; i++) {
    const struct hy_tree_pipeline_leg *leg = &out->leg[i];
    int64_t skip = first_of(relay, s, leg->panel) * (int64_t)size;
    messages[count++] =
        (struct hy_message){.verb = HY_SEND,
                            .peer = hy_node_along(s->axis, node, leg->part),
                            .bytes = words(relay, s, leg) * (int64_t)size,
                            .data = held(relay, s, leg->step, leg->panel, size) + skip};
  }
  return count;
}

static hyla_status panel_of(const struct hy_tree_pipeline *relay,
                            const struct hy_tree_pipeline_side *s,
                            const struct hy_gemm_factor *factor,
                            const struct hy_tree_pipeline_leg *product, struct hy_panel *panel) {
  size_t size = factor->matrix->k->size;
  if (!s->in_place) {
    *panel = (struct hy_panel){held(relay, s, product->step, product->panel, size),
                               ld_of(relay, s, product->panel), HYLA_NONE};
    return HYLA_OK;
  }
  struct hy_panel block;
  TRY(hy_block_access_block(s->access, product->panel / s->each, &block));
  *panel = in_block(relay, s, product->panel, &block, size);
  return HYLA_OK;
}

/* C += A(:, m) B(m, :) for the panels m of a step. */
static hyla_status multiply(const struct hy_gemm_task *task, struct hy_tree_pipeline *relay,
                            const struct hy_tree_pipeline_group *products) {
  for (int64_t i = 0; i < products->count; i++) {
    const struct hy_tree_pipeline_leg *product = &products->leg[i];
    struct hy_panel a, b;
    if (width(relay, product->panel) == 0) continue;
    TRY(panel_of(relay, &relay->a, &task->a, product, &a));
    TRY(panel_of(relay, &relay->b, &task->b, product, &b));
    const struct hy_indices inner = hy_interval(
        hy_panel_start(relay->k, relay->panels, product->panel), width(relay, product->panel));
    hy_result_add(&relay->c, &a, &b, &inner);
  }
  return HYLA_OK;
}

/* What came in the step before is passed on and multiplied while more comes. */
static hyla_status steps(const struct hy_gemm_task *task, struct hy_tree_pipeline *relay) {
  hyla_cube *cube = task->problem.cube;
  struct hy_tree_pipeline_side *a = &relay->a, *b = &relay->b;
  int64_t at[5] = {0};
  for (int step = 0; step < relay->steps; step++) {
    struct hy_tree_pipeline_group a_in = hy_tree_pipeline_legs_at(&a->in, &at[0], step),
                                  a_out = hy_tree_pipeline_legs_at(&a->out, &at[1], step);
    struct hy_tree_pipeline_group b_in = hy_tree_pipeline_legs_at(&b->in, &at[2], step),
                                  b_out = hy_tree_pipeline_legs_at(&b->out, &at[3], step);
    struct hy_tree_pipeline_group products =
        hy_tree_pipeline_legs_at(&relay->products, &at[4], step);
    int count = side_messages(relay, a, task->a.matrix, &a_in, &a_out, relay->messages);
    count += side_messages(relay, b, task->b.matrix, &b_in, &b_out, relay->messages + count);
    TRY(hy_link_start(cube, relay->messages, count));
    TRY(multiply(task, relay, &products));
    TRY(hy_link_wait(cube, relay->messages, count));
    a->came = a_in;
    b->came = b_in;
  }
  return HYLA_OK;
}

hyla_status hy_tree_pipeline_run(void *state) {
  struct hy_tree_pipeline *relay = state;
  const struct hy_gemm_task *task = relay->task;
  if (task->problem.cube->address < 0) return HYLA_OK;
  hy_count_touched(task->problem.cube,
                   hy_gemm_touched(relay->a.across, relay->b.across, relay->k, relay->panels));
  hy_result_begin(&relay->c);
  TRY(side_begin(relay, &relay->a, &task->a));
  TRY(side_begin(relay, &relay->b, &task->b));
  TRY(steps(task, relay));
  TRY(hy_result_finish(&relay->c));
  if (relay->a.in_place) TRY(hy_block_access_close(relay->a.access));
  return relay->b.in_place ? hy_block_access_close(relay->b.access) : HYLA_OK;
}
