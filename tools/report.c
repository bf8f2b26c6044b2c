/* Prints a result as text: what ran, why, what it sent, how good it is. */
#include "operation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts of the library ---- */

static char *text_of(const void *object, size_t (*write)(const void *, char *, size_t)) {
  size_t room = 0, length = write(object, NULL, 0);
  char *text = NULL;
  /* The text may depend on free memory, and be longer the second time. */
  while (length >= room) {
    free(text);
    room = length + 1;
    text = memory_take(room);
    length = write(object, text, room);
  }
  return text;
}

static size_t describe(const void *cube, char *text, size_t capacity) {
  return hyla_cube_describe(cube, text, capacity);
}
static size_t explain_plan(const void *plan, char *text, size_t capacity) {
  return hyla_plan_explain(plan, text, capacity);
}

char *tool_describe(const hyla_cube *cube) { return text_of(cube, describe); }
char *tool_explain_plan(const hyla_plan *plan) { return text_of(plan, explain_plan); }

const char *tool_lookup(const char *description, const char *key, char *value, size_t capacity) {
  size_t length = strlen(key);
  value[0] = 0;
  for (const char *line = description; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) == 0 && strncmp(line + length, ": ", 2) == 0) {
      snprintf(value, capacity, "%.*s", (int)strcspn(line + length + 2, "\n"), line + length + 2);
      break;
    }
  }
  return value;
}

/* ---- the report ---- */

/* Describes a product with a triangle. */
static void say_triangular(const struct run *run, const struct result *result, char *text,
                           size_t size) {
  static const char *const marks[] = {"", ", transposed", ", conjugated and transposed"};
  const struct options *options = &run->options;
  bool two = operation_find(result->product)->factors == 2;
  snprintf(
      text, size, "%s, %" PRId64 " x %" PRId64 " x %" PRId64 ", of %s%s%s, %s triangle%s%s%s, %s",
      result->product, result->m, result->n, result->k, options->paths[0], two ? " and " : "",
      two ? options->paths[1] : "", options->triangle == HYLA_LOWER ? "lower" : "upper",
      !two                         ? ""
      : options->side == HYLA_LEFT ? " from the left"
                                   : " from the right",
      marks[options->op], options->diagonal == HYLA_UNIT_DIAGONAL ? ", ones on its diagonal" : "",
      type_name(result->type));
}

static void print_problem(const struct run *run, const struct result *result) {
  const char *a = run->options.paths[0], *b = run->options.paths[1];
  const char *type = type_name(result->type);
  bool turns = strcmp(result->op, "turn") == 0;
  char text[1000];
  if (result->nrhs >= 0)
    print_paragraph("solve", "%s, %" PRId64 " x %" PRId64 " %s, %" PRId64 " right-hand side%s (%s)",
                    a, result->n, result->n, type, result->nrhs, result->nrhs == 1 ? "" : "s",
                    b ? b : "A times ones");
  else if (result->k < 0)
    print_paragraph(result->op, "%s, %" PRId64 " x %" PRId64 ", %s%s%s", a, result->m, result->n,
                    type, turns ? ", by " : "", turns ? turn_name(run->options.by) : "");
  else if (operation_find(result->product) == &operation_gemm)
    print_paragraph("multiply",
                    "%s, %" PRId64 " x %" PRId64 ", times %s, %" PRId64 " x %" PRId64 ", %s", a,
                    result->m, result->k, b, result->k, result->n, type);
  else {
    say_triangular(run, result, text, sizeof text);
    print_paragraph(result->op, "%s", text);
  }
}

/* Prints how to start the command better, if ranks are left over or cores idle. */
static void print_advice(const struct run *run) {
  char text[200] = "", *description = tool_describe(run->cube);
  if (description) tool_lookup(description, "better", text, sizeof text);
  if (*text) print_paragraph("better", "%s", text);
  free(description);
}

