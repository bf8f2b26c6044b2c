/* Triangular systems with the collectives and the memory of their substitution.  See triangle.h. */
#include "solve/triangle/triangle.h"

/* Stands for the matrix until it exists. */
static struct hyla_matrix likeness(const struct hy_triangular_problem *p) {
  return (struct hyla_matrix){.cube = p->cube, .k = p->k, .row = p->t_row, .col = p->t_col};
}

static struct hy_substitution substitution(const struct hy_triangular_problem *p,
                                           const hyla_matrix *t) {
  struct hy_triangular form = p->form;
  form.t = t;
  return hy_substitution_of(&form);
}

/* The axis of X along the left form's rows, and the axis across. */
static const struct hy_axis *along(const struct hy_triangular_problem *p) {
  return p->form.side == HYLA_LEFT ? &p->x_row : &p->x_col;
}
static const struct hy_axis *across(const struct hy_triangular_problem *p) {
  return p->form.side == HYLA_LEFT ? &p->x_col : &p->x_row;
}

/* --------------------------------------------------------------- memory -- */

/* Bytes of a panel, and of a block of X that is made ahead. */
struct slots {
  int64_t panel, ahead;
};

/* Are blocks of X made ahead? */
static bool runs_ahead(const struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  return p->travelling && !p->form.inverse && system->s.array.row.parts > 1;
}

/* Does the rank have a team, on a counting cube the rank that it stands for? */
static bool helped(const hyla_cube *cube) {
  return hy_cube_counts(cube) ? cube->session.threads > 1 : cube->session.team != NULL;
}

/* Do panels travel, of the triangle or of the solution? */
static bool travels(const struct hy_triangular_system *system) {
  return system->problem.travelling || system->problem.sweep;
}

static struct slots slots_of(const struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  const struct hy_substitution *s = &system->s;
  const int64_t entry = s->array.block * (int64_t)p->k->size, nrhs = across(p)->n;
  if (p->cube->address < 0) return (struct slots){0};
  if (p->sweep)
    return (struct slots){.panel = hy_ceil_div(entry * hy_ceil_div(nrhs, system->groups), 64) * 64};
  return (struct slots){.panel = hy_substitution_slot(s),
                        .ahead =
                            hy_ceil_div(entry * hy_held_at(across(p), p->cube->address), 64) * 64};
}

static hyla_status allocate_stationary(struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  struct hy_substitution *s = &system->s;
  const int64_t size = (int64_t)p->k->size, nrhs = across(p)->n;
  const int64_t messages = p->sweep ? HY_SWEEP_MESSAGES * system->groups : 0;
  const struct hy_owned arrays[] = {
      {&s->sums, hy_substitution_sums(s, nrhs)},
      {&s->blocks, (p->sweep ? 1 : 2) * s->array.block * nrhs * size},
      {&s->travels, p->sweep ? 2 * hy_sweep_rows(s) * nrhs * size : 0},
      {0}};
  struct hy_subcube_op *const groups[] = {p->sweep ? &system->shares : &system->spreads,
                                          &system->adds, NULL};
  TRY(hy_alloc_control_for(&p->cube->base, system->owner, messages, sizeof *s->messages,
                           &s->messages));
  TRY(hy_take_arrays(&p->cube->base, system->owner, arrays));
  return hy_allocate_groups(groups);
}

static hyla_status allocate_travelling(struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  struct hy_substitution *s = &system->s;
  const struct hy_block_cyclic *array = &s->array;
  const int64_t size = (int64_t)p->k->size, columns = hy_held_at(across(p), p->cube->address);
  const int64_t rows = hy_held_at(along(p), p->cube->address);
  const bool apart = array->row.parts > 1 || s->inverse || s->tiled;
  const bool packs = helped(p->cube) && hy_substitution_strips(s);
  const int64_t packed = hy_packed_entries(array->rows, array->block) * size;
  const struct hy_owned arrays[] = {
      {&s->solved, apart && !runs_ahead(system) ? array->block * columns * size : 0},
      {&s->transposed, s->turn == HYLA_NONE ? 0 : rows * columns * size},
      {&system->packed.entries, packs ? packed : 0},
      {0}};
  struct hy_subcube_op *const groups[] = {&system->spreads, &system->shares, NULL};
  TRY(hy_take_arrays(&p->cube->base, system->owner, arrays));
  system->packed.size = s->k->size;
  if (packs) system->packed.products = hy_packed_best(s->k, s->cube->session.team);
  if (system->packed.products != NULL) s->packed = &system->packed;
  return hy_allocate_groups(groups);
}

