/* The public calls with matrices, each with the names and shapes of its arguments. */
#include "misuse_case.h"

#include <string.h>

/* ---------------------------------------------------- matrices, one or two -- */

static double _Complex zero(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 0;
}

static hyla_status fill(struct given *g) { return hyla_matrix_fill(g->cube, g->m[0], zero, NULL); }
static hyla_status generate(struct given *g) {
  return hyla_matrix_generate(g->cube, g->m[0], (hyla_generator)(HYLA_ZERO + g->option[0]), 1);
}
static hyla_status gallery(struct given *g) {
  return hyla_matrix_gallery(g->cube, g->m[0], g->option[0] == 0 ? "hilbert" : "no such kind", 1);
}
static hyla_status set(struct given *g) {
  return hyla_matrix_set(g->cube, g->m[0], 0, 0, g->alpha);
}
static hyla_status get(struct given *g) {
  return hyla_matrix_get(g->cube, g->m[0], 0, 0, g->nowhere[0] ? NULL : &g->scalar);
}
static hyla_status norm(struct given *g) {
  return hyla_matrix_norm(g->cube, g->m[0], (hyla_norm)g->option[0], place(g, 0));
}
static hyla_status structure(struct given *g) {
  hyla_structure found;
  return hyla_matrix_structure(g->cube, g->m[0], g->nowhere[0] ? NULL : &found);
}
static hyla_status asymmetry(struct given *g) {
  hyla_asymmetry found;
  return hyla_matrix_asymmetry(g->cube, g->m[0], g->nowhere[0] ? NULL : &found);
}
static hyla_status scale(struct given *g) { return hyla_scale(g->cube, g->alpha, g->m[0]); }
static hyla_status gather(struct given *g) {
  double room[SIZE * SIZE];
  return hyla_matrix_gather(g->cube, g->m[0], HYLA_REPLICATED, room, SIZE);
}
static hyla_status scatter(struct given *g) {
  const double room[SIZE * SIZE] = {0};
  return hyla_matrix_scatter(g->cube, room, SIZE, g->m[0]);
}
static hyla_status copy(struct given *g) { return hyla_matrix_copy(g->cube, g->m[0], g->m[1]); }
static hyla_status convert(struct given *g) {
  return hyla_matrix_convert(g->cube, g->m[0], g->m[1]);
}
static hyla_status real(struct given *g) { return hyla_matrix_real(g->cube, g->m[0], g->m[1]); }
static hyla_status imag(struct given *g) { return hyla_matrix_imag(g->cube, g->m[0], g->m[1]); }
static hyla_status add(struct given *g) {
  return hyla_add(g->cube, (hyla_operation)g->option[0], g->alpha, g->m[0], g->beta, g->m[1]);
}
static hyla_status redistribute(struct given *g) {
  const hyla_transfer transfer = {(hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1]};
  return hyla_redistribute(g->cube, 1, &transfer);
}
static hyla_status redistribute_plan(struct given *g) {
  const hyla_transfer transfer = {(hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1]};
  return drop(g, hyla_redistribute_plan(g->cube, 1, &transfer, g->variant, plan(g)));
}
static hyla_status dense_plan(struct given *g) {
  const hyla_transfer transfer = {(hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1]};
  const int64_t columns[] = {1};
  return drop(g, hyla_redistribute_dense_plan(g->cube, &transfer, columns, 1, NULL, 0, g->variant,
                                              plan(g)));
}
static hyla_status band_plan(struct given *g) {
  const hyla_transfer transfer = {(hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1]};
  return drop(g, hyla_redistribute_band_plan(g->cube, &transfer, 1, g->variant, plan(g)));
}

/* ---------------------------------------------------------------- products -- */

