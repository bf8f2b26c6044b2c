/* The multiplications of Johnsson 1987, section 5: the work of a node of a line. */
#include "mmc.h"

#include <stdlib.h>
#include <string.h>

static uint32_t nodes_of(const struct line *line) { return 1u << line->k; }

static struct hy_piece piece_of(uint32_t block, int word) {
  return (struct hy_piece){
      .block = block, .run = 1, .from = (uint32_t)word, .to = (uint32_t)word + 1};
}

/* ----------------------------------------------------- MMC1 and MMC2 -- */

/* The swap of a node at block step t: an element leaves over `out', the next one comes over
 * `in'. */
struct turn {
  uint32_t out, in;     /* links */
  uint32_t gone, there; /* blocks */
};

static hyla_status add_turns(const struct line *line, uint32_t node,
                             struct turn (*turn_at)(const struct line *line, uint32_t node,
                                                    uint32_t t),
                             struct hy_schedule *schedule) {
  for (uint32_t t = 1; t < nodes_of(line); t++) {
    struct turn turn = turn_at(line, node, t);
    for (int z = 0; z < line->slots; z++) {
      int step = line->set_up + (int)(t - 1) * line->slots + z, word = line->word[z];
      if (word < 0) continue;
      TRY(hy_schedule_add(schedule, step, turn.out, HY_OUT, piece_of(turn.gone, word)));
      TRY(hy_schedule_add(schedule, step, turn.in, HY_IN, piece_of(turn.there, word)));
    }
  }
  return HYLA_OK;
}

static struct turn exchange(const struct line *line, uint32_t node, uint32_t t) {
  uint32_t link = 1u << hy_gray_transition(t - 1), base = node ^ (uint32_t)line->number;
  return (struct turn){link, link, base ^ hy_gray(t - 1), base ^ hy_gray(t)};
}

/* Set-up: word e crosses dimension b at step e + b where the line's number has bit b. */
static hyla_status make_mmc1(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule) {
  const struct line *line = generator->table;
  schedule->parts = (uint32_t)line->words;
  for (int b = 0; b < line->k; b++) {
    uint32_t bit = 1u << b, block = node ^ ((uint32_t)line->number & (bit - 1));
    for (int e = 0; e < line->words && (line->number & (int)bit) != 0; e++) {
      TRY(hy_schedule_add(schedule, e + b, bit, HY_OUT, piece_of(block, e)));
      TRY(hy_schedule_add(schedule, e + b, bit, HY_IN, piece_of(block ^ bit, e)));
    }
  }
  return add_turns(line, node, exchange, schedule);
}

static struct turn rotation(const struct line *line, uint32_t node, uint32_t t) {
  uint32_t mask = nodes_of(line) - 1, place = hy_gray_inverse(node);
  uint32_t before = (place - 1) & mask, after = (place + 1) & mask;
  uint32_t held = place + (uint32_t)line->number + t - 1;
  return (struct turn){node ^ hy_gray(before), node ^ hy_gray(after), hy_gray(held & mask),
                       hy_gray((held + 1) & mask)};
}

/* Set-up: word e of every node makes hop h of its path at step e + h. */
static hyla_status make_mmc2(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule) {
  const struct line *line = generator->table;
  schedule->parts = (uint32_t)line->words;
  for (uint32_t source = 0; source < nodes_of(line); source++) {
    uint32_t target = hy_rotation_target(line->k, nodes_of(line) - (uint32_t)line->number, source);
    uint32_t place = source;
    for (int hop = 0; hop < hy_popcount(source ^ target); hop++) {
      uint32_t link = 1u << line->route[source * (uint32_t)line->k + (uint32_t)hop];
      for (int e = 0; e < line->words; e++) {
        if (place == node)
          TRY(hy_schedule_add(schedule, e + hop, link, HY_OUT, piece_of(source, e)));
        if ((place ^ link) == node)
          TRY(hy_schedule_add(schedule, e + hop, link, HY_IN, piece_of(source, e)));
      }
      place ^= link;
    }
  }
  return add_turns(line, node, rotation, schedule);
}

