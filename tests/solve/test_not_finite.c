/* Systems that cannot be solved, and spectra.  One NaN or infinity, of either sign, at nine
 * positions of A or of B, with all routines that solve, or find eigenvalues of A or of A x = v B x:
 * all ranks return one status; after success the solution shows the fault, if it was read. */
// ranks: 1 3 4 8
// sample: 1
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "methods.h"
#include "tests/harness/draw.h"

enum { VALUES = 4, PLACES = 9, ORDER = 21, SIDES = 3, FEW = 200 };

/* The routine and its options. */
enum routine { FACTOR, EXPERT, REFINED, SOLVE, IN_PLACE, TRSM, EIGEN, ROUTINES };
static const char *const NAMES[ROUTINES] = {"factor",   "expert", "refined", "solve",
                                            "in place", "trsm",   "eigen"};

struct way {
  enum routine routine;
  hyla_method method;  /* for FACTOR, EXPERT, REFINED */
  const char *variant; /* of the method, or of TRSM */
};

static const char *operation_of(const struct way *way) {
  if (way->routine >= TRSM) return way->method > 0 ? NULL : way->routine == TRSM ? "trsm" : "eigen";
  const hyla_method_traits *traits =
      way->routine > REFINED && way->method > 0 ? NULL : hyla_method_at((int)way->method);
  return traits != NULL ? traits->name : NULL;
}

/* Triangles need no pivots, so the planner may choose any of their variants unasked. */
static const char *variant_of(const struct way *way, int i) {
  const char *operation = operation_of(way);
  if (way->routine == EIGEN) return i == 0 ? "tridiagonal" : NULL; /* of ORDER */
  return way->routine == TRSM ? hyla_variant_name(operation, i) : method_variant(operation, i);
}

/* The index-th way: for each routine all methods, for each method all variants. */
static bool way_of(int index, struct way *way) {
  *way = (struct way){.routine = FACTOR};
  for (; way->routine < ROUTINES; way->routine++)
    for (way->method = 0; operation_of(way) != NULL; way->method++) {
      for (int i = 0; (way->variant = variant_of(way, i)) != NULL; i++)
        if (index-- == 0) return true;
    }
  return false;
}

static int way_count(void) {
  struct way way;
  int count = 0;
  while (way_of(count, &way)) count++;
  return count;
}

struct problem {
  hyla_cube *cube;
  struct way way;
  hyla_type type;
  hyla_matrix *a, *b, *x;
  bool in_b;
  int64_t row, col; /* of the entry that is not finite */
  hyla_side side;   /* for TRSM */
  hyla_triangle triangle;
  hyla_operation op;
};

/* ---------------------------------------------------------------- solving -- */

static hyla_status factor(struct problem *p) {
  hyla_factor *made = NULL;
  lu_assert_status(p->cube,
                   hyla_factor_create(p->cube, p->way.method, p->type, ORDER, SIDES, NULL,
                                      p->way.variant, &made),
                   HYLA_OK);
  hyla_status status = hyla_factor_compute(p->cube, made, p->a);
  int64_t pivot = hyla_factor_pivot(made);
  if (status == HYLA_OK)
    status = hyla_factor_solve(p->cube, made, HYLA_NONE, p->b, p->x);
  else if (!(pivot >= 1 && pivot <= ORDER))
    fail_msg("pivot %lld", (long long)pivot);
  hyla_factor_destroy(&made);
  return status;
}

static hyla_status expert(struct problem *p) {
  const hyla_solve_options options = {.method = p->way.method,
                                      .variant = p->way.variant,
                                      .refinement = p->way.routine == REFINED ? HYLA_REFINE_FIXED
                                                                              : HYLA_REFINE_NONE};
  hyla_solve_report report;
  hyla_status status = hyla_solve_expert(p->cube, &options, p->a, p->b, p->x, &report);
  assert_false(report.reliable);
  assert_int_not_equal(status, HYLA_OK);
  return status;
}

