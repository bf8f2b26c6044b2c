/* hyla convert, hyla transpose, hyla turn: moves a matrix into another layout or type, as it is,
 * transposed or turned. */
#include "operation.h"
#include "options.h"

#include <math.h>

const struct grammar convert_grammar = {
    .usage = "A.mtx",
    .text =
        "Bring a matrix from one layout, file or type into another and check every bit."
        "\vA lies as --layout says before and as --to says afterwards; each is the default layout "
        "when not given.  With --type its entries are rounded to that type first; what would "
        "become infinite, or lose an imaginary part that is not 0, is refused.  Afterwards the "
        "copy is brought back and compared.  The plan, the traffic, predicted and counted, and the "
        "time are those of the first way.",
    .lists = {options_of_files, options_of_target, options_of_types, options_of_progress,
              options_of_report},
    .least = 1,
    .most = 1,
};

const struct grammar transpose_grammar = {
    .usage = "A.mtx",
    .text = "Transpose a matrix and check every bit."
            "\vA lies as --layout says, its transpose as --to says: as A when that is not given, "
            "the default layout when neither is.  Afterwards the transpose is transposed back and "
            "compared.",
    .lists = {options_of_files, options_of_target, options_of_transpose, options_of_progress,
              options_of_report},
    .least = 1,
    .most = 1,
};

const struct grammar turn_grammar = {
    .usage = "A.mtx",
    .text = "Turn a matrix by a quarter or a half and check every bit."
            "\vA lies as --layout says, the result as --to says: as A when that is not given, the "
            "default layout when neither is.  Afterwards it is turned back and compared.",
    .lists = {options_of_files, options_of_turn, options_of_progress, options_of_report},
    .least = 1,
    .most = 1,
};

struct passage {
  hyla_operation op;
  hyla_matrix *from, *to;
  hyla_plan *plan;
};

static void passage_free(struct passage *passage) {
  hyla_plan_destroy(&passage->plan);
  hyla_matrix_destroy(&passage->to);
  hyla_matrix_destroy(&passage->from);
}

/* Chooses the layout of the target. */
static hyla_status choose_layout(struct run *run, const struct passage *passage,
                                 hyla_layout *layout) {
  int64_t rows = hyla_matrix_rows(passage->from), cols = hyla_matrix_cols(passage->from);
  bool transposed = passage_transposes(passage->op);
  if (run->options.to) return hyla_layout_parse(run->cube, run->options.to, layout);
  if (passage->op == HYLA_NONE || !run->options.layout)
    return hyla_layout_default(run->cube, transposed ? cols : rows, transposed ? rows : cols,
                               layout);
  *layout = *hyla_matrix_layout(passage->from);
  return HYLA_OK;
}

/* Asks for the memory of the matrix, of its target, and of the way back for the check. */
static hyla_status ask_for_memory(struct run *run) {
  struct extent matrix[3] = {0};
  hyla_type type;
  hyla_status status =
      hyla_matrix_probe(run->cube, run->options.paths[0], &type, &matrix[0].rows, &matrix[0].cols);
  matrix[1] = matrix[2] = matrix[0];
  if (!status && run->options.given & OPTION_BIT(KEY_TYPE))
    type = type_common(type, run->options.type);
  return status ? status : tool_afford(run, type, 3, matrix);
}

/* Finds the largest imaginary part; collective. */
static hyla_status find_imaginary(hyla_cube *cube, const hyla_matrix *matrix, double *most) {
  hyla_matrix *parts = NULL;
  hyla_type type = hyla_matrix_type(matrix) == HYLA_COMPLEX ? HYLA_FLOAT : HYLA_DOUBLE;
  hyla_status status =
      hyla_matrix_create(cube, type, hyla_matrix_rows(matrix), hyla_matrix_cols(matrix),
                         hyla_matrix_layout(matrix), &parts);
  if (!status) status = hyla_matrix_imag(cube, matrix, parts);
  if (!status) status = hyla_matrix_norm(cube, parts, HYLA_NORM_MAX, most);
  hyla_matrix_destroy(&parts);
  return status;
}

