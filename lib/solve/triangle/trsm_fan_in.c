/* Triangular systems by fan-in; the triangle and the right-hand sides stay where they lie.
 *
 * Reference: Heath and Romine 1988, the fan-in algorithm, here by blocks and on any array.
 * Letters: the left form is L X = B (triangle.h; for an upper triangle k descends).  X_k is block k
 *   of the solution, L_bk block (b, k) of the triangle.  S_b(v) is the part of node v in the sum
 *   that is subtracted from the right-hand side of block b.
 * Layout: any for both matrices.  Blocks are cut from the system, not from a layout, so each node
 *   may hold any rows and columns of each.
 * Method: all nodes add their parts of the diagonal blocks up, once.  Then
 *     for k = 0 ... count-1:
 *       X_k := L_kk^-1 (B_k - sum of S_k(v))       the sum on all nodes, and all solve
 *       S_b(v) := S_b(v) + L_bk(v) X_k, b > k      with the rows and columns that v holds
 *   Each node keeps its part of X_k where B lay.  The paper's nodes have whole columns, and the
 *   owner of column k alone needs X_k; here several nodes may have parts of it.
 * Example on 4 nodes, rows of T in consecutive quarters, blocks of an eighth: node 0 has the rows
 *   of blocks 0 and 1.  All know B_0 and L_00 after the sums, and solve for X_0; node 0 updates
 *   S_1, node 1 updates S_2 and S_3, and so on.  Then X_1, and node 0 has nothing left to update.
 * Steps, words: an all-reduction of block x nrhs words a block, and one of n (block + 1) / 2 words
 *   at the beginning.  No entry of the triangle outside the diagonal blocks travels.
 * Flops: n x block for each right-hand side are repeated on all nodes; the others are done where
 *   the triangle lies.
 * Memory: n (block + 1) / 2, the node's rows x nrhs, some blocks; no copy of the triangle.
 * Restriction: none.  Where several nodes hold the same entries, the operand is brought. */
#include "job/job.h"
#include "solve/triangle/triangle.h"

#include <math.h>
#include <string.h>

struct state {
  const struct hy_trsm_task *task;
  struct hy_substitution s; /* the system in the left form, without memory */
  int64_t n, nrhs, block;
  struct hy_subcube_op gathers, adds; /* of diagonal blocks; of right-hand sides */
  char *diagonals;                    /* the triangles of all diagonal blocks, packed by columns */
  char *diagonal;                     /* one of them, block x block */
  char *sums;                         /* -S, the node's rows x nrhs */
  char *solved;                       /* X_k, block x nrhs */
  char *own;                          /* its rows that belong to this node's columns */
};

/* Block k, first ... first + width-1. */
struct span {
  int64_t first, width;
};
static struct span span_of(const struct state *f, int64_t step) {
  const int64_t count = hy_ceil_div(f->n, f->block);
  const int64_t k = hy_substitution_lower(&f->s) ? step : count - 1 - step;
  return (struct span){k * f->block, hy_min(f->block, f->n - k * f->block)};
}
static int64_t rows_held(const struct state *f) {
  return hy_held(&f->s.array.row, f->s.array.row_part);
}

/* The local indices that a part of an axis has in a range of it. */
static struct hy_row_range held_in(const struct hy_axis *axis, int part, int64_t from, int64_t to) {
  const int64_t first = hy_axis_before(axis, part, from);
  return (struct hy_row_range){first, hy_axis_before(axis, part, to) - first};
}
static struct hy_row_range held_of(const struct hy_axis *axis, int part, const struct span *at) {
  return held_in(axis, part, at->first, at->first + at->width);
}

/* The global index of a local one, and the number of local indices from it on, before `end', that
 * are neighbours globally too. */
static int64_t run_at(const struct hy_axis *axis, int part, int64_t local, int64_t end,
                      int64_t *run) {
  const int64_t index = hy_axis_index(axis, part, local);
  *run = hy_min(hy_axis_run(axis, index), end - local);
  return index;
}

/* ---------------------------------------------------------- diagonal blocks -- */

/* The rows of column j of a diagonal block's triangle, as it is stored. */
static struct span column_of(const struct state *f, const struct span *at, int64_t j) {
  if (f->s.triangle == HYLA_UPPER) return (struct span){at->first, j + 1 - at->first};
  return (struct span){j, at->first + at->width - j};
}

