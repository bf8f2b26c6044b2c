/* Prints a collective's results for simulate and bench: as text or as a line of JSON. */
#include "collective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The formula's value; NaN if it is for another machine. */
static double formula_value(const struct outcome *o) {
  bool same = o->machine.ports == o->result.ports && o->machine.switching == o->result.switching;
  return same && o->simulated ? o->result.formula_value : NAN;
}

static bool is_choice(const struct outcome *o) { return strcmp(o->result.variant, o->choice) == 0; }

static double median_of_mpi(const struct outcome *o) {
  int repeat = o->run->options.repeat;
  return o->mpi[repeat + repeat / 2];
}

/* Adds MPI's own times, and the ratio of hyla's median to theirs. */
static void put_mpi(json_t *json, const struct outcome *o) {
  if (!o->has_mpi) return;
  json_object_set_new(json, "mpi_seconds", times_json(o->mpi, o->run->options.repeat));
  json_object_set_new(json, "mpi_seconds_median", json_real(median_of_mpi(o)));
  json_object_set_new(json, "mpi_ratio", number_json(o->median / median_of_mpi(o)));
}

/* Parses "d = 4, c = 60/29, p = 2 1 for j = 1 ... k" into {"d": 4, "c": "60/29", ...}; integers
 * become numbers. */
static json_t *letters_json(const char *letters) {
  json_t *json = json_object();
  while (*letters) {
    char name[16], value[64];
    int read = 0;
    if (sscanf(letters, "%15[^ =] = %63[^,]%n", name, value, &read) != 2) break;
    char *end = NULL;
    double number = strtod(value, &end);
    json_object_set_new(json, name,
                        *end || end == value     ? json_string(value)
                        : number == rint(number) ? json_integer((json_int_t)number)
                                                 : json_real(number));
    letters += read;
    letters += strspn(letters, ", ");
  }
  return json;
}

/* Adds numbers from the command line in the form in which they were given: "2,3,1". */
static void put_numbers(json_t *json, const char *key, const int *numbers, int count) {
  char text[12 * NUMBERS_MOST] = "";
  for (int i = 0, at = 0; i < count; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%d", i ? "," : "", numbers[i]);
  if (count > 0) json_object_set_new(json, key, json_string(text));
}

/* Adds phases, nodes and tags that were asked for. */
static void put_asked(json_t *json, const hyla_collective *c) {
  put_numbers(json, "partition", c->phase, c->phases);
  put_numbers(json, "tags", c->tag, c->tags);
  if (c->which) put_numbers(json, "active", c->which, c->active);
  if (c->farthest > 0)
    json_object_set_new(json, "distances", json_pack("[ii]", c->nearest, c->farthest));
}

/* Are there numbers of transmissions to print? */
static bool transmits(const struct outcome *o) {
  for (int k = 0; k <= HYLA_DIMS_MAX; k++)
    if (o->transmissions[k] > 0) return true;
  return false;
}

/* Adds the numbers of a node's messages that are transmitted 0, 1, ... times. */
static void put_transmissions(json_t *json, const struct outcome *o) {
  if (!transmits(o)) return;
  json_t *counts = json_array();
  for (int k = 0; k <= o->dims; k++)
    json_array_append_new(counts, json_integer((json_int_t)o->transmissions[k]));
  json_object_set_new(json, "transmissions", counts);
}

static void print_transmissions(const struct outcome *o) {
  const char *before = "", *after = " of a node's messages";
  if (!transmits(o)) return;
  printf("transmissions of a message: ");
  for (int k = 0; k <= o->dims; k++) {
    if (o->transmissions[k] == 0) continue;
    printf("%s%d (%lld%s)", before, k, (long long)o->transmissions[k], after);
    before = ", ";
    after = "";
  }
  printf("\n");
}

static void print_json(const struct outcome *o) {
  const hyla_collective *c = &o->run->options.collective;
  const hyla_collective_result *r = &o->result;
  json_t *json = json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:s, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, "
      "s:s, s:o}",
      "op", o->op, "name", c->name, "variant", r->variant, "status", "HYLA_OK", "dims", o->dims,
      "words", (json_int_t)c->words, "ports", ports_name(o->machine.ports), "switching",
      switching_name(o->machine.switching), "alpha", c->alpha, "beta", c->beta, "steps_predicted",
      (json_int_t)r->predicted.steps, "steps_counted", (json_int_t)r->counted.steps,
      "messages_predicted", (json_int_t)r->predicted.messages, "messages_counted",
      (json_int_t)r->counted.messages, "words_predicted", (json_int_t)r->predicted.words,
      "words_counted", (json_int_t)r->counted.words, "memory_bytes",
      (json_int_t)r->predicted.memory, "formula", r->formula, "closed_form", r->closed_form,
      "formula_value", number_json(formula_value(o)));
  if (o->nodes != 1 << o->dims || o->network)
    json_object_set_new(json, "nodes", json_integer(o->nodes));
  if (o->network) json_object_set_new(json, "network", json_string(o->network));
  json_object_set_new(json, "letters", letters_json(r->letters));
  json_object_set_new(json, "published", *r->published ? json_string(r->published) : json_null());
  json_object_set_new(json, "published_value",
                      number_json(o->simulated ? r->published_value : NAN));
  put_transmissions(json, o);
  if (*o->choice) json_object_set_new(json, "chosen", json_boolean(is_choice(o)));
  put_asked(json, c);
  json_object_set(json, "plan", o->plan);
  if (o->simulated) {
    json_object_set_new(json, "machine", json_string(o->machine.name));
    json_object_set_new(json, "seconds_predicted", json_real(r->seconds_predicted));
    json_object_set_new(json, "time", json_real(o->median));
  } else {
    hyla_machine machine;
    (void)hyla_cube_machine(o->run->cube, &machine);
    json_object_set_new(json, "machine", json_string(machine.name));
    if (c->alpha == 0 && c->beta == 0) {
      json_object_set_new(json, "alpha", json_real(machine.alpha));
      json_object_set_new(json, "beta", json_real(machine.beta * sizeof(double)));
    }
    json_object_set_new(json, "reason", json_string(r->reason));
    json_object_set_new(json, "seconds_predicted", json_real(r->seconds_predicted));
    json_object_set_new(json, "ranks", json_integer(o->run->ranks));
    json_object_set_new(json, "repeat", json_integer(o->run->options.repeat));
    json_object_set_new(json, "seconds", times_json(o->times, o->run->options.repeat));
    json_object_set_new(json, "context", context_json(o->run));
    json_object_set_new(json, "seconds_median", json_real(o->median));
    json_object_set_new(json, "seconds_min", json_real(o->least));
    json_object_set_new(json, "seconds_max", json_real(o->most));
    put_mpi(json, o);
  }
  json_line(json);
}

