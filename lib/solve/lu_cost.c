/* LU: what it costs, counted rank by rank as the code runs.
 *
 * Only the gathering of swapped rows depends on the entries: which ranks hold
 * the pivots.  `least` counts it for a matrix that needs no swaps; `most` is a
 * bound for any: all rows that move, to everybody in every step.  Where no rows
 * can come from outside a panel, and where r = 0, the two are equal. */
#include "solve/lu.h"

/* One rank's place and what it has spent. */
struct tally {
  const struct hy_lu *lu;
  const struct hy_factorization *problem;
  int64_t block, size;
  int r, c;      /* cube dimensions of rows and of columns */
  int p, q;      /* the rank's parts */
  uint32_t x, y; /* its number in the rank column, in the rank row */
  bool in_place; /* panels are read where their lender has them */
  hyla_cost least, most;
};

/* One panel, as this rank sees it. */
struct panel {
  int64_t index, first, width;
  bool mine, top;
  int64_t row, below, right; /* local rows before, rows behind the diagonal block, columns behind */
  uint32_t from_x, from_y;   /* way from the owner along the rank column, the rank row */
};

static uint32_t number_of(const struct hy_axis *axis, int part) {
  return hy_extract(hy_axis_address(&axis->code, (uint32_t)part), hy_axis_mask(&axis->code));
}

static struct panel panel_of(const struct tally *t, int64_t index) {
  const struct hy_factorization *f = t->problem;
  struct panel at = {.index = index, .first = index * t->block};
  at.width = hy_min(t->block, f->n - at.first);
  int owner = hy_axis_owner(&f->col, at.first), top = hy_axis_owner(&f->row, at.first);
  at.mine = owner == t->q;
  at.top = top == t->p;
  at.row = hy_axis_before(&f->row, t->p, at.first);
  at.below =
      hy_axis_before(&f->row, t->p, f->n) - hy_axis_before(&f->row, t->p, at.first + at.width);
  at.right =
      hy_axis_before(&f->col, t->q, f->n) - hy_axis_before(&f->col, t->q, at.first + at.width);
  at.from_x = t->x ^ number_of(&f->row, top);
  at.from_y = t->y ^ number_of(&f->col, owner);
  return at;
}

static void add(hyla_cost *cost, int64_t steps, int64_t messages, int64_t words) {
  cost->steps += steps;
  cost->messages += messages;
  cost->words += messages * words;
}

static void spend(struct tally *t, int64_t steps, int64_t messages, int64_t words) {
  add(&t->least, steps, messages, words);
  add(&t->most, steps, messages, words);
}

static void work(struct tally *t, int64_t flops) {
  t->least.flops += flops;
  t->most.flops += flops;
}

static void copy(struct tally *t, int64_t entries) {
  t->least.copied += entries;
  t->most.copied += entries;
}

/* Ranks that a rank passes a broadcast on to: recursive doubling, highest
 * dimension first. */
static int children(uint32_t from, int dims) { return from == 0 ? dims : hy_lowest(from); }

/* One message of a group, to or from which the member is so far away. */
static void travel(struct tally *t, const struct hy_group *group, uint32_t from, int64_t words) {
  hyla_cost cost = hy_group_cost(group, from, words);
  hy_cost_add(&t->least, cost);
  hy_cost_add(&t->most, cost);
}

/* A panel's way; the loans start together. */
static void share(struct tally *t, const struct panel *at, int64_t words) {
  int passed = children(at->from_y, t->c);
  if (words == 0) return;
  if (hy_lu_by_schedule(t->lu)) {
    travel(t, &t->lu->shares, at->from_y, words);
    return;
  }
  spend(t, (at->from_y != 0) + (passed > 0), passed, words);
  if (!t->in_place) return;
  t->least.lent += passed * words;
  t->most.lent += passed * words;
  if (at->from_y != 0 && passed > 0) copy(t, words);
}

static void share_lower(struct tally *t, const struct panel *at) {
  work(t, hy_lu_invert_flops(at->width));
  int64_t rows = at->below + at->width; /* all have the diagonal block */
  if (at->mine) copy(t, rows * at->width);
  share(t, at, hy_lu_header_bytes(t->block) / t->size + rows * at->width);
}

/* What the rank moves of its columns: the new top rows into the strip, old ones to where
 * these were. */
static void swap(struct tally *t, const struct panel *at, int64_t columns) {
  copy(t, at->width * columns);
  t->most.copied += hy_min(at->width, at->below) * columns;
}

/* The gathering of the rows that a panel moves. */
static void gather(struct tally *t, const struct panel *at, int64_t columns) {
  if (t->r == 0 || columns == 0) return;
  if (at->top) copy(t, at->width * columns);
  t->most.copied += hy_min(at->width, at->below) * columns;
  int64_t outside = hy_min(at->width, t->problem->n - at->first - at->width);
  if (t->lu->rows.schedules != NULL) {
    const hyla_cost *most = &t->lu->gathering;
    t->most.steps += most->steps;
    t->most.messages += most->messages;
    t->most.words += most->words * hy_ceil_div((at->width + outside) * columns, t->r) * t->r;
    return;
  }
  /* Lowest dimension first: p_k's rows are sent on from when they have come. */
  int sent = t->r - 1 - hy_log2_floor(at->from_x);
  add(&t->least, sent + (at->from_x != 0), sent, at->width * columns);
  if (outside == 0)
    add(&t->most, sent + (at->from_x != 0), sent, at->width * columns);
  else
    add(&t->most, t->r, t->r, (at->width + outside) * columns);
}

