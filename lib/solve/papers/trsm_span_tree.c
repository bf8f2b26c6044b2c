/* Triangular systems by trees; the triangle's diagonal blocks are made identities first.
 *
 * Reference: Johnsson 1987, section 6.4.2, theorem 6.4, and the transposed form.
 * Layout: the triangle block-cyclic on any array, the right-hand sides along it (triangle.h).
 * Method (block_jacobi.h, with an example on 4 nodes in block_jacobi_trees.c): as many blocks as
 *   the longer side of the array has ranks are known at once.  They go down the rank columns by
 *   trees, and the sums for the next ones go along the rank rows.
 * Steps, words: c + r for each block of a span, to make the identities; then r + c a span; one
 *   reduction of all sums at the end.
 * Memory: a copy of the triangle; sums for all right-hand sides on every rank, n nrhs / 2^r.
 * Restriction: none.  The residual is of order n u |D| |D^-1 T| |X|, where D are the spans' squares
 *   on the diagonal; that of substitution is of order n u |T| |X|. */
#include "solve/papers/block_jacobi.h"

struct state {
  const struct hy_trsm_task *task;
  struct hy_block_jacobi system;
};

hyla_status hy_trsm_span_create(const struct hy_variant *variant, const void *task, void **state) {
  const struct hy_trsm_traits *traits = variant->traits;
  const struct hy_trsm_task *asked = task;
  struct state *s = NULL;
  TRY(hy_alloc(&asked->system.cube->base, 1, sizeof *s, &s));
  *state = s;
  s->task = asked;
  return hy_block_jacobi_make(s, &asked->system, traits->product, &s->system);
}

hyla_status hy_trsm_span_allocate(void *state) {
  struct state *s = state;
  hyla_cube *cube = s->task->system.cube;
  bool guest = cube->address < 0;
  return hy_agree(cube,
                  guest ? HYLA_OK : hy_block_jacobi_allocate(&s->system, s->task->t, s->task->x));
}

hyla_status hy_trsm_span_run(void *state) {
  const struct state *s = state;
  return s->task->system.cube->address < 0 ? HYLA_OK : hy_block_jacobi_run(&s->system);
}

void hy_trsm_span_explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  const struct hy_block_jacobi *e = &s->system;
  hy_trsm_published(&s->task->system, e->product ? HY_TRSM_BY_PRODUCT : HY_TRSM_BY_TREES, e->groups,
                    text);
  hy_text_add(text, "  %lld spans of %lld blocks of order %lld\n", (long long)e->spans,
              (long long)e->span, (long long)e->s.array.block);
  hy_subcube_explain(&e->along, "block columns within spans", text);
  hy_subcube_explain(&e->down, "block rows of spans", text);
  if (e->product) {
    hy_subcube_explain(&e->columns, "block columns of spans", text);
    hy_subcube_explain(&e->rows, "a span's rows of the solution", text);
    return;
  }
  hy_text_add(text, "  right-hand sides in %lld groups\n", (long long)e->groups);
  hy_subcube_explain(&e->adds, "sums of right-hand sides", text);
}

const struct hy_variant hy_trsm_span_tree = {
    .name = "identity",
    .reference = "johnsson-1987, section 6.4.2, theorem 6.4",
    .asked = HY_TRSM_SPAN_ASKED,
    .traits = &(const struct hy_trsm_traits){.product = false},
    HY_TRSM_SPAN_OPERATIONS,
};
