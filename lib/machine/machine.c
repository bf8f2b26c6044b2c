/* The machine model: seconds = alpha starts + beta bytes sent + rho bytes copied + gamma
 * operations.
 *
 * Starts are the larger of steps and messages.  A rank pays for each message that it starts in a
 * step, and it waits for each step even when it has nothing to send.
 *
 * Words that are lent are not sent: their reader reads them where they lie.  A product pays nothing
 * more for that; a rank that brings them elsewhere pays for a copy.
 *
 * Copies go from cache to cache (rho), past the caches (mu, for streamed words) or entry by entry
 * (sigma, for scattered words).  Words that are only read, and once, take half the time of a copy.
 * A thin product does little work with each entry: it takes the time of its operations or that of
 * reading its entries, whichever is longer.
 *
 * Ranks that share a core take turns.  Bytes and operations then take longer by the number of
 * ranks.  A start waits until the core has changed to the rank that must answer, and until the rank
 * that has the core has done its part of the step.  The model assumes that the busiest rank shares
 * its core with average ones. */
#include "machine/machine.h"

#include <math.h>
#include <string.h>

/* A core of the 2020s with one rank, 50 GFLOP/s and 10 GB/s in memory, behind a switch as the
 * simulator plays it. */
#define MODERN(start, byte)                                                                        \
  .alpha = start, .beta = byte, .gamma = 2e-11, .rho = 1e-10, .share = 1, .ports = HYLA_ONE_PORT,  \
  .switching = HYLA_CIRCUIT

static const hyla_machine PRESETS[] = {
    /* 1 us a message, 10 GB/s a link. */
    {.name = "default", MODERN(1e-6, 1e-10)},
    {.name = "unit", .alpha = 1, .beta = 0.125, .gamma = 1, .network = HYLA_NETWORK_CUBE},
    /* Measured by Nicol and Bokhari 1994; before each exchange goes an exchange of empty messages.
     * gamma is the processor's peak, 60 MFLOP/s. */
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
    /* A network of 100 Gbit/s, with the time of its software. */
    {.name = "cluster", MODERN(2e-6, 0.8e-10)},
    /* Within a node a message is a copy.  Its start is the time until another core sees a word. */
    {.name = "node", MODERN(0.3e-6, 1e-10)},
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

/* TURN: how long a core takes to change from one process to the next.  A start waits for two such
 * changes for each rank that has its turn in between. */
static const double TURN = 2.5e-6;
/* SLICE: how long a process keeps its core while another waits for it (Linux's base slice on two
 * cores). */
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

/* Time of copies beyond rho.  A machine without mu and sigma prices all copies by rho. */
static double far_of(const hyla_machine *machine, const hyla_cost *cost, size_t size) {
  double near = machine->rho * (double)size, more = 0;
  if (machine->mu > 0) more += (machine->mu * (double)size - near) * (double)cost->streamed;
  if (machine->sigma > 0) more += (machine->sigma - near) * (double)cost->scattered;
  return more;
}

/* A read costs half of a copy past the caches: the words come from the same place and go
 * nowhere. */
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

/* Time that a rank waits for others of its core, between two steps.  In half of the steps it could
 * go on while another one has the core.  It then waits, on average, for half of the others' turn,
 * or of their work in a step if that is shorter.  work: the work of one rank in all steps. */
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

uint64_t hy_machine_fingerprint(uint64_t fingerprint, const hyla_machine *machine) {
  const double figures[] = {machine->alpha, machine->beta,  machine->gamma,
                            machine->delta, machine->rho,   machine->omega,
                            machine->mu,    machine->sigma, machine->share};
  const int traits[] = {(int)machine->network, (int)machine->ports, (int)machine->switching};
  fingerprint = hy_fingerprint(fingerprint, machine->links, strlen(machine->links));
  fingerprint = hy_fingerprint(fingerprint, traits, sizeof traits);
  return hy_fingerprint(fingerprint, figures, sizeof figures);
}
