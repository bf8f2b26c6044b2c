/* Window broadcast: every node of the subcube of the lowest k dimensions has a message for all of
 * them, and the links of the whole cube help.
 *
 * Method: each message is cut in d parts; part c goes in class c.  The classes below k cross the
 * subcube's dimensions in a circle that begins at c, and all nodes send all parts that they hold.
 * Each other class leaves the subcube over its dimension c, is gathered in the subcube there over
 * the dimensions in order, and returns, each part as soon as it is there.
 * Reference: Varvarigos 1992, 3.8.
 * Steps: 2^k + 1 of m / d words; 2^k - 1 if k = d.  All ports.
 * Memory: the result, also on the nodes that lend their links.
 * Restriction: messages of equal length. */
#include "collective/variant.h"

static const char *applies(const struct hy_collective *c) {
  return c->blocks.offsets != NULL ? "it needs messages of equal length" : NULL;
}

struct window {
  int dims;     /* dimensions of the subcube */
  bool outside; /* there are links outside it */
};

static struct hy_piece part_of(uint32_t block, int class) {
  return (struct hy_piece){
      .block = block, .run = 1, .from = (uint32_t) class, .to = (uint32_t) class + 1};
}

/* Before subphase l a node holds the blocks of the nodes that differ from it only in the l
 * dimensions crossed.  The i-th of these blocks, in an order that both ends share, goes in the i-th
 * step. */
static hyla_status gather(const struct window *w, uint32_t me, int class, int first,
                          struct hy_schedule *out) {
  uint32_t held = 0; /* dimensions crossed so far */
  for (int l = 0, step = first; l < w->dims; l++) {
    uint32_t across = hy_rotate(1u << l, class < w->dims ? class : 0, w->dims);
    for (uint32_t i = 0; i >> l == 0; i++, step++) {
      uint32_t other = hy_deposit(i, held);
      TRY(hy_schedule_add(out, step, across, HY_OUT, part_of(me ^ other, class)));
      TRY(hy_schedule_add(out, step, across, HY_IN, part_of(me ^ across ^ other, class)));
    }
    held |= across;
  }
  return HYLA_OK;
}

/* The step, counted from the first, in which block `from' comes to `me' if the dimensions are
 * crossed in order. */
static int arrival(uint32_t me, uint32_t from) {
  uint32_t apart = me ^ from;
  int last = hy_log2_floor(apart);
  return (int)((1u << last) - 1 + (apart ^ 1u << last));
}

/* Class c at a node of the window, or at its neighbour over dimension c: out, gathered, and
 * back. */
static hyla_status borrow(const struct window *w, uint32_t node, int class,
                          struct hy_schedule *out) {
  const uint32_t across = 1u << class, me = node & ((1u << w->dims) - 1);
  const bool inside = node == me;
  TRY(hy_schedule_add(out, 0, across, inside ? HY_OUT : HY_IN, part_of(me, class)));
  if (!inside) TRY(gather(w, me, class, 1, out));
  for (uint32_t from = 0; from >> w->dims == 0; from++) {
    if (from == me) continue;
    TRY(hy_schedule_add(out, arrival(me, from) + 2, across, inside ? HY_IN : HY_OUT,
                        part_of(from, class)));
  }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct window *w = generator->table;
  const int d = generator->dims;
  const uint32_t outside = node >> w->dims << w->dims;
  out->parts = (uint32_t)hy_max(1, d);
  if (w->dims == 0) return HYLA_OK;
  out->steps = (1 << w->dims) - 1 + (w->outside ? 2 : 0);
  for (int c = 0; c < w->dims && outside == 0; c++) TRY(gather(w, node, c, w->outside, out));
  for (int c = w->dims; c < d; c++)
    if ((outside & ~(1u << c)) == 0) TRY(borrow(w, node, c, out));
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct window *window = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *window, &window));
  *window = (struct window){c->window, c->window < c->dims};
  hy_recipe_add(recipe, c, make, window);
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  const int64_t d = hy_max(1, c->dims), members = INT64_C(1) << c->window;
  int64_t steps = members + (c->window < c->dims ? 1 : -1);
  if (c->window == 0) steps = 0;
  return (struct hy_form){steps, {steps, d}, 0, d};
}

const struct hy_collective_variant hy_window_v92 = {
    .base = {.name = "v92", .reference = "varvarigos-1992, section 3.8"},
    .applies = applies,
    .task = HY_TASK_WINDOW,
    .formula = "(2^k+1)(tau m / d + beta), 0 < k < d; (2^k-1)(tau m / d + beta), 0 < k = d",
    .build = build,
    .form = form,
};
