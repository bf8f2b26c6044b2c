/* Redistribution, variant "direct": to := alpha op(from), any layouts to any layouts,
 * several pairs of matrices at once.
 *
 * Method: in step s = 1 ... 2^d-1 node x exchanges with node x ^ s all that the two have
 * for each other. The entries of all matrices make one packed message each way. The
 * exclusive or pairs the nodes, so no node has two partners in a step. Where there are
 * copies the nearest one is taken. What stays on a node, or can be read in place, is copied
 * last: each group of columns from all nodes that have rows of it, so a line of the target
 * comes to the cache once.
 * Reference: the exchange of Johnsson 1987, 3.3, in one step for each pair of nodes instead
 * of one for each dimension: fewer words, more start-ups.
 * Layout: any. Steps: at most 2^d - 1.
 * Memory: lists of runs. Matrices that a peer can read in place (created, on the same
 * machine) are lent to all their readers in one step of their own. For the others one
 * packing buffer, as large as the largest step: a message out and one in. */
#include "redistribute/direct.h"

#include <stdlib.h>
#include <string.h>

/* A node's part that is read in place. */
struct source {
  int trade, part; /* of the columns */
  int peer;
  int loan; /* -1: this node's own */
};

struct hy_direct {
  hyla_cube *cube;
  int count;
  /* Ordered by falling size of entry: then all entries in a packed message are aligned. */
  hyla_transfer *transfer;
  struct hy_exchange_list *trade;
  int *asked; /* the transfer's place in what was asked for */
  /* The steps in which this node may have something to do, ascending. Among many nodes it
   * exchanges with few. Step 0 is what stays. */
  int64_t steps;
  int32_t *step;
  /* Loans of each exchange list in the order of the steps: first all that come, then all
   * that go. */
  int loans;
  struct hy_message *message;
  /* What this node reads in place, list by list, each list by columns; and room for all
   * sources of the same columns. */
  int sources;
  struct source *source;
  struct hy_band *band;
  char *packing; /* what goes out in a step, and what comes in */
  char *scratch;
};

/* Is a rank's part so large that its source would not stay in the caches beside it? */
static bool is_large(const hyla_matrix *to) {
  enum { ENOUGH = 1 << 20 }; /* bytes */
  return to->local_rows * to->local_cols * (int64_t)to->k->size > ENOUGH;
}

/* Packs what goes to a peer, operated upon. */
static void pack(const struct hy_direct *move, int x, int peer, char *out) {
  const struct hy_exchange_list *trade = &move->trade[x];
  const hyla_transfer *t = &move->transfer[x];
  struct hy_places rows =
      hy_places_with(&trade->give_rows, &trade->to.row, peer, HY_HERE, HY_PACKED);
  struct hy_places cols =
      hy_places_with(&trade->give_cols, &trade->to.col, peer, HY_HERE, HY_PACKED);
  const struct hy_copy copy = {t->from->k, t->op, t->alpha, false, move->scratch};
  hy_copy_part(&copy, trade->part, &rows, &cols, t->from->local, t->from->ld, out, rows.entries);
}

static void unpack(const struct hy_direct *move, int x, int peer, const char *in) {
  const struct hy_exchange_list *trade = &move->trade[x];
  const hyla_transfer *t = &move->transfer[x];
  struct hy_places rows =
      hy_places_with(&trade->take_rows, &trade->from.row, peer, HY_PACKED, HY_HERE);
  struct hy_places cols =
      hy_places_with(&trade->take_cols, &trade->from.col, peer, HY_PACKED, HY_HERE);
  const struct hy_copy copy = {t->to->k, HYLA_NONE, 1, is_large(t->to), NULL};
  hy_copy_part(&copy, trade->part, &rows, &cols, in, rows.entries, t->to->local, t->to->ld);
}

/* One step by packed messages. */
static hyla_status exchange(struct hy_direct *move, int peer) {
  int64_t out_bytes, in_bytes;
  hy_exchange_lists_packed(move->trade, move->count, peer, &out_bytes, &in_bytes);
  if (out_bytes == 0 && in_bytes == 0) return HYLA_OK;
  char *out = move->packing, *in = move->packing;
  if (in_bytes > 0) in += hy_packing_in(out_bytes);
  for (int x = 0; x < move->count; x++) {
    int64_t entries = hy_exchange_list_out(&move->trade[x], peer);
    if (entries == 0 || hy_exchange_list_in_place(&move->trade[x], peer)) continue;
    pack(move, x, peer, out);
    out += entries * (int64_t)move->trade[x].size;
  }
  TRY(hy_exchange(move->cube, peer, move->packing, out_bytes, in, in_bytes));
  for (int x = 0; x < move->count; x++) {
    int64_t entries = hy_exchange_list_in(&move->trade[x], peer);
    if (entries == 0 || hy_exchange_list_in_place(&move->trade[x], peer)) continue;
    unpack(move, x, peer, in);
    in += entries * (int64_t)move->trade[x].size;
  }
  return HYLA_OK;
}

