/* The list of methods by which systems are solved; hyla.h includes it.
 *
 * A row METHOD(NAME, name, text, sample, flops, needs_data, rectangular) is the method HYLA_NAME,
 * numbered in the order of the rows; the fields behind NAME are those of struct hyla_method_traits.
 *
 *   LU            P A = L U with partial pivoting, for any A, also of other shapes than square
 *   CHOLESKY      A = L L^H, for Hermitian (of real types: symmetric) positive definite A, of which
 *                 the lower triangle alone is read; half of the operations of LU.  Fails with
 *                 INDEFINITE
 *   LDL           P A P^T = L D L^H with Bunch and Kaufman's partial pivoting, for any Hermitian
 *                 (of real types: symmetric) A, of which the lower triangle alone is read, and of
 *                 its diagonal the real parts; D is block diagonal, with blocks of order 1 and 2;
 *                 half of the operations of LU
 *   GAUSS_JORDAN  A^-1 with partial pivoting, for any A: three times the operations of LU, a
 *                 solution is one product; the error grows with A's condition, more than LU's
 *   QR            A = Q R with unitary Q, by reflections, for any A of any shape, or, when asked
 *                 for, rotations, for square A: twice the operations of LU without its growth.
 *                 There are no pivots: hyla_factor_upper gives R, lower nothing, the permutation
 *                 is the identity; hyla_factor_packed and hyla_factor_reflections give Q too.
 *                 SINGULAR where what is left of a column is exactly zero; of a column that depends
 *                 on others mostly rounding is left, which the condition tells */
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
