/* hyla_trsm: every side, triangle, op and diagonal, by every variant, in any layouts, on systems
 * whose solution is known exactly; refusals. */
// ranks: 1 3 4 8
// sample: 1 3
// arrays: 2x3
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"
#include "tests/harness/draw.h"

#include "solve/trsm.h"

/* Small integers, and powers of two on the diagonal: all arithmetic is exact.  Entries that trsm
 * must not read are NaN: the other triangle, and the diagonal of unit triangles. */
struct system {
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  double _Complex alpha;
  hyla_type type;
  int64_t m, n, order;    /* B is m x n */
  int64_t sparse;         /* one in `sparse' entries of the triangle is drawn, the others are 0 */
  double _Complex *t, *x; /* the triangle in full; alpha times the known solution is X */
  double _Complex *a, *b; /* the arguments of the calls */
};

static double _Complex draw_entry(const struct system *s) {
  bool complex_type = s->type >= HYLA_COMPLEX;
  return hy_complex((double)harness_draw(-1, 1), complex_type ? (double)harness_draw(-1, 1) : 0);
}

static double _Complex *array_of(int64_t entries) {
  double _Complex *array = calloc((size_t)entries + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

/* Entry (i, j) of op(T). */
static double _Complex operated(const struct system *s, int64_t i, int64_t j) {
  if (s->op == HYLA_NONE) return s->t[i + j * s->order];
  return s->op == HYLA_TRANSPOSE ? s->t[j + i * s->order] : conj(s->t[j + i * s->order]);
}

static void set_triangle(struct system *s) {
  int64_t n = s->order;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      bool inside = s->triangle == HYLA_LOWER ? i > j : i < j;
      bool unit = s->diagonal == HYLA_UNIT_DIAGONAL;
      if (inside && harness_draw(1, s->sparse) == 1) s->t[i + j * n] = draw_entry(s);
      if (i == j) s->t[i + j * n] = unit ? 1 : (double)(1 << harness_draw(0, 1));
      s->a[i + j * n] = inside || (i == j && !unit) ? s->t[i + j * n] : hy_complex(NAN, 0);
    }
}

/* Draws a system for a variant.  Variants that multiply by inverses of large blocks must be asked
 * for; their arithmetic is exact only if these inverses are, so their triangles have few
 * entries. */
static struct system draw_system(const struct hy_variant *variant, int combination, hyla_type type,
                                 int64_t m, int64_t n) {
  struct system s = {.side = combination % 2 ? HYLA_RIGHT : HYLA_LEFT,
                     .triangle = combination / 2 % 2 ? HYLA_UPPER : HYLA_LOWER,
                     .op = (hyla_operation)(combination / 4 % 3),
                     .diagonal = combination / 12 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL,
                     .alpha = harness_draw(0, 1) ? 1 : -2,
                     .type = type,
                     .m = m,
                     .n = n};
  s.order = s.side == HYLA_LEFT ? m : n;
  s.sparse = variant->asked == NULL ? 1 : hy_max(1, s.order / 2);
  s.t = array_of(s.order * s.order);
  s.a = array_of(s.order * s.order);
  s.x = array_of(m * n);
  s.b = array_of(m * n);
  set_triangle(&s);
  /* Few entries, so that sums stay small. */
  for (int64_t i = 0; i < m * n; i++) s.x[i] = harness_draw(0, 3) == 0 ? draw_entry(&s) : 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      for (int64_t k = 0; k < s.order; k++)
        s.b[i + j * m] += s.side == HYLA_LEFT ? operated(&s, i, k) * s.x[k + j * m]
                                              : s.x[i + k * m] * operated(&s, k, j);
  return s;
}

static void free_system(struct system *s) {
  free(s->t);
  free(s->a);
  free(s->x);
  free(s->b);
}

static hyla_status check_solution(const struct system *s, const hyla_matrix *x) {
  for (int64_t c = 0; c < x->local_cols; c++)
    for (int64_t r = 0; r < x->local_rows; r++) {
      int64_t i = hyla_matrix_row(x, r), j = hyla_matrix_col(x, c);
      double _Complex found = x->k->get(hy_at(x, r, c), 0);
      CHECK(&x->cube->base, found == s->alpha * s->x[i + j * s->m], FORMAT,
            "x(%lld, %lld) is %g%+gi", (long long)i, (long long)j, creal(found), cimag(found));
    }
  return HYLA_OK;
}

/* ------------------------------------------------------------- one case -- */

struct program {
  const struct system *system;
  const char *variant;
  hyla_layout a, b;
  bool counts;             /* the operands lie as they must: compare the ledger with the plan */
  bool stays;              /* B may not be moved */
  const struct form *form; /* NULL: its plan's counts have no closed form */
};

/* The counts of every node where all nodes have as much, in letters: n unknowns, along 2^r ranks in
 * X; R right-hand sides, over the other 2^c.  Matrices of real double entries; all collectives go
 * by recursive doubling. */
struct letters {
  int64_t n, nrhs;
  int r, c;
};
struct form {
  const char *variant;
  int64_t (*steps)(const struct letters *l);
  int64_t (*words)(const struct letters *l);
};
#define FORM_COLLECTIVES "allreduce=doubling,allgather=doubling,broadcast=doubling,reduce=doubling"
enum { FORM_ALPHA = 1 << 14 }; /* seconds a message; 1 a byte, 1 an operation */

/* An all-gather of the triangle, and of each rank column's right-hand sides. */
static int64_t gathered_steps(const struct letters *l) { return l->r + l->c + l->r; }
static int64_t gathered_words(const struct letters *l) {
  const int64_t t = l->n * l->n, x = l->n * l->nrhs >> l->c;
  return t - (t >> (l->r + l->c)) + x - (x >> l->r);
}

/* An all-reduction of all diagonal blocks, and one a block of the solution. */
static int64_t fan_in_block(const struct letters *l) {
  const double best = sqrt((double)FORM_ALPHA * (l->r + l->c) / (double)(8 + l->nrhs));
  return hy_min(l->n, hy_max(16, (int64_t)best));
}
static int64_t fan_in_steps(const struct letters *l) {
  return (l->r + l->c) * (hy_ceil_div(l->n, fan_in_block(l)) + 1);
}
static int64_t fan_in_words(const struct letters *l) {
  const int64_t block = fan_in_block(l), last = l->n % block;
  const int64_t diagonals = (l->n - last) * (block + 1) / 2 + last * (last + 1) / 2;
  return (l->r + l->c) * (diagonals + l->n * l->nrhs);
}

static const struct form FORMS[] = {
    {"fan-in", fan_in_steps, fan_in_words},
    {"gathered", gathered_steps, gathered_words},
};

/* The plan's counts for this node, compared with the ledger. */
static hyla_status check_counts(hyla_cube *cube, const hyla_plan *plan, size_t size) {
  const hyla_cost cost = hy_plan_mine(plan);
  hyla_ledger ledger;
  int64_t messages = 0, bytes = 0;
  TRY(hyla_cube_ledger(cube, &ledger));
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  messages += ledger.far_messages;
  bytes += ledger.far_bytes;
  CHECK(&cube->base,
        ledger.steps == cost.steps && messages == cost.messages &&
            bytes == cost.words * (int64_t)size,
        FORMAT, "%lld steps, %lld messages, %lld bytes; predicted %lld, %lld, %lld words",
        (long long)ledger.steps, (long long)messages, (long long)bytes, (long long)cost.steps,
        (long long)cost.messages, (long long)cost.words);
  return HYLA_OK;
}

static hyla_status check_stays(hyla_cube *cube, const hyla_plan *plan) {
  char text[8192];
  hyla_plan_explain(plan, text, sizeof text);
  CHECK(&cube->base, strstr(text, ", where B lies") != NULL, FORMAT, "B moves:\n%s", text);
  return HYLA_OK;
}

static hyla_status check_form(hyla_cube *cube, const hyla_plan *plan, const struct program *p) {
  const struct system *s = p->system;
  const bool left = s->side == HYLA_LEFT;
  const struct letters l = {s->order, left ? s->n : s->m, left ? p->b.row.dims : p->b.col.dims,
                            left ? p->b.col.dims : p->b.row.dims};
  const hyla_cost cost = hy_plan_mine(plan);
  const int64_t steps = p->form->steps(&l), words = p->form->words(&l);
  CHECK(&cube->base, cost.steps == steps && cost.words == words, FORMAT,
        "%lld steps, %lld words; the closed forms: %lld, %lld", (long long)cost.steps,
        (long long)cost.words, (long long)steps, (long long)words);
  return HYLA_OK;
}

static hyla_status solve(hyla_cube *cube, const struct program *p, hyla_matrix *a, hyla_matrix *b) {
  const struct system *s = p->system;
  hyla_plan *plan = NULL;
  lu_put(a, s->a);
  lu_put(b, s->b);
  TRY(hyla_trsm_plan(cube, s->side, s->triangle, s->op, s->diagonal, s->alpha, a, b, p->variant,
                     &plan));
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK && p->stays) status = hy_agree(cube, check_stays(cube, plan));
  if (status == HYLA_OK && p->form != NULL) status = hy_agree(cube, check_form(cube, plan, p));
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  if (status == HYLA_OK && p->counts) status = hy_agree(cube, check_counts(cube, plan, a->k->size));
  hyla_plan_destroy(&plan);
  return status == HYLA_OK ? hy_agree(cube, check_solution(s, b)) : status;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  const struct system *s = p->system;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_matrix_create(cube, s->type, s->order, s->order, &p->a, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, s->type, s->m, s->n, &p->b, &b);
  if (status == HYLA_OK) status = solve(cube, p, a, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* ------------------------------------------------------------ real ranks -- */

/* The line of a plan that says where A and X lie. */
static void lies_of(const hyla_plan *plan, char line[256]) {
  char text[8000];
  (void)hyla_plan_explain(plan, text, sizeof text);
  const char *found = strstr(text, "; X as ");
  assert_non_null(found);
  while (found > text && found[-1] != '\n') found--;
  snprintf(line, 256, "%.*s", (int)strcspn(found, "\n"), found);
}

/* A triangle in small square blocks stays, but where its variant brings it.  A variant that is
 * chosen does what it does when it is asked for. */
static void small_blocks_stay(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < hy_family_count(&hy_trsm_family) && cube->dims > 0; i++) {
    const struct hy_variant *row = hy_trsm_family.rows[i];
    if (!lu_serves(cube, row)) continue;
    const hyla_layout layout = lu_draw_layout(cube, 1 + i % 3);
    hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 40, 40, &layout);
    hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE, 40, 7, &layout);
    char lies[2][256], name[40];
    for (int chosen = 0; chosen < 3; chosen++) {
      hyla_plan *plan = NULL;
      bool brings = row->fixed || strcmp(row->name, "brought") == 0;
      lu_assert_status(cube,
                       hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1,
                                      a, b,
                                      chosen == 0   ? row->name
                                      : chosen == 1 ? NULL
                                                    : name,
                                      &plan),
                       HYLA_OK);
      lies_of(plan, lies[chosen % 2]);
      harness_note("%s, A %s: %s", hyla_plan_variant(plan), lu_layout_name(&layout),
                   lies[chosen % 2]);
      if (chosen == 0) assert_true((strstr(lies[0], ", where it lies") != NULL) == !brings);
      if (chosen == 1) snprintf(name, sizeof name, "%s", hyla_plan_variant(plan));
      hyla_plan_destroy(&plan);
    }
    assert_string_equal(lies[0], lies[1]);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