/* Does a trade have a loan between this node and a peer? */
static bool is_loan(const struct hy_exchange_list *trade, int peer) {
  bool any = hy_exchange_list_out(trade, peer) > 0 || hy_exchange_list_in(trade, peer) > 0;
  return any && hy_exchange_list_in_place(trade, peer);
}

/* Lends everything to everybody who reads it in place: one step. */
static hyla_status lend(struct hy_direct *move) {
  if (move->loans == 0) return HYLA_OK;
  int loan = 0;
  for (int x = 0; x < move->count; x++)
    for (int64_t s = 0; s < move->steps; s++) {
      const struct hy_exchange_list *trade = &move->trade[x];
      const hyla_matrix *from = move->transfer[x].from;
      int peer = move->cube->address ^ move->step[s];
      if (move->step[s] == 0 || !is_loan(trade, peer)) continue;
      struct hy_message *borrowed = &move->message[loan];
      struct hy_message *lent = &move->message[move->loans + loan];
      *borrowed = (struct hy_message){.verb = HY_BORROW, .peer = peer, .window = from->window};
      *lent = (struct hy_message){.verb = HY_LEND, .peer = peer, .window = from->window};
      borrowed->bytes = hy_exchange_list_in(trade, peer) * (int64_t)trade->size;
      lent->bytes = hy_exchange_list_out(trade, peer) * (int64_t)trade->size;
      lent->data = from->local;
      loan++;
    }
  return hy_link_start(move->cube, move->message, 2 * move->loans);
}

/* The rows that come from a source, and where they lie there. */
static struct hy_band band_of(const struct hy_direct *move, const struct source *source) {
  const struct hy_exchange_list *trade = &move->trade[source->trade];
  const hyla_matrix *from = move->transfer[source->trade].from;
  struct hy_band band = {
      hy_places_with(&trade->take_rows, &trade->from.row, source->peer, HY_THERE, HY_HERE),
      from->local, from->ld};
  if (source->loan >= 0) {
    band.source = move->message[source->loan].seen;
    band.ld = hy_matrix_peer_ld(from, (int)hy_axis_part(&from->row.code, (uint32_t)source->peer));
  }
  return band;
}

/* Takes the same columns from so many sources. */
static void fetch(const struct hy_direct *move, const struct source *source, int count) {
  int x = source->trade;
  const struct hy_exchange_list *trade = &move->trade[x];
  const hyla_transfer *t = &move->transfer[x];
  struct hy_places cols =
      hy_places_with(&trade->take_cols, &trade->from.col, source->peer, HY_THERE, HY_HERE);
  const struct hy_copy copy = {t->from->k, t->op, t->alpha, is_large(t->to), move->scratch};
  for (int i = 0; i < count; i++) move->band[i] = band_of(move, &source[i]);
  if (trade->part == HY_WHOLE)
    hy_copy_bands(&copy, move->band, count, &cols, t->to->local_rows, t->to->local, t->to->ld);
  else
    for (const struct hy_band *band = move->band; band < move->band + count; band++)
      hy_copy_part(&copy, trade->part, &band->rows, &cols, band->source, band->ld, t->to->local,
                   t->to->ld);
}

static hyla_status read_in_place(struct hy_direct *move) {
  TRY(hy_link_wait(move->cube, move->message, move->loans));
  for (int i = 0, next; i < move->sources; i = next) {
    const struct source *source = &move->source[i];
    next = i + 1;
    while (next < move->sources && move->source[next].trade == source->trade &&
           move->source[next].part == source->part)
      next++;
    fetch(move, source, next - i);
  }
  return hy_link_return(move->cube, move->message, move->loans);
}