static void prepare_mmc2(struct line *line) {
  int32_t work[2 * NODES_MAX * K_MAX];
  uint32_t places = (nodes_of(line) - (uint32_t)line->number) % nodes_of(line);
  assert_true(hy_rotation_disjoint(line->k, places, line->route, work));
}

/* ----------------------------------------------------- MMC3 and MMC4 -- */

/* An element that goes out from the node `root' at time `base'. */
struct broadcast {
  uint32_t block, root;
  int word, base;
};

static hyla_status add_tree(const struct line *line, uint32_t node, const struct broadcast *x,
                            struct hy_schedule *schedule) {
  uint32_t mine = node ^ x->root;
  int here = x->base + hy_popcount(mine);
  struct hy_piece piece = piece_of(x->block, x->word);
  if (mine != 0)
    TRY(hy_schedule_add(schedule, here - 1, mine ^ hy_binomial_parent(mine), HY_IN, piece));
  for (int b = hy_log2_floor(mine) + 1; b < line->k; b++)
    TRY(hy_schedule_add(schedule, here, 1u << b, HY_OUT, piece));
  return HYLA_OK;
}

/* Element m moves to place 0, which it reaches at time m slots + z + |G(number)|. */
static hyla_status make_mmc3(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule) {
  const struct line *line = generator->table;
  schedule->parts = (uint32_t)line->words;
  uint32_t place = hy_gray_inverse(node);
  for (uint32_t m = 0; m < nodes_of(line); m++)
    for (int z = 0; z < line->slots; z++) {
      int base = (int)m * line->slots + z + hy_popcount(hy_gray((uint32_t)line->number));
      int here = base - (int)place;
      if (line->word[z] < 0) continue;
      struct broadcast x = {hy_gray(m), 0, line->word[z], base};
      struct hy_piece piece = piece_of(x.block, x.word);
      if (place < m)
        TRY(hy_schedule_add(schedule, here - 1, node ^ hy_gray(place + 1), HY_IN, piece));
      if (place > 0 && place <= m)
        TRY(hy_schedule_add(schedule, here, node ^ hy_gray(place - 1), HY_OUT, piece));
      TRY(add_tree(line, node, &x, schedule));
    }
  return HYLA_OK;
}

/* Element m in slot z of the outer products that start `apart` steps apart. */
static struct broadcast outer(const struct line *line, uint32_t m, int z, int apart) {
  uint32_t root = hy_gray(m);
  int distance = hy_popcount(root ^ hy_gray((uint32_t)line->number));
  return (struct broadcast){root, root, line->word[z], (int)m * apart + z + distance};
}

static hyla_status make_outer(const struct line *line, uint32_t node, int apart,
                              struct hy_schedule *schedule) {
  schedule->parts = (uint32_t)line->words;
  for (uint32_t m = 0; m < nodes_of(line); m++)
    for (int z = 0; z < line->slots; z++) {
      struct broadcast x = outer(line, m, z, apart);
      if (x.word >= 0) TRY(add_tree(line, node, &x, schedule));
    }
  return HYLA_OK;
}

static hyla_status make_mmc41(const struct hy_generator *generator, uint32_t node,
                              struct hy_schedule *schedule) {
  const struct line *line = generator->table;
  return make_outer(line, node, line->slots + 2, schedule);
}

static hyla_status make_mmc42_binomial(const struct hy_generator *generator, uint32_t node,
                                       struct hy_schedule *schedule) {
  const struct line *line = generator->table;
  return make_outer(line, node, line->slots, schedule);
}

static uint8_t *last_link(const struct line *line, uint32_t m, int z, uint32_t node) {
  return &line->last_link[((int64_t)m * line->slots + z) * nodes_of(line) + node];
}

