/* The variants jacobi-*: singular values by one-sided Jacobi rotations of a triangle.
 *
 * Reference: Demmel and Veselic 1992, for the accuracy; Drmac and Veselic 2008, for what is rotated
 * and for vectors to begin with; each ordering's file names its own.  theory.md, svd:jacobi-*.
 * Layout: whole columns, dealt out in blocks; for rotations consecutive ones on each node.
 * Method: D = diag(2^e_j) with e_j the exponent of A's column j; then, all by parts of lib/solve,
 *
 *   A D^-1 = Q1 R               (solve/qr; columns of zeros are no failure)
 *   R D P = Q2 T                (solve/pivoted: T's rows fall; a row of zeros ends its rank)
 *   T^H = Q3 L^H                (solve/qr: L has T's rank, and is graded as T's rows are)
 *   L W = Z S                   (solve/jacobi)
 *   U = Q1 Q2 [Z; 0], V = P Q3 W, each polished (svd_round.c)
 *
 *   Every step changes columns of A, or rows of L, by rounding relative to their own size alone.  L
 *   and W have the rank's order, and the identity stands for the rest: so what belongs to zeros is
 *   orthogonal by itself.  Where L is large, and its columns differ by little, the rotations begin
 *   with vectors of L by another method (svd_start.c): a sweep or two are left.
 * Flops besides the sweeps': 2 m n^2 - 2 n^3 / 3 for R, 4 n^3 / 3 each for T and L, 8 m n^2 and
 * 6 n^3 for U and V.  Memory: five matrices of order n, those of svd_start.c, and of
 * solve/jacobi. */
#include "solve/jacobi/jacobi.h"
#include "solve/pivoted/pivoted.h"
#include "solve/qr/qr.h"
#include "solve/svd.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Orders from which on rotations begin with vectors; sweeps that are expected without and with
 * them. */
enum { STARTED = 96, EXPECTED = 6, EXPECTED_STARTED = 3 };

/* A matrix of reflections. */
struct unitary {
  struct hy_factorization problem;
  struct hy_factors factors;
  struct hy_qr *q;
};

/* Square workspaces: R and later T and Q2; T^H and later Q3; L; Z; vectors to begin with if V is
 * not wanted; Z, then W, for Q. */
enum { T, Q3, L, Z, START, SIDE, SQUARES };

struct state {
  struct hy_svd_found found; /* first: the front reads it */
  const struct hy_svd_task *task;
  hyla_cube *cube;
  const struct hy_kernels *k;
  struct unitary first, second, third;
  struct hy_pivoted_task pivots;
  void *pivoted;
  struct hy_jacobi *jacobi;
  struct hy_svd_start *start; /* NULL: L is small */
  bool starts;                /* of this run, the same on all ranks */
  struct hy_svd_square square[SQUARES];
  struct hy_release release;
  /* T^H to Q3, L; Z to SIDE, W to SIDE and V to its place. */
  struct hy_direct *turn, *lower, *left, *right[2];
  struct hy_svd_round round;
  double *looks;               /* n: the exponents of a matrix' columns */
  int32_t *exponent, *grading; /* of A's columns; of T's rows */
  double _Complex *tau;
  int64_t *columns;
  char *column; /* n entries */
  struct hy_subcube_op all, one;
  double sum;
};

/* A row: the traits that all methods have, and the ordering. */
struct traits {
  struct hy_svd_traits svd; /* first: the front reads it */
  const struct hy_jacobi_ordering *ordering;
};

static hyla_layout dealt(const hyla_cube *cube, int64_t m, int64_t n) {
  const struct hy_axis rows = hy_axis_whole(m),
                       cols = hy_axis_dealt(cube, hy_pivoted_block(cube, n), n);
  return (hyla_layout){.row = rows.code, .col = cols.code};
}

static void layouts(const hyla_cube *cube, int64_t m, int64_t n, hyla_layout *a, hyla_layout *u,
                    hyla_layout *v) {
  *a = *u = dealt(cube, m, n);
  *v = hy_jacobi_layout(cube, n);
}

/* Paths of balanced codes are made on the stack. */
static const char *applies(const void *given) {
  const struct hy_svd_task *task = given;
  return task->cube->dims > 12 ? "the cube has more than 2^12 nodes" : NULL;
}

static bool vectors(const struct state *s) { return s->task->wants_u || s->task->wants_v; }

