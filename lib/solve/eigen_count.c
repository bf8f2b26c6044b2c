/* Values without vectors, checked by counting: hyla_eigen_check_counts.
 *
 * Method: a Hermitian M has as many negative eigenvalues as D of P M P^T = L D L^H, and A - x B as
 * many as the pencil has values below x.  Value number k, found as v, is right to w if at most k
 * values are below v - w, and more than k below v + w.  This is asked of the first value and of the
 * last one: between them are then as many values as there should be.
 * w is what the bound of hyla_eigen_check_values or of hyla_eigen_generalized_check allows: an
 * error of the matrices, relative to their norms, as far as it moves a value.
 *
 * Reference: Golub and Van Loan 2013, sections 8.1 and 8.4; for D Higham 2002, chapter 11.
 * Layout: copies of the lower triangles, scaled by powers of 2 to a norm near 1, where the factors
 * lie; A B x = v x and B A x = v x become C y = v y with C = L^H A L, B = L L^H.
 * Operations: n^3 / 3 for each of four factorizations; for B n^3 / 3, and for C 3 n^3. */
#include "solve/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct counting {
  hyla_cube *cube;
  hyla_eigen_pencil kind;
  hyla_triangle triangle;
  const hyla_matrix *given_a, *given_b; /* the caller's; given_b: NULL in a standard problem */
  hyla_matrix *a, *b;                   /* scaled lower triangles of A or C, and of B */
  hyla_matrix *shifted, *l;             /* a - x b or a - x I; B's factor */
  hyla_factor *factor, *of_b;
  int exponent;     /* of the caller's values: those of a and b times 2^exponent */
  double unit;      /* the bound of the check, n ulp times a number */
  double size;      /* of an error of a: its norm times unit */
  double per_value; /* such an error of b; 0: there is none */
  double stretch;   /* how much an error of either moves a value */
};

/* Does the problem have a matrix b beside the shift? */
static bool is_pencil(const struct counting *c) {
  return c->given_b != NULL && c->kind == HYLA_PENCIL_AX_BX;
}

/* ---------------------------------------------------------------- matrices -- */

/* The imaginary parts of a diagonal are not read. */
static void make_real(const hyla_matrix *m, double shift) {
  for (int64_t c = 0; c < m->local_cols && m->local_rows > 0; c++) {
    const int64_t j = hyla_matrix_col(m, c);
    if (hy_axis_owner(&m->row, j) != m->row_part) continue;
    char *entry = hy_at(m, hy_axis_before(&m->row, m->row_part, j), c);
    m->k->set(entry, 0, creal(m->k->get(entry, 0)) - shift);
  }
}

/* A copy of the triangle as a lower one, divided by 2^exponent, and its norm. */
static hyla_status bring(const struct counting *c, const hyla_matrix *from, hyla_matrix **to,
                         int *exponent, double *norm) {
  const bool single = from->k->epsilon > DBL_EPSILON;
  const int most = single ? 120 : 1000;
  TRY(hy_eigen_norm(c->cube, c->triangle, from, norm));
  TRY(hy_agree(c->cube, isfinite(*norm) ? HYLA_OK
                                        : hy_fail(&c->cube->base, HYLA_UNRELIABLE,
                                                  "a norm is not a number, or infinite")));
  (void)frexp(*norm, exponent);
  *exponent = (int)hy_max(-most, hy_min(most, *exponent));
  *norm = ldexp(*norm, -*exponent);
  TRY(hyla_matrix_create(c->cube, from->k->type, from->row.n, from->col.n, NULL, to));
  const hyla_transfer transfer = {.op = c->triangle == HYLA_UPPER ? HYLA_CONJUGATE : HYLA_NONE,
                                  .alpha =
                                      1, /* another would bring an imaginary NaN to the real part */
                                  .from = from,
                                  .to = *to};
  TRY(hyla_redistribute(c->cube, 1, &transfer));
  make_real(*to, 0);
  for (int64_t m = 0; m < (*to)->local_cols && (*to)->local_rows > 0; m++)
    from->k->scale((int)(*to)->local_rows, ldexp(1, -*exponent), hy_at(*to, 0, m), 1);
  return HYLA_OK;
}

