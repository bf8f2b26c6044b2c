/* Are these the factors of a known system? */
#include "factors_case.h"

/* One check. */
struct check {
  const struct known *s;
  hyla_cube *cube;
  hyla_factor *factor;
  const hyla_layout *given;
  hyla_type type;
  double unit, multiplier;
};

/* A triangle of the factors, whole on every rank; the caller frees it. */
static hyla_status gather(const struct check *c, hyla_triangle triangle, double _Complex **all) {
  hyla_matrix *m = NULL;
  TRY(hyla_matrix_create(c->cube, c->type, c->s->n, c->s->n, c->given, &m));
  hyla_status status = triangle == HYLA_LOWER ? hyla_factor_lower(c->cube, c->factor, m)
                                              : hyla_factor_upper(c->cube, c->factor, m);
  if (status == HYLA_OK) *all = lu_get_all(m);
  hyla_matrix_destroy(&m);
  return status;
}

static hyla_status wrong(const struct check *c, const char *what, int64_t i, int64_t j,
                         double found, double bound) {
  return hy_fail(&c->cube->base, HYLA_FORMAT, "%s at (%lld, %lld) is %g, more than %g", what,
                 (long long)i, (long long)j, found, bound);
}

/* ---------------------------------------------------------- known exactly -- */

static double _Complex mark(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 77;
}

/* L and U in one matrix; for a Hermitian method one of them, and the other triangle unchanged. */
static hyla_status check_packed(const struct check *c, hyla_matrix *m, hyla_triangle triangle) {
  const struct known *s = c->s;
  TRY(hyla_matrix_fill(c->cube, m, mark, NULL));
  TRY(hyla_factor_packed(c->cube, c->factor, triangle, m));
  hyla_status mine = HYLA_OK;
  for (int64_t col = 0; col < m->local_cols; col++)
    for (int64_t row = 0; row < m->local_rows; row++) {
      int64_t i = hyla_matrix_row(m, row), j = hyla_matrix_col(m, col), at = i + j * s->n;
      double _Complex expected = i > j ? s->l[at] : s->u[at];
      if (s->kind == DEFINITE) {
        bool there = triangle == HYLA_LOWER ? i >= j : i <= j;
        expected = !there ? 77 : triangle == HYLA_LOWER ? s->l[at] : s->u[at];
      }
      if (m->k->get(hy_at(m, row, col), 0) != expected)
        mine = hy_fail(&c->cube->base, HYLA_FORMAT, "packed (%lld, %lld) is wrong", (long long)i,
                       (long long)j);
    }
  return hy_agree(c->cube, mine);
}

static hyla_status check_rows(const struct check *c, const int64_t *expected) {
  int64_t *rows = calloc((size_t)c->s->n + 1, sizeof *rows);
  assert_non_null(rows);
  hyla_status status = hyla_factor_permutation(c->cube, c->factor, rows), mine = HYLA_OK;
  for (int64_t i = 0; i < c->s->n && status == HYLA_OK; i++)
    if (rows[i] != (expected == NULL ? i : expected[i]))
      mine = hy_fail(&c->cube->base, HYLA_FORMAT, "row %lld of P A is row %lld of A", (long long)i,
                     (long long)rows[i]);
  free(rows);
  TRY(status);
  return hy_agree(c->cube, mine);
}

static hyla_status compare(const struct check *c, hyla_matrix *m) {
  TRY(hyla_factor_lower(c->cube, c->factor, m));
  TRY(hy_agree(c->cube, lu_check_entries(m, c->s->l, "L")));
  TRY(hyla_factor_upper(c->cube, c->factor, m));
  TRY(hy_agree(c->cube, lu_check_entries(m, c->s->u, "U")));
  TRY(check_packed(c, m, HYLA_LOWER));
  TRY(check_packed(c, m, HYLA_UPPER));
  return check_rows(c, c->s->rows);
}

static hyla_status check_known(const struct check *c) {
  hyla_matrix *m = NULL;
  TRY(hyla_matrix_create(c->cube, c->type, c->s->n, c->s->n, c->given, &m));
  hyla_status status = compare(c, m);
  hyla_matrix_destroy(&m);
  return status;
}

/* --------------------------------------------------------------------- LU -- */

/* |P A - L U| <= 4 (n + 1) u |L| |U|, for every entry; L's entries are at most `multiplier', ones
 * on the diagonal, zeros above it. */
