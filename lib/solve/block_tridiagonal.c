/* Block tridiagonal systems: the operation, and its public calls. */
#include "job/job.h"
#include "solve/papers/papers.h"
#include "solve/solve.h"

#include <limits.h>
#include <string.h>

enum { BELOW, DIAGONAL, ABOVE, B };

static const struct hy_variant *const LIST[] = {&hy_block_tridiagonal_product, NULL};
const struct hy_family hy_tridiagonal_family = {.name = "tridiagonal", .rows = LIST};

/* The operation's own data in its job. */
struct own {
  struct hy_block_tridiagonal_problem system;
  int64_t singular;
};

/* ------------------------------------------------------------- the operation -- */

/* Blocks of rows and of columns that give every rank a part of each block. */
static hyla_layout good_layout(const hyla_cube *cube, int64_t order) {
  hyla_layout layout = {.row = hy_layout_side(cube, 1, true),
                        .col = hy_layout_side(cube, 1, false)};
  layout.row.block = hy_max(1, hy_ceil_div(order, hy_axis_parts(&layout.row)));
  layout.col.block = hy_max(1, hy_ceil_div(order, hy_axis_parts(&layout.col)));
  return layout;
}

static bool lies_straight(const struct hy_axis *axis) {
  return !axis->mirrored && axis->first == 0;
}
static bool serves(const hyla_matrix *diagonal) {
  return diagonal->unused_dims == 0 && lies_straight(&diagonal->row) &&
         lies_straight(&diagonal->col);
}

/* The axis of right-hand sides: their own if it lies over the columns' dimensions. */
static struct hy_axis across_of(const struct hy_axis *own, const struct hy_axis *col) {
  if (lies_straight(own) && own->code.dims == col->code.dims && own->code.code == col->code.code &&
      own->code.parts == col->code.parts &&
      memcmp(own->code.dim, col->code.dim, (size_t)col->code.dims) == 0)
    return *own;
  hyla_axis code = col->code;
  code.storage = HYLA_CYCLIC;
  code.block = hy_max(1, hy_ceil_div(own->n, col->parts));
  return hy_axis_make(&code, own->n);
}

static void begin(struct hy_job *job) {
  const hyla_matrix *diagonal = job->call.argument[DIAGONAL].matrix;
  const int64_t n = diagonal->row.n, order = diagonal->col.n;
  const hyla_layout layout = serves(diagonal) ? diagonal->layout : good_layout(job->cube, order);
  struct own *own = job->own;
  own->system = (struct hy_block_tridiagonal_problem){.cube = job->cube,
                                                      .k = job->k,
                                                      .order = order,
                                                      .row = hy_axis_make(&layout.row, n),
                                                      .col = hy_axis_make(&layout.col, order),
                                                      .singular = &own->singular};
  own->system.across = across_of(&job->call.argument[B].matrix->col, &own->system.col);
  job->operands = 4;
  for (int i = 0; i < job->operands; i++) job->operand[i] = hy_binding_of(&job->call.argument[i]);
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct hy_block_tridiagonal_problem *p = &((const struct own *)job->own)->system;
  (void)variant;
  for (int i = 0; i < job->operands; i++)
    wanted[i] = (struct hy_operand){p->row, i == B ? p->across : p->col, wanted[i].in_place,
                                    HYLA_REPLICATED};
}

static bool copies(const struct hy_job *job, const struct hy_variant *variant, int operand) {
  (void)variant;
  return job->operand[operand].matrix->unused_dims != 0;
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  struct hy_block_tridiagonal_task *t = task;
  (void)wanted;
  *t = (struct hy_block_tridiagonal_task){.system = ((const struct own *)job->own)->system,
                                          .below = matrix[BELOW],
                                          .diagonal = matrix[DIAGONAL],
                                          .above = matrix[ABOVE],
                                          .x = matrix[B]};
  t->system.cube = cube;
  t->system.k = hy_cube_kernels(cube, job->k->type);
}

/* All ranks find the same pivots, or all go on and agree at the end. */
static hyla_status compute(struct hy_job *job) {
  struct own *own = job->own;
  int64_t n = own->system.row.n, found = 0;
  own->singular = 0;
  TRY(hy_job_compute(job));
  if (own->singular > 0) found = n + 1 - own->singular;
  TRY(hy_cube_max(job->cube, &found, 1));
  CHECK(&job->cube->base, found == 0, SINGULAR,
        "a block on the diagonal is singular once the blocks below it are eliminated: the pivot of "
        "row %lld is exactly zero",
        (long long)(n + 1 - found));
  return HYLA_OK;
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const struct hy_block_tridiagonal_task *task = job->task;
  char d[HYLA_LAYOUT_TEXT], x[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&task->diagonal->layout, d, sizeof d);
  hyla_layout_format(&task->x->layout, x, sizeof x);
  hy_text_add(text,
              "  block tridiagonal, order %lld, %lld right-hand sides\n  blocks as %s%s; X as "
              "%s%s\n",
              (long long)task->diagonal->row.n, (long long)task->x->col.n, d,
              job->operand[DIAGONAL].view == NULL ? ", where they lie" : "", x,
              job->operand[B].view == NULL ? ", where B lies" : "");
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_tridiagonal_family,
                                              .together = true,
                                              .task = sizeof(struct hy_block_tridiagonal_task),
                                              .own = sizeof(struct own),
                                              .brought = "operands brought",
                                              .returned = "results brought back",
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .copies = copies,
                                              .compute = compute,
                                              .explain = explain};

/* ------------------------------------------------------------------- calls -- */

static struct hy_call system_of(const char *name, const hyla_matrix *below, hyla_matrix *diagonal,
                                hyla_matrix *above, hyla_matrix *b, const char *variant) {
  return (struct hy_call){.name = name,
                          .argument = {{"below", below, HYLA_NONE, "mk", NULL},
                                       {"diagonal", diagonal, HYLA_NONE, "mk", diagonal},
                                       {"above", above, HYLA_NONE, "mk", above},
                                       {"b", b, HYLA_NONE, "mn", b}},
                          .variant = variant,
                          .most = INT_MAX / 2};
}

/* Local. */
static hyla_status check_order(hyla_cube *cube, const hyla_matrix *diagonal) {
  if (cube == NULL || diagonal == NULL) return HYLA_OK; /* the call's check says so */
  CHECK(&cube->base, diagonal->col.n > 0 || diagonal->row.n == 0, ARGUMENT,
        "hyla_tridiagonal: diagonal has rows but no columns, whose number is the order of the "
        "blocks");
  return HYLA_OK;
}

hyla_status hyla_tridiagonal_plan(hyla_cube *cube, const hyla_matrix *below, hyla_matrix *diagonal,
                                  hyla_matrix *above, hyla_matrix *b, const char *variant,
                                  hyla_plan **plan) {
  const struct hy_call call =
      system_of("hyla_tridiagonal_plan", below, diagonal, above, b, variant);
  return hy_job_plan(cube, &operation, &call, check_order(cube, diagonal), plan);
}

hyla_status hyla_tridiagonal(hyla_cube *cube, const hyla_matrix *below, hyla_matrix *diagonal,
                             hyla_matrix *above, hyla_matrix *b) {
  const struct hy_call call = system_of("hyla_tridiagonal", below, diagonal, above, b, NULL);
  return hy_job_call(cube, &operation, &call, check_order(cube, diagonal));
}
