/* The tree of merges: create, allocate, share, merge.
 *
 * Reference: Cuppen 1981; Gu and Eisenstat 1995; Tisseur and Dongarra 1999, for the distributed
 * method that this one departs from: there vectors move between processes, here they do not.
 * theory.md, "Tridiagonal eigenproblems".
 * Layout: rows of the vectors consecutive on all nodes, columns whole.
 * Method: levels whose merges each lie on one node are made by it alone.  Then all nodes learn the
 * values, first and last entries of all subproblems' right vectors (one all-gather), and make the
 * other levels together: all deflate alike; each finds its share of a level's roots, weights, and
 * columns' lengths, first and last entries, with an all-gather after each; each multiplies its
 * rows.
 *
 * Steps: three all-gathers a level of 2 n, n and 3 n words at most, with two sides 4 n, log2 P
 * levels.  Flops: 4 n^3 / 3 for a side's vectors, the most; O(n^2) for values.  Memory: the copies
 * of one level's columns, of the size of a side's vectors; strips; about 40 n words on every node,
 * with two sides 60 n. */
#include "solve/divide/tree.h"

/* ------------------------------------------------------------------ create -- */

hyla_layout hy_divide_layout(const hyla_cube *cube, int64_t n) {
  hyla_layout layout = {.row = hy_axis_dealt(cube, 1, n).code,
                        .col = hy_axis_dealt(NULL, 1, n).code,
                        .across = hy_layout_across(cube)};
  layout.row.storage = HYLA_CONSECUTIVE;
  return layout;
}

/* Has each subproblem a null vector on the right? */
static bool has_null(const struct hy_divide_tree *s) { return s->kind->sides == 2; }

/* The first position of a node, a member of all; the last one's rows end with all positions. */
static int64_t begin_of(const struct hy_divide_tree *s, int64_t member) {
  const int64_t block = hy_max(1, hy_ceil_div(s->n, s->cube->nodes));
  return block * member < s->n ? block * member : s->positions;
}

/* Does a subproblem of a level lie on several nodes? */
static bool crosses(const struct hy_divide_tree *s, int level) {
  const int64_t block = hy_max(1, hy_ceil_div(s->n, s->cube->nodes));
  for (int64_t row = block; row < s->n; row += block)
    if (hy_divide_first(s, level, hy_divide_node(s, level, row)) != row) return true;
  return false;
}

/* Words that are shared at a time. */
static int64_t words_of(const struct hy_divide_tree *s) {
  return hy_divide_words(s) * s->positions + s->cube->nodes;
}

static hyla_status make_group(struct hy_divide_tree *s) {
  hyla_cube *cube = s->cube;
  if (cube->nodes == 1) return HYLA_OK;
  TRY(hy_alloc_control_for(&cube->base, s->owner, cube->nodes + 1, sizeof *s->starts, &s->starts));
  TRY(hy_alloc_control_for(&cube->base, s->owner, cube->nodes + 1, sizeof *s->offsets,
                           &s->offsets));
  return hy_subcube_make_for(s->owner, cube, hy_all_dims(cube), HY_TASK_ALLGATHER, words_of(s),
                             sizeof(double), NULL, &s->gathers);
}

hyla_status hy_divide_tree_create(struct hy_divide_tree *s) {
  hyla_cube *cube = s->cube;
  const hyla_layout layout = hy_divide_layout(cube, s->n);
  const struct hy_axis axis = hy_axis_make(&layout.row, s->n);
  s->secular = hy_secular_best();
  s->packed = hy_packed_best(s->k, cube->session.team);
  s->threads = hy_cube_counts(cube) ? cube->session.threads : hy_team_threads(cube->session.team);
  if (cube->address < 0 || s->n == 0) return HYLA_OK;
  s->row = axis.block * hy_part_of(&axis, cube->address);
  s->rows = hy_held_at(&axis, cube->address);
  while (hy_ceil_div(s->positions, INT64_C(1) << s->levels) > s->kind->leaf) s->levels++;
  while (s->shared <= s->levels && crosses(s, s->shared)) s->shared++;
  return make_group(s);
}

