/* One property over all methods: every variant of every method solves the systems that it should,
 * and refuses all others.  On real ranks and on virtual cubes and arrays of every shape it makes
 * the known factors, solves op(A) X = B, counts what was predicted, gives the parts that it has and
 * names a method for the others.  The entry that stops it is named, and the next run succeeds; a
 * layout that it does not take is refused, with the reason; a lost message ends it.
 *
 * A row of VARIANTS (variants.h) has the systems that a variant takes; a variant without a row
 * fails.  A test of a method's name has that method's particular properties. */
// ranks: 1 3 4 8
// sample: 1 3
// arrays: 2x3
// alone: 1
// limit: 240
#include "factors_case.h"
#include "hyla_lab.h"
#include "tests/harness/draw.h"
#include "variants.h"

enum { SIDES = 70, BLOCK_COUNT = 4, SIZE_COUNT = 12 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};

static void every_variant_has_a_row(void **state) {
  (void)state;
  int count = 0;
  for (int m = 0; m < hy_method_count; m++)
    for (const struct hy_variant *const *v = hy_methods[m].variants.rows; *v != NULL;
         v++, count++) {
      int row = 0;
      while (row < VARIANT_COUNT && (strcmp(VARIANTS[row].method, hy_methods[m].is.name) != 0 ||
                                     strcmp(VARIANTS[row].variant, (*v)->name) != 0))
        row++;
      if (row == VARIANT_COUNT)
        fail_msg("%s: %s has no row in VARIANTS", hy_methods[m].is.name, (*v)->name);
    }
  assert_int_equal(count, VARIANT_COUNT);
}

/* -------------------------------------------------------------- one system -- */

/* The program of the nodes, which share it and only read it. */
struct program {
  const struct variant_row *row;
  const struct known *s;
  hyla_type type;
  hyla_layout layout;              /* of the factors */
  hyla_layout given, sides, found; /* of the matrices: A, B, X */
  bool in_place;                   /* X is B */
  int first;                       /* the op of the first solution */
  bool late;                       /* the factors are looked at after the solutions */
};

static hyla_status make_factor(hyla_cube *cube, const struct program *p, hyla_factor **factor) {
  return hyla_factor_create(cube, method_of(p->row), p->type, p->s->n, p->s->nrhs, &p->layout,
                            p->row->variant, factor);
}

static hyla_status compute(hyla_cube *cube, const struct program *p, const hyla_layout *layout,
                           hyla_factor *factor) {
  hyla_matrix *a = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->s->n, p->s->n, layout, &a));
  lu_put(a, p->s->given);
  hyla_status status = hyla_factor_compute(cube, factor, a);
  hyla_matrix_destroy(&a);
  return status;
}

/* |op(A) X - B| as hyla_residual has it. */
static hyla_status check_residual(const struct program *p, hyla_operation op, const hyla_matrix *b,
                                  const hyla_matrix *x) {
  hyla_cube *cube = x->cube;
  hyla_matrix *a = NULL;
  double residual = NAN;
  TRY(hyla_matrix_create(cube, p->type, p->s->n, p->s->n, NULL, &a));
  for (int64_t c = 0; c < a->local_cols; c++)
    for (int64_t r = 0; r < a->local_rows; r++) {
      int64_t i = hyla_matrix_row(a, r), j = hyla_matrix_col(a, c), n = p->s->n;
      double _Complex entry = p->s->a[op == HYLA_NONE ? i + j * n : j + i * n];
      a->k->set(hy_at(a, r, c), 0, op == HYLA_CONJUGATE ? conj(entry) : entry);
    }
  hyla_status status = hyla_residual(cube, a, x, b, &residual);
  hyla_matrix_destroy(&a);
  TRY(status);
  /* Below order 4 reflections and rotations round more than n times. */
  double counted = method_of(p->row) == HYLA_QR ? fmax(1, 4 / (double)p->s->n) : 1;
  CHECK(&cube->base, residual <= counted * p->row->residual, FORMAT, "op %d: the residual is %g",
        (int)op, residual);
  return HYLA_OK;
}

