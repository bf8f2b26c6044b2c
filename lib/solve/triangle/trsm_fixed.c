/* Triangular systems whose bits depend neither on the number of ranks nor on the layout.
 *
 * Reference: Golub and Van Loan 2013, section 3.1.
 * Layout: the triangle has block columns of a fixed width, each whole on one rank; the right-hand
 *   sides are dealt to all ranks, each whole on one.
 * Method: panels.h.  All block columns travel to all ranks; each rank solves for its own right-hand
 *   sides, by the same products on any number of ranks.
 * Example on 4 nodes: node q has block columns q, q + 4, ... of T and a fourth of the right-hand
 *   sides.  Block column k is broadcast by node k mod 4, and every node uses it for its own
 *   right-hand sides.
 * Steps, words: a broadcast of each block column to all ranks.
 * Flops: n^2 for each right-hand side, on one rank.
 * Memory: three panels of n times the width.
 * Restriction: none. */
#include "solve/triangle/triangle.h"

struct state {
  const struct hy_trsm_task *task;
  struct hy_fixed fixed;
  struct hy_subcube_op shares; /* block columns of the triangle */
  struct hy_panels panels;
};

/* The layout does not depend on that of the call's matrices. */
static struct hy_triangular_problem place(const struct hy_trsm_call *r) {
  const int64_t n = r->order, width = hy_fixed_width(r->nrhs);
  struct hy_triangular_problem p = hy_trsm_system_in(r, &r->a->layout);
  bool left = r->side == HYLA_LEFT;
  const struct hy_axis across = hy_axis_dealt(r->cube, width, r->nrhs);
  p.t_row = hy_axis_whole(n);
  p.t_col = hy_axis_dealt(r->cube, hy_fixed_block(n), n);
  p.x_row = left ? p.t_row : across;
  p.x_col = left ? across : p.t_row;
  p.form.block = hy_square_block(r->cube, &p.t_row, &p.t_col);
  return p;
}

static hyla_status create(const struct hy_variant *variant, const void *task, void **state) {
  const struct hy_trsm_task *asked = task;
  const struct hy_triangular_problem *p = &asked->system;
  const struct hy_triangular *form = &p->form;
  hyla_cube *cube = p->cube;
  struct state *s = NULL;
  bool left = form->side == HYLA_LEFT;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  s->task = asked;
  s->fixed = (struct hy_fixed){
      .cube = cube,
      .k = p->k,
      .array = hy_block_cyclic_at(&p->t_row, &p->t_col, form->block, cube->address),
      .tile = hy_fixed_width(left ? p->x_col.n : p->x_row.n),
      .side = form->side,
      .triangle = form->triangle,
      .op = form->op,
      .diagonal = form->diagonal};
  return hy_subcube_make_for(s, cube, hy_axis_mask(&p->t_col.code), HY_TASK_BROADCAST,
                             p->t_row.n * form->block, p->k->size, NULL, &s->shares);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  hyla_cube *cube = s->fixed.cube;
  int64_t bytes = cube->address < 0 ? 0 : hy_fixed_slot(&s->fixed);
  TRY(hy_agree(cube, cube->address < 0 ? HYLA_OK : hy_subcube_allocate(&s->shares)));
  TRY(hy_panels_create(s, &s->shares, bytes, &s->panels));
  s->fixed.t = s->task->t;
  s->fixed.panels = &s->panels;
  return HYLA_OK;
}

static hyla_status run(void *state) {
  const struct state *s = state;
  return s->fixed.cube->address < 0 ? HYLA_OK : hy_fixed_run(&s->fixed, s->task->x);
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  hy_fixed_explain(&s->fixed.array, s->fixed.tile, text);
  if (s->shares.schedules != NULL) hy_subcube_explain(&s->shares, "block columns", text);
}

const struct hy_variant hy_trsm_fixed = {
    .name = "fixed",
    .arrays = true,
    .reference = "golub-2013, section 3.1",
    .asked = HY_FIXED_ASKED,
    .fixed = true,
    .traits = &(const struct hy_trsm_traits){.place = place},
    HY_OPERATIONS,
};
