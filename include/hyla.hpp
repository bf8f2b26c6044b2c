/* hyla for C++17: hyla.h with owners that destroy their objects, std::complex, and exceptions.
 *
 * Every class owns one object of hyla.h and lends it by get(), for calls of hyla.h that are missing
 * here.  A call does the same as the call of that name in hyla.h, and everything said there about
 * collective and local calls and about arguments holds.  If that call returns a status other than
 * HYLA_OK an error is thrown, on every rank of a collective call.  UNRELIABLE is not thrown: the
 * solution exists, and its report says so.
 * A cube must outlive its objects and end before MPI_Finalize; matrices must outlive plans on them.
 * Objects can be moved, not copied; an object that was moved from can be destroyed or assigned
 * to. */
#ifndef HYLA_HPP
#define HYLA_HPP 1

/* MPI's own C++ interface, removed in MPI 3, would need another library. */
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#include <hyla.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hyla {

using scalar = std::complex<double>;

/* A failure: the status, and in what() the cube's message or, if that is empty, the status' text.
 * pivot: of a failed factorization, as hyla_factor_pivot; 0 otherwise. */
class error : public std::runtime_error {
public:
  error(hyla_status status, const char *message, std::int64_t pivot = 0)
      : std::runtime_error(message != nullptr && *message != '\0' ? message
                                                                  : hyla_status_text(status)),
        status_(status), pivot_(pivot) {}
  hyla_status status() const noexcept { return status_; }
  std::int64_t pivot() const noexcept { return pivot_; }

private:
  hyla_status status_;
  std::int64_t pivot_;
};

/* Throws unless the status is HYLA_OK. */
inline void check(const hyla_cube *cube, hyla_status status, std::int64_t pivot = 0) {
  if (status != HYLA_OK) throw error(status, hyla_cube_message(cube), pivot);
}

/* Both languages' complex numbers have the same bytes, according to both standards. */
inline hyla_scalar to_c(scalar value) {
  hyla_scalar out;
  std::memcpy(&out, &value, sizeof out);
  return out;
}
inline scalar from_c(const hyla_scalar &value) {
  double parts[2];
  std::memcpy(parts, &value, sizeof parts);
  return scalar(parts[0], parts[1]);
}

/* The type of a matrix' entries for a type of C++. */
template <class T> struct type_of;
template <> struct type_of<float> { static constexpr hyla_type value = HYLA_FLOAT; };
template <> struct type_of<double> { static constexpr hyla_type value = HYLA_DOUBLE; };
template <> struct type_of<std::complex<float>> {
  static constexpr hyla_type value = HYLA_COMPLEX;
};
template <> struct type_of<std::complex<double>> {
  static constexpr hyla_type value = HYLA_DOUBLE_COMPLEX;
};

/* An owner: T's destroy, which takes a T ** and sets it to NULL, destroys the object. */
template <class T, hyla_status (*destroy)(T **)> struct destroyer {
  void operator()(T *object) const noexcept { destroy(&object); }
};
template <class T, hyla_status (*destroy)(T **)>
using owner = std::unique_ptr<T, destroyer<T, destroy>>;

/* The text of a call of hyla.h that writes a text of any length. */
template <class Write> std::string text_of(Write write) {
  std::string text(write(nullptr, std::size_t(0)), '\0');
  if (!text.empty()) write(text.data(), text.size() + 1);
  return text;
}

/* The defaults, to change and pass to a cube. */
inline hyla_options options() {
  hyla_options made;
  hyla_options_init(&made);
  return made;
}