/* ---------------------------------------------------------------- allocate -- */

static hyla_status take(const struct hy_divide_tree *s, int64_t count, size_t size, void *to) {
  return hy_alloc_data_for(&s->cube->base, s->owner, count, size, to);
}

static hyla_status allocate_side(const struct hy_divide_tree *s, struct hy_divide_side *side) {
  int32_t **const indices[] = {&side->place,          &side->slot,
                               &side->target,         &side->halves[0].index,
                               &side->halves[0].slot, &side->halves[1].index,
                               &side->halves[1].slot};
  double **const numbers[] = {&side->weight,         &side->factor,
                              &side->halves[0].pole, &side->halves[0].weight,
                              &side->halves[1].pole, &side->halves[1].weight};
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
    TRY(take(s, s->positions, sizeof(int32_t), indices[i]));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    TRY(take(s, s->positions, sizeof(double), numbers[i]));
  return take(s, s->positions, sizeof *side->half, &side->half);
}

static hyla_status allocate_positions(struct hy_divide_tree *s) {
  double **const numbers[] = {&s->e,    &s->d,      &s->first, &s->last, &s->sigma, &s->pole,
                              &s->head, &s->square, &s->tail,  &s->mu,   &s->shift};
  const int64_t merges = s->levels == 0 ? 0 : INT64_C(1) << (s->levels - 1);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    TRY(take(s, s->positions, sizeof(double), numbers[i]));
  if (has_null(s)) TRY(take(s, s->positions, sizeof *s->diagonal, &s->diagonal));
  for (int side = 0; side < s->kind->sides; side++) TRY(allocate_side(s, &s->side[side]));
  TRY(take(s, s->positions, sizeof *s->column, &s->column));
  TRY(take(s, s->positions, sizeof *s->rotation, &s->rotation));
  TRY(take(s, merges, sizeof *s->merge, &s->merge));
  return take(s, words_of(s), sizeof *s->words, &s->words);
}

hyla_status hy_divide_tree_allocate(struct hy_divide_tree *s) {
  if (s->cube->address < 0 || s->n == 0) return HYLA_OK;
  TRY(allocate_positions(s));
  if (s->gathers.cube != NULL) TRY(hy_subcube_allocate(&s->gathers));
  if (!hy_divide_has_vectors(s) || s->levels == 0) return HYLA_OK;
  int64_t room = 0;
  for (int level = 0; level < s->levels; level++)
    room = hy_max(room, hy_divide_update_room(s, level));
  TRY(take(s, room, s->k->size, &s->copies));
  s->strip_bytes = (HY_PACKED_DEPTH + s->rows) * HY_DIVIDE_STRIP * (int64_t)s->k->size;
  return take(s, s->threads, (size_t)s->strip_bytes, &s->strips);
}

