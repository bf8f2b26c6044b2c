/* hyla lstsq: least squares. */
#include "operation.h"

#include <float.h>
#include <math.h>

const struct grammar lstsq_grammar = {
    .usage = "A.mtx B.mtx",
    .text =
        "Find the X of least norm that minimises |A X - B|, column by column, for any A."
        "\vA is factored by QR without pivots; where its condition does not exclude a lower rank "
        "than its lesser side, R is factored again with pivoted columns, and entries of the "
        "diagonal count towards the rank if they are above T (--rcond) times the first.  The "
        "residual is that change of A, relative to |A| and in units of max(m, n) ulp or of T if "
        "that is more, with which X is exact; above 16 the answer is wrong, a line says so, the "
        "exit status is 1, and X is written only with --force.",
    .lists = {options_of_files, options_of_squares, options_of_parts, options_of_progress,
              options_of_report},
    .least = 2,
    .most = 2,
};

struct squares {
  hyla_matrix *a, *b, *x;
  hyla_plan *plan;
};

/* Finds types and sizes before any entry is read. */
static hyla_status probe(struct run *run, struct result *result) {
  const char *const *paths = run->options.paths;
  hyla_type type = HYLA_DOUBLE;
  int64_t rows = 0;
  hyla_status status = tool_check_output(run, result);
  if (!status)
    status = hyla_matrix_probe(run->cube, paths[0], &result->type, &result->m, &result->n);
  if (!status) status = hyla_matrix_probe(run->cube, paths[1], &type, &rows, &result->nrhs);
  if (!status) status = hyla_vector_probe(run->cube, paths[1], &result->vector);
  if (status) return status;
  if (rows != result->m)
    return result_refuse(result, "%s has %lld rows, but %s has %lld; they must be equal", paths[1],
                         (long long)rows, paths[0], (long long)result->m);
  result->type = type_common(result->type, type);
  const struct extent a = {result->m, result->n}, b = {result->m, result->nrhs},
                      x = {result->n, result->nrhs};
  const struct extent all[] = {a, a, b, b, x};
  return tool_afford(run, result->type, 5, all);
}

static hyla_status read_matrices(struct run *run, struct squares *s, struct result *result) {
  const char *const *paths = run->options.paths;
  const char *asked = run->options.layout;
  hyla_layout layout;
  double begin = tool_clock();
  hyla_status status = asked ? hyla_layout_parse(run->cube, asked, &layout) : HYLA_OK;
  if (!status) status = tool_read(run, paths[0], asked ? &layout : NULL, &s->a);
  if (!status) status = matrix_retype(run->cube, result->type, &s->a);
  if (!status) status = tool_read(run, paths[1], NULL, &s->b);
  if (!status) status = matrix_retype(run->cube, result->type, &s->b);
  result->seconds_read = tool_clock() - begin;
  if (status) return status;
  result->layout = *hyla_matrix_layout(s->a);
  return hyla_matrix_create(run->cube, result->type, result->n, result->nrhs, NULL, &s->x);
}

static hyla_status plan(struct run *run, struct squares *s, struct result *result) {
  hyla_lstsq_options options = run->options.squares;
  options.variant = run->options.variant;
  stage_begin(run, STAGE_MEMORY);
  hyla_status status =
      hyla_lstsq_plan(run->cube, &options, s->a, s->b, s->x, &result->squares.report, &s->plan);
  if (status) return status;
  result_plan(result, s->plan);
  result->method = "qr";
  result->flops = lstsq_flops(result->type, result->m, result->n, result->nrhs);
  return HYLA_OK;
}

/* Solves, with the report, which is part of what is timed. */
static hyla_status compute(struct run *run, struct squares *s, struct result *result) {
  hyla_status status = hyla_cube_ledger_clear(run->cube);
  if (!status) status = hyla_cube_barrier(run->cube);
  double begin = tool_clock();
  result_begin(run, result, "factoring, solving, checking");
  if (!status) status = hyla_plan_run(run->cube, s->plan);
  result->seconds = tool_clock() - begin;
  if (status) return status;
  const hyla_lstsq_report *report = &result->squares.report;
  const double ulp = result->type == HYLA_FLOAT || result->type == HYLA_COMPLEX
                         ? (double)FLT_EPSILON
                         : DBL_EPSILON;
  const double units = ulp * (double)(result->m > result->n ? result->m : result->n);
  result->residual =
      report->backward_error == 0 ? 0 : report->backward_error / fmax(units, report->tolerance);
  result->squares.made = result->finished = true;
  return result_count(run, result);
}

int tool_lstsq(struct run *run) {
  struct result result;
  struct squares s = {0};
  result_init(&result, "lstsq");
  hyla_status status = probe(run, &result);
  if (!status) status = read_matrices(run, &s, &result);
  if (!status) status = plan(run, &s, &result);
  if (!status) status = compute(run, &s, &result);
  result_finish(run, &result, status, s.x);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_plan_destroy(&s.plan);
  hyla_matrix_destroy(&s.x);
  hyla_matrix_destroy(&s.b);
  hyla_matrix_destroy(&s.a);
  return code;
}