/* A plan names each collective of its variant, and the groups of right-hand sides, and none of
 * another variant's. */
static void explanations_name_what_travels(void **state) {
  (void)state;
  static const char *const travels[] = {
      "  sums of right-hand sides: ", "  right-hand sides in ",
      "  block columns of the triangle: ", "  block columns within spans: "};
  enum { LINES = sizeof travels / sizeof *travels };
  static const struct {
    const char *variant, *lines; /* for each of these 1: it is there */
  } rows[] = {{"panels", "0000"},
              {"stationary", "1000"},
              {"sweep", "1100"},
              {"identity", "1101"},
              {"product", "0001"}};
  hyla_cube *cube = cube_open(false);
  const hyla_layout layout =
      cube_layout(cube, harness_draw(0, 1) ? "gray/cyclic:4" : "binary/cyclic:4");
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 40, 40, &layout);
  hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE, 40, 40, &layout);
  const bool few = cube->dims == 2 || cube->sides.count > 0;
  const bool apart = few && a->row.parts > 1 && a->col.parts > 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && apart; i++) {
    if (!lu_serves(cube, hy_family_find(&hy_trsm_family, rows[i].variant))) continue;
    hyla_plan *plan = NULL;
    char text[8192], lines[LINES + 1] = "";
    lu_assert_status(cube,
                     hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a,
                                    b, rows[i].variant, &plan),
                     HYLA_OK);
    assert_true(hyla_plan_explain(plan, text, sizeof text) < sizeof text);
    for (size_t x = 0; x < LINES; x++) lines[x] = strstr(text, travels[x]) != NULL ? '1' : '0';
    harness_note("%s", rows[i].variant);
    assert_string_equal(lines, rows[i].lines);
    hyla_plan_destroy(&plan);
  }
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

