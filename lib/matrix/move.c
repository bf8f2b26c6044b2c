/* Redistribution, variant "direct": to := alpha op(from), any layouts to any
 * layouts, several pairs of matrices at once.
 *
 * Method: what a node keeps is copied in place; then, in step s = 1 ... 2^d-1,
 * node x exchanges with node x ^ s all that the two have for each other, of all
 * matrices in one packed message each way.  The exclusive or pairs all nodes up,
 * so no node is hit by two at once.  What there are copies of is taken from the
 * nearest one.
 * Reference: the exchange of Johnsson 1987, 3.3, in one step for each pair of
 * nodes rather than one for each dimension: fewer words, more start-ups.
 * Layout: any.  Steps: at most 2^d - 1.
 * Memory: lists of runs.  Matrices that a peer can read in place (created, on the
 * same machine) are lent to all their readers in one step of their own; for the
 * others, one packing buffer each way, as large as the largest message. */
#include "matrix/move.h"

#include <string.h>

struct hy_move {
  hyla_cube *cube;
  int count;
  /* In the order of falling sizes of entries, which aligns all in a packed message. */
  hyla_transfer *transfer;
  struct hy_trade *trade;
  int *asked; /* the transfer's place in what was asked for */
  /* Loans, peer by peer in the order of the steps: first all that come, then all
   * that go, and which trade each belongs to. */
  int loans;
  struct hy_message *message;
  int *loan_trade;
  char *out;
  char *in;
  char *scratch;
};

static struct hy_places places_of(const struct hy_shares *shares, const struct hy_axis *other,
                                  int peer, enum hy_lie from, enum hy_lie to) {
  int part = (int)hy_axis_part(&other->code, (uint32_t)peer);
  return (struct hy_places){.family = shares->family + shares->start[part],
                            .families = shares->start[part + 1] - shares->start[part],
                            .entries = shares->entries[part],
                            .from = from,
                            .to = to};
}

/* Does a rank's part leave no room in the caches for what it comes from? */
static bool is_large(const hyla_matrix *to) {
  enum { ENOUGH = 1 << 20 }; /* bytes */
  return to->local_rows * to->local_cols * (int64_t)to->k->size > ENOUGH;
}

/* Packs what goes to a peer, operated upon. */
static void pack(const struct hy_move *move, int x, int peer, char *out) {
  const struct hy_trade *trade = &move->trade[x];
  const hyla_transfer *t = &move->transfer[x];
  struct hy_places rows = places_of(&trade->give_rows, &trade->to.row, peer, HY_HERE, HY_PACKED);
  struct hy_places cols = places_of(&trade->give_cols, &trade->to.col, peer, HY_HERE, HY_PACKED);
  const struct hy_copy copy = {t->from->k, t->op, t->alpha, false, move->scratch};
  hy_copy_places(&copy, &rows, &cols, t->from->local, t->from->ld, out, rows.entries);
}

static void unpack(const struct hy_move *move, int x, int peer, const char *in) {
  const struct hy_trade *trade = &move->trade[x];
  const hyla_transfer *t = &move->transfer[x];
  struct hy_places rows = places_of(&trade->take_rows, &trade->from.row, peer, HY_PACKED, HY_HERE);
  struct hy_places cols = places_of(&trade->take_cols, &trade->from.col, peer, HY_PACKED, HY_HERE);
  const struct hy_copy copy = {t->to->k, HYLA_NONE, 1, is_large(t->to), NULL};
  hy_copy_places(&copy, &rows, &cols, in, rows.entries, t->to->local, t->to->ld);
}

/* Takes from a node's part of `from`, which this node can read. */
static void fetch(const struct hy_move *move, int x, int peer, const void *source, int64_t ld) {
  const struct hy_trade *trade = &move->trade[x];
  const hyla_transfer *t = &move->transfer[x];
  struct hy_places rows = places_of(&trade->take_rows, &trade->from.row, peer, HY_THERE, HY_HERE);
  struct hy_places cols = places_of(&trade->take_cols, &trade->from.col, peer, HY_THERE, HY_HERE);
  const struct hy_copy copy = {t->from->k, t->op, t->alpha, is_large(t->to), move->scratch};
  hy_copy_places(&copy, &rows, &cols, source, ld, t->to->local, t->to->ld);
}

static void keep_own(const struct hy_move *move) {
  int own = move->cube->address;
  for (int x = 0; x < move->count; x++)
    if (hy_trade_in(&move->trade[x], own) > 0)
      fetch(move, x, own, move->transfer[x].from->local, move->transfer[x].from->ld);
}

