/* A factor that is the other one, transposed: its panels come from the other's blocks.
 *
 * What is said here is of op(B) = op(A)^T; of op(A) = op(B)^T it is the same with rows and
 * columns of the array exchanged.  R x S nodes (r, s); A's rows lie like C's rows.
 *
 * Node (p, q) wants of a panel the rows of A that its columns of C are.  They stand with
 * several nodes (r, s), s the panel's owner, each of which has a piece of them: on square
 * arrays whose rows and columns are cut alike with one, r = q.  What stands with r = p has
 * come to (p, q) already, for it is in its panel of A.  The others are read where they
 * stand, from one loan of the block, or sent: (r, s) sends the pieces of its rows to the
 * nodes (p, q) that want them, p != r, R - 1 times its rows in all.  So every node sends as
 * much as of a second factor that lies right.
 *
 * Pieces, and indices of several nodes copied together, stand in columns without gaps.
 */
#include "gemm/cut.h"

/* Indices that lie next to each other in a part of one axis, here, and of another, there. */
struct run {
  int part; /* there */
  int64_t here, there;
  int64_t packed; /* of the indices that both parts have so many are before */
  int64_t length;
};

/* What a part of one axis has in common with each part of another. */
struct share {
  int64_t run_count;
  struct run *runs;
  int64_t *count; /* by part */
  int64_t *before;
};

struct hy_twin {
  const struct hy_feed *feed; /* of the factor that leads */
  const struct hy_axis *lies; /* its rows (columns) */
  const struct hy_axis *wanted;
  hyla_operation kin;
  int node;
  int own; /* part of `lies` */
  bool in_place;
  int64_t across;     /* indices that the node wants */
  struct share needs; /* of the node's wanted part with the parts that lie */
  struct share gives; /* of its part that lies with the wanted parts */
  const struct hy_gemm_factor *factor;
  char *packed, *pieces, *ordered;
  struct hy_message *messages;
  int *line;  /* in place, by part: which of the borrowed ones; -1: none */
  bool *came; /* by borrowed block */
  int lines;
};

/* ------------------------------------------------------------- shares -- */

static void share_runs(const struct hy_axis *axis, int part, const struct hy_axis *other,
                       struct share *share) {
  int64_t held = hy_held(axis, part);
  struct run last = {.part = -1};
  share->run_count = 0;
  for (int to = 0; to < other->parts; to++) share->count[to] = 0;
  for (int64_t here = 0, length; here < held; here += length) {
    int64_t i = hy_axis_index(axis, part, here);
    length = hy_min(hy_axis_run(axis, i), hy_axis_run(other, i));
    int to = hy_axis_owner(other, i);
    struct run run = {to, here, hy_axis_before(other, to, i), share->count[to], length};
    share->count[to] += length;
    if (last.part == to && last.there + last.length == run.there)
      last.length += length;
    else
      share->run_count++, last = run;
    if (share->runs != NULL) share->runs[share->run_count - 1] = last;
  }
}

static hyla_status share_make(struct hy_base *base, const struct hy_axis *axis, int part,
                              const struct hy_axis *other, struct share *share) {
  TRY(hy_alloc(base, other->parts, sizeof *share->count, &share->count));
  TRY(hy_alloc(base, other->parts, sizeof *share->before, &share->before));
  share_runs(axis, part, other, share); /* how many */
  TRY(hy_alloc(base, hy_max(1, share->run_count), sizeof *share->runs, &share->runs));
  share_runs(axis, part, other, share);
  for (int to = 1; to < other->parts; to++)
    share->before[to] = share->before[to - 1] + share->count[to - 1];
  return HYLA_OK;
}

static void share_free(struct hy_base *base, struct share *share) {
  hy_free(base, &share->runs);
  hy_free(base, &share->count);
  hy_free(base, &share->before);
}

/* --------------------------------------------------------------- making -- */

hyla_status hy_twin_create(const struct hy_gemm_problem *problem, const struct hy_feed *feed,
                           struct hy_twin **twin) {
  struct hy_base *base = &problem->cube->base;
  bool rows = feed->rows;
  struct hy_twin *new = NULL;
  *twin = NULL;
  TRY(hy_alloc(base, 1, sizeof *new, &new));
  *twin = new;
  new->feed = feed;
  new->lies = rows ? &feed->operand->col : &feed->operand->row;
  new->wanted = rows ? &problem->c.row : &problem->c.col;
  new->kin = problem->kin;
  new->node = feed->node;
  new->own = hy_part_of(new->lies, new->node);
  new->in_place = feed->operand->in_place;
  new->across = hy_held_at(new->wanted, new->node);
  int part = hy_part_of(new->wanted, new->node);
  TRY(share_make(base, new->wanted, part, new->lies, &new->needs));
  return share_make(base, new->lies, new->own, new->wanted, &new->gives);
}

