/* Elimination with pivots on the diagonal, element by element, as its words come (pipeline.h).
 *
 * A node adds a multiple of a row's element to its own as soon as factor and element have come.
 * Where rows above a pivot are eliminated too, the factors are those of A^-1 as a product: minus
 * the quotients, and 1 / pivot for the pivot's own row, which becomes that multiple of itself.  It
 * is 0 once its elements have left, and -1 where the pivot was, and then is a row like any other.
 *
 * Steps: pipeline.steps, messages of one word.
 * Memory: a node keeps all elements and factors that come to it, N^2 / 2 divided by the rank
 * columns, and by the rank rows, all N^2 of the factors where rows above have some; and their
 * schedule. */
#include "solve/pipeline.h"

/* A pivot as this node meets it, and so many steps after its first element came. */
struct layer {
  struct hy_pivot_place at;
  int64_t pivot, slot;
  int64_t own;          /* of the elements, columns of a */
  const hyla_matrix *x; /* NULL: none rides along */
  char *elements, *factors;
};

static char *word(const struct hy_elimination *e, int64_t w) {
  return e->words + (size_t)e->offsets[w] * e->k->size;
}

/* Where column `slot' of the pivot's row lies; NULL: it does not ride along. */
static char *place_of(const struct hy_elimination *e, const struct layer *l, int64_t row,
                      int64_t slot) {
  if (slot < l->own) return hy_at(e->a, row, l->at.col + slot);
  if (l->x == NULL || slot - l->own >= l->x->local_cols) return NULL;
  return hy_at(l->x, row, slot - l->own);
}

/* The local row of a factor: behind the pivot, then above. */
static int64_t row_of(const struct hy_elimination *e, const struct layer *l, int64_t slot) {
  int64_t row = l->at.row + slot;
  return row < e->a->local_rows ? row : row - e->a->local_rows;
}

static hyla_status verdict_of(const struct hy_kernels *k, const void *pivot) {
  uint64_t key = k->search(1, pivot).key;
  if (key >= HY_KEY_INFINITY) return HYLA_NOT_FINITE;
  return key == 0 ? HYLA_SINGULAR : HYLA_OK;
}

static void judge(struct hy_elimination *e, const struct layer *l, const void *pivot) {
  if (e->k->dry || e->failure.pivot != 0) return;
  hyla_status verdict = verdict_of(e->k, pivot);
  if (verdict == HYLA_OK) return;
  e->failure = (struct hy_pivot_failure){.pivot = l->pivot + 1, .status = verdict};
}

/* On the pivot's rank row: an element leaves. */
static void send_element(const struct hy_elimination *e, const struct layer *l) {
  const struct hy_kernels *k = e->k;
  char *from = place_of(e, l, l->at.row - 1, l->slot);
  if (from == NULL) return;
  k->copy(HYLA_NONE, 1, 1, 1, from, 1, l->elements + (size_t)l->slot * k->size, 1);
  if (e->pipeline.whole) k->set(from, 0, l->slot == 0 && l->at.col_way == 0 ? -1 : 0);
}

/* On its rank column: a factor, 0 of a pivot that fails, so that what follows does no harm. */
static void send_factor(const struct hy_elimination *e, const struct layer *l) {
  const struct hy_kernels *k = e->k;
  char *entry = hy_at(e->a, row_of(e, l, l->slot), l->at.col);
  double _Complex pivot = k->get(l->elements, 0);
  if (verdict_of(k, l->elements) == HYLA_OK)
    k->divide(1, e->pipeline.whole ? -pivot : pivot, entry, 1);
  else
    k->set(entry, 0, 0);
  k->copy(HYLA_NONE, 1, 1, 1, entry, 1, l->factors + (size_t)l->slot * k->size, 1);
  hy_compute(e->cube, 1, k->size, k->complex_type);
}

/* Of a's columns, then of x's, in local rows from `row' on; factors: their first one. */
static void add_rows(const struct hy_elimination *e, const struct layer *l, int64_t row,
                     int64_t rows, const char *factors, int64_t slot, int64_t slots) {
  const struct hy_kernels *k = e->k;
  int64_t end = slot + slots, cut = hy_max(slot, hy_min(end, l->own));
  int64_t riding = l->x == NULL ? 0 : hy_min(end, l->own + l->x->local_cols) - cut;
  double sign = e->pipeline.whole ? 1 : -1;
  if (rows <= 0) return;
  if (cut > slot)
    k->ger((int)rows, (int)(cut - slot), sign, factors, 1, l->elements + (size_t)slot * k->size, 1,
           hy_at(e->a, row, l->at.col + slot), (int)e->a->ld);
  if (riding > 0)
    k->ger((int)rows, (int)riding, sign, factors, 1, l->elements + (size_t)cut * k->size, 1,
           hy_at(l->x, row, cut - l->own), (int)l->x->ld);
  hy_compute(e->cube, 2 * rows * (cut - slot + hy_max(0, riding)), k->size, k->complex_type);
}

