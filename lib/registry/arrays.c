/* The array of nodes that is chosen for a number of ranks: the option `array', "auto".
 *
 * Whoever knows what is to be computed compares arrays by rehearsals: all nodes of a virtual switch
 * make the plan, whose time then includes how long ranks wait for each other.  Counts know no
 * waiting, and prefer one row of ranks too often.
 *
 * A cube's array is fixed before anyone knows what it will compute.  So it is the one that is
 * predicted to be the fastest for a problem of reference: LU, Cholesky and a product of order 500
 * sqrt(P).  One rank makes their plans on cubes on paper, for each array: 20 ms for 12 ranks, 70 ms
 * for 24 and for 96 (one core of an EPYC in use).
 *
 * All rows x columns of P nodes are tried, and of fewer.  Two rules spare most plans:
 *   - sides are tried from the square outwards, to wide arrays until two have been slower than the
 *     best, to tall ones until one has
 *   - after some numbers of nodes that brought nothing better only the cube's is tried */
#include "registry/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IN_VAIN = 4 /* numbers of nodes */, SLOWER = 2 };

struct search {
  const hyla_cube *like;
  hyla_array_price *price;
  void *arg;
  hyla_array *found; /* the fastest first */
  int count, room;
  int64_t messages;            /* of rehearsals; 0: by counts */
  bool counted;                /* something was not rehearsed */
  const hyla_options *options; /* of rehearsals */
  double best;                 /* seconds; INFINITY: none yet */
  hyla_array of_all;           /* the fastest of all ranks; rows = 0: none */
  char *no_data;
  int64_t no_data_bytes;
  struct hy_base *base; /* for messages */
};

/* The cube as node 0 of an array sees it; it counts. */
static hyla_cube on_paper(const struct search *s, uint32_t rows, uint32_t cols) {
  hyla_cube cube = *s->like;
  cube.base = (struct hy_base){.memory_limit = s->like->base.memory_limit,
                               .no_data = s->no_data,
                               .no_data_bytes = s->no_data_bytes};
  cube.dims = hy_sides_make(&cube.sides, rows, cols);
  cube.nodes = (int)(rows * cols);
  cube.address = 0;
  cube.session.threads = (int)hy_max(1, cube.session.threads);
  cube.session.team = NULL;
  cube.session.measure = cube.session.wise = false;
  cube.session.wisdom = NULL;
  cube.session.kept = NULL;
  cube.network = (struct hy_cube_network){0};
  cube.network.ledger = hy_ledger_empty(&cube);
  return cube;
}

static void insert(struct search *s, const hyla_array *array) {
  int at = s->count;
  while (at > 0 && array->seconds < s->found[at - 1].seconds) at--;
  if (at == s->room) return;
  if (s->count < s->room) s->count++;
  memmove(s->found + at + 1, s->found + at, (size_t)(s->count - at - 1) * sizeof *s->found);
  s->found[at] = *array;
}

static hyla_status count(struct search *s, hyla_array *array) {
  hyla_cube cube = on_paper(s, (uint32_t)array->rows, (uint32_t)array->cols);
  const hyla_status status = s->price(&cube, s->arg, array);
  array->rehearsed = false;
  if (status == HYLA_OK || status == HYLA_UNSUPPORTED) return status;
  return hy_fail(s->base, status, "%s", cube.base.message);
}

/* What the nodes of a rehearsal share; node 0 fills in the answer. */
struct stage {
  const struct search *s;
  hyla_array *array;
};

static hyla_status price_on_stage(hyla_cube *cube, void *arg) {
  const struct stage *stage = arg;
  hyla_array mine = *stage->array;
  TRY(stage->s->price(cube, stage->s->arg, &mine));
  if (hyla_cube_address(cube) == 0) *stage->array = mine;
  return HYLA_OK;
}

