/* Redistribution, variant "direct": to := op(from), any layout to any layout.
 *
 * Method: what a node keeps is copied in place; then, in step s = 1 ... 2^d-1,
 * node x exchanges with node x ^ s all that the two have for each other, in at
 * most one message each way.  The exclusive or pairs all nodes up, so no node
 * is hit by two at once.
 * Reference: the exchange of Johnsson 1987, 3.3, in one step for each pair of
 * nodes rather than one for each dimension: fewer words, more start-ups.
 * Layout: any.  Steps: at most 2^d - 1.
 * Memory: index lists of the local rows and columns.  Where a peer can read the
 * matrix in place (created matrices, same machine) it takes its entries from
 * there and the message is a notice; elsewhere, one packing buffer each way, as
 * large as the largest message. */
#include "matrix/move.h"

#include <string.h>

struct hy_move {
  hyla_cube *cube;
  hyla_operation op;
  const hyla_matrix *from;
  hyla_matrix *to;
  /* The rows and columns of from, shared with the parts of to. */
  struct hy_shares send_rows;
  struct hy_shares send_cols;
  /* The axes of to that from's rows and columns become, shared with from's parts. */
  struct hy_shares receive_rows;
  struct hy_shares receive_cols;
  char *out;
  char *in;
  char *scratch;
};

/* The axes of `to` that from's rows and columns become. */
static const struct hy_axis *rows_target(const struct hy_move *move) {
  return move->op == HYLA_NONE ? &move->to->row : &move->to->col;
}

static const struct hy_axis *cols_target(const struct hy_move *move) {
  return move->op == HYLA_NONE ? &move->to->col : &move->to->row;
}

static int part_at(const struct hy_axis *axis, int node) {
  return (int)hy_axis_part(&axis->code, (uint32_t)node);
}

static int shared(const struct hy_shares *shares, int part) {
  return shares->start[part + 1] - shares->start[part];
}

/* What goes to a node: places in this node's from; to in the packed order. */
static void outgoing(const struct hy_move *move, int node, struct hy_places *rows,
                     struct hy_places *cols) {
  int p = part_at(rows_target(move), node), q = part_at(cols_target(move), node);
  const struct hy_shares *r = &move->send_rows, *c = &move->send_cols;
  *rows = (struct hy_places){.count = shared(r, p), .from = r->here + r->start[p]};
  *cols = (struct hy_places){.count = shared(c, q), .from = c->here + c->start[q]};
}

/* What comes from a node: places in that node's from and in this node's to. */
static void incoming(const struct hy_move *move, int node, struct hy_places *rows,
                     struct hy_places *cols) {
  int p = part_at(&move->from->row, node), q = part_at(&move->from->col, node);
  const struct hy_shares *r = &move->receive_rows, *c = &move->receive_cols;
  *rows = (struct hy_places){shared(r, p), r->there + r->start[p], r->here + r->start[p]};
  *cols = (struct hy_places){shared(c, q), c->there + c->start[q], c->here + c->start[q]};
}

static int64_t bytes_of(const struct hy_move *move, const struct hy_places *rows,
                        const struct hy_places *cols) {
  return (int64_t)rows->count * cols->count * (int64_t)move->from->k->size;
}

/* Can the two nodes read each other's part of the matrix?  Both answer alike. */
static bool readable(const hyla_matrix *from, int node) {
  return from->window != NULL && hy_window_peer(from->window, node) != NULL;
}

/* The largest messages that have to be packed. */
static void measure(const struct hy_move *move, int64_t *out, int64_t *in) {
  const hyla_cube *cube = move->cube;
  struct hy_places rows, cols;
  for (int node = 0; node < cube->nodes; node++) {
    if (node == cube->address || readable(move->from, node)) continue;
    outgoing(move, node, &rows, &cols);
    *out = hy_max(*out, bytes_of(move, &rows, &cols));
    incoming(move, node, &rows, &cols);
    *in = hy_max(*in, bytes_of(move, &rows, &cols));
  }
}

