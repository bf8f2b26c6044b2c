/* Block tridiagonal systems, for bench, explain and simulate: a, diagonal and above are the
 * blocks below, on and above the diagonal, c is a copy of b and becomes X.  Sizes: m unknowns,
 * blocks of order n, k right-hand sides. */
#include "operation.h"
#include "options.h"

static bool read_size(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if ((count != 2 && count != 3) || size[1] < 1) return false;
  p->m = size[0];
  p->n = size[1];
  p->k = count == 3 ? size[2] : 1;
  p->nrhs = -1;
  return true;
}

/* A block row: a factorization, its order's columns of U and the right-hand sides solved for, a
 * product down and one up. */
static double flops(const struct problem *p) {
  double m = (double)p->m, n = (double)p->n, k = (double)p->k;
  return m * (2 * n * n / 3 + 2 * n * (n + k) + 2 * n * (n + k) + 2 * n * k) *
         (type_complex(p->options->type) ? 4 : 1);
}

static hyla_status make(struct problem *p) {
  const char *own = p->options->layout;
  hyla_matrix **matrices[] = {&p->a, &p->diagonal, &p->above, &p->b, &p->c};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 5 && !status; i++) {
    hyla_layout layout;
    if (own) status = hyla_layout_parse(p->cube, own, &layout);
    if (!status)
      status = hyla_matrix_create(p->cube, p->options->type, p->m, i < 3 ? p->n : p->k,
                                  own ? &layout : NULL, matrices[i]);
  }
  return status;
}

static hyla_status plan(struct problem *p, const char *variant) {
  return hyla_tridiagonal_plan(p->cube, p->a, p->diagonal, p->above, p->c, variant, &p->plan);
}

/* ---- entries: dominant rows ---- */

/* The system's entry (row, col), from 0; zero outside the three diagonals of blocks. */
static hyla_scalar entry(void *arg, int64_t row, int64_t col) {
  const int64_t n = *(const int64_t *)arg, apart = row / n - col / n;
  if (apart < -1 || apart > 1) return 0;
  double small = (double)((row * 7 + col * 5) % 11 - 5) / (double)(11 * n);
  return row == col ? 2 + small : small;
}
static hyla_scalar below(void *arg, int64_t row, int64_t t) {
  const int64_t n = *(const int64_t *)arg, col = (row / n - 1) * n + t;
  return col < 0 ? 0 : entry(arg, row, col);
}
static hyla_scalar diagonal(void *arg, int64_t row, int64_t t) {
  const int64_t n = *(const int64_t *)arg;
  return entry(arg, row, row / n * n + t);
}
static hyla_scalar above(void *arg, int64_t row, int64_t t) {
  const int64_t n = *(const int64_t *)arg;
  return entry(arg, row, (row / n + 1) * n + t);
}

static hyla_status ready(struct problem *p) {
  hyla_status status = hyla_matrix_fill(p->cube, p->a, below, &p->n);
  return status ? status : hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 2);
}

static hyla_status renew(struct problem *p) {
  hyla_status status = hyla_matrix_fill(p->cube, p->diagonal, diagonal, &p->n);
  if (!status) status = hyla_matrix_fill(p->cube, p->above, above, &p->n);
  return status ? status : hyla_matrix_copy(p->cube, p->b, p->c);
}

/* The residual with the whole matrix, zeros included. */
static hyla_status residual(struct problem *p, double *value) {
  hyla_matrix *whole = NULL;
  hyla_status status = hyla_matrix_create(p->cube, p->options->type, p->m, p->m, NULL, &whole);
  if (!status) status = hyla_matrix_fill(p->cube, whole, entry, &p->n);
  if (!status) status = product_residual(p->cube, whole, p->c, p->b, value);
  hyla_matrix_destroy(&whole);
  return status;
}

const struct operation operation_tridiagonal = {
    .name = "tridiagonal",
    .variants = "tridiagonal",
    .sizes = "NxS or NxSxR, blocks of order S",
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .renew = renew,
    .residual = residual,
};
