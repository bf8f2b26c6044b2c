/* The timetable of a node in a multiplication by panels that are passed on.  See
 * relay.h. */
#include "gemm/relay.h"

#include <stdlib.h>

/* The code word of a part, and the part of a code word. */
static uint32_t word_of(const struct hy_relay_side *s, int part) {
  return s->axis->code.code == HYLA_GRAY ? hy_gray((uint32_t)part) : (uint32_t)part;
}

static int part_of(const struct hy_relay_side *s, uint32_t word) {
  return (int)(s->axis->code.code == HYLA_GRAY ? hy_gray_inverse(word) : word);
}

static void add(struct hy_relay_legs *legs, int step, int panel, int part) {
  if (legs->leg != NULL) legs->leg[legs->count] = (struct hy_relay_leg){step, panel, part};
  legs->count++;
}

static int root_of(const struct hy_relay *relay, const struct hy_relay_side *s, int panel) {
  return relay->way->root(panel / s->each);
}

static int distance(const struct hy_relay_side *s, int part) {
  return hy_popcount(word_of(s, part) ^ word_of(s, s->own));
}

/* From the owner to the root, which it reaches at time `base`. */
static void shift(struct hy_relay_side *s, int panel, int root, int base) {
  int owner = panel / s->each;
  if (s->own < root || s->own > owner) return;
  int here = base - (s->own - root);
  if (s->own < owner) add(&s->in, here - 1, panel, s->own + 1);
  if (s->own > root) add(&s->out, here, panel, s->own - 1);
}

/* From the root to all; the owner, who has it, is left out. */
static void spread(struct hy_relay_side *s, int panel, int root, int base) {
  int owner = panel / s->each;
  uint32_t start = word_of(s, root), mine = word_of(s, s->own) ^ start;
  int here = base + hy_popcount(mine);
  if (mine != 0 && s->own != owner)
    add(&s->in, here - 1, panel, part_of(s, hy_binomial_parent(mine) ^ start));
  for (int dim = hy_log2_floor(mine) + 1; dim < s->axis->code.dims; dim++) {
    int child = part_of(s, (mine | 1u << dim) ^ start);
    if (child != owner) add(&s->out, here, panel, child);
  }
}

static void route(const struct hy_relay *relay, struct hy_relay_side *s,
                  const struct hy_relay_side *other, int panel) {
  if (s->in_place) return;
  int root = root_of(relay, s, panel);
  int base = relay->way->start(panel) + distance(other, root_of(relay, other, panel));
  shift(s, panel, root, base);
  spread(s, panel, root, base);
}

static void fill_timetable(struct hy_relay *relay) {
  struct hy_relay_side *a = &relay->a, *b = &relay->b;
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
  const struct hy_relay_leg *x = left, *y = right;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  return x->panel < y->panel ? -1 : x->panel > y->panel;
}

struct hy_relay_group hy_relay_legs_at(const struct hy_relay_legs *legs, int64_t *at, int step) {
  int64_t first = *at;
  while (*at < legs->count && legs->leg[*at].step == step) ++*at;
  return (struct hy_relay_group){legs->leg + first, *at - first};
}

static void put_in_order(struct hy_relay *relay, struct hy_relay_legs *legs) {
  qsort(legs->leg, (size_t)legs->count, sizeof *legs->leg, earlier);
  if (legs->count > 0)
    relay->steps = (int)hy_max(relay->steps, legs->leg[legs->count - 1].step + 1);
  int64_t at = 0;
  for (int step = 0; at < legs->count; step++)
    legs->most = hy_max(legs->most, hy_relay_legs_at(legs, &at, step).count);
}

static void side_set(struct hy_relay_side *s, const struct hy_axis *axis, bool in_place, int panels,
                     int64_t across, int node) {
  s->axis = axis;
  s->in_place = in_place || axis->parts == 1;
  s->across = across;
  s->own = hy_part_of(axis, node);
  s->each = panels / axis->parts;
}

hyla_status hy_relay_create(const struct hy_relay_way *way, const struct hy_gemm_problem *problem,
                            void **state) {
  struct hy_base *base = &problem->cube->base;
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  int node = problem->cube->address;
  struct hy_relay *relay = NULL;
  TRY(hy_alloc(base, 1, sizeof *relay, &relay));
  *state = relay;
  if (node < 0) return HYLA_OK;
  relay->way = way;
  relay->k = problem->k;
  relay->panels = (int)hy_max(a->col.parts, b->row.parts);
  side_set(&relay->a, &a->col, a->in_place, relay->panels,
           hy_held(&a->row, hy_part_of(&a->row, node)), node);
  side_set(&relay->b, &b->row, b->in_place, relay->panels,
           hy_held(&b->col, hy_part_of(&b->col, node)), node);
  relay->b.rows = true;
  struct hy_relay_legs *all[] = {&relay->a.in, &relay->a.out, &relay->b.in, &relay->b.out,
                                 &relay->products};
  fill_timetable(relay);
  for (int i = 0; i < 5; i++) TRY(hy_alloc(base, all[i]->count, sizeof *all[i]->leg, &all[i]->leg));
  fill_timetable(relay);
  for (int i = 0; i < 5; i++) put_in_order(relay, all[i]);
  return HYLA_OK;
}