enum { COMBINATIONS = 24, SIZES = 8 };

static void every_form_by_every_variant(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZES] = {0, 1, p - 1, p, p + 1, 13, 37, 70};
    for (int i = 0; i < COMBINATIONS * hy_family_count(&hy_trsm_family); i++) {
      const struct hy_variant *row = hy_trsm_family.rows[i / COMBINATIONS];
      if (!lu_serves(cube, row)) continue;
      struct program x = {.variant = row->name};
      struct system s =
          draw_system(row, i % COMBINATIONS, (hyla_type)harness_draw(0, TYPES - 1),
                      sizes[harness_draw(0, SIZES - 1)], sizes[harness_draw(0, SIZES - 1)]);
      x.system = &s;
      static const int64_t blocks[] = {1, 3, 32};
      x.a = harness_draw(0, 1) ? draw_on(cube) : lu_draw_layout(cube, blocks[harness_draw(0, 2)]);
      x.b = draw_on(cube);
      harness_note("%s, combination %d, type %d, %lld x %lld, A %s", x.variant, i % COMBINATIONS,
                   (int)s.type, (long long)s.m, (long long)s.n, lu_layout_name(&x.a));
      lu_assert_status(cube, run(cube, &x), HYLA_OK);
      free_system(&s);
    }
    cube_close(&cube);
  }
}

