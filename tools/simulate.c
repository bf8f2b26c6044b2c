/* hyla simulate: runs an operation on a virtual cube, variant by variant, with exact counts and the
 * time on a machine that need not exist. */
#include "operation.h"
#include "options.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar simulate_grammar = {
    .usage = OPERATION_PRODUCTS "|" OPERATION_VECTORS
                                "|trsm|trtri|tridiagonal|invert|eig|svd|lstsq|solve|METHOD|convert|"
                                "transpose|turn|collective|traffic",
    .text = "Run an operation on a virtual cube of 2^D nodes, or on an --array."
            "\vThe nodes take turns in this one process, with virtual clocks: a packet of n words "
            "takes alpha + beta n over a link, an operation gamma.\n"
            "Operations on matrices: random matrices of --size, one variant or all in turn, as if "
            "asked for by name; the variant that the planner would choose for this machine and "
            "these layouts is marked *.  With --dry there are no data, so that cubes of many nodes "
            "can be simulated; the pivots of lu are then drawn, other methods with pivots need "
            "data.  After convert, transpose and turn the result is brought back and compared bit "
            "for bit.\n"
            "collective: data are checked.  traffic: packets at random, beside formulas.",
    .lists = {options_of_simulate, options_of_problems, options_of_triangles, options_of_parts,
              options_of_traffic},
    .least = 1,
    .most = 1,
    .lengths = true,
};

/* One variant on the virtual cube: the data that the nodes share; node 0 writes them. */
struct row {
  const struct run *run;
  const struct operation *operation;
  const char *variant; /* NULL: the planner's choice */
  bool asked_only;
  hyla_simulation model;
  struct trace *trace; /* NULL: none */
  int ranks, nodes;    /* all; those at work */
  char array[32];      /* on which they are */
  double begin;        /* of the operation, in virtual time */
  int parts;           /* that the operation reports, with their ends after its begin */
  hyla_part part[HYLA_PARTS_MAX];
  struct result result;
};

/* Every variant to simulate. */
enum { ROWS_MAX = 64 };
struct table {
  struct run *run;
  const struct operation *operation;
  hyla_machine machine;
  hyla_options cubes;   /* of the simulated cubes */
  const char *network;  /* NULL: a cube */
  char ranks[32];       /* the network of ranks on a switch */
  struct arrays arrays; /* that were compared */
  const char *array;    /* NULL: a cube */
  int count;
  struct row row[ROWS_MAX];
  struct trace trace;
};

/* ---- one run ---- */

/* The time on the slowest node, on all nodes; the bits of positive numbers sort like the
 * numbers. */
static hyla_status slowest(hyla_cube *cube, double *seconds) {
  int64_t bits;
  memcpy(&bits, seconds, sizeof bits);
  hyla_status status = hyla_cube_max(cube, &bits, 1);
  memcpy(seconds, &bits, sizeof bits);
  return status;
}

static hyla_status plan_and_run(struct row *row, struct problem *p, struct result *r) {
  const struct operation *operation = row->operation;
  struct run run = {.cube = p->cube};
  hyla_status status = operation->make(p);
  if (!status) status = operation_plan(operation, p, row->variant);
  if (!status && !row->model.dry) status = operation->ready(p);
  if (!status && !row->model.dry) status = operation_renew(operation, p);
  if (status) return status;
  hyla_cube_ledger_clear(p->cube);
  double begin = hyla_cube_clock(p->cube);
  if (hyla_cube_address(p->cube) == 0) row->begin = begin;
  if (row->trace) trace_enter(row->trace, hyla_cube_address(p->cube));
  status = operation_run(operation, p);
  if (row->trace) trace_leave(row->trace, hyla_cube_address(p->cube));
  r->seconds = hyla_cube_clock(p->cube) - begin;
  if (!status) status = slowest(p->cube, &r->seconds);
  if (!status) status = result_count(&run, r);
  r->residual = NAN;
  if (!status && !row->model.dry) status = operation->residual(p, &r->residual);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct row *row = arg;
  const struct operation *operation = row->operation;
  struct problem p = {.cube = cube, .options = &row->run->options};
  struct result r = row->result;
  operation->read_size(&p);
  if (hyla_cube_address(cube) == 0) {
    row->nodes = hyla_cube_nodes(cube);
    tool_array(cube, row->array);
  }
  hyla_status status = plan_and_run(row, &p, &r);
  if (!status && hyla_cube_address(cube) == 0) {
    result_plan(&r, p.chosen);
    r.layout = p.layout;
    problem_origin(operation, &p, r.layout_from);
    r.finished = true;
    row->result = r;
  }
  problem_free(&p);
  return status;
}

