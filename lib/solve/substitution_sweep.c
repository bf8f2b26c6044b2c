/* Substitution as a sweep over the rank columns.
 *
 * The column sweep of Johnsson 1987, 6.4.1: the sums of what rank columns contribute travel from
 * one rank column to the next, from p_k's member of q_k on to that of q_k+1, while block k of the
 * solution is broadcast along q_k.  So the next block is solved for two messages later, on cubes of
 * any size.  C steps, one on each rank column, are a round.  What travels is the sums for the rest
 * of the round's own blocks, and behind these the sums for the next round's, which gather what all
 * rank columns have kept for them in place; other sums stay where they are.
 *
 * Right-hand sides go in groups, one behind the other.  Before the first round the right-hand sides
 * of its blocks come to the first rank column.
 *
 * Steps a block: 2; a block's part of C / R rows x right-hand sides each.  At the end one reduction
 * over the rank row for each rank column's share, as for few right-hand sides. */
#include "solve/substitution.h"

#include <string.h>

enum { NOW, LATER }; /* sums for this round and for the next one, as the receiver sees it */

struct sweep {
  const struct hy_substitution *s;
  const struct hy_kernels *k;
  struct hyla_matrix sums;
  int64_t nrhs, width; /* all, of a group */
  int64_t groups;
  int64_t steps, round; /* all, in a round: one for each rank column */
  int64_t place;        /* this rank column's in a round */
  int64_t most;         /* rows of a message */
  int64_t step;         /* at hand */
  int64_t panel;        /* of those that were received, the last */
};

/* ------------------------------------------------------- rows and places -- */

/* The right-hand sides of a group. */
static int64_t first_in(const struct sweep *f, int64_t group) { return group * f->width; }
static int columns_in(const struct sweep *f, int64_t group) {
  return (int)hy_min(f->width, f->nrhs - group * f->width);
}

/* Local rows that steps from `from` to before `to` solve for, in a part of the rows. */
static struct hy_row_range rows_at(const struct sweep *f, int part, int64_t from, int64_t to) {
  const struct hy_block_cyclic *array = &f->s->array;
  from = hy_min(from, f->steps);
  to = hy_min(hy_max(from, to), f->steps);
  int64_t begin = hy_substitution_lower(f->s) ? from : f->steps - to, end = begin + to - from;
  begin = hy_min(array->row.n, begin * array->block);
  end = hy_min(array->row.n, end * array->block);
  int64_t first = hy_axis_before(&array->row, part, begin);
  int64_t last = hy_axis_before(&array->row, part, end);
  return (struct hy_row_range){first, last - first};
}

/* Here. */
static struct hy_row_range rows_of(const struct sweep *f, int64_t from, int64_t to) {
  return rows_at(f, f->s->array.row_part, from, to);
}

/* Where a round begins that comes `rounds` after that of a step. */
static int64_t round_after(const struct sweep *f, int64_t step, int64_t rounds) {
  return (step / f->round + rounds) * f->round;
}

/* The rows of a message for a step, from the step before. */
static struct hy_row_range rows_for(const struct sweep *f, int64_t step, int kind) {
  if (kind == NOW) return rows_of(f, step, round_after(f, step, 1));
  if (step % f->round == 0) return (struct hy_row_range){0, 0}; /* begins in place */
  return rows_of(f, round_after(f, step, 1), round_after(f, step, 2));
}

/* The rank column at a place of the round: that of its step in the first one. */
static int part_at(const struct sweep *f, int64_t place) {
  const struct hy_axis *col = &f->s->array.col;
  if (hy_substitution_lower(f->s)) return (int)place;
  int first = hy_axis_owner(col, (f->steps - 1) * f->s->array.block);
  return (int)((first - place + f->round) % f->round);
}

/* This rank row's member at a place before or after this one. */
static int neighbour(const struct sweep *f, int64_t by) {
  const struct hy_block_cyclic *array = &f->s->array;
  int part = part_at(f, (f->place + by + f->round) % f->round);
  return (int)(hy_axis_address(&array->row.code, (uint32_t)array->row_part) |
               hy_axis_address(&array->col.code, (uint32_t)part));
}

/* -------------------------------------------------------------- messages -- */

