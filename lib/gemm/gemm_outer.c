/* Multiplication by outer products, in order or one started every step.
 *
 * Reference: Johnsson 1987, section 5.4, MMC4.1 and MMC4.2.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c array, so that the
 *   owners of successive panels are neighbours.
 * Method: C is the sum of the outer products A(:, m) B(m, :), added panel by panel in the order of
 *   m.  Each panel goes out from its owner along a binomial tree.  From one panel to the next each
 *   of a node's two distances from the owners changes by one at most.
 *   `outer' leaves two steps free between panels.  So they come to every node in their order, at
 *   most one at a time, as a factorization needs them.
 *   `outer-pipelined' leaves no step free and takes about a third of the steps, with panels of one
 *   packet. But neighbours in the order may overtake one another, and up to four panels meet at one
 *   node.  Along binomial trees they would meet on links too; so each node takes the panels that
 *   come at one time from different neighbours that are nearer to the owners.
 * Steps, words, memory, in place: tree_pipeline.h, with an example on 4 nodes.
 * Restriction: none. */
#include "gemm/outer.h"
#include "gemm/result.h"

struct outer {
  const struct hy_outer_kind *kind;
  const struct hy_gemm_task *task;
  int panels; /* K */
  struct hy_split_operand *a, *b;
  struct hy_result c;
  struct hy_message *messages; /* of a step */
};

void hy_outer_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_square_blocks(given, HYLA_GRAY, wanted);
}

hyla_status hy_outer_create(const struct hy_outer_kind *kind, const struct hy_gemm_task *task,
                            void **state) {
  const struct hy_gemm_problem *problem = &task->problem;
  hyla_cube *cube = problem->cube;
  struct outer *o = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *o, &o));
  *state = o;
  o->kind = kind;
  o->task = task;
  if (cube->address < 0) return HYLA_OK;
  o->panels = (int)hy_max(problem->a.col.parts, problem->b.row.parts);
  TRY(hy_split_operand_create(o, problem, HY_A, false, &o->a));
  TRY(hy_split_operand_create(o, problem, HY_B, true, &o->b));
  TRY(hy_split_operand_on_trees(o->a, &kind->way, o->panels));
  TRY(hy_split_operand_on_trees(o->b, &kind->way, o->panels));
  hy_split_operand_cut_panels(o->a, o->b);
  TRY(hy_split_operand_timetable(o->a, o->b));
  TRY(hy_split_operand_timetable(o->b, o->a));
  o->c = hy_result_make(o, problem, 0, cube->address);
  return HYLA_OK;
}

hyla_status hy_outer_allocate(void *state) {
  struct outer *o = state;
  hyla_cube *cube = o->task->problem.cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_split_operand_allocate(o->a, o->task));
  TRY(hy_split_operand_allocate(o->b, o->task));
  TRY(hy_result_allocate(&o->c, o->task));
  return hy_alloc_for(&cube->base, o,
                      hy_split_operand_tree_messages(o->a) + hy_split_operand_tree_messages(o->b),
                      sizeof *o->messages, &o->messages);
}

static hyla_status begin(struct outer *o) {
  const struct hy_gemm_problem *problem = &o->task->problem;
  hy_count_touched(problem->cube,
                   hy_gemm_touched(o->c.rows.count, o->c.cols.count, problem->k, o->panels));
  hy_result_begin(&o->c);
  TRY(hy_split_operand_begin(o->a));
  return hy_split_operand_begin(o->b);
}

/* Adds the product of the x-th panels that are here. */
static hyla_status multiply(struct outer *o, int64_t x) {
  const struct hy_indices k = hy_split_operand_panel(o->a, hy_split_operand_tree_number(o->a, x));
  struct hy_panel a, b;
  if (k.count == 0) return HYLA_OK;
  TRY(hy_split_operand_tree_here(o->a, x, &a));
  TRY(hy_split_operand_tree_here(o->b, x, &b));
  hy_result_add(&o->c, &a, &b, &k);
  return HYLA_OK;
}

hyla_status hy_outer_run(void *state) {
  struct outer *o = state;
  struct hy_step step;
  if (o->task->problem.cube->address < 0) return HYLA_OK;
  hy_step_make_in(o->task->problem.cube, o->messages, &step);
  TRY(begin(o));
  int steps = (int)hy_max(hy_split_operand_tree_steps(o->a), hy_split_operand_tree_steps(o->b));
  for (int t = 0; t < steps; t++) {
    hy_split_operand_tree_pass(o->a, t, &step); /* A(:, m) along the row, for all m that are here */
    hy_split_operand_tree_pass(o->b, t, &step); /* B(m, :) along the column */
    TRY(hy_step_start(&step));
    for (int64_t x = 0; x < hy_split_operand_tree_count(o->a); x++)
      TRY(multiply(o, x)); /* C += A(:, m) B(m, :) */
    TRY(hy_step_wait(&step));
  }
  TRY(hy_result_finish(&o->c));
  TRY(hy_split_operand_end(o->a));
  return hy_split_operand_end(o->b);
}

void hy_outer_explain(const void *state, struct hy_text *text) {
  const struct outer *o = state;
  const struct hy_gemm_problem *problem = &o->task->problem;
  if (problem->cube->address >= 0 && !(problem->a.in_place && problem->b.in_place))
    hy_text_add(text, "  panels: %d, in %d packets each; at all nodes in %lld steps\n", o->panels,
                hy_split_operand_tree_packets(o->a),
                (long long)hy_split_operand_tree_all_steps(o->a, o->b));
  hy_published_count_explain(&o->kind->published, problem, text);
}

/* --------------------------------------------------------------- trees -- */

static int root(int owner) { return owner; }

int64_t hy_outer_count(int64_t slots, int64_t s, int k) {
  (void)s;
  return (slots << k) + 2 * k - 1;
}

static int64_t count_in_order(int64_t slots, int64_t s, int k) {
  (void)s;
  return ((slots + 2) << k) + 2 * k - 3;
}

static const struct hy_outer_kind IN_ORDER = {
    .way = {root, .gap = 2, .apart = false},
    .published = {"5.5", "(q+2) 2^k + 2k - 3", "(s+2) 2^k + 2k - 3", count_in_order}};
static const struct hy_outer_kind PIPELINED = {
    .way = {root, .gap = 0, .apart = true},
    .published = {"5.6", "q 2^k + 2k - 1", "s 2^k + 2k - 1", hy_outer_count}};

static hyla_status create_in_order(const struct hy_variant *variant, const void *given,
                                   void **state) {
  (void)variant;
  return hy_outer_create(&IN_ORDER, given, state);
}

static hyla_status create_pipelined(const struct hy_variant *variant, const void *given,
                                    void **state) {
  (void)variant;
  return hy_outer_create(&PIPELINED, given, state);
}

static const struct hy_gemm_traits TRAITS = {.layouts = hy_outer_layouts};

const struct hy_variant hy_gemm_outer = {
    .name = "outer",
    .reference = "johnsson-1987, section 5, MMC4.1",
    .traits = &TRAITS,
    .create = create_in_order,
    .allocate = hy_outer_allocate,
    .run = hy_outer_run,
    .explain = hy_outer_explain,
};

const struct hy_variant hy_gemm_outer_pipelined = {
    .name = "outer-pipelined",
    .reference = "johnsson-1987, section 5, MMC4.2",
    .traits = &TRAITS,
    .create = create_pipelined,
    .allocate = hy_outer_allocate,
    .run = hy_outer_run,
    .explain = hy_outer_explain,
};
