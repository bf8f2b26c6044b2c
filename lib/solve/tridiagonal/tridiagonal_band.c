/* A Hermitian matrix to tridiagonal form in two stages: A = Q1 B Q1^H with a band B of width b,
 * then B = Q2 T Q2^H.  T alone is found.
 *
 * Reference: Bischof, Lang and Sun 2000; Lang 1993, for sweeps that follow each other; Demmel et
 * al. 2012 and Ballard et al. 2015, for the panels.  theory.md, eigen:band.
 * Layout: as for one stage.  A panel is b columns below the diagonal block, and b divides the
 * layout's block.
 * Method: a panel is factored by its rank column, and its block column with V and S goes to all
 * ranks.  With A the rows and columns behind it, and H = I - V S^-1 V^H,
 *
 *   Y := A V and V^H Y, each rank's part of the triangle read once; added up over all ranks
 *   M := S^-H (V^H Y) S^-1,   W := Y S^-1 - V M / 2
 *   A := H^H A H = A - V W^H - W V^H
 *
 * All of it is products of matrices.  Then the band is on every rank; the ranks take runs of it,
 * and chase bulges through them (tridiagonal_chase.c).
 * Collectives a panel: those of its QR over the rank column and an all-gather; a broadcast over the
 * rank row; an all-reduction over all ranks.  One more all-reduction for the largest entry, and a
 * broadcast of T.
 * Flops: 4 n^3 / 3 on all ranks together, then 6 n^2 b.  Workspace: 3 n b for the band, 2 n b for a
 * panel, 3 b for each of this rank's rows and columns. */
#include "solve/tridiagonal/tridiagonal_band.h"

#include <string.h>

/* Wider bands make faster products in the first stage and more work in the second. */
enum { WIDTH_MOST = 32 };

/* The width divides the layout's block. */
static int width_of(const hyla_cube *cube, const hyla_matrix *a) {
  const int64_t block = hy_square_block(cube, &a->row, &a->col);
  int64_t width = hy_min(WIDTH_MOST, hy_min(block, a->row.n / 2));
  while (width > 1 && block % width != 0) width--;
  return (int)hy_max(1, width);
}

static hyla_status create_qr(struct hy_stages *b) {
  const int64_t order = b->n - b->width;
  b->below = hy_matrix_part(b->a, b->width, 0, order, order);
  const hyla_matrix *m = &b->below;
  b->factors = (struct hy_factors){.a = &b->below};
  b->problem = (struct hy_factorization){.cube = b->cube,
                                         .k = b->k,
                                         .m = order,
                                         .n = order,
                                         .layout = m->layout,
                                         .x_layout = m->layout,
                                         .row = m->row,
                                         .col = m->col,
                                         .x_col = m->col,
                                         .factors = &b->factors,
                                         .through = true};
  const struct hy_variant *way = m->row.parts > 1 ? &hy_qr_tsqr : &hy_qr_householder;
  TRY(hy_qr_create(&b->problem, way->traits, &b->q));
  hy_own(b, b->q);
  b->q->array = hy_block_cyclic_at(&m->row, &m->col, b->width, b->cube->address);
  return HYLA_OK;
}

hyla_status hy_stages_create(hyla_cube *cube, hyla_matrix *a, void *owner,
                             struct hy_two_stages **state) {
  struct hy_stages *b = NULL;
  TRY(hy_alloc_for(&cube->base, owner, 1, sizeof *b, &b));
  *state = &b->result;
  *b = (struct hy_stages){.cube = cube, .k = a->k, .a = a, .n = a->row.n};
  b->width = b->result.width = width_of(cube, a);
  b->steps = 3 * b->width;
  b->pieces = hy_tridiagonal_pieces(cube);
  b->array = hy_block_cyclic_at(&a->row, &a->col, b->width, cube->address);
  hy_stages_place(b);
  const int64_t width = b->width, size = (int64_t)b->k->size;
  const int64_t column = width * (width + b->n);
  const uint32_t all = b->array.row_dims | b->array.col_dims;
  const struct hy_group groups[] = {
      {&b->looks, all, HY_TASK_ALLREDUCE, 1, sizeof(struct hy_tridiagonal_look)},
      {&b->gathers, b->array.row_dims, HY_TASK_ALLGATHER, b->n * width, (size_t)size},
      {&b->shares, b->array.col_dims, HY_TASK_BROADCAST, column, (size_t)size},
      {&b->sums, all, HY_TASK_ALLREDUCE, column, (size_t)size},
      {&b->ends, all, HY_TASK_BROADCAST, 2 * b->n, sizeof *b->result.d},
      {0}};
  TRY(hy_make_groups(b, cube, groups));
  return create_qr(b);
}

static hyla_status allocate_here(struct hy_stages *b) {
  struct hy_base *base = &b->cube->base;
  const int64_t size = (int64_t)b->k->size, rows = b->array.rows, cols = b->array.cols;
  const int64_t width = b->width, square = width * width;
  const struct hy_owned arrays[] = {
      {&b->result.d, 2 * b->n * (int64_t)sizeof *b->result.d},
      {&b->column, (square + b->n * width) * size},
      {&b->block, b->n * width * size},
      {&b->message, (square + b->n * width) * size},
      {&b->of_rows, 2 * rows * width * size},
      {&b->of_cols, 2 * cols * width * size},
      {&b->y_rows, rows * width * b->pieces * size},
      {&b->y_cols, cols * width * size},
      {&b->square, HY_STAGES_CHUNK * HY_STAGES_CHUNK * b->pieces * size},
      {&b->packed.entries, hy_packed_entries(rows, 2 * width) * size},
      {&b->band, (b->n + 1) * b->steps * size},
      {&b->run.in, (width + 1) * size},
      {&b->run.out, (width + 1) * size},
      {&b->run.given, (width + 1) * size},
      {&b->run.taken, (width + 1) * size},
      {&b->vector[0], (width + 1) * size},
      {&b->vector[1], (width + 1) * size},
      {&b->work, 5 * width * size},
      {0}};
  struct hy_subcube_op *const groups[] = {&b->looks, &b->gathers, &b->shares,
                                          &b->sums,  &b->ends,    NULL};
  TRY(hy_take_arrays(base, b, arrays));
  TRY(hy_alloc_control_for(base, b, b->array.row.parts + 1, sizeof *b->offsets, &b->offsets));
  return hy_allocate_groups(groups);
}

hyla_status hy_stages_allocate(struct hy_two_stages *state) {
  struct hy_stages *b = (struct hy_stages *)(void *)state;
  TRY(hy_agree(b->cube, b->cube->address < 0 ? HYLA_OK : allocate_here(b)));
  b->packed.products = hy_packed_best(b->k, b->cube->session.team);
  b->packed.size = b->k->size;
  if (b->cube->address >= 0) b->result.e = b->result.d + b->n;
  return hy_qr_allocate(b->q);
}

hyla_status hy_stages_run(struct hy_two_stages *state) {
  struct hy_stages *b = (struct hy_stages *)(void *)state;
  const struct hy_tridiagonal_triangle triangle = {b->cube, b->a, &b->array, &b->looks};
  if (b->cube->address < 0) return HYLA_OK;
  TRY(hy_tridiagonal_prepare(&triangle, &b->result.exponent, &b->result.mean));
  TRY(hy_stages_reduce(b));
  hy_part(b->cube, "band form");
  TRY(hy_stages_chase(b));
  return hy_subcube_broadcast(&b->ends, hy_stages_first(b), b->result.d, 2 * b->n);
}
