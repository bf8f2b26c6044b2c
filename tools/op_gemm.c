/* C := A B as bench and explain see it. */
#include "operation.h"

static bool read_size(struct problem *p) {
  const int64_t *size = p->options->size;
  if (p->options->size_count != 1 && p->options->size_count != 3) return false;
  bool all = p->options->size_count == 3;
  p->m = size[0];
  p->n = all ? size[1] : size[0];
  p->k = all ? size[2] : size[0];
  p->nrhs = -1;
  return true;
}

static double flops(const struct problem *p) {
  return 2.0 * (double)p->m * (double)p->n * (double)p->k *
         (type_complex(p->options->type) ? 4 : 1);
}

static hyla_status make(struct problem *p) {
  hyla_layout layout;
  hyla_status status = p->options->layout ? hyla_layout_parse(p->cube, p->options->layout, &layout)
                                          : hyla_layout_default(p->cube, &layout);
  const int64_t sizes[3][2] = {{p->m, p->k}, {p->k, p->n}, {p->m, p->n}};
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  for (int i = 0; i < 3 && !status; i++)
    status = hyla_matrix_create(p->cube, p->options->type, sizes[i][0], sizes[i][1], &layout,
                                matrices[i]);
  return status;
}

static hyla_status ready(struct problem *p) {
  hyla_status status = hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
  return status ? status : hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 2);
}

static hyla_status plan(struct problem *p, const char *variant) {
  return hyla_gemm_plan(p->cube, HYLA_NONE, HYLA_NONE, 1, p->a, p->b, 0, p->c, variant, &p->plan);
}

static hyla_status run(struct problem *p) { return hyla_plan_run(p->cube, p->plan); }

static hyla_status residual(struct problem *p, double *value) {
  return product_residual(p->cube, p->a, p->b, p->c, value);
}

static const char *variant(const struct problem *p) { return hyla_plan_variant(p->plan); }
static hyla_cost cost(const struct problem *p) { return hyla_plan_cost(p->plan); }
static double seconds(const struct problem *p) { return hyla_plan_seconds(p->plan); }
static char *reason(const struct problem *p) { return tool_explain_plan(p->plan); }
static hyla_layout layout_of(const struct problem *p) { return *hyla_matrix_layout(p->c); }

const struct operation operation_gemm = {
    .name = "gemm",
    .variants = "gemm",
    .sizes = "N or MxNxK",
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .run = run,
    .residual = residual,
    .variant = variant,
    .cost = cost,
    .seconds = seconds,
    .reason = reason,
    .layout = layout_of,
};
