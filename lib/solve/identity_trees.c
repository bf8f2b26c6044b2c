/* Triangular systems with identities on the diagonal, by trees.
 *
 * Johnsson 1987, 6.4.2: each rank column keeps the sums of what its columns contribute.  A block
 * of X starts on the rank that has its diagonal block and goes down the rank column by a spanning
 * tree; the ranks subtract what it contributes to the next span's rows, and these sums go along
 * the rank rows, by trees again, to the ranks that have the next span's diagonal blocks.  What it
 * contributes to later spans stays in place.  Right-hand sides come to where they are wanted as
 * part of the sums.
 *
 * Right-hand sides go in groups, one behind the other.  A group's sums come to their root r + c
 * messages after its block left, and the group leaves again at once, whether or not the last group
 * of the span before has come in.  A rank takes its messages in an order that keeps this pace.  At
 * time u + d it passes on the block that left its root at time u, d messages away; at time
 * u + hops - d the sums to a root d messages away, hops being r + c + 1, later than any block of
 * time u.  So everything waits for what others do earlier alone, and nobody waits for ever.
 *
 * Steps a span: r + c; a rank's part of a span's rows x right-hand sides each. */
#include "solve/identity.h"

#include <string.h>

/* A root's tree as this rank sees it: binomial, over the dimensions in a mask. */
struct tree {
  uint32_t dims, way; /* the mask; this rank's address from the root's */
};

struct trees {
  const struct hy_identity *e;
  const struct hy_kernels *k;
  const struct hyla_matrix *sums;
  int64_t hops, period;        /* of a group: until its sums are there; until it leaves again */
  int64_t begin;               /* when the first group leaves, its right-hand sides being there */
  int64_t columns_in, rows_in; /* blocks of a span in this rank's columns, rows, at most */
  int64_t nearest;             /* of this rank's distances from the roots of its sums */
  int64_t subtracted;          /* spans of which all is subtracted */
};

/* ------------------------------------------------------- blocks and places -- */

static int64_t first_side(const struct trees *f, int64_t group) { return group * f->e->width; }
static int sides_in(const struct trees *f, int64_t group) {
  return (int)hy_min(f->e->width, f->sums->col.n - group * f->e->width);
}

/* The number-th block of a span on an axis' part; false: there is none. */
static bool block_of(const struct trees *f, int64_t step, const struct hy_axis *axis, int part,
                     int64_t number, struct hy_diagonal_block *at) {
  struct hy_block_span span = hy_identity_span(f->e, step);
  int64_t block = span.first + part + number * axis->parts;
  if (block >= span.end) return false;
  *at = hy_diagonal_block(&f->e->s.array, block);
  return true;
}

static struct tree tree_of(const struct trees *f, uint32_t dims, int root) {
  return (struct tree){dims, ((uint32_t)f->e->cube->address ^ (uint32_t)root) & dims};
}

/* This rank's neighbours in a tree: the parent; children, which are bits that follow the rank's
 * highest.  next: the child behind a child, of 0 the first; 0: none. */
static int parent_of(const struct trees *f, const struct tree *tree) {
  return f->e->cube->address ^ (1 << hy_log2_floor(tree->way));
}
static uint32_t next_child(const struct tree *tree, uint32_t child) {
  uint32_t used = tree->way | child, below = used == 0 ? 0 : (2u << hy_log2_floor(used)) - 1;
  uint32_t above = tree->dims & ~below;
  return above & -above;
}

/* ---------------------------------------------------------------- memory -- */

static char *word(const struct trees *f, char *data, int64_t words) {
  return data + (size_t)words * f->k->size;
}

/* A block of X on its way, of a span's parity. */
static char *block_room(const struct trees *f, int64_t step, int64_t number, int64_t group) {
  int64_t rows = f->e->s.array.block;
  return word(f, f->e->blocks,
              rows * ((step % 2 * f->columns_in + number) * f->sums->col.n + first_side(f, group)));
}

/* Sums on their way out. */
static char *sums_room(const struct trees *f, int64_t number, int64_t group) {
  return word(f, f->e->leaving,
              f->e->s.array.block * (number * f->sums->col.n + first_side(f, group)));
}

static int depth(uint32_t dims) { return hy_popcount(dims); }

