/* Schedules for any number M of members, 0 ... M - 1, that reach each other without links between:
 * across of a packet is XOR of two numbers, however many bits that has.
 *
 *   broadcast  the tree of recursive doubling without the members that are not there.  Its reverse
 *              is the reduction
 *   chain      each member to the next one; in pipelines
 *   allreduce  the first 2^k members, as many as there are, by a cube's schedule; each further
 *              member gives its words to the one 2^k below it first, and gets the result last
 *   allgather  in step k member x sends what it has to x - 2^k and takes as much from x + 2^k,
 * modulo M (Bruck et al. 1997).  Its reverse, with sums, is the reduce-scatter
 *   halving    an all-reduction, that reduce-scatter of M parts and then the all-gather; of 2^k
 *              members by a cube's schedule.  Each member sends 2 (M - 1) parts; further members
 *              beside a cube would send all of theirs, and wait for all of the result
 *
 * 5 members, all-gather of blocks 0 to 4, what member 0 has: 0; 0 1; 0 1 2 3; all.
 * All-reduction: 4 gives to 0; 0 1 2 3 double; 0 gives to 4.  Halving, whose parts member 0 adds
 * up: all; 0 1 2 3; 0 1; 0. */
#include "schedule/schedule.h"

static const struct hy_piece WHOLE = {.block = 0, .run = 1, .from = 0, .to = 1};

hyla_status hy_any_broadcast(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const int d = hy_sides_bits(generator->members);
  for (int step = 0; step < d; step++) {
    const uint32_t bit = 1u << (d - 1 - step), below = node & (2 * bit - 1);
    if (below == bit || (below == 0 && (node | bit) < generator->members))
      TRY(hy_schedule_add(out, step, bit, below == 0 ? HY_OUT : HY_IN, WHOLE));
  }
  out->steps = d;
  return HYLA_OK;
}

hyla_status hy_any_chain(const struct hy_generator *generator, uint32_t node,
                         struct hy_schedule *out) {
  if (node > 0) TRY(hy_schedule_add(out, (int)node - 1, node ^ (node - 1), HY_IN, WHOLE));
  if (node + 1 < generator->members)
    TRY(hy_schedule_add(out, (int)node, node ^ (node + 1), HY_OUT, WHOLE));
  out->steps = (int)generator->members - 1;
  return HYLA_OK;
}

hyla_status hy_any_allreduce(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const uint32_t members = generator->members;
  const int d = hy_log2_floor(members);
  const uint32_t core = 1u << d;
  const struct hy_generator inner = {.make = hy_doubling_allreduce, .dims = d};
  const bool upper = node >= core, beside = upper || node + core < members;
  if (core == members) return inner.make(&inner, node, out);
  if (beside) TRY(hy_schedule_add(out, 0, core, upper ? HY_OUT : HY_ADD, WHOLE));
  const int64_t before = out->packet_count;
  if (!upper) TRY(inner.make(&inner, node, out));
  for (int64_t i = before; i < out->packet_count; i++) out->packets[i].step++;
  if (beside) TRY(hy_schedule_add(out, d + 1, core, upper ? HY_IN : HY_OUT, WHOLE));
  out->steps = d + 2;
  return HYLA_OK;
}

/* Parts first ... first + count - 1 of the block, modulo their number M. */
static hyla_status add_parts(struct hy_schedule *out, int step, uint32_t across,
                             enum hy_action action, uint32_t first, uint32_t count) {
  const uint32_t members = out->parts, begin = first % members, end = begin + count;
  const struct hy_piece piece = {.run = 1, .from = begin, .to = (uint32_t)hy_min(end, members)},
                        rest = {.run = 1, .from = 0, .to = end - piece.to};
  TRY(hy_schedule_add(out, step, across, action, piece));
  return hy_schedule_add(out, step, across, action, rest);
}

hyla_status hy_any_halving(const struct hy_generator *generator, uint32_t node,
                           struct hy_schedule *out) {
  const uint32_t members = generator->members;
  const struct hy_generator inner = {.dims = hy_log2_floor(members)};
  const int d = hy_sides_bits(members);
  if (members == 1u << inner.dims) return hy_halving_allreduce(&inner, node, out);
  out->parts = members;
  for (int step = 0; step < 2 * d; step++) {
    const bool sums = step < d;
    const uint32_t have = 1u << (sums ? d - 1 - step : step - d);
    const uint32_t count = (uint32_t)hy_min(have, members - have);
    const uint32_t before = node ^ (node + members - have) % members,
                   behind = node ^ (node + have) % members;
    TRY(add_parts(out, step, sums ? before : behind, sums ? HY_ADD : HY_IN,
                  sums ? node : node + have, count));
    TRY(add_parts(out, step, sums ? behind : before, HY_OUT, sums ? node + have : node, count));
  }
  out->steps = 2 * d;
  return HYLA_OK;
}

/* Blocks first ... first + count - 1 modulo M. */
static hyla_status add_blocks(struct hy_schedule *out, int step, uint32_t across,
                              enum hy_action action, uint32_t first, uint32_t count,
                              uint32_t members) {
  struct hy_piece piece = {.block = first % members, .run = count, .from = 0, .to = 1};
  const uint32_t room = members - piece.block;
  if (count <= room) return hy_schedule_add(out, step, across, action, piece);
  piece.run = room;
  TRY(hy_schedule_add(out, step, across, action, piece));
  piece.block = 0;
  piece.run = count - room;
  return hy_schedule_add(out, step, across, action, piece);
}

hyla_status hy_any_allgather(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const uint32_t members = generator->members;
  int step = 0;
  for (uint32_t have = 1; have < members; have *= 2, step++) {
    const uint32_t count = (uint32_t)hy_min(have, members - have);
    const uint32_t to = (node + members - have) % members, from = (node + have) % members;
    TRY(add_blocks(out, step, node ^ to, HY_OUT, node, count, members));
    TRY(add_blocks(out, step, node ^ from, HY_IN, from, count, members));
  }
  out->steps = step;
  return HYLA_OK;
}