static hyla_status gemm(struct given *g) {
  return hyla_gemm(g->cube, (hyla_operation)g->option[0], (hyla_operation)g->option[1], g->alpha,
                   g->m[0], g->m[1], g->beta, g->m[2]);
}
static hyla_status gemm_plan(struct given *g) {
  return drop(g, hyla_gemm_plan(g->cube, (hyla_operation)g->option[0], (hyla_operation)g->option[1],
                                g->alpha, g->m[0], g->m[1], g->beta, g->m[2], g->variant, plan(g)));
}
static hyla_status syrk(struct given *g) {
  return hyla_syrk(g->cube, (hyla_triangle)g->option[0], (hyla_operation)g->option[1], g->alpha,
                   g->m[0], g->beta, g->m[1]);
}
static hyla_status syrk_plan(struct given *g) {
  return drop(g, hyla_syrk_plan(g->cube, (hyla_triangle)g->option[0], (hyla_operation)g->option[1],
                                g->alpha, g->m[0], g->beta, g->m[1], g->variant, plan(g)));
}
static hyla_status herk(struct given *g) {
  return hyla_herk(g->cube, (hyla_triangle)g->option[0], (hyla_operation)g->option[1],
                   creal(g->alpha), g->m[0], creal(g->beta), g->m[1]);
}
static hyla_status herk_plan(struct given *g) {
  return drop(g, hyla_herk_plan(g->cube, (hyla_triangle)g->option[0], (hyla_operation)g->option[1],
                                creal(g->alpha), g->m[0], creal(g->beta), g->m[1], g->variant,
                                plan(g)));
}
static hyla_status symm(struct given *g) {
  return hyla_symm(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1], g->alpha, g->m[0],
                   g->m[1], g->beta, g->m[2]);
}
static hyla_status symm_plan(struct given *g) {
  return drop(g, hyla_symm_plan(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1],
                                g->alpha, g->m[0], g->m[1], g->beta, g->m[2], g->variant, plan(g)));
}
static hyla_status hemm(struct given *g) {
  return hyla_hemm(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1], g->alpha, g->m[0],
                   g->m[1], g->beta, g->m[2]);
}
static hyla_status hemm_plan(struct given *g) {
  return drop(g, hyla_hemm_plan(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1],
                                g->alpha, g->m[0], g->m[1], g->beta, g->m[2], g->variant, plan(g)));
}
static hyla_status trmm(struct given *g) {
  return hyla_trmm(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1],
                   (hyla_operation)g->option[2], (hyla_diagonal)g->option[3], g->alpha, g->m[0],
                   g->m[1]);
}
static hyla_status trmm_plan(struct given *g) {
  return drop(g, hyla_trmm_plan(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1],
                                (hyla_operation)g->option[2], (hyla_diagonal)g->option[3], g->alpha,
                                g->m[0], g->m[1], g->variant, plan(g)));
}
static hyla_status gemv(struct given *g) {
  return hyla_gemv(g->cube, (hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1], g->beta,
                   g->m[2]);
}
static hyla_status gemv_plan(struct given *g) {
  return drop(g, hyla_gemv_plan(g->cube, (hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1],
                                g->beta, g->m[2], g->variant, plan(g)));
}
static hyla_status symv(struct given *g) {
  return hyla_symv(g->cube, (hyla_triangle)g->option[0], g->alpha, g->m[0], g->m[1], g->beta,
                   g->m[2]);
}
static hyla_status symv_plan(struct given *g) {
  return drop(g, hyla_symv_plan(g->cube, (hyla_triangle)g->option[0], g->alpha, g->m[0], g->m[1],
                                g->beta, g->m[2], g->variant, plan(g)));
}
static hyla_status hemv(struct given *g) {
  return hyla_hemv(g->cube, (hyla_triangle)g->option[0], g->alpha, g->m[0], g->m[1], g->beta,
                   g->m[2]);
}
static hyla_status hemv_plan(struct given *g) {
  return drop(g, hyla_hemv_plan(g->cube, (hyla_triangle)g->option[0], g->alpha, g->m[0], g->m[1],
                                g->beta, g->m[2], g->variant, plan(g)));
}
static hyla_status ger(struct given *g) {
  return hyla_ger(g->cube, (hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1], g->m[2]);
}
static hyla_status ger_plan(struct given *g) {
  return drop(g, hyla_ger_plan(g->cube, (hyla_operation)g->option[0], g->alpha, g->m[0], g->m[1],
                               g->m[2], g->variant, plan(g)));
}

