/* Elements on the links of a cube, in the paper's model: one element over each
 * directed link in a step, all links of a node at once.  Where an element starts
 * and ends is what the library's own layouts say.
 *
 * An element crosses the dimensions in which its two addresses differ in one order,
 * the same for all; in the paper's pipeline the l-th of them is crossed in steps l
 * to l + M/2 - 1, M/2 being what each link has to carry.  Of those that wait for a
 * link the most urgent one goes first: the one that has to cross the latest
 * dimensions.  Where N < 4^k that is not always enough; what came too late then
 * becomes more urgent and all is tried again. */
#include "conversions.h"
#include "matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 8, NODES = 1 << DIMS_MAX, ROUNDS = 400 };

/* An array of elements on its way. */
struct traffic {
  int dims;
  int64_t count;
  uint32_t *from, *at, *target;
  int64_t *urgency;
  bool downwards;  /* the highest dimension first */
  bool pipelined;  /* as the paper has it; else as soon as possible */
  int64_t load;    /* of a link */
  int64_t *best;   /* for the link (node, dim): who goes, -1 nobody */
  int64_t penalty; /* by which coming too late makes more urgent */
  int64_t late;    /* how many did in a run */
};

/* The next dimension that an element crosses; its place in the order. */
static int next_dim(const struct traffic *t, uint32_t differ) {
  return t->downwards ? hy_log2_floor(differ) : hy_lowest(differ);
}

static int turn_of(const struct traffic *t, int dim) {
  return t->downwards ? t->dims - 1 - dim : dim;
}

/* Chooses who crosses each link in a step; returns how many elements are not at home. */
static int64_t choose(const struct traffic *t, int64_t step) {
  int64_t away = 0;
  memset(t->best, -1, sizeof *t->best * (size_t)(DIMS_MAX << t->dims));
  for (int64_t e = 0; e < t->count; e++) {
    uint32_t differ = t->at[e] ^ t->target[e];
    if (differ == 0) continue;
    away++;
    int dim = next_dim(t, differ);
    if (t->pipelined && step < turn_of(t, dim)) continue;
    int64_t *best = &t->best[(int64_t)t->at[e] * DIMS_MAX + dim];
    if (*best < 0 || t->urgency[e] > t->urgency[*best]) *best = e;
  }
  return away;
}

/* Runs until all are at home; returns the steps. */
static int64_t run(struct traffic *t) {
  memcpy(t->at, t->from, sizeof *t->at * (size_t)t->count);
  t->late = 0;
  int64_t step = 0;
  for (; choose(t, step) > 0; step++)
    for (int64_t link = 0; link < DIMS_MAX << t->dims; link++) {
      int64_t e = t->best[link];
      int dim = (int)(link % DIMS_MAX);
      if (e < 0) continue;
      t->at[e] ^= 1u << dim;
      if (!t->pipelined || step < turn_of(t, dim) + t->load) continue;
      t->urgency[e] += t->penalty;
      t->late++;
    }
  return step;
}

/* Runs until nothing is late; returns the steps of the last run. */
static int64_t settle(struct traffic *t) {
  for (int64_t e = 0; e < t->count; e++) {
    uint32_t differ = t->from[e] ^ t->target[e];
    t->urgency[e] = 0;
    for (int dim = 0; dim < t->dims; dim++)
      t->urgency[e] |= (int64_t)(differ >> dim & 1u) << turn_of(t, dim);
  }
  int64_t steps = run(t);
  for (int round = 0; round < ROUNDS && t->late > 0; round++) steps = run(t);
  return steps;
}

static struct traffic traffic_of(int dims, int64_t count, bool downwards) {
  struct traffic t = {.dims = dims, .count = count, .downwards = downwards};
  t.from = malloc(sizeof *t.from * (size_t)count);
  t.at = malloc(sizeof *t.at * (size_t)count);
  t.target = malloc(sizeof *t.target * (size_t)count);
  t.urgency = malloc(sizeof *t.urgency * (size_t)count);
  t.best = malloc(sizeof *t.best * (size_t)(DIMS_MAX << dims));
  assert_true(t.from && t.at && t.target && t.urgency && t.best);
  return t;
}

static void traffic_free(struct traffic *t) {
  free(t->from);
  free(t->at);
  free(t->target);
  free(t->urgency);
  free(t->best);
}

/* ---------------------------------------------- consecutive and cyclic -- */

static hyla_axis axis_of(hyla_code code, hyla_storage storage, int low, int dims) {
  hyla_axis axis = {.dims = dims, .code = code, .storage = storage, .block = 1};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(low + i);
  return axis;
}

static uint32_t address_of(hyla_code code, hyla_storage storage, int low, int dims, int64_t n,
                           int64_t i) {
  hyla_axis axis = axis_of(code, storage, low, dims);
  struct hy_axis ready = hy_axis_make(&axis, n);
  return hy_axis_address(&axis, (uint32_t)hy_axis_owner(&ready, i));
}

/* 2^n elements on each of `axes` axes of 2^k parts, to cyclic storage or back. */
static struct traffic conversion(hyla_code code, int k, int axes, int n, bool to_cyclic) {
  int64_t side = (int64_t)1 << n;
  struct traffic t = traffic_of(axes * k, axes == 2 ? side * side : side, !to_cyclic);
  hyla_storage from = to_cyclic ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  hyla_storage to = to_cyclic ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
  for (int64_t e = 0; e < t.count; e++) {
    t.from[e] = address_of(code, from, 0, k, side, e % side);
    t.target[e] = address_of(code, to, 0, k, side, e % side);
    if (axes == 2) t.from[e] |= address_of(code, from, k, k, side, e / side);
    if (axes == 2) t.target[e] |= address_of(code, to, k, k, side, e / side);
  }
  t.load = (int64_t)1 << (axes * (n - k) - 1);
  return t;
}

