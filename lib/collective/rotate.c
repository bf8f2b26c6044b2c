/* Rotation of an array that lies by the Gray code: the node of element j sends to the node of
 * element j + i, modulo n = 2^d.
 *
 *   variant           steps               words          method
 *   rotate-powers     2 ones(i) - i mod 2 steps m        i as a sum of powers of two: two
 *                                                        dimensions each, one for the lowest
 *   rotate-reflect    d + 1 - z           (steps + t) m  reflections: the bits in which the two
 *                     (d when z = 0)                     nodes differ, from the lowest; on t
 *                                                        dimensions two elements share links
 *   rotate-disjoint   g + h - 1           m / g each     shortest paths that share no link,
 *                                                        found by search
 * z: zeros at the end of i; h: the farthest that an element goes.
 * Reference: Johnsson 1987, 3.1.4, lemma 3.3; the third is his conjecture.
 * All ports.  Memory: in place, and blocks for elements on their way.
 * Restriction: rotate-disjoint up to HY_ROTATION_DIMS dimensions. */
#include "collective/papers.h"

static uint32_t places_of(const struct hy_collective *c) {
  return hy_gray_inverse((uint32_t)c->to[0]);
}

static const char *applies(const struct hy_collective *c) {
  static const char *const reason = "it sends from G(j) to G(j + i) only, the same i for all j";
  if (c->to == NULL || c->to[0] < 0) return reason;
  for (uint32_t node = 0; node >> c->dims == 0; node++)
    if (c->to[node] != (int32_t)hy_rotation_target(c->dims, places_of(c), node)) return reason;
  return NULL;
}

static const char *applies_disjoint(const struct hy_collective *c) {
  if (c->dims > HY_ROTATION_DIMS)
    return "it searches for paths that share no link on at most 9 dimensions";
  return applies(c);
}

/* A third of the way round: every second bit of the distance is 1. */
static uint32_t sends(int dims, uint32_t node) {
  return hy_rotation_target(dims, (1u << dims) / 3, node);
}

/* To go on by 2^r, r > 0, an element crosses dimension r - 1 and one more. */
static int path_powers(const struct hy_routing *routing, uint32_t source, int part,
                       struct hy_leg *legs) {
  (void)part;
  int count = 0;
  uint32_t place = source;
  for (uint32_t left = routing->places; left != 0; left &= left - 1) {
    uint32_t power = left & (~left + 1);
    uint32_t next = hy_rotation_target(routing->dims, power, place);
    uint32_t first = power >> 1, other = (place ^ next) & ~first;
    if (first != 0) {
      legs[count] = (struct hy_leg){count, first};
      count++;
    }
    legs[count] = (struct hy_leg){count, other};
    count++;
    place = next;
  }
  return count;
}

/* The number of dimensions below the last one that no multiple of 2^z crosses. */
static int idle_dims(uint32_t places) {
  int zeros = hy_lowest(places);
  return zeros > 0 ? zeros - 1 : 0;
}

static int path_reflect(const struct hy_routing *routing, uint32_t source, int part,
                        struct hy_leg *legs) {
  (void)part;
  uint32_t bits = source ^ hy_rotation_target(routing->dims, routing->places, source);
  int count = 0, idle = idle_dims(routing->places);
  for (; bits != 0; bits &= bits - 1)
    legs[count++] = (struct hy_leg){hy_lowest(bits) - idle, bits & (~bits + 1)};
  return count;
}

static int path_disjoint(const struct hy_routing *routing, uint32_t source, int part,
                         struct hy_leg *legs) {
  const uint8_t *order = routing->order + source * (uint32_t)routing->dims;
  int hops = hy_popcount(source ^ hy_rotation_target(routing->dims, routing->places, source));
  for (int hop = 0; hop < hops; hop++) legs[hop] = (struct hy_leg){part + hop, 1u << order[hop]};
  return hops;
}

static struct hy_form form_powers(const struct hy_collective *c) {
  uint32_t places = places_of(c);
  int64_t steps = 2 * hy_popcount(places) - (int)(places & 1u);
  return (struct hy_form){steps, {steps, 1}, 0, 1};
}

