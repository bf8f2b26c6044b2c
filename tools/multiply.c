/* hyla multiply, hyla trsm: C = A B or another product, or a triangular system, by a planned
 * variant. */
#include "operation.h"

const struct grammar multiply_grammar = {
    .usage = "A.mtx [B.mtx]",
    .text =
        "Compute C = A B, or another product, and check it."
        "\vFiles are Matrix Market (array or coordinate) or NumPy (.npy), known by their first "
        "bytes.  The check takes a random vector t and compares C t with A (B t): |C t - A (B t)| "
        "/ (eps |A| |B| |t| k) in the maximum norm; above 16 the product is wrong, the exit status "
        "1, and nothing is written.  Where one triangle of A counts, the other is not used, "
        "whatever the file has there; where one triangle of C is computed, the other is 0.  Files "
        "of two types are multiplied in the type that holds both.",
    .product = "gemm",
    .lists = {options_of_files, options_of_multiply, options_of_triangles, options_of_wisdom,
              options_of_parts, options_of_bits, options_of_progress, options_of_report},
    .least = 1,
    .most = 2,
};

const struct grammar trsm_grammar = {
    .usage = "A.mtx B.mtx",
    .text =
        "Solve op(A) X = alpha B, or X op(A) = alpha B, for a triangular matrix A and check it."
        "\vOne triangle of A is read, with its diagonal, whatever the file has on the other side.  "
        "The check takes a random vector t and compares alpha B t with op(A) (X t), as multiply "
        "does; above 16 the answer is wrong, the exit status 1, and nothing is written; so it is "
        "where an entry of the diagonal is zero.",
    .product = "trsm",
    .lists = {options_of_files, options_of_triangles, options_of_systems, options_of_parts,
              options_of_bits, options_of_progress, options_of_report},
    .least = 2,
    .most = 2,
};

struct product {
  const struct operation *operation;
  struct problem problem;
};

/* Checks shapes here, because the library's messages cannot have the files' names. */
static hyla_status check_shapes(const struct run *run, const struct product *product,
                                struct result *result) {
  const char *const *paths = run->options.paths;
  const struct problem *p = &product->problem;
  if (!p->b) return HYLA_OK;
  int64_t k = hyla_matrix_cols(p->a), rows = hyla_matrix_rows(p->b);
  if (product->operation == &operation_gemm && k != rows)
    return result_refuse(result, "%s has %lld columns, but %s has %lld rows; they must be equal",
                         paths[0], (long long)k, paths[1], (long long)rows);
  return HYLA_OK;
}

/* Asks for the memory of factors and result; sizes that do not fit are reported after reading. */
static hyla_status ask_for_memory(struct run *run, const struct operation *operation) {
  struct extent matrix[3] = {0};
  hyla_type types[2] = {HYLA_FLOAT, HYLA_FLOAT};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < operation->factors && !status; i++)
    status = hyla_matrix_probe(run->cube, run->options.paths[i], &types[i], &matrix[i].rows,
                               &matrix[i].cols);
  if (status) return status;
  const struct extent a = matrix[0], b = matrix[1];
  if (operation == &operation_gemm)
    matrix[2] = (struct extent){a.rows, b.cols};
  else if (operation->factors == 2)
    matrix[2] = b;
  else
    matrix[2].rows = matrix[2].cols = run->options.op == HYLA_NONE ? a.rows : a.cols;
  return tool_afford(run, type_common(types[0], types[1]), 3, matrix);
}

/* Converts both factors to the type that holds the entries of both. */
static hyla_status widen(struct problem *p) {
  if (!p->b) return HYLA_OK;
  hyla_type type = type_common(hyla_matrix_type(p->a), hyla_matrix_type(p->b));
  hyla_status status = matrix_retype(p->cube, type, &p->a);
  return status ? status : matrix_retype(p->cube, type, &p->b);
}

static hyla_status read_product(struct run *run, struct product *product, struct result *result) {
  struct problem *p = &product->problem;
  hyla_status status = tool_check_output(run, result);
  if (!status) status = ask_for_memory(run, product->operation);
  double begin = tool_clock();
  if (!status) status = tool_read(run, run->options.paths[0], NULL, &p->a);
  if (!status && product->operation->factors == 2)
    status = tool_read(run, run->options.paths[1], NULL, &p->b);
  result->seconds_read = tool_clock() - begin;
  if (!status) status = check_shapes(run, product, result);
  if (!status) status = widen(p);
  if (status) return status;
  product->operation->size_of(p);
  result->type = run->options.type = hyla_matrix_type(p->a);
  result->m = p->m;
  result->n = p->n;
  result->k = p->k;
  result->layout = *hyla_matrix_layout(p->a);
  return hyla_matrix_create(run->cube, result->type, result->m, result->n,
                            run->options.layout ? &result->layout : NULL, &p->c);
}

/* Plans and runs; only the run is timed and counted. */
static hyla_status multiply(struct run *run, struct product *product, struct result *result) {
  hyla_cube *cube = run->cube;
  struct problem *p = &product->problem;
  hyla_status status = operation_plan(product->operation, p, run->options.variant);
  if (status) return status;
  result_plan(result, p->chosen);
  result->flops = product->operation->flops(p);
  status = operation_renew(product->operation, p);
  if (!status) status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  result_begin(run, result, product->operation == &operation_trsm ? "solving" : "multiplying");
  if (!status) status = operation_run(product->operation, p);
  result->seconds = tool_clock() - begin;
  return status ? status : result_count(run, result);
}

static hyla_status check_product(struct run *run, struct product *product, struct result *result) {
  ticker_phase(run->ticker, "checking");
  stage_begin(run, STAGE_JUDGE);
  hyla_status status = product->operation->residual(&product->problem, &result->residual);
  result->check = "freivalds";
  result->finished = !status;
  return status;
}

static int work(struct run *run, const char *name) {
  struct result result;
  struct product product = {.operation = operation_find(run->options.product),
                            .problem = {.cube = run->cube, .options = &run->options}};
  int factors = product.operation->factors;
  if (run->options.path_count != factors) {
    tell(run, "%s is of %s; give %s", product.operation->name,
         factors == 1 ? "one matrix" : "two matrices", factors == 1 ? "A.mtx" : "A.mtx B.mtx");
    return EXIT_USE;
  }
  result_init(&result, name);
  result.product = product.operation->name;
  hyla_status status = read_product(run, &product, &result);
  if (!status) status = multiply(run, &product, &result);
  if (!status) status = check_product(run, &product, &result);
  result_finish(run, &result, status, product.problem.c);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  problem_free(&product.problem);
  return code;
}

int tool_multiply(struct run *run) { return work(run, "multiply"); }

int tool_trsm(struct run *run) { return work(run, "trsm"); }
