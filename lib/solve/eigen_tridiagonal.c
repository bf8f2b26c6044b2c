/* The variants tridiagonal and fixed: A = Q T Q^H, T = Z L Z^T, vectors Q Z.
 *
 * Reference: Householder 1958; Dongarra, Hammarling and Sorensen 1989; theory.md,
 * eigen:tridiagonal.  The parts are lib/solve/tridiagonal and lib/solve/divide.
 * Layout: A and the vectors in square blocks on an array, T's vectors by rows on all nodes; between
 * the two the vectors are redistributed once.  Fixed: A and the vectors are whole on every node,
 * and each reduces A, and multiplies by Q, as one rank alone would, without a message.  T's values
 * and vectors have the same bits on any number of ranks; so have A's.
 * Flops, without deflation: 4 n^3 / 3 for the reduction, at most 4 n^3 / 3 for T's vectors and
 * 2 n^2 m for the back-transformation of m vectors. */
#include "solve/eigen.h"
#include "solve/orthogonal.h"

struct state {
  struct hy_eigen_found found; /* first: the front reads it */
  const struct hy_eigen_task *task;
  hyla_cube *cube;
  int64_t n;
  struct hy_tridiagonal *reduction;
  struct hy_divide *divide;         /* NULL: n is 0 */
  struct hy_orthogonal *orthogonal; /* NULL: no vectors */
  hyla_matrix counted;              /* z where the variant is played */
  hyla_matrix *z;                   /* NULL: no vectors */
};

static const char *applies(const void *problem) {
  const struct hy_eigen_task *task = problem;
  return task->n > HY_SMALL ? NULL : "its errors are of some n ulp for orders up to 16";
}

/* Products whose bits do not depend on the number of rows, which is the ranks' share. */
static const char *applies_fixed(const void *problem) {
  const struct hy_eigen_task *task = problem;
  const struct hy_kernels *real = hy_cube_kernels(task->cube, hy_real_type(task->k->type));
  return task->k->dry || hy_packed_best(real, task->cube->session.team) != NULL
             ? applies(problem)
             : "the bits of products depend on the number of ranks on this kind of processor";
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_eigen_task *task = given;
  hyla_cube *cube = task->cube;
  const bool vectors = task->v != NULL;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  *s = (struct state){.task = task, .cube = cube, .n = task->n, .z = task->z};
  const struct hy_tridiagonal_problem reduction = {
      .cube = cube, .a = task->a, .sides = task->v_col, .applies = vectors};
  const struct hy_divide_problem divide = {
      .cube = cube,
      .k = hy_cube_kernels(cube, hy_real_type(task->a->k->type)),
      .n = s->n,
      .vectors = vectors,
      .first = task->first,
      .end = task->end};
  TRY(hy_tridiagonal_create(&reduction, s, &s->reduction));
  TRY(hy_alloc_for(&cube->base, s, s->n, sizeof *s->found.values, &s->found.values));
  if (vectors) TRY(hy_orthogonal_create(task->v, s, &s->orthogonal));
  return s->n == 0 ? HYLA_OK : hy_divide_create(&divide, s, &s->divide);
}

/* Played, the variant has a matrix z of its own, without entries. */
static void count_z(struct state *s) {
  const hyla_layout layout = hy_divide_layout(s->cube, s->n);
  const struct hy_operand lies = {.row = hy_axis_make(&layout.row, s->n),
                                  .col = hy_axis_make(&layout.col, s->n),
                                  .in_place = hy_in_place_expected(s->cube)};
  s->counted = hy_matrix_counted(s->cube, hy_real_type(s->task->a->k->type), &lies);
  s->z = &s->counted;
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  if (s->task->v != NULL && s->z == NULL) count_z(s);
  TRY(hy_tridiagonal_allocate(s->reduction));
  hyla_status status = s->divide == NULL ? HYLA_OK : hy_divide_allocate(s->divide);
  if (status == HYLA_OK && s->orthogonal != NULL) status = hy_orthogonal_allocate(s->orthogonal);
  return hy_agree(s->cube, status);
}

static hyla_status values(void *state) {
  struct state *s = state;
  const struct hy_tridiagonal *t = s->reduction;
  TRY(hy_agree(s->cube, hy_tridiagonal_run(s->reduction)));
  hy_part(s->cube, "tridiagonal form");
  if (s->n == 0) return HYLA_OK;
  TRY(hy_divide_run(s->divide, t->d, t->e, s->found.values, s->z));
  hy_part(s->cube, "values");
  s->found.merges = hy_divide_report(s->divide);
  return hy_agree(s->cube,
                  hy_eigen_scale_back(s->cube, t->k, s->n, t->exponent, t->mean, s->found.values));
}

static hyla_status multiply(const struct state *s, const hyla_matrix *v) {
  TRY(hy_tridiagonal_apply(s->reduction, false, v));
  TRY(hy_orthogonal_run(s->orthogonal, v));
  hy_part(s->cube, "vectors");
  return HYLA_OK;
}

/* Whether the vectors took a step is known to nodes alone where it is not certain. */
static hyla_status vectors(void *state, int64_t first, const hyla_matrix *v) {
  struct state *s = state;
  bool *stepped = &s->found.orthogonalized;
  const hyla_status status = multiply(s, v);
  (void)first;
  *stepped = hy_orthogonal_certain(v);
  if (*stepped || hy_cube_counts(s->cube)) return status;
  TRY(hy_agree(s->cube, status));
  *stepped = hy_orthogonal_stepped(s->orthogonal);
  return hy_tell_guests(s->cube, stepped, sizeof *stepped);
}

static hyla_status run(void *state) {
  const struct state *s = state;
  TRY(values(state));
  return s->task->v == NULL ? HYLA_OK : vectors(state, 0, s->task->v);
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  const hyla_matrix *a = s->task->a;
  char layout[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&a->layout, layout, sizeof layout);
  hy_text_add(text, "  to tridiagonal form as %s, in panels of %d columns\n", layout,
              s->reduction->width);
  hy_explain_asked(&s->reduction->sums, "sums of a column", text);
  if (s->task->v != NULL) hy_orthogonal_explain(s->task->v, "vectors", text);
}

static const struct hy_eigen_traits TRAITS = {values, vectors, false};
static const struct hy_eigen_traits WHOLE = {values, vectors, true};

const struct hy_variant hy_eigen_tridiagonal = {.name = "tridiagonal",
                                                .reference = "dongarra-1989, section 3",
                                                .traits = &TRAITS,
                                                .arrays = true,
                                                .applies = applies,
                                                HY_OPERATIONS};

const struct hy_variant hy_eigen_fixed = {.name = "fixed",
                                          .reference = "dongarra-1989, section 3",
                                          .traits = &WHOLE,
                                          .asked = HY_FIXED_ASKED,
                                          .fixed = true,
                                          .arrays = true,
                                          .applies = applies_fixed,
                                          HY_OPERATIONS};
