/* hyla_lowrank: a matrix by few columns, A = Q B nearly, found by products with random vectors.
 *
 * Q's columns span those of A's range that A's own products with normally distributed vectors show
 * the most: with W n x w of such numbers,
 *
 *   Y := A W;  (Y := A A^H Y, with Y and A^H Y orthonormal before, `power' times)
 *   Y := Y - Q Q^H Y;  Y = Q_new R, by QR;  Q := [Q Q_new]
 *
 * and at the end B := Q^H A.  Without a tolerance all columns come at once.  With one they come in
 * blocks, and each block's Y, before powers, tells how far A is from Q Q^H A:
 *
 *   |A - Q Q^H A|_2 <= 10 sqrt(2 / pi) max |y_j|
 *
 * for r columns y_j except with probability 10^-r; as soon as that is below the tolerance the
 * columns suffice.  The mean of |y_j|^2 is |A - Q Q^H A|_F^2, twice that for complex types, whose
 * vectors have two normal parts.  Q's own columns are taken from a block twice, because a small
 * rest, made orthonormal, shows what rounding left of them.
 *
 * Reference: Halko, Martinsson and Tropp 2011, algorithms 4.1 to 4.4, lemma 4.1, theorem 10.6.
 * theory.md, lowrank.
 * Messages: those of the products and of QR of m x w matrices alone.
 * Memory beside the operands: a block of w columns for A, and for A^H; QR's copy of the first. */
#include "solve/played.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Columns of a block, and of the last Y, which tells the error. */
enum { PROBES = 16 };
/* Units of max(m, n) ulp that a tolerance has at least: below them Y is rounding. */
static const double LEAST = 4;

struct lowrank {
  hyla_cube *cube;
  hyla_lowrank_options options;
  const hyla_matrix *a;
  hyla_matrix *q, *b;
  hyla_type type;
  int64_t most, draws; /* columns of q; random matrices that were drawn */
  double tolerance;
  struct hy_norm norm; /* |A|_F */
  hyla_plan *plan;     /* that is being priced on a counting cube; NULL: none */
  hyla_lowrank_report report;
};

static hyla_matrix columns_of(const hyla_matrix *m, int64_t first, int64_t count) {
  return hy_matrix_part(m, 0, first, m->row.n, count);
}

/* ------------------------------------------------------------------ blocks -- */

/* c := op(a) b. */
static hyla_status multiply(const struct lowrank *s, hyla_operation op, const hyla_matrix *a,
                            const hyla_matrix *b, hyla_matrix *c) {
  const int64_t held = hy_count_held(s->cube);
  const hyla_status status = hyla_gemm(s->cube, op, HYLA_NONE, 1, a, b, 0, c);
  hy_count_drop(s->cube, held);
  return status;
}

/* y := y - Q Q^H y. */
static hyla_status project(const struct lowrank *s, hyla_matrix *y) {
  const hyla_matrix q = columns_of(s->q, 0, s->report.rank);
  const int64_t held = hy_count_held(s->cube);
  hyla_matrix *c = NULL;
  if (s->report.rank == 0) return HYLA_OK;
  TRY(hyla_matrix_create(s->cube, s->type, s->report.rank, y->col.n, NULL, &c));
  hyla_status status = multiply(s, HYLA_CONJUGATE, &q, y, c);
  if (status == HYLA_OK) status = hyla_gemm(s->cube, HYLA_NONE, HYLA_NONE, -1, &q, c, 1, y);
  (void)hyla_matrix_destroy(&c);
  hy_count_drop(s->cube, held);
  return status;
}

/* y := the Q of y = Q R. */
static hyla_status make_orthonormal(struct lowrank *s, hyla_matrix *y) {
  const int64_t held = hy_count_held(s->cube);
  struct hyla_factor *factor = NULL;
  hyla_status status = hyla_factor_create_rectangular(s->cube, HYLA_QR, s->type, y->row.n, y->col.n,
                                                      0, &y->layout, s->options.variant, &factor);
  if (status == HYLA_OK) s->report.variant = hy_choice_variant(&factor->plan->choice)->name;
  if (status == HYLA_OK && s->plan != NULL)
    status = hy_agree(s->cube, hy_played_choose(s->plan, "lowrank", factor->plan));
  if (status == HYLA_OK) status = hyla_factor_compute(s->cube, factor, y);
  if (status == HYLA_OK) status = hyla_factor_q(s->cube, factor, y);
  (void)hyla_factor_destroy(&factor);
  hy_count_drop(s->cube, held);
  return status;
}

