/* LU with pivots on the diagonal, element by element: for matrices that need no other pivots, and
 * for who wants to see the paper's elimination run.
 *
 * Layout: element-cyclic on any 2^r x 2^c array, binary or Gray.
 * Pivots follow each other through the array as fast as its links carry them (lu_diagonal.h); a
 * node adds a multiple of a row's element to its own as soon as factor and element have come.
 * Right-hand sides ride along as further columns.
 * Johnsson 1987, section 6.2 also eliminates the rows above a pivot in its block row, by the same
 * messages; here they stay, so that L and U are there for all that factors are for.  Here pivots
 * also follow a step sooner.
 *
 * Steps: the sum over pivots of the longest row of elements, and 1; messages of one word.
 * Memory: a node keeps all elements and factors that come to it, N^2 / 2 divided by the rank rows,
 * and by the rank columns; and their schedule. */
#include "solve/lu_diagonal.h"

/* ----------------------------------------------------------- elimination -- */

/* A pivot as this node meets it, and so many steps after its first element came. */
struct layer {
  struct hy_pivot_place at;
  int64_t pivot, slot;
  int64_t own;          /* of the elements, columns of a */
  const hyla_matrix *x; /* NULL: none rides along */
  char *elements, *factors;
};

static char *word(const struct hy_diagonal_lu *d, int64_t w) {
  return d->words + (size_t)d->offsets[w] * d->k->size;
}

/* Where column `slot' of the pivot's row lies; NULL: it does not ride along. */
static char *place_of(const struct hy_diagonal_lu *d, const struct layer *l, int64_t row,
                      int64_t slot) {
  if (slot < l->own) return hy_at(d->a, row, l->at.col + slot);
  if (l->x == NULL || slot - l->own >= l->x->local_cols) return NULL;
  return hy_at(l->x, row, slot - l->own);
}

static hyla_status verdict_of(const struct hy_kernels *k, const void *pivot) {
  uint64_t key = k->search(1, pivot).key;
  if (key >= HY_KEY_INFINITY) return HYLA_NOT_FINITE;
  return key == 0 ? HYLA_SINGULAR : HYLA_OK;
}

static void judge(struct hy_diagonal_lu *d, const struct layer *l) {
  if (d->k->dry || d->failure.pivot != 0) return;
  hyla_status verdict = verdict_of(d->k, hy_at(d->a, l->at.row - 1, l->at.col));
  if (verdict == HYLA_OK) return;
  d->failure = (struct hy_pivot_failure){.pivot = l->pivot + 1, .status = verdict};
}

/* On the pivot's rank row: an element leaves; on its rank column: a factor, 0 of one that fails, so
 * that what follows does no harm. */
static void send_off(struct hy_diagonal_lu *d, const struct layer *l) {
  const struct hy_kernels *k = d->k;
  if (l->at.row_way == 0 && l->slot < l->at.elements) {
    const char *from = place_of(d, l, l->at.row - 1, l->slot);
    if (from != NULL)
      k->copy(HYLA_NONE, 1, 1, 1, from, 1, l->elements + (size_t)l->slot * k->size, 1);
  }
  if (l->at.col_way == 0 && l->slot < l->at.factors) {
    char *entry = hy_at(d->a, l->at.row + l->slot, l->at.col);
    if (verdict_of(k, l->elements) == HYLA_OK)
      k->divide(1, k->get(l->elements, 0), entry, 1);
    else
      k->set(entry, 0, 0);
    k->copy(HYLA_NONE, 1, 1, 1, entry, 1, l->factors + (size_t)l->slot * k->size, 1);
    hy_compute(d->cube, 1, k->size, k->complex_type);
  }
}

/* Entries (rows from `row' on, columns from `slot' on) less factors times elements: of a's columns,
 * then of x's. */
