/* For bench and explain: solves A X = B by the options' method, with one factorization and one
 * solution; hyla_factor_create is called before.  c holds X.  A rectangle is only factored. */
#include "operation.h"
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int method_find(const char *name) {
  const hyla_method_traits *method = NULL;
  for (int i = 0; (method = hyla_method_at(i)); i++)
    if (strcmp(method->name, name) == 0) return i;
  return -1;
}

double factor_flops(hyla_method method, hyla_type type, int64_t m, int64_t n, int64_t nrhs) {
  double rows = (double)m, cols = (double)n, order = fmin(rows, cols);
  /* With m = n this is a third of n^3. */
  double done = order * (rows * cols - (rows + cols) * order / 2 + order * order / 3);
  return (3 * hyla_method_at((int)method)->flops * done + 2 * cols * cols * (double)nrhs) *
         (type_complex(type) ? 4 : 1);
}

double inverse_flops(hyla_method method, hyla_type type, int64_t order) {
  double n = (double)order;
  return (method == HYLA_CHOLESKY ? 1 : 2) * n * n * n * (type_complex(type) ? 4 : 1);
}

/* A rectangle has a factorization alone: then m is its rows, and there are no right-hand sides. */
static bool read_size(struct problem *p) {
  const struct options *o = p->options;
  int count = o->size_count;
  bool square = count == 1 || (count == 2 && o->size[0] == o->size[1]);
  if (!square && (count != 2 || !hyla_method_at((int)o->method)->rectangular)) return false;
  p->m = square ? -1 : o->size[0];
  p->n = o->size[count - 1];
  p->k = -1;
  p->nrhs = square ? o->nrhs : -1;
  return true;
}

static bool is_square(const struct problem *p) { return p->m < 0; }
static int64_t rows_of(const struct problem *p) { return is_square(p) ? p->n : p->m; }
static int64_t sides_of(const struct problem *p) { return is_square(p) ? p->nrhs : 0; }

static double flops(const struct problem *p) {
  return factor_flops(p->options->method, p->options->type, rows_of(p), p->n, sides_of(p));
}

/* A factorization is made without matrices; it says which layout is best for them. */
static hyla_status make(struct problem *p) {
  (void)p;
  return HYLA_OK;
}

static hyla_status make_matrices(struct problem *p) {
  const int64_t cols[] = {p->n, sides_of(p), sides_of(p)};
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && !status; i++) {
    hyla_matrix_destroy(matrices[i]);
    status =
        hyla_matrix_create(p->cube, p->options->type, rows_of(p), cols[i], &p->layout, matrices[i]);
  }
  return status;
}

static hyla_status plan(struct problem *p, const char *variant) {
  hyla_layout layout;
  hyla_status status =
      p->options->layout ? hyla_layout_parse(p->cube, p->options->layout, &layout) : HYLA_OK;
  if (!status)
    status = hyla_factor_create_rectangular(
        p->cube, p->options->method, p->options->type, rows_of(p), p->n, sides_of(p),
        p->options->layout ? &layout : NULL, variant, &p->factor);
  if (status) return status;
  p->chosen = hyla_factor_plan(p->factor);
  p->layout = *hyla_factor_layout(p->factor);
  return p->options->dry ? make_matrices(p) : HYLA_OK; /* without data, ready is not called */
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
  if (status || !is_square(p)) return status;
  return hyla_factor_solve(p->cube, p->factor, HYLA_NONE, p->b, p->c);
}

/* y := P^T y, through node 0. */
static hyla_status undo_swaps(struct problem *p, hyla_matrix *y) {
  size_t rows = (size_t)p->m, size = (size_t)type_size(p->options->type);
  int64_t *row = calloc(rows, sizeof *row);
  char *entries = calloc(rows, size), *moved = calloc(rows, size);
  int64_t missing = !row || !entries || !moved;
  hyla_status status = hyla_cube_max(p->cube, &missing, 1);
  if (!status && missing) status = HYLA_MEMORY;
  if (!status) status = hyla_factor_permutation(p->cube, p->factor, row);
  if (!status) status = hyla_matrix_gather(p->cube, y, HYLA_FACE, entries, p->m);
  for (size_t i = 0; i < rows && !status; i++)
    memcpy(moved + (size_t)row[i] * size, entries + i * size, size);
  if (!status) status = hyla_matrix_scatter(p->cube, moved, p->m, y);
  free(moved);
  free(entries);
  free(row);
  return status;
}

