/* Who gives what to whom: counted from the layouts alone, so that variants can be priced
 * before there is a matrix to move to.
 *
 * Where a part has copies, a node takes it from the copy whose bits agree with its own in
 * all dimensions that split neither axis: its own copy, or one no farther away than the
 * part. */
#include "redistribute/direct.h"

static uint32_t others(const struct hy_exchange_list *trade, const struct hy_operand *x) {
  uint32_t all = (UINT32_C(1) << trade->dims) - 1;
  return all & ~hy_axis_mask(&x->row.code) & ~hy_axis_mask(&x->col.code);
}

static bool holds(const struct hy_exchange_list *trade, const struct hy_operand *x, int node) {
  return node >= 0 && (x->rest == HYLA_REPLICATED || ((uint32_t)node & others(trade, x)) == 0);
}

/* Does the taker take from this giver what both parts share? */
static bool gives(const struct hy_exchange_list *trade, int giver, int taker) {
  if (!holds(trade, &trade->from, giver) || !holds(trade, &trade->to, taker)) return false;
  if (trade->from.rest == HYLA_FACE) return true;
  return ((uint32_t)(giver ^ taker) & others(trade, &trade->from)) == 0;
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

hyla_status hy_exchange_list_create(struct hy_base *base, struct hy_exchange_list *trade) {
  const struct hy_operand *from = &trade->from, *to = &trade->to;
  bool gives_any = holds(trade, from, trade->node), takes_any = holds(trade, to, trade->node);
  int give_row = gives_any ? hy_part_of(&from->row, trade->node) : -1;
  int give_col = gives_any ? hy_part_of(&from->col, trade->node) : -1;
  int take_row = takes_any ? hy_part_of(&to->row, trade->node) : -1;
  int take_col = takes_any ? hy_part_of(&to->col, trade->node) : -1;
  TRY(hy_intersection_create(base, &from->row, give_row, &to->row, &trade->give_rows));
  TRY(hy_intersection_create(base, &from->col, give_col, &to->col, &trade->give_cols));
  TRY(hy_intersection_create(base, &to->row, take_row, &from->row, &trade->take_rows));
  return hy_intersection_create(base, &to->col, take_col, &from->col, &trade->take_cols);
}

void hy_exchange_list_destroy(struct hy_base *base, struct hy_exchange_list *trade) {
  hy_intersection_destroy(base, &trade->give_rows);
  hy_intersection_destroy(base, &trade->give_cols);
  hy_intersection_destroy(base, &trade->take_rows);
  hy_intersection_destroy(base, &trade->take_cols);
}

/* Entries of the trade's part at rows and columns that are shared with a peer's part of
 * the other operand. */
static int64_t entries_with(const struct hy_exchange_list *trade,
                            const struct hy_intersection *rows, const struct hy_intersection *cols,
                            const struct hy_operand *other, int peer) {
  struct hy_places down = hy_places_with(rows, &other->row, peer, HY_HERE, HY_HERE);
  struct hy_places across = hy_places_with(cols, &other->col, peer, HY_HERE, HY_HERE);
  return hy_places_in_part(&down, &across, trade->part);
}

int64_t hy_exchange_list_out(const struct hy_exchange_list *trade, int peer) {
  if (!gives(trade, trade->node, peer)) return 0;
  return entries_with(trade, &trade->give_rows, &trade->give_cols, &trade->to, peer);
}

int64_t hy_exchange_list_in(const struct hy_exchange_list *trade, int peer) {
  if (!gives(trade, peer, trade->node)) return 0;
  return entries_with(trade, &trade->take_rows, &trade->take_cols, &trade->from, peer);
}

bool hy_exchange_list_in_place(const struct hy_exchange_list *trade, int peer) {
  if (trade->source == NULL) return trade->from.in_place;
  return trade->source->window != NULL && hy_window_peer(trade->source->window, peer) != NULL;
}

void hy_exchange_lists_packed(const struct hy_exchange_list *trades, int count, int peer,
                              int64_t *out, int64_t *in) {
  *out = 0;
  *in = 0;
  for (int x = 0; x < count; x++) {
    if (hy_exchange_list_in_place(&trades[x], peer)) continue;
    *out += hy_exchange_list_out(&trades[x], peer) * (int64_t)trades[x].size;
    *in += hy_exchange_list_in(&trades[x], peer) * (int64_t)trades[x].size;
  }
}

/* Marks the nodes that hold what of x these rows and columns share: few of many. */
static void mark(const struct hy_exchange_list *trade, const struct hy_operand *x,
                 const struct hy_intersection *rows, const struct hy_intersection *cols,
                 uint64_t *marks) {
  const uint32_t copies = x->rest == HYLA_REPLICATED ? others(trade, x) : 0;
  for (int r = 0; r < x->row.parts; r++)
    for (int c = 0; c < x->col.parts && rows->entries[r] > 0; c++) {
      if (cols->entries[c] == 0) continue;
      uint32_t step =
          hy_axis_address(&x->row.code, (uint32_t)r) | hy_axis_address(&x->col.code, (uint32_t)c);
      step ^= (uint32_t)trade->node;
      uint32_t copy = copies;
      do {
        marks[(step ^ copy) / 64] |= UINT64_C(1) << (step ^ copy) % 64;
        copy = (copy - 1) & copies;
      } while (copy != copies);
    }
}

void hy_exchange_lists_mark(const struct hy_exchange_list *trades, int count, uint64_t *marks) {
  for (int x = 0; x < count; x++) {
    const struct hy_exchange_list *trade = &trades[x];
    mark(trade, &trade->to, &trade->give_rows, &trade->give_cols, marks);
    mark(trade, &trade->from, &trade->take_rows, &trade->take_cols, marks);
  }
}

int64_t hy_exchange_list_steps(int dims, const uint64_t *marks, int32_t *steps) {
  int64_t count = 0;
  for (int word = 0; word < hy_exchange_list_marks(dims); word++)
    for (uint64_t left = marks[word]; left != 0; left &= left - 1, count++)
      if (steps != NULL) steps[count] = 64 * word + __builtin_ctzll(left);
  return count;
}

/* What all trades with one peer cost beside what is counted at once. */
struct peer_cost {
  int64_t out, in; /* packed bytes */
  bool lent;
};

static struct peer_cost count_peer(const struct hy_exchange_list *trades, int count, int peer,
                                   hyla_cost *cost) {
  struct peer_cost with = {0};
  for (int x = 0; x < count; x++) {
    int64_t out = hy_exchange_list_out(&trades[x], peer),
            in = hy_exchange_list_in(&trades[x], peer);
    int64_t size = (int64_t)trades[x].size;
    cost->copied += in;
    if (peer == trades[x].node) continue;
    cost->words += out;
    if (hy_exchange_list_in_place(&trades[x], peer)) {
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

void hy_exchange_lists_cost(const struct hy_exchange_list *trades, int count, uint64_t *marks,
                            hyla_cost *cost) {
  bool lent = false;
  int64_t most = 0;
  hy_exchange_lists_mark(trades, count, marks);
  for (int word = 0; word < hy_exchange_list_marks(trades[0].dims); word++)
    for (uint64_t left = marks[word]; left != 0; left &= left - 1) {
      int peer = trades[0].node ^ (64 * word + __builtin_ctzll(left));
      struct peer_cost with = count_peer(trades, count, peer, cost);
      most = hy_max(most, hy_packing_bytes(with.out, with.in));
      lent |= with.lent;
    }
  cost->steps += lent;
  cost->memory += most;
}
