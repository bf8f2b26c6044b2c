/* The columns of a level's merges, of one side's vectors, on this node's rows.
 *
 *   turn      columns that deflation has turned, in pieces of rows
 *   copy      those that stay, by halves: a column of the upper subproblem has no entries in the
 *             lower one's rows, so each half multiplies its own columns and those with entries in
 *             both
 *   multiply  strips of columns of U, the merged matrix' vectors, are made from poles, weights and
 * roots by HY_PACKED_DEPTH entries, and multiplied.  A strip of products goes to columns whose
 *             entries were copied; in the last merge to its vectors' places
 *   set       the left vectors' row mid-1, in which the middle column alone has an entry
 *
 * Deflated columns stay where they are.  In the last merge they are copied, too, and put in their
 * places with the products.  All pieces of a step are independent of each other. */
#include "solve/divide/tree.h"

#include <string.h>

enum { DEPTH = HY_PACKED_DEPTH, STRIP = HY_DIVIDE_STRIP };

static char *entry_at(const struct hy_divide_pass *pass, int64_t row, int64_t column) {
  const struct hy_divide_side *side = &pass->s->side[pass->side];
  return side->z + (row + column * side->ld) * (int64_t)pass->s->k->size;
}

/* ----------------------------------------------------------------- pieces -- */

/* Pieces of a merge in each step: turns; copies, by halves and then of deflated columns; products,
 * likewise. */
struct counts {
  int64_t turns, copies[3], products[3];
};

static int64_t pieces(int64_t count, int64_t most, int64_t rows) {
  return rows == 0 ? 0 : hy_ceil_div(count, most);
}

/* Deflated columns and, among right vectors, the null vector. */
static int64_t dropped_of(const struct hy_divide_pass *pass, const struct hy_merge *m) {
  return m->hi - m->lo - m->k - (pass->side == HY_LEFT);
}

static struct counts counts_of(const struct hy_divide_pass *pass, const struct hy_merge *m) {
  const struct hy_divide_tree *s = pass->s;
  const int64_t rows = hy_divide_all_rows(s, m, pass->side).count, dropped = dropped_of(pass, m);
  struct counts counts = {.turns = m->rotations > 0 ? pieces(rows, HY_DIVIDE_ROWS, rows) : 0,
                          .copies = {[2] = pieces(dropped, DEPTH, rows)},
                          .products = {[2] = pass->top ? pieces(dropped, DEPTH, rows) : 0}};
  for (int h = 0; h < 2; h++) {
    const int64_t held = hy_divide_half_rows(s, m, pass->side, h).count;
    counts.copies[h] = pieces(m->held[pass->side][h], DEPTH, held);
    counts.products[h] = pieces(m->wanted_end - m->wanted, STRIP, held);
  }
  return counts;
}

static int64_t padded(const struct hy_divide_tree *s, int64_t rows) {
  return s->packed != NULL ? hy_ceil_div(rows, HY_PACKED_ROWS) * HY_PACKED_ROWS : rows;
}

/* For any deflation, of the right vectors, which may have more rows: a half holds k columns at
 * most, and only the last merge copies the others. */
int64_t hy_divide_update_room(const struct hy_divide_tree *s, int level) {
  int64_t room = 0;
  if (s->rows == 0) return 0;
  const int64_t last = hy_divide_node(s, level, s->row + s->rows - 1);
  for (int64_t i = hy_divide_node(s, level, s->row); i <= last; i++) {
    const struct hy_merge m = hy_divide_merge(s, level, i);
    /* The same whether products are packed or not, so that it does not depend on the processor. */
    for (int h = 0; h < 2; h++)
      room += hy_packed_entries(hy_divide_half_rows(s, &m, HY_RIGHT, h).count, m.hi - m.lo);
  }
  return room;
}

