/* Redistribution, variant "direct": to := alpha op(from), from any layout to any layout, for
 * several pairs of matrices at once.
 *
 * Method: in step s = 1 ... 2^d-1 node x exchanges with node x ^ s all entries that the two have
 * for each other.  The exclusive or pairs the nodes, so every node has one partner in a step.
 * Entries of all matrices that cannot be read in place share one packed message each way.  If a
 * part has copies, the nearest one is taken.  Entries that stay on a node, or that are read in
 * place, are copied last: each group of columns from all nodes that have rows of it, so that a
 * cache line of the target is loaded once.
 * Reference: Nicol and Bokhari 1994, 2.2, with blocks of any lengths; the exchange of Johnsson
 * 1987, 3.3, in one step for each pair of nodes instead of one for each dimension: fewer words,
 * more start-ups.
 * Layout: any.  Steps: at most 2^d - 1.
 * Memory: lists of runs.  Matrices that a peer can read in place (created by hyla, on the same
 * machine) are lent to all their readers in one step of their own.  The other matrices need one
 * packing buffer, as large as the largest step: one message out and one in. */
#include "redistribute/direct.h"

#include <stdlib.h>

/* A node's block that this node reads in place. */
struct source {
  int list, part; /* the column part */
  int peer;
  int loan; /* number of the loan; -1: this node's own block */
};

struct hy_direct {
  hyla_cube *cube;
  int count;
  /* Sorted by falling size of an entry, so that all entries in a packed message are aligned. */
  hyla_transfer *transfer;
  struct hy_exchange_list *list;
  /* The steps in which this node may have something to exchange, ascending; among many nodes they
   * are few.  Step 0 stands for the entries that stay. */
  int64_t steps;
  int32_t *step;
  /* The loans of each exchange list in the order of the steps: first all that this node takes, then
   * all that it gives. */
  int loans;
  struct hy_message *message;
  /* The blocks that this node reads in place, list by list, each list by columns; and room for all
   * sources of one group of columns. */
  int sources;
  struct source *source;
  struct hy_band *band;
  char *packing; /* the outgoing and the incoming message of a step */
  char *scratch;
};

bool hy_direct_streams(const hyla_matrix *to) {
  enum { ENOUGH = 1 << 20 }; /* bytes */
  return to->local_rows * to->local_cols * (int64_t)to->k->size > ENOUGH;
}

int64_t hy_direct_scratch(const hyla_transfer *transfers, int count) {
  int64_t scratch = 0;
  for (int x = 0; x < count; x++) {
    const hyla_matrix *to = transfers[x].to;
    int64_t tiles = hy_copy_scratch(transfers[x].op) * (int64_t)to->k->size;
    scratch = hy_max(scratch, hy_max(tiles, hy_direct_streams(to) ? HY_STAGE : 0));
  }
  return scratch;
}

/* Does one step by packed messages. */
static hyla_status exchange(struct hy_direct *direct, int peer) {
  int64_t out_bytes, in_bytes;
  hy_exchange_lists_packed(direct->list, direct->count, peer, &out_bytes, &in_bytes);
  if (out_bytes == 0 && in_bytes == 0) return HYLA_OK;
  char *out = direct->packing, *in = direct->packing;
  if (in_bytes > 0) in += hy_packing_in(out_bytes);
  for (int x = 0; x < direct->count; x++) {
    int64_t entries = hy_exchange_list_out(&direct->list[x], peer);
    if (entries == 0 || hy_exchange_list_in_place(&direct->list[x], peer)) continue;
    hy_exchange_list_pack(&direct->list[x], &direct->transfer[x], peer, direct->scratch, out);
    out += entries * (int64_t)direct->list[x].size;
  }
  TRY(hy_exchange(direct->cube, peer, direct->packing, out_bytes, in, in_bytes));
  for (int x = 0; x < direct->count; x++) {
    int64_t entries = hy_exchange_list_in(&direct->list[x], peer);
    if (entries == 0 || hy_exchange_list_in_place(&direct->list[x], peer)) continue;
    hy_exchange_list_unpack(&direct->list[x], &direct->transfer[x], peer, in);
    in += entries * (int64_t)direct->list[x].size;
  }
  return HYLA_OK;
}

