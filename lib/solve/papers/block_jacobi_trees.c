/* Triangular systems with identities on the diagonal, by trees.
 *
 * Reference: Johnsson 1987, 6.4.2.
 *
 * Method: each rank column keeps the sums of its columns' contributions.  A block of X starts on
 *   the rank with its diagonal block and goes down the rank column by a spanning tree.  The ranks
 *   subtract its contribution from the next span's rows.  These sums go along the rank rows, by
 *   trees again, to the ranks with the next span's diagonal blocks.  Contributions to later spans
 *   stay in place.  Right-hand sides come to the diagonal as part of the sums.
 * Example on 4 nodes, 2 x 2, spans of 2 blocks: X_0 goes from (0, 0) to (1, 0), X_1 from (1, 1) to
 *   (0, 1).  Node (0, 1) subtracts L_21 X_1 and sends the sum to (0, 0), which has S_2 and
 *   subtracts L_20 X_0: this is X_2.  Likewise (1, 0) sends S_3 - L_30 X_0 to (1, 1).
 * Order: right-hand sides go in groups, one after another.  A group's sums come to their root r + c
 *   messages after its block left, and the group leaves again at once, even if the last group of
 *   the span before has not come in.  A rank takes its messages in an order that keeps this pace.
 *   A block that left its root, d messages away, at time u is passed on at time u + d.  Sums for a
 *   root d messages away are passed on at time u + hops - d, where hops is r + c + 1; this is later
 *   than any block of time u.  So every task waits only for earlier tasks, and nobody waits for
 *   ever.
 * Steps a span: r + c; a rank's part of a span's rows x right-hand sides each. */
#include "solve/papers/block_jacobi_trees.h"

#include <string.h>

/* ------------------------------------------------------- blocks and places -- */

bool hy_tree_block(const struct hy_trees *f, int64_t step, const struct hy_axis *axis, int part,
                   int64_t number, struct hy_diagonal_block *at) {
  struct hy_block_span span = hy_block_jacobi_span(f->e, step);
  int64_t block = span.first + part + number * axis->parts;
  if (block >= span.end) return false;
  *at = hy_diagonal_block(&f->e->s.array, block);
  return true;
}

struct hy_tree hy_tree_of(const struct hy_trees *f, uint32_t dims, int root) {
  return (struct hy_tree){dims, ((uint32_t)f->e->cube->address ^ (uint32_t)root) & dims};
}

int hy_tree_parent(const struct hy_trees *f, const struct hy_tree *tree) {
  return f->e->cube->address ^ (1 << hy_log2_floor(tree->way));
}
uint32_t hy_tree_next_child(const struct hy_tree *tree, uint32_t child) {
  uint32_t used = tree->way | child, below = used == 0 ? 0 : (2u << hy_log2_floor(used)) - 1;
  uint32_t above = tree->dims & ~below;
  return above & -above;
}

/* ---------------------------------------------------------------- memory -- */

static char *word(const struct hy_trees *f, char *data, int64_t words) {
  return data + (size_t)words * f->k->size;
}

/* Memory for a block of X that travels, by the span's parity. */
static char *block_room(const struct hy_trees *f, int64_t step, int64_t number, int64_t group) {
  int64_t rows = f->e->s.array.block;
  return word(
      f, f->e->blocks,
      rows * ((step % 2 * f->columns_in + number) * f->sums->col.n + hy_tree_first_side(f, group)));
}

/* Memory for sums that are sent. */
static char *sums_room(const struct hy_trees *f, int64_t number, int64_t group) {
  return word(f, f->e->leaving,
              f->e->s.array.block * (number * f->sums->col.n + hy_tree_first_side(f, group)));
}

static int depth(uint32_t dims) { return hy_popcount(dims); }

/* The messages by which a block is passed on, one a child; the message of sums to the parent. */
static struct hy_message *block_messages(const struct hy_trees *f, int64_t step, int64_t number,
                                         int64_t group) {
  int64_t place = (step % 2 * f->columns_in + number) * f->e->groups + group;
  return f->e->messages + place * depth(f->e->s.array.row_dims);
}
static struct hy_message *sums_message(const struct hy_trees *f, int64_t number, int64_t group) {
  int64_t blocks = 2 * f->columns_in * f->e->groups * depth(f->e->s.array.row_dims);
  return f->e->messages + blocks + number * f->e->groups + group;
}