static void plan(struct hy_divide_pass *pass) {
  const struct hy_divide_tree *s = pass->s;
  int64_t copy = 0;
  pass->turns = pass->packs = pass->products = 0;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    struct hy_merge *m = &s->merge[i];
    const struct counts counts = counts_of(pass, m);
    m->turns = pass->turns;
    m->packs = pass->packs;
    m->products = pass->products;
    pass->turns += counts.turns;
    for (int part = 0; part < 3; part++) {
      pass->packs += counts.copies[part];
      pass->products += counts.products[part];
    }
    for (int h = 0; h < 2; h++) {
      m->copy[h] = copy;
      copy += padded(s, hy_divide_half_rows(s, m, pass->side, h).count) * m->held[pass->side][h];
    }
    m->copy[2] = copy;
    copy += hy_divide_all_rows(s, m, pass->side).count * (pass->top ? dropped_of(pass, m) : 0);
  }
}

/* The merge of a piece: the last one with `before' at most `piece'. */
#define MERGE_OF(before)                                                                           \
  static const struct hy_merge *before##_merge(const struct hy_divide_pass *pass, int64_t piece) { \
    int64_t low = 0, high = pass->end - pass->begin;                                               \
    while (high - low > 1) {                                                                       \
      const int64_t middle = low + (high - low) / 2;                                               \
      if (pass->s->merge[middle].before <= piece)                                                  \
        low = middle;                                                                              \
      else                                                                                         \
        high = middle;                                                                             \
    }                                                                                              \
    return &pass->s->merge[low];                                                                   \
  }
MERGE_OF(turns)
MERGE_OF(packs)
MERGE_OF(products)

/* The part of a merge's pieces, in a list of three, and the number in it. */
static int part_of(const int64_t counts[3], int64_t *piece) {
  int part = 0;
  for (; part < 2 && *piece >= counts[part]; part++) *piece -= counts[part];
  return part;
}

/* ------------------------------------------------------------------- turn -- */

/* Sets the rows of a half in a column to zero, among rows first ... first+count-1. */
static void clear(const struct hy_divide_pass *pass, const struct hy_divide_rows *half,
                  int64_t first, int64_t count, int64_t column) {
  const int64_t from = hy_max(half->first, first),
                to = hy_min(half->first + half->count, first + count);
  if (from < to) memset(entry_at(pass, from, column), 0, (size_t)(to - from) * pass->s->k->size);
}

/* A column that has entries in one half gets zeros in the other when it is turned with a column of
 * that half. */
static void turn(void *arg, int64_t piece, int thread) {
  const struct hy_divide_pass *pass = arg;
  const struct hy_divide_tree *s = pass->s;
  const struct hy_merge *m = turns_merge(pass, piece);
  const struct hy_divide_rows all = hy_divide_all_rows(s, m, pass->side);
  const int64_t first = all.first + (piece - m->turns) * HY_DIVIDE_ROWS,
                count = hy_min(HY_DIVIDE_ROWS, all.first + all.count - first);
  const int type = s->k->type == HYLA_DOUBLE, side = pass->side;
  (void)thread;
  for (int i = 0; i < m->rotations; i++) {
    const struct hy_divide_rotation *r = &s->rotation[m->lo + i];
    const int both = r->half_x[side] | r->half_y[side];
    for (int h = 0; h < 2 && !(r->right && side == HY_LEFT); h++) {
      const struct hy_divide_rows half = hy_divide_half_rows(s, m, side, h);
      const int64_t from = hy_max(half.first, first),
                    to = hy_min(half.first + half.count, first + count);
      if ((both >> h & 1) == 0 || from >= to) continue;
      if ((r->half_x[side] >> h & 1) == 0) clear(pass, &half, first, count, r->x[side]);
      if ((r->half_y[side] >> h & 1) == 0) clear(pass, &half, first, count, r->y[side]);
      s->secular->rotate[type]((int)(to - from), r->c, r->s, entry_at(pass, from, r->x[side]),
                               entry_at(pass, from, r->y[side]));
    }
  }
}

/* ------------------------------------------------------------------- copy -- */

static char *copy_at(const struct hy_divide_tree *s, int64_t entry) {
  return s->copies + entry * (int64_t)s->k->size;
}