static hyla_status solve_by(hyla_cube *cube, const struct system *s, const char *variant,
                            hyla_matrix *a, hyla_matrix *b) {
  hyla_plan *plan = NULL;
  TRY(hyla_trsm_plan(cube, s->side, s->triangle, s->op, HYLA_ANY_DIAGONAL, s->alpha, a, b, variant,
                     &plan));
  hyla_status status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  return status;
}

/* By every variant.  alpha = 0 reads neither A nor B; for zeros on the diagonal all ranks report
 * the first one, and B does not change. */
static void zeros(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * hy_family_count(&hy_trsm_family); i++) {
    const struct hy_variant *row = hy_trsm_family.rows[i / 2];
    if (!lu_serves(cube, row)) continue;
    struct system s = draw_system(row, (int)harness_draw(0, COMBINATIONS / 2 - 1),
                                  (hyla_type)(i % TYPES), harness_draw(2, 40), 9);
    if (s.side == HYLA_RIGHT) s.n = s.order = 9;
    int64_t zero = harness_draw(0, s.order - 1);
    hyla_layout layout = draw_on(cube);
    hyla_matrix *a = lu_matrix(cube, (int)s.type, s.order, s.order, &layout);
    hyla_matrix *b = lu_matrix(cube, (int)s.type, s.m, s.n, i % 3 == 0 ? NULL : &layout);
    char named[64];
    s.a[zero + zero * s.order] = 0;
    s.a[s.order * s.order - 1] = 0;
    lu_put(a, s.a);
    lu_put(b, s.b);
    s.alpha = 2;
    lu_assert_status(cube, solve_by(cube, &s, row->name, a, b), HYLA_SINGULAR);
    snprintf(named, sizeof named, "diagonal entry %lld is exactly zero", (long long)zero + 1);
    assert_non_null(strstr(hyla_cube_message(cube), named));
    memcpy(s.x, s.b, (size_t)(s.m * s.n) * sizeof *s.b);
    s.alpha = 1;
    lu_assert_status(cube, hy_agree(cube, check_solution(&s, b)), HYLA_OK);
    for (int64_t e = 0; e < s.m * s.n; e++) s.b[e] = hy_complex(NAN, 0), s.x[e] = 0;
    lu_put(b, s.b);
    s.alpha = 0;
    lu_assert_status(cube, solve_by(cube, &s, row->name, a, b), HYLA_OK);
    lu_assert_status(cube, hy_agree(cube, check_solution(&s, b)), HYLA_OK);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
    free_system(&s);
  }
  cube_close(&cube);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 5, 5, NULL), *b = lu_matrix(cube, 1, 4, 3, NULL);
  hyla_matrix *flat = lu_matrix(cube, HYLA_DOUBLE, 5, 4, NULL),
              *single = lu_matrix(cube, 0, 5, 2, NULL);
  hyla_plan *plan = NULL;
  lu_assert_says(cube,
                 hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, b),
                 HYLA_ARGUMENT, "a is 5 x 5, b is 4 x 3; b must have as many rows as a has rows");
  lu_assert_says(cube,
                 hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, flat, b),
                 HYLA_ARGUMENT, "must be square");
  lu_assert_says(cube,
                 hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, single),
                 HYLA_ARGUMENT, "a is of type d and b of type s");
  lu_assert_says(cube,
                 hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, a),
                 HYLA_ARGUMENT, "b, which is written, shares entries with a");
  lu_assert_says(
      cube, hyla_trsm(cube, (hyla_side)2, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, flat),
      HYLA_ARGUMENT, "side is 2; there are HYLA_LEFT, HYLA_RIGHT");
  lu_assert_says(cube,
                 hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a,
                                flat, "panel", &plan),
                 HYLA_ARGUMENT, "panels");
  assert_null(plan);
  hyla_matrix_destroy(&single);
  hyla_matrix_destroy(&flat);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static void counted_is_predicted_on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < 3 * hy_family_count(&hy_trsm_family); i++) {
      const struct hy_variant *row = hy_trsm_family.rows[i / 3];
      int combination = (int)harness_draw(0, COMBINATIONS - 1);
      struct system s = draw_system(row, combination, (hyla_type)harness_draw(0, TYPES - 1),
                                    harness_draw(0, 60), harness_draw(0, 60));
      struct program x = {.system = &s, .variant = row->name, .counts = true};
      const hyla_cube nodes = draw_nodes(dims, row->arrays && i % 3 > 0);
      char array[DRAW_ARRAY];
      hyla_simulation model = {.dims = dims, .array = array, .alpha = 1, .beta = 0.001};
      hyla_report report;
      x.a = draw_on(&nodes);
      x.b = draw_on(&nodes);
      draw_nodes_array(&nodes, array);
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [%s, dims %d, array %s, combination %d, %lld x %lld, type %d]",
                 hyla_status_name(status), report.message, x.variant, dims, array, combination,
                 (long long)s.m, (long long)s.n, (int)s.type);
      free_system(&s);
    }
}

