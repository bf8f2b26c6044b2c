/* The scheme `broadcasts': packets for all nodes, in partial broadcasts one after the other.
 *
 * Method: periods of the length V + M X that the paper gives (lib/machine/broadcasts.c), played
 * with the packets of a seed, and the same packets in periods of the library's exact lengths.
 * Formulas stand beside the first: the delays for both bounds of a, and the one for the second
 * moment of M that was counted.
 * Reference: Varvarigos 1992, chapter 4. */
#include "address/address.h"
#include "machine/machine.h"
#include "sim/periods.h"
#include "sim/slots.h"

#include <math.h>

/* Reads the network, a cube without a name; returns the reason why it does not serve, or NULL. */
static const char *read_network(const hyla_traffic *traffic, struct hy_broadcasts *b) {
  struct hy_network network;
  *b = (struct hy_broadcasts){.axes = traffic->dims,
                              .side = 2,
                              .ways = 1,
                              .whole = traffic->whole,
                              .prefix = traffic->prefix};
  if (traffic->network == NULL) return NULL;
  const char *reason = hy_network_read(&network, traffic->network);
  if (reason != NULL) return reason;
  if (network.kind != HY_CUBE && !hy_network_is_mesh(&network))
    return "it takes a cube, or an array or a torus of equal sides, as torus:8x8";
  b->axes = network.axes;
  b->side = network.side[0];
  for (int axis = 1; axis < network.axes; axis++)
    if (network.side[axis] != network.side[0])
      return "the sides are not equal; give an array or a torus as torus:8x8";
  if (network.kind == HY_TORUS && b->side > 2) b->ways = 2;
  return NULL;
}

static const char *refuse(const hyla_traffic *traffic) {
  struct hy_broadcasts b;
  if (!(traffic->load > 0)) return "the load is not given; give one above 0, as --load 0.3";
  if (!(traffic->prefix >= 0)) return "a hop of a prefix takes 0 slots or more";
  return read_network(traffic, &b);
}

static hyla_status set_formula(struct hy_base *base, const hyla_traffic *traffic,
                               hyla_traffic_result *result) {
  struct hy_broadcasts b;
  (void)base;
  read_network(traffic, &b);
  const hyla_reservations r = hy_broadcasts_bound(&b);
  hyla_reservation_bounds(&r, traffic->load, &result->bounds);
  result->light_delay = 1.5 * r.reservation + r.service;
  result->exact_limit = (double)r.users * r.service / hy_broadcasts_length(&b, r.users);
  if (traffic->load < result->bounds.limit)
    result->formula_throughput = traffic->load / ((double)r.users * r.service);
  return HYLA_OK;
}

static double exact_length(const void *arg, int64_t active) {
  return hy_broadcasts_length(arg, active);
}

/* Lays what was counted beside the formulas. */
static void set_result(const hyla_traffic *traffic, const hyla_reservations *r,
                       const struct hy_periods_found *found, hyla_traffic_result *result) {
  const double room = (double)r->users * (double)traffic->slots;
  result->throughput = (double)found->served / room;
  result->delay = found->delay.mean;
  result->delay_interval = found->delay.half;
  result->packets = found->packets.mean;
  result->packets_interval = found->packets.half;
  if (traffic->load >= result->bounds.limit) return;
  const double share = hy_reservation_share(r, found->packets.mean, found->square);
  result->formula_delay = hy_reservation_delay(r, traffic->load, share);
  result->difference = result->delay / result->formula_delay - 1;
}

static hyla_status run(struct hy_base *base, const hyla_traffic *traffic,
                       hyla_traffic_result *result) {
  struct hy_broadcasts b;
  struct hy_periods_found found;
  read_network(traffic, &b);
  const hyla_reservations r = hy_broadcasts_bound(&b);
  struct hy_periods periods = {.users = r.users,
                               .rate = traffic->load / ((double)r.users * r.service),
                               .intervals = &r,
                               .slots = (double)traffic->slots,
                               .seed = traffic->seed};
  TRY(hy_periods_play(base, &periods, &found));
  set_result(traffic, &r, &found, result);
  periods.length = exact_length;
  periods.arg = &b;
  TRY(hy_periods_play(base, &periods, &found));
  result->exact_delay = found.delay.mean;
  result->exact_interval = found.delay.half;
  return HYLA_OK;
}

const struct hy_scheme hy_scheme_broadcasts = {.name = "broadcasts",
                                               .reference = "varvarigos-1992, chapter 4",
                                               .takes = HY_TAKES_LOAD | HY_TAKES_NETWORK |
                                                        HY_TAKES_PREFIX,
                                               .refuses = refuse,
                                               .formula = set_formula,
                                               .run = run};
