/* hyla solve: A X = B by a factorization of A, or by substitution if A is triangular. */
#include "operation.h"

#include <math.h>
#include <stdlib.h>

const struct grammar solve_grammar = {
    .usage = "A.mtx [B.mtx]",
    .text =
        "Solve A X = B for a square matrix A and say how good X is."
        "\vWithout --method, A decides: a triangular A is not factored; for a Hermitian A with a "
        "positive diagonal cholesky is tried, and then lu if A is not definite; any other A is "
        "factored by lu.  Without B the right-hand side is A (1, ..., 1)^T, so that the answer is "
        "known; the forward error then stands beside the residual.  Files are Matrix Market (array "
        "or coordinate) or NumPy (.npy), known by their first bytes; where the types of A and B "
        "differ both are taken in the type that holds both.  The residual is HPL's, "
        "|A x - b| / (eps (|A| |x| + |b|) n) in the maximum norm; above 16 the answer is wrong.  "
        "Where that is so, where A is singular to working precision, or where refinement does not "
        "converge, a line says why, the exit status is 1, and X is written only with --force.",
    .lists = {options_of_files, options_of_methods, options_of_refinement, options_of_parts,
              options_of_bits, options_of_states, options_of_progress, options_of_report},
    .least = 1,
    .most = 2,
};

/* The matrices of one run. */
struct system {
  hyla_matrix *a, *b, *x;
  hyla_matrix *ones; /* the known answer; NULL if B was given */
  hyla_factor *factor;
  hyla_method method;      /* of the factorization */
  hyla_plan *substitution; /* if A is triangular */
  struct way way;
  bool far; /* A's largest entry is so far from 1 that A's own factors may leave the range */
};

static void system_free(struct system *system) {
  hyla_factor_destroy(&system->factor);
  hyla_plan_destroy(&system->substitution);
  hyla_matrix_destroy(&system->ones);
  hyla_matrix_destroy(&system->x);
  hyla_matrix_destroy(&system->b);
  hyla_matrix_destroy(&system->a);
}

/* The type and size in a file's head. */
struct head {
  hyla_type type;
  int64_t rows, cols;
};

/* The type in which mixed refinement factors; the type itself if it has no half. */
static hyla_type type_half(hyla_type type) {
  return type == HYLA_DOUBLE ? HYLA_FLOAT : type == HYLA_DOUBLE_COMPLEX ? HYLA_COMPLEX : type;
}

static bool refined_in_half(const struct run *run) {
  hyla_refinement refinement = run->options.refinement;
  return refinement == HYLA_REFINE_MIXED || refinement == HYLA_REFINE_MIXED_EXTENDED;
}

/* Refuses systems that solve cannot take; the sizes are the same on all ranks.  b: NULL if there is
 * no file for it. */
static hyla_status check_heads(struct run *run, const struct head *a, const struct head *b,
                               struct result *result) {
  const char *const *paths = run->options.paths;
  if (a->rows != a->cols)
    return result_refuse(result, "%s is %lld x %lld; give a square matrix, or take hyla lstsq",
                         paths[0], (long long)a->rows, (long long)a->cols);
  if (run->options.reproducible && run->options.refinement > HYLA_REFINE_NONE)
    return result_refuse(result,
                         "--refine sums residuals in an order that depends on the number of "
                         "ranks; give --refine or --reproducible");
  if (run->options.quick &&
      (run->options.equilibrate || run->options.refinement > HYLA_REFINE_NONE))
    return result_refuse(result, "--quick leaves out steps that --refine and --equilibrate need; "
                                 "give --quick or these");
  if (refined_in_half(run) && type_half(a->type) == a->type)
    return result_refuse(
        result, "%s is %s, which has no half precision to factor in; take --refine %s", paths[0],
        type_name(a->type), run->options.refinement == HYLA_REFINE_MIXED ? "fixed" : "extended");
  if (!b) return HYLA_OK;
  if (b->rows != a->rows)
    return result_refuse(result, "%s has %lld rows, but %s has %lld; they must be equal", paths[1],
                         (long long)b->rows, paths[0], (long long)a->rows);
  return HYLA_OK;
}

static hyla_status probe(struct run *run, int file, struct head *head) {
  return hyla_matrix_probe(run->cube, run->options.paths[file], &head->type, &head->rows,
                           &head->cols);
}

