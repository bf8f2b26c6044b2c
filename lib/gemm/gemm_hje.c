/* Ho, Johnsson and Edelman's algorithm: Cannon's, on all ports at once.
 *
 * Reference: Ho, Johnsson and Edelman 1991; compared by Gupta and Sadayappan 1996.
 * Layout: consecutive blocks, binary, on a 2^r x 2^c array.  L = max(r, c); k is cut
 *   into 2^L panels; a block of A holds 2^(L-c) of them, a block of B 2^(L-r).  Each
 *   panel is cut into L parts.
 * Method: at step t node (i, j) multiplies of part p panel
 *     kappa = j 2^(L-c) XOR i 2^(L-r) XOR G_p(t),
 *   G_p(t) the Gray code of t with its L bits rotated by p places.  From one step to
 *   the next one bit of kappa changes, and each part has another one: so the L
 *   parts of A cross L different links along the row, those of B L links along the
 *   column, and each link carries 1/L of a block.  (A bit of kappa that lies inside a
 *   block moves nothing.)  What travels next travels while the present is multiplied.
 *   To set up, part p crosses the bits in which kappa at t = 0 differs, bit p first.
 * Steps: L to set up, 2^L - 1.
 * Messages and words: each step at most L messages with a block of A in all, and as
 *   many of B.  All go to neighbours.
 * Memory: two blocks of A (none for c = 0) and two of B (none for r = 0).
 * Restriction: none.
 */
#include "gemm/loops.h"
#include "gemm/result.h"

/* One factor, cut into parts.  Bit x of kappa is the node's bit x - inside of the axis
 * along which the factor travels, or, where that is negative, inside a block. */
struct flow {
  const struct hy_axis *axis; /* k as this factor is split over it */
  bool rows;                  /* k counts rows (of B), else columns (of A) */
  int inside;
  int64_t across; /* the node's rows of A, columns of B */
  int setup;      /* in which bits of kappa the panel of step 0 differs */
  int64_t stride; /* entries of a part */
  char *room[2];
  uint32_t second; /* by part: is it in room 1? */
};

struct hje {
  const struct hy_gemm_task *task;
  int bits;  /* L */
  int parts; /* 1 for L = 0 */
  int first; /* kappa at t = 0 */
  int64_t k;
  int64_t width; /* of a panel */
  struct flow a, b;
  struct hy_result c;
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_BINARY, wanted);
}

/* ------------------------------------------------------ the data flow -- */

/* Where part p of a panel of some width begins. */
static int64_t cut(const struct hje *h, int64_t width, int p) { return width * p / h->parts; }

static int64_t panel_start(const struct hje *h, int kappa) {
  return hy_min(h->k, kappa * h->width);
}

static int64_t panel_width(const struct hje *h, int kappa) {
  return panel_start(h, kappa + 1) - panel_start(h, kappa);
}

/* The width of part p of the panels first ... last-1. */
static int64_t part_width(const struct hje *h, int p, int first, int last) {
  int64_t sum = 0;
  for (int kappa = first; kappa < last; kappa++) {
    int64_t width = panel_width(h, kappa);
    sum += cut(h, width, p + 1) - cut(h, width, p);
  }
  return sum;
}

static void flow_set(const struct hje *h, struct flow *f, const struct hy_operand *x, bool rows,
                     int node) {
  const struct hy_axis *other = rows ? &x->col : &x->row;
  f->axis = rows ? &x->row : &x->col;
  f->rows = rows;
  f->inside = h->bits - f->axis->code.dims;
  f->across = hy_held_at(other, node);
  int own = hy_part_of(f->axis, node) << f->inside;
  f->setup = (h->first ^ own) >> f->inside << f->inside;
  f->stride = (hy_ceil_div(h->width, h->parts) << f->inside) * f->across;
}

static void set(struct hje *h, const struct hy_gemm_task *task) {
  const struct hy_gemm_problem *problem = &task->problem;
  int node = problem->cube->address;
  const struct hy_axis *a = &problem->a.col, *b = &problem->b.row;
  *h = (struct hje){.task = task, .bits = (int)hy_max(a->code.dims, b->code.dims), .k = problem->k};
  h->parts = (int)hy_max(1, h->bits);
  h->width = hy_ceil_div(problem->k, (int64_t)1 << h->bits);
  h->first = hy_part_of(a, node) << (h->bits - a->code.dims) ^ hy_part_of(b, node)
                                                                   << (h->bits - b->code.dims);
  flow_set(h, &h->a, &problem->a, false, node);
  flow_set(h, &h->b, &problem->b, true, node);
  h->c = hy_result_make(problem, 0, node);
}

