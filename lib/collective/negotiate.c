/* Whole messages on shortest paths whose links are negotiated: see matching.h.
 *
 * Method: for a given number of steps each message in turn takes the cheapest way through the links
 * of all steps, over its dimensions in any order, by dynamic programming over the dimensions that
 * are crossed; waiting costs nothing.  Several may want a link in one step; then that link becomes
 * dearer for whoever wants it, the more the longer the quarrel lasts, and those that meet look for
 * other ways, until no two meet.  The steps are as few as any schedule of shortest paths could
 * take, or, where no agreement is found, one more, and so on up to those of the matching.  Prices
 * are whole numbers, so that all nodes find the same. Reference: McMurchie and Ebeling 1995 (wires
 * on a chip).
 */
#include "collective/matching.h"

enum {
  UNIT = 64,     /* the price of a link that nobody wants */
  GRUDGE = 20,   /* what each meeting adds to it for good */
  PRESSURE = 32, /* what a meeting costs at first; it grows by a tenth a round */
  PRESSURE_MOST = 1000 * UNIT,
  ROUNDS = 80,   /* at most, and */
  PATIENCE = 20, /* so many without progress */
};

struct talks {
  struct hy_base *base;
  int dims, steps;
  uint32_t nodes;
  const struct hy_letter *letters;
  int64_t count;
  struct hy_link_use *crossings; /* of all letters, each from first on */
  int64_t *first;
  int32_t *wanted; /* [step][node][dimension]: by how many; */
  int32_t *grudge; /* how much dearer it is for good */
  int64_t *price;  /* [step][crossed]: of the cheapest way; the dimension crossed last, -1: none */
  int8_t *last;
  int32_t pressure;
};

static int64_t slot_of(const struct talks *t, int step, uint32_t node, int dim) {
  return ((int64_t)step * t->nodes + node) * t->dims + dim;
}

static int distance(const struct hy_letter *letter) {
  return hy_popcount(letter->source ^ letter->target);
}

/* The cheapest ways over the tag's dimensions; what is crossed is a mask of their ranks. */
static void find_prices(struct talks *t, uint32_t source, uint32_t tag) {
  const uint32_t all = 1u << hy_popcount(tag);
  for (uint32_t crossed = 0; crossed < all; crossed++) t->price[crossed] = crossed ? INT64_MAX : 0;
  for (int step = 0; step < t->steps; step++) {
    int64_t *now = t->price + step * (int64_t)all, *then = now + all;
    int8_t *last = t->last + (step + 1) * (int64_t)all;
    for (uint32_t crossed = 0; crossed < all; crossed++) {
      then[crossed] = now[crossed];
      last[crossed] = -1;
    }
    for (uint32_t crossed = 0; crossed < all; crossed++) {
      if (now[crossed] == INT64_MAX) continue;
      const uint32_t node = source ^ hy_deposit(crossed, tag);
      uint32_t left = tag;
      for (uint32_t rank = 1; rank < all; rank <<= 1, left &= left - 1) {
        if ((crossed & rank) != 0) continue;
        const int64_t slot = slot_of(t, step, node, hy_lowest(left));
        const int64_t price = now[crossed] + (int64_t)(UNIT + t->grudge[slot]) *
                                                 (UNIT + (int64_t)t->pressure * t->wanted[slot]);
        if (price >= then[crossed | rank]) continue;
        then[crossed | rank] = price;
        last[crossed | rank] = (int8_t)hy_lowest(left);
      }
    }
  }
}

/* Reads the way backwards. */
static void take_cheapest(struct talks *t, int64_t i) {
  const struct hy_letter *letter = &t->letters[i];
  const uint32_t tag = letter->source ^ letter->target, all = 1u << hy_popcount(tag);
  find_prices(t, letter->source, tag);
  uint32_t crossed = all - 1;
  int64_t at = t->first[i] + distance(letter);
  for (int step = t->steps; step > 0; step--) {
    int dim = t->last[step * (int64_t)all + crossed];
    if (dim < 0) continue;
    crossed ^= 1u << hy_popcount(tag & ((1u << dim) - 1));
    t->crossings[--at] = (struct hy_link_use){step - 1, 1u << dim};
  }
}

/* Adds to the number of those who want its links; returns the most that want one of them. */
static int32_t want(struct talks *t, int64_t i, int32_t more) {
  uint32_t node = t->letters[i].source;
  int32_t most = 0;
  for (int64_t at = t->first[i]; at < t->first[i + 1]; at++) {
    const struct hy_link_use *crossing = &t->crossings[at];
    int32_t *wanted = &t->wanted[slot_of(t, crossing->step, node, hy_lowest(crossing->across))];
    *wanted += more;
    most = (int32_t)hy_max(most, *wanted);
    node ^= crossing->across;
  }
  return most;
}

/* How many too many want links; the links bear them a grudge. */
static int64_t meetings(struct talks *t) {
  int64_t too_many = 0;
  for (int64_t slot = 0; slot < slot_of(t, t->steps, 0, 0); slot++) {
    if (t->wanted[slot] < 2) continue;
    too_many += t->wanted[slot] - 1;
    t->grudge[slot] += GRUDGE * (t->wanted[slot] - 1);
  }
  return too_many;
}

