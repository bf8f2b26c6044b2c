/* Q Z and P Z by blocks of reflections: the back-transformation of vectors.
 *
 * Reference: Schreiber and Van Loan 1989; Puglisi 1992.  theory.md, svd:bidiagonal.
 * Layout: Z's rows whole on each node, its columns over all nodes.
 * Method: for w steps at a time, from the last ones to the first,
 *
 *   gather:   V, to all nodes; each has some entries of Q's vectors, as columns, or of P's, as rows
 *   prepare:  S from V^H V and from tau, on each node
 *   reflect:  W := V^H Z; W := S^-1 W; Z := Z - V W
 *
 * Collectives: an all-gather of at most m w words for w steps.  Flops: 2 n m columns of Z, twice
 * that in all; m n w besides on every node. */
#include "solve/bidiagonal/bidiagonal.h"

#include <complex.h>
#include <string.h>

enum { WIDTH = HY_BIDIAGONAL_APPLIED };

/* Steps first ... first+width-1; their vectors have entries in rows row ... row+rows-1 of Z. */
struct steps {
  bool right;
  int64_t first, row;
  int width, rows;
};

static struct steps steps_of(const struct hy_bidiagonal *t, bool right, int64_t first,
                             int64_t end) {
  const int64_t row = first + right;
  return (struct steps){.right = right,
                        .first = first,
                        .row = row,
                        .width = (int)(hy_min(first + WIDTH, end) - first),
                        .rows = (int)((right ? t->n : t->m) - row)};
}

/* ------------------------------------------------------------------ gather -- */

/* The columns of A from which a node gives entries, by its own numbers. */
struct share {
  int64_t begin, end;
};

static struct share share_of(const struct hy_bidiagonal *t, const struct steps *at, int part) {
  const int64_t end = at->right ? t->n : at->first + at->width;
  return (struct share){hy_axis_before(&t->col, part, at->row), hy_axis_before(&t->col, part, end)};
}

/* This node's entries of Q's vectors, or of P's, which lie in rows; packed as columns. */
static void pack(const struct hy_bidiagonal *t, const struct steps *at, char *to) {
  const struct hy_kernels *k = t->k;
  const struct share mine = share_of(t, at, t->part);
  const int count = (int)(mine.end - mine.begin), ld = (int)t->a->ld;
  if (count == 0) return;
  const char *from = hy_at(t->a, at->first, mine.begin);
  if (at->right)
    k->copy(HYLA_TRANSPOSE, count, at->width, 1, from, ld, to, count);
  else
    k->copy(HYLA_NONE, at->rows, count, 1, from, ld, to, at->rows);
}

/* A node's entries to their places in V. */
static void unpack(const struct hy_bidiagonal *t, const struct steps *at, int part,
                   const char *from) {
  const struct hy_kernels *k = t->k;
  const struct share share = share_of(t, at, part);
  const int held = (int)(share.end - share.begin);
  for (int64_t c = share.begin, count; c < share.end; c += count) {
    const int64_t index = hy_axis_index(&t->col, part, c), place = index - at->row;
    count = hy_min(hy_axis_run(&t->col, index), share.end - c);
    if (at->right)
      k->copy(HYLA_NONE, (int)count, at->width, 1, from + (c - share.begin) * (int64_t)k->size,
              held, hy_entry_of(k, t->vectors, at->rows, place, 0), at->rows);
    else
      k->copy(HYLA_NONE, at->rows, (int)count, 1,
              hy_entry_of(k, (char *)(uintptr_t)from, at->rows, 0, c - share.begin), at->rows,
              hy_entry_of(k, t->vectors, at->rows, 0, place), at->rows);
  }
}

static int part_at(const struct hy_bidiagonal *t, int64_t member) {
  const uint32_t dims = hy_all_dims(t->cube);
  return hy_part_of(&t->col, (int)hy_member_address(t->cube, dims, (uint32_t)member));
}

static hyla_status gather(const struct hy_bidiagonal *t, const struct steps *at) {
  const int64_t nodes = t->cube->nodes;
  t->offsets[0] = 0;
  for (int64_t x = 0; x < nodes; x++) {
    const struct share share = share_of(t, at, part_at(t, x));
    t->offsets[x + 1] =
        t->offsets[x] + (share.end - share.begin) * (at->right ? at->width : at->rows);
  }
  const int64_t me = hy_member(t->cube, hy_all_dims(t->cube), t->cube->address);
  const int64_t size = (int64_t)t->k->size;
  hy_count_copied(t->cube, (int64_t)at->rows * at->width + t->offsets[me + 1] - t->offsets[me]);
  if (!t->k->dry) pack(t, at, t->sent + t->offsets[me] * size);
  TRY(hy_subcube_allgather(&t->gathers, t->sent, t->offsets));
  for (int64_t x = 0; x < nodes && !t->k->dry; x++)
    unpack(t, at, part_at(t, x), t->sent + t->offsets[x] * size);
  return HYLA_OK;
}

/* ------------------------------------------------------------------- apply -- */