static hyla_status check_solution(const struct program *p, const hyla_matrix *x) {
  double bound = known_error(p->s, x->k->epsilon);
  for (int64_t c = 0; c < x->local_cols; c++)
    for (int64_t r = 0; r < x->local_rows; r++) {
      int64_t i = hyla_matrix_row(x, r), j = hyla_matrix_col(x, c);
      double _Complex found = x->k->get(hy_at(x, r, c), 0), known = p->s->x[i + j * p->s->n];
      CHECK(&x->cube->base, cabs(found - known) <= bound, FORMAT,
            "x(%lld, %lld) is %g%+gi, not %g%+gi", (long long)i, (long long)j, creal(found),
            cimag(found), creal(known), cimag(known));
    }
  return HYLA_OK;
}

static hyla_status check_x(const struct program *p, hyla_operation op, const hyla_matrix *x) {
  if (p->s->x != NULL) return hy_agree(x->cube, check_solution(p, x));
  hyla_matrix *b = NULL;
  TRY(hyla_matrix_create(x->cube, p->type, p->s->n, x->col.n, NULL, &b));
  lu_put(b, p->s->b[op]);
  hyla_status status = check_residual(p, op, b, x);
  if (status == HYLA_OK && method_of(p->row) == HYLA_QR)
    status = factors_check_solution(p->s, op, x);
  hyla_matrix_destroy(&b);
  return status;
}

static hyla_status solve(const struct program *p, hyla_factor *factor, hyla_operation op,
                         hyla_matrix *b, hyla_matrix *x) {
  hyla_cube *cube = b->cube;
  lu_put(b, p->s->b[op]);
  TRY(hyla_factor_solve(cube, factor, op, b, p->in_place ? b : x));
  if (!p->in_place) TRY(hy_agree(cube, lu_check_entries(b, p->s->b[op], "b")));
  return check_x(p, op, p->in_place ? b : x);
}

/* For every op, then for the first one again and fewer columns than the factorization was made
 * for. */
static hyla_status check_solutions(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  hyla_status status = HYLA_OK;
  for (int turn = 0; turn < 4 && status == HYLA_OK; turn++) {
    hyla_matrix *b = NULL, *x = NULL;
    int64_t nrhs = turn < 3 ? p->s->nrhs : p->s->nrhs / 2;
    status = hyla_matrix_create(cube, p->type, p->s->n, nrhs, &p->sides, &b);
    if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, p->s->n, nrhs, &p->found, &x);
    if (status == HYLA_OK) status = solve(p, factor, (hyla_operation)((p->first + turn) % 3), b, x);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&b);
  }
  return status;
}

static hyla_status check_bits(const hyla_matrix *x, const hyla_matrix *y) {
  for (int64_t c = 0; c < x->local_cols && x->local_rows > 0; c++)
    CHECK(&x->cube->base,
          memcmp(hy_at(x, 0, c), hy_at(y, 0, c), (size_t)x->local_rows * x->k->size) == 0, FORMAT,
          "x has other bits where b rides along");
  return HYLA_OK;
}

/* The solution of b, which rode along, against that of the finished factors. */
static hyla_status compare_bits(const struct program *p, hyla_factor *factor,
                                const hyla_matrix *x) {
  hyla_matrix *y = NULL;
  TRY(hyla_matrix_create(x->cube, p->type, p->s->n, p->s->nrhs, &p->sides, &y));
  lu_put(y, p->s->b[HYLA_NONE]);
  hyla_status status = hyla_factor_solve(x->cube, factor, HYLA_NONE, y, y);
  if (status == HYLA_OK) status = hy_agree(x->cube, check_bits(x, y));
  hyla_matrix_destroy(&y);
  return status;
}

