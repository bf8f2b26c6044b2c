/* A X = B by a factorization made before, as bench and explain see it: one factorization and one
 * solution, by the options' method.  c holds X. */
#include "operation.h"
#include "options.h"

#include <string.h>

int method_find(const char *name) {
  const hyla_method_traits *method = NULL;
  for (int i = 0; (method = hyla_method_at(i)); i++)
    if (strcmp(method->name, name) == 0) return i;
  return -1;
}

double factor_flops(hyla_method method, hyla_type type, int64_t order, int64_t nrhs) {
  double n = (double)order;
  return (hyla_method_at((int)method)->flops * n * n * n + 2 * n * n * (double)nrhs) *
         (type_complex(type) ? 4 : 1);
}

double inverse_flops(hyla_type type, int64_t order) {
  double n = (double)order;
  return 2 * n * n * n * (type_complex(type) ? 4 : 1);
}

static bool read_size(struct problem *p) {
  if (p->options->size_count != 1) return false;
  p->m = p->k = -1;
  p->n = p->options->size[0];
  p->nrhs = p->options->nrhs;
  return true;
}

static double flops(const struct problem *p) {
  return factor_flops(p->options->method, p->options->type, p->n, p->nrhs);
}

/* A factorization is made without matrices, and says how they lie best. */
static hyla_status make(struct problem *p) {
  (void)p;
  return HYLA_OK;
}

static hyla_status make_matrices(struct problem *p) {
  const int64_t cols[] = {p->n, p->nrhs, p->nrhs};
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && !status; i++) {
    hyla_matrix_destroy(matrices[i]);
    status = hyla_matrix_create(p->cube, p->options->type, p->n, cols[i], &p->layout, matrices[i]);
  }
  return status;
}

static hyla_status plan(struct problem *p, const char *variant) {
  hyla_layout layout;
  hyla_status status =
      p->options->layout ? hyla_layout_parse(p->cube, p->options->layout, &layout) : HYLA_OK;
  if (!status)
    status = hyla_factor_create(p->cube, p->options->method, p->options->type, p->n, p->nrhs,
                                p->options->layout ? &layout : NULL, variant, &p->factor);
  if (status) return status;
  p->chosen = hyla_factor_plan(p->factor);
  p->layout = *hyla_factor_layout(p->factor);
  return p->options->dry ? make_matrices(p) : HYLA_OK; /* without data nobody makes them ready */
}

static hyla_status ready(struct problem *p) {
  const char *sample = hyla_method_at((int)p->options->method)->sample;
  hyla_status status = make_matrices(p);
  if (!status) status = hyla_matrix_gallery(p->cube, p->a, sample, 0);
  if (!status) status = hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 1);
  return status;
}

static hyla_status run(struct problem *p) {
  hyla_status status = hyla_factor_compute(p->cube, p->factor, p->a);
  return status ? status : hyla_factor_solve(p->cube, p->factor, HYLA_NONE, p->b, p->c);
}

static hyla_status residual(struct problem *p, double *value) {
  return hyla_residual(p->cube, p->a, p->c, p->b, value);
}

const struct operation operation_factor = {
    .methods = true,
    .sizes = "N",
    .takes = OPTION_BIT(KEY_NRHS),
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .run = run,
    .residual = residual,
};