static bool is_large(const struct state *s) { return s->task->n >= STARTED; }

/* -------------------------------------------------------------------- memory -- */

static void release(struct hy_release *self) {
  struct state *s = (struct state *)(void *)((char *)self - offsetof(struct state, release));
  struct hy_direct **const moves[] = {&s->right[1], &s->right[0], &s->left, &s->lower, &s->turn};
  hy_free(&s->cube->base, &s->start);
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) hy_direct_destroy(moves[i]);
  hy_free(&s->cube->base, &s->third.q);
  hy_free(&s->cube->base, &s->second.q);
  hy_free(&s->cube->base, &s->pivoted);
  hy_free(&s->cube->base, &s->first.q);
  for (int i = SQUARES - 1; i >= 0; i--) hy_svd_square_destroy(&s->square[i]);
}

/* a: what is factored, or has the vectors. */
static void describe(const struct state *s, hyla_matrix *a, struct unitary *q) {
  q->factors = (struct hy_factors){.a = a};
  q->problem = (struct hy_factorization){.cube = s->cube,
                                         .method = &hy_methods[HYLA_QR],
                                         .k = s->k,
                                         .m = a->row.n,
                                         .n = a->col.n,
                                         .nrhs = a->col.n,
                                         .layout = a->layout,
                                         .x_layout = a->layout,
                                         .row = a->row,
                                         .col = a->col,
                                         .x_col = a->col,
                                         .factors = &q->factors,
                                         .through = true};
}

static hyla_status take_arrays(struct state *s) {
  struct hy_base *base = &s->cube->base;
  const int64_t n = hy_max(1, s->task->n);
  TRY(hy_alloc_control_for(base, s, n, sizeof *s->looks, &s->looks));
  TRY(hy_alloc_control_for(base, s, n, sizeof *s->exponent, &s->exponent));
  TRY(hy_alloc_control_for(base, s, n, sizeof *s->grading, &s->grading));
  TRY(hy_alloc_control_for(base, s, n, sizeof *s->columns, &s->columns));
  TRY(hy_alloc_control_for(base, s, n, sizeof *s->tau, &s->tau));
  return hy_alloc_data_for(base, s, n, s->k->size, &s->column);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_svd_task *task = given;
  const struct traits *traits = variant->traits;
  hyla_cube *cube = task->cube;
  struct state *s = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  *s = (struct state){.task = task, .cube = cube, .k = task->a->k};
  s->release.release = release;
  hy_on_free(s, &s->release);
  const struct hy_jacobi_problem problem = {.cube = cube,
                                            .k = s->k,
                                            .m = task->n,
                                            .n = task->n,
                                            .v_wanted = task->wants_v,
                                            .expected = is_large(s) ? EXPECTED_STARTED : EXPECTED,
                                            .ordering = traits->ordering};
  TRY(hy_jacobi_create(&problem, s, &s->jacobi));
  TRY(take_arrays(s));
  if (task->n == 0) return HYLA_OK;
  describe(s, task->a, &s->first);
  TRY(hy_qr_create(&s->first.problem, hy_qr_householder.traits, &s->first.q));
  const struct hy_group groups[] = {
      {&s->all, hy_all_dims(cube), HY_TASK_ALLREDUCE, task->n, sizeof *s->looks},
      {&s->one, hy_all_dims(cube), HY_TASK_ALLREDUCE, 1, sizeof s->sum},
      {0}};
  return hy_make_groups(s, cube, groups);
}

static hyla_status make_squares(struct state *s) {
  const int64_t n = s->task->n;
  const hyla_layout blocks = dealt(s->cube, n, n), whole = hy_jacobi_layout(s->cube, n);
  const hyla_layout *const layouts[SQUARES] = {[T] = &blocks, [Q3] = &blocks,   [L] = &whole,
                                               [Z] = &whole,  [START] = &whole, [SIDE] = &blocks};
  const bool wanted[SQUARES] = {[T] = true,
                                [Q3] = true,
                                [L] = true,
                                [Z] = true,
                                [START] = is_large(s) && !s->task->wants_v,
                                [SIDE] = vectors(s)};
  for (int i = 0; i < SQUARES; i++)
    if (wanted[i]) TRY(hy_svd_square_make(s->cube, s->k->type, n, layouts[i], &s->square[i]));
  return HYLA_OK;
}

