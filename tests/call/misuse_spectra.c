/* The public calls whose results are spectra or least squares; misuse_calls.c has the others. */
#include "misuse_case.h"

/* ---------------------------------------------------------------- the calls -- */

static hyla_status eigen(struct given *g) {
  double values[SIZE];
  return hyla_eigen(g->cube, (hyla_triangle)g->option[0], g->m[0], g->nowhere[0] ? NULL : values,
                    NULL);
}
static hyla_status eigen_plan(struct given *g) {
  double values[SIZE];
  const hyla_eigen_options options = {.variant = g->variant};
  return drop(g, hyla_eigen_plan(g->cube, &options, (hyla_triangle)g->option[0], g->m[0],
                                 g->nowhere[1] ? NULL : values, NULL, plan(g)));
}
/* Random matrices are seldom definite. */
static hyla_status eigen_generalized(struct given *g) {
  double values[SIZE];
  const hyla_status status =
      hyla_eigen_generalized(g->cube, (hyla_eigen_pencil)g->option[1], (hyla_triangle)g->option[0],
                             g->m[0], g->m[1], g->nowhere[0] ? NULL : values, NULL, NULL);
  return status == HYLA_INDEFINITE ? HYLA_OK : status;
}
static hyla_status eigen_generalized_plan(struct given *g) {
  double values[SIZE];
  const hyla_eigen_options options = {.variant = g->variant};
  return drop(g, hyla_eigen_generalized_plan(g->cube, &options, (hyla_eigen_pencil)g->option[1],
                                             (hyla_triangle)g->option[0], g->m[0], g->m[1],
                                             g->nowhere[1] ? NULL : values, NULL, plan(g)));
}
/* Zeros are no values of these matrices, here and below. */
static hyla_status eigen_check(struct given *g) {
  const double values[SIZE] = {0};
  hyla_eigen_errors errors;
  const hyla_status status =
      hyla_eigen_check(g->cube, (hyla_triangle)g->option[0], g->m[0], g->nowhere[1] ? NULL : values,
                       g->m[1], g->nowhere[0] ? NULL : &errors);
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}
static hyla_status eigen_check_values(struct given *g) {
  const double values[SIZE] = {0};
  hyla_eigen_errors errors;
  const hyla_status status =
      hyla_eigen_check_values(g->cube, (hyla_triangle)g->option[0], g->m[0],
                              g->nowhere[1] ? NULL : values, g->nowhere[0] ? NULL : &errors);
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}
static hyla_status eigen_check_counts(struct given *g) {
  const double values[SIZE] = {0};
  hyla_eigen_counts counts;
  const hyla_status status = hyla_eigen_check_counts(
      g->cube, (hyla_eigen_pencil)g->option[1], (hyla_triangle)g->option[0], g->m[0], NULL, 1, 2,
      g->nowhere[1] ? NULL : values, g->nowhere[0] ? NULL : &counts);
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}
static hyla_status eigen_generalized_check(struct given *g) {
  const double values[SIZE] = {0};
  hyla_eigen_errors errors;
  const hyla_status status = hyla_eigen_generalized_check(
      g->cube, (hyla_eigen_pencil)g->option[1], (hyla_triangle)g->option[0], g->m[0], g->m[1],
      g->nowhere[1] ? NULL : values, g->m[2], g->nowhere[0] ? NULL : &errors);
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}
static hyla_status tridiagonal_form(struct given *g) {
  double d[SIZE], e[SIZE];
  hyla_scalar tau[SIZE];
  return hyla_tridiagonal_form(g->cube, (hyla_triangle)g->option[0], g->m[0],
                               g->nowhere[0] ? NULL : d, g->nowhere[1] ? NULL : e, tau);
}
static hyla_status svd(struct given *g) {
  double values[SIZE];
  return hyla_svd(g->cube, g->m[0], g->nowhere[0] ? NULL : values, NULL, NULL);
}
static hyla_status svd_plan(struct given *g) {
  double values[SIZE];
  const hyla_svd_options options = {.method = g->variant};
  return drop(g, hyla_svd_plan(g->cube, &options, g->m[0], g->nowhere[1] ? NULL : values, NULL,
                               NULL, plan(g)));
}
static hyla_status svd_check(struct given *g) {
  const double values[SIZE] = {0};
  hyla_svd_errors errors;
  const hyla_status status = hyla_svd_check(g->cube, g->m[0], g->nowhere[1] ? NULL : values,
                                            g->m[1], g->m[2], g->nowhere[0] ? NULL : &errors);
  return status == HYLA_UNRELIABLE ? HYLA_OK : status;
}
static hyla_status qr_pivoted(struct given *g) {
  hyla_scalar tau[SIZE];
  int64_t columns[SIZE];
  return hyla_qr_pivoted(g->cube, g->m[0], g->nowhere[0] ? NULL : tau,
                         g->nowhere[1] ? NULL : columns);
}
static hyla_status qr_pivoted_plan(struct given *g) {
  hyla_scalar tau[SIZE];
  int64_t columns[SIZE];
  return drop(g, hyla_qr_pivoted_plan(g->cube, g->m[0], g->nowhere[1] ? NULL : tau, columns,
                                      g->variant, plan(g)));
}
static hyla_status lstsq(struct given *g) {
  const hyla_lstsq_options options = {.op = (hyla_operation)g->option[0],
                                      .method = (hyla_lstsq_method)g->option[1]};
  return hyla_lstsq(g->cube, &options, g->m[0], g->m[1], g->m[2], NULL);
}

