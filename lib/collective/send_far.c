/* One node sends to a node at distance n of d: ARBITRARY SEND 1, 2, 3.
 *
 * The table in send.c has their costs.
 *
 * Reference: Stout and Wagar 1990, ARBITRARY SEND 1-3, X.O.C. SEND 1 and 2. */
#include "collective/papers.h"

/* The inner generator's n-cube at the places of the mask generator->root; other nodes are idle. */
static hyla_status make_within(const struct hy_generator *generator, uint32_t node,
                               struct hy_schedule *out) {
  uint32_t mask = generator->root;
  if ((node & ~mask) != 0) return HYLA_OK;
  struct hy_relabel relabel = {.into = mask};
  return hy_generate_slice(generator->inner, hy_extract(node, mask), relabel, 0, 1, out);
}

static int distance(const struct hy_collective *c) { return hy_popcount(hy_send_target(c)); }

static int groups_1(const struct hy_collective *c) {
  int n = distance(c);
  return hy_corner_groups(c, n, n);
}

static hyla_status build_1(const struct hy_collective *c, struct hy_recipe *recipe) {
  TRY(hy_push_fan(recipe, distance(c)));
  hy_recipe_push(recipe, hy_pipeline(hy_recipe_top(recipe), groups_1(c), NULL));
  const struct hy_generator *corner = hy_recipe_top(recipe);
  hy_recipe_push(recipe, (struct hy_generator){.make = make_within,
                                               .dims = c->dims,
                                               .inner = corner,
                                               .root = hy_send_target(c)});
  hy_push_mutual(c, recipe);
  return HYLA_OK;
}

static struct hy_form form_1(const struct hy_collective *c) {
  return hy_corner_form(distance(c), groups_1(c));
}

/* The way of each of d packets down its tree of BROADCAST 3A or 3B to node generator->root. */
static hyla_status make_ways(const struct hy_generator *generator, uint32_t node, bool second_wave,
                             struct hy_schedule *out) {
  int d = generator->dims;
  out->parts = (uint32_t)hy_max(1, d);
  for (int tree = 0; tree < d; tree++) {
    struct hy_piece piece = {.run = 1, .from = (uint32_t)tree, .to = (uint32_t)tree + 1};
    for (uint32_t place = generator->root; place != 0;) {
      struct hy_arrival its = hy_wave_arrival(d, second_wave, tree, place);
      uint32_t across = place ^ its.parent;
      if (place == node) TRY(hy_schedule_add(out, its.stage, across, HY_IN, piece));
      if (its.parent == node) TRY(hy_schedule_add(out, its.stage, across, HY_OUT, piece));
      out->steps = (int)hy_max(out->steps, its.stage + 1);
      place = its.parent;
    }
  }
  return HYLA_OK;
}

static hyla_status make_ways_3a(const struct hy_generator *generator, uint32_t node,
                                struct hy_schedule *out) {
  return make_ways(generator, node, false, out);
}

static hyla_status make_ways_3b(const struct hy_generator *generator, uint32_t node,
                                struct hy_schedule *out) {
  return make_ways(generator, node, true, out);
}

/* The steps of one group, less one. */
static int64_t starts_2(const struct hy_collective *c) {
  int n = distance(c);
  return n == 0 ? 0 : hy_min(n + 1, c->dims - 1);
}

static int groups_2(const struct hy_collective *c) {
  struct hy_stage stage = {.each = 1, .once = starts_2(c), .parts = hy_max(1, c->dims)};
  return hy_best_groups(c, c->blocks.words, &stage, 1);
}

static hyla_status build_2(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_push(recipe,
                 (struct hy_generator){make_ways_3b, .dims = c->dims, .root = hy_send_target(c)});
  const struct hy_generator *last = hy_recipe_top(recipe);
  hy_recipe_push(recipe,
                 (struct hy_generator){make_ways_3a, .dims = c->dims, .root = hy_send_target(c)});
  hy_recipe_push(recipe, hy_pipeline(hy_recipe_top(recipe), groups_2(c),
                                     distance(c) >= c->dims - 1 ? last : NULL));
  return HYLA_OK;
}

