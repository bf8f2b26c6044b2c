/* SUMMA with stationary C: a sum of panel products, the panels broadcast.
 *
 * Reference: van de Geijn and Watts 1997.
 * Layout: any for C; A's rows lie like C's rows, B's columns like C's columns;
 *   k may lie differently on A's columns and on B's rows.
 * Method: k is cut into panels, sets of at most WIDTH indices of which one
 *   column of the array holds all of A's columns and one row all of B's rows.
 *   Short blocks with the same owners join in one panel, so the local product
 *   runs at full speed whatever the blocks' size.  For each panel the owners
 *   broadcast its part of A along the rows of the array and its part of B along
 *   the columns; every node adds the product to its block of C.
 * Steps: of a node, for each panel and factor one for each packet it sends or
 *   receives in a broadcast by recursive doubling.
 * Memory: one panel of A and one of B.
 * In place: where the nodes can read one another's blocks nothing is broadcast.
 *   All lend their blocks once, in one step; a panel is copied only if its
 *   indices are not next to each other in the owner's block, and long blocks of
 *   k are multiplied whole.  On one node no entry is copied or sent.
 * Restriction: none.
 */
#include "gemm/gemm.h"

/* A panel's width, and the length from which a block is a panel of its own when
 * it can be read in place: products of that rank run at full speed. */
enum { WIDTH = 256, ENOUGH = 128 };

/* Indices of k that lie next to each other in a block of A and in one of B. */
struct piece {
  int64_t a_at; /* first local column in A's block */
  int64_t b_at; /* first local row in B's block */
  int64_t length;
  int64_t next; /* of the same panel; -1: the last */
};

struct panel {
  int a_part; /* of A's columns, of B's rows: the owners */
  int b_part;
  int64_t width;
  int64_t first; /* piece */
  int64_t last;
  bool a_whole; /* one interval of the owner's block */
  bool b_whole;
};

/* One factor's panels on their way. */
struct side {
  const struct hy_axis *axis; /* k */
  bool rows;                  /* k counts rows (of B), else columns (of A) */
  bool in_place;
  char *buffer;
  struct hy_loans *loans;
};

struct summa {
  int64_t piece_count;
  int64_t panel_count;
  struct piece *pieces;
  struct panel *panels;
  struct side a, b;
};

static const char *applies(const struct hy_gemm_problem *given) {
  (void)given;
  return NULL;
}

/* k over the array's dimension that carries C's other axis, in panels that fit
 * `like`, the axis of k that stays. */
static struct hy_axis inner_like(const hyla_axis *carrier, const struct hy_axis *like) {
  hyla_axis code = *carrier;
  int parts = 1 << code.dims;
  code.storage = HYLA_CYCLIC;
  code.block = like->block;
  /* Blocks that go round more than once serve any number of parts; otherwise
   * all parts shall have a share. */
  if (like->block >= hy_ceil_div(like->n, like->parts))
    code.block = hy_max(1, hy_ceil_div(like->block * like->parts, parts));
  return hy_axis_make(&code, like->n);
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  const struct hy_operand *c = &given->c;
  bool a_stays = hy_axis_equal(&given->a.row, &c->row);
  bool b_stays = hy_axis_equal(&given->b.col, &c->col);
  int panels = (int)hy_max(c->row.parts, c->col.parts);
  if (!a_stays) {
    wanted->a.row = c->row;
    wanted->a.col = b_stays ? inner_like(&c->col.code, &given->b.row)
                            : hy_inner_axis(&c->col.code, given->k, panels);
  }
  if (!b_stays) {
    wanted->b.col = c->col;
    wanted->b.row = a_stays ? inner_like(&c->row.code, &given->a.col)
                            : hy_inner_axis(&c->row.code, given->k, panels);
  }
}

/* -------------------------------------------------------------- panels -- */

/* What cutting k into panels needs to know and to remember. */
struct cutter {
  struct summa *summa;
  const struct hy_axis *a, *b; /* k on A's columns, on B's rows */
  bool in_place;               /* on both sides: long blocks stay whole */
  int64_t *open;               /* the panel of a pair of owners that has room; -1: none */
};

