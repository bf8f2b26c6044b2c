/* Singular values with their vectors, for bench, explain and simulate: a is the matrix, b and c get
 * the left and the right vectors. */
#include "operation.h"
#include "options.h"

#include <stdlib.h>

static bool read_size(struct problem *p) {
  const int count = p->options->size_count;
  if (count != 1 && count != 2) return false;
  p->m = p->options->size[0];
  p->n = p->options->size[count - 1];
  p->k = p->nrhs = -1;
  return true;
}

double svd_flops(hyla_type type, int64_t rows, int64_t cols) {
  const double m = (double)(rows > cols ? rows : cols), n = (double)(rows > cols ? cols : rows);
  return (4 * m * n * n + 22 * n * n * n) * (type_complex(type) ? 4 : 1);
}

static double flops(const struct problem *p) { return svd_flops(p->options->type, p->m, p->n); }

static hyla_status make(struct problem *p) {
  hyla_layout layout;
  const char *text = p->options->layout;
  const int64_t count = p->m < p->n ? p->m : p->n;
  const int64_t sizes[3][2] = {{p->m, p->n}, {p->m, count}, {count, p->n}};
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  hyla_status status = text ? hyla_layout_parse(p->cube, text, &layout) : HYLA_OK;
  for (int i = 0; i < 3 && !status; i++)
    status = hyla_matrix_create(p->cube, p->options->type, sizes[i][0], sizes[i][1],
                                text ? &layout : NULL, matrices[i]);
  p->values = calloc((size_t)count + 1, sizeof *p->values);
  return hyla_cube_afford(p->cube, p->values ? 0 : INT64_MAX / 2) ? HYLA_MEMORY : status;
}

static hyla_status plan(struct problem *p, const char *variant) {
  const hyla_svd_options options = {.method = variant};
  return hyla_svd_plan(p->cube, &options, p->a, p->values, p->b, p->c, &p->plan);
}

static hyla_status ready(struct problem *p) {
  return hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
}

/* Errors above the library's bounds are wrong answers, too. */
static hyla_status residual(struct problem *p, double *value) {
  hyla_svd_errors errors;
  hyla_status status = hyla_svd_check(p->cube, p->a, p->values, p->b, p->c, &errors);
  const double vectors = errors.left > errors.right ? errors.left : errors.right;
  *value = errors.residual > vectors ? errors.residual : vectors;
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}

const struct operation operation_svd = {
    .name = "svd",
    .variants = "svd",
    .sizes = "MxN or N",
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .residual = residual,
};
