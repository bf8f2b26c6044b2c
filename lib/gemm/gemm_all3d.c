/* Gupta and Sadayappan's 3-D All: exchange, two all-gathers, a reduce-scatter.
 *
 * Reference: Gupta and Sadayappan 1996, the algorithm 3D All.
 * Layout: node (x, y, z) of a 2^b x 2^c x 2^a array.  A, B and C lie alike: rows over z, columns
 *   over x and, finer, y.  The indices of k go round: l = (g 2^c + y) u + o with 0 <= o < u is in
 *   part (g mod 2^b, y) of A's columns and in part g mod 2^a of B's rows, so that g runs through
 *   the same panels for all sides.
 * Method, where k_y are the indices of k with a given y:
 *   exchange    along y: before, node (x, y, z) has all its rows of B in some columns; afterwards
 *               it has the rows of k_y at z, in all columns of x: as many entries
 *   all-gather  B along z, A along x: B(k_y, columns of x), A(rows of z, k_y).  Products with the
 *               blocks of A that have arrived are computed while the other blocks travel
 *   add         A(z, k_y) B(k_y, x) along y by a reduce-scatter; each node keeps its own columns:
 *               C(z, columns of x and y)
 * Example on 4 nodes, a = b = 1, c = 0: a 2 x 1 x 2 array.  No exchange is needed, node (x, z)
 *   gathers A(z, :) along x and B(:, x) along z, and computes C(z, x).
 * Steps: c + a + b + c.
 * Words, with equal parts: c/2 k n / P + (2^a - 1) k n / P + (2^b - 1) m k / P + (2^c - 1) m n / P.
 * Memory: B's part in slots and twice half of it; the gathered A and B; one block and a half of the
 *   product.
 * Sides: a, b and c differ by one at most; the longer loops get more.
 * Restriction: none. */
#include "gemm/dims_by_loop.h"
#include "gemm/product.h"
#include "gemm/row_exchange.h"
#include "gemm/split_operand_body.h"

#include <string.h>

struct all3d {
  struct hy_product product;     /* A gathered along x, B along z */
  struct hy_gemm_problem turned; /* with B as it lies after the exchange */
  struct hy_row_exchange exchange;
  int a_bits, b_bits; /* of x, of z */
  int y_bits, y;
  int64_t u;
};

static struct hy_axis cyclic(hyla_axis code, int64_t n, int64_t block) {
  code.storage = HYLA_CYCLIC;
  code.block = block;
  return hy_axis_make(&code, n);
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  struct hy_dims_by_loop dims;
  hy_dims_by_loop_even(given, &dims);
  hy_dims_by_loop_place(given, &dims);
  int a = dims.count[HY_LOOP_I], b = dims.count[HY_LOOP_J], c = dims.count[HY_LOOP_K];
  hyla_axis z = hy_dims_by_loop_axis(&dims, HYLA_BINARY, HY_LOOP_I, HY_LOOPS);
  hyla_axis yx = hy_dims_by_loop_axis(&dims, HYLA_BINARY, HY_LOOP_K, HY_LOOP_J);
  int64_t u = hy_max(1, hy_ceil_div(given->k, (int64_t)1 << (c + (int)hy_max(a, b))));
  wanted->a.row = wanted->c.row = hy_axis_make(&z, given->m);
  wanted->a.col = cyclic(yx, given->k, u);
  wanted->b.row = cyclic(z, given->k, u << c);
  wanted->b.col = wanted->c.col = hy_axis_make(&yx, given->n);
}

