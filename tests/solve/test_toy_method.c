/* A method that is not the library's, written against the contract of methods (solve/contract) and
 * the loop over panels with its look-ahead (solve/panels): an example to copy from.  From the
 * method's row on, all is the library's own way: choice, cost, workspaces, moves, calls.
 *
 * Method: A = L D L^H without pivots, for Hermitian positive definite A, by panels.  L has ones on
 *   its diagonal, D is real and positive; no roots.  With A partitioned at panel k,
 *
 *     [A11    ]   A11: the diagonal block, on one rank; A21: panel k, on rank column q_k
 *     [A21 A22]
 *
 *   make:    A11 = L11 D11 L11^H, which is broadcast down q_k
 *            A21 := A21 L11^-H D11^-1 = L21
 *   arrive:  all rows of L21 are gathered over the rank column; the rows that stand for this rank's
 *            columns are multiplied by D11
 *   use:     A22 := A22 - L21 D11 L21^H in the lower triangle
 * Reference: Golub and Van Loan 2013, section 4.1.
 * Layout: block-cyclic on any 2^r x 2^c array, square blocks.
 * Example on 4 nodes, 2 x 2, 2 blocks: node (0, 0) factors A_00 and sends it to (1, 0), which makes
 *   L_10 of A_10.  Both lend what they have to (0, 1) and (1, 1); these gather L_10, and (1, 1)
 * gets A_11 := A_11 - L_10 D_0 L_10^H and factors that.  Steps a panel: r for the diagonal block,
 * at most c for the panel, r for its rows. */
// ranks: 1 3 4 5 8
// sample: 1 4 5
#include "hyla_lab.h"
#include "lu_case.h"

#include "solve/solve.h"
#include "solve/triangle/triangle.h"

struct toy {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_block_cyclic array;
  struct hy_panels panels;
  /* Collectives: panels along the rank row; diagonal blocks and L21's rows over the rank column. */
  struct hy_subcube_op shares, diagonals, gathers;
  struct hy_triangular_system forward, backward; /* L, L^H */
  double *d;                                     /* D, on all nodes */
  double _Complex *below;                        /* zeros: D has no blocks of order 2 */
  struct hy_block_diagonal block_diagonal;       /* both, for the library */
  char *diagonal;                                /* header and L11, with D11 on its diagonal */
  char *rows;                                    /* all rows of L21, member by member */
  char *across;                /* those that stand for this rank's columns, times D11 */
  int64_t *offsets;            /* of the members' rows, in words; members + 1 */
  struct hy_diagonal_block at; /* the panel in use: its diagonal block, */
  const char *l21;             /* its rows here, */
  int64_t row, column;         /* and the first local row and column behind it */
};

/* ---------------------------------------------------------------- panels -- */

/* A panel as a message: the header, D11, and the local rows of L21. */
static int64_t begin_of(const struct toy *t) {
  return HY_PANEL_HEADER + hy_ceil_div(t->array.block * (int64_t)sizeof(double), 64) * 64;
}
static int64_t bytes_of(const void *state, int64_t index) {
  const struct toy *t = state;
  const struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
  return begin_of(t) + hy_rows_behind(&at) * at.width * (int64_t)t->k->size;
}

/* L11 D11 L11^H = A11, column by column, in the lower triangle; or why it has no such factors. */
static struct hy_panel_header factor_columns(const struct hy_kernels *k, int64_t w, char *a) {
  for (int64_t j = 0; j < w; j++) {
    const double pivot = creal(k->get(a, j + j * w));
    if (!isfinite(pivot)) return (struct hy_panel_header){HYLA_NOT_FINITE, j + 1};
    if (pivot <= 0) return (struct hy_panel_header){HYLA_INDEFINITE, j + 1};
    k->set(a, j + j * w, pivot);
    k->divide((int)(w - j - 1), pivot, a + (j + 1 + j * w) * (int64_t)k->size, 1);
    for (int64_t c = j + 1; c < w; c++)
      for (int64_t i = c; i < w; i++)
        k->set(a, i + c * w,
               k->get(a, i + c * w) - k->get(a, i + j * w) * pivot * conj(k->get(a, c + j * w)));
  }
  return (struct hy_panel_header){HYLA_OK, 0};
}

