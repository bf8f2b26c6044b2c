/* B := A, A^T or A^H, or B := A turned, from one layout to another. */
#include "operation.h"
#include "options.h"

#include <math.h>
#include <string.h>

static bool read_size(struct problem *p) {
  const int64_t *size = p->options->size;
  int count = p->options->size_count;
  if (count < 1 || count > 2) return false;
  p->m = size[0];
  p->n = size[count - 1];
  p->k = p->nrhs = -1;
  return true;
}

static bool read_size_and_target(struct problem *p) { return p->options->to && read_size(p); }

/* Are this node's parts of two matrices of one layout equal, bit for bit? */
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

bool passage_transposes(hyla_operation op) { return op != HYLA_NONE && op != HYLA_TURN_HALF; }

const char *turn_name(hyla_operation op) {
  return op == HYLA_TURN_HALF ? "half" : op == HYLA_TURN_RIGHT ? "right" : "left";
}

/* The operation that undoes `op'. */
static hyla_operation back_of(hyla_operation op) {
  if (op == HYLA_TURN_LEFT) return HYLA_TURN_RIGHT;
  return op == HYLA_TURN_RIGHT ? HYLA_TURN_LEFT : op;
}

hyla_status passage_residual(hyla_cube *cube, hyla_operation op, const hyla_matrix *from,
                             const hyla_matrix *to, double *residual) {
  hyla_matrix *back = NULL;
  hyla_status status = hyla_matrix_create(cube, hyla_matrix_type(from), hyla_matrix_rows(from),
                                          hyla_matrix_cols(from), hyla_matrix_layout(from), &back);
  const hyla_transfer again = {.op = back_of(op), .alpha = 1, .from = to, .to = back};
  if (!status) status = hyla_redistribute(cube, 1, &again);
  int64_t wrong = !status && !equal(from, back);
  if (!status) status = hyla_cube_max(cube, &wrong, 1);
  hyla_matrix_destroy(&back);
  *residual = wrong ? (double)INFINITY : 0;
  return status;
}

hyla_status matrix_retype(hyla_cube *cube, hyla_type type, hyla_matrix **matrix) {
  hyla_matrix *from = *matrix, *to = NULL;
  if (hyla_matrix_type(from) == type) return HYLA_OK;
  hyla_status status = hyla_matrix_create(cube, type, hyla_matrix_rows(from),
                                          hyla_matrix_cols(from), hyla_matrix_layout(from), &to);
  if (!status) status = hyla_matrix_convert(cube, from, to);
  hyla_matrix_destroy(status ? &to : matrix);
  if (!status) *matrix = to;
  return status;
}

/* Makes a matrix in the layout of the text; without a text in the default layout. */
static hyla_status make_one(struct problem *p, const char *text, bool transposed,
                            hyla_matrix **matrix) {
  hyla_layout layout;
  hyla_status status = text ? hyla_layout_parse(p->cube, text, &layout) : HYLA_OK;
  if (status) return status;
  return hyla_matrix_create(p->cube, p->options->type, transposed ? p->n : p->m,
                            transposed ? p->m : p->n, text ? &layout : NULL, matrix);
}

static hyla_status make_converted(struct problem *p) {
  hyla_status status = make_one(p, p->options->layout, false, &p->a);
  return status ? status : make_one(p, p->options->to, false, &p->b);
}

/* Makes both matrices; the result has the source's layout unless another is given. */
static hyla_status make_operated(struct problem *p, hyla_operation op) {
  const struct options *options = p->options;
  const char *to = options->to ? options->to : options->layout;
  hyla_status status = make_one(p, options->layout, false, &p->a);
  return status ? status : make_one(p, to, passage_transposes(op), &p->b);
}

static hyla_status make_transposed(struct problem *p) { return make_operated(p, HYLA_TRANSPOSE); }

static hyla_status make_turned(struct problem *p) { return make_operated(p, p->options->by); }

/* Are dense columns or rows named? */
static bool is_dense(const struct options *options) {
  return options->dense_columns > 0 || options->dense_rows > 0;
}

