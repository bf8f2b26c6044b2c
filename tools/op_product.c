/* C = A B and products with a triangle, for bench, explain, simulate and multiply:
 *   gemm         C = A B
 *   symm, hemm   C = A B or, from the right, B A, with A symmetric or Hermitian
 *   trmm         the same with A triangular, or its transpose, in the place of B: C is a copy of B
 *   trsm         op(A) X = alpha B or X op(A) = alpha B with A triangular: C is X
 *   syrk, herk   a triangle of C = A A^T or A^T A, with A^H for A^T in herk */
#include "operation.h"
#include "options.h"

static bool from_left(const struct problem *p) { return p->options->side == HYLA_LEFT; }
static bool is_turned(const struct problem *p) { return p->options->op != HYLA_NONE; }

/* ---- sizes ---- */

static bool read_size_gemm(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if (count != 1 && count != 3) return false;
  p->m = size[0];
  p->n = size[count == 3 ? 1 : 0];
  p->k = size[count - 1];
  p->nrhs = -1;
  return true;
}

static bool read_size_triangle(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if (count != 1 && count != 2) return false;
  p->m = size[0];
  p->n = size[count - 1];
  p->k = from_left(p) ? p->m : p->n;
  p->nrhs = -1;
  return true;
}

static bool read_size_update(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if (count != 1 && count != 2) return false;
  p->m = p->n = size[0];
  p->k = size[count - 1];
  p->nrhs = -1;
  return true;
}

static void size_of_gemm(struct problem *p) {
  p->m = hyla_matrix_rows(p->a);
  p->n = hyla_matrix_cols(p->b);
  p->k = hyla_matrix_cols(p->a);
}

static void size_of_triangle(struct problem *p) {
  p->m = hyla_matrix_rows(p->b);
  p->n = hyla_matrix_cols(p->b);
  p->k = from_left(p) ? p->m : p->n;
}

static void size_of_update(struct problem *p) {
  p->m = p->n = is_turned(p) ? hyla_matrix_cols(p->a) : hyla_matrix_rows(p->a);
  p->k = is_turned(p) ? hyla_matrix_rows(p->a) : hyla_matrix_cols(p->a);
}

static double flops_whole(const struct problem *p) {
  return 2.0 * (double)p->m * (double)p->n * (double)p->k *
         (type_complex(p->options->type) ? 4 : 1);
}
static double flops_half(const struct problem *p) { return flops_whole(p) / 2; }

/* ---- matrices ---- */

/* All matrices get A's layout, unless another is given for the others. */
static hyla_status make_sizes(struct problem *p, const int64_t sizes[3][2]) {
  const char *own = p->options->layout, *others = p->options->to ? p->options->to : own;
  const char *texts[] = {own, others, others};
  hyla_matrix **matrices[] = {&p->a, &p->b, &p->c};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && !status; i++) {
    hyla_layout layout;
    if (sizes[i][0] == 0) continue;
    if (texts[i]) status = hyla_layout_parse(p->cube, texts[i], &layout);
    if (!status)
      status = hyla_matrix_create(p->cube, p->options->type, sizes[i][0], sizes[i][1],
                                  texts[i] ? &layout : NULL, matrices[i]);
  }
  return status;
}

static hyla_status make_gemm(struct problem *p) {
  return make_sizes(p, (const int64_t[3][2]){{p->m, p->k}, {p->k, p->n}, {p->m, p->n}});
}
static hyla_status make_triangle(struct problem *p) {
  return make_sizes(p, (const int64_t[3][2]){{p->k, p->k}, {p->m, p->n}, {p->m, p->n}});
}
static hyla_status make_update(struct problem *p) {
  int64_t rows = is_turned(p) ? p->k : p->n, cols = is_turned(p) ? p->n : p->k;
  return make_sizes(p, (const int64_t[3][2]){{rows, cols}, {0, 0}, {p->n, p->n}});
}

static hyla_status ready(struct problem *p) {
  hyla_status status = hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
  return status || !p->b ? status : hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 2);
}