/* The right-hand sides are eliminated along with A. */
static hyla_status check_riding(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  hyla_matrix *a = NULL, *b = NULL;
  if (p->s->nrhs == 0) return HYLA_OK;
  hyla_status status = hyla_matrix_create(cube, p->type, p->s->n, p->s->n, &p->given, &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, p->type, p->s->n, p->s->nrhs, &p->sides, &b);
  if (status == HYLA_OK) {
    lu_put(a, p->s->given);
    lu_put(b, p->s->b[HYLA_NONE]);
    status = hy_factor_compute(factor, a, b);
  }
  if (status == HYLA_OK) status = hy_factor_finish(factor, b);
  if (status == HYLA_OK) status = check_x(p, HYLA_NONE, b);
  if (status == HYLA_OK && p->row->same_bits) status = compare_bits(p, factor, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* ------------------------------------------------------------------ counts -- */

/* The ledger's counts are those of the plan, or at most those where the pivots decide. */
static hyla_status check_counts(hyla_cube *cube, const struct program *p,
                                const hyla_factor *factor) {
  hyla_cost found, most = hy_plan_mine(hyla_factor_plan(factor));
  size_t size = hy_kernels_of(p->type)->size;
  if (cube->address < 0) return HYLA_OK;
  if (!p->row->draws_pivots) return lu_check_counted(cube, size, &most);
  TRY(lu_counted(cube, size, &found));
  CHECK(&cube->base,
        found.steps <= most.steps && found.messages <= most.messages && found.words <= most.words,
        FORMAT, "%lld steps, %lld messages, %lld words; at most %lld %lld %lld were predicted",
        (long long)found.steps, (long long)found.messages, (long long)found.words,
        (long long)most.steps, (long long)most.messages, (long long)most.words);
  return HYLA_OK;
}

/* One factorization and one solution of matrices that lie as they are expected: nothing is
 * allocated, and the counts are those predicted. */
static hyla_status check_run(hyla_cube *cube, const struct program *p, hyla_factor *factor,
                             hyla_matrix *a, hyla_matrix *b) {
  lu_put(a, p->s->given);
  lu_put(b, p->s->b[HYLA_NONE]);
  TRY(hyla_cube_ledger_clear(cube));
  int64_t allocations = cube->base.allocations;
  TRY(hyla_factor_compute(cube, factor, a));
  if (p->s->nrhs > 0) TRY(hyla_factor_solve(cube, factor, HYLA_NONE, b, b));
  hyla_status mine = check_counts(cube, p, factor);
  if (mine == HYLA_OK && cube->base.allocations != allocations)
    mine = hy_fail(&cube->base, HYLA_FORMAT, "the run allocates");
  TRY(hy_agree(cube, mine));
  return p->s->nrhs > 0 ? check_x(p, HYLA_NONE, b) : HYLA_OK;
}

static hyla_status check_planned(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  const hyla_layout *layout = &factor->problem.layout;
  hyla_matrix *a = NULL, *b = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->s->n, p->s->n, layout, &a));
  hyla_status status = hyla_matrix_create(cube, p->type, p->s->n, p->s->nrhs, layout, &b);
  if (status == HYLA_OK) status = check_run(cube, p, factor, a, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* ------------------------------------------------------------------- parts -- */

enum part { LOWER, UPPER, PACKED, ROWS, DETERMINANT, DIAGONAL, INERTIA_OF, REFLECTIONS, PARTS };

/* The words for a part that a method has not; those for an inverse come first. */
static const char *const PART_WORDS[PARTS] = {
    [LOWER] = "makes no lower triangle; take lu for one",
    [PACKED] = "are not LAPACK's; take lu, cholesky or householder's qr",
    [DIAGONAL] = "has no block diagonal factor; factor by HYLA_LDL",
    [INERTIA_OF] = "has no block diagonal factor; factor by HYLA_LDL",
    [REFLECTIONS] = "makes none; take householder's qr",
};

static bool has_part(const struct variant_row *row, enum part part) {
  hyla_method method = method_of(row);
  bool reflections = method == HYLA_QR && row->layouts == ANY_BLOCK;
  switch (part) {
  case DIAGONAL:
  case INERTIA_OF: return method == HYLA_LDL;
  case REFLECTIONS: return reflections;
  case PACKED: return method == HYLA_LU || method == HYLA_CHOLESKY || reflections;
  case LOWER: return method != HYLA_QR && !method_row(method)->by_inverse;
  default: return !method_row(method)->by_inverse;
  }
}

static hyla_status give(hyla_cube *cube, const hyla_factor *factor, enum part part,
                        hyla_matrix *m) {
  const int64_t n = m->row.n;
  double _Complex *numbers = calloc((size_t)(2 * n + 2), sizeof *numbers);
  double *reals = (double *)numbers;
  int64_t *places = (int64_t *)numbers;
  assert_non_null(numbers);
  hyla_status status = HYLA_OK;
  switch (part) {
  case LOWER: status = hyla_factor_lower(cube, factor, m); break;
  case UPPER: status = hyla_factor_upper(cube, factor, m); break;
  case PACKED: status = hyla_factor_packed(cube, factor, HYLA_LOWER, m); break;
  case ROWS: status = hyla_factor_permutation(cube, factor, places); break;
  case DETERMINANT: status = hyla_factor_determinant(cube, factor, reals, reals + 1); break;
  case DIAGONAL: status = hyla_factor_diagonal(cube, factor, reals, numbers + n + 1); break;
  case INERTIA_OF: status = hyla_factor_inertia(cube, factor, places, places + 1); break;
  default: status = hyla_factor_reflections(cube, factor, reals);
  }
  free(numbers);
  return status;
}

static hyla_status check_part(hyla_cube *cube, const struct program *p, const hyla_factor *factor,
                              enum part part, hyla_matrix *m) {
  hyla_status status = give(cube, factor, part, m);
  if (has_part(p->row, part)) return status;
  bool triangle = part <= DETERMINANT;
  const char *words = triangle && method_row(method_of(p->row))->by_inverse
                          ? "makes the inverse, and no triangular factors; take lu for these"
                          : PART_WORDS[part];
  CHECK(&cube->base, status == HYLA_UNSUPPORTED && strstr(hyla_cube_message(cube), words) != NULL,
        FORMAT, "part %d: %s, without the words \"%s\"", (int)part, hyla_status_name(status),
        words);
  return HYLA_OK;
}

/* Each part is given or refused; the growth is 1 or more, or NaN by an inverse, which has no U. */
static hyla_status check_parts(hyla_cube *cube, const struct program *p,
                               const hyla_factor *factor) {
  hyla_matrix *m = NULL;
  double growth = 0;
  bool none = method_row(method_of(p->row))->by_inverse && p->s->n > 0;
  TRY(hyla_matrix_create(cube, p->type, p->s->n, p->s->n, &p->given, &m));
  hyla_status status = HYLA_OK;
  for (int part = 0; part < PARTS && status == HYLA_OK; part++)
    status = check_part(cube, p, factor, (enum part)part, m);
  hyla_matrix_destroy(&m);
  TRY(status);
  TRY(hyla_factor_growth(cube, factor, 1, &growth));
  CHECK(&cube->base, none ? isnan(growth) : growth > 0, FORMAT, "the growth is %g", growth);
  return HYLA_OK;
}

/* ------------------------------------------------------------ the property -- */

static hyla_status check_all(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  TRY(check_planned(cube, p, factor));
  TRY(compute(cube, p, &p->given, factor));
  CHECK(&cube->base, hyla_factor_pivot(factor) == 0, FORMAT, "a pivot is named");
  if (!p->late) TRY(factors_check(p->s, &p->given, p->row->multiplier, factor));
  TRY(check_parts(cube, p, factor));
  TRY(check_solutions(cube, p, factor));
  if (p->late) TRY(factors_check(p->s, &p->given, p->row->multiplier, factor));
  return check_riding(cube, p, factor);
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  TRY(make_factor(cube, p, &factor));
  hyla_status status = HYLA_OK;
  if (strcmp(hyla_plan_variant(hyla_factor_plan(factor)), p->row->variant) != 0)
    status = hy_fail(&cube->base, HYLA_FORMAT, "another variant than the one asked for");
  if (status == HYLA_OK) status = check_all(cube, p, factor);
  hyla_factor_destroy(&factor);
  return status;
}

static void note(const struct program *p) {
  harness_note("%s %s, system %d, n = %lld, nrhs %lld, type %d, %s", p->row->method,
               p->row->variant, (int)p->s->kind, (long long)p->s->n, (long long)p->s->nrhs,
               (int)p->type, lu_layout_name(&p->layout));
}

/* A hollow matrix of order 1 is zero. */
static bool is_zero(const struct known *s) {
  return s->kind == INDEFINITE && s->signs == HOLLOW && s->n == 1;
}

/* sides, dims: of the nodes; NULL: a cube. */
static struct program draw_program(const struct variant_row *row, const struct hy_sides *sides,
                                   int dims, hyla_layout layout, hyla_type type) {
  struct program p = {.row = row, .type = type, .layout = layout};
  p.given = harness_draw(0, 2) > 0 ? layout : draw_sides_layout(sides, dims, false);
  p.sides = harness_draw(0, 2) > 0 ? layout : draw_sides_layout(sides, dims, false);
  p.found = draw_sides_layout(sides, dims, false);
  p.in_place = harness_draw(0, 2) == 0;
  p.first = (int)harness_draw(0, 2);
  p.late = harness_draw(0, 1);
  return p;
}

static void one_system(hyla_cube *cube, const struct variant_row *row, enum known_kind kind,
                       int64_t n, int64_t block) {
  hyla_type type = (hyla_type)harness_draw(0, TYPES - 1);
  hyla_layout layout = as_taken(row, lu_draw_layout(cube, 1), block);
  struct program p = draw_program(row, &cube->sides, cube->dims, layout, type);
  int64_t nrhs = harness_draw(0, 2) > 0 ? harness_draw(0, 5) : SIDES;
  struct known s = known_draw(kind, n, nrhs, type >= HYLA_COMPLEX, -1);
  int64_t before = cube->base.bytes_now;
  p.s = &s;
  note(&p);
  lu_assert_status(cube, run(cube, &p), is_zero(&s) ? HYLA_SINGULAR : HYLA_OK);
  assert_int_equal(cube->base.bytes_now, before);
  known_free(&s);
}

/* On one rank no message tells private memory from shared memory. */
static void systems_are_solved(void **state) {
  (void)state;
  enum { CASES = SIZE_COUNT * BLOCK_COUNT };
  for (int private_memory = 0; private_memory < (harness_ranks() > 1 ? 2 : 1); private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    const int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 65, 101, 131};
    for (int v = 0; v < VARIANT_COUNT; v++) {
      int64_t i = 0, few = private_memory ? SIZE_COUNT / 2 : SIZE_COUNT;
      if (!serves(cube, &VARIANTS[v])) continue;
      for (struct harness_walk walk = harness_walk(CASES, few); harness_next(&walk, &i);)
        one_system(cube, &VARIANTS[v],
                   VARIANTS[v].systems[harness_draw(0, VARIANTS[v].system_count - 1)],
                   sizes[i % SIZE_COUNT], BLOCKS[(i + i / SIZE_COUNT) % BLOCK_COUNT]);
    }
    cube_close(&cube);
  }
}

/* Blocks larger than the matrix, axes with one part, and blocks that differ between the axes. */
static hyla_layout odd_layout(const hyla_cube *cube, int turn) {
  enum { ORDER = 45 };
  hyla_layout layout = {.row = hy_axis_whole(ORDER).code, .col = hy_axis_whole(ORDER).code};
  hyla_axis dealt = hy_axis_dealt(cube, 5, ORDER).code;
  dealt.code = cube->sides.count == 0 ? HYLA_GRAY : HYLA_BINARY;
  if (turn == 0) {
    layout.row = hy_layout_side(cube, 1000, true);
    layout.col = hy_layout_side(cube, 1000, false);
  } else if (turn == 1) {
    layout.col = dealt;
  } else {
    layout.row = dealt;
    layout.col.storage = HYLA_CYCLIC;
    layout.col.block = 7;
  }
  return layout;
}

static void odd_layouts_work(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 3 * VARIANT_COUNT; i++) {
    const struct variant_row *row = &VARIANTS[i / 3];
    if (row->layouts != ANY_BLOCK) continue;
    const hyla_layout layout = odd_layout(cube, i % 3);
    struct program p = draw_program(row, &cube->sides, cube->dims, layout, HYLA_COMPLEX);
    struct known s = known_draw(row->systems[0], 45, 3, true, -1);
    p.s = &s;
    note(&p);
    lu_assert_status(cube, run(cube, &p), HYLA_OK);
    known_free(&s);
  }
  cube_close(&cube);
}

