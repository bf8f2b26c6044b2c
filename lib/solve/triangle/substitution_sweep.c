/* Substitution as a sweep over the rank columns.
 *
 * Reference: Johnsson 1987, 6.4.1, the column sweep with sums partly in space, partly in place.
 *
 * Letters: an R x C array of ranks, n block columns.  X_k is block k of the solution, L_bk block
 *   (b, k) of the triangle, q_k the rank column and p_k the rank row of block k.  S_b(q) is the
 *   part of the right-hand side of block b, less contributions, that rank column q holds; S_b
 *   without q is on its way.
 *
 * Method, the paper's loops, here by blocks (for an upper triangle k descends):
 *     for k = 0 ... n-1:                                          step k, on rank column q_k
 *       X_k := L_kk^-1 S_k                                        on p_k, then broadcast along q_k
 *       for b = k+1 ... k+C-1:  S_b := S_b - L_bk X_k             in space: S_b goes on to q_k+1,
 *                                                                 which adds its own S_b(q_k+1)
 *       for b = k+C ... n-1:    S_b(q_k) := S_b(q_k) - L_bk X_k   in place
 * So X_k+1 is solved for two messages after X_k, on cubes of any size: X_k goes to the next rank
 * row, S_k+1 from there to the next rank column.
 *
 * Example on 4 nodes, R = C = 2, n = 4, B in rank column 0, so S_b(0) = B_b and S_b(1) = 0:
 *     time  node
 *      0    (0, 0)  X_0 := L_00^-1 S_0(0)                     X_0 goes down to (1, 0)
 *      1    (1, 0)  S_1 := S_1(0) - L_10 X_0                  S_1 goes right to (1, 1)
 *                   S_3(0) -= L_30 X_0, and (0, 0) S_2(0) -= L_20 X_0, in place
 *      2    (1, 1)  X_1 := L_11^-1 (S_1 + S_1(1))             X_1 goes up to (0, 1)
 *      3    (0, 1)  S_2 := S_2(1) - L_21 X_1                  S_2 goes left to (0, 0)
 *                   S_3(1) -= L_31 X_1 on (1, 1), in place
 *      4    (0, 0)  X_2 := L_22^-1 (S_2 + S_2(0))             X_2 goes down to (1, 0)
 *      5    (1, 0)  S_3 := S_3(0) - L_32 X_2                  S_3 goes right to (1, 1)
 *      6    (1, 1)  X_3 := L_33^-1 (S_3 + S_3(1))
 *
 * Difference from the paper: there S_b goes round the rank columns twice, once to collect the sums
 * kept in place.  Here it leaves C - 1 steps before it is solved for, from the rank column behind
 * its own, and passes each other rank column once; until then it stays in place.  So it crosses
 * half as many links.  If rank columns other than the first have right-hand sides, C - 1 steps that
 * solve for nothing come first, so that the sums of the first C blocks go round as well.
 *
 * Order of work: right-hand sides go in groups, one group a time later than the one before.  A rank
 * does its tasks in the order of the times when they are due:
 *     X_s of group g is solved for at        pace s + g
 *     X_s reaches a rank of q_s              one time later for each link
 *     S_b of group g passes step s at        pace b - (b - s) + g, the latest time that serves
 * pace is 2 in Gray code; it is such that X_s is on the rank by then.  A message is sent at an
 * earlier time than it is received, so no rank waits for ever.
 *
 * Steps a block: 2; a block's part of C / R rows x right-hand sides each.  At the end one reduction
 * over the rank row for each rank column's share, as for few right-hand sides. */
#include "solve/triangle/triangle.h"

#include <string.h>

struct sweep {
  const struct hy_substitution *s;
  const struct hy_kernels *k;
  struct hyla_matrix sums;
  int64_t nrhs, width; /* all right-hand sides; those of a group */
  int64_t groups;
  int64_t steps, round; /* all steps; those of a round, C */
  int64_t place, line;  /* the first step of this rank column; the first step of this rank row */
  int64_t pace, pause;  /* times from a step to the next; additional times from a round to the
                         * next */
  int64_t idle;         /* steps for which sums of no block here may wait */
  int64_t most;         /* the most rows of a message */
  int64_t step;         /* the step at hand */
  bool apart, holds;    /* apart: rank columns other than the first have right-hand sides; holds:
                         * this one has */
};

/* Runs through the steps of a rank column and, within a step, its groups. */
struct cursor {
  int64_t step, group;
};

/* ------------------------------------------------------- rows and places -- */

/* The first right-hand side of a group, and their number. */
static int64_t first_in(const struct sweep *f, int64_t group) { return group * f->width; }
static int columns_in(const struct sweep *f, int64_t group) {
  return (int)hy_min(f->width, f->nrhs - group * f->width);
}

/* The local rows that steps from ... to-1 solve for, in a part of the rows. */
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

/* The same on this rank. */
static struct hy_row_range rows_of(const struct sweep *f, int64_t from, int64_t to) {
  return rows_at(f, f->s->array.row_part, from, to);
}

