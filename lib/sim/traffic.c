/* hyla_simulate_traffic: checks the parameters, plays the scheme, lays the formulas beside. */
#include "sim/slots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct hy_scheme *const LIST[] = {
    &hy_scheme_simple,     &hy_scheme_priority,
    &hy_scheme_deflection, &hy_scheme_deflection_priority,
    &hy_scheme_csr,        &hy_scheme_csr_paths,
    &hy_scheme_shortest,   &hy_scheme_shortest_lowest,
    &hy_scheme_broadcasts};
enum { SCHEMES = sizeof LIST / sizeof *LIST };

const char *hyla_traffic_scheme(int i, const char **reference) {
  if (i < 0 || i >= SCHEMES) return NULL;
  if (reference != NULL) *reference = LIST[i]->reference;
  return LIST[i]->name;
}

static const struct hy_scheme *find(const char *name) {
  for (int i = 0; name != NULL && i < SCHEMES; i++)
    if (strcmp(LIST[i]->name, name) == 0) return LIST[i];
  return NULL;
}

/* Fails with the nearest name and all names. */
static hyla_status refuse_name(struct hy_base *base, const char *name) {
  const char *names[SCHEMES + 1] = {NULL};
  char list[256] = "";
  struct hy_text text = {.text = list, .capacity = sizeof list};
  for (int i = 0; i < SCHEMES; i++) {
    names[i] = LIST[i]->name;
    hy_text_add(&text, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  CHECK(base, name != NULL, ARGUMENT, "the traffic has no scheme; give one of %s", list);
  const char *meant = hyla_name_nearest(name, names);
  return hy_fail(base, HYLA_ARGUMENT, "there is no scheme `%s'%s%s%s; give one of %s", name,
                 meant != NULL ? " (did you mean `" : "", meant != NULL ? meant : "",
                 meant != NULL ? "'?)" : "", list);
}

/* A parameter that the scheme does not have must be as if it were not given. */
static hyla_status check_takes(struct hy_base *base, const hyla_traffic *t,
                               const struct hy_scheme *scheme) {
  const unsigned takes = scheme->takes;
  CHECK(base, takes & HY_TAKES_BUFFERS || t->buffers == 0, ARGUMENT,
        "%s has no number of buffers; leave it out", scheme->name);
  CHECK(base, takes & HY_TAKES_ACCESS || t->access == 1, ARGUMENT,
        "%s has no probability of access; give a load", scheme->name);
  CHECK(base, takes & HY_TAKES_LOAD || t->load == 0, ARGUMENT,
        "%s has no load; give a probability of access", scheme->name);
  CHECK(base, t->pattern == HYLA_TRAFFIC_UNIFORM || t->pattern == HYLA_TRAFFIC_OPPOSITE, ARGUMENT,
        "there is no pattern %d", (int)t->pattern);
  CHECK(base, takes & HY_TAKES_NETWORK || t->network == NULL, ARGUMENT,
        "%s has a cube alone; give its dimensions, and no network", scheme->name);
  CHECK(base, takes & HY_TAKES_PREFIX || (t->prefix == 0 && !t->whole), ARGUMENT,
        "%s has no prefixes; leave prefix and whole out", scheme->name);
  CHECK(base, takes & HY_TAKES_CONTROL || t->beta == 0, ARGUMENT,
        "%s has no control interval; leave beta out", scheme->name);
  CHECK(base, takes & HY_TAKES_RETRY || t->retry == 0, ARGUMENT,
        "%s has no retries; leave their probability out", scheme->name);
  CHECK(base, takes & HY_TAKES_PATTERN || t->pattern == HYLA_TRAFFIC_UNIFORM, ARGUMENT,
        "%s has uniform traffic only", scheme->name);
  return HYLA_OK;
}

const char *hy_traffic_network(const hyla_traffic *traffic, struct hy_network *network) {
  if (traffic->network == NULL) return hy_network_make(network, HY_CUBE, traffic->dims, NULL, 0);
  return hy_network_read(network, traffic->network);
}

static hyla_status check_network(struct hy_base *base, const hyla_traffic *t) {
  struct hy_network network;
  CHECK(base, t->network != NULL || (t->dims >= 1 && t->dims <= HYLA_DIMS_MAX), ARGUMENT,
        "traffic on a cube of %d dimensions; give 1 to %d", t->dims, HYLA_DIMS_MAX);
  const char *why = hy_traffic_network(t, &network);
  CHECK(base, why == NULL, ARGUMENT, "network %s: %s", t->network, why);
  CHECK(base, network.nodes >= 2, ARGUMENT, "network %s has one node; give two or more",
        t->network);
  return HYLA_OK;
}

static hyla_status check(struct hy_base *base, const hyla_traffic *t,
                         const struct hy_scheme *scheme) {
  if (scheme == NULL) return refuse_name(base, t->scheme);
  TRY(check_network(base, t));
  CHECK(base, t->buffers >= HYLA_TRAFFIC_ENDLESS, ARGUMENT, "%d buffers at a link; give 0 or more",
        t->buffers);
  CHECK(base, t->access > 0 && t->access <= 1, ARGUMENT,
        "the probability of access is %g; give one above 0, up to 1", t->access);
  CHECK(base, t->retry >= 0 && t->retry <= 1, ARGUMENT,
        "the probability of a retry is %g; give one from 0 to 1", t->retry);
  CHECK(base, t->beta >= 0 && isfinite(t->beta), ARGUMENT,
        "the control interval is %g; give a time from 0 on", t->beta);
  TRY(check_takes(base, t, scheme));
  CHECK(base, t->slots == 0 || t->slots >= HYLA_TRAFFIC_BATCHES, ARGUMENT,
        "%lld slots are too few for an interval; give %d or more, or 0 for formulas alone",
        (long long)t->slots, HYLA_TRAFFIC_BATCHES);
  const char *why = scheme->refuses != NULL ? scheme->refuses(t) : NULL;
  CHECK(base, why == NULL, ARGUMENT, "%s: %s", scheme->name, why);
  return HYLA_OK;
}

static void clear(hyla_traffic_result *r) {
  *r = (hyla_traffic_result){.throughput = NAN,
                             .throughput_interval = NAN,
                             .entered = NAN,
                             .entered_least = NAN,
                             .entered_most = NAN,
                             .delay = NAN,
                             .delay_interval = NAN,
                             .deflections = NAN,
                             .formula_throughput = NAN,
                             .formula_entered = NAN,
                             .formula_delay = NAN,
                             .law_factor = NAN,
                             .law_power = NAN,
                             .difference = NAN,
                             .time_throughput = NAN,
                             .time_delay = NAN,
                             .attempts = NAN,
                             .formula_attempts = NAN,
                             .backlogged = NAN,
                             .formula_backlogged = NAN,
                             .alone = {NAN, NAN, NAN},
                             .formula_alone = {NAN, NAN, NAN},
                             .busiest = NAN,
                             .formula_busiest = NAN,
                             .light_delay = NAN,
                             .packets = NAN,
                             .packets_interval = NAN,
                             .exact_limit = NAN,
                             .exact_delay = NAN,
                             .exact_interval = NAN};
  r->bounds = (hyla_reservation_delays){NAN, NAN, .share = {NAN, NAN}, .wait = {NAN, NAN},
                                        .delay = {NAN, NAN}};
  for (int i = 0; i <= HYLA_TRAFFIC_BINS; i++) r->histogram[i] = r->formula_histogram[i] = NAN;
}

static hyla_status play(struct hy_base *base, const hyla_traffic *traffic,
                        hyla_traffic_result *result) {
  const struct hy_scheme *scheme = find(traffic->scheme);
  TRY(check(base, traffic, scheme));
  struct hy_network network;
  (void)hy_traffic_network(traffic, &network);
  result->nodes = network.nodes;
  if (scheme->formula != NULL) TRY(scheme->formula(base, traffic, result));
  if (traffic->slots == 0) return HYLA_OK;
  TRY(scheme->run != NULL ? scheme->run(base, traffic, result)
                          : hy_slots_play(base, scheme, traffic, result));
  if (scheme->beside != NULL) scheme->beside(traffic, result);
  if (isnan(result->difference))
    result->difference = result->throughput / result->formula_throughput - 1;
  if ((scheme->takes & HY_TAKES_CONTROL) == 0) return HYLA_OK;
  result->time_throughput = result->throughput / (1 + traffic->beta);
  result->time_delay = result->delay * (1 + traffic->beta);
  return HYLA_OK;
}

hyla_status hyla_simulate_traffic(const hyla_traffic *traffic, hyla_traffic_result *result) {
  struct hy_base base = {0};
  CHECK(NULL, traffic != NULL && result != NULL, ARGUMENT, "the traffic or its result is NULL");
  clear(result);
  hyla_status status = play(&base, traffic, result);
  memcpy(result->message, base.message, sizeof result->message);
  return status;
}