static hyla_matrix *square(const struct state *s, int which) { return s->square[which].m; }

/* Vectors to begin with. */
static hyla_matrix *begun(const struct state *s) {
  return s->task->wants_v ? s->task->v : square(s, START);
}

static hyla_status plan_move(const struct state *s, hyla_operation op, enum hy_part part,
                             const hyla_matrix *from, hyla_matrix *to, struct hy_direct **move) {
  const hyla_transfer transfer = {op, 1, from, to};
  return hy_direct_create_parts(s->cube, &transfer, &part, 1, move);
}

static hyla_status make_moves(struct state *s) {
  const struct hy_svd_task *task = s->task;
  TRY(plan_move(s, HYLA_CONJUGATE, HY_LOWER_PART, square(s, T), square(s, Q3), &s->turn));
  TRY(plan_move(s, HYLA_CONJUGATE, HY_LOWER_PART, square(s, Q3), square(s, L), &s->lower));
  if (task->wants_u)
    TRY(plan_move(s, HYLA_NONE, HY_WHOLE, square(s, Z), square(s, SIDE), &s->left));
  if (!task->wants_v) return HYLA_OK;
  TRY(plan_move(s, HYLA_NONE, HY_WHOLE, task->v, square(s, SIDE), &s->right[0]));
  return plan_move(s, HYLA_NONE, HY_WHOLE, square(s, SIDE), task->v, &s->right[1]);
}

/* The most columns that a node has in either layout. */
static int64_t share_of(const struct state *s) {
  const hyla_matrix *t = square(s, T);
  const int64_t block = t->col.block * t->col.parts;
  return hy_max(square(s, L)->col.block, hy_ceil_div(s->task->n, block) * t->col.block);
}

/* What needs the squares. */
static hyla_status make_parts(struct state *s) {
  s->pivots = (struct hy_pivoted_task){
      .cube = s->cube, .a = square(s, T), .tau = s->tau, .columns = s->columns};
  TRY(hy_pivoted_classic.create(&hy_pivoted_classic, &s->pivots, &s->pivoted));
  describe(s, square(s, Q3), &s->third);
  TRY(hy_qr_create(&s->third.problem, hy_qr_householder.traits, &s->third.q));
  TRY(hy_svd_round_make(s->cube, s->k, s->task->wants_u ? s->task->m : s->task->n, share_of(s), s,
                        &s->round));
  return make_moves(s);
}

static hyla_status allocate_groups(struct state *s) {
  struct hy_subcube_op *const groups[] = {&s->all, &s->one, NULL};
  return s->cube->address < 0 ? HYLA_OK : hy_allocate_groups(groups);
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  TRY(hy_jacobi_allocate(s->jacobi));
  if (s->task->n == 0) return HYLA_OK;
  TRY(hy_qr_allocate(s->first.q));
  TRY(make_squares(s));
  TRY(hy_agree(s->cube, make_parts(s)));
  TRY(hy_pivoted_classic.allocate(s->pivoted));
  TRY(hy_qr_allocate(s->third.q));
  if (s->task->wants_u) {
    describe(s, square(s, T), &s->second);
    TRY(hy_qr_given(&s->second.problem, s->tau, &s->second.q));
  }
  if (is_large(s)) TRY(hy_svd_start_make(square(s, L), begun(s), &s->start));
  return hy_agree(s->cube, allocate_groups(s));
}

/* --------------------------------------------------------------------- run -- */

static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  double *to = into;
  const double *others = from;
  for (int64_t i = 0; i < count && !k->dry; i++) to[i] = fmax(to[i], others[i]);
}

static void add(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  double *to = into;
  const double *others = from;
  for (int64_t i = 0; i < count && !k->dry; i++) to[i] += others[i];
}

enum { NONE = -1000000, INFINITE = 1000000 };

/* The exponent of a column's part here. */
static double exponent_of(const struct state *s, const hyla_matrix *a, int64_t c) {
  const struct hy_norm largest = hy_norm_largest(s->k, a->local_rows, 1, hy_at(a, 0, c), a->ld);
  if (!isfinite(largest.value)) return INFINITE;
  return largest.value == 0 ? NONE : largest.exponent;
}

