/* Triangular systems: the common part of the variants that substitute.  See triangle.h. */
#include "solve/triangle/triangle.h"

struct state {
  const struct hy_trsm_task *task;
  struct hy_triangular_system system;
};

hyla_status hy_trsm_create(const struct hy_variant *variant, const void *task, void **state) {
  const struct hy_trsm_task *asked = task;
  const struct hy_trsm_traits *traits = variant->traits;
  struct hy_triangular_problem problem = asked->system;
  struct state *s = NULL;
  TRY(hy_alloc(&problem.cube->base, 1, sizeof *s, &s));
  *state = s;
  s->task = asked;
  problem.travelling = traits->travelling;
  problem.sweep = traits->sweep;
  problem.form.tiled = traits->tiled;
  return hy_triangular_create(s, &problem, &s->system);
}

hyla_status hy_trsm_allocate(void *state) {
  struct state *s = state;
  return hy_triangular_allocate(&s->system, s->task->t);
}

hyla_status hy_trsm_run(void *state) {
  const struct state *s = state;
  if (s->system.problem.cube->address < 0) return HYLA_OK;
  return hy_triangular_run(&s->system, s->task->x);
}

void hy_trsm_explain(const void *state, struct hy_text *text) {
  const struct hy_triangular_system *system = &((const struct state *)state)->system;
  if (system->problem.sweep)
    hy_text_add(text, "  right-hand sides in %lld groups\n", (long long)system->groups);
  if (system->problem.sweep)
    hy_trsm_published(&system->problem, HY_TRSM_BY_SWEEP, system->groups, text);
  if (!system->problem.travelling)
    hy_subcube_explain(&system->adds, "sums of right-hand sides", text);
  if (system->problem.travelling && system->shares.schedules != NULL)
    hy_subcube_explain(&system->shares, "block columns of the triangle", text);
  if (!system->problem.sweep)
    hy_subcube_explain(&system->spreads, "blocks of the solution", text);
  else if (system->shares.schedules != NULL)
    hy_subcube_explain(&system->shares, "blocks of the solution", text);
}