static hyla_status lstsq_plan(struct given *g) {
  const hyla_lstsq_options options = {.op = (hyla_operation)g->option[0],
                                      .method = (hyla_lstsq_method)g->option[1],
                                      .variant = g->variant};
  return drop(g, hyla_lstsq_plan(g->cube, &options, g->m[0], g->m[1], g->m[2], NULL, plan(g)));
}

static hyla_status lowrank(struct given *g) {
  const hyla_lowrank_options options = {.variant = g->variant};
  return hyla_lowrank(g->cube, &options, g->m[0], g->m[1], NULL, NULL);
}

static hyla_status lowrank_plan(struct given *g) {
  const hyla_lowrank_options options = {.variant = g->variant};
  return drop(g, hyla_lowrank_plan(g->cube, &options, g->m[0], g->m[1], NULL, NULL, plan(g)));
}

/* ---------------------------------------------------------------- the table -- */

const struct misuse_call misuse_spectra[] = {
    {.name = "hyla_eigen",
     .make = eigen,
     .matrix = {{"a", ALONE, 0}},
     .option = {TRIANGLE},
     .place = {"values"}},
    {.name = "hyla_eigen_plan",
     .make = eigen_plan,
     .matrix = {{"a", ALONE, 0}},
     .option = {TRIANGLE},
     .place = {"plan", "values"},
     .variant = true},
    {.name = "hyla_eigen_generalized",
     .make = eigen_generalized,
     .matrix = {{"a", SQUARE, 0}, {"b", SQUARE, 0}},
     .option = {TRIANGLE, {"kind", 3, 1, 0}},
     .place = {"values"}},
    {.name = "hyla_eigen_generalized_plan",
     .make = eigen_generalized_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SQUARE, 0}},
     .option = {TRIANGLE, {"kind", 3, 1, 0}},
     .place = {"plan", "values"},
     .variant = true},
    {.name = "hyla_eigen_check",
     .make = eigen_check,
     .matrix = {{"a", SQUARE, 0}, {"vectors", SQUARE, 0}},
     .option = {TRIANGLE},
     .place = {"errors", "values"}},
    {.name = "hyla_eigen_check_values",
     .make = eigen_check_values,
     .matrix = {{"a", ALONE, 0}},
     .option = {TRIANGLE},
     .place = {"errors", "values"}},
    {.name = "hyla_eigen_check_counts",
     .make = eigen_check_counts,
     .matrix = {{"a", ALONE, 0}},
     .option = {TRIANGLE, {"kind", 3, 1, 0}},
     .place = {"counts", "values"}},
    {.name = "hyla_eigen_generalized_check",
     .make = eigen_generalized_check,
     .matrix = {{"a", SQUARE, 0}, {"b", SQUARE, 0}, {"vectors", SQUARE, 0}},
     .option = {TRIANGLE, {"kind", 3, 1, 0}},
     .place = {"errors", "values"}},
    {.name = "hyla_tridiagonal_form",
     .make = tridiagonal_form,
     .matrix = {{"a", ALONE, WRITTEN}},
     .option = {TRIANGLE},
     .place = {"d", "e"}},
    {.name = "hyla_svd", .make = svd, .matrix = {{"a", ANY, 0}}, .place = {"values"}},
    {.name = "hyla_svd_plan",
     .make = svd_plan,
     .matrix = {{"a", ANY, 0}},
     .place = {"plan", "values"},
     .variant = true},
    {.name = "hyla_svd_check",
     .make = svd_check,
     .matrix = {{"a", SQUARE, 0}, {"left", SQUARE, 0}, {"right", SQUARE, 0}},
     .place = {"errors", "values"}},
    {.name = "hyla_qr_pivoted",
     .make = qr_pivoted,
     .matrix = {{"a", ANY, WRITTEN}},
     .place = {"tau", "columns"}},
    {.name = "hyla_qr_pivoted_plan",
     .make = qr_pivoted_plan,
     .matrix = {{"a", ANY, WRITTEN}},
     .place = {"plan", "tau"},
     .variant = true},
    {.name = "hyla_lstsq",
     .make = lstsq,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"x", SIDES, WRITTEN}},
     .option = {OP, OPTION("method", 3, HYLA_LSTSQ_PIVOTED, HYLA_LSTSQ_QR)}},
    {.name = "hyla_lstsq_plan",
     .make = lstsq_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"x", SIDES, WRITTEN}},
     .option = {OP, OPTION("method", 3, HYLA_LSTSQ_PIVOTED, HYLA_LSTSQ_QR)},
     .place = {"plan"},
     .variant = true},
    {.name = "hyla_lowrank",
     .make = lowrank,
     .matrix = {{"a", SQUARE, 0}, {"q", SQUARE, WRITTEN}},
     .variant = true},
    {.name = "hyla_lowrank_plan",
     .make = lowrank_plan,
     .matrix = {{"a", SQUARE, 0}, {"q", SQUARE, WRITTEN}},
     .place = {"plan"},
     .variant = true},
};
const int misuse_spectrum_count = sizeof misuse_spectra / sizeof *misuse_spectra;