/* Adds `length` indices to a panel. */
static void add_piece(struct summa *summa, struct panel *panel, int64_t a_at, int64_t b_at,
                      int64_t length) {
  panel->width += length;
  if (panel->last >= 0) {
    struct piece *last = &summa->pieces[panel->last];
    bool a_next = last->a_at + last->length == a_at, b_next = last->b_at + last->length == b_at;
    panel->a_whole &= a_next;
    panel->b_whole &= b_next;
    if (a_next && b_next) {
      last->length += length;
      return;
    }
    last->next = summa->piece_count;
  } else {
    panel->first = summa->piece_count;
  }
  panel->last = summa->piece_count;
  summa->pieces[summa->piece_count++] = (struct piece){a_at, b_at, length, -1};
}

static struct panel *new_panel(struct summa *summa, int a_part, int b_part) {
  struct panel *panel = &summa->panels[summa->panel_count++];
  *panel = (struct panel){.a_part = a_part,
                          .b_part = b_part,
                          .first = -1,
                          .last = -1,
                          .a_whole = true,
                          .b_whole = true};
  return panel;
}

/* Indices i ... i+length-1, which lie next to each other on both sides. */
static void cut(struct cutter *cutter, int64_t i, int64_t length) {
  struct summa *summa = cutter->summa;
  int a_part = hy_axis_owner(cutter->a, i), b_part = hy_axis_owner(cutter->b, i);
  int64_t a_at = hy_axis_before(cutter->a, a_part, i);
  int64_t b_at = hy_axis_before(cutter->b, b_part, i);
  if (cutter->in_place && length >= ENOUGH) {
    add_piece(summa, new_panel(summa, a_part, b_part), a_at, b_at, length);
    return;
  }
  int64_t *open = &cutter->open[(int64_t)a_part * cutter->b->parts + b_part];
  for (int64_t done = 0, part; done < length; done += part) {
    if (*open < 0) {
      *open = summa->panel_count;
      new_panel(summa, a_part, b_part);
    }
    struct panel *panel = &summa->panels[*open];
    part = hy_min(length - done, WIDTH - panel->width);
    add_piece(summa, panel, a_at + done, b_at + done, part);
    if (panel->width == WIDTH) *open = -1;
  }
}

/* How far from i on both owners stay the same. */
static int64_t common_run(const struct hy_axis *a, const struct hy_axis *b, int64_t i) {
  return hy_min(hy_axis_run(a, i), hy_axis_run(b, i));
}

static hyla_status cut_all(struct hy_base *base, struct cutter *cutter, int64_t k) {
  int64_t pairs = (int64_t)cutter->a->parts * cutter->b->parts;
  struct summa *summa = cutter->summa;
  int64_t runs = 0;
  for (int64_t i = 0; i < k; i += common_run(cutter->a, cutter->b, i)) runs++;
  /* A run is cut only where a panel is full; a panel is full, long enough, or open. */
  int64_t pieces = runs + k / WIDTH + 1;
  TRY(hy_alloc(base, pieces, sizeof *summa->pieces, &summa->pieces));
  TRY(hy_alloc(base, hy_min(pieces, k / ENOUGH + pairs), sizeof *summa->panels, &summa->panels));
  TRY(hy_alloc(base, pairs, sizeof *cutter->open, &cutter->open));
  for (int64_t pair = 0; pair < pairs; pair++) cutter->open[pair] = -1;
  for (int64_t i = 0, run; i < k; i += run) {
    run = common_run(cutter->a, cutter->b, i);
    cut(cutter, i, run);
  }
  return HYLA_OK;
}

static void side_set(struct side *side, const struct hy_axis *axis, const struct hy_operand *x) {
  side->axis = axis;
  side->in_place = x->in_place || axis->parts == 1;
}

static hyla_status create(const struct hy_gemm_problem *problem, void **state) {
  struct hy_base *base = &problem->cube->base;
  struct summa *summa = NULL;
  TRY(hy_alloc(base, 1, sizeof *summa, &summa));
  *state = summa;
  side_set(&summa->a, &problem->a.col, &problem->a);
  side_set(&summa->b, &problem->b.row, &problem->b);
  summa->b.rows = true;
  struct cutter cutter = {.summa = summa,
                          .a = summa->a.axis,
                          .b = summa->b.axis,
                          .in_place = summa->a.in_place && summa->b.in_place};
  hyla_status status = cut_all(base, &cutter, problem->k);
  hy_free(base, &cutter.open);
  return status;
}

