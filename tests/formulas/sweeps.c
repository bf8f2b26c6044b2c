/* Sweeps of Jacobi's method in the simulator; see sweeps.h. */
#include "sweeps.h"

#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIMS = 12, SIMULATED = 7, WORDS = 10, PIPELINED = 5, DEEP = 8, FEW = 5, ORDERINGS = 3 };
static const char *const NAMES[ORDERINGS] = {"br", "balanced", "long-run"};

/* What the busiest node sent. */
struct sent {
  hyla_sweep sweep;
  int64_t messages, words;
  double seconds;
};

static hyla_status body(hyla_cube *cube, void *arg) {
  struct sent *s = arg;
  hyla_ledger ledger;
  int64_t messages = 0, bytes = 0;
  const double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_jacobi_sweep(cube, &s->sweep);
  if (status == HYLA_OK) status = hyla_cube_ledger(cube, &ledger);
  if (status != HYLA_OK) return status;
  for (int i = 0; i < ledger.dims; i++) {
    messages += ledger.messages[i];
    bytes += ledger.bytes[i];
  }
  if (messages > s->messages) s->messages = messages;
  if (bytes / 8 > s->words) s->words = bytes / 8;
  s->seconds = fmax(s->seconds, hyla_cube_clock(cube) - begin);
  return HYLA_OK;
}

/* Words take a time unit, messages none to start. */
static const hyla_machine MACHINE = {
    .name = "given", .beta = .125, .network = HYLA_NETWORK_CUBE, .ports = HYLA_ALL_PORTS};

static hyla_sweep_formula formula_of(const hyla_sweep *sweep, int d) {
  hyla_sweep_formula f;
  assert_int_equal(hyla_jacobi_sweep_formula(&MACHINE, d, sweep, &f), HYLA_OK);
  return f;
}

/* The run is as its formula says. */
static struct sent simulate(const hyla_sweep *sweep, int d) {
  const hyla_simulation model = {.dims = d, .machine = &MACHINE, .dry = true};
  const hyla_sweep_formula f = formula_of(sweep, d);
  struct sent s = {.sweep = *sweep};
  hyla_report report;
  harness_note("%s, d = %d", sweep->ordering, d);
  if (hyla_simulate(&model, body, &s, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_int_equal(s.messages, f.messages);
  assert_int_equal(s.words, f.words);
  assert_true(s.seconds == f.seconds);
  return s;
}

/* Of few packets, in blocks' times. */
static double shallow(const char *ordering, int d) {
  const hyla_sweep sweep = {ordering, FEW, FEW};
  return formula_of(&sweep, d).seconds / FEW;
}

/* Of deep pipelines, 8 packets for each step of the longest phase, in blocks' times. */
static double deep(const char *ordering, int d) {
  const int64_t packets = INT64_C(8) << d;
  const hyla_sweep sweep = {ordering, packets, packets};
  return formula_of(&sweep, d).seconds / (double)packets;
}

static void print_row(FILE *page, int d) {
  const int64_t steps = (INT64_C(2) << d) - 1;
  fprintf(page, "| %d | %" PRId64 " |", d, steps);
  if (d <= SIMULATED) {
    int64_t messages[ORDERINGS];
    for (int i = 0; i < ORDERINGS; i++) {
      const hyla_sweep sweep = {NAMES[i], WORDS, 1};
      const struct sent s = simulate(&sweep, d);
      messages[i] = s.messages;
      assert_int_equal(s.messages, steps);
      assert_int_equal(s.words, steps * WORDS);
      if (d > PIPELINED) continue;
      const hyla_sweep packets = {sweep.ordering, WORDS, WORDS};
      (void)simulate(&packets, d);
    }
    fprintf(page, " %" PRId64 ", %" PRId64 ", %" PRId64 " |", messages[0], messages[1],
            messages[2]);
  } else {
    fprintf(page, " - |");
  }
  const hyla_sweep br = {"br", WORDS, 1}, balanced = {"balanced", WORDS, 1};
  const hyla_sweep_formula theirs = formula_of(&br, d), ours = formula_of(&balanced, d);
  assert_true(100 * ours.busiest <= 106 * ours.least);
  fprintf(page, " %" PRId64 " | %" PRId64 " | %" PRId64 " | %.3f |", theirs.busiest, ours.busiest,
          ours.least, (double)ours.busiest / (double)theirs.busiest);
  fprintf(page, " %.1f, %.1f, %.1f |", shallow(NAMES[0], d), shallow(NAMES[1], d),
          shallow(NAMES[2], d));
  if (d <= DEEP)
    fprintf(page, " %.1f, %.1f, %.1f |\n", deep(NAMES[0], d), deep(NAMES[1], d), deep(NAMES[2], d));
  else
    fprintf(page, " - |\n");
}

void sweeps_check_all(FILE *page) {
  fprintf(
      page,
      "\n## Sweeps of Jacobi's method\n\n"
      "mantharam-1993, section 3: with two blocks of columns on each of 2^d nodes all pairs of\n"
      "blocks meet in 2^(d+1) - 1 steps, and a node sends a block behind each, over one link.\n"
      "The orderings `br`, `balanced` and `long-run` send the same; the latter two are ours.\n"
      "With all ports and blocks in many packets a phase takes as long as its path's busiest\n"
      "dimension (royo-1998); the least of any path of an e-cube is (2^e - 1) / e, rounded up.\n"
      "Deep: the time of 2^(d+3) packets a block, by formula; runs have its time for d to %d.\n"
      "Shallow: that of %d packets.  In blocks' times over a link, with the d divisions and the\n"
      "last transition, which are not split.\n"
      "`hyla simulate collective --name jacobi-sweep --dims 6` shows the same.\n\n"
      "| d | 2^(d+1) - 1 | messages: br, balanced, long-run | busiest: br | balanced | least | "
      "share | "
      "shallow: br, balanced, long-run | deep: br, balanced, long-run |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      PIPELINED, FEW);
  for (int d = 1; d <= DIMS; d++) print_row(page, d);
}
