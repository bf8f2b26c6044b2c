/* Block tridiagonal systems in place, by products of matrices.
 *
 * Reference: Johnsson 1987, section 6.4.3, which says that its solver for block triangular systems
 *   serves block tridiagonal ones; theorem 6.5 with one block a step.
 * Layout: the three tall matrices of blocks and the right-hand sides on any array, with the same
 *   rows on the same ranks, and columns t of all three blocks on the same rank.
 * Method: for each block row i, downwards: D_i is gathered and factored on every rank, with partial
 *   pivoting; [U_i Y_i] := D_i^-1 [U_i Y_i], so that an identity is left on the diagonal; then
 *   [D_(i+1) Y_(i+1)] -= L_(i+1) [U_i Y_i].  Upwards: Y_i -= U_i X_(i+1).  Sums stay in place.  For
 *   a product the ranks of a rank row gather the left factor's columns, at the same time those of a
 *   rank column gather the right factor's rows, and each rank multiplies by itself.
 * Example on 4 nodes, 2 x 2: node (i, j) gathers its rows of L_1 from (i, 0) and (i, 1), and its
 *   columns of [U_0 Y_0] from (0, j) and (1, j).
 * Steps a block row: two all-gathers for D_i, two at a time for each of the two products.
 * Words: the block; a rank's rows x the block's order, the order x a rank's columns of U_i and Y_i.
 * Memory: three blocks, and a block row's part on a rank twice.
 * Restriction: the blocks D_i, as eliminated, must not be singular: rows are not swapped between
 *   block rows.  Diagonally dominant systems are safe. */
#include "solve/papers/two_gathers.h"

struct state {
  const struct hy_block_tridiagonal_task *task;
  const struct hy_kernels *k;
  int64_t blocks;                   /* number of block rows */
  int64_t rows, cols;               /* this rank's most rows of a block; columns, with sides */
  struct hy_subcube_op along, down; /* along the rank rows, down the rank columns */
  int64_t *along_at, *down_at;      /* where their members' blocks begin */
  char *strip, *tall;               /* rows of a block, its columns by members, in order */
  char *stack, *wide;               /* columns of a block, its rows by members, in order */
  char *block;                      /* D_i, then its factors */
  int *pivots;
};

static const struct hy_block_tridiagonal_problem *problem_of(const struct state *s) {
  return &s->task->system;
}
static char *word(const struct state *s, char *data, int64_t words) {
  return data + words * (int64_t)s->k->size;
}

/* First row of a block; its order. */
static int64_t first_of(const struct state *s, int64_t block) {
  return hy_min(problem_of(s)->row.n, block * problem_of(s)->order);
}
static int64_t order_of(const struct state *s, int64_t block) {
  return first_of(s, block + 1) - first_of(s, block);
}

/* The local positions of indices from ... from+n-1 in a part. */
static struct hy_row_range held(const struct hy_axis *axis, int part, int64_t from, int64_t n) {
  int64_t first = hy_axis_before(axis, part, from);
  return (struct hy_row_range){first, hy_axis_before(axis, part, from + n) - first};
}
static struct hy_row_range rows_of(const struct state *s, int64_t block) {
  const struct hy_axis *row = &problem_of(s)->row;
  return held(row, hy_part_of(row, problem_of(s)->cube->address), first_of(s, block),
              order_of(s, block));
}
/* This rank's columns among the first n of a block. */
static int64_t columns_of(const struct state *s, int64_t n) {
  const struct hy_axis *col = &problem_of(s)->col;
  return held(col, hy_part_of(col, problem_of(s)->cube->address), 0, n).count;
}
static int64_t sides_of(const struct state *s) {
  return hy_held_at(&problem_of(s)->across, problem_of(s)->cube->address);
}

static void copy(const struct state *s, int64_t rows, int64_t cols, const char *from,
                 int64_t ld_from, char *to, int64_t ld_to) {
  if (rows == 0 || cols == 0) return;
  hy_copy_block(problem_of(s)->cube, s->k, HYLA_NONE, rows, cols, from, hy_max(1, ld_from), to,
                hy_max(1, ld_to));
}

/* --------------------------------------------------------------- gathers -- */

/* Sets where the members' blocks begin, `each' words for each of the indices from ... from+n-1;
 * returns the own block's begin. */
static int64_t set_offsets(const struct state *s, const struct hy_axis *axis, int64_t from,
                           int64_t n, int64_t each, int64_t *offsets) {
  hyla_cube *cube = problem_of(s)->cube;
  uint32_t dims = hy_axis_mask(&axis->code), members = hy_members_in(cube, dims);
  for (uint32_t x = 0; x < members; x++) {
    int part = hy_part_of(axis, (int)hy_member_address(cube, dims, x));
    offsets[x + 1] = offsets[x] + each * held(axis, part, from, n).count;
  }
  return offsets[hy_member(cube, dims, cube->address)];
}

