/* The choice of the word: the numbers of dimensions that serve i, j and k, and the layouts that go
 * with them.  See gemm_3d.h and gemm_word.c. */
#include "gemm/gemm_3d.h"

#include "gemm/dims_by_loop.h"
#include "gemm/gemm.h"

/* PANEL: products of this inner size run at full speed.  PANEL_LEAST: the smallest size, to save
 * memory. */
enum { PANEL = 512, PANEL_LEAST = 32 };

static struct hy_axis blocks_of(hyla_axis code, int64_t n, int64_t block) {
  bool once = block << code.dims >= n;
  code.storage = once && hy_ceil_div(n, 1 << code.dims) == block ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  code.block = code.storage == HYLA_CYCLIC ? block : 0;
  return hy_axis_make(&code, n);
}

static void lay_out(const struct hy_gemm_problem *given, const struct hy_dims_by_loop *dims,
                    int panel, struct hy_gemm_problem *wanted) {
  int a = dims->count[HY_LOOP_I], b = dims->count[HY_LOOP_J], c = dims->count[HY_LOOP_K];
  hyla_axis i = hy_dims_by_loop_axis(dims, HYLA_BINARY, HY_LOOP_I, HY_LOOPS);
  hyla_axis k = hy_dims_by_loop_axis(dims, HYLA_BINARY, HY_LOOP_K, HY_LOOPS);
  hyla_axis jk = hy_dims_by_loop_axis(dims, HYLA_BINARY, HY_LOOP_J, HY_LOOP_K);
  hyla_axis ij = hy_dims_by_loop_axis(dims, HYLA_BINARY, HY_LOOP_I, HY_LOOP_J);
  hyla_axis kj = hy_dims_by_loop_axis(dims, HYLA_BINARY, HY_LOOP_K, HY_LOOP_J);
  /* If nothing is gathered, there are no panels. */
  int64_t rounds = a + b == 0 ? 1 : hy_max(1, hy_ceil_div(given->k, (int64_t)panel << c));
  int64_t share = hy_max(1, hy_ceil_div(given->k, rounds << (b + c)));
  wanted->a.row = wanted->c.row = hy_axis_make(&i, given->m);
  wanted->a.col = blocks_of(jk, given->k, share);
  wanted->b.row = blocks_of(k, given->k, share << b);
  /* Even if i and k are split differently, B's and C's parts of j must agree. */
  int finest = 1 << (b + (int)hy_max(a, c));
  wanted->b.col = hy_inner_axis(&ij, given->n, finest);
  wanted->c.col = hy_inner_axis(&kj, given->n, finest);
}

/* A word with its layouts, as seen by node 0, which has the most work. */
struct trial {
  struct hy_gemm_problem wanted;
  double seconds;
  int64_t memory; /* upper limit in bytes, packing included */
  bool fits;
};

/* The cost of moving the operands to the word's layouts. */
static hyla_cost cost_of_moves(const struct hy_gemm_problem *given,
                               const struct hy_gemm_problem *wanted) {
  const struct hy_operand *from[] = {&given->a, &given->b, &given->c};
  const struct hy_operand *to[] = {&wanted->a, &wanted->b, &wanted->c};
  hyla_cost sum = {0};
  for (int x = 0; x < 3; x++) {
    if (hy_axis_equal(&from[x]->row, &to[x]->row) && hy_axis_equal(&from[x]->col, &to[x]->col))
      continue;
    /* C goes there and back.  Each way, a message has at most everything that is moved. */
    int64_t share = hy_held(&to[x]->row, 0) * hy_held(&to[x]->col, 0);
    int64_t moved = x < 2 ? share : 2 * share;
    sum.words += moved;
    sum.copied += moved;
    if (hy_in_place_expected(given->cube)) sum.lent += moved;
    sum.memory += 3 * share * (int64_t)given->kernels->size;
  }
  return sum;
}

/* Replays the word if it fits the memory; its time is not needed otherwise.  The replay takes no
 * memory, so it cannot fail on some ranks alone. */
static void estimate(const struct hy_gemm_problem *given, struct trial *trial) {
  const struct hy_kernels *k = given->kernels;
  int64_t limit = given->cube->base.memory_limit;
  hyla_cost sum = cost_of_moves(given, &trial->wanted);
  struct hy_gemm_replay replay;
  hy_gemm_replay_begin(&trial->wanted, 0, &replay);
  struct hy_gemm_3d product = hy_gemm_3d_make(NULL, &replay.task);
  bool possible = hy_gemm_3d_sketch(&product) == HYLA_OK;
  trial->memory = sum.memory + hy_gemm_replay_end(&trial->wanted, &replay).memory;
  trial->fits = possible && (limit == 0 || trial->memory <= limit);
  if (!trial->fits || hy_gemm_3d_run(&product) != HYLA_OK) return;
  hy_cost_add(&sum, hy_gemm_replay_end(&trial->wanted, &replay));
  trial->seconds =
      hy_machine_seconds(&given->cube->session.machine, &sum, k->size, k->complex_type);
}

static bool better(const struct trial *x, const struct trial *y) {
  if (x->fits != y->fits) return x->fits;
  if (x->fits && x->seconds != y->seconds) return x->seconds < y->seconds;
  return x->memory < y->memory;
}

/* Tries the widest panels with which a word fits the memory; the narrowest if none fit. */
static void try_word(const struct hy_gemm_problem *given, struct hy_dims_by_loop *dims,
                     struct trial *trial) {
  hy_dims_by_loop_place(given, dims);
  for (int panel = PANEL; panel >= PANEL_LEAST && !trial->fits; panel /= 2) {
    lay_out(given, dims, panel, &trial->wanted);
    estimate(given, trial);
  }
}

void hy_gemm_3d_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  int dims = given->cube->dims;
  struct trial best = {.wanted = *wanted};
  for (int c = 0; c <= dims; c++)
    for (int b = dims - c; b >= 0; b--) {
      struct hy_dims_by_loop by_loop = {.count = {dims - b - c, b, c}};
      struct trial trial = {.wanted = *wanted};
      try_word(given, &by_loop, &trial);
      if ((b == dims && c == 0) || better(&trial, &best)) best = trial;
    }
  *wanted = best.wanted;
}