/* All nodes learn the exponents of all columns; a column of zeros has the least of all. */
static hyla_status look(struct state *s, const hyla_matrix *a, int32_t *exponent) {
  const int64_t n = s->task->n;
  double least = INFINITE;
  for (int64_t j = 0; j < n && !s->k->dry; j++) s->looks[j] = NONE;
  for (int64_t c = 0; c < a->local_cols && a->local_rows > 0 && !s->k->dry; c++)
    s->looks[hyla_matrix_col(a, c)] = exponent_of(s, a, c);
  hy_count_read(s->cube, a->local_rows * a->local_cols);
  TRY(hy_subcube_allreduce(&s->all, s->looks, n, take_larger, s->k));
  if (s->k->dry) return HYLA_OK;
  for (int64_t j = 0; j < n; j++) {
    CHECK(&s->cube->base, s->looks[j] < INFINITE, NOT_FINITE,
          "column %lld, counted from 0, has an entry that is not finite", (long long)j);
    if (s->looks[j] > NONE) least = fmin(least, s->looks[j]);
  }
  for (int64_t j = 0; j < n; j++)
    exponent[j] = least == INFINITE ? 0 : (int32_t)fmax(least, s->looks[j]);
  return HYLA_OK;
}

/* The power of two that takes numbers with these exponents to the top of the range. */
static int shift_of(const struct state *s, const int32_t *exponent) {
  int32_t largest = exponent[0];
  if (s->k->dry) return 0;
  for (int64_t j = 1; j < s->task->n; j++)
    if (exponent[j] > largest) largest = exponent[j];
  return hy_jacobi_top(s->k) - largest;
}

static void scale_columns(const struct state *s, const hyla_matrix *a, const int32_t *exponent,
                          int sign, int more) {
  for (int64_t c = 0; c < a->local_cols && a->local_rows > 0 && !s->k->dry; c++)
    hy_shift(s->k, a->local_rows, sign * exponent[hyla_matrix_col(a, c)] + more, hy_at(a, 0, c));
}

/* Columns from `first' on. */
static void clear_columns(const struct state *s, const hyla_matrix *a, int64_t first) {
  for (int64_t c = 0; c < a->local_cols && a->local_rows > 0 && !s->k->dry; c++)
    if (hyla_matrix_col(a, c) >= first)
      memset(hy_at(a, 0, c), 0, (size_t)a->local_rows * s->k->size);
}

/* T := R. */
static void copy_triangle(const struct state *s) {
  const hyla_matrix *a = s->task->a, *t = square(s, T);
  clear_columns(s, t, 0);
  for (int64_t c = 0; c < t->local_cols && !s->k->dry; c++)
    hy_copy_entries(s->k, hy_at(t, 0, c), hy_at(a, 0, c), hyla_matrix_col(t, c) + 1);
  hy_count_copied(s->cube, t->local_rows * t->local_cols);
}

/* Entries at the end of T's columns that are together below rounding of the whole column become
 * zeros: the column depends on those before it, and what is left of it is noise of any size. */
static void cut_tails(const struct state *s) {
  const hyla_matrix *t = square(s, T);
  const int64_t n = s->task->n;
  const double least = (double)n * s->k->epsilon;
  hy_count_read(s->cube, n * t->local_cols);
  for (int64_t c = 0; c < t->local_cols && !s->k->dry; c++) {
    int64_t rows = hyla_matrix_col(t, c) + 1;
    const double size = hy_pivoted_norm(s->k, rows, hy_at(t, 0, c));
    double tail = 0;
    while (rows > 0 && size > 0) {
      tail = hypot(tail, cabs(s->k->get(hy_at(t, rows - 1, c), 0)) / size);
      if (tail > least) break;
      s->k->set(hy_at(t, --rows, c), 0, 0);
    }
  }
}

/* A D^-1 = Q1 R and R D P = Q2 T, with T's rows scaled by 2^shift. */
static hyla_status pivot(struct state *s, int *shift) {
  TRY(look(s, s->task->a, s->exponent));
  scale_columns(s, s->task->a, s->exponent, -1, 0);
  TRY(hy_qr_householder.run(s->first.q));
  hy_part(s->cube, "triangular form");
  copy_triangle(s);
  *shift = shift_of(s, s->exponent);
  scale_columns(s, square(s, T), s->exponent, 1, *shift);
  TRY(hy_pivoted_classic.run(s->pivoted));
  cut_tails(s);
  hy_part(s->cube, "pivots");
  return HYLA_OK;
}

