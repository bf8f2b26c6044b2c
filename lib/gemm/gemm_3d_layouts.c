/* The choice of the word: the numbers of dimensions that serve i, j and k, and the layouts that go
 * with them.  See gemm_3d.h and gemm_word.c. */
#include "gemm/gemm_3d.h"

#include "gemm/dims_by_loop.h"

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

/* Replays the word if it fits the memory; its time is not needed otherwise.  The replay takes no
 * memory, so it cannot fail on some ranks alone. */
static void estimate(const struct hy_gemm_problem *given, struct hy_layout_trial *trial) {
  struct hy_gemm_replay replay;
  hy_gemm_replay_begin(&trial->wanted, 0, &replay);
  struct hy_gemm_3d product = hy_gemm_3d_make(NULL, &replay.task);
  bool possible = hy_gemm_3d_sketch(&product) == HYLA_OK;
  hy_layout_trial_price(given, hy_gemm_replay_end(&trial->wanted, &replay), trial);
  trial->fits = trial->fits && possible;
  if (!trial->fits || hy_gemm_3d_run(&product) != HYLA_OK) return;
  hy_layout_trial_price(given, hy_gemm_replay_end(&trial->wanted, &replay), trial);
}

/* Tries the widest panels with which a word fits the memory; the narrowest if none fit. */
static void try_word(const struct hy_gemm_problem *given, struct hy_dims_by_loop *dims,
                     struct hy_layout_trial *trial) {
  hy_dims_by_loop_place(given, dims);
  for (int panel = PANEL; panel >= PANEL_LEAST && !trial->fits; panel /= 2) {
    lay_out(given, dims, panel, &trial->wanted);
    estimate(given, trial);
  }
}

void hy_gemm_3d_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  int dims = given->cube->dims;
  struct hy_layout_trial best = {.wanted = *wanted};
  for (int c = 0; c <= dims; c++)
    for (int b = dims - c; b >= 0; b--) {
      struct hy_dims_by_loop by_loop = {.count = {dims - b - c, b, c}};
      struct hy_layout_trial trial = {.wanted = *wanted};
      try_word(given, &by_loop, &trial);
      if ((b == dims && c == 0) || hy_layout_trial_better(&trial, &best)) best = trial;
    }
  *wanted = best.wanted;
}
