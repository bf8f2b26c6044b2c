/* Substitution as a sweep over the rank columns.
 *
 * The column sweep of Johnsson 1987, 6.4.1: the sums of what rank columns contribute travel from
 * one rank column to the next, from p_k's member of q_k on to that of q_k+1, while block k of the
 * solution is broadcast along q_k.  So the next block is solved for two messages later, on cubes of
 * any size.  The paper sends in C steps, one on each of C rank columns, the sums for these steps'
 * blocks and behind them those for the next ones', which gather what was kept in place.  Here a
 * block's sums leave C - 1 steps before it is solved for, from the rank column behind its own, and
 * come to all others once; until then they stay in place.  So they cross half as many links.
 *
 * Right-hand sides are sums in place.  Where rank columns other than the first have any, steps that
 * solve for nothing come before, so that the first C blocks' go round as well.
 *
 * Right-hand sides go in groups, one behind the other.  Each rank does things in the order of
 * times at which they are due: step s, in its group g, at pace s + g; a block comes to a rank one
 * time for each link; sums for step b pass step s at pace b - (b - s) + g, as late as they may. The
 * pace, 2 under Gray code, is such that the block of step s is there by then.  What is received is
 * sent at an earlier time, so that nobody waits for ever.
 *
 * Steps a block: 2; a block's part of C / R rows x right-hand sides each.  At the end one reduction
 * over the rank row for each rank column's share, as for few right-hand sides. */
#include "solve/triangle/triangle.h"

#include <string.h>

struct sweep {
  const struct hy_substitution *s;
  const struct hy_kernels *k;
  struct hyla_matrix sums;
  int64_t nrhs, width; /* all, of a group */
  int64_t groups;
  int64_t steps, round; /* all, in a round: one for each rank column */
  int64_t place, line;  /* the first steps of this rank column, of this rank row */
  int64_t pace, pause;  /* times from a step to the next, and more from a round to the next */
  int64_t most;         /* rows of a message */
  int64_t step;         /* at hand */
  bool apart, holds;    /* do rank columns but the first have right-hand sides; does this one? */
};

