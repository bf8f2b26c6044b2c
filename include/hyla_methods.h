/* The list of methods by which systems are solved; hyla.h includes it.
 *
 * A row METHOD(NAME, name, text, sample, flops, needs_data, rectangular) is the method HYLA_NAME,
 * numbered in the order of the rows.  The fields behind NAME are those of struct
 * hyla_method_traits.
 *
 *   LU            P A = L U with partial pivoting, for any A, square or not
 *   CHOLESKY      A = L L^H for a Hermitian (in real types: symmetric) positive definite A, of
 *                 which only the lower triangle is read; half of the operations of LU.  Other A
 *                 fail with INDEFINITE
 *   LDL           P A P^T = L D L^H with Bunch and Kaufman's partial pivoting, for any Hermitian
 *                 (in real types: symmetric) A.  Only the lower triangle is read, and the real
 *                 parts of the diagonal.  D is block diagonal, with blocks of order 1 and 2.  Half
 *                 of the operations of LU
 *   GAUSS_JORDAN  A^-1 with partial pivoting, for any square A: three times the operations of LU,
 *                 but a solution is one product.  The error grows faster with A's condition than
 *                 LU's
 *   QR            A = Q R with unitary Q, for any A of any shape, by reflections or, if asked for
 *                 and A is square, by rotations: twice the operations of LU, without its growth.
 *                 There are no pivots: hyla_factor_upper gives R, hyla_factor_lower nothing, the
 *                 permutation is the identity; hyla_factor_packed and hyla_factor_reflections also
 *                 give Q, and hyla_factor_apply_q applies it.  SINGULAR if the rest of a column
 *                 is exactly zero.  If a column depends on others, its rest is mostly rounding
 *                 errors: the condition shows that */
#ifndef HYLA_METHODS_H
#define HYLA_METHODS_H 1

#define HYLA_METHODS(METHOD)                                                                       \
  METHOD(LU, "lu", "with partial pivoting, for any A", "random", 2.0 / 3, true, true)              \
  METHOD(CHOLESKY, "cholesky",                                                                     \
         "in half the operations, reads the lower triangle of a Hermitian positive definite A",    \
         "definite", 1.0 / 3, false, false)                                                        \
  METHOD(LDL, "ldl",                                                                               \
         "with symmetric pivoting, reads the lower triangle of a Hermitian indefinite A",          \
         "hermitian", 1.0 / 3, true, false)                                                        \
  METHOD(GAUSS_JORDAN, "gauss-jordan", "makes the inverse, with partial pivoting, for any A",      \
         "random", 2, true, false)                                                                 \
  METHOD(QR, "qr", "by reflections, for any A, with twice the operations of LU and no growth",     \
         "random", 4.0 / 3, false, true)

#endif
