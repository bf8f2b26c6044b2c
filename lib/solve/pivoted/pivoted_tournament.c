/* The variant tournament: the columns of a panel are chosen all at once.
 *
 * Every node names as many of its columns as the panel has, and the sets meet pairwise over all
 * dimensions: of two sets, the columns are kept that QR with classic pivoting of both takes first.
 * A node's own columns meet in the same way, a set at a time.  The last set becomes the panel,
 * which all nodes factor alike.  So a panel takes one all-reduction where classic pivoting takes
 * one a column, and all work is products and QR of tall blocks.  The twin of LU's tournament.
 *
 * A message carries whole columns: those that are named, as they were before the panel, so that all
 * nodes reflect the same numbers and get the same bits; and the columns in whose place they go.
 *
 * Reference: Demmel, Grigori, Gu and Xiang 2015; Puglisi 1992, for S.  Flops of the choice: at most
 * 16 w rows for each column of the node and 32 w^2 rows for each dimension.  Memory beside A: seven
 * panels. */
#include "solve/pivoted/pivoted.h"

#include <complex.h>
#include <string.h>

/* Followed by the columns' places, the columns themselves, and those that leave. */
struct entrants {
  int64_t count;
  int64_t not_finite;
  int64_t leave; /* are the leaving columns in this message? */
  int64_t spare;
  int64_t place[];
};

struct tournament {
  struct hy_pivoted *p;
  const struct hy_kernels *k;
  int64_t rows; /* from the panel's first on */
  int width;    /* the panel's */
  char *stack;  /* two sets that meet, in these rows */
  char *chosen; /* whole columns */
  char *square; /* of order 2 block: R of the stack */
  char *s;      /* S of the panel; block x block */
  char *tau, *work;
  int64_t *places; /* of chosen columns */
  int64_t *own;    /* this node's choice so far, by local column, and the next set */
  int *order;
};

static int64_t columns_at(int64_t w) {
  return hy_ceil_div((int64_t)sizeof(struct entrants) + w * (int64_t)sizeof(int64_t), 16) * 16;
}
static int64_t entrants_bytes(int64_t m, int64_t w, int64_t size) {
  return columns_at(w) + 2 * m * w * size;
}

static int64_t room(int64_t m, int64_t w, int64_t c, int64_t size) {
  (void)c;
  return 5 * w * (int64_t)sizeof(int64_t) +
         (3 * m * w + 5 * w * w + 2 * w + hy_qr_room(2 * w)) * size;
}

static struct tournament open_tournament(struct hy_pivoted *p) {
  const int64_t w = p->block, size = (int64_t)p->k->size;
  struct tournament t = {.p = p, .k = p->k, .rows = p->m - p->first, .width = p->width};
  t.places = (int64_t *)(void *)p->room;
  t.own = t.places + w;
  t.order = (int *)(void *)(t.own + 3 * w);
  t.stack = (char *)(t.own + 4 * w);
  t.chosen = t.stack + 2 * p->m * w * size;
  t.square = t.chosen + p->m * w * size;
  t.s = t.square + 4 * w * w * size;
  t.tau = t.s + w * w * size;
  t.work = t.tau + 2 * w * size;
  return t;
}

static char *columns_of(const struct tournament *t, const struct entrants *set) {
  return (char *)(uintptr_t)set + columns_at(t->p->block);
}
static char *leaving_of(const struct tournament *t, const struct entrants *set) {
  return columns_of(t, set) + t->p->m * t->p->block * (int64_t)t->k->size;
}

/* ------------------------------------------------------------------ choice -- */

/* The order in which classic pivoting takes the stack's columns; returns how many are kept. */
static int choose(const struct tournament *t, int count) {
  const struct hy_kernels *k = t->k;
  const int rows = (int)t->rows;
  char *block = t->stack;
  int high = rows, ld = rows;
  if (rows > count) { /* the columns of R have the same norms and angles */
    k->qr(rows, count, t->stack, rows, NULL, t->tau, t->work);
    memset(t->square, 0, (size_t)count * (size_t)count * k->size);
    for (int j = 0; j < count; j++)
      memcpy(t->square + (size_t)j * (size_t)count * k->size,
             t->stack + (size_t)j * (size_t)rows * k->size, (size_t)(j + 1) * k->size);
    block = t->square;
    high = ld = count;
  }
  k->qr(high, count, block, ld, t->order, t->tau, t->work);
  return (int)hy_min(t->width, count);
}

/* The stack's column `to' := rows from the panel's first on of a whole column. */
static void stack_column(const struct tournament *t, const char *column, int to) {
  const size_t size = t->k->size;
  memcpy(t->stack + (size_t)to * (size_t)t->rows * size, column + (size_t)t->p->first * size,
         (size_t)t->rows * size);
}

