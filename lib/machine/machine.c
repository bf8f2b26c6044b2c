/* The machine model: seconds = alpha starts + beta bytes sent + rho bytes copied + gamma
 * operations.
 *
 * Starts are the larger of steps and messages. A rank pays for each message that it starts
 * in a step, and it waits for each step even when it has nothing to send. Words that are
 * read where they lie cost what their reader does with them: nothing more in a product, a
 * copy where they are brought elsewhere. Copies go from cache to cache unless it is said that they
 * go past the caches, or entry by entry: mu and sigma then stand for rho. What is only read, and
 * once, takes half of a copy. A thin product does little with each entry: it takes the time of its
 * operations or that of reading its entries, the longer one.
 *
 * Ranks that share a core take turns. Bytes and operations then take longer by the number
 * of ranks, and a start waits until the core has changed to the rank that must answer, and until
 * whoever has the core has done its part of the step. The busiest rank is assumed to share its core
 * with average ones. */
#include "machine/machine.h"

#include <math.h>
#include <string.h>

/* As a switch is simulated. */
#define SWITCHED .ports = HYLA_ONE_PORT, .switching = HYLA_CIRCUIT

static const hyla_machine PRESETS[] = {
    /* A rank a core, 2020s: a microsecond a message, 10 GB/s a link and in memory,
     * 50 GFLOP/s. */
    {.name = "default",
     .alpha = 1e-6,
     .beta = 1e-10,
     .gamma = 2e-11,
     .rho = 1e-10,
     .share = 1,
     SWITCHED},
    {.name = "unit", .alpha = 1, .beta = 0.125, .gamma = 1, .network = HYLA_NETWORK_CUBE},
    /* As measured by Nicol and Bokhari 1994, each exchange with one of empty messages
     * before it; gamma: the processor's peak, 60 MFLOP/s. */
    {.name = "ipsc860",
     .alpha = 177.5e-6,
     .beta = 0.394e-6,
     .gamma = 1 / 60e6,
     .delta = 10.3e-6,
     .rho = 0.54e-6,
     .omega = 150e-6,
     .network = HYLA_NETWORK_CUBE,
     .ports = HYLA_ONE_PORT,
     .switching = HYLA_CIRCUIT},
    {.name = "hypercube",
     .alpha = 1e-6,
     .beta = 1e-10,
     .gamma = 2e-11,
     .network = HYLA_NETWORK_CUBE},
    /* A network of 100 Gbit/s, its software included. */
    {.name = "cluster",
     .alpha = 2e-6,
     .beta = 0.8e-10,
     .gamma = 2e-11,
     .rho = 1e-10,
     .share = 1,
     SWITCHED},
    /* A message is a copy: its start is that of a word seen by another core. */
    {.name = "node",
     .alpha = 0.3e-6,
     .beta = 1e-10,
     .gamma = 2e-11,
     .rho = 1e-10,
     .share = 1,
     SWITCHED},
};
enum { PRESET_COUNT = sizeof PRESETS / sizeof *PRESETS };

const hyla_machine *hyla_machine_preset(int i) {
  return i >= 0 && i < PRESET_COUNT ? &PRESETS[i] : NULL;
}

const hyla_machine *hy_machine_find(const char *name) {
  for (int i = 0; i < PRESET_COUNT; i++)
    if (strcmp(PRESETS[i].name, name) == 0) return &PRESETS[i];
  return NULL;
}

/* How long a core takes to change from one process to the next; and how many such changes a
 * start waits for: two for each rank that has its turn in between. */
static const double TURN = 2.5e-6;
/* How long a process keeps its core while another waits for it: Linux's base slice on two cores. */
static const double SLICE = 1.4e-3;

hyla_machine hy_machine_on(const hyla_machine *machine, int dims, double share) {
  hyla_machine on = *machine;
  on.alpha += on.delta * dims;
  on.delta = 0;
  if (on.share == 0 || on.share == share) return on;
  on.alpha += 2 * TURN * fmax(0, share - on.share);
  on.beta *= share / on.share;
  on.gamma *= share / on.share;
  on.rho *= share / on.share;
  on.mu *= share / on.share;
  on.sigma *= share / on.share;
  on.share = share;
  return on;
}

double hy_machine_operations(int64_t flops, size_t size, bool complex_type) {
  double width = (double)size / (complex_type ? 2.0 : 1.0) / (double)sizeof(double);
  return (double)flops * (complex_type ? 4.0 : 1.0) * width;
}

static double starts_of(const hyla_machine *machine, const hyla_cost *cost) {
  return machine->alpha * (double)hy_max(cost->steps, cost->messages);
}

/* What copies take beyond rho: nothing on machines that know of no other copies. */
static double far_of(const hyla_machine *machine, const hyla_cost *cost, size_t size) {
  double near = machine->rho * (double)size, more = 0;
  if (machine->mu > 0) more += (machine->mu * (double)size - near) * (double)cost->streamed;
  if (machine->sigma > 0) more += (machine->sigma - near) * (double)cost->scattered;
  return more;
}

/* What is read once comes from where copies past the caches come from, and goes nowhere. */
static double read_of(const hyla_machine *machine, const hyla_cost *cost, size_t size) {
  const double both = machine->mu > 0 ? machine->mu : machine->rho;
  return both / 2 * (double)cost->read * (double)size;
}

static double work_of(const hyla_machine *machine, const hyla_cost *cost, size_t size,
                      bool complex_type) {
  double sent = (double)hy_max(0, cost->words - cost->lent) * (double)size;
  double copied = (double)cost->copied * (double)size;
  double operations = hy_machine_operations(cost->flops, size, complex_type);
  double over = (double)cost->touched * (double)size;
  return machine->beta * sent + machine->rho * copied + far_of(machine, cost, size) +
         read_of(machine, cost, size) + fmax(machine->gamma * operations, machine->rho * over);
}

double hy_machine_seconds(const hyla_machine *machine, const hyla_cost *cost, size_t size,
                          bool complex_type) {
  return starts_of(machine, cost) + work_of(machine, cost, size, complex_type);
}

/* Between two steps a rank that could go on stands behind others of its core, half of the time:
 * then behind what they do in a step, or their turn if that is shorter, in the mean half of it.
 * `work': what one does in all steps. */
static double waits_of(const hyla_machine *machine, const hyla_cost *most, double work) {
  const double steps = (double)hy_max(most->steps, most->messages), others = machine->share - 1;
  if (others <= 0 || steps <= 1) return 0;
  return others * (steps - 1) * fmin(SLICE, work / steps) / 4;
}

double hy_machine_seconds_shared(const hyla_machine *machine, const hyla_cost *most,
                                 const hyla_cost *mean, size_t size, bool complex_type) {
  const double alone = 1 / fmax(1, machine->share);
  const double others = work_of(machine, mean, size, complex_type);
  return starts_of(machine, most) + alone * work_of(machine, most, size, complex_type) +
         (1 - alone) * others + waits_of(machine, most, others);
}
