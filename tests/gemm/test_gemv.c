/* Matrix-vector operations: every operation, type and variant, in any layouts, on integers, whose
 * sums are exact, so all variants give the same bits.  The ledger is as predicted. */
// ranks: 1 3 4 8
// sample: 1 8
// arrays: 2x3
// limit: 120
#include "hyla_lab.h"
#include "tests/harness/draw.h"
#include "tests/solve/lu_case.h"

#include "gemm/gemv.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { GEMV, SYMV, HEMV, GER, KINDS };

/* Entries that must not be read are NaN. */
struct product {
  enum kind kind;
  hyla_type type;
  hyla_operation op;
  hyla_triangle triangle;
  double _Complex alpha, beta;
  int64_t m, n;                      /* of A */
  int64_t shift;                     /* 1: views */
  double _Complex *a, *x, *y, *want; /* want: y, or A for an update */
  hyla_layout layout[3];             /* of a, x, y */
  const char *variant;               /* NULL: all that apply */
};

static bool is_turned(const struct product *p) { return p->kind == GER || p->op != HYLA_NONE; }
static int64_t length_x(const struct product *p) { return is_turned(p) ? p->m : p->n; }
static int64_t length_y(const struct product *p) { return is_turned(p) ? p->n : p->m; }

static double _Complex draw_entry(const struct product *p) {
  bool complex_type = p->type >= HYLA_COMPLEX;
  return hy_complex((double)harness_draw(-3, 3), complex_type ? (double)harness_draw(-3, 3) : 0);
}

static double _Complex *draw_array(const struct product *p, int64_t entries, bool read) {
  double _Complex *array = calloc((size_t)entries + 1, sizeof *array);
  assert_non_null(array);
  for (int64_t i = 0; i < entries; i++) array[i] = read ? draw_entry(p) : hy_complex(NAN, NAN);
  return array;
}

static bool is_stored(const struct product *p, int64_t i, int64_t j) {
  return p->kind == GEMV || p->kind == GER || (p->triangle == HYLA_LOWER ? i >= j : i <= j);
}

/* Entry (i, j) of op(A); its other triangle may be the image of the stored one. */
static double _Complex operated(const struct product *p, int64_t i, int64_t j) {
  if (p->op != HYLA_NONE) {
    double _Complex entry = p->a[j + i * p->m];
    return p->op == HYLA_CONJUGATE ? conj(entry) : entry;
  }
  if (is_stored(p, i, j))
    return p->kind == HEMV && i == j ? creal(p->a[i + j * p->m]) : p->a[i + j * p->m];
  return p->kind == HEMV ? conj(p->a[j + i * p->m]) : p->a[j + i * p->m];
}

static void set_want(struct product *p) {
  int64_t rows = p->kind == GER ? p->m : length_y(p), cols = p->kind == GER ? p->n : 1;
  p->want = draw_array(p, rows * cols, true);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) {
      double _Complex old = p->kind == GER ? p->a[i + j * rows] : p->beta == 0 ? 0 : p->y[i];
      double _Complex sum = 0, factor = p->kind == GER && p->alpha != 0 ? p->y[j] : 0;
      if (p->kind == GER && p->alpha != 0)
        sum = p->x[i] * (p->op == HYLA_CONJUGATE ? conj(factor) : factor);
      for (int64_t l = 0; l < length_x(p) && p->kind != GER && p->alpha != 0; l++)
        sum += operated(p, i, l) * p->x[l];
      p->want[i + j * rows] = p->alpha * sum + (p->kind == GER ? 1 : p->beta) * old;
    }
}

static struct product draw_product(const hyla_cube *on, enum kind kind, int64_t index) {
  static const double _Complex alphas[] = {1, -2, 1, 0}, betas[] = {0, 1, -1};
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(on->nodes, sizes);
  struct product p = {.kind = kind,
                      .type = (hyla_type)(index % 4),
                      .shift = harness_draw(0, 1),
                      .op = (hyla_operation)(index / 4 % 3),
                      .triangle = (hyla_triangle)harness_draw(0, 1),
                      .alpha = alphas[harness_draw(0, 3)],
                      .beta = betas[harness_draw(0, 2)],
                      .m = sizes[harness_draw(0, count - 1)],
                      .n = sizes[harness_draw(0, count - 1)]};
  bool square = kind == SYMV || kind == HEMV, used = p.alpha != 0;
  if (square) p.n = p.m;
  if (square) p.op = HYLA_NONE;
  if (kind == GER) p.op = p.op == HYLA_NONE ? HYLA_TRANSPOSE : p.op;
  p.a = draw_array(&p, p.m * p.n, used || kind == GER);
  for (int64_t j = 0; j < p.n; j++)
    for (int64_t i = 0; i < p.m; i++)
      if (!is_stored(&p, i, j)) p.a[i + j * p.m] = hy_complex(NAN, NAN);
  p.x = draw_array(&p, length_x(&p), used);
  p.y = draw_array(&p, length_y(&p), kind == GER ? used : p.beta != 0);
  set_want(&p);
  for (int i = 0; i < 3; i++) p.layout[i] = draw_on(on);
  return p;
}

