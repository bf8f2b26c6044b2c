/* One operation of each kind that has a plan, as data. */
#ifndef PLANS_CASE_H
#define PLANS_CASE_H 1

#include "cube/cube.h"
#include "hyla.h"
#include "tests/harness/harness.h"

/* a: m x m; b, c: m x n, except that b is m x m for moves. */
typedef hyla_status make_plan(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                              hyla_plan **plan);

static hyla_status gemm(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                        hyla_plan **plan) {
  return hyla_gemm_plan(cube, HYLA_TRANSPOSE, HYLA_NONE, 2, a, b, 3, c, NULL, plan);
}
static hyla_status symm(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                        hyla_plan **plan) {
  return hyla_symm_plan(cube, HYLA_LEFT, HYLA_LOWER, 2, a, b, 0, c, NULL, plan);
}
static hyla_status trmm(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                        hyla_plan **plan) {
  (void)c;
  return hyla_trmm_plan(cube, HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, 2, a, b, NULL,
                        plan);
}
static hyla_status syrk(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                        hyla_plan **plan) {
  (void)c;
  return hyla_syrk_plan(cube, HYLA_UPPER, HYLA_NONE, 1, b, 1, a, NULL, plan);
}
static hyla_status trsm(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                        hyla_plan **plan) {
  (void)c;
  return hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_TRANSPOSE, HYLA_ANY_DIAGONAL, 1, a, b,
                        NULL, plan);
}
static hyla_status trtri(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                         hyla_plan **plan) {
  (void)b, (void)c;
  return hyla_trtri_plan(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, a, NULL, plan);
}
static hyla_status move(hyla_cube *cube, hyla_matrix *a, hyla_matrix *b, hyla_matrix *c,
                        hyla_plan **plan) {
  const hyla_transfer transfer = {HYLA_NONE, 1, b, c};
  (void)a;
  return hyla_redistribute_plan(cube, 1, &transfer, NULL, plan);
}

static make_plan *const plans[] = {gemm, symm, trmm, syrk, trsm, trtri, move};
enum { PLANS = sizeof plans / sizeof *plans };

/* The description of a plan is not predicted: checks the excess over the predicted bytes, for a
 * small order and for order n. */
static hyla_status plans_check_excess(hyla_cube *cube, int64_t small, int64_t large, int64_t n) {
  enum { GROWTH = 3 << 15 };
  CHECK(&cube->base, small >= 0 && large >= 0 && large - small <= GROWTH && small - large <= GROWTH,
        FORMAT, "of a small order %lld bytes more than predicted are taken, of order %lld %lld",
        (long long)small, (long long)n, (long long)large);
  return HYLA_OK;
}

#endif