/* ---------------------------------------------------------------- cost -- */

/* The widest panel that must lie in a buffer; 0: none does. */
static int64_t buffer_width(const struct summa *summa, const struct side *side) {
  int64_t widest = 0;
  for (int64_t x = 0; x < summa->panel_count; x++) {
    const struct panel *panel = &summa->panels[x];
    bool whole = side->rows ? panel->b_whole : panel->a_whole;
    if (!side->in_place || !whole) widest = hy_max(widest, panel->width);
  }
  return widest;
}

/* A side's broadcasts, as a node with `across` rows of A (columns of B) sees them. */
static void broadcast_cost(const struct summa *summa, const struct side *side, int64_t across,
                           int node, hyla_cost *cost) {
  uint32_t dims = hy_axis_mask(&side->axis->code);
  if (across == 0) return;
  for (int64_t x = 0; x < summa->panel_count; x++) {
    const struct panel *panel = &summa->panels[x];
    int root = hy_node_along(side->axis, node, side->rows ? panel->b_part : panel->a_part);
    uint32_t number = hy_extract((uint32_t)(node ^ root), dims);
    /* In recursive doubling a node receives over its lowest bit, and then sends
     * over all below; the root sends over all. */
    int sends = number == 0 ? side->axis->code.dims : hy_lowest(number);
    cost->steps += sends + (number != 0);
    cost->messages += sends;
    cost->words += sends * panel->width * across;
  }
}

static void side_cost(const struct summa *summa, const struct side *side, int64_t across, int node,
                      hyla_cost *cost) {
  if (side->in_place)
    hy_loans_cost(side->axis, across, node, cost);
  else
    broadcast_cost(summa, side, across, node, cost);
  cost->memory += buffer_width(summa, side) * across;
}

static hyla_cost cost(const struct hy_gemm_problem *problem, const void *state, int node) {
  const struct summa *summa = state;
  const struct hy_operand *c = &problem->c;
  hyla_cost cost = {.flops = hy_gemm_flops(problem, node)};
  int64_t rows = hy_held(&c->row, hy_part_of(&c->row, node));
  int64_t cols = hy_held(&c->col, hy_part_of(&c->col, node));
  side_cost(summa, &summa->a, rows, node, &cost);
  side_cost(summa, &summa->b, cols, node, &cost);
  cost.memory *= (int64_t)problem->kernels->size;
  return cost;
}

/* -------------------------------------------------------------- memory -- */

static hyla_status side_take(const struct summa *summa, struct side *side,
                             const struct hy_gemm_factor *factor, int64_t across) {
  const hyla_matrix *x = factor->matrix;
  bool rows = side->rows == (factor->op == HYLA_NONE);
  TRY(hy_alloc(&x->cube->base, buffer_width(summa, side) * across, x->k->size, &side->buffer));
  return side->in_place ? hy_loans_create(x, rows, &side->loans) : HYLA_OK;
}

static hyla_status take(const struct hy_gemm_task *task, void *state) {
  struct summa *summa = state;
  if (task->problem.cube->address < 0) return HYLA_OK;
  TRY(side_take(summa, &summa->a, &task->a, task->c->local_rows));
  return side_take(summa, &summa->b, &task->b, task->c->local_cols);
}

