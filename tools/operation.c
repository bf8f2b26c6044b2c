/* The list of operations, and functions that they share. */
#include "operation.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct operation *const LIST[] = {
    &operation_gemm,  &operation_symm,  &operation_hemm,        &operation_trmm,
    &operation_trsm,  &operation_trtri, &operation_tridiagonal, &operation_invert,
    &operation_eigen, &operation_svd,   &operation_lstsq,       &operation_syrk,
    &operation_herk,  &operation_gemv,  &operation_symv,        &operation_hemv,
    &operation_ger,   &operation_solve, &operation_convert,     &operation_transpose,
    &operation_turn};
enum { OPERATIONS = sizeof LIST / sizeof *LIST };

const struct operation *operation_find(const char *name) {
  for (int i = 0; i < OPERATIONS; i++)
    if (strcmp(LIST[i]->name, name) == 0) return LIST[i];
  return method_find(name) >= 0 ? &operation_factor : NULL;
}

const char *operation_word(const char *usage, int i) {
  if (i < OPERATIONS) return LIST[i]->name;
  int beyond = i - OPERATIONS;
  for (int m = 0; hyla_method_at(m); m++)
    if (beyond-- == 0) return hyla_method_at(m)->name;
  if (beyond == 0) return "collective";
  return beyond == 1 && strstr(usage, "|traffic") ? "traffic" : NULL;
}

void operation_refuse(const struct run *run, const char *usage) {
  enum { WORDS = 64 };
  const char *names[WORDS + 1] = {NULL}, *name = run->options.paths[0];
  char meant[MEANT_TEXT];
  for (int i = 0; i < WORDS && operation_word(usage, i); i++) names[i] = operation_word(usage, i);
  tell(run, "`%s' is not known here%s; give %s", name, meant_text(name, names, meant), usage);
}

const struct operation *operation_asked(struct options *options) {
  int method = method_find(options->paths[0]);
  if (method >= 0) options->method = (hyla_method)method;
  return operation_find(options->paths[0]);
}

static const hyla_method_traits *method_of(const struct options *options) {
  return hyla_method_at((int)options->method);
}

const char *operation_name(const struct operation *operation, const struct options *options) {
  return operation->name ? operation->name : method_of(options)->name;
}

const char *operation_method(const struct operation *operation, const struct options *options) {
  return operation->name && operation->methods ? method_of(options)->name : NULL;
}

const char *operation_variants(const struct operation *operation, const struct options *options) {
  if (operation->methods) return method_of(options)->name;
  if (operation == &operation_eigen && options->pencil) return "eigen-generalized";
  return operation->variants ? operation->variants : operation_name(operation, options);
}

bool operation_needs_data(const struct operation *operation, const struct options *options) {
  return operation->methods && method_of(options)->needs_data;
}

uint64_t operation_options(void) {
  uint64_t options = operation_factor.takes;
  for (int i = 0; i < OPERATIONS; i++) options |= LIST[i]->takes;
  return options;
}

bool operation_moves(const struct operation *operation) { return operation->flops == NULL; }

double operation_flops(const struct operation *operation, const struct problem *problem) {
  return operation_moves(operation) ? 0 : operation->flops(problem);
}

hyla_status operation_plan(const struct operation *operation, struct problem *problem,
                           const char *variant) {
  hyla_status status = operation->plan(problem, variant);
  if (status || !problem->plan) return status;
  problem->chosen = problem->plan;
  const hyla_matrix *const results[] = {problem->c, problem->b, problem->a};
  for (int i = 2; i >= 0; i--)
    if (results[i]) problem->layout = *hyla_matrix_layout(results[i]);
  return HYLA_OK;
}

hyla_status operation_renew(const struct operation *operation, struct problem *problem) {
  return operation->renew ? operation->renew(problem) : HYLA_OK;
}

hyla_status operation_run(const struct operation *operation, struct problem *problem) {
  return operation->run ? operation->run(problem) : hyla_plan_run(problem->cube, problem->plan);
}

void problem_origin(const struct operation *operation, const struct problem *p,
                    char text[HYLA_LAYOUT_TEXT]) {
  *text = '\0';
  if (operation_moves(operation))
    hyla_layout_format(hyla_matrix_layout(p->a), text, HYLA_LAYOUT_TEXT);
}