/* Where index i of from ... lies in gathered data, if each member has a block of the indices. */
struct piece {
  int64_t begin, count, at; /* the member's block, its indices, the position among them */
  int64_t run;              /* indices from i on that lie side by side */
};
static struct piece piece_of(const struct state *s, const struct hy_axis *axis, int64_t from,
                             int64_t n, int64_t i, const int64_t *offsets) {
  hyla_cube *cube = problem_of(s)->cube;
  int part = hy_axis_owner(axis, i);
  uint32_t address = hy_axis_address(&axis->code, (uint32_t)part);
  struct hy_row_range all = held(axis, part, from, n);
  return (struct piece){.begin = offsets[hy_member(cube, hy_axis_mask(&axis->code), (int)address)],
                        .count = all.count,
                        .at = hy_axis_before(axis, part, i) - all.first,
                        .run = hy_min(from + n - i, hy_axis_run(axis, i))};
}

/* The strip: this rank's rows of a block of m, its first n columns.  fill copies what is here;
 * order brings the columns, gathered, to the tall matrix. */
static void fill_strip(const struct state *s, const hyla_matrix *m, int64_t block, int64_t n) {
  struct hy_row_range rows = rows_of(s, block);
  int64_t own = set_offsets(s, &problem_of(s)->col, 0, n, rows.count, s->along_at);
  copy(s, rows.count, columns_of(s, n), hy_at(m, rows.first, 0), m->ld, word(s, s->strip, own),
       rows.count);
}
static void order_strip(const struct state *s, int64_t block, int64_t n) {
  int64_t rows = rows_of(s, block).count;
  struct piece p;
  for (int64_t i = 0; i < n; i += p.run) {
    p = piece_of(s, &problem_of(s)->col, 0, n, i, s->along_at);
    copy(s, rows, p.run, word(s, s->strip, p.begin + p.at * rows), rows, word(s, s->tall, i * rows),
         rows);
  }
}

/* The stack: a block's rows, with n columns of this rank.  begin sets the offsets; put copies the
 * own rows of `cols' columns from data to the stack, from its column `to' on; order brings all
 * rows to a matrix with the block's rows in order. */
static int64_t begin_stack(const struct state *s, int64_t block, int64_t n) {
  return set_offsets(s, &problem_of(s)->row, first_of(s, block), order_of(s, block), n, s->down_at);
}
static void put_stack(const struct state *s, int64_t begin, int64_t rows, const char *data,
                      int64_t ld, int64_t cols, int64_t to) {
  copy(s, rows, cols, data, ld, word(s, s->stack, begin + to * rows), rows);
}
static void order_stack(const struct state *s, int64_t block, int64_t n, char *to) {
  int64_t first = first_of(s, block), order = order_of(s, block);
  struct piece p;
  for (int64_t i = first; i < first + order; i += p.run) {
    p = piece_of(s, &problem_of(s)->row, first, order, i, s->down_at);
    copy(s, p.run, n, word(s, s->stack, p.begin + p.at), p.count, word(s, to, i - first), order);
  }
}

static hyla_status gather_both(const struct state *s) {
  const struct hy_gathering both[] = {{&s->along, s->strip, s->along_at},
                                      {&s->down, s->stack, s->down_at}};
  return hy_gather_two(both);
}

/* -------------------------------------------------------------- algorithm -- */

/* Gathers D_i and factors it. */
static hyla_status factor_block(struct state *s, int64_t block) {
  const struct hy_block_tridiagonal_problem *p = problem_of(s);
  int64_t n = order_of(s, block), rows = rows_of(s, block).count;
  fill_strip(s, s->task->diagonal, block, n);
  TRY(hy_subcube_allgather(&s->along, s->strip, s->along_at));
  order_strip(s, block, n);
  int64_t begin = begin_stack(s, block, n);
  put_stack(s, begin, rows, s->tall, rows, n, 0);
  TRY(hy_subcube_allgather(&s->down, s->stack, s->down_at));
  order_stack(s, block, n, s->block);
  int failed = s->k->getrf((int)n, (int)n, s->block, (int)n, s->pivots);
  hy_compute(p->cube, n * (n - 1) * (4 * n + 1) / 6, s->k->size, s->k->complex_type);
  if (failed > 0 && *p->singular == 0) *p->singular = first_of(s, block) + failed;
  return HYLA_OK;
}