/* y := (A A^H)^power y. */
static hyla_status raise(struct lowrank *s, hyla_matrix *y) {
  const int64_t held = hy_count_held(s->cube);
  hyla_matrix *z = NULL;
  hyla_status status = HYLA_OK;
  if (s->options.power == 0) return HYLA_OK;
  const hyla_layout layout = hy_factor_layout(s->cube, s->a->col.n, y->col.n);
  TRY(hy_matrix_make(s->cube, s->type, s->a->col.n, y->col.n, &layout, &z));
  for (int i = 0; i < s->options.power && status == HYLA_OK; i++) {
    status = make_orthonormal(s, y);
    if (status == HYLA_OK) status = multiply(s, HYLA_CONJUGATE, s->a, y, z);
    if (status == HYLA_OK) status = make_orthonormal(s, z);
    if (status == HYLA_OK) status = multiply(s, HYLA_NONE, s->a, z, y);
    if (status == HYLA_OK) status = project(s, y);
  }
  (void)hyla_matrix_destroy(&z);
  hy_count_drop(s->cube, held);
  return status;
}

/* Q := [Q y], y made orthonormal. */
static hyla_status append(struct lowrank *s, hyla_matrix *y) {
  const int64_t rank = s->report.rank;
  hyla_matrix to = columns_of(s->q, rank, y->col.n);
  const hyla_transfer move = {HYLA_NONE, 1, y, &to};
  TRY(raise(s, y));
  TRY(make_orthonormal(s, y));
  if (rank > 0) {
    TRY(project(s, y));
    TRY(make_orthonormal(s, y));
  }
  const int64_t held = hy_count_held(s->cube);
  TRY(hy_redistribute_once(s->cube, &move, NULL));
  hy_count_drop(s->cube, held);
  s->report.rank += y->col.n;
  return HYLA_OK;
}

/* y := (I - Q Q^H) A W with new numbers W.  They do not depend on the numbers of the gallery's
 * matrices for the same seed, which A may consist of. */
static hyla_status sample(struct lowrank *s, hyla_matrix *w, hyla_matrix *y) {
  const uint64_t key[] = {s->options.seed, (uint64_t)s->draws++};
  static const char name[] = "lowrank";
  const uint64_t seed = hy_fingerprint(hy_fingerprint(0, name, sizeof name), key, sizeof key);
  if (!hy_cube_counts(s->cube)) TRY(hyla_matrix_gallery(s->cube, w, "normal", seed));
  TRY(multiply(s, HYLA_NONE, s->a, w, y));
  TRY(project(s, y));
  return project(s, y);
}

static hyla_status draw(struct lowrank *s, int64_t width, hyla_matrix **y) {
  hyla_matrix *w = NULL;
  const hyla_layout layout = hy_factor_layout(s->cube, s->a->row.n, width);
  TRY(hy_matrix_make(s->cube, s->type, s->a->row.n, width, &layout, y));
  const int64_t held = hy_count_held(s->cube);
  TRY(hyla_matrix_create(s->cube, s->type, s->a->col.n, width, NULL, &w));
  hyla_status status = sample(s, w, *y);
  (void)hyla_matrix_destroy(&w);
  hy_count_drop(s->cube, held);
  return status;
}

/* ------------------------------------------------------------------- error -- */

/* The squares of the norms of y's columns, relative to |A|_F^2, on all ranks. */
static hyla_status find_squares(const struct lowrank *s, const hyla_matrix *y,
                                double squares[PROBES]) {
  double work[PROBES];
  const double scale = ldexp(1, s->norm.exponent), size = s->norm.value * s->norm.value;
  memset(squares, 0, PROBES * sizeof *squares);
  const bool mine = s->cube->address >= 0 && y->local_rows > 0 && !y->k->dry;
  for (int64_t l = 0; l < y->local_cols && mine; l++)
    squares[hyla_matrix_col(y, l)] =
        y->k->squares((int)y->local_rows, 1, hy_at(y, 0, l), (int)y->ld, scale) / size;
  TRY(hy_agree(s->cube, hy_allreduce(s->cube, hy_all_dims(s->cube), squares, PROBES,
                                     sizeof *squares, hy_residual_add, NULL, work)));
  return hy_agree(s->cube, hy_tell_guests(s->cube, squares, PROBES * sizeof *squares));
}

/* The error of A - Q Q^H A by PROBES columns. */
static hyla_status measure(struct lowrank *s, const hyla_matrix *y) {
  const double parts = s->a->k->complex_type ? 2 : 1, ratio = 10 * sqrt(2 / acos(-1.));
  double squares[PROBES], sum = 0, largest = 0;
  TRY(find_squares(s, y, squares));
  for (int j = 0; j < PROBES; j++) {
    sum += squares[j];
    if (!(squares[j] <= largest)) largest = squares[j];
  }
  s->report.error = sqrt(sum / (PROBES * parts));
  s->report.bound = ratio * sqrt(largest);
  if (hy_cube_counts(s->cube)) s->report.bound = 1; /* no tolerance is reached */
  if (!isfinite(s->report.bound))
    return hy_agree(s->cube, hy_fail(&s->cube->base, HYLA_NOT_FINITE,
                                     "a product of A with random vectors overflows"));
  return HYLA_OK;
}