/* B after the exchange: rows over y and, coarser, z, columns over x. */
static struct hy_operand turn(const struct hy_gemm_problem *problem, int y_bits) {
  const hyla_axis *yx = &problem->b.col.code, *z = &problem->b.row.code;
  hyla_axis yz = {.dims = y_bits + z->dims}, x = {.dims = yx->dims - y_bits};
  struct hy_operand turned = problem->b;
  memcpy(yz.dim, yx->dim, (size_t)y_bits);
  memcpy(yz.dim + y_bits, z->dim, (size_t)z->dims);
  memcpy(x.dim, yx->dim + y_bits, (size_t)x.dims);
  turned.row = cyclic(yz, problem->k, problem->a.col.code.block);
  turned.col = hy_inner_axis(&x, problem->n, problem->b.col.parts);
  return turned;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  TRY(hy_product_create(given, sizeof(struct all3d), state));
  struct all3d *all = *state;
  struct hy_product *p = &all->product;
  const struct hy_gemm_problem *problem = &p->task->problem;
  int node = problem->cube->address;
  if (hy_product_is_guest(p)) return HYLA_OK;
  all->u = problem->a.col.code.block;
  all->y_bits = hy_log2_floor((uint32_t)(problem->b.row.code.block / all->u));
  all->y = hy_part_of(&problem->b.col, node) & ((1 << all->y_bits) - 1);
  all->a_bits = problem->a.col.code.dims - all->y_bits;
  all->b_bits = problem->b.row.code.dims;
  all->turned = *problem;
  all->turned.b = turn(problem, all->y_bits);
  all->exchange = hy_row_exchange_make(&all->turned.b.row, &problem->b.col, all->y_bits, node);
  *p->b = hy_split_operand_make(all, &all->turned, HY_B, true);
  hy_split_operand_in_stack(p->a, all->y_bits, all->a_bits, false);
  hy_split_operand_in_stack(p->b, all->y_bits, all->b_bits, true);
  p->c = hy_result_make(all, problem, all->y_bits, node);
  return HYLA_OK;
}

static hyla_status allocate(void *state) {
  struct all3d *all = state;
  const struct hy_gemm_problem *problem = &all->product.task->problem;
  if (hy_product_is_guest(&all->product)) return HYLA_OK;
  TRY(hy_row_exchange_allocate(all, problem->cube, problem->kernels->size, &all->exchange));
  return hy_product_allocate(state);
}

/* Adds the products with the share of A that came from node x, in A(z, k_y): the indices with g =
 * x, x + 2^b, ... */
static void multiply(struct all3d *all, int x) {
  struct hy_product *p = &all->product;
  int64_t k = p->task->problem.k, start;
  for (int64_t g = x; (start = (g << all->y_bits | all->y) * all->u) < k;
       g += INT64_C(1) << all->a_bits) {
    int z = (int)(g & ((1 << all->b_bits) - 1));
    const struct hy_panel a = hy_split_operand_stack_at(p->a, x, start);
    const struct hy_panel b = hy_split_operand_stack_at(p->b, z, start);
    const struct hy_indices inner = hy_interval(start, hy_min(all->u, k - start));
    hy_product_add(p, &a, &b, &inner);
  }
}

static hyla_status run(void *state) {
  struct all3d *all = state;
  struct hy_product *p = &all->product;
  if (hy_product_is_guest(p)) return HYLA_OK;
  hy_result_begin(&p->c);
  /* B's rows of k_y instead of its columns of y. */
  TRY(hy_row_exchange_run(&all->exchange, &p->task->b, hy_split_operand_stack_own(p->b)));
  TRY(hy_split_operand_stack_gather(p->b)); /* B(k_y, x) along z */
  TRY(hy_split_operand_begin(p->a));
  TRY(hy_split_operand_stack_start(p->a)); /* A(z, k_y) along x */
  for (int x = 0; x >= 0;) {
    TRY(hy_split_operand_stack_next(p->a, &x));
    if (x >= 0) multiply(all, x); /* while the rest travels */
  }
  return hy_result_finish(&p->c); /* C along y */
}

static void explain(const void *state, struct hy_text *text) {
  hy_product_explain(state, "op(A) along x", "op(B) along z", text);
}

const struct hy_variant hy_gemm_all3d = {
    .name = "all3d",
    .reference = "gupta-1996, 3D All",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts, .sends_zeros = true},
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = allocate,
    .run = run,
    .explain = explain,
};