/* Names this node's columns: its local numbers go to t->own; returns how many. */
static int name_own(const struct tournament *t) {
  const struct hy_pivoted *p = t->p;
  int64_t *own = t->own, *kept = own + 2 * p->block;
  int count = 0;
  for (int64_t l = hy_pivoted_local(p, p->first); l < p->a->local_cols;) {
    for (int i = 0; i < t->width && l < p->a->local_cols; i++) own[count++] = l++;
    for (int i = 0; i < count; i++) stack_column(t, hy_pivoted_entry(p, 0, own[i]), i);
    count = choose(t, count);
    for (int i = 0; i < count; i++) kept[i] = own[t->order[i]];
    memcpy(own, kept, (size_t)count * sizeof *own);
  }
  return count;
}

static void name_columns(const struct tournament *t, struct entrants *mine) {
  const struct hy_pivoted *p = t->p;
  const size_t column = (size_t)p->m * t->k->size;
  const bool finite =
      p->first > 0 || t->k->finite((int)p->m, (int)p->a->local_cols, p->a->local, (int)p->a->ld);
  *mine = (struct entrants){.count = finite ? name_own(t) : 0, .not_finite = !finite};
  for (int i = 0; i < (int)mine->count; i++) {
    mine->place[i] = hy_axis_index(&p->a->col, p->a->col_part, t->own[i]);
    memcpy(columns_of(t, mine) + (size_t)i * column, hy_pivoted_entry(p, 0, t->own[i]), column);
  }
  if (!hy_pivoted_mine(p, p->first)) return;
  mine->leave = 1;
  t->k->copy(HYLA_NONE, (int)p->m, t->width, 1,
             hy_pivoted_entry(p, 0, hy_pivoted_local(p, p->first)), (int)p->a->ld,
             leaving_of(t, mine), (int)p->m);
}

/* into := the better columns of both sets; both nodes stack them in the same order.  A set that
 * meets none stays as it is. */
static void meet(const struct tournament *t, struct entrants *into, const struct entrants *from) {
  const size_t column = (size_t)t->p->m * t->k->size;
  if (from->count == 0) return;
  if (into->count == 0) {
    into->count = from->count;
    memcpy(into->place, from->place, (size_t)from->count * sizeof *from->place);
    memcpy(columns_of(t, into), columns_of(t, from), (size_t)from->count * column);
    return;
  }
  const bool leads = into->place[0] < from->place[0];
  const struct entrants *set[2] = {leads ? into : from, leads ? from : into};
  const int above = (int)set[0]->count, both = above + (int)set[1]->count;
  for (int i = 0; i < both; i++)
    stack_column(t, columns_of(t, set[i >= above]) + (size_t)(i - (i >= above) * above) * column,
                 i);
  const int kept = choose(t, both);
  for (int i = 0; i < kept; i++) {
    const int here = t->order[i] >= above, number = t->order[i] - here * above;
    t->places[i] = set[here]->place[number];
    memcpy(t->chosen + (size_t)i * column, columns_of(t, set[here]) + (size_t)number * column,
           column);
  }
  into->count = kept;
  memcpy(into->place, t->places, (size_t)kept * sizeof *t->places);
  memcpy(columns_of(t, into), t->chosen, (size_t)kept * column);
}

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  const struct tournament *t = arg;
  struct entrants *mine = into;
  const struct entrants *theirs = from;
  (void)count; /* count is 1 */
  if (t->k->dry) return;
  mine->not_finite |= theirs->not_finite;
  if (theirs->leave != 0) {
    mine->leave = 1;
    memcpy(leaving_of(t, mine), leaving_of(t, theirs),
           (size_t)t->p->m * (size_t)t->p->block * t->k->size);
  }
  meet(t, mine, theirs);
}

/* ------------------------------------------------------------------- panel -- */

/* Column i of those that leave goes to place `to', if that is behind the panel and here. */
static void put_leaving(const struct tournament *t, const struct entrants *won, int i, int64_t to) {
  const struct hy_pivoted *p = t->p;
  if (to < p->first + t->width || !hy_pivoted_mine(p, to)) return;
  memcpy(hy_pivoted_entry(p, 0, hy_pivoted_local(p, to)),
         leaving_of(t, won) + (size_t)i * (size_t)p->m * t->k->size, (size_t)p->m * t->k->size);
}

/* Brings the chosen columns to the panel, one after the other.  place[i]: where leaving column i is
 * by now, content[i]: the leaving column at i, both counted from the panel's first. */
static void swap_columns(const struct tournament *t, const struct entrants *won) {
  struct hy_pivoted *p = t->p;
  int *place = t->order, *content = place + t->width;
  for (int i = 0; i < t->width; i++) place[i] = content[i] = i;
  for (int j = 0; j < t->width; j++) {
    const int leaves = content[j];
    int64_t from = won->place[j] - p->first;
    if (from < t->width) { /* a leaving column that is chosen */
      const int64_t chosen = from;
      from = place[chosen];
      place[chosen] = j;
    }
    hy_swap_numbers(&p->columns[p->first + j], &p->columns[p->first + from]);
    place[leaves] = (int)from;
    if (from < t->width) content[from] = leaves;
  }
  for (int i = 0; i < t->width; i++) put_leaving(t, won, i, p->first + place[i]);
}

