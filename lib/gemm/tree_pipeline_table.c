/* The timetable of a node in a multiplication by panels that are passed on.  See
 * relay.h. */
#include "gemm/tree_pipeline.h"

#include <stdlib.h>

/* The code word of a part, and the part of a code word. */
static uint32_t word_of(const struct hy_tree_pipeline_side *s, int part) {
  return s->axis->code.code == HYLA_GRAY ? hy_gray((uint32_t)part) : (uint32_t)part;
}

static int part_of(const struct hy_tree_pipeline_side *s, uint32_t word) {
  return (int)(s->axis->code.code == HYLA_GRAY ? hy_gray_inverse(word) : word);
}

static void add(struct hy_tree_pipeline_legs *legs, int step, int panel, int part) {
  if (legs->leg != NULL) legs->leg[legs->count] = (struct hy_tree_pipeline_leg){step, panel, part};
  legs->count++;
}

static int root_of(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *s,
                   int panel) {
  return relay->way->root(panel / s->each);
}

static int distance(const struct hy_tree_pipeline_side *s, int part) {
  return hy_popcount(word_of(s, part) ^ word_of(s, s->own));
}

/* From the owner to the root, which it reaches at time `base`. */
static void shift(struct hy_tree_pipeline_side *s, int panel, int root, int base) {
  int owner = panel / s->each;
  if (s->own < root || s->own > owner) return;
  int here = base - (s->own - root);
  if (s->own < owner) add(&s->in, here - 1, panel, s->own + 1);
  if (s->own > root) add(&s->out, here, panel, s->own - 1);
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

/* When a panel leaves its root in this node's line. */
static int base_of(const struct hy_tree_pipeline *relay, const struct hy_tree_pipeline_side *other,
                   int panel) {
  return relay->way->start(panel) + distance(other, root_of(relay, other, panel));
}

/* The links of the node of this node's line that has a code word.  Where panels must
 * share one, all as in a binomial tree. */
static void choose_links(const struct hy_tree_pipeline *relay,
                         const struct hy_tree_pipeline_side *s,
                         const struct hy_tree_pipeline_side *other, uint32_t word,
                         struct arrivals *x) {
  for (int panel = 0; panel < x->panels; panel++) {
    x->ways[panel] = word ^ word_of(s, root_of(relay, s, panel));
    x->time[panel] = base_of(relay, other, panel) + hy_popcount(x->ways[panel]);
    x->link[panel] = NO_LINK;
  }
  bool apart = relay->way->apart;
  for (int panel = 0; panel < x->panels && apart; panel++) {
    uint32_t tried = 0;
    if (x->ways[panel] != 0) apart = give_link(x, panel, &tried);
  }
  for (int panel = 0; panel < x->panels && !apart; panel++)
    x->link[panel] = x->ways[panel] == 0 ? NO_LINK : (uint8_t)hy_log2_floor(x->ways[panel]);
}

/* The links of this node, then of its neighbours over each dimension. */
static hyla_status plan_links(struct hy_base *base, const struct hy_tree_pipeline *relay,
                              struct hy_tree_pipeline_side *s,
                              const struct hy_tree_pipeline_side *other) {
  int dims = s->axis->code.dims, panels = relay->panels;
  struct arrivals x = {.panels = panels, .window = 2 * (dims + other->axis->code.dims)};
  hyla_status status = hy_alloc(base, (dims + 1) * panels, sizeof *s->link, &s->link);
  if (status == HYLA_OK) status = hy_alloc(base, panels, sizeof *x.time, &x.time);
  if (status == HYLA_OK) status = hy_alloc(base, panels, sizeof *x.ways, &x.ways);
  for (int n = 0; n <= dims && status == HYLA_OK; n++) {
    x.link = s->link + n * panels;
    choose_links(relay, s, other, word_of(s, s->own) ^ (n == 0 ? 0 : 1u << (n - 1)), &x);
  }
  hy_free(base, &x.time);
  hy_free(base, &x.ways);
  return status;
}

/* From the root to all; the owner, who has it, is left out. */
static void spread(const struct hy_tree_pipeline *relay, struct hy_tree_pipeline_side *s, int panel,
                   int root, int base) {
  int owner = panel / s->each;
  uint32_t own = word_of(s, s->own), mine = own ^ word_of(s, root);
  int here = base + hy_popcount(mine);
  if (mine != 0 && s->own != owner)
    add(&s->in, here - 1, panel, part_of(s, own ^ 1u << s->link[panel]));
  for (int dim = 0; dim < s->axis->code.dims; dim++) {
    int child = part_of(s, own ^ 1u << dim);
    bool passes = (mine >> dim & 1) == 0 && s->link[(dim + 1) * relay->panels + panel] == dim;
    if (passes && child != owner) add(&s->out, here, panel, child);
  }
}

static void route(const struct hy_tree_pipeline *relay, struct hy_tree_pipeline_side *s,
                  const struct hy_tree_pipeline_side *other, int panel) {
  if (s->in_place) return;
  int root = root_of(relay, s, panel);
  int base = base_of(relay, other, panel);
  shift(s, panel, root, base);
  spread(relay, s, panel, root, base);
}

static void fill_timetable(struct hy_tree_pipeline *relay) {
  struct hy_tree_pipeline_side *a = &relay->a, *b = &relay->b;
  a->in.count = a->out.count = b->in.count = b->out.count = relay->products.count = 0;
  for (int panel = 0; panel < relay->panels; panel++) {
    route(relay, a, b, panel);
    route(relay, b, a, panel);
    int time = relay->way->start(panel) + distance(a, root_of(relay, a, panel)) +
               distance(b, root_of(relay, b, panel));
    add(&relay->products, time, panel, 0);
  }
}

static int earlier(const void *left, const void *right) {
  const struct hy_tree_pipeline_leg *x = left, *y = right;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  return x->panel < y->panel ? -1 : x->panel > y->panel;
}

struct hy_tree_pipeline_group hy_tree_pipeline_legs_at(const struct hy_tree_pipeline_legs *legs,
                                                       int64_t *at, int step) {
  int64_t first = *at;
  while (*at < legs->count && legs->leg[*at].step == step) ++*at;
  return (struct hy_tree_pipeline_group){legs->leg + first, *at - first};
}

static void put_in_order(struct hy_tree_pipeline *relay, struct hy_tree_pipeline_legs *legs) {
  qsort(legs->leg, (size_t)legs->count, sizeof *legs->leg, earlier);
  if (legs->count > 0)
    relay->steps = (int)hy_max(relay->steps, legs->leg[legs->count - 1].step + 1);
  int64_t at = 0;
  for (int step = 0; at < legs->count; step++)
    legs->most = hy_max(legs->most, hy_tree_pipeline_legs_at(legs, &at, step).count);
}

static void side_set(struct hy_tree_pipeline_side *s, const struct hy_operand *x, enum hy_part part,
                     bool rows, int panels, int node) {
  const struct hy_axis *axis = rows ? &x->row : &x->col;
  s->operand = x;
  s->axis = axis;
  s->part = part;
  s->node = node;
  s->rows = rows;
  s->in_place = x->in_place || axis->parts == 1;
  s->across = hy_held_at(rows ? &x->col : &x->row, node);
  s->own = hy_part_of(axis, node);
  s->each = panels / axis->parts;
}

hyla_status hy_tree_pipeline_create(const struct hy_tree_pipeline_way *way,
                                    const struct hy_gemm_task *task, void **state) {
  const struct hy_gemm_problem *problem = &task->problem;
  struct hy_base *base = &problem->cube->base;
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  int node = problem->cube->address;
  struct hy_tree_pipeline *relay = NULL;
  TRY(hy_alloc(base, 1, sizeof *relay, &relay));
  *state = relay;
  relay->task = task;
  if (node < 0) return HYLA_OK;
  relay->way = way;
  relay->k = problem->k;
  relay->c = hy_result_make(problem, 0, node);
  relay->panels = (int)hy_max(a->col.parts, b->row.parts);
  side_set(&relay->a, a, problem->part_a, false, relay->panels, node);
  side_set(&relay->b, b, problem->part_b, true, relay->panels, node);
  struct hy_tree_pipeline_legs *all[] = {&relay->a.in, &relay->a.out, &relay->b.in, &relay->b.out,
                                         &relay->products};
  TRY(plan_links(base, relay, &relay->a, &relay->b));
  TRY(plan_links(base, relay, &relay->b, &relay->a));
  fill_timetable(relay);
  for (int i = 0; i < 5; i++) TRY(hy_alloc(base, all[i]->count, sizeof *all[i]->leg, &all[i]->leg));
  fill_timetable(relay);
  for (int i = 0; i < 5; i++) put_in_order(relay, all[i]);
  hy_free(base, &relay->a.link);
  hy_free(base, &relay->b.link);
  return HYLA_OK;
}