static void start_result(const struct table *t, const struct row *row, struct result *r) {
  const struct options *options = &t->run->options;
  struct problem p = {.options = options};
  t->operation->read_size(&p);
  result_init(r, operation_name(t->operation, options));
  r->method = operation_method(t->operation, options);
  r->type = options->type;
  r->m = p.m;
  r->n = p.n;
  r->k = p.k;
  r->nrhs = p.nrhs;
  r->variant = row->variant;
  r->seconds_read = -1;
  r->repeat = 1;
  r->flops = operation_flops(t->operation, &p);
}

/* The limit is the speed of all nodes' cores. */
static void set_limit(const struct table *t, const struct row *row, struct result *r) {
  double width = (double)type_size(r->type) / (type_complex(r->type) ? 2.0 : 1.0) / sizeof(double);
  if (t->machine.gamma > 0 && r->flops > 0) r->limit = 1e-9 * row->nodes / t->machine.gamma / width;
  r->fraction_best = r->limit > 0 ? 1e-9 * r->flops / r->seconds / r->limit : NAN;
}

/* Keeps the operation's parts, by their ends; parts that ended before it began belong to its
 * preparation.  One that occurs several times ends with the last. */
static void keep_parts(struct row *row, const hyla_report *report) {
  for (int i = 0; i < report->parts; i++) {
    hyla_part part = report->part[i];
    part.end -= row->begin;
    if (part.end < 0) continue;
    int at = row->parts++;
    for (; at > 0 && row->part[at - 1].end > part.end; at--) row->part[at] = row->part[at - 1];
    row->part[at] = part;
  }
}

static hyla_status simulate_row(struct table *t, const char *variant) {
  const struct options *options = &t->run->options;
  struct row *row = &t->row[t->count++];
  *row = (struct row){.run = t->run,
                      .operation = t->operation,
                      .variant = variant,
                      .model = {.dims = options->dims,
                                .machine = &t->machine,
                                .dry = options->dry,
                                .network = t->network,
                                .array = t->array,
                                .options = &t->cubes}};
  if (trace_wanted(options)) {
    if (!trace_start(&t->trace, options, options->dims)) return HYLA_MEMORY;
    row->trace = &t->trace;
    row->model.observer = trace_take;
    row->model.observer_arg = &t->trace;
  }
  start_result(t, row, &row->result);
  hyla_report report;
  struct result *r = &row->result;
  r->status = hyla_simulate(&row->model, body, row, &report);
  row->ranks = report.nodes;
  keep_parts(row, &report);
  set_limit(t, row, r);
  snprintf(r->message, sizeof r->message, "%s", report.message);
  if (r->finished && !options->dry && !(r->residual <= RESIDUAL_LIMIT))
    r->exit_code = EXIT_NUMERICAL;
  return r->status;
}

/* ---- output ---- */

/* The figure of the row's paper if its plan has one; else NULL. */
enum { PUBLISHED_TEXT = 512 };
static const char *published(const struct result *r, char text[PUBLISHED_TEXT]) {
  static const char mark[] = "\n  published: ";
  const char *line = r->finished && r->reason ? strstr(r->reason, mark) : NULL;
  if (!line) return NULL;
  line += strlen(mark);
  snprintf(text, PUBLISHED_TEXT, "%.*s", (int)strcspn(line, "\n"), line);
  return text;
}