/* --------------------------------------------------------------- create -- */

static hyla_status make_groups(struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  const struct hy_block_cyclic *array = &system->s.array;
  const size_t size = p->k->size;
  const int64_t block = array->block, rows = hy_axis_most(&array->row), nrhs = across(p)->n;
  const int64_t sides = p->travelling ? hy_axis_most(across(p)) : nrhs;
  const int64_t columns = p->sweep ? hy_ceil_div(nrhs, system->groups) : sides;
  const struct hy_group travelling = {&system->shares, array->col_dims, HY_TASK_BROADCAST,
                                      rows * block, size};
  const struct hy_group stationary = {&system->adds, array->col_dims, HY_TASK_REDUCE,
                                      hy_max(rows, block) * nrhs, size};
  const struct hy_group groups[] = {{p->sweep ? &system->shares : &system->spreads, array->row_dims,
                                     HY_TASK_BROADCAST, block * columns, size},
                                    p->travelling ? travelling : stationary,
                                    {0}};
  return hy_make_groups(system->owner, p->cube, groups);
}

hyla_status hy_triangular_create(void *owner, const struct hy_triangular_problem *problem,
                                 struct hy_triangular_system *system) {
  *system = (struct hy_triangular_system){.owner = owner, .problem = *problem};
  const struct hyla_matrix t = likeness(problem);
  system->s = substitution(problem, &t);
  system->s.t = NULL; /* until allocate */
  system->groups = problem->sweep ? hy_sweep_groups(&system->s, across(problem)->n) : 0;
  return make_groups(system);
}

hyla_status hy_triangular_allocate(struct hy_triangular_system *system, const hyla_matrix *t) {
  struct hy_substitution *s = &system->s;
  *s = substitution(&system->problem, t);
  hyla_status mine = HYLA_OK;
  if (system->problem.cube->address >= 0)
    mine = system->problem.travelling ? allocate_travelling(system) : allocate_stationary(system);
  TRY(hy_agree(system->problem.cube, mine));
  s->adds = &system->adds;
  s->spreads = &system->spreads;
  s->groups = system->groups;
  if (!travels(system)) return HYLA_OK;
  s->panels = &system->panels;
  TRY(hy_panels_create(system->owner, &system->shares, slots_of(system).panel, &system->panels));
  if (!runs_ahead(system)) return HYLA_OK;
  s->ahead = &system->ahead;
  return hy_panels_create(system->owner, &system->spreads, slots_of(system).ahead, &system->ahead);
}

hyla_status hy_triangular_of_factors(void *owner, const struct hy_factorization *problem,
                                     struct hy_triangular form,
                                     struct hy_triangular_system *system) {
  bool transposed = form.op != HYLA_NONE;
  const struct hy_triangular_problem wanted = {
      .cube = problem->cube,
      .k = problem->k,
      .t_row = problem->row,
      .t_col = problem->col,
      .x_row = transposed ? problem->turned_row : problem->row,
      .x_col = transposed ? problem->turned_col : problem->x_col,
      .travelling = problem->nrhs > HY_STATIONARY_NRHS,
      .form = form};
  return hy_triangular_create(owner, &wanted, system);
}

hyla_status hy_triangular_run(const struct hy_triangular_system *system, const hyla_matrix *x) {
  const struct hy_substitution *s = &system->s;
  if (system->problem.sweep) return hy_substitute_sweep(s, x);
  return system->problem.travelling ? hy_substitute_travelling(s, x)
                                    : hy_substitute_stationary(s, x);
}
