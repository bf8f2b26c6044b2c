/* Triangles of a matrix: which of their entries lie in a block, and how these are copied.
 *
 * Rows and columns of a block are ascending lists of indices, so its entries in a triangle form a
 * staircase.  It is cut recursively into rectangles: first the rows that all columns have, then the
 * rest of each half of the columns.  Nearly all entries are in large rectangles, and no entry
 * outside is touched unless hy_stair.tile allows it.
 *
 * Example, a lower triangle of 4 rows and columns, with rectangles in the order of the copy:
 *   c
 *   b b
 *   b b d
 *   a a a a */
#include "redistribute/direct.h"

static void visit(const struct hy_stair *s, int64_t row, int64_t end, int64_t first, int64_t last) {
  if (row < end) s->rectangle(s->arg, row, end - row, first, last - first);
}

/* Cuts columns first ... last-1 of a lower staircase, of the rows above `limit'. */
static void cut_lower(const struct hy_stair *s, int64_t first, int64_t last, int64_t limit) {
  int64_t top = s->edge(s->arg, first), all = s->edge(s->arg, last - 1);
  int64_t middle = (first + last) / 2;
  if (top == all || (limit - top) * (last - first) <= s->tile) {
    visit(s, top, limit, first, last);
    return;
  }
  visit(s, all, limit, first, last);
  cut_lower(s, first, middle, hy_min(limit, all));
  cut_lower(s, middle, last, hy_min(limit, all));
}

/* Cuts columns first ... last-1 of an upper staircase, of the rows from `limit' on. */
static void cut_upper(const struct hy_stair *s, int64_t first, int64_t last, int64_t limit) {
  int64_t all = s->edge(s->arg, first), end = s->edge(s->arg, last - 1);
  int64_t middle = (first + last) / 2;
  if (all == end || (end - limit) * (last - first) <= s->tile) {
    visit(s, limit, end, first, last);
    return;
  }
  visit(s, limit, all, first, last);
  cut_upper(s, first, middle, hy_max(limit, all));
  cut_upper(s, middle, last, hy_max(limit, all));
}

void hy_stair_cut(const struct hy_stair *stair) {
  if (stair->cols == 0) return;
  if (stair->lower)
    cut_lower(stair, 0, stair->cols, stair->rows);
  else
    cut_upper(stair, 0, stair->cols, 0);
}

/* --------------------------------------------------------------- copy -- */

/* A copy of one part of a matrix, within one block. */
struct parted {
  struct hy_copy copy; /* for a whole rectangle */
  enum hy_part part;
  const struct hy_positions *rows, *cols;
  const char *source;
  int64_t ld_source;
  char *target;
  int64_t ld_target;
  int64_t packed; /* entries packed or unpacked so far */
};

/* The matrix index of an entry of a list. */
static int64_t index_at(const struct hy_positions *positions, int64_t entry) {
  const struct hy_intersection *shares = positions->shares;
  return hy_axis_index(shares->axis, shares->part, hy_positions_at(positions, HY_HERE, entry));
}

/* The number of entries of a list whose index is below the given one. */
static int64_t below(const struct hy_positions *positions, int64_t index) {
  int64_t low = 0, high = positions->entries;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (index_at(positions, middle) < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_lower(enum hy_part part) { return part == HY_LOWER_PART || part == HY_BELOW_PART; }

/* Is the diagonal's entry above the edge of its column? */
static bool has_diagonal_above(enum hy_part part) {
  return part == HY_UPPER_PART || part == HY_BELOW_PART;
}

static int64_t edge(const void *arg, int64_t col) {
  const struct parted *p = arg;
  return below(p->rows, index_at(p->cols, col) + has_diagonal_above(p->part));
}

static struct hy_positions some_of(const struct hy_positions *positions, int64_t first,
                                   int64_t entries) {
  struct hy_positions some = *positions;
  some.first = first;
  some.entries = entries;
  return some;
}

static void copy_rectangle(void *arg, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  struct parted *p = arg;
  struct hy_positions some_rows = some_of(p->rows, row, rows),
                      some_cols = some_of(p->cols, col, cols);
  int64_t skip = p->packed * (int64_t)p->copy.k->size;
  bool from_packed = p->rows->from == HY_PACKED, to_packed = p->rows->to == HY_PACKED;
  hy_copy_positions(&p->copy, &some_rows, &some_cols, from_packed ? p->source + skip : p->source,
                    from_packed ? rows : p->ld_source, to_packed ? p->target + skip : p->target,
                    to_packed ? rows : p->ld_target);
  p->packed += rows * cols;
}

static struct hy_stair stair_of(struct parted *p) {
  return (struct hy_stair){.rows = p->rows->entries,
                           .cols = p->cols->entries,
                           .lower = is_lower(p->part),
                           .edge = edge,
                           .rectangle = copy_rectangle,
                           .arg = p};
}

void hy_copy_part(const struct hy_copy *copy, enum hy_part part, const struct hy_positions *rows,
                  const struct hy_positions *cols, const void *source, int64_t ld_source,
                  void *target, int64_t ld_target) {
  struct parted p = {*copy, part, rows, cols, source, ld_source, target, ld_target, 0};
  struct hy_stair stair = stair_of(&p);
  if (copy->k->dry) return; /* cutting takes time */
  if (part == HY_WHOLE)
    hy_copy_positions(copy, rows, cols, source, ld_source, target, ld_target);
  else
    hy_stair_cut(&stair);
}

/* -------------------------------------------------------------- count -- */

/* A walk over the matrix indices of a list, in ascending order. */
struct walk {
  const struct hy_positions *list;
  int64_t entry; /* where it is */
  int64_t index;
  int64_t run; /* the entries from here on whose indices follow each other */
};

static bool walks(const struct walk *w) { return w->entry < w->list->entries; }

static void find(struct walk *w) {
  const struct hy_intersection *shares = w->list->shares;
  const struct hy_progression *f = w->list->progression;
  int64_t entry = w->list->first + w->entry;
  if (!walks(w)) return;
  for (; entry >= (int64_t)f->length * f->count; f++) entry -= (int64_t)f->length * f->count;
  int64_t inside = entry % f->length, at = f->here + entry / f->length * f->here_step + inside;
  w->index = hy_axis_index(shares->axis, shares->part, at);
  w->run = shares->axis->mirrored
               ? 1
               : hy_min(f->length - inside, hy_axis_run(shares->axis, w->index));
}

static void step(struct walk *w) {
  w->entry++;
  if (--w->run > 0)
    w->index++;
  else
    find(w);
}

/* Rows and columns are walked side by side: edges ascend from column to column. */
int64_t hy_positions_in_part(const struct hy_positions *rows, const struct hy_positions *cols,
                             enum hy_part part) {
  struct walk down = {.list = rows}, across = {.list = cols};
  int64_t above = 0;
  if (part == HY_WHOLE) return rows->entries * cols->entries;
  find(&down);
  for (find(&across); walks(&across); step(&across)) {
    while (walks(&down) && down.index < across.index + has_diagonal_above(part)) step(&down);
    above += down.entry;
  }
  return is_lower(part) ? rows->entries * cols->entries - above : above;
}

bool hy_redistribution_cuts(const struct hy_redistribution *problem) {
  for (int x = 0; x < problem->count && problem->parts != NULL; x++)
    if (problem->parts[x] != HY_WHOLE) return true;
  return false;
}
