/* hyla eig: eigenvalues and vectors of a Hermitian matrix. */
#include "operation.h"

#include <math.h>
#include <stdlib.h>

const struct grammar eig_grammar = {
    .usage = "A.mtx [B.mtx]",
    .text =
        "Find the eigenvalues of a symmetric or Hermitian matrix A, and vectors V: A V = V "
        "diag(w), or with a positive definite B: A V = B V diag(w)."
        "\vOnly one triangle of A and of B is read.  --output writes V, a column for each "
        "value, and --values w; both in ascending order.  The residual is |A V - V diag(w)| / "
        "(|A| n ulp), the orthogonality |V^H V - I| / (n ulp), in Frobenius norms; with B they "
        "are those of hyla_eigen_generalized_check.  Where they miss its bounds, or those of "
        "hyla_eigen_check (residual above 1/2; orthogonality above 1, for n up to 16 above 2), "
        "a line says so, the exit status is 1 and nothing is written.  Without vectors, all values "
        "of A are held against its norm and trace; of a part of them, and of those with B, the "
        "first and the last are checked by counting values beside them.  With --verify A and B are "
        "read again at the end, and must be what was solved.",
    .lists = {options_of_files, options_of_spectra, options_of_parts, options_of_bits,
              options_of_progress, options_of_report},
    .least = 1,
    .most = 2,
};

struct spectrum {
  hyla_matrix *a, *b, *v; /* b: NULL without a second matrix */
  hyla_plan *plan;
  double *values;
  int64_t columns; /* of V */
  hyla_spectrum found;
};

static const char *second_path(const struct run *run) { return run->options.paths[1]; }

/* Refuses a matrix that is not square, and options that do not fit. */
static hyla_status check_heads(const struct run *run, const int64_t rows[2], const int64_t cols[2],
                               struct result *result) {
  const struct options *o = &run->options;
  const int count = second_path(run) ? 2 : 1;
  for (int i = 0; i < count; i++)
    if (rows[i] != cols[i])
      return result_refuse(result, "%s is %lld x %lld; give a square matrix", o->paths[i],
                           (long long)rows[i], (long long)cols[i]);
  if (count == 2 && rows[0] != rows[1])
    return result_refuse(result, "%s has %lld rows, but %s has %lld; they must be equal",
                         o->paths[1], (long long)rows[1], o->paths[0], (long long)rows[0]);
  if (o->eigen.range != HYLA_EIGEN_ALL && !o->no_vectors && o->pencil == 3)
    return result_refuse(result, "--type 3 finds all vectors, or none: give no --range and no "
                                 "--interval, or --no-vectors");
  if (count == 1 && o->pencil) return result_refuse(result, "--type is for two matrices");
  if (o->eigen.range == HYLA_EIGEN_INDEX && o->eigen.last >= rows[0])
    return result_refuse(result, "--range: values 0 to %lld there are, not %lld",
                         (long long)rows[0] - 1, (long long)o->eigen.last);
  return HYLA_OK;
}

/* Finds type and size before any entry is read. */
static hyla_status probe(struct run *run, struct result *result) {
  const struct options *o = &run->options;
  hyla_type type[2];
  int64_t rows[2] = {0}, cols[2] = {0};
  hyla_status status = tool_check_output(run, result);
  if (!status) status = tool_check_file(run, "values", o->values, true, result);
  if (!status && o->output && o->no_vectors)
    status = result_refuse(result, "--output writes vectors, and --no-vectors finds none");
  for (int i = 0; i < (second_path(run) ? 2 : 1) && !status; i++)
    status = hyla_matrix_probe(run->cube, o->paths[i], &type[i], &rows[i], &cols[i]);
  if (!status) status = check_heads(run, rows, cols, result);
  if (status) return status;
  result->type = second_path(run) ? type_common(type[0], type[1]) : type[0];
  result->m = result->n = rows[0];
  const struct extent matrix = {result->n, result->n}, all[] = {matrix, matrix, matrix};
  return tool_afford(run, result->type, (second_path(run) ? 2 : 1) + !o->no_vectors, all);
}

/* Reads B, and gives both the type that holds the entries of both. */
static hyla_status read_second(struct run *run, struct spectrum *s, const struct result *result) {
  hyla_status status = tool_read(run, second_path(run), NULL, &s->b);
  if (!status) status = matrix_retype(run->cube, result->type, &s->a);
  return status ? status : matrix_retype(run->cube, result->type, &s->b);
}