/* -------------------------------------------------------------------- call -- */

/* The next block; *done: the columns there are suffice. */
static hyla_status add_block(struct lowrank *s, bool *done) {
  const bool stops = s->options.tolerance > 0;
  const int64_t left = s->most - s->report.rank, held = hy_count_held(s->cube);
  hyla_matrix *y = NULL;
  *done = false;
  hyla_status status = draw(s, stops ? PROBES : left, &y);
  if (status == HYLA_OK && stops) {
    status = measure(s, y);
    *done = s->report.bound <= s->tolerance;
  }
  if (status == HYLA_OK && !*done) {
    hyla_matrix part = columns_of(y, 0, hy_min(y->col.n, left));
    status = append(s, &part);
  }
  (void)hyla_matrix_destroy(&y);
  hy_count_drop(s->cube, held);
  return status;
}

static hyla_status find_columns(struct lowrank *s) {
  const int64_t held = hy_count_held(s->cube);
  hyla_matrix *y = NULL;
  bool done = s->norm.value == 0 && !hy_cube_counts(s->cube);
  while (!done && s->report.rank < s->most) TRY(add_block(s, &done));
  if (done) return HYLA_OK;
  hyla_status status = draw(s, PROBES, &y);
  if (status == HYLA_OK) status = measure(s, y);
  (void)hyla_matrix_destroy(&y);
  hy_count_drop(s->cube, held);
  return status;
}

static hyla_status compute(struct lowrank *s) {
  hyla_cube *cube = s->cube;
  TRY(hy_norm_find(cube, s->a, HYLA_NORM_FRO, &s->norm));
  if (!isfinite(s->norm.value))
    return hy_agree(cube, hy_fail(&cube->base, HYLA_NOT_FINITE,
                                  "A has an entry that is infinite or not a number"));
  const bool counts = hy_cube_counts(cube);
  if (!counts) TRY(hyla_matrix_generate(cube, s->q, HYLA_ZERO, 0));
  if (!counts && s->b != NULL) TRY(hyla_matrix_generate(cube, s->b, HYLA_ZERO, 0));
  TRY(find_columns(s));
  const int64_t rank = s->report.rank;
  if (s->b == NULL || rank == 0) return HYLA_OK;
  const hyla_matrix q = columns_of(s->q, 0, rank);
  hyla_matrix rows = hy_matrix_part(s->b, 0, 0, rank, s->b->col.n);
  return multiply(s, HYLA_CONJUGATE, &q, s->a, &rows);
}

/* The arguments of a call. */
struct asked {
  hyla_lowrank_options options;
  const hyla_matrix *a;
  hyla_matrix *q, *b;
  hyla_lowrank_report *report;
};

static struct lowrank open_call(hyla_cube *cube, const struct asked *asked) {
  const hyla_matrix *a = asked->a;
  const double least = LEAST * 2 * a->k->epsilon * (double)hy_max(a->row.n, a->col.n);
  return (struct lowrank){.cube = cube,
                          .options = asked->options,
                          .a = a,
                          .q = asked->q,
                          .b = asked->b,
                          .type = a->k->type,
                          .most = asked->q->col.n,
                          .tolerance = fmax(asked->options.tolerance, least)};
}

static hyla_status find(hyla_cube *cube, const struct asked *asked) {
  struct lowrank s = open_call(cube, asked);
  hyla_status status = compute(&s);
  if (asked->report != NULL) *asked->report = s.report;
  TRY(status);
  if (asked->options.tolerance == 0 || s.report.bound <= s.tolerance) return HYLA_OK;
  return hy_agree(cube, hy_fail(&cube->base, HYLA_UNRELIABLE,
                                "%lld columns leave A's rest below %.3g |A| at most, where %.3g is "
                                "asked for; more columns are needed",
                                (long long)s.report.rank, s.report.bound, s.tolerance));
}

static struct asked asked_by(const hyla_lowrank_options *options, const hyla_matrix *a,
                             hyla_matrix *q, hyla_matrix *b, hyla_lowrank_report *report) {
  struct asked asked = {.a = a, .q = q, .b = b, .report = report};
  if (options != NULL) asked.options = *options;
  return asked;
}