static void destroy(hyla_cube *cube, void **state) {
  struct summa *summa = *state;
  if (summa == NULL) return;
  struct side *sides[] = {&summa->a, &summa->b};
  for (int x = 0; x < 2; x++) {
    hy_loans_destroy(cube, &sides[x]->loans);
    hy_free(&cube->base, &sides[x]->buffer);
  }
  hy_free(&cube->base, &summa->pieces);
  hy_free(&cube->base, &summa->panels);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* Copies a panel out of its owner's block, without gaps. */
static void gather(const struct summa *summa, const struct panel *panel, const struct side *side,
                   const struct hy_panel *block, const hyla_matrix *x, int64_t across) {
  size_t size = x->k->size;
  struct hy_panel to = {side->buffer, hy_max(1, side->rows ? panel->width : across), HYLA_NONE};
  int64_t done = 0;
  for (int64_t p = panel->first; p >= 0; p = summa->pieces[p].next) {
    const struct piece *piece = &summa->pieces[p];
    struct hy_panel from =
        hy_panel_at(block, side->rows ? piece->b_at : 0, side->rows ? 0 : piece->a_at, size);
    struct hy_panel into = hy_panel_at(&to, side->rows ? done : 0, side->rows ? 0 : done, size);
    int rows = (int)(side->rows ? piece->length : across);
    int cols = (int)(side->rows ? across : piece->length);
    x->k->copy(block->op, rows, cols, 1, from.data, (int)from.ld,
               side->buffer + (into.data - to.data), (int)to.ld);
    done += piece->length;
  }
}

/* Where the panel's first entry is in its owner's block. */
static struct hy_panel panel_in(const struct summa *summa, const struct panel *panel,
                                const struct side *side, const struct hy_panel *block,
                                size_t size) {
  const struct piece *first = &summa->pieces[panel->first];
  return hy_panel_at(block, side->rows ? first->b_at : 0, side->rows ? 0 : first->a_at, size);
}

/* The panel in reach: read in place, or broadcast by its owner. */
static hyla_status fetch(const struct summa *summa, const struct panel *panel,
                         const struct side *side, const struct hy_gemm_factor *factor,
                         int64_t across, struct hy_panel *out) {
  const hyla_matrix *x = factor->matrix;
  hyla_cube *cube = x->cube;
  int part = side->rows ? panel->b_part : panel->a_part;
  bool whole = side->rows ? panel->b_whole : panel->a_whole;
  int64_t rows = hy_max(1, side->rows ? panel->width : across);
  int64_t cols = side->rows ? across : panel->width;
  struct hy_panel block = {x->local, x->ld, factor->op};
  *out = (struct hy_panel){side->buffer, rows, HYLA_NONE};
  if (across == 0) return HYLA_OK;
  if (side->in_place) {
    TRY(hy_loans_block(side->loans, part, &block));
    block.op = factor->op;
    if (whole)
      *out = panel_in(summa, panel, side, &block, x->k->size);
    else
      gather(summa, panel, side, &block, x, across);
    return HYLA_OK;
  }
  int root = hy_node_along(side->axis, cube->address, part);
  /* The owner sends from where the panel lies if that is one stretch of memory. */
  if (root == cube->address && whole && factor->op == HYLA_NONE && (x->ld == rows || cols == 1))
    *out = panel_in(summa, panel, side, &block, x->k->size);
  else if (root == cube->address)
    gather(summa, panel, side, &block, x, across);
  return hy_broadcast(cube, hy_axis_mask(&side->axis->code), root, (void *)(uintptr_t)out->data,
                      rows * cols * (int64_t)x->k->size);
}

static hyla_status run(const struct hy_gemm_task *task, void *state) {
  const struct summa *summa = state;
  struct hy_gemm_sum sum = {.task = task};
  if (task->problem.cube->address < 0) return HYLA_OK;
  if (summa->a.in_place) TRY(hy_loans_open(summa->a.loans));
  if (summa->b.in_place) TRY(hy_loans_open(summa->b.loans));
  for (int64_t x = 0; x < summa->panel_count; x++) {
    const struct panel *panel = &summa->panels[x];
    struct hy_panel a, b;
    TRY(fetch(summa, panel, &summa->a, &task->a, task->c->local_rows, &a));
    TRY(fetch(summa, panel, &summa->b, &task->b, task->c->local_cols, &b));
    /* C += A(:, panel) B(panel, :) */
    hy_gemm_add(&sum, &a, &b, panel->width);
  }
  hy_gemm_finish(&sum);
  if (summa->a.in_place) TRY(hy_loans_close(summa->a.loans));
  return summa->b.in_place ? hy_loans_close(summa->b.loans) : HYLA_OK;
}

const struct hy_gemm_variant hy_gemm_summa = {
    .name = "summa",
    .reference = "vandegeijn-1997, section 3",
    .applies = applies,
    .layouts = layouts,
    .create = create,
    .cost = cost,
    .take = take,
    .run = run,
    .destroy = destroy,
};