static void free_product(struct product *p) {
  free(p->a);
  free(p->x);
  free(p->y);
  free(p->want);
}

/* ------------------------------------------------------------------ a run -- */

/* Compares the plan's prediction for this node with the ledger. */
static hyla_status check_counts(hyla_cube *cube, const hyla_plan *plan, size_t size) {
  const hyla_cost cost = cube->address < 0 ? (hyla_cost){0} : hy_plan_mine(plan);
  return lu_check_counted(cube, size, &cost);
}

struct operands {
  hyla_matrix *a, *x, *y;
};

static hyla_status plan_product(hyla_cube *cube, const struct product *p, const struct operands *o,
                                const char *variant, hyla_plan **plan) {
  switch (p->kind) {
  case GEMV: return hyla_gemv_plan(cube, p->op, p->alpha, o->a, o->x, p->beta, o->y, variant, plan);
  case SYMV:
    return hyla_symv_plan(cube, p->triangle, p->alpha, o->a, o->x, p->beta, o->y, variant, plan);
  case HEMV:
    return hyla_hemv_plan(cube, p->triangle, p->alpha, o->a, o->x, p->beta, o->y, variant, plan);
  default: return hyla_ger_plan(cube, p->op, p->alpha, o->x, o->y, o->a, variant, plan);
  }
}

/* Runs a plan twice. */
static hyla_status run_plan(hyla_cube *cube, const struct product *p, const struct operands *o,
                            hyla_plan *plan) {
  for (int run = 0; run < 2; run++) {
    lu_put(o->a, p->a);
    lu_put(o->x, p->x);
    lu_put(o->y, p->y);
    TRY(hyla_cube_ledger_clear(cube));
    int64_t allocations = cube->base.allocations;
    TRY(hyla_plan_run(cube, plan));
    hyla_status mine = check_counts(cube, plan, o->a->k->size);
    if (mine == HYLA_OK && cube->base.allocations != allocations)
      mine = hy_fail(&cube->base, HYLA_FORMAT, "running allocated memory");
    if (mine == HYLA_OK) mine = lu_check_entries(p->kind == GER ? o->a : o->y, p->want, "result");
    TRY(hy_agree(cube, mine));
  }
  return HYLA_OK;
}

static hyla_status run_variants(hyla_cube *cube, const struct product *p,
                                const struct operands *o) {
  int applied = 0;
  for (int v = 0; v < hy_family_count(&hy_gemv_family); v++) {
    const char *name = hy_gemv_family.rows[v]->name;
    hyla_plan *plan = NULL;
    hyla_status status = plan_product(cube, p, o, name, &plan);
    if (status == HYLA_UNSUPPORTED) continue;
    if (status == HYLA_OK) status = run_plan(cube, p, o, plan);
    hyla_plan_destroy(&plan);
    if (status != HYLA_OK) {
      char message[HY_MESSAGE_MAX];
      snprintf(message, sizeof message, "%.400s", hyla_cube_message(cube));
      return hy_fail(&cube->base, status, "%s: %s", name, message);
    }
    applied++;
  }
  CHECK(&cube->base, applied >= 2, FORMAT, "%d variants apply", applied);
  return HYLA_OK;
}

/* All three are whole or views: with rows from 2 on and columns from 1 on. */
static hyla_status make_view(hyla_cube *cube, const struct product *p, int which, int64_t rows,
                             int64_t cols, hyla_matrix **owner, hyla_matrix **view) {
  TRY(hyla_matrix_create(cube, p->type, rows + 2 * p->shift, cols + p->shift, &p->layout[which],
                         owner));
  return hyla_matrix_view(*owner, 2 * p->shift, p->shift, rows, cols, view);
}

static hyla_status run_product(hyla_cube *cube, void *arg) {
  const struct product *p = arg;
  struct operands owner = {NULL, NULL, NULL}, o = owner;
  hyla_status status = make_view(cube, p, 0, p->m, p->n, &owner.a, &o.a);
  if (status == HYLA_OK) status = make_view(cube, p, 1, length_x(p), 1, &owner.x, &o.x);
  if (status == HYLA_OK) status = make_view(cube, p, 2, length_y(p), 1, &owner.y, &o.y);
  if (status == HYLA_OK) status = run_variants(cube, p, &o);
  hyla_matrix **const made[] = {&o.a, &o.x, &o.y, &owner.a, &owner.x, &owner.y};
  for (int i = 0; i < 6; i++) hyla_matrix_destroy(made[i]);
  return status;
}

