/* Redistributions that a plan keeps, for matrices that are known only when it runs. */
#include "job/job.h"

static bool same_axis(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first == b->first && a->total == b->total && hy_axis_equal(a, b);
}

static bool same_shape(const struct hyla_matrix *a, const struct hyla_matrix *b) {
  return a->k == b->k && same_axis(&a->row, &b->row) && same_axis(&a->col, &b->col) &&
         a->layout.rest == b->layout.rest && (a->window == NULL) == (b->window == NULL);
}

/* Does the plan still fit?  It depends on all of the source and the target that is compared here.
 * The leading dimension may have changed on one rank only. */
static hyla_status find_plan(const struct hy_kept_move *kept, const hyla_matrix *from,
                             const hyla_matrix *to, bool *found) {
  int64_t missing = kept->move == NULL || !same_shape(&kept->from, from) ||
                    kept->shared != hy_window_shared(from->window) || !same_shape(&kept->to, to) ||
                    kept->to.ld != to->ld || kept->to.owner != to->owner;
  hyla_status status = hy_agree(from->cube, hy_cube_max(from->cube, &missing, 1));
  *found = missing == 0;
  return status;
}

/* Matrices without entries always lie alike. */
static bool lie_alike(const hyla_matrix *from, const hyla_matrix *to) {
  bool empty = from->row.n == 0 || from->col.n == 0;
  return empty || (hy_axis_equal(&from->row, &to->row) && hy_axis_equal(&from->col, &to->col));
}

/* Columns of a copy in PIECES pieces, each for one thread. */
enum { PIECES = 16 };
struct copying {
  const hyla_matrix *from;
  hyla_matrix *to;
};

static void copy_piece(void *arg, int64_t index, int thread) {
  const struct copying *c = arg;
  const int64_t cols = c->from->local_cols, first = index * cols / PIECES;
  const int64_t count = (index + 1) * cols / PIECES - first;
  (void)thread;
  c->from->k->copy(HYLA_NONE, (int)c->from->local_rows, (int)count, 1, hy_at(c->from, 0, first),
                   (int)c->from->ld, hy_at(c->to, 0, first), (int)c->to->ld);
}

/* Copies the matrix if that needs no redistribution, by the rank's threads if it is large; returns
 * whether it did. */
static bool copied(const hyla_matrix *from, hyla_matrix *to) {
  const int64_t worth = 1 << 20; /* bytes that are copied in the time of waking a thread */
  const int64_t bytes = from->local_rows * from->local_cols * (int64_t)from->k->size;
  struct hy_team *team = from->cube->session.team;
  struct copying copying = {from, to};
  if (!lie_alike(from, to)) return false;
  if (bytes == 0) return true; /* there may be no memory */
  struct hy_work work = {.piece = copy_piece,
                         .arg = &copying,
                         .count = PIECES,
                         .threads = bytes < worth ? 1 : hy_team_threads(team)};
  hy_team_do(team, &work);
  return true;
}

hyla_status hy_move_plan(hyla_plan *plan, struct hy_kept_move *kept, const hyla_matrix *from,
                         const hyla_matrix *to) {
  if (lie_alike(from, to)) return HYLA_OK;
  kept->shared = hy_window_shared(from->window);
  kept->from = *from;
  kept->to = *to;
  const hyla_transfer transfer = {HYLA_NONE, 1, &kept->from, &kept->to};
  hy_plan_adopt(plan, kept->what, NULL);
  TRY(hy_redistribute_make(plan->cube, 1, &transfer, NULL, NULL, &kept->move));
  hy_plan_adopt(plan, kept->what, kept->move);
  return HYLA_OK;
}

hyla_status hy_move_run(hyla_plan *plan, struct hy_kept_move *kept, const hyla_matrix *from,
                        hyla_matrix *to) {
  bool found = false;
  if (copied(from, to)) return HYLA_OK;
  TRY(find_plan(kept, from, to, &found));
  if (!found) TRY(hy_move_plan(plan, kept, from, to));
  kept->from = *from;
  kept->to = *to;
  return hy_agree(plan->cube, hy_plan_run(kept->move));
}

hyla_status hy_move_once(const hyla_matrix *from, hyla_matrix *to) {
  const hyla_transfer transfer = {HYLA_NONE, 1, from, to};
  return copied(from, to) ? HYLA_OK : hy_redistribute_once(from->cube, &transfer, NULL);
}

bool hy_move_copies(const hyla_matrix *from, const hyla_matrix *to) { return lie_alike(from, to); }