static hyla_status check_product(const struct check *c, const double _Complex *l,
                                 const double _Complex *u, const int64_t *rows,
                                 const double *l_sizes, const double *u_sizes) {
  int64_t n = c->s->n;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = 0;
      double size = 0;
      for (int64_t k = 0; k <= hy_min(i, j); k++) {
        sum += known_times(l[i + k * n], u[k + j * n]);
        size += l_sizes[i + k * n] * u_sizes[k + j * n];
      }
      double found = cabs(c->s->a[rows[i] + j * n] - sum), entry = l_sizes[i + j * n];
      double bound = 4 * (double)(n + 1) * c->unit * size;
      if (!(found <= bound)) return wrong(c, "P A - L U", i, j, found, bound);
      if (!(entry <= c->multiplier)) return wrong(c, "L", i, j, entry, c->multiplier);
      if (i <= j && l[i + j * n] != (i == j)) return wrong(c, "L", i, j, entry, i == j);
      if (i > j && u[i + j * n] != 0) return wrong(c, "U", i, j, cabs(u[i + j * n]), 0);
    }
  return HYLA_OK;
}

static double *sizes_of(const double _Complex *entries, int64_t count) {
  double *sizes = calloc((size_t)count + 1, sizeof *sizes);
  assert_non_null(sizes);
  for (int64_t i = 0; i < count; i++) sizes[i] = cabs(entries[i]);
  return sizes;
}

/* By one node alone, which is enough. */
static hyla_status multiply_lu(const struct check *c, const double _Complex *l,
                               const double _Complex *u, const int64_t *rows) {
  if (c->cube->address != 0) return HYLA_OK;
  double *l_sizes = sizes_of(l, c->s->n * c->s->n), *u_sizes = sizes_of(u, c->s->n * c->s->n);
  hyla_status mine = check_product(c, l, u, rows, l_sizes, u_sizes);
  free(u_sizes);
  free(l_sizes);
  return mine;
}

static hyla_status check_lu(const struct check *c) {
  int64_t *rows = calloc((size_t)c->s->n + 1, sizeof *rows), sum = 0;
  double _Complex *l = NULL, *u = NULL;
  assert_non_null(rows);
  hyla_status status = gather(c, HYLA_LOWER, &l);
  if (status == HYLA_OK) status = gather(c, HYLA_UPPER, &u);
  if (status == HYLA_OK) status = hyla_factor_permutation(c->cube, c->factor, rows);
  if (status == HYLA_OK) {
    hyla_status mine = multiply_lu(c, l, u, rows);
    for (int64_t i = 0; i < c->s->n; i++) sum += rows[i];
    if (sum != c->s->n * (c->s->n - 1) / 2)
      mine = hy_fail(&c->cube->base, HYLA_FORMAT, "the rows of P A are not those of A");
    status = hy_agree(c->cube, mine);
  }
  free(u);
  free(l);
  free(rows);
  return status;
}

/* ---------------------------------------------------------------- L D L^H -- */

/* All parts of L D L^H. */
struct block_factors {
  double _Complex *l, *u, *below;
  double *diagonal, growth, largest;
  int64_t *rows, positive, negative;
};

static double largest_of(const double _Complex *a, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, cabs(a[i]));
  return most;
}

/* |P A P^T - L D L^H| <= 8 n u growth max |A|, for every entry. */
static hyla_status check_symmetric_product(const struct check *c, const struct block_factors *f) {
  int64_t n = c->s->n;
  double _Complex *w = calloc((size_t)(n * n + 1), sizeof *w); /* L D */
  assert_non_null(w);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      w[i + j * n] = f->l[i + j * n] * f->diagonal[j];
      if (f->below[j] != 0) w[i + j * n] += f->l[i + (j + 1) * n] * f->below[j];
      if (j > 0 && f->below[j - 1] != 0)
        w[i + j * n] += f->l[i + (j - 1) * n] * conj(f->below[j - 1]);
    }
  double bound = 8 * (double)(n + 1) * c->unit * fmax(1, f->growth) * f->largest;
  hyla_status mine = HYLA_OK;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      double _Complex rest = c->s->a[f->rows[i] + f->rows[j] * n];
      for (int64_t k = 0; k <= i; k++) rest -= known_times(w[i + k * n], conj(f->l[j + k * n]));
      if (!(cabs(rest) <= bound)) mine = wrong(c, "P A P^T - L D L^H", i, j, cabs(rest), bound);
    }
  free(w);
  return mine;
}

/* L has ones on its diagonal and zeros above it, and U is L^H; each step multiplies the remaining
 * entries by at most 1 + 1 / alpha = 2.57; blocks of order 2 stand where they must. */