/* Random triangles of any size are nearly singular; dominant ones are not. */
static hyla_status ready_trsm(struct problem *p) {
  hyla_status status = hyla_matrix_generate(p->cube, p->a, HYLA_DOMINANT, 1);
  return status ? status : hyla_matrix_generate(p->cube, p->b, HYLA_RANDOM, 2);
}

static hyla_status copy_factor(struct problem *p) { return hyla_matrix_copy(p->cube, p->b, p->c); }

/* ---- plans ---- */

static hyla_status plan_gemm(struct problem *p, const char *variant) {
  return hyla_gemm_plan(p->cube, HYLA_NONE, HYLA_NONE, 1, p->a, p->b, 0, p->c, variant, &p->plan);
}
static hyla_status plan_symm(struct problem *p, const char *variant) {
  return hyla_symm_plan(p->cube, p->options->side, p->options->triangle, 1, p->a, p->b, 0, p->c,
                        variant, &p->plan);
}
static hyla_status plan_hemm(struct problem *p, const char *variant) {
  return hyla_hemm_plan(p->cube, p->options->side, p->options->triangle, 1, p->a, p->b, 0, p->c,
                        variant, &p->plan);
}
static hyla_status plan_trmm(struct problem *p, const char *variant) {
  return hyla_trmm_plan(p->cube, p->options->side, p->options->triangle, p->options->op,
                        HYLA_ANY_DIAGONAL, 1, p->a, p->c, variant, &p->plan);
}
static hyla_status plan_trsm(struct problem *p, const char *variant) {
  const struct options *o = p->options;
  return hyla_trsm_plan(p->cube, o->side, o->triangle, o->op, o->diagonal, p->options->factor, p->a,
                        p->c, variant, &p->plan);
}
static hyla_status plan_syrk(struct problem *p, const char *variant) {
  return hyla_syrk_plan(p->cube, p->options->triangle, is_turned(p) ? HYLA_TRANSPOSE : HYLA_NONE, 1,
                        p->a, 0, p->c, variant, &p->plan);
}
static hyla_status plan_herk(struct problem *p, const char *variant) {
  return hyla_herk_plan(p->cube, p->options->triangle, is_turned(p) ? HYLA_CONJUGATE : HYLA_NONE, 1,
                        p->a, 0, p->c, variant, &p->plan);
}

/* ---- checks ---- */

static hyla_status residual_gemm(struct problem *p, double *value) {
  return product_residual(p->cube, p->a, p->b, p->c, value);
}

/* The residual with the whole matrix A, which one triangle describes. */
static hyla_status residual_triangle(struct problem *p, hyla_operation op, hyla_operation image,
                                     double *value) {
  hyla_matrix *whole = NULL, *factor = NULL;
  hyla_status status = triangle_complete(p->cube, p->a, p->options->triangle, image, &whole);
  if (!status) status = matrix_operated(p->cube, whole, op, 1, &factor);
  if (!status)
    status = from_left(p) ? product_residual(p->cube, factor, p->b, p->c, value)
                          : product_residual(p->cube, p->b, factor, p->c, value);
  hyla_matrix_destroy(&factor);
  hyla_matrix_destroy(&whole);
  return status;
}

static hyla_status residual_symm(struct problem *p, double *value) {
  return residual_triangle(p, HYLA_NONE, HYLA_TRANSPOSE, value);
}
static hyla_status residual_hemm(struct problem *p, double *value) {
  return residual_triangle(p, HYLA_NONE, HYLA_CONJUGATE, value);
}
static hyla_status residual_trmm(struct problem *p, double *value) {
  return residual_triangle(p, p->options->op, HYLA_NONE, value);
}

/* The residual of op(A) X = alpha B, or of X op(A) = alpha B. */
static hyla_status residual_trsm(struct problem *p, double *value) {
  hyla_matrix *whole = NULL, *factor = NULL, *sides = NULL;
  hyla_status status = triangle_complete(p->cube, p->a, p->options->triangle, HYLA_NONE, &whole);
  if (!status && p->options->diagonal == HYLA_UNIT_DIAGONAL) triangle_put_ones(whole);
  if (!status) status = matrix_operated(p->cube, whole, p->options->op, 1, &factor);
  if (!status) status = matrix_operated(p->cube, p->b, HYLA_NONE, p->options->factor, &sides);
  if (!status)
    status = from_left(p) ? product_residual(p->cube, factor, p->c, sides, value)
                          : product_residual(p->cube, p->c, factor, sides, value);
  hyla_matrix_destroy(&sides);
  hyla_matrix_destroy(&factor);
  hyla_matrix_destroy(&whole);
  return status;
}