void tool_array(const hyla_cube *cube, char text[32]) {
  char *description = tool_describe(cube);
  text[0] = 0;
  if (description) tool_lookup(description, "array", text, 32);
  free(description);
}

const char *tool_nodes(const struct run *run, char text[64]) {
  const int nodes = hyla_cube_nodes(run->cube);
  char array[32];
  tool_array(run->cube, array);
  if (nodes == run->ranks && (nodes & (nodes - 1)) == 0)
    snprintf(text, 64, "%d node%s", nodes, nodes == 1 ? "" : "s");
  else
    snprintf(text, 64, "%d of %d ranks as %s", nodes, run->ranks, array);
  return text;
}

/* Why ranks are idle. */
static void print_idle(const struct run *run) {
  const int guests = hyla_cube_guests(run->cube);
  char *description = tool_describe(run->cube), why[128] = "";
  if (description) tool_lookup(description, "idle", why, sizeof why);
  free(description);
  if (*run->idle) snprintf(why, sizeof why, "%s", run->idle);
  if (guests > 0)
    print_paragraph("idle", "%d of %d ranks, as %s", guests, run->ranks,
                    *why ? why : "a cube has 2^d nodes, or as the option array asks");
}

static void print_cube(const struct run *run, const struct result *result) {
  char layout[HYLA_LAYOUT_TEXT], nodes[64];
  hyla_layout_format(&result->layout, layout, sizeof layout);
  print_paragraph("cube", "%s, layout %s", tool_nodes(run, nodes), layout);
  print_idle(run);
  print_advice(run);
}

/* The beginning of the library's explanation, "gemm: variant ..." with indented lines, without the
 * operation's name. */
static const char *reason_of(const struct result *result) {
  const char *line = result->reason ? result->reason : "";
  const char *colon = strstr(line, ": variant ");
  return colon && colon < line + strcspn(line, "\n") ? colon + 2 : line;
}

/* Prints the method with the reason for it; for solutions alone. */
static void print_method(const struct result *result) {
  if (*result->why) print_paragraph("method", "%s, as %s", result->method, result->why);
}

/* Prints the library's explanation as a paragraph; the operation's name is left out except for
 * methods. */
static void print_reason(const struct result *result) {
  print_method(result);
  const char *line = result->method ? result->reason : reason_of(result), *label = "plan";
  while (line && *line) {
    line += strspn(line, " ");
    int length = (int)strcspn(line, "\n");
    print_paragraph(label, "%.*s", length, line);
    line += length + (line[length] == '\n');
    label = "";
  }
}

static void print_counts(const struct run *run, const struct result *result) {
  const struct counts *counted = &result->counted;
  int dims = hyla_cube_dims(run->cube);
  printf("sent      %12s %12s %12s   (busiest rank, matrix entries)\n", "steps", "messages",
         "words");
  printf("predicted %12" PRId64 " %12" PRId64 " %12" PRId64 "\n", result->predicted.steps,
         result->predicted.messages, result->predicted.words);
  printf("counted   %12" PRId64 " %12" PRId64 " %12" PRId64 "\n", counted->steps, counted->messages,
         counted->words);
  for (int d = 0; d < dims; d++)
    printf("  dimension %-2d         %12" PRId64 " %12" PRId64 "\n", d, counted->dim_messages[d],
           counted->dim_words[d]);
  if (counted->dim_messages[dims] > 0)
    printf("  no neighbours        %12" PRId64 " %12" PRId64 "\n", counted->dim_messages[dims],
           counted->dim_words[dims]);
}

static void print_fallback(const hyla_solve_report *report) {
  if (report->fallback) print_paragraph("fallback", "to full precision, as %s", report->fallback);
}

/* Writes what is known of the condition: the true one, if it was found, beside the estimate. */
static const char *condition_text(const struct result *result, char text[100]) {
  const double least = 1 / result->report.rcond;
  if (result->has_condition && !result->has_report)
    snprintf(text, 100, "%.3g by singular values", result->condition);
  else if (result->has_condition)
    snprintf(text, 100, "%.3g by singular values, about %.3g in the 1-norm", result->condition,
             least);
  else
    snprintf(text, 100, "%.3g or more", least);
  return text;
}