/* Packs this node's entries of a diagonal block at `packed'. */
static void put_diagonal(const struct state *f, const struct span *at, char *packed) {
  const hyla_matrix *t = f->task->t;
  const int64_t size = (int64_t)f->s.k->size;
  const struct hy_row_range columns = held_of(&t->col, t->col_part, at);
  int64_t j = at->first;
  for (int64_t c = columns.first; c < columns.first + columns.count; c++) {
    for (; j < hyla_matrix_col(t, c); j++) packed += column_of(f, at, j).width * size;
    const struct span column = column_of(f, at, j);
    const struct hy_row_range rows = held_of(&t->row, t->row_part, &column);
    const int64_t end = rows.first + rows.count;
    hy_count_copied(f->s.cube, rows.count);
    for (int64_t r = rows.first, run; r < end && !f->s.k->dry; r += run) {
      const int64_t i = run_at(&t->row, t->row_part, r, end, &run);
      memcpy(packed + (i - column.first) * size, hy_at(t, r, c), (size_t)(run * size));
    }
  }
}

/* Takes one out again, width x width; the other triangle is not set. */
static void take_diagonal(const struct state *f, const struct span *at, const char *packed) {
  const int64_t size = (int64_t)f->s.k->size;
  hy_count_copied(f->s.cube, at->width * (at->width + 1) / 2);
  for (int64_t j = at->first; j < at->first + at->width && !f->s.k->dry; j++) {
    const struct span column = column_of(f, at, j);
    const int64_t place = (j - at->first) * at->width + column.first - at->first;
    memcpy(f->diagonal + place * size, packed, (size_t)(column.width * size));
    packed += column.width * size;
  }
}

/* Entries of diagonal blocks before block k, and of all. */
static int64_t packed_before(const struct state *f, const struct span *at) {
  return at->first * (f->block + 1) / 2;
}
static int64_t packed_all(const struct state *f) {
  const int64_t whole = f->n / f->block * f->block, last = f->n - whole;
  return whole * (f->block + 1) / 2 + last * (last + 1) / 2;
}

/* --------------------------------------------------------------------- sums -- */

static void clear(const struct state *f, char *data, int64_t entries) {
  if (!f->s.k->dry) memset(data, 0, (size_t)entries * f->s.k->size);
}

static hyla_status add_up(const struct state *f, const struct hy_subcube_op *group, char *data,
                          int64_t entries) {
  hyla_cube *cube = f->s.cube;
  if (hy_cube_counts(cube))
    hy_count_flops(
        cube, hy_subcube_cost(group, hy_subcube_number(group, cube->address, 0), entries).flops);
  return hy_subcube_allreduce(group, data, entries, hy_solve_sum, f->s.k);
}

/* Copies between block k and this node's entries of B, which are X's when they come home. */
static void copy_sides(const struct state *f, const struct span *at, bool home) {
  const struct hy_kernels *k = f->s.k;
  const hyla_matrix *x = f->task->x;
  const bool left = f->s.turn == HYLA_NONE;
  const struct hy_axis *along = left ? &x->row : &x->col, *across = left ? &x->col : &x->row;
  const int part = left ? x->row_part : x->col_part, side = left ? x->col_part : x->row_part;
  const struct hy_row_range rows = held_of(along, part, at);
  const int64_t end = rows.first + rows.count, sides = left ? x->local_cols : x->local_rows;
  hy_count_copied(f->s.cube, rows.count * sides);
  for (int64_t r = rows.first, run; r < end && !k->dry; r += run) {
    const int64_t i = run_at(along, part, r, end, &run);
    for (int64_t c = 0, beside; c < sides; c += beside) {
      const int64_t j = run_at(across, side, c, sides, &beside);
      char *block = f->solved + (i - at->first + j * at->width) * (int64_t)k->size;
      char *here = left ? hy_at(x, r, c) : hy_at(x, c, r);
      if (!home)
        k->copy(f->s.turn, (int)run, (int)beside, 1, here, (int)x->ld, block, (int)at->width);
      else
        k->copy(f->s.turn, (int)(left ? run : beside), (int)(left ? beside : run), 1, block,
                (int)at->width, here, (int)x->ld);
    }
  }
}