/* The wide matrix, n x cols, := D_i^-1 times itself. */
static void solve_wide(const struct state *s, int64_t n, int64_t cols) {
  const struct hy_kernels *k = s->k;
  if (n == 0 || cols == 0) return;
  for (int64_t i = 0; i < n && !k->dry; i++)
    if (s->pivots[i] != i)
      k->swap((int)cols, word(s, s->wide, i), (int)n, word(s, s->wide, s->pivots[i]), (int)n);
  hy_count_copied(problem_of(s)->cube, n * cols);
  k->trsm(HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, (int)n, (int)cols, 1, s->block,
          (int)n, s->wide, (int)n);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, (int)n, (int)cols, 1, s->block,
          (int)n, s->wide, (int)n);
  hy_compute(problem_of(s)->cube, n * (2 * n - 1) * cols, k->size, k->complex_type);
}

/* The own rows of the wide matrix' columns from `from' on go to m. */
static void take_rows(const struct state *s, int64_t block, int64_t from, int64_t cols,
                      const hyla_matrix *m) {
  const struct hy_axis *row = &problem_of(s)->row;
  int part = hy_part_of(row, problem_of(s)->cube->address);
  int64_t first = first_of(s, block), n = order_of(s, block), run;
  for (int64_t i = first; i < first + n; i += run) {
    run = hy_min(first + n - i, hy_axis_run(row, i));
    if (hy_axis_owner(row, i) == part)
      copy(s, run, cols, word(s, s->wide, i - first + from * n), n,
           hy_at(m, hy_axis_before(row, part, i), 0), m->ld);
  }
}

/* Rows of a block of m, its first `cols' columns, -= the tall matrix times columns of the wide one,
 * n being the order between them. */
static void subtract(const struct state *s, int64_t block, int64_t n, int64_t from, int64_t cols,
                     const hyla_matrix *m) {
  struct hy_row_range rows = rows_of(s, block);
  if (rows.count == 0 || cols == 0 || n == 0) return;
  s->k->gemm(HYLA_NONE, HYLA_NONE, (int)rows.count, (int)cols, (int)n, -1, s->tall, (int)rows.count,
             word(s, s->wide, from * n), (int)n, 1, hy_at(m, rows.first, 0), (int)m->ld);
  hy_compute(problem_of(s)->cube, 2 * rows.count * n * cols, s->k->size, s->k->complex_type);
}

/* Makes an identity of D_i and eliminates L_(i+1). */
static hyla_status eliminate(struct state *s, int64_t block) {
  const struct hy_block_tridiagonal_task *t = s->task;
  struct hy_row_range rows = rows_of(s, block);
  int64_t n = order_of(s, block), next = order_of(s, block + 1);
  int64_t above = columns_of(s, next), sides = sides_of(s);
  TRY(factor_block(s, block));
  int64_t begin = begin_stack(s, block, above + sides);
  put_stack(s, begin, rows.count, hy_at(t->above, rows.first, 0), t->above->ld, above, 0);
  put_stack(s, begin, rows.count, hy_at(t->x, rows.first, 0), t->x->ld, sides, above);
  if (next == 0) {
    TRY(hy_subcube_allgather(&s->down, s->stack, s->down_at));
  } else {
    fill_strip(s, t->below, block + 1, n);
    TRY(gather_both(s));
  }
  order_stack(s, block, above + sides, s->wide);
  solve_wide(s, n, above + sides);
  take_rows(s, block, 0, above, t->above);
  take_rows(s, block, above, sides, t->x);
  if (next == 0) return HYLA_OK;
  order_strip(s, block + 1, n);
  subtract(s, block + 1, n, 0, above, t->diagonal);
  subtract(s, block + 1, n, above, sides, t->x);
  return HYLA_OK;
}

static hyla_status substitute(struct state *s, int64_t block) {
  const struct hy_block_tridiagonal_task *t = s->task;
  struct hy_row_range rows = rows_of(s, block + 1);
  int64_t next = order_of(s, block + 1), sides = sides_of(s);
  int64_t begin = begin_stack(s, block + 1, sides);
  put_stack(s, begin, rows.count, hy_at(t->x, rows.first, 0), t->x->ld, sides, 0);
  fill_strip(s, t->above, block, next);
  TRY(gather_both(s));
  order_stack(s, block + 1, sides, s->wide);
  order_strip(s, block, next);
  subtract(s, block, next, 0, sides, t->x);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct state *s = state;
  if (problem_of(s)->cube->address < 0) return HYLA_OK;
  for (int64_t i = 0; i < s->blocks; i++) TRY(eliminate(s, i));
  for (int64_t i = s->blocks - 2; i >= 0; i--) TRY(substitute(s, i));
  return HYLA_OK;
}

/* ----------------------------------------------------------------- memory -- */

/* The most indices of a block in a part. */
static int64_t most_of(const struct state *s, const struct hy_axis *axis, int part) {
  int64_t most = 0;
  for (int64_t block = 0; block < s->blocks; block++)
    most = hy_max(most, held(axis, part, first_of(s, block), order_of(s, block)).count);
  return most;
}

