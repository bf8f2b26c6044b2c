/* See qr_case.h. */
#include "qr_case.h"

#include "hyla_lab.h"
#include "solve/solve.h"

/* A case's matrices, in the given layout; c is for sums. */
struct matrices {
  hyla_matrix *a, *r, *c; /* n x n */
  hyla_matrix *b, *x;     /* n x nrhs */
};

static void free_matrices(struct matrices *m) {
  hyla_matrix_destroy(&m->x);
  hyla_matrix_destroy(&m->b);
  hyla_matrix_destroy(&m->c);
  hyla_matrix_destroy(&m->r);
  hyla_matrix_destroy(&m->a);
}

static hyla_status make_matrices(hyla_cube *cube, const struct qr_case *p, struct matrices *m) {
  int64_t n = p->n;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m->a));
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m->r));
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m->c));
  TRY(hyla_matrix_create(cube, p->type, n, p->nrhs, NULL, &m->b));
  TRY(hyla_matrix_create(cube, p->type, n, p->nrhs, NULL, &m->x));
  TRY(hyla_matrix_generate(cube, m->a, HYLA_RANDOM, p->seed));
  return hyla_matrix_generate(cube, m->b, HYLA_RANDOM, p->seed + 1);
}

/* Is the 1-norm at most `bound', which is close to the possible rounding? */
static hyla_status check_norm(const hyla_matrix *m, double bound, const char *what) {
  hyla_cube *cube = m->cube;
  double norm = 0;
  TRY(hyla_matrix_norm(cube, m, HYLA_NORM_ONE, &norm));
  hyla_status mine = HYLA_OK;
  if (!(norm <= bound))
    mine = hy_fail(&cube->base, HYLA_FORMAT, "%s: %g, not at most %g", what, norm, bound);
  return hy_agree(cube, mine);
}

static double roundoff(const hyla_matrix *a) {
  return 8 * (double)hy_max(a->row.n, 4) * a->k->epsilon;
}

/* R^H R = A^H A, and zeros below R's diagonal. */
static hyla_status check_upper(const struct matrices *m, hyla_factor *factor) {
  hyla_cube *cube = m->a->cube;
  double one = 0, inf = 0;
  TRY(hyla_factor_upper(cube, factor, m->r));
  TRY(hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, 1, m->a, m->a, 0, m->c));
  TRY(hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, -1, m->r, m->r, 1, m->c));
  TRY(hyla_matrix_norm(cube, m->a, HYLA_NORM_ONE, &one));
  TRY(hyla_matrix_norm(cube, m->a, HYLA_NORM_INF, &inf));
  TRY(check_norm(m->c, roundoff(m->a) * one * inf, "A^H A - R^H R"));
  hyla_status mine = HYLA_OK;
  for (int64_t j = 0; j < m->r->local_cols; j++)
    for (int64_t i = 0; i < m->r->local_rows; i++)
      if (hyla_matrix_row(m->r, i) > hyla_matrix_col(m->r, j) &&
          m->r->k->get(hy_at(m->r, i, j), 0) != 0)
        mine = hy_fail(&cube->base, HYLA_FORMAT, "R has an entry below its diagonal");
  return hy_agree(cube, mine);
}

/* b - op(A) x. */
static hyla_status check_solution(const struct matrices *m, hyla_factor *factor,
                                  hyla_operation op) {
  hyla_cube *cube = m->a->cube;
  hyla_matrix *residual = NULL;
  double a = 0, x = 0, b = 0;
  TRY(hyla_factor_solve(cube, factor, op, m->b, m->x));
  TRY(hyla_matrix_norm(cube, m->a, op == HYLA_NONE ? HYLA_NORM_ONE : HYLA_NORM_INF, &a));
  TRY(hyla_matrix_norm(cube, m->x, HYLA_NORM_ONE, &x));
  TRY(hyla_matrix_norm(cube, m->b, HYLA_NORM_ONE, &b));
  TRY(hyla_matrix_create(cube, m->b->k->type, m->b->row.n, m->b->col.n, NULL, &residual));
  const hyla_transfer copy = {HYLA_NONE, 1, m->b, residual};
  hyla_status status = hyla_redistribute(cube, 1, &copy);
  if (status == HYLA_OK) status = hyla_gemm(cube, op, HYLA_NONE, -1, m->a, m->x, 1, residual);
  if (status == HYLA_OK) status = check_norm(residual, roundoff(m->a) * (a * x + b), "b - op(A) x");
  hyla_matrix_destroy(&residual);
  return status;
}