/* One step by packed messages. */
static hyla_status exchange(struct hy_move *move, int peer) {
  int64_t out_bytes, in_bytes, out = 0, in = 0;
  hy_trades_packed(move->trade, move->count, peer, &out_bytes, &in_bytes);
  if (out_bytes == 0 && in_bytes == 0) return HYLA_OK;
  for (int x = 0; x < move->count; x++) {
    int64_t entries = hy_trade_out(&move->trade[x], peer);
    if (entries == 0 || hy_trade_in_place(&move->trade[x], peer)) continue;
    pack(move, x, peer, move->out + out);
    out += entries * (int64_t)move->trade[x].size;
  }
  TRY(hy_exchange(move->cube, peer, move->out, out_bytes, move->in, in_bytes));
  for (int x = 0; x < move->count; x++) {
    int64_t entries = hy_trade_in(&move->trade[x], peer);
    if (entries == 0 || hy_trade_in_place(&move->trade[x], peer)) continue;
    unpack(move, x, peer, move->in + in);
    in += entries * (int64_t)move->trade[x].size;
  }
  return HYLA_OK;
}

/* Lends everything to everybody who reads it in place: one step. */
static hyla_status lend(struct hy_move *move) {
  if (move->loans == 0) return HYLA_OK;
  int loan = 0;
  for (int step = 1; step < move->cube->nodes; step++)
    for (int x = 0; x < move->count; x++) {
      const struct hy_trade *trade = &move->trade[x];
      const hyla_matrix *from = move->transfer[x].from;
      int peer = move->cube->address ^ step;
      int64_t out = hy_trade_out(trade, peer), in = hy_trade_in(trade, peer);
      if ((out == 0 && in == 0) || !hy_trade_in_place(trade, peer)) continue;
      struct hy_message *borrowed = &move->message[loan];
      struct hy_message *lent = &move->message[move->loans + loan];
      *borrowed = (struct hy_message){.verb = HY_BORROW, .peer = peer, .window = from->window};
      *lent = (struct hy_message){.verb = HY_LEND, .peer = peer, .window = from->window};
      borrowed->bytes = in * (int64_t)trade->size;
      lent->bytes = out * (int64_t)trade->size;
      lent->data = from->local;
      move->loan_trade[loan++] = x;
    }
  return hy_link_start(move->cube, move->message, 2 * move->loans);
}

/* Reads what is lent to this node. */
static hyla_status read_loans(struct hy_move *move) {
  for (int loan = 0; loan < move->loans; loan++) {
    struct hy_message *borrowed = &move->message[loan];
    int x = move->loan_trade[loan];
    const hyla_matrix *from = move->transfer[x].from;
    if (borrowed->bytes == 0) continue;
    TRY(hy_link_wait(move->cube, borrowed, 1));
    int part = (int)hy_axis_part(&from->row.code, (uint32_t)borrowed->peer);
    fetch(move, x, borrowed->peer, borrowed->seen, hy_matrix_peer_ld(from, part));
    TRY(hy_link_return(move->cube, borrowed, 1));
  }
  return HYLA_OK;
}

hyla_status hy_move_run(struct hy_move *move) {
  hyla_cube *cube = move->cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(lend(move));
  keep_own(move);
  for (int step = 1; step < cube->nodes; step++) TRY(exchange(move, cube->address ^ step));
  TRY(read_loans(move));
  return hy_link_wait(cube, move->message + move->loans, move->loans);
}

static hyla_status check(const hyla_transfer *t) {
  const hyla_matrix *from = t->from, *to = t->to;
  struct hy_base *base = &to->cube->base;
  CHECK(base, from->k == to->k, ARGUMENT, "redistribution of type %s into type %s: convert first",
        from->k->name, to->k->name);
  const struct hy_axis *row = t->op == HYLA_NONE ? &to->row : &to->col;
  const struct hy_axis *col = t->op == HYLA_NONE ? &to->col : &to->row;
  CHECK(base, from->row.n == row->n && from->col.n == col->n, ARGUMENT,
        "redistribution of %lld x %lld%s into %lld x %lld", (long long)from->row.n,
        (long long)from->col.n, t->op == HYLA_NONE ? "" : ", transposed,", (long long)to->row.n,
        (long long)to->col.n);
  return HYLA_OK;
}

/* How many of those asked for come before transfer i. */
static int place_of(const hyla_transfer *transfers, int count, int i) {
  int place = 0;
  for (int j = 0; j < count; j++) {
    size_t other = transfers[j].to->k->size, own = transfers[i].to->k->size;
    place += other > own || (other == own && j < i);
  }
  return place;
}

static hyla_status plan_trades(struct hy_move *move, const hyla_transfer *transfers) {
  for (int i = 0; i < move->count; i++) {
    int x = place_of(transfers, move->count, i);
    move->asked[x] = i;
    move->transfer[x] = transfers[i];
    move->trade[x] = hy_trade_of(&transfers[i]);
    TRY(hy_trade_create(&move->cube->base, &move->trade[x]));
  }
  return HYLA_OK;
}

