/* Variants called fixed, for products and triangular systems: a cube for reproducible results has
 * the same bits as one rank alone, for any number of ranks and any layouts, NaN included;
 * refusals. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 240
#include "fixed_case.h"

/* -------------------------------------------------------------- products -- */

struct product {
  int64_t m, n, k;
  hyla_operation op_a, op_b;
  hyla_scalar alpha, beta;
};

static struct product draw_product(void) {
  const hyla_scalar factors[] = {0, 1, -0.75 + 0.3 * (double _Complex)_Complex_I};
  return (struct product){.m = fixed_draw_size(),
                          .n = fixed_draw_size(),
                          .k = harness_draw(0, 9) == 0 ? 600 : fixed_draw_size(),
                          .op_a = (hyla_operation)harness_draw(0, 2),
                          .op_b = (hyla_operation)harness_draw(0, 2),
                          .alpha = factors[harness_draw(0, 4) ? harness_draw(1, 2) : 0],
                          .beta = factors[harness_draw(0, 2)]};
}

static void multiply(const struct fixed_cubes *cubes, hyla_type type, const struct product *p,
                     const struct fixed_entries *entries) {
  bool plain_a = p->op_a == HYLA_NONE, plain_b = p->op_b == HYLA_NONE;
  struct fixed_entries other = FIXED_PLAIN;
  other.seed = entries->seed + 1;
  struct fixed_pair a =
      fixed_pair_make(cubes, type, plain_a ? p->m : p->k, plain_a ? p->k : p->m, entries);
  struct fixed_pair b =
      fixed_pair_make(cubes, type, plain_b ? p->k : p->n, plain_b ? p->n : p->k, &other);
  struct fixed_pair c = fixed_pair_make(cubes, type, p->m, p->n, &other);
  harness_note("%lld x %lld x %lld, type %d, ops %d %d", (long long)p->m, (long long)p->n,
               (long long)p->k, (int)type, (int)p->op_a, (int)p->op_b);
  fixed_must(cubes->all,
             hyla_gemm(cubes->all, p->op_a, p->op_b, p->alpha, a.all, b.all, p->beta, c.all),
             HYLA_OK);
  fixed_must(
      cubes->alone,
      hyla_gemm(cubes->alone, p->op_a, p->op_b, p->alpha, a.alone, b.alone, p->beta, c.alone),
      HYLA_OK);
  fixed_compare(cubes, &c, "C");
  fixed_pair_free(&a);
  fixed_pair_free(&b);
  fixed_pair_free(&c);
}

static void products(void **state) {
  enum { TURNS = 16 };
  (void)state;
  for (int turn = 0; turn < TURNS; turn++) {
    struct fixed_cubes cubes = fixed_open(turn % 3 == 0);
    struct product p = draw_product();
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    if (turn % 5 == 4) entries.row = entries.col = 0, entries.spoilt = turn % 2 ? NAN : INFINITY;
    multiply(&cubes, fixed_type(turn), &p, &entries);
    fixed_close(&cubes);
  }
}

/* One product of each kind with a triangle. */
static hyla_status structured(hyla_cube *cube, int kind, hyla_side side, hyla_triangle triangle,
                              const hyla_matrix *a, hyla_matrix *b, hyla_matrix *c) {
  switch (kind) {
  case 0: return hyla_symm(cube, side, triangle, -0.75, a, b, 0.5, c);
  case 1: return hyla_hemm(cube, side, triangle, -0.75, a, b, 0.5, c);
  case 2: return hyla_trmm(cube, side, triangle, HYLA_TRANSPOSE, HYLA_ANY_DIAGONAL, 0.75, a, c);
  case 3: return hyla_syrk(cube, triangle, HYLA_NONE, 0.75, b, 0.5, c);
  default: return hyla_herk(cube, triangle, HYLA_NONE, 0.75, b, 0.5, c);
  }
}

static void structured_products(void **state) {
  enum { TURNS = 20, KINDS = 5 };
  (void)state;
  struct fixed_cubes cubes = fixed_open(false);
  for (int turn = 0; turn < TURNS; turn++) {
    int kind = turn % KINDS;
    hyla_side side = (hyla_side)harness_draw(0, 1);
    hyla_triangle triangle = (hyla_triangle)harness_draw(0, 1);
    int64_t n = fixed_draw_size(), k = fixed_draw_size(),
            rows = kind > 2 || side == HYLA_LEFT ? n : k;
    int64_t cols = kind > 2 || side == HYLA_RIGHT ? n : k;
    hyla_type type = fixed_type(turn / KINDS);
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    struct fixed_pair a = fixed_pair_make(&cubes, type, n, n, &entries);
    struct fixed_pair b = kind > 2 ? fixed_pair_make(&cubes, type, n, k, &entries)
                                   : fixed_pair_make(&cubes, type, rows, cols, &entries);
    entries.seed++;
    struct fixed_pair c = fixed_pair_make(&cubes, type, rows, cols, &entries);
    harness_note("kind %d, type %d, n %lld, k %lld", kind, (int)type, (long long)n, (long long)k);
    fixed_must(cubes.all, structured(cubes.all, kind, side, triangle, a.all, b.all, c.all),
               HYLA_OK);
    fixed_must(cubes.alone,
               structured(cubes.alone, kind, side, triangle, a.alone, b.alone, c.alone), HYLA_OK);
    fixed_compare(&cubes, &c, "C");
    fixed_pair_free(&a);
    fixed_pair_free(&b);
    fixed_pair_free(&c);
  }
  fixed_close(&cubes);
}

