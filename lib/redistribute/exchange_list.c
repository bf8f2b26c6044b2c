/* Who gives which entries to whom, and the cost of that, counted from the layouts alone, so that
 * variants can be priced before the target exists.
 *
 * If a part has copies, a node takes it from the copy whose address agrees with its own in all
 * dimensions that split neither axis.  That copy is on the node itself, or no copy is nearer. */
#include "redistribute/direct.h"

/* Does the taker take the entries that the two parts share from this giver? */
static bool gives(const struct hy_exchange_list *list, int giver, int taker) {
  if (!hy_operand_holds(list->dims, &list->from, giver)) return false;
  if (!hy_operand_holds(list->dims, &list->to, taker)) return false;
  if (list->from.rest == HYLA_FACE) return true;
  return ((uint32_t)(giver ^ taker) & hy_operand_others(list->dims, &list->from)) == 0;
}

struct hy_exchange_list hy_exchange_list_of(const hyla_transfer *transfer) {
  const hyla_cube *cube = transfer->to->cube;
  return (struct hy_exchange_list){.dims = cube->dims,
                                   .sides = cube->sides,
                                   .node = cube->address,
                                   .from = hy_operand_of(transfer->from, transfer->op),
                                   .to = hy_operand_of(transfer->to, HYLA_NONE),
                                   .source = transfer->from,
                                   .size = transfer->to->k->size};
}

hyla_status hy_exchange_list_create(struct hy_base *base, void *owner,
                                    struct hy_exchange_list *list) {
  const struct hy_operand *from = &list->from, *to = &list->to;
  int give_row = -1, give_col = -1, take_row = -1, take_col = -1;
  if (hy_operand_holds(list->dims, from, list->node)) {
    give_row = hy_part_of(&from->row, list->node);
    give_col = hy_part_of(&from->col, list->node);
  }
  if (hy_operand_holds(list->dims, to, list->node)) {
    take_row = hy_part_of(&to->row, list->node);
    take_col = hy_part_of(&to->col, list->node);
  }
  TRY(hy_intersection_create(base, owner, &from->row, give_row, &to->row, &list->give_rows));
  TRY(hy_intersection_create(base, owner, &from->col, give_col, &to->col, &list->give_cols));
  TRY(hy_intersection_create(base, owner, &to->row, take_row, &from->row, &list->take_rows));
  return hy_intersection_create(base, owner, &to->col, take_col, &from->col, &list->take_cols);
}

/* The number of the list's entries at rows and columns that are shared with a peer's part of the
 * other operand. */
static int64_t entries_with(const struct hy_exchange_list *list, const struct hy_intersection *rows,
                            const struct hy_intersection *cols, const struct hy_operand *other,
                            int peer) {
  struct hy_positions down = hy_positions_with(rows, &other->row, peer, HY_HERE, HY_HERE);
  struct hy_positions across = hy_positions_with(cols, &other->col, peer, HY_HERE, HY_HERE);
  return hy_positions_in_part(&down, &across, list->part);
}

int64_t hy_exchange_list_out(const struct hy_exchange_list *list, int peer) {
  if (!gives(list, list->node, peer)) return 0;
  return entries_with(list, &list->give_rows, &list->give_cols, &list->to, peer);
}

int64_t hy_exchange_list_in(const struct hy_exchange_list *list, int peer) {
  if (!gives(list, peer, list->node)) return 0;
  return entries_with(list, &list->take_rows, &list->take_cols, &list->from, peer);
}

bool hy_exchange_list_in_place(const struct hy_exchange_list *list, int peer) {
  if (list->source == NULL) return list->from.in_place;
  return list->source->window != NULL && hy_window_peer(list->source->window, peer) != NULL;
}

void hy_exchange_list_pack(const struct hy_exchange_list *list, const hyla_transfer *t, int peer,
                           char *scratch, char *out) {
  struct hy_positions rows =
      hy_positions_with(&list->give_rows, &list->to.row, peer, HY_HERE, HY_PACKED);
  struct hy_positions cols =
      hy_positions_with(&list->give_cols, &list->to.col, peer, HY_HERE, HY_PACKED);
  const struct hy_copy copy = {t->from->k, hy_without_turn(t->op), t->alpha, false, scratch};
  hy_copy_part(&copy, list->part, &rows, &cols, t->from->local, t->from->ld, out, rows.entries);
}

void hy_exchange_list_unpack(const struct hy_exchange_list *list, const hyla_transfer *t, int peer,
                             const char *in) {
  struct hy_positions rows =
      hy_positions_with(&list->take_rows, &list->from.row, peer, HY_PACKED, HY_HERE);
  struct hy_positions cols =
      hy_positions_with(&list->take_cols, &list->from.col, peer, HY_PACKED, HY_HERE);
  const struct hy_copy copy = {t->to->k, HYLA_NONE, 1, hy_direct_streams(t->to), NULL};
  hy_copy_part(&copy, list->part, &rows, &cols, in, rows.entries, t->to->local, t->to->ld);
}

void hy_exchange_lists_packed(const struct hy_exchange_list *lists, int count, int peer,
                              int64_t *out, int64_t *in) {
  *out = 0;
  *in = 0;
  for (int x = 0; x < count; x++) {
    if (hy_exchange_list_in_place(&lists[x], peer)) continue;
    *out += hy_exchange_list_out(&lists[x], peer) * (int64_t)lists[x].size;
    *in += hy_exchange_list_in(&lists[x], peer) * (int64_t)lists[x].size;
  }
}