static void print_report(const struct result *result) {
  const hyla_solve_report *report = &result->report;
  char growth[40] = "", steps[60] = "", condition[100];
  if (!isnan(report->growth)) snprintf(growth, sizeof growth, ", growth %.3g", report->growth);
  if (report->refinements > 0)
    snprintf(steps, sizeof steps, ", after %d step%s of refinement", report->refinements,
             report->refinements == 1 ? "" : "s");
  print_paragraph("condition", "%s%s%s", condition_text(result, condition),
                  report->equilibrated ? ", of A with its rows and columns scaled" : "", growth);
  print_paragraph("errors", "backward %.2g, componentwise %.2g, forward at most %.2g%s",
                  report->backward_error, report->componentwise_error, report->forward_bound,
                  steps);
  print_fallback(report);
}

/* The decimal digits of a value that rounding leaves; none: -1. */
static int certain_digits(const hyla_svd_report *report, double value) {
  const double error = report->absolute + report->relative * value;
  return value > error ? (int)floor(-log10(error / value)) : -1;
}

/* To how many digits values are certain, for all that rounding can do. */
static void print_certain(const struct spectrum_shown *s) {
  const int64_t count = s->found.count;
  int64_t none = 0;
  if (isnan(s->certain.relative) || count == 0) return;
  while (none < count && certain_digits(&s->certain, s->values[count - 1 - none]) < 1) none++;
  const int most = certain_digits(&s->certain, s->values[0]);
  if (none == count)
    print_paragraph("digits", "none of any value");
  else if (none > 0)
    print_paragraph("digits", "of the largest value %d, of the last %" PRId64 " none", most, none);
  else if (s->certain.absolute == 0)
    print_paragraph("digits", "of every value at least %d", most);
  else
    print_paragraph("digits", "of the largest value %d, of the smallest %d", most,
                    certain_digits(&s->certain, s->values[count - 1]));
}

/* Prints the values, of many the first and the last. */
static void print_spectrum(const struct result *result) {
  enum { SHOWN = 4 };
  const struct spectrum_shown *s = &result->spectrum;
  const int64_t count = s->found.count, tail = count > 2 * SHOWN ? count - SHOWN : 0;
  char text[400] = "";
  size_t used = 0;
  for (int64_t i = 0; i < count && used < sizeof text; i++) {
    const bool skipped = tail > 0 && i == SHOWN;
    if (skipped) i = tail;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.6g",
                             skipped ? " ... "
                             : i     ? " "
                                     : "",
                             s->values[i]);
  }
  print_paragraph("values", "%" PRId64 ", from number %" PRId64 " on: %s", count, s->found.first,
                  text);
  if (s->singular) print_certain(s);
  if (s->vectors && s->singular)
    print_paragraph("errors", "residual %.3g, orthogonality %.3g ulp of the sizes",
                    result->residual, s->orthogonality);
  else if (s->vectors)
    print_paragraph("errors", "residual %.3g, orthogonality %.3g n ulp; smallest gap %.3g",
                    result->residual, s->orthogonality, s->found.smallest_gap);
  else if (s->counted)
    print_paragraph("errors", "by counting, the first value within %.3g, the last one %.3g",
                    s->counts.within[0], s->counts.within[1]);
}

static void print_squares(const struct result *result) {
  const hyla_lstsq_report *report = &result->squares.report;
  print_paragraph("rank", "%" PRId64 " of %" PRId64 " by a tolerance of %.3g; condition about %.3g",
                  report->rank, result->m < result->n ? result->m : result->n, report->tolerance,
                  1 / report->rcond);
  print_paragraph("errors", "backward %.2g; |A x - b| / |b| at most %.3g", report->backward_error,
                  report->residual);
}

