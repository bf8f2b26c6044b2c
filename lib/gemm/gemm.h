/* Door of the room gemm: C := alpha op(A) op(B) + beta C, one file a variant.  Matrix-vector
 * operations, in which A never moves, have a family of their own, which this door declares too.
 *
 * A variant works on operands in the layouts that it asks for (layouts()).  If the user's matrices
 * lie otherwise, the front end moves them and transposes them on the way; that cost is part of the
 * choice.  If only op() is left to do, the local kernel does it and nothing moves. */
#ifndef HY_GEMM_H
#define HY_GEMM_H 1

#include "collective/collective.h"
#include "gemm/variants.h"
#include "job/job.h"

/* The product to be computed: C (m x n) := alpha A (m x k) B (k x n) + beta C, with A and B after
 * op().  If alpha = 0, k is 0 here.
 *   part           the part of C that is computed: all, or a triangle with the diagonal
 *   part_a, part_b the part of the factor that may be nonzero: all, or a triangle with the
 *                  diagonal; at most one factor is triangular
 * Triangles are HY_LOWER_PART and HY_UPPER_PART; C or the factor is then square. */
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

/* The traits of a row.  Its problem is a struct hy_gemm_task: for `applies' with the problem as
 * given, without matrices; for the other functions with the layouts that the row asked for.  create
 * and take are local; spare ranks take no memory.  Every variant accepts all operands, if need be
 * after moving them. */
struct hy_gemm_traits {
  /* Changes the axes in *wanted, a copy of *given, to those that the variant works on. */
  void (*layouts)(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);
  bool plain;       /* leaves no op() to the local kernel: a factor with an op() is brought to a
                     * workspace */
  bool sends_zeros; /* sends the zeros of a triangular factor too; other variants send its triangle
                     * only */
};

/* The operation (lib/job); its arguments are a, b and c. */
extern const struct hy_operation hy_gemm;

/* The rows. */
#define HY_GEMM_DECLARE(row) extern const struct hy_variant row;
HY_GEMM_VARIANTS(HY_GEMM_DECLARE)
#undef HY_GEMM_DECLARE

extern const struct hy_family hy_gemm_family;
/* The family of matrix-vector operations (gemv.h). */
extern const struct hy_family hy_gemv_family;
/* The predicate `applies' of rows that compute whole blocks of C: it refuses a triangle of C. */
const char *hy_gemm_whole(const void *task);
static inline const struct hy_gemm_traits *hy_gemm_traits_of(const struct hy_variant *variant) {
  return variant->traits;
}

#endif
