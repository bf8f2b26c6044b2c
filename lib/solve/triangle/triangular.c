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

struct sizes {
  int64_t sums, blocks, solved, transposed, slot, ahead, packed, travels, messages; /* bytes */
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

static struct sizes sizes_of(const struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  const struct hy_substitution *s = &system->s;
  int64_t size = (int64_t)p->k->size, node = p->cube->address, nrhs = across(p)->n;
  struct sizes sizes = {0};
  if (node < 0) return sizes;
  if (!p->travelling) {
    sizes.sums = hy_substitution_sums(s, nrhs);
    sizes.blocks = (p->sweep ? 1 : 2) * s->array.block * nrhs * size;
    if (!p->sweep) return sizes;
    sizes.travels = 2 * hy_sweep_rows(s) * nrhs * size;
    sizes.messages = HY_SWEEP_MESSAGES * system->groups * (int64_t)sizeof *s->messages;
    sizes.slot = hy_ceil_div(s->array.block * hy_ceil_div(nrhs, system->groups) * size, 64) * 64;
    return sizes;
  }
  int64_t columns = hy_held_at(across(p), (int)node);
  bool ahead = runs_ahead(system), apart = s->array.row.parts > 1 || s->inverse || s->tiled;
  sizes.solved = apart && !ahead ? s->array.block * columns * size : 0;
  sizes.ahead = ahead ? hy_ceil_div(s->array.block * columns * size, 64) * 64 : 0;
  sizes.transposed = s->turn == HYLA_NONE ? 0 : hy_held_at(along(p), (int)node) * columns * size;
  sizes.slot = hy_substitution_slot(s);
  if (helped(p->cube) && hy_substitution_strips(s))
    sizes.packed = hy_packed_entries(hy_held(&s->array.row, 0), s->array.block) * size;
  return sizes;
}

/* Do panels travel, of the triangle or of the solution? */
static bool travels(const struct hy_triangular_system *system) {
  return system->problem.travelling || system->problem.sweep;
}

static hyla_status allocate_memory(struct hy_triangular_system *system) {
  struct hy_base *base = &system->problem.cube->base;
  struct hy_substitution *s = &system->s;
  const struct sizes sizes = sizes_of(system);
  TRY(hy_alloc_data_for(base, system->owner, sizes.sums, 1, &s->sums));
  TRY(hy_alloc_data_for(base, system->owner, sizes.blocks, 1, &s->blocks));
  TRY(hy_alloc_data_for(base, system->owner, sizes.solved, 1, &s->solved));
  TRY(hy_alloc_data_for(base, system->owner, sizes.transposed, 1, &s->transposed));
  TRY(hy_alloc_data_for(base, system->owner, sizes.packed, 1, &system->packed.entries));
  TRY(hy_alloc_data_for(base, system->owner, sizes.travels, 1, &s->travels));
  TRY(hy_alloc_control_for(base, system->owner, sizes.messages, 1, &s->messages));
  if (!system->problem.sweep) TRY(hy_subcube_allocate(&system->spreads));
  if (travels(system)) TRY(hy_subcube_allocate(&system->shares));
  return system->problem.travelling ? HYLA_OK : hy_subcube_allocate(&system->adds);
}

/* --------------------------------------------------------------- create -- */

/* Makes the groups by the longest message of any rank, so that all ranks choose alike. */
static hyla_status make_groups(struct hy_triangular_system *system) {
  const struct hy_triangular_problem *p = &system->problem;
  const struct hy_block_cyclic *array = &system->s.array;
  hyla_cube *cube = p->cube;
  size_t size = p->k->size;
  int64_t rows = hy_axis_most(&array->row), nrhs = across(p)->n;
  int64_t sides = p->travelling ? hy_axis_most(across(p)) : nrhs;
  int64_t columns = p->sweep ? hy_ceil_div(nrhs, system->groups) : sides;
  TRY(hy_subcube_make_for(system->owner, cube, array->row_dims, HY_TASK_BROADCAST,
                          array->block * columns, size, NULL,
                          p->sweep ? &system->shares : &system->spreads));
  if (p->travelling)
    return hy_subcube_make_for(system->owner, cube, array->col_dims, HY_TASK_BROADCAST,
                               rows * array->block, size, NULL, &system->shares);
  return hy_subcube_make_for(system->owner, cube, array->col_dims, HY_TASK_REDUCE,
                             hy_max(rows, array->block) * nrhs, size, NULL, &system->adds);
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
  bool guest = system->problem.cube->address < 0;
  TRY(hy_agree(system->problem.cube, guest ? HYLA_OK : allocate_memory(system)));
  s->adds = &system->adds;
  s->spreads = &system->spreads;
  s->groups = system->groups;
  system->packed.size = s->k->size;
  if (sizes_of(system).packed > 0)
    system->packed.products = hy_packed_best(s->k, s->cube->session.team);
  if (system->packed.products != NULL) s->packed = &system->packed;
  if (!travels(system)) return HYLA_OK;
  s->panels = &system->panels;
  TRY(hy_panels_create(system->owner, &system->shares, sizes_of(system).slot, &system->panels));
  if (!runs_ahead(system)) return HYLA_OK;
  s->ahead = &system->ahead;
  return hy_panels_create(system->owner, &system->spreads, sizes_of(system).ahead, &system->ahead);
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

static hyla_status substitute(const struct hy_triangular_problem *p,
                              const struct hy_substitution *s, const hyla_matrix *x) {
  if (p->sweep) return hy_substitute_sweep(s, x);
  return p->travelling ? hy_substitute_travelling(s, x) : hy_substitute_stationary(s, x);
}

hyla_status hy_triangular_run(const struct hy_triangular_system *system, const hyla_matrix *x) {
  return substitute(&system->problem, &system->s, x);
}