/* The rows of T up to the last one that is not zero, nor too small for its digits. */
static int64_t rank_of(const struct state *s, int shift) {
  int64_t rank = s->task->n;
  if (s->k->dry) return rank;
  while (rank > 0 && s->looks[rank - 1] + shift <= hy_jacobi_tiny(s->k)) rank--;
  return rank;
}

/* T^H = Q3 L^H; L without its rows' sizes. */
static hyla_status turn(struct state *s, int shift) {
  struct hy_jacobi_problem *p = &s->jacobi->problem;
  const hyla_matrix *t = square(s, Q3);
  clear_columns(s, t, 0);
  TRY(hy_direct_run(s->turn));
  TRY(look(s, t, s->grading));
  p->live = rank_of(s, shift_of(s, s->grading));
  clear_columns(s, t, p->live);
  scale_columns(s, t, s->grading, -1, 0);
  TRY(hy_qr_householder.run(s->third.q));
  for (int64_t i = 0; i < s->task->n && !s->k->dry; i++) s->grading[i] -= shift;
  clear_columns(s, square(s, L), 0);
  TRY(hy_direct_run(s->lower));
  hy_part(s->cube, "triangular form");
  return HYLA_OK;
}

/* Do L's rows differ so little that vectors by another method are good ones? */
static bool may_start(const struct state *s) {
  int32_t least = s->grading[0], most = least;
  if (s->start == NULL || s->k->dry) return s->start != NULL;
  for (int64_t i = 1; i < s->task->n; i++) {
    if (s->grading[i] < least) least = s->grading[i];
    if (s->grading[i] > most) most = s->grading[i];
  }
  return s->jacobi->problem.live == s->task->n && 2 * (most - least) < -ilogb(s->k->epsilon);
}

/* L, or what rotations are to begin with. */
static hyla_status prepare(struct state *s) {
  struct hy_jacobi_problem *p = &s->jacobi->problem;
  const hyla_matrix *l = square(s, L);
  int shift = 0;
  if (s->cube->address < 0) return HYLA_OK;
  TRY(pivot(s, &shift));
  TRY(turn(s, shift));
  p->shift = shift_of(s, s->grading);
  s->starts = may_start(s);
  for (int64_t c = 0; c < l->local_cols && s->starts && !s->k->dry; c++)
    hy_scale_powers(s->k, (int)s->task->n, s->grading, p->shift, hy_at(l, 0, c));
  return HYLA_OK;
}

/* Row i of x becomes row columns[i]. */
static void permute(const struct state *s, const hyla_matrix *x) {
  for (int64_t c = 0; c < x->local_cols && !s->k->dry; c++) {
    char *own = hy_at(x, 0, c);
    hy_copy_entries(s->k, s->column, own, s->task->n);
    for (int64_t i = 0; i < s->task->n; i++)
      memcpy(own + s->columns[i] * (int64_t)s->k->size, s->column + i * (int64_t)s->k->size,
             s->k->size);
  }
  hy_count_copied(s->cube, 2 * s->task->n * x->local_cols);
}

/* U = Q1 [Q2 Z; 0]. */
static hyla_status expand_left(struct state *s) {
  const hyla_matrix *u = s->task->u, *side = square(s, SIDE);
  TRY(hy_direct_run(s->left));
  TRY(hy_qr_apply(s->second.q, HY_Q_PLAIN, side));
  clear_columns(s, u, 0);
  for (int64_t c = 0; c < u->local_cols && !s->k->dry; c++)
    hy_copy_entries(s->k, hy_at(u, 0, c), hy_at(side, 0, c), s->task->n);
  hy_count_copied(s->cube, u->local_rows * u->local_cols);
  TRY(hy_qr_apply(s->first.q, HY_Q_PLAIN, u));
  return hy_svd_polish(&s->round, u);
}

/* V = P Q3 W. */
static hyla_status expand_right(struct state *s) {
  TRY(hy_direct_run(s->right[0]));
  TRY(hy_qr_apply(s->third.q, HY_Q_PLAIN, square(s, SIDE)));
  TRY(hy_svd_polish(&s->round, square(s, SIDE)));
  TRY(hy_direct_run(s->right[1]));
  permute(s, s->task->v);
  return HYLA_OK;
}

