/* Panels passed on along trees: the run that follows the timetable.  See tree_pipeline.h. */
#include "gemm/tree_pipeline_body.h"

int hy_spread_tree_steps(const struct hy_spread *s) { return s->trees->steps; }

int64_t hy_spread_tree_messages(const struct hy_spread *s) {
  return s->trees->list[HY_TREE_IN].most + s->trees->list[HY_TREE_OUT].most;
}

/* -------------------------------------------------------------- memory -- */

/* The first panel is the widest. */
static int64_t slot_entries(const struct hy_spread *s) {
  return s->beside.count * hy_spread_panel(s, 0).count;
}

static hyla_status take(struct hy_spread *s) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->factor.matrix->cube->base;
  size_t size = s->problem->kernels->size;
  TRY(hy_alloc_data(base, s->beside.count * hy_held(s->axis, s->ring.own), size, &trees->packed));
  return hy_alloc_data(base, 2 * trees->list[HY_TREE_IN].most * slot_entries(s), size,
                       &trees->slots);
}

static void release(hyla_cube *cube, struct hy_spread *s) {
  struct hy_base *base = &cube->base;
  for (int x = 0; x < HY_TREE_LISTS; x++) hy_free(base, &s->trees->list[x].leg);
  hy_free(base, &s->trees->link);
  hy_free(base, &s->trees->packed);
  hy_free(base, &s->trees->slots);
  hy_free(base, &s->trees);
}

/* -------------------------------------------------------------- panels -- */

static struct hy_reach reach_of(const struct hy_spread *s, int panel) {
  const struct hy_indices k = hy_spread_panel(s, panel);
  return hy_spread_block_reach(s, &k);
}

/* Where a panel begins in its owner's block. */
static int64_t skip_of(const struct hy_spread *s, int panel) {
  return hy_axis_before(s->axis, panel / s->ring.each, hy_spread_panel(s, panel).first);
}

/* Of a panel without gaps: bytes, its leading dimension, and how far from entry (0, 0) the first
 * one stands that is in its reach. */
static int64_t bytes_of(const struct hy_spread *s, int panel) {
  int64_t entries = reach_of(s, panel).count * hy_spread_panel(s, panel).count;
  return entries * (int64_t)s->problem->kernels->size;
}
static int64_t ld_of(const struct hy_spread *s, int panel) {
  return hy_max(1, s->rows ? hy_spread_panel(s, panel).count : reach_of(s, panel).count);
}
static int64_t first_of(const struct hy_spread *s, int panel) {
  int64_t entries = reach_of(s, panel).from * (s->rows ? hy_spread_panel(s, panel).count : 1);
  return entries * (int64_t)s->problem->kernels->size;
}

/* A panel of the node's own block. */
static char *own_panel(const struct hy_spread *s, int panel) {
  int64_t entries = s->beside.count * skip_of(s, panel);
  return s->trees->packed + entries * (int64_t)s->problem->kernels->size;
}

/* What comes as number `index` in a step; what the step before brought stays. */
static char *slot(const struct hy_spread *s, int step, int64_t index) {
  int64_t entries = (2 * index + step % 2) * slot_entries(s);
  return s->trees->slots + entries * (int64_t)s->problem->kernels->size;
}

/* A panel that is the node's own or came in the step before. */
static char *held(const struct hy_spread *s, int panel) {
  const struct hy_tree_group *came = &s->trees->came;
  if (panel / s->ring.each == s->ring.own) return own_panel(s, panel);
  int64_t index = 0;
  while (came->leg[index].panel != panel) index++;
  return slot(s, s->trees->step - 1, index);
}

/* ----------------------------------------------------------------- run -- */

static void begin(struct hy_spread *s) {
  struct hy_tree_pipeline *trees = s->trees;
  const struct hy_panel own = hy_panel_own(&s->factor);
  int first = hy_spread_first(s);
  trees->now[HY_TREE_IN] = (struct hy_tree_group){0};
  for (int x = 0; x < HY_TREE_LISTS; x++) trees->at[x] = 0;
  if (s->in_place) return;
  hy_count_copied(s->problem->cube, s->beside.count * hy_held(s->axis, s->ring.own));
  for (int panel = first; panel < first + s->ring.each; panel++) {
    const struct hy_reach reach = reach_of(s, panel);
    const struct hy_panel from = hy_spread_at(s, &own, skip_of(s, panel));
    hy_spread_copy(s, &from, hy_spread_panel(s, panel).count, &reach, own_panel(s, panel),
                   ld_of(s, panel));
  }
}

static const struct hy_spread_use TREES = {.take = take, .begin = begin, .free = release};

hyla_status hy_spread_on_trees(struct hy_spread *s, const struct hy_tree_pipeline_way *way,
                               int panels) {
  TRY(hy_alloc(&s->problem->cube->base, 1, sizeof *s->trees, &s->trees));
  hy_spread_on_ring(s, s->axis->parts, panels);
  s->use = &TREES;
  s->rooms = 0;
  s->in_place = s->operand->in_place || s->axis->parts == 1;
  s->trees->way = way;
  s->trees->panels = panels;
  return HYLA_OK;
}

static void add(const struct hy_spread *s, const struct hy_tree_leg *leg, enum hy_verb verb,
                const char *panel, struct hy_step *step) {
  hy_step_add(step, verb, hy_node_along(s->axis, s->node, leg->part),
              panel + first_of(s, leg->panel), bytes_of(s, leg->panel));
}

void hy_spread_tree_pass(struct hy_spread *s, int t, struct hy_step *step) {
  struct hy_tree_pipeline *trees = s->trees;
  trees->step = t;
  trees->came = trees->now[HY_TREE_IN];
  for (int x = 0; x < HY_TREE_LISTS; x++)
    trees->now[x] = hy_tree_legs_at(&trees->list[x], &trees->at[x], t);
  const struct hy_tree_group *in = &trees->now[HY_TREE_IN], *out = &trees->now[HY_TREE_OUT];
  for (int64_t x = 0; x < in->count; x++) add(s, &in->leg[x], HY_RECV, slot(s, t, x), step);
  for (int64_t x = 0; x < out->count; x++)
    add(s, &out->leg[x], HY_SEND, held(s, out->leg[x].panel), step);
}

int64_t hy_spread_tree_count(const struct hy_spread *s) {
  return s->trees->now[HY_TREE_HERE].count;
}

int hy_spread_tree_number(const struct hy_spread *s, int64_t x) {
  return s->trees->now[HY_TREE_HERE].leg[x].panel;
}

hyla_status hy_spread_tree_here(struct hy_spread *s, int number, struct hy_panel *panel) {
  if (!s->in_place) {
    *panel = (struct hy_panel){held(s, number), ld_of(s, number), HYLA_NONE};
    return HYLA_OK;
  }
  struct hy_panel block;
  TRY(hy_block_access_block(s->access, number / s->ring.each, &block));
  *panel = hy_spread_at(s, &block, skip_of(s, number));
  return HYLA_OK;
}
