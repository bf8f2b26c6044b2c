/* Who gives which entries to whom, counted from the layouts alone, so that variants can be priced
 * before the target exists.
 *
 * If a part has copies, a node takes it from the copy whose address agrees with its own in all
 * dimensions that split neither axis.  That copy is on the node itself, or no copy is nearer. */
#include "redistribute/direct.h"

static uint32_t others(const struct hy_exchange_list *list, const struct hy_operand *x) {
  uint32_t all = (UINT32_C(1) << list->dims) - 1;
  return all & ~hy_axis_mask(&x->row.code) & ~hy_axis_mask(&x->col.code);
}

static bool holds(const struct hy_exchange_list *list, const struct hy_operand *x, int node) {
  return node >= 0 && (x->rest == HYLA_REPLICATED || ((uint32_t)node & others(list, x)) == 0);
}

/* Does the taker take the entries that the two parts share from this giver? */
static bool gives(const struct hy_exchange_list *list, int giver, int taker) {
  if (!holds(list, &list->from, giver) || !holds(list, &list->to, taker)) return false;
  if (list->from.rest == HYLA_FACE) return true;
  return ((uint32_t)(giver ^ taker) & others(list, &list->from)) == 0;
}

struct hy_exchange_list hy_exchange_list_of(const hyla_transfer *transfer) {
  const hyla_cube *cube = transfer->to->cube;
  return (struct hy_exchange_list){.dims = cube->dims,
                                   .node = cube->address,
                                   .from = hy_operand_of(transfer->from, transfer->op),
                                   .to = hy_operand_of(transfer->to, HYLA_NONE),
                                   .source = transfer->from,
                                   .size = transfer->to->k->size};
}

hyla_status hy_exchange_list_create(struct hy_base *base, void *owner,
                                    struct hy_exchange_list *list) {
  const struct hy_operand *from = &list->from, *to = &list->to;
  bool gives_any = holds(list, from, list->node), takes_any = holds(list, to, list->node);
  int give_row = gives_any ? hy_part_of(&from->row, list->node) : -1;
  int give_col = gives_any ? hy_part_of(&from->col, list->node) : -1;
  int take_row = takes_any ? hy_part_of(&to->row, list->node) : -1;
  int take_col = takes_any ? hy_part_of(&to->col, list->node) : -1;
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
  const uint32_t copies = x->rest == HYLA_REPLICATED ? others(list, x) : 0;
  for (int r = 0; r < x->row.parts; r++)
    for (int c = 0; c < x->col.parts && rows->entries[r] > 0; c++) {
      if (cols->entries[c] == 0) continue;
      uint32_t step =
          hy_axis_address(&x->row.code, (uint32_t)r) | hy_axis_address(&x->col.code, (uint32_t)c);
      step ^= (uint32_t)list->node;
      uint32_t copy = copies;
      do {
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

/* The cost with one peer that is known once all its lists are visited. */
struct peer_cost {
  int64_t out, in; /* packed bytes */
  bool lent;
};

static struct peer_cost count_peer(const struct hy_exchange_list *lists, int count, int peer,
                                   hyla_cost *cost) {
  struct peer_cost with = {0};
  for (int x = 0; x < count; x++) {
    int64_t out = hy_exchange_list_out(&lists[x], peer), in = hy_exchange_list_in(&lists[x], peer);
    int64_t size = (int64_t)lists[x].size;
    cost->copied += in;
    if (peer == lists[x].node) continue;
    cost->words += out;
    if (hy_exchange_list_in_place(&lists[x], peer)) {
      cost->messages += out > 0;
      cost->lent += out;
      with.lent |= out > 0 || in > 0;
    } else {
      cost->copied += out; /* packed */
      with.out += out * size;
      with.in += in * size;
    }
  }
  cost->messages += with.out > 0;
  cost->steps += with.out > 0 || with.in > 0;
  return with;
}

void hy_exchange_lists_cost(const struct hy_exchange_list *lists, int count, uint64_t *marks,
                            hyla_cost *cost) {
  bool lent = false;
  int64_t most = 0;
  hy_exchange_lists_mark(lists, count, marks);
  for (int word = 0; word < hy_exchange_list_marks(lists[0].dims); word++)
    for (uint64_t left = marks[word]; left != 0; left &= left - 1) {
      int peer = lists[0].node ^ (64 * word + __builtin_ctzll(left));
      struct peer_cost with = count_peer(lists, count, peer, cost);
      most = hy_max(most, hy_packing_bytes(with.out, with.in));
      lent |= with.lent;
    }
  cost->steps += lent;
  cost->memory += most;
}