/* Does the paper's pipeline end in as many steps as it says?  Its windows of steps
 * are the same read backwards, as the conversion back: one of the two will do. */
static bool pipeline_found(hyla_code code, int k, int axes, int n, int64_t formula) {
  static const int64_t penalties[] = {200, 64, 1000, 48};
  bool found = false;
  for (int i = 0; i < 8 && !found; i++) {
    struct traffic t = conversion(code, k, axes, n, i % 2 == 0);
    t.pipelined = true;
    t.penalty = penalties[i / 2];
    found = settle(&t) == formula;
    traffic_free(&t);
  }
  return found;
}

/* From N = 4^k on nobody has to wait for the step in which a dimension begins: then
 * all links are busy from the first step to the last. */
static int64_t steps_without_windows(hyla_code code, int k, int axes, int n, bool to_cyclic) {
  struct traffic t = conversion(code, k, axes, n, to_cyclic);
  int64_t steps = settle(&t);
  traffic_free(&t);
  return steps;
}

static void check_storage(hyla_code code, int axes) {
  for (int k = 1; axes * k <= DIMS_MAX; k++)
    for (int n = k + 1; n <= 2 * k; n++) {
      int64_t half = (int64_t)1 << (axes * (n - k) - 1), formula = half + axes * k - 1;
      harness_note("code %d, %d axes, k = %d, n = %d", (int)code, axes, k, n);
      assert_true(pipeline_found(code, k, axes, n, formula));
      if (n < 2 * k) continue;
      assert_int_equal(steps_without_windows(code, k, axes, n, true), half);
      assert_int_equal(steps_without_windows(code, k, axes, n, false), half);
    }
}

/* ------------------------------------------------ binary and Gray code -- */

/* The order in which a source's element crosses dimensions: the i-th of them. */
typedef int order_of(uint32_t source, int dims, int i);

static int upwards(uint32_t source, int dims, int i) {
  (void)source, (void)dims;
  return i;
}

static int downwards(uint32_t source, int dims, int i) {
  (void)source;
  return dims - 1 - i;
}

/* The remark on corollary 3.3: some start with bit 0, others come to it later. */
static int mixed(uint32_t source, int dims, int i) {
  static const int later[] = {3, 2, 0, 1};
  return source == 14 || source == 15 ? later[i] : upwards(source, dims, i);
}

/* Does any directed link carry elements of two sources, from node i to G(i) or back? */
static bool paths_meet(int dims, bool to_gray, order_of *order) {
  static int64_t owner[NODES][DIMS_MAX];
  bool meet = false;
  memset(owner, -1, sizeof owner);
  for (uint32_t source = 0; source >> dims == 0; source++) {
    uint32_t at = source, target = to_gray ? hy_gray(source) : hy_gray_inverse(source);
    for (int i = 0; i < dims; i++) {
      int dim = order(source, dims, i);
      if (((at ^ target) >> dim & 1u) == 0) continue;
      meet = meet || owner[at][dim] >= 0;
      owner[at][dim] = source;
      at ^= 1u << dim;
    }
    assert_int_equal(at, target);
  }
  return meet;
}

static void check_paths(void) {
  for (int dims = 1; dims <= DIMS_MAX; dims++)
    for (int to_gray = 0; to_gray < 2; to_gray++) {
      harness_note("d = %d, to Gray %d", dims, to_gray);
      assert_false(paths_meet(dims, to_gray, upwards));
      assert_false(paths_meet(dims, to_gray, downwards));
    }
  assert_true(paths_meet(4, true, mixed));
}

void conversions_check_all(FILE *page) {
  fprintf(page,
          "\n## Conversion of storage, element by element\n\n"
          "johnsson-1987, 3.1.3 and 3.3: N = 2^n elements on an axis of 2^k parts, consecutive to\n"
          "cyclic and back, between layouts as the library makes them; one element over a link in\n"
          "a step, all links of a node at once, every element across the dimensions in one order.\n"
          "Binary to Gray code and back: permute gray above, with g = m = M elements on a node\n"
          "n + M - 2 steps; that no directed link carries elements of two sources (corollary 3.3)\n"
          "holds upwards and downwards for d to %d, and not when sources differ in the order.\n\n"
          "| conversion | reference | steps | k | result | fewer |\n|---|---|---|---|---|---|\n",
          DIMS_MAX);
  static const struct {
    const char *text, *reference;
    hyla_code code;
    int axes;
  } rows[] = {
      {"one axis, binary", "theorem 3.1 (J13) | N/2^(k+1) + k - 1 | 1-8", HYLA_BINARY, 1},
      {"both axes, binary", "theorem 3.2 (J15) | 2^(2(n-k)-1) + 2k - 1 | 1-4", HYLA_BINARY, 2},
      {"one axis, Gray", "theorem 3.3 (J16) | N/2^(k+1) + k - 1 | 1-8", HYLA_GRAY, 1},
      {"both axes, Gray", "theorems 3.2, 3.3 | 2^(2(n-k)-1) + 2k - 1 | 1-4", HYLA_GRAY, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    check_storage(rows[i].code, rows[i].axes);
    fprintf(page,
            "| %s | %s | equal, for n from k + 1 to 2k | %s from n = 2k on, when no element "
            "waits for a step to begin |\n",
            rows[i].text, rows[i].reference, rows[i].axes == 1 ? "N/2^(k+1)" : "2^(2(n-k)-1)");
  }
  check_paths();
}
