/* Multiplication by blocks that travel: what Cannon's rotations and Dekel's
 * exchanges share.  See tour.h.
 *
 * The next block travels while the present one is multiplied.  The rest of a
 * turn is the same whatever the way: a block goes to the node that needs it at
 * this step and one comes from the node that has it.
 */
#include "gemm/tour.h"

/* One factor on its way round one axis of the array, or of this node's subcube. */
struct wheel {
  const struct hy_operand *operand;
  const struct hy_axis *axis; /* k as this factor is split over it */
  enum hy_part part;          /* of op(factor): where it is not 0 */
  int node;
  bool rows; /* k counts rows (of B), else columns (of A) */
  bool in_place;
  int64_t across; /* the node's rows of A, columns of B */
  int places;     /* of the axis that are in reach, from which part on, the node's */
  int base;
  int own;
  int each; /* panels a block */
  int held; /* the block that is here */
  /* Of a run, by messages: */
  struct hy_panel block;
  char *spare[2];
  int free; /* the spare that the next block may come to */
  /* Of a run, in place: */
  struct hy_loans *loans;
};

struct tour {
  const struct hy_tour_way *way;
  int panels;    /* K */
  int first;     /* the panel of step 0 */
  int64_t width; /* of a panel, and where the first one begins */
  int64_t from;
  struct wheel a, b;
  struct hy_product product;
};

/* ------------------------------------------------------ the data flow -- */

static void wheel_set(struct wheel *w, const struct hy_operand *x, enum hy_part part, bool rows,
                      int places, int panels, int node) {
  const struct hy_axis *other = rows ? &x->col : &x->row;
  w->operand = x;
  w->part = part;
  w->node = node;
  w->axis = rows ? &x->row : &x->col;
  w->rows = rows;
  w->across = hy_held_at(other, node);
  w->places = places;
  w->each = panels / places;
  w->own = hy_part_of(w->axis, node) % places;
  w->base = hy_part_of(w->axis, node) - w->own;
  w->held = w->own;
  w->in_place = x->in_place && places > 1 && places == w->axis->parts;
}

/* The tour as `node` sees it. */
static void tour_set(struct tour *tour, const struct hy_gemm_problem *problem, int node) {
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  int cubes = a->col.parts / b->col.parts; /* that share k among them */
  tour->panels = (int)hy_max(a->row.parts, b->col.parts);
  wheel_set(&tour->a, a, problem->part_a, false, b->col.parts, tour->panels, node);
  wheel_set(&tour->b, b, problem->part_b, true, a->row.parts, tour->panels, node);
  tour->width = hy_ceil_div(problem->k, (int64_t)tour->panels * cubes);
  tour->from = tour->a.base / tour->a.places * tour->panels * tour->width;
  tour->product = hy_product_make(problem, hy_log2_floor((uint32_t)cubes), node);
  tour->first =
      tour->way->plus(tour->a.own * tour->a.each, tour->b.own * tour->b.each, tour->panels);
}

/* The panel of step t. */
static int panel_at(const struct tour *tour, int t) {
  return tour->way->plus(tour->first, tour->way->sequence(t), tour->panels);
}

/* How far a wheel turns before step t; before step 0 it is set up. */
static int distance(const struct tour *tour, const struct wheel *w, int t) {
  if (w->in_place || w->places == 1) return 0;
  int block = panel_at(tour, t) / w->each;
  return tour->way->minus(block, w->held, w->places);
}

/* How much of k a block has. */
static int64_t width_of(const struct wheel *w, int block) {
  return hy_held(w->axis, w->base + block);
}

/* What of the node's rows of A, columns of B it has entries with. */
static struct hy_reach reach_of(const struct wheel *w, int block) {
  if (w->part == HY_WHOLE) return (struct hy_reach){0, w->across};
  struct hy_indices k = hy_indices_in(w->axis, w->base + block);
  struct hy_indices across = hy_indices_of(w->rows ? &w->operand->col : &w->operand->row, w->node);
  const struct hy_wedge wedge = {w->part, w->rows ? k : across, w->rows ? across : k};
  return w->rows ? hy_wedge_cols(&wedge) : hy_wedge_rows(&wedge);
}

