/* The array of nodes for an operation: compares those of a number of ranks by what the operation
 * takes on them. */
#include "operation.h"

#include <stdio.h>
#include <string.h>

/* What is planned on each array. */
struct asked {
  const struct operation *operation;
  const struct options *options;
};

/* Was the variant that the plan chose rehearsed? */
static bool is_rehearsed(const hyla_plan *plan) {
  hyla_candidate candidate;
  for (int i = 0; hyla_plan_candidate(plan, i, &candidate); i++)
    if (candidate.chosen) return candidate.rehearsed;
  return false;
}

static hyla_status price(hyla_cube *cube, void *arg, hyla_array *array) {
  const struct asked *asked = arg;
  const char *variant = asked->options->variant;
  struct problem p = {.cube = cube, .options = asked->options};
  asked->operation->read_size(&p);
  if (variant && strcmp(variant, "all") == 0) variant = NULL;
  hyla_status status = asked->operation->make(&p);
  if (!status) status = operation_plan(asked->operation, &p, variant);
  if (!status) {
    array->seconds = hyla_plan_seconds(p.chosen);
    array->memory = hyla_plan_cost(p.chosen).memory;
    array->rehearsed = is_rehearsed(p.chosen);
  }
  problem_free(&p);
  return status;
}

hyla_status arrays_compare(const struct operation *operation, const struct options *options,
                           const hyla_machine *machine, int ranks, int64_t messages,
                           struct arrays *arrays) {
  struct asked asked = {operation, options};
  const hyla_options limits = {.memory = options->memory, .reproducible = options->reproducible};
  arrays->ranks = ranks;
  hyla_status status = hyla_arrays_compare(machine, ranks, &limits, messages, price, &asked,
                                           arrays->array, ARRAYS_MOST, &arrays->count);
  if (!status) array_text(&arrays->array[0], arrays->fastest);
  return status;
}

void array_text(const hyla_array *array, char text[32]) {
  snprintf(text, 32, "%dx%d", array->rows, array->cols);
}

int array_nodes(const hyla_array *array) { return array->rows * array->cols; }

/* The fastest array of all ranks; NULL: none was among them. */
static const hyla_array *fastest_of_all(const struct arrays *arrays) {
  for (int i = 0; i < arrays->count; i++)
    if (array_nodes(&arrays->array[i]) == arrays->ranks) return &arrays->array[i];
  return NULL;
}

bool arrays_idle(const struct arrays *arrays, char *text, size_t size) {
  const hyla_array *all = fastest_of_all(arrays);
  if (!all || all == &arrays->array[0]) return false;
  snprintf(text, size, "all %d as %dx%d are predicted to take %.3g s, %.3g %% more", arrays->ranks,
           all->rows, all->cols, all->seconds, 100 * (all->seconds / arrays->array[0].seconds - 1));
  return true;
}

void arrays_print(const struct arrays *arrays) {
  enum { LISTED = 8 };
  for (int i = 0; i < arrays->count && i < LISTED; i++) {
    const hyla_array *a = &arrays->array[i];
    if (i == 0)
      printf("  array     ranks     %9s   workspace of a rank\n",
             a->rehearsed ? "rehearsed" : "predicted");
    printf("%c %3dx%-5d %3d of %-3d %10.4g s %12lld bytes\n", i == 0 ? '*' : ' ', a->rows, a->cols,
           array_nodes(a), arrays->ranks, a->seconds, (long long)a->memory);
  }
  if (arrays->count > LISTED) printf("  and %d slower ones\n", arrays->count - LISTED);
}

json_t *arrays_json(const struct arrays *arrays) {
  json_t *list = json_array();
  for (int i = 0; i < arrays->count; i++) {
    const hyla_array *a = &arrays->array[i];
    char text[32];
    array_text(a, text);
    json_array_append_new(list,
                          json_pack("{s:s, s:i, s:f, s:b, s:I}", "array", text, "nodes",
                                    array_nodes(a), "seconds_predicted", a->seconds, "rehearsed",
                                    a->rehearsed, "memory_bytes", (json_int_t)a->memory));
  }
  return list;
}
