/* A result as text for people: what ran, why, what it sent, how good it is. */
#include "operation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts of the library ---- */

static char *text_of(const void *object, size_t (*write)(const void *, char *, size_t)) {
  size_t length = write(object, NULL, 0);
  char *text = malloc(length + 1);
  if (text) write(object, text, length + 1);
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

/* A product that knows of a triangle. */
static void print_triangular_product(const struct run *run, const struct result *result) {
  const struct options *options = &run->options;
  const struct operation *operation = operation_find(result->product);
  static const char *const marks[] = {"", ", transposed", ", conjugated and transposed"};
  printf("%-9s %s, %" PRId64 " x %" PRId64 " x %" PRId64 ", of %s", result->op, result->product,
         result->m, result->n, result->k, options->paths[0]);
  if (operation->factors == 2) printf(" and %s", options->paths[1]);
  printf(", %s triangle", options->triangle == HYLA_LOWER ? "lower" : "upper");
  if (operation->factors == 2)
    printf(" from the %s", options->side == HYLA_LEFT ? "left" : "right");
  printf("%s%s, %s\n", marks[options->op],
         options->diagonal == HYLA_UNIT_DIAGONAL ? ", ones on its diagonal" : "",
         type_name(result->type));
}

static void print_problem(const struct run *run, const struct result *result) {
  const char *a = run->options.paths[0], *b = run->options.paths[1];
  if (result->nrhs >= 0)
    printf("solve     %s, %" PRId64 " x %" PRId64 " %s, %" PRId64 " right-hand side%s (%s)\n", a,
           result->n, result->n, type_name(result->type), result->nrhs,
           result->nrhs == 1 ? "" : "s", b ? b : "A times ones");
  else if (result->k < 0)
    printf("%-9s %s, %" PRId64 " x %" PRId64 ", %s\n", result->op, a, result->m, result->n,
           type_name(result->type));
  else if (operation_find(result->product) != &operation_gemm)
    print_triangular_product(run, result);
  else
    printf("multiply  %s, %" PRId64 " x %" PRId64 ", times %s, %" PRId64 " x %" PRId64 ", %s\n", a,
           result->m, result->k, b, result->k, result->n, type_name(result->type));
}

static void print_cube(const struct run *run, const struct result *result) {
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&result->layout, layout, sizeof layout);
  int nodes = hyla_cube_nodes(run->cube), guests = hyla_cube_guests(run->cube);
  printf("cube      %d node%s, layout %s", nodes, nodes == 1 ? "" : "s", layout);
  if (guests > 0)
    printf("; %d of %d ranks idle%s, as a cube has 2^d", guests, run->ranks,
           guests == 1 ? "s" : "");
  printf("\n");
}

/* One line of text, wrapped, each part under the first. */
static void print_wrapped(const char *label, const char *line, int length) {
  enum { WIDTH = 88 };
  while (length > WIDTH) {
    int cut = WIDTH;
    while (cut > 0 && line[cut] != ' ') cut--;
    if (cut == 0) break;
    printf("%-10s%.*s\n", label, cut, line);
    line += cut + 1;
    length -= cut + 1;
    label = "";
  }
  printf("%-10s%.*s\n", label, length, line);
}

/* The library's explanation, "gemm: variant ..." and indented lines, as a paragraph; what
 * the variants are of is left out but for methods. */
static void print_reason(const struct result *result) {
  if (*result->why) {
    char text[sizeof result->why + 32];
    int length = snprintf(text, sizeof text, "%s, as %s", result->method, result->why);
    print_wrapped("method", text, length);
  }
  const char *line = result->reason, *label = "plan";
  const char *colon = line ? strstr(line, ": variant ") : NULL;
  if (!result->method && colon && colon < line + strcspn(line, "\n")) line = colon + 2;
  while (line && *line) {
    line += strspn(line, " ");
    int length = (int)strcspn(line, "\n");
    print_wrapped(label, line, length);
    line += length + (line[length] == '\n');
    label = "";
  }
}

static void print_counts(const struct run *run, const struct result *result) {
  const struct counts *counted = &result->counted;
  int dims = hyla_cube_dims(run->cube);
  printf("sent      %12s %12s %12s   (busiest rank; words are matrix entries)\n", "steps",
         "messages", "words");
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

static void print_report(const hyla_solve_report *report) {
  printf("condition %.3g or more%s", 1 / report->rcond,
         report->equilibrated ? ", of A with its rows and columns scaled" : "");
  if (!isnan(report->growth)) printf(", growth %.3g", report->growth);
  printf("\n");
  printf("errors    backward %.2g, componentwise %.2g, forward at most %.2g",
         report->backward_error, report->componentwise_error, report->forward_bound);
  if (report->refinements > 0)
    printf(", after %d step%s of refinement", report->refinements,
           report->refinements == 1 ? "" : "s");
  printf("\n");
  if (report->fallback) printf("fallback  to full precision, as %s\n", report->fallback);
}

static void print_text(const struct run *run, const struct result *result) {
  print_problem(run, result);
  print_cube(run, result);
  print_reason(result);
  print_counts(run, result);
  printf("time      %.4g s", result->seconds);
  if (result->flops > 0) printf(", %.3g Gflop/s", 1e-9 * result->flops / result->seconds);
  printf("; predicted %.4g s; reading took %.4g s\n", result->seconds_predicted,
         result->seconds_read);
  printf("residual  %.3g (good below 1, wrong above %g)\n", result->residual, RESIDUAL_LIMIT);
  if (result->has_report) print_report(&result->report);
  if (result->has_error) printf("error     %.3g, the largest of |x - 1|\n", result->error);
  if (result->written) printf("written   %s\n", result->written);
}

int result_print(const struct run *run, const struct result *result) {
  if (run->rank != 0) return result->exit_code;
  if (run->options.json)
    json_line(result_json(run, result));
  else if (result->finished)
    print_text(run, result);
  fflush(stdout);
  if (*result->message) tell(run, "%s", result->message);
  return result->exit_code;
}