/* Does a list have a loan between this node and a peer? */
static bool is_loan(const struct hy_exchange_list *list, int peer) {
  bool any = hy_exchange_list_out(list, peer) > 0 || hy_exchange_list_in(list, peer) > 0;
  return any && hy_exchange_list_in_place(list, peer);
}

/* Lends this node's blocks to all nodes that read them in place, and borrows theirs: one step. */
static hyla_status lend(struct hy_direct *direct) {
  if (direct->loans == 0) return HYLA_OK;
  int loan = 0;
  for (int x = 0; x < direct->count; x++)
    for (int64_t s = 0; s < direct->steps; s++) {
      const struct hy_exchange_list *list = &direct->list[x];
      const hyla_matrix *from = direct->transfer[x].from;
      int peer = direct->cube->address ^ direct->step[s];
      if (direct->step[s] == 0 || !is_loan(list, peer)) continue;
      struct hy_message *borrowed = &direct->message[loan];
      struct hy_message *lent = &direct->message[direct->loans + loan];
      *borrowed = (struct hy_message){.verb = HY_BORROW, .peer = peer, .window = from->window};
      *lent = (struct hy_message){.verb = HY_LEND, .peer = peer, .window = from->window};
      borrowed->bytes = hy_exchange_list_in(list, peer) * (int64_t)list->size;
      lent->bytes = hy_exchange_list_out(list, peer) * (int64_t)list->size;
      lent->data = from->local;
      loan++;
    }
  return hy_link_start(direct->cube, direct->message, 2 * direct->loans);
}

/* The rows that come from a source, and their positions there. */
static struct hy_band band_of(const struct hy_direct *direct, const struct source *source) {
  const struct hy_exchange_list *list = &direct->list[source->list];
  const hyla_matrix *from = direct->transfer[source->list].from;
  struct hy_band band = {
      hy_positions_with(&list->take_rows, &list->from.row, source->peer, HY_THERE, HY_HERE),
      from->local, from->ld};
  if (source->loan >= 0) {
    band.source = direct->message[source->loan].seen;
    band.ld = hy_matrix_peer_ld(from, (int)hy_axis_part(&from->row.code, (uint32_t)source->peer));
  }
  return band;
}

/* Columns of a group of sources: piece i has HY_COPY_TILE of them, for one thread. */
struct fetching {
  const struct hy_direct *direct;
  const hyla_transfer *transfer;
  struct hy_positions cols;
  int bands;
};

static void fetch_piece(void *arg, int64_t index, int thread) {
  const struct fetching *f = arg;
  const hyla_transfer *t = f->transfer;
  _Alignas(64) char scratch[HY_STAGE];
  struct hy_positions cols = f->cols;
  cols.first += index * HY_COPY_TILE;
  cols.entries = hy_min(HY_COPY_TILE, cols.entries - index * HY_COPY_TILE);
  const struct hy_copy copy = {t->from->k, hy_without_turn(t->op), t->alpha, true,
                               thread == 0 ? f->direct->scratch : scratch};
  hy_copy_bands(&copy, f->direct->band, f->bands, &cols, t->to->local_rows, t->to->local,
                t->to->ld);
}

/* Copies the same columns from `count' sources; large targets by all threads of the rank. */
static void fetch(const struct hy_direct *direct, const struct source *source, int count) {
  int x = source->list;
  const struct hy_exchange_list *list = &direct->list[x];
  const hyla_transfer *t = &direct->transfer[x];
  struct hy_team *team = direct->cube->session.team;
  struct hy_positions cols =
      hy_positions_with(&list->take_cols, &list->from.col, source->peer, HY_THERE, HY_HERE);
  const bool stream = hy_direct_streams(t->to);
  const struct hy_copy copy = {t->from->k, hy_without_turn(t->op), t->alpha, stream,
                               direct->scratch};
  for (int i = 0; i < count; i++) direct->band[i] = band_of(direct, &source[i]);
  if (list->part == HY_WHOLE && stream && team != NULL) {
    struct fetching f = {direct, t, cols, count};
    struct hy_work work = {
        .piece = fetch_piece, .arg = &f, .count = hy_ceil_div(cols.entries, HY_COPY_TILE)};
    work.threads = (int)hy_min(hy_team_threads(team), work.count);
    hy_team_do(team, &work);
  } else if (list->part == HY_WHOLE) {
    hy_copy_bands(&copy, direct->band, count, &cols, t->to->local_rows, t->to->local, t->to->ld);
  } else {
    for (const struct hy_band *band = direct->band; band < direct->band + count; band++)
      hy_copy_part(&copy, list->part, &band->rows, &cols, band->source, band->ld, t->to->local,
                   t->to->ld);
  }
}

