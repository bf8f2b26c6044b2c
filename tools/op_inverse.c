/* Inverses, for bench, explain and simulate.  A triangular matrix: the triangle of c, a copy of A,
 * becomes A^-1.  Any matrix: c becomes A^-1 by the options' method. */
#include "operation.h"
#include "options.h"

static bool read_size(struct problem *p) {
  if (p->options->size_count != 1) return false;
  p->m = p->n = p->options->size[0];
  p->k = p->nrhs = -1;
  return true;
}

static double triangle_flops(const struct problem *p) {
  double n = (double)p->n;
  return n * n * n / 3 * (type_complex(p->options->type) ? 4 : 1);
}

static hyla_status make(struct problem *p) {
  hyla_layout layout;
  const char *text = p->options->layout;
  hyla_status status = text ? hyla_layout_parse(p->cube, text, &layout) : HYLA_OK;
  hyla_matrix **matrices[] = {&p->a, &p->c};
  for (int i = 0; i < 2 && !status; i++)
    status = hyla_matrix_create(p->cube, p->options->type, p->n, p->n, text ? &layout : NULL,
                                matrices[i]);
  return status;
}

static hyla_status plan_triangle(struct problem *p, const char *variant) {
  return hyla_trtri_plan(p->cube, p->options->triangle, HYLA_ANY_DIAGONAL, p->c, variant, &p->plan);
}

/* Random triangles of any size are nearly singular; dominant ones are not. */
static hyla_status ready_triangle(struct problem *p) {
  return hyla_matrix_generate(p->cube, p->a, HYLA_DOMINANT, 1);
}

static hyla_status renew(struct problem *p) { return hyla_matrix_copy(p->cube, p->a, p->c); }

/* The residual of A C = I. */
static hyla_status inverse_residual(struct problem *p, const hyla_matrix *a, const hyla_matrix *c,
                                    double *value) {
  hyla_matrix *identity = NULL;
  hyla_status status =
      hyla_matrix_create(p->cube, p->options->type, p->n, p->n, &p->layout, &identity);
  if (!status) status = hyla_matrix_generate(p->cube, identity, HYLA_IDENTITY, 0);
  if (!status) status = product_residual(p->cube, a, c, identity, value);
  hyla_matrix_destroy(&identity);
  return status;
}

static hyla_status triangle_residual(struct problem *p, double *value) {
  hyla_matrix *a = NULL, *c = NULL;
  hyla_triangle triangle = p->options->triangle;
  hyla_status status = triangle_complete(p->cube, p->a, triangle, HYLA_NONE, &a);
  if (!status) status = triangle_complete(p->cube, p->c, triangle, HYLA_NONE, &c);
  if (!status) status = inverse_residual(p, a, c, value);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&a);
  return status;
}

const struct operation operation_trtri = {
    .name = "trtri",
    .variants = "trtri",
    .sizes = "N",
    .takes = OPTION_BIT(KEY_TRIANGLE),
    .read_size = read_size,
    .flops = triangle_flops,
    .make = make,
    .plan = plan_triangle,
    .ready = ready_triangle,
    .renew = renew,
    .residual = triangle_residual,
};

/* ------------------------------------------------------------ any matrix -- */

static double flops(const struct problem *p) {
  return inverse_flops(p->options->method, p->options->type, p->n);
}

static hyla_status plan(struct problem *p, const char *variant) {
  return hyla_invert_plan(p->cube, p->options->method, p->a, p->c, variant, &p->plan);
}

static hyla_status ready(struct problem *p) {
  return hyla_matrix_gallery(p->cube, p->a, hyla_method_at((int)p->options->method)->sample, 0);
}

static hyla_status residual(struct problem *p, double *value) {
  return inverse_residual(p, p->a, p->c, value);
}

const struct operation operation_invert = {
    .name = "invert",
    .methods = true,
    .sizes = "N",
    .takes = OPTION_BIT(KEY_METHOD),
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .residual = residual,
};