static hyla_status check_blocks(const struct check *c, const struct block_factors *f) {
  int64_t n = c->s->n;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex l = f->l[i + j * n];
      if (i <= j && l != (i == j)) return wrong(c, "L", i, j, cabs(l), i == j);
      if (f->u[j + i * n] != conj(l)) return wrong(c, "U - L^H", j, i, cabs(l), 0);
    }
  CHECK(&c->cube->base, n == 0 || (f->growth > 0 && log(f->growth) <= 0.945 * (double)n + 1e-3),
        FORMAT, "the growth is %g", f->growth);
  for (int64_t i = 0; i < n && c->s->signs == PAIRS; i++)
    CHECK(&c->cube->base, (f->below[i] != 0) == (i + 1 < n && i % 2 == 0), FORMAT,
          "pivot %lld is of another order", (long long)i);
  return HYLA_OK;
}

static hyla_status check_signs(const struct check *c, const struct block_factors *f, double log_abs,
                               const double *sign) {
  const struct known *s = c->s;
  CHECK(&c->cube->base,
        f->positive + f->negative == s->n && (s->positive < 0 || f->positive == s->positive),
        FORMAT, "%lld positive and %lld negative eigenvalues", (long long)f->positive,
        (long long)f->negative);
  CHECK(&c->cube->base, sign[0] == (f->negative % 2 == 0 ? 1 : -1) && sign[1] == 0, FORMAT,
        "the determinant has the sign %g%+gi", sign[0], sign[1]);
  /* |det M|^2 is 1. */
  CHECK(&c->cube->base, s->signs != INERTIA || fabs(log_abs) <= 1e-3 * (double)(s->n + 1), FORMAT,
        "the determinant's logarithm is %g", log_abs);
  return HYLA_OK;
}

static hyla_status check_all_parts(const struct check *c, struct block_factors *f) {
  double log_abs = NAN, sign[2] = {0};
  TRY(gather(c, HYLA_LOWER, &f->l));
  TRY(gather(c, HYLA_UPPER, &f->u));
  TRY(hyla_factor_permutation(c->cube, c->factor, f->rows));
  TRY(hyla_factor_diagonal(c->cube, c->factor, f->diagonal, f->below));
  TRY(hyla_factor_growth(c->cube, c->factor, f->largest, &f->growth));
  TRY(hyla_factor_inertia(c->cube, c->factor, &f->positive, &f->negative));
  TRY(hyla_factor_determinant(c->cube, c->factor, &log_abs, sign));
  hyla_status mine = check_blocks(c, f);
  if (mine == HYLA_OK) mine = check_signs(c, f, log_abs, sign);
  if (mine == HYLA_OK && c->cube->address == 0) mine = check_symmetric_product(c, f);
  return hy_agree(c->cube, mine);
}

static hyla_status check_ldl(const struct check *c) {
  size_t room = (size_t)c->s->n + 1;
  struct block_factors f = {.below = calloc(room, sizeof *f.below),
                            .diagonal = calloc(room, sizeof *f.diagonal),
                            .rows = calloc(room, sizeof *f.rows),
                            .largest = largest_of(c->s->a, c->s->n * c->s->n)};
  assert_true(f.below && f.diagonal && f.rows);
  hyla_status status = check_all_parts(c, &f);
  free(f.rows);
  free(f.diagonal);
  free(f.below);
  free(f.u);
  free(f.l);
  return status;
}

/* --------------------------------------------------------------------- QR -- */

/* |A^H A - R^H R| <= 8 n u |A^H| |A| in the 1-norm, and zeros below R's diagonal. */
static hyla_status check_squares(const struct check *c, const double _Complex *r) {
  int64_t n = c->s->n;
  const double _Complex *a = c->s->a;
  double one = 0, inf = 0, worst = 0;
  for (int64_t j = 0; j < n; j++) {
    double column = 0, row = 0, error = 0;
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = 0;
      for (int64_t k = 0; k < n; k++) sum += known_times(conj(a[k + i * n]), a[k + j * n]);
      for (int64_t k = 0; k <= hy_min(i, j); k++)
        sum -= known_times(conj(r[k + i * n]), r[k + j * n]);
      error += cabs(sum);
      column += cabs(a[i + j * n]);
      row += cabs(a[j + i * n]);
      if (i > j && r[i + j * n] != 0) return wrong(c, "R", i, j, cabs(r[i + j * n]), 0);
    }
    one = fmax(one, column);
    inf = fmax(inf, row);
    worst = fmax(worst, error);
  }
  double bound = 8 * (double)hy_max(n, 4) * c->unit * one * inf;
  return worst <= bound ? HYLA_OK : wrong(c, "A^H A - R^H R", n, n, worst, bound);
}

static hyla_status check_qr(const struct check *c) {
  double _Complex *r = NULL;
  TRY(check_rows(c, NULL));
  hyla_status status = gather(c, HYLA_UPPER, &r);
  hyla_status mine = status == HYLA_OK && c->cube->address == 0 ? check_squares(c, r) : HYLA_OK;
  free(r);
  TRY(status);
  return hy_agree(c->cube, mine);
}

