/* hyla multiply: C = A B by a planned variant. */
#include "operation.h"

const struct grammar multiply_grammar = {
    .usage = "A.mtx B.mtx",
    .text =
        "Compute C = A B and check it."
        "\vFiles are Matrix Market (array or coordinate) or NumPy (.npy), known by their first "
        "bytes.  The check takes a random vector t and compares C t with A (B t): |C t - A (B "
        "t)| / (eps |A| |B| |t| k) in the maximum norm; above 16 the product is wrong, the exit "
        "status 1, and nothing is written.",
    .lists = {options_of_files, options_of_wisdom, options_of_progress},
    .least = 2,
    .most = 2,
};

struct product {
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
};

static void product_free(struct product *product) {
  hyla_plan_destroy(&product->plan);
  hyla_matrix_destroy(&product->c);
  hyla_matrix_destroy(&product->b);
  hyla_matrix_destroy(&product->a);
}

static hyla_status check_shapes(struct run *run, const struct product *product,
                                struct result *result) {
  const char *const *paths = run->options.paths;
  int64_t k = hyla_matrix_cols(product->a), rows = hyla_matrix_rows(product->b);
  if (k != rows)
    return result_refuse(result, "%s has %lld columns, but %s has %lld rows; they must be equal",
                         paths[0], (long long)k, paths[1], (long long)rows);
  hyla_type type_a = hyla_matrix_type(product->a), type_b = hyla_matrix_type(product->b);
  if (type_a != type_b)
    return result_refuse(result, "%s is %s, but %s is %s; convert one of them", paths[0],
                         type_name(type_a), paths[1], type_name(type_b));
  return HYLA_OK;
}

static hyla_status read_product(struct run *run, struct product *product, struct result *result) {
  hyla_status status = tool_check_output(run, result);
  double begin = tool_clock();
  if (!status) status = tool_read(run, run->options.paths[0], &product->a);
  if (!status) status = tool_read(run, run->options.paths[1], &product->b);
  result->seconds_read = tool_clock() - begin;
  if (!status) status = check_shapes(run, product, result);
  if (status) return status;
  result->type = hyla_matrix_type(product->a);
  result->m = hyla_matrix_rows(product->a);
  result->n = hyla_matrix_cols(product->b);
  result->k = hyla_matrix_cols(product->a);
  result->layout = *hyla_matrix_layout(product->a);
  return hyla_matrix_create(run->cube, result->type, result->m, result->n, &result->layout,
                            &product->c);
}

/* Plans and runs: the run is what is timed and counted. */
static hyla_status multiply(struct run *run, struct product *product, struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_status status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, product->a, product->b, 0,
                                      product->c, run->options.variant, &product->plan);
  if (status) return status;
  result->variant = hyla_plan_variant(product->plan);
  result->reason = tool_explain_plan(product->plan);
  result->predicted = hyla_plan_cost(product->plan);
  result->seconds_predicted = hyla_plan_seconds(product->plan);
  result->flops = 2.0 * (double)result->m * (double)result->n * (double)result->k *
                  (type_complex(result->type) ? 4 : 1);
  status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  ticker_phase(run->ticker, "multiplying");
  if (!status) status = hyla_plan_run(cube, product->plan);
  result->seconds = tool_clock() - begin;
  return status ? status : result_count(run, result);
}

static hyla_status check_product(struct run *run, struct product *product, struct result *result) {
  ticker_phase(run->ticker, "checking the product");
  hyla_status status =
      product_residual(run->cube, product->a, product->b, product->c, &result->residual);
  result->finished = !status;
  return status;
}

int tool_multiply(struct run *run) {
  struct result result;
  struct product product = {0};
  result_init(&result, "multiply");
  hyla_status status = read_product(run, &product, &result);
  if (!status) status = multiply(run, &product, &result);
  if (!status) status = check_product(run, &product, &result);
  result_finish(run, &result, status, product.c);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  product_free(&product);
  return code;
}
