/* hyla_trtri: every triangle and diagonal, all types, in any layouts: T X = I to rounding, no other
 * entry changed; refusals; the cost. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"
#include "tests/harness/draw.h"

#include "solve/trsm.h"

/* Entries that trtri must not read are NaN: the other triangle, and the diagonal of unit
 * triangles. */
struct system {
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  hyla_type type;
  int64_t n;
  double _Complex *t, *a; /* the triangle in full; the argument of the call */
};

static double _Complex *array_of(int64_t entries) {
  double _Complex *array = calloc((size_t)entries + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

/* Multiples of 1/64: at most 1/8 in magnitude off the diagonal, from 1 to 2 on it. */
static double part(int64_t least, int64_t most) { return (double)harness_draw(least, most) / 64; }

static struct system draw_system(int form, hyla_type type, int64_t n) {
  struct system s = {.triangle = form % 2 ? HYLA_UPPER : HYLA_LOWER,
                     .diagonal = form / 2 % 2 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL,
                     .type = type,
                     .n = n,
                     .t = array_of(n * n),
                     .a = array_of(n * n)};
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex *t = &s.t[i + j * n];
      bool inside = s.triangle == HYLA_LOWER ? i > j : i < j;
      bool unit = s.diagonal == HYLA_UNIT_DIAGONAL;
      if (inside) *t = hy_complex(part(-8, 8), type >= HYLA_COMPLEX ? part(-8, 8) : 0);
      if (i == j) *t = unit ? 1 : part(64, 128);
      s.a[i + j * n] = inside || (i == j && !unit) ? *t : hy_complex(NAN, 0);
    }
  return s;
}

static void free_system(struct system *s) {
  free(s->t);
  free(s->a);
}

/* Row i of T X - I, X being column j: no more than rounding. */
static hyla_status check_entry(const struct system *s, const struct hy_kernels *k, hyla_cube *cube,
                               const double _Complex *x, int64_t i, int64_t j) {
  double _Complex sum = 0;
  double size = 0;
  for (int64_t l = 0; l < s->n; l++) {
    sum += s->t[i + l * s->n] * x[l];
    size += cabs(s->t[i + l * s->n]) * cabs(x[l]);
  }
  double error = cabs(sum - (i == j)), bound = 8 * (double)(s->n + 2) * k->epsilon * size;
  CHECK(&cube->base, error <= bound, FORMAT, "entry (%lld, %lld) of T X - I is %g, above %g",
        (long long)i, (long long)j, error, bound);
  return HYLA_OK;
}

/* all: the call's result, gathered. */
static hyla_status check_inverse(const struct system *s, const hyla_matrix *a,
                                 const double _Complex *all) {
  double _Complex *x = array_of(s->n);
  hyla_status status = HYLA_OK;
  for (int64_t j = 0; j < s->n && status == HYLA_OK; j++) {
    for (int64_t i = 0; i < s->n; i++) {
      bool kept = isnan(creal(s->a[i + j * s->n]));
      bool found = isnan(creal(all[i + j * s->n]));
      x[i] = !kept ? all[i + j * s->n] : i == j;
      if (kept != found)
        status = hy_fail(&a->cube->base, HYLA_FORMAT, "entry (%lld, %lld) is%s NaN", (long long)i,
                         (long long)j, found ? "" : " no more");
    }
    for (int64_t i = 0; i < s->n && status == HYLA_OK; i++)
      status = check_entry(s, a->k, a->cube, x, i, j);
  }
  free(x);
  return status;
}

/* All entries of a matrix, which may lie in copies. */
static double _Complex *gather(hyla_cube *cube, const hyla_matrix *a) {
  hyla_matrix *once = lu_matrix(cube, (int)a->k->type, a->row.n, a->col.n, NULL);
  lu_assert_status(cube, hyla_matrix_copy(cube, a, once), HYLA_OK);
  double _Complex *all = lu_get_all(once);
  hyla_matrix_destroy(&once);
  return all;
}

static void every_form(void **state) {
  (void)state;
  enum { SIZES = 9 };
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes, before = cube->base.bytes_now;
    const int64_t sizes[SIZES] = {0, 1, p - 1, p, p + 1, 32, 37, 70, 131};
    for (int i = 0; i < 4 * SIZES; i++) {
      struct system s = draw_system(i % 4, (hyla_type)harness_draw(0, TYPES - 1), sizes[i / 4]);
      hyla_layout layout = i % 3 ? draw_on(cube) : lu_draw_layout(cube, 32);
      hyla_matrix *a = lu_matrix(cube, (int)s.type, s.n, s.n, &layout);
      harness_note("form %d, type %d, n = %lld, %s", i % 4, (int)s.type, (long long)s.n,
                   lu_layout_name(&layout));
      lu_put(a, s.a);
      lu_assert_status(cube, hyla_trtri(cube, s.triangle, s.diagonal, a), HYLA_OK);
      double _Complex *all = gather(cube, a);
      lu_assert_status(cube, hy_agree(cube, check_inverse(&s, a, all)), HYLA_OK);
      free(all);
      hyla_matrix_destroy(&a);
      free_system(&s);
    }
    assert_int_equal(cube->base.bytes_now, before);
    cube_close(&cube);
  }
}