/* Of a block that is passed on, by child; of sums that go to the parent. */
static struct hy_message *block_messages(const struct trees *f, int64_t step, int64_t number,
                                         int64_t group) {
  int64_t place = (step % 2 * f->columns_in + number) * f->e->groups + group;
  return f->e->messages + place * depth(f->e->s.array.row_dims);
}
static struct hy_message *sums_message(const struct trees *f, int64_t number, int64_t group) {
  int64_t blocks = 2 * f->columns_in * f->e->groups * depth(f->e->s.array.row_dims);
  return f->e->messages + blocks + number * f->e->groups + group;
}

/* -------------------------------------------------------------- messages -- */

static hyla_status start(const struct trees *f, struct hy_message *message, enum hy_verb verb,
                         int peer, char *data, int64_t words) {
  *message = (struct hy_message){
      .verb = verb, .peer = peer, .bytes = words * (int64_t)f->k->size, .data = data};
  return hy_link_start(f->e->cube, message, 1);
}

/* Of a message that may never have been started. */
static hyla_status finish(const struct trees *f, struct hy_message *message) {
  TRY(hy_link_wait(f->e->cube, message, message->bytes > 0));
  message->bytes = 0;
  return HYLA_OK;
}

/* A group of a block of X, of a span that is known, comes down its rank column and goes on. */
static hyla_status pass_block(const struct trees *f, int64_t step, int64_t number, int64_t group) {
  const struct hy_identity *e = f->e;
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_diagonal_block at;
  if (!block_of(f, step, &array->col, array->col_part, number, &at)) return HYLA_OK;
  struct tree tree = tree_of(f, array->row_dims, hy_column_root(array, at.index));
  struct hy_message *messages = block_messages(f, step, number, group);
  char *room = block_room(f, step, number, group);
  int columns = sides_in(f, group);
  int64_t words = (int64_t)at.width * columns;
  for (int i = 0; i < depth(array->row_dims); i++) TRY(finish(f, &messages[i]));
  if (tree.way == 0) {
    f->k->copy(HYLA_NONE, at.width, columns, 1, hy_at(f->sums, at.row, first_side(f, group)),
               (int)f->sums->ld, room, at.width);
    hy_count_copied(e->cube, words);
  } else {
    struct hy_message message;
    TRY(start(f, &message, HY_RECV, parent_of(f, &tree), room, words));
    TRY(finish(f, &message));
  }
  for (uint32_t child = next_child(&tree, 0); child != 0; child = next_child(&tree, child))
    TRY(start(f, messages++, HY_SEND, e->cube->address ^ (int)child, room, words));
  return HYLA_OK;
}

/* Some rows of the sums, in a group or all, less what a known span contributes. */
static void subtract(const struct trees *f, int64_t step, const struct hy_row_range *rows,
                     int64_t group, int64_t groups) {
  const struct hy_identity *e = f->e;
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_diagonal_block at;
  for (int64_t number = 0; number < f->columns_in && rows->count > 0; number++) {
    if (!block_of(f, step, &array->col, array->col_part, number, &at)) continue;
    for (int64_t i = group; i < group + groups; i++) {
      int columns = sides_in(f, i);
      f->k->gemm(HYLA_NONE, HYLA_NONE, (int)rows->count, columns, at.width, -1,
                 hy_at(&e->t, rows->first, at.column), (int)e->t.ld, block_room(f, step, number, i),
                 at.width, 1, hy_at(f->sums, rows->first, first_side(f, i)), (int)f->sums->ld);
      hy_compute(e->cube, 2 * rows->count * at.width * columns, f->k->size, f->k->complex_type);
    }
  }
}

/* What spans up to one contribute to those behind the next one, in place. */
static void catch_up(struct trees *f, int64_t step) {
  for (; f->subtracted <= step; f->subtracted++) {
    struct hy_block_span next = hy_identity_span(f->e, f->subtracted + 1);
    struct hy_row_range rows =
        hy_identity_rows(f->e, f->e->s.array.row_part, next.after, next.after_end);
    subtract(f, f->subtracted, &rows, 0, f->e->groups);
  }
}

/* Do right-hand sides of a group lie on the member of a rank row that is so far from the root, or
 * behind it in the tree? */