/* Asserts the same bits if b is solved for during A's factorization. */
static hyla_status check_riding(const struct matrices *m, hyla_factor *factor) {
  hyla_cube *cube = m->a->cube;
  hyla_matrix *x = NULL;
  TRY(hyla_factor_solve(cube, factor, HYLA_NONE, m->b, m->x));
  TRY(hyla_matrix_create(cube, m->x->k->type, m->x->row.n, m->x->col.n, NULL, &x));
  hyla_status status = hy_factor_compute(factor, m->a, m->b), mine = HYLA_OK;
  if (status == HYLA_OK) status = hy_factor_finish(factor, x);
  for (int64_t c = 0; c < x->local_cols && status == HYLA_OK; c++)
    if (x->local_rows > 0 &&
        memcmp(hy_at(x, 0, c), hy_at(m->x, 0, c), (size_t)x->local_rows * x->k->size) != 0)
      mine = hy_fail(&cube->base, HYLA_FORMAT, "x is another one where b rides along");
  hyla_matrix_destroy(&x);
  TRY(status);
  return hy_agree(cube, mine);
}

/* Asserts that R is the only part given out. */
static hyla_status check_parts(const struct matrices *m, hyla_factor *factor) {
  hyla_cube *cube = m->a->cube;
  int64_t rows[256];
  hyla_status status = hyla_factor_lower(cube, factor, m->r), mine = HYLA_OK;
  if (status != HYLA_UNSUPPORTED || strstr(hyla_cube_message(cube), "take lu") == NULL)
    mine = hy_fail(&cube->base, HYLA_FORMAT, "a lower triangle was given");
  TRY(hy_agree(cube, mine));
  TRY(hyla_factor_permutation(cube, factor, rows));
  for (int64_t i = 0; i < m->a->row.n && mine == HYLA_OK; i++)
    if (rows[i] != i) mine = hy_fail(&cube->base, HYLA_FORMAT, "row %lld moved", (long long)i);
  return hy_agree(cube, mine);
}

static hyla_status factor_and_solve(hyla_cube *cube, const struct qr_case *p, struct matrices *m) {
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  TRY(hyla_factor_create(cube, HYLA_QR, p->type, p->n, p->nrhs, &p->layout, p->variant, &factor));
  /* In the expected layouts, so that no other redistributions are counted. */
  hyla_status status = hyla_matrix_create(cube, p->type, p->n, p->n, &p->layout, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, p->n, p->nrhs, &p->layout, &b);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, p->seed);
  if (status == HYLA_OK) status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, a);
  if (status == HYLA_OK && p->nrhs > 0) status = hyla_factor_solve(cube, factor, HYLA_NONE, b, b);
  if (status == HYLA_OK)
    status = hy_agree(cube, cube->address < 0 ? HYLA_OK : lu_check_counts(cube, factor));
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, m->a);
  if (status == HYLA_OK) status = check_upper(m, factor);
  if (status == HYLA_OK) status = check_parts(m, factor);
  for (int op = HYLA_NONE; op <= HYLA_CONJUGATE && status == HYLA_OK; op++)
    status = check_solution(m, factor, (hyla_operation)op);
  if (status == HYLA_OK) status = check_solution(m, factor, HYLA_NONE); /* after the others */
  if (status == HYLA_OK && p->nrhs > 0) status = check_riding(m, factor);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

hyla_status qr_case_run(hyla_cube *cube, void *arg) {
  const struct qr_case *p = arg;
  struct matrices m = {0};
  hyla_status status = make_matrices(cube, p, &m);
  if (status == HYLA_OK) status = factor_and_solve(cube, p, &m);
  free_matrices(&m);
  return status;
}

void qr_case_simulate(int dims, const struct qr_case *x) {
  hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
  hyla_report report;
  struct qr_case on_cube = *x;
  hyla_status status = hyla_simulate(&model, qr_case_run, &on_cube, &report);
  if (status != HYLA_OK)
    fail_msg("%s: %s [dims %d, %s, n %lld, nrhs %lld, type %d]", hyla_status_name(status),
             report.message, dims, lu_layout_name(&x->layout), (long long)x->n, (long long)x->nrhs,
             (int)x->type);
}
