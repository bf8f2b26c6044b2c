/* hyla eig: eigenvalues and vectors of a Hermitian matrix. */
#include "operation.h"

#include <math.h>
#include <stdlib.h>

const struct grammar eig_grammar = {
    .usage = "A.mtx",
    .text =
        "Find the eigenvalues of a symmetric or Hermitian matrix A, and vectors V: A V = V diag(w)."
        "\vOnly one triangle of A is read.  --output writes V, a column for each value, and "
        "--values w; both in ascending order.  The residual is |A V - V diag(w)| / (|A| n ulp), "
        "the orthogonality |V^H V - I| / (n ulp), in Frobenius norms.  Where the residual is above "
        "1/2 and 8 / n, or the orthogonality above 2 and 16 / n, a line says so, the exit status "
        "is 1 and nothing is written.",
    .lists = {options_of_files, options_of_spectra, options_of_parts, options_of_progress,
              options_of_report},
    .least = 1,
    .most = 1,
};

struct spectrum {
  hyla_matrix *a, *v;
  hyla_plan *plan;
  double *values;
  int64_t columns; /* of V */
  hyla_spectrum found;
};

/* Finds type and size before any entry of A is read. */
static hyla_status probe(struct run *run, struct result *result) {
  const struct options *o = &run->options;
  hyla_status status = tool_check_output(run, result);
  if (!status) status = tool_check_file(run, "values", o->values, true, result);
  if (!status && o->output && o->no_vectors)
    status = result_refuse(result, "--output writes vectors, and --no-vectors finds none");
  if (!status)
    status = hyla_matrix_probe(run->cube, o->paths[0], &result->type, &result->m, &result->n);
  if (!status && result->m != result->n)
    status = result_refuse(result, "%s is %lld x %lld; give a square matrix", o->paths[0],
                           (long long)result->m, (long long)result->n);
  if (!status && o->eigen.range == HYLA_EIGEN_INDEX && o->eigen.last >= result->n)
    status = result_refuse(result, "--range: values 0 to %lld there are, not %lld",
                           (long long)result->n - 1, (long long)o->eigen.last);
  const struct extent matrix = {result->n, result->n}, all[] = {matrix, matrix};
  return status ? status : tool_afford(run, result->type, o->no_vectors ? 1 : 2, all);
}

/* Reads A; makes room for the results. */
static hyla_status read_matrix(struct run *run, struct spectrum *s, struct result *result) {
  const struct options *o = &run->options;
  const bool by_index = o->eigen.range == HYLA_EIGEN_INDEX;
  double begin = tool_clock();
  s->columns = by_index ? o->eigen.last - o->eigen.first + 1 : result->n;
  hyla_status status = tool_read(run, o->paths[0], NULL, &s->a);
  result->seconds_read = tool_clock() - begin;
  if (status) return status;
  result->layout = *hyla_matrix_layout(s->a);
  s->values = calloc((size_t)result->n + 1, sizeof *s->values);
  status = hyla_cube_afford(run->cube, s->values ? 0 : INT64_MAX / 2);
  if (status || o->no_vectors) return status;
  return hyla_matrix_create(run->cube, result->type, result->n, s->columns,
                            o->layout ? &result->layout : NULL, &s->v);
}

static hyla_status plan(struct run *run, struct spectrum *s, struct result *result) {
  hyla_eigen_options options = run->options.eigen;
  options.variant = run->options.variant;
  stage_begin(run, STAGE_MEMORY);
  hyla_status status =
      hyla_eigen_plan(run->cube, &options, run->options.triangle, s->a, s->values, s->v, &s->plan);
  if (status) return status;
  result_plan(result, s->plan);
  result->flops = eigen_flops(result->type, result->n, s->v ? s->columns : 0);
  return HYLA_OK;
}

/* Runs the plan; this is timed and counted. */
static hyla_status compute(struct run *run, struct spectrum *s, struct result *result) {
  hyla_status status = hyla_cube_ledger_clear(run->cube);
  if (!status) status = hyla_cube_barrier(run->cube);
  double begin = tool_clock();
  result_begin(run, result, "finding values");
  if (!status) status = hyla_plan_run(run->cube, s->plan);
  result->seconds = tool_clock() - begin;
  if (!status) status = hyla_eigen_found(s->plan, &s->found);
  return status ? status : result_count(run, result);
}

/* The columns of V that are vectors. */
static hyla_status keep_vectors(struct run *run, struct spectrum *s) {
  hyla_matrix *some = NULL;
  if (!s->v || s->found.count == s->columns) return HYLA_OK;
  hyla_status status = hyla_matrix_create(run->cube, hyla_matrix_type(s->v), hyla_matrix_rows(s->v),
                                          s->found.count, NULL, &some);
  hyla_matrix *part = NULL;
  if (!status) status = hyla_matrix_view(s->v, 0, 0, hyla_matrix_rows(s->v), s->found.count, &part);
  if (!status) status = hyla_matrix_copy(run->cube, part, some);
  hyla_matrix_destroy(&part);
  hyla_matrix_destroy(&s->v);
  s->v = some;
  return status;
}

static hyla_status judge(struct run *run, struct spectrum *s, struct result *result) {
  hyla_eigen_errors errors = {0, 0};
  ticker_phase(run->ticker, "checking vectors");
  stage_begin(run, STAGE_JUDGE);
  hyla_plan_destroy(&s->plan);
  hyla_status status = keep_vectors(run, s);
  if (!status && s->v)
    status = hyla_eigen_check(run->cube, run->options.triangle, s->a, s->values, s->v, &errors);
  result->spectrum = (struct spectrum_shown){.values = s->values,
                                             .found = s->found,
                                             .vectors = s->v != NULL,
                                             .reliable = status == HYLA_OK,
                                             .orthogonality = errors.orthogonality};
  result->residual = errors.residual;
  result->finished = status == HYLA_OK || status == HYLA_UNRELIABLE;
  return status;
}

static hyla_scalar value_at(void *arg, int64_t row, int64_t col) {
  (void)col;
  return ((const double *)arg)[row];
}

static hyla_status write_values(struct run *run, struct spectrum *s) {
  hyla_matrix *column = NULL;
  if (!run->options.values) return HYLA_OK;
  stage_begin(run, STAGE_WRITE);
  hyla_status status = hyla_matrix_create(run->cube, HYLA_DOUBLE, s->found.count, 1, NULL, &column);
  if (!status) status = hyla_matrix_fill(run->cube, column, value_at, s->values);
  if (!status) status = hyla_vector_write(run->cube, column, run->options.values);
  hyla_matrix_destroy(&column);
  return status;
}

int tool_eig(struct run *run) {
  struct result result;
  struct spectrum s = {0};
  result_init(&result, "eig");
  hyla_status status = probe(run, &result);
  if (!status) status = read_matrix(run, &s, &result);
  if (!status) status = plan(run, &s, &result);
  if (!status) status = compute(run, &s, &result);
  if (!status) status = judge(run, &s, &result);
  if (!status) status = write_values(run, &s);
  result_finish(run, &result, status, s.v);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_plan_destroy(&s.plan);
  hyla_matrix_destroy(&s.v);
  hyla_matrix_destroy(&s.a);
  free(s.values);
  return code;
}
