/* hyla svd: singular values and vectors of a matrix. */
#include "operation.h"

#include <math.h>
#include <stdlib.h>

const struct grammar svd_grammar = {
    .usage = "A.mtx",
    .text =
        "Find the singular values of a matrix A, and vectors: A = U diag(s) V^H.\vA is m x n, of "
        "any shape.  --left writes U, m x min(m, n), --right V^H, min(m, n) x n, and --values "
        "s in descending order.  The residual is |A - U diag(s) V^H| / (|A| max(m, n) ulp); "
        "the orthogonality is the larger of |U^H U - I| / (m ulp) and |V^H V - I| / (n ulp), "
        "in Frobenius norms.  Where one of them is above 1, a line says so, "
        "the exit status is 1 and nothing is written.",
    .lists = {options_of_singular, options_of_parts, options_of_progress, options_of_report},
    .least = 1,
    .most = 1,
};

struct decomposition {
  hyla_matrix *a, *left, *right;
  hyla_plan *plan;
  double *values;
  int64_t count;
  hyla_svd_report found;
};

/* Finds type and size before any entry of A is read. */
static hyla_status probe(struct run *run, struct decomposition *d, struct result *result) {
  const struct options *o = &run->options;
  hyla_status status = tool_check_file(run, "left", o->left, false, result);
  if (!status) status = tool_check_file(run, "right", o->right, false, result);
  if (!status) status = tool_check_file(run, "values", o->values, true, result);
  if (!status && (o->left || o->right) && o->no_vectors)
    status = result_refuse(result, "--left and --right write vectors, and --no-vectors finds none");
  if (!status && o->singular.method && o->variant)
    status = result_refuse(result, "--variant names a method's variant; give it without --method");
  if (!status)
    status = hyla_matrix_probe(run->cube, o->paths[0], &result->type, &result->m, &result->n);
  if (status) return status;
  d->count = result->m < result->n ? result->m : result->n;
  const struct extent all[] = {
      {result->m, result->n}, {result->m, d->count}, {d->count, result->n}};
  return tool_afford(run, result->type, o->no_vectors ? 1 : 3, all);
}

/* Reads A; makes room for the results. */
static hyla_status read_matrix(struct run *run, struct decomposition *d, struct result *result) {
  const struct options *o = &run->options;
  double begin = tool_clock();
  hyla_status status = tool_read(run, o->paths[0], NULL, &d->a);
  result->seconds_read = tool_clock() - begin;
  if (status) return status;
  result->layout = *hyla_matrix_layout(d->a);
  const hyla_layout *layout = o->layout ? &result->layout : NULL;
  d->values = calloc((size_t)d->count + 1, sizeof *d->values);
  status = hyla_cube_afford(run->cube, d->values ? 0 : INT64_MAX / 2);
  if (status || o->no_vectors) return status;
  status = hyla_matrix_create(run->cube, result->type, result->m, d->count, layout, &d->left);
  if (status) return status;
  return hyla_matrix_create(run->cube, result->type, d->count, result->n, layout, &d->right);
}

static hyla_status plan(struct run *run, struct decomposition *d, struct result *result) {
  hyla_svd_options options = run->options.singular;
  if (run->options.variant) options.method = run->options.variant;
  stage_begin(run, STAGE_MEMORY);
  hyla_status status =
      hyla_svd_plan(run->cube, &options, d->a, d->values, d->left, d->right, &d->plan);
  if (status) return status;
  result_plan(result, d->plan);
  result->flops = svd_flops(result->type, result->m, result->n);
  return HYLA_OK;
}

/* Runs the plan; this is timed and counted. */
static hyla_status compute(struct run *run, struct decomposition *d, struct result *result) {
  hyla_status status = hyla_cube_ledger_clear(run->cube);
  if (!status) status = hyla_cube_barrier(run->cube);
  double begin = tool_clock();
  result_begin(run, result, "finding values");
  if (!status) status = hyla_plan_run(run->cube, d->plan);
  result->seconds = tool_clock() - begin;
  if (!status) status = hyla_svd_found(d->plan, &d->found);
  return status ? status : result_count(run, result);
}

static hyla_status judge(struct run *run, struct decomposition *d, struct result *result) {
  hyla_svd_errors errors = {0, 0, 0};
  hyla_status status = HYLA_OK;
  ticker_phase(run->ticker, "checking vectors");
  stage_begin(run, STAGE_JUDGE);
  hyla_plan_destroy(&d->plan);
  if (d->left) status = hyla_svd_check(run->cube, d->a, d->values, d->left, d->right, &errors);
  result->spectrum = (struct spectrum_shown){.values = d->values,
                                             .found = {.count = d->count},
                                             .singular = true,
                                             .certain = d->found,
                                             .vectors = d->left != NULL,
                                             .reliable = status == HYLA_OK,
                                             .orthogonality = fmax(errors.left, errors.right)};
  result->residual = errors.residual;
  result->finished = status == HYLA_OK || status == HYLA_UNRELIABLE;
  return status;
}

static hyla_status write_all(struct run *run, struct decomposition *d) {
  const struct options *o = &run->options;
  hyla_status status = HYLA_OK;
  if (o->left || o->right) stage_begin(run, STAGE_WRITE);
  if (o->left) status = hyla_matrix_write(run->cube, d->left, o->left);
  if (!status && o->right) status = hyla_matrix_write(run->cube, d->right, o->right);
  return status ? status : tool_write_values(run, d->values, d->count);
}

int tool_svd(struct run *run) {
  struct result result;
  struct decomposition d = {0};
  result_init(&result, "svd");
  hyla_status status = probe(run, &d, &result);
  if (!status) status = read_matrix(run, &d, &result);
  if (!status) status = plan(run, &d, &result);
  if (!status) status = compute(run, &d, &result);
  if (!status) status = judge(run, &d, &result);
  if (!status) status = write_all(run, &d);
  result_finish(run, &result, status, NULL);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_plan_destroy(&d.plan);
  hyla_matrix_destroy(&d.right);
  hyla_matrix_destroy(&d.left);
  hyla_matrix_destroy(&d.a);
  free(d.values);
  return code;
}