/* Finds the system's type and size before any entry is read. */
static hyla_status probe_system(struct run *run, struct result *result) {
  struct head a = {0}, b = {0};
  bool given = run->options.paths[1] != NULL;
  hyla_status status = states_check(run, result);
  if (!status) status = tool_check_output(run, result);
  if (!status) status = probe(run, 0, &a);
  if (!status && given) status = probe(run, 1, &b);
  if (!status && given)
    status = hyla_vector_probe(run->cube, run->options.paths[1], &result->vector);
  if (given) a.type = type_common(a.type, b.type); /* both are read in this type */
  if (!status) status = check_heads(run, &a, given ? &b : NULL, result);
  if (status) return status;
  result->type = a.type;
  result->n = a.rows;
  result->nrhs = given ? b.cols : 1;
  /* A, the right-hand sides, the answer and, unless A is triangular, its factors. */
  const struct extent x = {a.rows, result->nrhs}, matrix = {a.rows, a.rows};
  const struct extent all[] = {matrix, x, x, matrix};
  return tool_afford(run, a.type, run->options.triangular || refined_in_half(run) ? 3 : 4, all);
}

/* B := A (1, ..., 1)^T. */
static hyla_status make_right_side(struct run *run, struct system *system) {
  hyla_cube *cube = run->cube;
  hyla_type type = hyla_matrix_type(system->a);
  int64_t n = hyla_matrix_rows(system->a);
  const hyla_layout *layout = hyla_matrix_layout(system->a);
  hyla_status status = hyla_matrix_create(cube, type, n, 1, layout, &system->ones);
  if (!status) status = hyla_matrix_create(cube, type, n, 1, layout, &system->b);
  if (!status) status = hyla_matrix_generate(cube, system->ones, HYLA_ONES, 0);
  if (!status)
    status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, system->a, system->ones, 0, system->b);
  return status;
}

/* The variant that was asked for, if it is this method's. */
static const char *variant_of(const struct run *run, hyla_method method) {
  return method == run->options.method ? run->options.variant : NULL;
}

/* Makes the factorization (its variant and its memory) in that layout if it is not NULL. */
static hyla_status plan(struct run *run, struct system *system, hyla_method method,
                        const hyla_layout *layout, struct result *result) {
  bool mixed = refined_in_half(run);
  system->method = method;
  hyla_factor_destroy(&system->factor);
  hyla_status status = hyla_factor_create(
      run->cube, method, mixed ? type_half(result->type) : result->type, result->n,
      result->nrhs > 0 ? result->nrhs : 1, layout, variant_of(run, method), &system->factor);
  if (status) return status;
  result->layout = *hyla_factor_layout(system->factor);
  result->method = hyla_method_at((int)method)->name;
  result_plan(result, hyla_factor_plan(system->factor));
  result->flops = factor_flops(method, result->type, result->n, result->n, result->nrhs);
  return HYLA_OK;
}

/* Plans before reading, so that A is read into the layout of the factors. */
static hyla_status plan_first(struct run *run, struct system *system, struct result *result) {
  const char *asked = run->options.layout;
  hyla_layout layout;
  hyla_status status = HYLA_OK;
  if (asked) status = hyla_layout_parse(run->cube, asked, &layout);
  if (!status && run->options.triangular) {
    if (!asked) status = hyla_layout_default(run->cube, result->n, result->n, &layout);
    result->layout = layout;
    return status;
  }
  return status ? status : plan(run, system, run->options.method, asked ? &layout : NULL, result);
}

/* X := B, and plans the substitution in X. */
static hyla_status plan_substitution(struct run *run, struct system *system,
                                     struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_factor_destroy(&system->factor);
  hyla_status status = hyla_matrix_copy(cube, system->b, system->x);
  if (!status)
    status = hyla_trsm_plan(cube, HYLA_LEFT, system->way.triangle, HYLA_NONE, HYLA_ANY_DIAGONAL, 1,
                            system->a, system->x, run->options.variant, &system->substitution);
  if (status) return status;
  result->method = "triangular";
  result_plan(result, system->substitution);
  result->flops = (double)result->n * (double)result->n * (double)result->nrhs *
                  (type_complex(result->type) ? 4 : 1);
  return HYLA_OK;
}

/* Finds out whether hyla_solve_expert must scale the system: A may be this far from 1 without. */
static hyla_status look_how_far(struct run *run, struct system *system,
                                const struct result *result) {
  const int near = result->type == HYLA_FLOAT || result->type == HYLA_COMPLEX ? 24 : 400;
  double largest = 0;
  hyla_status status = hyla_matrix_norm(run->cube, system->a, HYLA_NORM_MAX, &largest);
  if (!status) system->far = largest > 0 && fabs(log2(largest)) >= near;
  return status;
}