/* Of a kind and group: on its way in (0) or out (1), and its room. */
static struct hy_message *message(const struct sweep *f, int out, int kind, int64_t group) {
  return &f->s->messages[(out * 2 + kind) * f->groups + group];
}
static char *room(const struct sweep *f, int out, int kind, int64_t group) {
  int64_t words = f->most * ((out * 2 + kind) * f->nrhs + first_in(f, group));
  return f->s->travels + (size_t)words * f->k->size;
}

static hyla_status start(const struct sweep *f, int out, int kind, int64_t group, int64_t rows) {
  struct hy_message *m = message(f, out, kind, group);
  *m = (struct hy_message){.verb = out ? HY_SEND : HY_RECV,
                           .peer = neighbour(f, out ? 1 : -1),
                           .bytes = rows * columns_in(f, group) * (int64_t)f->k->size,
                           .data = room(f, out, kind, group)};
  return hy_link_start(f->s->cube, m, 1);
}

/* Gets ready for what comes before a step, in the order in which it is sent; early, so that nobody
 * waits for room. */
static hyla_status expect(const struct sweep *f, int64_t step) {
  if (f->round == 1 || step >= f->steps) return HYLA_OK;
  for (int kind = NOW; kind <= LATER; kind++) {
    int64_t rows = rows_for(f, step, kind).count;
    for (int64_t group = 0; group < f->groups && rows > 0; group++)
      TRY(start(f, 0, kind, group, rows));
  }
  return HYLA_OK;
}

/* Sums that came replace those here, or are added to them. */
static hyla_status take(const struct sweep *f, const struct hy_row_range *rows, int kind,
                        int64_t group, bool adds) {
  if (f->round == 1 || rows->count == 0) return HYLA_OK;
  int columns = columns_in(f, group), count = (int)rows->count;
  char *here = hy_at(&f->sums, rows->first, first_in(f, group));
  const char *came = room(f, 0, kind, group);
  TRY(hy_link_wait(f->s->cube, message(f, 0, kind, group), 1));
  if (!adds) {
    f->k->copy(HYLA_NONE, count, columns, 1, came, count, here, (int)f->sums.ld);
    hy_count_copied(f->s->cube, rows->count * columns);
    return HYLA_OK;
  }
  hy_compute(f->s->cube, rows->count * columns, f->k->size, f->k->complex_type);
  f->k->combine(HYLA_NONE, count, columns, 1, came, count, 1, here, (int)f->sums.ld);
  return HYLA_OK;
}

/* waits: the room is still that of the message a round ago. */
static hyla_status send(const struct sweep *f, const struct hy_row_range *rows, int kind,
                        int64_t group) {
  if (f->round == 1 || rows->count == 0) return HYLA_OK;
  int columns = columns_in(f, group), count = (int)rows->count;
  TRY(hy_link_wait(f->s->cube, message(f, 1, kind, group), message(f, 1, kind, group)->bytes > 0));
  f->k->copy(HYLA_NONE, count, columns, 1, hy_at(&f->sums, rows->first, first_in(f, group)),
             (int)f->sums.ld, room(f, 1, kind, group), count);
  hy_count_copied(f->s->cube, rows->count * columns);
  return start(f, 1, kind, group, rows->count);
}

static hyla_status send_for(const struct sweep *f, int64_t step, int kind, int64_t group) {
  struct hy_row_range rows = rows_for(f, step, kind);
  return step < f->steps ? send(f, &rows, kind, group) : HYLA_OK;
}

/* ---------------------------------------------------------------- blocks -- */

static char *block_at(const struct sweep *f, const struct hy_diagonal_block *at, int64_t group) {
  return f->s->blocks + (size_t)(at->width * first_in(f, group)) * f->k->size;
}

/* Sums of the rows that some steps solve for := themselves, less what a block contributes. */
static void subtract(const struct sweep *f, const struct hy_diagonal_block *at, int64_t from,
                     int64_t to, int64_t first, int columns) {
  const struct hy_substitution *s = f->s;
  struct hy_row_range rows = rows_of(f, from, to);
  if (rows.count == 0 || columns == 0) return;
  f->k->gemm(s->op, HYLA_NONE, (int)rows.count, columns, at->width, -1,
             hy_substitution_at(s, rows.first, at->column), (int)s->t->ld,
             s->blocks + (size_t)(at->width * first) * f->k->size, at->width, 1,
             hy_at(&f->sums, rows.first, first), (int)f->sums.ld);
  hy_compute(s->cube, 2 * rows.count * at->width * columns, f->k->size, f->k->complex_type);
}

