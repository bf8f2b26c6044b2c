/* Substitution with triangular systems: every side, triangle, op and diagonal, few and many
 * right-hand sides, on virtual cubes; a counting cube predicts what the ledger counts. */
// limit: 120
#include "lu_case.h"

#include "sim/sim.h"
#include "solve/panels/panels.h"

/* One system, which all nodes share: op(T) X = B or X op(T) = B with a known X. */
struct program {
  struct hy_triangular form; /* without t and block */
  hyla_type type;
  int64_t n, nrhs, block;
  int rows; /* cube dimensions of T's rows: the high ones */
  bool travelling, sweep;
  int64_t width;                    /* of a group of right-hand sides, in a sweep */
  const double _Complex *t, *x, *b; /* by columns; x and b as they stand on their side */
};

static hyla_axis axis_of(int first, int dims, int64_t block) {
  hyla_axis axis = {.dims = dims, .code = HYLA_GRAY, .storage = HYLA_CYCLIC, .block = block};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(first + i);
  return axis;
}

/* T's rows are on the high dimensions, its columns on the low ones.  X's long axis lies along the
 * axis of T along which it is solved, its other axis over T's other dimensions. */
static void layouts_of(const hyla_cube *cube, const struct program *p, hyla_layout *t,
                       hyla_layout *x) {
  int low = cube->dims - p->rows;
  hyla_axis rows = axis_of(low, p->rows, p->block), cols = axis_of(0, low, p->block);
  bool left = p->form.side == HYLA_LEFT, transposed = p->form.op != HYLA_NONE;
  hyla_axis along = left != transposed ? rows : cols, across = left != transposed ? cols : rows;
  across.block = 3;
  *t = (hyla_layout){.row = rows, .col = cols};
  *x = left ? (hyla_layout){.row = along, .col = across}
            : (hyla_layout){.row = across, .col = along};
}

static int64_t count_of_groups(const struct program *p) {
  return hy_max(1, hy_ceil_div(p->nrhs, p->width));
}

/* The workspace that the caller of a substitution supplies. */
struct room {
  char *owner; /* of the panels */
  struct hy_subcube_op adds, spreads, shares;
  struct hy_panels panels;
};

static hyla_status furnish(const struct program *p, struct hy_substitution *s, const hyla_matrix *x,
                           struct room *room) {
  hyla_cube *cube = x->cube;
  struct hyla_matrix seen = hy_substitution_x(s, x);
  int64_t size = (int64_t)s->k->size, m = seen.col.n, n = seen.row.n;
  uint32_t rows = s->array.row_dims, cols = s->array.col_dims;
  TRY(hy_subcube_make(cube, cols, HY_TASK_REDUCE, hy_max(n, s->array.block) * m, s->k->size,
                      &room->adds));
  TRY(hy_subcube_make(cube, rows, HY_TASK_BROADCAST, s->array.block * m, s->k->size,
                      &room->spreads));
  TRY(hy_subcube_make(cube, p->sweep ? rows : cols, HY_TASK_BROADCAST,
                      hy_max(n, m) * s->array.block, s->k->size, &room->shares));
  TRY(hy_subcube_allocate(&room->adds));
  TRY(hy_subcube_allocate(&room->spreads));
  TRY(hy_subcube_allocate(&room->shares));
  TRY(hy_alloc(&cube->base, 1, 1, &room->owner));
  TRY(hy_panels_create(
      room->owner, &room->shares,
      hy_max(hy_substitution_slot(s), hy_ceil_div(s->array.block * m * size, 64) * 64),
      &room->panels));
  TRY(hy_alloc(&cube->base, hy_substitution_sums(s, m), 1, &s->sums));
  TRY(hy_alloc(&cube->base, 2 * s->array.block * m, (size_t)size, &s->blocks));
  TRY(hy_alloc(&cube->base, s->array.block * seen.local_cols, (size_t)size, &s->solved));
  TRY(hy_alloc(&cube->base, seen.local_rows * seen.local_cols, (size_t)size, &s->transposed));
  s->groups = count_of_groups(p);
  TRY(hy_alloc(&cube->base, 2 * hy_sweep_rows(s) * m, (size_t)size, &s->travels));
  TRY(hy_alloc(&cube->base, HY_SWEEP_MESSAGES * s->groups, sizeof *s->messages, &s->messages));
  s->adds = &room->adds;
  s->spreads = &room->spreads;
  s->panels = &room->panels;
  return HYLA_OK;
}

