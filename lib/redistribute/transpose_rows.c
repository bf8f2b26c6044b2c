/* Redistributions by a total exchange, between a matrix whose rows are split over all nodes and one
 * whose columns are.  Transposing a matrix that is stored by rows is such a move, and so is a
 * quarter turn of it.
 *
 *   variant              exchange (lib/collective)
 *   transpose-rows       exchange.c, sw90-sym: d steps, all links carry the same
 *   transpose-pipelined  exchange_pipelined.c: one dimension after the other, by packets
 *   transpose-band       exchange_banded.c: only between columns of one band
 * References: Stout and Wagar 1990, MATRIX TRANSPOSITION by rows or columns; Johnsson
 * 1987, corollary 3.5; Varvarigos 1992, 2.5, theorem 6 of chapter 2.
 * Layout: op(source) is split over all nodes on one axis, the target on the other; any code,
 * storage and size.  transpose-band needs both in the Binary-Gray code whose 2^b parts reach as far
 * as the band, and relies on the caller's word that all other entries are 0.
 * Method: a node cuts its rows into one piece for each other node, transposed, and copies each
 * arriving piece to its place.  Messages travel in slots of the longest message's length; only the
 * filled part of a slot is sent.
 * Memory: the slots for all nodes, and the packets of a step. */
#include "redistribute/direct.h"
#include "redistribute/whole_block.h"

#include <string.h>

struct state {
  struct hy_whole_block whole; /* its buffer: the slots for all nodes */
  struct hy_exchange_list list;
  const struct hy_axis *split; /* the source's axis that is split */
  int b;                       /* only parts at most 2^b apart exchange entries; -1: all parts */
  int64_t slot;                /* words of a slot */
};

static bool is_split(const struct hy_operand *x, bool by_rows, int nodes) {
  const struct hy_axis *split = by_rows ? &x->row : &x->col;
  const struct hy_axis *whole = by_rows ? &x->col : &x->row;
  return split->parts == nodes && whole->parts == 1;
}

static const char *applies(const void *given) {
  const struct hy_redistribution *problem = given;
  if (problem->count != 1) return "it moves one matrix at a time";
  if (hy_redistribution_cuts(problem)) return "it moves whole matrices";
  const hyla_transfer *t = &problem->transfers[0];
  int nodes = problem->cube->nodes;
  struct hy_operand from = hy_operand_of(t->from, t->op), to = hy_operand_of(t->to, HYLA_NONE);
  for (int by_rows = 0; by_rows < 2; by_rows++)
    if (is_split(&from, by_rows, nodes) && is_split(&to, !by_rows, nodes)) return NULL;
  return "it needs the rows of one matrix and the columns of the other on all nodes";
}

static const char *applies_to_band(const void *given) {
  const struct hy_redistribution *problem = given;
  if (!problem->banded) return "the matrix is not said to be banded";
  const char *reason = applies(problem);
  if (reason != NULL) return reason;
  const hyla_transfer *t = &problem->transfers[0];
  int dims = problem->cube->dims;
  struct hy_operand from = hy_operand_of(t->from, t->op), to = hy_operand_of(t->to, HYLA_NONE);
  bool by_rows = is_split(&from, true, 1 << dims) && is_split(&to, false, 1 << dims);
  const struct hy_axis *source = by_rows ? &from.row : &from.col;
  const struct hy_axis *target = by_rows ? &to.col : &to.row;
  if (!hy_axis_equal(source, target)) return "it needs row i and column i on one node";
  return hy_band_exponent(source, dims, problem->width) < 0
             ? "it needs binary-gray:b code, b binary bits on the highest dimensions, and a band "
               "that reaches no farther than 2^b parts"
             : NULL;
}