class cube {
public:
  explicit cube(MPI_Comm comm = MPI_COMM_WORLD) : cube(comm, nullptr) {}
  cube(MPI_Comm comm, const hyla_options &options) : cube(comm, &options) {}
  hyla_cube *get() const noexcept { return cube_.get(); }
  int dims() const noexcept { return hyla_cube_dims(get()); }
  int nodes() const noexcept { return hyla_cube_nodes(get()); }
  int address() const noexcept { return hyla_cube_address(get()); }
  int guests() const noexcept { return hyla_cube_guests(get()); }
  void barrier() const { check(get(), hyla_cube_barrier(get())); }
  hyla_faults faults() const {
    hyla_faults found;
    check(get(), hyla_cube_faults(get(), &found));
    return found;
  }
  hyla_checkpoints checkpoints() const {
    hyla_checkpoints found;
    check(get(), hyla_cube_checkpoints(get(), &found));
    return found;
  }
  std::string describe() const {
    return text_of(
        [this](char *text, std::size_t n) { return hyla_cube_describe(get(), text, n); });
  }
  hyla_layout layout(const std::string &text) const {
    hyla_layout made;
    check(get(), hyla_layout_parse(get(), text.c_str(), &made));
    return made;
  }

private:
  cube(MPI_Comm comm, const hyla_options *options) {
    hyla_cube *made = nullptr;
    hyla_status status = hyla_cube_create(comm, options, &made);
    cube_.reset(made);
    check(made, status);
  }
  owner<hyla_cube, hyla_cube_destroy> cube_;
};

class matrix {
public:
  /* A matrix of zeros, in a layout or in the default one. */
  matrix(const cube &c, hyla_type type, std::int64_t rows, std::int64_t cols) {
    create(c, type, rows, cols, nullptr);
  }
  matrix(const cube &c, hyla_type type, std::int64_t rows, std::int64_t cols,
         const hyla_layout &layout) {
    create(c, type, rows, cols, &layout);
  }
  /* A matrix over the caller's local part, by columns. */
  template <class T>
  static matrix wrap(const cube &c, std::int64_t rows, std::int64_t cols, const hyla_layout &layout,
                     T *local, std::int64_t ld) {
    hyla_matrix *made = nullptr;
    check(c.get(),
          hyla_matrix_wrap(c.get(), type_of<T>::value, rows, cols, &layout, local, ld, &made));
    return matrix(made);
  }
  static matrix read(const cube &c, const std::string &path) {
    hyla_matrix *made = nullptr;
    check(c.get(), hyla_matrix_read(c.get(), path.c_str(), nullptr, &made));
    return matrix(made);
  }
  matrix view(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
    hyla_matrix *made = nullptr;
    check(home(), hyla_matrix_view(get(), row, col, rows, cols, &made));
    return matrix(made);
  }
  hyla_matrix *get() const noexcept { return matrix_.get(); }
  hyla_cube *home() const noexcept { return hyla_matrix_cube(get()); }
  hyla_type type() const noexcept { return hyla_matrix_type(get()); }
  std::int64_t rows() const noexcept { return hyla_matrix_rows(get()); }
  std::int64_t cols() const noexcept { return hyla_matrix_cols(get()); }
  hyla_layout layout() const { return *hyla_matrix_layout(get()); }
  void generate(hyla_generator generator, std::uint64_t seed = 0) {
    check(home(), hyla_matrix_generate(home(), get(), generator, seed));
  }
  /* Sets every entry to entry(row, col).  An exception of the function is thrown here, on the ranks
   * where it threw. */
  template <class Entry> void fill(Entry entry) {
    filler<Entry> state{entry, nullptr};
    hyla_status status = hyla_matrix_fill(home(), get(), filler<Entry>::call, &state);
    if (state.thrown) std::rethrow_exception(state.thrown);
    check(home(), status);
  }
  void set(std::int64_t row, std::int64_t col, scalar value) {
    check(home(), hyla_matrix_set(home(), get(), row, col, to_c(value)));
  }
  scalar at(std::int64_t row, std::int64_t col) const {
    hyla_scalar value;
    check(home(), hyla_matrix_get(home(), get(), row, col, &value));
    return from_c(value);
  }
  /* The whole matrix by columns; empty on ranks that get nothing with `rest`.  T is the matrix'
   * type. */
  template <class T> std::vector<T> gather(hyla_rest rest = HYLA_FACE) const {
    expect<T>("gather");
    int address = hyla_cube_address(home());
    bool holds = address == 0 || (address > 0 && rest == HYLA_REPLICATED);
    std::vector<T> array(holds ? std::size_t(rows() * cols()) : 0);
    check(home(), hyla_matrix_gather(home(), get(), rest, array.data(), ld()));
    return array;
  }
  /* The other way; array: rows x cols entries on node 0, not used elsewhere. */
  template <class T> void scatter(const std::vector<T> &array) {
    expect<T>("scatter");
    bool fits = array.size() == std::size_t(rows() * cols());
    check(home(), hyla_matrix_scatter(home(), fits ? array.data() : nullptr, ld(), get()));
  }
  double norm(hyla_norm kind) const {
    double value = 0;
    check(home(), hyla_matrix_norm(home(), get(), kind, &value));
    return value;
  }
  void write(const std::string &path) const {
    check(home(), hyla_matrix_write(home(), get(), path.c_str()));
  }

private:
  template <class Entry> struct filler {
    Entry &entry;
    std::exception_ptr thrown;
    /* No exception may pass through C. */
    static hyla_scalar call(void *arg, std::int64_t row, std::int64_t col) {
      filler *self = static_cast<filler *>(arg);
      try {
        if (!self->thrown) return to_c(scalar(self->entry(row, col)));
      } catch (...) {
        self->thrown = std::current_exception();
      }
      return to_c(0);
    }
  };
  explicit matrix(hyla_matrix *made) : matrix_(made) {}
  void create(const cube &c, hyla_type type, std::int64_t rows, std::int64_t cols,
              const hyla_layout *layout) {
    hyla_matrix *made = nullptr;
    check(c.get(), hyla_matrix_create(c.get(), type, rows, cols, layout, &made));
    matrix_.reset(made);
  }
  std::int64_t ld() const { return rows() > 0 ? rows() : 1; }
  template <class T> void expect(const char *call) const {
    if (type() != type_of<T>::value)
      throw error(HYLA_ARGUMENT, (std::string(call) + ": the entries are of another type").c_str());
  }
  owner<hyla_matrix, hyla_matrix_destroy> matrix_;
};