/* Replaces *matrix by its real parts in a real type; collective. */
static hyla_status take_real(hyla_cube *cube, hyla_type type, hyla_matrix **matrix) {
  hyla_matrix *real = NULL;
  hyla_status status =
      hyla_matrix_create(cube, type, hyla_matrix_rows(*matrix), hyla_matrix_cols(*matrix),
                         hyla_matrix_layout(*matrix), &real);
  if (!status) status = hyla_matrix_real(cube, *matrix, real);
  hyla_matrix_destroy(status ? &real : matrix);
  if (!status) *matrix = real;
  return status;
}

/* Converts to the type that is asked for, if that type holds all values. */
static hyla_status change_type(struct run *run, hyla_matrix **matrix, struct result *result) {
  hyla_cube *cube = run->cube;
  const struct options *o = &run->options;
  hyla_type from = hyla_matrix_type(*matrix), to = o->type;
  if (!(o->given & OPTION_BIT(KEY_TYPE)) || from == to) return HYLA_OK;
  double before = 0, after = 0, imaginary = 0;
  const bool real = type_complex(from) && !type_complex(to);
  hyla_status status = real ? find_imaginary(cube, *matrix, &imaginary) : HYLA_OK;
  if (status) return status;
  if (imaginary != 0)
    return result_refuse(
        result,
        "%s has imaginary parts, of up to %.3g, which --type %c would drop; take c "
        "or z",
        o->paths[0], imaginary, to == HYLA_FLOAT ? 's' : 'd');
  status = hyla_matrix_norm(cube, *matrix, HYLA_NORM_MAX, &before);
  if (!status) status = real ? take_real(cube, to, matrix) : matrix_retype(cube, to, matrix);
  if (!status) status = hyla_matrix_norm(cube, *matrix, HYLA_NORM_MAX, &after);
  if (!status && isfinite(before) && isinf(after))
    return result_refuse(result, "%s has entries of up to %.3g, which %s does not hold",
                         o->paths[0], before, type_name(to));
  return status;
}

static hyla_status read_passage(struct run *run, struct passage *passage, struct result *result) {
  hyla_status status = tool_check_output(run, result);
  if (!status) status = ask_for_memory(run);
  double begin = tool_clock();
  if (!status) status = tool_read(run, run->options.paths[0], NULL, &passage->from);
  result->seconds_read = tool_clock() - begin;
  if (!status) status = change_type(run, &passage->from, result);
  if (!status) status = choose_layout(run, passage, &result->layout);
  if (status) return status;
  bool transposed = passage_transposes(passage->op);
  int64_t rows = hyla_matrix_rows(passage->from), cols = hyla_matrix_cols(passage->from);
  result->type = hyla_matrix_type(passage->from);
  result->m = rows;
  result->n = cols;
  hyla_layout_format(hyla_matrix_layout(passage->from), result->layout_from,
                     sizeof result->layout_from);
  return hyla_matrix_create(run->cube, result->type, transposed ? cols : rows,
                            transposed ? rows : cols, &result->layout, &passage->to);
}

static const char *doing(hyla_operation op) {
  if (op == HYLA_NONE) return "converting";
  return op <= HYLA_CONJUGATE ? "transposing" : "turning";
}

/* Plans and runs; only the run is timed and counted. */
static hyla_status convert(struct run *run, struct passage *passage, struct result *result) {
  hyla_cube *cube = run->cube;
  hyla_status status = passage_plan(cube, &run->options, passage->op, passage->from, passage->to,
                                    run->options.variant, &passage->plan);
  if (status) return status;
  result_plan(result, passage->plan);
  status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  result_begin(run, result, doing(passage->op));
  if (!status) status = hyla_plan_run(cube, passage->plan);
  result->seconds = tool_clock() - begin;
  return status ? status : result_count(run, result);
}

/* Sets the residual to 0 if the way back restores all bits, else to infinity. */
static hyla_status check(struct run *run, struct passage *passage, struct result *result) {
  ticker_work(run->ticker, "checking", NULL, 0, result->seconds);
  stage_begin(run, STAGE_JUDGE);
  hyla_status status =
      passage_residual(run->cube, passage->op, passage->from, passage->to, &result->residual);
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

int tool_transpose(struct run *run) {
  return work(run, "transpose", run->options.conjugate ? HYLA_CONJUGATE : HYLA_TRANSPOSE);
}

int tool_turn(struct run *run) { return work(run, "turn", run->options.by); }
