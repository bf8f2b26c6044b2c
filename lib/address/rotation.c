/* Rotations of an array that lies on a cube by the Gray code, and edge-disjoint routings for them.
 *
 * Element j, at node G(j), goes to G(j + i).  A shortest path changes each bit in which the two
 * addresses differ once.  A routing chooses the order of these bits for every element.  Johnsson
 * conjectures that orders exist in which no two paths share a directed link.
 *
 * Reference: Johnsson 1987, 3.1.4.
 * Method: local search.  While some path shares a link, it is routed again along the cheapest order
 * of its bits.  A link costs the number of paths on it times a weight.  The weight grows while
 * paths share the link, which leads the search out of local minima. */
#include "address/address.h"

uint32_t hy_rotation_target(int dims, uint32_t places, uint32_t node) {
  return hy_gray((hy_gray_inverse(node) + places) & ((1u << dims) - 1));
}

struct search {
  int dims;
  uint32_t places;
  uint8_t *order; /* [source][hop] */
  int32_t *load;  /* [node][dimension]: paths on the link */
  int32_t *weight;
  uint64_t random;
};

/* A random number below n.  The generator starts with a constant, so every caller finds the same
 * routing. */
static uint32_t draw(struct search *search, uint32_t n) {
  search->random ^= search->random << 13;
  search->random ^= search->random >> 7;
  search->random ^= search->random << 17;
  return (uint32_t)(search->random >> 33) % n;
}

static int hops_of(const struct search *search, uint32_t source) {
  return hy_popcount(source ^ hy_rotation_target(search->dims, search->places, source));
}

/* Adds `paths` to the load of every link of the source's path. */
static void put(const struct search *search, uint32_t source, int paths) {
  const uint8_t *order = search->order + source * (uint32_t)search->dims;
  uint32_t place = source;
  for (int hop = 0, hops = hops_of(search, source); hop < hops; hop++) {
    search->load[place * (uint32_t)search->dims + order[hop]] += paths;
    place ^= 1u << order[hop];
  }
}

/* Does the path share a link?  The weights of its shared links grow. */
static bool shares(const struct search *search, uint32_t source) {
  const uint8_t *order = search->order + source * (uint32_t)search->dims;
  bool shared = false;
  uint32_t place = source;
  for (int hop = 0, hops = hops_of(search, source); hop < hops; hop++) {
    uint32_t link = place * (uint32_t)search->dims + order[hop];
    if (search->load[link] > 1) {
      search->weight[link]++;
      shared = true;
    }
    place ^= 1u << order[hop];
  }
  return shared;
}

/* Routes the source's path along the cheapest order of its bits; ties are broken at random.
 * Dynamic programming over subsets of the bits: the cheapest way to change a subset ends with the
 * member for which the rest is cheapest. */
static void lay(struct search *search, uint32_t source) {
  int64_t cost[1 << HY_ROTATION_DIMS];
  uint8_t last[1 << HY_ROTATION_DIMS];
  uint32_t bits = source ^ hy_rotation_target(search->dims, search->places, source);
  int hops = hy_popcount(bits);
  cost[0] = 0;
  for (uint32_t set = 1; set >> hops == 0; set++) {
    uint32_t ties = 0;
    cost[set] = INT64_MAX;
    for (uint32_t left = set; left != 0; left &= left - 1) {
      uint32_t member = left & (~left + 1);
      uint32_t place = source ^ hy_deposit(set ^ member, bits);
      int dim = hy_lowest(hy_deposit(member, bits));
      uint32_t link = place * (uint32_t)search->dims + (uint32_t)dim;
      int64_t sum = cost[set ^ member] + (int64_t)search->load[link] * search->weight[link];
      if (sum > cost[set]) continue;
      ties = sum < cost[set] ? 1 : ties + 1;
      if (ties == 1 || draw(search, ties) == 0) last[set] = (uint8_t)dim;
      cost[set] = sum;
    }
  }
  uint32_t set = (1u << hops) - 1;
  for (int hop = hops - 1; hop >= 0; hop--) {
    uint8_t dim = last[set];
    search->order[source * (uint32_t)search->dims + (uint32_t)hop] = dim;
    set = hy_extract(hy_deposit(set, bits) & ~(1u << dim), bits);
  }
}

bool hy_rotation_disjoint(int dims, uint32_t places, uint8_t *order, int32_t *work) {
  if (dims > HY_ROTATION_DIMS) return false;
  uint32_t nodes = 1u << dims, links = nodes * (uint32_t)dims;
  struct search search = {.dims = dims,
                          .places = places,
                          .order = order,
                          .load = work,
                          .weight = work + links,
                          .random = UINT64_C(88172645463325252)};
  for (uint32_t link = 0; link < links; link++) {
    search.load[link] = 0;
    search.weight[link] = 1;
  }
  for (uint32_t source = 0; source < nodes; source++) {
    lay(&search, source);
    put(&search, source, 1);
  }
  uint32_t sound = 0; /* consecutive paths that share no link */
  int64_t left = HY_ROTATION_TRIALS;
  for (uint32_t source = 0; sound < nodes && left > 0; source = (source + 1) % nodes) {
    sound++;
    if (!shares(&search, source)) continue;
    sound = 0;
    left--;
    put(&search, source, -1);
    lay(&search, source);
    put(&search, source, 1);
  }
  return sound == nodes;
}
