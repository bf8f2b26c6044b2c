/* hyla lowrank: a matrix by few columns. */
#include "operation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct grammar lowrank_grammar = {
    .usage = "A.mtx",
    .text =
        "Find a matrix Q of few orthonormal columns, and B = Q^H A, so that A = Q B nearly.\vQ "
        "spans what products of A with random vectors show.  --rank K gives it K columns; "
        "--tolerance T adds columns, 16 at a time, until the largest singular value of A - Q B is "
        "at most T |A| (Frobenius norm), except with probability 1e-16.  Where K columns do not "
        "reach T, a line says so, the exit status is 1 and nothing is written.",
    .lists = {options_of_lowrank, options_of_parts, options_of_progress, options_of_report},
    .least = 1,
    .most = 1,
};

struct ranked {
  hyla_matrix *a, *q, *b;
  int64_t columns;
  hyla_plan *plan;
};

/* Finds type and size before any entry of A is read. */
static hyla_status probe(struct run *run, struct ranked *r, struct result *result) {
  const struct options *o = &run->options;
  hyla_status status = tool_check_file(run, "left", o->left, false, result);
  if (!status) status = tool_check_file(run, "right", o->right, false, result);
  if (!status && o->rank == 0 && o->lowrank.tolerance == 0)
    status = result_refuse(result, "give --rank, --tolerance, or both");
  if (!status)
    status = hyla_matrix_probe(run->cube, o->paths[0], &result->type, &result->m, &result->n);
  if (status) return status;
  const int64_t least = result->m < result->n ? result->m : result->n;
  if (o->rank > least)
    return result_refuse(result, "--rank is %lld; %s is %lld x %lld and has no rank above %lld",
                         (long long)o->rank, o->paths[0], (long long)result->m,
                         (long long)result->n, (long long)least);
  r->columns = o->rank > 0 ? o->rank : least;
  const struct extent q = {result->m, r->columns}, b = {r->columns, result->n};
  const struct extent all[] = {{result->m, result->n}, q, q, b};
  return tool_afford(run, result->type, 4, all);
}

/* Reads A; makes room for the results. */
static hyla_status read_matrix(struct run *run, struct ranked *r, struct result *result) {
  const struct options *o = &run->options;
  double begin = tool_clock();
  hyla_status status = tool_read(run, o->paths[0], NULL, &r->a);
  result->seconds_read = tool_clock() - begin;
  if (status) return status;
  result->layout = *hyla_matrix_layout(r->a);
  const hyla_layout *layout = o->layout ? &result->layout : NULL;
  status = hyla_matrix_create(run->cube, result->type, result->m, r->columns, layout, &r->q);
  if (status) return status;
  return hyla_matrix_create(run->cube, result->type, r->columns, result->n, layout, &r->b);
}

/* Additions and multiplications: A W and B, the products that tell the error, and Q. */
static double flops_of(const struct result *result) {
  const double m = (double)result->m, n = (double)result->n,
               rank = (double)result->lowrank.report.rank;
  return (4 * m * n * (rank + 8) + 4 * m * rank * rank) * (type_complex(result->type) ? 4 : 1);
}

static hyla_status plan(struct run *run, struct ranked *r, struct result *result) {
  hyla_lowrank_options options = run->options.lowrank;
  options.seed = (uint64_t)run->options.seed;
  options.variant = run->options.variant;
  stage_begin(run, STAGE_MEMORY);
  hyla_status status =
      hyla_lowrank_plan(run->cube, &options, r->a, r->q, r->b, &result->lowrank.report, &r->plan);
  if (status) return status;
  result_plan(result, r->plan);
  result->method = "qr";
  return HYLA_OK;
}

/* Finds Q and B, with the report, which is part of what is timed. */
static hyla_status compute(struct run *run, struct ranked *r, struct result *result) {
  hyla_status status = hyla_cube_ledger_clear(run->cube);
  if (!status) status = hyla_cube_barrier(run->cube);
  double begin = tool_clock();
  result_begin(run, result, "finding columns");
  if (!status) status = hyla_plan_run(run->cube, r->plan);
  result->seconds = tool_clock() - begin;
  if (status && status != HYLA_UNRELIABLE) return status;
  result->flops = flops_of(result);
  result->residual = 0;
  result->lowrank.made = result->finished = true;
  const hyla_status counted = result_count(run, result);
  return status ? status : counted;
}

/* The columns and rows that are used. */
static hyla_status write_part(struct run *run, hyla_matrix *whole, int64_t rows, int64_t cols,
                              const char *path) {
  hyla_matrix *part = NULL;
  hyla_status status = hyla_matrix_view(whole, 0, 0, rows, cols, &part);
  if (!status) status = hyla_matrix_write(run->cube, part, path);
  hyla_matrix_destroy(&part);
  return status;
}

static hyla_status write_all(struct run *run, struct ranked *r, const struct result *result) {
  const struct options *o = &run->options;
  const int64_t rank = result->lowrank.report.rank;
  hyla_status status = HYLA_OK;
  if (o->left || o->right) stage_begin(run, STAGE_WRITE);
  if (o->left) status = write_part(run, r->q, result->m, rank, o->left);
  if (!status && o->right) status = write_part(run, r->b, rank, result->n, o->right);
  return status;
}

int tool_lowrank(struct run *run) {
  struct result result;
  struct ranked r = {0};
  result_init(&result, "lowrank");
  hyla_status status = probe(run, &r, &result);
  if (!status) status = read_matrix(run, &r, &result);
  if (!status) status = plan(run, &r, &result);
  if (!status) status = compute(run, &r, &result);
  if (!status) status = write_all(run, &r, &result);
  result_finish(run, &result, status, NULL);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_plan_destroy(&r.plan);
  hyla_matrix_destroy(&r.b);
  hyla_matrix_destroy(&r.q);
  hyla_matrix_destroy(&r.a);
  return code;
}
