/* hyla simulate traffic: packets that arrive at random, routed by a scheme in slots, with the
 * thesis' formulas beside. */
#include "options.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* "from" and "to" of an interval around a value. */
static json_t *interval(double value, double half) {
  return json_pack("[o, o]", number(value - half), number(value + half));
}

/* Shares from distance 1 on. */
static json_t *shares(const double *share, int farthest) {
  json_t *array = json_array();
  for (int i = 1; i <= farthest; i++) json_array_append_new(array, number(share[i]));
  return array;
}

static json_t *buffers_json(int buffers) {
  return buffers == HYLA_TRAFFIC_ENDLESS ? json_string("inf") : json_integer(buffers);
}

static void print_json(const hyla_traffic *t, const hyla_traffic_result *r) {
  json_t *json =
      json_pack("{s:s, s:s, s:s, s:i, s:o, s:f, s:I, s:I}", "op", "traffic", "status", "HYLA_OK",
                "scheme", t->scheme, "dims", t->dims, "buffers", buffers_json(t->buffers), "access",
                t->access, "slots", (json_int_t)t->slots, "seed", (json_int_t)t->seed);
  json_object_set_new(json, "throughput", number(r->throughput));
  json_object_set_new(json, "throughput_interval", interval(r->throughput, r->throughput_interval));
  json_object_set_new(json, "entered", number(r->entered));
  json_object_set_new(json, "delay", number(r->delay));
  json_object_set_new(json, "delay_interval", interval(r->delay, r->delay_interval));
  json_object_set_new(json, "deflections", number(r->deflections));
  json_object_set_new(json, "histogram", shares(r->histogram, r->farthest));
  json_object_set_new(json, "formula_value", number(r->formula_throughput));
  json_object_set_new(json, "formula_entered", number(r->formula_entered));
  json_object_set_new(json, "difference", number(r->difference));
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

static void print_text(const hyla_traffic *t, const hyla_traffic_result *r) {
  char buffers[16];
  snprintf(buffers, sizeof buffers, "%d", t->buffers);
  printf("traffic by %s, %d nodes, %s buffers a link, access %g, %lld slots, seed %llu\n",
         t->scheme, 1 << t->dims, t->buffers < 0 ? "endless" : buffers, t->access,
         (long long)t->slots, (unsigned long long)t->seed);
  print_figure("throughput", r->throughput, r->throughput_interval, r->formula_throughput);
  print_figure("entered", r->entered, NAN, r->formula_entered);
  print_figure("delay", r->delay, r->delay_interval, r->formula_delay);
  print_figure("deflections", r->deflections, NAN, NAN);
  if (isfinite(r->difference)) printf("%-12s %+.2f %%\n", "difference", 100 * r->difference);
  if (r->farthest > 0) printf("%-12s", "histogram");
  for (int i = 1; i <= r->farthest; i++) printf(" %.4f", r->histogram[i]);
  if (r->farthest > 0) printf("\n");
  printf("throughput: packets a node and slot; delay in slots; +-: 95 %%; histogram: packets on "
         "links by what is left of their way\n");
}

static int play(const struct run *run) {
  const struct options *options = &run->options;
  const hyla_traffic traffic = {.scheme = options->scheme,
                                .dims = options->dims,
                                .buffers = options->buffers,
                                .access = options->access,
                                .slots = options->slots,
                                .network = options->network,
                                .load = options->load,
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
