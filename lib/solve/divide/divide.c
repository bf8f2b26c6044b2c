/* The tridiagonal eigenproblem by divide and conquer: create, allocate, run.
 *
 * Reference: Cuppen 1981; Gu and Eisenstat 1995, for the weights with which the roots are exact;
 * Tisseur and Dongarra 1999, for the distributed method that this one departs from: there vectors
 * move between processes, here they do not.  theory.md, "Tridiagonal eigenproblems".
 * Layout: rows of Z consecutive on all nodes, columns whole.
 * Method: T is cut in halves down to leaves of at most 8 rows; the tree depends on n alone.
 *
 *   T = diag(T1, T2) + rho v v^T,   v = e_mid-1 + sign(e) e_mid,   rho = |e|
 *     = Q (D + rho z z^T) Q^T = Q U Lambda U^T Q^T
 *
 *   Levels whose merges each lie on one node are made by it alone.  Then all nodes learn the
 * values, first and last rows of all subproblems (one all-gather), and make the other levels
 * together: all deflate alike; each finds its share of a level's roots, weights, and columns'
 * lengths, first and last entries, with an all-gather after each; each multiplies its rows.
 *
 * Steps: three all-gathers a level of 2 n, n and 3 n words at most, log2 P levels.  Flops: 4 n^3 /
 * 3 for vectors, the most; O(n^2) for values.  Memory: the copies of one level's columns, of Z's
 * size; strips; about 40 n words on every node. */
#include "solve/divide/divide_state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Operations that are counted: of a term of the secular equation in each pass, and passes of a
 * root; for a weight; for a column; of a leaf for each pair of rows, and for each row of the
 * vectors. */
enum { TERM = 8, PASSES = 4, WEIGHT = 5, COLUMN = 9, LEAF_PAIR = 40, LEAF_ROW = 9 };
/* Roots that a thread finds in one go. */
enum { CHUNK = 16 };

/* ----------------------------------------------------------------- layout -- */

hyla_layout hy_divide_layout(const hyla_cube *cube, int64_t n) {
  hyla_layout layout = {.row = hy_axis_dealt(cube, 1, n).code,
                        .col = hy_axis_dealt(NULL, 1, n).code,
                        .across = hy_layout_across(cube)};
  layout.row.storage = HYLA_CONSECUTIVE;
  return layout;
}

struct hy_merge hy_divide_merge(const struct hy_divide *s, int level, int64_t index) {
  struct hy_merge m = {.lo = hy_divide_row(s, level, index),
                       .mid = hy_divide_row(s, level + 1, 2 * index + 1),
                       .hi = hy_divide_row(s, level, index + 1)};
  m.k = m.wanted_end = (int)(m.hi - m.lo);
  m.held[0] = (int)(m.mid - m.lo);
  m.held[1] = (int)(m.hi - m.mid);
  if (level == 0 && s->problem.vectors) {
    m.wanted = (int)s->problem.first;
    m.wanted_end = (int)s->problem.end;
  }
  return m;
}

/* ------------------------------------------------------------------ create -- */

/* Does a subproblem of a level lie on several nodes? */
static bool crosses(const struct hy_divide *s, int level) {
  const int64_t block = hy_max(1, hy_ceil_div(s->n, s->cube->nodes));
  for (int64_t row = block; row < s->n; row += block)
    if (hy_divide_row(s, level, hy_divide_node(s, level, row)) != row) return true;
  return false;
}

static hyla_status make_group(struct hy_divide *s) {
  hyla_cube *cube = s->cube;
  if (cube->nodes == 1 || s->n == 0) return HYLA_OK;
  TRY(hy_alloc_control_for(&cube->base, s, cube->nodes + 1, sizeof *s->starts, &s->starts));
  TRY(hy_alloc_control_for(&cube->base, s, cube->nodes + 1, sizeof *s->offsets, &s->offsets));
  return hy_subcube_make_for(s, cube, hy_all_dims(cube), HY_TASK_ALLGATHER, 3 * s->n + cube->nodes,
                             sizeof(double), NULL, &s->gathers);
}