/* -------------------------------------------------------------- messages -- */

hyla_status hy_tree_start(const struct hy_trees *f, struct hy_message *message, enum hy_verb verb,
                          int peer, char *data, int64_t words) {
  *message = (struct hy_message){
      .verb = verb, .peer = peer, .bytes = words * (int64_t)f->k->size, .data = data};
  return hy_link_start(f->e->cube, message, 1);
}

hyla_status hy_tree_finish(const struct hy_trees *f, struct hy_message *message) {
  TRY(hy_link_wait(f->e->cube, message, message->bytes > 0));
  message->bytes = 0;
  return HYLA_OK;
}

/* A group of a block of X, of a known span, comes down its rank column and is passed on. */
static hyla_status pass_block(const struct hy_trees *f, int64_t step, int64_t number,
                              int64_t group) {
  const struct hy_block_jacobi *e = f->e;
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_diagonal_block at;
  if (!hy_tree_block(f, step, &array->col, array->col_part, number, &at)) return HYLA_OK;
  struct hy_tree tree = hy_tree_of(f, array->row_dims, hy_column_root(array, at.index));
  struct hy_message *messages = block_messages(f, step, number, group);
  char *room = block_room(f, step, number, group);
  int columns = hy_tree_sides_in(f, group);
  int64_t words = (int64_t)at.width * columns;
  for (int i = 0; i < depth(array->row_dims); i++) TRY(hy_tree_finish(f, &messages[i]));
  if (tree.way == 0) {
    hy_copy_block(e->cube, f->k, HYLA_NONE, at.width, columns,
                  hy_at(f->sums, at.row, hy_tree_first_side(f, group)), f->sums->ld, room,
                  at.width);
  } else {
    struct hy_message message;
    TRY(hy_tree_start(f, &message, HY_RECV, hy_tree_parent(f, &tree), room, words));
    TRY(hy_tree_finish(f, &message));
  }
  for (uint32_t child = hy_tree_next_child(&tree, 0); child != 0;
       child = hy_tree_next_child(&tree, child))
    TRY(hy_tree_start(f, messages++, HY_SEND, e->cube->address ^ (int)child, room, words));
  return HYLA_OK;
}

/* Subtracts a known span's contribution from some rows of the sums, for one group or all. */
static void subtract(const struct hy_trees *f, int64_t step, const struct hy_row_range *rows,
                     int64_t group, int64_t groups) {
  const struct hy_block_jacobi *e = f->e;
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_diagonal_block at;
  for (int64_t number = 0; number < f->columns_in && rows->count > 0; number++) {
    if (!hy_tree_block(f, step, &array->col, array->col_part, number, &at)) continue;
    for (int64_t i = group; i < group + groups; i++) {
      int columns = hy_tree_sides_in(f, i);
      f->k->gemm(HYLA_NONE, HYLA_NONE, (int)rows->count, columns, at.width, -1,
                 hy_at(&e->t, rows->first, at.column), (int)e->t.ld, block_room(f, step, number, i),
                 at.width, 1, hy_at(f->sums, rows->first, hy_tree_first_side(f, i)),
                 (int)f->sums->ld);
      hy_compute(e->cube, 2 * rows->count * at.width * columns, f->k->size, f->k->complex_type);
    }
  }
}

/* Subtracts, in place, the contributions of spans up to `step' to the spans after the next one. */
static void catch_up(struct hy_trees *f, int64_t step) {
  for (; f->subtracted <= step; f->subtracted++) {
    struct hy_block_span next = hy_block_jacobi_span(f->e, f->subtracted + 1);
    struct hy_row_range rows =
        hy_block_jacobi_rows(f->e, f->e->s.array.row_part, next.after, next.after_end);
    subtract(f, f->subtracted, &rows, 0, f->e->groups);
  }
}

