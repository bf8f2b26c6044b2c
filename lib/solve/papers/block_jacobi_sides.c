/* Triangular systems with identities on the diagonal, by trees: the right-hand sides of the first
 * span come to the diagonal.
 *
 * Johnsson 1987, 6.4.2, shifts them there while other data travel; in theorem 6.4 the first ones
 * are there after k steps, the others follow one after another.  Along a rank row's tree this works
 * for the first r + c groups.  From then on all links of the tree carry sums.
 *
 * Later groups travel beside their rank row, over free links, if rank rows and rank columns have
 * the same code.  The way from rank column s to the diagonal of rank row p, along the row, has a
 * highest bit.  Let p' be the row's neighbour across that bit.  A group goes in three parts:
 *   1. from (p, s) to (p', s), up the tree of rank column s;
 *   2. on the way it would have taken, but in rank row p'.  Its tree does not use these links,
 *      because each of its own links leads down from a rank's highest bit;
 *   3. back, up the tree of the diagonal's rank column.
 * That is two links more.  There is only one way from a rank to a diagonal, so groups that leave
 * one after another do not meet.
 *
 * One link is used twice: the first link, from (p, s) to (p', s), is also the last one for groups
 * that come to (p', s) if that is on the diagonal.  Groups of rank column s find it free, except
 * for the first two, which would follow closely behind others.  So these two cross it at the very
 * beginning and wait behind it. */
#include "solve/papers/block_jacobi_trees.h"

static int depth(uint32_t dims) { return hy_popcount(dims); }
static uint32_t highest(uint32_t way) { return way == 0 ? 0 : 1u << hy_log2_floor(way); }
/* A bit and all lower ones. */
static uint32_t upto(uint32_t bit) { return bit == 0 ? 0 : 2 * bit - 1; }

/* ------------------------------------------------------- along the own row -- */

/* Do right-hand sides of a group lie on the member of a rank row at distance `way' from the root,
 * or behind it in the tree? */
static bool carries(const struct hy_trees *f, const struct hy_tree *tree, uint32_t way,
                    int64_t group) {
  const struct hy_axis *across = &f->e->across;
  uint32_t root = (uint32_t)f->e->cube->address ^ tree->way, bits = upto(highest(way));
  int64_t first = 0, from = hy_tree_first_side(f, group), to = from + hy_tree_sides_in(f, group);
  for (int part = 0; part < across->parts; part++) {
    int64_t end = first + hy_held(across, part);
    uint32_t there = (hy_axis_address(&across->code, (uint32_t)part) ^ root) & tree->dims;
    if (first < to && end > from && (there & bits) == way) return true;
    first = end;
  }
  return false;
}

/* Brings a group's right-hand sides of a block to the rank that solves for it. */
static hyla_status pass_along(const struct hy_trees *f, int64_t number, int64_t group) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  struct hy_diagonal_block at;
  int children[HYLA_DIMS_MAX], count = 0;
  if (!hy_tree_block(f, 0, &array->row, array->row_part, number, &at)) return HYLA_OK;
  struct hy_tree tree = hy_tree_of(f, array->col_dims, hy_row_root(array, at.index));
  if (!carries(f, &tree, tree.way, group)) return HYLA_OK;
  for (uint32_t child = hy_tree_next_child(&tree, 0); child != 0;
       child = hy_tree_next_child(&tree, child))
    if (carries(f, &tree, tree.way | child, group))
      children[count++] = f->e->cube->address ^ (int)child;
  TRY(hy_tree_add(f, &at, group, children, count));
  return tree.way == 0 ? HYLA_OK : hy_tree_give(f, &at, number, group, hy_tree_parent(f, &tree));
}

/* --------------------------------------------------------- beside the row -- */

/* A group that travels beside its rows. */
struct travel {
  int64_t group, ready; /* ready: the time when it leaves the diagonal */
  int64_t index;        /* its number among those of its rank column */
  uint32_t owner;       /* the rank column's bits in an address */
};

/* Groups that lie on one rank column travel so; false: this one does not. */
static bool travel_of(const struct hy_trees *f, int64_t group, struct travel *t) {
  const struct hy_block_jacobi *e = f->e;
  const struct hy_axis *across = &e->across;
  int64_t first = 0, from = hy_tree_first_side(f, group), to = from + hy_tree_sides_in(f, group);
  int part = 0;
  if (!e->beside || group < f->hops - 1) return false;
  for (; first + hy_held(across, part) <= from; part++) first += hy_held(across, part);
  *t = (struct travel){.group = group,
                       .ready = f->begin + group,
                       .index = group - hy_ceil_div(first, e->width),
                       .owner = hy_axis_address(&across->code, (uint32_t)part)};
  return to <= first + hy_held(across, part);
}

/* The time when a group leaves its rank column, at distance `way' from the diagonal. */
static int64_t leaves(const struct travel *t, uint32_t way) {
  if (way == highest(way) && t->index < 2) return t->index + 1;
  return t->ready - hy_popcount(way) - 2;
}

/* The node across the dimension of the rank rows that corresponds to this bit of the rank
 * columns. */
static int over(const struct hy_trees *f, uint32_t bit) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  uint32_t member = hy_extract(bit, array->col_dims);
  return f->e->cube->address ^ (int)hy_deposit(member, array->row_dims);
}