hyla_status hy_direct_run(struct hy_direct *direct) {
  hyla_cube *cube = direct->cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(lend(direct));
  for (int64_t s = 0; s < direct->steps; s++)
    if (direct->step[s] > 0) TRY(exchange(direct, cube->address ^ direct->step[s]));
  TRY(hy_link_wait(cube, direct->message, direct->loans));
  for (int i = 0, next; i < direct->sources; i = next) {
    const struct source *source = &direct->source[i];
    next = i + 1;
    while (next < direct->sources && direct->source[next].list == source->list &&
           direct->source[next].part == source->part)
      next++;
    fetch(direct, source, next - i);
  }
  TRY(hy_link_return(cube, direct->message, direct->loans));
  return hy_link_wait(cube, direct->message + direct->loans, direct->loans);
}

/* ------------------------------------------------------------ the plan -- */

static hyla_status check(const hyla_transfer *t) {
  const hyla_matrix *from = t->from, *to = t->to;
  struct hy_base *base = &to->cube->base;
  CHECK(base, from->k == to->k, ARGUMENT, "redistribution of type %s into type %s: convert first",
        from->k->name, to->k->name);
  bool transposed = hy_transposes(t->op);
  const struct hy_axis *row = transposed ? &to->col : &to->row;
  const struct hy_axis *col = transposed ? &to->row : &to->col;
  CHECK(base, from->row.n == row->n && from->col.n == col->n, ARGUMENT,
        "redistribution of %lld x %lld%s into %lld x %lld", (long long)from->row.n,
        (long long)from->col.n, transposed ? ", transposed," : "", (long long)to->row.n,
        (long long)to->col.n);
  return HYLA_OK;
}

/* The position of transfer i after sorting by falling size of an entry; equal ones keep order. */
static int place_of(const hyla_transfer *transfers, int count, int i) {
  int place = 0;
  for (int j = 0; j < count; j++) {
    size_t other = transfers[j].to->k->size, own = transfers[i].to->k->size;
    place += other > own || (other == own && j < i);
  }
  return place;
}

static int by_columns(const void *a, const void *b) {
  const struct source *x = a, *y = b;
  if (x->list != y->list) return x->list < y->list ? -1 : 1;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  return (x->peer > y->peer) - (x->peer < y->peer);
}

/* Counts loans and sources; lists the sources too if there is memory for them. */
static void list_sources(struct hy_direct *direct) {
  direct->loans = direct->sources = 0;
  for (int x = 0; x < direct->count; x++)
    for (int64_t s = 0; s < direct->steps; s++) {
      const struct hy_exchange_list *list = &direct->list[x];
      int step = direct->step[s], peer = direct->cube->address ^ step;
      if (step > 0 && !is_loan(list, peer)) continue;
      if (hy_exchange_list_in(list, peer) > 0) {
        int part = (int)hy_axis_part(&list->from.col.code, (uint32_t)peer);
        const struct source source = {x, part, peer, step == 0 ? -1 : direct->loans};
        if (direct->source != NULL) direct->source[direct->sources] = source;
        direct->sources++;
      }
      direct->loans += step > 0;
    }
  if (direct->source != NULL)
    qsort(direct->source, (size_t)direct->sources, sizeof *direct->source, by_columns);
}