static int64_t entries(const struct wheel *w, int block) {
  return reach_of(w, block).count * width_of(w, block);
}

/* Of a block without gaps: its leading dimension, and how far from entry (0, 0) the first one
 * stands that is in its reach. */
static int64_t ld_of(const struct wheel *w, int block) {
  return hy_max(1, w->rows ? width_of(w, block) : reach_of(w, block).count);
}
static int64_t first_of(const struct wheel *w, int block) {
  return reach_of(w, block).from * (w->rows ? width_of(w, block) : 1);
}

/* -------------------------------------------------------------- memory -- */

static int64_t spare_entries(const struct wheel *w) {
  return w->in_place || w->places == 1 ? 0 : w->across * hy_axis_most(w->axis);
}

hyla_status hy_tour_create(const struct hy_tour_way *way, const struct hy_gemm_problem *problem,
                           void **state) {
  struct tour *tour = NULL;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *tour, &tour));
  tour->way = way;
  *state = tour;
  return HYLA_OK;
}

static hyla_status wheel_take(struct hy_base *base, struct wheel *w,
                              const struct hy_gemm_factor *factor) {
  if (w->in_place) return hy_loans_create(factor, w->rows, w->part, &w->loans);
  for (int i = 0; i < 2 && w->places > 1; i++)
    TRY(hy_alloc_data(base, spare_entries(w), factor->matrix->k->size, &w->spare[i]));
  return HYLA_OK;
}

hyla_status hy_tour_take(const struct hy_gemm_task *task, void *state) {
  struct tour *tour = state;
  hyla_cube *cube = task->problem.cube;
  if (cube->address < 0) return HYLA_OK;
  tour_set(tour, &task->problem, cube->address);
  TRY(wheel_take(&cube->base, &tour->a, &task->a));
  TRY(wheel_take(&cube->base, &tour->b, &task->b));
  return hy_product_take(task, &tour->product);
}