/* -------------------------------------------------------------- what stops -- */

static double _Complex draw_bad(hyla_type type, bool real) {
  static const double values[] = {NAN, -NAN, INFINITY, -INFINITY};
  double value = values[harness_draw(0, 3)];
  bool imaginary = !real && type >= HYLA_COMPLEX && harness_draw(0, 1);
  return imaginary ? hy_complex(1, value) : hy_complex(value, 0);
}

/* Spoils an entry that the method reads; returns the pivot by which it is found, from 1, or 0. */
static int64_t spoil(const struct variant_row *row, struct known *s, hyla_type type) {
  int64_t n = s->n, i = harness_draw(0, n - 1), j = harness_draw(0, n - 1);
  bool triangle = method_row(method_of(row))->triangle;
  switch (harness_draw(0, 5)) {
  case 0: i = j = n - 1; break;
  case 1: i = n - 1, j = 0; break;
  case 2: i = 0, j = n - 1; break;
  default: break;
  }
  if (triangle && i < j) {
    int64_t held = i;
    i = j;
    j = held;
  }
  s->given[i + j * n] = draw_bad(type, triangle && i == j);
  return row->found == IN_ITS_COLUMN ? j + 1 : row->found == IN_THE_LATER ? hy_max(i, j) + 1 : 0;
}

