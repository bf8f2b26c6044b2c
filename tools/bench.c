/* hyla bench: times an operation on these ranks, variant by variant.  Times are compared with a
 * limit measured in the same run: how fast the cores multiply or, for moves, a plain copy. */
#include "operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar bench_grammar = {
    .usage = OPERATION_PRODUCTS "|" OPERATION_VECTORS
                                "|trsm|trtri|tridiagonal|invert|eig|svd|lstsq|solve|METHOD|convert|"
                                "transpose|turn|collective",
    .text =
        "Time an operation on these ranks."
        "\vRandom matrices of --size are multiplied or, by a METHOD that `hyla solve --help' "
        "lists, factored and solved with --nrhs right-hand sides, by one variant or by all in "
        "turn.  The limit is what the nodes' cores multiply, each on its own but all at once; its "
        "runs and the operation's alternate, so that both see the same machine.  Times are the "
        "slowest rank's, medians count.  The planner's choice is marked *.\n"
        "convert, transpose, turn: from --layout to --to, which for transpose and turn is the same "
        "when not given; in place of the limit stands a copy, by all nodes, of as many bytes as "
        "their part of the result.\n"
        "collective: data are checked; the variant is chosen for alpha and beta, in seconds, or "
        "else for the machine.",
    .lists = {options_of_bench, options_of_problems, options_of_triangles, options_of_wisdom,
              options_of_parts, options_of_progress, options_of_report},
    .least = 1,
    .most = 1,
    .sizes = true,
    .lengths = true,
};

/* The limit is measured with products of the operation's size, kept between these sizes. */
enum { LIMIT_LEAST = 500, LIMIT_MOST = 2000 };

struct bench {
  struct run *run;
  const struct operation *operation;
  struct problem problem;
  struct limit limit;
  struct copying copying; /* takes the limit's place for moves */
  struct times times;
  const char *choice; /* the planner's variant */
  bool headed;
  int exit_code;
};

/* ---- output ---- */

static bool passes(const struct result *r) { return r->residual <= RESIDUAL_LIMIT; }

static void print_head(const struct bench *b) {
  const struct problem *p = &b->problem;
  bool moves = operation_moves(b->operation);
  char nodes[64];
  const char *method = operation_method(b->operation, p->options);
  hyla_machine machine;
  char from[HYLA_LAYOUT_TEXT], layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&p->layout, layout, sizeof layout);
  hyla_layout_format(hyla_matrix_layout(p->a), from, sizeof from);
  (void)hyla_cube_machine(b->run->cube, &machine);
  char size[PROBLEM_TEXT];
  problem_text(operation_name(b->operation, &b->run->options), p->m, p->n, p->k, p->nrhs, size);
  printf("%s%s%s, %s, %s%s,\n  %s%s%s%s;\n  machine %s; seconds, median of %d\n", size,
         method ? " by " : "", method ? method : "", type_name(p->options->type),
         tool_nodes(b->run, nodes), p->options->explain ? "" : " (--explain: what was sent)",
         moves ? "from " : "layout ", moves ? from : "", moves ? " to " : "", layout, machine.name,
         p->options->repeat);
  if (moves)
    printf("  %-21s %10s %10s %10s %8s", "variant", "measured", "predicted", "copy", "ratio");
  else
    printf("  %-16s %9s %8s %10s %10s", "variant", "Gflop/s", "fraction", "measured", "predicted");
  if (p->options->explain) printf(" %14s %14s %22s", "steps", "messages", "words");
  printf(" %9s\n", "residual");
}

static void print_row(const struct bench *b, const struct result *r) {
  char steps[48], messages[48], words[48];
  double gflops = 1e-9 * r->flops / r->seconds;
  char mark = r->chosen ? '*' : ' ';
  if (operation_moves(b->operation))
    printf("%c %-21s %10.4g %10.4g %10.4g %8.3g", mark, r->variant, r->seconds,
           r->seconds_predicted, r->copy, r->seconds / r->copy);
  else
    printf("%c %-16s %9.4g %8.3f %10.4g %10.4g", mark, r->variant, gflops, gflops / r->limit,
           r->seconds, r->seconds_predicted);
  if (b->run->options.explain)
    printf(" %14s %14s %22s", count_text(r->counted.steps, r->predicted.steps, steps),
           count_text(r->counted.messages, r->predicted.messages, messages),
           count_text(r->counted.words, r->predicted.words, words));
  printf(" %9.2g\n", r->residual);
}

