/* Checkpoints of a factorization: when they are written, what they contain, and how another run
 * resumes.
 *
 * Method: the variant works through some columns at a time.  When it pauses, nothing travels, and
 *   all ranks agree on the time.  From the progress so far follows where to pause next, so that a
 *   checkpoint is written no sooner than it is due and few pauses are useless.  A checkpoint has
 *   the factors' matrix as it stands, with L's rows where that run's panels have left them (lu.h),
 *   the swaps, the number of finished columns and the width of panels.  That is enough for a run
 *   with panels of any other width, which moves the rows of each column as it reads them.
 * Steps: one agreement a pause; for a checkpoint those of its file (io/state.c).
 * Memory: that of its file. */
#include "solve/guard/guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* After a checkpoint no other one is written for REST times the time that it took: 3 % of the time
 * go into checkpoints. */
static const double REST = 32;

bool hy_checkpoint_wanted(const struct hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  return problem->cube->session.checkpoint != NULL && !hy_cube_dry(problem->cube) &&
         problem->inverse == NULL && steps->resume != NULL;
}

hyla_status hy_checkpoint_make(struct hyla_factor *factor, struct hy_checkpoint *c) {
  const struct hy_factorization *problem = &factor->problem;
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  int64_t before = problem->cube->base.bytes_now;
  *c = (struct hy_checkpoint){.factor = factor,
                              .cube = problem->cube,
                              .about.block = hy_factor_block(problem),
                              .order = hy_factor_order(problem),
                              .lower = steps->hermitian};
  TRY(hy_state_make(factor->factors.a, c->lower, c->order, &c->state));
  c->bytes = c->cube->base.bytes_now - before;
  return HYLA_OK;
}

void hy_checkpoint_free(struct hy_checkpoint *c) { hy_state_free(&c->state); }

/* ---------------------------------------------------------------- begin -- */

/* Sets the file name for a matrix with that number.  *prefix: the length of the part of the name
 * that checkpoints of similar matrices share. */
static hyla_status set_path(struct hy_checkpoint *c, size_t *prefix) {
  const struct hy_factorization *problem = &c->factor->problem;
  bool fixed = hy_choice_variant(&c->factor->plan->choice)->fixed;
  char name[2 * HY_NAME_MAX];
  int kind = snprintf(name, sizeof name, "%s%s-%s-%lldx%lld-", problem->method->is.name,
                      fixed ? "-fixed" : "", problem->k->name, (long long)problem->m,
                      (long long)problem->n);
  int length = snprintf(c->path, sizeof c->path, "%s/%s%016llx.state", c->cube->session.checkpoint,
                        name, (unsigned long long)c->about.origin);
  CHECK(&c->cube->base, length < (int)sizeof c->path, FILE,
        "the folder of states has a name of %d characters; give a shorter one",
        (int)strlen(c->cube->session.checkpoint));
  *prefix = (size_t)kind;
  return HYLA_OK;
}

/* Moves the rows of a column of L from the order that panels of `has.block' columns leave to the
 * order of this run. */
struct moving {
  const struct hy_checkpoint *c;
  const int64_t *swaps;
  size_t size;
  struct hy_state_about has;
};

static void swap_entries(const struct moving *m, char *entries, int64_t step) {
  char held[sizeof(double _Complex)];
  char *one = entries + (size_t)step * m->size, *other = entries + (size_t)m->swaps[step] * m->size;
  memcpy(held, one, m->size);
  memmove(one, other, m->size);
  memcpy(other, held, m->size);
}

/* The number of steps whose swaps have been applied to a column. */
static int64_t swaps_of(int64_t col, int64_t block, int64_t done) {
  return hy_min((col / block + 1) * block, done);
}

