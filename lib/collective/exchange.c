/* Total exchange: every node has a different message for every other.
 *
 *   variant     steps            words          method
 *   direct      2^d - 1          (2^d - 1) m    node s with s XOR k in step k, by circuits
 *   standard    d                d 2^(d-1) m    one dimension after the other
 *   multiphase  sum (2^di - 1)   sum (2^di - 1) 2^(d-di) m   direct in subcubes of di
 *                                               dimensions, one set after the other
 *   sw90        d                2^(d-1) m      DISTRIBUTE 1 from all nodes at once
 *   sw90-sym    d                2^(d-1) m      d rotated standard exchanges, 1/d each
 *   b91         2^(d-1)          2^(d-1) m      whole messages, slots in closed form
 *   v92         2^(d-1)          2^(d-1) m      whole messages, a coloured task matrix
 * References: Nicol and Bokhari 1994, 2.2-2.4; Stout and Wagar 1990, COMPLETE EXCHANGE; Bertsekas
 * et al. 1991, section 4; Varvarigos 1992, 2.4.
 * Ports: direct, multiphase: one, circuits; standard: one; the others: all.
 * Restriction: blocks of equal length.
 * Memory: in place, and packing space.
 *
 * v92 also exchanges between nodes at distances K to L only, in max(L, sum of C(d-1, i-1)) steps.
 * For any set of tags it takes as many steps as tags have one bit in common, or as one tag has
 * bits, whichever is more.
 *
 * No variant shuffles: a message waits in the slot of the message that the node receives in the end
 * (isotropic.c). */
#include "collective/variant.h"

const char *hy_equal_blocks(const struct hy_collective *c) {
  return c->blocks.offsets != NULL ? "the exchange wants blocks of equal length" : NULL;
}

const char *hy_exchanges_all(const struct hy_collective *c) {
  if (c->farthest != 0) return "it exchanges with all nodes, not with some distances";
  if (c->tags != NULL) return "it exchanges with all nodes, not by some tags";
  return hy_equal_blocks(c);
}

static uint32_t all_bits(int d) { return (1u << d) - 1; }

/* The dimensions of the phases of a multiphase exchange. */
struct phases {
  int count;
  uint8_t dims[HYLA_DIMS_MAX];
};

static struct phases equal_phases(int d, int count) {
  struct phases phases = {.count = count};
  if (count > 0) hy_partition_equal(d, count, phases.dims);
  return phases;
}

/* The phases that are asked for, or the best ones. */
static struct phases best_phases(const struct hy_collective *c) {
  struct phases phases = {.count = c->phase_count};
  for (int i = 0; i < c->phase_count; i++) phases.dims[i] = c->phases[i];
  if (c->phase_count > 0) return phases;
  const struct hy_times times = hy_times_of(c);
  struct hy_circuits machine = {.lambda = times.beta, .tau = times.tau};
  return equal_phases(c->dims, hy_partition_best(c->dims, (double)c->blocks.words, &machine));
}

static struct hy_form form_phases(int d, struct phases phases) {
  struct hy_form form = {0, {0, 1}, 0, 1};
  for (int i = 0; i < phases.count; i++) {
    int64_t partners = ((int64_t)1 << phases.dims[i]) - 1;
    form.steps += partners;
    form.words.num += partners << (d - phases.dims[i]);
    form.packets += phases.dims[i] * ((int64_t)1 << (phases.dims[i] - 1)) << d;
  }
  return form;
}

static hyla_status build_phases(const struct hy_collective *c, struct hy_recipe *recipe,
                                struct phases phases) {
  struct hy_hops *hops = NULL;
  int d = c->dims, step = 0, stop = d;
  TRY(hy_hops_create(recipe->base, form_phases(d, phases).steps, 1, true, &hops));
  for (int i = 0; i < phases.count; i++) {
    stop -= phases.dims[i];
    uint32_t field = all_bits(phases.dims[i]) << stop;
    for (uint32_t j = 1; j >> phases.dims[i] == 0; j++)
      hy_hops_add(hops, step++, j << stop, j << stop, all_bits(d) & ~field, 0, 1);
  }
  return hy_push_hops(c, recipe, hops);
}

static hyla_status build_direct(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build_phases(c, recipe, equal_phases(c->dims, c->dims > 0));
}

static hyla_status build_standard(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build_phases(c, recipe, equal_phases(c->dims, c->dims));
}

static hyla_status build_multiphase(const struct hy_collective *c, struct hy_recipe *recipe) {
  return build_phases(c, recipe, best_phases(c));
}