class plan {
public:
  /* A plan of C := alpha op(A) op(B) + beta C; variant: "" to choose. */
  static plan gemm(hyla_operation op_a, hyla_operation op_b, scalar alpha, const matrix &a,
                   const matrix &b, scalar beta, matrix &c, const std::string &variant = "") {
    hyla_plan *made = nullptr;
    check(c.home(), hyla_gemm_plan(c.home(), op_a, op_b, to_c(alpha), a.get(), b.get(), to_c(beta),
                                   c.get(), variant.empty() ? nullptr : variant.c_str(), &made));
    return plan(c.home(), made);
  }
  hyla_plan *get() const noexcept { return plan_.get(); }
  void run() { check(cube_, hyla_plan_run(cube_, get())); }
  std::string variant() const { return hyla_plan_variant(get()); }
  hyla_cost cost() const { return hyla_plan_cost(get()); }
  double seconds() const { return hyla_plan_seconds(get()); }
  std::string explain() const {
    return text_of([this](char *text, std::size_t n) { return hyla_plan_explain(get(), text, n); });
  }

private:
  plan(hyla_cube *cube, hyla_plan *made) : cube_(cube), plan_(made) {}
  hyla_cube *cube_;
  owner<hyla_plan, hyla_plan_destroy> plan_;
};

