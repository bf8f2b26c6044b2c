/* Transposition by blocks: node (a, b) of a 2^c x 2^c array and node (b, a) swap
 * what they hold.  Row numbers are the high dimensions, column numbers the low.
 *
 * Method: the nodes whose a and b differ in the same k places form a logical
 * k-cube, in which one link is two paths of two hops, a row and a column bit in
 * either order.  Transposing is inversion in it: part r of k crosses logical
 * dimension r + stage.  Half of each part goes by each path, in p packets one
 * behind the other.  No two logical cubes share a directed link.
 * Reference: Stout and Wagar 1990, MATRIX TRANSPOSITION (L.C. INVERSION).
 * Steps: S + 1 of m / (2 S) words, S = k p the same for all k.
 * All ports.  Memory: in place, and a block for packets on their way.
 * Restriction: 2 S divides m, S a multiple of 1 ... c and at least 2 c.
 */
#include "comm/variant.h"

/* The least S: a packet that arrives is sent on two steps later, so p >= 2. */
static int64_t least(int c) {
  int64_t multiple = hy_common_multiple(c);
  return multiple * hy_max(1, hy_ceil_div(2 * c, multiple));
}

static const char *applies(const struct hy_collective *collective) {
  int c = collective->dims / 2;
  if (collective->dims % 2 != 0) return "it wants an even number of dimensions";
  for (uint32_t node = 0; node >> collective->dims == 0; node++) {
    uint32_t there = node >> c | (node & ((1u << c) - 1)) << c;
    if (collective->to == NULL || collective->to[node] != (int32_t)there)
      return "it sends from node (a, b) of a square array to node (b, a) only";
  }
  if (collective->blocks.words % (2 * least(c)) != 0)
    return "it wants a length that its packets divide";
  return NULL;
}

/* S: the multiple of the least one below the best, or what is asked for, that
 * still divides the length. */
static int64_t packets(const struct hy_collective *collective) {
  int64_t unit = least(collective->dims / 2);
  double m_tau = (double)collective->blocks.words * (double)hy_max(1, collective->tau);
  int64_t times = hy_best_groups(m_tau / 2, (double)hy_max(1, collective->beta)) / unit;
  if (collective->groups > 0) times = collective->groups;
  times = hy_max(1, times);
  while (times > 1 && collective->blocks.words % (2 * unit * times) != 0) times--;
  return unit * times;
}

/* One logical link: place `index` of the k places that differ. */
struct place {
  int k;
  int index;
  uint32_t bits[2]; /* the row and the column bit */
};

/* The packets that cross it by path h: part r in stage (index - r) mod k.  At the
 * ends (relay < 0) they go out over the path's first bit and come in over the
 * second one step later; between, they come in over the first and go out over
 * the second, through part `relay` of the block behind the data. */
static hyla_status cross(const struct place *place, int p, int h, int relay,
                         struct hy_schedule *out) {
  bool end = relay < 0;
  for (int r = 0; r < place->k; r++)
    for (int q = 0; q < p; q++) {
      int step = (place->index - r + place->k) % place->k * p + q;
      uint32_t part = (uint32_t)(end ? (2 * r + h) * p + q : relay);
      struct hy_piece piece = {.block = !end, .run = 1, .from = part, .to = part + 1};
      TRY(hy_schedule_add(out, step, place->bits[h], end ? HY_OUT : HY_IN, piece));
      TRY(hy_schedule_add(out, step + 1, place->bits[1 - h], end ? HY_IN : HY_OUT, piece));
    }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  int c = generator->dims / 2;
  int s = generator->groups;
  uint32_t differ = (node ^ node >> c) & ((1u << c) - 1);
  out->parts = 2 * (uint32_t)s;
  out->steps = c > 0 ? s + 1 : 0;
  out->scratch = 1;
  for (int i = 0; i < c; i++) {
    /* Where a and b agree the node stands between two ends that differ there too. */
    uint32_t places = differ | 1u << i;
    bool end = places == differ;
    struct place place = {.k = hy_popcount(places),
                          .index = hy_popcount(places & ((1u << i) - 1)),
                          .bits = {1u << (c + i), 1u << i}};
    for (int h = 0; h < 2; h++) TRY(cross(&place, s / place.k, h, end ? -1 : 2 * i + h, out));
  }
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *collective, struct hy_recipe *recipe) {
  hy_recipe_push(recipe, (struct hy_generator){make, .dims = collective->dims,
                                               .groups = (int)packets(collective)});
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *collective) {
  int64_t s = packets(collective);
  if (collective->dims == 0) return (struct hy_form){0, {0, 1}, 0, 2 * s};
  return (struct hy_form){s + 1, {s + 1, 2 * s}, 0, 2 * s};
}

const struct hy_variant hy_invert_blocks_rows[] = {
    {.task = HY_TASK_PERMUTE,
     .name = "transpose",
     .reference = "stout-wagar-1990, MATRIX TRANSPOSITION",
     .formula = "(S+1)(tau m / (2 S) + beta), at best tau m / 2 + 2 sqrt(beta tau m / 2) + beta",
     .applies = applies,
     .build = build,
     .form = form},
    {.name = NULL},
};