/* Ranks that are not in the array are idle on the switch too. */
static hyla_status rehearse(struct search *s, hyla_array *array) {
  struct stage stage = {s, array};
  char sides[32], network[32];
  snprintf(sides, sizeof sides, "%dx%d", array->rows, array->cols);
  snprintf(network, sizeof network, "switch:%d", s->like->ranks.all);
  const hyla_simulation model = {.machine = &s->like->session.machine,
                                 .dry = true,
                                 .options = s->options,
                                 .rehearsed = s->messages,
                                 .network = network,
                                 .array = sides};
  hyla_report report;
  const hyla_status status = hyla_simulate(&model, price_on_stage, &stage, &report);
  if (status == HYLA_OK && !array->rehearsed) s->counted = true;
  if (status == HYLA_OK || status == HYLA_UNSUPPORTED) return status;
  return hy_fail(s->base, status, "%s", report.message);
}

/* Prices one array.  An array on which no variant keeps to the memory is left out. */
static hyla_status try_array(struct search *s, uint32_t rows, uint32_t cols, double *seconds) {
  hyla_array array = {.rows = (int)rows, .cols = (int)cols};
  *seconds = INFINITY;
  if (s->counted) return HYLA_OK;
  const hyla_status status = s->messages > 0 ? rehearse(s, &array) : count(s, &array);
  if (status == HYLA_UNSUPPORTED) return HYLA_OK;
  TRY(status);
  *seconds = array.seconds;
  if (array.seconds < s->best) s->best = array.seconds;
  const bool whole = array.rows * array.cols == s->like->ranks.all;
  if (whole && (s->of_all.rows == 0 || array.seconds < s->of_all.seconds)) s->of_all = array;
  insert(s, &array);
  return HYLA_OK;
}

/* From the square outwards: rows grow, or shrink.  best: of these nodes.  Tall arrays take the
 * longest and are seldom the fastest, so the first that is slower than the wide ones ends them. */
static hyla_status try_side(struct search *s, uint32_t nodes, bool grow, double *best) {
  const int most = grow ? 1 : SLOWER;
  double least = *best, seconds;
  int slower = 0;
  uint32_t rows = (uint32_t)sqrt((double)nodes);
  if (grow) rows++;
  for (; rows >= 1 && rows <= nodes && slower < most; rows += grow ? 1 : -1u) {
    if (nodes % rows != 0) continue;
    TRY(try_array(s, rows, nodes / rows, &seconds));
    slower = seconds < least ? 0 : slower + 1;
    if (seconds < least) least = seconds;
  }
  *best = least;
  return HYLA_OK;
}

static hyla_status try_nodes(struct search *s, uint32_t nodes) {
  double best = INFINITY;
  TRY(try_side(s, nodes, false, &best));
  return try_side(s, nodes, true, &best);
}

static hyla_status try_all(struct search *s) {
  const uint32_t all = (uint32_t)s->like->ranks.all, cube = 1u << hy_log2_floor(all);
  double before = INFINITY;
  bool cube_tried = false;
  s->best = INFINITY;
  s->count = 0;
  for (uint32_t nodes = all, vain = 0; 2 * nodes > all && vain < IN_VAIN; nodes--) {
    TRY(try_nodes(s, nodes));
    cube_tried = cube_tried || nodes == cube;
    vain = s->best < before ? 0 : vain + 1;
    before = s->best;
  }
  return cube_tried ? HYLA_OK : try_nodes(s, cube);
}

static hyla_status compare(struct hy_base *base, struct search *s) {
  s->base = base;
  s->no_data = hy_reserve_nowhere(&s->no_data_bytes);
  CHECK(base, s->no_data != NULL, MEMORY, "out of addresses for plans on paper");
  hyla_status status = try_all(s);
  if (status == HYLA_OK && s->counted) {
    s->counted = false;
    s->messages = 0;
    status = try_all(s);
  }
  hy_release_nowhere(s->no_data, s->no_data_bytes);
  CHECK(base, status != HYLA_OK || s->count > 0, UNSUPPORTED,
        "no array of %d ranks has a variant that keeps to the memory", s->like->ranks.all);
  return status;
}

