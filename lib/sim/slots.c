/* Traffic in synchronous slots: the loop over slots and nodes, queues, and what is counted.
 *
 * A run is a warm-up and HYLA_TRAFFIC_BATCHES parts.  The parts' figures are nearly independent,
 * because a packet lives a small part of one; their spread gives the interval. */
#include "sim/slots.h"

#include <math.h>
#include <string.h>

/* Student's t for 95 % with HYLA_TRAFFIC_BATCHES - 1 = 31 degrees of freedom. */
static const double STUDENT = 2.0395;

/* The room of endless queues at first; it doubles. */
enum { CELLS_FIRST = 1024 };

void hy_batches_add(struct hy_batches *batches, double value, double weight) {
  batches->value[batches->count] = value;
  batches->weight[batches->count++] = weight;
}

double hy_batches_ratio(const struct hy_batches *batches, double *interval) {
  const int count = batches->count;
  double value = 0, weight = 0, squares = 0;
  for (int i = 0; i < count; i++) value += batches->value[i], weight += batches->weight[i];
  const double ratio = value / weight;
  for (int i = 0; i < count; i++) {
    const double rest = batches->value[i] - ratio * batches->weight[i];
    squares += rest * rest;
  }
  *interval = STUDENT * sqrt(squares * count / (count - 1.0)) / weight;
  return weight > 0 ? ratio : NAN;
}

/* Links the cells from `begin' on into the list of free ones. */
static void free_cells(struct hy_slots *slots, uint32_t begin) {
  for (uint32_t i = begin; i < slots->cells; i++)
    slots->cell[i].next = i + 1 < slots->cells ? i + 1 : slots->free_cell;
  if (begin < slots->cells) slots->free_cell = begin;
}

/* Doubles the pool.  MEMORY. */
static hyla_status grow(struct hy_slots *slots) {
  const uint32_t had = slots->cells;
  struct hy_slot_cell *larger = NULL;
  const uint32_t cells = had > 0 ? 2 * had : CELLS_FIRST;
  CHECK(slots->base, had < UINT32_MAX / 4, MEMORY, "more packets wait than can be numbered");
  TRY(hy_alloc_for(slots->base, slots, cells, sizeof *larger, &larger));
  memcpy(larger, slots->cell, had * sizeof *larger);
  hy_free(slots->base, &slots->cell);
  slots->cell = larger;
  slots->cells = cells;
  free_cells(slots, had);
  return HYLA_OK;
}

bool hy_slot_wait(struct hy_slots *slots, uint32_t queue, const struct hy_slot_packet *packet) {
  struct hy_slot_queue *q = &slots->queue[queue];
  if (q->count >= slots->room) return false;
  if (slots->free_cell == HY_SLOT_END && !slots->status) slots->status = grow(slots);
  if (slots->free_cell == HY_SLOT_END) return false;
  const uint32_t cell = slots->free_cell;
  slots->free_cell = slots->cell[cell].next;
  slots->cell[cell] = (struct hy_slot_cell){.packet = *packet, .next = HY_SLOT_END};
  if (q->count++ == 0)
    q->first = cell;
  else
    slots->cell[q->last].next = cell;
  q->last = cell;
  return true;
}

struct hy_slot_packet hy_slot_next(struct hy_slots *slots, uint32_t queue) {
  struct hy_slot_queue *q = &slots->queue[queue];
  const uint32_t cell = q->first;
  q->first = slots->cell[cell].next;
  q->count--;
  slots->cell[cell].next = slots->free_cell;
  slots->free_cell = cell;
  return slots->cell[cell].packet;
}

hyla_status hy_slots_take(struct hy_slots *slots) {
  struct hy_base *base = slots->base;
  const int64_t links = (int64_t)slots->nodes * slots->links;
  const bool endless = slots->traffic->buffers == HYLA_TRAFFIC_ENDLESS;
  slots->room = endless ? UINT32_MAX : (uint32_t)slots->traffic->buffers;
  slots->free_cell = HY_SLOT_END;
  CHECK(base, endless || links * slots->room < UINT32_MAX / 4, MEMORY,
        "%d buffers at each of %lld links are too many", slots->traffic->buffers, (long long)links);
  slots->cells = endless ? CELLS_FIRST : (uint32_t)(links * slots->room);
  TRY(hy_alloc_for(base, slots, slots->nodes, sizeof *slots->by_node, &slots->by_node));
  TRY(hy_alloc_for(base, slots, links, sizeof *slots->before, &slots->before));
  TRY(hy_alloc_for(base, slots, links, sizeof *slots->now, &slots->now));
  TRY(hy_alloc_for(base, slots, links, sizeof *slots->queue, &slots->queue));
  TRY(hy_alloc_for(base, slots, slots->cells, sizeof *slots->cell, &slots->cell));
  free_cells(slots, 0);
  return HYLA_OK;
}

