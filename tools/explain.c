/* hyla explain: says what the planner would choose on a cube that need not exist. */
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar explain_grammar = {
    .usage = OPERATION_PRODUCTS "|" OPERATION_VECTORS
                                "|trsm|trtri|tridiagonal|invert|eig|svd|lstsq|solve|METHOD|convert|"
                                "transpose|turn|collective",
    .text = "Tell which variant the planner chooses for a problem on --ranks ranks, why, at what "
            "cost, and why not the others."
            "\vNothing is computed, and no ranks are needed: the cube is virtual.  The exit status "
            "is 1 where --memory is given and no variant keeps to it.  On the virtual cube no rank "
            "reads another's memory in place, as on a machine with one rank on each host; a plan "
            "made on the ranks themselves (hyla multiply, hyla bench) knows the ranks that can.",
    .lists = {options_of_explain, options_of_problems, options_of_triangles, options_of_parts},
    .least = 1,
    .most = 1,
};

/* The most messages in the rehearsals of a choice: about ten seconds' worth. */
enum { REHEARSED_MOST = 1 << 22 };

/* The data that the virtual nodes share; node 0 fills in the answer. */
struct question {
  const struct options *options;
  const struct operation *operation; /* NULL: a collective */
  hyla_machine machine;
  char variant[64];
  char *reason;
  json_t *plan; /* the plan as data */
  hyla_cost cost;
  double seconds;
  hyla_bound bound; /* of a collective */
  struct problem sizes;
  hyla_layout layout;
  char layout_from[HYLA_LAYOUT_TEXT];
  int nodes, dims;                /* at work; bits of their addresses */
  char array[32];                 /* on which they are */
  struct arrays arrays;           /* that were compared */
  int64_t matrices, matrices_sum; /* bytes of the caller's matrices: on the busiest rank, on all */
};

/* Stores an answer; a later one replaces the first. */
static void answer(struct question *q, const hyla_plan *plan) {
  snprintf(q->variant, sizeof q->variant, "%s", hyla_plan_variant(plan));
  free(q->reason);
  json_decref(q->plan);
  q->reason = tool_explain_plan(plan);
  q->plan = plan_json(plan);
  q->cost = hyla_plan_cost(plan);
  q->seconds = hyla_plan_seconds(plan);
}

/* Finds the bound for the machine's ports, with its times if none are given. */
static hyla_status ask_bound(hyla_cube *cube, struct question *q) {
  hyla_collective c = q->options->collective;
  if (c.alpha == 0 && c.beta == 0) {
    c.alpha = q->machine.alpha;
    c.beta = q->machine.beta * sizeof(double);
  }
  bool point = q->machine.network == HYLA_NETWORK_SWITCH;
  return hyla_collective_bound(cube, &c, point ? HYLA_ONE_PORT : q->machine.ports,
                               point ? HYLA_CIRCUIT : q->machine.switching, &q->bound);
}

static hyla_status ask_collective(hyla_cube *cube, struct question *q) {
  hyla_plan *plan = NULL;
  hyla_status status = hyla_collective_plan(cube, &q->options->collective, &plan);
  if (!status && hyla_cube_address(cube) == 0) answer(q, plan);
  hyla_plan_destroy(&plan);
  bool asked = q->options->bound && hyla_cube_address(cube) == 0;
  return status || !asked ? status : ask_bound(cube, q);
}

/* Adds a node's matrices; the nodes take turns, so each can add its own. */
static void add_matrices(struct question *q, const struct problem *p) {
  const hyla_matrix *const matrices[] = {p->a, p->b, p->c};
  int64_t bytes = 0;
  for (int i = 0; i < 3; i++) {
    int64_t rows = 0, cols = 0, ld = 0;
    if (!matrices[i] || hyla_matrix_local(matrices[i], NULL, &rows, &cols, &ld)) continue;
    bytes += rows > 0 ? ld * cols * (int64_t)type_size(q->options->type) : 0;
  }
  if (bytes > q->matrices) q->matrices = bytes;
  q->matrices_sum += bytes;
}

static hyla_status ask_operation(hyla_cube *cube, struct question *q) {
  const struct operation *operation = q->operation;
  struct problem p = q->sizes;
  p.cube = cube;
  hyla_status status = operation->make(&p);
  if (!status) status = operation_plan(operation, &p, q->options->variant);
  if (!status) add_matrices(q, &p);
  if (!status && hyla_cube_address(cube) == 0) {
    answer(q, p.chosen);
    q->layout = p.layout;
    problem_origin(operation, &p, q->layout_from);
  }
  problem_free(&p);
  return status;
}

