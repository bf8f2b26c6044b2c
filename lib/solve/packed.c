/* hyla_packed_condition: the condition from triangles made by another program, or by
 * hyla_factor_packed: the estimate of condition.c, with two substitutions for each solution.
 *
 * The swaps of P A = L U only reorder A^-1's columns, which changes neither norm. */
#include "solve/solve.h"

#include <math.h>

enum { TRIANGLES = 2 };

/* A solution's two substitutions; they are planned once the vector exists. */
struct steps {
  hyla_plan *plan[TRIANGLES];
};

struct packed {
  hyla_cube *cube;
  hyla_method method;
  hyla_triangle triangle; /* for Cholesky */
  const hyla_matrix *a;
  bool by_rows;         /* the norm is that of A^H */
  struct steps with[2]; /* with A; with A^H */
};

static hyla_status plan_step(const struct packed *p, hyla_triangle triangle, hyla_operation op,
                             hyla_matrix *v, hyla_plan **plan) {
  bool unit = p->method == HYLA_LU && triangle == HYLA_LOWER;
  return hyla_trsm_plan(p->cube, HYLA_LEFT, triangle, op,
                        unit ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL, 1, p->a, v, NULL, plan);
}

/* L U v = w, or U^H L^H v = w.  For Cholesky the one triangle and its adjoint, the lower one
 * first. */
static hyla_status plan_steps(const struct packed *p, bool adjoint, hyla_matrix *v,
                              struct steps *steps) {
  bool lu = p->method == HYLA_LU, upper = p->triangle == HYLA_UPPER;
  hyla_triangle first = lu ? adjoint ? HYLA_UPPER : HYLA_LOWER : p->triangle;
  hyla_triangle second = !lu ? first : adjoint ? HYLA_LOWER : HYLA_UPPER;
  bool turn_first = lu ? adjoint : upper, turn_second = lu ? adjoint : !upper;
  TRY(plan_step(p, first, turn_first ? HYLA_CONJUGATE : HYLA_NONE, v, &steps->plan[0]));
  return plan_step(p, second, turn_second ? HYLA_CONJUGATE : HYLA_NONE, v, &steps->plan[1]);
}

/* The vector is the same in all calls. */
static hyla_status substitute(void *arg, hyla_operation op, hyla_matrix *v) {
  struct packed *p = arg;
  bool adjoint = p->method == HYLA_LU && (op == HYLA_CONJUGATE) != p->by_rows;
  struct steps *steps = &p->with[adjoint];
  if (steps->plan[0] == NULL) TRY(plan_steps(p, adjoint, v, steps));
  for (int i = 0; i < TRIANGLES; i++) TRY(hyla_plan_run(p->cube, steps->plan[i]));
  return HYLA_OK;
}

static hyla_status estimate(struct packed *p, struct hy_norm norm, double *rcond) {
  const struct hy_solver solver = {.cube = p->cube,
                                   .k = p->a->k,
                                   .n = p->a->row.n,
                                   .layout = &p->a->layout,
                                   .solve = substitute,
                                   .arg = p};
  hyla_status status = hy_solver_condition(&solver, norm, rcond);
  for (int i = 0; i < 2; i++)
    for (int t = 0; t < TRIANGLES; t++) (void)hyla_plan_destroy(&p->with[i].plan[t]);
  return status;
}

hyla_status hyla_packed_condition(hyla_cube *cube, hyla_method method, hyla_triangle triangle,
                                  const hyla_matrix *packed, hyla_norm kind, double norm,
                                  double *rcond) {
  static const char *const norms[] = {"", "HYLA_NORM_ONE", "HYLA_NORM_INF", NULL};
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct packed p = {.cube = cube,
                     .method = method,
                     .triangle = triangle,
                     .a = packed,
                     .by_rows = kind == HYLA_NORM_INF};
  const struct hy_call call = {
      .name = "hyla_packed_condition",
      .option = {{"triangle", (int)triangle, hy_triangle_names}, {"kind", (int)kind, norms}},
      .place = {{"rcond", rcond, 1}},
      .alpha = norm,
      .number = {(int64_t)method},
      .argument = {{"packed", packed, .sizes = "nn"}},
      .needs_data = true};
  hyla_status mine = HYLA_OK;
  if (method != HYLA_LU && method != HYLA_CHOLESKY)
    mine = hy_fail(&cube->base, HYLA_UNSUPPORTED, "%s: method %d is not HYLA_LU or HYLA_CHOLESKY",
                   call.name, (int)method);
  else if (norm < 0)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: a norm of %g; give that of hyla_matrix_norm",
                   call.name, norm);
  TRY(hy_call_enter(cube, &call, mine));
  return estimate(&p, (struct hy_norm){norm, 0}, rcond);
}