/* The redistributions that the row's plan runs, because its operands do not lie as the variant
 * wants. */
static json_t *moves_of(const struct result *r) {
  return r->finished ? json_object_get(r->plan, "plans") : NULL;
}

/* The time of a part, from the end of the part before it. */
static double part_time(const struct row *row, int i) {
  return row->part[i].end - (i > 0 ? row->part[i - 1].end : 0);
}

static void put_parts(json_t *json, const struct row *row) {
  json_t *parts = json_array();
  for (int i = 0; i < row->parts; i++)
    json_array_append_new(parts, json_pack("{s:s, s:f, s:f}", "name", row->part[i].name, "time",
                                           part_time(row, i), "end", row->part[i].end));
  if (row->parts > 0) json_object_set(json, "parts", parts);
  json_decref(parts);
}

static void put_moves(json_t *json, const struct result *r) {
  json_t *moves = moves_of(r), *moved = json_array(), *move = NULL;
  size_t i = 0;
  json_array_foreach(moves, i, move) { json_array_append(moved, json_object_get(move, "what")); }
  if (r->finished) json_object_set(json, "moved", moved);
  json_decref(moved);
}

/* Prints below a row what was published, what was moved, and the parts of its time. */
static void print_below(const struct row *row) {
  bool given = row->run->options.times_given;
  char text[PUBLISHED_TEXT];
  json_t *moves = moves_of(&row->result), *move = NULL;
  size_t i = 0;
  if (published(&row->result, text)) printf("    published: %s\n", text);
  json_array_foreach(moves, i, move) {
    printf("%s%s by %s",
           i > 0 ? ", " : "    moved: ", json_string_value(json_object_get(move, "what")),
           json_string_value(json_object_get(move, "variant")));
  }
  if (i > 0) printf("\n");
  for (int j = 0; j < row->parts; j++)
    printf("%s%s %.*g", j > 0 ? ", then " : "    time to: ", row->part[j].name, given ? 12 : 4,
           part_time(row, j));
  if (row->parts > 0) printf("\n");
}

/* Without data the method's pivots are drawn, and are not those of a matrix. */
static bool draws_pivots(const struct table *t) {
  return t->run->options.dry && operation_needs_data(t->operation, &t->run->options);
}

static void print_json(const struct table *t, const struct row *row) {
  json_t *json = result_json(t->run, &row->result);
  json_object_set_new(json, "ranks", json_integer(row->ranks));
  json_object_set_new(json, "nodes", json_integer(row->nodes));
  json_object_set_new(json, "array", json_string(row->array));
  json_object_set_new(json, "dims", json_integer(row->model.dims));
  json_object_set_new(json, "machine", json_string(t->machine.name));
  json_object_set_new(json, "simulated", json_true());
  json_object_set_new(json, "dry", json_boolean(row->model.dry));
  if (row->result.chosen >= 0)
    json_object_set_new(json, "asked_only", json_boolean(row->asked_only));
  if (draws_pivots(t)) json_object_set_new(json, "pivots", json_string("drawn"));
  json_object_set_new(json, "ports", json_string(ports_name(t->machine.ports)));
  json_object_set_new(json, "switching", json_string(switching_name(t->machine.switching)));
  json_object_set_new(json, "alpha", json_real(t->machine.alpha));
  json_object_set_new(json, "beta", json_real(t->machine.beta * sizeof(double)));
  json_object_set_new(json, "gamma", json_real(t->machine.gamma));
  if (row->result.finished) json_object_set_new(json, "time", json_real(row->result.seconds));
  char text[PUBLISHED_TEXT];
  if (published(&row->result, text)) json_object_set_new(json, "published", json_string(text));
  put_moves(json, &row->result);
  put_parts(json, row);
  json_line(json);
}

