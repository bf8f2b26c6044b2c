/* Eigenvalues, pencils, singular values and least squares on virtual arrays of 1 to 12 nodes, by
 * every variant, with orders below the number of nodes, too: what was found is checked as
 * hyla_eigen_check and its like do, and all nodes have the same values, bit for bit; least squares
 * send what their plans count. */
#include "hyla_lab.h"
#include "tests/harness/draw.h"
#include "tests/solve/lu_case.h"

struct program {
  const char *variant; /* NULL: the planner's choice, or an operation without variants */
  hyla_type type;
  hyla_triangle triangle;
  int64_t m, n;
  hyla_layout layout[4];
};

enum { MATRICES = 4 };

static void destroy(hyla_matrix *m[MATRICES]) {
  for (int i = 0; i < MATRICES; i++) hyla_matrix_destroy(&m[i]);
}

/* Matrices of these sizes in the program's layouts, the first `filled' of them random. */
static hyla_status create(hyla_cube *cube, const struct program *p, int64_t sizes[MATRICES][2],
                          int filled, hyla_matrix *m[MATRICES]) {
  hyla_status status = HYLA_OK;
  for (int i = 0; i < MATRICES && status == HYLA_OK; i++) {
    status = hyla_matrix_create(cube, p->type, sizes[i][0], sizes[i][1], &p->layout[i], &m[i]);
    if (status == HYLA_OK && i < filled)
      status = hyla_matrix_generate(cube, m[i], HYLA_RANDOM, (uint64_t)(i + 1));
  }
  return status;
}

/* All nodes have the same numbers, in this order. */
static hyla_status check_values(hyla_cube *cube, const double *values, int64_t count, bool falls) {
  bool right = true;
  for (int64_t i = 0; i < count; i++) {
    int64_t bits, both[2];
    memcpy(&bits, &values[i], sizeof bits);
    both[0] = bits, both[1] = -bits;
    TRY(hyla_cube_max(cube, both, 2));
    right = right && both[0] == bits && both[1] == -bits &&
            (i == 0 || (falls ? values[i - 1] >= values[i] : values[i - 1] <= values[i]));
  }
  CHECK(&cube->base, right, FORMAT, "the values differ between nodes, or are not in order");
  return HYLA_OK;
}

/* ------------------------------------------------------------- operations -- */

static hyla_status run_plan(hyla_cube *cube, hyla_status made, hyla_plan **plan) {
  const hyla_status status = made == HYLA_OK ? hyla_plan_run(cube, *plan) : made;
  hyla_plan_destroy(plan);
  return status;
}

static hyla_status find_eigen(hyla_cube *cube, const struct program *p, hyla_matrix *const *m,
                              double *values) {
  const hyla_eigen_options options = {.variant = p->variant};
  hyla_plan *plan = NULL;
  hyla_eigen_errors errors;
  TRY(run_plan(cube, hyla_eigen_plan(cube, &options, p->triangle, m[0], values, m[1], &plan),
               &plan));
  TRY(check_values(cube, values, p->n, false));
  return hyla_eigen_check(cube, p->triangle, m[0], values, m[1], &errors);
}

static hyla_status eigen(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_matrix *m[MATRICES] = {NULL};
  double *values = NULL;
  int64_t sizes[MATRICES][2] = {{p->n, p->n}, {p->n, p->n}};
  TRY(hy_alloc(&cube->base, p->n + 1, sizeof *values, &values));
  hyla_status status = create(cube, p, sizes, 1, m);
  if (status == HYLA_OK) status = find_eigen(cube, p, m, values);
  destroy(m);
  hy_free(&cube->base, &values);
  return status;
}

static hyla_status find_pencil(hyla_cube *cube, const struct program *p, hyla_matrix *const *m,
                               double *values) {
  hyla_eigen_errors errors;
  const hyla_eigen_pencil kind = (hyla_eigen_pencil)(p->m % 3);
  TRY(hyla_matrix_gallery(cube, m[1], "definite", 2));
  TRY(hyla_eigen_generalized(cube, kind, p->triangle, m[0], m[1], values, m[2], NULL));
  TRY(check_values(cube, values, p->n, false));
  return hyla_eigen_generalized_check(cube, kind, p->triangle, m[0], m[1], values, m[2], &errors);
}

static hyla_status pencil(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_matrix *m[MATRICES] = {NULL};
  double *values = NULL;
  int64_t sizes[MATRICES][2] = {{p->n, p->n}, {p->n, p->n}, {p->n, p->n}};
  TRY(hy_alloc(&cube->base, p->n + 1, sizeof *values, &values));
  hyla_status status = create(cube, p, sizes, 1, m);
  if (status == HYLA_OK) status = find_pencil(cube, p, m, values);
  destroy(m);
  hy_free(&cube->base, &values);
  return status;
}

static hyla_status find_svd(hyla_cube *cube, const struct program *p, hyla_matrix *const *m,
                            double *values) {
  const hyla_svd_options options = {.method = p->variant};
  hyla_plan *plan = NULL;
  const hyla_status made = hyla_svd_plan(cube, &options, m[0], values, m[1], m[2], &plan);
  hyla_svd_errors errors;
  TRY(run_plan(cube, made, &plan));
  TRY(check_values(cube, values, hy_min(p->m, p->n), true));
  return hyla_svd_check(cube, m[0], values, m[1], m[2], &errors);
}

static hyla_status svd(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  const int64_t k = hy_min(p->m, p->n);
  hyla_matrix *m[MATRICES] = {NULL};
  double *values = NULL;
  int64_t sizes[MATRICES][2] = {{p->m, p->n}, {p->m, k}, {k, p->n}};
  TRY(hy_alloc(&cube->base, k + 1, sizeof *values, &values));
  hyla_status status = create(cube, p, sizes, 1, m);
  if (status == HYLA_OK) status = find_svd(cube, p, m, values);
  destroy(m);
  hy_free(&cube->base, &values);
  return status;
}

