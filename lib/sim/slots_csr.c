/* Conflict sense routing in the cube of slots_descending.c, without buffers (Varvarigos 1992, 6.3).
 *
 * Before it enters, a packet sends a flit ahead over the d links that it will take.  Step i of the
 * flit, i = 1 .. d, reserves a link for the i-th slot from now; if the link is reserved already, or
 * another flit of this slot gets it by chance, the flit is blocked, and all that it reserved is
 * free again.  A packet whose flit comes through enters, meets nobody, and arrives after d slots.
 *
 * All steps of the flits of a slot come before the packets move.  Links reserved in step i are
 * asked for in step i alone, so a flit that is blocked later has shut out the one that it met: such
 * ghosts end with the control interval.
 *
 * Blocked packets are forgotten, or stay in their entry buffers and try again, each slot with the
 * probability `retry'. */
#include "machine/machine.h"
#include "sim/slots.h"

#include <math.h>

/* A flit on its way: at a node, in front of a queue. */
struct flit {
  uint32_t tag, node, start;
  int queue;
};

/* For each buffer: the slots from now on for which its link is reserved, as bits; the flit that got
 * it in this step, and the step in which that was.  blocked: 1 + the tag of the packet in its entry
 * buffer, which was blocked; 0: none; NULL: they are forgotten.  ended: packets that arrive in a
 * slot, by the slot modulo 32.  attempts, backlogged: flits and blocked packets of all slots. */
struct reservations {
  uint32_t *taken, *holder;
  uint64_t *step, steps;
  struct flit *flit;
  uint32_t *blocked;
  uint64_t retry; /* a blocked packet tries again if 32 drawn bits are below it */
  int64_t ended[32];
  int64_t attempts, backlogged;
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
  r->retry = (uint64_t)ldexp(slots->traffic->retry, 32);
  if (r->retry > 0) TRY(hy_alloc_for(slots->base, slots, count, sizeof *r->blocked, &r->blocked));
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

/* Does the entry buffer send a flit?  It is that of a blocked packet, or of a new one. */
static inline bool attempts(struct hy_slots *slots, struct reservations *r, uint32_t node,
                            int queue, int side, uint32_t *tag) {
  const bool uniform = slots->traffic->pattern == HYLA_TRAFFIC_UNIFORM;
  const uint32_t bit = UINT32_C(1) << queue, all = slots->nodes - 1;
  uint32_t *blocked = NULL;
  if (r->blocked != NULL)
    blocked = &r->blocked[(node * (uint32_t)slots->dims + (uint32_t)queue) * 2 + (uint32_t)side];
  if (blocked != NULL && *blocked != 0) {
    *tag = *blocked - 1;
    r->backlogged += slots->counting;
    return hy_slot_draw(&slots->random) >> 32 < r->retry;
  }
  if ((!uniform && side == 0) || !hy_slot_access(slots, node)) return false;
  *tag = uniform ? (uint32_t)hy_slot_draw(&slots->random) & all : all;
  *tag = side ? *tag | bit : *tag & ~bit;
  if (blocked != NULL) *blocked = *tag + 1;
  return true;
}

/* The flits of a slot.  Those of new packets count as blocked until they come through. */
static uint32_t begin(struct hy_slots *slots, struct reservations *r) {
  uint32_t count = 0, tag = 0;
  for (uint32_t node = 0; node < slots->nodes; node++)
    for (int queue = 0; queue < slots->dims; queue++)
      for (int side = 0; side < 2; side++)
        if (attempts(slots, r, node, queue, side, &tag))
          r->flit[count++] = (struct flit){.tag = tag, .node = node, .start = node, .queue = queue};
  if (slots->counting) r->attempts += count;
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
  if (r->blocked != NULL) r->blocked[buffer_of(slots, &f)] = 0;
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

static void end(struct hy_slots *slots, hyla_traffic_result *result) {
  const struct reservations *r = slots->state;
  const double room = (double)slots->nodes * slots->links * (double)slots->traffic->slots;
  result->attempts = (double)r->attempts / room;
  if (r->blocked != NULL) result->backlogged = (double)r->backlogged / room;
}

static hyla_status formula(struct hy_base *base, const hyla_traffic *traffic,
                           hyla_traffic_result *result) {
  (void)base;
  if (traffic->pattern != HYLA_TRAFFIC_UNIFORM) return HYLA_OK;
  double last = 0, m = 0;
  if (traffic->retry > 0) {
    last = hy_traffic_csr_stable(traffic->dims, traffic->access, traffic->retry, &m);
    result->formula_backlogged = m;
  } else {
    last = hy_traffic_csr(traffic->dims, traffic->access);
  }
  result->formula_attempts = (1 - m) * traffic->access + m * traffic->retry;
  result->formula_throughput = 2 * traffic->dims * last;
  result->formula_entered = result->formula_throughput;
  result->formula_delay = traffic->dims;
  return HYLA_OK;
}

const struct hy_scheme hy_scheme_csr = {
    .name = "csr",
    .reference = "varvarigos-1992, 6.3",
    .takes = HY_TAKES_ACCESS | HY_TAKES_PATTERN | HY_TAKES_CONTROL | HY_TAKES_RETRY,
    .formula = formula,
    .links = links,
    .make = make,
    .slot = slot,
    .end = end,
};