static void note(const struct product *p, const hyla_cube *on) {
  char text[3][HYLA_LAYOUT_TEXT];
  for (int i = 0; i < 3; i++) hyla_layout_format(&p->layout[i], text[i], sizeof text[i]);
  harness_note(
      "%d nodes, kind %d, type %d, op %d, triangle %d, %lld x %lld, alpha %g, beta %g, a %s, "
      "x %s, y %s",
      on->nodes, (int)p->kind, (int)p->type, (int)p->op, (int)p->triangle, (long long)p->m,
      (long long)p->n, creal(p->alpha), creal(p->beta), text[0], text[1], text[2]);
}

static void on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < (dims > 4 ? 4 : 24); i++) {
      const hyla_cube on = draw_nodes(dims, i / KINDS % 2 == 1);
      char array[DRAW_ARRAY];
      struct product p = draw_product(&on, (enum kind)(i % KINDS), i / KINDS + i);
      hyla_simulation model = {.dims = on.dims, .array = array};
      hyla_report report;
      draw_nodes_array(&on, array);
      note(&p, &on);
      hyla_status status = hyla_simulate(&model, run_product, &p, &report);
      assert_string_equal(report.message, "");
      assert_int_equal(status, HYLA_OK);
      free_product(&p);
    }
}

static void on_ranks(void **state) {
  (void)state;
  for (int shared = 0; shared < 2; shared++) {
    hyla_cube *cube = cube_open(shared == 0);
    for (int i = 0; i < 24; i++) {
      struct product p = draw_product(cube, (enum kind)(i % KINDS), i / KINDS + i);
      note(&p, cube);
      hyla_status status = run_product(cube, &p);
      assert_string_equal(status == HYLA_OK ? "" : hyla_cube_message(cube), "");
      assert_int_equal(status, HYLA_OK);
      free_product(&p);
    }
    cube_close(&cube);
  }
}

/* ------------------------------------------------ claims of papers; misuse -- */

/* On 2^k x 2^k nodes with q entries of a vector on each line, a second a word, no start-ups: the
 * column sweep takes 2^k + q - 2 communications each way, the tree k for one entry.  The prediction
 * and the run must both say so. */
struct timed {
  const char *variant;
  int64_t q;
  double want;
};

static hyla_status time_run(hyla_cube *cube, const struct timed *x, const struct operands *o) {
  hyla_plan *plan = NULL;
  TRY(hyla_gemv_plan(cube, HYLA_NONE, 1, o->a, o->x, 0, o->y, x->variant, &plan));
  double predicted = hyla_plan_seconds(plan);
  TRY(hyla_cube_barrier(cube));
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_plan_run(cube, plan);
  int64_t taken = (int64_t)(hyla_cube_clock(cube) - begin);
  hyla_plan_destroy(&plan);
  if (status == HYLA_OK) status = hyla_cube_max(cube, &taken, 1);
  CHECK(&cube->base, status == HYLA_OK && predicted == x->want && (double)taken == x->want, FORMAT,
        "predicted %g, taken %lld, not %g", predicted, (long long)taken, x->want);
  return HYLA_OK;
}

static hyla_status time_variant(hyla_cube *cube, void *arg) {
  const struct timed *x = arg;
  int64_t n = x->q << cube->dims / 2;
  struct operands o = {NULL, NULL, NULL};
  hyla_layout layout, turned;
  TRY(hyla_layout_parse(cube, "gray/cyclic", &layout));
  turned = layout;
  turned.row = layout.col;
  turned.col = layout.row;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout, &o.a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, &turned, &o.x));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, &layout, &o.y));
  hyla_status status = time_run(cube, x, &o);
  hyla_matrix_destroy(&o.a);
  hyla_matrix_destroy(&o.x);
  hyla_matrix_destroy(&o.y);
  return status;
}

static void papers_counts(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  for (int k = 1; k <= 3; k++)
    for (int64_t q = 1; q <= 9; q += 2)
      for (int tree = 0; tree <= (q == 1); tree++) {
        struct timed x = {tree ? "tree" : "sweep", q,
                          tree ? 2 * k : 2 * ((double)(1 << k) + (double)q - 2)};
        hyla_simulation model = {.dims = 2 * k, .beta = 0.125};
        hyla_report report;
        harness_note("%s, k = %d, q = %d", x.variant, k, (int)q);
        hyla_simulate(&model, time_variant, &x, &report);
        assert_string_equal(report.message, "");
      }
}