/* Whoever wrote the file: row i must have been swapped with a row from i on. */
static const char *check_swaps(const void *arg, const int64_t *swaps) {
  const struct moving *m = arg;
  int64_t rows = m->c->factor->problem.m, end = m->c->lower ? m->c->order : m->has.columns;
  for (int64_t i = 0; i < end; i++)
    if (swaps[i] < i || swaps[i] >= (m->c->lower ? i + 1 : rows)) return "a swap is of no row";
  return NULL;
}

static void move_rows(const void *arg, int64_t col, char *entries) {
  const struct moving *m = arg;
  if (m->c->lower || col >= m->has.columns) return;
  int64_t done = m->has.columns;
  int64_t has = swaps_of(col, m->has.block, done), wants = swaps_of(col, m->c->about.block, done);
  for (int64_t step = has; step < wants; step++) swap_entries(m, entries, step);
  for (int64_t step = has - 1; step >= wants; step--) swap_entries(m, entries, step);
}

static hyla_status resume(struct hy_checkpoint *c, const struct hy_state_about *has) {
  struct hyla_factor *factor = c->factor;
  hyla_cube *cube = c->cube;
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  const struct moving moving = {c, factor->factors.swaps, factor->problem.k->size, *has};
  const struct hy_state_taker taker = {check_swaps, move_rows, &moving};
  TRY(hy_state_read(c->state, c->path, &taker, factor->factors.swaps));
  TRY(hy_agree(cube, steps->resume(hy_factor_state(factor), has->columns)));
  c->about.columns = has->columns;
  cube->session.checkpoints.resumed++;
  cube->session.checkpoints.column = has->columns;
  hy_log(&cube->base, 1, "%s: goes on at column %lld, from %s", cube->session.call,
         (long long)has->columns, hy_path_shown(c->path));
  return HYLA_OK;
}

static hyla_status find_origin(struct hy_checkpoint *c, const hyla_matrix *a) {
  size_t prefix = 0;
  TRY(hy_agree(c->cube, hy_checkpoint_origin(a, c->lower, &c->about.origin)));
  return hy_agree(c->cube, set_path(c, &prefix));
}

/* If there is no checkpoint to compare with and A stays as it is, the number that identifies A is
 * computed only when the first checkpoint is due. */