class factor {
public:
  /* The factors of a, of any shape by LU; of a square a for up to nrhs right-hand sides at a time.
   * variant: "" to choose. */
  explicit factor(const matrix &a, hyla_method method = HYLA_LU, std::int64_t nrhs = 1,
                  const std::string &variant = "")
      : cube_(a.home()), rows_(static_cast<std::size_t>(a.rows())) {
    hyla_factor *made = nullptr;
    check(cube_, hyla_factor_create_rectangular(
                     cube_, method, a.type(), a.rows(), a.cols(), a.rows() == a.cols() ? nrhs : 0,
                     nullptr, variant.empty() ? nullptr : variant.c_str(), &made));
    factor_.reset(made);
    compute(a);
  }
  hyla_factor *get() const noexcept { return factor_.get(); }
  /* Computes the factors of another matrix of this size and type. */
  void compute(const matrix &a) {
    hyla_status status = hyla_factor_compute(cube_, get(), a.get());
    check(cube_, status, hyla_factor_pivot(get()));
  }
  void solve(const matrix &b, matrix &x, hyla_operation op = HYLA_NONE) const {
    check(cube_, hyla_factor_solve(cube_, get(), op, b.get(), x.get()));
  }
  void lower(matrix &l) const { check(cube_, hyla_factor_lower(cube_, get(), l.get())); }
  void upper(matrix &u) const { check(cube_, hyla_factor_upper(cube_, get(), u.get())); }
  /* QR: x := op(Q) x or x op(Q); q := Q's leading columns. */
  void apply_q(hyla_side side, hyla_operation op, matrix &x) const {
    check(cube_, hyla_factor_apply_q(cube_, get(), side, op, x.get()));
  }
  void q(matrix &q) const { check(cube_, hyla_factor_q(cube_, get(), q.get())); }
  /* Row i of P A is row permutation()[i] of A. */
  std::vector<std::int64_t> permutation() const {
    std::vector<std::int64_t> rows(rows_);
    check(cube_, hyla_factor_permutation(cube_, get(), rows.data()));
    return rows;
  }
  /* norm: the largest absolute column sum of A. */
  double condition(double norm) const {
    double rcond = 0;
    check(cube_, hyla_factor_condition(cube_, get(), norm, &rcond));
    return rcond;
  }
  std::string explain() const {
    const hyla_plan *p = hyla_factor_plan(get());
    return text_of([p](char *text, std::size_t n) { return hyla_plan_explain(p, text, n); });
  }

private:
  hyla_cube *cube_;
  std::size_t rows_;
  owner<hyla_factor, hyla_factor_destroy> factor_;
};

/* Solves A X = B by LU. */
inline void solve(const matrix &a, const matrix &b, matrix &x) {
  std::int64_t pivot = 0;
  hyla_status status = hyla_solve(x.home(), a.get(), b.get(), x.get(), &pivot);
  check(x.home(), status, pivot);
}

/* The same with a report on how good X is; UNRELIABLE shows in the report alone. */
inline hyla_solve_report solve(const matrix &a, const matrix &b, matrix &x,
                               const hyla_solve_options &options) {
  hyla_solve_report report{};
  hyla_status status = hyla_solve_expert(x.home(), &options, a.get(), b.get(), x.get(), &report);
  if (status != HYLA_UNRELIABLE) check(x.home(), status, report.pivot);
  return report;
}

/* X := A^-1; X may be A.  Gauss-Jordan works in X's own memory if its layout is suitable. */
inline void invert(hyla_method method, const matrix &a, matrix &x) {
  std::int64_t pivot = 0;
  hyla_status status = hyla_invert(x.home(), method, a.get(), x.get(), &pivot);
  check(x.home(), status, pivot);
}

/* The singular values of A, descending; with left and right also their vectors. */
inline std::vector<double> svd(const matrix &a) {
  std::vector<double> values(static_cast<std::size_t>(std::min(a.rows(), a.cols())) + 1);
  check(a.home(), hyla_svd(a.home(), a.get(), values.data(), nullptr, nullptr));
  values.pop_back();
  return values;
}
inline std::vector<double> svd(const matrix &a, matrix &left, matrix &right) {
  std::vector<double> values(static_cast<std::size_t>(std::min(a.rows(), a.cols())) + 1);
  check(a.home(), hyla_svd(a.home(), a.get(), values.data(), left.get(), right.get()));
  values.pop_back();
  return values;
}

/* The X of least norm that minimises |op(A) X - B|, and how good it is. */
inline hyla_lstsq_report lstsq(const matrix &a, const matrix &b, matrix &x,
                               const hyla_lstsq_options &options = {}) {
  hyla_lstsq_report report{};
  check(a.home(), hyla_lstsq(a.home(), &options, a.get(), b.get(), x.get(), &report));
  return report;
}