/* Copies A11 to `diagonal', factors it there, and copies it back. */
static void factor_block(const struct toy *t, const struct hy_diagonal_block *at) {
  const int w = at->width, ld = (int)t->a->ld;
  char *own = hy_at(t->a, at->row, at->column), *block = t->diagonal + HY_PANEL_HEADER;
  t->k->copy(HYLA_NONE, w, w, 1, own, ld, block, w);
  hy_count_copied(t->cube, INT64_C(2) * w * w);
  hy_compute(t->cube, (int64_t)w * w * w / 3, t->k->size, t->k->complex_type);
  if (t->k->dry) return;
  struct hy_panel_header header = factor_columns(t->k, w, block);
  if (header.status != HYLA_OK) header.column += at->first;
  memcpy(t->diagonal, &header, sizeof header);
  t->k->copy(HYLA_NONE, w, w, 1, block, w, own, ld);
}

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct toy *t = state;
  const struct hy_kernels *k = t->k;
  const struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
  const int64_t w = at.width, size = (int64_t)k->size, rows = hy_rows_behind(&at);
  const char *l11 = t->diagonal + HY_PANEL_HEADER;
  char *a21 = hy_at(t->a, at.row + at.rows - rows, at.column);
  double *d = (void *)(slot->data + HY_PANEL_HEADER);

  /* A11 = L11 D11 L11^H, or why it has no such factors, on all ranks of q_k */
  if (at.top) factor_block(t, &at);
  TRY(hy_subcube_broadcast(&t->diagonals, hy_column_root(&t->array, index), t->diagonal,
                           HY_PANEL_HEADER / size + w * w));
  if (!k->dry) {
    const struct hy_panel_header *found = (const void *)t->diagonal;
    memcpy(slot->data, found, sizeof *found);
    if (found->status != HYLA_OK) return HYLA_OK;
  }

  /* A21 := A21 L11^-H D11^-1, in place and in the message */
  k->trsm(HYLA_RIGHT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_UNIT_DIAGONAL, (int)rows, (int)w, 1, l11,
          (int)w, a21, (int)t->a->ld);
  for (int64_t j = 0; j < w && !k->dry; j++) {
    d[j] = creal(k->get(l11, j + j * w));
    k->divide((int)rows, d[j], a21 + j * t->a->ld * size, 1);
  }
  hy_compute(t->cube, rows * w * w, k->size, k->complex_type);
  k->copy(HYLA_NONE, (int)rows, (int)w, 1, a21, (int)t->a->ld, slot->data + begin_of(t),
          (int)hy_max(1, rows));
  hy_count_copied(t->cube, rows * w);
  return HYLA_OK;
}

/* The member of the rank column that has a part of the rows. */
static uint32_t member_of(const struct toy *t, int part) {
  return hy_extract(hy_axis_address(&t->array.row.code, (uint32_t)part), t->array.row_dims);
}

/* The words of each member's rows behind the panel in use. */
static void set_offsets(const struct toy *t) {
  const struct hy_axis *axis = &t->array.row;
  const int64_t end = t->at.first + t->at.width;
  for (int part = 0; part < axis->parts; part++)
    t->offsets[member_of(t, part) + 1] =
        (hy_held(axis, part) - hy_axis_before(axis, part, end)) * t->at.width;
  for (int x = 0; x < axis->parts; x++) t->offsets[x + 1] += t->offsets[x];
}