/* Part i crosses dimension i + step, so all links carry the same number of words. */
static hyla_status build_sym(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  int d = c->dims;
  TRY(hy_hops_create(recipe->base, (int64_t)d * d, (uint32_t)hy_max(1, d), false, &hops));
  for (int step = 0; step < d; step++)
    for (int i = 0; i < d; i++) {
      uint32_t bit = 1u << (i + step) % d;
      hy_hops_add(hops, step, bit, bit, all_bits(d) & ~bit, (uint32_t)i, (uint32_t)i + 1);
      hops->hops[hops->count - 1].done = hy_rotate((1u << step) - 1, i, d);
    }
  return hy_push_hops(c, recipe, hops);
}

/* DISTRIBUTE 1 seen from every source: the message of a tag with w bits goes in w parts.  Part i
 * crosses the set bits upwards in a circle from the i-th one.  All parts arrive in the last
 * step. */
static hyla_status build_sw90(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  int d = c->dims;
  int64_t count = 0;
  for (uint32_t tag = 0; tag >> d == 0; tag++) count += hy_popcount(tag) * hy_popcount(tag);
  uint32_t parts = hy_common_multiple(d);
  TRY(hy_hops_create(recipe->base, count, parts, true, &hops));
  for (uint32_t tag = 1; tag >> d == 0; tag++) {
    int weight = hy_popcount(tag);
    uint32_t unit = parts / (uint32_t)weight;
    for (int i = 0; i < weight; i++)
      for (int hop = 0; hop < weight; hop++) {
        uint32_t bit = hy_deposit(1u << (i + hop) % weight, tag);
        hy_hops_add(hops, d - weight + hop, bit, tag, 0, (uint32_t)i * unit,
                    ((uint32_t)i + 1) * unit);
      }
  }
  return hy_push_hops(c, recipe, hops);
}

/* The place, counted from 1, of a tag in the column of its highest bit.  The table of these columns
 * fixes the order of a node's own messages. */
static int64_t place(uint32_t tag) {
  int high = hy_log2_floor(tag);
  uint32_t rest = tag & ~(1u << high);
  if (rest == 0) return (int64_t)1 << high;
  int64_t row = place(rest);
  int64_t before = 0;
  for (int j = 0; j < high; j++) before += hy_min((int64_t)1 << j, row - 1);
  for (int j = 0; j <= hy_log2_floor(rest); j++) before += (int64_t)1 << j >= row;
  return before;
}

/* The hop over `bit' of a tag's message.  The message has crossed the bits above by then.  A node
 * takes the messages of the different origins in turn, 2^bit steps for each. */
static hyla_status build_b91(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  int d = c->dims;
  TRY(hy_hops_create(recipe->base, d == 0 ? 0 : (int64_t)d << (d - 1), 1, false, &hops));
  for (uint32_t tag = 1; tag >> d == 0; tag++)
    for (int bit = 0; bit < d; bit++) {
      if ((tag >> bit & 1u) == 0) continue;
      int64_t turn = (int64_t)(tag >> (bit + 1)) << bit;
      int64_t unit = turn + place(tag & ((2u << bit) - 1));
      hy_hops_add(hops, (int)unit - 1, 1u << bit, tag, 0, 0, 1);
    }
  return hy_push_hops(c, recipe, hops);
}

/* The same table in three phases one after the other: within each half, then to the other half, of
 * which the first two go at once, then within the halves again.  In it the hop over bit b of a tag
 * is in the step whose number is the tag without that bit. */
static hyla_status build_b91_older(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  int d = c->dims;
  TRY(hy_hops_create(recipe->base, d == 0 ? 0 : (int64_t)d << (d - 1), 1, false, &hops));
  for (uint32_t tag = 1; tag >> d == 0; tag++)
    for (uint32_t left = tag; left != 0; left &= ~(1u << hy_log2_floor(left))) {
      const uint32_t bit = 1u << hy_log2_floor(left);
      hy_hops_add(hops, (int)(tag ^ bit), bit, tag, 0, 0, 1);
    }
  return hy_push_hops(c, recipe, hops);
}

static hyla_status build_v92(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_hops *hops = NULL;
  uint32_t *tags = NULL;
  int64_t count = 0;
  TRY(hy_alloc(recipe->base, (int64_t)1 << c->dims, sizeof *tags, &tags));
  for (uint32_t tag = 1; tag >> c->dims == 0; tag++)
    if (hy_exchanges(c, tag)) tags[count++] = tag;
  hyla_status status = hy_hops_colour(recipe->base, c->dims, tags, count, &hops);
  hy_free(recipe->base, &tags);
  TRY(status);
  return hy_push_hops(c, recipe, hops);
}

static struct hy_form form_direct(const struct hy_collective *c) {
  return form_phases(c->dims, equal_phases(c->dims, c->dims > 0));
}

static struct hy_form form_standard(const struct hy_collective *c) {
  return form_phases(c->dims, equal_phases(c->dims, c->dims));
}

static struct hy_form form_multiphase(const struct hy_collective *c) {
  return form_phases(c->dims, best_phases(c));
}

static struct hy_form form_ports(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {(int64_t)1 << (d - 1), 1}, d * d << d, d};
}