static hyla_status prepare(struct hy_move *move) {
  const hyla_matrix *from = move->from, *to = move->to;
  struct hy_base *base = &from->cube->base;
  const struct hy_axis *rows = rows_target(move), *cols = cols_target(move);
  bool turned = move->op != HYLA_NONE;
  int rows_part = turned ? to->col_part : to->row_part;
  int cols_part = turned ? to->row_part : to->col_part;
  TRY(hy_shares_create(base, &from->row, from->row_part, rows, &move->send_rows));
  TRY(hy_shares_create(base, &from->col, from->col_part, cols, &move->send_cols));
  TRY(hy_shares_create(base, rows, rows_part, &from->row, &move->receive_rows));
  TRY(hy_shares_create(base, cols, cols_part, &from->col, &move->receive_cols));
  TRY(hy_alloc(base, hy_copy_scratch(move->op), from->k->size, &move->scratch));
  int64_t out = 0, in = 0;
  if (from->cube->address >= 0) measure(move, &out, &in);
  TRY(hy_alloc(base, out, 1, &move->out));
  return hy_alloc(base, in, 1, &move->in);
}

hyla_status hy_move_create(hyla_operation op, const hyla_matrix *from, hyla_matrix *to,
                           struct hy_move **move) {
  struct hy_base *base = &from->cube->base;
  *move = NULL;
  CHECK(base, from->k == to->k, ARGUMENT, "redistribution of type %s into type %s: convert first",
        from->k->name, to->k->name);
  const struct hy_axis *row = op == HYLA_NONE ? &to->row : &to->col;
  const struct hy_axis *col = op == HYLA_NONE ? &to->col : &to->row;
  CHECK(base, from->row.n == row->n && from->col.n == col->n, ARGUMENT,
        "redistribution of %lld x %lld%s into %lld x %lld", (long long)from->row.n,
        (long long)from->col.n, op == HYLA_NONE ? "" : ", transposed,", (long long)to->row.n,
        (long long)to->col.n);
  CHECK(base, from->others == 0 && to->others == 0, UNSUPPORTED,
        "redistribution: %s matrix lies on %d of the cube's %d dimensions; only layouts over all "
        "of them can be redistributed",
        from->others != 0 ? "the source" : "the target",
        from->cube->dims - hy_popcount(from->others != 0 ? from->others : to->others),
        from->cube->dims);
  struct hy_move *made = NULL;
  TRY(hy_alloc(base, 1, sizeof *made, &made));
  made->cube = from->cube;
  made->op = op;
  made->from = from;
  made->to = to;
  hyla_status status = prepare(made);
  if (status != HYLA_OK) {
    hy_move_destroy(&made);
    return status;
  }
  *move = made;
  return HYLA_OK;
}

/* Takes from a node's part of `from`, which this node can read. */
static void fetch(const struct hy_move *move, const struct hy_places *rows,
                  const struct hy_places *cols, const void *source, int64_t ld) {
  hy_copy_places(move->from->k, move->op, rows, cols, source, ld, move->to->local, move->to->ld,
                 move->scratch);
}

/* One step where the other's part can be read in place. */
static hyla_status exchange_in_place(struct hy_move *move, int peer, int64_t out_bytes) {
  const hyla_matrix *from = move->from;
  hyla_cube *cube = move->cube;
  struct hy_places rows, cols;
  incoming(move, peer, &rows, &cols);
  struct hy_message messages[2] = {
      {.verb = HY_LEND, .peer = peer, .bytes = out_bytes, .data = from->local},
      {.verb = HY_BORROW, .peer = peer, .bytes = bytes_of(move, &rows, &cols)}};
  struct hy_message *lent = &messages[0], *borrowed = &messages[1];
  lent->window = from->window;
  borrowed->window = from->window;
  TRY(hy_link_start(cube, messages, 2));
  TRY(hy_link_wait(cube, borrowed, 1));
  int64_t ld = hy_matrix_peer_ld(from, part_at(&from->row, peer));
  fetch(move, &rows, &cols, borrowed->seen, ld);
  TRY(hy_link_return(cube, borrowed, 1));
  return hy_link_wait(cube, lent, 1);
}