static struct hy_form form_2(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t g = groups_2(c);
  if (distance(c) == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  int64_t steps = starts_2(c) + g;
  return (struct hy_form){steps, {steps, d * g}, 0, d * g};
}

/* In the last group the d - n packets that would come to the node from farther nodes follow those
 * that come from nearer ones, one step behind, by their links, if these are as many.  The paper
 * names this stage, and no algorithm. */
static hyla_status make_ways_late(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out) {
  const uint32_t target = generator->root;
  const int d = generator->dims;
  int late = 0; /* packets that follow */
  out->parts = (uint32_t)d;
  out->steps = hy_popcount(target) + (hy_popcount(target) < d);
  for (int packet = 0; packet < d; packet++) {
    const bool follows = (target >> packet & 1u) == 0;
    const int tree = follows ? hy_lowest(hy_deposit(1u << late++, target)) : packet;
    const struct hy_piece piece = {.run = 1, .from = (uint32_t)packet, .to = (uint32_t)packet + 1};
    for (uint32_t place = target; place != 0;) {
      const struct hy_arrival its = hy_wave_arrival(d, false, tree, place);
      const uint32_t across = place ^ its.parent;
      const int step = its.stage + follows;
      if (place == node) TRY(hy_schedule_add(out, step, across, HY_IN, piece));
      if (its.parent == node) TRY(hy_schedule_add(out, step, across, HY_OUT, piece));
      place = its.parent;
    }
  }
  return HYLA_OK;
}

static const char *applies_late(const struct hy_collective *c) {
  const char *reason = hy_send_single(c);
  if (reason != NULL) return reason;
  return 2 * distance(c) < c->dims
             ? "it sends to a node at a distance of half the dimensions or more"
             : NULL;
}

/* The steps of one group, less one. */
static int64_t starts_late(const struct hy_collective *c) {
  return hy_max(0, hy_min(distance(c), c->dims - 1));
}

static int groups_late(const struct hy_collective *c) {
  const struct hy_stage stage = {.each = 1, .once = starts_late(c), .parts = hy_max(1, c->dims)};
  return hy_best_groups(c, c->blocks.words, &stage, 1);
}

static hyla_status build_late(const struct hy_collective *c, struct hy_recipe *recipe) {
  hy_recipe_push(recipe,
                 (struct hy_generator){make_ways_late, .dims = c->dims, .root = hy_send_target(c)});
  const struct hy_generator *last = hy_recipe_top(recipe);
  hy_recipe_push(recipe,
                 (struct hy_generator){make_ways_3a, .dims = c->dims, .root = hy_send_target(c)});
  hy_recipe_push(recipe,
                 hy_pipeline(hy_recipe_top(recipe), groups_late(c), distance(c) > 0 ? last : NULL));
  return HYLA_OK;
}

static struct hy_form form_late(const struct hy_collective *c) {
  const int64_t d = c->dims, g = groups_late(c), steps = starts_late(c) + g;
  if (distance(c) == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  return (struct hy_form){steps, {steps, d * g}, 0, d * g};
}

/* X.O.C. SEND: from 0 over a dimension outside the n-cube, there from corner to corner, and
 * back. */
struct detour {
  const struct hy_generator *fan;
  uint32_t mask;
  uint32_t bit;
};

static hyla_status make_detour(const struct hy_generator *generator, uint32_t node,
                               struct hy_schedule *out) {
  const struct detour *detour = generator->table;
  int n = detour->fan->dims;
  uint32_t far = detour->mask | detour->bit;
  out->parts = hy_common_multiple(n);
  out->steps = n + 2;
  struct hy_piece whole = {.run = 1, .from = 0, .to = out->parts};
  if ((node & ~far) != 0) return HYLA_OK;
  if (node == 0) TRY(hy_schedule_add(out, 0, detour->bit, HY_OUT, whole));
  if (node == detour->bit) TRY(hy_schedule_add(out, 0, detour->bit, HY_IN, whole));
  if (node & detour->bit) {
    struct hy_relabel relabel = {.into = detour->mask, .delay = 1};
    TRY(hy_generate_slice(detour->fan, hy_extract(node, detour->mask), relabel, 0, 1, out));
  }
  if (node == far) TRY(hy_schedule_add(out, n + 1, detour->bit, HY_OUT, whole));
  if (node == detour->mask) TRY(hy_schedule_add(out, n + 1, detour->bit, HY_IN, whole));
  return HYLA_OK;
}

/* Words, for m = 1: (g n + n + K) / (g n), with K of n - 1; there are g + n + 1 starts. */
static struct hy_ratio detour_words(int n, int64_t g) {
  struct hy_ratio k = hy_inverse_sum(n - 1);
  return (struct hy_ratio){(g + 1) * n * k.den + k.num, g * n * k.den};
}

/* The groups of the two kinds of ways.  Their product is in the number of parts, so they are kept
 * small enough for that. */
struct groups {
  int straight;
  int around;
};

enum { PARTS_MAX = 1 << 30 };

static struct groups groups_3(const struct hy_collective *c) {
  int n = distance(c);
  int64_t d = c->dims;
  struct groups g = {hy_corner_groups(c, n, (int)d), 1};
  if (n > 0 && n < d)
    g.around = hy_fan_groups(c, n, n * d, (struct hy_stage){.each = 1, .once = 1, .parts = d});
  while (d * hy_common_multiple(n) * g.straight * g.around > PARTS_MAX) {
    g.straight = (g.straight + 1) / 2;
    g.around = (g.around + 1) / 2;
  }
  return g;
}

static const char *applies_3(const struct hy_collective *c) {
  if (c->dims > 16) return "it takes at most 16 dimensions";
  return hy_send_applies(c);
}

static hyla_status make_3(const struct hy_generator *generator, uint32_t node,
                          struct hy_schedule *out) {
  const struct hy_generator *fan = generator->inner;
  const struct groups *groups = generator->table;
  uint32_t mask = generator->root;
  uint32_t d = (uint32_t)generator->dims;
  uint32_t n = (uint32_t)fan->dims;
  uint32_t share = hy_common_multiple((int)n) * (uint32_t)(groups->straight * groups->around);
  struct hy_generator straight = hy_pipeline(fan, groups->straight, NULL);
  struct hy_relabel relabel = {
      .into = mask, .unit = n * (uint32_t)groups->around, .parts = d * share};
  if (n == 0) return HYLA_OK;
  if ((node & ~mask) == 0) TRY(hy_generate_into(&straight, hy_extract(node, mask), &relabel, out));
  uint32_t offset = n * share;
  for (uint32_t bit = 1; bit >> d == 0; bit <<= 1) {
    if (mask & bit) continue;
    struct detour detour = {fan, mask, bit};
    struct hy_generator one = {make_detour, .dims = (int)d, .table = &detour};
    struct hy_generator around = hy_pipeline(&one, groups->around, NULL);
    relabel = (struct hy_relabel){
        .offset = offset, .unit = (uint32_t)groups->straight, .parts = d * share};
    TRY(hy_generate_into(&around, node, &relabel, out));
    offset += share;
  }
  return HYLA_OK;
}

static hyla_status build_3(const struct hy_collective *c, struct hy_recipe *recipe) {
  TRY(hy_push_fan(recipe, distance(c)));
  const struct hy_generator *fan = hy_recipe_top(recipe);
  struct groups *groups = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *groups, &groups));
  *groups = groups_3(c);
  hy_recipe_push(recipe, (struct hy_generator){.make = make_3,
                                               .dims = c->dims,
                                               .inner = fan,
                                               .table = groups,
                                               .root = hy_send_target(c)});
  hy_push_mutual(c, recipe);
  return HYLA_OK;
}

