/* Dekel, Nassimi and Sahni's algorithm on three dimensions (DNS).
 *
 * Reference: Dekel, Nassimi and Sahni 1981, the algorithm with q^3 processors; by
 *   blocks as compared by Gupta and Sadayappan 1996.
 * Layout: node (i, j, l) of a 2^a x 2^b x 2^c array.  A, B and C lie on the face
 *   l = 0, in consecutive blocks: A's rows over i, its columns over j; B's rows over i,
 *   its columns over j; C likewise.  k is also cut into 2^c stretches, one a plane l.
 * Method:
 *   move       from (i, j, 0) along l, A's columns and B's rows go to the planes whose
 *              stretch they are in, over the highest bit of l first.  With equal
 *              sides A goes as one to l = j, B to l = i
 *   broadcast  in plane l along j from where A's stretch l has arrived, and along i from
 *              where B's has.  Where j has more parts than l, several nodes have a piece each:
 *              it is broadcast over the high bits of j, the pieces gathered over the low ones
 *   multiply   A(i, l) B(l, j)
 *   add        along l, to the face
 * Steps: c to move, b and a to broadcast, c to add.
 * Words, equal sides 2^q: at most q blocks of A, q of B, and q blocks of C taken in.
 * Memory: what passes through of A and B; a block of A and of B; with c > 0 two
 *   blocks of C.
 * Sides: a, b and c differ by one at most, the longer loops first.
 * Restriction: none.
 */
#include "gemm/loops.h"
#include "gemm/result.h"

/* One factor on its way.  Its indices of k go along with `across` entries each, those
 * of B in chunks that are stored by columns. */
struct route {
  const struct hy_axis *axis; /* k on the face */
  bool rows;                  /* k counts rows (of B), else columns (of A) */
  int64_t across;
  int64_t block; /* indices on a node of the face */
  char *way;     /* what passes through here */
  char *stretch; /* of the plane; NULL where the factor's own block is that */
  struct hy_group group;
};

struct dns {
  const struct hy_gemm_task *task;
  int node;
  uint32_t along; /* the dimensions of l */
  int bits;       /* how many, c */
  int l;          /* the node's plane */
  int64_t k;
  int64_t length; /* of a stretch */
  int64_t chunk;  /* of B's rows */
  struct route a, b;
  struct hy_result c; /* the node's, added along l */
};

/* Indices from ... to-1 of k. */
struct range {
  int64_t from, to;
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  struct hy_loops loops;
  hy_loops_even(given, &loops);
  hy_loops_place(given, &loops);
  const int *count = loops.count;
  hyla_axis i = hy_loops_axis(&loops, HYLA_BINARY, HY_LOOP_I, HY_LOOPS);
  hyla_axis j = hy_loops_axis(&loops, HYLA_BINARY, HY_LOOP_J, HY_LOOPS);
  int finest = 1 << hy_max(count[HY_LOOP_I], hy_max(count[HY_LOOP_J], count[HY_LOOP_K]));
  wanted->a.row = wanted->c.row = hy_axis_make(&i, given->m);
  wanted->b.col = wanted->c.col = hy_axis_make(&j, given->n);
  wanted->a.col = hy_inner_axis(&j, given->k, finest);
  wanted->b.row = hy_inner_axis(&i, given->k, finest);
  hyla_rest rest = count[HY_LOOP_K] > 0 ? HYLA_FACE : HYLA_REPLICATED;
  wanted->a.rest = wanted->b.rest = wanted->c.rest = rest;
}

/* ------------------------------------------------------ the data flow -- */

static struct route route_make(const struct hy_operand *x, bool rows, int finest, int64_t panel,
                               int node) {
  const struct hy_axis *axis = rows ? &x->row : &x->col, *other = rows ? &x->col : &x->row;
  return (struct route){.axis = axis,
                        .rows = rows,
                        .across = hy_held_at(other, node),
                        .block = panel << (finest - axis->code.dims)};
}

static void set(struct dns *d, const struct hy_gemm_task *task) {
  const struct hy_gemm_problem *problem = &task->problem;
  int node = problem->cube->address;
  const struct hy_operand *a = &problem->a;
  uint32_t all = (UINT32_C(1) << problem->cube->dims) - 1;
  *d = (struct dns){.task = task, .node = node, .k = problem->k};
  d->along = all & ~hy_axis_mask(&a->row.code) & ~hy_axis_mask(&a->col.code);
  d->bits = hy_popcount(d->along);
  d->l = (int)hy_extract((uint32_t)node, d->along);
  int finest = (int)hy_max(d->bits, hy_max(a->row.code.dims, a->col.code.dims));
  int64_t panel = hy_ceil_div(problem->k, (int64_t)1 << finest);
  d->length = panel << (finest - d->bits);
  d->a = route_make(a, false, finest, panel, node);
  d->b = route_make(&problem->b, true, finest, panel, node);
  d->chunk = hy_max(1, hy_min(d->length, d->b.block));
  d->c = hy_result_onto_face(problem, d->along, node);
}