/* Ranks on an array, or on a network that is no cube. */
static bool is_no_cube(const struct table *t) {
  return t->array != NULL || t->row[0].nodes != t->row[0].ranks;
}

static void print_head(const struct table *t) {
  const struct result *r = &t->row[0].result;
  const hyla_simulation *model = &t->row[0].model;
  char size[PROBLEM_TEXT], array[48] = "";
  if (is_no_cube(t))
    snprintf(array, sizeof array, " of %d as %s", t->row[0].ranks, t->row[0].array);
  fputs(problem_text(r->op, r->m, r->n, r->k, r->nrhs, size), stdout);
  if (r->method) printf(" by %s", r->method);
  printf(", %s, %d nodes%s with %s%s, machine %s;\n", type_name(r->type), t->row[0].nodes, array,
         t->machine.ports == HYLA_ONE_PORT ? "one port" : "all ports",
         t->machine.switching == HYLA_CIRCUIT ? " and circuits" : "", t->machine.name);
  printf("alpha %.3g, beta %.3g a word of 8 bytes, gamma %.3g%s; memory in bytes%s%s\n",
         t->machine.alpha, t->machine.beta * sizeof(double), t->machine.gamma,
         t->run->options.times_given ? "" : ", all in seconds", model->dry ? "; dry, no data" : "",
         draws_pivots(t) ? ", pivots drawn" : "");
  printf("  %-21s %10s %10s %8s %12s %12s %14s %12s %9s\n", "variant", "time", "predicted",
         "fraction", "steps", "messages", "words", "memory", "residual");
}

/* Writes a figure, or a dash if there is none. */
static const char *figure(const char *format, double value, char text[32]) {
  if (isnan(value)) return "-";
  snprintf(text, 32, format, value);
  return text;
}

static void print_row(const struct result *r) {
  char counted[3][48], figures[2][32];
  printf("%c %-21s %10.4g %10.4g %8s %12s %12s %14s %12lld %9s\n", r->chosen > 0 ? '*' : ' ',
         r->variant, r->seconds, r->seconds_predicted, figure("%.3f", r->fraction_best, figures[0]),
         count_text(r->counted.steps, r->predicted.steps, counted[0]),
         count_text(r->counted.messages, r->predicted.messages, counted[1]),
         count_text(r->counted.words, r->predicted.words, counted[2]),
         (long long)r->predicted.memory, figure("%.2g", r->residual, figures[1]));
}

/* Marks the planner's choice: the variant with the least predicted time, the first among equals,
 * without variants that must be asked for. */
static void mark_choice(struct table *t) {
  struct result *best = NULL;
  for (int i = 0; i < t->count; i++) {
    struct result *r = &t->row[i].result;
    if (!r->finished) continue;
    r->chosen = 0;
    if (t->row[i].asked_only) continue;
    if (best == NULL || r->seconds_predicted < best->seconds_predicted) best = r;
  }
  if (best != NULL) best->chosen = 1;
}

static void print_table(const struct table *t) {
  bool json = t->run->options.json;
  if (schedule_alone(&t->run->options)) return;
  if (!json) print_head(t);
  for (int i = 0; i < t->count; i++) {
    const struct row *row = &t->row[i];
    if (json)
      print_json(t, row);
    else if (row->result.finished)
      print_row(&row->result);
    else
      printf("  %s: %s\n", row->result.variant, row->result.message);
    if (!json) print_below(row);
  }
}

/* ---- the subcommand ---- */

/* The number of nodes of an array "RxC"; 0: it is none. */
static int nodes_of(const char *array) {
  int rows = 0, cols = 0, end = 0;
  const bool read = sscanf(array, "%7dx%7d%n", &rows, &cols, &end) == 2 && array[end] == '\0';
  const int64_t nodes = (int64_t)rows * cols;
  return read && rows > 0 && nodes <= 1 << HYLA_DIMS_MAX ? (int)nodes : 0;
}