static void clear_up(hyla_cube *cube, struct hy_substitution *s, struct room *room) {
  hy_free(&cube->base, &room->owner);
  hy_subcube_free(&room->shares);
  hy_subcube_free(&room->spreads);
  hy_subcube_free(&room->adds);
  hy_free(&cube->base, &s->messages);
  hy_free(&cube->base, &s->travels);
  hy_free(&cube->base, &s->transposed);
  hy_free(&cube->base, &s->solved);
  hy_free(&cube->base, &s->blocks);
  hy_free(&cube->base, &s->sums);
}

static hyla_status substitute(const struct program *p, const struct hy_substitution *s,
                              const hyla_matrix *x) {
  if (p->sweep) return hy_substitute_sweep(s, x);
  return p->travelling ? hy_substitute_travelling(s, x) : hy_substitute_stationary(s, x);
}

/* The same on a counting cube. */
static hyla_status count(const struct program *p, const hyla_matrix *t, const hyla_matrix *x,
                         hyla_cost *cost) {
  hyla_cube *cube = t->cube, counting;
  const struct hy_operand lie_t = hy_operand_of(t, HYLA_NONE), lie_x = hy_operand_of(x, HYLA_NONE);
  struct room room = {0};
  hy_count_begin(cube, cube->address, &counting);
  hyla_matrix counted_t = hy_matrix_counted(&counting, p->type, &lie_t);
  hyla_matrix counted_x = hy_matrix_counted(&counting, p->type, &lie_x);
  struct hy_triangular system = p->form;
  system.t = &counted_t;
  system.block = p->block;
  struct hy_substitution s = hy_substitution_of(&system);
  hyla_status status = furnish(p, &s, &counted_x, &room);
  if (status == HYLA_OK) status = substitute(p, &s, &counted_x);
  clear_up(&counting, &s, &room);
  *cost = hy_count_end(cube, &counting, t->k->size);
  return status;
}

static hyla_status check_counts(const struct program *p, const hyla_matrix *t,
                                const hyla_matrix *x) {
  hyla_cube *cube = t->cube;
  hyla_ledger ledger;
  hyla_cost cost;
  TRY(hyla_cube_ledger(cube, &ledger));
  TRY(count(p, t, x, &cost));
  int64_t messages = 0, bytes = 0;
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  CHECK(&cube->base,
        ledger.steps == cost.steps && messages == cost.messages && ledger.far_messages == 0 &&
            bytes == cost.words * (int64_t)t->k->size,
        FORMAT, "%lld steps, %lld messages, %lld bytes; predicted %lld, %lld, %lld words",
        (long long)ledger.steps, (long long)messages, (long long)bytes, (long long)cost.steps,
        (long long)cost.messages, (long long)cost.words);
  return HYLA_OK;
}

static hyla_status check_solution(const struct program *p, const hyla_matrix *x) {
  for (int64_t m = 0; m < x->local_cols; m++)
    for (int64_t l = 0; l < x->local_rows; l++) {
      int64_t row = hyla_matrix_row(x, l), col = hyla_matrix_col(x, m);
      double off = cabs(x->k->get(hy_at(x, l, m), 0) - p->x[row + col * x->row.n]);
      CHECK(&x->cube->base, off <= 100 * (double)(p->n + 1) * x->k->epsilon, FORMAT,
            "x(%lld, %lld) is off by %g", (long long)row, (long long)col, off);
    }
  return HYLA_OK;
}

