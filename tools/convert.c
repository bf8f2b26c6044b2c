/* hyla convert, hyla transpose: a matrix brought into another layout, turned or not. */
#include "tool.h"

#include <math.h>
#include <string.h>

const struct grammar convert_grammar = {
    .usage = "A.mtx",
    .text =
        "Bring a matrix from one layout into another and check every bit."
        "\vA lies as --layout says before and as --to says afterwards; each is the default layout "
        "when not given.  Afterwards the copy is brought back and compared.  The plan, what was "
        "sent, predicted and counted, and the time are those of the way there.",
    .extra = options_of_convert,
    .least = 1,
    .most = 1,
};

const struct grammar transpose_grammar = {
    .usage = "A.mtx",
    .text = "Transpose a matrix and check every bit."
            "\vA lies as --layout says, its transpose as --to says: as A when that is not given, "
            "the default layout when neither is.  Afterwards the transpose is transposed back and "
            "compared.",
    .extra = options_of_convert,
    .least = 1,
    .most = 1,
};

struct passage {
  hyla_operation op;
  hyla_matrix *from, *to, *back;
  hyla_plan *plan;
};

static void passage_free(struct passage *passage) {
  hyla_plan_destroy(&passage->plan);
  hyla_matrix_destroy(&passage->back);
  hyla_matrix_destroy(&passage->to);
  hyla_matrix_destroy(&passage->from);
}

/* The layout of the target. */
static hyla_status choose_layout(struct run *run, const struct passage *passage,
                                 hyla_layout *layout) {
  if (run->options.to) return hyla_layout_parse(run->cube, run->options.to, layout);
  if (passage->op == HYLA_NONE) return hyla_layout_default(run->cube, layout);
  *layout = *hyla_matrix_layout(passage->from);
  return HYLA_OK;
}

static hyla_status read_passage(struct run *run, struct passage *passage, struct result *result) {
  hyla_status status = tool_check_output(run, result);
  double begin = tool_clock();
  if (!status) status = tool_read(run, run->options.paths[0], &passage->from);
  result->seconds_read = tool_clock() - begin;
  if (!status) status = choose_layout(run, passage, &result->layout);
  if (status) return status;
  bool turned = passage->op != HYLA_NONE;
  int64_t rows = hyla_matrix_rows(passage->from), cols = hyla_matrix_cols(passage->from);
  result->type = hyla_matrix_type(passage->from);
  result->m = rows;
  result->n = cols;
  status = hyla_matrix_create(run->cube, result->type, turned ? cols : rows, turned ? rows : cols,
                              &result->layout, &passage->to);
  if (status) return status;
  return hyla_matrix_create(run->cube, result->type, rows, cols, hyla_matrix_layout(passage->from),
                            &passage->back);
}

/* Plans and runs: the run is what is timed and counted. */
static hyla_status convert(struct run *run, struct passage *passage, struct result *result) {
  hyla_cube *cube = run->cube;
  const hyla_transfer there = {passage->op, 1, passage->from, passage->to};
  hyla_status status =
      hyla_redistribute_plan(cube, 1, &there, run->options.variant, &passage->plan);
  if (status) return status;
  result->variant = hyla_plan_variant(passage->plan);
  result->reason = tool_explain_plan(passage->plan);
  result->predicted = hyla_plan_cost(passage->plan);
  result->seconds_predicted = hyla_plan_seconds(passage->plan);
  status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  ticker_phase(run->ticker, passage->op == HYLA_NONE ? "converting" : "transposing");
  if (!status) status = hyla_plan_run(cube, passage->plan);
  result->seconds = tool_clock() - begin;
  return status ? status : result_count(run, result);
}

/* Is this rank's part of two matrices of one layout the same, bit for bit? */
static bool equal(const hyla_matrix *a, const hyla_matrix *b) {
  void *x = NULL, *y = NULL;
  int64_t rows = 0, cols = 0, ld_x = 0, ld_y = 0;
  size_t size = type_size(hyla_matrix_type(a));
  hyla_matrix_local(a, &x, &rows, &cols, &ld_x);
  hyla_matrix_local(b, &y, NULL, NULL, &ld_y);
  for (int64_t m = 0; m < cols && rows > 0; m++)
    if (memcmp((char *)x + (size_t)(m * ld_x) * size, (char *)y + (size_t)(m * ld_y) * size,
               (size_t)rows * size) != 0)
      return false;
  return true;
}

/* The residual is 0 when all bits have come back, else infinite. */
static hyla_status check(struct run *run, struct passage *passage, struct result *result) {
  const hyla_transfer back = {passage->op, 1, passage->to, passage->back};
  ticker_phase(run->ticker, "checking");
  hyla_status status = hyla_redistribute(run->cube, 1, &back);
  int64_t wrong = status == HYLA_OK && !equal(passage->from, passage->back);
  if (!status) status = hyla_cube_max(run->cube, &wrong, 1);
  result->residual = wrong ? (double)INFINITY : 0;
  result->finished = !status;
  return status;
}

static int work(struct run *run, const char *name, hyla_operation op) {
  struct result result;
  struct passage passage = {.op = op};
  result_init(&result, name);
  hyla_status status = read_passage(run, &passage, &result);
  if (!status) status = convert(run, &passage, &result);
  if (!status) status = check(run, &passage, &result);
  result_finish(run, &result, status, passage.to);
  ticker_stop(&run->ticker);
  int code = result_print(run, &result);
  result_free(&result);
  passage_free(&passage);
  return code;
}

int tool_convert(struct run *run) { return work(run, "convert", HYLA_NONE); }

int tool_transpose(struct run *run) { return work(run, "transpose", HYLA_TRANSPOSE); }