/* A = Q B nearly, with as many columns as q has, or as many of these as a tolerance takes. */
inline hyla_lowrank_report lowrank(const matrix &a, matrix &q, matrix &b,
                                   const hyla_lowrank_options &options = {}) {
  hyla_lowrank_report report{};
  check(a.home(), hyla_lowrank(a.home(), &options, a.get(), q.get(), b.get(), &report));
  return report;
}

/* The eigenvalues of a Hermitian A, ascending, on every rank; of A the named triangle is read. */
inline std::vector<double> eigenvalues(hyla_triangle triangle, const matrix &a) {
  std::vector<double> values(std::size_t(a.rows()));
  check(a.home(), hyla_eigen(a.home(), triangle, a.get(), values.data(), nullptr));
  return values;
}

/* The same with A's vectors, the columns of V. */
inline std::vector<double> eigen(hyla_triangle triangle, const matrix &a, matrix &v) {
  std::vector<double> values(std::size_t(a.rows()));
  check(a.home(), hyla_eigen(a.home(), triangle, a.get(), values.data(), v.get()));
  return values;
}

/* How good they are; an error with UNRELIABLE if they miss the bounds of hyla.h. */
inline hyla_eigen_errors eigen_check(hyla_triangle triangle, const matrix &a,
                                     const std::vector<double> &values, const matrix &v) {
  hyla_eigen_errors errors{};
  check(a.home(), hyla_eigen_check(a.home(), triangle, a.get(), values.data(), v.get(), &errors));
  return errors;
}

inline double residual(const matrix &a, const matrix &x, const matrix &b) {
  double value = 0;
  check(a.home(), hyla_residual(a.home(), a.get(), x.get(), b.get(), &value));
  return value;
}

/* C := alpha op(A) op(B) + beta C. */
inline void gemm(hyla_operation op_a, hyla_operation op_b, scalar alpha, const matrix &a,
                 const matrix &b, scalar beta, matrix &c) {
  check(c.home(),
        hyla_gemm(c.home(), op_a, op_b, to_c(alpha), a.get(), b.get(), to_c(beta), c.get()));
}

/* y := alpha op(A) x + beta y; the same with one triangle of a symmetric or Hermitian A;
 * A := A + alpha x op(y). */
inline void gemv(hyla_operation op, scalar alpha, const matrix &a, const matrix &x, scalar beta,
                 matrix &y) {
  check(y.home(), hyla_gemv(y.home(), op, to_c(alpha), a.get(), x.get(), to_c(beta), y.get()));
}
inline void symv(hyla_triangle triangle, scalar alpha, const matrix &a, const matrix &x,
                 scalar beta, matrix &y) {
  check(y.home(),
        hyla_symv(y.home(), triangle, to_c(alpha), a.get(), x.get(), to_c(beta), y.get()));
}
inline void hemv(hyla_triangle triangle, scalar alpha, const matrix &a, const matrix &x,
                 scalar beta, matrix &y) {
  check(y.home(),
        hyla_hemv(y.home(), triangle, to_c(alpha), a.get(), x.get(), to_c(beta), y.get()));
}
inline void ger(hyla_operation op, scalar alpha, const matrix &x, const matrix &y, matrix &a) {
  check(a.home(), hyla_ger(a.home(), op, to_c(alpha), x.get(), y.get(), a.get()));
}

/* B := alpha op(A)^-1 B or alpha B op(A)^-1. */
inline void trsm(hyla_side side, hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal,
                 scalar alpha, const matrix &a, matrix &b) {
  check(b.home(), hyla_trsm(b.home(), side, triangle, op, diagonal, to_c(alpha), a.get(), b.get()));
}

/* to := alpha op(from), in any layouts. */
inline void redistribute(hyla_operation op, scalar alpha, const matrix &from, matrix &to) {
  hyla_transfer transfer{op, to_c(alpha), from.get(), to.get()};
  check(to.home(), hyla_redistribute(to.home(), 1, &transfer));
}

/* to := from, of any types and layouts. */
inline void convert(const matrix &from, matrix &to) {
  check(to.home(), hyla_matrix_convert(to.home(), from.get(), to.get()));
}

} // namespace hyla

#endif
