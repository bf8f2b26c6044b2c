/* The 2.5D algorithm: Cannon's, with its steps shared out among layers that hold copies.
 *
 * Reference: Solomonik and Demmel 2011, 2.5D matrix multiplication.
 * Layout: 2^c layers of 2^a x 2^b nodes.  A and B lie on a layer as for Cannon's algorithm, in
 *   consecutive blocks, Gray-coded; every layer holds a copy of them.  C's columns are split over
 *   the 2^b columns of a layer and, finer, over the layers.
 * Method: of Cannon's K = max(2^a, 2^b) steps layer l takes the K / 2^c from l K / 2^c on.  So its
 *   node (i, j) multiplies panels kappa = i K/2^a + j K/2^b + l K/2^c + t, t = 0, 1, ... modulo K.
 *   Over the layers these are all panels.  The nodes in the same place of the layers add their
 *   blocks of C by a reduce-scatter; each keeps 2^-c of the sum.
 * Example on 8 nodes, a = b = c = 1: K = 2 and each layer takes one step.  On layer 0 nodes (0, 0)
 *   and (1, 1) multiply panel 0 and the others panel 1; on layer 1 it is the other way round.
 * Steps: 1 to set up, K / 2^c - 1 rotations, c to add.
 * Words: max(1, 2^(b-c)) blocks of A and max(1, 2^(a-c)) blocks of B, at most; (2^c - 1) m n / P of
 *   C.  A block of A is 2^c m k / P.
 * Memory: as for Cannon's algorithm on P / 2^c nodes; with c > 0 one block and a half of the
 *   layer's product.  In place: as in rotation.h.
 * Sides: a and b differ by one at most; the longer of m and n gets more.  c is the fastest that the
 *   memory allows, counted by the closed form above; at most max(a, b).  c = 0 is `cannon'.
 * Restriction: none. */
#include "gemm/dims_by_loop.h"
#include "gemm/rotation.h"

/* The most blocks of a factor that a node sends, if the factor's ring has 2^bits places. */
static int64_t blocks_sent(int bits, const struct hy_dims_by_loop *dims) {
  return bits == 0 ? 0 : hy_max(1, (1 << bits) >> dims->count[HY_LOOP_K]);
}

/* The closed form of a run's cost. */
static hyla_cost cost_of(const struct hy_gemm_problem *x, const struct hy_dims_by_loop *dims) {
  const int64_t a = hy_held(&x->a.row, 0) * hy_held(&x->a.col, 0);
  const int64_t b = hy_held(&x->b.row, 0) * hy_held(&x->b.col, 0);
  const int64_t c = hy_held(&x->c.row, 0) * hy_held(&x->c.col, 0);
  int layers = dims->count[HY_LOOP_K];
  bool travel = !hy_in_place_expected(x->cube);
  int64_t of_a = travel ? blocks_sent(dims->count[HY_LOOP_J], dims) : 0;
  int64_t of_b = travel ? blocks_sent(dims->count[HY_LOOP_I], dims) : 0;
  int64_t summands = layers > 0 ? c << layers : 0;
  int64_t entries = (of_a > 0 ? 2 * a : 0) + (of_b > 0 ? 2 * b : 0) + summands * 3 / 2;
  return (hyla_cost){.steps = hy_max(of_a, of_b) + layers,
                     .messages = of_a + of_b + layers,
                     .words = of_a * a + of_b * b + ((1 << layers) - 1) * c,
                     .copied = summands,
                     .memory = entries * (int64_t)x->kernels->size};
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  int all = given->cube->dims;
  struct hy_layout_trial best = {.wanted = *wanted};
  for (int c = 0; c <= (all - c + 1) / 2; c++) {
    int longer = (all - c + 1) / 2, shorter = (all - c) / 2;
    bool tall = given->m >= given->n;
    struct hy_dims_by_loop dims = {.count = {tall ? longer : shorter, tall ? shorter : longer, c}};
    struct hy_layout_trial trial = {.wanted = *wanted};
    hy_dims_by_loop_place(given, &dims);
    hy_rotation_layouts(given, &dims, HY_LOOPS, &trial.wanted);
    trial.wanted.a.rest = trial.wanted.b.rest = HYLA_REPLICATED; /* over the layers */
    hy_layout_trial_price(given, cost_of(&trial.wanted, &dims), &trial);
    if (c == 0 || hy_layout_trial_better(&trial, &best)) best = trial;
  }
  *wanted = best.wanted;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  const struct hy_operand *a = &task->problem.a;
  hyla_cube *cube = task->problem.cube;
  TRY(hy_rotation_create(variant, given, state));
  if (cube->address < 0) return HYLA_OK;
  struct hy_rotation *r = *state;
  uint32_t layers = hy_all_dims(cube);
  layers &= ~hy_axis_mask(&a->row.code) & ~hy_axis_mask(&a->col.code);
  r->steps = r->panels >> hy_popcount(layers);
  r->from = (int)hy_extract((uint32_t)cube->address, layers) * r->steps; /* l K/2^c */
  return hy_rotation_plan_set_up(r, false);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts};

const struct hy_variant hy_gemm_cannon25d = {
    .name = "cannon25d",
    .reference = "solomonik-2011, 2.5D matrix multiplication",
    .traits = &TRAITS,
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = hy_rotation_allocate,
    .run = hy_cannon_run,
    .explain = hy_rotation_explain,
};