static struct hy_form form_sw90(const struct hy_collective *c) {
  struct hy_form form = form_ports(c);
  form.divisor = hy_common_multiple(c->dims);
  return form;
}

static struct hy_form form_whole(const struct hy_collective *c) {
  int64_t d = c->dims;
  int64_t half = (int64_t)1 << (d - 1);
  return (struct hy_form){half, {half, 1}, d * half << d, 1};
}

static struct hy_form form_older(const struct hy_collective *c) {
  struct hy_form form = form_whole(c);
  form.steps = form.words.num = (INT64_C(1) << c->dims) - 1;
  return form;
}

/* The steps are the most tags that have one bit in common, or the most bits in a tag. */
static struct hy_form form_tags(const struct hy_collective *c) {
  int64_t columns[HYLA_DIMS_MAX] = {0}, steps = 0, ones = 0;
  for (uint32_t tag = 1; tag >> c->dims == 0; tag++) {
    if (!hy_exchanges(c, tag)) continue;
    ones += hy_popcount(tag);
    steps = hy_max(steps, hy_popcount(tag));
    for (int j = 0; j < c->dims; j++) columns[j] += tag >> j & 1u;
  }
  for (int j = 0; j < c->dims; j++) steps = hy_max(steps, columns[j]);
  return (struct hy_form){steps, {steps, 1}, ones << c->dims, 1};
}

/* Tags have i bits, K <= i <= L; C(d-1, i-1) of them have a given bit. */
static struct hy_form form_v92(const struct hy_collective *c) {
  int64_t d = c->dims;
  if (c->tags != NULL) return form_tags(c);
  if (c->farthest == 0) return form_whole(c);
  int64_t column = 0;
  int64_t tags = 1; /* C(d-1, i-1) */
  for (int64_t i = 1; i <= c->farthest; i++) {
    if (i >= c->nearest) column += tags;
    tags = tags * (d - i) / i;
  }
  int64_t steps = hy_max(c->farthest, column);
  return (struct hy_form){steps, {steps, 1}, d * column << d, 1};
}

const struct hy_collective_variant hy_exchange_direct = {
    .base = {.name = "direct", .reference = "nicol-bokhari-1994, section 2.2"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "(2^d-1)(tau m + beta)",
    .machine = {.one_port = true, .circuits = true},
    .build = build_direct,
    .form = form_direct,
};

const struct hy_collective_variant hy_exchange_standard = {
    .base = {.name = "standard", .reference = "nicol-bokhari-1994, section 2.3"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "d (2^(d-1) tau m + beta)",
    .machine = {.one_port = true},
    .build = build_standard,
    .form = form_standard,
};

const struct hy_collective_variant hy_exchange_multiphase = {
    .base = {.name = "multiphase", .reference = "nicol-bokhari-1994, (1) and (2)"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "sum(x in phases: (2^x-1)(2^(d-x) tau m + beta))",
    .machine = {.one_port = true, .circuits = true},
    .build = build_multiphase,
    .form = form_multiphase,
};

const struct hy_collective_variant hy_exchange_sw90 = {
    .base = {.name = "sw90", .reference = "stout-wagar-1990, COMPLETE EXCHANGE"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "2^(d-1) tau m + d beta",
    .build = build_sw90,
    .form = form_sw90,
};

const struct hy_collective_variant hy_exchange_sw90_sym = {
    .base = {.name = "sw90-sym", .reference = "stout-wagar-1990, COMPLETE EXCHANGE"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "2^(d-1) tau m + d beta",
    .ragged = true,
    .build = build_sym,
    .form = form_ports,
};

const struct hy_collective_variant hy_exchange_b91 = {
    .base = {.name = "b91", .reference = "bertsekas-1991, section 4"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "2^(d-1) (tau m + beta), d 2^(2d-1) transmissions",
    .build = build_b91,
    .form = form_whole,
};

const struct hy_collective_variant hy_exchange_b91_older = {
    .base = {.name = "b91-older", .reference = "bertsekas-1991, section 4 (an older exchange)"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .formula = "(2^d-1)(tau m + beta), d 2^(2d-1) transmissions",
    .build = build_b91_older,
    .form = form_older,
};

const struct hy_collective_variant hy_exchange_v92 = {
    .base = {.name = "v92", .reference = "varvarigos-1992, chapter 2, theorem 5"},
    .applies = hy_equal_blocks,
    .task = HY_TASK_EXCHANGE,
    .formula = "2^(d-1) (tau m + beta)",
    .formula_near = "max(L, sum(i = K ... L: C(d-1, i-1))) (tau m + beta)",
    .formula_tags = "h (tau m + beta), h = max(max(t in tags: ones(t)), "
                    "max(j = 0 ... d-1: sum(t in tags: floor(t / 2^j) mod 2)))",
    .build = build_v92,
    .form = form_v92,
};