/* The ranks: --network or that of the machine, or --ranks or those of --array, which are on a
 * switch unless they are a cube; or the cube of --dims. */
static bool take_ranks(struct table *t) {
  struct options *options = &t->run->options;
  const bool many = options->given & OPTION_BIT(KEY_RANKS);
  const char *links = options->network                           ? options->network
                      : t->machine.network == HYLA_NETWORK_OTHER ? t->machine.links
                                                                 : NULL;
  int ranks = many ? options->ranks : options->array ? nodes_of(options->array) : 0;
  if (options->network && (many || options->given & OPTION_BIT(KEY_DIMS))) {
    tell(t->run, "%s has its own number of nodes; leave --dims and --ranks out", options->network);
    return false;
  }
  t->network = links;
  if (links && sscanf(links, "switch:%d", &ranks) != 1) options->dims = tool_network_dims(links);
  if (ranks > 0) {
    for (options->dims = 0; 2 << options->dims <= ranks;) options->dims++;
    snprintf(t->ranks, sizeof t->ranks, "switch:%d", ranks);
    if (!links && ranks != 1 << options->dims) t->network = t->ranks;
  }
  t->machine.alpha += t->machine.delta * options->dims;
  t->machine.delta = t->machine.rho = 0;
  return true;
}

/* The most messages of the rehearsals on an array: seconds' worth. */
enum { REHEARSED_MOST = 1 << 22 };

/* Are all ranks to work, on an array that nobody names?  A variant or a layout that is asked for
 * may need a cube. */
static bool array_is_open(const struct options *options, int ranks) {
  if (options->array) return strcmp(options->array, "auto") == 0;
  return (ranks & (ranks - 1)) != 0 && !options->variant && !options->layout && !options->to;
}

/* The array for ranks on a switch, by rehearsals.  On rank 0. */
static hyla_status find_array(struct table *t) {
  const struct options *options = &t->run->options;
  int ranks = 1 << options->dims;
  const bool switched = !t->network || sscanf(t->network, "switch:%d", &ranks) == 1;
  t->array = options->array;
  if (!switched || !array_is_open(options, ranks)) return HYLA_OK;
  ticker_phase(t->run->ticker, "comparing arrays");
  hyla_status status =
      arrays_compare(t->operation, options, &t->machine, ranks, REHEARSED_MOST, &t->arrays);
  t->array = t->arrays.fastest;
  return status;
}

/* Finds the machine: given by three times, by name or file, or that of these ranks.  Copies take no
 * time in a run, nor in its prediction. */
static hyla_status take_machine(struct table *t) {
  const struct options *options = &t->run->options;
  if (options->times_given) {
    t->machine = (hyla_machine){.name = "given",
                                .alpha = options->collective.alpha,
                                .beta = options->collective.beta / sizeof(double),
                                .gamma = options->gamma,
                                .network = HYLA_NETWORK_CUBE,
                                .ports = options->ports};
    return HYLA_OK;
  }
  return tool_machine_simulated(t->run, &t->machine);
}

/* Writes the files of the one variant that ran. */
static int write_trace(struct table *t) {
  const struct row *row = &t->row[0];
  const struct result *r = &row->result;
  struct trace *trace = &t->trace;
  char size[PROBLEM_TEXT];
  snprintf(trace->title, sizeof trace->title, "%s by %s, %s, %d nodes, %s, machine %s",
           problem_text(r->op, r->m, r->n, r->k, r->nrhs, size), r->variant, type_name(r->type),
           row->nodes, t->machine.ports == HYLA_ONE_PORT ? "one port" : "all ports",
           t->machine.name);
  trace->nodes = row->ranks;
  trace->network = t->network;
  trace->machine = t->machine;
  trace->scale = t->run->options.times_given ? 1 : 1e6;
  trace->begin = row->begin;
  trace->end = row->begin + r->seconds;
  trace->time = r->seconds;
  return trace_write(t->run, trace);
}

