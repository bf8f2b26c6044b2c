/* hyla factor: writes the factors of A to files, and reports what they show about A. */
#include "operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar factor_grammar = {
    .usage = "A.mtx",
    .text =
        "Factor a matrix A, by lu of any shape; print its determinant and condition."
        "\vP A = L U, by lu with ones on L's diagonal; by cholesky P is the identity and U is "
        "L^H.  The determinant is printed as a sign (a complex number of magnitude 1 for complex "
        "matrices) and the logarithm of its magnitude; rcond is an estimate of the reciprocal "
        "condition number in the 1-norm, growth the largest entry of U over the largest of A; for "
        "an A that is not square only the growth is printed.  Where A is singular or, by cholesky, "
        "not positive definite the exit status is 1, and nothing is written.",
    .lists = {options_of_factors, options_of_methods, options_of_parts, options_of_bits,
              options_of_states, options_of_progress, options_of_report},
    .least = 1,
    .most = 1,
};

struct factoring {
  struct result result;
  hyla_matrix *a;
  hyla_factor *factor;
  double log_determinant, sign[2];
  double rcond, growth;
  int64_t *rows; /* the permutation P */
  bool held;     /* --verify compared the factors with A, read again; `held_by' is valid */
  double held_by;
};

/* Checks that the three files can be written and are different. */
static hyla_status check_files(struct run *run, struct result *result) {
  const struct options *o = &run->options;
  const char *const names[] = {"lower", "upper", "pivots"};
  const char *const paths[] = {o->lower, o->upper, o->pivots};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && !status; i++) {
    for (int j = 0; j < i && paths[i]; j++)
      if (paths[j] && strcmp(paths[i], paths[j]) == 0)
        return result_refuse(result, "--%s and --%s are both %s; give each a file of its own",
                             names[j], names[i], paths[i]);
    status = tool_check_file(run, names[i], paths[i], i == 2, result);
  }
  return status;
}

/* Finds type and size before any entry of A is read. */
static hyla_status probe(struct run *run, struct result *result) {
  const char *path = run->options.paths[0];
  const hyla_method_traits *method = hyla_method_at((int)run->options.method);
  hyla_status status = hyla_matrix_probe(run->cube, path, &result->type, &result->m, &result->n);
  if (!status && result->m != result->n && !method->rectangular)
    status = result_refuse(result, "%s is %lld x %lld; give a square matrix, or --method lu or qr",
                           path, (long long)result->m, (long long)result->n);
  /* Memory for A and its factors. */
  const struct extent matrix = {result->m, result->n}, all[] = {matrix, matrix};
  return status ? status : tool_afford(run, result->type, 2, all);
}

static bool is_square(const struct result *result) { return result->m == result->n; }

/* Chooses the variant and takes its memory; A is then read into the layout of the factors. */
static hyla_status plan(struct run *run, struct factoring *f) {
  const struct options *o = &run->options;
  struct result *result = &f->result;
  hyla_layout asked;
  hyla_status status = o->layout ? hyla_layout_parse(run->cube, o->layout, &asked) : HYLA_OK;
  if (!status)
    status = hyla_factor_create_rectangular(run->cube, o->method, result->type, result->m,
                                            result->n, is_square(result), o->layout ? &asked : NULL,
                                            o->variant, &f->factor);
  if (status) return status;
  result->layout = *hyla_factor_layout(f->factor);
  result->method = hyla_method_at((int)o->method)->name;
  result_plan(result, hyla_factor_plan(f->factor));
  return tool_read(run, o->paths[0], &result->layout, &f->a);
}

/* Computes values that only a square matrix has; NaN for others. */
static hyla_status ask(struct run *run, struct factoring *f, double norm) {
  f->log_determinant = f->sign[0] = f->sign[1] = f->rcond = NAN;
  if (!is_square(&f->result)) return HYLA_OK;
  ticker_phase(run->ticker, "estimating the condition");
  hyla_status status = hyla_factor_determinant(run->cube, f->factor, &f->log_determinant, f->sign);
  return status ? status : hyla_factor_condition(run->cube, f->factor, norm, &f->rcond);
}

/* |A|_1 times 2^-exponent; exponent is 0 unless the norm itself overflows. */
static hyla_status find_norm(hyla_cube *cube, const hyla_matrix *a, double largest, double *norm,
                             int *exponent) {
  enum { DOWN = 64 };
  hyla_matrix *copy = NULL;
  *exponent = 0;
  hyla_status status = hyla_matrix_norm(cube, a, HYLA_NORM_ONE, norm);
  if (status || !isinf(*norm) || !isfinite(largest)) return status;
  *exponent = DOWN;
  status = matrix_operated(cube, a, HYLA_NONE, ldexp(1, -DOWN), &copy);
  if (!status) status = hyla_matrix_norm(cube, copy, HYLA_NORM_ONE, norm);
  hyla_matrix_destroy(&copy);
  return status;
}

