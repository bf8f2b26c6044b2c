/* hyla simulate collective, hyla bench collective: one collective with its counts, its time, and
 * its paper's formula. */
#include "collective.h"
#include "network.h"
#include "options.h"

#include <hyla_collective.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const struct run *run) {
  if (strcmp(run->options.paths[0], "collective") != 0)
    tell(run, "`%s' is not known here; say: %s collective --name NAME", run->options.paths[0],
         run->name);
  else if (!run->options.collective.name)
    tell(run, "which collective? Give --name, see --help");
  else
    return true;
  return false;
}

static int refuse(const struct run *run, hyla_status status, const char *message) {
  tell(run, "%s", *message ? message : hyla_status_text(status));
  return EXIT_USE;
}

/* Runs the variant of the options, once or `repeat' times.  Collective over the ranks, with the
 * same status on all; a failure's message is on rank 0. */
typedef hyla_status measure(struct outcome *o, const char **message);

static hyla_status measure_all(struct outcome *o, measure *measured, const char **message) {
  hyla_collective *c = &o->run->options.collective;
  hyla_network_variant room;
  c->variant = NULL;
  hyla_status status = measured(o, message);
  if (status != HYLA_OK) return status;
  snprintf(o->choice, sizeof o->choice, "%s", o->result.variant);
  for (int i = 0; (c->variant = network_variant(o->network, c->name, i, &room)); i++) {
    status = measured(o, message);
    if (status == HYLA_OK)
      collective_print(o);
    else if (status == HYLA_UNSUPPORTED)
      collective_refused(o, *message);
    else
      return status;
  }
  return HYLA_OK;
}

static int tell_all(struct outcome *o, measure *measured) {
  const char *variant = o->run->options.collective.variant, *message = "";
  hyla_status status = HYLA_OK;
  if (variant && strcmp(variant, "all") == 0) {
    status = measure_all(o, measured, &message);
  } else {
    status = measured(o, &message);
    if (status == HYLA_OK) collective_print(o);
  }
  json_decref(o->plan);
  o->plan = NULL;
  o->run->options.collective.variant = variant;
  return status == HYLA_OK ? EXIT_DONE : refuse(o->run, status, message);
}

/* The data that the simulated nodes share; one of them stores the result. */
struct shared {
  const hyla_collective *collective;
  hyla_collective_result result;
  int64_t transmissions[HYLA_DIMS_MAX + 1];
  bool planned; /* the plan is wanted as JSON */
  json_t *plan;
};

static hyla_status keep_plan(hyla_cube *cube, const hyla_collective *collective, bool keep,
                             json_t **kept) {
  hyla_plan *plan = NULL;
  hyla_status status = hyla_collective_plan(cube, collective, &plan);
  if (status == HYLA_OK && keep) {
    json_decref(*kept);
    *kept = plan_json(plan);
  }
  hyla_plan_destroy(&plan);
  return status;
}

/* For an exchange, counts how often its messages are transmitted; zeros for others. */
static void count_transmissions(hyla_cube *cube, struct shared *shared) {
  hyla_collective c = *shared->collective;
  c.variant = shared->result.variant;
  hyla_status status = hyla_collective_transmissions(cube, &c, shared->transmissions);
  if (status != HYLA_OK) memset(shared->transmissions, 0, sizeof shared->transmissions);
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct shared *shared = arg;
  hyla_collective_result result;
  hyla_status status = hyla_collective_run(cube, shared->collective, &result);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) {
    shared->result = result;
    count_transmissions(cube, shared);
  }
  if (status == HYLA_OK && shared->planned)
    status = keep_plan(cube, shared->collective, hyla_cube_address(cube) == 0, &shared->plan);
  return status;
}

/* On other networks than a cube, as on a torus of 64 x 64 nodes, all-gathers with more messages are
 * chosen by counts. */
enum { REHEARSED_MOST = 1 << 22 };

/* A single variant that was asked for is simulated with the ports and switching for which it is
 * made, unless others are given. */
