/* Systems whose factors, pivots and solution are known exactly, in every type and on any layout. */
#ifndef LU_CASE_H
#define LU_CASE_H 1

#include "tests/harness/cube.h"
#include "tests/harness/harness.h"

#include "solve/lu/lu.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPES 4

/* Every rank has all n x n arrays, stored by columns. */
struct lu_case {
  int64_t n;
  bool complex_type;
  double _Complex *l; /* 1 on the diagonal, at most 1/2 below */
  double _Complex *u; /* powers of two on the diagonal, small integers above */
  double _Complex *a; /* l u with the swaps undone */
  int64_t *swaps;
  int64_t zero; /* the diagonal entry of u that is 0; -1: none */
};

/* A cube on which LU uses partial pivoting, so that the pivots are known.  private_memory: all
 * blocks travel as messages. */
hyla_cube *lu_cube_open(bool private_memory);

/* Draws a system.  All arithmetic on it is exact, and its pivots are strictly the largest
 * candidates. */
struct lu_case lu_case_draw(int64_t n, bool complex_type, int64_t zero);
/* Recomputes a after a change to the other arrays. */
void lu_case_multiply(struct lu_case *x);
void lu_case_free(struct lu_case *x);

/* A cyclic layout with this block over all nodes, on a cube's nodes or on nodes with these sides
 * and address dimensions (NULL: a cube); array, codes and dimensions are drawn. */
hyla_layout lu_sides_layout(const struct hy_sides *sides, int dims, int64_t block);
hyla_layout lu_draw_layout(const hyla_cube *cube, int64_t block);
/* On an array of 2^rows x 2^(dims - rows), cyclic; the code is drawn. */
hyla_layout lu_array_layout(int dims, int rows, int64_t block);
const char *lu_layout_name(const hyla_layout *layout);
/* Does the variant run on these nodes?  Some need a cube. */
bool lu_serves(const hyla_cube *cube, const struct hy_variant *variant);

hyla_matrix *lu_matrix(hyla_cube *cube, int type, int64_t rows, int64_t cols,
                       const hyla_layout *layout);
/* put: copies entries from an array that every rank has whole; get: to such an array. */
void lu_put(hyla_matrix *a, const double _Complex *entries);
double _Complex *lu_get_all(const hyla_matrix *a);

/* A random m x n matrix, whole on every rank, with one spoilt column: zeros if `turn' is even,
 * otherwise a NaN or an infinity.  *column: its number, from 0; *expected: the status of a
 * factorization that meets it.  The caller frees the array. */
double _Complex *lu_spoilt(hyla_cube *cube, int type, int64_t m, int64_t n, int turn,
                           int64_t *column, hyla_status *expected);

/* A matrix on a drawn layout: created, wrapped, or a view. */
struct lu_place {
  hyla_matrix *m, *owner;
  void *array;
};
struct lu_place lu_place_draw(hyla_cube *cube, int type, int64_t rows, int64_t cols);
void lu_place_free(struct lu_place *p);

/* The messages and words of this node since the ledger was cleared; a word has `size' bytes. */
hyla_status lu_counted(const hyla_cube *cube, size_t size, hyla_cost *found);
/* Are they as predicted? */
hyla_status lu_check_counted(hyla_cube *cube, size_t size, const hyla_cost *cost);
/* counts: are they exactly those of the factorization's plan?  entries: are these the entries of a
 * matrix that every rank has whole?  FORMAT, with a message, if not; local. */
hyla_status lu_check_counts(hyla_cube *cube, const hyla_factor *factor);
hyla_status lu_check_entries(const hyla_matrix *m, const double _Complex *known, const char *name);

/* check for each type, with an infinity and with NaN for an entry that it sets. */
void lu_each_not_finite(void (*check)(hyla_cube *cube, int type, double entry));

/* Fails with the cube's message unless the status is the expected one. */
void lu_assert_status(hyla_cube *cube, hyla_status status, hyla_status expected);
/* The same, and the cube's message contains `says'. */
void lu_assert_says(hyla_cube *cube, hyla_status status, hyla_status expected, const char *says);
/* The same with HYLA_ARGUMENT. */
void lu_assert_refused(hyla_cube *cube, hyla_status status, const char *says);

#endif
