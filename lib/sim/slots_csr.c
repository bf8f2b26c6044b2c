/* Conflict sense routing in the cube of slots_descending.c, without buffers (Varvarigos 1992, 6.3).
 *
 * Before it enters, a packet sends a flit ahead over the d links that it will take.  Step i of the
 * flit, i = 1 .. d, reserves a link for the i-th slot from now; if the link is reserved already, or
 * another flit of this slot gets it by chance, the flit is blocked, and all that it reserved is
 * free again.  A packet whose flit comes through enters, meets nobody, and arrives after d slots.
 *
 * All steps of the flits of a slot come before the packets move.  Links reserved in step i are
 * asked for in step i alone, so a flit that is blocked later has shut out the one that it met: such
 * ghosts end with the control interval. */
#include "machine/machine.h"
#include "sim/slots.h"

/* A flit on its way: at a node, in front of a queue. */
struct flit {
  uint32_t tag, node, start;
  int queue;
};

/* For each buffer: the slots from now on for which its link is reserved, as bits; the flit that got
 * it in this step, and the step in which that was.  ended: packets that arrive in a slot, by the
 * slot modulo 32. */
struct reservations {
  uint32_t *taken, *holder;
  uint64_t *step, steps;
  struct flit *flit;
  int64_t ended[32];
};

static int links(const hyla_traffic *traffic) { return 2 * traffic->dims; }

static hyla_status make(struct hy_slots *slots) {
  const int64_t count = (int64_t)slots->nodes * slots->links;
  struct reservations *r = NULL;
  TRY(hy_alloc_for(slots->base, slots, 1, sizeof *r, &r));
  slots->state = r;
  TRY(hy_alloc_for(slots->base, slots, count, sizeof *r->taken, &r->taken));
  TRY(hy_alloc_for(slots->base, slots, count, sizeof *r->holder, &r->holder));
  TRY(hy_alloc_for(slots->base, slots, count, sizeof *r->step, &r->step));
  return hy_alloc_for(slots->base, slots, count, sizeof *r->flit, &r->flit);
}

static inline uint32_t buffer_of(const struct hy_slots *slots, const struct flit *f) {
  return (f->node * (uint32_t)slots->dims + (uint32_t)f->queue) * 2 + (f->tag >> f->queue & 1);
}

/* Moves a flit over its link. */
static inline void cross(const struct hy_slots *slots, struct flit *f) {
  const uint32_t bit = f->tag & (UINT32_C(1) << f->queue);
  f->node ^= bit;
  f->queue = f->queue > 0 ? f->queue - 1 : slots->dims - 1;
}

/* The new packets' flits. */
static uint32_t begin(struct hy_slots *slots, struct reservations *r) {
  uint32_t count = 0;
  for (uint32_t node = 0; node < slots->nodes; node++)
    for (int queue = 0; queue < slots->dims; queue++)
      for (int side = 0; side < 2; side++) {
        const bool uniform = slots->traffic->pattern == HYLA_TRAFFIC_UNIFORM;
        if ((!uniform && side == 0) || !hy_slot_access(slots, node)) continue;
        const uint32_t bit = UINT32_C(1) << queue, all = slots->nodes - 1;
        const uint32_t tag = uniform ? (uint32_t)hy_slot_draw(&slots->random) & all : all;
        r->flit[count++] = (struct flit){
            .tag = side ? tag | bit : tag & ~bit, .node = node, .start = node, .queue = queue};
      }
  return count;
}

/* One step of all flits: those that get their links come to the front of the list, in order. */
static uint32_t advance(struct hy_slots *slots, struct reservations *r, int step, uint32_t count) {
  uint32_t passed = 0;
  r->steps++;
  for (uint32_t i = 0; i < count; i++) {
    const struct flit f = r->flit[i];
    const uint32_t buffer = buffer_of(slots, &f);
    if (r->taken[buffer] >> step & 1) continue;
    if (r->step[buffer] == r->steps) {
      if (hy_slot_draw(&slots->random) >> 63) r->flit[r->holder[buffer]] = f;
      continue;
    }
    r->step[buffer] = r->steps;
    r->holder[buffer] = passed;
    r->flit[passed++] = f;
  }
  for (uint32_t i = 0; i < passed; i++) cross(slots, &r->flit[i]);
  return passed;
}

/* A flit that came through is back where it started, in front of its first queue: reserves its way
 * for good. */
static void confirm(struct hy_slots *slots, struct reservations *r, struct flit f) {
  f.node = f.start;
  for (int step = 0; step < slots->dims; step++) {
    r->taken[buffer_of(slots, &f)] |= UINT32_C(1) << step;
    cross(slots, &f);
  }
  hy_slot_entered(slots, f.start);
}

static void control(struct hy_slots *slots) {
  struct reservations *r = slots->state;
  uint32_t count = begin(slots, r);
  for (int step = 0; step < slots->dims && count > 0; step++)
    count = advance(slots, r, step, count);
  for (uint32_t i = 0; i < count; i++) confirm(slots, r, r->flit[i]);
  for (int i = 1; i <= slots->dims; i++) slots->sums.at[i] += count;
  r->ended[(slots->slot + (uint32_t)slots->dims) % 32] = count;
}

/* The packets move; those that entered d slots ago have arrived. */
static void transmit(struct hy_slots *slots) {
  struct reservations *r = slots->state;
  int64_t *ended = &r->ended[slots->slot % 32];
  slots->sums.arrived += *ended;
  slots->sums.delay += *ended * slots->dims;
  *ended = 0;
  const uint32_t count = slots->nodes * (uint32_t)slots->links;
  for (uint32_t i = 0; i < count; i++) r->taken[i] >>= 1;
}

static void slot(struct hy_slots *slots) {
  transmit(slots);
  control(slots);
}

static void formula(const hyla_traffic *traffic, hyla_traffic_result *result) {
  if (traffic->pattern != HYLA_TRAFFIC_UNIFORM) return;
  result->formula_throughput = 2 * traffic->dims * hy_traffic_csr(traffic->dims, traffic->access);
  result->formula_entered = result->formula_throughput;
  result->formula_delay = traffic->dims;
}

const struct hy_scheme hy_scheme_csr = {
    .name = "csr",
    .reference = "varvarigos-1992, 6.3",
    .takes = HY_TAKES_ACCESS | HY_TAKES_PATTERN,
    .formula = formula,
    .links = links,
    .make = make,
    .slot = slot,
};
