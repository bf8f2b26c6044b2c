/* The variant band: values alone, A = Q1 B Q1^H with a band B = Q2 T Q2^H.
 *
 * Reference: Bischof, Lang and Sun 2000; Lang 1993; theory.md, eigen:band.  The parts are
 * lib/solve/tridiagonal and lib/solve/divide.
 * Layout: A in square blocks on an array; the band in runs on the ranks.
 * Flops: 4 n^3 / 3 for the band, all of it products of matrices, and 6 n^2 b for T. */
#include "solve/eigen.h"

#include <math.h>

struct state {
  struct hy_eigen_found found; /* first: the front reads it */
  hyla_cube *cube;
  const hyla_matrix *a;
  int64_t n;
  struct hy_two_stages *stages;
  struct hy_divide *divide;
};

static const char *applies(const void *problem) {
  const struct hy_eigen_task *task = problem;
  if (task->vectors) return "it finds values alone, without their vectors";
  return task->n > HY_SMALL ? NULL : "its errors are of some n ulp for orders up to 16";
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_eigen_task *task = given;
  hyla_cube *cube = task->cube;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  *s = (struct state){.cube = cube, .a = task->a, .n = task->n};
  const struct hy_divide_problem divide = {
      .cube = cube, .k = hy_cube_kernels(cube, hy_real_type(task->a->k->type)), .n = s->n};
  TRY(hy_stages_create(cube, task->a, s, &s->stages));
  TRY(hy_alloc_for(&cube->base, s, s->n, sizeof *s->found.values, &s->found.values));
  return hy_divide_create(&divide, s, &s->divide);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  TRY(hy_stages_allocate(s->stages));
  return hy_agree(s->cube, hy_divide_allocate(s->divide));
}

static hyla_status values(void *state) {
  struct state *s = state;
  const struct hy_two_stages *t = s->stages;
  TRY(hy_agree(s->cube, hy_stages_run(s->stages)));
  hy_part(s->cube, "tridiagonal form");
  TRY(hy_divide_run(s->divide, t->d, t->e, s->found.values, NULL));
  hy_part(s->cube, "values");
  s->found.merges = hy_divide_report(s->divide);
  return hy_agree(
      s->cube, hy_eigen_scale_back(s->cube, s->a->k, s->n, t->exponent, t->mean, s->found.values));
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&s->a->layout, layout, sizeof layout);
  hy_text_add(text, "  to a band of width %d as %s, then to tridiagonal form by sweeps\n",
              s->stages->width, layout);
}

static const struct hy_eigen_traits TRAITS = {values, NULL, false};

const struct hy_variant hy_eigen_band = {
    .name = "band",
    .reference = "bischof-2000, in two stages; lang-1993, parallel sweeps",
    .traits = &TRAITS,
    .asked = "only when asked for: values differ by roundings from those with vectors",
    .arrays = true,
    .applies = applies,
    .create = create,
    .allocate = allocate,
    .run = values,
    .explain = explain};