hyla_status hy_divide_spread(const struct hy_divide_tree *s, int threads,
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

/* ------------------------------------------------------------------- share -- */

/* A word for node x's deflated columns stands behind its positions. */
hyla_status hy_divide_tree_share(struct hy_divide_tree *s) {
  const int64_t nodes = s->cube->nodes,
                me = hy_member(s->cube, hy_all_dims(s->cube), s->cube->address);
  if (s->gathers.cube == NULL) return HYLA_OK;
  for (int64_t x = 0; x <= nodes; x++) s->offsets[x] = 3 * begin_of(s, x) + x;
  double *to = s->words + s->offsets[me];
  for (int64_t i = begin_of(s, me); i < begin_of(s, me + 1) && !s->k->dry; i++, to += 3) {
    to[0] = s->d[i];
    to[1] = s->first[i];
    to[2] = s->last[i];
  }
  if (!s->k->dry) *to = (double)s->report.deflated;
  TRY(hy_subcube_allgather(&s->gathers, s->words, s->offsets));
  if (s->k->dry) return HYLA_OK;
  s->report.deflated = 0;
  for (int64_t x = 0; x < nodes; x++) {
    const double *from = s->words + s->offsets[x];
    for (int64_t i = begin_of(s, x); i < begin_of(s, x + 1); i++, from += 3) {
      s->d[i] = from[0];
      s->first[i] = from[1];
      s->last[i] = from[2];
    }
    s->report.deflated += (int64_t)*from;
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------- merge -- */

struct hy_merge hy_divide_merge(const struct hy_divide_tree *s, int level, int64_t index) {
  struct hy_merge m = {.lo = hy_divide_first(s, level, index),
                       .mid = hy_divide_first(s, level + 1, 2 * index + 1),
                       .hi = hy_divide_first(s, level, index + 1)};
  const int64_t halves[2] = {m.mid - m.lo, m.hi - m.mid};
  m.k = m.wanted_end = (int)(m.hi - m.lo - has_null(s));
  if (level == 0 && !has_null(s)) {
    m.wanted = (int)s->wanted;
    m.wanted_end = (int)s->wanted_end;
  }
  for (int h = 0; h < 2; h++) {
    /* The last null vector never becomes a middle column. */
    m.held[HY_RIGHT][h] = (int)(halves[h] - (has_null(s) && h == 1 && m.hi == s->positions));
    m.held[HY_LEFT][h] = (int)(halves[h] - 1);
  }
  return m;
}

static void deflate(void *arg, int64_t piece, int thread) {
  const struct hy_divide_pass *pass = arg;
  struct hy_merge *m = &pass->s->merge[piece];
  (void)thread;
  *m = hy_divide_merge(pass->s, pass->level, pass->begin + piece);
  pass->s->kind->deflate(pass->s, m);
}

static hyla_status deflate_all(struct hy_divide_pass *pass) {
  struct hy_divide_tree *s = pass->s;
  const int64_t count = pass->end - pass->begin;
  int64_t roots = 0;
  if (s->k->dry) return HYLA_OK;
  TRY(hy_divide_spread(s, s->threads, deflate, pass, count));
  for (int64_t i = 0; i < count; i++) {
    struct hy_merge *m = &s->merge[i];
    const int64_t deflated = m->hi - m->lo - has_null(s) - m->k;
    m->roots = roots;
    roots += m->k;
    s->report.deflated += deflated;
    if (pass->top) s->report.last_deflated = deflated;
  }
  return HYLA_OK;
}

/* Position `at' takes the column `from' of a merge; in the last one vectors go to the columns in
 * ascending order of their values, or in descending order. */
static void move(const struct hy_divide_pass *pass, int64_t at, int64_t from, int sides) {
  const struct hy_divide_tree *s = pass->s;
  const int64_t target = has_null(s) ? s->n - at : at;
  s->first[at] = s->head[from];
  s->last[at] = s->tail[from];
  for (int side = 0; side < sides; side++) {
    const struct hy_divide_side *of = &s->side[side];
    of->target[from] = pass->top ? (int32_t)target : of->slot[from];
    of->place[at] = of->target[from];
  }
}

/* Puts the null vector first, then the roots and the deflated values in ascending order. */
static void order(const struct hy_divide_pass *pass, struct hy_merge *m) {
  const struct hy_divide_tree *s = pass->s;
  const double scale = ldexp(1, m->exponent);
  const int64_t end = m->hi - has_null(s);
  int64_t root = m->lo, dropped = m->lo + m->k;
  int wanted[2] = {0, 0};
  for (int64_t at = m->lo + has_null(s); at < m->hi; at++) {
    const double found = root < m->lo + m->k ? s->shift[root] + s->mu[root] : INFINITY,
                 value = has_null(s) ? sqrt(found) : found;
    const bool is_root = dropped == end || (root < m->lo + m->k && value <= s->sigma[dropped]);
    const int64_t from = is_root ? root++ : dropped++;
    if (at < s->wanted && is_root) wanted[0]++;
    if (at < s->wanted_end && is_root) wanted[1]++;
    s->d[at] = (is_root ? value : s->sigma[from]) * scale;
    move(pass, at, from, s->kind->sides);
  }
  m->wanted = pass->top ? wanted[0] : 0;
  m->wanted_end = pass->top ? wanted[1] : m->k;
  if (!has_null(s)) return;
  s->d[m->lo] = 0;
  move(pass, m->lo, end, 1);
}

hyla_status hy_divide_tree_merge(struct hy_divide_tree *s, int level) {
  struct hy_divide_pass pass = {
      .s = s, .level = level, .shared = level < s->shared, .top = level == 0};
  if (pass.shared) {
    pass.end = INT64_C(1) << level;
  } else if (s->rows > 0) {
    pass.begin = hy_divide_node(s, level, s->row);
    pass.end = hy_divide_node(s, level, hy_divide_end(s) - 1) + 1;
  }
  s->report.last_merged = s->n;
  s->report.merged += s->n;
  TRY(deflate_all(&pass));
  hy_divide_deal(&pass);
  TRY(hy_divide_find_values(&pass));
  if (!pass.top || hy_divide_has_vectors(s)) TRY(hy_divide_find_columns(&pass));
  for (int64_t i = 0; i < pass.end - pass.begin && !s->k->dry; i++) order(&pass, &s->merge[i]);
  for (int side = 0; side < s->kind->sides; side++)
    if (s->side[side].wanted) TRY(hy_divide_update(&pass, side));
  return HYLA_OK;
}

/* --------------------------------------------------------------------- run -- */

void hy_divide_tree_open(struct hy_divide_tree *s, int side, const hyla_matrix *vectors) {
  s->side[side].z = vectors != NULL ? vectors->local : NULL;
  s->side[side].ld = vectors != NULL ? vectors->ld : 0;
}

hyla_status hy_divide_tree_scale(const struct hy_divide_tree *s, const char *what, const double *d,
                                 const double *e, double *diagonal, int *exponent) {
  double largest = 0;
  for (int64_t i = 0; i < s->n; i++) {
    const double off = i + 1 < s->n ? e[i] : 0;
    CHECK(&s->cube->base, isfinite(d[i]) && isfinite(off), NOT_FINITE,
          "row %lld of the %s matrix, counted from 0, holds a NaN or an infinity", (long long)i,
          what);
    largest = fmax(largest, fmax(fabs(d[i]), fabs(off)));
  }
  frexp(largest, exponent);
  for (int64_t i = 0; i < s->n; i++) {
    diagonal[i] = scalbn(d[i], -*exponent);
    s->e[i] = i + 1 < s->n ? scalbn(e[i], -*exponent) : 0;
  }
  return HYLA_OK;
}

/* A merge that went wrong leaves NaN in all that is made of it; all nodes have the same numbers.
 * Without vectors the last merge makes values alone. */
hyla_status hy_divide_tree_finish(struct hy_divide_tree *s, const char *what, int exponent,
                                  double *values) {
  for (int level = (int)hy_min(s->shared, s->levels) - 1; level >= 0; level--)
    TRY(hy_divide_tree_merge(s, level));
  for (int64_t i = 0; i < s->n && !s->k->dry; i++) {
    const int64_t at = has_null(s) ? s->n - i : i;
    values[i] = scalbn(s->d[at], exponent);
    CHECK(&s->cube->base,
          isfinite(s->d[at]) && (!hy_divide_has_vectors(s) || isfinite(s->first[at] + s->last[at])),
          UNRELIABLE, "%s %lld, or its vector, is not a number after the merges", what,
          (long long)i);
  }
  return HYLA_OK;
}

hyla_status hy_divide_tree_tell(const struct hy_divide_tree *s, hyla_status status,
                                double *values) {
  if (hy_cube_counts(s->cube)) return status;
  /* The message that says why the cube broke stays. */
  if (status != HYLA_OK && s->cube->network.broken) return status;
  const hyla_status told = hy_tell_guests(s->cube, values, s->n * (int64_t)sizeof *values);
  return status != HYLA_OK ? status : told;
}