/* One step by packed messages, turned by the sender. */
static hyla_status exchange_packed(struct hy_move *move, int peer) {
  const hyla_matrix *from = move->from;
  const hyla_matrix *to = move->to;
  bool turned = move->op != HYLA_NONE;
  struct hy_places rows, cols;
  outgoing(move, peer, &rows, &cols);
  int64_t out_bytes = bytes_of(move, &rows, &cols);
  hy_copy_places(from->k, move->op, &rows, &cols, from->local, from->ld, move->out,
                 turned ? cols.count : rows.count, move->scratch);
  incoming(move, peer, &rows, &cols);
  TRY(hy_exchange(move->cube, peer, move->out, out_bytes, move->in, bytes_of(move, &rows, &cols)));
  rows.from = NULL;
  cols.from = NULL;
  const struct hy_places *first = turned ? &cols : &rows, *second = turned ? &rows : &cols;
  hy_copy_places(to->k, HYLA_NONE, first, second, move->in, first->count, to->local, to->ld,
                 move->scratch);
  return HYLA_OK;
}

static hyla_status exchange(struct hy_move *move, int peer) {
  struct hy_places rows, cols;
  outgoing(move, peer, &rows, &cols);
  int64_t out_bytes = bytes_of(move, &rows, &cols);
  incoming(move, peer, &rows, &cols);
  if (out_bytes == 0 && bytes_of(move, &rows, &cols) == 0) return HYLA_OK;
  return readable(move->from, peer) ? exchange_in_place(move, peer, out_bytes)
                                    : exchange_packed(move, peer);
}

hyla_status hy_move_run(struct hy_move *move) {
  const hyla_cube *cube = move->cube;
  if (cube->address < 0) return HYLA_OK;
  struct hy_places rows, cols;
  incoming(move, cube->address, &rows, &cols);
  fetch(move, &rows, &cols, move->from->local, move->from->ld);
  for (int step = 1; step < cube->nodes; step++) TRY(exchange(move, cube->address ^ step));
  return HYLA_OK;
}

static bool same_axis(const struct hy_axis *a, const struct hy_axis *b) {
  if (a->first != b->first || a->n != b->n || a->block != b->block) return false;
  if (a->code.code != b->code.code || a->code.dims != b->code.dims) return false;
  return memcmp(a->code.dim, b->code.dim, (size_t)a->code.dims) == 0;
}

static bool same_shape(const hyla_matrix *a, const hyla_matrix *b) {
  return a->cube == b->cube && a->k == b->k && same_axis(&a->row, &b->row) &&
         same_axis(&a->col, &b->col) && a->layout.rest == b->layout.rest;
}

hyla_status hy_move_rebind(struct hy_move *move, const hyla_matrix *from, hyla_matrix *to) {
  CHECK(&move->cube->base, same_shape(move->from, from) && same_shape(move->to, to), ARGUMENT,
        "redistribution planned for matrices of another type, size or layout");
  CHECK(&move->cube->base, (from->window == NULL) == (move->from->window == NULL), ARGUMENT,
        "redistribution planned for a matrix that was %s, used for one that was not",
        move->from->window == NULL ? "wrapped" : "created");
  move->from = from;
  move->to = to;
  return HYLA_OK;
}

void hy_move_destroy(struct hy_move **move) {
  if (*move == NULL) return;
  struct hy_base *base = &(*move)->cube->base;
  hy_shares_destroy(base, &(*move)->send_rows);
  hy_shares_destroy(base, &(*move)->send_cols);
  hy_shares_destroy(base, &(*move)->receive_rows);
  hy_shares_destroy(base, &(*move)->receive_cols);
  hy_free(base, &(*move)->scratch);
  hy_free(base, &(*move)->out);
  hy_free(base, &(*move)->in);
  hy_free(base, move);
}