/* Has a rank of this rank column rows that are still to be solved for? */
static bool wants(const void *arg, int node) {
  const struct sweep *f = arg;
  if (f->step + f->round < f->steps) return true; /* nearly all have */
  return rows_at(f, hy_part_of(&f->s->array.row, node), f->step + 1, f->steps).count > 0;
}

/* Does the block of the solution leave p_k, or come here?  Not the last one. */
static bool spreads(const struct sweep *f, const struct hy_diagonal_block *at) {
  return f->s->array.row.parts > 1 && f->step + 1 < f->steps &&
         hy_panels_reach(f->s->panels, hy_column_root(&f->s->array, at->index));
}

/* On p_k: solves for a group and sends it on its way along the rank column. */
static hyla_status solve_block(const struct sweep *f, const struct hy_diagonal_block *at,
                               int64_t group) {
  const struct hy_substitution *s = f->s;
  struct hy_panel_slot *slot = NULL;
  int columns = columns_in(f, group);
  char *sums = hy_at(&f->sums, at->row, first_in(f, group)), *block = block_at(f, at, group);
  int64_t words = (int64_t)at->width * columns;
  hy_solve_diagonal(s, at, hy_substitution_at(s, at->row, at->column), (int)s->t->ld, columns, sums,
                    f->sums.ld);
  f->k->copy(HYLA_NONE, at->width, columns, 1, sums, (int)f->sums.ld, block, at->width);
  hy_count_copied(s->cube, words);
  if (!spreads(f, at)) return HYLA_OK;
  TRY(hy_panels_open(s->panels, f->panel, words * (int64_t)f->k->size, &slot));
  f->k->copy(HYLA_NONE, at->width, columns, 1, block, at->width, slot->data, at->width);
  hy_count_copied(s->cube, words);
  TRY(hy_panels_lend(s->panels, slot));
  TRY(hy_panels_receive(s->panels, f->panel, &slot));
  return hy_panels_close(s->panels, slot);
}

static hyla_status receive_block(const struct sweep *f, const struct hy_diagonal_block *at,
                                 int64_t group) {
  struct hy_panel_slot *slot = NULL;
  int columns = columns_in(f, group);
  int64_t words = (int64_t)at->width * columns;
  TRY(hy_panels_expect(f->s->panels, f->panel, hy_column_root(&f->s->array, at->index),
                       words * (int64_t)f->k->size));
  TRY(hy_panels_receive(f->s->panels, f->panel, &slot));
  f->k->copy(HYLA_NONE, at->width, columns, 1, slot->seen, at->width, block_at(f, at, group),
             at->width);
  hy_count_copied(f->s->cube, words);
  return hy_panels_close(f->s->panels, slot);
}

/* A group's block is solved for; the sums of the round's other blocks go on. */
static hyla_status pass_now(struct sweep *f, const struct hy_diagonal_block *at, int64_t step,
                            int64_t group) {
  struct hy_row_range rows = rows_for(f, step, NOW);
  if (!at->top && spreads(f, at)) TRY(receive_block(f, at, group));
  if (step > 0) TRY(take(f, &rows, NOW, group, false));
  if (at->top) TRY(solve_block(f, at, group));
  f->panel++;
  subtract(f, at, step + 1, round_after(f, step, 1), first_in(f, group), columns_in(f, group));
  return f->place + 1 == f->round ? HYLA_OK : send_for(f, step + 1, NOW, group);
}

/* The sums of the next round's blocks follow; from the last place they open that round. */
static hyla_status pass_later(const struct sweep *f, const struct hy_diagonal_block *at,
                              int64_t step, int64_t group) {
  struct hy_row_range rows = rows_for(f, step, LATER);
  TRY(take(f, &rows, LATER, group, true));
  subtract(f, at, round_after(f, step, 1), round_after(f, step, 2), first_in(f, group),
           columns_in(f, group));
  return send_for(f, step + 1, f->place + 1 == f->round ? NOW : LATER, group);
}

/* Where sums come that are wanted now they go on first; else there is nothing but those for
 * later, and the first of these may be wanted soon. */