/* --------------------------------------------------------------- triangles -- */

static hyla_status trsm(struct given *g) {
  return hyla_trsm(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1],
                   (hyla_operation)g->option[2], (hyla_diagonal)g->option[3], g->alpha, g->m[0],
                   g->m[1]);
}
static hyla_status trsm_plan(struct given *g) {
  return drop(g, hyla_trsm_plan(g->cube, (hyla_side)g->option[0], (hyla_triangle)g->option[1],
                                (hyla_operation)g->option[2], (hyla_diagonal)g->option[3], g->alpha,
                                g->m[0], g->m[1], g->variant, plan(g)));
}
static hyla_status tridiagonal(struct given *g) {
  return hyla_tridiagonal(g->cube, g->m[0], g->m[1], g->m[2], g->m[3]);
}
static hyla_status tridiagonal_plan(struct given *g) {
  return drop(
      g, hyla_tridiagonal_plan(g->cube, g->m[0], g->m[1], g->m[2], g->m[3], g->variant, plan(g)));
}
static hyla_status trtri(struct given *g) {
  return hyla_trtri(g->cube, (hyla_triangle)g->option[0], (hyla_diagonal)g->option[1], g->m[0]);
}
static hyla_status trtri_plan(struct given *g) {
  return drop(g, hyla_trtri_plan(g->cube, (hyla_triangle)g->option[0], (hyla_diagonal)g->option[1],
                                 g->m[0], g->variant, plan(g)));
}
static hyla_status trsm_check(struct given *g) {
  return hyla_trsm_check(g->cube, (hyla_triangle)g->option[0], g->m[0], g->m[1], g->m[2],
                         report(g));
}

/* ----------------------------------------------------------------- systems -- */

static hyla_status compute(struct given *g) {
  return hyla_factor_compute(g->cube, g->factor, g->m[0]);
}
static hyla_status adopt(struct given *g) {
  hyla_matrix *a = g->m[0];
  hyla_factor *factor = NULL;
  hyla_status status = hyla_factor_adopt(g->cube, (hyla_method)g->option[0], 1, g->variant, &a,
                                         g->nowhere[0] ? NULL : &factor);
  (void)hyla_factor_destroy(&factor);
  return status;
}
static hyla_status factor_solve(struct given *g) {
  return hyla_factor_solve(g->cube, g->factor, (hyla_operation)g->option[0], g->m[0], g->m[1]);
}
static hyla_status lower(struct given *g) { return hyla_factor_lower(g->cube, g->factor, g->m[0]); }
static hyla_status upper(struct given *g) { return hyla_factor_upper(g->cube, g->factor, g->m[0]); }
static hyla_status packed(struct given *g) {
  return hyla_factor_packed(g->cube, g->factor, (hyla_triangle)g->option[0], g->m[0]);
}
static hyla_status apply_q(struct given *g) {
  return hyla_factor_apply_q(g->cube, g->factor, (hyla_side)g->option[0],
                             (hyla_operation)g->option[1], g->m[0]);
}
static hyla_status form_q(struct given *g) { return hyla_factor_q(g->cube, g->factor, g->m[0]); }
static hyla_status packed_apply_q(struct given *g) {
  const hyla_scalar tau[SIZE] = {0};
  return hyla_packed_apply_q(g->cube, g->m[0], g->nowhere[0] ? NULL : tau, (hyla_side)g->option[0],
                             (hyla_operation)g->option[1], g->m[1]);
}
static hyla_status packed_q(struct given *g) {
  const hyla_scalar tau[SIZE] = {0};
  return hyla_packed_q(g->cube, g->m[0], g->nowhere[0] ? NULL : tau, g->m[1]);
}
static hyla_status hold(struct given *g) { return hyla_factor_hold(g->cube, g->factor, g->m[0]); }
static hyla_status factor_inverse(struct given *g) {
  return hyla_factor_inverse(g->cube, g->factor, g->m[0]);
}
static hyla_status factor_check(struct given *g) {
  return hyla_factor_check(g->cube, g->factor, g->m[0], g->m[1], (hyla_refinement)g->option[0],
                           g->m[2], report(g));
}
static hyla_status packed_condition(struct given *g) {
  static const hyla_norm kinds[] = {HYLA_NORM_ONE, HYLA_NORM_INF, HYLA_NORM_FRO};
  return hyla_packed_condition(g->cube, HYLA_LU, (hyla_triangle)g->option[0], g->m[0],
                               kinds[g->option[1]], creal(g->alpha), place(g, 0));
}
static hyla_status solve(struct given *g) {
  return hyla_solve(g->cube, g->m[0], g->m[1], g->m[2], NULL);
}
static hyla_status solve_in_place(struct given *g) {
  return hyla_solve_in_place(g->cube, g->m[0], g->m[1], g->m[2], NULL);
}
static hyla_status expert(struct given *g) {
  const hyla_solve_options options = {.refinement = (hyla_refinement)g->option[0],
                                      .variant = g->variant};
  return hyla_solve_expert(g->cube, &options, g->m[0], g->m[1], g->m[2], report(g));
}
static hyla_status residual(struct given *g) {
  return hyla_residual(g->cube, g->m[0], g->m[1], g->m[2], place(g, 0));
}
static hyla_status invert(struct given *g) {
  return hyla_invert(g->cube, (hyla_method)g->option[0], g->m[0], g->m[1], NULL);
}
static hyla_status invert_plan(struct given *g) {
  return drop(g, hyla_invert_plan(g->cube, (hyla_method)g->option[0], g->m[0], g->m[1], g->variant,
                                  plan(g)));
}
static hyla_status invert_check(struct given *g) {
  return hyla_invert_check(g->cube, g->m[0], g->m[1], report(g));
}