static hyla_status make_mmc42(const struct hy_generator *generator, uint32_t node,
                              struct hy_schedule *schedule) {
  const struct line *line = generator->table;
  schedule->parts = (uint32_t)line->words;
  for (uint32_t m = 0; m < nodes_of(line); m++)
    for (int z = 0; z < line->slots; z++) {
      struct broadcast x = outer(line, m, z, line->slots);
      if (x.word < 0) continue;
      struct hy_piece piece = piece_of(x.block, x.word);
      uint32_t mine = node ^ x.root;
      int here = x.base + hy_popcount(mine);
      if (mine != 0)
        TRY(hy_schedule_add(schedule, here - 1, 1u << *last_link(line, m, z, node), HY_IN, piece));
      for (int b = 0; b < line->k; b++)
        if ((mine >> b & 1) == 0 && *last_link(line, m, z, node ^ 1u << b) == b)
          TRY(hy_schedule_add(schedule, here, 1u << b, HY_OUT, piece));
    }
  return HYLA_OK;
}

bool mmc_match(const struct arrivals *all, int x, uint32_t taken) {
  if (x == all->count) return true;
  for (uint32_t left = all->ways[x] & ~taken; left != 0; left &= left - 1) {
    *all->link[x] = (uint8_t)hy_lowest(left);
    if (mmc_match(all, x + 1, taken | (left & (~left + 1)))) return true;
  }
  return false;
}

/* Chooses any last link that leads towards the node, if no other element comes over it in the same
 * step; each node and step has its own choice. */
static void prepare_mmc42(struct line *line) {
  int last = (int)nodes_of(line) * line->slots + 2 * line->k;
  size_t count = (size_t)line->slots << (2 * line->k);
  line->last_link = malloc(count);
  assert_non_null(line->last_link);
  memset(line->last_link, UINT8_MAX, count);
  for (uint32_t node = 0; node < nodes_of(line); node++)
    for (int time = 0; time <= last; time++) {
      struct arrivals all = {0};
      for (uint32_t m = 0; m < nodes_of(line); m++)
        for (int z = 0; z < line->slots; z++) {
          struct broadcast x = outer(line, m, z, line->slots);
          uint32_t mine = node ^ x.root;
          if (x.word < 0 || mine == 0 || x.base + hy_popcount(mine) != time) continue;
          all.ways[all.count] = mine;
          all.link[all.count++] = last_link(line, m, z, node);
        }
      assert_true(mmc_match(&all, 0, 0));
    }
}

/* ------------------------------------------------------- the theorems -- */

const struct algorithm mmc_algorithms[MMC_COUNT] = {
    {.name = "MMC1",
     .theorem = "theorem 5.2 (J25)",
     .formula = "q (2^k-1) + s + k - 1",
     .once = "s 2^k + k - 1",
     .remark = "equal",
     .make = make_mmc1,
     .tour = true},
    {.name = "MMC2",
     .theorem = "theorem 5.3 (J26)",
     .formula = "q (2^k-1) + s + k - 1",
     .once = "s 2^k + k - 1",
     .remark = "equal, with the edge-disjoint rotations of J6",
     .make = make_mmc2,
     .prepare = prepare_mmc2,
     .tour = true,
     .gray = true},
    {.name = "MMC3",
     .theorem = "theorem 5.4 (J27)",
     .formula = "q 2^k + 2k - 1",
     .once = "s 2^k + 2k - 1",
     .remark = "equal, in order everywhere",
     .make = make_mmc3,
     .gray = true,
     .from_zero = true,
     .in_order = true},
    {.name = "MMC4.1",
     .theorem = "theorem 5.5 (J28)",
     .formula = "(q+2) 2^k + 2k - 3",
     .once = "(s+2) 2^k + 2k - 3",
     .remark = "equal, in order everywhere",
     .make = make_mmc41,
     .gray = true,
     .more = 2,
     .in_order = true},
    {.name = "MMC4.2",
     .theorem = "theorem 5.6 (J29)",
     .formula = "q 2^k + 2k - 1",
     .once = "s 2^k + 2k - 1",
     .remark = "equal along trees of shortest paths with last links chosen apart; along binomial "
               "trees elements meet on links from k = 3 on",
     .make = make_mmc42,
     .prepare = prepare_mmc42,
     .gray = true},
};

const struct algorithm mmc_binomial = {.name = "MMC4.2", .make = make_mmc42_binomial, .gray = true};