/* The rows of D11 L21^H, transposed: row j - column stands for local column j. */
static void set_across(const struct toy *t, int64_t columns) {
  const struct hy_kernels *k = t->k;
  const struct hy_axis *row = &t->array.row, *col = &t->array.col;
  const int64_t size = (int64_t)k->size, w = t->at.width, end = t->at.first + w;
  hy_count_copied(t->cube, columns * w);
  for (int64_t j = 0, run; j < columns && !k->dry; j += run) {
    const int64_t index = hy_axis_index(col, t->array.col_part, t->column + j);
    const int part = hy_axis_owner(row, index);
    const uint32_t x = member_of(t, part);
    const int64_t before = hy_axis_before(row, part, index) - hy_axis_before(row, part, end);
    run = hy_min(hy_min(hy_axis_run(row, index), hy_axis_run(col, index)), columns - j);
    k->copy(HYLA_NONE, (int)run, (int)w, 1, t->rows + (t->offsets[x] + before) * size,
            (int)((t->offsets[x + 1] - t->offsets[x]) / w), t->across + j * size, (int)columns);
  }
  for (int64_t p = 0; p < w && !k->dry; p++)
    k->scale((int)columns, t->d[t->at.first + p], t->across + p * columns * size, 1);
  hy_compute(t->cube, columns * w, k->size, k->complex_type);
}

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct toy *t = state;
  const int64_t size = (int64_t)t->k->size;
  t->at = hy_diagonal_block(&t->array, index);
  const int64_t w = t->at.width, rows = hy_rows_behind(&t->at),
                columns = hy_columns_behind(&t->array, &t->at);
  t->l21 = slot->seen + begin_of(t);
  t->row = t->array.rows - rows;
  t->column = t->array.cols - columns;
  if (!t->k->dry)
    memcpy(t->d + t->at.first, slot->seen + HY_PANEL_HEADER, (size_t)w * sizeof *t->d);
  set_offsets(t);
  t->k->copy(HYLA_NONE, (int)rows, (int)w, 1, t->l21, (int)hy_max(1, rows),
             t->rows + t->offsets[member_of(t, t->array.row_part)] * size, (int)hy_max(1, rows));
  hy_count_copied(t->cube, rows * w);
  TRY(hy_subcube_allgather(&t->gathers, t->rows, t->offsets));
  set_across(t, columns);
  return HYLA_OK;
}

/* A22 := A22 - L21 D11 L21^H, each block column from its diagonal block down. */
static hyla_status use(void *state, const struct hy_columns *x) {
  const struct toy *t = state;
  const struct hy_kernels *k = t->k;
  const int64_t size = (int64_t)k->size, w = t->at.width, ld = hy_rows_behind(&t->at),
                all = t->array.cols - t->column;
  for (int64_t j = x->first, count; j < x->first + x->count; j += count) {
    const int64_t index = hy_axis_index(&t->array.col, t->array.col_part, j);
    const struct hy_diagonal_block at = hy_diagonal_block(&t->array, index / t->array.block);
    count = at.width;
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, at.rows, (int)count, (int)w, -1,
            t->l21 + (at.row - t->row) * size, (int)hy_max(1, ld),
            t->across + (j - t->column) * size, (int)all, 1, hy_at(x->m, at.row, j), (int)x->m->ld);
    hy_compute(t->cube, 2 * at.rows * count * w, k->size, k->complex_type);
    hy_count_touched(t->cube, at.rows * count);
  }
  return hy_link_poll(t->cube);
}

/* --------------------------------------------------------- the variant -- */

/* X := D^-1 L^-1 X, in the rows of A; and then X := L^-H X, in its columns. */
static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct toy *t = state;
  (void)op; /* A is Hermitian */
  if (t->cube->address < 0) return HYLA_OK;
  TRY(hy_triangular_run(&t->forward, x));
  for (int64_t row = 0; row < x->local_rows && !t->k->dry; row++)
    t->k->divide((int)x->local_cols, t->d[hyla_matrix_row(x, row)], hy_at(x, row, 0), (int)x->ld);
  hy_compute(t->cube, x->local_rows * x->local_cols, t->k->size, t->k->complex_type);
  return HYLA_OK;
}
static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct toy *t = state;
  (void)op;
  return t->cube->address < 0 ? HYLA_OK : hy_triangular_run(&t->backward, x);
}

