/* The operations of `peers`: what both do, and how their results compare. */
#include "peers.h"

#include <string.h>

static const int ONE = 1;

static hyla_status run_plan(struct contest *c) { return hyla_plan_run(c->cube, c->plan); }

static hyla_status plan_transpose(struct contest *c) {
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, c->own.matrix[0], c->own.matrix[2]};
  return hyla_redistribute_plan(c->cube, 1, &transfer, NULL, &c->plan);
}

static hyla_status plan_convert(struct contest *c) {
  const hyla_transfer transfer = {HYLA_NONE, 1, c->own.matrix[0], c->own.matrix[2]};
  return hyla_redistribute_plan(c->cube, 1, &transfer, NULL, &c->plan);
}

static hyla_status plan_gemm(struct contest *c) {
  return hyla_gemm_plan(c->cube, HYLA_NONE, HYLA_NONE, 1, c->own.matrix[0], c->own.matrix[1], 0,
                        c->own.matrix[2], NULL, &c->plan);
}

static hyla_status plan_nothing(struct contest *c) {
  (void)c;
  return HYLA_OK;
}

static hyla_status solve(struct contest *c) {
  return hyla_solve(c->cube, c->own.matrix[0], c->own.matrix[1], c->own.matrix[2], NULL);
}

static hyla_status solve_in_place(struct contest *c) {
  return hyla_solve_in_place(c->cube, c->own.matrix[0], c->own.matrix[1], c->own.matrix[2], NULL);
}

static hyla_status plan_factor(struct contest *c) {
  return hyla_factor_create(c->cube, HYLA_LU, HYLA_DOUBLE, c->n, 1, NULL, NULL, &c->factor);
}

static hyla_status factor_and_solve(struct contest *c) {
  hyla_status status = hyla_factor_compute(c->cube, c->factor, c->own.matrix[0]);
  if (status != HYLA_OK) return status;
  return hyla_factor_solve(c->cube, c->factor, HYLA_NONE, c->own.matrix[1], c->own.matrix[2]);
}

static double *local(const struct side *side, int x) {
  void *data = NULL;
  hyla_matrix_local(side->matrix[x], &data, NULL, NULL, NULL);
  return data;
}

static void peer_transpose(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  const double one = 1, zero = 0;
  pdtran_(&n, &n, &one, local(s, 0), &ONE, &ONE, s->descriptor[0], &zero, local(s, 2), &ONE, &ONE,
          s->descriptor[2]);
}

static void peer_convert(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  pdgemr2d_(&n, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 2), &ONE, &ONE,
            s->descriptor[2], &c->context);
}

static void peer_gemm(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  const double one = 1, zero = 0;
  pdgemm_("N", "N", &n, &n, &n, &one, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 1), &ONE,
          &ONE, s->descriptor[1], &zero, local(s, 2), &ONE, &ONE, s->descriptor[2]);
}

/* Factors in place; A and the right-hand side are made anew before, untimed. */
static void peer_solve(struct contest *c, struct side *s) {
  const int n = (int)c->n;
  int info = 0;
  pdgesv_(&n, &ONE, local(s, 0), &ONE, &ONE, s->descriptor[0], c->pivots, local(s, 2), &ONE, &ONE,
          s->descriptor[2], &info);
}

/* The largest difference of the results relative to the largest entry. */
static hyla_status compare(struct contest *c, struct side *s, double *difference) {
  hyla_matrix *copy = NULL;
  const hyla_matrix *result = c->own.matrix[2];
  double largest = 0;
  hyla_status status =
      hyla_matrix_create(c->cube, HYLA_DOUBLE, hyla_matrix_rows(result), hyla_matrix_cols(result),
                         hyla_matrix_layout(result), &copy);
  if (status == HYLA_OK) status = hyla_matrix_copy(c->cube, s->matrix[2], copy);
  void *mine = NULL, *theirs = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  if (status == HYLA_OK) status = hyla_matrix_local(result, &mine, &rows, &cols, &ld);
  if (status == HYLA_OK) status = hyla_matrix_local(copy, &theirs, NULL, NULL, NULL);
  for (int64_t j = 0; j < cols && status == HYLA_OK; j++)
    for (int64_t i = 0; i < rows; i++)
      ((double *)theirs)[i + j * ld] -= ((const double *)mine)[i + j * ld];
  if (status == HYLA_OK) status = hyla_matrix_norm(c->cube, result, HYLA_NORM_MAX, &largest);
  if (status == HYLA_OK) status = hyla_matrix_norm(c->cube, copy, HYLA_NORM_MAX, difference);
  if (status == HYLA_OK && largest > 0) *difference /= largest;
  hyla_matrix_destroy(&copy);
  return status;
}

const struct operation operations[] = {
    {"transpose",
     {32, 64, 128, 256},
     {1000, 4000},
     false,
     false,
     plan_transpose,
     run_plan,
     peer_transpose,
     compare},
    {"convert-cols",
     {64},
     {1000, 4000},
     false,
     false,
     plan_convert,
     run_plan,
     peer_convert,
     compare},
    {"convert-rows",
     {64},
     {1000, 4000},
     false,
     false,
     plan_convert,
     run_plan,
     peer_convert,
     compare},
    {"gemm",
     {64, 128, 256},
     {1000, 2000, 4000},
     true,
     false,
     plan_gemm,
     run_plan,
     peer_gemm,
     compare},
    {"solve",
     {32, 64, 128},
     {1000, 2000, 4000},
     true,
     false,
     plan_nothing,
     solve,
     peer_solve,
     compare},
    {"solve-in-place",
     {32, 64, 128},
     {1000, 2000, 4000},
     true,
     true,
     plan_nothing,
     solve_in_place,
     peer_solve,
     compare},
    {"factor",
     {32, 64, 128},
     {1000, 2000, 4000},
     true,
     false,
     plan_factor,
     factor_and_solve,
     peer_solve,
     compare},
    {.name = NULL},
};

bool is_conversion(const struct operation *o) { return strncmp(o->name, "convert", 7) == 0; }

bool is_solution(const struct operation *o) { return o->peer == peer_solve; }
