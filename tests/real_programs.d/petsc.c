/* tests/real_programs: PETSc's matrices over ScaLAPACK, A X = B by Cholesky's factors and by LU's;
 * the norm of the residual, and of X, to the digits that are the same by any way. */
#include <petscmat.h>

enum { N = 300, COLUMNS = 8 };

static double entry(int row, int col) {
  return row == col ? N : 1.0 / (1 + (row > col ? row - col : col - row));
}

static PetscErrorCode fill(Mat a, int rows, int cols, double (*of)(int, int)) {
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(a, &first, &last));
  for (PetscInt row = 0; row < rows; row++)
    for (PetscInt col = 0; col < cols && first == 0; col++)
      PetscCall(MatSetValue(a, row, col, of((int)row, (int)col), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return 0;
}

static double right(int row, int col) { return (row + 1.0) / (col + 1.0) / N; }

static PetscErrorCode make(int rows, int cols, Mat *a) {
  PetscCall(MatCreateScaLAPACK(PETSC_COMM_WORLD, 16, 16, rows, cols, 0, 0, a));
  PetscCall(MatSetUp(*a));
  return 0;
}

static PetscErrorCode solve(Mat a, Mat b, MatFactorType kind, const char *name) {
  Mat factor, x, back;
  PetscReal norm, residual;
  IS none = NULL;
  PetscCall(make(N, COLUMNS, &x));
  PetscCall(MatAssemblyBegin(x, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(x, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetFactor(a, MATSOLVERSCALAPACK, kind, &factor));
  if (kind == MAT_FACTOR_LU) {
    PetscCall(MatLUFactorSymbolic(factor, a, none, none, NULL));
    PetscCall(MatLUFactorNumeric(factor, a, NULL));
  } else {
    PetscCall(MatCholeskyFactorSymbolic(factor, a, none, NULL));
    PetscCall(MatCholeskyFactorNumeric(factor, a, NULL));
  }
  PetscCall(MatMatSolve(factor, b, x));
  PetscCall(MatMatMult(a, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &back));
  PetscCall(MatAXPY(back, -1, b, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(x, NORM_FROBENIUS, &norm));
  PetscCall(MatNorm(back, NORM_FROBENIUS, &residual));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: norm of X %.10f, residual %s 1e-10\n", name, norm,
                        residual < 1e-10 ? "<" : ">="));
  PetscCall(MatDestroy(&back));
  PetscCall(MatDestroy(&factor));
  PetscCall(MatDestroy(&x));
  return 0;
}

int main(int argc, char **argv) {
  Mat a, b;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(make(N, N, &a));
  PetscCall(fill(a, N, N, entry));
  PetscCall(make(N, COLUMNS, &b));
  PetscCall(fill(b, N, COLUMNS, right));
  PetscCall(solve(a, b, MAT_FACTOR_LU, "lu"));
  PetscCall(solve(a, b, MAT_FACTOR_CHOLESKY, "cholesky"));
  PetscCall(MatDestroy(&a));
  PetscCall(MatDestroy(&b));
  return PetscFinalize();
}
