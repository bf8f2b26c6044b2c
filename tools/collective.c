/* hyla simulate collective, hyla bench collective: one collective, its counts,
 * its time, and its paper's formula. */
#include "options.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One collective, measured. */
struct outcome {
  const char *op; /* simulate or bench */
  struct run *run;
  char choice[32]; /* the planner's, among all that are measured; "": one alone is */
  hyla_collective_result result;
  int dims;
  hyla_machine machine; /* simulated; of bench the ports that the variant is for */
  bool given;           /* it is by ports or name, so that variants do not bring theirs */
  bool simulated;
  double median, least, most; /* seconds or virtual time */
  double *times;              /* of bench, one a run, owned; then the same by value; */
  double *mpi;                /* likewise MPI's own, each after one of the runs */
  bool has_mpi;               /* MPI has such an operation */
  hyla_report report;         /* of the latest simulation */
  struct trace trace;         /* likewise, when it is asked for */
  json_t *plan;               /* of the latest, owned; NULL unless it is to be printed */
};

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

/* The formula's value, NaN where it is for another machine. */
static double formula_value(const struct outcome *o) {
  bool same = o->machine.ports == o->result.ports && o->machine.switching == o->result.switching;
  return same && o->simulated ? o->result.formula_value : NAN;
}

static bool is_choice(const struct outcome *o) { return strcmp(o->result.variant, o->choice) == 0; }

static json_t *real_or_null(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static double median_of_mpi(const struct outcome *o) {
  int repeat = o->run->options.repeat;
  return o->mpi[repeat + repeat / 2];
}

/* MPI's own times, and how much of their median hyla's is. */
static void put_mpi(json_t *json, const struct outcome *o) {
  if (!o->has_mpi) return;
  json_object_set_new(json, "mpi_seconds", times_json(o->mpi, o->run->options.repeat));
  json_object_set_new(json, "mpi_seconds_median", json_real(median_of_mpi(o)));
  json_object_set_new(json, "mpi_ratio", real_or_null(o->median / median_of_mpi(o)));
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
      "formula_value", real_or_null(formula_value(o)));
  if (*o->choice) json_object_set_new(json, "chosen", json_boolean(is_choice(o)));
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
         is_choice(o) ? ", the planner's choice" : "", (long long)c->words, 1 << o->dims,
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
  printf("time     %.15g with alpha %g, beta %g a word", o->median, c->alpha, c->beta);
  if (r->seconds_predicted != o->median) printf("; predicted %.15g", r->seconds_predicted);
  printf("\n");
  double value = formula_value(o);
  if (isfinite(value))
    printf("formula  %.15g = %s (%s)\n", value, r->closed_form, r->formula);
  else
    printf("formula  %s (%s), not exact for this length or these ports\n", r->closed_form,
           r->formula);
}

static void print(const struct outcome *o) {
  if (o->run->rank != 0 || schedule_alone(&o->run->options)) return;
  if (o->run->options.json)
    print_json(o);
  else
    print_text(o);
  fflush(stdout);
}

/* One of all that does not apply. */
static void print_refused(const struct outcome *o, const char *message) {
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

/* The variant of the options, once or as often as asked for.  Collective over the ranks, with one
 * status; the message of a failure is there on rank 0. */
typedef hyla_status measure(struct outcome *o, const char **message);

static hyla_status measure_all(struct outcome *o, measure *measured, const char **message) {
  hyla_collective *c = &o->run->options.collective;
  c->variant = NULL;
  hyla_status status = measured(o, message);
  if (status != HYLA_OK) return status;
  snprintf(o->choice, sizeof o->choice, "%s", o->result.variant);
  for (int i = 0; (c->variant = hyla_variant_name(c->name, i)); i++) {
    status = measured(o, message);
    if (status == HYLA_OK)
      print(o);
    else if (status == HYLA_UNSUPPORTED)
      print_refused(o, *message);
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
    if (status == HYLA_OK) print(o);
  }
  json_decref(o->plan);
  return status == HYLA_OK ? EXIT_DONE : refuse(o->run, status, message);
}

/* What the simulated nodes share: one of them keeps the result. */
struct shared {
  const hyla_collective *collective;
  hyla_collective_result result;
  bool planned; /* the plan is wanted as data */
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

static hyla_status body(hyla_cube *cube, void *arg) {
  struct shared *shared = arg;
  hyla_collective_result result;
  hyla_status status = hyla_collective_run(cube, shared->collective, &result);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) shared->result = result;
  if (status == HYLA_OK && shared->planned)
    status = keep_plan(cube, shared->collective, hyla_cube_address(cube) == 0, &shared->plan);
  return status;
}

/* A variant that was asked for alone is simulated with the ports and switching that it is for,
 * unless others are given. */
static hyla_status simulate(struct outcome *o, hyla_report *report) {
  const struct options *options = &o->run->options;
  struct shared shared = {.collective = &options->collective, .planned = options->json};
  hyla_machine *machine = &o->machine;
  hyla_simulation model = {.dims = options->dims, .dry = options->dry, .machine = machine};
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
  o->median = shared.result.seconds;
  return status;
}

/* One process does it all; the other ranks, if any, hear how it went. */
static hyla_status measure_simulated(struct outcome *o, const char **message) {
  struct run *run = o->run;
  int64_t status = run->rank == 0 ? (int64_t)simulate(o, &o->report) : HYLA_OK;
  *message = o->report.message;
  hyla_status told = hyla_cube_max(run->cube, &status, 1);
  return told == HYLA_OK ? (hyla_status)status : told;
}

/* The machine in its options, or a start and a word of one unit each, on the links of a cube. */
static hyla_status take_machine(struct outcome *o) {
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
           c->name, o->result.variant, (long long)c->words, 1 << o->dims,
           o->machine.ports == HYLA_ONE_PORT ? "one port" : "all ports", c->alpha, c->beta);
  t->dims = o->dims;
  t->machine = o->machine;
  t->scale = o->given ? 1e6 : 1;
  t->end = o->report.time;
  t->time = o->median;
  return trace_write(o->run, t);
}

int tool_simulate_collective(struct run *run) {
  if (!wanted(run)) return EXIT_USE;
  struct outcome o = {.op = "simulate", .run = run, .dims = run->options.dims, .simulated = true};
  hyla_status status = take_machine(&o);
  if (status != HYLA_OK) return refuse(run, status, hyla_cube_message(run->cube));
  int64_t code = tell_all(&o, measure_simulated);
  if (code != EXIT_USE && run->rank == 0 && trace_wanted(&run->options)) code = write_trace(&o);
  trace_free(&o.trace);
  return hyla_cube_max(run->cube, &code, 1) == HYLA_OK ? (int)code : EXIT_USE;
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The times by value stand behind those in the order of the runs. */
static double *sort(double *times, int repeat) {
  double *sorted = times + repeat;
  memcpy(sorted, times, (size_t)repeat * sizeof *sorted);
  qsort(sorted, (size_t)repeat, sizeof *sorted, compare_times);
  return sorted;
}

/* MPI's own, where it has one. */
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

int tool_bench_collective(struct run *run) {
  if (!wanted(run)) return EXIT_USE;
  struct outcome o = {.op = "bench", .run = run, .dims = hyla_cube_dims(run->cube)};
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