static hyla_status ask(hyla_cube *cube, void *arg) {
  struct question *q = arg;
  if (hyla_cube_address(cube) == 0) {
    (void)hyla_cube_machine(cube, &q->machine);
    q->nodes = hyla_cube_nodes(cube);
    q->dims = hyla_cube_dims(cube);
    tool_array(cube, q->array);
  }
  return q->operation ? ask_operation(cube, q) : ask_collective(cube, q);
}

static int log2_floor(int ranks) {
  int dims = 0;
  while (dims < HYLA_DIMS_MAX && ranks >> (dims + 1) > 0) dims++;
  return dims;
}

/* ---- arrays ---- */

/* Finds the array to plan on, NULL for a cube; compares arrays where the choice is open.  Powers of
 * two are cubes unless `auto' is asked for. */
static hyla_status find_array(struct question *q, const hyla_machine *machine,
                              const char **chosen) {
  const struct options *options = q->options;
  const bool given = options->array != NULL, is_auto = given && strcmp(options->array, "auto") == 0;
  const bool power = (options->ranks & (options->ranks - 1)) == 0;
  *chosen = NULL;
  if (!q->operation || (given ? strcmp(options->array, "cube") == 0 : power)) return HYLA_OK;
  *chosen = options->array;
  if (given && !is_auto) return HYLA_OK;
  *chosen = q->arrays.fastest;
  return arrays_compare(q->operation, options, machine, options->ranks, REHEARSED_MOST, &q->arrays);
}

/* Why some ranks are idle. */
static void idle_text(const struct question *q, char *text, size_t size) {
  *text = 0;
  if (q->nodes == q->options->ranks || arrays_idle(&q->arrays, text, size)) return;
  snprintf(text, size, "%s",
           q->operation && q->options->array ? "the array was asked for" : "a cube has 2^d");
}

/* ---- memory ---- */

static int64_t of_rank(const struct question *q) { return q->matrices + q->cost.memory; }
static int64_t of_all(const struct question *q) {
  return q->matrices_sum + q->cost.memory * q->nodes;
}
static bool fits(const struct question *q) {
  return q->options->memory == 0 || of_rank(q) <= q->options->memory;
}

/* Writes "1.5 GiB". */
static const char *bytes_text(int64_t bytes, char text[32]) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double number = (double)bytes;
  int unit = 0;
  for (; number >= 1024; number /= 1024) unit++;
  snprintf(text, 32, "%.*f %s", unit > 0 && number < 100 ? 1 : 0, number, units[unit]);
  return text;
}

static void print_memory(const struct question *q) {
  char rank[32], matrices[32], workspace[32], all[32], limit[32];
  printf("memory: %s on the busiest rank, %s of matrices and %s of workspace; at most %s on all %d "
         "ranks\n",
         bytes_text(of_rank(q), rank), bytes_text(q->matrices, matrices),
         bytes_text(q->cost.memory, workspace), bytes_text(of_all(q), all), q->nodes);
  if (q->options->memory > 0)
    printf("%s: a rank may take %s\n", fits(q) ? "fits" : "does not fit",
           bytes_text(q->options->memory, limit));
}

static void set_memory(json_t *json, const struct question *q) {
  json_object_set_new(json, "matrices_bytes", json_integer(q->matrices));
  json_object_set_new(json, "rank_bytes", json_integer(of_rank(q)));
  json_object_set_new(json, "total_bytes", json_integer(of_all(q)));
  if (q->options->memory == 0) return;
  json_object_set_new(json, "limit_bytes", json_integer(q->options->memory));
  json_object_set_new(json, "fits", json_boolean(fits(q)));
}

/* ---- output ---- */

static json_t *bound_json(const hyla_bound *bound) {
  json_t *json = json_pack("{s:f, s:I, s:s, s:s, s:i}", "seconds", bound->time, "transmissions",
                           (json_int_t)bound->transmissions, "formula", bound->formula, "reference",
                           bound->reference, "starts", bound->starts);
  if (bound->sized_time > 0) {
    json_object_set_new(json, "sized_seconds", json_real(bound->sized_time));
    json_object_set_new(json, "sized_words", json_integer((json_int_t)bound->sized_words));
  }
  return json;
}

