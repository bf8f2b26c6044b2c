/* hyla det, cond, norm, and info of a file: one question about a matrix, answered in a line. */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct grammar det_grammar = {
    .usage = "A.mtx",
    .text = "Compute the determinant of a matrix."
            "\vBy LU with partial pivoting.  The determinant may be beyond the largest number, so "
            "its sign (for complex matrices a number of magnitude 1) and the logarithm of its "
            "magnitude are printed too.",
    .lists = {options_of_input, options_of_progress},
    .least = 1,
    .most = 1,
};

const struct grammar cond_grammar = {
    .usage = "A.mtx",
    .text = "Estimate the condition of a matrix in the 1-norm."
            "\vIt is |A| |A^-1| with the largest column sums of magnitudes, estimated from the "
            "factors by LU without the inverse (Higham 2002, Algorithm 15.4): not above the true "
            "value but for rounding, and seldom below a third of it.  If it is 10^k, solutions "
            "lose about k digits.",
    .lists = {options_of_input, options_of_progress},
    .least = 1,
    .most = 1,
};

const struct grammar norm_grammar = {
    .usage = "A.mtx",
    .text = "Compute the norms of a matrix."
            "\vThe largest column sum of magnitudes (1), the largest row sum (inf), the root of "
            "the sum of squares (fro), and the largest magnitude (max).",
    .lists = {options_of_input, options_of_progress},
    .least = 1,
    .most = 1,
};

/* The norms in the order in which they are printed. */
static const struct {
  const char *name;
  hyla_norm kind;
} norms[] = {
    {"1", HYLA_NORM_ONE}, {"inf", HYLA_NORM_INF}, {"fro", HYLA_NORM_FRO}, {"max", HYLA_NORM_MAX}};
enum { NORMS = sizeof norms / sizeof *norms };

struct about {
  struct result result;
  hyla_matrix *a;
  double norm[NORMS];
  double sign[2], log_determinant;
  double condition;
  bool vector;              /* the file has one dimension */
  hyla_structure structure; /* of a square matrix */
};

static bool is_square(const struct about *about) { return about->result.m == about->result.n; }

/* Reads A.  matrices: how many of its size must fit. */
static hyla_status read_matrix(struct run *run, struct about *about, bool square, int matrices) {
  struct result *result = &about->result;
  const char *path = run->options.paths[0];
  hyla_status status = hyla_matrix_probe(run->cube, path, &result->type, &result->m, &result->n);
  if (!status && square && !is_square(about))
    status = result_refuse(result, "%s is %lld x %lld; give a square matrix", path,
                           (long long)result->m, (long long)result->n);
  const struct extent matrix = {result->m, result->n}, all[] = {matrix, matrix};
  if (!status) status = tool_afford(run, result->type, matrices, all);
  return status ? status : tool_read(run, path, NULL, &about->a);
}

static hyla_status find_norms(struct run *run, struct about *about) {
  hyla_status status = HYLA_OK;
  ticker_phase(run->ticker, "adding");
  for (int i = 0; i < NORMS && !status; i++)
    status = hyla_matrix_norm(run->cube, about->a, norms[i].kind, &about->norm[i]);
  return status;
}

/* Factors A.  *factor stays NULL if it is singular. */
static hyla_status factor(struct run *run, struct about *about, bool solves, hyla_factor **factor) {
  struct result *result = &about->result;
  hyla_status status =
      hyla_factor_create_rectangular(run->cube, HYLA_LU, result->type, result->n, result->n, solves,
                                     hyla_matrix_layout(about->a), NULL, factor);
  if (status) return status;
  result_plan(result, hyla_factor_plan(*factor));
  result_begin(run, result, "factoring");
  status = hyla_factor_compute(run->cube, *factor, about->a);
  result->pivot = hyla_factor_pivot(*factor);
  if (status != HYLA_SINGULAR) return status;
  hyla_factor_destroy(factor);
  return HYLA_OK;
}