/* Square blocks on 2^r x 2^c nodes. */
static hyla_layout blocks_on(int r, int c, int64_t block) {
  hyla_layout layout = {.row = {.dims = r, .storage = HYLA_CYCLIC, .block = block},
                        .col = {.dims = c, .storage = HYLA_CYCLIC, .block = block}};
  for (int i = 0; i < r; i++) layout.row.dim[i] = (uint8_t)(c + i);
  for (int i = 0; i < c; i++) layout.col.dim[i] = (uint8_t)i;
  return layout;
}

static void simulated(const struct program *x, hyla_simulation model, hyla_report *report) {
  const struct system *s = x->system;
  hyla_status status = hyla_simulate(&model, run, (void *)(uintptr_t)x, report);
  if (status != HYLA_OK)
    fail_msg("%s: %s [%s, dims %d, side %d, triangle %d, op %d, %s]", hyla_status_name(status),
             report->message, x->variant, model.dims, (int)s->side, (int)s->triangle, (int)s->op,
             lu_layout_name(&x->a));
}

/* Every array of up to 16 nodes, every form; the operands lie as they must. */
static void counts_have_closed_forms(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  const hyla_options options = {.collective = FORM_COLLECTIVES};
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
    for (int r = 0; r <= 2; r++)
      for (int c = 0; c <= 2; c++) {
        const int64_t nrhs = INT64_C(8) << harness_draw(0, 2);
        const int combination = (int)harness_draw(0, COMBINATIONS - 1);
        const bool right = combination % 2, turned = combination / 4 % 3 != 0;
        struct system s = draw_system(hy_trsm_family.rows[0], combination, HYLA_DOUBLE,
                                      right ? nrhs : 64, right ? 64 : nrhs);
        struct program x = {.system = &s,
                            .variant = FORMS[i].variant,
                            .a = blocks_on(r, c, 2),
                            .b = blocks_on(r, c, 2),
                            .counts = true,
                            .stays = true,
                            .form = &FORMS[i]};
        if (turned) x.b = (hyla_layout){.row = x.b.col, .col = x.b.row};
        const hyla_simulation model = {
            .dims = r + c, .alpha = FORM_ALPHA, .beta = 1, .gamma = 1, .options = &options};
        hyla_report report;
        simulated(&x, model, &report);
        free_system(&s);
      }
}

