/* Triangular systems and inverses of triangles, every form by every variant: residuals, in long
 * double on every rank, are a small multiple of n u for every entry (Higham 2002, theorem 8.5; Du
 * Croz and Higham 1992).  On ranks and on virtual cubes. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"
#include "tests/harness/draw.h"

#include "solve/trsm.h"

/* Forms of hyla_trsm: side, triangle, op, diagonal; forms of hyla_trtri: triangle, diagonal, and
 * whether the triangle lies as it must. */
enum { TRSM_FORMS = 24, FORMS = 32, SIZES = 8 };

/* Entries that the calls must not read are NaN: the other triangle, and the diagonal of unit
 * triangles. */
struct system {
  bool inverse;
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  hyla_type type;
  const char *variant;
  double alpha;
  int64_t m, n, order;        /* B is m x n */
  double _Complex *t, *a, *b; /* the triangle in full; the arguments of the calls */
  hyla_layout lies_a, lies_b;
};

static double fraction(void) { return (double)harness_draw(-1000, 1000) / 1024; }

static double _Complex draw_entry(const struct system *s) {
  return hy_complex(fraction(), s->type >= HYLA_COMPLEX ? fraction() : 0);
}

static double _Complex *array_of(int64_t entries) {
  double _Complex *array = calloc((size_t)entries + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

/* Well conditioned, so that variants that multiply by inverses have small residuals too. */
static void draw_entries(struct system *s) {
  int64_t n = s->order;
  double scale = ldexp(2, -hy_log2_floor((uint32_t)n + 1)); /* exact in every type */
  bool unit = s->diagonal == HYLA_UNIT_DIAGONAL;
  s->t = array_of(n * n);
  s->a = array_of(n * n);
  s->b = array_of(s->m * s->n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      bool inside = s->triangle == HYLA_LOWER ? i > j : i < j;
      if (inside) s->t[i + j * n] = draw_entry(s) * scale;
      if (i == j) s->t[i + j * n] = unit ? 1 : 2 + draw_entry(s) / 2;
      s->a[i + j * n] = inside || (i == j && !unit) ? s->t[i + j * n] : hy_complex(NAN, 0);
    }
  for (int64_t e = 0; e < s->m * s->n; e++) s->b[e] = draw_entry(s);
}

static void free_entries(struct system *s) {
  free(s->t);
  free(s->a);
  free(s->b);
}

static struct system form_of(int form, const char *variant) {
  struct system s = {.variant = variant, .alpha = harness_draw(0, 1) ? 1 : -1.25};
  if (form >= TRSM_FORMS) {
    s.inverse = true;
    form = (form - TRSM_FORMS) % 4 * 2; /* the side does not matter */
    s.diagonal = form / 4 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL;
  } else {
    s.side = form % 2 ? HYLA_RIGHT : HYLA_LEFT;
    s.op = (hyla_operation)(form / 4 % 3);
    s.diagonal = form / 12 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL;
  }
  s.triangle = form / 2 % 2 ? HYLA_UPPER : HYLA_LOWER;
  return s;
}

/* -------------------------------------------------------------- residual -- */

static double _Complex operated(const struct system *s, int64_t i, int64_t j) {
  if (s->op == HYLA_NONE) return s->t[i + j * s->order];
  double _Complex entry = s->t[j + i * s->order];
  return s->op == HYLA_TRANSPOSE ? entry : conj(entry);
}

/* Entry (i, j) of op(T) X or X op(T), minus its right-hand side; size: the sum of the moduli.  In
 * parts, because products of long double _Complex are slow. */
static long double residual_at(const struct system *s, const double _Complex *x, int64_t i,
                               int64_t j, long double *size) {
  double _Complex wanted = s->inverse ? (i == j) : s->b[i + j * s->m];
  long double alpha = s->inverse ? 1 : s->alpha;
  long double re = -alpha * creal(wanted), im = -alpha * cimag(wanted);
  *size = hypotl(re, im);
  for (int64_t k = 0; k < s->order; k++) {
    bool left = s->side == HYLA_LEFT;
    double _Complex t = left ? operated(s, i, k) : operated(s, k, j);
    double _Complex factor = left ? x[k + j * s->m] : x[i + k * s->m];
    long double t_re = creal(t), t_im = cimag(t), x_re = creal(factor), x_im = cimag(factor);
    long double product_re = t_re * x_re - t_im * x_im, product_im = t_re * x_im + t_im * x_re;
    re += product_re;
    im += product_im;
    /* Squares stay in range, so hypotl, which is slow, is not needed. */
    *size += product_im == 0 ? fabsl(product_re)
                             : sqrtl(product_re * product_re + product_im * product_im);
  }
  return hypotl(re, im);
}

/* The call's result in b; for an inverse, only its own triangle. */
static double _Complex *solution(const struct system *s, const hyla_matrix *b) {
  double _Complex *x = lu_get_all(b);
  for (int64_t j = 0; j < s->n && s->inverse; j++)
    for (int64_t i = 0; i < s->n; i++) {
      bool outside = s->triangle == HYLA_LOWER ? i < j : i > j;
      if (outside) x[i + j * s->n] = 0;
      if (i == j && s->diagonal == HYLA_UNIT_DIAGONAL) x[i + j * s->n] = 1;
    }
  return x;
}

/* For the local entries. */
static hyla_status check_residual(const struct system *s, const hyla_matrix *b,
                                  const double _Complex *x) {
  double bound = 4 * (double)(s->order + 4) * b->k->epsilon;
  for (int64_t c = 0; c < b->local_cols; c++)
    for (int64_t r = 0; r < b->local_rows; r++) {
      int64_t i = hyla_matrix_row(b, r), j = hyla_matrix_col(b, c);
      long double size = 0, off = residual_at(s, x, i, j, &size);
      CHECK(&b->cube->base, off <= bound * size, FORMAT, "residual (%lld, %lld) is %Lg of %Lg",
            (long long)i, (long long)j, off, size);
    }
  return HYLA_OK;
}

/* -------------------------------------------------------------- one case -- */

static hyla_status plan_of(hyla_cube *cube, const struct system *s, hyla_matrix *a, hyla_matrix *b,
                           hyla_plan **plan) {
  return s->inverse ? hyla_trtri_plan(cube, s->triangle, s->diagonal, b, s->variant, plan)
                    : hyla_trsm_plan(cube, s->side, s->triangle, s->op, s->diagonal, s->alpha, a, b,
                                     s->variant, plan);
}

static hyla_status solve(hyla_cube *cube, const struct system *s, hyla_matrix *a, hyla_matrix *b) {
  hyla_plan *plan = NULL;
  lu_put(a, s->a);
  lu_put(b, s->inverse ? s->a : s->b);
  TRY(plan_of(cube, s, a, b, &plan));
  hyla_status status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  TRY(status);
  double _Complex *x = solution(s, b);
  status = hy_agree(cube, check_residual(s, b, x));
  free(x);
  return status;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct system *s = arg;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_matrix_create(cube, s->type, s->order, s->order, &s->lies_a, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, s->type, s->m, s->n, &s->lies_b, &b);
  if (status == HYLA_OK) status = solve(cube, s, a, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* ----------------------------------------------------------------- walks -- */

/* A form by one of its family's variants; false: there are no more. */
static bool case_of(int64_t index, struct system *s) {
  int64_t solved = (int64_t)TRSM_FORMS * hy_family_count(&hy_trsm_family);
  int64_t inverted = (int64_t)(FORMS - TRSM_FORMS) * hy_family_count(&hy_trtri_family);
  if (index >= solved + inverted) return false;
  bool inverse = index >= solved;
  int64_t form =
      inverse ? TRSM_FORMS + (index - solved) % (FORMS - TRSM_FORMS) : index % TRSM_FORMS;
  *s = inverse
           ? form_of((int)form, hy_trtri_family.rows[(index - solved) / (FORMS - TRSM_FORMS)]->name)
           : form_of((int)form, hy_trsm_family.rows[index / TRSM_FORMS]->name);
  return true;
}

static int64_t case_count(void) {
  struct system s;
  int64_t count = 0;
  while (case_of(count, &s)) count++;
  return count;
}

static int64_t size_of(int64_t nodes, int64_t index) {
  const int64_t sizes[SIZES] = {0, 1, nodes - 1, nodes, nodes + 1, 13, 37, 101};
  return sizes[index];
}

/* Sizes for each form by a variant.  Not all pairs occur: each number of rows comes with PAIRED
 * numbers of columns, which differ from form to form and from variant to variant, so that any form,
 * any variant and any number of rows meet any number of columns. */
enum { PAIRED = 2 };
static int64_t cols_of(int64_t index, int64_t rows, int64_t turn) {
  return (rows + index + index / TRSM_FORMS + 3 * turn) % SIZES;
}

/* Draws the index-th case with the given sizes; types take turns.  sides, dims: of the nodes; NULL:
 * a cube. */
static struct system system_of(const struct hy_sides *sides, int dims, int64_t nodes, int64_t index,
                               int64_t rows, int64_t cols) {
  struct system s;
  assert_true(case_of(index, &s));
  s.type = (hyla_type)((index + rows + cols + dims) % TYPES);
  s.m = size_of(nodes, rows);
  s.n = s.inverse ? s.m : size_of(nodes, cols);
  s.order = s.side == HYLA_LEFT ? s.m : s.n;
  draw_entries(&s);
  s.lies_a = draw_sides_layout(sides, dims, false);
  s.lies_b = draw_sides_layout(sides, dims, false);
  if (s.inverse && index % 8 >= 4) s.lies_b = lu_sides_layout(sides, dims, harness_draw(1, 6));
  return s;
}

static void note(const struct system *s, int dims) {
  harness_note(
      "%s %s, d = %d, side %d, triangle %d, op %d, diagonal %d, type %d, %lld x %lld, A %s",
      s->inverse ? "trtri" : "trsm", s->variant, dims, (int)s->side, (int)s->triangle, (int)s->op,
      (int)s->diagonal, (int)s->type, (long long)s->m, (long long)s->n, lu_layout_name(&s->lies_a));
}

static const struct hy_variant *variant_of(const struct system *s) {
  return hy_family_find(s->inverse ? &hy_trtri_family : &hy_trsm_family, s->variant);
}

static bool serves_arrays(int64_t index) {
  struct system s;
  return case_of(index, &s) && variant_of(&s)->arrays;
}

static void residuals_are_small(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t index = 0, all = case_count();
  struct harness_walk cases = harness_walk(all * SIZES * PAIRED, 320 / cube->nodes);
  while (harness_next(&cases, &index)) {
    int64_t rows = index / all % SIZES, cols = cols_of(index % all, rows, index / all / SIZES);
    struct system s = system_of(&cube->sides, cube->dims, cube->nodes, index % all, rows, cols);
    note(&s, cube->dims);
    if (lu_serves(cube, variant_of(&s))) lu_assert_status(cube, run(cube, &s), HYLA_OK);
    free_entries(&s);
  }
  cube_close(&cube);
}

/* PAIRED numbers of rows for each form by a variant on a cube; other cubes have the others.  So any
 * form by a variant meets any number of rows, and any variant any number of rows on any cube. */
static int64_t rows_on(int dims, int64_t index, int64_t turn) {
  enum { APART = SIZES / PAIRED };
  return (index + index / TRSM_FORMS + dims) % APART + turn * APART;
}

static void residuals_are_small_on_virtual_cubes(void **state) {
  (void)state;
  enum { DIMS = 7 };
  if (harness_ranks() > 1) skip();
  int64_t index = 0, all = case_count();
  struct harness_walk cases = harness_walk(all * PAIRED * DIMS, 100);
  while (harness_next(&cases, &index)) {
    int dims = (int)(index / all % DIMS);
    const hyla_cube nodes = draw_nodes(dims, index % 2 == 1 && serves_arrays(index % all));
    char array[DRAW_ARRAY];
    const hyla_simulation model = {.dims = dims, .array = array, .alpha = 1, .beta = 0.001};
    int64_t rows = rows_on(dims, index % all, index / all / DIMS);
    struct system s = system_of(&nodes.sides, nodes.dims, nodes.nodes, index % all, rows,
                                harness_draw(0, SIZES - 1));
    hyla_report report;
    note(&s, dims);
    draw_nodes_array(&nodes, array);
    if (hyla_simulate(&model, run, &s, &report) != HYLA_OK) fail_msg("%s", report.message);
    free_entries(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals_are_small),
      cmocka_unit_test(residuals_are_small_on_virtual_cubes),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