const char *problem_text(const char *name, int64_t m, int64_t n, int64_t k, int64_t nrhs,
                         char text[PROBLEM_TEXT]) {
  if (k >= 0)
    snprintf(text, PROBLEM_TEXT, "%s %lld x %lld x %lld", name, (long long)m, (long long)n,
             (long long)k);
  else if (m >= 0 && nrhs >= 0)
    snprintf(text, PROBLEM_TEXT, "%s %lld x %lld, %lld right-hand side%s", name, (long long)m,
             (long long)n, (long long)nrhs, nrhs == 1 ? "" : "s");
  else if (nrhs >= 0)
    snprintf(text, PROBLEM_TEXT, "%s %lld, %lld right-hand side%s", name, (long long)n,
             (long long)nrhs, nrhs == 1 ? "" : "s");
  else
    snprintf(text, PROBLEM_TEXT, "%s %lld x %lld", name, (long long)m, (long long)n);
  return text;
}

void problem_drop_plan(struct problem *problem) {
  hyla_plan_destroy(&problem->plan);
  hyla_factor_destroy(&problem->factor);
  problem->chosen = NULL;
}

void problem_free(struct problem *problem) {
  problem_drop_plan(problem);
  hyla_matrix_destroy(&problem->c);
  hyla_matrix_destroy(&problem->b);
  hyla_matrix_destroy(&problem->a);
  hyla_matrix_destroy(&problem->above);
  hyla_matrix_destroy(&problem->diagonal);
  free(problem->values);
}

/* The vectors of the check of a product: t, B t, C t - A B t.  If the product is wrong, the last
 * one is zero for hardly any t (Freivalds 1977). */
struct check {
  hyla_matrix *t, *bt, *ct;
};

/* y := a x + beta y.  Falls back to a product: with limited memory, or with the same bits on all
 * ranks, gemv may have no variant. */
static hyla_status multiply_add(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                                double beta, hyla_matrix *y) {
  hyla_status status = hyla_gemv(cube, HYLA_NONE, 1, a, x, beta, y);
  if (status != HYLA_UNSUPPORTED) return status;
  return hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, a, x, beta, y);
}

/* ct := C t - A (B t) for a random t. */
static hyla_status make_difference(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                                   const hyla_matrix *c, struct check *x) {
  hyla_type type = hyla_matrix_type(a);
  const hyla_layout *layout = hyla_matrix_layout(c);
  int64_t m = hyla_matrix_rows(c), n = hyla_matrix_cols(c), k = hyla_matrix_cols(a);
  hyla_status status = hyla_matrix_create(cube, type, n, 1, layout, &x->t);
  if (!status) status = hyla_matrix_create(cube, type, k, 1, layout, &x->bt);
  if (!status) status = hyla_matrix_create(cube, type, m, 1, layout, &x->ct);
  if (!status) status = hyla_matrix_generate(cube, x->t, HYLA_RANDOM, 1);
  if (!status) status = multiply_add(cube, b, x->t, 0, x->bt);
  if (!status) status = multiply_add(cube, a, x->bt, 0, x->ct);
  if (!status) status = multiply_add(cube, c, x->t, -1, x->ct);
  return status;
}

hyla_status product_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                             const hyla_matrix *c, double *residual) {
  struct check x = {0};
  const hyla_matrix *matrices[4];
  double norms[4] = {0};
  hyla_status status = make_difference(cube, a, b, c, &x);
  matrices[0] = x.ct, matrices[1] = a, matrices[2] = b, matrices[3] = x.t;
  for (int i = 0; i < 4 && !status; i++)
    status = hyla_matrix_norm(cube, matrices[i], HYLA_NORM_INF, &norms[i]);
  hyla_matrix_destroy(&x.ct);
  hyla_matrix_destroy(&x.bt);
  hyla_matrix_destroy(&x.t);
  if (status) return status;
  hyla_type type = hyla_matrix_type(a);
  bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
  double unit = (single ? FLT_EPSILON : DBL_EPSILON) / 2;
  double scale = unit * norms[1] * norms[2] * norms[3] * (double)hyla_matrix_cols(a);
  /* A difference of exactly 0 is good even if the scale is 0. */
  *residual = norms[0] == 0 ? 0 : norms[0] / scale;
  return HYLA_OK;
}
