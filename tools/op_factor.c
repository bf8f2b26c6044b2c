/* A X = B by a factorization made before, as bench and explain see it: one factorization and one
 * solution, by LU or Cholesky.  c holds X. */
#include "operation.h"
#include "options.h"

const char *method_name(hyla_method method) { return method == HYLA_LU ? "lu" : "cholesky"; }

double factor_flops(hyla_method method, hyla_type type, int64_t order, int64_t nrhs) {
  double n = (double)order;
  return (n * n * n * (method == HYLA_LU ? 2 : 1) / 3 + 2 * n * n * (double)nrhs) *
         (type_complex(type) ? 4 : 1);
}

static bool read_size(struct problem *p) {
  if (p->options->size_count != 1) return false;
  p->m = p->k = -1;
  p->n = p->options->size[0];
  p->nrhs = p->options->nrhs;
  return true;
}

static double flops_lu(const struct problem *p) {
  return factor_flops(HYLA_LU, p->options->type, p->n, p->nrhs);
}

static double flops_cholesky(const struct problem *p) {
  return factor_flops(HYLA_CHOLESKY, p->options->type, p->n, p->nrhs);
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

static hyla_status plan(struct problem *p, hyla_method method, const char *variant) {
  hyla_layout layout;
  hyla_status status =
      p->options->layout ? hyla_layout_parse(p->cube, p->options->layout, &layout) : HYLA_OK;
  if (!status)
    status = hyla_factor_create(p->cube, method, p->options->type, p->n, p->nrhs,
                                p->options->layout ? &layout : NULL, variant, &p->factor);
  if (status) return status;
  p->chosen = hyla_factor_plan(p->factor);
  p->layout = *hyla_factor_layout(p->factor);
  return p->options->dry ? make_matrices(p) : HYLA_OK; /* without data nobody makes them ready */
}

static hyla_status plan_lu(struct problem *p, const char *variant) {
  return plan(p, HYLA_LU, variant);
}

static hyla_status plan_cholesky(struct problem *p, const char *variant) {
  return plan(p, HYLA_CHOLESKY, variant);
}

static hyla_status ready(struct problem *p) {
  hyla_status status = make_matrices(p);
  if (!status) status = hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 0);
  if (!status) status = hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 1);
  return status;
}

/* A random Hermitian matrix with 2 n added to its diagonal is positive definite. */
static hyla_status ready_definite(struct problem *p) {
  hyla_matrix *identity = NULL;
  hyla_status status = ready(p);
  if (!status) status = hyla_matrix_generate(p->cube, p->a, HYLA_HERMITIAN, 0);
  if (!status)
    status = hyla_matrix_create(p->cube, p->options->type, p->n, p->n, &p->layout, &identity);
  if (!status) status = hyla_matrix_generate(p->cube, identity, HYLA_IDENTITY, 0);
  if (!status) status = hyla_add(p->cube, HYLA_NONE, 2 * (double)p->n, identity, 1, p->a);
  hyla_matrix_destroy(&identity);
  return status;
}

static hyla_status run(struct problem *p) {
  hyla_status status = hyla_factor_compute(p->cube, p->factor, p->a);
  return status ? status : hyla_factor_solve(p->cube, p->factor, HYLA_NONE, p->b, p->c);
}

static hyla_status residual(struct problem *p, double *value) {
  return hyla_residual(p->cube, p->a, p->c, p->b, value);
}

const struct operation operation_lu = {
    .name = "lu",
    .variants = "lu",
    .needs_data = true,
    .sizes = "N",
    .takes = OPTION_BIT(KEY_NRHS),
    .read_size = read_size,
    .flops = flops_lu,
    .make = make,
    .plan = plan_lu,
    .ready = ready,
    .run = run,
    .residual = residual,
};

const struct operation operation_cholesky = {
    .name = "cholesky",
    .variants = "cholesky",
    .sizes = "N",
    .takes = OPTION_BIT(KEY_NRHS),
    .read_size = read_size,
    .flops = flops_cholesky,
    .make = make,
    .plan = plan_cholesky,
    .ready = ready_definite,
    .run = run,
    .residual = residual,
};