static hyla_status make_step(struct sweep *f, int64_t step) {
  struct hy_diagonal_block at = hy_diagonal_block(&f->s->array, hy_substitution_block(f->s, step));
  bool first = rows_for(f, step, NOW).count > 0;
  f->step = step;
  for (int64_t group = 0; group < f->groups; group++) {
    TRY(pass_now(f, &at, step, group));
    if (!first) TRY(pass_later(f, &at, step, group));
  }
  for (int64_t group = 0; group < f->groups && first; group++) TRY(pass_later(f, &at, step, group));
  TRY(expect(f, step + f->round));
  subtract(f, &at, round_after(f, step, 2), f->steps, 0, (int)f->nrhs);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ sweep -- */

/* The first round's right-hand sides come to its first rank column, if others have any. */
static hyla_status gather(const struct sweep *f, const struct hy_axis *across) {
  struct hy_row_range rows = rows_of(f, 0, f->round);
  bool apart = hy_held(across, part_at(f, 0)) < f->nrhs;
  for (int64_t group = 0; group < f->groups && f->round > 1 && apart && rows.count > 0; group++)
    if (f->place != 1) TRY(start(f, 0, NOW, group, rows.count));
  for (int64_t group = 0; group < f->groups && f->round > 1 && apart; group++) {
    if (f->place != 1) TRY(take(f, &rows, NOW, group, true));
    if (f->place != 0) TRY(send(f, &rows, NOW, group));
  }
  return f->place == 0 ? HYLA_OK : expect(f, f->place);
}

static hyla_status finish(const struct sweep *f) {
  for (int kind = NOW; kind <= LATER; kind++)
    for (int64_t group = 0; group < f->groups; group++) {
      struct hy_message *m = message(f, 1, kind, group);
      TRY(hy_link_wait(f->s->cube, m, m->bytes > 0));
    }
  return f->s->array.row.parts == 1 ? HYLA_OK : hy_panels_finish(f->s->panels);
}

/* Sums of blocks of which the solution is elsewhere in the rank row become 0. */
static void clear_others(const struct sweep *f) {
  for (int64_t index = 0; index < f->steps && !f->k->dry; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&f->s->array, index);
    for (int64_t j = 0; j < f->nrhs && at.top && !at.mine; j++)
      memset(hy_at(&f->sums, at.row, j), 0, (size_t)at.width * f->k->size);
  }
}

int64_t hy_sweep_groups(const struct hy_substitution *s, int64_t nrhs) {
  if (s->array.row.parts * s->array.col.parts == 1) return 1; /* nobody waits for a group */
  return hy_groups_of_sides(s, 2 * hy_ceil_div(s->array.row.n, s->array.block), nrhs);
}

int64_t hy_sweep_rows(const struct hy_substitution *s) {
  const struct hy_block_cyclic *array = &s->array;
  return hy_ceil_div(array->col.parts, array->row.parts) * array->block;
}

hyla_status hy_sweep_sums(const struct hy_substitution *s, const hyla_matrix *sums) {
  struct sweep f = {.s = s,
                    .k = s->k,
                    .sums = *sums,
                    .nrhs = sums->col.n,
                    .steps = s->array.count,
                    .round = s->array.col.parts,
                    .groups = s->groups,
                    .most = hy_sweep_rows(s)};
  f.width = hy_ceil_div(f.nrhs, f.groups);
  memset(s->messages, 0, (size_t)(HY_SWEEP_MESSAGES * f.groups) * sizeof *s->messages);
  if (f.steps == 0 || f.nrhs == 0) return HYLA_OK;
  while (part_at(&f, f.place) != s->array.col_part) f.place++;
  TRY(gather(&f, &sums->col));
  s->panels->wants = wants;
  s->panels->arg = &f;
  hyla_status status = HYLA_OK;
  for (int64_t step = f.place; step < f.steps && status == HYLA_OK; step += f.round)
    status = make_step(&f, step);
  s->panels->wants = NULL;
  s->panels->arg = NULL;
  TRY(status);
  TRY(finish(&f));
  clear_others(&f);
  return HYLA_OK;
}

hyla_status hy_substitute_sweep(const struct hy_substitution *s, const hyla_matrix *x) {
  if (s->cube->address < 0) return HYLA_OK;
  const hyla_matrix sums = hy_sums_begin(s, x);
  TRY(hy_sweep_sums(s, &sums));
  return hy_sums_end(s, &sums, x);
}