static hyla_status prepare(void *state, const struct hy_whole_block_traits *traits) {
  struct state *s = state;
  struct hy_whole_block *whole = &s->whole;
  hyla_cube *cube = whole->problem->cube;
  s->list = hy_exchange_list_of(&whole->problem->transfers[0]);
  TRY(hy_exchange_list_create(&cube->base, s, &s->list));
  const struct hy_operand *from = &s->list.from, *to = &s->list.to;
  bool by_rows = is_split(from, true, cube->nodes) && is_split(to, false, cube->nodes);
  s->split = by_rows ? &from->row : &from->col;
  s->b = traits->banded ? hy_band_exponent(s->split, cube->dims, whole->problem->width) : -1;
  int64_t longest = 0, widest = 0;
  for (int node = 0; node < cube->nodes; node++) {
    whole->sources[node] = hy_held_at(s->split, node);
    whole->targets[node] = hy_held_at(by_rows ? &to->col : &to->row, node);
    longest = hy_max(longest, whole->sources[node]);
    widest = hy_max(widest, whole->targets[node]);
  }
  s->slot = longest * widest;
  whole->room = s->slot * cube->nodes;
  whole->tiles = hy_copy_scratch(whole->problem->transfers[0].op);
  const struct hy_collective exchange = {
      .task = HY_TASK_EXCHANGE,
      .band = s->b + 1,
      .blocks = {.words = s->slot, .sources = whole->sources, .targets = whole->targets}};
  return hy_whole_block_plan(whole, exchange, traits);
}

static hyla_cost cost(const void *state) {
  const struct state *s = state;
  hyla_cost cost = hy_whole_block_cost(&s->whole);
  for (int peer = 0; peer < s->whole.problem->cube->nodes && s->whole.problem->cube->address >= 0;
       peer++)
    cost.copied += hy_exchange_list_out(&s->list, peer) + hy_exchange_list_in(&s->list, peer);
  return cost;
}

static char *slot_of(const struct state *s, int peer) {
  return s->whole.data + (size_t)peer * (size_t)s->slot * s->list.size;
}

/* Do this node and the peer exchange entries? */
static bool meets(const struct state *s, int peer) {
  return s->b < 0 || hy_band_between(s->split, s->b, s->list.node, peer);
}

static hyla_status run(void *state) {
  const struct state *s = state;
  const hyla_transfer *t = &s->whole.problem->transfers[0];
  const hyla_matrix *to = t->to;
  hyla_cube *cube = s->whole.problem->cube;
  if (cube->address < 0) return HYLA_OK;
  for (int peer = 0; peer < cube->nodes; peer++)
    if (meets(s, peer) && hy_exchange_list_out(&s->list, peer) > 0)
      hy_exchange_list_pack(&s->list, t, peer, s->whole.scratch, slot_of(s, peer));
  TRY(hy_subcube_run(&s->whole.op, s->whole.data));
  /* Entries outside the band do not arrive; they are 0. */
  for (int64_t m = 0; m < to->local_cols && s->b >= 0 && !to->k->dry; m++)
    memset(hy_at(to, 0, m), 0, (size_t)to->local_rows * to->k->size);
  for (int peer = 0; peer < cube->nodes; peer++)
    if (meets(s, peer) && hy_exchange_list_in(&s->list, peer) > 0)
      hy_exchange_list_unpack(&s->list, t, peer, slot_of(s, peer));
  return HYLA_OK;
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  if (s->b < 0)
    hy_text_add(text, "  every node has a message for every other, of %lld entries at most\n",
                (long long)s->slot);
  else
    hy_text_add(text,
                "  a band of width %lld: parts at most %lld apart have messages for each other, of "
                "%lld entries at most\n",
                (long long)s->whole.problem->width, 1LL << s->b, (long long)s->slot);
}

/* The common members, with the collective whose name is given. */
#define ROWS_BY(collective, banded)                                                                \
  .traits = &(const struct hy_whole_block_traits){collective, false, banded, sizeof(struct state), \
                                                  prepare},                                        \
  .create = hy_whole_block_create, .cost = cost, .allocate = hy_whole_block_allocate, .run = run,  \
  .explain = explain

const struct hy_variant hy_transpose_rows = {
    .name = "transpose-rows",
    .reference = "stout-wagar-1990, section 7.1",
    .applies = applies,
    ROWS_BY("sw90-sym", false),
};

const struct hy_variant hy_transpose_pipelined = {
    .name = "transpose-pipelined",
    .reference = "johnsson-1987, corollary 3.5",
    .applies = applies,
    ROWS_BY("pipelined", false),
};

const struct hy_variant hy_transpose_band = {
    .name = "transpose-band",
    .reference = "varvarigos-1992, chapter 2, theorem 6",
    .applies = applies_to_band,
    ROWS_BY("v92-band", true),
};