/* --------------------------------------------------------------- the table -- */

static const struct misuse_call calls[] = {
    {.name = "hyla_matrix_fill", .make = fill, .matrix = {{"matrix", ANY, WRITTEN}}},
    {.name = "hyla_matrix_generate",
     .make = generate,
     .matrix = {{"matrix", ANY, WRITTEN}},
     .option = {{"generator", 6, 1, 0}}},
    {.name = "hyla_matrix_gallery",
     .make = gallery,
     .matrix = {{"matrix", ANY, WRITTEN}},
     .option = {{"kind", 1, 0, 0}}},
    {.name = "hyla_matrix_set", .make = set, .matrix = {{"matrix", ANY, WRITTEN}}, .scalars = 1},
    {.name = "hyla_matrix_get", .make = get, .matrix = {{"matrix", ANY, 0}}, .place = {"value"}},
    {.name = "hyla_matrix_norm",
     .make = norm,
     .matrix = {{"matrix", ANY, 0}},
     .option = {{"norm", 4, 1, 0}},
     .place = {"value"}},
    {.name = "hyla_matrix_structure",
     .make = structure,
     .matrix = {{"matrix", ANY, 0}},
     .place = {"structure"}},
    {.name = "hyla_matrix_asymmetry",
     .make = asymmetry,
     .matrix = {{"matrix", ALONE, 0}},
     .place = {"asymmetry"}},
    {.name = "hyla_scale", .make = scale, .matrix = {{"a", ANY, WRITTEN}}, .scalars = 1},
    {.name = "hyla_matrix_gather", .make = gather, .matrix = {{"from", ANY, 0}}},
    {.name = "hyla_matrix_scatter", .make = scatter, .matrix = {{"to", ANY, WRITTEN}}},
    {.name = "hyla_matrix_copy",
     .make = copy,
     .matrix = {{"from", SQUARE, 0}, {"to", SQUARE, WRITTEN | ITSELF}}},
    {.name = "hyla_matrix_convert",
     .make = convert,
     .matrix = {{"from", TYPED, 0}, {"to", TYPED, WRITTEN}}},
    {.name = "hyla_matrix_real",
     .make = real,
     .matrix = {{"from", TYPED, 0}, {"to", TYPED, WRITTEN}}},
    {.name = "hyla_matrix_imag",
     .make = imag,
     .matrix = {{"from", TYPED, 0}, {"to", TYPED, WRITTEN}}},
    {.name = "hyla_add",
     .make = add,
     .matrix = {{"x", SQUARE, 0}, {"y", SQUARE, WRITTEN}},
     .option = {OP},
     .scalars = 2},
    {.name = "hyla_redistribute",
     .make = redistribute,
     .matrix = {{"from", SQUARE, 0}, {"to", SQUARE, WRITTEN}},
     .option = {{"op", 6, HYLA_TURN_HALF, HYLA_NONE}},
     .scalars = 1},
    {.name = "hyla_redistribute_plan",
     .make = redistribute_plan,
     .matrix = {{"from", SQUARE, 0}, {"to", SQUARE, WRITTEN}},
     .option = {{"op", 6, HYLA_TURN_HALF, HYLA_NONE}},
     .place = {"plan"},
     .scalars = 1,
     .variant = true},
    {.name = "hyla_redistribute_dense_plan",
     .make = dense_plan,
     .matrix = {{"from", SQUARE, 0}, {"to", SQUARE, WRITTEN}},
     .option = {{"op", 6, HYLA_TRANSPOSE, HYLA_NONE}},
     .place = {"plan"},
     .scalars = 1,
     .variant = true},
    {.name = "hyla_redistribute_band_plan",
     .make = band_plan,
     .matrix = {{"from", SQUARE, 0}, {"to", SQUARE, WRITTEN}},
     .option = {{"op", 6, HYLA_TRANSPOSE, HYLA_NONE}},
     .place = {"plan"},
     .scalars = 1,
     .variant = true},
    {.name = "hyla_gemm",
     .make = gemm,
     .matrix = {{"a", SQUARE, 0}, {"b", SQUARE, 0}, {"c", SQUARE, WRITTEN}},
     .option = {OP_OF("op_a"), OP_OF("op_b")},
     .scalars = 2},
    {.name = "hyla_gemm_plan",
     .make = gemm_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SQUARE, 0}, {"c", SQUARE, WRITTEN}},
     .option = {OP_OF("op_a"), OP_OF("op_b")},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_syrk",
     .make = syrk,
     .matrix = {{"a", SQUARE, 0}, {"c", SQUARE, WRITTEN}},
     .option = {TRIANGLE, OP},
     .scalars = 2},
    {.name = "hyla_syrk_plan",
     .make = syrk_plan,
     .matrix = {{"a", SQUARE, 0}, {"c", SQUARE, WRITTEN}},
     .option = {TRIANGLE, OP},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_herk",
     .make = herk,
     .matrix = {{"a", SQUARE, 0}, {"c", SQUARE, WRITTEN}},
     .option = {TRIANGLE, OPTION("op", 3, HYLA_CONJUGATE, HYLA_NONE)},
     .scalars = 2},
    {.name = "hyla_herk_plan",
     .make = herk_plan,
     .matrix = {{"a", SQUARE, 0}, {"c", SQUARE, WRITTEN}},
     .option = {TRIANGLE, OPTION("op", 3, HYLA_CONJUGATE, HYLA_NONE)},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_symm",
     .make = symm,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"c", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE},
     .scalars = 2},
    {.name = "hyla_symm_plan",
     .make = symm_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"c", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_hemm",
     .make = hemm,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"c", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE},
     .scalars = 2},
    {.name = "hyla_hemm_plan",
     .make = hemm_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"c", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_trmm",
     .make = trmm,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE, OP, DIAGONAL},
     .scalars = 1},
    {.name = "hyla_trmm_plan",
     .make = trmm_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE, OP, DIAGONAL},
     .place = {"plan"},
     .scalars = 1,
     .variant = true},
    {.name = "hyla_gemv",
     .make = gemv,
     .matrix = {{"a", SQUARE, 0}, {"x", VECTOR, 0}, {"y", VECTOR, WRITTEN}},
     .option = {OP},
     .scalars = 2},
    {.name = "hyla_gemv_plan",
     .make = gemv_plan,
     .matrix = {{"a", SQUARE, 0}, {"x", VECTOR, 0}, {"y", VECTOR, WRITTEN}},
     .option = {OP},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_symv",
     .make = symv,
     .matrix = {{"a", SQUARE, 0}, {"x", VECTOR, 0}, {"y", VECTOR, WRITTEN}},
     .option = {TRIANGLE},
     .scalars = 2},
    {.name = "hyla_symv_plan",
     .make = symv_plan,
     .matrix = {{"a", SQUARE, 0}, {"x", VECTOR, 0}, {"y", VECTOR, WRITTEN}},
     .option = {TRIANGLE},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_hemv",
     .make = hemv,
     .matrix = {{"a", SQUARE, 0}, {"x", VECTOR, 0}, {"y", VECTOR, WRITTEN}},
     .option = {TRIANGLE},
     .scalars = 2},
    {.name = "hyla_hemv_plan",
     .make = hemv_plan,
     .matrix = {{"a", SQUARE, 0}, {"x", VECTOR, 0}, {"y", VECTOR, WRITTEN}},
     .option = {TRIANGLE},
     .place = {"plan"},
     .scalars = 2,
     .variant = true},
    {.name = "hyla_ger",
     .make = ger,
     .matrix = {{"x", VECTOR, 0}, {"y", VECTOR, 0}, {"a", SQUARE, WRITTEN}},
     .option = {{"op", 3, HYLA_CONJUGATE, HYLA_TRANSPOSE}},
     .scalars = 1},
    {.name = "hyla_ger_plan",
     .make = ger_plan,
     .matrix = {{"x", VECTOR, 0}, {"y", VECTOR, 0}, {"a", SQUARE, WRITTEN}},
     .option = {{"op", 3, HYLA_CONJUGATE, HYLA_TRANSPOSE}},
     .place = {"plan"},
     .scalars = 1,
     .variant = true},
    {.name = "hyla_trsm",
     .make = trsm,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE, OP, DIAGONAL},
     .scalars = 1},
    {.name = "hyla_trsm_plan",
     .make = trsm_plan,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, WRITTEN}},
     .option = {SIDE, TRIANGLE, OP, DIAGONAL},
     .place = {"plan"},
     .scalars = 1,
     .variant = true},
    {.name = "hyla_trtri",
     .make = trtri,
     .matrix = {{"a", ALONE, WRITTEN}},
     .option = {TRIANGLE, DIAGONAL}},
    {.name = "hyla_trtri_plan",
     .make = trtri_plan,
     .matrix = {{"a", ALONE, WRITTEN}},
     .option = {TRIANGLE, DIAGONAL},
     .place = {"plan"},
     .variant = true},
    {.name = "hyla_tridiagonal",
     .make = tridiagonal,
     .matrix = {{"below", SIDES, 0},
                {"diagonal", SIDES, WRITTEN},
                {"above", SIDES, WRITTEN},
                {"b", SIDES, WRITTEN}}},
    {.name = "hyla_tridiagonal_plan",
     .make = tridiagonal_plan,
     .matrix = {{"below", SIDES, 0},
                {"diagonal", SIDES, WRITTEN},
                {"above", SIDES, WRITTEN},
                {"b", SIDES, WRITTEN}},
     .place = {"plan"},
     .variant = true},
    {.name = "hyla_trsm_check",
     .make = trsm_check,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"x", SIDES, 0}},
     .option = {TRIANGLE},
     .place = {"report"}},
    {.name = "hyla_factor_compute",
     .make = compute,
     .matrix = {{"a", SQUARE, 0}},
     .factor = FACTOR},
    {.name = "hyla_factor_adopt",
     .make = adopt,
     .matrix = {{"a", ANY, WRITTEN | TAKEN}},
     .option = {METHOD},
     .place = {"factor"},
     .variant = true},
    {.name = "hyla_factor_solve",
     .make = factor_solve,
     .matrix = {{"b", SIDES, 0}, {"x", SIDES, WRITTEN | LATE}},
     .option = {OP},
     .factor = COMPUTED},
    {.name = "hyla_factor_lower",
     .make = lower,
     .matrix = {{"l", SQUARE, WRITTEN}},
     .factor = COMPUTED},
    {.name = "hyla_factor_upper",
     .make = upper,
     .matrix = {{"u", SQUARE, WRITTEN}},
     .factor = COMPUTED},
    {.name = "hyla_factor_packed",
     .make = packed,
     .matrix = {{"packed", SQUARE, WRITTEN}},
     .option = {TRIANGLE},
     .factor = COMPUTED},
    {.name = "hyla_factor_apply_q",
     .make = apply_q,
     .matrix = {{"x", SQUARE, WRITTEN}},
     .option = {SIDE, OP},
     .factor = COMPUTED,
     .unitary = true},
    {.name = "hyla_factor_q",
     .make = form_q,
     .matrix = {{"q", SQUARE, WRITTEN}},
     .factor = COMPUTED,
     .unitary = true},
    {.name = "hyla_packed_apply_q",
     .make = packed_apply_q,
     .matrix = {{"packed", SQUARE, 0}, {"x", SQUARE, WRITTEN}},
     .option = {SIDE, OP},
     .place = {"tau"}},
    {.name = "hyla_packed_q",
     .make = packed_q,
     .matrix = {{"packed", SQUARE, 0}, {"q", SQUARE, LATE}},
     .place = {"tau"}},
    {.name = "hyla_factor_hold", .make = hold, .matrix = {{"a", SQUARE, 0}}, .factor = COMPUTED},
    {.name = "hyla_factor_inverse",
     .make = factor_inverse,
     .matrix = {{"x", SQUARE, WRITTEN}},
     .factor = COMPUTED},
    {.name = "hyla_factor_check",
     .make = factor_check,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"x", SIDES, WRITTEN}},
     .option = {REFINEMENT},
     .place = {"report"},
     .factor = COMPUTED},
    {.name = "hyla_packed_condition",
     .make = packed_condition,
     .matrix = {{"packed", ALONE, 0}},
     .option = {TRIANGLE, {"kind", 2, 1, 0}},
     .place = {"rcond"},
     .scalars = 1},
    {.name = "hyla_solve",
     .make = solve,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"x", SIDES, WRITTEN | LATE}}},
    {.name = "hyla_solve_in_place",
     .make = solve_in_place,
     .matrix = {{"a", SQUARE, WRITTEN | TAKEN}, {"b", SIDES, 0}, {"x", SIDES, WRITTEN | LATE}}},
    {.name = "hyla_solve_expert",
     .make = expert,
     .matrix = {{"a", SQUARE, 0}, {"b", SIDES, 0}, {"x", SIDES, WRITTEN}},
     .option = {REFINEMENT},
     .place = {"report"},
     .variant = true},
    {.name = "hyla_residual",
     .make = residual,
     .matrix = {{"a", SQUARE, 0}, {"x", SIDES, 0}, {"b", SIDES, 0}},
     .place = {"residual"}},
    {.name = "hyla_invert",
     .make = invert,
     .matrix = {{"a", SQUARE, 0}, {"x", SQUARE, WRITTEN | ITSELF}},
     .option = {METHOD}},
    {.name = "hyla_invert_plan",
     .make = invert_plan,
     .matrix = {{"a", SQUARE, 0}, {"x", SQUARE, WRITTEN | ITSELF}},
     .option = {METHOD},
     .place = {"plan"},
     .variant = true},
    {.name = "hyla_invert_check",
     .make = invert_check,
     .matrix = {{"a", SQUARE, 0}, {"x", SQUARE, 0}},
     .place = {"report"}},
};

const struct misuse_call *misuse_call_at(int i) {
  enum { CALLS = sizeof calls / sizeof *calls };
  if (i < CALLS) return &calls[i];
  return i - CALLS < misuse_spectrum_count ? &misuse_spectra[i - CALLS] : NULL;
}