static void print_lowrank(const struct result *result) {
  const hyla_lowrank_report *report = &result->lowrank.report;
  print_paragraph("rank", "%" PRId64 " of %" PRId64, report->rank,
                  result->m < result->n ? result->m : result->n);
  print_paragraph("errors",
                  "|A - Q B| / |A| about %.3g; the largest singular value of A - Q B at "
                  "most %.3g |A|",
                  report->error, report->bound);
}

static void print_residual(const struct result *result, const char *error) {
  if (result->squares.made) print_squares(result);
  if (result->spectrum.values)
    print_spectrum(result);
  else if (result->lowrank.made)
    print_lowrank(result);
  else
    print_paragraph("residual", "%.3g (good below 1, wrong above %g)%s", result->residual,
                    RESIDUAL_LIMIT, error);
}

/* Prints everything. */
static void print_all(const struct run *run, const struct result *result) {
  char speed[40] = "";
  print_problem(run, result);
  print_cube(run, result);
  print_reason(result);
  print_counts(run, result);
  if (result->flops > 0)
    snprintf(speed, sizeof speed, ", %.3g Gflop/s", 1e-9 * result->flops / result->seconds);
  print_paragraph("time", "%.4g s%s; predicted %.4g s; reading took %.4g s", result->seconds, speed,
                  result->seconds_predicted, result->seconds_read);
  stages_print(run);
  checkpoints_print(run);
  faults_print(run);
  print_residual(result, "");
  if (result->has_report) print_report(result);
  if (result->has_error) print_paragraph("error", "%.3g, the largest of |x - 1|", result->error);
  if (result->written) print_paragraph("written", "%s", result->written);
}

/* Prints what was done, how well, how fast, and why by this variant: at most ten lines, unless
 * names of files are long. */
static void print_short(const struct run *run, const struct result *result) {
  char speed[40] = "", error[60] = "", where[64], condition[100];
  const hyla_solve_report *report = &result->report;
  const char *reason = reason_of(result);
  reason += strncmp(reason, "variant ", 8) == 0 ? 8 : 0;
  print_problem(run, result);
  print_method(result);
  int name = (int)strcspn(reason, ",\n"), length = (int)strcspn(reason, "\n");
  print_paragraph("variant", "%.*s%s%s%.*s", name, reason, result->method ? " of " : "",
                  result->method ? result->method : "", length - name, reason + name);
  if (result->flops > 0)
    snprintf(speed, sizeof speed, ", %.3g Gflop/s", 1e-9 * result->flops / result->seconds);
  print_paragraph("time", "%.3g s on %s%s; predicted %.3g s", result->seconds,
                  tool_nodes(run, where), speed, result->seconds_predicted);
  stages_print(run);
  checkpoints_print(run);
  faults_print(run);
  if (result->has_error) snprintf(error, sizeof error, "; largest |x - 1| %.2g", result->error);
  print_residual(result, error);
  if (result->has_report)
    print_paragraph("errors", "backward %.2g, forward at most %.2g; condition %s",
                    report->backward_error, report->forward_bound,
                    condition_text(result, condition));
  else if (result->has_condition)
    print_paragraph("condition", "%s", condition_text(result, condition));
  if (result->has_report) print_fallback(report);
  print_advice(run);
  print_idle(run);
  if (result->written) print_paragraph("written", "%s", result->written);
}

int result_print(const struct run *run, const struct result *result) {
  if (run->rank != 0) return result->exit_code;
  if (run->options.json) {
    json_t *json = result_json(run, result);
    if (result->finished) stages_json(run, json);
    checkpoints_json(run, json);
    faults_json(run, json);
    json_line(json);
  } else if (result->finished && run->options.explain) {
    print_all(run, result);
  } else if (result->finished) {
    print_short(run, result);
  }
  fflush(stdout);
  checkpoints_tell(run);
  faults_tell(run);
  if (*result->message) tell(run, "%s", result->message);
  return result->exit_code;
}