/* The form of the longer of the two kinds of ways. */
static struct hy_form form_3(const struct hy_collective *c) {
  int64_t d = c->dims;
  int n = distance(c);
  struct groups g = groups_3(c);
  struct hy_form straight = hy_corner_form(n, g.straight);
  if (n == 0) return straight;
  straight.words.num *= n;
  straight.words.den *= d;
  straight.divisor = d * hy_common_multiple(n) * g.straight * g.around;
  if (n == d) return straight;
  struct hy_ratio words = detour_words(n, g.around);
  struct hy_form around = {g.around + n + 1, {words.num, words.den * d}, 0, straight.divisor};
  const struct hy_times times = hy_times_of(c);
  double tau = times.tau * (double)c->blocks.words;
  double straight_time = (double)straight.steps * times.beta +
                         tau * (double)straight.words.num / (double)straight.words.den;
  double around_time =
      (double)around.steps * times.beta + tau * (double)around.words.num / (double)around.words.den;
  return around_time > straight_time ? around : straight;
}

/* Each kind of ways has its own number of groups. */
static void letters_3(const struct hy_collective *c, struct hy_text *text) {
  const struct groups g = groups_3(c);
  int n = distance(c);
  if (n == c->dims || g.straight == g.around)
    hy_text_add(text, ", g = %d", g.straight);
  else
    hy_text_add(text, ", g = %d in the first and %d in the second", g.straight, g.around);
}

