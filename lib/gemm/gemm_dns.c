/* Dekel, Nassimi and Sahni's algorithm on three dimensions (DNS).
 *
 * Reference: Dekel, Nassimi and Sahni 1981, the algorithm with q^3 processors; by blocks as
 *   compared by Gupta and Sadayappan 1996.
 * Layout: node (i, j, l) of a 2^a x 2^b x 2^c array.  A, B and C lie on the face l = 0, in
 *   consecutive blocks: rows over i, columns over j.  k is also cut into 2^c stretches, one for
 *   each plane l.
 * Method:
 *   move       along l, from (i, j, 0): A's columns and B's rows go to the planes of their
 *              stretches, over the highest bit of l first.  With equal sides each block of A goes
 *              undivided to l = j, each of B to l = i
 *   broadcast  in plane l: along j from the node where A's stretch l has arrived, and along i from
 *              the node with B's stretch.  If j has more parts than l, several nodes have a piece
 *              each: each piece is broadcast over the high bits of j, and the pieces are gathered
 *              over the low bits
 *   multiply   A(i, l) B(l, j)
 *   add        along l, to the face
 * Example on 4 nodes, a = 0, b = 1, c = 1: node (j, l).  The face l = 0 holds A(:, j), B(:, j).
 *   A(:, 1) and the rows B(1, j) move to plane 1; A(:, l) is broadcast along j; node (j, l)
 *   computes A(:, l) B(l, j); and the two products of the same j are added on the face.
 * Steps: c to move, b and a to broadcast, c to add.
 * Words, equal sides 2^q: at most q blocks of A, q of B, and q received blocks of C.
 * Memory: the parts of A and B that pass through; a block of A and of B; with c > 0 two blocks of
 *   C.
 * Sides: a, b and c differ by one at most; the longer loops get more.
 * Restriction: none. */
#include "gemm/dims_by_loop.h"
#include "gemm/product.h"

struct dns {
  struct hy_product product; /* the node's, added along l */
  int bits;                  /* of the planes' number, c */
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  struct hy_dims_by_loop dims;
  hy_dims_by_loop_even(given, &dims);
  hy_dims_by_loop_place(given, &dims);
  const int *count = dims.count;
  hyla_axis i = hy_dims_by_loop_axis(&dims, HYLA_BINARY, HY_LOOP_I, HY_LOOPS);
  hyla_axis j = hy_dims_by_loop_axis(&dims, HYLA_BINARY, HY_LOOP_J, HY_LOOPS);
  int finest = 1 << hy_max(count[HY_LOOP_I], hy_max(count[HY_LOOP_J], count[HY_LOOP_K]));
  wanted->a.row = wanted->c.row = hy_axis_make(&i, given->m);
  wanted->b.col = wanted->c.col = hy_axis_make(&j, given->n);
  wanted->a.col = hy_inner_axis(&j, given->k, finest);
  wanted->b.row = hy_inner_axis(&i, given->k, finest);
  hyla_rest rest = count[HY_LOOP_K] > 0 ? HYLA_FACE : HYLA_REPLICATED;
  wanted->a.rest = wanted->b.rest = wanted->c.rest = rest;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  TRY(hy_product_create(given, sizeof(struct dns), state));
  struct dns *d = *state;
  const struct hy_gemm_problem *problem = &d->product.task->problem;
  const struct hy_axis *row = &problem->a.row, *col = &problem->a.col;
  if (hy_product_is_guest(&d->product)) return HYLA_OK;
  uint32_t along = hy_operand_others(problem->cube->dims, &problem->a);
  d->bits = hy_popcount(along);
  int finest = 1 << hy_max(d->bits, hy_max(row->code.dims, col->code.dims));
  hy_split_operand_on_planes(d->product.a, along, finest);
  hy_split_operand_on_planes(d->product.b, along, finest);
  d->product.c.along = along;
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct dns *d = state;
  struct hy_product *p = &d->product;
  struct hy_step step;
  if (hy_product_is_guest(p)) return HYLA_OK;
  hy_step_make(p->task->problem.cube, &step);
  TRY(hy_product_begin(p));
  for (int bit = d->bits - 1; bit >= 0; bit--) { /* along l, from the face to the planes */
    hy_split_operand_to_planes(p->a, bit, &step);
    hy_split_operand_to_planes(p->b, bit, &step);
    TRY(hy_step_run(&step));
  }
  TRY(hy_split_operand_over_plane(p->a)); /* A(i, l) along j */
  TRY(hy_split_operand_over_plane(p->b)); /* B(l, j) along i */
  /* C(i, j) += A(i, l) B(l, j), in the chunks in which B has arrived. */
  const struct hy_indices k = hy_split_operand_plane(p->b);
  int64_t chunk = hy_split_operand_plane_chunk(p->b), from = 0;
  do {
    const struct hy_panel a = hy_split_operand_plane_at(p->a, from),
                          b = hy_split_operand_plane_at(p->b, from);
    const struct hy_indices part = hy_interval(k.first + from, hy_min(chunk, k.count - from));
    hy_product_add(p, &a, &b, &part);
    from += chunk;
  } while (from < k.count);
  return hy_product_end(p); /* the products along l, to the face */
}

static void explain(const void *state, struct hy_text *text) {
  hy_product_explain(state, "stretches of op(A)", "stretches of op(B)", text);
}

const struct hy_variant hy_gemm_dns = {
    .name = "dns",
    .reference = "dekel-1981, q^3 processors",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts, .sends_zeros = true},
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = hy_product_allocate,
    .run = run,
    .explain = explain,
};