/* The check y := P^T (L (U t)) for a random t, with ut = U t. */
struct check {
  hyla_matrix *l, *u, *t, *ut, *y;
};

static hyla_status multiply_factors(struct problem *p, struct check *x) {
  hyla_cube *cube = p->cube;
  int64_t order = p->m < p->n ? p->m : p->n;
  const int64_t rows[] = {p->m, order, p->n, order, p->m}, cols[] = {order, p->n, 1, 1, 1};
  hyla_matrix **matrices[] = {&x->l, &x->u, &x->t, &x->ut, &x->y};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 5 && !status; i++)
    status = hyla_matrix_create(cube, p->options->type, rows[i], cols[i], &p->layout, matrices[i]);
  if (!status) status = hyla_factor_lower(cube, p->factor, x->l);
  if (!status) status = hyla_factor_upper(cube, p->factor, x->u);
  if (!status) status = hyla_matrix_generate(cube, x->t, HYLA_RANDOM, 1);
  if (!status) status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, x->u, x->t, 0, x->ut);
  if (!status) status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, x->l, x->ut, 0, x->y);
  return status ? status : undo_swaps(p, x->y);
}

/* QR: compares R^H R with A^H A, because Q cannot be multiplied with. */
static hyla_status residual_qr(struct problem *p, double *value) {
  hyla_cube *cube = p->cube;
  const hyla_type type = p->options->type;
  hyla_matrix *r = NULL, *square = NULL, *adjoint = NULL;
  hyla_status status =
      hyla_matrix_create(cube, type, p->m < p->n ? p->m : p->n, p->n, &p->layout, &r);
  if (!status) status = hyla_matrix_create(cube, type, p->n, p->n, &p->layout, &square);
  if (!status) status = hyla_factor_upper(cube, p->factor, r);
  if (!status) status = hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, 1, r, r, 0, square);
  if (!status) status = matrix_operated(cube, p->a, HYLA_CONJUGATE, 1, &adjoint);
  if (!status) status = product_residual(cube, adjoint, p->a, square, value);
  hyla_matrix_destroy(&adjoint);
  hyla_matrix_destroy(&square);
  hyla_matrix_destroy(&r);
  return status;
}

/* For a rectangle, the residual of its factors: P^T L U against A. */
static hyla_status residual(struct problem *p, double *value) {
  if (is_square(p)) return hyla_residual(p->cube, p->a, p->c, p->b, value);
  if (p->options->method == HYLA_QR) return residual_qr(p, value);
  struct check x = {.l = NULL};
  hyla_status status = multiply_factors(p, &x);
  if (!status) status = product_residual(p->cube, p->a, x.t, x.y, value);
  hyla_matrix_destroy(&x.y);
  hyla_matrix_destroy(&x.ut);
  hyla_matrix_destroy(&x.t);
  hyla_matrix_destroy(&x.u);
  hyla_matrix_destroy(&x.l);
  return status;
}

/* The same operation for square systems has a name of its own; for one right-hand side by lu it
 * counts 2/3 n^3 + 3/2 n^2 operations, as HPL does. */
static double solve_flops(const struct problem *p) {
  double n = (double)p->n;
  if (p->options->method != HYLA_LU) return flops(p);
  return flops(p) - n * n / 2 * (type_complex(p->options->type) ? 4 : 1);
}

static bool read_order(struct problem *p) { return p->options->size_count == 1 && read_size(p); }

const struct operation operation_solve = {
    .name = "solve",
    .methods = true,
    .sizes = "N",
    .takes = OPTION_BIT(KEY_NRHS) | OPTION_BIT(KEY_METHOD),
    .read_size = read_order,
    .flops = solve_flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .run = run,
    .residual = residual,
};

const struct operation operation_factor = {
    .methods = true,
    .sizes = "N, or by lu and qr MxN",
    .takes = OPTION_BIT(KEY_NRHS),
    .read_size = read_size,
    .flops = flops,
    .make = make,
    .plan = plan,
    .ready = ready,
    .run = run,
    .residual = residual,
};
