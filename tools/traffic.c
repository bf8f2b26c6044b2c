/* hyla simulate traffic: packets that arrive at random, routed by a scheme in slots, with the
 * thesis' formulas beside. */
#include "options.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *pattern_name(hyla_traffic_pattern pattern) {
  return pattern == HYLA_TRAFFIC_UNIFORM ? "uniform" : "opposite";
}

/* "from" and "to" of an interval around a value. */
static json_t *interval(double value, double half) {
  return json_pack("[o, o]", number_json(value - half), number_json(value + half));
}

/* Shares from distance 1 on. */
static json_t *shares(const double *share, int farthest) {
  json_t *array = json_array();
  for (int i = 1; i <= farthest; i++) json_array_append_new(array, number_json(share[i]));
  return array;
}

/* The last distance of the formula's histogram; 0: there is none. */
static int farthest(const hyla_traffic_result *r) {
  int last = 0;
  for (int i = 1; i <= HYLA_TRAFFIC_BINS; i++)
    if (isfinite(r->formula_histogram[i])) last = i;
  return last;
}

/* The figures of some schemes alone. */
static void set_others(json_t *json, const hyla_traffic *t, const hyla_traffic_result *r) {
  json_object_set_new(json, "network", t->network ? json_string(t->network) : json_null());
  json_object_set_new(json, "nodes", json_integer((json_int_t)r->nodes));
  json_object_set_new(json, "beta", json_real(t->beta));
  json_object_set_new(json, "retry", json_real(t->retry));
  json_object_set_new(json, "time_throughput", number_json(r->time_throughput));
  json_object_set_new(json, "time_delay", number_json(r->time_delay));
  json_object_set_new(json, "attempts", number_json(r->attempts));
  json_object_set_new(json, "formula_attempts", number_json(r->formula_attempts));
  json_object_set_new(json, "backlogged", number_json(r->backlogged));
  json_object_set_new(json, "formula_backlogged", number_json(r->formula_backlogged));
  static const char *const keys[2][3] = {
      {"alone_packets", "alone_circuits", "alone_reserved"},
      {"formula_alone_packets", "formula_alone_circuits", "formula_alone_reserved"}};
  for (int i = 0; i < 3; i++) {
    json_object_set_new(json, keys[0][i], number_json(r->alone[i]));
    json_object_set_new(json, keys[1][i], number_json(r->formula_alone[i]));
  }
  json_object_set_new(json, "busiest", number_json(r->busiest));
  json_object_set_new(json, "formula_busiest", number_json(r->formula_busiest));
}

static json_t *buffers_json(int buffers) {
  return buffers == HYLA_TRAFFIC_ENDLESS ? json_string("inf") : json_integer(buffers);
}

static void print_json(const hyla_traffic *t, const hyla_traffic_result *r) {
  json_t *json = json_pack(
      "{s:s, s:s, s:s, s:o, s:o, s:f, s:f, s:s, s:I, s:I}", "op", "traffic", "status", "HYLA_OK",
      "scheme", t->scheme, "dims", t->network ? json_null() : json_integer(t->dims), "buffers",
      buffers_json(t->buffers), "access", t->access, "load", t->load, "pattern",
      pattern_name(t->pattern), "slots", (json_int_t)t->slots, "seed", (json_int_t)t->seed);
  json_object_set_new(json, "throughput", number_json(r->throughput));
  json_object_set_new(json, "throughput_interval", interval(r->throughput, r->throughput_interval));
  json_object_set_new(json, "entered", number_json(r->entered));
  json_object_set_new(json, "entered_least", number_json(r->entered_least));
  json_object_set_new(json, "entered_most", number_json(r->entered_most));
  json_object_set_new(json, "delay", number_json(r->delay));
  json_object_set_new(json, "delay_interval", interval(r->delay, r->delay_interval));
  json_object_set_new(json, "deflections", number_json(r->deflections));
  json_object_set_new(json, "histogram", shares(r->histogram, r->farthest));
  json_object_set_new(json, "formula_value", number_json(r->formula_throughput));
  json_object_set_new(json, "formula_entered", number_json(r->formula_entered));
  json_object_set_new(json, "formula_delay", number_json(r->formula_delay));
  json_object_set_new(json, "formula_histogram", shares(r->formula_histogram, farthest(r)));
  json_object_set_new(json, "law_factor", number_json(r->law_factor));
  json_object_set_new(json, "law_power", number_json(r->law_power));
  json_object_set_new(json, "difference", number_json(r->difference));
  set_others(json, t, r);
  json_line(json);
}

/* "value", with its interval and the formula's value if there are such. */
static void print_figure(const char *name, double value, double half, double formula) {
  if (!isfinite(value) && !isfinite(formula)) return;
  printf("%-12s", name);
  if (isfinite(value)) printf(" %-10.6g", value);
  if (isfinite(value) && isfinite(half)) printf(" +- %-8.2g", half);
  if (isfinite(formula)) printf(" formula %.6g", formula);
  printf("\n");
}