static void subtract(struct hy_diagonal_lu *d, const struct layer *l, int64_t row, int64_t rows,
                     int64_t slot, int64_t slots) {
  const struct hy_kernels *k = d->k;
  int64_t end = slot + slots, cut = hy_max(slot, hy_min(end, l->own));
  const char *factors = l->factors + (size_t)row * k->size;
  int64_t riding = l->x == NULL ? 0 : hy_min(end, l->own + l->x->local_cols) - cut;
  if (rows <= 0) return;
  if (cut > slot)
    k->ger((int)rows, (int)(cut - slot), -1, factors, 1, l->elements + (size_t)slot * k->size, 1,
           hy_at(d->a, l->at.row + row, l->at.col + slot), (int)d->a->ld);
  if (riding > 0)
    k->ger((int)rows, (int)riding, -1, factors, 1, l->elements + (size_t)cut * k->size, 1,
           hy_at(l->x, l->at.row + row, cut - l->own), (int)l->x->ld);
  hy_compute(d->cube, 2 * rows * (cut - slot + hy_max(0, riding)), k->size, k->complex_type);
}

/* What the slot's factor does with the elements so far, its element with the factors before. */
static void use_slot(struct hy_diagonal_lu *d, const struct layer *l) {
  int64_t first = l->at.col_way == 0; /* the pivot's own column is made of factors */
  if (l->slot < l->at.factors)
    subtract(d, l, l->slot, 1, first, hy_min(l->slot + 1, l->at.elements) - first);
  if (l->slot < l->at.elements && l->slot >= first)
    subtract(d, l, 0, hy_min(l->slot, l->at.factors), l->slot, 1);
}

/* All pivots that have something for this node in this step. */
static void work_at(struct hy_diagonal_lu *d, int64_t step, const hyla_matrix *x, int64_t *oldest) {
  const struct hy_pipeline *p = &d->pipeline;
  for (int64_t j = *oldest; j < p->row.n && p->start[j] <= step; j++) {
    struct layer l = {.at = hy_pivot_place(p, (uint32_t)d->cube->address, j), .pivot = j, .x = x};
    bool last = j + 1 == p->row.n;
    l.slot = step - p->start[j] - hy_popcount(l.at.row_way) - hy_popcount(l.at.col_way);
    l.own = d->a->local_cols - l.at.col;
    if (l.slot < 0) continue;
    if (l.slot == 0 && l.at.row_way == 0 && l.at.col_way == 0) judge(d, &l);
    if (!last && l.slot < hy_max(l.at.elements, l.at.factors)) {
      l.elements = word(d, d->element_at[j]);
      l.factors = word(d, d->factor_at[j]);
      send_off(d, &l);
      use_slot(d, &l);
    } else if (j == *oldest) {
      ++*oldest;
    }
  }
}

static void first_failure(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_pivot_failure *mine = into;
  const struct hy_pivot_failure *theirs = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++)
    if (theirs[i].pivot != 0 && (mine[i].pivot == 0 || theirs[i].pivot < mine[i].pivot))
      mine[i] = theirs[i];
}

/* Words of right-hand sides that do not ride are none. */
static void set_offsets(struct hy_diagonal_lu *d, const hyla_matrix *x) {
  const struct hy_pipeline *p = &d->pipeline;
  int64_t riding = x == NULL ? 0 : x->local_cols, next = p->rows_at, w = p->rows_at;
  for (int64_t i = 0; i < w; i++) d->offsets[i] = i;
  for (int64_t j = 0; j + 1 < p->row.n; j++) {
    struct hy_pivot_place at = hy_pivot_place(p, (uint32_t)d->cube->address, j);
    int64_t there = d->a->local_cols - at.col + riding;
    for (int64_t s = 0; s < at.elements; s++, w++) {
      d->offsets[w] = next;
      next += s < there;
    }
  }
  while (w <= p->words) d->offsets[w++] = next;
}

