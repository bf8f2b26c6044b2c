/* B := A from one layout to another, as explain sees it. */
#include "operation.h"

static bool read_size(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if (count < 1 || count > 2 || !p->options->to) return false;
  p->m = size[0];
  p->n = size[count - 1];
  p->k = p->nrhs = -1;
  return true;
}

static hyla_status make_one(struct problem *p, const char *text, hyla_matrix **matrix) {
  hyla_layout layout;
  hyla_status status =
      text ? hyla_layout_parse(p->cube, text, &layout) : hyla_layout_default(p->cube, &layout);
  return status ? status
                : hyla_matrix_create(p->cube, p->options->type, p->m, p->n, &layout, matrix);
}

static hyla_status make(struct problem *p) {
  hyla_status status = make_one(p, p->options->layout, &p->a);
  return status ? status : make_one(p, p->options->to, &p->b);
}

static hyla_status plan(struct problem *p, const char *variant) {
  hyla_transfer transfer = {.op = HYLA_NONE, .alpha = 1, .from = p->a, .to = p->b};
  return hyla_redistribute_plan(p->cube, 1, &transfer, variant, &p->plan);
}

static const char *variant(const struct problem *p) { return hyla_plan_variant(p->plan); }
static hyla_cost cost(const struct problem *p) { return hyla_plan_cost(p->plan); }
static double seconds(const struct problem *p) { return hyla_plan_seconds(p->plan); }
static char *reason(const struct problem *p) { return tool_explain_plan(p->plan); }
static hyla_layout layout_of(const struct problem *p) { return *hyla_matrix_layout(p->a); }

const struct operation operation_redistribute = {
    .name = "redistribute",
    .variants = "redistribute",
    .explained_only = true,
    .sizes = "N or MxN, and --to LAYOUT",
    .read_size = read_size,
    .make = make,
    .plan = plan,
    .variant = variant,
    .cost = cost,
    .seconds = seconds,
    .reason = reason,
    .layout = layout_of,
};
