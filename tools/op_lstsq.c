/* Least squares, for bench, explain and simulate: a is the matrix, b the right-hand sides, c gets
 * the solution. */
#include "operation.h"
#include "options.h"

#include <float.h>
#include <math.h>

static bool read_size(struct problem *p) {
  const int count = p->options->size_count;
  if (count != 1 && count != 2) return false;
  p->m = p->options->size[0];
  p->n = p->options->size[count - 1];
  p->k = -1;
  p->nrhs = p->options->nrhs;
  return true;
}

double lstsq_flops(hyla_type type, int64_t rows, int64_t cols, int64_t nrhs) {
  const bool tall = rows > cols;
  return factor_flops(HYLA_QR, type, tall ? rows : cols, tall ? cols : rows, nrhs);
}

static double flops(const struct problem *p) {
  return lstsq_flops(p->options->type, p->m, p->n, p->nrhs);
}

static hyla_status make(struct problem *p) {
  hyla_layout layout;
  const char *text = p->options->layout;
  const int64_t sizes[3][2] = {{p->m, p->n}, {p->m, p->nrhs}, {p->n, p->nrhs}};
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  hyla_status status = text ? hyla_layout_parse(p->cube, text, &layout) : HYLA_OK;
  for (int i = 0; i < 3 && !status; i++)
    status = hyla_matrix_create(p->cube, p->options->type, sizes[i][0], sizes[i][1],
                                text ? &layout : NULL, matrices[i]);
  return status;
}

static hyla_status plan(struct problem *p, const char *variant) {
  const hyla_lstsq_options options = {.variant = variant};
  return hyla_lstsq_plan(p->cube, &options, p->a, p->b, p->c, NULL, &p->plan);
}

static hyla_status ready(struct problem *p) {
  const hyla_status status = hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
  return status ? status : hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 2);
}

/* The residual r = b - A x, and A^H r. */
struct check {
  hyla_matrix *r, *g;
};

static hyla_status make_check(struct problem *p, struct check *check) {
  const hyla_type type = p->options->type;
  hyla_status status = hyla_matrix_create(p->cube, type, p->m, p->nrhs, NULL, &check->r);
  if (!status) status = hyla_matrix_create(p->cube, type, p->n, p->nrhs, NULL, &check->g);
  if (!status) status = hyla_matrix_copy(p->cube, p->b, check->r);
  if (!status) status = hyla_gemm(p->cube, HYLA_NONE, HYLA_NONE, -1, p->a, p->c, 1, check->r);
  if (status) return status;
  return hyla_gemm(p->cube, HYLA_CONJUGATE, HYLA_NONE, 1, p->a, check->r, 0, check->g);
}

/* The change of A, relative to |A| and in units of max(m, n) ulp, with which x is exact, as of all
 * columns together: the least of |A^H r| / |r| and |r| / |x|, as hyla_lstsq_report has it. */
static hyla_status residual(struct problem *p, double *value) {
  struct check check = {NULL, NULL};
  double norms[4] = {0};
  hyla_status status = make_check(p, &check);
  const hyla_matrix *matrices[] = {p->a, p->c, check.r, check.g};
  for (int i = 0; i < 4 && !status; i++)
    status = hyla_matrix_norm(p->cube, matrices[i], HYLA_NORM_FRO, &norms[i]);
  hyla_matrix_destroy(&check.g);
  hyla_matrix_destroy(&check.r);
  const bool single = p->options->type == HYLA_FLOAT || p->options->type == HYLA_COMPLEX;
  const double ulp = single ? (double)FLT_EPSILON : DBL_EPSILON;
  const double of_squares = norms[3] / norms[2], of_system = norms[2] / norms[1];
  const double least = of_system < of_squares ? of_system : of_squares;
  *value = norms[2] == 0 ? 0 : least / (norms[0] * ulp * (double)(p->m > p->n ? p->m : p->n));
  return status;
}

const struct operation operation_lstsq = {
    .name = "lstsq",
    .variants = "qr",
    .sizes = "MxN or N",
    .takes = OPTION_BIT(KEY_NRHS),
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .residual = residual,
};
