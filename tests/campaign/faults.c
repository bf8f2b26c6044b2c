/* Random faults of the network, in drawn programs, on virtual ranks.
 *
 *   faults RUNS SEED [FIRST]   runs FIRST (default 1) to RUNS of that seed
 *   faults SECONDS SEED time   as many runs as the time allows
 *
 * Each program runs first without faults, then RETRIES times with one to three faults at drawn
 * transfers.  A run fails if it hangs; if a rank says OK with another result, to the last bit; if a
 * status is not one of the network's; if all ranks say OK though a message was lost or damaged; or
 * if memory or a descriptor is left.  A failed run is printed with its number, which plays it again
 * as FIRST.  Exit status 0: no failure was found; 1: some were.
 *
 * A quarter of the runs does not check messages: then networks stop, are late or cut, and ranks
 * die, but arriving messages are undamaged. */
#include "operations.h"
#include "random.h"
#include "usage.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RETRIES = 19, PATIENCE = 60 };

/* The outcomes, by the kind of the first fault. */
struct counts {
  int64_t runs, sound, refused, faults;
  int64_t by_kind[FAULT_KINDS], right[FAULT_KINDS], told[FAULT_KINDS];
};

struct plot {
  hyla_options options;
  struct run run;
  struct trial trial;
  uint64_t right[RANKS_MOST];
  int descriptors; /* open before */
};

static void print_run(int64_t number, const struct plot *plot, const char *what) {
  const struct trial *t = &plot->trial;
  const struct run *run = &plot->run;
  fprintf(stderr, "faults: run %" PRId64 ": %s\n  %s:%s type %d %dx%dx%d %s %s %s, %d ranks%s%s\n",
          number, what, t->operation, t->variant != NULL ? t->variant : "(chosen)", (int)t->type,
          (int)t->m, (int)t->n, (int)t->k, t->layout[0], t->layout[1], t->layout[2], run->ranks,
          run->one_host ? ", one host" : "", plot->options.check_messages ? ", checked" : "");
  for (int i = 0; i < run->faults; i++)
    fprintf(stderr, "  %s at transfer %" PRId64 " of stream %d, %g s%s\n",
            fault_name(run->fault[i].kind), run->fault[i].at, (int)run->fault[i].stream,
            run->fault[i].seconds, run->fault[i].met ? "" : " (not met)");
  for (int i = 0; i < run->ranks; i++)
    fprintf(stderr, "  rank %d: %s %s\n", i, hyla_status_name(run->status[i]), run->message[i]);
}

static bool all_are(const struct run *run, hyla_status status) {
  for (int i = 0; i < run->ranks; i++)
    if (run->status[i] != status) return false;
  return true;
}

/* Does this fault, on its own, prevent a message from being accepted as it was sent? */
static bool must_show(const struct fault *fault) {
  bool harms = fault->kind == LOST || fault->kind == DAMAGED || fault->kind == SHORT;
  bool empty = fault->kind != LOST && fault->stream == HY_GIVE_BACK;
  return fault->met && harms && !empty && fault->stream != HY_ALARM;
}

/* May the second copy of another message, with the same bytes as the one that this fault hits, have
 * taken its place? */
static bool has_stand_in(const struct run *run, const struct fault *fault) {
  for (int i = 0; i < run->faults; i++) {
    const struct fault *other = &run->fault[i];
    if (other->met && other->kind == DOUBLED && other->from == fault->from &&
        other->to == fault->to && other->tag == fault->tag)
      return true;
  }
  return false;
}

/* Only time passes, and less than the limit, so no fault may be reported. */
static bool is_harmless(const struct run *run) {
  double all = 0;
  for (int i = 0; i < run->faults; i++) {
    const struct fault *fault = &run->fault[i];
    if (fault->met && fault->kind != LATE && fault->kind != STOPPED) return false;
    all += fault->met ? fault->seconds : 0;
  }
  return all < 7;
}

/* The fault of a run; NULL: there is none. */
static const char *judge(const struct plot *plot) {
  const struct run *run = &plot->run;
  if (run->hung) return "it hangs";
  if (usage_descriptors() != plot->descriptors) return "a descriptor stays open";
  for (int i = 0; i < run->ranks; i++) {
    hyla_status status = run->status[i];
    if (run->left[i] != 0) return "memory stays allocated";
    if (status == HYLA_OK && plot->trial.result[i] != plot->right[i]) return "a wrong result";
    if (status != HYLA_OK && status != HYLA_TIMEOUT && status != HYLA_COMMUNICATION &&
        status != HYLA_BROKEN)
      return "a status that is not the network's";
    if (status != HYLA_OK && run->message[i][0] == '\0') return "a failure without a message";
    if (strstr(run->message[i], " is wrong") != NULL) return "wrong words were taken";
  }
  if (is_harmless(run) && !all_are(run, HYLA_OK)) return "a failure where only time passed";
  if (!all_are(run, HYLA_OK)) return NULL;
  for (int i = 0; i < run->faults; i++)
    if (must_show(&run->fault[i]) && !has_stand_in(run, &run->fault[i]))
      return "a fault that nobody saw";
  return NULL;
}

/* -------------------------------------------------------------------- runs -- */