void hy_twin_destroy(hyla_cube *cube, struct hy_twin **twin) {
  struct hy_base *base = &cube->base;
  struct hy_twin *t = *twin;
  if (t == NULL) return;
  share_free(base, &t->needs);
  share_free(base, &t->gives);
  hy_free(base, &t->packed);
  hy_free(base, &t->pieces);
  hy_free(base, &t->ordered);
  hy_free(base, &t->messages);
  hy_free(base, &t->line);
  hy_free(base, &t->came);
  hy_free(base, twin);
}

static int64_t widest(const struct hy_twin *t) {
  int64_t width = 0;
  for (int64_t x = 0; x < t->feed->cut->panel_count; x++)
    width = hy_max(width, t->feed->cut->panels[x].width);
  return width;
}

/* Must the indices be copied together?  Not if they are all that one node has, in its
 * order, or a piece that came in theirs. */
static bool orders(const struct hy_twin *t) {
  if (t->across == 0) return false;
  int part = t->needs.runs[0].part;
  if (t->needs.count[part] < t->across) return true;
  return (t->in_place || part == t->own) && t->across < hy_held(t->lies, part);
}

static int64_t ordered_entries(const struct hy_twin *t) {
  return orders(t) ? t->across * widest(t) : 0;
}
/* Pieces travel: of what others have, and of what they want. */
static bool travels(const struct hy_twin *t) { return !t->in_place && t->lies->parts > 1; }
static int64_t piece_entries(const struct hy_twin *t) {
  return travels(t) ? (t->across - t->needs.count[t->own]) * widest(t) : 0;
}
static int64_t packed_entries(const struct hy_twin *t) {
  return travels(t) ? t->feed->across * widest(t) : 0;
}

/* How many parts have something in common. */
static int64_t meets(const struct share *share, int parts) {
  int64_t count = 0;
  for (int part = 0; part < parts; part++) count += share->count[part] > 0;
  return count;
}

/* One message from this node to each of its column (row) but itself, for each column; and
 * one for each piece, or in place block, that comes. */
static int64_t message_count(const struct hy_twin *t) {
  int64_t sent = meets(&t->gives, t->wanted->parts) * (t->lies->parts - 1);
  return sent + (t->in_place ? t->lines * t->feed->cut->axis[0]->parts : t->lies->parts);
}

hyla_status hy_twin_take(struct hy_twin *t, const struct hy_gemm_factor *factor) {
  struct hy_base *base = &factor->matrix->cube->base;
  size_t size = factor->matrix->k->size;
  t->factor = factor;
  TRY(hy_alloc_data(base, packed_entries(t), size, &t->packed));
  TRY(hy_alloc_data(base, piece_entries(t), size, &t->pieces));
  TRY(hy_alloc_data(base, ordered_entries(t), size, &t->ordered));
  if (t->lies->parts == 1) return HYLA_OK;
  TRY(hy_alloc(base, t->lies->parts, sizeof *t->line, &t->line));
  for (int part = 0; part < t->lies->parts; part++)
    t->line[part] = part != t->own && t->needs.count[part] > 0 ? t->lines++ : -1;
  int64_t blocks = t->lines * (int64_t)t->feed->cut->axis[0]->parts;
  TRY(hy_alloc(base, hy_max(1, blocks), sizeof *t->came, &t->came));
  return hy_alloc(base, hy_max(1, message_count(t)), sizeof *t->messages, &t->messages);
}

/* ---------------------------------------------------------------- nodes -- */

/* The node at a part of the lines, in the column of a wanted part; in that of a part of the
 * inner index. */
static int at_wanted(const struct hy_twin *t, int part, int wanted) {
  return hy_node_along(t->lies, hy_node_along(t->wanted, t->node, wanted), part);
}
static int at_owner(const struct hy_twin *t, int part, int owner) {
  return hy_node_along(t->lies, hy_node_along(t->feed->cut->axis[0], t->node, owner), part);
}

/* ------------------------------------------------------------- in place -- */

/* Of a block of an owner of the inner index so many indices of `lies` are lent. */
static int64_t lent_bytes(const struct hy_twin *t, int64_t count, int owner) {
  return count * hy_held(t->feed->cut->axis[0], owner) * (int64_t)t->factor->matrix->k->size;
}

