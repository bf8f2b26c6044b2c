/* The promises of hyla.hpp that examples/first_solve.cpp does not show; run by test_cxx.sh. */
#include <hyla.hpp>
#include <hyla_lab.h>

#include <cmath>
#include <iostream>
#include <vector>

static int failures = 0;

static void expect(bool holds, const char *what) {
  if (holds) return;
  std::cerr << "cxx: " << what << '\n';
  failures++;
}

/* The call throws an error of this status. */
template <class Call> static void expect_error(hyla_status status, const char *text, Call call) {
  try {
    call();
    expect(false, text);
  } catch (const hyla::error &error) {
    expect(error.status() == status, hyla_status_name(error.status()));
    expect(std::string(error.what()).find(text) != std::string::npos, error.what());
  }
}

static double entry(std::int64_t i, std::int64_t j) { return double(7 * i - j); }

static void whole_matrices(const hyla::cube &cube) {
  const std::int64_t m = 5, n = 7;
  hyla::matrix a(cube, HYLA_DOUBLE, m, n), b(cube, HYLA_DOUBLE, m, n, cube.layout("gray/cyclic:2"));
  a.fill(entry);
  std::vector<double> array = a.gather<double>(HYLA_REPLICATED);
  expect(array.size() == (cube.address() >= 0 ? std::size_t(m * n) : 0), "gather: the size");
  for (std::size_t k = 0; k < array.size(); k++)
    expect(array[k] == entry(std::int64_t(k) % m, std::int64_t(k) / m), "gather: an entry");
  b.scatter(array);
  expect(b.at(4, 6) == hyla::scalar(entry(4, 6)), "scatter, at");
  expect(a.gather<double>().size() == (cube.address() == 0 ? array.size() : 0), "gather on node 0");

  hyla::matrix single(cube, HYLA_COMPLEX, m, n), wide(cube, HYLA_DOUBLE_COMPLEX, n, m);
  hyla::convert(b, single);
  single.set(0, 1, hyla::scalar(2, -3));
  expect(single.at(0, 1) == hyla::scalar(2, -3), "set and at of a complex entry");
  expect_error(HYLA_ARGUMENT, "another type", [&] { single.gather<double>(); });
  hyla::matrix copy(cube, HYLA_COMPLEX, n, m);
  hyla::redistribute(HYLA_CONJUGATE, hyla::scalar(0, 1), single, copy);
  hyla::convert(copy, wide);
  expect(wide.at(1, 0) == hyla::scalar(-3, 2), "redistribute: i times the conjugate");
  hyla::redistribute(HYLA_TURN_LEFT, 1, single, copy);
  hyla::convert(copy, wide);
  expect(wide.at(n - 2, 0) == hyla::scalar(2, -3), "redistribute: turned to the left");
  hyla::matrix part = a.view(1, 2, 3, 4);
  expect(part.rows() == 3 && part.at(0, 0) == hyla::scalar(entry(1, 2)), "view");
}

static void products_and_triangles(const hyla::cube &cube) {
  const std::int64_t n = 17;
  hyla::matrix a(cube, HYLA_FLOAT, n, n), b(cube, HYLA_FLOAT, n, 3), c(cube, HYLA_FLOAT, n, 3);
  a.generate(HYLA_DOMINANT, 3);
  b.generate(HYLA_RANDOM, 4);
  hyla::plan plan = hyla::plan::gemm(HYLA_NONE, HYLA_NONE, 2, a, b, 0, c, "summa");
  hyla::plan moved = std::move(plan);
  moved.run();
  expect(moved.variant() == "summa" && moved.explain().find("summa") != std::string::npos, "plan");
  expect(moved.cost().flops > 0 && moved.seconds() > 0, "the plan's cost");
  hyla::matrix x(cube, HYLA_FLOAT, n, 3);
  hyla::factor factor(a, HYLA_LU, 3);
  factor.solve(c, x);
  hyla::gemm(HYLA_NONE, HYLA_NONE, 2, a, b, -1, c);
  /* Another variant may sum in another order. */
  expect(c.norm(HYLA_NORM_MAX) < 1e-4, "gemm gives what its plan gave");
  hyla::redistribute(HYLA_NONE, 2, b, c);
  expect(hyla::residual(a, x, c) > 1, "residual of a wrong answer");
  expect(std::abs(x.norm(HYLA_NORM_FRO) / b.norm(HYLA_NORM_FRO) - 2) < 1e-4, "factor, solve");
  const std::vector<double> values = hyla::svd(a);
  expect(values.size() == static_cast<std::size_t>(a.rows()) && values.front() >= values.back() &&
             values.back() > 0,
         "singular values");
  double rcond = factor.condition(a.norm(HYLA_NORM_ONE));
  expect(rcond > 0 && rcond <= 1 && !factor.explain().empty(), "condition, explain");
  hyla::matrix inverse(cube, HYLA_FLOAT, n, n);
  hyla::invert(HYLA_GAUSS_JORDAN, a, inverse);
  hyla::gemm(HYLA_NONE, HYLA_NONE, 1, inverse, c, 0, x);
  hyla::gemm(HYLA_NONE, HYLA_NONE, 1, a, x, -1, c);
  expect(c.norm(HYLA_NORM_MAX) < 1e-4, "A times the inverse is the identity");
  hyla::matrix l(cube, HYLA_FLOAT, n, n), u(cube, HYLA_FLOAT, n, n);
  factor.lower(l);
  factor.upper(u);
  expect(l.at(0, 0) == hyla::scalar(1) && u.at(1, 0) == hyla::scalar(0), "lower, upper");
  hyla::redistribute(HYLA_NONE, 1, b, x);
  hyla::gemm(HYLA_NONE, HYLA_NONE, 1, u, b, 0, c);
  hyla::trsm(HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, u, c);
  expect(std::abs(c.at(16, 2) - x.at(16, 2)) < 1e-5, "trsm");
}