/* It fails at this pivot (0: at any), alike on all ranks; then there is nothing to solve with, and
 * nothing to give. */
static void stop(hyla_cube *cube, const struct program *p, hyla_factor *factor,
                 hyla_status expected, int64_t pivot) {
  char number[24];
  lu_assert_status(cube, compute(cube, p, &p->given, factor), expected);
  int64_t found = hyla_factor_pivot(factor), both[] = {found, -found};
  snprintf(number, sizeof number, " %lld", (long long)found);
  assert_non_null(strstr(hyla_cube_message(cube), number));
  assert_int_equal(hyla_cube_max(cube, both, 2), HYLA_OK);
  assert_true(both[0] == found && both[1] == -found);
  if (pivot > 0) assert_int_equal(found, pivot);
  assert_in_range(found, 1, p->s->n);
  hyla_matrix *x = lu_matrix(cube, (int)p->type, p->s->n, 1, NULL);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, x, x), HYLA_ARGUMENT);
  hyla_matrix_destroy(&x);
  x = lu_matrix(cube, (int)p->type, p->s->n, p->s->n, NULL);
  for (int part = 0; part < PARTS; part++)
    lu_assert_status(cube, give(cube, factor, (enum part)part, x), HYLA_ARGUMENT);
  hyla_matrix_destroy(&x);
}

