/* hyla explain collective --name exchange --phases: prints the phases of a multiphase exchange that
 * are best with circuits, for all message lengths. */
#include "options.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_phases(const hyla_phases *p) {
  printf("(");
  for (int i = 0; i < p->count; i++) printf("%s%d", i ? "," : "", p->phase[i]);
  printf(")");
}

static json_t *phases_json(const hyla_phases *p) {
  json_t *array = json_array();
  for (int i = 0; i < p->count; i++) json_array_append_new(array, json_integer(p->phase[i]));
  return array;
}

static double time_of(const hyla_phases *p, double bytes) { return p->empty + p->byte * bytes; }

/* All partitions; the direct exchange, which is the first, without its shuffle, as Nicol and
 * Bokhari measured it.  NULL: no memory. */
static hyla_phases *measured_partitions(const hyla_machine *machine, int dims, int64_t *count) {
  *count = hyla_exchange_partitions(machine, dims, NULL, 0);
  hyla_phases *all = calloc((size_t)*count + 1, sizeof *all);
  if (!all) return NULL;
  hyla_exchange_partitions(machine, dims, all, *count);
  all[0].byte -= machine->rho * (double)(INT64_C(1) << dims);
  return all;
}

/* From which length on the first line is no longer above the second; NaN: never, or always. */
static double crossing(const hyla_phases *first, const hyla_phases *second) {
  if (!(first->byte < second->byte) || first->empty <= second->empty) return NAN;
  return (first->empty - second->empty) / (second->byte - first->byte);
}

/* Prints the lines of figures 2 and 3: the exchanges that somewhere are the best, the direct one
 * and the standard one. */
static void print_figures(const hyla_machine *machine, int dims, const hyla_phases *best,
                          int count) {
  static const int lengths[] = {1, 32, 64, 100, 140, 200, 400};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  int64_t partitions = 0;
  hyla_phases *all = measured_partitions(machine, dims, &partitions);
  if (!all || partitions < 2) {
    free(all);
    return;
  }
  const hyla_phases *standard = &all[partitions - 1];
  double from = 0;
  bool never = true;
  for (int64_t i = 1; i < partitions; i++) from = fmax(from, crossing(&all[0], &all[i]));
  for (int i = 0; i < count; i++) never = never && best[i].count < dims;
  printf("milliseconds for a message of bytes, the direct exchange without a shuffle:\n%12s", "");
  for (int i = 0; i < LENGTHS; i++) printf(" %8d", lengths[i]);
  printf("  phases\n");
  for (int line = 0; line < count + 2; line++) {
    const hyla_phases *p = line == 0 ? &all[0] : line <= count ? &best[line - 1] : standard;
    if (line > 0 && line <= count && (p->count == 1 || p->count == dims)) continue;
    printf("%12s", "");
    for (int i = 0; i < LENGTHS; i++) printf(" %8.4g", 1e3 * time_of(p, lengths[i]));
    printf("  ");
    print_phases(p);
    printf("\n");
  }
  printf("the direct exchange so is the best from %.1f bytes on", from);
  if (isfinite(crossing(&all[0], standard)))
    printf(", and no longer than the standard one from %.1f on", crossing(&all[0], standard));
  printf("%s\n", never ? "; the standard exchange is never the best" : "");
  free(all);
}

static void print_text(const hyla_machine *machine, int dims, double bytes, const hyla_phases *best,
                       int count, const hyla_phase_search *s) {
  printf("exchange on %d nodes over circuits, machine %s\n", 1 << dims, machine->name);
  printf("%12s  best phases\n", "from bytes");
  for (int i = 0; i < count; i++) {
    printf("%12.1f  ", best[i].from);
    print_phases(&best[i]);
    printf("\n");
  }
  printf("%g bytes: ", bytes);
  print_phases(&s->best);
  printf(" is the best of all %lld partitions, %.4g s; with %d tried, theorem 3 finds ",
         (long long)s->partitions, s->seconds, s->tried);
  print_phases(&s->searched);
  printf("\n");
  if (s->split > 0)
    printf("s* = %.3f: a phase of more dimensions costs more than its two halves\n", s->split);
  else
    printf("no s*: the %s exchange is the best\n", s->split > -2 ? "direct" : "standard");
  print_figures(machine, dims, best, count);
}

/* Phases, and the time of an exchange with them. */
static json_t *line_json(const hyla_phases *p) {
  return json_pack("{s:o, s:f, s:f}", "phases", phases_json(p), "seconds_empty", p->empty,
                   "seconds_byte", p->byte);
}

static json_t *envelope_json(const hyla_phases *best, int count) {
  json_t *envelope = json_array();
  for (int i = 0; i < count; i++) {
    json_t *line = line_json(&best[i]);
    json_object_set_new(line, "from", json_real(best[i].from));
    json_array_append_new(envelope, line);
  }
  return envelope;
}

/* All partitions; NULL: no memory. */
static json_t *sweep_json(const hyla_machine *machine, int dims) {
  int64_t count = hyla_exchange_partitions(machine, dims, NULL, 0);
  hyla_phases *all = calloc((size_t)count + 1, sizeof *all);
  if (!all) return NULL;
  hyla_exchange_partitions(machine, dims, all, count);
  json_t *sweep = json_array();
  for (int64_t i = 0; i < count; i++) json_array_append_new(sweep, line_json(&all[i]));
  free(all);
  return sweep;
}

static void print_json(const hyla_machine *machine, int dims, double bytes, const hyla_phases *best,
                       int count, const hyla_phase_search *s) {
  json_t *split = s->split > 0 ? json_real(s->split) : json_null();
  json_t *sweep = sweep_json(machine, dims);
  json_line(json_pack("{s:s, s:s, s:i, s:s, s:o, s:o*, s:f, s:o, s:f, s:I, s:o, s:f, s:i, s:o}",
                      "op", "phases", "status", "HYLA_OK", "dims", dims, "machine", machine->name,
                      "envelope", envelope_json(best, count), "sweep", sweep, "bytes", bytes,
                      "best", phases_json(&s->best), "seconds_predicted", s->seconds, "partitions",
                      (json_int_t)s->partitions, "searched", phases_json(&s->searched),
                      "searched_seconds", s->searched_seconds, "tried", s->tried, "split", split));
}

int explain_phases(const struct run *run, const hyla_machine *machine, int dims) {
  hyla_phases best[HYLA_DIMS_MAX + 1];
  hyla_phase_search search;
  double bytes = (double)run->options.collective.words * sizeof(double);
  if (strcmp(run->options.collective.name, "exchange") != 0) {
    tell(run, "--phases is for the exchange; give --name exchange");
    return EXIT_USE;
  }
  int count = hyla_exchange_envelope(machine, dims, best);
  if (count < 0 || hyla_exchange_search(machine, dims, bytes, &search) != HYLA_OK) {
    tell(run, "there is no such cube or message");
    return EXIT_USE;
  }
  if (run->options.json)
    print_json(machine, dims, bytes, best, count, &search);
  else
    print_text(machine, dims, bytes, best, count, &search);
  return EXIT_DONE;
}