hyla_status hy_divide_create(const struct hy_divide_problem *problem, void *owner,
                             struct hy_divide **divide) {
  enum { SWEEPS = 60 };
  hyla_cube *cube = problem->cube;
  const hyla_layout layout = hy_divide_layout(cube, problem->n);
  const struct hy_axis axis = hy_axis_make(&layout.row, problem->n);
  struct hy_divide *s = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  if (owner != NULL) hy_own(owner, s);
  *divide = s;
  *s = (struct hy_divide){.problem = *problem,
                          .cube = cube,
                          .k = problem->k,
                          .secular = hy_secular_best(),
                          .packed = hy_packed_best(problem->k, cube->session.team),
                          .n = problem->n,
                          .sweeps = SWEEPS,
                          .failed = -1,
                          .threads = hy_cube_counts(cube) ? cube->session.threads
                                                          : hy_team_threads(cube->session.team)};
  if (cube->address < 0) return HYLA_OK;
  s->row = axis.block * hy_part_of(&axis, cube->address);
  s->rows = hy_held_at(&axis, cube->address);
  while (hy_ceil_div(s->n, INT64_C(1) << s->levels) > HY_DIVIDE_LEAF) s->levels++;
  while (s->shared <= s->levels && crosses(s, s->shared)) s->shared++;
  return make_group(s);
}

/* ---------------------------------------------------------------- allocate -- */

/* The most merges that this node knows of at a time. */
static int64_t most_merges(const struct hy_divide *s) {
  if (s->levels == 0) return 0;
  return INT64_C(1) << (s->levels - 1);
}

static hyla_status take(const struct hy_divide *s, int64_t count, size_t size, void *out) {
  return hy_alloc_data_for(&s->cube->base, (void *)s, count, size, out);
}

static hyla_status allocate_positions(struct hy_divide *s) {
  double **const numbers[] = {&s->d,
                              &s->e,
                              &s->first,
                              &s->last,
                              &s->pole,
                              &s->square,
                              &s->weight,
                              &s->head,
                              &s->tail,
                              &s->shift,
                              &s->mu,
                              &s->factor,
                              &s->halves[0].pole,
                              &s->halves[0].weight,
                              &s->halves[1].pole,
                              &s->halves[1].weight};
  int32_t **const indices[] = {&s->place,           &s->slot,           &s->target,
                               &s->halves[0].index, &s->halves[0].slot, &s->halves[1].index,
                               &s->halves[1].slot};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    TRY(take(s, s->n, sizeof(double), numbers[i]));
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
    TRY(take(s, s->n, sizeof(int32_t), indices[i]));
  TRY(take(s, s->n, sizeof *s->half, &s->half));
  TRY(take(s, s->n, sizeof *s->column, &s->column));
  TRY(take(s, s->n, sizeof *s->rotation, &s->rotation));
  TRY(take(s, most_merges(s), sizeof *s->merge, &s->merge));
  return take(s, 3 * s->n + s->cube->nodes, sizeof *s->words, &s->words);
}

hyla_status hy_divide_allocate(struct hy_divide *s) {
  if (s->cube->address < 0) return HYLA_OK;
  TRY(allocate_positions(s));
  if (s->gathers.cube != NULL) TRY(hy_subcube_allocate(&s->gathers));
  if (!s->problem.vectors || s->levels == 0) return HYLA_OK;
  int64_t room = 0;
  for (int level = 0; level < s->levels; level++)
    room = hy_max(room, hy_divide_update_room(s, level));
  TRY(take(s, room, s->k->size, &s->copies));
  s->strip_bytes = (HY_PACKED_DEPTH + s->rows) * HY_DIVIDE_STRIP * (int64_t)s->k->size;
  return take(s, s->threads, (size_t)s->strip_bytes, &s->strips);
}

/* ------------------------------------------------------------------ threads -- */

hyla_status hy_divide_spread(const struct hy_divide *s, int threads,
                             void (*piece)(void *, int64_t, int), void *arg, int64_t count) {
  struct hy_team *team = s->cube->session.team;
  struct hy_work work = {.piece = piece, .arg = arg, .count = count, .threads = threads};
  hyla_status status = HYLA_OK;
  hy_team_start(team, &work);
  while (hy_work_take(&work) >= 0)
    if (status == HYLA_OK) status = hy_link_poll(s->cube);
  hy_team_finish(team);
  return status;
}