static void print_shares(const char *name, const double *share, int last) {
  if (last == 0) return;
  printf("%-12s", name);
  for (int i = 1; i <= last; i++) printf(" %.4f", share[i]);
  printf("\n");
}

static void print_others(const hyla_traffic *t, const hyla_traffic_result *r) {
  static const char *const names[] = {"alone", "  circuits", "  reserved"};
  print_figure("attempts", r->attempts, NAN, r->formula_attempts);
  print_figure("backlogged", r->backlogged, NAN, r->formula_backlogged);
  print_figure("busiest", r->busiest, NAN, r->formula_busiest);
  for (int i = 0; i < 3; i++) print_figure(names[i], r->alone[i], NAN, r->formula_alone[i]);
  if (t->beta > 0 && isfinite(r->time_throughput))
    printf("%-12s throughput %.6g, delay %.6g, with %g of it a slot\n", "in time",
           r->time_throughput, r->time_delay, 1 + t->beta);
}

static void print_text(const hyla_traffic *t, const hyla_traffic_result *r) {
  printf("traffic by %s, ", t->scheme);
  if (t->network) printf("%s, ", t->network);
  printf("%lld nodes", (long long)r->nodes);
  if (t->load > 0)
    printf(", load %g", t->load);
  else
    printf(", access %g", t->access);
  if (t->buffers == HYLA_TRAFFIC_ENDLESS)
    printf(", endless buffers");
  else if (t->buffers > 0)
    printf(", %d at a link", t->buffers);
  printf(", %s, %lld slots, seed %lld\n", pattern_name(t->pattern), (long long)t->slots,
         (long long)t->seed);
  print_figure("throughput", r->throughput, r->throughput_interval, r->formula_throughput);
  if (isfinite(r->difference)) printf("%-12s %+.2f %%\n", "difference", 100 * r->difference);
  print_figure("entered", r->entered, NAN, r->formula_entered);
  if (isfinite(r->entered_least))
    printf("%-12s %.6g to %.6g\n", "  by node", r->entered_least, r->entered_most);
  print_figure("delay", r->delay, r->delay_interval, r->formula_delay);
  if (r->deflections > 0) print_figure("deflections", r->deflections, NAN, NAN);
  print_shares("histogram", r->histogram, r->farthest);
  print_shares("  formula", r->formula_histogram, farthest(r));
  if (isfinite(r->law_power))
    printf("%-12s the best throughput over all accesses goes to %.5g / d^%.4g, as with %g wires a "
           "link\n",
           "law", r->law_factor, r->law_power, 1 / r->law_power);
  print_others(t, r);
  printf(
      "throughput, entered: packets a node and slot; delay: slots; +-: 95 %%; histogram: packets "
      "on links, by the links to go\n");
  if (isfinite(r->attempts))
    printf("attempts: flits of an entry buffer and slot; backlogged: entry buffers with a blocked "
           "packet\n");
  if (isfinite(r->busiest)) printf("busiest: the part of the time that the busiest link is busy\n");
  if (isfinite(r->formula_alone[0]) || isfinite(r->alone[0]))
    printf(
        "alone: the mean delay of packets that are alone in the network, by packets, by circuits "
        "and reserved, in times of a packet over a link\n");
}

static int play(const struct run *run) {
  const struct options *options = &run->options;
  const hyla_traffic traffic = {.scheme = options->scheme,
                                .dims = options->dims,
                                .buffers = options->buffers,
                                .access = options->access,
                                .load = options->load,
                                .pattern = options->pattern,
                                .slots = options->slots,
                                .network = options->network,
                                .beta = options->times_given ? options->collective.beta : 0,
                                .retry = options->retry,
                                .prefix = options->prefix,
                                .whole = options->whole,
                                .seed = (uint64_t)options->seed};
  const bool periods = traffic.scheme != NULL && strcmp(traffic.scheme, "broadcasts") == 0;
  hyla_traffic_result result;
  ticker_phase(run->ticker, "simulating");
  hyla_status status = hyla_simulate_traffic(&traffic, &result);
  if (status != HYLA_OK)
    tell(run, "%s", *result.message ? result.message : hyla_status_text(status));
  else
    (options->json ? (periods ? broadcasts_json : print_json)
                   : (periods ? broadcasts_print : print_text))(&traffic, &result);
  return status == HYLA_OK ? EXIT_DONE : EXIT_USE;
}

/* Rank 0 plays; the others learn how it ended. */
int tool_simulate_traffic(struct run *run) {
  int64_t code = run->rank == 0 ? play(run) : EXIT_DONE;
  ticker_stop(&run->ticker);
  return hyla_cube_max(run->cube, &code, 1) == HYLA_OK ? (int)code : EXIT_USE;
}