/* Columns of one half. */
static void copy_half(const struct hy_divide_pass *pass, const struct hy_merge *m, int h,
                      int64_t piece) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_side *side = &s->side[pass->side];
  const struct hy_divide_rows rows = hy_divide_half_rows(s, m, pass->side, h);
  const int64_t from = piece * DEPTH;
  const int count = (int)hy_min(DEPTH, m->held[pass->side][h] - from);
  const int32_t *slot = side->halves[h].slot + m->lo + from;
  char *to = copy_at(s, m->copy[h] + padded(s, rows.count) * from);
  if (s->packed != NULL) {
    s->packed->gather((int)rows.count, count, entry_at(pass, rows.first, 0), (int)side->ld, slot,
                      to);
    return;
  }
  for (int i = 0; i < count; i++, to += rows.count * (int64_t)s->k->size)
    memcpy(to, entry_at(pass, rows.first, slot[i]), (size_t)rows.count * s->k->size);
}

/* Deflated columns get zeros in the half where they have no entries; in the last merge they are
 * copied.  The last null vector is stored nowhere. */
static void settle(const struct hy_divide_pass *pass, const struct hy_merge *m, int64_t piece) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_side *side = &s->side[pass->side];
  const struct hy_divide_rows rows = hy_divide_all_rows(s, m, pass->side);
  const int64_t begin = piece * DEPTH, end = hy_min(begin + DEPTH, dropped_of(pass, m));
  for (int64_t i = begin; i < end; i++) {
    const int64_t at = m->lo + m->k + i;
    if (side->slot[at] == s->n) continue;
    for (int h = 0; h < 2; h++) {
      const struct hy_divide_rows half = hy_divide_half_rows(s, m, pass->side, h);
      if ((side->half[at] >> h & 1) == 0)
        clear(pass, &half, rows.first, rows.count, side->slot[at]);
    }
    if (pass->top)
      memcpy(copy_at(s, m->copy[2] + i * rows.count), entry_at(pass, rows.first, side->slot[at]),
             (size_t)rows.count * s->k->size);
  }
}

static void copy(void *arg, int64_t piece, int thread) {
  const struct hy_divide_pass *pass = arg;
  const struct hy_merge *m = packs_merge(pass, piece);
  const struct counts counts = counts_of(pass, m);
  (void)thread;
  piece -= m->packs;
  const int part = part_of(counts.copies, &piece);
  if (part < 2)
    copy_half(pass, m, part, piece);
  else
    settle(pass, m, piece);
}

/* --------------------------------------------------------------- multiply -- */

/* Roots j ... j+columns-1: minus the entries from ... from+depth-1 of a half's columns of U. */
static void fill(const struct hy_divide_pass *pass, const struct hy_merge *m, int h, int64_t j,
                 int columns, int64_t from, int depth, char *u) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_side *side = &s->side[pass->side];
  const struct hy_divide_half *half = &side->halves[h];
  for (int c = 0; c < columns; c++) {
    const int64_t at = m->lo + j + c;
    s->secular->fill[s->k->type == HYLA_DOUBLE](
        depth, half->pole + m->lo + from, half->weight + m->lo + from, s->shift[at], s->mu[at],
        -side->factor[at], u + (int64_t)c * depth * (int64_t)s->k->size);
  }
}

static void multiply_strip(const struct hy_divide_pass *pass, const struct hy_merge *m, int h,
                           int64_t piece, char *u) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_rows rows = hy_divide_half_rows(s, m, pass->side, h);
  const int64_t size = (int64_t)s->k->size, j = m->wanted + piece * STRIP,
                held = m->held[pass->side][h];
  const int columns = (int)hy_min(STRIP, m->wanted_end - j), ld = (int)rows.count;
  char *products = u + (int64_t)DEPTH * STRIP * size;
  memset(products, 0, (size_t)(rows.count * columns * size));
  for (int64_t from = 0; from < held; from += DEPTH) {
    const int depth = (int)hy_min(DEPTH, held - from);
    const char *a = copy_at(s, m->copy[h] + padded(s, rows.count) * from);
    fill(pass, m, h, j, columns, from, depth, u);
    if (s->packed != NULL)
      s->packed->multiply(HYLA_NONE, ld, columns, depth, a, 0, u, depth, products, ld, NULL);
    else
      s->k->gemm(HYLA_NONE, HYLA_NONE, ld, columns, depth, -1, a, ld, u, depth, 1, products, ld);
  }
  for (int c = 0; c < columns; c++)
    memcpy(entry_at(pass, rows.first, s->side[pass->side].target[m->lo + j + c]),
           products + c * rows.count * size, (size_t)(rows.count * size));
}