/* A transposed triangle takes the same work: half of A is brought as op(A), and all of B stays. */
static void right_hand_sides_stay_where_they_lie(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  static const int grids[][2] = {{0, 1}, {1, 0}, {1, 1}, {1, 2}};
  for (int i = 0; i < 4 * COMBINATIONS; i++) {
    const int *grid = grids[i / COMBINATIONS];
    struct system s = draw_system(hy_trsm_family.rows[0], i % COMBINATIONS,
                                  (hyla_type)harness_draw(0, TYPES - 1), 192, 192);
    const struct program x = {.system = &s,
                              .variant = "brought",
                              .a = blocks_on(grid[0], grid[1], 32),
                              .b = blocks_on(grid[0], grid[1], 32),
                              .counts = true,
                              .stays = true};
    const hyla_simulation model = {.dims = grid[0] + grid[1], .alpha = 1, .beta = 0.001};
    hyla_report report;
    simulated(&x, model, &report);
    free_system(&s);
  }
}

/* Two rank rows have the diagonal blocks in turn; the one with more work only waits for the first
 * of these.  There are 8 block rows: the second rank has four diagonal blocks and 1, 3, 5, 7
 * products.  A product takes as long as two diagonal blocks. */
static void a_block_is_solved_for_ahead(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  enum { N = 256, BLOCK = 32 };
  struct system s = draw_system(hy_trsm_family.rows[0], 0, HYLA_DOUBLE, N, N);
  const struct program x = {
      .system = &s, .variant = "panels", .a = blocks_on(1, 0, BLOCK), .b = blocks_on(1, 0, BLOCK)};
  const hyla_simulation model = {.dims = 1, .gamma = 1};
  const double diagonal = (double)BLOCK * BLOCK * N;
  hyla_report report;
  simulated(&x, model, &report);
  harness_note("%g times a diagonal block's", report.time / diagonal);
  assert_true(report.time == diagonal * (1 + 4 + 2 * (1 + 3 + 5 + 7)));
  free_system(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_blocks_stay),
      cmocka_unit_test(explanations_name_what_travels),
      cmocka_unit_test(every_form_by_every_variant),
      cmocka_unit_test(zeros),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(counted_is_predicted_on_virtual_cubes),
      cmocka_unit_test(counts_have_closed_forms),
      cmocka_unit_test(right_hand_sides_stay_where_they_lie),
      cmocka_unit_test(a_block_is_solved_for_ahead),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
