/* Transposing a matrix that is 0 but for some dense columns and some dense rows, stored by columns
 * (or by rows) over all nodes.
 *
 * Reference: Varvarigos 1992, 3.1: a partial exchange and a partial gather (3.7).
 * Layout: source and target by columns, or both by rows, with column i of both on one node; any
 *   code, storage and size.
 * Method, by columns: a node with dense columns has entries for all nodes, and all nodes have
 *   entries for a node that gets dense rows as columns.  So the columns go by a partial exchange
 *   among the nodes that hold some, and the rows by a partial gather among those that get some,
 *   each by its variant of the fewest steps.  By rows the two change places.
 * Example: 4 nodes with a column each, column 1 and row 2 dense: node 1 sends an entry of its
 *   column to each node; then each node sends its entry of row 2 to node 2.
 * Steps, words: the sum of both, with messages as long as the longest.
 * Memory: a message for every node, and that of both collectives.
 * Restriction: a cube; it relies on the caller's word that all other entries are 0. */
#include "collective/collective.h"
#include "redistribute/redistribute.h"

#include <string.h>

/* One of the two collectives.  A dense line is a column, by rows a row; across it lie the others.
 *   out  a message holds, for each dense line of its source, the entries across it of the target's
 *        lines; otherwise, for each dense line of its target, those of the source's lines */
struct part {
  struct hy_subcube_op op;
  const int64_t *dense; /* the numbers of dense lines */
  int64_t count;
  uint8_t *active; /* the nodes that hold some, or get some */
  int64_t slot;    /* words of a message; 0: there is no dense line */
  bool out;
};

struct state {
  const struct hy_redistribution *problem;
  const struct hy_axis *lines; /* the axis that is split, the same of source and target */
  bool by_rows;
  struct part part[2];
  int64_t *of; /* a node's dense lines, one after the other; room for all */
  char *data;  /* a message for every node */
};

/* ------------------------------------------------------------------ rules -- */

static bool is_split(const hyla_matrix *a, bool by_rows) {
  const struct hy_axis *split = by_rows ? &a->row : &a->col;
  const struct hy_axis *whole = by_rows ? &a->col : &a->row;
  return split->parts == a->cube->nodes && whole->parts == 1 && a->unused_dims == 0;
}

static const char *applies(const void *given) {
  const struct hy_redistribution *problem = given;
  if (!problem->dense) return "the dense columns and rows are not named";
  const hyla_transfer *t = &problem->transfers[0];
  if (t->op == HYLA_NONE) return "it transposes";
  for (int by_rows = 0; by_rows < 2; by_rows++)
    if (is_split(t->from, by_rows) && is_split(t->to, by_rows) &&
        hy_axis_equal(by_rows ? &t->from->row : &t->from->col, by_rows ? &t->to->row : &t->to->col))
      return NULL;
  return "it needs both matrices by columns over all nodes, or both by rows, and alike";
}

/* ------------------------------------------------------------------ lines -- */

static int64_t held(const struct state *s, int node) { return hy_held_at(s->lines, node); }
static int64_t index_of(const struct state *s, int node, int64_t l) {
  return hy_axis_index(s->lines, hy_part_of(s->lines, node), l);
}
static bool holds(const struct state *s, int node, int64_t line) {
  return hy_axis_owner(s->lines, line) == hy_part_of(s->lines, node);
}
/* Lists a node's dense lines of a part in s->of; returns their number. */
static int64_t list(const struct state *s, const struct part *p, int node) {
  int64_t count = 0;
  for (int64_t i = 0; i < p->count; i++)
    if (holds(s, node, p->dense[i])) s->of[count++] = p->dense[i];
  return count;
}

/* The entry of this node's line, by its local number, at a place across it. */
static char *entry(const struct state *s, const hyla_matrix *m, int64_t l, int64_t across) {
  return s->by_rows ? hy_at(m, l, across) : hy_at(m, across, l);
}
static int64_t local_of(const struct state *s, int node, int64_t line) {
  return hy_axis_before(s->lines, hy_part_of(s->lines, node), line);
}