static struct hy_call call_of(const char *name, const struct asked *asked) {
  const hyla_lowrank_options *options = &asked->options;
  struct hy_call call = {.name = name,
                         .alpha = options->tolerance,
                         .number = {options->power, (int64_t)options->seed, asked->b != NULL},
                         .argument = {{"a", asked->a, .sizes = "mn"},
                                      {"q", asked->q, .sizes = "mk", .result = asked->q}},
                         .variant = options->variant,
                         .most = INT_MAX / 2};
  if (asked->b != NULL)
    call.argument[2] = (struct hy_argument){"b", asked->b, .sizes = "kn", .result = asked->b};
  return call;
}

/* All checks of a call; local. */
static hyla_status check(hyla_cube *cube, const struct hy_call *call, const struct asked *asked) {
  const hyla_lowrank_options *options = &asked->options;
  const hyla_matrix *a = asked->a;
  TRY(hy_call_check(cube, call));
  CHECK(&cube->base, options->tolerance >= 0 && options->tolerance < 1, ARGUMENT,
        "%s: tolerance is %g; give a number from 0 to 1, without 1", call->name,
        options->tolerance);
  CHECK(&cube->base, options->power >= 0, ARGUMENT, "%s: power is %d; give 0 or more", call->name,
        options->power);
  CHECK(&cube->base, asked->q->col.n <= hy_min(a->row.n, a->col.n), ARGUMENT,
        "%s: q has %lld columns; A has no rank above %lld", call->name, (long long)asked->q->col.n,
        (long long)hy_min(a->row.n, a->col.n));
  return HYLA_OK;
}

hyla_status hyla_lowrank(hyla_cube *cube, const hyla_lowrank_options *options, const hyla_matrix *a,
                         hyla_matrix *q, hyla_matrix *b, hyla_lowrank_report *report) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct asked asked = asked_by(options, a, q, b, report);
  struct hy_call call = call_of("hyla_lowrank", &asked);
  call.needs_data = true;
  TRY(hy_call_agree(cube, &call, check(cube, &call, &asked)));
  return find(cube, &asked);
}

/* -------------------------------------------------------------------- plan -- */

static hyla_status run(hyla_plan *plan) {
  TRY(hy_agree(plan->cube, hy_need_data(plan->cube, "hyla_plan_run")));
  return find(plan->cube, plan->state);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct asked *asked = plan->state;
  const hyla_matrix *a = asked->a;
  const long long columns = (long long)asked->q->col.n;
  hy_text_add(text, "  %lld columns for a %s matrix, %lld x %lld\n", columns,
              a->k->complex_type ? "complex" : "real", (long long)a->row.n, (long long)a->col.n);
  if (asked->options.tolerance > 0)
    hy_text_add(text, "  %d at a time; all %lld are counted, fewer may reach %g\n", PROBES, columns,
                asked->options.tolerance);
  hy_text_add(text, "  reference: halko-2011, algorithms 4.1 to 4.4\n");
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct asked), .run = run, .explain = explain};

/* QR of no columns, where nothing else is factored. */
static hyla_status choose_without(struct lowrank *s) {
  const hyla_layout layout = hy_factor_layout(s->cube, s->a->row.n, 0);
  hyla_matrix *y = NULL;
  if (s->plan->choice.family != NULL) return HYLA_OK;
  TRY(hy_matrix_make(s->cube, s->type, s->a->row.n, 0, &layout, &y));
  hyla_status status = make_orthonormal(s, y);
  (void)hyla_matrix_destroy(&y);
  return status;
}

static hyla_status play(hyla_cube *counting, hyla_plan *plan) {
  struct asked asked = *(const struct asked *)plan->state;
  hyla_matrix a, q, b;
  asked.a = hy_matrix_rehearsed(counting, asked.a, &a);
  asked.q = hy_matrix_rehearsed(counting, asked.q, &q);
  if (asked.b != NULL) asked.b = hy_matrix_rehearsed(counting, asked.b, &b);
  struct lowrank s = open_call(counting, &asked);
  s.plan = plan;
  TRY(compute(&s));
  return choose_without(&s);
}

hyla_status hyla_lowrank_plan(hyla_cube *cube, const hyla_lowrank_options *options,
                              const hyla_matrix *a, hyla_matrix *q, hyla_matrix *b,
                              hyla_lowrank_report *report, hyla_plan **plan) {
  if (plan != NULL) *plan = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct asked asked = asked_by(options, a, q, b, report);
  struct hy_call call = call_of("hyla_lowrank_plan", &asked);
  call.place[0] = (struct hy_named_place){"plan", plan, 1};
  TRY(hy_call_agree(cube, &call, check(cube, &call, &asked)));
  TRY(hy_played_make(cube, &KIND, &call, plan));
  struct asked *kept = (*plan)->state;
  *kept = asked;
  hyla_status status = hy_played_price(*plan, a->k, play);
  kept->options.variant = hy_played_name(*plan, asked.options.variant);
  if (status != HYLA_OK) (void)hyla_plan_destroy(plan);
  return status;
}