static hyla_status run(void *state) {
  struct toy *t = state;
  struct hy_panel_header verdict = {HYLA_OK, t->problem->factors->pivot};
  struct hy_lookahead loop = {.panels = &t->panels,
                              .array = &t->array,
                              .end = t->array.count,
                              .a = t->a,
                              .verdict = &verdict,
                              .state = t,
                              .bytes = bytes_of,
                              .make = make,
                              .arrive = arrive,
                              .use = use};
  if (t->cube->address < 0) return HYLA_OK;
  const hyla_status status = hy_lookahead_run(&loop);
  TRY(hy_pivot_verdict(t->problem, status, (hyla_status)verdict.status, verdict.column));
  if (t->problem->rhs == NULL) return HYLA_OK;
  struct hyla_matrix x = *t->problem->rhs;
  return forward(t, HYLA_NONE, &x);
}

static hyla_status make_groups(struct toy *t) {
  const struct hy_block_cyclic *array = &t->array;
  const size_t size = t->k->size;
  const int64_t block = array->block, word = (int64_t)size;
  const struct hy_group groups[] = {
      {&t->shares, array->col_dims, HY_TASK_BROADCAST,
       hy_ceil_div(begin_of(t), word) + hy_axis_most(&array->row) * block, size},
      {&t->diagonals, array->row_dims, HY_TASK_BROADCAST, HY_PANEL_HEADER / word + block * block,
       size},
      {&t->gathers, array->row_dims, HY_TASK_ALLGATHER, array->row.n * block, size},
      {NULL}};
  return hy_make_groups(t, t->cube, groups);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct toy *t = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *t, &t));
  *state = t;
  t->problem = problem;
  t->cube = problem->cube;
  t->k = problem->k;
  t->array =
      hy_block_cyclic_at(&problem->row, &problem->col, hy_factor_block(problem), t->cube->address);
  struct hy_triangular form = {
      .block = t->array.block, .triangle = HYLA_LOWER, .diagonal = HYLA_UNIT_DIAGONAL};
  TRY(make_groups(t));
  TRY(hy_triangular_of_factors(t, problem, form, &t->forward));
  form.op = HYLA_CONJUGATE;
  return hy_triangular_of_factors(t, problem, form, &t->backward);
}

static int64_t slot_of(const struct toy *t) {
  return hy_ceil_div(begin_of(t) + t->array.rows * t->array.block * (int64_t)t->k->size, 64) * 64;
}

/* All memory has the state as its owner, and goes with it. */
static hyla_status allocate_memory(struct toy *t) {
  struct hy_base *base = &t->cube->base;
  const int64_t size = (int64_t)t->k->size, block = t->array.block, n = t->problem->n;
  const struct hy_owned arrays[] = {{&t->diagonal, HY_PANEL_HEADER + block * block * size},
                                    {&t->rows, n * block * size},
                                    {&t->across, t->array.cols * block * size},
                                    {&t->d, n * (int64_t)sizeof *t->d},
                                    {&t->below, n * (int64_t)sizeof *t->below},
                                    {NULL}};
  TRY(hy_take_arrays(base, t, arrays));
  TRY(hy_alloc_control_for(base, t, t->array.row.parts + 1, sizeof *t->offsets, &t->offsets));
  t->block_diagonal = (struct hy_block_diagonal){.diagonal = t->d, .below = t->below};
  struct hy_subcube_op *const groups[] = {&t->shares, &t->diagonals, &t->gathers, NULL};
  return hy_allocate_groups(groups);
}

