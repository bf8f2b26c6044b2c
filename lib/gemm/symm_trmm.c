/* Multiplication by a square matrix of which one triangle is read: symmetric, Hermitian
 * or triangular.
 *
 * A multiplication whose factor A is brought to a workspace, also where it lies right: the
 * triangle alone travels, and what stands for the rest is put beside it, the triangle's
 * image or zeros.  The other factor of a triangular one is replaced by the product, so it
 * is copied to a workspace too.
 */
#include "gemm/gemm_plan.h"

/* What the user asked for. */
struct product {
  const char *call;
  hyla_side side;
  hyla_operation op;
  struct hy_shape shape;
  hyla_diagonal diagonal;
  double _Complex alpha, beta;
  const hyla_matrix *a, *b;
  hyla_matrix *c;
  bool replaces; /* c is b */
  const char *variant;
};

static hyla_status check_matrices(hyla_cube *cube, const struct product *x) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, x->a, "a"));
  TRY(hy_matrix_check(cube, x->b, "b"));
  TRY(hy_matrix_check(cube, x->c, "c"));
  const hyla_matrix *a = x->a, *b = x->b, *c = x->c;
  int64_t order = x->side == HYLA_LEFT ? b->row.n : b->col.n;
  CHECK(base, a->row.n == a->col.n, ARGUMENT, "%s: a is %lld x %lld; it must be square", x->call,
        (long long)a->row.n, (long long)a->col.n);
  CHECK(base, a->row.n == order, ARGUMENT,
        "%s: a is of order %lld; from the %s, b, which is %lld x %lld, needs one of order %lld",
        x->call, (long long)a->row.n, x->side == HYLA_LEFT ? "left" : "right", (long long)b->row.n,
        (long long)b->col.n, (long long)order);
  CHECK(base, c->row.n == b->row.n && c->col.n == b->col.n, ARGUMENT,
        "%s: c is %lld x %lld and b %lld x %lld; their sizes must be equal", x->call,
        (long long)c->row.n, (long long)c->col.n, (long long)b->row.n, (long long)b->col.n);
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, const struct product *x) {
  struct hy_base *base = &cube->base;
  hyla_triangle triangle = x->shape.triangle;
  CHECK(base, x->side == HYLA_LEFT || x->side == HYLA_RIGHT, ARGUMENT,
        "%s: side %d; there are HYLA_LEFT and HYLA_RIGHT", x->call, (int)x->side);
  CHECK(base, triangle == HYLA_LOWER || triangle == HYLA_UPPER, ARGUMENT,
        "%s: triangle %d; there are HYLA_LOWER and HYLA_UPPER", x->call, (int)triangle);
  CHECK(base, x->diagonal == HYLA_ANY_DIAGONAL || x->diagonal == HYLA_UNIT_DIAGONAL, ARGUMENT,
        "%s: diagonal %d; there are HYLA_ANY_DIAGONAL and HYLA_UNIT_DIAGONAL", x->call,
        (int)x->diagonal);
  return check_matrices(cube, x);
}

static struct hy_gemm_request request_of(const struct product *x) {
  bool left = x->side == HYLA_LEFT;
  struct hy_gemm_request r = {.op_a = left ? x->op : HYLA_NONE,
                              .op_b = left ? HYLA_NONE : x->op,
                              .alpha = x->alpha,
                              .beta = x->beta,
                              .a = left ? x->a : x->b,
                              .b = left ? x->b : x->a,
                              .c = x->c,
                              .variant = x->variant,
                              .turned = !left,
                              .replaces = x->replaces};
  *(left ? &r.shape_a : &r.shape_b) = x->shape;
  return r;
}

static hyla_status make_plan(hyla_cube *cube, const struct product *x, hyla_plan **plan) {
  const struct hy_gemm_request r = request_of(x);
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  return hy_gemm_request_plan(cube, &r, x->call, check(cube, x), plan);
}

static hyla_status multiply(hyla_cube *cube, const struct product *x) {
  const struct hy_gemm_request r = request_of(x);
  if (cube == NULL) return HYLA_ARGUMENT;
  return hy_gemm_request_run(cube, &r, x->call, check(cube, x));
}

/* ---------------------------------------------- symmetric and Hermitian -- */

static struct product mirrored(enum hy_structure form, hyla_side side, hyla_triangle triangle,
                               double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                               double _Complex beta, hyla_matrix *c) {
  return (struct product){.side = side,
                          .shape = {form, triangle},
                          .alpha = alpha,
                          .beta = beta,
                          .a = a,
                          .b = b,
                          .c = c};
}

hyla_status hyla_symm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                           double _Complex beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  struct product x = mirrored(HY_SYMMETRIC, side, triangle, alpha, a, b, beta, c);
  x.call = "hyla_symm_plan";
  x.variant = variant;
  return make_plan(cube, &x, plan);
}

hyla_status hyla_hemm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                           double _Complex beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  struct product x = mirrored(HY_HERMITIAN, side, triangle, alpha, a, b, beta, c);
  x.call = "hyla_hemm_plan";
  x.variant = variant;
  return make_plan(cube, &x, plan);
}

hyla_status hyla_symm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                      double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                      double _Complex beta, hyla_matrix *c) {
  struct product x = mirrored(HY_SYMMETRIC, side, triangle, alpha, a, b, beta, c);
  x.call = "hyla_symm";
  return multiply(cube, &x);
}

hyla_status hyla_hemm(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                      double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                      double _Complex beta, hyla_matrix *c) {
  struct product x = mirrored(HY_HERMITIAN, side, triangle, alpha, a, b, beta, c);
  x.call = "hyla_hemm";
  return multiply(cube, &x);
}

/* ---------------------------------------------------------- triangular -- */

static struct product triangular(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                 hyla_diagonal diagonal, double _Complex alpha,
                                 const hyla_matrix *a, hyla_matrix *b) {
  enum hy_structure form = diagonal == HYLA_UNIT_DIAGONAL ? HY_UNIT_TRIANGULAR : HY_TRIANGULAR;
  return (struct product){.side = side,
                          .op = op,
                          .shape = {form, triangle},
                          .diagonal = diagonal,
                          .alpha = alpha,
                          .a = a,
                          .b = b,
                          .c = b,
                          .replaces = true};
}

hyla_status hyla_trmm_plan(hyla_cube *cube, hyla_side side, hyla_triangle triangle,
                           hyla_operation op, hyla_diagonal diagonal, double _Complex alpha,
                           const hyla_matrix *a, hyla_matrix *b, const char *variant,
                           hyla_plan **plan) {
  struct product x = triangular(side, triangle, op, diagonal, alpha, a, b);
  x.call = "hyla_trmm_plan";
  x.variant = variant;
  return make_plan(cube, &x, plan);
}

hyla_status hyla_trmm(hyla_cube *cube, hyla_side side, hyla_triangle triangle, hyla_operation op,
                      hyla_diagonal diagonal, double _Complex alpha, const hyla_matrix *a,
                      hyla_matrix *b) {
  struct product x = triangular(side, triangle, op, diagonal, alpha, a, b);
  x.call = "hyla_trmm";
  return multiply(cube, &x);
}