hyla_status hy_twin_begin(struct hy_twin *t) {
  const hyla_matrix *x = t->factor->matrix;
  const struct hy_axis *inner = t->feed->cut->axis[0];
  int count = 0;
  if (!t->in_place || t->lies->parts == 1) return HYLA_OK;
  for (int part = 0; part < t->lies->parts; part++)
    for (int owner = 0; owner < inner->parts && t->line[part] >= 0; owner++) {
      t->came[count] = false;
      t->messages[count++] =
          (struct hy_message){.verb = HY_BORROW,
                              .peer = at_owner(t, part, owner),
                              .bytes = lent_bytes(t, t->needs.count[part], owner),
                              .window = x->window};
    }
  for (int part = 0; part < t->lies->parts; part++)
    for (int to = 0; to < t->wanted->parts; to++)
      if (part != t->own && t->gives.count[to] > 0)
        t->messages[count++] = (struct hy_message){
            .verb = HY_LEND,
            .peer = at_wanted(t, part, to),
            .bytes = lent_bytes(t, t->gives.count[to], hy_part_of(inner, t->node)),
            .data = x->local,
            .window = x->window};
  return hy_link_start(x->cube, t->messages, count);
}

static hyla_status wait_for(struct hy_twin *t, int64_t block) {
  if (t->came[block]) return HYLA_OK;
  t->came[block] = true;
  return hy_link_wait(t->factor->matrix->cube, &t->messages[block], 1);
}

hyla_status hy_twin_end(struct hy_twin *t) {
  hyla_cube *cube = t->factor->matrix->cube;
  if (!t->in_place || t->lies->parts == 1) return HYLA_OK;
  int blocks = t->lines * t->feed->cut->axis[0]->parts;
  for (int block = 0; block < blocks; block++) TRY(wait_for(t, block));
  TRY(hy_link_return(cube, t->messages, blocks));
  return hy_link_wait(cube, t->messages + blocks, (int)message_count(t) - blocks);
}

/* Entry (0, 0) of a panel in the block that a part lends. */
static hyla_status lent_panel(struct hy_twin *t, const struct hy_cut_piece *first, int part,
                              struct hy_panel *out) {
  const hyla_matrix *x = t->factor->matrix;
  const struct hy_feed *feed = t->feed;
  int owner = first->part[0];
  int64_t block = (int64_t)t->line[part] * feed->cut->axis[0]->parts + owner;
  bool turned = t->factor->op != HYLA_NONE;
  TRY(wait_for(t, block));
  const struct hy_panel all = {t->messages[block].seen,
                               hy_matrix_peer_ld(x, feed->rows != turned ? owner : part),
                               t->factor->op};
  *out =
      hy_panel_at(&all, feed->rows ? first->at[0] : 0, feed->rows ? 0 : first->at[0], x->k->size);
  return HYLA_OK;
}

/* ----------------------------------------------------------- by messages -- */

static hyla_operation turned(const struct hy_twin *t, hyla_operation op) {
  return op == HYLA_NONE ? t->kin : HYLA_NONE;
}

/* Copies `length` rows (columns) of a panel, from one on, to columns without gaps: of short
 * products those of columns are the faster. */
static void copy_lines(const struct hy_twin *t, const struct hy_panel *from, int64_t at,
                       int64_t length, int64_t width, char *into) {
  const struct hy_kernels *k = t->factor->matrix->k;
  bool rows = t->feed->rows;
  const struct hy_panel first = hy_panel_at(from, rows ? 0 : at, rows ? at : 0, k->size);
  k->copy(rows ? first.op : turned(t, first.op), (int)width, (int)length, 1, first.data,
          (int)first.ld, into, (int)width);
}

/* What stands in such columns, as a panel of the factor that leads. */
static struct hy_panel in_columns(const struct hy_twin *t, const char *data, int64_t width) {
  return (struct hy_panel){data, width, t->feed->rows ? HYLA_NONE : t->kin};
}

/* The pieces that wanted parts have of this node's panel, one after the other. */
static void pack(const struct hy_twin *t, const struct hy_panel *panel, int64_t width) {
  for (int64_t x = 0; x < t->gives.run_count; x++) {
    const struct run *run = &t->gives.runs[x];
    int64_t entries = (t->gives.before[run->part] + run->packed) * width;
    copy_lines(t, panel, run->here, run->length, width,
               t->packed + entries * (int64_t)t->factor->matrix->k->size);
  }
}

/* Where the piece of another part stands, among those without the own one. */
static char *piece_of(const struct hy_twin *t, int part, int64_t width) {
  int64_t own = part > t->own ? t->needs.count[t->own] : 0;
  return t->pieces + (t->needs.before[part] - own) * width * (int64_t)t->factor->matrix->k->size;
}