/* Factors, which is timed, and computes the values that the factors give. */
static hyla_status compute(struct run *run, struct factoring *f) {
  hyla_cube *cube = run->cube;
  double norm = 0, largest = 0;
  int exponent = 0;
  hyla_status status = structure_require(run, f->a, &f->result);
  if (!status) status = hyla_matrix_norm(cube, f->a, HYLA_NORM_MAX, &largest);
  if (!status) status = find_norm(cube, f->a, largest, &norm, &exponent);
  if (!status) status = hyla_cube_barrier(cube);
  result_begin(run, &f->result, "factoring");
  double begin = tool_clock();
  if (!status) status = hyla_factor_compute(cube, f->factor, f->a);
  f->result.seconds = tool_clock() - begin;
  f->result.pivot = hyla_factor_pivot(f->factor);
  if (!status) status = ask(run, f, norm);
  f->rcond = ldexp(f->rcond, -exponent); /* rcond is inverse to the norm */
  if (!status) status = hyla_factor_growth(cube, f->factor, largest, &f->growth);
  return status;
}

typedef hyla_status factor_part(hyla_cube *cube, const hyla_factor *factor, hyla_matrix *part);

static hyla_status write_triangle(struct run *run, struct factoring *f, factor_part *part,
                                  int64_t rows, int64_t cols, const char *path) {
  const struct result *result = &f->result;
  hyla_matrix *triangle = NULL;
  if (!path) return HYLA_OK;
  hyla_status status =
      hyla_matrix_create(run->cube, result->type, rows, cols, &result->layout, &triangle);
  if (!status) status = part(run->cube, f->factor, triangle);
  if (!status) status = hyla_matrix_write(run->cube, triangle, path);
  hyla_matrix_destroy(&triangle);
  return status;
}

/* Gets P if something needs it. */
static hyla_status take_pivots(struct run *run, struct factoring *f) {
  int64_t m = f->result.m;
  if (!run->options.pivots && !run->options.verify) return HYLA_OK;
  f->rows = malloc((size_t)(m > 0 ? m : 1) * sizeof *f->rows);
  int64_t missing = f->rows == NULL;
  hyla_status status = hyla_cube_max(run->cube, &missing, 1);
  if (!status && missing != 0) status = HYLA_MEMORY;
  return status ? status : hyla_factor_permutation(run->cube, f->factor, f->rows);
}

/* With --verify: compares L and U with A, which is read again.  L and U are taken from memory or,
 * once they are written, from the files. */
static hyla_status hold(struct run *run, struct factoring *f, bool written) {
  const struct options *o = &run->options;
  if (!o->verify) return HYLA_OK;
  ticker_phase(run->ticker, "checking the factors");
  hyla_status status = hyla_factor_held(run->cube, f->factor, written ? o->lower : NULL,
                                        written ? o->upper : NULL, f->rows, &f->held_by);
  f->held = !status;
  if (status == HYLA_DAMAGED && written)
    result_refuse(&f->result, "the written factors are wrong: %s", hyla_cube_message(run->cube));
  return status;
}

static hyla_status read_again(struct run *run, struct factoring *f) {
  hyla_matrix_destroy(&f->a);
  if (!run->options.verify) return HYLA_OK;
  hyla_status status = tool_read(run, run->options.paths[0], &f->result.layout, &f->a);
  if (!status) status = hyla_factor_hold(run->cube, f->factor, f->a);
  hyla_matrix_destroy(&f->a);
  return status;
}

static hyla_status write_factors(struct run *run, struct factoring *f) {
  const struct options *o = &run->options;
  int64_t m = f->result.m, n = f->result.n, order = m < n ? m : n;
  hyla_status status = take_pivots(run, f);
  if (!status) status = read_again(run, f);
  if (!status) status = hold(run, f, false);
  ticker_phase(run->ticker, "writing");
  if (!status) status = write_triangle(run, f, hyla_factor_lower, m, order, o->lower);
  if (!status) status = write_triangle(run, f, hyla_factor_upper, order, n, o->upper);
  if (!status && o->pivots) status = hyla_integers_write(run->cube, f->rows, m, o->pivots);
  if (!status && (o->lower || o->upper)) status = hold(run, f, true);
  f->result.finished = !status;
  return status;
}

/* With --verify, for a matrix without factors: is it still the file's?  A bit that changed in
 * memory may be the reason. */
static hyla_status doubt(struct run *run, struct factoring *f, hyla_status status) {
  bool numbers = status == HYLA_SINGULAR || status == HYLA_INDEFINITE || status == HYLA_NOT_FINITE;
  hyla_matrix *again = NULL;
  double different = 0;
  if (!run->options.verify || !numbers || !f->a) return status;
  hyla_status read = tool_read(run, run->options.paths[0], &f->result.layout, &again);
  if (!read) read = passage_residual(run->cube, HYLA_NONE, f->a, again, &different);
  hyla_matrix_destroy(&again);
  if (read || !(different > 0)) return read ? read : status;
  result_refuse(&f->result,
                "%s has changed in memory since it was read, and then had no factors (%s); run it "
                "again",
                run->options.paths[0], hyla_status_text(status));
  return HYLA_DAMAGED;
}