static hyla_status allocate(void *state) {
  struct toy *t = state;
  const bool guest = t->cube->address < 0;
  t->a = t->problem->factors->a;
  hy_factor_no_swaps(t->problem);
  TRY(hy_agree(t->cube, guest ? HYLA_OK : allocate_memory(t)));
  TRY(hy_panels_create(t, &t->shares, guest ? 0 : slot_of(t), &t->panels));
  TRY(hy_triangular_allocate(&t->forward, t->a));
  return hy_triangular_allocate(&t->backward, t->a);
}

static void explain(const void *state, struct hy_text *text) {
  const struct toy *t = state;
  hy_subcube_explain(&t->diagonals, "diagonal blocks", text);
  hy_subcube_explain(&t->gathers, "rows of panels", text);
}

static const struct hy_block_diagonal *diagonal(const void *state) {
  return &((const struct toy *)state)->block_diagonal;
}

static const struct hy_factor_traits TRAITS = {
    .solve = {{.run = forward}, {.run = backward, .at = HY_ALONG_COLUMNS}},
    .hermitian = true,
    .diagonal = diagonal};

static const struct hy_variant by_panels = {.name = "panels",
                                            .reference = "golub-2013, section 4.1",
                                            .traits = &TRAITS,
                                            .applies = hy_factor_applies,
                                            HY_OPERATIONS};
static const struct hy_variant *const rows[] = {&by_panels, NULL};

/* The row of the method.  A method of the library has it in hyla_methods.h and variants.c. */
static const struct hy_method toy = {
    .is = {"toy", "without pivots, for a definite A", "definite", 1.0 / 3, false, false},
    .variants = {.name = "toy", .rows = rows}};

/* As hyla_factor_create, by that row. */
static hyla_status toy_create(hyla_cube *cube, hyla_type type, int64_t n, int64_t nrhs,
                              const hyla_layout *layout, hyla_factor **factor) {
  struct hy_factorization wanted;
  struct hy_call call = {.name = "toy_create", .place = {{"factor", factor, 1}}};
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK)
    mine = hy_factor_want_by(cube, call.name, &toy, type, n, n, nrhs, layout, &wanted);
  if (mine == HYLA_OK) hy_factor_call_wanted(&wanted, NULL, &call);
  TRY(hy_call_agree(cube, &call, mine));
  return hy_factor_make(cube, &call, &wanted, factor);
}

/* --------------------------------------------------------------- systems -- */

/* A matrix with small integers and a large diagonal, and its lower triangle with NaN above, which
 * nobody may read.  Every rank has all of both. */
struct definite {
  int64_t n;
  double _Complex *a, *lower;
};

static struct definite draw_definite(int64_t n, bool complex_type) {
  struct definite x = {n, calloc((size_t)(n * n) + 1, sizeof *x.a),
                       calloc((size_t)(n * n) + 1, sizeof *x.a)};
  assert_non_null(x.a);
  assert_non_null(x.lower);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      const double re = (double)harness_draw(-1, 1), im = (double)harness_draw(-1, 1);
      const double _Complex entry =
          i == j ? 2.0 * (double)n + re : hy_complex(re, complex_type ? im : 0);
      x.a[i + j * n] = x.lower[i + j * n] = entry;
      if (i == j) continue;
      x.a[j + i * n] = conj(entry);
      x.lower[j + i * n] = hy_complex(NAN, 0);
    }
  return x;
}

static void free_definite(struct definite *x) {
  free(x->a);
  free(x->lower);
}

struct program {
  const struct definite *system;
  hyla_type type;
  int64_t nrhs;
  hyla_layout layout;
  bool plain;       /* one factorization and one solution, nothing else */
  double predicted; /* seconds */
};