hyla_status hyla_arrays_compare(const hyla_machine *machine, int ranks, const hyla_options *options,
                                int64_t messages, hyla_array_price *price, void *arg,
                                hyla_array *arrays, int room, int *found) {
  if (found != NULL) *found = 0;
  if (machine == NULL || ranks < 1 || ranks > 1 << HYLA_DIMS_MAX || messages < 0 || price == NULL ||
      arrays == NULL || room < 1 || found == NULL)
    return HYLA_ARGUMENT;
  hyla_cube like = {.ranks.all = ranks, .session.call = "hyla_arrays_compare"};
  hyla_machine alone = *machine;
  alone.share = 0; /* a core for each rank */
  like.session.machine = hy_machine_on(&alone, hy_log2_floor((uint32_t)ranks), 0);
  if (options != NULL) {
    like.base.memory_limit = options->memory;
    like.session.reproducible = options->reproducible;
  }
  hyla_options stage;
  hyla_options_init(&stage);
  stage.network = stage.array = NULL; /* the environment's are for ranks */
  stage.memory = like.base.memory_limit;
  stage.reproducible = like.session.reproducible;
  struct search s = {.like = &like,
                     .price = price,
                     .arg = arg,
                     .found = arrays,
                     .room = room,
                     .messages = messages,
                     .options = &stage};
  const hyla_status status = compare(&like.base, &s);
  *found = s.count;
  return status;
}

/* ---- the problem of reference ---- */

static hyla_status price_factor(hyla_cube *cube, hyla_method method, int64_t n, double *seconds,
                                int64_t *memory) {
  hyla_factor *factor = NULL;
  TRY(hyla_factor_create(cube, method, HYLA_DOUBLE, n, 1, NULL, NULL, &factor));
  const hyla_plan *plan = hyla_factor_plan(factor);
  *seconds *= hyla_plan_seconds(plan);
  *memory = hy_max(*memory, hyla_plan_cost(plan).memory);
  return hyla_factor_destroy(&factor);
}

static hyla_status price_product(hyla_cube *cube, int64_t n, double *seconds, int64_t *memory) {
  hyla_matrix *matrix[3] = {NULL};
  hyla_plan *plan = NULL;
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && status == HYLA_OK; i++)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &matrix[i]);
  if (status == HYLA_OK)
    status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, matrix[0], matrix[1], 0, matrix[2], NULL,
                            &plan);
  if (status == HYLA_OK) {
    *seconds *= hyla_plan_seconds(plan);
    *memory = hy_max(*memory, hyla_plan_cost(plan).memory);
  }
  (void)hyla_plan_destroy(&plan);
  for (int i = 0; i < 3; i++) (void)hyla_matrix_destroy(&matrix[i]);
  return status;
}

/* The geometric mean of the three times, so that none of them counts more than another. */
static hyla_status price_reference(hyla_cube *cube, void *arg, hyla_array *array) {
  enum { ORDER = 500 };
  const int64_t n = (int64_t)(ORDER * sqrt(*(const int *)arg));
  array->seconds = 1;
  array->memory = 0;
  TRY(price_factor(cube, HYLA_LU, n, &array->seconds, &array->memory));
  TRY(price_factor(cube, HYLA_CHOLESKY, n, &array->seconds, &array->memory));
  TRY(price_product(cube, n, &array->seconds, &array->memory));
  array->seconds = cbrt(array->seconds);
  return HYLA_OK;
}

/* Where nothing can be compared, as there is too little memory, the ranks stay a cube. */
hyla_status hy_array_for_reference(hyla_cube *cube, uint32_t *rows, uint32_t *cols) {
  hyla_array best;
  hyla_cube like = *cube;
  like.ranks.one_host = like.network.link->crowd == like.ranks.all && like.ranks.one_host;
  struct search s = {
      .like = &like, .price = price_reference, .arg = &like.ranks.all, .found = &best, .room = 1};
  *rows = *cols = 0;
  const hyla_status status = compare(&like.base, &s);
  if (status == HYLA_UNSUPPORTED || status == HYLA_MEMORY) {
    snprintf(cube->ranks.idle, sizeof cube->ranks.idle, "%.90s", like.base.message);
    return HYLA_OK;
  }
  if (status != HYLA_OK) return hy_fail(&cube->base, status, "%s", like.base.message);
  *rows = (uint32_t)best.rows;
  *cols = (uint32_t)best.cols;
  if (best.rows * best.cols < like.ranks.all && s.of_all.rows > 0)
    snprintf(cube->ranks.idle, sizeof cube->ranks.idle,
             "all %d as %dx%d are predicted to take %.3g %% more", like.ranks.all, s.of_all.rows,
             s.of_all.cols, 100 * (s.of_all.seconds / best.seconds - 1));
  return HYLA_OK;
}