static hyla_status misuse(hyla_cube *cube, void *arg) {
  (void)arg;
  struct operands o = {NULL, NULL, NULL};
  hyla_matrix *two = NULL, *single = NULL, *column = NULL;
  hyla_plan *plan = NULL;
  const hyla_scalar one = 1;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, 4, 3, NULL, &o.a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, 3, 1, NULL, &o.x));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, 4, 1, NULL, &o.y));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, 3, 2, NULL, &two));
  TRY(hyla_matrix_create(cube, HYLA_FLOAT, 3, 1, NULL, &single));
  TRY(hyla_matrix_view(o.a, 0, 1, 4, 1, &column));
  const struct {
    hyla_status status;
    const char *says;
  } bad[] = {
      {hyla_gemv(cube, HYLA_NONE, 1, o.a, two, 0, o.y), "hyla_gemm takes several columns"},
      {hyla_gemv(cube, HYLA_TRANSPOSE, 1, o.a, o.x, 0, o.y), ""},
      {hyla_gemv(cube, HYLA_NONE, 1, o.a, single, 0, o.y), ""},
      {hyla_gemv(cube, HYLA_NONE, 1, o.a, o.x, 0, column), ""},
      {hyla_gemv(cube, HYLA_TRANSPOSE, 1, o.a, o.y, 0, o.y), ""},
      {hyla_gemv(cube, (hyla_operation)3, 1, o.a, o.x, 0, o.y), ""},
      {hyla_gemv(cube, HYLA_NONE, 1, NULL, o.x, 0, o.y), ""},
      {hyla_gemv(NULL, HYLA_NONE, 1, o.a, o.x, 0, o.y), NULL},
      {hyla_symv(cube, HYLA_LOWER, 1, o.a, o.x, 0, o.y), ""},
      {hyla_symv(cube, (hyla_triangle)2, 1, o.a, o.x, 0, o.y), ""},
      {hyla_ger(cube, HYLA_NONE, 1, o.y, o.x, o.a), ""},
      {hyla_ger(cube, HYLA_TRANSPOSE, 1, column, o.x, o.a), ""},
      {hyla_gemv_plan(cube, HYLA_NONE, 1, o.a, o.x, 0, o.y, NULL, NULL), ""},
      {hyla_gemv_plan(cube, HYLA_NONE, 1, o.a, o.x, 0, o.y, "cannon", &plan), "hyla_gemv_plan"},
      {hyla_gemv_plan_by_address(cube, HYLA_NONE, NULL, o.a, o.x, &one, o.y, NULL, &plan), ""},
      {hyla_gemv_plan_by_address(cube, HYLA_NONE, &one, o.a, o.x, NULL, o.y, NULL, &plan), ""},
      {hyla_gemv_plan_by_address(cube, HYLA_NONE, &one, o.a, o.y, &one, o.y, NULL, &plan), ""},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(&cube->base, bad[i].status == HYLA_ARGUMENT, FORMAT, "bad call %zu: %s", i,
          hyla_status_name(bad[i].status));
  hyla_status last = hyla_gemv(cube, HYLA_NONE, 1, o.a, two, 0, o.y);
  CHECK(&cube->base, last == HYLA_ARGUMENT && strstr(hyla_cube_message(cube), bad[0].says) != NULL,
        FORMAT, "it says: %.100s", hyla_cube_message(cube));
  TRY(hyla_gemv(cube, HYLA_NONE, 1, o.a, o.x, 0, o.y));
  TRY(hyla_ger(cube, HYLA_CONJUGATE, 1, o.y, o.x, o.a));
  TRY(hyla_gemv_plan_by_address(cube, HYLA_NONE, &one, o.a, o.x, &one, o.y, NULL, &plan));
  TRY(hyla_plan_run(cube, plan));
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&column);
  hyla_matrix_destroy(&single);
  hyla_matrix_destroy(&two);
  hyla_matrix_destroy(&o.a);
  hyla_matrix_destroy(&o.x);
  hyla_matrix_destroy(&o.y);
  return HYLA_OK;
}

static void bad_arguments(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  for (int dims = 0; dims <= 2; dims++) {
    hyla_simulation model = {.dims = dims};
    hyla_report report;
    hyla_simulate(&model, misuse, NULL, &report);
    assert_string_equal(report.message, "");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_virtual_cubes),
      cmocka_unit_test(on_ranks),
      cmocka_unit_test(papers_counts),
      cmocka_unit_test(bad_arguments),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