/* The rank column at a place of the round: place s is that of step s of the first round. */
static int part_at(const struct sweep *f, int64_t place) {
  const struct hy_axis *col = &f->s->array.col;
  if (hy_substitution_lower(f->s)) return (int)place;
  int first = hy_axis_owner(col, (f->steps - 1) * f->s->array.block);
  return (int)((first - place + f->round) % f->round);
}

/* The rank row of one of the first R steps. */
static int line_at(const struct sweep *f, int64_t step) {
  int64_t parts = f->s->array.row.parts;
  if (hy_substitution_lower(f->s)) return (int)step;
  return (int)(((f->steps - 1 - step) % parts + parts) % parts);
}

/* The member of this rank row that is `by' places after this one (before it, if negative). */
static int neighbour(const struct sweep *f, int64_t by) {
  const struct hy_block_cyclic *array = &f->s->array;
  int part = part_at(f, (f->place + by + f->round) % f->round);
  return (int)(hy_axis_address(&array->row.code, (uint32_t)array->row_part) |
               hy_axis_address(&array->col.code, (uint32_t)part));
}

/* The rows of a message to a step from the step before: S_b for C - 1 blocks b. */
static struct hy_row_range rows_to(const struct sweep *f, int64_t step) {
  if (f->round == 1 || (step == 0 && !f->apart)) return (struct hy_row_range){0, 0};
  return rows_of(f, step, step + f->round - 1);
}

/* -------------------------------------------------------------- messages -- */

/* A group's message, coming in (0) or going out (1), and its memory. */
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

/* Prepares to receive a group's sums for a step; called early, so that no sender waits for
 * memory. */
static hyla_status expect(const struct sweep *f, int64_t step, int64_t group) {
  int64_t rows = rows_to(f, step).count;
  return rows > 0 ? start(f, 0, group, rows) : HYLA_OK;
}

/* Adds a group's sums, which come to a step, to the sums here; copies them if there are no sums
 * here. */
static hyla_status take(const struct sweep *f, int64_t step, int64_t group) {
  struct hy_row_range rows = rows_to(f, step);
  int columns = columns_in(f, group), count = (int)rows.count;
  if (count == 0) return expect(f, step + f->round, group);
  char *here = hy_at(&f->sums, rows.first, first_in(f, group));
  const char *came = room(f, 0, group);
  TRY(hy_link_wait(f->s->cube, message(f, 0, group), 1));
  if (step < f->round && !f->holds) {
    hy_copy_block(f->s->cube, f->k, HYLA_NONE, count, columns, came, count, here, f->sums.ld);
  } else {
    f->k->combine(HYLA_NONE, count, columns, 1, came, count, 1, here, (int)f->sums.ld);
    hy_compute(f->s->cube, rows.count * columns, f->k->size, f->k->complex_type);
  }
  return expect(f, step + f->round, group);
}

/* Sends a group's sums to a step and clears them here.  Waits first, because the memory may still
 * be in use by the message of a round ago. */
static hyla_status give(const struct sweep *f, int64_t step, int64_t group) {
  struct hy_row_range rows = rows_to(f, step);
  int columns = columns_in(f, group), count = (int)rows.count;
  if (count == 0) return HYLA_OK;
  char *here = hy_at(&f->sums, rows.first, first_in(f, group));
  TRY(hy_link_wait(f->s->cube, message(f, 1, group), message(f, 1, group)->bytes > 0));
  hy_copy_block(f->s->cube, f->k, HYLA_NONE, count, columns, here, f->sums.ld, room(f, 1, group),
                count);
  for (int j = 0; j < columns && !f->k->dry; j++)
    memset(here + (size_t)j * (size_t)f->sums.ld * f->k->size, 0, (size_t)count * f->k->size);
  return start(f, 1, group, rows.count);
}

/* ---------------------------------------------------------------- blocks -- */

/* A group's place is the same for blocks of every width, because the next step's block may come
 * while blocks of other groups are still needed. */
static char *block_at(const struct sweep *f, int64_t group) {
  return f->s->blocks + (size_t)(f->s->array.block * first_in(f, group)) * f->k->size;
}

/* S_b(q_k) := S_b(q_k) - L_bk X_k for the blocks b of steps from ... to-1. */
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
  hy_count_touched(s->cube, rows.count * columns);
  if (group == 0) hy_count_read(s->cube, rows.count * at->width);
}

/* Does a rank of this rank column have rows that are still to be solved for? */
static bool wants(const void *arg, int node) {
  const struct sweep *f = arg;
  if (f->step + f->round < f->steps) return true; /* nearly all ranks have */
  return rows_at(f, hy_part_of(&f->s->array.row, node), f->step + 1, f->steps).count > 0;
}