void hy_tour_destroy(hyla_cube *cube, void **state) {
  struct tour *tour = *state;
  if (tour == NULL) return;
  struct wheel *wheels[] = {&tour->a, &tour->b};
  for (int x = 0; x < 2; x++) {
    hy_loans_destroy(cube, &wheels[x]->loans);
    for (int i = 0; i < 2; i++) hy_free(&cube->base, &wheels[x]->spare[i]);
  }
  hy_product_free(cube, &tour->product);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* The node's own block, as far as it is in reach without gaps between its columns, or lent as
 * it is. */
static hyla_status wheel_begin(struct wheel *w, const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  if (w->in_place) return hy_loans_open(w->loans);
  struct hy_reach reach = reach_of(w, w->own);
  int64_t width = width_of(w, w->own);
  int64_t rows = w->rows ? width : reach.count, cols = w->rows ? reach.count : width;
  w->held = w->own;
  w->free = 0;
  w->block = (struct hy_panel){x->local, x->ld, factor->op};
  if (w->places == 1) return HYLA_OK;
  w->block = (struct hy_panel){x->local, hy_max(1, rows), HYLA_NONE};
  if (rows == 0 || cols == 0 || (factor->op == HYLA_NONE && x->ld == rows)) return HYLA_OK;
  const struct hy_panel block = {x->local, x->ld, factor->op};
  struct hy_panel from =
      hy_panel_at(&block, w->rows ? 0 : reach.from, w->rows ? reach.from : 0, x->k->size);
  char *to = w->spare[0] + first_of(w, w->own) * (int64_t)x->k->size;
  x->k->copy(factor->op, (int)rows, (int)cols, 1, from.data, (int)from.ld, to, (int)rows);
  w->block.data = w->spare[0];
  w->free = 1;
  return HYLA_OK;
}

/* The two messages of a turn of `places`; returns how many there are. */
static int turn_messages(const struct hy_tour_way *way, const struct wheel *w, const hyla_matrix *x,
                         int places, struct hy_message *messages) {
  if (places == 0) return 0;
  int node = x->cube->address;
  int from = way->plus(w->own, places, w->places);
  int to = way->minus(w->own, places, w->places);
  int next = way->plus(w->held, places, w->places);
  int64_t size = (int64_t)x->k->size;
  messages[0] = (struct hy_message){.verb = HY_RECV,
                                    .peer = hy_node_along(w->axis, node, w->base + from),
                                    .bytes = entries(w, next) * size,
                                    .data = w->spare[w->free] + first_of(w, next) * size};
  messages[1] =
      (struct hy_message){.verb = HY_SEND,
                          .peer = hy_node_along(w->axis, node, w->base + to),
                          .bytes = entries(w, w->held) * size,
                          .data = (char *)(uintptr_t)w->block.data + first_of(w, w->held) * size};
  return 2;
}

/* The block that came is the one that is here. */
static void turned(const struct hy_tour_way *way, struct wheel *w, int places) {
  if (places == 0) return;
  w->held = way->plus(w->held, places, w->places);
  w->block.data = w->spare[w->free];
  w->block.ld = ld_of(w, w->held);
  w->free = 1 - w->free;
}

/* Panel `kappa` of a factor. */
static hyla_status wheel_panel(struct wheel *w, const struct hy_gemm_factor *factor, int kappa,
                               int64_t start, struct hy_panel *panel) {
  int block = kappa / w->each;
  int64_t skip = hy_axis_before(w->axis, w->base + block, start);
  struct hy_panel from = w->block;
  if (w->in_place) {
    TRY(hy_loans_block(w->loans, block, &from));
    from.op = factor->op;
  }
  *panel = hy_panel_at(&from, w->rows ? skip : 0, w->rows ? 0 : skip, factor->matrix->k->size);
  return HYLA_OK;
}

/* C += A(:, kappa) B(kappa, :) */
static hyla_status product(const struct hy_gemm_task *task, struct tour *tour, int kappa,
                           bool first) {
  const struct hy_product *product = &tour->product;
  int64_t k = task->problem.k;
  int64_t start = hy_min(k, tour->from + kappa * tour->width);
  int64_t width = hy_min(k - start, tour->width);
  struct hy_panel a, b;
  TRY(wheel_panel(&tour->a, &task->a, kappa, start, &a));
  TRY(wheel_panel(&tour->b, &task->b, kappa, start, &b));
  hy_product_add(task, product, first, 0, product->cols, &a, &b, start, width);
  return HYLA_OK;
}

/* Turns both wheels for step t while, unless t is 0, step t - 1 is multiplied. */
static hyla_status step(const struct hy_gemm_task *task, struct tour *tour, int t) {
  hyla_cube *cube = task->problem.cube;
  bool last = t == tour->panels;
  int a = last ? 0 : distance(tour, &tour->a, t);
  int b = last ? 0 : distance(tour, &tour->b, t);
  struct hy_message messages[4];
  int count = turn_messages(tour->way, &tour->a, task->a.matrix, a, messages);
  count += turn_messages(tour->way, &tour->b, task->b.matrix, b, messages + count);
  TRY(hy_link_start(cube, messages, count));
  if (t > 0) TRY(product(task, tour, panel_at(tour, t - 1), t == 1));
  TRY(hy_link_wait(cube, messages, count));
  turned(tour->way, &tour->a, a);
  turned(tour->way, &tour->b, b);
  return HYLA_OK;
}

static void count_touched(const struct hy_gemm_problem *problem, const struct tour *tour) {
  const struct hy_product *product = &tour->product;
  int64_t inner = hy_min(problem->k - hy_min(problem->k, tour->from), tour->panels * tour->width);
  hy_count_touched(problem->cube,
                   hy_gemm_touched(product->rows, product->cols, inner, tour->panels));
}

hyla_status hy_tour_run(const struct hy_gemm_task *task, void *state) {
  struct tour *tour = state;
  if (task->problem.cube->address < 0) return HYLA_OK;
  count_touched(&task->problem, tour);
  TRY(wheel_begin(&tour->a, &task->a));
  TRY(wheel_begin(&tour->b, &task->b));
  for (int t = 0; t <= tour->panels; t++) TRY(step(task, tour, t));
  if (tour->a.in_place) TRY(hy_loans_close(tour->a.loans));
  if (tour->b.in_place) TRY(hy_loans_close(tour->b.loans));
  return hy_product_finish(task, &tour->product);
}