/* Rank 0 simulates all rows.  Among others, a variant that does not apply is not a failure. */
static int simulate_rows(struct table *t) {
  const char *wanted = t->run->options.variant, *name = NULL;
  const char *family = operation_variants(t->operation, &t->run->options);
  bool all = wanted && strcmp(wanted, "all") == 0;
  hyla_status status = HYLA_OK;
  status = find_array(t);
  if (!all) ticker_phase(t->run->ticker, wanted ? wanted : "simulating");
  if (!all && !status) status = simulate_row(t, wanted);
  for (int i = 0; all && i < ROWS_MAX && !status; i++) {
    name = hyla_variant_name(family, i);
    if (!name) break;
    ticker_phase(t->run->ticker, name);
    status = simulate_row(t, name);
    t->row[i].asked_only = hyla_variant_asked_only(family, i);
    if (status == HYLA_UNSUPPORTED) status = HYLA_OK;
  }
  ticker_stop(&t->run->ticker);
  const struct result *last = &t->row[t->count - 1].result;
  int code = EXIT_USE;
  if (status) {
    tell(t->run, "%s", *last->message ? last->message : hyla_status_text(status));
    if (status == HYLA_SINGULAR || status == HYLA_INDEFINITE || status == HYLA_NOT_FINITE)
      code = EXIT_NUMERICAL;
  } else {
    if (all) mark_choice(t);
    print_table(t);
    code = EXIT_DONE;
    if (t->row[0].model.observer) code = write_trace(t);
    for (int i = 0; i < t->count; i++)
      if (t->row[i].result.exit_code != EXIT_DONE) code = t->row[i].result.exit_code;
  }
  for (int i = 0; i < t->count; i++) result_free(&t->row[i].result);
  trace_free(&t->trace);
  return code;
}

static int simulate_operation(struct run *run, const struct operation *operation) {
  struct problem sizes = {.options = &run->options};
  if (!operation->read_size(&sizes)) {
    tell(run, "%s needs --size %s", run->options.paths[0], operation->sizes);
    return EXIT_USE;
  }
  struct table *t = calloc(1, sizeof *t);
  int64_t code = EXIT_DONE, no_memory = t == NULL;
  hyla_status status = hyla_cube_max(run->cube, &no_memory, 1);
  if (!status && no_memory) status = HYLA_MEMORY;
  if (!status) {
    t->run = run;
    t->operation = operation;
    hyla_options_init(&t->cubes);
    t->cubes.network = t->cubes.array = NULL; /* HYLA_NETWORK and HYLA_ARRAY are for ranks */
    t->cubes.checkpoint = NULL;               /* nobody continues a simulation */
    if (run->options.collectives) t->cubes.collective = run->options.collectives;
    status = take_machine(t);
  }
  const bool ready = !status && take_ranks(t);
  if (!status && run->rank == 0) code = ready ? simulate_rows(t) : EXIT_USE;
  if (!status) status = hyla_cube_max(run->cube, &code, 1);
  free(t);
  if (!status) return (int)code;
  const char *why = hyla_cube_message(run->cube);
  tell(run, "%s", *why ? why : hyla_status_text(status));
  return EXIT_USE;
}

int tool_simulate(struct run *run) {
  const char *name = run->options.paths[0];
  if (!trace_possible(run)) return EXIT_USE;
  if (strcmp(name, "traffic") == 0) return tool_simulate_traffic(run);
  if (strcmp(name, "collective") == 0) return tool_simulate_collective(run);
  const struct operation *operation = operation_asked(&run->options);
  if (operation) return simulate_operation(run, operation);
  operation_refuse(run, simulate_grammar.usage);
  return EXIT_USE;
}