static hyla_status find_nearest(hyla_cube *cube, const struct program *p, hyla_matrix *const *m) {
  const hyla_lstsq_options options = {.method = (hyla_lstsq_method)(p->m % 3),
                                      .pivoting =
                                          p->m % 3 == HYLA_LSTSQ_PIVOTED ? p->variant : NULL};
  hyla_lstsq_report report;
  TRY(hyla_lstsq(cube, &options, m[0], m[1], m[2], &report));
  const double ulp = hy_kernels_of(p->type)->epsilon * (double)hy_max(8, hy_max(p->m, p->n));
  CHECK(&cube->base, report.rank == hy_min(p->m, p->n), FORMAT, "rank %lld",
        (long long)report.rank);
  CHECK(&cube->base, report.backward_error <= 2 * ulp, FORMAT, "backward error of %g units",
        report.backward_error / (2 * ulp));
  return HYLA_OK;
}

/* Random matrices whose sides differ by a few are far from a lower rank. */
static hyla_status lstsq(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  enum { SIDES = 3 };
  hyla_matrix *m[MATRICES] = {NULL};
  int64_t sizes[MATRICES][2] = {{p->m, p->n}, {p->m, SIDES}, {p->n, SIDES}};
  hyla_status status = create(cube, p, sizes, 2, m);
  if (status == HYLA_OK) status = hy_agree(cube, find_nearest(cube, p, m));
  destroy(m);
  return status;
}

static hyla_status count_lstsq(hyla_cube *cube, const struct program *p, hyla_matrix *const *m) {
  const hyla_lstsq_options options = {.method = (hyla_lstsq_method)(p->m % 2),
                                      .variant = p->variant};
  hyla_plan *plan = NULL;
  hyla_status status = hyla_lstsq_plan(cube, &options, m[0], m[1], m[2], NULL, &plan);
  hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  const hyla_cost cost = status == HYLA_OK ? hy_plan_mine(plan) : (hyla_cost){0};
  if (status == HYLA_OK) status = lu_check_counted(cube, m[0]->k->size, &cost);
  hyla_plan_destroy(&plan);
  return status;
}

/* The steps of a run are those that were counted, where all are chosen by rehearsals. */
static hyla_status counted_lstsq(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  const int64_t sides = p->n % 2 == 0 ? 1 : 5;
  hyla_matrix *m[MATRICES] = {NULL};
  int64_t sizes[MATRICES][2] = {{p->m, p->n}, {p->m, sides}, {p->n, sides}};
  hyla_status status = create(cube, p, sizes, 2, m);
  if (status == HYLA_OK) status = hy_agree(cube, count_lstsq(cube, p, m));
  destroy(m);
  return status;
}

/* ------------------------------------------------------------------ walks -- */

/* Every variant of a family (NULL: the operation has none) on every array in every type. */
static void walk_on(hyla_simulation model, hyla_body *body, const char *family, int64_t few) {
  int variants = 1;
  while (family != NULL && hyla_variant_name(family, variants - 1) != NULL) variants++;
  int64_t i = 0;
  for (struct harness_walk walk = harness_walk((int64_t)DRAW_FEW * TYPES * variants, few);
       harness_next(&walk, &i);) {
    const hyla_cube on = draw_nodes_at((int)(i % DRAW_FEW));
    const int variant = (int)(i / DRAW_FEW / TYPES);
    struct program p = {.variant = variant == 0 ? NULL : hyla_variant_name(family, variant - 1),
                        .type = (hyla_type)(i / DRAW_FEW % TYPES),
                        .triangle = (hyla_triangle)harness_draw(0, 1),
                        .n = harness_draw(0, 3) ? harness_draw(0, 45) : harness_draw(0, on.nodes)};
    p.m = harness_draw(0, 1) ? p.n + harness_draw(6, 20) : hy_max(0, p.n - harness_draw(6, 20));
    for (int k = 0; k < MATRICES; k++) p.layout[k] = draw_on(&on);
    char array[DRAW_ARRAY];
    draw_nodes_array(&on, array);
    harness_note("array %s, variant %s, m %lld, n %lld, type %d", array,
                 p.variant == NULL ? "chosen" : p.variant, (long long)p.m, (long long)p.n,
                 (int)p.type);
    model.array = array;
    hyla_report report;
    const hyla_status status = hyla_simulate(&model, body, &p, &report);
    if (status != HYLA_OK && !(status == HYLA_UNSUPPORTED && p.variant != NULL))
      fail_msg("%s: %s", hyla_status_name(status), report.message);
  }
}

static void walk(hyla_body *body, const char *family, int64_t few) {
  walk_on((hyla_simulation){0}, body, family, few);
}

static void eigenvalues_and_vectors(void **state) {
  (void)state;
  walk(eigen, "eigen", 40);
}

static void values_of_pencils(void **state) {
  (void)state;
  walk(pencil, NULL, 20);
}

static void singular_values_and_vectors(void **state) {
  (void)state;
  walk(svd, "svd", 40);
}

static void least_squares(void **state) {
  (void)state;
  walk(lstsq, "qr_pivoted", 30);
}

static void least_squares_are_counted(void **state) {
  (void)state;
  walk_on((hyla_simulation){.alpha = 1, .beta = .001, .gamma = 1e-6}, counted_lstsq, "qr", 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues_and_vectors),
      cmocka_unit_test(values_of_pencils),
      cmocka_unit_test(singular_values_and_vectors),
      cmocka_unit_test(least_squares),
      cmocka_unit_test(least_squares_are_counted),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
