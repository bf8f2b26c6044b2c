/* Panels passed on along trees: the run that follows the timetable.  See tree_pipeline.h. */
#include "gemm/packets.h"
#include "gemm/tree_pipeline_body.h"

int hy_split_operand_tree_steps(const struct hy_split_operand *s) { return s->trees->steps; }

int64_t hy_split_operand_tree_all_steps(const struct hy_split_operand *a,
                                        const struct hy_split_operand *b) {
  const struct hy_tree_pipeline *trees = a->trees;
  int64_t starts = trees->panels * (int64_t)(trees->packets + trees->way->gap) - trees->way->gap;
  return starts - 1 + a->axis->code.dims + b->axis->code.dims;
}

int64_t hy_split_operand_tree_messages(const struct hy_split_operand *s) {
  return s->trees->list[HY_TREE_IN].most + s->trees->list[HY_TREE_OUT].most;
}

/* -------------------------------------------------------------- memory -- */

/* The first panel is the widest. */
static int64_t slot_entries(const struct hy_split_operand *s) {
  return s->beside.count * hy_split_operand_panel(s, 0).count;
}

static hyla_status allocate(struct hy_split_operand *s) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->factor.matrix->cube->base;
  size_t size = s->problem->kernels->size;
  TRY(hy_alloc_data_for(base, s->owner, s->beside.count * hy_held(s->axis, s->ring.own), size,
                        &trees->packed));
  return hy_alloc_data_for(base, s->owner, trees->slots * slot_entries(s), size, &trees->room);
}

/* -------------------------------------------------------------- panels -- */

static struct hy_reach reach_of(const struct hy_split_operand *s, int panel) {
  const struct hy_indices k = hy_split_operand_panel(s, panel);
  return hy_split_operand_block_reach(s, &k);
}

/* For a panel without gaps: its leading dimension, and the distance in bytes from entry (0, 0) to
 * packet p. */
static int64_t ld_of(const struct hy_split_operand *s, int panel) {
  return hy_max(1, s->rows ? hy_split_operand_panel(s, panel).count : reach_of(s, panel).count);
}
static int64_t first_of(const struct hy_split_operand *s, int panel, int p) {
  int64_t count = hy_split_operand_panel(s, panel).count;
  const struct hy_reach reach = reach_of(s, panel);
  int64_t from = hy_packet_start(reach.count * count, s->trees->packets, p);
  return (reach.from * (s->rows ? count : 1) + from) * (int64_t)s->problem->kernels->size;
}

/* A panel of the node's own block. */
static char *own_panel(const struct hy_split_operand *s, int panel) {
  int64_t entries = s->beside.count * hy_ring_place(s, panel);
  return s->trees->packed + entries * (int64_t)s->problem->kernels->size;
}

/* Where a leg's panel is stored. */
static char *place_of(const struct hy_split_operand *s, const struct hy_tree_leg *leg) {
  if (leg->slot < 0) return own_panel(s, leg->panel);
  return s->trees->room + leg->slot * slot_entries(s) * (int64_t)s->problem->kernels->size;
}

/* ----------------------------------------------------------------- run -- */

static void begin(struct hy_split_operand *s) {
  struct hy_tree_pipeline *trees = s->trees;
  const struct hy_panel own = hy_panel_own(&s->factor);
  int first = hy_split_operand_first(s);
  for (int x = 0; x < HY_TREE_LISTS; x++) trees->at[x] = 0;
  if (s->in_place) return;
  hy_count_copied(s->problem->cube, s->beside.count * hy_held(s->axis, s->ring.own));
  for (int panel = first; panel < first + s->ring.each; panel++) {
    const struct hy_reach reach = reach_of(s, panel);
    const struct hy_panel from = hy_split_operand_at(s, &own, hy_ring_place(s, panel));
    hy_split_operand_copy(s, &from, hy_split_operand_panel(s, panel).count, &reach,
                          own_panel(s, panel), ld_of(s, panel));
  }
}

static const struct hy_split_operand_use TREES = {.allocate = allocate, .begin = begin};

hyla_status hy_split_operand_on_trees(struct hy_split_operand *s,
                                      const struct hy_tree_pipeline_way *way, int panels) {
  TRY(hy_alloc_for(&s->problem->cube->base, s->owner, 1, sizeof *s->trees, &s->trees));
  hy_split_operand_on_ring(s, s->axis->parts, panels);
  s->use = &TREES;
  s->rooms = 0;
  s->in_place = s->operand->in_place || s->axis->parts == 1;
  s->trees->way = way;
  s->trees->panels = panels;
  s->trees->packets = 1;
  return HYLA_OK;
}

void hy_split_operand_cut_panels(struct hy_split_operand *a, struct hy_split_operand *b) {
  const struct hy_gemm_problem *problem = a->problem;
  int64_t of_a =
      a->in_place ? 0 : hy_axis_most(&a->operand->row) * hy_split_operand_panel(a, 0).count;
  int64_t of_b =
      b->in_place ? 0 : hy_axis_most(&b->operand->col) * hy_split_operand_panel(b, 0).count;
  const struct hy_tree_pipeline *trees = a->trees;
  const struct hy_pipe pipe = {.entries = hy_max(of_a, of_b),
                               .each = trees->panels,
                               .once = (trees->panels - 1) * (int64_t)trees->way->gap +
                                       a->axis->code.dims + b->axis->code.dims - 1};
  a->trees->packets = b->trees->packets = hy_gemm_packets(problem, &pipe);
}

int hy_split_operand_tree_packets(const struct hy_split_operand *s) { return s->trees->packets; }

static void add(const struct hy_split_operand *s, const struct hy_tree_group *legs,
                enum hy_verb verb, struct hy_step *step) {
  for (int64_t x = 0; x < legs->count; x++) {
    const struct hy_tree_leg *leg = &legs->leg[x];
    int64_t from = first_of(s, leg->panel, leg->packet);
    hy_step_add(step, verb, hy_node_along(s->axis, s->node, leg->part), place_of(s, leg) + from,
                first_of(s, leg->panel, leg->packet + 1) - from);
  }
}

void hy_split_operand_tree_pass(struct hy_split_operand *s, int t, struct hy_step *step) {
  struct hy_tree_pipeline *trees = s->trees;
  for (int x = 0; x < HY_TREE_LISTS; x++)
    trees->now[x] = hy_tree_legs_at(&trees->list[x], &trees->at[x], t);
  add(s, &trees->now[HY_TREE_IN], HY_RECV, step);
  add(s, &trees->now[HY_TREE_OUT], HY_SEND, step);
}

int64_t hy_split_operand_tree_count(const struct hy_split_operand *s) {
  return s->trees->now[HY_TREE_HERE].count;
}

int hy_split_operand_tree_number(const struct hy_split_operand *s, int64_t x) {
  return s->trees->now[HY_TREE_HERE].leg[x].panel;
}

hyla_status hy_split_operand_tree_here(struct hy_split_operand *s, int64_t x,
                                       struct hy_panel *panel) {
  const struct hy_tree_leg *leg = &s->trees->now[HY_TREE_HERE].leg[x];
  if (!s->in_place) {
    *panel = (struct hy_panel){place_of(s, leg), ld_of(s, leg->panel), HYLA_NONE};
    return HYLA_OK;
  }
  struct hy_panel block;
  TRY(hy_block_access_block(s->access, leg->panel / s->ring.each, &block));
  *panel = hy_split_operand_at(s, &block, hy_ring_place(s, leg->panel));
  return HYLA_OK;
}