/* For this rank's own block: sends the group, or receives it. */
static hyla_status pass_own(const struct hy_trees *f, const struct travel *t, int64_t time) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  struct hy_diagonal_block at;
  if (!hy_tree_block(f, 0, &array->row, array->row_part, 0, &at)) return HYLA_OK;
  int root = hy_row_root(array, at.index);
  struct hy_tree tree = hy_tree_of(f, array->col_dims, root);
  uint32_t way = (t->owner ^ (uint32_t)root) & tree.dims;
  int peer = over(f, highest(way));
  if (way == 0) return HYLA_OK;
  if (tree.way == way && time == leaves(t, way)) TRY(hy_tree_give(f, &at, 0, t->group, peer));
  if (tree.way == 0 && time == t->ready) TRY(hy_tree_add(f, &at, t->group, &peer, 1));
  return HYLA_OK;
}

/* Memory and message for groups that pass through for the neighbour across a bit. */
static char *room(const struct hy_trees *f, int64_t index, int64_t group) {
  int64_t words = f->e->s.array.block * (index * f->sums->col.n + hy_tree_first_side(f, group));
  return f->e->passing + (size_t)words * f->k->size;
}
static struct hy_message *message(const struct hy_trees *f, int64_t index, int64_t group) {
  int64_t others = hy_block_jacobi_control(f->e) / (int64_t)sizeof *f->e->messages -
                   hy_tree_beside_messages(f->e);
  return f->e->messages + others + index * f->e->groups + group;
}

/* For a block of the rank row across a bit: receives a group and sends it on. */
static hyla_status pass_others(const struct hy_trees *f, const struct travel *t, uint32_t bit,
                               int64_t time) {
  const struct hy_block_cyclic *array = &f->e->s.array;
  struct hy_diagonal_block at;
  int address = f->e->cube->address, row = over(f, bit);
  int64_t index = hy_log2_floor(hy_extract(bit, array->col_dims));
  if (!hy_tree_block(f, 0, &array->row, hy_part_of(&array->row, row), 0, &at)) return HYLA_OK;
  int root = hy_row_root(array, at.index);
  struct hy_tree tree = hy_tree_of(f, array->col_dims, root);
  uint32_t way = (t->owner ^ (uint32_t)root) & tree.dims, below = upto(highest(tree.way));
  if (highest(way) != bit || (way & below) != tree.way) return HYLA_OK;
  bool first = tree.way == way;
  uint32_t rest = way & ~below, child = rest & -rest;
  int64_t goes = t->ready - hy_popcount(tree.way) - 1, comes = first ? leaves(t, way) + 1 : goes;
  int64_t words = (int64_t)at.width * hy_tree_sides_in(f, t->group);
  char *data = room(f, index, t->group);
  if (time == comes) {
    struct hy_message came;
    TRY(hy_tree_start(f, &came, HY_RECV, first ? row : address ^ (int)child, data, words));
    TRY(hy_tree_finish(f, &came));
  }
  if (time != goes) return HYLA_OK;
  return hy_tree_start(f, message(f, index, t->group), HY_SEND,
                       tree.way == 0 ? row : hy_tree_parent(f, &tree), data, words);
}

static hyla_status pass_beside(const struct hy_trees *f, const struct travel *t, int64_t time) {
  uint32_t dims = f->e->s.array.col_dims;
  TRY(pass_own(f, t, time));
  for (uint32_t rest = dims; rest != 0; rest &= rest - 1)
    TRY(pass_others(f, t, rest & -rest, time));
  return HYLA_OK;
}

/* ------------------------------------------------------------------- both -- */

hyla_status hy_tree_sides(const struct hy_trees *f, int64_t time) {
  struct travel t;
  int64_t ready = time - f->begin; /* the group that leaves the diagonal now */
  for (int64_t i = 0; i < f->rows_in; i++) {
    int64_t group = ready + hy_tree_row_distance(f, i);
    if (group >= 0 && group < f->e->groups && !travel_of(f, group, &t))
      TRY(pass_along(f, i, group));
  }
  int64_t last = time <= 3 ? f->e->groups : ready + depth(f->e->s.array.col_dims) + 3;
  for (int64_t group = hy_max(0, ready); group < hy_min(last, f->e->groups); group++)
    if (travel_of(f, group, &t)) TRY(pass_beside(f, &t, time));
  return HYLA_OK;
}

/* Each rank row must have one block of a span, and the ranks' addresses in rows and columns must
 * match. */
bool hy_tree_beside(const struct hy_block_jacobi *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  bool alike = array->row.parts == array->col.parts;
  for (uint32_t part = 0; alike && part < (uint32_t)array->row.parts; part++)
    alike = hy_extract(hy_axis_address(&array->row.code, part), array->row_dims) ==
            hy_extract(hy_axis_address(&array->col.code, part), array->col_dims);
  return alike && e->groups > depth(array->row_dims) + depth(array->col_dims);
}

int64_t hy_tree_beside_words(const struct hy_block_jacobi *e) {
  return e->beside ? depth(e->s.array.col_dims) * e->s.array.block * e->across.n : 0;
}
int64_t hy_tree_beside_messages(const struct hy_block_jacobi *e) {
  return e->beside ? depth(e->s.array.col_dims) * e->groups : 0;
}
