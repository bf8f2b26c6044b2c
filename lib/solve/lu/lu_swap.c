/* LU: the row swaps of one panel, all at once.
 *
 * Method: The swaps of a panel, one after the other, amount to a permutation of at most 2 width
 * rows (permute).  The panel's own width rows are the top; any other row that is swapped is an
 * outside row.  Every member of the rank column needs the new top rows, because each computes U12
 * for its own columns.  So the members gather rows: p_k contributes all old top rows, and every
 * member its outside rows.  Then each member forms the new top in an array of its own, and moves
 * old top rows into its outside rows.
 *
 * Letters: t is a top row, 0 ... width-1; x is a member of the rank column; i is an outside row, in
 * the order in which they are met (struct hy_lu_swap, lu.h).
 *
 * Example: 4 members, 8 rows a ... h in blocks of 2, cyclic; width 2.  Panel 0 swaps rows 0 and 5,
 * then rows 1 and 5.  Row 5 is the one outside row, i = 0, and content = {2 + 0, 0, 1}: top row 0
 * gets row 5, top row 1 gets row 0, and row 5 gets row 1.
 *
 *   member x     0 (p_0)    1       2       3
 *   rows         0 1        2 3     4 5     6 7
 *   before       a b        c d     e f     g h
 *   gathers      a b        -       f       -         held = {2, 0, 1, 0}, offset = {0, 2, 2, 3, 3}
 *   new top      f a        f a     f a     f a       in top_rows, on each member
 *   after        f a        c d     e b     g h       the top is stored by the caller
 *
 * Steps, words: one all-gather a panel over the row dimensions, r steps to neighbours, of at most 2
 * width rows; none if r = 0.  The number of rows that a member contributes depends on the
 * pivots. */
#include "solve/lu/lu.h"

#include <string.h>

/* Mixes the bits of i (splitmix64), so that successive numbers give random-looking ones. */
static uint64_t mix(uint64_t i) {
  i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
  return i ^ (i >> 31);
}

int64_t hy_lu_swap_of(const struct hy_lu *lu, int64_t i) {
  if (!lu->k->dry) return lu->swaps[i];
  if (hy_cube_counts(lu->cube)) return i;
  return i + (int64_t)(mix((uint64_t)i) % (uint64_t)(lu->problem->m - i));
}

/* The number of an outside row; a new one if the row was not met before. */
static int outside_number(struct hy_lu_swap *swap, int width, int64_t row) {
  for (int i = 0; i < swap->outside; i++)
    if (swap->row[i] == row) return i;
  int i = swap->outside++;
  swap->row[i] = row;
  swap->content[width + i] = width + i;
  return i;
}

/* Combines the swaps, first or last one first, into a permutation. */
static void permute(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards) {
  struct hy_lu_swap *swap = &lu->swap;
  swap->outside = 0;
  for (int t = 0; t < at->width; t++) swap->content[t] = t;
  for (int step = 0; step < at->width; step++) {
    int t = backwards ? at->width - 1 - step : step;
    int64_t other = hy_lu_swap_of(lu, at->first + t) - at->first;
    if (other >= at->width) other = at->width + outside_number(swap, at->width, at->first + other);
    hy_swap_numbers(&swap->content[t], &swap->content[other]);
  }
}

static int member_of(const struct hy_lu *lu, int row_part) {
  uint32_t address = hy_axis_address(&lu->a->row.code, (uint32_t)row_part);
  return (int)hy_member(lu->cube, lu->array.row_dims, (int)address);
}

/* Decides which member contributes which rows. */
static void assign(struct hy_lu *lu, const struct hy_diagonal_block *at) {
  struct hy_lu_swap *swap = &lu->swap;
  const hyla_matrix *a = lu->a;
  memset(swap->held, 0, (size_t)lu->array.row.parts * sizeof *swap->held);
  swap->held[member_of(lu, hy_axis_owner(&a->row, at->first))] = at->width;
  swap->packing = 0;
  if (at->top)
    while (swap->packing < at->width) {
      swap->packed[swap->packing] = at->row + swap->packing;
      swap->packing++;
    }
  for (int i = 0; i < swap->outside; i++) {
    int part = hy_axis_owner(&a->row, swap->row[i]);
    swap->place[i] = swap->held[member_of(lu, part)]++;
    if (part == a->row_part)
      swap->packed[swap->packing++] = hy_axis_before(&a->row, part, swap->row[i]);
  }
  swap->offset[0] = 0;
  for (int x = 0; x < lu->array.row.parts; x++)
    swap->offset[x + 1] = swap->offset[x] + swap->held[x];
}

/* Finds the source of a row: top row `content', or an outside row.  place: in the owner's gathered
 * block or, on the owner itself, the local row. */
static void trace(struct hy_lu *lu, const struct hy_diagonal_block *at, int64_t content,
                  int *member, int64_t *place) {
  struct hy_lu_swap *swap = &lu->swap;
  const hyla_matrix *a = lu->a;
  bool inside = content < at->width;
  int64_t row = inside ? at->first + content : swap->row[content - at->width];
  int part = hy_axis_owner(&a->row, row);
  *member = member_of(lu, part);
  if (part == a->row_part)
    *place = hy_axis_before(&a->row, part, row);
  else
    *place = inside ? content : swap->place[content - at->width];
}

/* Sorts the moves into the top by the source's member.  The sources are kept meanwhile in the
 * arrays of the moves out of the top, which are planned later. */