/* ------------------------------------------------------------------- leaves -- */

/* d and e scaled by 2^-*exponent, largest magnitude below 1, negligible entries of e as 0; then the
 * cuts of all merges. */
static hyla_status begin(struct hy_divide *s, const double *d, const double *e, int *exponent) {
  double largest = 0;
  for (int64_t i = 0; i < s->n; i++) {
    const double off = i + 1 < s->n ? e[i] : 0;
    CHECK(&s->cube->base, isfinite(d[i]) && isfinite(off), NOT_FINITE,
          "row %lld of the tridiagonal matrix, counted from 0, holds a NaN or an infinity",
          (long long)i);
    largest = fmax(largest, fmax(fabs(d[i]), fabs(off)));
  }
  frexp(largest, exponent);
  for (int64_t i = 0; i < s->n; i++) {
    s->d[i] = scalbn(d[i], -*exponent);
    s->e[i] = i + 1 < s->n ? scalbn(e[i], -*exponent) : 0;
    s->place[i] = (int32_t)i; /* of other nodes' leaves too: their columns are free here */
  }
  for (int64_t i = 0; i + 1 < s->n; i++)
    if (fabs(s->e[i]) <= DBL_EPSILON / 2 * sqrt(fabs(s->d[i])) * sqrt(fabs(s->d[i + 1])))
      s->e[i] = 0;
  for (int64_t i = 1; i < INT64_C(1) << s->levels; i++) {
    const int64_t cut = hy_divide_row(s, s->levels, i);
    s->d[cut - 1] -= fabs(s->e[cut - 1]);
    s->d[cut] -= fabs(s->e[cut - 1]);
  }
  return HYLA_OK;
}

struct leaves {
  struct hy_divide *s;
  int64_t first;
  _Atomic int64_t failed; /* the first row of one that failed; -1 */
};

static void solve_leaf(void *arg, int64_t piece, int thread) {
  struct leaves *leaves = arg;
  const struct hy_divide *s = leaves->s;
  const int64_t i = leaves->first + piece, lo = hy_divide_row(s, s->levels, i);
  (void)thread;
  if (!hy_divide_leaf(s, lo, hy_divide_row(s, s->levels, i + 1))) leaves->failed = lo;
}

/* A node whose leaf failed has NaNs as values and the leaf's row as first entries: so all nodes
 * learn it with the next all-gather. */
static hyla_status solve_leaves(struct hy_divide *s) {
  if (s->rows == 0) return HYLA_OK;
  const int64_t first = hy_divide_node(s, s->levels, s->row),
                last = hy_divide_node(s, s->levels, s->row + s->rows - 1);
  for (int64_t i = first; i <= last; i++) {
    const int64_t lo = hy_divide_row(s, s->levels, i), hi = hy_divide_row(s, s->levels, i + 1),
                  rows = s->problem.vectors ? hy_divide_rows(s, lo, hi).count : 0;
    hy_compute(s->cube, (hi - lo) * (hi - lo) * (LEAF_PAIR + LEAF_ROW * (rows + 2)), sizeof(double),
               false);
  }
  if (s->k->dry) return HYLA_OK;
  struct leaves leaves = {.s = s, .first = first, .failed = -1};
  TRY(hy_divide_spread(s, s->threads, solve_leaf, &leaves, last - first + 1));
  s->failed = leaves.failed;
  for (int64_t i = s->row; i < s->row + s->rows && s->failed >= 0; i++) {
    s->d[i] = NAN;
    s->first[i] = (double)s->failed;
  }
  return HYLA_OK;
}

/* -------------------------------------------------------------------- share -- */

