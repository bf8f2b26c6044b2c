/* Products of a matrix and a vector, for bench, explain and simulate; A is not moved:
 *   gemv         y = op(A) x, A m x n
 *   symv, hemv   y = A x with a symmetric or Hermitian A, given by one triangle
 *   ger          A + x y^T, or A + x y^H with --op c: here x is a, y is b and A is c */
#include "operation.h"
#include "options.h"

static bool is_turned(const struct problem *p) { return p->options->op != HYLA_NONE; }
static hyla_operation op_ger(const struct problem *p) {
  return p->options->op == HYLA_CONJUGATE ? HYLA_CONJUGATE : HYLA_TRANSPOSE;
}

static bool read_size_general(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if (count != 1 && count != 2) return false;
  p->m = size[0];
  p->n = size[count - 1];
  p->k = p->nrhs = -1;
  return true;
}

static bool read_size_square(struct problem *p) {
  return p->options->size_count == 1 && read_size_general(p);
}

static double flops(const struct problem *p) {
  return 2.0 * (double)p->m * (double)p->n * (type_complex(p->options->type) ? 4 : 1);
}

/* ---- matrices ---- */

static hyla_status make(struct problem *p, const int64_t sizes[3][2]) {
  hyla_layout layout;
  const char *text = p->options->layout;
  hyla_status status = text ? hyla_layout_parse(p->cube, text, &layout) : HYLA_OK;
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  for (int i = 0; i < 3 && !status; i++)
    status = hyla_matrix_create(p->cube, p->options->type, sizes[i][0], sizes[i][1],
                                text ? &layout : NULL, matrices[i]);
  return status;
}

static hyla_status make_product(struct problem *p) {
  int64_t x = is_turned(p) ? p->m : p->n, y = is_turned(p) ? p->n : p->m;
  return make(p, (const int64_t[3][2]){{p->m, p->n}, {x, 1}, {y, 1}});
}
static hyla_status make_update(struct problem *p) {
  return make(p, (const int64_t[3][2]){{p->m, 1}, {p->n, 1}, {p->m, p->n}});
}

static hyla_status ready(struct problem *p) {
  hyla_status status = hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
  return status ? status : hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 2);
}

static hyla_status clear_result(struct problem *p) {
  return hyla_matrix_generate(p->cube, p->c, HYLA_ZERO, 1);
}

/* ---- plans ---- */

static hyla_status plan_gemv(struct problem *p, const char *variant) {
  return hyla_gemv_plan(p->cube, p->options->op, 1, p->a, p->b, 0, p->c, variant, &p->plan);
}
static hyla_status plan_symv(struct problem *p, const char *variant) {
  return hyla_symv_plan(p->cube, p->options->triangle, 1, p->a, p->b, 0, p->c, variant, &p->plan);
}
static hyla_status plan_hemv(struct problem *p, const char *variant) {
  return hyla_hemv_plan(p->cube, p->options->triangle, 1, p->a, p->b, 0, p->c, variant, &p->plan);
}
static hyla_status plan_ger(struct problem *p, const char *variant) {
  return hyla_ger_plan(p->cube, op_ger(p), 1, p->a, p->b, p->c, variant, &p->plan);
}

/* ---- checks ---- */

static hyla_status residual_gemv(struct problem *p, double *value) {
  hyla_matrix *factor = NULL;
  hyla_status status = matrix_operated(p->cube, p->a, p->options->op, 1, &factor);
  if (!status) status = product_residual(p->cube, factor, p->b, p->c, value);
  hyla_matrix_destroy(&factor);
  return status;
}

static hyla_status residual_triangle(struct problem *p, hyla_operation image, double *value) {
  hyla_matrix *whole = NULL;
  hyla_status status = triangle_complete(p->cube, p->a, p->options->triangle, image, &whole);
  if (!status) status = product_residual(p->cube, whole, p->b, p->c, value);
  hyla_matrix_destroy(&whole);
  return status;
}
static hyla_status residual_symv(struct problem *p, double *value) {
  return residual_triangle(p, HYLA_TRANSPOSE, value);
}
static hyla_status residual_hemv(struct problem *p, double *value) {
  return residual_triangle(p, HYLA_CONJUGATE, value);
}

static hyla_status residual_ger(struct problem *p, double *value) {
  hyla_matrix *turned = NULL;
  hyla_status status = matrix_operated(p->cube, p->b, op_ger(p), 1, &turned);
  if (!status) status = product_residual(p->cube, p->a, turned, p->c, value);
  hyla_matrix_destroy(&turned);
  return status;
}

/* ---- the operations ---- */

#define OPERATED (OPTION_BIT(KEY_TRANSPOSE) | OPTION_BIT(KEY_OP))

/* Name, shape, --size, function of the sizes, options, renewal. */
#define VECTOR_LIST(X)                                                                             \
  X(gemv, product, "N or MxN", general, OPERATED, NULL)                                            \
  X(symv, product, "N", square, OPTION_BIT(KEY_TRIANGLE), NULL)                                    \
  X(hemv, product, "N", square, OPTION_BIT(KEY_TRIANGLE), NULL)                                    \
  X(ger, update, "N or MxN", general, OPERATED, clear_result)

#define VECTOR(NAME, SHAPE, SIZES, READ, TAKES, RENEW)                                             \
  const struct operation operation_##NAME = {.name = #NAME,                                        \
                                             .variants = "gemv",                                   \
                                             .sizes = SIZES,                                       \
                                             .takes = TAKES,                                       \
                                             .read_size = read_size_##READ,                        \
                                             .flops = flops,                                       \
                                             .make = make_##SHAPE,                                 \
                                             .plan = plan_##NAME,                                  \
                                             .ready = ready,                                       \
                                             .renew = RENEW,                                       \
                                             .residual = residual_##NAME};
VECTOR_LIST(VECTOR)
#undef VECTOR