/* A pivot of zero, then a NaN or an infinity, then a system without either, by one factorization.
 */
static void one_failure(hyla_cube *cube, const struct variant_row *row, int turn) {
  hyla_type type = (hyla_type)(turn % TYPES);
  bool complex_type = type >= HYLA_COMPLEX;
  int64_t n = harness_draw(1, 70);
  int64_t at = turn < 4 ? 0 : turn < 8 ? n - 1 : harness_draw(0, n - 1);
  hyla_layout layout =
      as_taken(row, lu_draw_layout(cube, 1), BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  struct program p = draw_program(row, &cube->sides, cube->dims, layout, type);
  enum known_kind last = row->systems[row->system_count - 1];
  struct known s =
      known_draw(turn % 2 && last == RANDOM ? RANDOM : row->stopped, n, 2, complex_type, at);
  hyla_factor *factor = NULL;
  p.s = &s;
  note(&p);
  lu_assert_status(cube, make_factor(cube, &p, &factor), HYLA_OK);
  stop(cube, &p, factor, method_row(method_of(row))->stops, at + 1);
  known_free(&s);
  s = known_draw(row->systems[0], n, 2, complex_type, -1);
  int64_t pivot = spoil(row, &s, type);
  note(&p);
  stop(cube, &p, factor, HYLA_NOT_FINITE, pivot);
  known_free(&s);
  s = known_draw(row->systems[0], n, 2, complex_type, -1);
  note(&p);
  if (!is_zero(&s)) lu_assert_status(cube, check_all(cube, &p, factor), HYLA_OK);
  known_free(&s);
  hyla_factor_destroy(&factor);
}

static void what_stops_it_is_named_and_forgotten(void **state) {
  (void)state;
  const int turns = harness_ranks() > 4 ? 8 : 12;
  hyla_cube *cube = cube_open(false);
  for (int v = 0; v < VARIANT_COUNT; v++)
    for (int turn = 0; turn < turns && serves(cube, &VARIANTS[v]); turn++)
      one_failure(cube, &VARIANTS[v], turn);
  cube_close(&cube);
}

/* --------------------------------------------------------- what is refused -- */

static void refused(hyla_cube *cube, const struct variant_row *row, const char *text,
                    const char *words) {
  hyla_layout layout;
  hyla_factor *factor = NULL;
  harness_note("%s %s, %s", row->method, row->variant, text);
  assert_int_equal(hyla_layout_parse(cube, text, &layout), HYLA_OK);
  lu_assert_status(
      cube,
      hyla_factor_create(cube, method_of(row), HYLA_FLOAT, 40, 1, &layout, row->variant, &factor),
      words == NULL ? HYLA_OK : HYLA_UNSUPPORTED);
  if (words != NULL && strstr(hyla_cube_message(cube), words) == NULL)
    fail_msg("\"%s\" is not in \"%s\"", words, hyla_cube_message(cube));
  assert_true((factor == NULL) == (words != NULL));
  hyla_factor_destroy(&factor);
}

/* A variant that needs no layout of the caller's takes its own.  On arrays that are no cubes, Gray
 * codes have no meaning. */
static void layouts_are_taken_or_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
    enum layouts least; /* the first that refuses it */
    int dims;           /* with fewer dimensions the layout is another one */
    bool cube;          /* it is one of a cube */
  } layouts[] = {
      {"binary/consecutive", "not cyclic", ANY_BLOCK, 2, false},
      {"binary/cyclic:4,binary/cyclic:5", "differ", ANY_BLOCK, 2, false},
      {"gray/cyclic:4@2x1", "leaves cube dimensions over", ANY_BLOCK, 2, true},
      {"gray/cyclic:4@1x1:face", "leaves cube dimensions over", ANY_BLOCK, 2, false},
      {"gray/cyclic:4", "one element", ONE_ELEMENT, 0, true},
      {"binary/cyclic:1@4x2", "Gray code", ONE_ELEMENT_GRAY, 3, true},
      {"gray/cyclic:1", NULL, ITS_OWN, 0, true},
  };
  hyla_cube *cube = cube_open(false);
  const struct hy_sides *sides = &cube->sides;
  const bool array = sides->count > 0, line = array && (sides->rows == 1 || sides->cols == 1);
  for (int v = 0; v < VARIANT_COUNT; v++)
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
      enum layouts takes = VARIANTS[v].layouts;
      bool refuses = takes >= layouts[i].least && takes != ITS_OWN;
      if (cube->dims >= layouts[i].dims && !(array && layouts[i].cube) &&
          !(line && i < 2)) /* with one part, and whatever its block is, an axis serves */
        refused(cube, &VARIANTS[v], layouts[i].text, refuses ? layouts[i].words : NULL);
    }
  cube_close(&cube);
}