static void print_bound(const hyla_bound *bound) {
  printf("bound: %.3g s at least, %s (%s)", bound->time, bound->formula, bound->reference);
  if (bound->starts > 0) printf(", k = %d", bound->starts);
  printf("\n");
  if (bound->sized_time <= 0) return;
  printf("bound for packets of one size s: %.3g s, (h + m / (d s) - 1)(tau s + beta) "
         "(stout-wagar-1990, section 2)",
         bound->sized_time);
  if (bound->sized_words > 0) printf(", s = %lld", (long long)bound->sized_words);
  printf("\n");
}

static void print_json(const struct question *q) {
  const struct options *options = q->options;
  json_t *json =
      json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "op",
                options->paths[0], "status", "HYLA_OK", "variant", q->variant, "ranks",
                options->ranks, "dims", q->dims, "machine", q->machine.name, "seconds_predicted",
                q->seconds, "steps_predicted", (json_int_t)q->cost.steps, "messages_predicted",
                (json_int_t)q->cost.messages, "words_predicted", (json_int_t)q->cost.words,
                "lent_predicted", (json_int_t)q->cost.lent, "copied_predicted",
                (json_int_t)q->cost.copied, "flops_predicted", (json_int_t)q->cost.flops,
                "memory_bytes", (json_int_t)q->cost.memory, "reason", q->reason ? q->reason : "");
  char idle[128];
  idle_text(q, idle, sizeof idle);
  json_object_set(json, "plan", q->plan);
  json_object_set_new(json, "nodes", json_integer(q->nodes));
  json_object_set_new(json, "array", json_string(q->array));
  if (*idle) json_object_set_new(json, "idle", json_string(idle));
  if (q->arrays.count > 0) json_object_set_new(json, "arrays", arrays_json(&q->arrays));
  if (options->bound && !q->operation) json_object_set_new(json, "bound", bound_json(&q->bound));
  if (q->operation) {
    char layout[HYLA_LAYOUT_TEXT];
    const struct problem *p = &q->sizes;
    const int64_t sizes[] = {p->m, p->n, p->k, p->nrhs};
    static const char *const keys[] = {"m", "n", "k", "nrhs"};
    for (int i = 0; i < 4; i++)
      if (sizes[i] >= 0) json_object_set_new(json, keys[i], json_integer(sizes[i]));
    hyla_layout_format(&q->layout, layout, sizeof layout);
    json_object_set_new(json, "type", json_string(type_name(options->type)));
    json_object_set_new(json, "layout", json_string(layout));
    if (*q->layout_from) json_object_set_new(json, "layout_from", json_string(q->layout_from));
    const char *method = operation_method(q->operation, options);
    if (method) json_object_set_new(json, "method", json_string(method));
    json_set_shape(json, q->operation, options);
    set_memory(json, q);
  }
  json_line(json);
}

static void print(const struct question *q) {
  if (q->options->json) {
    print_json(q);
    return;
  }
  printf("%s", q->reason ? q->reason : "out of memory\n");
  if (q->operation) print_memory(q);
  if (q->options->bound && !q->operation) print_bound(&q->bound);
  if (q->arrays.count > 0 || q->options->array)
    printf("array: %s, %d of %d ranks (HYLA_ARRAY=%s)\n", q->array, q->nodes, q->options->ranks,
           q->array);
  arrays_print(&q->arrays);
  char why[128];
  idle_text(q, why, sizeof why);
  if (*why)
    printf("  %d of %d ranks would be idle, as %s\n", q->options->ranks - q->nodes,
           q->options->ranks, why);
}

/* Checks that the question is complete. */
static bool prepare(struct run *run, struct question *q) {
  const char *name = run->options.paths[0];
  q->operation = operation_asked(&run->options);
  q->sizes.options = &run->options;
  if (strcmp(name, "collective") == 0) {
    if (!run->options.collective.name) tell(run, "which collective? Give --name, see --help");
    return run->options.collective.name;
  }
  if (!q->operation)
    operation_refuse(run, explain_grammar.usage);
  else if (!q->operation->read_size(&q->sizes))
    tell(run, "%s needs --size %s", name, q->operation->sizes);
  else
    return true;
  return false;
}