hyla_status hy_tree_add(const struct hy_trees *f, const struct hy_diagonal_block *at, int64_t group,
                        const int *peers, int count) {
  struct hy_message messages[HYLA_DIMS_MAX];
  int columns = hy_tree_sides_in(f, group);
  int64_t words = (int64_t)at->width * columns;
  char *sums = hy_at(f->sums, at->row, hy_tree_first_side(f, group));
  for (int i = 0; i < count; i++)
    TRY(hy_tree_start(f, &messages[i], HY_RECV, peers[i], word(f, f->e->coming, i * words), words));
  for (int i = count; i-- > 0;) { /* the last children are leaves, and their sums arrive first */
    TRY(hy_tree_finish(f, &messages[i]));
    f->k->combine(HYLA_NONE, at->width, columns, 1, word(f, f->e->coming, i * words), at->width, 1,
                  sums, (int)f->sums->ld);
    hy_compute(f->e->cube, words, f->k->size, f->k->complex_type);
  }
  return HYLA_OK;
}

hyla_status hy_tree_give(const struct hy_trees *f, const struct hy_diagonal_block *at,
                         int64_t number, int64_t group, int peer) {
  int columns = hy_tree_sides_in(f, group);
  int64_t words = (int64_t)at->width * columns;
  char *sums = hy_at(f->sums, at->row, hy_tree_first_side(f, group)),
       *room = sums_room(f, number, group);
  TRY(hy_tree_finish(f, sums_message(f, number, group)));
  hy_copy_block(f->e->cube, f->k, HYLA_NONE, at->width, columns, sums, f->sums->ld, room,
                at->width);
  for (int j = 0; j < columns && !f->k->dry; j++)
    memset(sums + (size_t)j * (size_t)f->sums->ld * f->k->size, 0, (size_t)at->width * f->k->size);
  return hy_tree_start(f, sums_message(f, number, group), HY_SEND, peer, room, words);
}

/* Passes on a group's sums of a block of the span after a known one. */
static hyla_status pass_sums(struct hy_trees *f, int64_t step, int64_t number, int64_t group) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  struct hy_diagonal_block at;
  if (!hy_tree_block(f, step + 1, &array->row, array->row_part, number, &at)) return HYLA_OK;
  struct hy_tree tree = hy_tree_of(f, array->col_dims, hy_row_root(array, at.index));
  const struct hy_row_range rows = {at.row, at.width};
  int children[HYLA_DIMS_MAX], count = 0;
  catch_up(f, step - 1);
  subtract(f, step, &rows, group, 1);
  for (uint32_t child = hy_tree_next_child(&tree, 0); child != 0;
       child = hy_tree_next_child(&tree, child))
    children[count++] = f->e->cube->address ^ (int)child;
  TRY(hy_tree_add(f, &at, group, children, count));
  return tree.way == 0 ? HYLA_OK : hy_tree_give(f, &at, number, group, hy_tree_parent(f, &tree));
}

/* ----------------------------------------------------------------- times -- */

/* Finds the group and the span that left a root at `time'; false if none did. */
static bool left_at(const struct hy_trees *f, int64_t time, int64_t *step, int64_t *group) {
  *step = (time - f->begin) / f->period;
  *group = (time - f->begin) % f->period;
  return time >= f->begin && *group < f->e->groups && *step + 1 < f->e->spans;
}

int hy_tree_row_distance(const struct hy_trees *f, int64_t number) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  int64_t block = array->row_part + number * array->row.parts;
  return hy_popcount(hy_tree_of(f, array->col_dims, hy_row_root(array, block)).way);
}
static int column_distance(const struct hy_trees *f, int64_t number) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  int64_t block = array->col_part + number * array->col.parts;
  return hy_popcount(hy_tree_of(f, array->row_dims, hy_column_root(array, block)).way);
}

/* Sums come first, because a root needs them for the block that leaves at the same time.  Once the
 * last sums are sent, there is time for the contributions that stay in place. */