static int rotate(const struct hje *h, int code, int p) {
  int mask = (1 << h->bits) - 1;
  return p == 0 ? code : (code << p | code >> (h->bits - p)) & mask;
}

static int kappa_at(const struct hje *h, int t, int p) {
  return h->first ^ rotate(h, (int)hy_gray((uint32_t)t), p);
}

/* Steps, counted from the first of the set-up; which bit of kappa part p crosses in
 * one of them; the panel that it then leaves. */
static int steps_of(const struct hje *h) { return h->bits + (1 << h->bits) - 1; }

static int bit_at(const struct hje *h, int step, int p) {
  int bit = step < h->bits ? step : hy_gray_transition((uint32_t)(step - h->bits));
  return (bit + p) % h->bits;
}

/* The block that holds part p of a factor before a step: its first panel. */
static int block_at(const struct hje *h, const struct flow *f, int step, int p) {
  bool ready = step >= h->bits;
  int kappa = ready ? kappa_at(h, step - h->bits, p) : h->first ^ f->setup;
  for (int s = 0; s < step && !ready; s++) kappa ^= f->setup & 1 << bit_at(h, s, p);
  return kappa >> f->inside << f->inside;
}

/* Does part p of a factor cross a link in a step? */
static bool crosses(const struct hje *h, const struct flow *f, int step, int p) {
  int bit = bit_at(h, step, p);
  return bit >= f->inside && (step >= h->bits || (f->setup >> bit & 1) != 0);
}

/* Entries of part p of the block that begins with a panel. */
static int64_t entries(const struct hje *h, const struct flow *f, int p, int block) {
  return f->across * part_width(h, p, block, block + (1 << f->inside));
}

/* -------------------------------------------------------------- memory -- */

static int64_t room_entries(const struct hje *h, const struct flow *f) {
  return f->axis->code.dims == 0 ? 0 : f->stride * h->parts;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  struct hje *h = NULL;
  (void)variant;
  TRY(hy_alloc(&task->problem.cube->base, 1, sizeof *h, &h));
  h->task = task;
  *state = h;
  return HYLA_OK;
}

static hyla_status take(void *state) {
  struct hje *h = state;
  const struct hy_gemm_task *task = h->task;
  struct hy_base *base = &task->problem.cube->base;
  size_t size = task->problem.kernels->size;
  struct flow *flows[] = {&h->a, &h->b};
  if (task->problem.cube->address < 0) return HYLA_OK;
  set(h, task);
  for (int x = 0; x < 4; x++)
    TRY(hy_alloc_data(base, room_entries(h, flows[x / 2]), size, &flows[x / 2]->room[x % 2]));
  return hy_result_take(&h->c, task);
}

static void destroy(void **state) {
  struct hje *h = *state;
  if (h == NULL) return;
  hyla_cube *cube = h->task->problem.cube;
  for (int x = 0; x < 2; x++) {
    hy_free(&cube->base, &h->a.room[x]);
    hy_free(&cube->base, &h->b.room[x]);
  }
  hy_result_free(cube, &h->c);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* Part p of a factor in one of the two rooms. */
static char *part_in(const struct flow *f, bool second, int p, size_t size) {
  return f->room[second] + p * f->stride * (int64_t)size;
}

/* This node's block, whose first panel is given. */
static struct hy_panel at(const struct hje *h, const struct flow *f,
                          const struct hy_gemm_factor *factor, int64_t index) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_panel block = {x->local, x->ld, factor->op};
  int64_t skip = index - panel_start(h, (h->first ^ f->setup) >> f->inside << f->inside);
  return hy_panel_at(&block, f->rows ? skip : 0, f->rows ? 0 : skip, x->k->size);
}

/* Copies the node's own block in parts, each with its panels one after the other. */
static void begin(const struct hje *h, struct flow *f, const struct hy_gemm_factor *factor) {
  const struct hy_kernels *k = factor->matrix->k;
  int block = (h->first ^ f->setup) >> f->inside << f->inside;
  f->second = 0;
  for (int p = 0; p < h->parts && f->axis->code.dims > 0; p++) {
    char *to = part_in(f, false, p, k->size);
    for (int kappa = block; kappa < block + (1 << f->inside); kappa++) {
      int64_t from = panel_start(h, kappa) + cut(h, panel_width(h, kappa), p);
      int64_t width = part_width(h, p, kappa, kappa + 1);
      struct hy_panel own = at(h, f, factor, from);
      int64_t rows = f->rows ? width : f->across, cols = f->rows ? f->across : width;
      k->copy(own.op, (int)rows, (int)cols, 1, own.data, (int)own.ld, to, (int)hy_max(1, rows));
      to += width * f->across * (int64_t)k->size;
    }
  }
}

