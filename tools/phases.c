/* hyla explain collective --name exchange --phases: the phases of a multiphase exchange that are
 * best over circuits, by the length of a message. */
#include "options.h"
#include "tool.h"

#include <stdio.h>
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
    printf("s* = %.3f: from so many dimensions on two halves of a phase cost less\n", s->split);
  else
    printf("no s*: the %s exchange is the best\n", s->split > -2 ? "direct" : "standard");
}

static void print_json(const hyla_machine *machine, int dims, double bytes, const hyla_phases *best,
                       int count, const hyla_phase_search *s) {
  json_t *envelope = json_array();
  for (int i = 0; i < count; i++)
    json_array_append_new(envelope, json_pack("{s:f, s:o, s:f, s:f}", "from", best[i].from,
                                              "phases", phases_json(&best[i]), "seconds_empty",
                                              best[i].empty, "seconds_byte", best[i].byte));
  json_t *split = s->split > 0 ? json_real(s->split) : json_null();
  json_line(json_pack("{s:s, s:s, s:i, s:s, s:o, s:f, s:o, s:f, s:I, s:o, s:f, s:i, s:o}", "op",
                      "phases", "status", "HYLA_OK", "dims", dims, "machine", machine->name,
                      "envelope", envelope, "bytes", bytes, "best", phases_json(&s->best),
                      "seconds_predicted", s->seconds, "partitions", (json_int_t)s->partitions,
                      "searched", phases_json(&s->searched), "searched_seconds",
                      s->searched_seconds, "tried", s->tried, "split", split));
}

int explain_phases(const struct run *run, const hyla_machine *machine, int dims) {
  hyla_phases best[HYLA_DIMS_MAX + 1];
  hyla_phase_search search;
  double bytes = (double)run->options.collective.words * sizeof(double);
  if (strcmp(run->options.collective.name, "exchange") != 0) {
    tell(run, "--phases is of the exchange; give --name exchange");
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