static void print(struct bench *b, const struct result *r) {
  if (b->run->rank != 0) return;
  if (b->run->options.json) {
    json_t *json = result_json(b->run, r);
    json_object_set_new(json, "context", context_json(b->run));
    if (r->finished) json_object_set_new(json, "passed", json_boolean(passes(r)));
    json_line(json);
  } else {
    if (!b->headed && r->finished && b->operation == &operation_solve)
      hpl_head(b->run, r->method);
    else if (!b->headed && r->finished)
      print_head(b);
    b->headed = b->headed || r->finished;
    if (r->finished && b->operation == &operation_solve)
      hpl_row(r);
    else if (r->finished)
      print_row(b, r);
    else
      print_paragraph(" ", "%s: %s", r->variant, r->message);
  }
  fflush(stdout);
}

/* ---- measuring ---- */

/* Times the runs; the first one warms up and is not counted. */
static hyla_status measure(struct bench *b) {
  struct problem *p = &b->problem;
  hyla_cube *cube = b->run->cube;
  hyla_status status = HYLA_OK;
  for (int i = 0; i <= p->options->repeat && !status; i++) {
    if (i == 1) {
      times_clear(&b->times);
      times_clear(&b->limit.times);
      times_clear(&b->copying.times);
    }
    status = operation_moves(b->operation) ? copying_measure(cube, &b->copying)
                                           : limit_measure(cube, &b->limit);
    if (!status) status = operation_renew(b->operation, p);
    if (!status) status = hyla_cube_barrier(cube);
    if (status) break;
    hyla_cube_ledger_clear(cube);
    double begin = tool_clock();
    status = operation_run(b->operation, p);
    double seconds = tool_clock() - begin;
    if (!status) status = times_add(cube, &b->times, seconds);
  }
  return status;
}

static void fill_result(const struct bench *b, struct result *r) {
  const struct problem *p = &b->problem;
  r->method = operation_method(b->operation, p->options);
  r->type = p->options->type;
  r->m = p->m;
  r->n = p->n;
  r->k = p->k;
  r->nrhs = p->nrhs;
  r->seconds_read = -1;
  r->repeat = p->options->repeat;
}

static void fill_figures(const struct bench *b, struct result *r) {
  r->seconds = times_median(&b->times);
  r->seconds_least = times_least(&b->times);
  r->seconds_most = times_most(&b->times);
  r->each = b->times.each;
  if (operation_moves(b->operation)) {
    r->copy = times_median(&b->copying.times);
    r->ratio_best = r->seconds_least / times_least(&b->copying.times);
    return;
  }
  r->limit = 1e-9 * b->limit.flops / times_median(&b->limit.times);
  r->fraction_best =
      (r->flops / r->seconds_least) / (b->limit.flops / times_least(&b->limit.times));
}

/* Runs one variant, or the planner's choice if it is NULL. */
static hyla_status bench_variant(struct bench *b, const char *variant, struct result *r) {
  const struct operation *operation = b->operation;
  struct problem *p = &b->problem;
  ticker_phase(b->run->ticker, "planning");
  hyla_status status = operation_plan(operation, p, variant);
  if (status) return status;
  result_plan(r, p->chosen);
  r->chosen = strcmp(r->variant, b->choice) == 0;
  r->flops = operation_flops(operation, p);
  r->layout = p->layout;
  problem_origin(operation, p, r->layout_from);
  ticker_work(b->run->ticker, r->variant, p->cube,
              (double)(r->predicted.flops * (p->options->repeat + 1)), 0);
  status = operation->ready(p);
  if (!status) status = measure(b);
  if (!status) status = result_count(b->run, r);
  if (!status) status = operation->residual(p, &r->residual);
  if (!status) fill_figures(b, r);
  r->finished = !status;
  return status;
}

/* Prints one row.  Among others, a variant that does not apply is not a failure. */
static hyla_status bench_row(struct bench *b, const char *variant, bool among_others) {
  struct result r;
  result_init(&r, operation_name(b->operation, &b->run->options));
  fill_result(b, &r);
  hyla_status status = bench_variant(b, variant, &r);
  bool refused = status == HYLA_UNSUPPORTED && among_others;
  if (refused) {
    r.status = status;
    snprintf(r.message, sizeof r.message, "%s", hyla_cube_message(b->run->cube));
    r.variant = variant;
    status = HYLA_OK;
  }
  if (!status) {
    if (r.finished && !passes(&r)) r.exit_code = EXIT_NUMERICAL;
    if (r.exit_code != EXIT_DONE) b->exit_code = r.exit_code;
    print(b, &r);
  }
  problem_drop_plan(&b->problem);
  result_free(&r);
  return status;
}

