/* hyla_solve and hyla_solve_in_place: LU made, used and forgotten in one call. */
#include "solve/solve.h"

/* What the two calls are given. */
struct system {
  const char *call;
  const hyla_matrix *a, *b;
  hyla_matrix *x;
  hyla_matrix *given; /* a, when it may be overwritten; else NULL */
};

hyla_status hy_solve_want(hyla_cube *cube, const char *call, hyla_method method,
                          const hyla_matrix *a, const hyla_matrix *b, const hyla_matrix *x,
                          int64_t nrhs_least, struct hy_factorization *wanted) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, a, "a"));
  TRY(hy_matrix_check(cube, b, "b"));
  TRY(hy_matrix_check(cube, x, "x"));
  CHECK(base, a->k == b->k && a->k == x->k, ARGUMENT, "%s: types %s, %s, %s of a, b, x", call,
        a->k->name, b->k->name, x->k->name);
  CHECK(base, a->row.n == a->col.n, ARGUMENT, "%s: a is %lld x %lld, not square", call,
        (long long)a->row.n, (long long)a->col.n);
  CHECK(base, b->row.n == a->row.n, ARGUMENT, "%s: a has %lld rows, b %lld", call,
        (long long)a->row.n, (long long)b->row.n);
  CHECK(base, x->row.n == b->row.n && x->col.n == b->col.n, ARGUMENT,
        "%s: b is %lld x %lld, x %lld x %lld", call, (long long)b->row.n, (long long)b->col.n,
        (long long)x->row.n, (long long)x->col.n);
  TRY(hy_factor_want(cube, method, a->k->type, a->row.n, a->col.n, hy_max(nrhs_least, b->col.n),
                     hy_factor_layout_of(a), wanted));
  wanted->from_a = a;
  wanted->from_b = b;
  wanted->to_x = x;
  return HYLA_OK;
}

static hyla_status check_solve(hyla_cube *cube, const struct system *s,
                               struct hy_factorization *wanted) {
  TRY(hy_solve_want(cube, s->call, HYLA_LU, s->a, s->b, s->x, 0, wanted));
  CHECK(&cube->base,
        s->given == NULL || !(hy_matrix_overlap(s->a, s->b) || hy_matrix_overlap(s->a, s->x)),
        ARGUMENT,
        "%s: a, which is overwritten, shares entries with b or x; give them memory of their own",
        s->call);
  wanted->given = s->given;
  return HYLA_OK;
}

static hyla_status solve(hyla_cube *cube, const struct system *s, int64_t *pivot) {
  struct hy_factorization wanted;
  struct hyla_factor *factor = NULL;
  if (pivot != NULL) *pivot = 0;
  hyla_status mine = check_solve(cube, s, &wanted);
  if (mine == HYLA_OK) mine = hy_need_data(cube, s->call);
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, s->a), s->b);
  fingerprint = hy_matrix_fingerprint(fingerprint, s->x);
  TRY(hy_enter(cube, mine, fingerprint, s->call));
  TRY(hy_factor_make(cube, &wanted, NULL, &factor));
  hyla_status status = hy_factor_compute(factor, s->a, s->b);
  if (pivot != NULL) *pivot = factor->factors.pivot;
  if (status == HYLA_OK) status = hy_factor_finish(factor, s->x);
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}

hyla_status hyla_solve(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                       int64_t *pivot) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  return solve(cube, &(struct system){"hyla_solve", a, b, x, NULL}, pivot);
}

hyla_status hyla_solve_in_place(hyla_cube *cube, hyla_matrix *a, const hyla_matrix *b,
                                hyla_matrix *x, int64_t *pivot) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  return solve(cube, &(struct system){"hyla_solve_in_place", a, b, x, a}, pivot);
}