/* Counts are as predicted; a second run takes no memory. */
static hyla_status check_runs(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *lower,
                              const hyla_matrix *b, hyla_matrix *x) {
  TRY(hyla_cube_ledger_clear(cube));
  TRY(hyla_factor_compute(cube, factor, lower));
  TRY(hyla_factor_solve(cube, factor, HYLA_NONE, b, x));
  TRY(hy_agree(cube, lu_check_counts(cube, factor)));
  const int64_t allocations = cube->base.allocations;
  TRY(hyla_factor_compute(cube, factor, lower));
  TRY(hyla_factor_solve(cube, factor, HYLA_CONJUGATE, b, x));
  const bool same = cube->base.allocations == allocations;
  return hy_agree(cube,
                  same ? HYLA_OK : hy_fail(&cube->base, HYLA_FORMAT, "a second run takes memory"));
}

static hyla_status check_answers(hyla_cube *cube, const struct program *p,
                                 const hyla_factor *factor, const hyla_matrix *b,
                                 const hyla_matrix *x) {
  const int64_t n = p->system->n;
  hyla_matrix *a = NULL;
  double residual = NAN;
  int64_t positive = -1, negative = -1;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->layout, &a));
  lu_put(a, p->system->a);
  hyla_status status = hyla_residual(cube, a, x, b, &residual);
  hyla_matrix_destroy(&a);
  TRY(status);
  CHECK(&cube->base, residual < 1, FORMAT, "a residual of %g", residual);
  TRY(hyla_factor_inertia(cube, factor, &positive, &negative));
  CHECK(&cube->base, positive == n && negative == 0, FORMAT, "an inertia of %lld, %lld",
        (long long)positive, (long long)negative);
  return HYLA_OK;
}

static hyla_status run_program(hyla_cube *cube, struct program *p, const hyla_matrix *lower,
                               const hyla_matrix *b, hyla_matrix *x) {
  const int64_t before = cube->base.bytes_now;
  hyla_factor *factor = NULL;
  TRY(toy_create(cube, p->type, p->system->n, p->nrhs, &p->layout, &factor));
  if (hyla_cube_address(cube) == 0) p->predicted = hyla_plan_seconds(factor->plan);
  hyla_status status = HYLA_OK;
  if (p->plain) {
    status = hyla_factor_compute(cube, factor, lower);
    if (status == HYLA_OK) status = hyla_factor_solve(cube, factor, HYLA_NONE, b, x);
  } else {
    status = check_runs(cube, factor, lower, b, x);
    if (status == HYLA_OK) status = check_answers(cube, p, factor, b, x);
  }
  hyla_factor_destroy(&factor);
  const bool freed = cube->base.bytes_now == before;
  return status == HYLA_OK && !freed ? hy_fail(&cube->base, HYLA_FORMAT, "memory is left") : status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct program *p = arg;
  const int64_t n = p->system->n;
  hyla_matrix *lower = NULL, *b = NULL, *x = NULL;
  hyla_status status = hyla_matrix_create(cube, p->type, n, n, &p->layout, &lower);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, n, p->nrhs, &p->layout, &b);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, n, p->nrhs, &p->layout, &x);
  if (status == HYLA_OK && !p->plain) lu_put(lower, p->system->lower);
  if (status == HYLA_OK && !p->plain) status = hyla_matrix_generate(cube, b, HYLA_RANDOM, 1);
  if (status == HYLA_OK) status = hy_agree(cube, run_program(cube, p, lower, b, x));
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&lower);
  return status;
}

/* ----------------------------------------------------------------- tests -- */

enum { SIZES = 9 };
static const int64_t BLOCKS[] = {1, 3, 8, 16};

static void every_size_and_type_is_solved(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    const int64_t nodes = cube->nodes,
                  sizes[SIZES] = {0, 1, nodes - 1, nodes, nodes + 1, 13, 37, 71, 101};
    for (int i = 0; i < SIZES * TYPES; i++) {
      struct program p = {.type = (hyla_type)(i % TYPES), .nrhs = harness_draw(0, 1) ? 3 : 70};
      struct definite drawn = draw_definite(sizes[i / TYPES], p.type >= HYLA_COMPLEX);
      p.system = &drawn;
      p.layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, 3)]);
      harness_note("n = %lld, type %d, %lld sides, %s", (long long)drawn.n, (int)p.type,
                   (long long)p.nrhs, lu_layout_name(&p.layout));
      lu_assert_status(cube, body(cube, &p), HYLA_OK);
      free_definite(&drawn);
    }
    cube_close(&cube);
  }
}