/* Plans again if A, once it is known, needs another way than the one planned for. */
static hyla_status plan_found(struct run *run, struct system *system, struct result *result) {
  struct way *way = &system->way;
  stage_begin(run, STAGE_READ);
  hyla_status status = structure_find(run, system->a, result, way);
  stage_begin(run, STAGE_MEMORY);
  if (status) return status;
  if (way->triangular) return plan_substitution(run, system, result);
  status = look_how_far(run, system, result);
  if (status) return status;
  if (way->method == run->options.method) return HYLA_OK;
  return plan(run, system, way->method, &result->layout, result);
}

static hyla_status read_system(struct run *run, struct system *system, struct result *result) {
  const char *const *paths = run->options.paths;
  double begin = tool_clock();
  hyla_status status = tool_read(run, paths[0], &result->layout, &system->a);
  if (!status) status = matrix_retype(run->cube, result->type, &system->a);
  if (!status && paths[1]) status = tool_read(run, paths[1], &result->layout, &system->b);
  if (!status && system->b) status = matrix_retype(run->cube, result->type, &system->b);
  result->seconds_read = tool_clock() - begin;
  if (!status && !system->b) status = make_right_side(run, system);
  stage_begin(run, STAGE_MEMORY);
  if (!status)
    status = hyla_matrix_create(run->cube, result->type, result->n, result->nrhs, &result->layout,
                                &system->x);
  return status;
}

static hyla_status solve_by_factor(struct run *run, struct system *system, struct result *result) {
  hyla_cube *cube = run->cube;
  result_begin(run, result, "factoring");
  hyla_status status = hyla_factor_compute(cube, system->factor, system->a);
  result->pivot = hyla_factor_pivot(system->factor);
  ticker_phase(run->ticker, "substituting");
  return status ? status : hyla_factor_solve(cube, system->factor, HYLA_NONE, system->b, system->x);
}

static hyla_status solve_triangular(struct run *run, struct system *system, struct result *result) {
  result_begin(run, result, "substituting");
  hyla_status status = hyla_plan_run(run->cube, system->substitution);
  result->pivot = status == HYLA_SINGULAR ? system->way.zero : 0;
  return status;
}

/* Equilibrates, factors (in half the precision if that suffices), solves, refines and reports. */
static hyla_status solve_expert(struct run *run, struct system *system, struct result *result) {
  const hyla_solve_options options = {.method = system->method,
                                      .variant = variant_of(run, system->method),
                                      .refinement = run->options.refinement,
                                      .equilibrate = run->options.equilibrate};
  result_begin(run, result, "factoring, solving, checking");
  hyla_status status =
      hyla_solve_expert(run->cube, &options, system->a, system->b, system->x, &result->report);
  result->pivot = result->report.pivot;
  if (status == HYLA_UNRELIABLE) status = HYLA_OK; /* result_finish reports it */
  if (!status) result->variant = result->report.variant;
  return status;
}

/* Is it one call of hyla_solve_expert, which makes its own factors? */
static bool expert(const struct run *run, const struct system *system) {
  return !system->substitution && (run->options.equilibrate || refined_in_half(run) || system->far);
}

/* Factors and solves; this is timed and counted.  hyla_solve_expert makes its own factors, so the
 * planned ones give up their memory. */
static hyla_status compute(struct run *run, struct system *system, struct result *result) {
  if (expert(run, system)) hyla_factor_destroy(&system->factor);
  hyla_status status = hyla_cube_ledger_clear(run->cube);
  if (!status) status = hyla_cube_barrier(run->cube);
  double begin = tool_clock();
  if (!status)
    status = system->substitution  ? solve_triangular(run, system, result)
             : expert(run, system) ? solve_expert(run, system, result)
                                   : solve_by_factor(run, system, result);
  result->seconds = tool_clock() - begin;
  return status ? status : result_count(run, result);
}

/* Solves; uses LU if A was taken for definite and is not, and counts the time of both. */
static hyla_status compute_found(struct run *run, struct system *system, struct result *result) {
  hyla_status status = compute(run, system, result);
  if (status != HYLA_INDEFINITE || !system->way.found) return status;
  double seconds = result->seconds;
  structure_indefinite(result);
  status = plan(run, system, HYLA_LU, &result->layout, result);
  if (!status) status = compute(run, system, result);
  result->seconds += seconds;
  return status;
}