/* Multiples of elements (slots from `slot' on), by factors from `factor' on. */
static void add(const struct hy_elimination *e, const struct layer *l, int64_t factor,
                int64_t factors, int64_t slot, int64_t slots) {
  const char *first = l->factors + (size_t)factor * e->k->size;
  int64_t row = row_of(e, l, factor), before_end = hy_min(factors, e->a->local_rows - row);
  add_rows(e, l, row, before_end, first, slot, slots);
  add_rows(e, l, 0, factors - before_end, first + (size_t)hy_max(0, before_end) * e->k->size, slot,
           slots);
}

/* What the slot's factor does with the elements so far, its element with the factors before. */
static void use_slot(const struct hy_elimination *e, const struct layer *l) {
  int64_t first = l->at.col_way == 0; /* the pivot's own column is made of factors */
  if (l->slot < l->at.factors)
    add(e, l, l->slot, 1, first, hy_min(l->slot + 1, l->at.elements) - first);
  if (l->slot < l->at.elements && l->slot >= first)
    add(e, l, 0, hy_min(l->slot, l->at.factors), l->slot, 1);
}

static void use_layer(struct hy_elimination *e, const struct layer *l) {
  bool on_row = l->at.row_way == 0, on_column = l->at.col_way == 0;
  if (on_row && l->slot < l->at.elements) send_element(e, l);
  if (e->pipeline.whole && on_column && l->slot == 0) judge(e, l, l->elements);
  if (on_column && l->slot < l->at.factors) send_factor(e, l);
  use_slot(e, l);
}

/* All pivots that have something for this node in this step. */
static void work_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x, int64_t *oldest) {
  const struct hy_pipeline *p = &e->pipeline;
  for (int64_t j = *oldest; j < p->row.n && p->start[j] <= step; j++) {
    struct layer l = {.at = hy_pivot_place(p, (uint32_t)e->cube->address, j), .pivot = j, .x = x};
    l.slot = step - p->start[j] - hy_popcount(l.at.row_way) - hy_popcount(l.at.col_way);
    l.own = e->a->local_cols - l.at.col;
    if (l.slot < 0) continue;
    if (!p->whole && l.slot == 0 && l.at.row_way == 0 && l.at.col_way == 0)
      judge(e, &l, hy_at(e->a, l.at.row - 1, l.at.col));
    if (j < hy_pipeline_sending(p) && l.slot < hy_max(l.at.elements, l.at.factors)) {
      l.elements = word(e, e->element_at[j]);
      l.factors = word(e, e->factor_at[j]);
      use_layer(e, &l);
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
static void set_offsets(struct hy_elimination *e, const hyla_matrix *x) {
  const struct hy_pipeline *p = &e->pipeline;
  int64_t riding = x == NULL ? 0 : x->local_cols, next = p->rows_at, w = p->rows_at;
  for (int64_t i = 0; i < w; i++) e->offsets[i] = i;
  for (int64_t j = 0; j < hy_pipeline_sending(p); j++) {
    struct hy_pivot_place at = hy_pivot_place(p, (uint32_t)e->cube->address, j);
    int64_t there = e->a->local_cols - at.col + riding;
    for (int64_t s = 0; s < at.elements; s++, w++) {
      e->offsets[w] = next;
      next += s < there;
    }
  }
  while (w <= p->words) e->offsets[w++] = next;
}

/* The packets of a step, if any: from the i-th on, which becomes that of the next. */
static hyla_status travel(const struct hy_elimination *e, int64_t step, int64_t *i) {
  struct hy_schedule now = e->schedule;
  int64_t first = *i;
  const struct hy_run run = {.dims = (1u << e->cube->dims) - 1,
                             .blocks = {.offsets = e->offsets},
                             .size = e->k->size,
                             .data = e->words};
  while (*i < e->schedule.packet_count && e->schedule.packets[*i].step == step) ++*i;
  if (*i == first) return HYLA_OK;
  now.packets += first;
  now.packet_count = *i - first;
  return hy_schedule_run(e->cube, &now, &run);
}

hyla_status hy_eliminate(struct hy_elimination *e, const hyla_matrix *x) {
  const struct hy_pipeline *p = &e->pipeline;
  int64_t n = p->row.n, oldest = 0, packet = 0;
  e->failure = (struct hy_pivot_failure){0};
  set_offsets(e, x);
  for (int64_t step = 0; oldest < n; step++) {
    work_at(e, step, x, &oldest);
    TRY(travel(e, step, &packet));
  }
  return hy_group_allreduce(&e->failures, &e->failure, 1, first_failure, NULL);
}