hyla_status hy_direct_run(struct hy_direct *move) {
  hyla_cube *cube = move->cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(lend(move));
  for (int64_t s = 0; s < move->steps; s++)
    if (move->step[s] > 0) TRY(exchange(move, cube->address ^ move->step[s]));
  TRY(read_in_place(move));
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

static hyla_status plan_trades(struct hy_direct *move, const hyla_transfer *transfers,
                               const enum hy_part *parts) {
  for (int i = 0; i < move->count; i++) {
    int x = place_of(transfers, move->count, i);
    move->asked[x] = i;
    move->transfer[x] = transfers[i];
    move->trade[x] = hy_exchange_list_of(&transfers[i]);
    if (parts != NULL) move->trade[x].part = parts[i];
    TRY(hy_exchange_list_create(&move->cube->base, &move->trade[x]));
  }
  return HYLA_OK;
}

static int by_columns(const void *a, const void *b) {
  const struct source *x = a, *y = b;
  if (x->trade != y->trade) return x->trade < y->trade ? -1 : 1;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  return (x->peer > y->peer) - (x->peer < y->peer);
}

/* Counts the loans; with memory for them lists the sources. */
static void list_sources(struct hy_direct *move) {
  move->loans = move->sources = 0;
  for (int x = 0; x < move->count; x++)
    for (int64_t s = 0; s < move->steps; s++) {
      const struct hy_exchange_list *trade = &move->trade[x];
      int step = move->step[s], peer = move->cube->address ^ step;
      if (step > 0 && !is_loan(trade, peer)) continue;
      if (hy_exchange_list_in(trade, peer) > 0) {
        int part = (int)hy_axis_part(&trade->from.col.code, (uint32_t)peer);
        const struct source source = {x, part, peer, step == 0 ? -1 : move->loans};
        if (move->source != NULL) move->source[move->sources] = source;
        move->sources++;
      }
      move->loans += step > 0;
    }
  if (move->source != NULL)
    qsort(move->source, (size_t)move->sources, sizeof *move->source, by_columns);
}

static hyla_status take_loans(struct hy_direct *move) {
  struct hy_base *base = &move->cube->base;
  if (move->cube->address < 0) return HYLA_OK;
  list_sources(move);
  TRY(hy_alloc(base, 2 * (int64_t)move->loans, sizeof *move->message, &move->message));
  TRY(hy_alloc(base, move->sources, sizeof *move->band, &move->band));
  TRY(hy_alloc(base, move->sources, sizeof *move->source, &move->source));
  list_sources(move);
  return HYLA_OK;
}

static hyla_status find_steps(struct hy_direct *move) {
  struct hy_base *base = &move->cube->base;
  int dims = move->cube->dims;
  uint64_t *marks = NULL;
  if (move->cube->address < 0) return HYLA_OK;
  TRY(hy_alloc(base, hy_exchange_list_marks(dims), sizeof *marks, &marks));
  hy_exchange_lists_mark(move->trade, move->count, marks);
  move->steps = hy_exchange_list_steps(dims, marks, NULL);
  hyla_status status = hy_alloc(base, move->steps, sizeof *move->step, &move->step);
  if (status == HYLA_OK) (void)hy_exchange_list_steps(dims, marks, move->step);
  hy_free(base, &marks);
  return status;
}

static hyla_status take_memory(struct hy_direct *move) {
  struct hy_base *base = &move->cube->base;
  int64_t packing = 0, out, in, scratch = 0;
  for (int64_t s = 0; s < move->steps; s++) {
    if (move->step[s] == 0) continue;
    hy_exchange_lists_packed(move->trade, move->count, move->cube->address ^ move->step[s], &out,
                             &in);
    packing = hy_max(packing, hy_packing_bytes(out, in));
  }
  for (int x = 0; x < move->count; x++) {
    int64_t tiles = hy_copy_scratch(move->transfer[x].op) * (int64_t)move->trade[x].size;
    scratch = hy_max(scratch, hy_max(tiles, is_large(move->transfer[x].to) ? HY_STAGE : 0));
  }
  TRY(take_loans(move));
  TRY(hy_alloc_data(base, scratch, 1, &move->scratch));
  return hy_alloc_data(base, packing, 1, &move->packing);
}

static hyla_status plan(struct hy_direct *move, const hyla_transfer *transfers,
                        const enum hy_part *parts, int count) {
  struct hy_base *base = &move->cube->base;
  TRY(hy_alloc(base, count, sizeof *move->transfer, &move->transfer));
  TRY(hy_alloc(base, count, sizeof *move->trade, &move->trade));
  TRY(hy_alloc(base, count, sizeof *move->asked, &move->asked));
  move->count = count;
  TRY(plan_trades(move, transfers, parts));
  TRY(find_steps(move));
  return take_memory(move);
}

hyla_status hy_direct_create_parts(hyla_cube *cube, const hyla_transfer *transfers,
                                   const enum hy_part *parts, int count, struct hy_direct **move) {
  struct hy_base *base = &cube->base;
  *move = NULL;
  for (int i = 0; i < count; i++) TRY(check(&transfers[i]));
  struct hy_direct *made = NULL;
  TRY(hy_alloc(base, 1, sizeof *made, &made));
  made->cube = cube;
  hyla_status status = plan(made, transfers, parts, count);
  if (status != HYLA_OK) {
    hy_direct_destroy(&made);
    return status;
  }
  *move = made;
  return HYLA_OK;
}

hyla_status hy_direct_create(hyla_cube *cube, const hyla_transfer *transfers, int count,
                             struct hy_direct **move) {
  return hy_direct_create_parts(cube, transfers, NULL, count, move);
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

hyla_status hy_direct_rebind(struct hy_direct *move, const hyla_transfer *transfers) {
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

void hy_direct_destroy(struct hy_direct **move) {
  if (*move == NULL) return;
  struct hy_base *base = &(*move)->cube->base;
  for (int x = 0; x < (*move)->count; x++) hy_exchange_list_destroy(base, &(*move)->trade[x]);
  hy_free(base, &(*move)->transfer);
  hy_free(base, &(*move)->trade);
  hy_free(base, &(*move)->asked);
  hy_free(base, &(*move)->step);
  hy_free(base, &(*move)->message);
  hy_free(base, &(*move)->source);
  hy_free(base, &(*move)->band);
  hy_free(base, &(*move)->scratch);
  hy_free(base, &(*move)->packing);
  hy_free(base, move);
}