/* The largest entry of x - (1, ..., 1)^T; the difference is a product with a 1 x 1 matrix. */
static hyla_status forward_error(struct run *run, struct system *system, struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_matrix *one = NULL, *difference = NULL;
  const hyla_layout *layout = hyla_matrix_layout(system->x);
  hyla_status status = hyla_matrix_create(cube, result->type, 1, 1, layout, &one);
  if (!status) status = hyla_matrix_create(cube, result->type, result->n, 1, layout, &difference);
  if (!status) status = hyla_matrix_generate(cube, one, HYLA_ONES, 0);
  if (!status) status = hyla_matrix_copy(cube, system->x, difference);
  if (!status) status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, -1, system->ones, one, 1, difference);
  if (!status) status = hyla_matrix_norm(cube, difference, HYLA_NORM_MAX, &result->error);
  result->has_error = !status;
  hyla_matrix_destroy(&difference);
  hyla_matrix_destroy(&one);
  return status;
}

/* Makes the report, or the residual alone; hyla_solve_expert has made it already. */
static hyla_status judge(struct run *run, struct system *system, struct result *result) {
  hyla_status status = HYLA_OK;
  if (run->options.quick)
    return hyla_residual(run->cube, system->a, system->x, system->b, &result->residual);
  if (system->substitution)
    status = hyla_trsm_check(run->cube, system->way.triangle, system->a, system->b, system->x,
                             &result->report);
  else if (!expert(run, system))
    status = hyla_factor_check(run->cube, system->factor, system->a, system->b,
                               run->options.refinement, system->x, &result->report);
  if (status == HYLA_UNRELIABLE) status = HYLA_OK; /* result_finish reports it */
  result->has_report = !status;
  result->residual = result->report.residual;
  return status;
}

/* The largest singular value over the smallest.  By bidiagonal form the smallest one is known to
 * about `absolute'; where that is not far below it, rotations find it. */
static hyla_status values_of(struct run *run, struct system *system, bool accurate, double *values,
                             hyla_svd_report *found) {
  const hyla_svd_options options = {.accurate = accurate};
  hyla_plan *plan = NULL;
  hyla_status status = hyla_svd_plan(run->cube, &options, system->a, values, NULL, NULL, &plan);
  if (!status) status = hyla_plan_run(run->cube, plan);
  if (!status) status = hyla_svd_found(plan, found);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status find_condition(struct run *run, struct system *system, struct result *result) {
  static const double certain = 16;
  const int64_t n = result->n;
  hyla_svd_report found;
  double *values = calloc((size_t)n + 1, sizeof *values);
  hyla_status status = hyla_cube_afford(run->cube, values ? 0 : INT64_MAX / 2);
  ticker_phase(run->ticker, "finding singular values");
  if (!status) status = values_of(run, system, false, values, &found);
  if (!status && n > 0 && values[n - 1] <= certain * found.absolute)
    status = values_of(run, system, true, values, &found);
  result->condition = n == 0 ? 1 : status ? NAN : values[0] / values[n - 1];
  result->has_condition = !status;
  free(values);
  return status;
}

/* About the operations of the check on this rank: the estimate of the condition takes five
 * solutions where it ends as it mostly does (Higham 2002, section 15.3), then come residuals and
 * norms. */
static double check_operations(const struct run *run, const struct result *result) {
  enum { SOLUTIONS = 5, RESIDUALS = 2 };
  const double n = (double)result->n, columns = SOLUTIONS + RESIDUALS * (double)result->nrhs;
  return 2 * n * n * columns / hyla_cube_nodes(run->cube);
}

static hyla_status check_answer(struct run *run, struct system *system, struct result *result) {
  ticker_work(run->ticker, "checking the solution", run->cube, check_operations(run, result), 0);
  stage_begin(run, STAGE_JUDGE);
  hyla_status status = judge(run, system, result);
  if (!status && system->ones) status = forward_error(run, system, result);
  if (!status && run->options.full) status = find_condition(run, system, result);
  result->finished = !status;
  return status;
}

int tool_solve(struct run *run) {
  struct result result;
  struct system system = {0};
  result_init(&result, "solve");
  hyla_status status = probe_system(run, &result);
  if (!status) status = plan_first(run, &system, &result);
  if (!status) status = read_system(run, &system, &result);
  if (!status) status = plan_found(run, &system, &result);
  if (!status) status = compute_found(run, &system, &result);
  if (!status) status = check_answer(run, &system, &result);
  result_finish(run, &result, status, system.x);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  system_free(&system);
  return code;
}