/* A singular matrix has the determinant 0. */
static hyla_status find_determinant(struct run *run, struct about *about) {
  hyla_factor *factors = NULL;
  hyla_status status = factor(run, about, false, &factors);
  about->log_determinant = -INFINITY;
  if (!status && factors)
    status = hyla_factor_determinant(run->cube, factors, &about->log_determinant, about->sign);
  hyla_factor_destroy(&factors);
  return status;
}

/* A singular matrix has an infinite condition. */
static hyla_status find_condition(struct run *run, struct about *about) {
  hyla_factor *factors = NULL;
  double norm = 0, rcond = 0;
  hyla_status status = hyla_matrix_norm(run->cube, about->a, HYLA_NORM_ONE, &norm);
  if (!status) status = factor(run, about, true, &factors);
  ticker_phase(run->ticker, "estimating the condition");
  if (!status && factors) status = hyla_factor_condition(run->cube, factors, norm, &rcond);
  about->condition = 1 / rcond;
  hyla_factor_destroy(&factors);
  return status;
}

/* ------------------------------------------------------------------------ answers -- */

static json_t *begin_json(const struct run *run, const struct about *about) {
  const struct result *result = &about->result;
  return json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:i, s:i}", "op", result->op, "matrix",
                   run->options.paths[0], "status", hyla_status_name(result->status), "m",
                   (json_int_t)result->m, "n", (json_int_t)result->n, "type",
                   type_name(result->type), "ranks", run->ranks, "exit", result->exit_code);
}

/* A complex number as an array. */
static json_t *pair_json(hyla_type type, double re, double im) {
  json_t *real = number_json(re);
  return type_complex(type) ? json_pack("[o,o]", real, number_json(im)) : real;
}

static void tell_determinant(const struct run *run, const struct about *about, json_t *json) {
  const double size = exp(about->log_determinant);
  const double re = size > 0 ? size * about->sign[0] : 0, im = size > 0 ? size * about->sign[1] : 0;
  const bool complex_type = type_complex(about->result.type);
  if (json) {
    json_object_set_new(json, "determinant", pair_json(about->result.type, re, im));
    json_object_set_new(json, "sign",
                        pair_json(about->result.type, about->sign[0], about->sign[1]));
    json_object_set_new(json, "log_determinant", number_json(about->log_determinant));
    return;
  }
  printf("det       %s: %.15g", run->options.paths[0], re);
  if (complex_type) printf(" %+.15gi", im);
  printf("; sign %.15g", about->sign[0]);
  if (complex_type) printf(" %+.15gi", about->sign[1]);
  printf(", log of the magnitude %.15g\n", about->log_determinant);
}

static void tell_condition(const struct run *run, const struct about *about, json_t *json) {
  if (json) {
    json_object_set_new(json, "condition", number_json(about->condition));
    json_object_set_new(json, "norm", json_string("1"));
    json_object_set_new(json, "estimate", json_boolean(isfinite(about->condition)));
  } else if (isinf(about->condition)) {
    printf("cond      %s: infinite, to the precision of its entries\n", run->options.paths[0]);
  } else {
    printf("cond      %s: %.6g or more, an estimate in the 1-norm\n", run->options.paths[0],
           about->condition);
  }
}

static void tell_norms(const struct run *run, const struct about *about, json_t *json) {
  if (!json) printf("norm      %s:", run->options.paths[0]);
  json_t *all = json ? json_object() : NULL;
  for (int i = 0; i < NORMS; i++) {
    if (json)
      json_object_set_new(all, norms[i].name, number_json(about->norm[i]));
    else
      printf("%s %s %.15g", i > 0 ? "," : "", norms[i].name, about->norm[i]);
  }
  if (json)
    json_object_set_new(json, "norms", all);
  else
    printf("\n");
}