static hyla_status simulate(struct outcome *o, hyla_report *report) {
  const struct options *options = &o->run->options;
  struct shared shared = {.collective = &options->collective, .planned = options->json};
  hyla_machine *machine = &o->machine;
  hyla_simulation model = {.dims = options->dims,
                           .dry = options->dry,
                           .machine = machine,
                           .network = o->network,
                           .lost_count = options->collective.lost_count,
                           .lost = options->collective.lost,
                           .rehearsed = o->network ? REHEARSED_MOST : 0};
  if (trace_wanted(options)) {
    o->trace.steps = options->schedule != NULL;
    model.observer = trace_take;
    model.observer_arg = &o->trace;
  }
  hyla_status status = hyla_simulate(&model, body, &shared, report);
  const hyla_collective_result *r = &shared.result;
  bool other = r->ports != machine->ports || r->switching != machine->switching;
  if (status == HYLA_OK && other && !o->given && options->collective.variant && !*o->choice) {
    machine->switching = r->switching;
    if (!options->ports_given) machine->ports = r->ports;
    trace_clear(&o->trace);
    status = hyla_simulate(&model, body, &shared, report);
  }
  json_decref(o->plan);
  o->plan = shared.plan;
  o->result = shared.result;
  memcpy(o->transmissions, shared.transmissions, sizeof o->transmissions);
  o->median = shared.result.seconds;
  o->dims = report->dims;
  o->nodes = report->nodes;
  return status;
}

/* Rank 0 simulates; the other ranks, if any, learn the status. */
static hyla_status measure_simulated(struct outcome *o, const char **message) {
  struct run *run = o->run;
  int64_t status = run->rank == 0 ? (int64_t)simulate(o, &o->report) : HYLA_OK;
  *message = o->report.message;
  hyla_status told = hyla_cube_max(run->cube, &status, 1);
  return told == HYLA_OK ? (hyla_status)status : told;
}

hyla_status collective_machine(struct outcome *o) {
  struct run *run = o->run;
  hyla_collective *c = &run->options.collective;
  o->given = run->options.machine != NULL;
  if (o->given) {
    hyla_status status = tool_machine_simulated(run, &o->machine);
    if (status != HYLA_OK) return status;
    o->machine.alpha += o->machine.delta * run->options.dims;
    o->machine.delta = 0;
  } else {
    o->machine = (hyla_machine){.name = "given",
                                .alpha = 1,
                                .beta = 1.0 / sizeof(double),
                                .network = HYLA_NETWORK_CUBE,
                                .ports = run->options.ports};
  }
  if (run->options.given & OPTION_BIT(KEY_ALPHA)) o->machine.alpha = c->alpha;
  if (run->options.given & OPTION_BIT(KEY_BETA)) o->machine.beta = c->beta / sizeof(double);
  c->alpha = o->machine.alpha;
  c->beta = o->machine.beta * sizeof(double);
  return HYLA_OK;
}

static int write_trace(struct outcome *o) {
  const hyla_collective *c = &o->run->options.collective;
  struct trace *t = &o->trace;
  snprintf(t->title, sizeof t->title, "%s by %s, %lld words on %d nodes, %s, alpha %g, beta %g",
           c->name, o->result.variant, (long long)c->words, o->nodes,
           o->machine.ports == HYLA_ONE_PORT ? "one port" : "all ports", c->alpha, c->beta);
  t->dims = o->network ? 0 : o->dims;
  t->nodes = o->nodes;
  t->network = o->network;
  t->machine = o->machine;
  t->scale = o->given ? 1e6 : 1;
  t->end = o->report.time;
  t->time = o->median;
  return trace_write(o->run, t);
}

/* Takes the network of the options, or else of the machine. */
static bool take_network(struct outcome *o) {
  const struct options *options = &o->run->options;
  if (o->machine.network == HYLA_NETWORK_OTHER) o->network = o->machine.links;
  if (options->network) o->network = options->network;
  if (!o->network || !(options->given & OPTION_BIT(KEY_DIMS))) return true;
  tell(o->run, "%s has its own number of nodes; leave --dims out", o->network);
  return false;
}

