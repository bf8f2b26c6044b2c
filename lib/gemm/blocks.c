/* Operands in consecutive blocks on both axes, the layout of most papers' variants. */
#include "gemm/panel.h"

/* A side that is no power of two has no Gray code. */
static hyla_axis in_blocks(const hyla_axis *axis, hyla_code code) {
  hyla_axis blocks = *axis;
  blocks.code = axis->parts > 0 ? HYLA_BINARY : code;
  blocks.binary = 0;
  blocks.storage = HYLA_CONSECUTIVE;
  blocks.block = 0;
  return blocks;
}

static bool lies_in_blocks(const struct hy_axis *axis, hyla_code code) {
  hyla_axis blocks = in_blocks(&axis->code, code);
  struct hy_axis wanted = hy_axis_make(&blocks, axis->n);
  return hy_axis_equal(axis, &wanted);
}

void hy_gemm_blocks(const struct hy_gemm_problem *given, hyla_code code,
                    struct hy_gemm_problem *wanted) {
  hyla_layout array;
  const struct hy_operand *c = &given->c;
  /* C stays on its own array if it lies in such blocks.  Otherwise it moves anyway, and then best
   * to the squarest array. */
  if (lies_in_blocks(&c->row, code) && lies_in_blocks(&c->col, code))
    array = (hyla_layout){.row = c->row.code, .col = c->col.code};
  else
    (void)hyla_layout_default(given->cube, given->m, given->n, &array);
  array.row = in_blocks(&array.row, code);
  array.col = in_blocks(&array.col, code);
  wanted->c.row = hy_axis_make(&array.row, given->m);
  wanted->c.col = hy_axis_make(&array.col, given->n);
  wanted->a.row = wanted->c.row;
  wanted->b.col = wanted->c.col;
  int panels = hy_inner_panels(wanted->c.row.parts, wanted->c.col.parts);
  wanted->a.col = hy_inner_axis(&wanted->c.col.code, given->k, panels);
  wanted->b.row = hy_inner_axis(&wanted->c.row.code, given->k, panels);
}

/* Block-cyclic storage over the dimensions of an axis, in one code. */
static hyla_axis dealt(const hyla_axis *axis, hyla_code code, int64_t block) {
  hyla_axis cyclic = in_blocks(axis, code);
  cyclic.storage = HYLA_CYCLIC;
  cyclic.block = block;
  return cyclic;
}

static bool is_dealt(const struct hy_axis *axis, hyla_code code) {
  if (axis->code.storage != HYLA_CYCLIC) return false;
  const hyla_axis cyclic = dealt(&axis->code, code, axis->code.block);
  const struct hy_axis wanted = hy_axis_make(&cyclic, axis->n);
  return hy_axis_equal(axis, &wanted);
}

void hy_gemm_square_blocks(const struct hy_gemm_problem *given, hyla_code code,
                           struct hy_gemm_problem *wanted) {
  const struct hy_axis *row = &given->c.row, *col = &given->c.col;
  bool links = given->cube->session.machine.network == HYLA_NETWORK_CUBE;
  bool stays = lies_in_blocks(row, code) && lies_in_blocks(col, code);
  if (!links || stays || row->parts != col->parts || !is_dealt(row, code) || !is_dealt(col, code)) {
    hy_gemm_blocks(given, code, wanted);
    return;
  }
  int64_t block = is_dealt(&given->a.col, code) ? given->a.col.code.block : col->code.block;
  const hyla_axis rows = dealt(&row->code, code, row->code.block);
  const hyla_axis cols = dealt(&col->code, code, col->code.block);
  const hyla_axis of_a = dealt(&col->code, code, block), of_b = dealt(&row->code, code, block);
  wanted->a.row = wanted->c.row = hy_axis_make(&rows, given->m);
  wanted->b.col = wanted->c.col = hy_axis_make(&cols, given->n);
  wanted->a.col = hy_axis_make(&of_a, given->k);
  wanted->b.row = hy_axis_make(&of_b, given->k);
}

const char *hy_gemm_whole(const void *task) {
  const struct hy_gemm_task *asked = task;
  return asked->problem.part == HY_WHOLE
             ? NULL
             : "it computes whole blocks of C, and a triangle is asked for";
}