static void multiply(void *arg, int64_t piece, int thread) {
  const struct hy_divide_pass *pass = arg;
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_side *side = &s->side[pass->side];
  const struct hy_merge *m = products_merge(pass, piece);
  const struct counts counts = counts_of(pass, m);
  piece -= m->products;
  const int part = part_of(counts.products, &piece);
  if (part < 2) {
    multiply_strip(pass, m, part, piece, s->strips + thread * s->strip_bytes);
    return;
  }
  const struct hy_divide_rows rows = hy_divide_all_rows(s, m, pass->side);
  const int64_t begin = piece * DEPTH, end = hy_min(begin + DEPTH, dropped_of(pass, m));
  for (int64_t i = begin; i < end; i++) {
    const int64_t at = m->lo + m->k + i;
    if (side->slot[at] == s->n) continue;
    memcpy(entry_at(pass, rows.first, side->target[at]), copy_at(s, m->copy[2] + i * rows.count),
           (size_t)rows.count * s->k->size);
  }
}

/* The left vectors' row mid-1: the middle entries of U; a deflated middle column has its own there.
 */
static void set_middle(const struct hy_divide_pass *pass, const struct hy_merge *m) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_divide_side *left = &s->side[HY_LEFT];
  const int64_t row = m->mid - 1 - s->row;
  if (row < 0 || row >= s->rows) return;
  for (int64_t at = m->lo; at + 1 < m->hi; at++) {
    const double deflated = left->slot[at] == m->mid - 1 ? m->middle : 0;
    s->k->set(entry_at(pass, row, left->target[at]), 0,
              at < m->lo + m->k ? -left->factor[at] : deflated);
  }
}

/* ------------------------------------------------------------------ steps -- */

/* The weights by halves. */
static void set_weights(const struct hy_divide_side *side, const struct hy_merge *m,
                        const int held[2]) {
  for (int h = 0; h < 2; h++)
    for (int i = 0; i < held[h]; i++)
      side->halves[h].weight[m->lo + i] = side->weight[m->lo + side->halves[h].index[m->lo + i]];
}

static void count_work(const struct hy_divide_pass *pass, int64_t i) {
  const struct hy_divide_tree *s = pass->s;
  const struct hy_merge m = hy_divide_merge_of(pass, i);
  for (int h = 0; h < 2; h++) {
    enum { ENTRY = 4 }; /* operations for one of U */
    const int64_t rows = hy_divide_half_rows(s, &m, pass->side, h).count,
                  held = m.held[pass->side][h], wanted = m.wanted_end - m.wanted;
    if (rows == 0) continue;
    hy_compute(s->cube, (2 * rows + ENTRY) * held * wanted, s->k->size, false);
    hy_count_copied(s->cube, rows * (held + wanted));
  }
}

hyla_status hy_divide_update(struct hy_divide_pass *pass, int side) {
  const struct hy_divide_tree *s = pass->s;
  const int64_t merges = pass->end - pass->begin;
  pass->side = side;
  for (int64_t i = 0; i < merges; i++) count_work(pass, i);
  if (s->k->dry) return HYLA_OK;
  plan(pass);
  for (int64_t i = 0; i < merges; i++)
    set_weights(&s->side[side], &s->merge[i], s->merge[i].held[side]);
  TRY(hy_divide_spread(s, s->threads, turn, pass, pass->turns));
  TRY(hy_divide_spread(s, s->threads, copy, pass, pass->packs));
  /* BLAS has threads of its own. */
  TRY(hy_divide_spread(s, s->packed != NULL ? s->threads : 1, multiply, pass, pass->products));
  for (int64_t i = 0; i < merges && side == HY_LEFT; i++) set_middle(pass, &s->merge[i]);
  return HYLA_OK;
}