static hyla_status factor_b(struct counting *c, int nrhs) {
  TRY(hyla_factor_create(c->cube, HYLA_CHOLESKY, c->b->k->type, c->b->row.n, nrhs, NULL, NULL,
                         &c->of_b));
  return hyla_factor_compute(c->cube, c->of_b, c->b);
}

/* stretch := an estimate of |B^-1|.  Where it makes an error of b as large as b, it says nothing.
 */
static hyla_status find_inverse(struct counting *c) {
  double rcond = 0;
  TRY(factor_b(c, 1));
  TRY(hyla_factor_condition(c->cube, c->of_b, 1, &rcond));
  c->stretch = fmax(1, 1 / rcond);
  return hy_agree(c->cube,
                  c->per_value * c->stretch < 1
                      ? HYLA_OK
                      : hy_fail(&c->cube->base, HYLA_UNRELIABLE,
                                "B is so ill-conditioned (|B| |B^-1| is %.2g) that no digit of "
                                "the values is certain",
                                c->per_value * c->stretch / c->unit));
}

/* a := L^H a L. */
static hyla_status make_c(struct counting *c) {
  hyla_matrix *product = NULL;
  TRY(factor_b(c, 0));
  TRY(hyla_matrix_create(c->cube, c->b->k->type, c->b->row.n, c->b->col.n, NULL, &c->l));
  TRY(hyla_factor_lower(c->cube, c->of_b, c->l));
  product = c->b; /* B is in its factor */
  TRY(product->k->complex_type
          ? hyla_hemm(c->cube, HYLA_LEFT, HYLA_LOWER, 1, c->a, c->l, 0, product)
          : hyla_symm(c->cube, HYLA_LEFT, HYLA_LOWER, 1, c->a, c->l, 0, product));
  TRY(hyla_trmm(c->cube, HYLA_LEFT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, 1, c->l,
                product));
  c->b = c->a;
  c->a = product;
  make_real(c->a, 0);
  return HYLA_OK;
}

static hyla_status prepare(struct counting *c) {
  const hyla_type type = c->given_a->k->type;
  const int64_t n = c->given_a->row.n;
  const double most = c->given_b == NULL ? (n <= HY_SMALL ? 2 : .5) : (n <= HY_SMALL ? 4 : 1);
  const double unit = c->unit = most * (double)n * 2 * c->given_a->k->epsilon;
  double of_a = 0, of_b = 0;
  int by_b = 0;
  c->stretch = 1;
  TRY(bring(c, c->given_a, &c->a, &c->exponent, &of_a));
  if (c->given_b != NULL) TRY(bring(c, c->given_b, &c->b, &by_b, &of_b));
  c->exponent += is_pencil(c) ? -by_b : by_b;
  c->size = unit * of_a * (c->given_b == NULL || is_pencil(c) ? 1 : of_b);
  c->per_value = is_pencil(c) ? unit * of_b : 0;
  if (is_pencil(c))
    TRY(find_inverse(c));
  else if (c->given_b != NULL)
    TRY(make_c(c));
  TRY(hyla_factor_create(c->cube, HYLA_LDL, type, n, 0, NULL, NULL, &c->factor));
  return hyla_matrix_create(c->cube, type, n, n, NULL, &c->shifted);
}

static void forget(struct counting *c) {
  (void)hyla_factor_destroy(&c->factor);
  (void)hyla_factor_destroy(&c->of_b);
  hyla_matrix **const made[] = {&c->l, &c->shifted, &c->b, &c->a};
  for (int i = 0; i < 4; i++) (void)hyla_matrix_destroy(made[i]);
}

/* ------------------------------------------------------------------- count -- */

/* shifted := a - x b, or a - x I. */
static void shift(const struct counting *c, double x) {
  const hyla_matrix *a = c->a, *to = c->shifted;
  const int rows = (int)a->local_rows, cols = (int)a->local_cols;
  if (rows > 0 && cols > 0)
    a->k->copy(HYLA_NONE, rows, cols, 1, a->local, (int)a->ld, to->local, (int)to->ld);
  if (!is_pencil(c))
    make_real(to, x);
  else if (rows > 0 && cols > 0)
    a->k->combine(HYLA_NONE, rows, cols, -x, c->b->local, (int)c->b->ld, 1, to->local, (int)to->ld);
}