const struct hy_collective_variant hy_permute_arbitrary_1 = {
    .base = {.name = "arbitrary-1", .reference = "stout-wagar-1990, ARBITRARY SEND 1"},
    .applies = hy_send_applies,
    .task = HY_TASK_PERMUTE,
    .formula = "(g+K(n-1)-1)/(n g) tau m + (g+n-1) beta, "
               "K(x) = sum(j = 0 ... x: 1/C(x,j))",
    .asynchronous = true,
    .root = hy_send_root,
    .build = build_1,
    .form = form_1,
};

const struct hy_collective_variant hy_permute_arbitrary_2 = {
    .base = {.name = "arbitrary-2", .reference = "stout-wagar-1990, ARBITRARY SEND 2"},
    .applies = hy_send_single,
    .task = HY_TASK_PERMUTE,
    .formula = "(min(n+1,d-1)+g)(tau m / (d g) + beta)",
    .root = hy_send_root,
    .build = build_2,
    .form = form_2,
};

const struct hy_collective_variant hy_permute_arbitrary_2b = {
    .base = {.name = "arbitrary-2b",
             .reference = "stout-wagar-1990, section 4 (a stage less than ARBITRARY SEND 2)"},
    .applies = applies_late,
    .task = HY_TASK_PERMUTE,
    .formula = "(min(n,d-1)+g)(tau m / (d g) + beta)",
    .root = hy_send_root,
    .build = build_late,
    .form = form_late,
};

const struct hy_collective_variant hy_permute_arbitrary_3 = {
    .base = {.name = "arbitrary-3", .reference = "stout-wagar-1990, ARBITRARY SEND 3"},
    .applies = applies_3,
    .task = HY_TASK_PERMUTE,
    .formula = "max((g+K(n-1)-1)/(d g) tau m + (g+n-1) beta, "
               "(g n+n+K(n-1))/(g n d) tau m + (g+n+1) beta), n < d; "
               "(g+K(n-1)-1)/(d g) tau m + (g+n-1) beta, n = d, "
               "K(x) = sum(j = 0 ... x: 1/C(x,j))",
    .asynchronous = true,
    .root = hy_send_root,
    .build = build_3,
    .form = form_3,
    .letters = letters_3,
};