/* Simulates messages of one length. */
static int simulate_length(struct run *run) {
  struct outcome o = {.op = "simulate", .run = run, .dims = run->options.dims, .simulated = true};
  hyla_status status = collective_machine(&o);
  if (status != HYLA_OK) return refuse(run, status, hyla_cube_message(run->cube));
  if (!take_network(&o)) return EXIT_USE;
  int64_t code = tell_all(&o, measure_simulated);
  if (code != EXIT_USE && run->rank == 0 && trace_wanted(&run->options)) code = write_trace(&o);
  trace_free(&o.trace);
  return hyla_cube_max(run->cube, &code, 1) == HYLA_OK ? (int)code : EXIT_USE;
}

/* Does all lengths, one after the other; stops at a length that the variant does not serve. */
static int go_through_lengths(struct run *run, int (*one)(struct run *run)) {
  if (!wanted(run)) return EXIT_USE;
  int code = EXIT_DONE;
  for (int i = 0; (i == 0 || options_length(&run->options, i)) && code == EXIT_DONE; i++)
    code = one(run);
  return code;
}

int tool_simulate_collective(struct run *run) {
  const char *name = run->options.collective.name;
  if (name && strcmp(name, "active-ranks") == 0) return simulate_active_ranks(run);
  if (name && strcmp(name, "jacobi-sweep") == 0) return simulate_sweep(run);
  if (trace_wanted(&run->options) && options_length(&run->options, 1)) {
    tell(run, "a trace or a schedule needs messages of one length; give it with --words");
    return EXIT_USE;
  }
  options_length(&run->options, 0);
  return go_through_lengths(run, simulate_length);
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts a copy of the times, which is stored behind them. */
static double *sort(double *times, int repeat) {
  double *sorted = times + repeat;
  memcpy(sorted, times, (size_t)repeat * sizeof *sorted);
  qsort(sorted, (size_t)repeat, sizeof *sorted, compare_times);
  return sorted;
}

/* Times MPI's own operation, if it has one. */
static hyla_status measure_mpi(struct outcome *o, int i) {
  struct run *run = o->run;
  hyla_status status = hyla_collective_run_mpi(run->cube, &run->options.collective, &o->mpi[i]);
  o->has_mpi = status == HYLA_OK;
  return status == HYLA_UNSUPPORTED ? HYLA_OK : status;
}

static hyla_status measure_here(struct outcome *o, const char **message) {
  struct run *run = o->run;
  int repeat = run->options.repeat;
  hyla_status status = HYLA_OK;
  for (int i = 0; i < repeat && status == HYLA_OK; i++) {
    status = hyla_collective_run(run->cube, &run->options.collective, &o->result);
    o->times[i] = o->result.seconds;
    if (status == HYLA_OK) status = measure_mpi(o, i);
  }
  if (status == HYLA_OK && run->options.json)
    status = keep_plan(run->cube, &run->options.collective, run->rank == 0, &o->plan);
  *message = hyla_cube_message(run->cube);
  if (status != HYLA_OK) return status;
  const double *sorted = sort(o->times, repeat);
  (void)sort(o->mpi, repeat);
  o->machine.ports = o->result.ports;
  o->machine.switching = o->result.switching;
  o->median = sorted[repeat / 2];
  o->least = sorted[0];
  o->most = sorted[repeat - 1];
  return HYLA_OK;
}

/* The ranks that take part in collectives, as guests know them too. */
static int ranks_of_collectives(const struct run *run) {
  int64_t ranks = hyla_subcube_ranks(run->cube, 0);
  return hyla_cube_max(run->cube, &ranks, 1) == HYLA_OK ? (int)ranks : 0;
}

static int bench_length(struct run *run) {
  struct outcome o = {.op = "bench",
                      .run = run,
                      .dims = hyla_cube_dims(run->cube),
                      .nodes = ranks_of_collectives(run)};
  o.times = calloc((size_t)run->options.repeat, 4 * sizeof *o.times);
  if (o.times) o.mpi = o.times + 2 * (ptrdiff_t)run->options.repeat;
  int64_t failed = o.times == NULL;
  hyla_status status = hyla_cube_max(run->cube, &failed, 1);
  if (status == HYLA_OK && failed) status = HYLA_MEMORY;
  int code = status == HYLA_OK ? tell_all(&o, measure_here)
                               : refuse(run, status, hyla_cube_message(run->cube));
  free(o.times);
  return code;
}

int tool_bench_collective(struct run *run) { return go_through_lengths(run, bench_length); }