/* What a matrix is, in words. */
static const char *symmetry_of(const struct about *about) {
  const hyla_structure *seen = &about->structure;
  const bool complex_type = type_complex(about->result.type);
  if (!is_square(about)) return "not square";
  if (seen->hermitian) return complex_type ? "Hermitian" : "symmetric";
  if (seen->nearly_hermitian)
    return complex_type ? "Hermitian but for rounding" : "symmetric but for rounding";
  return complex_type ? "not Hermitian" : "not symmetric";
}

static const char *shape_of(const struct about *about) {
  const hyla_structure *seen = &about->structure;
  if (!is_square(about) || (seen->lower > 0 && seen->upper > 0)) return NULL;
  if (seen->lower == 0 && seen->upper == 0) return "diagonal";
  return seen->upper == 0 ? "lower triangular" : "upper triangular";
}

static void tell_facts(const struct run *run, const struct about *about, json_t *json) {
  const struct result *result = &about->result;
  const hyla_structure *seen = &about->structure;
  const char *shape = shape_of(about);
  const bool finite = isfinite(about->norm[NORMS - 1]);
  if (json) {
    json_object_set_new(json, "vector", json_boolean(about->vector));
    json_object_set_new(json, "finite", json_boolean(finite));
    json_object_set_new(json, "symmetry", json_string(symmetry_of(about)));
    json_object_set_new(json, "shape", shape ? json_string(shape) : json_null());
    tell_norms(run, about, json);
    return;
  }
  printf("info      %s: %lld x %lld %s%s, %s, %s", run->options.paths[0], (long long)result->m,
         (long long)result->n, type_name(result->type), about->vector ? " (one dimension)" : "",
         symmetry_of(about), finite ? "finite" : "with NaN or infinite entries");
  if (shape)
    printf(", %s", shape);
  else if (is_square(about) && seen->lower + seen->upper + 1 < result->n)
    printf(", a band of %lld below and %lld above", (long long)seen->lower, (long long)seen->upper);
  printf("\n");
  tell_norms(run, about, NULL);
}

/* Prints the answer, or why there is none. */
static int answer(struct run *run, struct about *about, hyla_status status,
                  void (*say)(const struct run *, const struct about *, json_t *)) {
  struct result *result = &about->result;
  result_finish(run, result, status, NULL);
  ticker_stop(&run->ticker);
  const bool found = result->status == HYLA_OK;
  if (run->rank == 0 && run->options.json) {
    json_t *json = begin_json(run, about);
    if (found) say(run, about, json);
    json_line(json);
  } else if (run->rank == 0 && found) {
    say(run, about, NULL);
  }
  if (run->rank == 0 && *result->message) tell(run, "%s", result->message);
  hyla_matrix_destroy(&about->a);
  result_free(result);
  return result->exit_code;
}

static struct about about_init(const char *op) {
  struct about about = {.a = NULL};
  result_init(&about.result, op);
  return about;
}

int tool_det(struct run *run) {
  struct about about = about_init("det");
  hyla_status status = read_matrix(run, &about, true, 2);
  if (!status) status = find_determinant(run, &about);
  return answer(run, &about, status, tell_determinant);
}

int tool_cond(struct run *run) {
  struct about about = about_init("cond");
  hyla_status status = read_matrix(run, &about, true, 2);
  if (!status) status = find_condition(run, &about);
  return answer(run, &about, status, tell_condition);
}

int tool_norm(struct run *run) {
  struct about about = about_init("norm");
  hyla_status status = read_matrix(run, &about, false, 1);
  if (!status) status = find_norms(run, &about);
  return answer(run, &about, status, tell_norms);
}

int tool_info_file(struct run *run) {
  struct about about = about_init("info");
  hyla_status status = hyla_vector_probe(run->cube, run->options.paths[0], &about.vector);
  if (!status) status = read_matrix(run, &about, false, 2);
  if (!status) status = find_norms(run, &about);
  if (!status && is_square(&about))
    status = hyla_matrix_structure(run->cube, about.a, &about.structure);
  return answer(run, &about, status, tell_facts);
}
