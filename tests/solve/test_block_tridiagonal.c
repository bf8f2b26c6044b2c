/* hyla_tridiagonal: all types, any layouts, ragged blocks: the residual is rounding, entries that
 * count for nothing are not read; refusals; counted is predicted. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// arrays: 3x2
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"
#include "tests/harness/draw.h"

/* The blocks below, on and above the diagonal and the right-hand sides, each n x order or n x
 * sides, by columns.  Entries that must not be read are NaN. */
enum { BELOW, ON, ABOVE, SIDES, MATRICES };
struct system {
  hyla_type type;
  int64_t n, order, sides;
  double _Complex *of[MATRICES];
};

static int64_t cols_of(const struct system *s, int i) { return i == SIDES ? s->sides : s->order; }

/* The column of the system where column t of a row's block begins; -1: it counts for nothing. */
static int64_t column(const struct system *s, int i, int64_t row, int64_t t) {
  int64_t at = (row / s->order + i - ON) * s->order + t;
  return at >= 0 && at < s->n ? at : -1;
}

static double part(void) { return (double)harness_draw(-8, 8) / 64; }

static struct system draw_system(hyla_type type, int64_t n, int64_t order, int64_t sides) {
  struct system s = {.type = type, .n = n, .order = order, .sides = sides};
  for (int i = 0; i < MATRICES; i++) {
    int64_t cols = cols_of(&s, i);
    s.of[i] = calloc((size_t)(n * cols) + 1, sizeof **s.of);
    assert_non_null(s.of[i]);
    for (int64_t t = 0; t < cols; t++)
      for (int64_t row = 0; row < n; row++) {
        double _Complex *entry = &s.of[i][row + t * n];
        *entry = hy_complex(part(), type >= HYLA_COMPLEX ? part() : 0);
        if (i == SIDES) continue;
        int64_t at = column(&s, i, row, t);
        if (at < 0) *entry = hy_complex(NAN, 0);
        if (at == row) *entry += (double)order;
      }
  }
  return s;
}

static void free_system(struct system *s) {
  for (int i = 0; i < MATRICES; i++) free(s->of[i]);
}

/* Row i of L X + D X + U X - B in column j: no more than rounding. */
static hyla_status check_entry(const struct system *s, const hyla_matrix *b,
                               const double _Complex *x, int64_t row, int64_t j) {
  double _Complex sum = -s->of[SIDES][row + j * s->n];
  double size = cabs(sum);
  for (int i = BELOW; i <= ABOVE; i++)
    for (int64_t t = 0; t < s->order; t++) {
      int64_t at = column(s, i, row, t);
      if (at < 0) continue;
      double _Complex term = s->of[i][row + t * s->n] * x[at + j * s->n];
      sum += term;
      size += cabs(term);
    }
  double bound = 16 * (double)(s->order + 4) * b->k->epsilon * (size + 1);
  CHECK(&b->cube->base, cabs(sum) <= bound, FORMAT, "row %lld, side %lld: residual %g, above %g",
        (long long)row, (long long)j, cabs(sum), bound);
  return HYLA_OK;
}

static hyla_status check_solution(const struct system *s, const hyla_matrix *b,
                                  const double _Complex *x) {
  for (int64_t j = 0; j < s->sides; j++)
    for (int64_t row = 0; row < s->n; row++) TRY(check_entry(s, b, x, row, j));
  return HYLA_OK;
}

/* All entries of a matrix, which may lie in copies. */
static double _Complex *gather(hyla_cube *cube, const hyla_matrix *a) {
  hyla_matrix *once = lu_matrix(cube, (int)a->k->type, a->row.n, a->col.n, NULL);
  lu_assert_status(cube, hyla_matrix_copy(cube, a, once), HYLA_OK);
  double _Complex *all = lu_get_all(once);
  hyla_matrix_destroy(&once);
  return all;
}

/* Matrices in one layout or, without it, each in a drawn one. */
static void make(hyla_cube *cube, const struct system *s, const hyla_layout *layout,
                 hyla_matrix *m[MATRICES]) {
  for (int i = 0; i < MATRICES; i++) {
    hyla_layout drawn = layout != NULL ? *layout : draw_on(cube);
    m[i] = lu_matrix(cube, (int)s->type, s->n, cols_of(s, i), &drawn);
    lu_put(m[i], s->of[i]);
  }
}
static void destroy(hyla_matrix *m[MATRICES]) {
  for (int i = MATRICES - 1; i >= 0; i--) hyla_matrix_destroy(&m[i]);
}

static void every_form(void **state) {
  (void)state;
  enum { SIZES = 9, ORDERS = 5 };
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes, before = cube->base.bytes_now;
    const int64_t sizes[SIZES] = {0, 1, p - 1, p, p + 1, 16, 23, 37, 61};
    const int64_t orders[ORDERS] = {1, 2, 5, 8, 70};
    for (int i = 0; i < SIZES * ORDERS; i++) {
      struct system s = draw_system((hyla_type)harness_draw(0, TYPES - 1), sizes[i % SIZES],
                                    orders[i / SIZES], harness_draw(0, 4));
      const hyla_layout layout = i % 2 ? draw_on(cube) : lu_draw_layout(cube, 1 + i % 4);
      hyla_matrix *m[MATRICES];
      harness_note("type %d, n = %lld, order %lld, %lld sides, %s", (int)s.type, (long long)s.n,
                   (long long)s.order, (long long)s.sides, lu_layout_name(&layout));
      make(cube, &s, i % 3 ? &layout : NULL, m);
      lu_assert_status(cube, hyla_tridiagonal(cube, m[BELOW], m[ON], m[ABOVE], m[SIDES]), HYLA_OK);
      double _Complex *x = gather(cube, m[SIDES]);
      lu_assert_status(cube, hy_agree(cube, check_solution(&s, m[SIDES], x)), HYLA_OK);
      free(x);
      destroy(m);
      free_system(&s);
    }
    assert_int_equal(cube->base.bytes_now, before);
    cube_close(&cube);
  }
}

