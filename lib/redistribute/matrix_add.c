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

/* y := alpha op(x) + beta y for this node's entries; x lies as y does. */
static void combine(const struct sum *sum) {
  hyla_matrix *y = sum->y;
  y->k->combine(sum->op, (int)y->local_rows, (int)y->local_cols, sum->alpha, sum->x->local,
                (int)sum->x->ld, sum->beta, y->local, (int)y->ld);
  const int64_t flops = (sum->alpha != 0) + (sum->beta != 0);
  hy_compute(y->cube, flops * y->local_rows * y->local_cols, y->k->size, y->k->complex_type);
}

static hyla_status run(hyla_cube *cube, const struct sum *sum) {
  struct hy_operand x = hy_operand_of(sum->x, sum->op), y = hy_operand_of(sum->y, HYLA_NONE);
  if (sum->alpha == 0 || hy_operand_equal(&x, &y)) {
    combine(sum);
    return HYLA_OK;
  }
  hyla_transfer transfer = {sum->op, sum->alpha, sum->x, sum->y};
  if (sum->beta == 0) return hy_redistribute_once(cube, &transfer, NULL);
  /* Moves alpha op(x) to the layout of y, and adds it there. */
  hyla_matrix brought = {0};
  transfer.to = &brought;
  hyla_status status = hy_agree(cube, hy_matrix_like(sum->y, sum->y->k->type, &brought));
  if (status == HYLA_OK) status = hy_redistribute_once(cube, &transfer, NULL);
  if (status == HYLA_OK) combine(&(struct sum){HYLA_NONE, 1, &brought, sum->beta, sum->y});
  hy_free(&cube->base, &brought.local);
  return status;
}

hyla_status hyla_add(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                     const hyla_matrix *x, double _Complex beta, hyla_matrix *y) {
  const struct hy_call call = {.name = "hyla_add",
                               .option = {{"op", (int)op, hy_operation_names}},
                               .alpha = alpha,
                               .beta = beta,
                               .argument = {{"x", x, op, "mn"}, {"y", y, HYLA_NONE, "mn", y}},
                               .in_place = "hyla_scale works in place"};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  const struct sum sum = {op, factor_of(y->k, alpha), x, factor_of(y->k, beta), y};
  return hy_agree(cube, run(cube, &sum));
}

hyla_status hyla_scale(hyla_cube *cube, double _Complex alpha, hyla_matrix *a) {
  const struct hy_call call = {
      .name = "hyla_scale", .alpha = alpha, .argument = {{"a", a, .result = a}}};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  combine(&(struct sum){HYLA_NONE, 0, a, factor_of(a->k, alpha), a});
  return hy_agree(cube, HYLA_OK);
}