/* The messages of a factor in a step; returns how many there are. */
static int step_messages(const struct hje *h, const struct flow *f, const hyla_matrix *x, int step,
                         struct hy_message *messages) {
  int count = 0;
  for (int p = 0; p < h->parts; p++) {
    if (!crosses(h, f, step, p)) continue;
    int bit = bit_at(h, step, p), block = block_at(h, f, step, p);
    int peer = x->cube->address ^ 1 << f->axis->code.dim[bit - f->inside];
    int64_t size = (int64_t)x->k->size;
    bool second = (f->second >> p & 1) != 0;
    messages[count++] = (struct hy_message){.verb = HY_RECV,
                                            .peer = peer,
                                            .bytes = entries(h, f, p, block ^ 1 << bit) * size,
                                            .data = part_in(f, !second, p, x->k->size)};
    messages[count++] = (struct hy_message){.verb = HY_SEND,
                                            .peer = peer,
                                            .bytes = entries(h, f, p, block) * size,
                                            .data = part_in(f, second, p, x->k->size)};
  }
  return count;
}

/* What came is what is here. */
static void arrived(const struct hje *h, struct flow *f, int step) {
  for (int p = 0; p < h->parts; p++)
    if (crosses(h, f, step, p)) f->second ^= UINT32_C(1) << p;
}

/* Part p of a factor's panel kappa: where it lies, or in the block that is here. */
static struct hy_panel part_of(const struct hje *h, const struct flow *f,
                               const struct hy_gemm_factor *factor, int kappa, int p) {
  size_t size = factor->matrix->k->size;
  if (f->axis->code.dims == 0)
    return at(h, f, factor, panel_start(h, kappa) + cut(h, panel_width(h, kappa), p));
  int64_t before = part_width(h, p, kappa >> f->inside << f->inside, kappa);
  int64_t rows = f->rows ? part_width(h, p, kappa, kappa + 1) : f->across;
  const char *part = part_in(f, (f->second >> p & 1) != 0, p, size);
  return (struct hy_panel){part + before * f->across * (int64_t)size, hy_max(1, rows), HYLA_NONE};
}

/* The products of step t. */
static void multiply(const struct hy_gemm_task *task, struct hje *h, int t) {
  for (int p = 0; p < h->parts; p++) {
    int kappa = kappa_at(h, t, p);
    struct hy_panel a = part_of(h, &h->a, &task->a, kappa, p);
    struct hy_panel b = part_of(h, &h->b, &task->b, kappa, p);
    int64_t start = panel_start(h, kappa) + cut(h, panel_width(h, kappa), p);
    const struct hy_indices inner = hy_interval(start, part_width(h, p, kappa, kappa + 1));
    hy_result_add(&h->c, &a, &b, &inner);
  }
}

static hyla_status run(void *state) {
  struct hje *h = state;
  const struct hy_gemm_task *task = h->task;
  hyla_cube *cube = task->problem.cube;
  struct hy_message messages[4 * HYLA_DIMS_MAX];
  if (cube->address < 0) return HYLA_OK;
  hy_count_touched(
      cube, hy_gemm_touched(h->c.rows.count, h->c.cols.count, h->k, (int64_t)h->parts << h->bits));
  hy_result_begin(&h->c);
  begin(h, &h->a, &task->a);
  begin(h, &h->b, &task->b);
  for (int step = 0; step < steps_of(h); step++) {
    int count = step_messages(h, &h->a, task->a.matrix, step, messages);
    count += step_messages(h, &h->b, task->b.matrix, step, messages + count);
    TRY(hy_link_start(cube, messages, count));
    if (step >= h->bits) multiply(task, h, step - h->bits);
    TRY(hy_link_wait(cube, messages, count));
    arrived(h, &h->a, step);
    arrived(h, &h->b, step);
  }
  multiply(task, h, (1 << h->bits) - 1);
  return hy_result_finish(&h->c);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts, .sends_zeros = true};

const struct hy_variant hy_gemm_hje = {
    .name = "hje",
    .reference = "ho-1991, full bandwidth",
    .traits = &TRAITS,
    .applies = hy_gemm_whole,
    .create = create,
    .take = take,
    .run = run,
    .destroy = destroy,
};
