/* hyla explain collective --network KIND:SIDES: the variants of a collective on an array, a torus
 * or a folded cube, with their closed forms, and the counts of their schedules. */
#include "options.h"
#include "tool.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS_MOST = 32 };

/* The answers, and the number of the fastest; -1: no variant serves. */
struct answers {
  const struct run *run;
  const hyla_machine *machine;
  hyla_collective collective;
  int64_t *counts; /* NULL: all blocks are equal */
  hyla_network_variant variant[VARIANTS_MOST];
  int count, best;
  hyla_bound bound;
};

static bool serves(const hyla_network_variant *v) { return *v->reason == '\0'; }

static json_t *variant_json(const hyla_network_variant *v) {
  if (!serves(v)) return json_pack("{s:s, s:s}", "variant", v->variant, "reason", v->reason);
  return json_pack(
      "{s:s, s:I, s:I, s:f, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:o, s:s, s:o*, s:o*}",
      "variant", v->variant, "steps", (json_int_t)v->steps, "words", (json_int_t)v->words,
      "seconds", v->seconds, "reserved_steps", (json_int_t)v->reserved_steps, "reserved_seconds",
      v->reserved_seconds, "transmissions", (json_int_t)v->transmissions, "busiest_steps",
      (json_int_t)v->busiest.steps, "busiest_messages", (json_int_t)v->busiest.messages,
      "busiest_words", (json_int_t)v->busiest.words, "memory_bytes", (json_int_t)v->busiest.memory,
      "formula", v->formula, "closed_form", v->closed_form, "formula_value",
      number_json(v->formula_value), "letters", v->letters, "published",
      *v->published ? json_string(v->published) : NULL, "published_value",
      *v->published ? json_real(v->published_value) : NULL);
}

static void print_json(const struct answers *a) {
  const struct options *options = &a->run->options;
  const hyla_network_variant *best = a->best < 0 ? NULL : &a->variant[a->best];
  json_t *variants = json_array();
  for (int i = 0; i < a->count; i++) json_array_append_new(variants, variant_json(&a->variant[i]));
  json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:s, s:o, s:o}", "op",
                           "network", "status", "HYLA_OK", "name", a->collective.name, "network",
                           options->network, "nodes", a->variant[0].nodes, "words_of_message",
                           (json_int_t)a->collective.words, "alpha", a->collective.alpha, "beta",
                           a->collective.beta, "machine", a->machine->name, "variant",
                           best ? json_string(best->variant) : json_null(), "variants", variants);
  if (options->bound)
    json_object_set_new(json, "bound",
                        json_pack("{s:f, s:I, s:s, s:s}", "seconds", a->bound.time, "transmissions",
                                  (json_int_t)a->bound.transmissions, "formula", a->bound.formula,
                                  "reference", a->bound.reference));
  json_line(json);
}

static void print_variant(const struct answers *a, int i) {
  const hyla_network_variant *v = &a->variant[i];
  if (!serves(v)) {
    printf("%-12s %s\n", v->variant, v->reason);
    return;
  }
  printf("%-12s %lld steps, time %.15g, %lld transmissions%s\n", v->variant, (long long)v->steps,
         v->seconds, (long long)v->transmissions, i == a->best ? "; the fastest" : "");
  if (v->reserved_steps > v->steps)
    printf("  reserved %lld steps, time %.15g: with those in which these nodes send nothing\n",
           (long long)v->reserved_steps, v->reserved_seconds);
  if (*v->closed_form)
    print_paragraph("  formula", "%s (%s)", v->closed_form, v->formula);
  else
    printf("  formula  none: the variant's steps are counted, not known beforehand\n");
  if (isfinite(v->formula_value)) printf("  value    %.15g\n", v->formula_value);
  if (*v->published) printf("  published  %.15g: %s\n", v->published_value, v->published);
  if (*v->letters) printf("  letters  %s\n", v->letters);
  printf("  busiest node: %lld steps, %lld messages, %lld words, %lld bytes of workspace\n",
         (long long)v->busiest.steps, (long long)v->busiest.messages, (long long)v->busiest.words,
         (long long)v->busiest.memory);
}