/* If the diagonal has zeros or entries that are not finite, all ranks report the first one, and A
 * does not change. */
static void zeros(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    struct system s = draw_system(i % 2, (hyla_type)(i / 2), harness_draw(2, 80));
    int64_t zero = harness_draw(0, s.n - 1);
    hyla_layout layout = draw_on(cube);
    hyla_matrix *a = lu_matrix(cube, (int)s.type, s.n, s.n, &layout);
    char named[64];
    s.a[zero + zero * s.n] = 0;
    if (zero < s.n - 1) s.a[s.n * s.n - 1] = 0;
    lu_put(a, s.a);
    lu_assert_status(cube, hyla_trtri(cube, s.triangle, HYLA_ANY_DIAGONAL, a), HYLA_SINGULAR);
    snprintf(named, sizeof named, "diagonal entry %lld is exactly zero", (long long)zero + 1);
    assert_non_null(strstr(hyla_cube_message(cube), named));
    double _Complex *all = gather(cube, a);
    for (int64_t e = 0; e < s.n * s.n; e++)
      assert_true(all[e] == s.a[e] || (isnan(creal(all[e])) && isnan(creal(s.a[e]))));
    free(all);
    s.a[zero + zero * s.n] = hy_complex(i % 2 ? INFINITY : NAN, 0);
    lu_put(a, s.a);
    lu_assert_status(cube, hyla_trtri(cube, s.triangle, HYLA_ANY_DIAGONAL, a), HYLA_NOT_FINITE);
    snprintf(named, sizeof named, "diagonal entry %lld of the triangle", (long long)zero + 1);
    assert_non_null(strstr(hyla_cube_message(cube), named));
    hyla_matrix_destroy(&a);
    free_system(&s);
  }
  cube_close(&cube);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  hyla_matrix *flat = lu_matrix(cube, HYLA_DOUBLE, 5, 4, NULL);
  hyla_plan *plan = NULL;
  bool last = harness_rank() == harness_ranks() - 1;
  lu_assert_refused(cube, hyla_trtri(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, flat), "must be square");
  lu_assert_refused(cube, hyla_trtri(cube, (hyla_triangle)2, HYLA_ANY_DIAGONAL, a),
                    "triangle is 2");
  lu_assert_refused(cube, hyla_trtri(cube, HYLA_LOWER, (hyla_diagonal)2, a), "HYLA_UNIT_DIAGONAL");
  lu_assert_refused(cube, hyla_trtri(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, last ? NULL : a), "a");
  lu_assert_refused(cube, hyla_trtri_plan(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, a, "panel", &plan),
                    "panels");
  assert_null(plan);
  lu_assert_refused(cube, hyla_trtri_plan(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, a, NULL, NULL),
                    "NULL");
  assert_int_equal(hyla_trtri(NULL, HYLA_LOWER, HYLA_ANY_DIAGONAL, a), HYLA_ARGUMENT);
  if (harness_ranks() > 1)
    lu_assert_status(cube, hyla_trtri(cube, last ? HYLA_UPPER : HYLA_LOWER, HYLA_ANY_DIAGONAL, a),
                     HYLA_MISMATCH);
  hyla_matrix_destroy(&flat);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