hyla_status hy_checkpoint_begin(struct hy_checkpoint *c, const hyla_matrix *a, bool stays,
                                bool *resumed) {
  struct hy_state_found found = {.there = false};
  size_t prefix = 0;
  int64_t alike = 0;
  *resumed = false;
  c->about.origin = 0;
  TRY(hy_agree(c->cube, set_path(c, &prefix)));
  TRY(hy_state_count(c->state, c->path, prefix, &alike));
  c->later = alike == 0 && stays ? a : NULL;
  if (c->later == NULL) TRY(find_origin(c, a));
  TRY(hy_state_try(c->state, c->path));
  if (alike != 0) TRY(hy_state_find(c->state, c->path, prefix, c->about.origin, &found));
  c->cube->session.checkpoints.others = found.others;
  c->about.columns = 0;
  c->there = *resumed = found.there;
  if (found.there) return resume(c, &found.about);
  hy_factor_no_swaps(&c->factor->problem);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ run -- */

/* The time since the beginning, as the last rank measures it. */
static hyla_status ask(const struct hy_checkpoint *c, double *seconds) {
  static const double WHOLE = 1e9;
  int64_t mine = (int64_t)((hyla_cube_clock(c->cube) - c->begun) * WHOLE);
  TRY(hy_agree(c->cube, hy_cube_max(c->cube, &mine, 1)));
  *seconds = (double)mine / WHOLE;
  return HYLA_OK;
}

/* A failed attempt to write is no failure of the factorization: the cube's earlier status and
 * message are restored. */
static void note(struct hy_checkpoint *c, const struct hy_base *before) {
  hyla_cube *cube = c->cube;
  hyla_checkpoints *told = &cube->session.checkpoints;
  told->failed++;
  snprintf(told->text, sizeof told->text, "%s", cube->base.message);
  hy_log(&cube->base, 1, "%s: %s; it goes on without", cube->session.call, told->text);
  cube->base.status = before->status;
  memcpy(cube->base.message, before->message, sizeof cube->base.message);
}

static hyla_status write_state(struct hy_checkpoint *c, double *now) {
  hyla_cube *cube = c->cube;
  const struct hy_base before = cube->base;
  double begun = *now, every = cube->session.checkpoint_every;
  if (c->later != NULL) TRY(find_origin(c, c->later));
  c->later = NULL;
  hyla_status status = hy_state_write(c->state, c->path, &c->about, c->factor->factors.swaps);
  if (cube->network.broken) return status;
  if (status == HYLA_OK) {
    cube->session.checkpoints.written++;
    c->there = true;
  } else {
    note(c, &before);
  }
  TRY(ask(c, now));
  double took = *now - begun;
  cube->session.checkpoints.seconds += took;
  c->due = every == 0 ? 0 : *now + fmax(every, REST * took);
  return HYLA_OK;
}

/* The work that is left after `columns' finished columns, in some unit. */
static double left(const struct hy_checkpoint *c, int64_t columns) {
  double behind = (double)(c->order - columns);
  return behind * behind * behind;
}

static int64_t next_end(const struct hy_checkpoint *c, int64_t columns) {
  return hy_min((columns / c->about.block + 1) * c->about.block, c->order);
}

/* Where to pause next: the last end of a panel before a checkpoint is due, as far as the rate
 * predicts. */
static int64_t choose_end(const struct hy_checkpoint *c, double now) {
  int64_t done = c->about.columns, end = next_end(c, done);
  if (c->rate == 0 || c->due <= now) return end;
  double goal = left(c, done) - c->rate * (c->due - now);
  while (end < c->order && left(c, next_end(c, end)) >= goal) end = next_end(c, end);
  return end;
}

/* Runs some columns and measures the rate. */
static hyla_status advance(struct hy_checkpoint *c, hyla_status (*run)(struct hyla_factor *),
                           double *now) {
  struct hy_factorization *problem = &c->factor->problem;
  double before = *now;
  problem->from = c->about.columns;
  problem->until = choose_end(c, before);
  TRY(run(c->factor));
  c->about.columns = problem->until;
  if (c->about.columns == c->order) return HYLA_OK;
  TRY(ask(c, now));
  double done = left(c, problem->from) - left(c, problem->until);
  c->rate = *now > before ? done / (*now - before) : 0;
  return HYLA_OK;
}

static hyla_status go_through(struct hy_checkpoint *c, hyla_status (*run)(struct hyla_factor *)) {
  int64_t states = 0;
  double now = 0;
  for (;;) {
    TRY(advance(c, run, &now));
    if (c->about.columns == c->order) return HYLA_OK;
    if (now < c->due) continue;
    TRY(write_state(c, &now));
    CHECK(&c->cube->base, ++states != c->stop, BROKEN, "stopped after %lld states",
          (long long)states);
  }
}

hyla_status hy_checkpoint_run(struct hy_checkpoint *c,
                              hyla_status (*run)(struct hyla_factor *factor)) {
  struct hy_factorization *problem = &c->factor->problem;
  c->begun = hyla_cube_clock(c->cube);
  c->due = c->cube->session.checkpoint_every;
  c->rate = 0;
  hyla_status status =
      c->order == 0 || c->about.columns == c->order ? run(c->factor) : go_through(c, run);
  problem->from = problem->until = 0;
  return status;
}

hyla_status hy_checkpoint_end(struct hy_checkpoint *c) {
  const struct hy_base before = c->cube->base;
  c->later = NULL;
  if (!c->there) return HYLA_OK;
  c->there = false;
  hyla_status status = hy_state_remove(c->state, c->path);
  if (status == HYLA_OK || c->cube->network.broken) return status;
  note(c, &before);
  return HYLA_OK;
}