/* A pivot that is not above zero, or no number, is named on all ranks. */
static void a_matrix_that_is_not_definite_is_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    const hyla_type type = (hyla_type)(i % TYPES);
    struct definite drawn = draw_definite(40, type >= HYLA_COMPLEX);
    const int64_t n = drawn.n, at = harness_draw(0, n - 1);
    const hyla_layout layout = lu_draw_layout(cube, BLOCKS[i % 4]);
    hyla_matrix *lower = lu_matrix(cube, (int)type, n, n, &layout);
    hyla_factor *factor = NULL;
    drawn.lower[at + at * n] = i < 4 ? -1 : (double)NAN;
    lu_put(lower, drawn.lower);
    lu_assert_status(cube, toy_create(cube, type, n, 1, &layout, &factor), HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, lower),
                     i < 4 ? HYLA_INDEFINITE : HYLA_NOT_FINITE);
    assert_int_equal(hyla_factor_pivot(factor), at + 1);
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&lower);
    free_definite(&drawn);
  }
  cube_close(&cube);
}

/* One allocation fails on one rank: MEMORY on all, and nothing is left. */
static void every_allocation_may_fail(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(true);
  const int64_t before = cube->base.bytes_now;
  const int where = (int)harness_draw(0, harness_ranks() - 1);
  const hyla_layout layout = lu_draw_layout(cube, 8);
  bool more = true;
  int failures = 0;
  for (int64_t nth = 1; more; nth += harness_draw(1, 3)) {
    hyla_factor *factor = NULL;
    harness_note("allocation %lld on rank %d", (long long)nth, where);
    if (where == harness_rank()) cube->base.fail_at = cube->base.allocations + nth;
    hyla_status status = toy_create(cube, HYLA_DOUBLE, 37, 3, &layout, &factor);
    cube->base.fail_at = 0;
    more = status == HYLA_MEMORY;
    if (!more) lu_assert_status(cube, status, HYLA_OK);
    failures += more;
    assert_true((factor == NULL) == more);
    hyla_factor_destroy(&factor);
    assert_int_equal(cube->base.bytes_now, before);
  }
  assert_true(failures > 5);
  cube_close(&cube);
}

/* Every node counts what was predicted; a rehearsal has the time of the run, to the last bit. */
static void virtual_cubes_have_its_counts_and_its_time(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 5; dims++)
    for (int plain = 0; plain < 2; plain++) {
      struct program p = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = harness_draw(1, 80),
                          .plain = plain};
      struct definite drawn = draw_definite(harness_draw(0, 90), p.type >= HYLA_COMPLEX);
      p.system = &drawn;
      p.layout = lu_array_layout(dims, (int)harness_draw(0, dims), harness_draw(1, 12));
      const hyla_simulation model = {
          .dims = dims, .alpha = 1, .beta = 0.001, .gamma = 1e-5, .dry = plain};
      hyla_report report = {.message = ""};
      harness_note("d = %d, n = %lld, type %d, %lld sides, %s", dims, (long long)drawn.n,
                   (int)p.type, (long long)p.nrhs, lu_layout_name(&p.layout));
      if (hyla_simulate(&model, body, &p, &report) != HYLA_OK) fail_msg("%s", report.message);
      if (plain) assert_true(dims == 0 || p.predicted == report.time);
      free_definite(&drawn);
    }
}

int main(void) {
  harness_on_a_cube();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size_and_type_is_solved),
      cmocka_unit_test(a_matrix_that_is_not_definite_is_refused),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(virtual_cubes_have_its_counts_and_its_time),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