struct program {
  const struct system *system;
  hyla_layout layout;
  bool dry;
};

/* The plan's counts for this node, compared with the ledger. */
static hyla_status check_counts(hyla_cube *cube, const hyla_plan *plan, size_t size) {
  const hyla_cost cost = hy_plan_mine(plan);
  hyla_ledger ledger;
  TRY(hyla_cube_ledger(cube, &ledger));
  int64_t messages = ledger.far_messages, bytes = ledger.far_bytes;
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  CHECK(&cube->base,
        ledger.steps == cost.steps && messages == cost.messages &&
            bytes == cost.words * (int64_t)size,
        FORMAT, "%lld steps, %lld messages, %lld bytes; predicted %lld, %lld, %lld words",
        (long long)ledger.steps, (long long)messages, (long long)bytes, (long long)cost.steps,
        (long long)cost.messages, (long long)cost.words);
  return HYLA_OK;
}

static hyla_status invert(hyla_cube *cube, const struct program *p, hyla_matrix *a) {
  const struct system *s = p->system;
  hyla_plan *plan = NULL;
  if (!p->dry) lu_put(a, s->a);
  TRY(hyla_trtri_plan(cube, s->triangle, s->diagonal, a, NULL, &plan));
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  if (status == HYLA_OK) status = hy_agree(cube, check_counts(cube, plan, a->k->size));
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_matrix *a = NULL;
  TRY(hyla_matrix_create(cube, p->system->type, p->system->n, p->system->n, &p->layout, &a));
  hyla_status status = invert(cube, p, a);
  hyla_matrix_destroy(&a);
  return status;
}

static void counted_is_predicted_on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < 8; i++) {
      struct system s = draw_system(i, (hyla_type)harness_draw(0, TYPES - 1), harness_draw(0, 150));
      const hyla_cube nodes = draw_nodes(dims, i % 2 == 1);
      char array[DRAW_ARRAY];
      struct program x = {.system = &s, .layout = draw_on(&nodes), .dry = i >= 4};
      hyla_simulation model = {
          .dims = dims, .array = array, .alpha = 1, .beta = 0.001, .dry = x.dry};
      hyla_report report;
      draw_nodes_array(&nodes, array);
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, form %d, n = %lld, type %d]", hyla_status_name(status),
                 report.message, dims, i, (long long)s.n, (int)s.type);
      free_system(&s);
    }
}

/* n^3 / 3 in all, if one rank does the work. */
static void operations_are_a_third_of_the_cube(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int64_t n = 1024;
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_plan *plan = NULL;
  lu_assert_status(cube, hyla_trtri_plan(cube, HYLA_LOWER, HYLA_ANY_DIAGONAL, a, NULL, &plan),
                   HYLA_OK);
  double flops = 0, mine = (double)hy_plan_mine(plan).flops;
  harness_allreduce(&mine, &flops, 1, MPI_DOUBLE, MPI_SUM);
  double ideal = (double)n * (double)n * (double)n / 3;
  assert_true(flops >= ideal && flops < 1.25 * ideal);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form),
      cmocka_unit_test(zeros),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(counted_is_predicted_on_virtual_cubes),
      cmocka_unit_test(operations_are_a_third_of_the_cube),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