/* ----------------------------------------------------- triangular systems -- */

static void triangular_systems(void **state) {
  enum { TURNS = 24 };
  (void)state;
  struct fixed_cubes cubes = fixed_open(false);
  for (int turn = 0; turn < TURNS; turn++) {
    hyla_side side = (hyla_side)(turn % 2);
    hyla_triangle triangle = (hyla_triangle)(turn / 2 % 2);
    hyla_operation op = (hyla_operation)(turn / 4 % 3);
    hyla_diagonal diagonal = (hyla_diagonal)harness_draw(0, 1);
    hyla_scalar alpha = harness_draw(0, 2) ? -0.7 + 0.3 * (double _Complex)_Complex_I : 1;
    int64_t m = fixed_draw_size(), n = fixed_draw_size(), order = side == HYLA_LEFT ? m : n;
    hyla_type type = fixed_type(turn / 4 + turn);
    struct fixed_entries entries = FIXED_PLAIN;
    entries.seed = (uint64_t)harness_draw(1, 1 << 30);
    entries.diagonal = (double)order;
    if (turn == 5) entries.row = entries.col = order / 2;
    struct fixed_pair a = fixed_pair_make(&cubes, type, order, order, &entries);
    struct fixed_pair b = fixed_pair_make(&cubes, type, m, n, &FIXED_PLAIN);
    hyla_status expected = turn == 5 && diagonal == HYLA_ANY_DIAGONAL ? HYLA_SINGULAR : HYLA_OK;
    harness_note("%lld x %lld, type %d, side %d, triangle %d, op %d", (long long)m, (long long)n,
                 (int)type, (int)side, (int)triangle, (int)op);
    fixed_must(cubes.all, hyla_trsm(cubes.all, side, triangle, op, diagonal, alpha, a.all, b.all),
               expected);
    fixed_must(cubes.alone,
               hyla_trsm(cubes.alone, side, triangle, op, diagonal, alpha, a.alone, b.alone),
               expected);
    if (expected == HYLA_OK) fixed_compare(&cubes, &b, "X");
    fixed_pair_free(&a);
    fixed_pair_free(&b);
  }
  fixed_close(&cubes);
}

/* ------------------------------------------------------------- refusals -- */

static void refusals(void **state) {
  (void)state;
  hyla_cube *cube = fixed_cube(MPI_COMM_WORLD, false);
  hyla_options options;
  hyla_factor *factor = NULL;
  hyla_plan *plan = NULL;
  const int64_t n = 9;
  hyla_matrix *a = fixed_make(cube, HYLA_DOUBLE, n, n, &FIXED_PLAIN, true);
  hyla_matrix *x = fixed_make(cube, HYLA_DOUBLE, n, n, &FIXED_PLAIN, true);
  fixed_must(cube, hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, a, 0, x, "summa", &plan),
             HYLA_UNSUPPORTED);
  fixed_must(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, 1, NULL, "partial", &factor),
             HYLA_UNSUPPORTED);
  fixed_must(cube, hyla_factor_create(cube, HYLA_QR, HYLA_DOUBLE, n, 1, NULL, NULL, &factor),
             HYLA_UNSUPPORTED);
  assert_non_null(strstr(hyla_cube_message(cube), "reproducible"));
  fixed_must(cube, hyla_trtri(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, x), HYLA_UNSUPPORTED);
  hyla_solve_report report;
  const hyla_solve_options asked = {.method = HYLA_LU, .refinement = HYLA_REFINE_FIXED};
  hyla_matrix *b = fixed_make(cube, HYLA_DOUBLE, n, 1, &FIXED_PLAIN, true);
  hyla_matrix *y = fixed_make(cube, HYLA_DOUBLE, n, 1, &FIXED_PLAIN, true);
  fixed_must(cube, hyla_solve_expert(cube, &asked, a, b, y, &report), HYLA_UNSUPPORTED);
  hyla_matrix *const all[] = {a, x, b, y};
  for (int i = 0; i < 4; i++) {
    hyla_matrix *m = all[i];
    hyla_matrix_destroy(&m);
  }
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  hyla_options_init(&options);
  options.reproducible = true;
  options.threads = 2;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "reproducible"));
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products), cmocka_unit_test(structured_products),
      cmocka_unit_test(triangular_systems), cmocka_unit_test(refusals)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