/* A block of zeros on the diagonal: all ranks name the row. */
static void zeros(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    struct system s = draw_system((hyla_type)(i / 2), 21, 4, 2);
    int64_t block = harness_draw(0, 5);
    char named[64];
    hyla_matrix *m[MATRICES];
    for (int64_t t = 0; t < 4; t++)
      for (int64_t row = 0; row < s.n; row++) {
        if (row / 4 == block && column(&s, ON, row, t) >= 0) s.of[ON][row + t * s.n] = 0;
        if (row / 4 == block && block > 0) s.of[BELOW][row + t * s.n] = 0;
      }
    make(cube, &s, NULL, m);
    lu_assert_status(cube, hyla_tridiagonal(cube, m[BELOW], m[ON], m[ABOVE], m[SIDES]),
                     HYLA_SINGULAR);
    snprintf(named, sizeof named, "the pivot of row %lld is exactly zero",
             (long long)block * 4 + 1);
    if (strstr(hyla_cube_message(cube), named) == NULL) fail_msg("%s", hyla_cube_message(cube));
    destroy(m);
    free_system(&s);
  }
  cube_close(&cube);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *m[MATRICES], *narrow = lu_matrix(cube, HYLA_DOUBLE, 9, 0, NULL);
  hyla_matrix *other = lu_matrix(cube, HYLA_DOUBLE, 9, 0, NULL);
  hyla_matrix *third = lu_matrix(cube, HYLA_DOUBLE, 9, 0, NULL);
  struct system s = draw_system(HYLA_DOUBLE, 9, 3, 2);
  hyla_plan *plan = NULL;
  make(cube, &s, NULL, m);
  lu_assert_refused(cube, hyla_tridiagonal(cube, narrow, other, third, m[SIDES]), "no columns");
  lu_assert_refused(cube, hyla_tridiagonal(cube, m[BELOW], m[ON], m[SIDES], m[ABOVE]), "above");
  lu_assert_refused(cube, hyla_tridiagonal(cube, m[ON], m[ON], m[ABOVE], m[SIDES]), "below");
  lu_assert_refused(
      cube, hyla_tridiagonal_plan(cube, m[BELOW], m[ON], m[ABOVE], m[SIDES], "products", &plan),
      "product");
  assert_null(plan);
  assert_int_equal(hyla_tridiagonal(NULL, m[BELOW], m[ON], m[ABOVE], m[SIDES]), HYLA_ARGUMENT);
  free_system(&s);
  destroy(m);
  hyla_matrix_destroy(&third);
  hyla_matrix_destroy(&other);
  hyla_matrix_destroy(&narrow);
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

struct program {
  const struct system *system;
  hyla_layout layout;
  bool dry;
};

static hyla_status solve(hyla_cube *cube, const struct program *p, hyla_matrix *m[MATRICES]) {
  hyla_plan *plan = NULL;
  for (int i = 0; i < MATRICES && !p->dry; i++) lu_put(m[i], p->system->of[i]);
  TRY(hyla_tridiagonal_plan(cube, m[BELOW], m[ON], m[ABOVE], m[SIDES], NULL, &plan));
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  const hyla_cost cost = status == HYLA_OK ? hy_plan_mine(plan) : (hyla_cost){0};
  if (status == HYLA_OK) status = hy_agree(cube, lu_check_counted(cube, m[ON]->k->size, &cost));
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  const struct system *s = p->system;
  hyla_matrix *m[MATRICES] = {NULL};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < MATRICES && status == HYLA_OK; i++)
    status = hyla_matrix_create(cube, s->type, s->n, cols_of(s, i), &p->layout, &m[i]);
  if (status == HYLA_OK) status = solve(cube, p, m);
  destroy(m);
  return status;
}

static void counted_is_predicted_on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < 8; i++) {
      struct system s = draw_system((hyla_type)harness_draw(0, TYPES - 1), harness_draw(0, 70),
                                    harness_draw(1, 20), harness_draw(0, 9));
      const hyla_cube nodes = draw_nodes(dims, i % 2 == 1);
      char array[DRAW_ARRAY];
      struct program x = {.system = &s, .layout = draw_on(&nodes), .dry = i >= 4};
      hyla_simulation model = {
          .dims = dims, .array = array, .alpha = 1, .beta = 0.001, .dry = x.dry};
      hyla_report report;
      draw_nodes_array(&nodes, array);
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, n = %lld, order %lld, type %d]", hyla_status_name(status),
                 report.message, dims, (long long)s.n, (long long)s.order, (int)s.type);
      free_system(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form),
      cmocka_unit_test(zeros),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(counted_is_predicted_on_virtual_cubes),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