static hyla_status trsm(struct problem *p) {
  hyla_plan *plan = NULL;
  assert_int_equal(hyla_matrix_copy(p->cube, p->b, p->x), HYLA_OK);
  lu_assert_status(p->cube,
                   hyla_trsm_plan(p->cube, p->side, p->triangle, p->op, HYLA_ANY_DIAGONAL, 1, p->a,
                                  p->x, p->way.variant, &plan),
                   HYLA_OK);
  hyla_status status = hyla_plan_run(p->cube, plan);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status eigen(struct problem *p) {
  double values[ORDER];
  return p->in_b ? hyla_eigen_generalized(p->cube, HYLA_PENCIL_AX_BX, p->triangle, p->a, p->b,
                                          values, p->x, NULL)
                 : hyla_eigen(p->cube, p->triangle, p->a, values, p->x);
}

static hyla_status solve(struct problem *p) {
  switch (p->way.routine) {
  case FACTOR: return factor(p);
  case SOLVE: return hyla_solve(p->cube, p->a, p->b, p->x, NULL);
  case IN_PLACE: return hyla_solve_in_place(p->cube, p->a, p->b, p->x, NULL);
  case TRSM: return trsm(p);
  case EIGEN: return eigen(p);
  default: return expert(p);
  }
}

/* --------------------------------------------------------------- judging -- */

/* Does the routine read that entry?  Checks of a solution read all of A. */
static bool is_read(const struct problem *p) {
  if (p->in_b && p->way.routine != EIGEN) return true;
  if (p->way.routine >= TRSM)
    return p->triangle == HYLA_LOWER ? p->row >= p->col : p->row <= p->col;
  bool triangle = method_row(p->way.method)->triangle;
  return p->way.routine != FACTOR || !triangle || p->row >= p->col;
}

/* All ranks have the same status and message. */
static void assert_common(hyla_cube *cube, hyla_status status) {
  int64_t sum = (int64_t)status;
  for (const char *at = hyla_cube_message(cube); *at != '\0'; at++) sum = (sum * 31 + *at) % 999983;
  int64_t both[] = {sum, -sum};
  assert_int_equal(hyla_cube_max(cube, both, 2), HYLA_OK);
  assert_int_equal(both[0], sum);
  assert_int_equal(both[1], -sum);
}

static bool is_finite(const hyla_matrix *x) {
  double _Complex *entries = lu_get_all(x);
  bool finite = true;
  for (int64_t i = 0; i < x->row.n * x->col.n; i++)
    finite = finite && isfinite(creal(entries[i])) && isfinite(cimag(entries[i]));
  free(entries);
  return finite;
}

static void judge(const struct problem *p, hyla_status status) {
  if (status != HYLA_NOT_FINITE && status != HYLA_INDEFINITE && status != HYLA_UNRELIABLE)
    lu_assert_status(p->cube, status, HYLA_OK);
  assert_common(p->cube, status);
  bool finite = is_finite(p->x);
  if (status == HYLA_OK && finite == is_read(p))
    fail_msg("the solution %s finite", finite ? "is" : "is not");
}

/* ----------------------------------------------------------------- cases -- */

static void put(struct problem *p, int value, int place) {
  static const double values[VALUES] = {NAN, -NAN, INFINITY, -INFINITY};
  hyla_matrix *into = p->in_b ? p->b : p->a;
  p->row = (into->row.n - 1) * (place % 3) / 2;
  p->col = (into->col.n - 1) * (place / 3) / 2;
  /* Hermitian methods do not read the imaginary parts of the diagonal. */
  bool imaginary = p->type >= HYLA_COMPLEX && p->row != p->col && harness_draw(0, 1);
  double _Complex bad = imaginary ? hy_complex(1, values[value]) : hy_complex(values[value], 0);
  assert_int_equal(hyla_matrix_set(p->cube, into, p->row, p->col, bad), HYLA_OK);
}

/* Each of the four cubes has a quarter of the whole walk: together every way meets every value at
 * every place, of A and of B; on each cube any two of these meet. */
static bool is_walked(const hyla_cube *cube, int64_t index) {
  int64_t part, parts, value = index / 2 % VALUES, place = index / 2 / VALUES % PLACES;
  if (!harness_part(&part, &parts)) return true;
  return (value + place + index / 2 / VALUES / PLACES + cube->dims) % 4 == 0;
}

static void run_case(hyla_cube *cube, int64_t index) {
  struct problem p = {.cube = cube, .in_b = index % 2 == 1};
  int value = (int)(index / 2 % VALUES), place = (int)(index / 2 / VALUES % PLACES);
  assert_true(way_of((int)(index / 2 / VALUES / PLACES), &p.way));
  if (p.way.routine == TRSM && !lu_serves(cube, hy_family_find(&hy_trsm_family, p.way.variant)))
    return;
  p.type = (hyla_type)harness_draw(0, TYPES - 1);
  p.side = p.way.routine == TRSM && harness_draw(0, 1) ? HYLA_RIGHT : HYLA_LEFT;
  p.triangle = harness_draw(0, 1) ? HYLA_UPPER : HYLA_LOWER;
  p.op = (hyla_operation)harness_draw(0, 2);
  const bool left = p.side == HYLA_LEFT, square = p.way.routine == EIGEN;
  const int64_t sides = square ? ORDER : SIDES;
  hyla_layout layouts[2] = {draw_on(cube), draw_on(cube)};
  p.a = lu_matrix(cube, (int)p.type, ORDER, ORDER, &layouts[0]);
  p.b = lu_matrix(cube, (int)p.type, left ? ORDER : sides, left ? sides : ORDER, &layouts[1]);
  p.x = lu_matrix(cube, (int)p.type, p.b->row.n, p.b->col.n, NULL);
  assert_int_equal(hyla_matrix_gallery(cube, p.a, "definite", (uint64_t)index), HYLA_OK);
  assert_int_equal(hyla_matrix_gallery(cube, p.b, square ? "definite" : "random", (uint64_t)index),
                   HYLA_OK);
  put(&p, value, place);
  harness_note("%s, %s, value %d at (%lld, %lld) of %s, type %d, triangle %d, op %d, side %d",
               NAMES[p.way.routine], p.way.variant, value, (long long)p.row, (long long)p.col,
               p.in_b ? "B" : "A", (int)p.type, (int)p.triangle, (int)p.op, (int)p.side);
  int64_t before = cube->base.bytes_now;
  judge(&p, solve(&p));
  assert_int_equal(cube->base.bytes_now, before);
  hyla_matrix_destroy(&p.x);
  hyla_matrix_destroy(&p.b);
  hyla_matrix_destroy(&p.a);
}

static void nothing_finite_is_made_of_it(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t index;
  struct harness_walk cases = harness_walk((int64_t)2 * VALUES * PLACES * way_count(), FEW);
  while (harness_next(&cases, &index))
    if (is_walked(cube, index)) run_case(cube, index);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_finite_is_made_of_it)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