static hyla_status solve(const struct program *p, hyla_matrix *t, hyla_matrix *x) {
  hyla_cube *cube = t->cube;
  struct room room = {0};
  struct hy_triangular system = p->form;
  lu_put(t, p->t);
  lu_put(x, p->b);
  system.t = t;
  system.block = p->block;
  struct hy_substitution s = hy_substitution_of(&system);
  hyla_status status = hy_agree(cube, furnish(p, &s, x, &room));
  int64_t before = cube->base.allocations;
  if (status == HYLA_OK) status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hy_agree(cube, substitute(p, &s, x));
  bool frugal = cube->base.allocations == before;
  if (status == HYLA_OK && !frugal)
    status = hy_fail(&cube->base, HYLA_FORMAT, "running took memory");
  if (status == HYLA_OK) status = check_counts(p, t, x);
  if (status == HYLA_OK) status = check_solution(p, x);
  status = hy_agree(cube, status);
  clear_up(cube, &s, &room);
  return status;
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_layout like_t, like_x;
  hyla_matrix *t = NULL, *x = NULL;
  bool left = p->form.side == HYLA_LEFT;
  layouts_of(cube, p, &like_t, &like_x);
  hyla_status status = hyla_matrix_create(cube, p->type, p->n, p->n, &like_t, &t);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, p->type, left ? p->n : p->nrhs, left ? p->nrhs : p->n,
                                &like_x, &x);
  if (status == HYLA_OK) status = solve(p, t, x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&t);
  return status;
}

/* ---------------------------------------------------------------- systems -- */

static double _Complex number(bool complex_type) {
  double re = (double)harness_draw(-8, 8), im = complex_type ? (double)harness_draw(-8, 8) : 0;
  return hy_complex(re, im);
}

/* Entry (i, j) of op(T), with the ones of a unit diagonal and the zeros outside the triangle. */
static double _Complex entry(const struct program *p, int64_t i, int64_t j) {
  int64_t row = p->form.op == HYLA_NONE ? i : j, col = p->form.op == HYLA_NONE ? j : i;
  if (p->form.triangle == HYLA_LOWER ? row < col : row > col) return 0;
  if (row == col && p->form.diagonal == HYLA_UNIT_DIAGONAL) return 1;
  double _Complex t = p->t[row + col * p->n];
  return p->form.op == HYLA_CONJUGATE ? conj(t) : t;
}

/* T has entries everywhere, so that a forbidden read would show; its diagonal is the larger
 * part. */
static void draw(const struct program *p, double _Complex *t, double _Complex *x,
                 double _Complex *b) {
  int64_t n = p->n, m = p->nrhs;
  bool complex_type = p->type >= HYLA_COMPLEX, left = p->form.side == HYLA_LEFT;
  for (int64_t i = 0; i < n * n; i++) t[i] = number(complex_type) / (double)(8 * n);
  for (int64_t i = 0; i < n; i++) t[i + i * n] += 2;
  for (int64_t i = 0; i < n * m; i++) x[i] = number(complex_type) / 8;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t c = 0; c < m; c++) {
        if (left)
          b[i + c * n] += entry(p, i, j) * x[j + c * n];
        else
          b[c + j * m] += x[c + i * m] * entry(p, i, j);
      }
}

static void solve_one(struct program *p, int dims) {
  size_t square = (size_t)(p->n * p->n + 1), thin = (size_t)(p->n * p->nrhs + 1);
  double _Complex *t = calloc(square, sizeof *t), *x = calloc(thin, sizeof *x);
  double _Complex *b = calloc(thin, sizeof *b);
  assert_true(t != NULL && x != NULL && b != NULL);
  p->t = t;
  p->x = x;
  p->b = b;
  draw(p, t, x, b);
  hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, run, p, &report);
  if (status != HYLA_OK)
    fail_msg("%s: %s [dims %d, rows %d, n %lld, nrhs %lld, block %lld, type %d, %s, side %d, "
             "triangle %d, op %d, diagonal %d]",
             hyla_status_name(status), report.message, dims, p->rows, (long long)p->n,
             (long long)p->nrhs, (long long)p->block, (int)p->type,
             p->sweep        ? "sweep"
             : p->travelling ? "many"
                             : "few",
             (int)p->form.side, (int)p->form.triangle, (int)p->form.op, (int)p->form.diagonal);
  free(t);
  free(x);
  free(b);
}