/* Asks the nodes.  If the choice takes too much memory, asks again with the memory that the
 * matrices leave; if nothing fits then, the first answer stands. */
static hyla_status simulate(hyla_simulation *model, struct question *q, hyla_report *report) {
  hyla_options options = *model->options;
  model->options = &options;
  hyla_status status = hyla_simulate(model, ask, q, report);
  int64_t left = q->options->memory - q->matrices;
  if (status || !q->operation || fits(q) || left <= 0) return status;
  options.memory = left;
  q->matrices = q->matrices_sum = 0;
  status = hyla_simulate(model, ask, q, report);
  if (status != HYLA_UNSUPPORTED) return status;
  options.memory = 0;
  return hyla_simulate(model, ask, q, report);
}

/* Finds the machine.  With the links of a cube its time is that of a run, even if a collective's
 * times are given. */
static hyla_status take_machine(struct run *run, hyla_machine *machine) {
  const char *name = run->options.machine;
  const hyla_collective *c = &run->options.collective;
  hyla_status status =
      name ? hyla_machine_read(run->cube, name, machine) : hyla_cube_machine(run->cube, machine);
  if (status) tell(run, "%s", hyla_cube_message(run->cube));
  if (run->options.times_given) {
    snprintf(machine->name, sizeof machine->name, "given");
    machine->alpha = c->alpha;
    machine->beta = c->beta / sizeof(double);
    machine->delta = 0;
  }
  return status;
}

/* Ranks on an array that is no cube are on a switch, where the machine's times are known. */
static void put_on_switch(int ranks, const hyla_machine *machine, hyla_simulation *model,
                          char network[32]) {
  if (!model->array || (ranks & (ranks - 1)) == 0) return;
  snprintf(network, 32, "switch:%d", ranks);
  model->network = network;
  model->machine = machine;
}

int tool_explain(struct run *run) {
  struct question q = {.options = &run->options};
  hyla_machine machine;
  if (!prepare(run, &q) || take_machine(run, &machine)) return EXIT_USE;
  int dims = log2_floor(run->options.ranks);
  const bool alone = run->options.counts_given > 0 || run->options.schedule || run->options.svg;
  if (alone && !run->options.network) {
    tell(run, "--counts, --schedule and --svg need --network");
    return EXIT_USE;
  }
  const bool loaded = run->options.load > 0;
  if (!loaded && run->options.seed > 0) {
    tell(run, "--seed needs --load");
    return EXIT_USE;
  }
  if (loaded) return run->rank == 0 ? explain_under_load(run, &machine, dims) : EXIT_DONE;
  if (run->options.network && !q.operation)
    return run->rank == 0 ? explain_on_network(run, &machine) : EXIT_DONE;
  if (run->options.phases && !q.operation)
    return run->rank == 0 ? explain_phases(run, &machine, dims) : EXIT_DONE;
  hyla_options options;
  hyla_options_init(&options);
  options.network = options.array = NULL; /* HYLA_NETWORK and HYLA_ARRAY are for ranks */
  if (run->options.machine) options.machine = run->options.machine;
  if (run->options.collectives) options.collective = run->options.collectives;
  run->options.dry = true;
  hyla_simulation model = {.dims = dims,
                           .machine = machine.network == HYLA_NETWORK_CUBE ? &machine : NULL,
                           .dry = true,
                           .options = &options,
                           .rehearsed = REHEARSED_MOST};
  hyla_report report = {.message = ""};
  char network[32];
  ticker_phase(run->ticker, "planning");
  /* Rank 0 simulates; the other ranks, if any, learn the status. */
  hyla_status status = HYLA_OK;
  if (run->rank == 0) status = find_array(&q, &machine, &model.array);
  put_on_switch(run->options.ranks, &machine, &model, network);
  if (run->rank == 0 && !status) status = simulate(&model, &q, &report);
  int64_t code = status ? EXIT_USE : fits(&q) ? EXIT_DONE : EXIT_NUMERICAL;
  if (hyla_cube_max(run->cube, &code, 1) != HYLA_OK) code = EXIT_USE;
  ticker_stop(&run->ticker);
  if (run->rank == 0 && code == EXIT_USE)
    tell(run, "%s", *report.message ? report.message : hyla_status_text(status));
  else if (run->rank == 0)
    print(&q);
  free(q.reason);
  json_decref(q.plan);
  return (int)code;
}