/* A word for node x's deflated columns stands behind its rows. */
static hyla_status share_state(struct hy_divide *s) {
  const int64_t nodes = s->cube->nodes, block = hy_max(1, hy_ceil_div(s->n, nodes)),
                me = hy_member(s->cube, hy_all_dims(s->cube), s->cube->address);
  if (s->gathers.cube == NULL) return HYLA_OK;
  for (int64_t x = 0; x <= nodes; x++) s->offsets[x] = 3 * hy_min(s->n, block * x) + x;
  double *to = s->words + s->offsets[me];
  for (int64_t i = 0; i < s->rows && !s->k->dry; i++, to += 3) {
    to[0] = s->d[s->row + i];
    to[1] = s->first[s->row + i];
    to[2] = s->last[s->row + i];
  }
  if (!s->k->dry) *to = (double)s->report.deflated;
  TRY(hy_subcube_allgather(&s->gathers, s->words, s->offsets));
  if (s->k->dry) return HYLA_OK;
  s->report.deflated = 0;
  for (int64_t x = 0; x < nodes; x++) {
    const double *from = s->words + s->offsets[x];
    for (int64_t i = hy_min(s->n, block * x); i < hy_min(s->n, block * (x + 1)); i++, from += 3) {
      s->d[i] = from[0];
      s->first[i] = from[1];
      s->last[i] = from[2];
    }
    s->report.deflated += (int64_t)*from;
  }
  return HYLA_OK;
}

static hyla_status check_leaves(const struct hy_divide *s) {
  for (int64_t i = 0; i < s->n && !s->k->dry; i++)
    CHECK(&s->cube->base, !isnan(s->d[i]), UNRELIABLE,
          "an eigenvalue of the tridiagonal matrix did not converge; it is one of the rows from "
          "%lld on, counted from 0",
          (long long)s->first[i]);
  return HYLA_OK;
}

/* Shares what the nodes have found for their roots, `count' words for each. */
static hyla_status share(const struct hy_divide_pass *pass, int count) {
  const struct hy_divide *s = pass->s;
  if (!pass->shared) return HYLA_OK;
  for (int64_t x = 0; x <= s->cube->nodes; x++) s->offsets[x] = s->starts[x] * count;
  return hy_subcube_allgather(&s->gathers, s->words, s->offsets);
}

/* -------------------------------------------------------------------- roots -- */

/* Deals the roots to the nodes by their cost, k each. */
static void deal(struct hy_divide_pass *pass) {
  const struct hy_divide *s = pass->s;
  const int64_t nodes = s->cube->nodes;
  const uint32_t me = hy_member(s->cube, hy_all_dims(s->cube), s->cube->address);
  int64_t x = 0, roots = 0, cost = 0;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    const int64_t k = hy_divide_merge_of(pass, i).k;
    pass->cost += k * k;
    pass->roots += k;
  }
  pass->first = 0;
  pass->last = pass->roots;
  if (!pass->shared) return;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    const int64_t k = hy_divide_merge_of(pass, i).k;
    for (; x < nodes && pass->cost / nodes * x < cost + k * k; x++)
      s->starts[x] = roots + (pass->cost / nodes * x - cost) / k;
    cost += k * k;
    roots += k;
  }
  for (; x <= nodes; x++) s->starts[x] = pass->roots;
  pass->first = s->starts[me];
  pass->last = s->starts[me + 1];
}

/* What is done for roots j ... end-1 of a merge; words: for root j. */
typedef void find_roots(const struct hy_divide *s, const struct hy_merge *m, int j, int end,
                        double *words);
struct search {
  const struct hy_divide_pass *pass;
  find_roots *find;
  int words;
};

static struct hy_secular equation(const struct hy_divide *s, const struct hy_merge *m) {
  return (struct hy_secular){
      .k = m->k, .pole = s->pole + m->lo, .square = s->square + m->lo, .weight = s->weight + m->lo};
}

static void find_values(const struct hy_divide *s, const struct hy_merge *m, int j, int end,
                        double *words) {
  const struct hy_secular f = equation(s, m);
  for (; j < end; j++, words += 2) hy_divide_root(s->secular, &f, m->rho, j, &words[0], &words[1]);
}

static void find_weights(const struct hy_divide *s, const struct hy_merge *m, int j, int end,
                         double *words) {
  const struct hy_secular f = equation(s, m);
  for (; j < end; j++, words++)
    *words = copysign(sqrt(s->secular->weight(&f, s->shift + m->lo, s->mu + m->lo, j)),
                      s->weight[m->lo + j]);
}

static void find_columns(const struct hy_divide *s, const struct hy_merge *m, int j, int end,
                         double *words) {
  const struct hy_secular f = equation(s, m);
  for (; j < end; j++, words += 3) {
    s->secular->column(&f, s->head + m->lo, s->tail + m->lo, s->shift[m->lo + j], s->mu[m->lo + j],
                       words);
    words[0] = 1 / sqrt(words[0]);
    words[1] *= words[0];
    words[2] *= words[0];
  }
}