/* Factors the chosen columns, alike on all nodes; their owner stores them.  V and S become those of
 * the panel. */
static void factor_columns(const struct tournament *t, const struct entrants *won) {
  struct hy_pivoted *p = t->p;
  const struct hy_kernels *k = t->k;
  const int rows = (int)t->rows, w = t->width;
  const size_t size = k->size, column = (size_t)p->m * size;
  char *v = t->stack, *columns = columns_of(t, won);
  for (int i = 0; i < w; i++) stack_column(t, columns + (size_t)i * column, i);
  k->qr(rows, w, v, rows, NULL, t->tau, t->work);
  for (int i = 0; i < w; i++) p->tau[p->first + i] = k->get(t->tau, i);
  if (hy_pivoted_mine(p, p->first)) {
    const int64_t own = hy_pivoted_local(p, p->first);
    k->copy(HYLA_NONE, (int)p->first, w, 1, columns, (int)p->m, hy_pivoted_entry(p, 0, own),
            (int)p->a->ld);
    k->copy(HYLA_NONE, rows, w, 1, v, rows, hy_pivoted_entry(p, p->first, own), (int)p->a->ld);
  }
  for (int i = 0; i < w; i++) {
    char *at = v + (size_t)i * (size_t)rows * size;
    memset(at, 0, (size_t)(p->tau[p->first + i] == 0 ? rows : i) * size);
    if (p->tau[p->first + i] != 0) k->set(at, i, 1);
  }
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, w, w, rows, 1, v, rows, v, rows, 0, t->s, w);
  for (int i = 0; i < w; i++) {
    const double _Complex tau = p->tau[p->first + i];
    k->set(t->s, (int64_t)i * (w + 1), tau == 0 ? 1 : 1 / tau);
  }
}

/* The columns behind the panel: C := C - V S^-H V^H C. */
static void update(const struct tournament *t) {
  const struct hy_pivoted *p = t->p;
  const struct hy_kernels *k = t->k;
  const int64_t first = hy_pivoted_local(p, p->first + t->width);
  const int rows = (int)t->rows, w = t->width, behind = (int)(p->a->local_cols - first);
  char *c = hy_pivoted_entry(p, p->first, first);
  if (behind == 0) return;
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, w, behind, rows, 1, t->stack, rows, c, (int)p->a->ld, 0,
          p->factor, w);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, w, behind, 1, t->s, w,
          p->factor, w);
  k->gemm(HYLA_NONE, HYLA_NONE, rows, behind, w, -1, t->stack, rows, p->factor, w, 1, c,
          (int)p->a->ld);
}

/* Operations of QR, r >= c. */
static int64_t qr_flops(int64_t r, int64_t c) { return 2 * c * c * r - 2 * c * c * c / 3; }

static void count_panel(const struct tournament *t) {
  const struct hy_pivoted *p = t->p;
  const int64_t w = t->width, rows = t->rows;
  const int64_t own = p->a->local_cols - hy_pivoted_local(p, p->first);
  const int64_t behind = p->a->local_cols - hy_pivoted_local(p, p->first + w);
  const int64_t meetings = hy_ceil_div(own, w) + hy_sides_bits((uint32_t)p->a->col.parts);
  hy_compute(p->cube,
             meetings * (qr_flops(rows, 2 * w) + 11 * w * w * w) + qr_flops(rows, w) +
                 2 * rows * w * w + behind * w * (4 * rows + w),
             p->k->size, p->k->complex_type);
  hy_count_copied(p->cube, meetings * 4 * w * p->m);
}

static hyla_status panel(struct hy_pivoted *p) {
  const struct tournament t = open_tournament(p);
  struct entrants *set = (struct entrants *)(void *)p->message;
  if (!p->k->dry) name_columns(&t, set);
  TRY(hy_subcube_allreduce(&p->offers, set, 1, combine, &t));
  count_panel(&t);
  if (p->k->dry) return HYLA_OK;
  if (set->not_finite != 0) return hy_pivoted_fail(p);
  swap_columns(&t, set);
  factor_columns(&t, set);
  update(&t);
  return HYLA_OK;
}

static const struct hy_pivoting TOURNAMENT = {
    .bytes = entrants_bytes, .room = room, .panel = panel};

const struct hy_variant hy_pivoted_tournament = {
    .name = "tournament",
    .arrays = true,
    .reference = "demmel-2015b, section 2",
    .traits = &TOURNAMENT,
    HY_PIVOTED_OPERATIONS,
};
