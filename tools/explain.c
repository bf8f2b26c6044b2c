/* hyla explain: what the planner would choose on a cube that need not be there. */
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar explain_grammar = {
    .usage = OPERATION_PRODUCTS "|trsm|trtri|invert|METHOD|convert|transpose|collective",
    .text = "Tell which variant the planner chooses for a problem on --ranks ranks, why, at what "
            "cost, and why not the others."
            "\vNothing is computed, and no ranks are needed: the cube is virtual.  On it no rank "
            "reads another's memory in place, as on a machine of one host a rank; a plan made on "
            "the ranks themselves (hyla multiply, hyla bench) knows which can.",
    .lists = {options_of_explain, options_of_problems, options_of_triangles, options_of_parts},
    .least = 1,
    .most = 1,
};

/* What the virtual nodes share; node 0 fills in the answer. */
struct question {
  const struct options *options;
  const struct operation *operation; /* NULL: a collective */
  hyla_machine machine;
  char variant[64];
  char *reason;
  hyla_cost cost;
  double seconds;
  struct problem sizes;
  hyla_layout layout;
  char layout_from[HYLA_LAYOUT_TEXT];
};

static hyla_status ask_collective(hyla_cube *cube, struct question *q) {
  hyla_collective_result result;
  hyla_status status = hyla_collective_run(cube, &q->options->collective, &result);
  if (status || hyla_cube_address(cube) != 0) return status;
  snprintf(q->variant, sizeof q->variant, "%s", result.variant);
  q->reason = strdup(result.reason);
  q->cost = result.predicted;
  q->seconds = result.seconds_predicted;
  return HYLA_OK;
}

static hyla_status ask_operation(hyla_cube *cube, struct question *q) {
  const struct operation *operation = q->operation;
  struct problem p = q->sizes;
  p.cube = cube;
  hyla_status status = operation->make(&p);
  if (!status) status = operation_plan(operation, &p, q->options->variant);
  if (!status && hyla_cube_address(cube) == 0) {
    snprintf(q->variant, sizeof q->variant, "%s", hyla_plan_variant(p.chosen));
    q->reason = tool_explain_plan(p.chosen);
    q->cost = hyla_plan_cost(p.chosen);
    q->seconds = hyla_plan_seconds(p.chosen);
    q->layout = p.layout;
    problem_origin(operation, &p, q->layout_from);
  }
  problem_free(&p);
  return status;
}

static hyla_status ask(hyla_cube *cube, void *arg) {
  struct question *q = arg;
  if (hyla_cube_address(cube) == 0) (void)hyla_cube_machine(cube, &q->machine);
  return q->operation ? ask_operation(cube, q) : ask_collective(cube, q);
}

static int log2_floor(int ranks) {
  int dims = 0;
  while (dims < HYLA_DIMS_MAX && ranks >> (dims + 1) > 0) dims++;
  return dims;
}

static void print_json(const struct question *q, int dims) {
  const struct options *options = q->options;
  json_t *json = json_pack(
      "{s:s, s:s, s:s, s:i, s:i, s:s, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "op",
      options->paths[0], "status", "HYLA_OK", "variant", q->variant, "ranks", options->ranks,
      "dims", dims, "machine", q->machine.name, "seconds_predicted", q->seconds, "steps_predicted",
      (json_int_t)q->cost.steps, "messages_predicted", (json_int_t)q->cost.messages,
      "words_predicted", (json_int_t)q->cost.words, "lent_predicted", (json_int_t)q->cost.lent,
      "copied_predicted", (json_int_t)q->cost.copied, "flops_predicted", (json_int_t)q->cost.flops,
      "memory_bytes", (json_int_t)q->cost.memory, "reason", q->reason ? q->reason : "");
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
  }
  json_line(json);
}

static void print(const struct question *q, int dims) {
  if (q->options->json) {
    print_json(q, dims);
    return;
  }
  printf("%s", q->reason ? q->reason : "out of memory\n");
  int idle = q->options->ranks - (1 << dims);
  if (idle > 0)
    printf("  %d of %d ranks would be idle, as a cube has 2^d\n", idle, q->options->ranks);
}

/* Is there all that the question needs? */
static bool prepare(struct run *run, struct question *q) {
  const char *name = run->options.paths[0];
  q->operation = operation_asked(&run->options);
  q->sizes.options = &run->options;
  if (strcmp(name, "collective") == 0) {
    if (!run->options.collective.name) tell(run, "which collective? Give --name, see --help");
    return run->options.collective.name;
  }
  if (!q->operation)
    tell(run, "`%s' is not known here; give %s", name, explain_grammar.usage);
  else if (!q->operation->read_size(&q->sizes))
    tell(run, "%s needs --size %s", name, q->operation->sizes);
  else
    return true;
  return false;
}

int tool_explain(struct run *run) {
  struct question q = {.options = &run->options};
  if (!prepare(run, &q)) return EXIT_USE;
  int dims = log2_floor(run->options.ranks);
  hyla_options options;
  hyla_options_init(&options);
  if (run->options.machine) options.machine = run->options.machine;
  if (run->options.collectives) options.collective = run->options.collectives;
  hyla_simulation model = {.dims = dims,
                           .dry = !(q.operation && operation_needs_data(q.operation, q.options)),
                           .options = &options};
  hyla_report report = {.message = ""};
  /* One process does it all; the other ranks, if any, hear how it went. */
  hyla_status status = run->rank == 0 ? hyla_simulate(&model, ask, &q, &report) : HYLA_OK;
  int64_t failed = status != HYLA_OK;
  if (hyla_cube_max(run->cube, &failed, 1) != HYLA_OK) failed = 1;
  if (run->rank == 0 && failed)
    tell(run, "%s", *report.message ? report.message : hyla_status_text(status));
  else if (run->rank == 0)
    print(&q, dims);
  free(q.reason);
  return failed ? EXIT_USE : EXIT_DONE;
}