static void plan_top(struct hy_lu *lu, const struct hy_diagonal_block *at) {
  struct hy_lu_swap *swap = &lu->swap;
  int64_t *begin = swap->begin, *members = swap->leave, *places = swap->target;
  int member = 0;
  memset(begin, 0, ((size_t)lu->array.row.parts + 1) * sizeof *begin);
  for (int t = 0; t < at->width; t++) {
    trace(lu, at, swap->content[t], &member, &places[t]);
    members[t] = member;
    begin[member + 1]++;
  }
  for (int x = 0; x < lu->array.row.parts; x++) begin[x + 1] += begin[x];
  for (int t = 0; t < at->width; t++) {
    swap->from[begin[members[t]]] = places[t];
    swap->to[begin[members[t]]++] = t;
  }
  /* Each beginning has advanced to the next one. */
  memmove(begin + 1, begin, (size_t)lu->array.row.parts * sizeof *begin);
  begin[0] = 0;
}

/* Lists the rows that a column's swaps touch here: the leaving ones one by one, and of the top,
 * whose rows are adjacent, one for each cache line. */
static void list_touched(struct hy_lu *lu, const struct hy_diagonal_block *at) {
  struct hy_lu_swap *swap = &lu->swap;
  const int width = at->top ? at->width : 0, line = 64 / (int)lu->k->size;
  swap->touching = 0;
  for (int t = 0; t < width; t += line) swap->touched[swap->touching++] = t - width;
  for (int i = 0; i < swap->leaving; i++)
    swap->touched[swap->touching++] = swap->target[i] - at->row - width;
}

void hy_lu_swap_plan(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards) {
  struct hy_lu_swap *swap = &lu->swap;
  const hyla_matrix *a = lu->a;
  int member = 0;
  if (hy_lu_plan_most(lu, at)) return;
  permute(lu, at, backwards);
  assign(lu, at);
  plan_top(lu, at);
  swap->leaving = 0;
  for (int i = 0; i < swap->outside; i++) {
    if (hy_axis_owner(&a->row, swap->row[i]) != a->row_part) continue;
    trace(lu, at, swap->content[at->width + i], &member, &swap->leave[swap->leaving]);
    swap->target[swap->leaving++] = hy_axis_before(&a->row, a->row_part, swap->row[i]);
  }
  list_touched(lu, at);
}

/* `size' is a constant in every call, so that each copy is one move. */
static inline void move_sized(size_t size, int64_t count, const char *from, const int64_t *from_at,
                              char *to, const int64_t *to_at) {
  for (int64_t i = 0; i < count; i++)
    memcpy(to + (size_t)(to_at == NULL ? i : to_at[i]) * size, from + (size_t)from_at[i] * size,
           size);
}

void hy_lu_move_entries(size_t size, int64_t count, const char *from, const int64_t *from_at,
                        char *to, const int64_t *to_at) {
  if (size == 4)
    move_sized(4, count, from, from_at, to, to_at);
  else if (size == 8)
    move_sized(8, count, from, from_at, to, to_at);
  else
    move_sized(16, count, from, from_at, to, to_at);
}

hyla_status hy_lu_swap_gather(struct hy_lu *lu, const struct hyla_matrix *m, int64_t first,
                              int64_t count) {
  struct hy_lu_swap *swap = &lu->swap;
  if (lu->array.row.parts == 1) return HYLA_OK;
  hy_count_copied(lu->cube, swap->packing * count);
  if (swap->most > 0) return hy_lu_count_most(lu, count);
  size_t size = lu->k->size;
  int me = member_of(lu, m->row_part);
  for (int x = 0; x <= lu->array.row.parts; x++) swap->entries[x] = swap->offset[x] * count;
  char *block = lu->gathered + (size_t)swap->entries[me] * size;
  for (int64_t c = 0; c < count && !lu->k->dry; c++)
    hy_lu_move_entries(size, swap->packing, hy_at(m, 0, first + c), swap->packed,
                       block + (size_t)(c * swap->packing) * size, NULL);
  return hy_subcube_allgather(&lu->rows, lu->gathered, swap->entries);
}

void hy_lu_swap_strip(struct hy_lu *lu, const struct hy_diagonal_block *at,
                      const struct hyla_matrix *m, int64_t first, int64_t gathered, int64_t begin,
                      int64_t count, char *top_rows) {
  const struct hy_lu_swap *swap = &lu->swap;
  size_t size = lu->k->size;
  int me = member_of(lu, m->row_part);
  int top = member_of(lu, hy_axis_owner(&lu->a->row, at->first));
  hy_count_copied(lu->cube, (at->width + swap->leaving) * count);
  hy_count_scattered(lu->cube, 2 * hy_ceil_div(swap->leaving, lu->array.row.parts) * count);
  for (int64_t c = begin; c < begin + count && !lu->k->dry; c++) {
    char *column = hy_at(m, 0, first + c);
    char *u = top_rows + (size_t)((c - begin) * at->width) * size;
    const char *from_top = column;
    for (int x = 0; x < lu->array.row.parts; x++) {
      const char *from = column;
      if (x != me)
        from = lu->gathered + (size_t)(swap->offset[x] * gathered + c * swap->held[x]) * size;
      if (x == top) from_top = from;
      hy_lu_move_entries(size, swap->begin[x + 1] - swap->begin[x], from,
                         swap->from + swap->begin[x], u, swap->to + swap->begin[x]);
    }
    hy_lu_move_entries(size, swap->leaving, from_top, swap->leave, column, swap->target);
  }
}