/* ---------------------------------------------------------------- inverses -- */

static hyla_status check_identity(const struct check *c, const double _Complex *inverse) {
  int64_t n = c->s->n;
  double bound = known_error(c->s, c->unit);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t k = 0; k < n; k++) sum += known_times(inverse[i + k * n], c->s->a[k + j * n]);
      if (!(cabs(sum) <= bound)) return wrong(c, "A^-1 A - I", i, j, cabs(sum), bound);
    }
  return HYLA_OK;
}

static hyla_status check_inverse(const struct check *c) {
  hyla_matrix *m = NULL;
  double _Complex *inverse = NULL;
  double norm = 0, rcond = 0;
  TRY(hyla_matrix_create(c->cube, c->type, c->s->n, c->s->n, c->given, &m));
  hyla_status status = hyla_factor_inverse(c->cube, c->factor, m), mine = HYLA_OK;
  if (status == HYLA_OK) inverse = lu_get_all(m);
  hyla_matrix_destroy(&m);
  if (status == HYLA_OK && c->cube->address == 0) mine = check_identity(c, inverse);
  free(inverse);
  TRY(status);
  TRY(hy_agree(c->cube, mine));
  if (c->s->nrhs == 0) return HYLA_OK; /* an estimate takes systems */
  for (int64_t j = 0; j < c->s->n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < c->s->n; i++) sum += cabs(c->s->a[i + j * c->s->n]);
    norm = fmax(norm, sum);
  }
  TRY(hyla_factor_condition(c->cube, c->factor, norm, &rcond));
  CHECK(&c->cube->base, rcond > 0.25 && rcond < 1.001, FORMAT, "the reciprocal condition is %g",
        rcond);
  return HYLA_OK;
}

/* --------------------------------------------------------------- solutions -- */

static double _Complex operated(const struct known *s, hyla_operation op, int64_t i, int64_t j) {
  double _Complex entry = op == HYLA_NONE ? s->a[i + j * s->n] : s->a[j + i * s->n];
  return op == HYLA_CONJUGATE ? conj(entry) : entry;
}

static hyla_status check_columns(const struct known *s, hyla_operation op, const hyla_matrix *m,
                                 const double _Complex *x) {
  int64_t n = s->n;
  double a = 0, largest_x = 0, largest_b = 0, worst = 0;
  for (int64_t j = 0; j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += cabs(operated(s, op, i, j));
    a = fmax(a, sum);
  }
  for (int64_t c = 0; c < m->col.n; c++) {
    double size_x = 0, size_b = 0, error = 0;
    for (int64_t i = 0; i < n; i++) {
      double _Complex rest = s->b[op][i + c * n];
      size_x += cabs(x[i + c * n]);
      size_b += cabs(rest);
      for (int64_t k = 0; k < n; k++) rest -= known_times(operated(s, op, i, k), x[k + c * n]);
      error += cabs(rest);
    }
    largest_x = fmax(largest_x, size_x);
    largest_b = fmax(largest_b, size_b);
    worst = fmax(worst, error);
  }
  double bound = 8 * (double)hy_max(n, 4) * m->k->epsilon * (a * largest_x + largest_b);
  CHECK(&m->cube->base, worst <= bound, FORMAT, "b - op(A) x is %g, more than %g", worst, bound);
  return HYLA_OK;
}

hyla_status factors_check_solution(const struct known *s, hyla_operation op, const hyla_matrix *x) {
  double _Complex *all = lu_get_all(x);
  hyla_status mine = x->cube->address == 0 ? check_columns(s, op, x, all) : HYLA_OK;
  free(all);
  return hy_agree(x->cube, mine);
}

/* -------------------------------------------------------------------- all -- */

hyla_status factors_check(const struct known *s, const hyla_layout *given, double multiplier,
                          hyla_factor *factor) {
  const struct hy_kernels *k = factor->problem.k;
  const struct check c = {s, factor->problem.cube, factor, given, k->type, k->epsilon, multiplier};
  switch (s->kind) {
  case SWAPPED:
  case SETTLED:
  case DEFINITE: return check_known(&c);
  case PRODUCT: return hy_agree(c.cube, lu_check_entries(factor->factors.a, s->u, "factor"));
  case DOMINANT: return check_inverse(&c);
  case BALANCED:
  case INDEFINITE: return check_ldl(&c);
  case RANDOM: return factor->problem.method == &hy_methods[HYLA_QR] ? check_qr(&c) : check_lu(&c);
  default: return HYLA_OK;
  }
}