static bool agree(struct talks *t) {
  int64_t least = INT64_MAX;
  int patience = PATIENCE;
  t->pressure = PRESSURE;
  for (int round = 0; round < ROUNDS && patience > 0; round++) {
    for (int64_t i = 0; i < t->count; i++) {
      if (round > 0 && want(t, i, 0) < 2) continue;
      if (round > 0) want(t, i, -1);
      take_cheapest(t, i);
      want(t, i, 1);
    }
    int64_t too_many = meetings(t);
    if (too_many == 0) return true;
    patience = too_many < least ? PATIENCE : patience - 1;
    least = hy_min(least, too_many);
    t->pressure = (int32_t)hy_min(t->pressure + t->pressure / 10 + 1, PRESSURE_MOST);
  }
  return false;
}

/* Looks for ways in so many steps. */
static hyla_status negotiate(struct talks *t, int steps, bool *agreed) {
  int farthest = 0;
  for (int64_t i = 0; i < t->count; i++) farthest = (int)hy_max(farthest, distance(&t->letters[i]));
  t->steps = steps;
  hyla_status status = hy_alloc(t->base, slot_of(t, steps, 0, 0), sizeof *t->wanted, &t->wanted);
  if (status == HYLA_OK)
    status = hy_alloc(t->base, slot_of(t, steps, 0, 0), sizeof *t->grudge, &t->grudge);
  if (status == HYLA_OK)
    status = hy_alloc(t->base, (int64_t)(steps + 1) << farthest, sizeof *t->price, &t->price);
  if (status == HYLA_OK)
    status = hy_alloc(t->base, (int64_t)(steps + 1) << farthest, sizeof *t->last, &t->last);
  if (status == HYLA_OK) *agreed = agree(t);
  hy_free(t->base, &t->wanted);
  hy_free(t->base, &t->grudge);
  hy_free(t->base, &t->price);
  hy_free(t->base, &t->last);
  return status;
}

/* No schedule of shortest paths takes less: the fullest dimension's links, the farthest message,
 * what a node has to send or to get, and neighbours' messages over one link, which have no choice.
 */
static hyla_status find_bound(const struct talks *t, int *bound) {
  int64_t most[HYLA_DIMS_MAX] = {0}, *ends = NULL, *links = NULL;
  const int64_t ends_count = 2 * (int64_t)t->nodes, links_count = (int64_t)t->nodes * t->dims;
  TRY(hy_alloc(t->base, ends_count + links_count, sizeof *ends, &ends));
  links = ends + ends_count;
  *bound = 0;
  for (int64_t i = 0; i < t->count; i++) {
    const struct hy_letter *letter = &t->letters[i];
    const uint32_t tag = letter->source ^ letter->target;
    *bound = (int)hy_max(*bound, distance(letter));
    for (uint32_t left = tag; left != 0; left &= left - 1) most[hy_lowest(left)]++;
    ends[letter->source] += tag != 0;
    ends[t->nodes + letter->target] += tag != 0;
    if (distance(letter) == 1) links[(int64_t)letter->source * t->dims + hy_lowest(tag)]++;
  }
  for (int dim = 0; dim < t->dims; dim++)
    *bound = (int)hy_max(*bound, hy_ceil_div(most[dim], t->nodes));
  for (int64_t end = 0; end < ends_count && t->dims > 0; end++)
    *bound = (int)hy_max(*bound, hy_ceil_div(ends[end], t->dims));
  for (int64_t link = 0; link < links_count; link++) *bound = (int)hy_max(*bound, links[link]);
  hy_free(t->base, &ends);
  return HYLA_OK;
}

static hyla_status improve(struct talks *t, uint32_t blocks, struct hy_matching **matching) {
  int steps = 0;
  TRY(hy_alloc(t->base, t->count + 1, sizeof *t->first, &t->first));
  for (int64_t i = 0; i < t->count; i++) t->first[i + 1] = t->first[i] + distance(&t->letters[i]);
  TRY(hy_alloc(t->base, t->first[t->count], sizeof *t->crossings, &t->crossings));
  TRY(find_bound(t, &steps));
  bool agreed = false;
  for (; steps < (*matching)->steps && !agreed; steps++) TRY(negotiate(t, steps, &agreed));
  if (!agreed) return HYLA_OK;
  hy_free(t->base, matching);
  return hy_matching_create(t->base, t->dims, blocks, t->letters, t->count, t->crossings, matching);
}

hyla_status hy_matching_negotiate(struct hy_base *base, int dims, uint32_t blocks,
                                  const struct hy_letter *letters, int64_t count,
                                  struct hy_matching **matching) {
  struct talks talks = {
      .base = base, .dims = dims, .nodes = 1u << dims, .letters = letters, .count = count};
  TRY(hy_matching_create(base, dims, blocks, letters, count, NULL, matching));
  hyla_status status = improve(&talks, blocks, matching);
  hy_free(base, &talks.first);
  hy_free(base, &talks.crossings);
  return status;
}
