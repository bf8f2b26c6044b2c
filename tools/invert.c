/* hyla invert: the inverse of A as a file, and how good it is. */
#include "operation.h"

const struct grammar invert_grammar = {
    .usage = "A.mtx",
    .text =
        "Invert a square matrix A and say how good X = A^-1 is."
        "\vBy gauss-jordan, the default, X is made in place of a copy of A; by the other methods "
        "A is factored and A X = I solved.  To solve A x = b take `hyla solve', which is faster "
        "and no less exact.  The residual is HPL's, |A y - v| / (eps (|A| |y| + |v|) n) in the "
        "maximum norm, y = X v for four random v; above 16 the answer is wrong.  Where that is so, "
        "or where A is singular to working precision, a line says why, the exit status is 1, and "
        "X is written with --force alone.",
    .lists = {options_of_files, options_of_methods, options_of_parts, options_of_progress,
              options_of_report},
    .least = 1,
    .most = 1,
};

enum { CHECKED = 4 }; /* columns by which X is checked */

struct inversion {
  hyla_matrix *a, *x;
  hyla_factor *factor;
};

/* Type and size, before anything of A is read. */
static hyla_status probe(struct run *run, struct result *result) {
  const char *path = run->options.paths[0];
  hyla_status status = tool_check_output(run, result);
  if (!status) status = hyla_matrix_probe(run->cube, path, &result->type, &result->m, &result->n);
  if (!status && result->m != result->n)
    status = result_refuse(result, "%s is %lld x %lld; give a square matrix", path,
                           (long long)result->m, (long long)result->n);
  return status;
}

/* Chooses the variant and takes its memory: A is read where the factors will lie. */
static hyla_status plan(struct run *run, struct inversion *i, struct result *result) {
  const struct options *o = &run->options;
  hyla_method method = o->method_given ? o->method : HYLA_GAUSS_JORDAN;
  int64_t sides = method == HYLA_GAUSS_JORDAN || result->n < CHECKED ? CHECKED : result->n;
  hyla_layout asked;
  hyla_status status = HYLA_OK;
  if (o->layout) status = hyla_layout_parse(run->cube, o->layout, &asked);
  if (!status)
    status = hyla_factor_create(run->cube, method, result->type, result->n, sides,
                                o->layout ? &asked : NULL, o->variant, &i->factor);
  if (status) return status;
  result->layout = *hyla_factor_layout(i->factor);
  result->method = hyla_method_at((int)method)->name;
  result_plan(result, hyla_factor_plan(i->factor));
  result->flops = inverse_flops(result->type, result->n);
  return HYLA_OK;
}

static hyla_status read_matrix(struct run *run, struct inversion *i, struct result *result) {
  double begin = tool_clock();
  hyla_status status = tool_read(run, run->options.paths[0], &result->layout, &i->a);
  result->seconds_read = tool_clock() - begin;
  if (!status)
    status =
        hyla_matrix_create(run->cube, result->type, result->n, result->n, &result->layout, &i->x);
  return status;
}

/* Factors and inverts: what is timed and counted. */
static hyla_status compute(struct run *run, struct inversion *i, struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  ticker_phase(run->ticker, "factoring");
  if (!status) status = hyla_factor_compute(cube, i->factor, i->a);
  ticker_phase(run->ticker, "inverting");
  if (!status) status = hyla_factor_inverse(cube, i->factor, i->x);
  result->seconds = tool_clock() - begin;
  result->pivot = hyla_factor_pivot(i->factor);
  return status ? status : result_count(run, result);
}

/* X v, a solution of A y = v. */
static hyla_status check_inverse(struct run *run, struct inversion *i, struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_matrix *v = NULL, *y = NULL;
  ticker_phase(run->ticker, "checking the inverse");
  hyla_status status =
      hyla_matrix_create(cube, result->type, result->n, CHECKED, &result->layout, &v);
  if (!status)
    status = hyla_matrix_create(cube, result->type, result->n, CHECKED, &result->layout, &y);
  if (!status) status = hyla_matrix_generate(cube, v, HYLA_RANDOM, 1);
  if (!status) status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, i->x, v, 0, y);
  if (!status)
    status = hyla_factor_check(cube, i->factor, i->a, v, HYLA_REFINE_NONE, y, &result->report);
  if (status == HYLA_UNRELIABLE) status = HYLA_OK; /* result_finish says so */
  result->has_report = result->finished = !status;
  result->residual = result->report.residual;
  hyla_matrix_destroy(&y);
  hyla_matrix_destroy(&v);
  return status;
}

int tool_invert(struct run *run) {
  struct result result;
  struct inversion i = {0};
  result_init(&result, "invert");
  hyla_status status = probe(run, &result);
  if (!status) status = plan(run, &i, &result);
  if (!status) status = read_matrix(run, &i, &result);
  if (!status) status = compute(run, &i, &result);
  if (!status) status = check_inverse(run, &i, &result);
  result_finish(run, &result, status, i.x);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  hyla_factor_destroy(&i.factor);
  hyla_matrix_destroy(&i.x);
  hyla_matrix_destroy(&i.a);
  return code;
}