/* Reads A and B; makes room for the results. */
static hyla_status read_matrix(struct run *run, struct spectrum *s, struct result *result) {
  const struct options *o = &run->options;
  const bool by_index = o->eigen.range == HYLA_EIGEN_INDEX;
  double begin = tool_clock();
  s->columns = by_index ? o->eigen.last - o->eigen.first + 1 : result->n;
  hyla_status status = tool_read(run, o->paths[0], NULL, &s->a);
  if (!status && second_path(run)) status = read_second(run, s, result);
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
  const hyla_triangle triangle = run->options.triangle;
  stage_begin(run, STAGE_MEMORY);
  hyla_status status =
      s->b ? hyla_eigen_generalized_plan(run->cube, &options, pencil_of(&run->options), triangle,
                                         s->a, s->b, s->values, s->v, &s->plan)
           : hyla_eigen_plan(run->cube, &options, triangle, s->a, s->values, s->v, &s->plan);
  if (status) return status;
  const int64_t vectors = s->v ? s->columns : 0;
  result_plan(result, s->plan);
  result->flops = s->b ? pencil_flops(result->type, result->n, vectors)
                       : eigen_flops(result->type, result->n, vectors);
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
  result->pivot = hyla_eigen_generalized_pivot(s->plan);
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

/* With --verify: is the matrix still the file's? */
static hyla_status hold(struct run *run, const hyla_matrix *matrix, const char *path,
                        struct result *result) {
  hyla_matrix *again = NULL;
  double different = 0;
  hyla_status status = tool_read(run, path, hyla_matrix_layout(matrix), &again);
  if (!status) status = matrix_retype(run->cube, result->type, &again);
  if (!status) status = passage_residual(run->cube, HYLA_NONE, matrix, again, &different);
  hyla_matrix_destroy(&again);
  if (status || !(different > 0)) return status;
  result_refuse(result, "%s has changed in memory since it was read; run it again", path);
  return HYLA_DAMAGED;
}

/* Values without vectors are checked by counting if they are a part, or of a problem with B, whose
 * trace is not known. */
static bool is_counted(const struct spectrum *s, const struct result *result) {
  return !s->v && s->found.count > 0 && (s->b || s->found.count < result->n);
}

static hyla_status check(struct run *run, const struct spectrum *s, struct result *result,
                         hyla_eigen_errors *errors, hyla_eigen_counts *counts) {
  const struct options *o = &run->options;
  hyla_status status = HYLA_OK;
  if (s->b && s->v)
    status = hyla_eigen_generalized_check(run->cube, pencil_of(o), o->triangle, s->a, s->b,
                                          s->values, s->v, errors);
  else if (is_counted(s, result))
    status = hyla_eigen_check_counts(run->cube, pencil_of(o), o->triangle, s->a, s->b,
                                     s->found.first, s->found.count, s->values, counts);
  else if (s->v || s->found.count == result->n)
    status = s->v ? hyla_eigen_check(run->cube, o->triangle, s->a, s->values, s->v, errors)
                  : hyla_eigen_check_values(run->cube, o->triangle, s->a, s->values, errors);
  if (!status && o->verify) status = hold(run, s->a, o->paths[0], result);
  return !status && o->verify && s->b ? hold(run, s->b, o->paths[1], result) : status;
}

static hyla_status judge(struct run *run, struct spectrum *s, struct result *result) {
  hyla_eigen_errors errors = {0, 0};
  hyla_eigen_counts counts = {{0}, {{0}}};
  /* Two products of order n, A Z and Z^H Z. */
  const double n = (double)result->n, k = (double)s->found.count;
  ticker_work(run->ticker, "checking vectors", run->cube,
              2 * n * k * (n + k) / hyla_cube_nodes(run->cube), 0);
  stage_begin(run, STAGE_JUDGE);
  hyla_plan_destroy(&s->plan);
  hyla_status status = keep_vectors(run, s);
  if (!status) status = check(run, s, result, &errors, &counts);
  result->spectrum = (struct spectrum_shown){.values = s->values,
                                             .found = s->found,
                                             .vectors = s->v != NULL,
                                             .reliable = status == HYLA_OK,
                                             .counted = counts.within[0] > 0,
                                             .counts = counts,
                                             .unchecked = s->found.count == 0 && result->n > 0,
                                             .orthogonality = errors.orthogonality};
  result->residual = errors.residual;
  result->finished = status == HYLA_OK || status == HYLA_UNRELIABLE;
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
  if (!status) status = tool_write_values(run, s.values, s.found.count);
  result_finish(run, &result, status, s.v);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_plan_destroy(&s.plan);
  hyla_matrix_destroy(&s.v);
  hyla_matrix_destroy(&s.b);
  hyla_matrix_destroy(&s.a);
  free(s.values);
  return code;
}