void hy_slots_turn(struct hy_slots *slots) {
  struct hy_slot_packet *now = slots->now;
  slots->now = slots->before;
  slots->before = now;
  slots->slot++;
}

static void play(struct hy_slots *slots, const struct hy_scheme *scheme, int64_t count) {
  memset(&slots->sums, 0, sizeof slots->sums);
  for (int64_t i = 0; i < count && !slots->status; i++) {
    if (scheme->slot != NULL)
      scheme->slot(slots);
    else
      for (uint32_t node = 0; node < slots->nodes; node++) scheme->node(slots, node);
    hy_slots_turn(slots);
  }
}

/* The counts of all parts of the run. */
struct totals {
  struct hy_batches arrived, delay;
  struct hy_slot_sums sums;
};

static void add_part(struct totals *totals, const struct hy_slots *slots, int64_t count) {
  const struct hy_slot_sums *sums = &slots->sums;
  hy_batches_add(&totals->arrived, (double)sums->arrived, (double)slots->nodes * (double)count);
  hy_batches_add(&totals->delay, (double)sums->delay, (double)sums->arrived);
  totals->sums.arrived += sums->arrived;
  totals->sums.entered += sums->entered;
  totals->sums.deflected += sums->deflected;
  for (int i = 0; i <= HYLA_TRAFFIC_BINS; i++) totals->sums.at[i] += sums->at[i];
}

static void set_result(const struct totals *totals, const struct hy_slots *slots,
                       hyla_traffic_result *r) {
  const double room = (double)slots->nodes * (double)slots->traffic->slots;
  int64_t all = 0;
  r->throughput = hy_batches_ratio(&totals->arrived, &r->throughput_interval);
  r->delay = hy_batches_ratio(&totals->delay, &r->delay_interval);
  r->entered = (double)totals->sums.entered / room;
  r->entered_least = INFINITY, r->entered_most = 0;
  for (uint32_t i = 0; i < slots->nodes; i++) {
    const double entered = (double)slots->by_node[i] / (double)slots->traffic->slots;
    r->entered_least = fmin(r->entered_least, entered);
    r->entered_most = fmax(r->entered_most, entered);
  }
  r->deflections = (double)totals->sums.deflected / (double)totals->sums.arrived;
  for (int i = 0; i <= HYLA_TRAFFIC_BINS; i++) {
    all += totals->sums.at[i];
    if (totals->sums.at[i] > 0) r->farthest = i;
  }
  for (int i = 0; i <= r->farthest; i++) r->histogram[i] = (double)totals->sums.at[i] / (double)all;
}

static hyla_status play_all(struct hy_slots *slots, const struct hy_scheme *scheme,
                            hyla_traffic_result *result) {
  const int64_t all = slots->traffic->slots;
  struct totals totals = {0};
  TRY(hy_slots_take(slots));
  if (scheme->make != NULL) TRY(scheme->make(slots));
  play(slots, scheme, all / 16 + 8 * (int64_t)slots->dims);
  slots->counting = true;
  memset(slots->by_node, 0, slots->nodes * sizeof *slots->by_node);
  for (int64_t i = 0; i < HYLA_TRAFFIC_BATCHES; i++) {
    const int64_t count = all * (i + 1) / HYLA_TRAFFIC_BATCHES - all * i / HYLA_TRAFFIC_BATCHES;
    play(slots, scheme, count);
    add_part(&totals, slots, count);
  }
  if (!slots->status) set_result(&totals, slots, result);
  if (!slots->status && scheme->end != NULL) scheme->end(slots, result);
  return slots->status;
}

hyla_status hy_slots_begin(struct hy_base *base, const struct hy_scheme *scheme,
                           const hyla_traffic *traffic, struct hy_slots **run) {
  struct hy_slots *slots = NULL;
  TRY(hy_alloc(base, 1, sizeof *slots, &slots));
  *run = slots;
  slots->base = base;
  slots->traffic = traffic;
  (void)hy_traffic_network(traffic, &slots->network);
  slots->dims = slots->network.axes;
  slots->links = scheme->links != NULL ? scheme->links(traffic) : slots->network.ports;
  slots->nodes = slots->network.nodes;
  slots->random = traffic->seed;
  slots->access = (uint64_t)ldexp(traffic->access, 32);
  return HYLA_OK;
}

hyla_status hy_slots_play(struct hy_base *base, const struct hy_scheme *scheme,
                          const hyla_traffic *traffic, hyla_traffic_result *result) {
  struct hy_slots *slots = NULL;
  TRY(hy_slots_begin(base, scheme, traffic, &slots));
  hyla_status status = play_all(slots, scheme, result);
  hy_free(base, &slots);
  return status;
}