/* v^H v / 2, rounded once. */
static double half_square(const struct hy_kernels *k, int rows, const char *v) {
  long double sum = 0;
  for (int i = 0; i < rows; i++) {
    const double _Complex x = k->get(v, i);
    sum += (long double)creal(x) * creal(x) + (long double)cimag(x) * cimag(x);
  }
  return (double)(sum / 2);
}

/* Zeros above V's first entries; S.  The real part of 1 / tau is v^H v / 2; taken from the rounded
 * v it makes the reflection unitary, even if all of v's entries are rounded the same way. */
static void prepare(struct hy_bidiagonal *t, const struct steps *at) {
  const struct hy_kernels *k = t->k;
  const int width = at->width, rows = at->rows;
  double *const *tau = at->right ? t->rho : t->tau;
  hy_compute(t->cube, 2 * (int64_t)rows * width * width, k->size, k->complex_type);
  if (k->dry) return;
  for (int j = 0; j < width; j++)
    memset(hy_entry_of(k, t->vectors, rows, 0, j), 0, (size_t)j * k->size);
  if (t->packed.products != NULL) {
    t->packed.panel = -1;
    hy_packed_rows_of(&t->packed, t->cube->session.team, at->first, rows, width, t->vectors, rows);
  }
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, width, rows, 1, t->vectors, rows, t->vectors, rows, 0,
          t->triangle, width);
  for (int j = 0; j < width; j++) {
    const int64_t diagonal = (int64_t)j * (width + 1);
    const double _Complex of = hy_complex(tau[0][at->first + j], tau[1][at->first + j]);
    const double half = half_square(k, rows, hy_entry_of(k, t->vectors, rows, 0, j));
    k->set(t->triangle, diagonal, of == 0 ? 1 : hy_complex(half, cimag(1 / of)));
  }
}

static void reflect(const struct hy_bidiagonal *t, const struct steps *at, int columns, char *z,
                    int64_t ld) {
  const struct hy_kernels *k = t->k;
  const int width = at->width, rows = at->rows;
  hy_compute(t->cube, (4 * (int64_t)rows + width) * width * columns, k->size, k->complex_type);
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, columns, rows, 1, t->vectors, rows, z, (int)ld, 0,
          t->shares, width);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, width, columns, 1, t->triangle,
          width, t->shares, width);
  if (t->packed.products != NULL)
    t->packed.products->multiply(HYLA_NONE, rows, columns, width, t->packed.entries, 0, t->shares,
                                 width, z, (int)ld, NULL);
  else
    k->gemm(HYLA_NONE, HYLA_NONE, rows, columns, width, -1, t->vectors, rows, t->shares, width, 1,
            z, (int)ld);
}

hyla_status hy_bidiagonal_apply(struct hy_bidiagonal *t, bool right, const hyla_matrix *z) {
  const int64_t end = t->n - right;
  if (t->cube->address < 0) return HYLA_OK;
  for (int64_t last = hy_ceil_div(hy_max(0, end), WIDTH) - 1; last >= 0; last--) {
    const struct steps at = steps_of(t, right, last * WIDTH, end);
    TRY(gather(t, &at));
    prepare(t, &at);
    for (int64_t c = 0; c < z->local_cols; c += HY_BIDIAGONAL_STRIP) {
      const int columns = (int)hy_min(HY_BIDIAGONAL_STRIP, z->local_cols - c);
      reflect(t, &at, columns, hy_at(z, at.row, c), z->ld);
      TRY(hy_link_poll(t->cube));
    }
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------ memory -- */

hyla_status hy_bidiagonal_apply_create(struct hy_bidiagonal *t) {
  const struct hy_group groups[] = {{&t->gathers, hy_all_dims(t->cube), HY_TASK_ALLGATHER,
                                     t->m * hy_min(WIDTH, t->n), t->k->size},
                                    {0}};
  TRY(hy_alloc_control_for(&t->cube->base, t, t->cube->nodes + 1, sizeof *t->offsets, &t->offsets));
  return hy_make_groups(t, t->cube, groups);
}

static hyla_status allocate_here(struct hy_bidiagonal *t) {
  const int64_t size = (int64_t)t->k->size, width = hy_min(WIDTH, t->n);
  const int64_t columns = hy_held_at(&t->problem.sides, t->cube->address);
  const struct hy_owned arrays[] = {
      {&t->sent, t->m * width * size},
      {&t->vectors, t->m * width * size},
      {&t->triangle, width * width * size},
      {&t->shares, width * hy_min(HY_BIDIAGONAL_STRIP, columns) * size},
      {0}};
  struct hy_subcube_op *const groups[] = {&t->gathers, NULL};
  TRY(hy_take_arrays(&t->cube->base, t, arrays));
  return hy_allocate_groups(groups);
}

hyla_status hy_bidiagonal_apply_allocate(struct hy_bidiagonal *t) {
  return hy_agree(t->cube, t->cube->address < 0 ? HYLA_OK : allocate_here(t));
}
