/* hyla simulate collective --name jacobi-sweep: what a sweep of Jacobi's method sends, beside its
 * formulas. */
#include "collective.h"
#include "options.h"
#include "trace.h"

#include <hyla_lab.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An ordering, counted and by formula. */
struct played {
  hyla_sweep sweep;
  hyla_sweep_formula formula;
  hyla_report report;
  int64_t messages, words; /* of the busiest node */
  double seconds;
};

static hyla_status sweep_on(hyla_cube *cube, void *arg) {
  struct played *p = arg;
  hyla_ledger ledger;
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_jacobi_sweep(cube, &p->sweep);
  double seconds = hyla_cube_clock(cube) - begin;
  if (!status) status = hyla_cube_ledger(cube, &ledger);
  if (status) return status;
  int64_t messages = ledger.far_messages, bytes = ledger.far_bytes;
  for (int i = 0; i < ledger.dims; i++) {
    messages += ledger.messages[i];
    bytes += ledger.bytes[i];
  }
  if (messages > p->messages) p->messages = messages;
  if (bytes / 8 > p->words) p->words = bytes / 8;
  if (seconds > p->seconds) p->seconds = seconds;
  return HYLA_OK;
}

static void print_json(const struct outcome *o, const struct played *p) {
  const hyla_sweep_formula *f = &p->formula;
  json_t *json = json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:I, s:I, s:I}", "op", "simulate", "name",
      "jacobi-sweep", "status", "HYLA_OK", "variant", p->sweep.ordering, "dims", o->dims, "ports",
      ports_name(o->machine.ports), "machine", o->machine.name, "words", (json_int_t)p->sweep.words,
      "packets", (json_int_t)p->sweep.packets, "steps", (json_int_t)f->steps);
  json_object_set_new(json, "messages", json_integer((json_int_t)p->messages));
  json_object_set_new(json, "formula_messages", json_integer((json_int_t)f->messages));
  json_object_set_new(json, "words_sent", json_integer((json_int_t)p->words));
  json_object_set_new(json, "formula_words", json_integer((json_int_t)f->words));
  json_object_set_new(json, "time", json_real(p->seconds));
  json_object_set_new(json, "formula_value", number_json(f->seconds));
  json_object_set_new(json, "busiest", json_integer((json_int_t)f->busiest));
  json_object_set_new(json, "least", json_integer((json_int_t)f->least));
  json_line(json);
}

static void print_head(const struct outcome *o, const hyla_sweep *sweep) {
  const hyla_collective *c = &o->run->options.collective;
  printf("jacobi-sweep  %d dimensions, %s, blocks of %lld words in %lld packets, alpha %g, beta %g "
         "a word\n\n",
         o->dims, o->machine.ports == HYLA_ONE_PORT ? "one port" : "all ports",
         (long long)sweep->words, (long long)sweep->packets, c->alpha, c->beta);
  printf("%-10s %9s %9s %9s %12s %12s %12s %12s %8s %6s\n", "ordering", "steps", "messages",
         "formula", "words", "formula", "time", "formula", "busiest", "least");
}

static void print_row(const struct played *p) {
  const hyla_sweep_formula *f = &p->formula;
  char seconds[24] = "-";
  if (isfinite(f->seconds)) snprintf(seconds, sizeof seconds, "%.7g", f->seconds);
  printf("%-10s %9lld %9lld %9lld %12lld %12lld %12.7g %12s %8lld %6lld\n", p->sweep.ordering,
         (long long)f->steps, (long long)p->messages, (long long)f->messages, (long long)p->words,
         (long long)f->words, p->seconds, seconds, (long long)f->busiest, (long long)f->least);
}

/* On rank 0. */
static int play(struct outcome *o, const char *ordering, bool first) {
  const hyla_collective *c = &o->run->options.collective;
  const hyla_simulation model = {.dims = o->dims, .dry = true, .machine = &o->machine};
  struct played p = {.sweep = {ordering, c->words, o->run->options.packets}};
  ticker_phase(o->run->ticker, ordering);
  hyla_status status = hyla_jacobi_sweep_formula(&o->machine, o->dims, &p.sweep, &p.formula);
  if (!status) status = hyla_simulate(&model, sweep_on, &p, &p.report);
  if (status) {
    tell(o->run, "%s",
         *p.report.message ? p.report.message
                           : "give an ordering (balanced, br, long-run, ring), up to 12 "
                             "dimensions and no more packets than words");
    return EXIT_USE;
  }
  if (o->run->options.json) {
    print_json(o, &p);
    return EXIT_DONE;
  }
  if (first) print_head(o, &p.sweep);
  print_row(&p);
  return EXIT_DONE;
}

/* On rank 0: all orderings, or one.  On rings blocks travel whole. */
static int play_all(struct outcome *o) {
  const struct options *options = &o->run->options;
  const char *wanted = options->variant;
  const bool all = !wanted || strcmp(wanted, "all") == 0 || strcmp(wanted, "auto") == 0;
  int code = EXIT_DONE;
  if (!all) return play(o, wanted, true);
  for (int i = 0; hyla_jacobi_ordering(i) && code == EXIT_DONE; i++)
    if (options->packets == 1 || strcmp(hyla_jacobi_ordering(i), "ring") != 0)
      code = play(o, hyla_jacobi_ordering(i), i == 0);
  if (code == EXIT_DONE && !options->json)
    printf("\nof the busiest node; busiest, least: blocks' times with all ports and endlessly many "
           "packets, and the least of any ordering\n");
  return code;
}

int simulate_sweep(struct run *run) {
  struct outcome o = {.op = "simulate", .run = run, .dims = run->options.dims, .simulated = true};
  static const int others[] = {KEY_ROOT,      KEY_DISTANCE, KEY_TAGS,
                               KEY_PARTITION, KEY_LOST,     KEY_ACTIVE};
  uint64_t given = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) given |= OPTION_BIT(others[i]);
  if ((run->options.given & given) != 0 || trace_wanted(&run->options)) {
    tell(run, "jacobi-sweep takes only --variant, --words, --packets, --dims, the machine's "
              "options and --json");
    return EXIT_USE;
  }
  if (collective_machine(&o) != HYLA_OK) {
    tell(run, "%s", hyla_cube_message(run->cube));
    return EXIT_USE;
  }
  int64_t code = run->rank == 0 ? play_all(&o) : EXIT_DONE;
  ticker_stop(&run->ticker);
  return hyla_cube_max(run->cube, &code, 1) == HYLA_OK ? (int)code : EXIT_USE;
}
