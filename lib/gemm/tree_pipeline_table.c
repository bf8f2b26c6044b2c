/* The timetable of a node whose panels are passed on along trees.  See tree_pipeline.h. */
#include "gemm/tree_pipeline_body.h"

#include <stdlib.h>

/* The code word of a part, and the part of a code word. */
static uint32_t word_of(const struct hy_spread *s, int part) {
  return s->axis->code.code == HYLA_GRAY ? hy_gray((uint32_t)part) : (uint32_t)part;
}

static int part_of(const struct hy_spread *s, uint32_t word) {
  return (int)(s->axis->code.code == HYLA_GRAY ? hy_gray_inverse(word) : word);
}

static void add(struct hy_spread *s, enum hy_tree_list list, int step, int panel, int part) {
  struct hy_tree_legs *legs = &s->trees->list[list];
  if (legs->leg != NULL) legs->leg[legs->count] = (struct hy_tree_leg){step, panel, part};
  legs->count++;
}

static int owner_of(const struct hy_spread *s, int panel) { return panel / s->ring.each; }

static int root_of(const struct hy_spread *s, int panel) {
  return s->trees->way->root(owner_of(s, panel));
}

/* Of this node from the root of a panel. */
static int distance(const struct hy_spread *s, int panel) {
  return hy_popcount(word_of(s, root_of(s, panel)) ^ word_of(s, s->ring.own));
}

/* When a panel leaves its root in this node's line: other is the other factor. */
static int base_of(const struct hy_spread *other, int panel) {
  return other->trees->way->start(panel) + distance(other, panel);
}

/* ------------------------------------------------------- which way -- */

/* What comes to one node, of the panels of one factor. */
struct arrivals {
  int panels, window; /* panels farther apart do not come at one time */
  int32_t *time;
  uint32_t *ways; /* the dimensions over which it may come: those that lead to the root */
  uint8_t *link;  /* the one that was taken */
};
enum { NO_LINK = UINT8_MAX };

/* The panel that comes over this link when `panel` comes; -1: none. */
static int holder_of(const struct arrivals *x, int panel, int dim) {
  int last = (int)hy_min(x->panels - 1, panel + x->window);
  for (int other = (int)hy_max(0, panel - x->window); other <= last; other++)
    if (x->time[other] == x->time[panel] && x->link[other] == dim) return other;
  return -1;
}

/* Gives a panel a link of its own, others at its time another one if need be. */
static bool give_link(struct arrivals *x, int panel, uint32_t *tried) {
  for (int dim = hy_log2_floor(x->ways[panel]); dim >= 0; dim--) {
    if (((x->ways[panel] & ~*tried) >> dim & 1) == 0) continue;
    *tried |= UINT32_C(1) << dim;
    int holder = holder_of(x, panel, dim);
    if (holder >= 0 && !give_link(x, holder, tried)) continue;
    x->link[panel] = (uint8_t)dim;
    return true;
  }
  return false;
}

/* The links of the node of this node's line that has a code word.  Where panels must
 * share one, all as in a binomial tree. */
static void choose_links(const struct hy_spread *s, const struct hy_spread *other, uint32_t word,
                         struct arrivals *x) {
  for (int panel = 0; panel < x->panels; panel++) {
    x->ways[panel] = word ^ word_of(s, root_of(s, panel));
    x->time[panel] = base_of(other, panel) + hy_popcount(x->ways[panel]);
    x->link[panel] = NO_LINK;
  }
  bool apart = s->trees->way->apart;
  for (int panel = 0; panel < x->panels && apart; panel++) {
    uint32_t tried = 0;
    if (x->ways[panel] != 0) apart = give_link(x, panel, &tried);
  }
  for (int panel = 0; panel < x->panels && !apart; panel++)
    x->link[panel] = x->ways[panel] == 0 ? NO_LINK : (uint8_t)hy_log2_floor(x->ways[panel]);
}