/* What of part `part` of the face belongs to the planes whose number, without its
 * `level` lowest bits, is `prefix`. */
static struct range overlap(const struct dns *d, const struct route *r, int part, int prefix,
                            int level) {
  int64_t planes = d->length << level;
  int64_t from = hy_max(part * r->block, prefix * planes);
  int64_t to = hy_min((part + 1) * r->block, (prefix + 1) * planes);
  from = hy_min(d->k, from);
  return (struct range){from, hy_max(from, hy_min(d->k, to))};
}

static int64_t entries(const struct route *r, struct range range) {
  return (range.to - range.from) * r->across;
}

/* What comes to this node, and passes through in part: all for its lowest 1. */
static struct range passing(const struct dns *d, const struct route *r) {
  int level = d->l == 0 ? d->bits : hy_lowest((uint32_t)d->l);
  return overlap(d, r, hy_part_of(r->axis, d->node), d->l >> level, level);
}

/* What goes over bit t of l, and which way: out of nodes whose bits up to t are 0,
 * into those whose lowest 1 is t. */
static struct range crossing(const struct dns *d, const struct route *r, int t) {
  return overlap(d, r, hy_part_of(r->axis, d->node), d->l >> t | 1, t);
}
static bool sends(const struct dns *d, int t) { return (d->l & ((2 << t) - 1)) == 0; }
static bool receives(const struct dns *d, int t) { return (d->l & ((2 << t) - 1)) == 1 << t; }

/* In the plane: over how many high bits of the axis there is a broadcast, the part from
 * which the node gets its piece, the piece; what is left is gathered. */
struct in_plane {
  int high;
  int root;
  struct range piece;
  struct range stretch;
};

static struct in_plane in_plane(const struct dns *d, const struct route *r) {
  int bits = r->axis->code.dims, high = (int)hy_min(bits, d->bits);
  int low = hy_part_of(r->axis, d->node) & ((1 << (bits - high)) - 1);
  struct in_plane plane = {.high = high, .root = d->l >> (d->bits - high) << (bits - high) | low};
  plane.piece = overlap(d, r, plane.root, d->l, 0);
  int64_t from = hy_min(d->k, d->l * d->length);
  plane.stretch = (struct range){from, hy_min(d->k, from + d->length)};
  return plane;
}

/* Where nothing is moved, broadcast or gathered the factor stays where it is. */
static bool stays(const struct dns *d, const struct route *r) {
  return d->bits == 0 && r->axis->code.dims == 0;
}

/* The dimensions of the high bits of an axis. */
static uint32_t high_mask(const struct hy_axis *axis, int high) {
  uint32_t mask = 0;
  for (int t = axis->code.dims - high; t < axis->code.dims; t++)
    mask |= UINT32_C(1) << axis->code.dim[t];
  return mask;
}

/* -------------------------------------------------------------- memory -- */

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  struct dns *d = NULL;
  (void)variant;
  TRY(hy_alloc(&task->problem.cube->base, 1, sizeof *d, &d));
  d->task = task;
  *state = d;
  return HYLA_OK;
}

static hyla_status take(void *state) {
  struct dns *d = state;
  const struct hy_gemm_task *task = d->task;
  struct hy_base *base = &task->problem.cube->base;
  size_t size = task->problem.kernels->size;
  struct route *routes[] = {&d->a, &d->b};
  if (task->problem.cube->address < 0) return HYLA_OK;
  set(d, task);
  for (int x = 0; x < 2; x++) {
    struct route *r = routes[x];
    if (stays(d, r)) continue;
    TRY(hy_alloc_data(base, entries(r, passing(d, r)), size, &r->way));
    struct in_plane plane = in_plane(d, r);
    TRY(hy_alloc_data(base, entries(r, plane.stretch), size, &r->stretch));
    TRY(hy_group_make(task->problem.cube, high_mask(r->axis, plane.high), HY_TASK_BROADCAST,
                      entries(r, plane.piece), size, &r->group));
    TRY(hy_group_take(&r->group));
  }
  return hy_result_take(&d->c, task);
}