/* Two elements meet before dimension b and cross it together if i modulo 2^(b+2) lies between 2^b
 * and 3 2^b and is not 2^(b+1). */
static struct hy_form form_reflect(const struct hy_collective *c) {
  uint32_t places = places_of(c);
  if (places == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  int64_t steps = c->dims - idle_dims(places);
  int64_t words = steps;
  for (int b = 1; b < c->dims - 1; b++) {
    uint32_t rest = places & ((4u << b) - 1), unit = 1u << b;
    words += rest > unit && rest < 3 * unit && rest != 2 * unit;
  }
  return (struct hy_form){steps, {words, 1}, 0, 1};
}

static struct hy_form form_disjoint(const struct hy_collective *c) {
  const int64_t hops = hy_farthest(c);
  return hy_form_packets(hy_best_packets(c, hops), hops, 0);
}

static hyla_status build_powers(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_routing routing = {.parts = 1,
                               .steps = (int)form_powers(c).steps,
                               .longest = 2 * c->dims,
                               .path = path_powers,
                               .places = places_of(c)};
  return hy_push_routing(c, recipe, routing);
}

static hyla_status build_reflect(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_routing routing = {.parts = 1,
                               .steps = (int)form_reflect(c).steps,
                               .batch = true,
                               .direct = true,
                               .path = path_reflect,
                               .places = places_of(c)};
  return hy_push_routing(c, recipe, routing);
}

static hyla_status build_disjoint(const struct hy_collective *c, struct hy_recipe *recipe) {
  const int64_t links = (int64_t)c->dims << c->dims;
  uint8_t *order = NULL;
  int32_t *work = NULL;
  TRY(hy_recipe_table(recipe, links, 1, &order));
  TRY(hy_alloc(recipe->base, 2 * links, sizeof *work, &work));
  bool found = hy_rotation_disjoint(c->dims, places_of(c), order, work);
  hy_free(recipe->base, &work);
  CHECK(recipe->base, found, UNSUPPORTED, "no paths without a shared link were found for %u places",
        places_of(c));
  struct hy_routing routing = {.parts = hy_best_packets(c, hy_farthest(c)),
                               .shapes = 1,
                               .steps = (int)form_disjoint(c).steps,
                               .direct = true,
                               .path = path_disjoint,
                               .places = places_of(c),
                               .order = order};
  return hy_push_routing(c, recipe, routing);
}

const struct hy_collective_variant hy_permute_rotate_powers = {
    .base = {.name = "rotate-powers", .reference = "johnsson-1987, section 3.1.4"},
    .applies = applies,
    .task = HY_TASK_PERMUTE,
    .formula = "(2 ones(i) - i mod 2)(tau m + beta)",
    .ragged = true,
    .sends = sends,
    .build = build_powers,
    .form = form_powers,
};

const struct hy_collective_variant hy_permute_rotate_reflect = {
    .base = {.name = "rotate-reflect", .reference = "johnsson-1987, section 3.1.4"},
    .applies = applies,
    .task = HY_TASK_PERMUTE,
    .formula = "s beta + (s + t) tau m, i > 0, s = d + 1 - max(1, zeros(i)), "
               "t = count(b = 1 ... d-2: 2^b < i mod 2^(b+2) < 3 2^b and i mod 2^(b+2) != 2^(b+1))",
    .ragged = true,
    .sends = sends,
    .build = build_reflect,
    .form = form_reflect,
};

const struct hy_collective_variant hy_permute_rotate_disjoint = {
    .base = {.name = "rotate-disjoint", .reference = "johnsson-1987, section 3.1.4 (conjecture)"},
    .applies = applies_disjoint,
    .task = HY_TASK_PERMUTE,
    .formula = "(g + h - 1)(tau m / g + beta), i > 0",
    .ragged = true,
    .sends = sends,
    .build = build_disjoint,
    .form = form_disjoint,
};