static hyla_status find_choice(struct bench *b) {
  hyla_status status = operation_plan(b->operation, &b->problem, NULL);
  if (!status) b->choice = hyla_plan_variant(b->problem.chosen);
  problem_drop_plan(&b->problem);
  return status;
}

/* Prepares the limit, or the copy, with which the operation is compared. */
static hyla_status make_measure(struct bench *b) {
  const struct options *options = &b->run->options;
  const struct problem *p = &b->problem;
  if (operation_moves(b->operation))
    return copying_create(b->run->cube, p->b, options->repeat + 1, &b->copying);
  int64_t largest = p->n > p->m ? p->n : p->m;
  if (p->k > largest) largest = p->k;
  int64_t depth = p->k >= 0 ? p->k : p->m < p->n ? p->m : p->n;
  if (largest > LIMIT_LEAST && p->m >= 0) /* the mean side, for shapes far from square */
    largest = (int64_t)fmax(LIMIT_LEAST, cbrt((double)p->m * (double)p->n * (double)depth));
  return limit_create(b->run->cube, options->type, largest < LIMIT_MOST ? largest : LIMIT_MOST,
                      options->repeat + 1, &b->limit);
}

static hyla_status bench_all(struct bench *b) {
  const struct options *options = &b->run->options;
  hyla_status status = b->operation->make(&b->problem);
  if (!status) status = find_choice(b);
  if (!status) status = make_measure(b);
  if (status) return status;
  if (!options->variant || strcmp(options->variant, "all") != 0)
    return bench_row(b, options->variant, false);
  const char *name = NULL;
  for (int i = 0;
       (name = hyla_variant_name(operation_variants(b->operation, options), i)) && !status; i++)
    status = bench_row(b, name, true);
  return status;
}

/* ---- the subcommand ---- */

/* Benches one size; later sizes of solve continue the table of the first. */
static int bench_size(struct run *run, const struct operation *operation, bool headed) {
  struct bench b = {.run = run,
                    .operation = operation,
                    .problem = {.cube = run->cube, .options = &run->options},
                    .headed = headed && operation == &operation_solve,
                    .exit_code = EXIT_DONE};
  if (!operation->read_size(&b.problem)) {
    tell(run, "%s needs --size %s", run->options.paths[0], operation->sizes);
    return EXIT_USE;
  }
  int64_t no_memory = !times_init(&b.times, run->options.repeat + 1);
  hyla_status status = hyla_cube_max(run->cube, &no_memory, 1);
  if (!status && no_memory) status = HYLA_MEMORY;
  if (!status) status = bench_all(&b);
  if (status) ticker_stop(&run->ticker);
  limit_destroy(&b.limit);
  copying_destroy(&b.copying);
  times_free(&b.times);
  problem_free(&b.problem);
  if (!status) return b.exit_code;
  const char *why = hyla_cube_message(run->cube);
  tell(run, "%s", *why ? why : hyla_status_text(status));
  return status == HYLA_SINGULAR || status == HYLA_INDEFINITE || status == HYLA_NOT_FINITE
             ? EXIT_NUMERICAL
             : EXIT_USE;
}

/* Benches all sizes, one after the other; a wrong answer does not end the loop. */
static int bench_operation(struct run *run, const struct operation *operation) {
  int code = EXIT_DONE;
  for (int i = 0; i == 0 || options_size(&run->options, i); i++) {
    int here = bench_size(run, operation, i > 0);
    if (here > code) code = here;
    if (here == EXIT_USE) break;
  }
  ticker_stop(&run->ticker);
  return code;
}

int tool_bench(struct run *run) {
  const char *name = run->options.paths[0];
  if (strcmp(name, "collective") == 0) return tool_bench_collective(run);
  const struct operation *operation = operation_asked(&run->options);
  if (operation) return bench_operation(run, operation);
  operation_refuse(run, bench_grammar.usage);
  return EXIT_USE;
}