static bool carries(const struct trees *f, const struct tree *tree, uint32_t way, int64_t group) {
  const struct hy_axis *across = &f->e->across;
  uint32_t root = (uint32_t)f->e->cube->address ^ tree->way;
  uint32_t upto = way == 0 ? 0 : (2u << hy_log2_floor(way)) - 1;
  int64_t first = 0, from = first_side(f, group), to = from + sides_in(f, group);
  for (int part = 0; part < across->parts; part++) {
    int64_t end = first + hy_held(across, part);
    uint32_t there = (hy_axis_address(&across->code, (uint32_t)part) ^ root) & tree->dims;
    if (first < to && end > from && (there & upto) == way) return true;
    first = end;
  }
  return false;
}

/* Adds what the children in a tree send to a group's sums of a block; of the first span, right-hand
 * sides, where there are any. */
static hyla_status add_children(const struct trees *f, const struct tree *tree,
                                const struct hy_diagonal_block *at, int64_t group, bool opens) {
  struct hy_message messages[HYLA_DIMS_MAX];
  int columns = sides_in(f, group), count = 0;
  int64_t words = (int64_t)at->width * columns;
  char *sums = hy_at(f->sums, at->row, first_side(f, group));
  for (uint32_t child = next_child(tree, 0); child != 0; child = next_child(tree, child)) {
    if (opens && !carries(f, tree, tree->way | child, group)) continue;
    TRY(start(f, &messages[count], HY_RECV, f->e->cube->address ^ (int)child,
              word(f, f->e->coming, count * words), words));
    count++;
  }
  for (int i = count; i-- > 0;) { /* last children are leaves, and there first */
    TRY(finish(f, &messages[i]));
    f->k->combine(HYLA_NONE, at->width, columns, 1, word(f, f->e->coming, i * words), at->width, 1,
                  sums, (int)f->sums->ld);
    hy_compute(f->e->cube, words, f->k->size, f->k->complex_type);
  }
  return HYLA_OK;
}

/* A group's sums of a block go to the parent, and are 0 here. */
static hyla_status send_sums(const struct trees *f, const struct tree *tree,
                             const struct hy_diagonal_block *at, int64_t number, int64_t group) {
  int columns = sides_in(f, group);
  int64_t words = (int64_t)at->width * columns;
  char *sums = hy_at(f->sums, at->row, first_side(f, group)), *room = sums_room(f, number, group);
  TRY(finish(f, sums_message(f, number, group)));
  f->k->copy(HYLA_NONE, at->width, columns, 1, sums, (int)f->sums->ld, room, at->width);
  hy_count_copied(f->e->cube, words);
  for (int j = 0; j < columns && !f->k->dry; j++)
    memset(sums + (size_t)j * (size_t)f->sums->ld * f->k->size, 0, (size_t)at->width * f->k->size);
  return start(f, sums_message(f, number, group), HY_SEND, parent_of(f, tree), room, words);
}

/* A group's right-hand sides of a block of the first span come to where it is solved for. */
static hyla_status pass_sides(const struct trees *f, int64_t number, int64_t group) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  struct hy_diagonal_block at;
  if (!block_of(f, 0, &array->row, array->row_part, number, &at)) return HYLA_OK;
  struct tree tree = tree_of(f, array->col_dims, hy_row_root(array, at.index));
  if (!carries(f, &tree, tree.way, group)) return HYLA_OK;
  TRY(add_children(f, &tree, &at, group, true));
  return tree.way == 0 ? HYLA_OK : send_sums(f, &tree, &at, number, group);
}

/* A group's sums of a block behind a known span go there. */
static hyla_status pass_sums(struct trees *f, int64_t step, int64_t number, int64_t group) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  struct hy_diagonal_block at;
  if (!block_of(f, step + 1, &array->row, array->row_part, number, &at)) return HYLA_OK;
  struct tree tree = tree_of(f, array->col_dims, hy_row_root(array, at.index));
  const struct hy_row_range rows = {at.row, at.width};
  catch_up(f, step - 1);
  subtract(f, step, &rows, group, 1);
  TRY(add_children(f, &tree, &at, group, false));
  return tree.way == 0 ? HYLA_OK : send_sums(f, &tree, &at, number, group);
}

/* ----------------------------------------------------------------- times -- */

/* What left its root a time ago: which group of which span; false: none did. */
static bool left_at(const struct trees *f, int64_t time, int64_t *step, int64_t *group) {
  *step = (time - f->begin) / f->period;
  *group = (time - f->begin) % f->period;
  return time >= f->begin && *group < f->e->groups && *step + 1 < f->e->spans;
}