static void print_text(const struct answers *a) {
  printf("%s on %s: %d nodes, ", a->collective.name, a->run->options.network, a->variant[0].nodes);
  if (a->counts)
    printf("blocks of their own lengths");
  else
    printf("%lld word%s a message", (long long)a->collective.words,
           a->collective.words == 1 ? "" : "s");
  printf(", all ports, alpha %g, beta %g a word\n", a->collective.alpha, a->collective.beta);
  for (int i = 0; i < a->count; i++) print_variant(a, i);
  if (a->run->options.bound)
    printf("bound: %.15g at least, %s (%s); %lld transmissions\n", a->bound.time, a->bound.formula,
           a->bound.reference, (long long)a->bound.transmissions);
}

/* Asks for all variants, or for the one that is wanted. */
static hyla_status ask(struct answers *a) {
  const struct options *options = &a->run->options;
  const char *wanted = a->collective.variant;
  for (int i = 0; a->count < VARIANTS_MOST; i++) {
    hyla_network_variant *v = &a->variant[a->count];
    hyla_status status = hyla_network_variant_at(options->network, &a->collective, a->counts, i, v);
    if (status != HYLA_OK) return status;
    if (*v->variant == '\0') break;
    if (wanted && strcmp(wanted, v->variant) != 0) continue;
    if (serves(v) && (a->best < 0 || v->seconds < a->variant[a->best].seconds)) a->best = a->count;
    a->count++;
  }
  return HYLA_OK;
}

/* The times of the options, or else of the machine. */
static void take_times(struct answers *a) {
  hyla_collective *c = &a->collective;
  if (a->run->options.times_given) return;
  c->alpha = a->machine->alpha;
  c->beta = a->machine->beta * sizeof(double);
}

/* Writes the schedule, or the picture, of the fastest variant, or of the one that is wanted. */
static int write_answers(const struct answers *a) {
  if (a->best >= 0)
    return network_write(a->run, &a->collective, a->counts, a->variant[a->best].variant,
                         a->variant[a->best].nodes);
  tell(a->run, "no variant serves, so there is no schedule");
  return EXIT_USE;
}

static int answer(struct answers *a) {
  const struct options *options = &a->run->options;
  hyla_status status = ask(a);
  if (status == HYLA_OK && options->bound)
    status = hyla_network_bound(options->network, &a->collective, a->counts, &a->bound);
  if (status != HYLA_OK) {
    const char *reason = a->variant[a->count < VARIANTS_MOST ? a->count : 0].reason;
    tell(a->run, "%s", *reason ? reason : hyla_status_text(status));
    return EXIT_USE;
  }
  if (a->count == 0) {
    tell(a->run, "%s has no variant %s on %s; without --variant all are listed", a->collective.name,
         options->collective.variant, options->network);
    return EXIT_USE;
  }
  if (schedule_alone(options) && a->best >= 0) return write_answers(a);
  if (options->json)
    print_json(a);
  else
    print_text(a);
  return options->schedule || options->svg ? write_answers(a) : EXIT_DONE;
}

/* Copies the counts, as many as the network has nodes. */
static bool take_counts(struct answers *a) {
  const struct options *options = &a->run->options;
  hyla_network_variant first;
  if (options->counts_given == 0) return true;
  if (hyla_network_variant_at(options->network, &a->collective, NULL, -1, &first) != HYLA_OK) {
    tell(a->run, "%s", first.reason);
    return false;
  }
  if (first.nodes != options->counts_given) {
    tell(a->run, "%d counts are given; %s has %d nodes", options->counts_given, options->network,
         first.nodes);
    return false;
  }
  a->counts = calloc((size_t)first.nodes, sizeof *a->counts);
  for (int i = 0; a->counts && i < first.nodes; i++) a->counts[i] = options->counts[i];
  if (!a->counts) tell(a->run, "%s", hyla_status_text(HYLA_MEMORY));
  return a->counts != NULL;
}

int explain_on_network(const struct run *run, const hyla_machine *machine) {
  if (run->options.svg && !network_drawn(run->options.network)) {
    tell(run, "--svg draws arrays and tori of one or two axes");
    return EXIT_USE;
  }
  struct answers *a = calloc(1, sizeof *a);
  if (!a) {
    tell(run, "%s", hyla_status_text(HYLA_MEMORY));
    return EXIT_USE;
  }
  a->run = run;
  a->machine = machine;
  a->collective = run->options.collective;
  if (a->collective.variant && strcmp(a->collective.variant, "all") == 0)
    a->collective.variant = NULL;
  a->best = -1;
  take_times(a);
  int code = take_counts(a) ? answer(a) : EXIT_USE;
  free(a->counts);
  free(a);
  return code;
}
