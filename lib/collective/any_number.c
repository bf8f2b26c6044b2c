/* Groups of any number M of members, for ranks that reach each other at the same cost
 * (schedule/any_number.c); k = floor(log2 M).
 *
 *   task       variant   steps            words of a member
 *   broadcast  doubling  ceil(log2 M)     m
 *   broadcast  chain     M - 2 + g        m, in g packets
 *   allreduce  doubling  k + 2            (k + 1) m
 *   allreduce  halving   2 ceil(log2 M)   2 (1 - 1/M) m
 *   allgather  doubling  ceil(log2 M)     (M - 1) m
 * Reference for the all-gather: Bruck et al. 1997. */
#include "collective/variant.h"

static struct hy_form form_doubling(const struct hy_collective *c) {
  const int64_t steps = hy_sides_bits(c->members);
  return (struct hy_form){steps, {steps, 1}, c->members - 1, 1};
}

static int groups_of(const struct hy_collective *c) {
  const struct hy_stage stage = {.each = 1, .once = hy_max(0, (int64_t)c->members - 2), .parts = 1};
  return hy_best_groups(c, hy_contract_words(c), &stage, 1);
}

static struct hy_form form_chain(const struct hy_collective *c) {
  const int64_t g = groups_of(c), steps = c->members - 2 + g;
  return (struct hy_form){steps, {steps, g}, g * (c->members - 1), g};
}

static hyla_status build_chain(const struct hy_collective *c, struct hy_recipe *recipe) {
  const struct hy_generator *whole = hy_recipe_add(recipe, c, hy_any_chain, NULL);
  hy_recipe_push(recipe, hy_pipeline(whole, groups_of(c), NULL));
  return HYLA_OK;
}

/* The first and the last step are whole messages that the others wait for. */
static struct hy_form form_allreduce(const struct hy_collective *c) {
  const int64_t k = hy_log2_floor(c->members), core = INT64_C(1) << k, beside = c->members - core;
  const int64_t steps = beside > 0 ? k + 2 : k;
  return (struct hy_form){steps, {steps, 1}, k * core + 2 * beside, 1};
}

static struct hy_form form_halving(const struct hy_collective *c) {
  const int64_t steps = 2 * hy_sides_bits(c->members), members = c->members;
  return (struct hy_form){steps, {2 * (members - 1), members}, steps * members, members};
}

static struct hy_form form_allgather(const struct hy_collective *c) {
  const int64_t steps = hy_sides_bits(c->members);
  return (struct hy_form){steps, {c->members - 1, 1}, steps * c->members, 1};
}

const struct hy_collective_variant hy_any_broadcast_doubling = {
    .base = {.name = "doubling", .reference = "stout-wagar-1990, BROADCAST 1, for any number"},
    .task = HY_TASK_BROADCAST,
    .machine = {.one_port = true},
    .make = hy_any_broadcast,
    .form = form_doubling,
    .on_stack = true,
    .any = true,
};

const struct hy_collective_variant hy_any_broadcast_chain = {
    .base = {.name = "chain", .reference = "vandegeijn-1997, the broadcast round a ring"},
    .task = HY_TASK_BROADCAST,
    .machine = {.one_port = true},
    .build = build_chain,
    .form = form_chain,
    .any = true,
};

const struct hy_collective_variant hy_any_allreduce_doubling = {
    .base = {.name = "doubling",
             .reference = "stout-wagar-1990, section 8, with further members beside the cube"},
    .task = HY_TASK_ALLREDUCE,
    .machine = {.one_port = true},
    .make = hy_any_allreduce,
    .form = form_allreduce,
    .on_stack = true,
    .any = true,
};

const struct hy_collective_variant hy_any_allreduce_halving = {
    .base = {.name = "halving",
             .reference = "bruck-1997, section 4, reversed with sums, then forwards"},
    .task = HY_TASK_ALLREDUCE,
    .machine = {.one_port = true},
    .make = hy_any_halving,
    .form = form_halving,
    .on_stack = true,
    .any = true,
};

const struct hy_collective_variant hy_any_allgather_doubling = {
    .base = {.name = "doubling", .reference = "bruck-1997, section 4"},
    .task = HY_TASK_ALLGATHER,
    .machine = {.one_port = true},
    .make = hy_any_allgather,
    .form = form_allgather,
    .any = true,
};