static void print_square(const struct factoring *f) {
  printf("determinant magnitude exp(%.15g), ", f->log_determinant);
  if (type_complex(f->result.type))
    printf("direction\n            %.15g + %.15g i\n", f->sign[0], f->sign[1]);
  else
    printf("sign %g\n", f->sign[0]);
  printf("condition   %.3g or more (rcond %.3g), growth %.3g\n", 1 / f->rcond, f->rcond, f->growth);
}

/* Prints one line about the choice of the variant, or everything that the planner says. */
static void print_plan(const struct result *result, bool all) {
  const char *line = result->reason ? result->reason : "", *label = "variant";
  const char *colon = strstr(line, ": variant ");
  if (colon && colon < line + strcspn(line, "\n")) line = colon + strlen(": variant ");
  do {
    line += strspn(line, " ");
    int length = (int)strcspn(line, "\n");
    print_paragraph(label, "  %.*s", length, line);
    line += length + (line[length] == '\n');
    label = "";
  } while (all && *line);
}

static void print(const struct run *run, const struct factoring *f) {
  const struct result *result = &f->result;
  const struct options *o = &run->options;
  const char *const paths[] = {o->lower, o->upper, o->pivots};
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&result->layout, layout, sizeof layout);
  char nodes[64];
  printf("factor      %s, %lld x %lld %s, by %s\n", o->paths[0], (long long)result->m,
         (long long)result->n, type_name(result->type), result->method);
  if (*result->why) print_paragraph("method", "  %s", result->why);
  print_plan(result, o->explain);
  printf("cube        %s, layout %s\n", tool_nodes(run, nodes), layout);
  printf("time        %.4g s; predicted%s %.4g s\n", result->seconds,
         is_square(result) ? ", with one solution," : "", result->seconds_predicted);
  checkpoints_print(run);
  faults_print(run);
  if (f->held)
    print_paragraph("product",
                    "  of the factors, against A read again: %.2g of what rounding may "
                    "make of it",
                    f->held_by);
  if (is_square(result))
    print_square(f);
  else
    printf("growth      %.3g\n", f->growth);
  for (int i = 0; i < 3; i++)
    if (paths[i]) printf("written     %s\n", paths[i]);
}

static json_t *sign_of(const struct factoring *f) {
  if (!is_square(&f->result)) return json_null();
  return type_complex(f->result.type) ? json_pack("[f,f]", f->sign[0], f->sign[1])
                                      : json_integer((json_int_t)f->sign[0]);
}

static json_t *json_of(const struct run *run, const struct factoring *f) {
  /* Times and costs of a result include a solution, which there was not. */
  struct result result = f->result;
  const struct options *o = &run->options;
  const char *const names[] = {"lower", "upper", "pivots"};
  const char *const paths[] = {o->lower, o->upper, o->pivots};
  result.finished = false;
  json_t *json = result_json(run, &result);
  if (!f->result.finished) return json;
  json_object_set_new(json, "log_determinant", number_json(f->log_determinant));
  json_object_set_new(json, "sign", sign_of(f));
  json_object_set_new(json, "rcond", number_json(f->rcond));
  json_object_set_new(json, "growth", number_json(f->growth));
  if (f->held) json_object_set_new(json, "product", json_real(f->held_by));
  json_object_set_new(json, "seconds", json_real(result.seconds));
  for (int i = 0; i < 3; i++)
    if (paths[i]) json_object_set_new(json, names[i], json_string(paths[i]));
  return json;
}

static void tell_all(const struct run *run, const struct factoring *f) {
  if (run->rank != 0) return;
  if (run->options.json) {
    json_t *json = json_of(run, f);
    checkpoints_json(run, json);
    faults_json(run, json);
    json_line(json);
  } else if (f->result.finished) {
    print(run, f);
  }
  fflush(stdout);
  checkpoints_tell(run);
  faults_tell(run);
  if (*f->result.message) tell(run, "%s", f->result.message);
}

int tool_factor(struct run *run) {
  struct factoring f = {.a = NULL};
  result_init(&f.result, "factor");
  hyla_status status = states_check(run, &f.result);
  if (!status) status = check_files(run, &f.result);
  if (!status) status = probe(run, &f.result);
  if (!status) status = plan(run, &f);
  if (!status) status = doubt(run, &f, compute(run, &f));
  if (!status) status = write_factors(run, &f);
  result_finish(run, &f.result, status, NULL);
  ticker_stop(&run->ticker);
  tell_all(run, &f);
  result_free(&f.result);
  hyla_factor_destroy(&f.factor);
  hyla_matrix_destroy(&f.a);
  free(f.rows);
  return f.result.exit_code;
}
