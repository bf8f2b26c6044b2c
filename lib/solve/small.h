/* Private to solve: matrices so small that every node has all of them, and turns pairs of their
 * columns in long double.
 *
 * Where few entries are rounded each rounding counts: a reduction in the matrix' type leaves errors
 * of some n ulp, and rotations in long double those of the result. */
#ifndef HY_SOLVE_SMALL_H
#define HY_SOLVE_SMALL_H 1

#include "solve/contract/contract.h"

/* The most rows and columns; sweeps, at most: about 8 are needed. */
enum { HY_SMALL = 16, HY_SMALL_SWEEPS = 40 };

typedef long double _Complex hy_small_entry;

/* A matrix, whole on every node after `bring', its magnitudes below 1: scaled by 2^-exponent. */
struct hy_small {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int m, n;
  double _Complex *entries; /* m x n */
  int exponent;
  struct hy_subcube_op sums;
};

/* create    local; all memory belongs to the owner, a block
 * allocate  local.  MEMORY
 * bring     collective over nodes: the entries of a, or of a triangle with a real diagonal and
 *           zeros elsewhere.  NOT_FINITE on all nodes
 * bring_all  collective over all ranks, agreed: makes a set of matrices and brings them; hy_free
 *           gives it back, also after a failure
 * at        local: an entry, scaled; value: as it is in the matrix
 * product   local: x^H y of columns i and j
 * turn      local: columns p and q of a matrix with `rows' rows: x := c x - s conj(e) y,
 *           y := s e x + c y; se: s e
 * angle     local: c and s e, for which such a turn makes zero the product `off' of two columns, or
 *           the entry (p, q), where both columns' squares, or both diagonal entries, differ by
 *           `difference', the second one less the first */
hyla_status hy_small_create(void *owner, const hyla_matrix *a, int64_t m, int64_t n,
                            struct hy_small *s);
hyla_status hy_small_allocate(void *owner, struct hy_small *s);
hyla_status hy_small_bring(struct hy_small *s, const hyla_matrix *a, enum hy_part part);
struct hy_small_source {
  const hyla_matrix *matrix;
  enum hy_part part;
};
hyla_status hy_small_bring_all(hyla_cube *cube, const struct hy_small_source *from, int count,
                               struct hy_small **all);
hy_small_entry hy_small_at(const struct hy_small *s, int i, int j);
hy_small_entry hy_small_value(const struct hy_small *s, int i, int j);
hy_small_entry hy_small_product(const struct hy_small *s, int i, int j);
void hy_small_turn(int rows, hy_small_entry *matrix, int p, int q, long double c,
                   hy_small_entry se);
struct hy_small_angle {
  long double c, t; /* the tangent: s / c */
  hy_small_entry se;
};
struct hy_small_angle hy_small_angle(long double difference, hy_small_entry off);

#endif