/* Marks the nodes that hold entries of x at these rows and columns; among many nodes they are
 * few. */
static void mark(const struct hy_exchange_list *list, const struct hy_operand *x,
                 const struct hy_intersection *rows, const struct hy_intersection *cols,
                 uint64_t *marks) {
  const uint32_t copies = x->rest == HYLA_REPLICATED ? hy_operand_others(list->dims, x) : 0;
  for (int r = 0; r < x->row.parts; r++)
    for (int c = 0; c < x->col.parts && rows->entries[r] > 0; c++) {
      if (cols->entries[c] == 0) continue;
      uint32_t step =
          hy_axis_address(&x->row.code, (uint32_t)r) | hy_axis_address(&x->col.code, (uint32_t)c);
      step ^= (uint32_t)list->node;
      uint32_t copy = copies;
      do {
        if (hy_sides_has(&list->sides, (step ^ copy) ^ (uint32_t)list->node))
          marks[(step ^ copy) / 64] |= UINT64_C(1) << (step ^ copy) % 64;
        copy = (copy - 1) & copies;
      } while (copy != copies);
    }
}

void hy_exchange_lists_mark(const struct hy_exchange_list *lists, int count, uint64_t *marks) {
  for (int x = 0; x < count; x++) {
    const struct hy_exchange_list *list = &lists[x];
    mark(list, &list->to, &list->give_rows, &list->give_cols, marks);
    mark(list, &list->from, &list->take_rows, &list->take_cols, marks);
  }
}

int64_t hy_exchange_list_steps(int dims, const uint64_t *marks, int32_t *steps) {
  int64_t count = 0;
  for (int word = 0; word < hy_exchange_list_marks(dims); word++)
    for (uint64_t left = marks[word]; left != 0; left &= left - 1, count++)
      if (steps != NULL) steps[count] = 64 * word + __builtin_ctzll(left);
  return count;
}

/* ----------------------------------------------------------------- cost -- */

/* Adds the cost of the lists with one peer.  Returns the packing buffer's bytes; *lent: a block is
 * read in place. */
static int64_t count_peer(const struct hy_exchange_list *lists, int count, int peer,
                          hyla_cost *cost, bool *lent) {
  int64_t packed_out = 0, packed_in = 0;
  for (int x = 0; x < count; x++) {
    int64_t out = hy_exchange_list_out(&lists[x], peer), in = hy_exchange_list_in(&lists[x], peer);
    int64_t size = (int64_t)lists[x].size;
    cost->copied += in;
    if (peer == lists[x].node) continue;
    cost->words += out;
    if (hy_exchange_list_in_place(&lists[x], peer)) {
      cost->messages += out > 0;
      cost->lent += out;
      *lent |= out > 0 || in > 0;
    } else {
      cost->copied += out; /* packed */
      packed_out += out * size;
      packed_in += in * size;
    }
  }
  cost->messages += packed_out > 0;
  cost->steps += packed_out > 0 || packed_in > 0;
  return hy_packing_bytes(packed_out, packed_in);
}

/* Makes all lists, adds their cost and frees them. */
static hyla_status count_lists(struct hy_base *base, struct hy_exchange_list *lists, int count,
                               hyla_cost *cost) {
  uint64_t *marks = NULL;
  int64_t words = hy_exchange_list_marks(lists[0].dims), most = 0;
  bool lent = false;
  hyla_status status = hy_alloc_for(base, lists, words, sizeof *marks, &marks);
  for (int x = 0; x < count && status == HYLA_OK; x++)
    status = hy_exchange_list_create(base, lists, &lists[x]);
  if (status == HYLA_OK) {
    hy_exchange_lists_mark(lists, count, marks);
    for (int64_t word = 0; word < words; word++)
      for (uint64_t left = marks[word]; left != 0; left &= left - 1) {
        int peer = lists[0].node ^ (int)(64 * word + __builtin_ctzll(left));
        most = hy_max(most, count_peer(lists, count, peer, cost, &lent));
      }
    cost->steps += lent;
    cost->memory += most;
  }
  hy_free(base, &lists);
  return status;
}

hyla_status hy_direct_cost(hyla_cube *cube, const struct hy_direct_ends *ends, int count,
                           hyla_cost *cost) {
  struct hy_base *base = &cube->base;
  struct hy_exchange_list *lists = NULL;
  const int node = cube->address;
  if (count == 0 || node < 0) return HYLA_OK;
  TRY(hy_alloc(base, count, sizeof *lists, &lists));
  for (int x = 0; x < count; x++)
    lists[x] = (struct hy_exchange_list){.dims = cube->dims,
                                         .sides = cube->sides,
                                         .part = ends[x].part,
                                         .node = node,
                                         .from = *ends[x].from,
                                         .to = *ends[x].to,
                                         .size = ends[x].size};
  return count_lists(base, lists, count, cost);
}

hyla_status hy_direct_expect(hyla_cube *cube, const hyla_transfer *transfers,
                             const enum hy_part *parts, int count, hyla_cost *cost) {
  struct hy_exchange_list *lists = NULL;
  if (count == 0 || cube->address < 0) return HYLA_OK;
  TRY(hy_alloc(&cube->base, count, sizeof *lists, &lists));
  for (int x = 0; x < count; x++) {
    lists[x] = hy_exchange_list_of(&transfers[x]);
    if (parts != NULL) lists[x].part = parts[x];
  }
  cost->memory += hy_direct_scratch(transfers, count);
  return count_lists(&cube->base, lists, count, cost);
}
