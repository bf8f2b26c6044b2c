/* A first program in C++17: factor once, solve twice, catch a failure.
 *
 *   mpicxx -std=c++17 first_solve.cpp $(pkg-config --cflags --libs hyla) -o first_solve_cxx
 *   mpiexec -n 4 ./first_solve_cxx */
#include <hyla.hpp>
#include <iostream>

static void run() {
  const std::int64_t n = 300;
  hyla::cube cube;
  hyla::matrix a(cube, HYLA_DOUBLE_COMPLEX, n, n), b(cube, HYLA_DOUBLE_COMPLEX, n, 1);
  hyla::matrix x(cube, HYLA_DOUBLE_COMPLEX, n, 1);
  bool speaks = cube.address() == 0;

  a.generate(HYLA_RANDOM, 1);
  b.fill([](std::int64_t i, std::int64_t) { return hyla::scalar(1, double(i)); });
  hyla::factor factor(a);
  for (hyla_operation op : {HYLA_NONE, HYLA_CONJUGATE}) {
    factor.solve(b, x, op);
    /* r := b - op(A) x */
    hyla::matrix r(cube, HYLA_DOUBLE_COMPLEX, n, 1);
    hyla::redistribute(HYLA_NONE, 1, b, r);
    hyla::gemm(op, HYLA_NONE, -1, a, x, 1, r);
    double size = r.norm(HYLA_NORM_MAX) / b.norm(HYLA_NORM_MAX);
    if (speaks) std::cout << "error " << (size < 1e-10 ? "below" : "above") << " 1e-10\n";
  }

  /* The report says how good the answer is. */
  hyla_solve_report report = hyla::solve(a, b, x, hyla_solve_options{});
  if (speaks) std::cout << (report.reliable ? "reliable" : "not reliable") << '\n';

  /* Every rank catches the same error. */
  try {
    a.generate(HYLA_ONES);
    hyla::solve(a, b, x);
  } catch (const hyla::error &error) {
    if (speaks) std::cout << error.what() << ", pivot " << error.pivot() << '\n';
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    run();
  } catch (const std::exception &error) {
    std::cerr << "first_solve: " << error.what() << '\n';
    status = 1;
  }
  MPI_Finalize();
  return status;
}