/* The condition of A D^-1 in the Frobenius norm, D the columns' sizes, from V and S: A D^-1 has the
 * inverse D V S^-1 U^H. */
static hyla_status find_condition(struct state *s) {
  const hyla_matrix *v = s->task->v;
  const double *values = s->jacobi->values;
  s->sum = 0;
  for (int64_t c = 0; c < v->local_cols && !s->k->dry; c++) {
    int exponent;
    const double value = frexp(values[hyla_matrix_col(v, c)], &exponent);
    for (int64_t i = 0; i < s->task->n; i++) {
      const double entry = cabs(s->k->get(hy_at(v, i, c), 0));
      const double share = entry > 0 ? ldexp(entry / value, s->exponent[i] - exponent) : 0;
      s->sum += share * share;
    }
  }
  return hy_subcube_allreduce(&s->one, &s->sum, 1, add, s->k);
}

static hyla_status decompose(struct state *s) {
  const struct hy_svd_task *task = s->task;
  struct hy_jacobi_problem *p = &s->jacobi->problem;
  if (s->cube->address < 0) return HYLA_OK;
  if (s->starts) TRY(hy_svd_start_multiply(s->start, &s->round, square(s, Z)));
  hy_part(s->cube, "vectors to begin with");
  p->y = square(s, s->starts ? Z : L);
  p->exponent = s->grading;
  p->by_rows = true;
  p->begun = s->starts;
  p->z = task->wants_u ? square(s, Z) : NULL;
  p->v = s->starts ? begun(s) : task->v;
  TRY(hy_jacobi_run(s->jacobi));
  if (task->wants_u) TRY(expand_left(s));
  if (task->wants_v) {
    TRY(expand_right(s));
    TRY(find_condition(s));
  }
  hy_part(s->cube, "vectors");
  return HYLA_OK;
}

/* What the values may be wrong by.  Where columns of the scaled A depend on each other as far as
 * rounding sees, no value is certain relative to its own size, but each is to A's. */
static hyla_svd_report report_of(const struct state *s) {
  const double n = (double)s->task->n, u = s->k->epsilon;
  hyla_svd_report report = {.relative = s->task->wants_v ? n * u * sqrt(n * s->sum) : NAN,
                            .sweeps = s->jacobi->sweeps};
  if (report.relative >= 1 && !s->k->dry) {
    report.absolute = n * u * s->jacobi->values[0];
    report.relative = 0;
  }
  return report;
}

/* Guests have no part in the work. */
static hyla_status tell(struct state *s) {
  struct hy_jacobi *j = s->jacobi;
  s->found.report = report_of(s);
  if (hy_cube_counts(s->cube)) return HYLA_OK;
  TRY(hy_tell_guests(s->cube, j->values, s->task->n * (int64_t)sizeof *j->values));
  return hy_tell_guests(s->cube, &s->found.report, sizeof s->found.report);
}

static hyla_status run(void *state) {
  struct state *s = state;
  s->found.values = s->jacobi->values;
  if (s->task->n == 0) return HYLA_OK;
  TRY(hy_agree(s->cube, prepare(s)));
  if (!hy_cube_counts(s->cube)) TRY(hy_tell_guests(s->cube, &s->starts, sizeof s->starts));
  if (s->starts) TRY(hy_svd_start_run(s->start));
  TRY(hy_agree(s->cube, decompose(s)));
  return hy_agree(s->cube, tell(s));
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  const struct hy_jacobi *j = s->jacobi;
  hy_text_add(
      text, "  A P = Q L Q^H, then sweeps of %lld steps over blocks of %d columns; %d expected%s\n",
      (long long)j->order.steps, j->width, j->problem.expected,
      s->start == NULL ? "" : ", from vectors by bidiagonal form");
}

#define ROW(ORDERING, ARRAYS, REFERENCE)                                                           \
  const struct hy_variant hy_svd_jacobi_##ORDERING = {                                             \
      .name = "jacobi-" #ORDERING,                                                                 \
      .reference = REFERENCE,                                                                      \
      .traits = &(const struct traits){{.layouts = layouts}, &hy_jacobi_##ORDERING},               \
      .arrays = ARRAYS,                                                                            \
      .applies = applies,                                                                          \
      HY_OPERATIONS}

ROW(balanced, false, "bhat-1996, section 3");
ROW(br, false, "mantharam-1993, section 3");
ROW(ring, true, "brent-1985, section 3");