/* The packets of a step, if any: from the i-th on, which becomes that of the next. */
static hyla_status travel(struct hy_diagonal_lu *d, int64_t step, int64_t *i) {
  struct hy_schedule now = d->schedule;
  int64_t first = *i;
  const struct hy_run run = {.dims = (1u << d->cube->dims) - 1,
                             .blocks = {.offsets = d->offsets},
                             .size = d->k->size,
                             .data = d->words};
  while (*i < d->schedule.packet_count && d->schedule.packets[*i].step == step) ++*i;
  if (*i == first) return HYLA_OK;
  now.packets += first;
  now.packet_count = *i - first;
  return hy_schedule_run(d->cube, &now, &run);
}

hyla_status hy_diagonal_eliminate(struct hy_diagonal_lu *d, const hyla_matrix *x) {
  const struct hy_pipeline *p = &d->pipeline;
  int64_t n = p->row.n, oldest = 0, packet = 0;
  d->failure = (struct hy_pivot_failure){0};
  set_offsets(d, x);
  for (int64_t step = 0; oldest < n; step++) {
    work_at(d, step, x, &oldest);
    TRY(travel(d, step, &packet));
  }
  return hy_group_allreduce(&d->failures, &d->failure, 1, first_failure, NULL);
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status solve(const struct hy_diagonal_lu *d, bool opposite, bool upper,
                         const hyla_matrix *x) {
  return d->cube->address < 0 ? HYLA_OK : hy_triangular_run(&d->system[opposite][upper], x);
}

static hyla_status forward(void *state, hyla_matrix *x) { return solve(state, false, false, x); }

static hyla_status backward(void *state, hyla_matrix *x) { return solve(state, false, true, x); }

/* x := op(L)^-1 op(U)^-1 x. */
static hyla_status solve_opposite(struct hy_diagonal_lu *d, hyla_operation op,
                                  const hyla_matrix *x) {
  d->system[1][0].s.op = d->system[1][1].s.op = op;
  TRY(solve(d, true, true, x));
  return solve(d, true, false, x);
}

static hyla_status opposite(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_diagonal_lu *d = state;
  TRY(hy_diagonal_take_opposite(d));
  return hy_agree(d->cube, solve_opposite(d, op, x));
}

/* Nothing was swapped. */
static hyla_status unswap(void *state, hyla_operation op, hyla_matrix *x) {
  (void)state, (void)op, (void)x;
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct hy_diagonal_lu *d = state;
  if (d->cube->address < 0) return HYLA_OK;
  TRY(hy_diagonal_eliminate(d, d->problem->along));
  d->problem->factors->pivot = d->failure.pivot;
  return hy_pivot_verdict(&d->cube->base, (hyla_status)d->failure.status, d->failure.pivot);
}

static hyla_cost cost(const void *state) { return ((const struct hy_diagonal_lu *)state)->cost; }

static void explain(const void *state, struct hy_text *text) {
  const struct hy_diagonal_lu *d = state;
  const struct hy_pipeline *p = &d->pipeline;
  hy_text_add(text,
              "  the last of %lld pivots leaves its node at step %lld, an element a message\n",
              (long long)p->row.n, (long long)(p->row.n > 0 ? p->start[p->row.n - 1] : 0));
}

static const char *applies(const void *given) {
  const struct hy_factorization *problem = given;
  const char *reason = hy_factor_applies(given);
  if (problem->m != problem->n) return "the matrix is not square";
  if (reason != NULL || hy_factor_block(given) == 1) return reason;
  return "the layout is not in blocks of one element, as gray/cyclic:1";
}

static const struct hy_substitutions SUBSTITUTIONS = {
    .forward = forward, .backward = backward, .opposite = opposite, .unswap = unswap};

const struct hy_variant hy_lu_on_diagonal = {
    .name = "diagonal",
    .reference = "johnsson-1987, section 6.2",
    .traits = &SUBSTITUTIONS,
    .asked = "only when asked for",
    .applies = applies,
    HY_DIAGONAL_WORKSPACE,
    .cost = cost,
    .run = run,
    .explain = explain,
};