static hyla_status take_time(struct hy_trees *f, int64_t time) {
  int64_t step = 0, group = 0;
  for (int64_t i = 0; i < f->rows_in; i++)
    if (left_at(f, time - f->hops + hy_tree_row_distance(f, i), &step, &group))
      TRY(pass_sums(f, step, i, group));
  TRY(hy_tree_sides(f, time));
  for (int64_t i = 0; i < f->columns_in; i++)
    if (left_at(f, time - column_distance(f, i), &step, &group)) TRY(pass_block(f, step, i, group));
  if (left_at(f, time - f->hops + f->nearest, &step, &group) && group + 1 == f->e->groups)
    catch_up(f, step);
  return HYLA_OK;
}

hyla_status hy_block_jacobi_trees(const struct hy_block_jacobi *e, const hyla_matrix *sums) {
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_trees f = {.e = e,
                       .k = e->k,
                       .sums = sums,
                       .columns_in = e->span / array->col.parts,
                       .rows_in = e->span / array->row.parts};
  int64_t count = hy_block_jacobi_control(e) / (int64_t)sizeof *e->messages;
  f.hops = depth(array->row_dims) + depth(array->col_dims) + 1;
  f.period = hy_max(f.hops, e->groups);
  f.nearest = hy_tree_row_distance(&f, 0);
  for (int64_t i = 1; i < f.rows_in; i++)
    f.nearest = hy_min(f.nearest, hy_tree_row_distance(&f, i));
  if (sums->col.n == 0 || e->spans <= 1) return HYLA_OK;
  memset(e->messages, 0, (size_t)count * sizeof *e->messages);
  f.begin = depth(array->col_dims) + 1;
  int64_t end = f.begin + e->spans * f.period + f.hops;
  for (int64_t time = 0; time <= end; time++) TRY(take_time(&f, time));
  for (int64_t i = 0; i < count; i++) TRY(hy_tree_finish(&f, &e->messages[i]));
  return HYLA_OK;
}

/* ------------------------------------------------------------------ make -- */

int64_t hy_block_jacobi_control(const struct hy_block_jacobi *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t blocks = 2 * (e->span / array->col.parts) * depth(array->row_dims);
  if (e->product || e->cube->address < 0) return 0;
  return ((blocks + e->span / array->row.parts) * e->groups + hy_tree_beside_messages(e)) *
         (int64_t)sizeof *e->messages;
}

hyla_status hy_block_jacobi_trees_make(struct hy_block_jacobi *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t nrhs = e->across.n, rows = hy_axis_most(&array->row);
  e->groups = hy_groups_of_sides(&e->s, depth(array->row_dims) + depth(array->col_dims), nrhs);
  e->width = hy_ceil_div(nrhs, e->groups);
  e->beside = hy_tree_beside(e);
  return hy_subcube_make_for(e->owner, e->cube, array->col_dims, HY_TASK_REDUCE,
                             hy_max(rows, array->block) * nrhs, e->k->size, NULL, &e->adds);
}

hyla_status hy_block_jacobi_trees_allocate(struct hy_block_jacobi *e) {
  struct hy_base *base = &e->cube->base;
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t nrhs = e->across.n, size = (int64_t)e->k->size, block = array->block;
  int64_t columns_in = e->span / array->col.parts, rows_in = e->span / array->row.parts;
  TRY(hy_alloc_data_for(base, e->owner, hy_substitution_sums(&e->s, nrhs), 1, &e->sums));
  TRY(hy_alloc_data_for(base, e->owner, 2 * columns_in * block * nrhs * size, 1, &e->blocks));
  TRY(hy_alloc_data_for(base, e->owner, rows_in * block * nrhs * size, 1, &e->leaving));
  TRY(hy_alloc_data_for(base, e->owner, depth(array->col_dims) * block * e->width * size, 1,
                        &e->coming));
  TRY(hy_alloc_data_for(base, e->owner, hy_tree_beside_words(e) * size, 1, &e->passing));
  TRY(hy_alloc_control_for(base, e->owner, hy_block_jacobi_control(e), 1, &e->messages));
  e->s.sums = e->sums;
  e->s.adds = &e->adds;
  return hy_subcube_allocate(&e->adds);
}