static hyla_status plan(struct hy_direct *direct, const hyla_transfer *transfers,
                        const enum hy_part *parts, int count) {
  hyla_cube *cube = direct->cube;
  struct hy_base *base = &cube->base;
  TRY(hy_alloc_for(base, direct, count, sizeof *direct->transfer, &direct->transfer));
  TRY(hy_alloc_for(base, direct, count, sizeof *direct->list, &direct->list));
  direct->count = count;
  for (int i = 0; i < count; i++) {
    int x = place_of(transfers, count, i);
    direct->transfer[x] = transfers[i];
    direct->list[x] = hy_exchange_list_of(&transfers[i]);
    if (parts != NULL) direct->list[x].part = parts[i];
    TRY(hy_exchange_list_create(base, direct, &direct->list[x]));
  }
  int64_t packing = 0;
  if (cube->address >= 0) {
    uint64_t *marks = NULL;
    TRY(hy_alloc_for(base, direct, hy_exchange_list_marks(cube->dims), sizeof *marks, &marks));
    hy_exchange_lists_mark(direct->list, count, marks);
    direct->steps = hy_exchange_list_steps(cube->dims, marks, NULL);
    TRY(hy_alloc_for(base, direct, direct->steps, sizeof *direct->step, &direct->step));
    (void)hy_exchange_list_steps(cube->dims, marks, direct->step);
    hy_free(base, &marks);
    list_sources(direct); /* only counts */
    TRY(hy_alloc_for(base, direct, 2 * (int64_t)direct->loans, sizeof *direct->message,
                     &direct->message));
    TRY(hy_alloc_for(base, direct, direct->sources, sizeof *direct->band, &direct->band));
    TRY(hy_alloc_for(base, direct, direct->sources, sizeof *direct->source, &direct->source));
    list_sources(direct);
  }
  for (int64_t s = 0, out, in; s < direct->steps; s++) {
    if (direct->step[s] == 0) continue;
    hy_exchange_lists_packed(direct->list, count, cube->address ^ direct->step[s], &out, &in);
    packing = hy_max(packing, hy_packing_bytes(out, in));
  }
  TRY(hy_alloc_data_for(base, direct, hy_direct_scratch(direct->transfer, count), 1,
                        &direct->scratch));
  return hy_alloc_data_for(base, direct, packing, 1, &direct->packing);
}

hyla_status hy_direct_create_parts(hyla_cube *cube, const hyla_transfer *transfers,
                                   const enum hy_part *parts, int count,
                                   struct hy_direct **direct) {
  *direct = NULL;
  for (int i = 0; i < count; i++) TRY(check(&transfers[i]));
  TRY(hy_alloc(&cube->base, 1, sizeof **direct, direct));
  (*direct)->cube = cube;
  hyla_status status = plan(*direct, transfers, parts, count);
  if (status != HYLA_OK) hy_direct_destroy(direct);
  return status;
}

hyla_status hy_direct_create(hyla_cube *cube, const hyla_transfer *transfers, int count,
                             struct hy_direct **direct) {
  return hy_direct_create_parts(cube, transfers, NULL, count, direct);
}

void hy_direct_destroy(struct hy_direct **direct) {
  if (*direct != NULL) hy_free(&(*direct)->cube->base, direct);
}

/* ---------------------------------------------------------- the variant -- */

struct state {
  const struct hy_redistribution *problem;
  hyla_cost cost;
  struct hy_direct *move;
};

static hyla_status create(const struct hy_variant *variant, const void *problem, void **state) {
  (void)variant;
  const struct hy_redistribution *it = problem;
  struct state *s = NULL;
  hyla_status status = hy_alloc(&it->cube->base, 1, sizeof *s, &s);
  *state = s;
  if (status == HYLA_OK) {
    s->problem = it;
    status = hy_direct_expect(it->cube, it->transfers, it->parts, it->count, &s->cost);
  }
  return hy_agree(it->cube, status);
}

static hyla_cost cost(const void *state) { return ((const struct state *)state)->cost; }

static hyla_status allocate(void *state) {
  struct state *s = state;
  const struct hy_redistribution *it = s->problem;
  TRY(hy_direct_create_parts(it->cube, it->transfers, it->parts, it->count, &s->move));
  hy_own(s, s->move);
  return HYLA_OK;
}

static hyla_status run(void *state) { return hy_direct_run(((struct state *)state)->move); }

static void explain(const void *state, struct hy_text *text) {
  (void)state;
  hy_text_add(text, "  each pair of nodes at once, in at most one packed message each way\n");
}

const struct hy_variant hy_redistribute_direct = {
    .name = "direct",
    .arrays = true,
    .reference = "nicol-bokhari-1994, section 2.2",
    HY_OPERATIONS,
    .cost = cost,
};