/* Block k := the node's part of B_k, less S_k. */
static void set_sides(const struct state *f, const struct span *at) {
  const struct hy_axis *axis = &f->s.array.row;
  const struct hy_row_range rows = held_of(axis, f->s.array.row_part, at);
  const int64_t size = (int64_t)f->s.k->size, end = rows.first + rows.count, ld = rows_held(f);
  clear(f, f->solved, at->width * f->nrhs);
  copy_sides(f, at, false);
  hy_compute(f->s.cube, rows.count * f->nrhs, f->s.k->size, f->s.k->complex_type);
  for (int64_t r = rows.first, run; r < end && !f->s.k->dry; r += run) {
    const int64_t i = run_at(axis, f->s.array.row_part, r, end, &run);
    f->s.k->add((int)run, (int)f->nrhs, f->sums + r * size, (int)ld,
                f->solved + (i - at->first) * size, (int)at->width);
  }
}

/* ------------------------------------------------------------------ blocks -- */

/* X_k := L_kk^-1 X_k, on every node. */
static void solve_block(const struct state *f, const struct span *at) {
  const struct hy_kernels *k = f->s.k;
  const int64_t w = at->width, ones = f->s.diagonal == HYLA_UNIT_DIAGONAL;
  take_diagonal(f, at, f->diagonals + packed_before(f, at) * (int64_t)k->size);
  k->trsm(HYLA_LEFT, f->s.triangle, f->s.op, f->s.diagonal, (int)w, (int)f->nrhs, 1, f->diagonal,
          (int)w, f->solved, (int)w);
  hy_compute(f->s.cube, w * (w - ones) * f->nrhs, k->size, k->complex_type);
}

/* -S_b := -S_b - L_bk X_k for all later blocks b, with this node's entries of the triangle.  A
 * single right-hand side uses gemv, because BLAS' gemm would copy the triangle first. */
static void subtract(const struct state *f, const struct span *at) {
  const struct hy_kernels *k = f->s.k;
  const struct hy_block_cyclic *array = &f->s.array;
  const struct hy_row_range columns = held_of(&array->col, array->col_part, at);
  const struct hy_row_range rows =
      hy_substitution_lower(&f->s)
          ? held_in(&array->row, array->row_part, at->first + at->width, f->n)
          : held_in(&array->row, array->row_part, 0, at->first);
  const int64_t size = (int64_t)k->size, end = columns.first + columns.count;
  if (rows.count == 0 || columns.count == 0) return;
  hy_count_copied(f->s.cube, columns.count * f->nrhs);
  for (int64_t c = columns.first, run; c < end && !k->dry; c += run) {
    const int64_t j = run_at(&array->col, array->col_part, c, end, &run);
    k->copy(HYLA_NONE, (int)run, (int)f->nrhs, 1, f->solved + (j - at->first) * size,
            (int)at->width, f->own + (c - columns.first) * size, (int)columns.count);
  }
  const bool plain = f->s.op == HYLA_NONE;
  const int ld = (int)f->task->t->ld, m = (int)rows.count, inner = (int)columns.count;
  const char *t = plain ? hy_at(f->task->t, rows.first, columns.first)
                        : hy_at(f->task->t, columns.first, rows.first);
  char *sums = f->sums + rows.first * size;
  if (f->nrhs == 1)
    k->gemv(f->s.op, plain ? m : inner, plain ? inner : m, -1, t, ld, f->own, sums);
  else
    k->gemm(f->s.op, HYLA_NONE, m, (int)f->nrhs, inner, -1, t, ld, f->own, inner, 1, sums,
            (int)rows_held(f));
  hy_count_read(f->s.cube, rows.count * columns.count);
  hy_count_touched(f->s.cube, rows.count * f->nrhs);
  hy_compute(f->s.cube, 2 * rows.count * columns.count * f->nrhs, k->size, k->complex_type);
}