/* The rank's distance from the roots of the number-th blocks in its rows, in its columns. */
static int row_distance(const struct trees *f, int64_t number) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  int64_t block = array->row_part + number * array->row.parts;
  return hy_popcount(tree_of(f, array->col_dims, hy_row_root(array, block)).way);
}
static int column_distance(const struct trees *f, int64_t number) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  int64_t block = array->col_part + number * array->col.parts;
  return hy_popcount(tree_of(f, array->row_dims, hy_column_root(array, block)).way);
}

/* Sums first: a root needs them for the block that leaves at the same time.  When the last ones
 * are on their way there is time for what stays. */
static hyla_status take_time(struct trees *f, int64_t time) {
  int64_t step = 0, group = 0;
  for (int64_t i = 0; i < f->rows_in; i++) {
    group = time - f->begin + row_distance(f, i);
    if (group >= 0 && group < f->e->groups) TRY(pass_sides(f, i, group));
  }
  for (int64_t i = 0; i < f->rows_in; i++)
    if (left_at(f, time - f->hops + row_distance(f, i), &step, &group))
      TRY(pass_sums(f, step, i, group));
  for (int64_t i = 0; i < f->columns_in; i++)
    if (left_at(f, time - column_distance(f, i), &step, &group)) TRY(pass_block(f, step, i, group));
  if (left_at(f, time - f->hops + f->nearest, &step, &group) && group + 1 == f->e->groups)
    catch_up(f, step);
  return HYLA_OK;
}

hyla_status hy_identity_trees(const struct hy_identity *e, const hyla_matrix *sums) {
  const struct hy_block_cyclic *array = &e->s.array;
  struct trees f = {.e = e,
                    .k = e->k,
                    .sums = sums,
                    .columns_in = e->span / array->col.parts,
                    .rows_in = e->span / array->row.parts};
  int64_t count = hy_identity_control(e) / (int64_t)sizeof *e->messages;
  f.hops = depth(array->row_dims) + depth(array->col_dims) + 1;
  f.period = hy_max(f.hops, e->groups);
  f.nearest = row_distance(&f, 0);
  for (int64_t i = 1; i < f.rows_in; i++) f.nearest = hy_min(f.nearest, row_distance(&f, i));
  if (sums->col.n == 0 || e->spans == 0) return HYLA_OK;
  memset(e->messages, 0, (size_t)count * sizeof *e->messages);
  f.begin = depth(array->col_dims) + 1;
  int64_t end = f.begin + e->spans * f.period + f.hops;
  for (int64_t time = 0; time <= end; time++) TRY(take_time(&f, time));
  for (int64_t i = 0; i < count; i++) TRY(finish(&f, &e->messages[i]));
  return HYLA_OK;
}

/* ------------------------------------------------------------------ make -- */

int64_t hy_identity_control(const struct hy_identity *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t blocks = 2 * (e->span / array->col.parts) * depth(array->row_dims);
  if (e->product || e->cube->address < 0) return 0;
  return (blocks + e->span / array->row.parts) * e->groups * (int64_t)sizeof *e->messages;
}

hyla_status hy_identity_trees_make(struct hy_identity *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t nrhs = e->across.n, rows = hy_axis_most(&array->row);
  e->groups = hy_groups_of_sides(&e->s, depth(array->row_dims) + depth(array->col_dims), nrhs);
  e->width = hy_ceil_div(nrhs, e->groups);
  return hy_group_make(e->cube, array->col_dims, HY_TASK_REDUCE, hy_max(rows, array->block) * nrhs,
                       e->k->size, &e->adds);
}

hyla_status hy_identity_trees_take(struct hy_identity *e) {
  struct hy_base *base = &e->cube->base;
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t nrhs = e->across.n, size = (int64_t)e->k->size, block = array->block;
  int64_t columns_in = e->span / array->col.parts, rows_in = e->span / array->row.parts;
  TRY(hy_alloc_data(base, hy_substitution_sums(&e->s, nrhs), 1, &e->sums));
  TRY(hy_alloc_data(base, 2 * columns_in * block * nrhs * size, 1, &e->blocks));
  TRY(hy_alloc_data(base, rows_in * block * nrhs * size, 1, &e->leaving));
  TRY(hy_alloc_data(base, depth(array->col_dims) * block * e->width * size, 1, &e->coming));
  TRY(hy_alloc(base, hy_identity_control(e), 1, &e->messages));
  e->s.sums = e->sums;
  e->s.adds = &e->adds;
  return hy_group_take(&e->adds);
}