hyla_status passage_plan(hyla_cube *cube, const struct options *options, hyla_operation op,
                         const hyla_matrix *from, hyla_matrix *to, const char *variant,
                         hyla_plan **plan) {
  const hyla_transfer transfer = {.op = op, .alpha = 1, .from = from, .to = to};
  if (is_dense(options))
    return hyla_redistribute_dense_plan(cube, &transfer, options->dense, options->dense_columns,
                                        options->dense_row, options->dense_rows, variant, plan);
  if (options->band < 0) return hyla_redistribute_plan(cube, 1, &transfer, variant, plan);
  return hyla_redistribute_band_plan(cube, &transfer, options->band, variant, plan);
}

static hyla_status plan_conversion(struct problem *p, const char *variant) {
  return passage_plan(p->cube, p->options, HYLA_NONE, p->a, p->b, variant, &p->plan);
}

static hyla_operation turning(const struct problem *p) {
  return p->options->conjugate ? HYLA_CONJUGATE : HYLA_TRANSPOSE;
}

static hyla_status plan_transposition(struct problem *p, const char *variant) {
  return passage_plan(p->cube, p->options, turning(p), p->a, p->b, variant, &p->plan);
}

static hyla_status plan_turn(struct problem *p, const char *variant) {
  return passage_plan(p->cube, p->options, p->options->by, p->a, p->b, variant, &p->plan);
}

/* An entry of a banded matrix: inside the band it shows its own place. */
static double _Complex entry_of_band(void *arg, int64_t row, int64_t col) {
  const struct problem *p = arg;
  int64_t away = row < col ? col - row : row - col;
  bool inside = away <= p->options->band || away >= p->n - p->options->band;
  return inside ? (double)(1 + row * p->n + col) : 0;
}

static bool is_among(const int64_t *numbers, int count, int64_t number) {
  for (int i = 0; i < count; i++)
    if (numbers[i] == number) return true;
  return false;
}

/* An entry of a matrix with dense columns and rows, likewise. */
static double _Complex entry_of_dense(void *arg, int64_t row, int64_t col) {
  const struct problem *p = arg;
  const struct options *o = p->options;
  bool dense =
      is_among(o->dense, o->dense_columns, col) || is_among(o->dense_row, o->dense_rows, row);
  return dense ? (double)(1 + row * p->n + col) : 0;
}

static hyla_status ready(struct problem *p) {
  if (is_dense(p->options)) return hyla_matrix_fill(p->cube, p->a, entry_of_dense, p);
  if (p->options->band >= 0) return hyla_matrix_fill(p->cube, p->a, entry_of_band, p);
  return hyla_matrix_generate(p->cube, p->a, HYLA_RANDOM, 1);
}

static hyla_status residual_converted(struct problem *p, double *residual) {
  return passage_residual(p->cube, HYLA_NONE, p->a, p->b, residual);
}

static hyla_status residual_transposed(struct problem *p, double *residual) {
  return passage_residual(p->cube, turning(p), p->a, p->b, residual);
}

static hyla_status residual_turned(struct problem *p, double *residual) {
  return passage_residual(p->cube, p->options->by, p->a, p->b, residual);
}

const struct operation operation_convert = {
    .name = "convert",
    .variants = "redistribute",
    .sizes = "N or MxN, and --to LAYOUT",
    .takes = OPTION_BIT(KEY_TO) | OPTION_BIT(KEY_BAND),
    .read_size = read_size_and_target,
    .make = make_converted,
    .plan = plan_conversion,
    .ready = ready,
    .residual = residual_converted,
};

const struct operation operation_transpose = {
    .name = "transpose",
    .variants = "redistribute",
    .sizes = "N or MxN",
    .takes = OPTION_BIT(KEY_TO) | OPTION_BIT(KEY_BAND) | OPTION_BIT(KEY_CONJUGATE) |
             OPTION_BIT(KEY_DENSE),
    .read_size = read_size,
    .make = make_transposed,
    .plan = plan_transposition,
    .ready = ready,
    .residual = residual_transposed,
};

const struct operation operation_turn = {
    .name = "turn",
    .variants = "redistribute",
    .sizes = "N or MxN",
    .takes = OPTION_BIT(KEY_TO) | OPTION_BIT(KEY_BY),
    .read_size = read_size,
    .make = make_turned,
    .plan = plan_turn,
    .ready = ready,
    .residual = residual_turned,
};