/* --------------------------------------------------------------- messages -- */

/* A message between this node and a peer, or what this node has for itself: dense lines x other
 * lines, the latter contiguous.  sends: it leaves this node. */
struct message {
  int holder, other; /* of the dense lines in source or target, and of the others */
  int64_t dense, lines;
};
static struct message message_of(const struct state *s, const struct part *p, int peer,
                                 bool sends) {
  const int me = s->problem->cube->address;
  const bool mine = p->out == sends; /* does this node hold the dense lines? */
  struct message m = {.holder = mine ? me : peer, .other = mine ? peer : me};
  m.dense = p->active[m.holder] != 0 ? list(s, p, m.holder) : 0;
  m.lines = held(s, m.other);
  return m;
}

static char *word(const struct state *s, int peer, const struct part *p, int64_t i) {
  return s->data + (peer * p->slot + i) * (int64_t)s->problem->k->size;
}

/* Packs the message for a peer; returns its length. */
static int64_t pack(const struct state *s, const struct part *p, int peer, bool counts) {
  const hyla_matrix *from = s->problem->transfers[0].from;
  const struct message m = message_of(s, p, peer, true);
  for (int64_t i = 0; i < m.dense && !counts; i++)
    for (int64_t l = 0; l < m.lines; l++) {
      const char *at = p->out
                           ? entry(s, from, local_of(s, m.holder, s->of[i]), index_of(s, peer, l))
                           : entry(s, from, l, s->of[i]);
      memcpy(word(s, peer, p, i * m.lines + l), at, from->k->size);
    }
  return m.dense * m.lines;
}

/* Takes the message from a peer. */
static int64_t unpack(const struct state *s, const struct part *p, int peer, bool counts) {
  const hyla_transfer *t = &s->problem->transfers[0];
  const struct message m = message_of(s, p, peer, false);
  for (int64_t i = 0; i < m.dense && !counts; i++)
    for (int64_t l = 0; l < m.lines; l++) {
      char *at = p->out ? entry(s, t->to, l, s->of[i])
                        : entry(s, t->to, local_of(s, m.holder, s->of[i]), index_of(s, peer, l));
      t->to->k->copy(t->op, 1, 1, t->alpha, word(s, peer, p, i * m.lines + l), 1, at, 1);
    }
  return m.dense * m.lines;
}

/* ------------------------------------------------------------------- plan -- */

/* The steps of all nodes; 0 on guests. */
static int64_t steps_of(const struct hy_subcube_op *op) {
  return op->schedule_count > 0 ? op->schedules[0].steps : 0;
}

/* Plans the collective by links that are matched, which takes few active nodes, if that has fewer
 * steps than the total exchange has. */
static hyla_status plan_part(struct state *s, struct part *p, const struct hy_collective *what,
                             int64_t active) {
  static const char *const names[] = {"v92", "matched"};
  hyla_cube *cube = s->problem->cube;
  const int rows = active == 1 || 2 * active <= cube->nodes ? 2 : 1;
  int64_t steps[2] = {0, INT64_MAX};
  for (int i = 0; i < rows && rows > 1; i++) {
    struct hy_subcube_op op;
    hyla_status status = hy_subcube_plan(NULL, cube, what, names[i], &op);
    steps[i] = steps_of(&op);
    hy_subcube_free(&op);
    TRY(status);
  }
  return hy_subcube_plan(s, cube, what, names[steps[1] < steps[0]], &p->op);
}

static hyla_status prepare(struct state *s, struct part *p, bool out, const int64_t *dense,
                           int64_t count) {
  hyla_cube *cube = s->problem->cube;
  int64_t most = 0, lines = 0, active = 0;
  *p = (struct part){.out = out, .dense = dense, .count = count};
  TRY(hy_alloc_for(&cube->base, s, cube->nodes, 1, &p->active));
  for (int node = 0; node < cube->nodes; node++) {
    const int64_t found = list(s, p, node);
    p->active[node] = found > 0;
    active += found > 0;
    most = hy_max(most, found);
    lines = hy_max(lines, held(s, node));
  }
  p->slot = most * lines;
  if (p->slot == 0) return HYLA_OK;
  const struct hy_collective what = {.task =
                                         out ? HY_TASK_PARTIAL_EXCHANGE : HY_TASK_PARTIAL_GATHER,
                                     .dims = cube->dims,
                                     .within = hy_all_dims(cube),
                                     .size = s->problem->k->size,
                                     .active = p->active,
                                     .blocks = {.words = p->slot}};
  return plan_part(s, p, &what, active);
}