static void some_variants_need_a_cube(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int v = 0; v < VARIANT_COUNT; v++)
    if (!serves(cube, &VARIANTS[v]))
      refused(cube, &VARIANTS[v], "binary/cyclic:1",
              VARIANTS[v].layouts == ONE_ELEMENT_GRAY && cube->sides.rows > 2 ? "Gray code"
                                                                              : "it needs a cube");
  cube_close(&cube);
}

/* Elements are dealt one by one, so that every variant could be chosen. */
static void some_are_chosen_only_when_asked_for(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int v = 0; v < VARIANT_COUNT; v++) {
    const struct variant_row *row = &VARIANTS[v];
    if (!serves(cube, row)) continue;
    const hyla_layout layout = as_taken(row, lu_draw_layout(cube, 1), 1);
    hyla_factor *factor = NULL;
    lu_assert_status(
        cube, hyla_factor_create(cube, method_of(row), HYLA_DOUBLE, 9, 1, &layout, NULL, &factor),
        HYLA_OK);
    const char *chosen = hyla_plan_variant(hyla_factor_plan(factor));
    if (row->asked) assert_string_not_equal(chosen, row->variant);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static hyla_status simulate(struct program *p, hyla_simulation *model, hyla_report *report) {
  model->dims = p->layout.row.dims + p->layout.col.dims;
  model->alpha = 1;
  model->beta = 0.001;
  return hyla_simulate(model, run, p, report);
}

/* A system on these nodes, whose factors lie as `lies' but for the blocks. */
static void one_virtual(const struct variant_row *row, const hyla_cube *nodes, hyla_layout lies,
                        hyla_type type, int64_t n, int64_t nrhs) {
  const hyla_layout layout = as_taken(row, lies, harness_draw(1, 9));
  struct program p = draw_program(row, &nodes->sides, nodes->dims, layout, type);
  struct known s = known_draw(row->systems[harness_draw(0, row->system_count - 1)], n, nrhs,
                              type >= HYLA_COMPLEX, -1);
  char array[DRAW_ARRAY];
  hyla_simulation model = {.array = array};
  hyla_report report;
  p.s = &s;
  draw_nodes_array(nodes, array);
  note(&p);
  hyla_status status = simulate(&p, &model, &report);
  if (status != (is_zero(&s) ? HYLA_SINGULAR : HYLA_OK))
    fail_msg("array %s: %s: %s", array, hyla_status_name(status), report.message);
  known_free(&s);
}

/* An array of 2^rows rows on a cube, or one about as large with sides that are no powers of two. */
static void one_array(const struct variant_row *row, int dims, int rows) {
  hyla_type type = (hyla_type)harness_draw(0, TYPES - 1);
  hyla_cube nodes = draw_nodes(dims, harness_draw(0, 1));
  if (!serves(&nodes, row)) nodes = draw_nodes(dims, false);
  const bool cube = nodes.sides.rows == 0;
  const hyla_layout lies = cube ? lu_array_layout(dims, rows, 1) : lu_draw_layout(&nodes, 1);
  one_virtual(row, &nodes, lies, type, harness_draw(0, dims < 5 ? 75 : 33),
              rows % 2 == 0 ? harness_draw(0, 5) : 66);
}

/* Every variant, type and array of 1 to 12 nodes, with orders below the number of nodes, too. */
static void systems_are_solved_on_few_nodes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int v = 0; v < VARIANT_COUNT; v++) {
    int64_t i = 0;
    for (struct harness_walk walk = harness_walk(TYPES * DRAW_FEW, 6); harness_next(&walk, &i);) {
      const hyla_cube nodes = draw_nodes_at((int)(i / TYPES));
      const int64_t n = harness_draw(0, 2) ? harness_draw(0, 75) : harness_draw(0, nodes.nodes + 1);
      if (serves(&nodes, &VARIANTS[v]))
        one_virtual(&VARIANTS[v], &nodes, lu_draw_layout(&nodes, 1), (hyla_type)(i % TYPES), n,
                    harness_draw(0, 5));
    }
  }
}

