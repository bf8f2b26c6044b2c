/* hyla_add and hyla_scale: sums and multiples of distributed matrices. */
#include "redistribute/redistribute.h"

#include <complex.h>

struct sum {
  hyla_operation op;
  double _Complex alpha;
  const hyla_matrix *x;
  double _Complex beta;
  hyla_matrix *y;
};

/* The factor in the matrices' type: for a real type its real part. */
static double _Complex factor_of(const struct hy_kernels *k, double _Complex factor) {
  return k->complex_type ? factor : creal(factor);
}

static hyla_status check(hyla_cube *cube, const struct sum *sum) {
  struct hy_base *base = &cube->base;
  CHECK(base, sum->op <= HYLA_CONJUGATE, ARGUMENT, "hyla_add: operation %d; there are 0, 1 and 2",
        (int)sum->op);
  TRY(hy_matrix_check(cube, sum->x, "x of hyla_add"));
  TRY(hy_matrix_check(cube, sum->y, "y of hyla_add"));
  CHECK(base, sum->x->k == sum->y->k, ARGUMENT,
        "hyla_add: x is of type %s and y of type %s; convert one of them with hyla_matrix_convert",
        sum->x->k->name, sum->y->k->name);
  struct hy_operand x = hy_operand_of(sum->x, sum->op);
  CHECK(base, x.row.n == sum->y->row.n && x.col.n == sum->y->col.n, ARGUMENT,
        "hyla_add: op(x) is %lld x %lld, y %lld x %lld", (long long)x.row.n, (long long)x.col.n,
        (long long)sum->y->row.n, (long long)sum->y->col.n);
  CHECK(base, !hy_matrix_overlap(sum->x, sum->y), ARGUMENT,
        "hyla_add: x shares entries with y; hyla_scale works in place");
  return HYLA_OK;
}

/* y := alpha op(x) + beta y for this node's entries; x lies as y does. */
static void combine(const struct sum *sum) {
  hyla_matrix *y = sum->y;
  y->k->combine(sum->op, (int)y->local_rows, (int)y->local_cols, sum->alpha, sum->x->local,
                (int)sum->x->ld, sum->beta, y->local, (int)y->ld);
  const int64_t flops = (sum->alpha != 0) + (sum->beta != 0);
  hy_compute(y->cube, flops * y->local_rows * y->local_cols, y->k->size, y->k->complex_type);
}

/* Moves alpha op(x) to the layout of y, and adds it there. */
static hyla_status bring_and_add(hyla_cube *cube, const struct sum *sum, hyla_matrix *brought) {
  TRY(hy_agree(cube, hy_matrix_like(sum->y, sum->y->k->type, brought)));
  const hyla_transfer transfer = {sum->op, sum->alpha, sum->x, brought};
  TRY(hy_redistribute_once(cube, &transfer));
  combine(&(struct sum){HYLA_NONE, 1, brought, sum->beta, sum->y});
  return HYLA_OK;
}

static hyla_status run(hyla_cube *cube, const struct sum *sum) {
  struct hy_operand x = hy_operand_of(sum->x, sum->op), y = hy_operand_of(sum->y, HYLA_NONE);
  if (sum->alpha == 0 || hy_operand_equal(&x, &y)) {
    combine(sum);
    return HYLA_OK;
  }
  if (sum->beta == 0) {
    const hyla_transfer transfer = {sum->op, sum->alpha, sum->x, sum->y};
    return hy_redistribute_once(cube, &transfer);
  }
  hyla_matrix brought = {0};
  hyla_status status = bring_and_add(cube, sum, &brought);
  hy_free(&cube->base, &brought.local);
  return status;
}

hyla_status hyla_add(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                     const hyla_matrix *x, double _Complex beta, hyla_matrix *y) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct sum sum = {op, alpha, x, beta, y};
  hyla_status mine = check(cube, &sum);
  const int number = (int)op;
  const double _Complex factors[] = {alpha, beta};
  uint64_t fingerprint = hy_fingerprint(0, &number, sizeof number);
  fingerprint = hy_fingerprint(fingerprint, factors, sizeof factors);
  fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(fingerprint, x), y);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_add"));
  sum.alpha = factor_of(y->k, alpha);
  sum.beta = factor_of(y->k, beta);
  return hy_agree(cube, run(cube, &sum));
}

hyla_status hyla_scale(hyla_cube *cube, double _Complex alpha, hyla_matrix *a) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = hy_matrix_check(cube, a, "of hyla_scale");
  uint64_t fingerprint = hy_fingerprint(0, &alpha, sizeof alpha);
  TRY(hy_enter(cube, mine, hy_matrix_fingerprint(fingerprint, a), "hyla_scale"));
  combine(&(struct sum){HYLA_NONE, 0, a, factor_of(a->k, alpha), a});
  return hy_agree(cube, HYLA_OK);
}
