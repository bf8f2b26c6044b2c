/* hyla simulate traffic --scheme broadcasts: what is printed of it. */
#include "tool.h"

#include <math.h>
#include <stdio.h>

static json_t *pair(double from, double to) {
  return json_pack("[o, o]", number_json(from), number_json(to));
}

/* The two values of a formula, the smaller one first. */
static json_t *between(const double bounds[2]) {
  return pair(fmin(bounds[0], bounds[1]), fmax(bounds[0], bounds[1]));
}

/* The network's name: that of the cube if none was given. */
static void name_network(const hyla_traffic *t, char name[80]) {
  if (t->network != NULL)
    snprintf(name, 80, "%s", t->network);
  else
    snprintf(name, 80, "cube:%d", t->dims);
}

void broadcasts_json(const hyla_traffic *t, const hyla_traffic_result *r) {
  char name[80];
  name_network(t, name);
  json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:I, s:I}", "op", "traffic",
                           "status", "HYLA_OK", "scheme", t->scheme, "network", name, "load",
                           t->load, "prefix", t->prefix, "whole", t->whole, "slots",
                           (json_int_t)t->slots, "seed", (json_int_t)t->seed);
  json_object_set_new(json, "throughput", number_json(r->throughput));
  json_object_set_new(json, "formula_throughput", number_json(r->formula_throughput));
  json_object_set_new(json, "delay", number_json(r->delay));
  json_object_set_new(json, "delay_interval",
                      pair(r->delay - r->delay_interval, r->delay + r->delay_interval));
  json_object_set_new(json, "formula_value", number_json(r->formula_delay));
  json_object_set_new(json, "formula_bounds", between(r->bounds.delay));
  json_object_set_new(json, "difference", number_json(r->difference));
  json_object_set_new(json, "packets", number_json(r->packets));
  json_object_set_new(json, "packets_interval",
                      pair(r->packets - r->packets_interval, r->packets + r->packets_interval));
  json_object_set_new(json, "formula_packets", number_json(r->bounds.packets));
  json_object_set_new(json, "limit", number_json(r->bounds.limit));
  json_object_set_new(json, "stable", json_boolean(t->load < r->bounds.limit));
  json_object_set_new(json, "light_delay", number_json(r->light_delay));
  json_object_set_new(json, "exact_limit", number_json(r->exact_limit));
  json_object_set_new(json, "exact_delay", number_json(r->exact_delay));
  json_object_set_new(json, "exact_interval",
                      pair(r->exact_delay - r->exact_interval, r->exact_delay + r->exact_interval));
  json_line(json);
}

/* "name  value +- half", without what there is not. */
static void print_counted(const char *name, double value, double half) {
  printf("%-12s", name);
  if (isfinite(value)) printf(" %-10.6g", value);
  if (isfinite(value) && isfinite(half)) printf(" +- %-8.2g", half);
}

void broadcasts_print(const hyla_traffic *t, const hyla_traffic_result *r) {
  const bool stable = t->load < r->bounds.limit;
  char name[80];
  name_network(t, name);
  printf("traffic by broadcasts in periods, %s, %s packets, load %g, prefix %g, %lld slots, seed "
         "%llu\n",
         name, t->whole ? "whole" : "split", t->load, t->prefix, (long long)t->slots,
         (unsigned long long)t->seed);
  printf("%-12s %.6g, exactly %.6g%s\n", "limit", r->bounds.limit, r->exact_limit,
         stable ? "" : ": the load is not below it, and packets wait without end");
  print_counted("throughput", r->throughput, NAN);
  if (stable) printf(" formula %.6g", r->formula_throughput);
  printf("\n");
  print_counted("delay", r->delay, r->delay_interval);
  if (isfinite(r->formula_delay)) printf(" formula %.6g,", r->formula_delay);
  if (stable)
    printf(" between %.6g and %.6g", fmin(r->bounds.delay[0], r->bounds.delay[1]),
           fmax(r->bounds.delay[0], r->bounds.delay[1]));
  if (isfinite(r->difference)) printf("\n%-12s %+.2f %%", "difference", 100 * r->difference);
  printf("\n");
  print_counted("packets", r->packets, r->packets_interval);
  if (stable) printf(" formula %.6g", r->bounds.packets);
  printf("\n");
  if (isfinite(r->exact_delay)) {
    print_counted("exactly", r->exact_delay, r->exact_interval);
    printf("\n");
  }
  printf("%-12s %.6g\n", "light load", r->light_delay);
  printf(
      "throughput: broadcasts a node and slot; delay in slots: the formula for what packets of\n"
      "a period were counted to vary, between those for the least and the most; packets of a\n"
      "period; exactly: in periods as long as the library's schedules; light load: the delay at\n"
      "a load near 0; +-: 95 %%\n");
}