/* The merge with root number `root' of the pass. */
static const struct hy_merge *merge_of(const struct hy_divide_pass *pass, int64_t root) {
  int64_t low = 0, high = pass->end - pass->begin;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (pass->s->merge[middle].roots <= root)
      low = middle;
    else
      high = middle;
  }
  return &pass->s->merge[low];
}

static void find_chunk(void *arg, int64_t piece, int thread) {
  const struct search *search = arg;
  const struct hy_divide_pass *pass = search->pass;
  int64_t root = pass->first + piece * CHUNK;
  const int64_t last = hy_min(root + CHUNK, pass->last);
  (void)thread;
  for (const struct hy_merge *m = merge_of(pass, root); root < last; m++) {
    const int64_t end = hy_min(last, m->roots + m->k);
    if (root < end)
      search->find(pass->s, m, (int)(root - m->roots), (int)(end - m->roots),
                   pass->s->words + root * search->words);
    root = hy_max(root, end);
  }
}

/* Finds this node's share, and shares it; flops: for a term. */
static hyla_status find(const struct hy_divide_pass *pass, find_roots *roots_of, int words,
                        int flops) {
  const struct hy_divide *s = pass->s;
  struct search search = {pass, roots_of, words};
  int64_t terms = 0, roots = 0;
  for (int64_t i = 0; i < pass->end - pass->begin; i++) {
    const int64_t k = hy_divide_merge_of(pass, i).k;
    terms += k * hy_max(0, hy_min(pass->last, roots + k) - hy_max(pass->first, roots));
    roots += k;
  }
  hy_compute(s->cube, terms * flops, sizeof(double), false);
  if (!s->k->dry)
    TRY(hy_divide_spread(s, s->threads, find_chunk, &search,
                         hy_ceil_div(pass->last - pass->first, CHUNK)));
  return share(pass, words);
}

/* -------------------------------------------------------------------- merge -- */

/* A merge's words by position. */
static void take_words(const struct hy_divide_pass *pass, int words, double *const to[]) {
  const struct hy_divide *s = pass->s;
  for (int64_t i = 0; i < pass->end - pass->begin && !s->k->dry; i++) {
    const struct hy_merge *m = &s->merge[i];
    const double *from = s->words + m->roots * words;
    for (int64_t j = 0; j < m->k; j++)
      for (int w = 0; w < words; w++) to[w][m->lo + j] = *from++;
  }
}

static void deflate(void *arg, int64_t piece, int thread) {
  const struct hy_divide_pass *pass = arg;
  struct hy_merge *m = &pass->s->merge[piece];
  (void)thread;
  *m = hy_divide_merge(pass->s, pass->level, pass->begin + piece);
  hy_divide_deflate(pass->s, m);
}

static hyla_status deflate_all(struct hy_divide_pass *pass) {
  struct hy_divide *s = pass->s;
  const int64_t count = pass->end - pass->begin;
  int64_t roots = 0;
  if (s->k->dry) return HYLA_OK;
  TRY(hy_divide_spread(s, s->threads, deflate, pass, count));
  for (int64_t i = 0; i < count; i++) {
    struct hy_merge *m = &s->merge[i];
    m->roots = roots;
    roots += m->k;
    s->report.deflated += m->hi - m->lo - m->k;
    if (pass->top) s->report.last_deflated = m->hi - m->lo - m->k;
  }
  return HYLA_OK;
}

/* Puts the roots and the deflated values in ascending order; in the last merge that is the order of
 * the vectors; first ... end-1 are wanted. */