/* U12 and the product, behind a panel. */
static void update(struct tally *t, const struct panel *at, int64_t columns) {
  gather(t, at, columns);
  swap(t, at, columns);
  if (at->top) copy(t, at->width * columns);
  work(t, (hy_lu_u_flops(at->width) + 2 * at->below * at->width) * columns);
}

static void factor_panel(struct tally *t, const struct panel *at) {
  int64_t w = at->width;
  hyla_cost search = hy_group_cost(&t->lu->searches, t->x, 1);
  spend(t, w * search.steps, 0, 0);
  spend(t, 0, w * search.messages, hy_lu_search_bytes(w, t->size) / t->size);
  copy(t, (at->below + (at->top ? w : 0)) * w + w * w); /* back, and the diagonal block */
  work(t, at->below * w * w + hy_lu_diagonal_flops((int)w, at->top));
}

static void factor_matrix(struct tally *t, int64_t panels) {
  for (int64_t index = 0; index < panels; index++) {
    struct panel at = panel_of(t, index);
    if (at.mine) factor_panel(t, &at);
    share_lower(t, &at);
    int64_t ahead = 0;
    if (index + 1 < panels) {
      struct panel next = panel_of(t, index + 1);
      if (next.mine) ahead = next.width;
    }
    update(t, &at, ahead);
    update(t, &at, at.right - ahead);
  }
}

/* The sums of few right-hand sides become the solution where x lies. */
static void few_end(struct tally *t) {
  const struct hy_factorization *f = t->problem;
  int64_t rows = hy_axis_before(&f->row, t->p, f->n);
  copy(t, 2 * rows * hy_axis_before(&f->x_col, t->q, f->nrhs)); /* to the sums and back */
  for (int part = 0; part < f->x_col.parts; part++)
    travel(t, &t->lu->adds, t->y ^ number_of(&f->x_col, part),
           rows * hy_axis_before(&f->x_col, part, f->nrhs));
}

static void solve_few(struct tally *t, int64_t panels) {
  int64_t m = t->problem->nrhs;
  for (int64_t index = 0; index < panels; index++) {
    struct panel at = panel_of(t, index);
    int64_t w = at.width;
    gather(t, &at, m);
    swap(t, &at, m);
    if (at.top) copy(t, (1 + 2 * at.mine) * w * m);
    travel(t, &t->lu->adds, at.from_y, w * m);
    if (at.mine) work(t, (w * (w - 1) + 2 * at.below * w) * m);
    if (at.top) travel(t, &t->lu->adds, at.from_y, w * m);
    if (!at.mine) continue;
    if (at.top) work(t, w * w * m);
    travel(t, &t->lu->blocks, at.from_x, w * m);
    work(t, 2 * at.row * w * m);
  }
  few_end(t);
  few_end(t);
}

static void solve_many(struct tally *t, int64_t panels) {
  int64_t m = hy_axis_before(&t->problem->x_col, t->q, t->problem->nrhs);
  for (int64_t index = 0; index < panels; index++) {
    struct panel at = panel_of(t, index);
    int64_t w = at.width;
    share_lower(t, &at);
    update(t, &at, m);
    if (at.mine) copy(t, (at.row + (at.top ? w : 0)) * w);
    if (at.top && t->r > 0) copy(t, w * m);
    share(t, &at, (at.row + (at.top ? w : 0)) * w);
    if (at.top) work(t, w * w * m);
    travel(t, &t->lu->blocks, at.from_x, w * m);
    work(t, 2 * at.row * w * m);
  }
}

static void raise(hyla_cost *most, const hyla_cost *cost) {
  most->steps = hy_max(most->steps, cost->steps);
  most->messages = hy_max(most->messages, cost->messages);
  most->words = hy_max(most->words, cost->words);
  most->flops = hy_max(most->flops, cost->flops);
  most->lent = hy_max(most->lent, cost->lent);
  most->copied = hy_max(most->copied, cost->copied);
  most->memory = hy_max(most->memory, cost->memory);
}

void hy_lu_cost_at(const struct hy_lu *lu, int p, int q, hyla_cost *least, hyla_cost *most) {
  const struct hy_factorization *problem = lu->problem;
  struct tally t = {.lu = lu, .problem = problem, .block = hy_lu_block(problem), .p = p, .q = q};
  t.size = (int64_t)problem->k->size;
  t.in_place = hy_in_place_expected(problem->cube);
  t.r = problem->row.code.dims;
  t.c = problem->col.code.dims;
  t.x = number_of(&problem->row, p);
  t.y = number_of(&problem->col, q);
  int64_t panels = hy_ceil_div(problem->n, t.block);
  factor_matrix(&t, panels);
  if (problem->nrhs > HY_LU_FEW)
    solve_many(&t, panels);
  else if (problem->nrhs > 0)
    solve_few(&t, panels);
  struct hy_lu_sizes sizes = hy_lu_sizes(problem, p, q);
  t.least.memory = t.most.memory = HY_LU_SLOTS * sizes.slot + sizes.numbers + sizes.search +
                                   sizes.diagonals + sizes.gathered + sizes.strip + sizes.sums +
                                   lu->group_bytes;
  *least = t.least;
  *most = t.most;
}

void hy_lu_cost(const struct hy_lu *lu, hyla_cost *least, hyla_cost *most) {
  const struct hy_factorization *problem = lu->problem;
  *least = *most = (hyla_cost){0};
  for (int p = 0; p < problem->row.parts; p++)
    for (int q = 0; q < problem->col.parts; q++) {
      hyla_cost here_least, here_most;
      hy_lu_cost_at(lu, p, q, &here_least, &here_most);
      raise(least, &here_least);
      raise(most, &here_most);
    }
}
