/* Where variants of trsm want the triangle and X; see triangle.h. */
#include "solve/triangle/triangle.h"

#include <string.h>

/* The axis across the solution's: B's own if it lies over these dimensions, otherwise cyclic with a
 * share for each part. */
static struct hy_axis axis_across(const struct hy_axis *own, const struct hy_axis *over) {
  bool whole = own->first == 0 && own->total == own->n;
  if (whole && own->code.dims == over->code.dims && own->code.code == over->code.code &&
      memcmp(own->code.dim, over->code.dim, (size_t)over->code.dims) == 0)
    return *own;
  hyla_axis code = over->code;
  code.storage = HYLA_CYCLIC;
  code.block = hy_max(1, hy_min(hy_ceil_div(own->n, over->parts), hy_max(1, over->block)));
  return hy_axis_make(&code, own->n);
}

/* The layout of X that goes with the layout of the triangle. */
static void place_x(struct hy_triangular_problem *p, const struct hy_trsm_call *r) {
  bool left = r->side == HYLA_LEFT, by_rows = left == (p->form.op == HYLA_NONE);
  const struct hy_axis *along = by_rows ? &p->t_row : &p->t_col;
  const struct hy_axis *over = by_rows ? &p->t_col : &p->t_row;
  const struct hy_axis across = axis_across(left ? &r->b->col : &r->b->row, over);
  p->x_row = left ? *along : across;
  p->x_col = left ? across : *along;
}

struct hy_triangular_problem hy_trsm_system_in(const struct hy_trsm_call *r,
                                               const hyla_layout *layout) {
  struct hy_triangular_problem p = {.cube = r->cube, .k = r->a->k};
  p.t_row = hy_axis_make(&layout->row, r->order);
  p.t_col = hy_axis_make(&layout->col, r->order);
  p.form = (struct hy_triangular){.block = hy_triangle_block(r->cube, &p.t_row, &p.t_col, r->nrhs),
                                  .side = r->side,
                                  .triangle = r->triangle,
                                  .op = r->op,
                                  .diagonal = r->diagonal};
  place_x(&p, r);
  return p;
}

/* Is it no part of another matrix, or one that begins where that does? */
static bool is_whole(const hyla_matrix *a) { return a->row.first == 0 && a->col.first == 0; }

static bool b_serves(const struct hy_triangular_problem *p, const struct hy_trsm_call *r) {
  return r->b->unused_dims == 0 && hy_axis_equal(&r->b->row, &p->x_row) &&
         hy_axis_equal(&r->b->col, &p->x_col);
}

/* A is moved as op(A) if B can then keep its layout, and B is not much smaller than A: otherwise B
 * would be moved there and back whole, but only half of A is moved, and once. */
static void turn_triangle(struct hy_triangular_problem *p, const struct hy_trsm_call *r) {
  const struct hy_triangular_problem as_given = *p;
  if (r->op == HYLA_NONE || b_serves(p, r) || r->order > HY_NRHS_ENOUGH * r->nrhs) return;
  p->form.op = HYLA_NONE;
  p->form.triangle = r->triangle == HYLA_LOWER ? HYLA_UPPER : HYLA_LOWER;
  place_x(p, r);
  if (!b_serves(p, r)) *p = as_given;
}

struct hy_triangular_problem hy_trsm_place_brought(const struct hy_trsm_call *r) {
  const bool fits = is_whole(r->a) && hy_triangle_fits(r->a, r->nrhs);
  const hyla_layout layout = fits ? r->a->layout : hy_triangle_layout(r->cube, r->order);
  struct hy_triangular_problem p = hy_trsm_system_in(r, &layout);
  turn_triangle(&p, r);
  return p;
}

struct hy_triangular_problem hy_trsm_place_square(const struct hy_trsm_call *r) {
  const bool serves = is_whole(r->a) && hy_triangle_serves(r->a);
  return serves ? hy_trsm_system_in(r, &r->a->layout) : hy_trsm_place_brought(r);
}