static void order(const struct hy_divide_pass *pass, struct hy_merge *m) {
  const struct hy_divide *s = pass->s;
  const double scale = ldexp(1, m->exponent);
  int64_t root = m->lo, dropped = m->lo + m->k;
  int wanted[2] = {0, 0};
  for (int64_t at = m->lo; at < m->hi; at++) {
    const double value = root < m->lo + m->k ? s->shift[root] + s->mu[root] : INFINITY;
    const bool is_root = dropped == m->hi || (root < m->lo + m->k && value <= s->pole[dropped]);
    const int64_t from = is_root ? root++ : dropped++;
    if (at < s->problem.first && is_root) wanted[0]++;
    if (at < s->problem.end && is_root) wanted[1]++;
    s->d[at] = (is_root ? value : s->pole[from]) * scale;
    s->first[at] = s->head[from];
    s->last[at] = s->tail[from];
    s->target[from] = pass->top ? (int32_t)at : s->slot[from];
    s->place[at] = s->target[from];
  }
  m->wanted = pass->top ? wanted[0] : 0;
  m->wanted_end = pass->top ? wanted[1] : m->k;
}

static void order_all(const struct hy_divide_pass *pass) {
  for (int64_t i = 0; i < pass->end - pass->begin && !pass->s->k->dry; i++)
    order(pass, &pass->s->merge[i]);
}

static hyla_status merge_level(struct hy_divide *s, int level) {
  struct hy_divide_pass pass = {
      .s = s, .level = level, .shared = level < s->shared, .top = level == 0};
  if (pass.shared) {
    pass.end = INT64_C(1) << level;
  } else if (s->rows > 0) {
    pass.begin = hy_divide_node(s, level, s->row);
    pass.end = hy_divide_node(s, level, s->row + s->rows - 1) + 1;
  }
  s->report.last_merged = s->n;
  s->report.merged += s->n;
  TRY(deflate_all(&pass));
  deal(&pass);
  TRY(find(&pass, find_values, 2, TERM * PASSES));
  take_words(&pass, 2, (double *const[]){s->shift, s->mu});
  if (!pass.top || s->problem.vectors) {
    TRY(find(&pass, find_weights, 1, WEIGHT));
    take_words(&pass, 1, (double *const[]){s->weight});
    TRY(find(&pass, find_columns, 3, COLUMN));
    take_words(&pass, 3, (double *const[]){s->factor, s->head, s->tail});
  }
  order_all(&pass);
  if (!s->problem.vectors) return HYLA_OK;
  if (!s->k->dry) hy_divide_update_plan(&pass);
  return hy_divide_update(&pass);
}

/* ---------------------------------------------------------------------- run -- */

/* A merge that went wrong leaves NaN in all that is made of it; all nodes have the same numbers.
 * Without vectors the last merge makes values alone. */
static hyla_status check_merges(const struct hy_divide *s) {
  for (int64_t i = 0; i < s->n && !s->k->dry; i++)
    CHECK(&s->cube->base,
          isfinite(s->d[i]) && (!s->problem.vectors || isfinite(s->first[i] + s->last[i])),
          UNRELIABLE, "eigenvalue %lld, or its vector, is not a number after the merges",
          (long long)i);
  return HYLA_OK;
}

static hyla_status solve(struct hy_divide *s, const double *d, const double *e, double *values) {
  int exponent = 0;
  s->report = (struct hy_divide_report){0};
  s->failed = -1;
  if (!s->k->dry) TRY(begin(s, d, e, &exponent));
  TRY(solve_leaves(s));
  for (int level = s->levels - 1; level >= s->shared; level--)
    if (s->failed < 0) TRY(merge_level(s, level));
  TRY(share_state(s));
  TRY(check_leaves(s));
  for (int level = (int)hy_min(s->shared, s->levels) - 1; level >= 0; level--)
    TRY(merge_level(s, level));
  for (int64_t i = 0; i < s->n && !s->k->dry; i++) values[i] = scalbn(s->d[i], exponent);
  return check_merges(s);
}

hyla_status hy_divide_run(struct hy_divide *s, const double *d, const double *e, double *values,
                          hyla_matrix *z) {
  hyla_cube *cube = s->cube;
  hyla_status status = HYLA_OK;
  if (s->n == 0) return HYLA_OK;
  if (cube->address >= 0) {
    s->z = z != NULL ? z->local : NULL;
    s->ld = z != NULL ? z->ld : 0;
    status = solve(s, d, e, values);
  }
  if (hy_cube_counts(cube)) return status;
  const hyla_status told = hy_tell_guests(cube, values, s->n * (int64_t)sizeof *values);
  return status != HYLA_OK ? status : told;
}

struct hy_divide_report hy_divide_report(const struct hy_divide *divide) {
  return divide->report;
}
