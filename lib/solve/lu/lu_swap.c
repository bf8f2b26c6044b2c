/* LU: the row swaps of one panel, all at once.
 *
 * The panel's swaps, one after the other, amount to a permutation of at most
 * 2 width rows.  The new top rows are wanted by every member of the rank column
 * (each computes U12 for itself), so the members gather them: p_k contributes
 * the old top rows, all of which somebody needs, the others the rows that move
 * into the top.  One all-gather a panel over the row dimensions, r steps to
 * neighbours, of at most 2 width rows; none when r = 0.  How many rows a member
 * contributes depends on the pivots. */
#include "solve/lu/lu.h"

#include <string.h>

/* Mixes the bits of i, so that numbers in a row give such as look random (splitmix64). */
static uint64_t mix(uint64_t i) {
  i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
  return i ^ (i >> 31);
}

int64_t hy_lu_swap_of(const struct hy_lu *lu, int64_t i) {
  if (!lu->k->dry) return lu->swaps[i];
  return i + (int64_t)(mix((uint64_t)i) % (uint64_t)(lu->problem->m - i));
}

/* The outside row's number, a new one if it was not met before. */
static int outside_number(struct hy_lu_swap *swap, int width, int64_t row) {
  for (int i = 0; i < swap->outside; i++)
    if (swap->row[i] == row) return i;
  int i = swap->outside++;
  swap->row[i] = row;
  swap->content[width + i] = width + i;
  return i;
}

/* The swaps, the first or the last one first, as a permutation. */
static void permute(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards) {
  struct hy_lu_swap *swap = &lu->swap;
  swap->outside = 0;
  for (int t = 0; t < at->width; t++) swap->content[t] = t;
  for (int step = 0; step < at->width; step++) {
    int t = backwards ? at->width - 1 - step : step;
    int64_t other = hy_lu_swap_of(lu, at->first + t) - at->first;
    if (other >= at->width) other = at->width + outside_number(swap, at->width, at->first + other);
    int64_t content = swap->content[t];
    swap->content[t] = swap->content[other];
    swap->content[other] = content;
  }
}

static int member_of(const struct hy_lu *lu, int row_part) {
  uint32_t address = hy_axis_address(&lu->a->row.code, (uint32_t)row_part);
  return (int)hy_extract(address, lu->array.row_dims);
}

/* Who contributes which rows. */
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

/* Where top row `content` is found: in p_k's block or, on p_k, in the matrix;
 * likewise an outside row. */
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

/* The moves into the top, by the member that the row comes from.  Where row t comes from stands
 * meanwhile in arrays of the moves out of the top, which are planned later. */
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
  /* Each beginning has moved on to the next one. */
  memmove(begin + 1, begin, (size_t)lu->array.row.parts * sizeof *begin);
  begin[0] = 0;
}

/* Rows that come or go from here, one by one, and the top, whose rows lie one behind the other. */
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

/* to[to_at[i]] := from[from_at[i]]; NULL for 0, 1, 2 ...  `size` is a constant
 * where this is called, so that each copy is one move. */
static inline void move_sized(size_t size, int64_t count, const char *from, const int64_t *from_at,
                              char *to, const int64_t *to_at) {
  for (int64_t i = 0; i < count; i++)
    memcpy(to + (size_t)(to_at == NULL ? i : to_at[i]) * size, from + (size_t)from_at[i] * size,
           size);
}

static void move_entries(size_t size, int64_t count, const char *from, const int64_t *from_at,
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
  size_t size = lu->k->size;
  int me = member_of(lu, m->row_part);
  for (int x = 0; x <= lu->array.row.parts; x++) swap->entries[x] = swap->offset[x] * count;
  char *block = lu->gathered + (size_t)swap->entries[me] * size;
  for (int64_t c = 0; c < count && !lu->k->dry; c++)
    move_entries(size, swap->packing, hy_at(m, 0, first + c), swap->packed,
                 block + (size_t)(c * swap->packing) * size, NULL);
  return hy_group_allgather(&lu->rows, lu->gathered, swap->entries);
}

void hy_lu_swap_strip(struct hy_lu *lu, const struct hy_diagonal_block *at,
                      const struct hyla_matrix *m, int64_t first, int64_t gathered, int64_t begin,
                      int64_t count, char *top_rows) {
  const struct hy_lu_swap *swap = &lu->swap;
  size_t size = lu->k->size;
  int me = member_of(lu, m->row_part);
  int top = member_of(lu, hy_axis_owner(&lu->a->row, at->first));
  for (int64_t c = begin; c < begin + count && !lu->k->dry; c++) {
    char *column = hy_at(m, 0, first + c);
    char *u = top_rows + (size_t)((c - begin) * at->width) * size;
    const char *from_top = column;
    for (int x = 0; x < lu->array.row.parts; x++) {
      const char *from = column;
      if (x != me)
        from = lu->gathered + (size_t)(swap->offset[x] * gathered + c * swap->held[x]) * size;
      if (x == top) from_top = from;
      move_entries(size, swap->begin[x + 1] - swap->begin[x], from, swap->from + swap->begin[x], u,
                   swap->to + swap->begin[x]);
    }
    move_entries(size, swap->leaving, from_top, swap->leave, column, swap->target);
  }
}