static void draw_faults(uint64_t *state, struct plot *plot, int64_t transfers) {
  static const enum fault_kind trusted[] = {LATE, CUT, DEAD, STOPPED};
  struct run *run = &plot->run;
  run->faults = 1 + (int)random_below(state, FAULTS_MOST);
  if (random_below(state, 2) == 0) run->faults = 1;
  for (int i = 0; i < run->faults; i++)
    run->fault[i] = (struct fault){.kind = plot->options.check_messages
                                               ? (enum fault_kind)random_below(state, FAULT_KINDS)
                                               : trusted[random_below(state, 4)],
                                   .at = 1 + (int64_t)random_below(state, (size_t)transfers),
                                   .seconds = 0.1 * (double)random_below(state, 250),
                                   .bit = random_next(state)};
}

static struct plot plot_draw(uint64_t seed, int64_t program) {
  struct plot plot = {.trial = trial_draw(seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)program)};
  uint64_t state = plot.trial.seed ^ UINT64_C(0x5bd1e995);
  hyla_options_init(&plot.options);
  plot.options.timeout = 10;
  plot.options.check_messages = random_below(&state, 4) > 0;
  plot.options.private_memory = random_below(&state, 2) == 0;
  plot.run.ranks = 2 + (int)random_below(&state, 4);
  if (random_below(&state, 4) == 0) plot.run.ranks = 6 + (int)random_below(&state, 3);
  plot.run.one_host = random_below(&state, 16) == 0;
  plot.run.body = trial_run;
  plot.descriptors = usage_descriptors();
  return plot;
}

static void settle(struct plot *plot) {
  plot->run.options = &plot->options;
  plot->run.arg = &plot->trial;
  memset(plot->trial.result, 0, sizeof plot->trial.result);
}

static void count(struct counts *counts, const struct run *run) {
  enum fault_kind kind = run->fault[0].kind;
  counts->by_kind[kind]++;
  for (int i = 0; i < run->faults; i++) counts->faults += run->fault[i].met;
  if (all_are(run, HYLA_OK))
    counts->right[kind]++;
  else
    counts->told[kind]++;
}

/* One program, and its runs from `first' on; true: no failure was found. */
static bool play(uint64_t seed, int64_t program, int64_t first, struct counts *counts) {
  struct plot plot = plot_draw(seed, program);
  int64_t number = program * (RETRIES + 1) + 1;
  settle(&plot);
  if (!network_run(&plot.run)) return false;
  counts->runs++;
  hyla_status sound = plot.run.status[0];
  if (!all_are(&plot.run, sound) || plot.run.hung ||
      (sound != HYLA_OK && sound != HYLA_UNSUPPORTED && sound != HYLA_ARGUMENT)) {
    print_run(number, &plot, "it fails without a fault");
    return false;
  }
  counts->sound += sound == HYLA_OK;
  counts->refused += sound != HYLA_OK;
  if (sound != HYLA_OK || plot.run.sent == 0) return true;
  memcpy(plot.right, plot.trial.result, sizeof plot.right);
  int64_t transfers = plot.run.sent;
  for (int64_t retry = 1; retry <= RETRIES; retry++) {
    uint64_t state = plot.trial.seed + (uint64_t)retry * UINT64_C(0xd1342543de82ef95);
    if (number + retry < first) continue;
    draw_faults(&state, &plot, transfers);
    plot.run.seed = random_next(&state);
    settle(&plot);
    alarm(PATIENCE);
    if (!network_run(&plot.run)) return false;
    counts->runs++;
    count(counts, &plot.run);
    const char *wrong = judge(&plot);
    if (wrong != NULL) {
      print_run(number + retry, &plot, wrong);
      return false;
    }
  }
  return true;
}

static void report(const struct counts *c, uint64_t seed, double seconds) {
  printf("faults: %" PRId64 " runs in %.0f s, seed %" PRIu64 ": %" PRId64
         " without a fault, %" PRId64 " of programs that are refused, the rest met %" PRId64
         " faults: nothing found\n",
         c->runs, seconds, seed, c->sound, c->refused, c->faults);
  for (int kind = 0; kind < FAULT_KINDS; kind++)
    printf("  first fault %-9s %8" PRId64 " runs, %8" PRId64 " right, %8" PRId64 " told\n",
           fault_name((enum fault_kind)kind), c->by_kind[kind], c->right[kind], c->told[kind]);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: faults RUNS SEED [FIRST], or faults SECONDS SEED time\n");
    return 2;
  }
  bool timed = argc > 3 && strcmp(argv[3], "time") == 0;
  double most = strtod(argv[1], NULL);
  uint64_t seed = strtoull(argv[2], NULL, 10);
  int64_t first = argc > 3 && !timed ? strtoll(argv[3], NULL, 10) : 1;
  struct counts counts = {0};
  double begin = seconds_now(), now = begin;
  for (int64_t program = (first - 1) / (RETRIES + 1);; program++) {
    if (timed ? now - begin >= most : (double)(program * (RETRIES + 1)) >= most) break;
    if (!play(seed, program, first, &counts)) return 1;
    now = seconds_now();
  }
  report(&counts, seed, now - begin);
  return 0;
}