/* The links of this node, then of its neighbours over each dimension. */
static hyla_status plan_links(struct hy_spread *s, const struct hy_spread *other) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->problem->cube->base;
  int dims = s->axis->code.dims, panels = trees->panels;
  struct arrivals x = {.panels = panels, .window = 2 * (dims + other->axis->code.dims)};
  hyla_status status = hy_alloc(base, (dims + 1) * panels, sizeof *trees->link, &trees->link);
  if (status == HYLA_OK) status = hy_alloc(base, panels, sizeof *x.time, &x.time);
  if (status == HYLA_OK) status = hy_alloc(base, panels, sizeof *x.ways, &x.ways);
  for (int n = 0; n <= dims && status == HYLA_OK; n++) {
    x.link = trees->link + n * panels;
    choose_links(s, other, word_of(s, s->ring.own) ^ (n == 0 ? 0 : 1u << (n - 1)), &x);
  }
  hy_free(base, &x.time);
  hy_free(base, &x.ways);
  return status;
}

/* ----------------------------------------------------- the timetable -- */

/* From the owner to the root, which it reaches at time `base`. */
static void shift(struct hy_spread *s, int panel, int base) {
  int owner = owner_of(s, panel), root = root_of(s, panel), own = s->ring.own;
  if (own < root || own > owner) return;
  int here = base - (own - root);
  if (own < owner) add(s, HY_TREE_IN, here - 1, panel, own + 1);
  if (own > root) add(s, HY_TREE_OUT, here, panel, own - 1);
}

/* From the root to all; the owner, who has it, is left out. */
static void pass_on(struct hy_spread *s, int panel, int base) {
  const struct hy_tree_pipeline *trees = s->trees;
  int owner = owner_of(s, panel), here = base + distance(s, panel);
  uint32_t own = word_of(s, s->ring.own), mine = own ^ word_of(s, root_of(s, panel));
  if (mine != 0 && s->ring.own != owner)
    add(s, HY_TREE_IN, here - 1, panel, part_of(s, own ^ 1u << trees->link[panel]));
  for (int dim = 0; dim < s->axis->code.dims; dim++) {
    int child = part_of(s, own ^ 1u << dim);
    bool passes = (mine >> dim & 1) == 0 && trees->link[(dim + 1) * trees->panels + panel] == dim;
    if (passes && child != owner) add(s, HY_TREE_OUT, here, panel, child);
  }
}

static void fill(struct hy_spread *s, const struct hy_spread *other) {
  for (int x = 0; x < HY_TREE_LISTS; x++) s->trees->list[x].count = 0;
  for (int panel = 0; panel < s->trees->panels; panel++) {
    int base = base_of(other, panel);
    if (!s->in_place) shift(s, panel, base);
    if (!s->in_place) pass_on(s, panel, base);
    add(s, HY_TREE_HERE, base + distance(s, panel), panel, 0);
  }
}

static int earlier(const void *left, const void *right) {
  const struct hy_tree_leg *x = left, *y = right;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  return x->panel < y->panel ? -1 : x->panel > y->panel;
}

struct hy_tree_group hy_tree_legs_at(const struct hy_tree_legs *legs, int64_t *at, int step) {
  int64_t first = *at;
  while (*at < legs->count && legs->leg[*at].step == step) ++*at;
  return (struct hy_tree_group){legs->leg + first, *at - first};
}

static void put_in_order(struct hy_tree_pipeline *trees, struct hy_tree_legs *legs) {
  qsort(legs->leg, (size_t)legs->count, sizeof *legs->leg, earlier);
  if (legs->count > 0)
    trees->steps = (int)hy_max(trees->steps, legs->leg[legs->count - 1].step + 1);
  int64_t at = 0;
  for (int step = 0; at < legs->count; step++)
    legs->most = hy_max(legs->most, hy_tree_legs_at(legs, &at, step).count);
}

hyla_status hy_spread_timetable(struct hy_spread *s, const struct hy_spread *other) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->problem->cube->base;
  if (!s->in_place) TRY(plan_links(s, other));
  fill(s, other); /* counts */
  for (int x = 0; x < HY_TREE_LISTS; x++)
    TRY(hy_alloc(base, trees->list[x].count, sizeof *trees->list[x].leg, &trees->list[x].leg));
  fill(s, other);
  for (int x = 0; x < HY_TREE_LISTS; x++) put_in_order(trees, &trees->list[x]);
  hy_free(base, &trees->link);
  return HYLA_OK;
}