/* Does the block of the solution leave p_k, or come here?  The last block does not. */
static bool spreads(const struct sweep *f, const struct hy_diagonal_block *at) {
  return f->s->array.row.parts > 1 && f->step + 1 < f->steps &&
         hy_panels_reach(f->s->panels, hy_column_root(&f->s->array, at->index));
}

/* The number of a block among those that travel along a rank column. */
static int64_t panel_of(const struct sweep *f, int64_t step, int64_t group) {
  return step / f->round * f->groups + group;
}

/* On p_k: solves for a group and sends it along the rank column. */
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
  hy_copy_block(s->cube, f->k, HYLA_NONE, at->width, columns, sums, f->sums.ld, block, at->width);
  if (!spreads(f, at)) return HYLA_OK;
  TRY(hy_panels_open(s->panels, panel, words * (int64_t)f->k->size, &slot));
  hy_copy_block(s->cube, f->k, HYLA_NONE, at->width, columns, block, at->width, slot->data,
                at->width);
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
  hy_copy_block(f->s->cube, f->k, HYLA_NONE, at->width, columns, slot->seen, at->width,
                block_at(f, group), at->width);
  return hy_panels_close(f->s->panels, slot);
}

/* ------------------------------------------------------------------ sweep -- */

static struct hy_diagonal_block block_of(const struct sweep *f, int64_t step) {
  return hy_diagonal_block(&f->s->array, hy_substitution_block(f->s, step));
}

/* Is the step's block on this rank row? */
static bool on_top(const struct sweep *f, int64_t step) {
  return (step - f->line) % f->s->array.row.parts == 0;
}

/* Solves for a group of a step's block, or receives it. */
static hyla_status take_block(struct sweep *f, const struct cursor *c) {
  bool top = on_top(f, c->step);
  if (top) TRY(take(f, c->step, c->group));
  if (c->step < 0) return HYLA_OK;
  struct hy_diagonal_block at = block_of(f, c->step);
  f->step = c->step;
  if (top) return solve_block(f, &at, c->group);
  return spreads(f, &at) ? receive_block(f, &at, c->group) : HYLA_OK;
}

/* Passes a group's sums on, less the contribution of the step's block; updates those that stay,
 * too. */
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

/* With a schedule all ranks receive at the same time; otherwise one link after another. */
static int64_t block_time(const struct sweep *f, const struct cursor *c) {
  if (on_top(f, c->step) || c->step < 0) return time_of(f, c->step) + c->group;
  struct hy_diagonal_block at = block_of(f, c->step);
  const int root = hy_column_root(&f->s->array, at.index);
  const int links = hy_panels_links(f->s->panels, root, f->s->cube->address);
  return time_of(f, c->step) + c->group + (hy_panels_lent(f->s->panels) ? links : 1);
}

/* The latest time that the next step of this rank row allows. */
static int64_t sums_time(const struct sweep *f, const struct cursor *c) {
  int64_t parts = f->s->array.row.parts, behind = (c->step - f->line) % parts;
  int64_t next = c->step - behind + (behind < 0 ? 0 : parts);
  if (next >= c->step + f->round) next = c->step + f->idle;
  return time_of(f, next) - (next - c->step) + c->group;
}

/* Does the task that is due first; a block comes before the sums that need it. */
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

/* Sets the times so that each task is due after the tasks it needs, and messages keep the steps'
 * order: all groups of a task of step s are due before those of step s + C.
 *   R divides C: the next block of a rank row is as far from s as from s + C, so that C steps and a
 *     pause must take as many times as there are groups
 *   else it may be C - 1 steps behind s and one step behind s + C, and a pause would not always lie
 *     between them.  Their sums are due 2 pace + C - 2 times from each other, which must be as many
 *     as there are groups; and between their blocks there must be time for the links too.  Sums of
 *     no block here wait half as long as any can, to be as far from those before as from blocks
 *     behind them */
static void set_times(struct sweep *f) {
  const struct hy_axis *row = &f->s->array.row;
  int longest = 1;
  for (int part = 0; part < row->parts && hy_panels_lent(f->s->panels); part++) {
    const uint32_t next = (uint32_t)((part + 1) % row->parts);
    const int root = (int)hy_axis_address(&row->code, (uint32_t)part);
    const int links = hy_panels_links(f->s->panels, root, (int)hy_axis_address(&row->code, next));
    longest = (int)hy_max(longest, links);
  }
  f->pace = 1 + longest;
  f->pause = 0;
  f->idle = f->round - 1;
  const int64_t bits = hy_popcount(f->s->array.row_dims);
  if (f->round % row->parts == 0)
    f->pause = hy_max(0, f->groups - f->pace * f->round);
  else if (f->round == 1)
    f->pause = f->groups + bits;
  else {
    f->idle /= 2;
    f->pace = hy_max(f->pace, hy_max(hy_ceil_div(f->groups - f->round + 2, 2),
                                     hy_ceil_div(f->groups + bits, f->round)));
  }
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
  if (s->array.row.parts * s->array.col.parts == 1)
    return 1; /* on one rank nobody waits for a
               * group */
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