static void destroy(void **state) {
  struct dns *d = *state;
  if (d == NULL) return;
  hyla_cube *cube = d->task->problem.cube;
  struct route *routes[] = {&d->a, &d->b};
  for (int x = 0; x < 2; x++) {
    hy_group_free(&routes[x]->group);
    hy_free(&cube->base, &routes[x]->way);
    hy_free(&cube->base, &routes[x]->stretch);
  }
  hy_result_free(cube, &d->c);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* On the face: the node's block, B's in chunks. */
static void begin(const struct dns *d, const struct route *r, const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_panel block = {x->local, x->ld, factor->op};
  struct range own = passing(d, r);
  if (d->l != 0 || r->way == NULL) return;
  for (int64_t from = own.from, next; from < own.to; from = next) {
    next = r->rows ? hy_min(own.to, from + d->chunk) : own.to;
    int64_t skip = from - own.from, length = next - from;
    int64_t rows = r->rows ? length : r->across, cols = r->rows ? r->across : length;
    struct hy_panel part = hy_panel_at(&block, r->rows ? skip : 0, r->rows ? 0 : skip, x->k->size);
    x->k->copy(part.op, (int)rows, (int)cols, 1, part.data, (int)part.ld,
               r->way + skip * r->across * (int64_t)x->k->size, (int)hy_max(1, rows));
  }
}

/* The message of a factor over bit t of l; returns how many there are. */
static int move_messages(const struct dns *d, const struct route *r, int t, size_t size,
                         struct hy_message *message) {
  struct range range = crossing(d, r, t);
  int64_t before = (range.from - passing(d, r).from) * r->across;
  if (r->way == NULL || !(sends(d, t) || receives(d, t))) return 0;
  *message = (struct hy_message){.verb = sends(d, t) ? HY_SEND : HY_RECV,
                                 .peer = d->node ^ (int)hy_deposit(UINT32_C(1) << t, d->along),
                                 .bytes = entries(r, range) * (int64_t)size,
                                 .data = r->way + before * (int64_t)size};
  return 1;
}

/* The plane's stretch of a factor to every node that multiplies with it. */
static hyla_status spread(hyla_cube *cube, const struct dns *d, const struct route *r,
                          const struct hy_kernels *k) {
  if (stays(d, r)) return HYLA_OK;
  struct in_plane plane = in_plane(d, r);
  int64_t size = (int64_t)k->size, count = entries(r, plane.piece);
  char *piece = r->stretch + (plane.piece.from - plane.stretch.from) * r->across * size;
  if (hy_part_of(r->axis, d->node) == plane.root) {
    int64_t skip = (plane.piece.from - passing(d, r).from) * r->across * size;
    hy_copy_entries(k, piece, r->way + skip, count);
  }
  TRY(hy_group_broadcast(&r->group, hy_node_along(r->axis, d->node, plane.root), piece, count));
  struct hy_fiber fiber = hy_fiber_make(r->axis, r->axis->code.dims - plane.high, d->node);
  struct hy_step step;
  hy_step_make(cube, &step);
  for (int bit = 0; bit < fiber.bits; bit++) {
    hy_fiber_gather(&fiber, bit, r->across, plane.stretch.to - plane.stretch.from, k->size,
                    r->stretch, &step);
    TRY(hy_step_run(&step));
  }
  return HYLA_OK;
}

static void multiply(const struct hy_gemm_task *task, struct dns *d) {
  size_t size = task->problem.kernels->size;
  struct range stretch = in_plane(d, &d->a).stretch;
  struct hy_panel a = {task->a.matrix->local, task->a.matrix->ld, task->a.op};
  if (d->a.stretch != NULL) a = (struct hy_panel){d->a.stretch, hy_max(1, d->a.across), HYLA_NONE};
  int64_t from = 0, length = stretch.to - stretch.from;
  do {
    int64_t width = hy_min(d->chunk, length - from);
    struct hy_panel a_part = hy_panel_at(&a, 0, from, size);
    struct hy_panel b = {task->b.matrix->local, task->b.matrix->ld, task->b.op};
    if (d->b.stretch != NULL)
      b = (struct hy_panel){d->b.stretch + from * d->b.across * (int64_t)size, hy_max(1, width),
                            HYLA_NONE};
    const struct hy_indices inner = hy_interval(stretch.from + from, width);
    hy_count_touched(task->problem.cube,
                     hy_gemm_touched(d->c.rows.count, d->c.cols.count, width, 1));
    hy_result_add(&d->c, &a_part, &b, &inner);
    from += d->chunk;
  } while (from < length);
}

static hyla_status run(void *state) {
  struct dns *d = state;
  const struct hy_gemm_task *task = d->task;
  hyla_cube *cube = task->problem.cube;
  const struct hy_kernels *k = task->problem.kernels;
  if (cube->address < 0) return HYLA_OK;
  hy_result_begin(&d->c);
  begin(d, &d->a, &task->a);
  begin(d, &d->b, &task->b);
  for (int t = d->bits - 1; t >= 0; t--) {
    struct hy_message messages[2];
    int count = move_messages(d, &d->a, t, k->size, messages);
    count += move_messages(d, &d->b, t, k->size, messages + count);
    TRY(hy_link_step(cube, messages, count));
  }
  TRY(spread(cube, d, &d->a, k));
  TRY(spread(cube, d, &d->b, k));
  multiply(task, d);
  return hy_result_finish(&d->c);
}

static void explain(const void *state, struct hy_text *text) {
  const struct dns *d = state;
  hy_group_explain(&d->a.group, "stretches of op(A)", text);
  hy_group_explain(&d->b.group, "stretches of op(B)", text);
  hy_result_explain(&d->c, text);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts, .sends_zeros = true};

const struct hy_variant hy_gemm_dns = {
    .name = "dns",
    .reference = "dekel-1981, q^3 processors",
    .traits = &TRAITS,
    .applies = hy_gemm_whole,
    .create = create,
    .take = take,
    .run = run,
    .explain = explain,
    .destroy = destroy,
};