/* Of steps and groups: those of a rank column, one after the other. */
struct cursor {
  int64_t step, group;
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
  from = hy_max(0, hy_min(from, f->steps));
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

/* The rank column at a place of the round: that of its step in the first one. */
static int part_at(const struct sweep *f, int64_t place) {
  const struct hy_axis *col = &f->s->array.col;
  if (hy_substitution_lower(f->s)) return (int)place;
  int first = hy_axis_owner(col, (f->steps - 1) * f->s->array.block);
  return (int)((first - place + f->round) % f->round);
}

/* The rank row of a step of the first rows' round. */
static int line_at(const struct sweep *f, int64_t step) {
  int64_t parts = f->s->array.row.parts;
  if (hy_substitution_lower(f->s)) return (int)step;
  return (int)(((f->steps - 1 - step) % parts + parts) % parts);
}

/* This rank row's member at a place before or after this one. */
static int neighbour(const struct sweep *f, int64_t by) {
  const struct hy_block_cyclic *array = &f->s->array;
  int part = part_at(f, (f->place + by + f->round) % f->round);
  return (int)(hy_axis_address(&array->row.code, (uint32_t)array->row_part) |
               hy_axis_address(&array->col.code, (uint32_t)part));
}

/* The rows of a message to a step, from the step before. */
static struct hy_row_range rows_to(const struct sweep *f, int64_t step) {
  if (f->round == 1 || (step == 0 && !f->apart)) return (struct hy_row_range){0, 0};
  return rows_of(f, step, step + f->round - 1);
}

/* -------------------------------------------------------------- messages -- */

/* Of a group, on its way in (0) or out (1), and its room. */
static struct hy_message *message(const struct sweep *f, int out, int64_t group) {
  return &f->s->messages[out * f->groups + group];
}
static char *room(const struct sweep *f, int out, int64_t group) {
  int64_t words = f->most * (out * f->nrhs + first_in(f, group));
  return f->s->travels + (size_t)words * f->k->size;
}

static hyla_status start(const struct sweep *f, int out, int64_t group, int64_t rows) {
  struct hy_message *m = message(f, out, group);
  *m = (struct hy_message){.verb = out ? HY_SEND : HY_RECV,
                           .peer = neighbour(f, out ? 1 : -1),
                           .bytes = rows * columns_in(f, group) * (int64_t)f->k->size,
                           .data = room(f, out, group)};
  return hy_link_start(f->s->cube, m, 1);
}

/* Gets ready for a group's sums that come to a step; early, so that nobody waits for room. */
static hyla_status expect(const struct sweep *f, int64_t step, int64_t group) {
  int64_t rows = rows_to(f, step).count;
  return rows > 0 ? start(f, 0, group, rows) : HYLA_OK;
}

/* A group's sums that come to a step are added to those here; replace them where there are none. */
static hyla_status take(const struct sweep *f, int64_t step, int64_t group) {
  struct hy_row_range rows = rows_to(f, step);
  int columns = columns_in(f, group), count = (int)rows.count;
  if (count == 0) return expect(f, step + f->round, group);
  char *here = hy_at(&f->sums, rows.first, first_in(f, group));
  const char *came = room(f, 0, group);
  TRY(hy_link_wait(f->s->cube, message(f, 0, group), 1));
  if (step < f->round && !f->holds) {
    f->k->copy(HYLA_NONE, count, columns, 1, came, count, here, (int)f->sums.ld);
    hy_count_copied(f->s->cube, rows.count * columns);
  } else {
    f->k->combine(HYLA_NONE, count, columns, 1, came, count, 1, here, (int)f->sums.ld);
    hy_compute(f->s->cube, rows.count * columns, f->k->size, f->k->complex_type);
  }
  return expect(f, step + f->round, group);
}

/* A group's sums go to a step, and are 0 here.  Waits: the room is still that of the message a
 * round ago. */
static hyla_status give(const struct sweep *f, int64_t step, int64_t group) {
  struct hy_row_range rows = rows_to(f, step);
  int columns = columns_in(f, group), count = (int)rows.count;
  if (count == 0) return HYLA_OK;
  char *here = hy_at(&f->sums, rows.first, first_in(f, group));
  TRY(hy_link_wait(f->s->cube, message(f, 1, group), message(f, 1, group)->bytes > 0));
  f->k->copy(HYLA_NONE, count, columns, 1, here, (int)f->sums.ld, room(f, 1, group), count);
  hy_count_copied(f->s->cube, rows.count * columns);
  for (int j = 0; j < columns && !f->k->dry; j++)
    memset(here + (size_t)j * (size_t)f->sums.ld * f->k->size, 0, (size_t)count * f->k->size);
  return start(f, 1, group, rows.count);
}

/* ---------------------------------------------------------------- blocks -- */

/* A group's place is the same for blocks of all widths: the next step's may come while those of
 * other groups are still wanted. */
static char *block_at(const struct sweep *f, int64_t group) {
  return f->s->blocks + (size_t)(f->s->array.block * first_in(f, group)) * f->k->size;
}

/* Sums of the rows that some steps solve for := themselves, less what a block contributes. */
static void subtract(const struct sweep *f, const struct hy_diagonal_block *at, int64_t from,
                     int64_t to, int64_t group) {
  const struct hy_substitution *s = f->s;
  struct hy_row_range rows = rows_of(f, from, to);
  int columns = columns_in(f, group);
  if (rows.count == 0) return;
  f->k->gemm(s->op, HYLA_NONE, (int)rows.count, columns, at->width, -1,
             hy_substitution_at(s, rows.first, at->column), (int)s->t->ld, block_at(f, group),
             at->width, 1, hy_at(&f->sums, rows.first, first_in(f, group)), (int)f->sums.ld);
  hy_compute(s->cube, 2 * rows.count * at->width * columns, f->k->size, f->k->complex_type);
  if (group == 0) hy_count_read(s->cube, rows.count * at->width);
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

/* Of the blocks that are on their way along a rank column. */
static int64_t panel_of(const struct sweep *f, int64_t step, int64_t group) {
  return step / f->round * f->groups + group;
}

/* On p_k: solves for a group and sends it on its way along the rank column. */
static hyla_status solve_block(const struct sweep *f, const struct hy_diagonal_block *at,
                               int64_t group) {
  const struct hy_substitution *s = f->s;
  struct hy_panel_slot *slot = NULL;
  int64_t panel = panel_of(f, f->step, group);
  int columns = columns_in(f, group);
  char *sums = hy_at(&f->sums, at->row, first_in(f, group)), *block = block_at(f, group);
  int64_t words = (int64_t)at->width * columns;
  hy_solve_diagonal(s, at, hy_substitution_at(s, at->row, at->column), (int)s->t->ld, columns, sums,
                    f->sums.ld);
  f->k->copy(HYLA_NONE, at->width, columns, 1, sums, (int)f->sums.ld, block, at->width);
  hy_count_copied(s->cube, words);
  if (!spreads(f, at)) return HYLA_OK;
  TRY(hy_panels_open(s->panels, panel, words * (int64_t)f->k->size, &slot));
  f->k->copy(HYLA_NONE, at->width, columns, 1, block, at->width, slot->data, at->width);
  hy_count_copied(s->cube, words);
  TRY(hy_panels_lend(s->panels, slot));
  TRY(hy_panels_receive(s->panels, panel, &slot));
  return hy_panels_close(s->panels, slot);
}

static hyla_status receive_block(const struct sweep *f, const struct hy_diagonal_block *at,
                                 int64_t group) {
  struct hy_panel_slot *slot = NULL;
  int columns = columns_in(f, group);
  int64_t words = (int64_t)at->width * columns, panel = panel_of(f, f->step, group);
  TRY(hy_panels_expect(f->s->panels, panel, hy_column_root(&f->s->array, at->index),
                       words * (int64_t)f->k->size));
  TRY(hy_panels_receive(f->s->panels, panel, &slot));
  f->k->copy(HYLA_NONE, at->width, columns, 1, slot->seen, at->width, block_at(f, group),
             at->width);
  hy_count_copied(f->s->cube, words);
  return hy_panels_close(f->s->panels, slot);
}

/* ------------------------------------------------------------------ sweep -- */

static struct hy_diagonal_block block_of(const struct sweep *f, int64_t step) {
  return hy_diagonal_block(&f->s->array, hy_substitution_block(f->s, step));
}

/* Is its block on this rank row? */
static bool on_top(const struct sweep *f, int64_t step) {
  return (step - f->line) % f->s->array.row.parts == 0;
}

/* A group of a step's block is solved for, or comes. */
static hyla_status take_block(struct sweep *f, const struct cursor *c) {
  bool top = on_top(f, c->step);
  if (top) TRY(take(f, c->step, c->group));
  if (c->step < 0) return HYLA_OK;
  struct hy_diagonal_block at = block_of(f, c->step);
  f->step = c->step;
  if (top) return solve_block(f, &at, c->group);
  return spreads(f, &at) ? receive_block(f, &at, c->group) : HYLA_OK;
}

/* A group's sums pass a step, less what its block contributes; so do those that stay. */
static hyla_status pass_sums(struct sweep *f, const struct cursor *c) {
  if (!on_top(f, c->step)) TRY(take(f, c->step, c->group));
  if (c->step < 0) return give(f, c->step + 1, c->group);
  struct hy_diagonal_block at = block_of(f, c->step);
  subtract(f, &at, c->step + 1, c->step + f->round, c->group);
  TRY(give(f, c->step + 1, c->group));
  subtract(f, &at, c->step + f->round, f->steps, c->group);
  return HYLA_OK;
}

static void advance(const struct sweep *f, struct cursor *c) {
  if (++c->group < f->groups) return;
  c->group = 0;
  c->step += f->round;
}

static int64_t time_of(const struct sweep *f, int64_t step) {
  return f->pace * step + f->pause * ((step + f->round) / f->round - 1);
}

/* By a schedule all ranks receive at once, else one link after the other. */
static int64_t block_time(const struct sweep *f, const struct cursor *c) {
  if (on_top(f, c->step) || c->step < 0) return time_of(f, c->step) + c->group;
  struct hy_diagonal_block at = block_of(f, c->step);
  uint32_t root = (uint32_t)hy_column_root(&f->s->array, at.index);
  int links = hy_popcount(((uint32_t)f->s->cube->address ^ root) & f->s->array.row_dims);
  return time_of(f, c->step) + c->group + (f->s->panels->group != NULL ? 1 : links);
}

/* As late as the next of this rank row's steps allows. */
static int64_t sums_time(const struct sweep *f, const struct cursor *c) {
  int64_t parts = f->s->array.row.parts, behind = (c->step - f->line) % parts;
  int64_t next = c->step - behind + (behind < 0 ? 0 : parts);
  next = hy_min(next, c->step + f->round - 1);
  return time_of(f, next) - (next - c->step) + c->group;
}

/* What is due first; a block before the sums that want it. */
static hyla_status take_next(struct sweep *f, struct cursor *block, struct cursor *sums) {
  bool wanted = block->step == sums->step && block->group == sums->group;
  if (block->step < f->steps && (wanted || block_time(f, block) <= sums_time(f, sums))) {
    TRY(take_block(f, block));
    advance(f, block);
  } else {
    TRY(pass_sums(f, sums));
    advance(f, sums);
  }
  return HYLA_OK;
}

/* Times that let each thing be due after what it needs, and messages in the order of the steps. */
static void set_times(struct sweep *f) {
  const struct hy_axis *row = &f->s->array.row;
  int longest = 1;
  for (int part = 0; part < row->parts && f->s->panels->group == NULL; part++) {
    uint32_t next = (uint32_t)((part + 1) % row->parts);
    uint32_t way = hy_axis_address(&row->code, (uint32_t)part) ^ hy_axis_address(&row->code, next);
    longest = (int)hy_max(longest, hy_popcount(way));
  }
  f->pace = 1 + longest;
  f->pause = f->round % row->parts == 0 ? hy_max(0, f->groups - f->pace * f->round)
                                        : f->groups + hy_popcount(f->s->array.row_dims);
}

static hyla_status finish(const struct sweep *f) {
  for (int64_t group = 0; group < f->groups; group++) {
    struct hy_message *m = message(f, 1, group);
    TRY(hy_link_wait(f->s->cube, m, m->bytes > 0));
  }
  return f->s->array.row.parts == 1 ? HYLA_OK : hy_panels_finish(f->s->panels);
}

static hyla_status take_all(struct sweep *f) {
  struct cursor block = {.step = f->apart && f->place > 0 ? f->place - f->round : f->place};
  struct cursor sums = block;
  for (int64_t group = 0; group < f->groups; group++) TRY(expect(f, sums.step, group));
  while (sums.step < f->steps) TRY(take_next(f, &block, &sums));
  return finish(f);
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
  const struct hy_block_cyclic *array = &s->array;
  struct sweep f = {.s = s,
                    .k = s->k,
                    .sums = *sums,
                    .nrhs = sums->col.n,
                    .steps = array->count,
                    .round = array->col.parts,
                    .groups = s->groups,
                    .most = hy_sweep_rows(s)};
  f.width = hy_ceil_div(f.nrhs, f.groups);
  memset(s->messages, 0, (size_t)(HY_SWEEP_MESSAGES * f.groups) * sizeof *s->messages);
  if (f.steps == 0 || f.nrhs == 0) return HYLA_OK;
  while (part_at(&f, f.place) != array->col_part) f.place++;
  while (line_at(&f, f.line) != array->row_part) f.line++;
  f.apart = hy_held(&sums->col, part_at(&f, 0)) < f.nrhs;
  f.holds = hy_held(&sums->col, array->col_part) > 0;
  set_times(&f);
  s->panels->wants = wants;
  s->panels->arg = &f;
  hyla_status status = take_all(&f);
  s->panels->wants = NULL;
  s->panels->arg = NULL;
  return status;
}

hyla_status hy_substitute_sweep(const struct hy_substitution *s, const hyla_matrix *x) {
  if (s->cube->address < 0) return HYLA_OK;
  const hyla_matrix sums = hy_sums_begin(s, x);
  TRY(hy_sweep_sums(s, &sums));
  hy_part(s->cube, HY_ON_DIAGONAL);
  TRY(hy_sums_end(s, &sums, x));
  hy_part(s->cube, HY_AT_HOME);
  return HYLA_OK;
}