/* Sends the pieces if the panel is this node's; receives those that it wants. */
static hyla_status exchange(struct hy_twin *t, int owner, const struct hy_panel *panel,
                            int64_t width) {
  hyla_cube *cube = t->factor->matrix->cube;
  int64_t bytes = width * (int64_t)t->factor->matrix->k->size;
  bool sends = owner == hy_part_of(t->feed->cut->axis[0], t->node);
  int count = 0;
  if (sends) pack(t, panel, width);
  if (sends) hy_count_copied(cube, t->feed->across * width);
  for (int part = 0; part < t->lies->parts; part++) {
    if (part == t->own) continue;
    if (t->needs.count[part] > 0)
      t->messages[count++] = (struct hy_message){.verb = HY_RECV,
                                                 .peer = at_owner(t, part, owner),
                                                 .bytes = t->needs.count[part] * bytes,
                                                 .data = piece_of(t, part, width)};
    for (int to = 0; to < t->wanted->parts && sends; to++)
      if (t->gives.count[to] > 0)
        t->messages[count++] = (struct hy_message){.verb = HY_SEND,
                                                   .peer = at_wanted(t, part, to),
                                                   .bytes = t->gives.count[to] * bytes,
                                                   .data = t->packed + t->gives.before[to] * bytes};
  }
  return hy_link_step(cube, t->messages, count);
}

/* ---------------------------------------------------------------- panels -- */

/* What a part has of the panel; *at: where a run of the node's indices stands there. */
static hyla_status source_of(struct hy_twin *t, const struct hy_cut_panel *panel,
                             const struct hy_panel *lead, const struct run *run,
                             struct hy_panel *from, int64_t *at) {
  int part = run->part;
  *from = *lead;
  *at = run->there;
  if (part == t->own) return HYLA_OK;
  if (t->in_place) return lent_panel(t, &t->feed->cut->pieces[panel->first], part, from);
  *from = in_columns(t, piece_of(t, part, panel->width), panel->width);
  *at = run->packed;
  return HYLA_OK;
}

hyla_status hy_twin_panel(struct hy_twin *t, const struct hy_cut_panel *panel,
                          const struct hy_panel *lead, struct hy_panel *out) {
  int owner = hy_cut_owner(t->feed->cut, panel, 0);
  int64_t at;
  if (travels(t)) TRY(exchange(t, owner, lead, panel->width));
  *out = in_columns(t, t->ordered, panel->width);
  if (orders(t)) hy_count_copied(t->factor->matrix->cube, t->across * panel->width);
  if (t->across > 0 && !orders(t)) TRY(source_of(t, panel, lead, &t->needs.runs[0], out, &at));
  for (int64_t x = 0; x < t->needs.run_count && orders(t); x++) {
    const struct run *run = &t->needs.runs[x];
    struct hy_panel from;
    TRY(source_of(t, panel, lead, run, &from, &at));
    copy_lines(t, &from, at, run->length, panel->width,
               t->ordered + run->here * panel->width * (int64_t)t->factor->matrix->k->size);
  }
  out->op = turned(t, out->op);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ cost -- */

/* Of a block or panel so many numbers wide what the node sends, and if it does; others may
 * have something for it. */
static void pieces_cost(const struct hy_twin *t, int64_t width, bool receives, hyla_cost *cost) {
  int64_t others = t->lies->parts - 1, words = others * width * t->feed->across;
  bool wants = t->needs.count[t->own] < t->across;
  cost->steps += words > 0 || (receives && wants);
  cost->messages += words > 0 ? others * meets(&t->gives, t->wanted->parts) : 0;
  cost->words += words;
  if (t->in_place) cost->lent += words;
}

void hy_twin_cost(const struct hy_twin *t, size_t size, hyla_cost *cost) {
  const struct hy_cut *cut = t->feed->cut;
  const struct hy_axis *inner = cut->axis[0];
  int own = hy_part_of(inner, t->node);
  if (t->in_place) pieces_cost(t, hy_held(inner, own), inner->n > 0, cost);
  for (int64_t x = 0; x < cut->panel_count && travels(t); x++) {
    bool sends = hy_cut_owner(cut, &cut->panels[x], 0) == own;
    pieces_cost(t, sends ? cut->panels[x].width : 0, true, cost);
  }
  if (travels(t)) cost->copied += t->feed->across * hy_held(inner, own);
  if (orders(t)) cost->copied += t->across * inner->n;
  cost->memory += (packed_entries(t) + piece_entries(t) + ordered_entries(t)) * (int64_t)size;
}