/* The values below value + side * within; where that is a value itself, a little nearer. */
static hyla_status count(struct counting *c, double value, double within, int64_t *below) {
  static const double shares[] = {1, 7. / 8, 3. / 4};
  hyla_status status = HYLA_SINGULAR;
  int64_t above;
  for (int i = 0; i < 3 && status == HYLA_SINGULAR; i++) {
    shift(c, value + shares[i] * within);
    status = hyla_factor_compute(c->cube, c->factor, c->shifted);
  }
  TRY(status);
  return hyla_factor_inertia(c->cube, c->factor, &above, below);
}

/* Counts beside a value, on both sides. */
static hyla_status count_beside(struct counting *c, double value, double *within,
                                int64_t below[2]) {
  const bool single = c->a->k->epsilon > DBL_EPSILON;
  const double scaled = ldexp(value, -c->exponent);
  const double allowed =
      fmax((c->size + c->per_value * fabs(scaled)) * c->stretch, single ? FLT_MIN : DBL_MIN);
  *within = ldexp(allowed, c->exponent);
  TRY(hy_agree(c->cube, isfinite(allowed) && isfinite(scaled)
                            ? HYLA_OK
                            : hy_fail(&c->cube->base, HYLA_UNRELIABLE,
                                      "value %g: nothing is known within %g", value, *within)));
  TRY(count(c, scaled, -allowed, &below[0]));
  return count(c, scaled, allowed, &below[1]);
}

static hyla_status judge(struct counting *c, const int64_t number[2], const double value[2],
                         hyla_eigen_counts *counts) {
  hyla_status status = HYLA_OK;
  TRY(prepare(c));
  for (int i = 0; i < 2; i++) {
    int64_t *below = counts->below[i];
    if (i == 1 && number[1] == number[0]) {
      counts->within[1] = counts->within[0];
      memcpy(below, counts->below[0], sizeof counts->below[0]);
      break;
    }
    TRY(count_beside(c, value[i], &counts->within[i], below));
    if (status == HYLA_OK && (below[0] > number[i] || below[1] <= number[i]))
      status = hy_fail(&c->cube->base, HYLA_UNRELIABLE,
                       "value number %lld, %.17g: %lld values are below it by more than %.3g, and "
                       "%lld are below what is above it by as much",
                       (long long)number[i], value[i], (long long)below[0], counts->within[i],
                       (long long)below[1]);
  }
  return hy_agree(c->cube, status);
}

/* -------------------------------------------------------------------- call -- */

static hyla_status check_numbers(hyla_cube *cube, const struct hy_call *call, int64_t first,
                                 int64_t count, int64_t n) {
  TRY(hy_call_check(cube, call));
  CHECK(&cube->base, first >= 0 && count >= 0 && first <= n - count, ARGUMENT,
        "%s: values %lld to %lld of %lld", call->name, (long long)first,
        (long long)(first + count - 1), (long long)n);
  return HYLA_OK;
}

hyla_status hyla_eigen_check_counts(hyla_cube *cube, hyla_eigen_pencil kind, hyla_triangle triangle,
                                    const hyla_matrix *a, const hyla_matrix *b, int64_t first,
                                    int64_t number, const double *values,
                                    hyla_eigen_counts *counts) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct counting c = {
      .cube = cube, .kind = kind, .triangle = triangle, .given_a = a, .given_b = b};
  struct hy_call call = {.name = "hyla_eigen_check_counts",
                         .option = {{"triangle", (int)triangle, hy_triangle_names},
                                    {"kind", (int)kind, hy_pencil_names}},
                         .place = {{"counts", counts, 1}, {"values", values, hy_max(0, number)}},
                         .number = {first, number, b != NULL},
                         .argument = {{"a", a, .sizes = "nn"}},
                         .needs_data = true};
  if (b != NULL) call.argument[1] = (struct hy_argument){"b", b, .sizes = "nn"};
  TRY(hy_call_enter(cube, &call,
                    check_numbers(cube, &call, first, number, a == NULL ? 0 : a->row.n)));
  *counts = (hyla_eigen_counts){0};
  if (number == 0) return HYLA_OK;
  const int64_t ends[2] = {first, first + number - 1};
  /* Counts have the same bits as far as that matters: any variant counts. */
  const bool reproducible = cube->session.reproducible;
  cube->session.reproducible = false;
  const hyla_status status =
      judge(&c, ends, (const double[]){values[0], values[number - 1]}, counts);
  cube->session.reproducible = reproducible;
  forget(&c);
  return status;
}