static hyla_status run(void *state) {
  const struct state *f = state;
  const int64_t count = f->nrhs == 0 ? 0 : hy_ceil_div(f->n, f->block);
  if (f->s.cube->address < 0 || count == 0) return HYLA_OK;
  clear(f, f->diagonals, packed_all(f));
  clear(f, f->sums, rows_held(f) * f->nrhs);
  for (int64_t step = 0; step < count; step++) {
    const struct span at = span_of(f, step);
    put_diagonal(f, &at, f->diagonals + packed_before(f, &at) * (int64_t)f->s.k->size);
  }
  TRY(add_up(f, &f->gathers, f->diagonals, packed_all(f)));
  for (int64_t step = 0; step < count; step++) {
    const struct span at = span_of(f, step);
    set_sides(f, &at);
    TRY(add_up(f, &f->adds, f->solved, at.width * f->nrhs));
    solve_block(f, &at);
    copy_sides(f, &at, true);
    subtract(f, &at);
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------ the variant -- */

/* Both matrices as they lie; where that leaves nodes without entries of their own, in the default
 * layout. */
static struct hy_triangular_problem place(const struct hy_trsm_call *call) {
  struct hy_triangular_problem p = hy_trsm_system_in(call, &call->a->layout);
  struct hy_operand a = hy_operand_of(call->a, HYLA_NONE), b = hy_operand_of(call->b, HYLA_NONE);
  hy_operand_fill_cube(call->cube, &a);
  hy_operand_fill_cube(call->cube, &b);
  p.t_row = a.row;
  p.t_col = a.col;
  p.x_row = b.row;
  p.x_col = b.col;
  return p;
}

/* A wide block saves starts, a narrow one saves words and operations on diagonal blocks.  For the
 * best one alpha (n / block) dims = (beta + gamma nrhs) n block. */
static int64_t block_for(const struct hy_triangular_problem *p, int64_t n, int64_t nrhs) {
  enum { LEAST = 16 };
  const hyla_machine *machine = &p->cube->session.machine;
  const double size = (double)p->k->size;
  const double wide = machine->beta * size + machine->gamma * (double)nrhs;
  const double best = sqrt(machine->alpha * p->cube->dims / fmax(wide, 1e-300));
  return hy_max(1, hy_min(n, hy_max(LEAST, (int64_t)fmin(best, (double)n))));
}

/* Stands for the triangle until it exists. */
static struct hyla_matrix likeness(const struct hy_triangular_problem *p) {
  return (struct hyla_matrix){.cube = p->cube, .k = p->k, .row = p->t_row, .col = p->t_col};
}

static hyla_status create(const struct hy_variant *variant, const void *task, void **state) {
  const struct hy_trsm_task *asked = task;
  const struct hy_triangular_problem *p = &asked->system;
  const struct hyla_matrix t = likeness(p);
  hyla_cube *cube = p->cube;
  struct state *f = NULL;
  struct hy_triangular form = p->form;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *f, &f));
  *state = f;
  f->task = asked;
  f->n = p->t_row.n;
  f->nrhs = form.side == HYLA_LEFT ? p->x_col.n : p->x_row.n;
  f->block = form.block = block_for(p, f->n, f->nrhs);
  form.t = &t;
  f->s = hy_substitution_of(&form);
  const uint32_t all = hy_all_dims(cube);
  TRY(hy_subcube_make_for(f, cube, all, HY_TASK_ALLREDUCE, packed_all(f), p->k->size, NULL,
                          &f->gathers));
  return hy_subcube_make_for(f, cube, all, HY_TASK_ALLREDUCE, f->block * f->nrhs, p->k->size, NULL,
                             &f->adds);
}

static hyla_status allocate_memory(struct state *f) {
  struct hy_base *base = &f->s.cube->base;
  const int64_t size = (int64_t)f->s.k->size, block = f->block * f->nrhs * size;
  TRY(hy_alloc_data_for(base, f, packed_all(f) * size, 1, &f->diagonals));
  TRY(hy_alloc_data_for(base, f, f->block * f->block * size, 1, &f->diagonal));
  TRY(hy_alloc_data_for(base, f, rows_held(f) * f->nrhs * size, 1, &f->sums));
  TRY(hy_alloc_data_for(base, f, block, 1, &f->solved));
  TRY(hy_alloc_data_for(base, f, block, 1, &f->own));
  TRY(hy_subcube_allocate(&f->gathers));
  return hy_subcube_allocate(&f->adds);
}

static hyla_status allocate(void *state) {
  struct state *f = state;
  hyla_cube *cube = f->s.cube;
  return hy_agree(cube, cube->address < 0 ? HYLA_OK : allocate_memory(f));
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *f = state;
  hy_text_add(text, "  blocks of order %lld, cut from the system\n", (long long)f->block);
  hy_subcube_explain(&f->gathers, "diagonal blocks", text);
  hy_subcube_explain(&f->adds, "right-hand sides of a block", text);
}

const struct hy_variant hy_trsm_fan_in = {
    .name = "fan-in",
    .arrays = true,
    .reference = "heath-1988, the fan-in algorithm",
    .traits = &(const struct hy_trsm_traits){.place = place},
    HY_OPERATIONS,
};
