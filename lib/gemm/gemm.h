/* Door of the room gemm: C := alpha op(A) op(B) + beta C, one file a variant.  Matrix-vector
 * operations, in which A never moves, have a family of their own; the door shows its list.
 *
 * A variant works on operands that lie as it asks (layouts()).  Where the user's
 * matrices lie otherwise the front end moves them, transposing on the way, at a
 * cost that is part of the choice; where only op() is left, the local kernel
 * takes it and nothing moves.
 */
#ifndef HY_GEMM_H
#define HY_GEMM_H 1

#include "call/call.h"
#include "collective/collective.h"
#include "gemm/variants.h"

/* What is to be computed: C (m x n) := alpha A (m x k) B (k x n) + beta C, A and
 * B after op().  With alpha = 0, k is 0 here.
 *   part           what of C is computed: all, or a triangle with the diagonal
 *   part_a, part_b where the factor may have other entries than 0: everywhere, or in
 *                  a triangle with the diagonal; of one factor at most
 * Triangles are HY_LOWER_PART and HY_UPPER_PART; C or the factor is square then. */
struct hy_gemm_problem {
  hyla_cube *cube;
  const struct hy_kernels *kernels;
  int64_t m, n, k;
  enum hy_part part, part_a, part_b;
  struct hy_operand a, b, c;
};

/* Is no factor triangular? */
static inline bool hy_gemm_is_full(const struct hy_gemm_problem *problem) {
  return problem->part_a == HY_WHOLE && problem->part_b == HY_WHOLE;
}

/* A factor of one run: the matrix, and the op() left to the local kernel. */
struct hy_gemm_factor {
  const hyla_matrix *matrix;
  hyla_operation op;
};

/* One run: the matrices in the layouts that the variant asked for. */
struct hy_gemm_task {
  struct hy_gemm_problem problem;
  double _Complex alpha, beta;
  struct hy_gemm_factor a, b;
  hyla_matrix *c;
};

/* The traits of a row.  Its problem is a struct hy_gemm_task: for `applies` with the problem as it
 * is given, without matrices; for the others in the layouts that it asked for.  Create and take
 * are local; guests take nothing.  All variants take all operands, after moving them if need be. */
struct hy_gemm_traits {
  /* Changes the axes in *wanted, a copy of *given, to those it works on. */
  void (*layouts)(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);
  bool plain;       /* takes no op() to the local kernel: a factor with one is brought */
  bool sends_zeros; /* of a triangular factor too; the others send what is in the triangle */
};

/* Local.  Exactly what a variant's run costs a node, for operands that lie as the problem says,
 * which are those it asked for: counted on a counting cube.  C is added to. */
hyla_status hy_gemm_replay(const struct hy_variant *variant, const struct hy_gemm_problem *problem,
                           int node, hyla_cost *cost);
/* The same in parts, for whoever runs what it wants.  The replay stays where it is. */
struct hy_gemm_replay {
  hyla_cube cube;
  hyla_matrix a, b, c;
  struct hy_gemm_task task;
};
void hy_gemm_replay_begin(const struct hy_gemm_problem *problem, int node,
                          struct hy_gemm_replay *replay);
hyla_cost hy_gemm_replay_end(const struct hy_gemm_problem *problem,
                             const struct hy_gemm_replay *replay);

/* The operation (lib/call), whose arguments are a, b and c. */
extern const struct hy_operation hy_gemm;

/* The rows. */
#define HY_GEMM_DECLARE(row) extern const struct hy_variant row;
HY_GEMM_VARIANTS(HY_GEMM_DECLARE)
#undef HY_GEMM_DECLARE

extern const struct hy_family hy_gemm_family;
/* Of a matrix by a vector (gemv.h). */
extern const struct hy_family hy_gemv_family;
/* For rows that compute whole blocks of C: applies unless a triangle is asked for. */
const char *hy_gemm_whole(const void *task);
static inline const struct hy_gemm_traits *hy_gemm_traits_of(const struct hy_variant *variant) {
  return variant->traits;
}

#endif