/* The residual with all of C, and A beside its transpose. */
static hyla_status residual_update(struct problem *p, hyla_operation op, double *value) {
  hyla_matrix *whole = NULL, *other = NULL;
  hyla_status status = triangle_complete(p->cube, p->c, p->options->triangle, op, &whole);
  if (!status) status = matrix_operated(p->cube, p->a, op, 1, &other);
  if (!status)
    status = is_turned(p) ? product_residual(p->cube, other, p->a, whole, value)
                          : product_residual(p->cube, p->a, other, whole, value);
  hyla_matrix_destroy(&other);
  hyla_matrix_destroy(&whole);
  return status;
}

static hyla_status residual_syrk(struct problem *p, double *value) {
  return residual_update(p, HYLA_TRANSPOSE, value);
}
static hyla_status residual_herk(struct problem *p, double *value) {
  return residual_update(p, HYLA_CONJUGATE, value);
}

/* ---- the operations ---- */

#define LEARNS (OPTION_BIT(KEY_WISDOM) | OPTION_BIT(KEY_MEASURE))
#define WITH_TRIANGLE (LEARNS | OPTION_BIT(KEY_TRIANGLE) | OPTION_BIT(KEY_SIDE))
#define TURNED (LEARNS | OPTION_BIT(KEY_TRIANGLE) | OPTION_BIT(KEY_TRANSPOSE))

#define OPERATED (OPTION_BIT(KEY_TRANSPOSE) | OPTION_BIT(KEY_OP))
#define SOLVED                                                                                     \
  (OPTION_BIT(KEY_TRIANGLE) | OPTION_BIT(KEY_SIDE) | OPERATED | OPTION_BIT(KEY_DIAGONAL) |         \
   OPTION_BIT(KEY_TO))

/* Name, family of variants, shape, --size, factors, options, operations, entries, renewal. */
#define PRODUCT_LIST(X)                                                                            \
  X(gemm, "gemm", gemm, "N or MxNxK", 2, LEARNS, flops_whole, ready, NULL)                         \
  X(symm, "gemm", triangle, "N or MxN", 2, WITH_TRIANGLE, flops_whole, ready, NULL)                \
  X(hemm, "gemm", triangle, "N or MxN", 2, WITH_TRIANGLE, flops_whole, ready, NULL)                \
  X(trmm, "gemm", triangle, "N or MxN", 2, WITH_TRIANGLE | OPERATED, flops_half, ready,            \
    copy_factor)                                                                                   \
  X(trsm, "trsm", triangle, "N or MxN", 2, SOLVED, flops_half, ready_trsm, copy_factor)            \
  X(syrk, "gemm", update, "N or NxK", 1, TURNED, flops_half, ready, NULL)                          \
  X(herk, "gemm", update, "N or NxK", 1, TURNED, flops_half, ready, NULL)

#define PRODUCT(NAME, VARIANTS, SHAPE, SIZES, FACTORS, TAKES, FLOPS, READY, RENEW)                 \
  const struct operation operation_##NAME = {.name = #NAME,                                        \
                                             .variants = VARIANTS,                                 \
                                             .sizes = SIZES,                                       \
                                             .takes = TAKES,                                       \
                                             .factors = FACTORS,                                   \
                                             .read_size = read_size_##SHAPE,                       \
                                             .size_of = size_of_##SHAPE,                           \
                                             .flops = FLOPS,                                       \
                                             .make = make_##SHAPE,                                 \
                                             .plan = plan_##NAME,                                  \
                                             .ready = READY,                                       \
                                             .renew = RENEW,                                       \
                                             .residual = residual_##NAME};
PRODUCT_LIST(PRODUCT)
#undef PRODUCT
