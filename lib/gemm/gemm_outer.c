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
 *   packet.  But neighbours in the order may overtake one another, and up to four panels meet at a
 *   node.  Along binomial trees they would meet on links too; so each node takes the panels that
 *   come at one time from different neighbours that are nearer to the owners.
 * Steps, words, memory, in place: tree_pipeline.h, with an example on 4 nodes.
 * Restriction: none. */
#include "gemm/outer.h"
#include "gemm/product.h"

struct outer {
  struct hy_product product;
  const struct hy_outer_kind *kind;
  int panels;                  /* K */
  struct hy_message *messages; /* of a step */
};

void hy_outer_layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_square_blocks(given, HYLA_GRAY, wanted);
}

hyla_status hy_outer_create(const struct hy_outer_kind *kind, const void *task, void **state) {
  TRY(hy_product_create(task, sizeof(struct outer), state));
  struct outer *o = *state;
  struct hy_product *p = &o->product;
  const struct hy_gemm_problem *problem = &p->task->problem;
  o->kind = kind;
  if (hy_product_is_guest(p)) return HYLA_OK;
  o->panels = (int)hy_max(problem->a.col.parts, problem->b.row.parts);
  TRY(hy_split_operand_on_trees(p->a, &kind->way, o->panels));
  TRY(hy_split_operand_on_trees(p->b, &kind->way, o->panels));
  hy_split_operand_cut_panels(p->a, p->b);
  TRY(hy_split_operand_timetable(p->a, p->b));
  return hy_split_operand_timetable(p->b, p->a);
}

/* The largest number of messages in one step. */
static int64_t most_messages(const struct hy_tree_pipeline *trees) {
  return trees->list[HY_TREE_IN].most + trees->list[HY_TREE_OUT].most;
}

hyla_status hy_outer_allocate(void *state) {
  struct outer *o = state;
  struct hy_product *p = &o->product;
  if (hy_product_is_guest(p)) return HYLA_OK;
  TRY(hy_product_allocate(state));
  return hy_alloc_for(&p->task->problem.cube->base, o,
                      most_messages(p->a->trees) + most_messages(p->b->trees), sizeof *o->messages,
                      &o->messages);
}

/* Adds the product of the x-th panels that are here. */
static hyla_status multiply(struct hy_product *p, int64_t x) {
  const struct hy_indices k =
      hy_split_operand_panel(p->a, p->a->trees->now[HY_TREE_HERE].leg[x].panel);
  struct hy_panel a, b;
  if (k.count == 0) return HYLA_OK;
  TRY(hy_split_operand_tree_here(p->a, x, &a));
  TRY(hy_split_operand_tree_here(p->b, x, &b));
  hy_result_add(&p->c, &a, &b, &k);
  return HYLA_OK;
}

hyla_status hy_outer_run(void *state) {
  struct outer *o = state;
  struct hy_product *p = &o->product;
  const struct hy_gemm_problem *problem = &p->task->problem;
  struct hy_step step;
  if (hy_product_is_guest(p)) return HYLA_OK;
  hy_step_make_in(problem->cube, o->messages, &step);
  hy_count_touched(problem->cube,
                   hy_gemm_touched(p->c.rows.count, p->c.cols.count, problem->k, o->panels));
  TRY(hy_product_begin(p));
  const struct hy_tree_group *here = &p->a->trees->now[HY_TREE_HERE];
  int64_t steps = hy_max(p->a->trees->steps, p->b->trees->steps);
  for (int t = 0; t < steps; t++) {
    hy_split_operand_tree_pass(p->a, t, &step); /* A(:, m) along the row, for all m that are here */
    hy_split_operand_tree_pass(p->b, t, &step); /* B(m, :) along the column */
    TRY(hy_step_start(&step));
    for (int64_t x = 0; x < here->count; x++) TRY(multiply(p, x)); /* C += A(:, m) B(m, :) */
    TRY(hy_step_wait(&step));
  }
  return hy_product_end(p);
}

void hy_outer_explain(const void *state, struct hy_text *text) {
  const struct outer *o = state;
  const struct hy_product *p = &o->product;
  const struct hy_gemm_problem *problem = &p->task->problem;
  if (!hy_product_is_guest(p) && !(problem->a.in_place && problem->b.in_place))
    hy_text_add(text, "  panels: %d, in %d packets each; at all nodes in %lld steps\n", o->panels,
                p->a->trees->packets, (long long)hy_split_operand_tree_all_steps(p->a, p->b));
  hy_published_count_explain(&o->kind->published, problem, text);
}

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

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  return hy_outer_create(variant == &hy_gemm_outer ? &IN_ORDER : &PIPELINED, given, state);
}

static const struct hy_gemm_traits TRAITS = {.layouts = hy_outer_layouts};

const struct hy_variant hy_gemm_outer = {
    .name = "outer",
    .reference = "johnsson-1987, section 5, MMC4.1",
    .traits = &TRAITS,
    .create = create,
    .allocate = hy_outer_allocate,
    .run = hy_outer_run,
    .explain = hy_outer_explain,
};

const struct hy_variant hy_gemm_outer_pipelined = {
    .name = "outer-pipelined",
    .reference = "johnsson-1987, section 5, MMC4.2",
    .traits = &TRAITS,
    .create = create,
    .allocate = hy_outer_allocate,
    .run = hy_outer_run,
    .explain = hy_outer_explain,
};