static hyla_status make(struct state *s) {
  const struct hy_redistribution *problem = s->problem;
  const hyla_matrix *from = problem->transfers[0].from;
  const bool by_rows = !is_split(from, false);
  s->by_rows = by_rows;
  s->lines = by_rows ? &from->row : &from->col;
  TRY(hy_alloc_for(&problem->cube->base, s, hy_max(problem->columns, problem->rows), sizeof *s->of,
                   &s->of));
  TRY(prepare(s, &s->part[by_rows], !by_rows, problem->column, problem->columns));
  return prepare(s, &s->part[!by_rows], by_rows, problem->row, problem->rows);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_redistribution *problem = given;
  struct state *s = NULL;
  (void)variant;
  hyla_status status = hy_alloc(&problem->cube->base, 1, sizeof *s, &s);
  *state = s;
  if (status == HYLA_OK) {
    s->problem = problem;
    status = make(s);
  }
  return hy_agree(problem->cube, status);
}

static int64_t room(const struct state *s) {
  return hy_max(s->part[0].slot, s->part[1].slot) * s->problem->cube->nodes;
}

static hyla_cost cost(const void *state) {
  const struct state *s = state;
  const hyla_cube *cube = s->problem->cube;
  hyla_cost cost = {0};
  if (cube->address < 0) return cost;
  for (int i = 0; i < 2; i++) {
    const struct part *p = &s->part[i];
    if (p->slot == 0) continue;
    const hyla_cost one = hy_subcube_cost_mine(&p->op);
    cost.steps += one.steps;
    cost.messages += one.messages;
    cost.words += one.words;
    cost.memory += one.memory;
    cost.copied += one.copied;
    for (int peer = 0; peer < cube->nodes; peer++)
      cost.copied += pack(s, p, peer, true) + unpack(s, p, peer, true);
  }
  cost.memory += room(s) * (int64_t)s->problem->k->size;
  return cost;
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  hyla_cube *cube = s->problem->cube;
  if (cube->address < 0) return HYLA_OK;
  for (int i = 0; i < 2; i++)
    if (s->part[i].slot > 0) TRY(hy_subcube_allocate(&s->part[i].op));
  return hy_alloc_data_for(&cube->base, s, room(s), s->problem->k->size, &s->data);
}

static hyla_status run(void *state) {
  const struct state *s = state;
  const hyla_matrix *to = s->problem->transfers[0].to;
  const hyla_cube *cube = s->problem->cube;
  const bool dry = to->k->dry;
  if (cube->address < 0) return HYLA_OK;
  for (int64_t m = 0; m < to->local_cols && !dry && to->local_rows > 0; m++)
    memset(hy_at(to, 0, m), 0, (size_t)to->local_rows * to->k->size);
  for (int i = 0; i < 2; i++) {
    const struct part *p = &s->part[i];
    if (p->slot == 0) continue;
    for (int peer = 0; peer < cube->nodes; peer++) (void)pack(s, p, peer, dry);
    TRY(hy_subcube_run(&p->op, s->data));
    for (int peer = 0; peer < cube->nodes; peer++) (void)unpack(s, p, peer, dry);
  }
  return HYLA_OK;
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  for (int i = 0; i < 2; i++) {
    const struct part *p = &s->part[i];
    if (p->slot > 0)
      hy_subcube_explain(&p->op, p->out ? "dense lines to all nodes" : "dense lines from all nodes",
                         text);
  }
}

const struct hy_variant hy_transpose_dense = {
    .name = "transpose-dense",
    .reference = "varvarigos-1992, section 3.1",
    .applies = applies,
    HY_OPERATIONS,
    .cost = cost,
};