static void rectangles(const hyla::cube &cube) {
  const std::int64_t m = 9, n = 5;
  hyla::matrix a(cube, HYLA_DOUBLE, m, n), l(cube, HYLA_DOUBLE, m, n), u(cube, HYLA_DOUBLE, n, n);
  a.generate(HYLA_RANDOM, 3);
  hyla::factor factor(a);
  factor.lower(l);
  factor.upper(u);
  const std::vector<std::int64_t> rows = factor.permutation();
  hyla::matrix p(cube, HYLA_DOUBLE, m, m), pa(cube, HYLA_DOUBLE, m, n);
  p.fill([&](std::int64_t i, std::int64_t j) {
    return hyla::scalar(rows[static_cast<std::size_t>(i)] == j);
  });
  hyla::gemm(HYLA_NONE, HYLA_NONE, 1, p, a, 0, pa);
  hyla::gemm(HYLA_NONE, HYLA_NONE, -1, l, u, 1, pa);
  expect(pa.norm(HYLA_NORM_MAX) < 1e-14, "P A = L U of a rectangle");
  expect_error(HYLA_ARGUMENT, "square", [&] { hyla::factor f(a, HYLA_CHOLESKY); });
}

static void errors(const hyla::cube &cube) {
  hyla::matrix a(cube, HYLA_DOUBLE, 6, 6), b(cube, HYLA_DOUBLE, 5, 1), x(cube, HYLA_DOUBLE, 6, 1);
  a.generate(HYLA_ONES);
  expect_error(HYLA_ARGUMENT, "b must have as many rows as a has rows",
               [&] { hyla::solve(a, b, x); });
  expect_error(HYLA_SINGULAR, "pivot 2", [&] { hyla::factor f(a); });
  expect_error(HYLA_ARGUMENT, "no variant", [&] { hyla::factor f(a, HYLA_LU, 1, "doolittle"); });
  expect_error(HYLA_ARGUMENT, "", [&] { cube.layout("grey/cyclic"); });
  expect_error(HYLA_FILE, "none.mtx", [&] { hyla::matrix::read(cube, "none.mtx"); });
  hyla_options options = hyla::options();
  options.variant = "gemm:strassen";
  expect_error(HYLA_ARGUMENT, "strassen", [&] { hyla::cube c(MPI_COMM_WORLD, options); });
  bool thrown = false;
  try {
    a.fill([](std::int64_t, std::int64_t) -> double { throw 5; });
  } catch (int five) {
    thrown = five == 5;
  }
  void *local = nullptr;
  std::int64_t rows = 0, cols = 0;
  hyla_matrix_local(a.get(), &local, &rows, &cols, nullptr);
  expect(thrown == (rows > 0 && cols > 0), "fill: what is thrown comes out where it was thrown");

  /* A solution that is not to be trusted is there, and the report says so. */
  hyla::matrix h(cube, HYLA_DOUBLE, 14, 14), ones(cube, HYLA_DOUBLE, 14, 1),
      y(cube, HYLA_DOUBLE, 14, 1);
  h.fill([](std::int64_t i, std::int64_t j) { return 1.0 / double(i + j + 1); });
  ones.generate(HYLA_ONES);
  hyla_solve_report report = hyla::solve(h, ones, y, hyla_solve_options{});
  expect(!report.reliable && report.rcond < 1e-14 && y.norm(HYLA_NORM_MAX) > 0, "unreliable");
}

static void spectra(const hyla::cube &cube) {
  hyla::matrix a(cube, HYLA_DOUBLE, 30, 30), v(cube, HYLA_DOUBLE, 30, 30);
  a.generate(HYLA_RANDOM, 1);
  const std::vector<double> values = hyla::eigen(HYLA_LOWER, a, v);
  expect(values == hyla::eigenvalues(HYLA_LOWER, a), "values with and without vectors");
  const hyla_eigen_errors errors = hyla::eigen_check(HYLA_LOWER, a, values, v);
  expect(errors.residual > 0 && errors.orthogonality > 0, "errors of vectors");
  expect_error(HYLA_UNRELIABLE, "residual", [&] { hyla::eigen_check(HYLA_UPPER, a, values, v); });
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  {
    hyla::cube cube;
    expect(cube.faults().damaged == 0 && cube.faults().text[0] == 0, "faults");
    expect(cube.checkpoints().written == 0 && cube.checkpoints().text[0] == 0, "states");
    expect(cube.nodes() == 1 << cube.dims() && cube.describe().find("nodes: ") == 0, "describe");
    whole_matrices(cube);
    products_and_triangles(cube);
    rectangles(cube);
    errors(cube);
    spectra(cube);
    cube.barrier();
  }
  MPI_Finalize();
  return failures > 0;
}