static int count_loans(const struct hy_move *move) {
  int loans = 0;
  for (int peer = 0; peer < move->cube->nodes; peer++)
    for (int x = 0; x < move->count && peer != move->cube->address; x++) {
      const struct hy_trade *trade = &move->trade[x];
      bool any = hy_trade_out(trade, peer) > 0 || hy_trade_in(trade, peer) > 0;
      loans += any && hy_trade_in_place(trade, peer);
    }
  return loans;
}

static hyla_status take_memory(struct hy_move *move) {
  struct hy_base *base = &move->cube->base;
  int64_t most_out = 0, most_in = 0, out, in, scratch = 0;
  for (int peer = 0; peer < move->cube->nodes && move->cube->address >= 0; peer++) {
    if (peer == move->cube->address) continue;
    hy_trades_packed(move->trade, move->count, peer, &out, &in);
    most_out = hy_max(most_out, out);
    most_in = hy_max(most_in, in);
  }
  for (int x = 0; x < move->count; x++)
    scratch = hy_max(scratch, hy_copy_scratch(move->transfer[x].op) * (int64_t)move->trade[x].size);
  if (move->cube->address >= 0) move->loans = count_loans(move);
  TRY(hy_alloc(base, 2 * (int64_t)move->loans, sizeof *move->message, &move->message));
  TRY(hy_alloc(base, move->loans, sizeof *move->loan_trade, &move->loan_trade));
  TRY(hy_alloc_data(base, scratch, 1, &move->scratch));
  TRY(hy_alloc_data(base, most_out, 1, &move->out));
  return hy_alloc_data(base, most_in, 1, &move->in);
}

static hyla_status plan(struct hy_move *move, const hyla_transfer *transfers, int count) {
  struct hy_base *base = &move->cube->base;
  TRY(hy_alloc(base, count, sizeof *move->transfer, &move->transfer));
  TRY(hy_alloc(base, count, sizeof *move->trade, &move->trade));
  TRY(hy_alloc(base, count, sizeof *move->asked, &move->asked));
  move->count = count;
  TRY(plan_trades(move, transfers));
  return take_memory(move);
}

hyla_status hy_move_create(hyla_cube *cube, const hyla_transfer *transfers, int count,
                           struct hy_move **move) {
  struct hy_base *base = &cube->base;
  *move = NULL;
  for (int i = 0; i < count; i++) TRY(check(&transfers[i]));
  struct hy_move *made = NULL;
  TRY(hy_alloc(base, 1, sizeof *made, &made));
  made->cube = cube;
  hyla_status status = plan(made, transfers, count);
  if (status != HYLA_OK) {
    hy_move_destroy(&made);
    return status;
  }
  *move = made;
  return HYLA_OK;
}

static bool same_axis(const struct hy_axis *a, const struct hy_axis *b) {
  if (a->first != b->first || a->n != b->n || a->block != b->block) return false;
  if (a->code.code != b->code.code || a->code.dims != b->code.dims) return false;
  if (a->code.code == HYLA_GRAY && a->code.binary != b->code.binary) return false;
  return memcmp(a->code.dim, b->code.dim, (size_t)a->code.dims) == 0;
}

static bool same_shape(const hyla_matrix *a, const hyla_matrix *b) {
  return a->cube == b->cube && a->k == b->k && same_axis(&a->row, &b->row) &&
         same_axis(&a->col, &b->col) && a->layout.rest == b->layout.rest;
}

hyla_status hy_move_rebind(struct hy_move *move, const hyla_transfer *transfers) {
  struct hy_base *base = &move->cube->base;
  for (int x = 0; x < move->count; x++) {
    const hyla_transfer *old = &move->transfer[x], *new = &transfers[move->asked[x]];
    CHECK(base,
          old->op == new->op &&same_shape(old->from, new->from) && same_shape(old->to, new->to),
          ARGUMENT, "redistribution planned for matrices of another type, size or layout");
    CHECK(base, (new->from->window == NULL) == (old->from->window == NULL), ARGUMENT,
          "redistribution planned for a matrix that was %s, used for one that was not",
          old->from->window == NULL ? "wrapped" : "created");
  }
  for (int x = 0; x < move->count; x++) {
    move->transfer[x] = transfers[move->asked[x]];
    move->trade[x].source = move->transfer[x].from;
  }
  return HYLA_OK;
}

void hy_move_destroy(struct hy_move **move) {
  if (*move == NULL) return;
  struct hy_base *base = &(*move)->cube->base;
  for (int x = 0; x < (*move)->count; x++) hy_trade_destroy(base, &(*move)->trade[x]);
  hy_free(base, &(*move)->transfer);
  hy_free(base, &(*move)->trade);
  hy_free(base, &(*move)->asked);
  hy_free(base, &(*move)->message);
  hy_free(base, &(*move)->loan_trade);
  hy_free(base, &(*move)->scratch);
  hy_free(base, &(*move)->out);
  hy_free(base, &(*move)->in);
  hy_free(base, move);
}
