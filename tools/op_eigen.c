/* Eigenvalues of Hermitian matrices, for bench, explain and simulate: a is the matrix, c gets the
 * vectors, if they are wanted; b is the second matrix of a generalised problem. */
#include "operation.h"
#include "options.h"

#include <stdlib.h>

static bool read_size(struct problem *p) {
  if (p->options->size_count != 1) return false;
  p->m = p->n = p->options->size[0];
  p->k = p->nrhs = -1;
  return true;
}

double eigen_flops(hyla_type type, int64_t order, int64_t vectors) {
  const double n = (double)order, m = (double)vectors;
  const double real = vectors > 0 ? 4 * n * n * n / 3 : 0; /* for T's vectors, at most */
  return (4 * n * n * n / 3 + 2 * n * n * m) * (type_complex(type) ? 4 : 1) + real;
}

/* With B its factor, two triangular systems or products with it, and one for the vectors. */
double pencil_flops(hyla_type type, int64_t order, int64_t vectors) {
  const double n = (double)order, m = (double)vectors;
  return (n * n * n / 3 + 2 * n * n * n + n * n * m) * (type_complex(type) ? 4 : 1) +
         eigen_flops(type, order, vectors);
}

static double flops(const struct problem *p) {
  const hyla_type type = p->options->type;
  const int64_t vectors = p->options->no_vectors ? 0 : p->n;
  return p->options->pencil ? pencil_flops(type, p->n, vectors) : eigen_flops(type, p->n, vectors);
}

static hyla_status make(struct problem *p) {
  hyla_layout layout;
  const char *text = p->options->layout;
  hyla_status status = text ? hyla_layout_parse(p->cube, text, &layout) : HYLA_OK;
  hyla_matrix **matrices[] = {&p->a, &p->c, &p->b};
  const bool wanted[] = {true, !p->options->no_vectors, p->options->pencil > 0};
  for (int i = 0; i < 3 && !status; i++)
    if (wanted[i])
      status = hyla_matrix_create(p->cube, p->options->type, p->n, p->n, text ? &layout : NULL,
                                  matrices[i]);
  p->values = calloc((size_t)p->n + 1, sizeof *p->values);
  return hyla_cube_afford(p->cube, p->values ? 0 : INT64_MAX / 2) ? HYLA_MEMORY : status;
}

hyla_eigen_pencil pencil_of(const struct options *options) {
  return options->pencil ? (hyla_eigen_pencil)(options->pencil - 1) : HYLA_PENCIL_AX_BX;
}

static hyla_status plan(struct problem *p, const char *variant) {
  const hyla_eigen_options options = {.variant = variant};
  if (p->b)
    return hyla_eigen_generalized_plan(p->cube, &options, pencil_of(p->options),
                                       p->options->triangle, p->a, p->b, p->values, p->c, &p->plan);
  return hyla_eigen_plan(p->cube, &options, p->options->triangle, p->a, p->values, p->c, &p->plan);
}

static hyla_status ready(struct problem *p) {
  const hyla_status status = hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
  return status || !p->b ? status : hyla_matrix_generate(p->cube, p->b, HYLA_DOMINANT, 2);
}

/* Values alone: the part of the allowed error that they have; with a B all of it, or more. */
static hyla_status residual_of_values(struct problem *p, double *value) {
  hyla_eigen_errors errors = {0, 0};
  hyla_eigen_counts counts;
  const hyla_triangle triangle = p->options->triangle;
  const hyla_status status =
      p->b ? hyla_eigen_check_counts(p->cube, pencil_of(p->options), triangle, p->a, p->b, 0, p->n,
                                     p->values, &counts)
           : hyla_eigen_check_values(p->cube, triangle, p->a, p->values, &errors);
  *value = errors.residual;
  return p->b || status != HYLA_UNRELIABLE ? status : HYLA_OK;
}

/* Errors above the library's bounds are wrong answers, too. */
static hyla_status residual(struct problem *p, double *value) {
  hyla_eigen_errors errors;
  if (!p->c) return residual_of_values(p, value);
  const hyla_triangle triangle = p->options->triangle;
  hyla_status status = p->b ? hyla_eigen_generalized_check(p->cube, pencil_of(p->options), triangle,
                                                           p->a, p->b, p->values, p->c, &errors)
                            : hyla_eigen_check(p->cube, triangle, p->a, p->values, p->c, &errors);
  *value = errors.residual > errors.orthogonality ? errors.residual : errors.orthogonality;
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}

const struct operation operation_eigen = {
    .name = "eig",
    .variants = "eigen",
    .sizes = "N",
    .takes = OPTION_BIT(KEY_TRIANGLE) | OPTION_BIT(KEY_PENCIL) | OPTION_BIT(KEY_NO_VECTORS),
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .residual = residual,
};