static void every_form_is_solved(void **state) {
  (void)state;
  enum { FORMS = 2 * 2 * 3 * 2 };
  for (int i = 0; i < 3 * FORMS; i++)
    for (int dims = 0; dims <= 5; dims++) {
      const int64_t nodes = INT64_C(1) << dims;
      const int64_t sizes[] = {0, 1, nodes - 1, nodes, nodes + 1, 13, 37};
      struct program p = {.form = {.side = i & 1 ? HYLA_RIGHT : HYLA_LEFT,
                                   .triangle = i & 2 ? HYLA_UPPER : HYLA_LOWER,
                                   .diagonal = i & 4 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL,
                                   .op = (hyla_operation)(i / 8 % 3)},
                          .type = (hyla_type)harness_draw(0, TYPES - 1),
                          .n = sizes[harness_draw(0, 6)],
                          .nrhs = harness_draw(0, harness_draw(0, 3) ? 9 : 40),
                          .block = harness_draw(1, 7),
                          .rows = (int)harness_draw(0, dims),
                          .travelling = i / FORMS == 1,
                          .sweep = i / FORMS == 2,
                          .width = harness_draw(1, 4)};
      solve_one(&p, dims);
    }
}

/* In a sweep the blocks of a step, at their own width, must not overwrite blocks that are still
 * needed: a short block comes first, and fewer groups than a block has rows are under way. */
static void short_first_blocks_stay(void **state) {
  (void)state;
  for (int i = 0; i < 24; i++) {
    int64_t block = harness_draw(8, 16);
    struct program p = {.form = {.side = i & 1 ? HYLA_RIGHT : HYLA_LEFT,
                                 .triangle = i & 1 ? HYLA_LOWER : HYLA_UPPER},
                        .type = HYLA_DOUBLE,
                        .n = block * harness_draw(2, 4) + 1,
                        .nrhs = harness_draw(8, 24),
                        .block = block,
                        .sweep = true,
                        .width = harness_draw(1, 3)};
    solve_one(&p, i % 3 + 1);
  }
}

/* Solves with a block by inverted tiles: every triangle, op and diagonal. */
static void tiles_solve(void **state) {
  (void)state;
  static const int orders[] = {1, 15, 16, 17, 40};
  const struct hy_kernels *k = hy_kernels_of(HYLA_DOUBLE_COMPLEX);
  hyla_cube none = {0};
  enum { COUNT = 3, MOST = 40 };
  for (int i = 0; i < 5 * 12; i++) {
    int n = orders[i % 5], form = i / 5;
    struct program p = {.form = {.triangle = form & 1 ? HYLA_UPPER : HYLA_LOWER,
                                 .diagonal = form & 2 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL,
                                 .op = (hyla_operation)(form / 4)},
                        .type = HYLA_DOUBLE_COMPLEX,
                        .n = n,
                        .nrhs = COUNT};
    double _Complex t[MOST * MOST], x[MOST * COUNT], b[MOST * COUNT] = {0}, found[MOST * COUNT];
    p.t = t;
    draw(&p, t, x, b);
    const struct hy_tiles tiles = {.cube = &none,
                                   .k = k,
                                   .triangle = p.form.triangle,
                                   .diagonal = p.form.diagonal,
                                   .order = n,
                                   .t = (const char *)t,
                                   .ld = n};
    hy_tiles_invert(&tiles, (char *)t);
    hy_tiles_solve(&tiles, p.form.op, COUNT, (char *)b, n, (char *)found, n);
    for (int e = 0; e < n * COUNT; e++) assert_true(cabs(found[e] - x[e]) < 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_is_solved),
      cmocka_unit_test(short_first_blocks_stay),
      cmocka_unit_test(tiles_solve),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