static void print_text(const struct outcome *o) {
  const hyla_collective *c = &o->run->options.collective;
  const hyla_collective_result *r = &o->result;
  printf("%s  variant %s%s, %lld words, %d nodes, %s%s\n", c->name, r->variant,
         is_choice(o) ? ", the planner's choice" : "", (long long)c->words, o->nodes,
         o->machine.ports == HYLA_ONE_PORT ? "one port" : "all ports",
         o->machine.switching == HYLA_CIRCUIT ? ", circuits" : "");
  printf("busiest node     steps   messages        words\n");
  printf("  predicted %10lld %10lld %12lld\n", (long long)r->predicted.steps,
         (long long)r->predicted.messages, (long long)r->predicted.words);
  printf("  counted   %10lld %10lld %12lld\n", (long long)r->counted.steps,
         (long long)r->counted.messages, (long long)r->counted.words);
  if (!o->simulated) {
    printf("seconds  %.3g median, %.3g to %.3g in %d runs; predicted %.3g\n", o->median, o->least,
           o->most, o->run->options.repeat, r->seconds_predicted);
    if (o->has_mpi)
      printf("mpi      %.3g median, %.3g to %.3g: hyla takes %.3g times as long\n",
             median_of_mpi(o), o->mpi[o->run->options.repeat],
             o->mpi[2 * o->run->options.repeat - 1], o->median / median_of_mpi(o));
    if (o->run->options.explain) printf("%s", r->reason);
    return;
  }
  print_transmissions(o);
  printf("time     %.15g with alpha %g, beta %g a word", o->median, c->alpha, c->beta);
  if (r->seconds_predicted != o->median) printf("; predicted %.15g", r->seconds_predicted);
  printf("\n");
  double value = formula_value(o);
  if (!*r->closed_form)
    printf("formula  none: the variant's steps are counted, not known beforehand\n");
  else if (isfinite(value))
    printf("formula  %.15g = %s (%s)%s\n", value, r->closed_form, r->formula,
           o->median < value * (1 - 1e-9) ? ", counting steps for which nodes do not wait" : "");
  else
    printf("formula  %s (%s), not exact for this length, these times or these ports\n",
           r->closed_form, r->formula);
  if (*r->published) printf("published  %.15g: %s\n", r->published_value, r->published);
  if (*r->letters) printf("letters  %s\n", r->letters);
}

void collective_print(const struct outcome *o) {
  if (o->run->rank != 0 || schedule_alone(&o->run->options)) return;
  if (o->run->options.json)
    print_json(o);
  else
    print_text(o);
  fflush(stdout);
}

void collective_refused(const struct outcome *o, const char *message) {
  const hyla_collective *c = &o->run->options.collective;
  if (o->run->rank != 0) return;
  if (o->run->options.json)
    json_line(json_pack("{s:s, s:s, s:s, s:s, s:s}", "op", o->op, "name", c->name, "variant",
                        c->variant, "status", hyla_status_name(HYLA_UNSUPPORTED), "message",
                        message));
  else
    printf("%s  variant %s: %s\n", c->name, c->variant, message);
  fflush(stdout);
}
