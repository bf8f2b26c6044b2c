/* hyla invert: writes the inverse of A to a file and says how good it is. */
#include "operation.h"

const struct grammar invert_grammar = {
    .usage = "A.mtx",
    .text =
        "Invert a square matrix A and say how good X = A^-1 is."
        "\vWithout --method, A decides: for a Hermitian A with a positive diagonal cholesky is "
        "tried, and then lu if A is not definite; for any other A lu.  To solve A x = b take "
        "`hyla solve', which is faster and no less exact.  The residual is HPL's, |A y - v| / (eps "
        "(|A| |y| + |v|) n) in the maximum norm, y = X v for four random v; above 16 the answer is "
        "wrong.  Where that is so, or where A is singular to working precision, a line says why, "
        "the exit status is 1, and X is written only with --force.",
    .lists = {options_of_files, options_of_methods, options_of_parts, options_of_bits,
              options_of_progress, options_of_report},
    .least = 1,
    .most = 1,
};

struct inversion {
  hyla_matrix *a, *x;
  hyla_plan *plan;
  struct way way;
};

/* Finds type and size before any entry of A is read. */
static hyla_status probe(struct run *run, struct result *result) {
  const char *path = run->options.paths[0];
  hyla_status status = tool_check_output(run, result);
  if (!status) status = hyla_matrix_probe(run->cube, path, &result->type, &result->m, &result->n);
  if (!status && result->m != result->n)
    status = result_refuse(result, "%s is %lld x %lld; give a square matrix", path,
                           (long long)result->m, (long long)result->n);
  const struct extent matrix = {result->n, result->n}, all[] = {matrix, matrix};
  return status ? status : tool_afford(run, result->type, 2, all);
}

/* Finds the layout: the one asked for, or one that is good for factors. */
static hyla_status find_layout(struct run *run, struct result *result) {
  hyla_factor *factor = NULL;
  if (run->options.layout)
    return hyla_layout_parse(run->cube, run->options.layout, &result->layout);
  hyla_status status =
      hyla_factor_create(run->cube, HYLA_LU, result->type, result->n, 0, NULL, NULL, &factor);
  if (!status) result->layout = *hyla_factor_layout(factor);
  hyla_factor_destroy(&factor);
  return status;
}

static hyla_status read_matrix(struct run *run, struct inversion *i, struct result *result) {
  double begin = tool_clock();
  hyla_status status = find_layout(run, result);
  if (!status) status = tool_read(run, run->options.paths[0], &result->layout, &i->a);
  result->seconds_read = tool_clock() - begin;
  if (!status)
    status =
        hyla_matrix_create(run->cube, result->type, result->n, result->n, &result->layout, &i->x);
  return status;
}

/* Chooses the method's variant and takes its memory. */
static hyla_status plan(struct run *run, struct inversion *i, hyla_method method,
                        struct result *result) {
  const struct options *o = &run->options;
  hyla_plan_destroy(&i->plan);
  hyla_status status = hyla_invert_plan(run->cube, method, i->a, i->x,
                                        method == o->method ? o->variant : NULL, &i->plan);
  if (status) return status;
  result->method = hyla_method_at((int)method)->name;
  result_plan(result, i->plan);
  result->flops = inverse_flops(method, result->type, result->n);
  return HYLA_OK;
}

/* Plans by A's structure if no method was given. */
static hyla_status plan_found(struct run *run, struct inversion *i, struct result *result) {
  hyla_status status = structure_find(run, i->a, result, &i->way);
  return status ? status : plan(run, i, i->way.method, result);
}

/* Runs the plan; this is timed and counted. */
static hyla_status compute(struct run *run, struct inversion *i, struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  result_begin(run, result, "inverting");
  if (!status) status = hyla_plan_run(cube, i->plan);
  result->seconds = tool_clock() - begin;
  result->pivot = hyla_invert_pivot(i->plan);
  return status ? status : result_count(run, result);
}

/* Inverts; uses LU if A was taken for definite and is not, and counts the time of both. */
static hyla_status compute_found(struct run *run, struct inversion *i, struct result *result) {
  hyla_status status = compute(run, i, result);
  if (status != HYLA_INDEFINITE || !i->way.found) return status;
  double seconds = result->seconds;
  structure_indefinite(result);
  status = plan(run, i, HYLA_LU, result);
  if (!status) status = compute(run, i, result);
  result->seconds += seconds;
  return status;
}

static hyla_status check_inverse(struct run *run, struct inversion *i, struct result *result) {
  /* Products of A and of the inverse with four columns. */
  const double n = (double)result->n;
  ticker_work(run->ticker, "checking the inverse", run->cube,
              16 * n * n / hyla_cube_nodes(run->cube), 0);
  stage_begin(run, STAGE_JUDGE);
  hyla_plan_destroy(&i->plan);
  hyla_status status = hyla_invert_check(run->cube, i->a, i->x, &result->report);
  if (status == HYLA_UNRELIABLE) status = HYLA_OK; /* result_finish reports it */
  result->has_report = result->finished = !status;
  result->residual = result->report.residual;
  return status;
}

int tool_invert(struct run *run) {
  struct result result;
  struct inversion i = {0};
  result_init(&result, "invert");
  hyla_status status = probe(run, &result);
  if (!status) status = read_matrix(run, &i, &result);
  if (!status) status = plan_found(run, &i, &result);
  if (!status) status = compute_found(run, &i, &result);
  if (!status) status = check_inverse(run, &i, &result);
  result_finish(run, &result, status, i.x);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_plan_destroy(&i.plan);
  hyla_matrix_destroy(&i.x);
  hyla_matrix_destroy(&i.a);
  return code;
}