static void systems_are_solved_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  enum { DIMS_MOST = 6, ARRAYS = (DIMS_MOST + 1) * (DIMS_MOST + 2) / 2, SOME = 13 };
  for (int v = 0; v < VARIANT_COUNT; v++) {
    int64_t index = 0;
    for (struct harness_walk walk = harness_walk(ARRAYS, SOME); harness_next(&walk, &index);) {
      int dims = 0, rows = (int)index;
      while (rows > dims) rows -= ++dims;
      one_array(&VARIANTS[v], dims, rows);
    }
  }
}

/* A lost message ends the run on all nodes. */
static void a_lost_message_ends_it(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int v = 0; v < VARIANT_COUNT; v++)
    for (int turn = 0; turn < 4; turn++) {
      const struct variant_row *row = &VARIANTS[v];
      hyla_layout layout = as_taken(row, lu_array_layout(3, 1, 1), 4);
      struct program p = draw_program(row, NULL, 3, layout, HYLA_DOUBLE);
      struct known s = known_draw(row->systems[0], 30, 2, false, -1);
      hyla_simulation model = {.fault = HYLA_FAULT_LOST, .fault_at = harness_draw(1, 200)};
      hyla_report report;
      p.s = &s;
      note(&p);
      if (simulate(&p, &model, &report) == HYLA_OK)
        fail_msg("message %lld was lost and nobody noticed", (long long)model.fault_at);
      assert_true(report.message[0] != '\0');
      known_free(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_has_a_row),
      cmocka_unit_test(systems_are_solved),
      cmocka_unit_test(odd_layouts_work),
      cmocka_unit_test(what_stops_it_is_named_and_forgotten),
      cmocka_unit_test(layouts_are_taken_or_refused),
      cmocka_unit_test(some_variants_need_a_cube),
      cmocka_unit_test(some_are_chosen_only_when_asked_for),
      cmocka_unit_test(systems_are_solved_on_every_array),
      cmocka_unit_test(systems_are_solved_on_few_nodes),
      cmocka_unit_test(a_lost_message_ends_it),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