/* Numbers the members as they are: a group with places can be run step by step. */
static hyla_status make_group(struct state *s, const struct hy_axis *axis, int64_t words,
                              struct hy_subcube_op *group) {
  hyla_cube *cube = problem_of(s)->cube;
  uint32_t dims = hy_axis_mask(&axis->code), members = hy_members_in(cube, dims), *place = NULL;
  TRY(hy_alloc_for(&cube->base, s, members, sizeof *place, &place));
  for (uint32_t x = 0; x < members; x++) place[x] = x;
  return hy_subcube_make_for(s, cube, dims, HY_TASK_ALLGATHER, words, s->k->size, place, group);
}

static hyla_status create(const struct hy_variant *variant, const void *task, void **state) {
  const struct hy_block_tridiagonal_task *asked = task;
  const struct hy_block_tridiagonal_problem *p = &asked->system;
  struct state *s = NULL;
  int64_t rows = 0, cols = hy_axis_most(&p->col) + hy_axis_most(&p->across);
  (void)variant;
  TRY(hy_alloc(&p->cube->base, 1, sizeof *s, &s));
  *state = s;
  s->task = asked;
  s->k = p->k;
  s->blocks = p->order == 0 ? 0 : hy_ceil_div(p->row.n, p->order);
  for (int part = 0; part < p->row.parts; part++) rows = hy_max(rows, most_of(s, &p->row, part));
  TRY(make_group(s, &p->col, rows * p->order, &s->along));
  return make_group(s, &p->row, p->order * hy_max(p->order, cols), &s->down);
}

static hyla_status take(struct state *s) {
  const struct hy_block_tridiagonal_problem *p = problem_of(s);
  struct hy_base *base = &p->cube->base;
  int64_t size = (int64_t)s->k->size, order = p->order;
  s->rows = most_of(s, &p->row, hy_part_of(&p->row, p->cube->address));
  s->cols = columns_of(s, order) + sides_of(s);
  int64_t along = hy_members_in(p->cube, hy_axis_mask(&p->col.code));
  int64_t down = hy_members_in(p->cube, hy_axis_mask(&p->row.code));
  TRY(hy_alloc_for(base, s, along + 1, sizeof *s->along_at, &s->along_at));
  TRY(hy_alloc_for(base, s, down + 1, sizeof *s->down_at, &s->down_at));
  TRY(hy_alloc_for(base, s, order, sizeof *s->pivots, &s->pivots));
  TRY(hy_alloc_data_for(base, s, s->rows * order * size, 1, &s->strip));
  TRY(hy_alloc_data_for(base, s, s->rows * order * size, 1, &s->tall));
  TRY(hy_alloc_data_for(base, s, order * hy_max(order, s->cols) * size, 1, &s->stack));
  TRY(hy_alloc_data_for(base, s, order * s->cols * size, 1, &s->wide));
  TRY(hy_alloc_data_for(base, s, order * order * size, 1, &s->block));
  TRY(hy_subcube_allocate(&s->along));
  return hy_subcube_allocate(&s->down);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  hyla_cube *cube = problem_of(s)->cube;
  return hy_agree(cube, cube->address < 0 ? HYLA_OK : take(s));
}

/* The paper's systems: blocks of order 2^k on a 2^k x 2^k array, all element-cyclic. */
static void explain_published(const struct state *s, struct hy_text *text) {
  const struct hy_block_tridiagonal_problem *p = problem_of(s);
  const struct hy_axis *const axes[] = {&p->row, &p->col, &p->across};
  long long side = p->row.parts, k = hy_log2_floor((uint32_t)side), q = s->blocks;
  long long r = hy_ceil_div(p->across.n, side);
  for (int i = 0; i < 3; i++)
    if (axes[i]->parts != side || axes[i]->block != 1 || axes[i]->code.code != HYLA_GRAY) return;
  if (side < 2 || p->order != side || p->row.n != q * side || r == 0) return;
  hy_text_add(text,
              "  published: %lld = (2r + 1) (q - 1) (2^k + 1) + 2 (k - 1) (theorem 6.5, one block "
              "a step) steps of one element for the products, k = %lld, q = %lld, r = %lld; here "
              "%lld = (2r + 1) (q - 1) (2^k - 1)\n",
              (2 * r + 1) * (q - 1) * (side + 1) + 2 * (k - 1), k, q, r,
              (2 * r + 1) * (q - 1) * (side - 1));
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  explain_published(s, text);
  hy_text_add(text, "  %lld block rows, the blocks of order %lld; D is factored on every rank\n",
              (long long)s->blocks, (long long)problem_of(s)->order);
  hy_subcube_explain(&s->along, "columns of the left factors", text);
  hy_subcube_explain(&s->down, "rows of the right factors", text);
}

const struct hy_variant hy_block_tridiagonal_product = {
    .name = "product",
    .arrays = true,
    .reference = "johnsson-1987, section 6.4.3",
    HY_OPERATIONS,
};
