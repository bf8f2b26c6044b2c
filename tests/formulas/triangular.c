/* The library's triangular systems in the simulator; see triangular.h. */
#include "triangular.h"
#include "formula.h"
#include "triangular_calls.h"

#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "solve/papers/block_jacobi.h"
#include "solve/trsm.h"

enum { K_MOST = 4, Q_MOST = 3 };

/* The part that is run.  Variants with identities on the diagonal: making the identities, and the
 * rest by trees or by products. */
enum way { SWEEP, IDENTITIES, TREES, PRODUCT };

/* L X = B, or with the transpose of a stored upper triangle, q 2^k x R, one element a block in Gray
 * code on 2^k x 2^k nodes.  All right-hand sides are on the first rank column; for products they
 * are cyclic. */
struct run {
  enum way way;
  int k;
  int64_t q, sides;
  bool transposed;
  bool runs; /* run; otherwise it is only planned */
};

static hyla_axis axis_of(int first, int dims, int64_t block) {
  hyla_axis axis = {.dims = dims, .code = HYLA_GRAY, .storage = HYLA_CYCLIC, .block = block};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(first + i);
  return axis;
}

static struct hy_triangular_problem problem_of(hyla_cube *cube, const struct run *r) {
  const hyla_axis high = axis_of(r->k, r->k, 1), low = axis_of(0, r->k, 1);
  int64_t share = r->way != SWEEP ? 1 : r->sides;
  const hyla_axis across = axis_of(r->transposed ? r->k : 0, r->k, share);
  int64_t n = r->q << r->k;
  struct hy_triangular_problem p = {.cube = cube, .k = hy_kernels_of(HYLA_DOUBLE), .sweep = true};
  p.t_row = hy_axis_make(&high, n);
  p.t_col = hy_axis_make(&low, n);
  p.x_row = r->transposed ? p.t_col : p.t_row;
  p.x_col = hy_axis_make(&across, r->sides);
  p.form = (struct hy_triangular){.block = 1,
                                  .side = HYLA_LEFT,
                                  .triangle = r->transposed ? HYLA_UPPER : HYLA_LOWER,
                                  .op = r->transposed ? HYLA_TRANSPOSE : HYLA_NONE,
                                  .diagonal = HYLA_ANY_DIAGONAL};
  return p;
}

/* The sweep, from right-hand sides on the first rank column to the solution on the diagonal. */
static hyla_status sweep(hyla_cube *cube, const struct run *r, hyla_matrix *t, hyla_matrix *x) {
  const struct hy_triangular_problem problem = problem_of(cube, r);
  struct hy_triangular_system system;
  char *owner = NULL;
  hyla_status status = hy_alloc(&cube->base, 1, 1, &owner);
  if (status == HYLA_OK) status = hy_triangular_create(owner, &problem, &system);
  if (status == HYLA_OK) status = hy_triangular_allocate(&system, t);
  if (status == HYLA_OK && r->runs) {
    const hyla_matrix sums = hy_sums_begin(&system.s, x);
    status = hy_sweep_sums(&system.s, &sums);
  }
  hy_free(&cube->base, &owner);
  return hy_agree(cube, status);
}

/* By trees: as the sweep.  By products: right-hand sides and solution stay where they lie. */
static hyla_status run_part(const struct hy_block_jacobi *e, enum way way, const hyla_matrix *x) {
  if (way == IDENTITIES) return hy_block_jacobi_prepare(e);
  if (way == PRODUCT) return hy_block_jacobi_product(e);
  const hyla_matrix sums = hy_sums_begin(&e->s, x);
  return hy_block_jacobi_trees(e, &sums);
}

static hyla_status identity(hyla_cube *cube, const struct run *r, hyla_matrix *t, hyla_matrix *x) {
  const struct hy_triangular_problem problem = problem_of(cube, r);
  struct hy_block_jacobi system;
  char *owner = NULL;
  hyla_status status = hy_alloc(&cube->base, 1, 1, &owner);
  if (status == HYLA_OK) status = hy_block_jacobi_make(owner, &problem, r->way == PRODUCT, &system);
  if (status == HYLA_OK) status = hy_block_jacobi_allocate(&system, t, x);
  if (status == HYLA_OK && r->runs) status = run_part(&system, r->way, x);
  hy_free(&cube->base, &owner);
  return hy_agree(cube, status);
}

static hyla_status make(const struct hy_triangular_problem *p, const struct hy_axis *row,
                        const struct hy_axis *col, hyla_matrix **m) {
  const hyla_layout layout = {.row = row->code, .col = col->code, .rest = HYLA_REPLICATED};
  return hy_matrix_make(p->cube, p->k->type, row->n, col->n, &layout, m);
}

static hyla_status body(hyla_cube *cube, void *arg) {
  const struct run *r = arg;
  const struct hy_triangular_problem p = problem_of(cube, r);
  hyla_matrix *t = NULL, *x = NULL;
  hyla_status status = make(&p, &p.t_row, &p.t_col, &t);
  if (status == HYLA_OK) status = make(&p, &p.x_row, &p.x_col, &x);
  if (status == HYLA_OK) status = r->way == SWEEP ? sweep(cube, r, t, x) : identity(cube, r, t, x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&t);
  return status;
}

/* The units in sequence; all nodes end the planning at the same time. */
static int64_t counted(struct run run, double beta, double gamma) {
  const hyla_simulation model = {
      .dims = 2 * run.k, .ports = HYLA_ALL_PORTS, .beta = beta, .gamma = gamma, .dry = true};
  double time[2];
  for (int runs = 0; runs < 2; runs++) {
    hyla_report report;
    run.runs = runs == 1;
    if (hyla_simulate(&model, body, &run, &report) != HYLA_OK) fail_msg("%s", report.message);
    time[runs] = report.time;
  }
  return (int64_t)(time[1] - time[0]);
}

static const char ONE_SIDE[] = "2 (N - 1)";
static const char SIDES[] = "max(2 2^k, 2R)(q - 1) + 2 2^k + R - 3";

static int64_t published(const struct run *r) {
  struct formula_names names = {0};
  formula_set(&names, "k", r->k);
  formula_set(&names, "q", r->q);
  formula_set(&names, "R", r->sides);
  formula_set(&names, "N", r->q << r->k);
  return formula_whole(r->sides == 1 ? ONE_SIDE : SIDES, &names);
}

/* As published as long as at most 2^k right-hand sides keep no link busy for a round, then fewer:
 * here sums cross each link once, in the paper those for this round and those for the next one
 * do. */
static void check(struct run run) {
  int64_t side = INT64_C(1) << run.k, busy = hy_max(2 * side, run.sides);
  int64_t found = counted(run, 0.125, 0);
  harness_note("k = %d, q = %d, R = %d%s", run.k, (int)run.q, (int)run.sides,
               run.transposed ? ", transposed" : "");
  assert_int_equal(found, busy * (run.q - 1) + 2 * side + run.sides - 3);
  assert_true(found <= published(&run));
  if (run.sides <= side) assert_int_equal(found, published(&run));
}

/* A row of the page: the published and the counted values for q = 1, 2 and all k. */
static void print_row(FILE *page, const char *theorem, const char *formula, int64_t nrhs) {
  fprintf(page, "| sweep | %s | %s | 1-%d |", theorem, formula, K_MOST);
  for (int simulated = 0; simulated < 2; simulated++) {
    if (nrhs > 1) fprintf(page, " R = %d:", (int)nrhs);
    for (int k = 1; k <= K_MOST; k++)
      for (int q = 1; q <= 2; q++) {
        const struct run run = {.k = k, .q = q, .sides = nrhs};
        fprintf(page, " %d", (int)(simulated ? counted(run, 0.125, 0) : published(&run)));
      }
    fprintf(page, " |");
  }
  fprintf(page, "\n");
}

/* A division, and for each unknown except the last a multiplication and a subtraction before the
 * next division. */
static void check_arithmetic(void) {
  for (int k = 1; k <= K_MOST; k++)
    assert_int_equal(counted((struct run){.k = k, .q = 1, .sides = 1}, 0, 1),
                     3 * ((1 << k) - 1) + 1);
}

/* ------------------------------------------------ identities on the diagonal -- */

static int64_t share_of(const struct run *r) { return hy_ceil_div(r->sides, INT64_C(1) << r->k); }

/* Theorems 6.4 and 6.5. */
static int64_t published_trees(const struct run *r) {
  return (r->q - 1) * (2 * r->k + r->sides - 1) + r->k;
}
static int64_t published_product(const struct run *r) {
  int64_t share = share_of(r);
  return r->q * (r->q - 1) * share * (INT64_C(1) << r->k) / 2 +
         hy_max(r->q - 1, 2 * share) * r->q / 2 + r->k - 1;
}

/* Groups leave again as soon as their sums have come, or as soon as all groups before them have
 * left. */
static int64_t soon(const struct run *r) {
  if (r->q == 1) return 0;
  return (r->q - 2) * hy_max(2 * r->k, r->sides) + 3 * r->k + r->sides - 1;
}
static void check_trees(struct run run) {
  int64_t arithmetic = run.q * (run.q - 1) * run.sides;
  assert_int_equal(counted(run, 0.125, 0), soon(&run));
  assert_true(soon(&run) <= published_trees(&run));
  if (run.q == 2) assert_int_equal(soon(&run), published_trees(&run));
  /* The paper does not count the additions on the way. */
  int64_t operations = counted(run, 0, 1);
  assert_true(operations >= arithmetic);
  assert_true(operations <= arithmetic + run.k * run.q * run.sides);
}

/* The block column of a span and its rows of X travel once, at the same time. */
static void check_product(struct run run) {
  int64_t side = INT64_C(1) << run.k, share = share_of(&run), words = 0;
  for (int64_t later = 1; later < run.q; later++) words += hy_max(later, share);
  assert_int_equal(counted(run, 0.125, 0), words * (side - 1));
  assert_true(words * (side - 1) < published_product(&run));
  assert_int_equal(counted(run, 0, 1), run.q * (run.q - 1) * share * side);
}

static void check_identities(struct run run) {
  harness_note("k = %d, q = %d, R = %d%s, identities first", run.k, (int)run.q, (int)run.sides,
               run.transposed ? ", transposed" : "");
  run.way = TREES;
  check_trees(run);
  run.way = PRODUCT;
  check_product(run);
  run.way = IDENTITIES;
  assert_true(counted(run, 0.125, 0) > 0);
}

/* The same systems through the public call: the part that the theorem counts must take what it
 * takes alone, and if that is the published count the plan must say so. */
static void check_call(const struct run *run, const char *variant, hyla_side side, int64_t counts,
                       int64_t theorem) {
  const struct triangular_call call = {.variant = variant,
                                       .k = run->k,
                                       .q = run->q,
                                       .nrhs = run->sides,
                                       .side = side,
                                       .transposed = run->transposed};
  int64_t told = 0;
  assert_int_equal(triangular_call_check(&call, &told), counts);
  assert_int_equal(told, theorem);
}

static void check_calls(struct run run) {
  int64_t side = INT64_C(1) << run.k, share = share_of(&run), words = 0;
  const hyla_side from = harness_draw(0, 1) ? HYLA_LEFT : HYLA_RIGHT;
  for (int64_t later = 1; later < run.q; later++) words += hy_max(later, share);
  int64_t sweep = hy_max(2 * side, run.sides) * (run.q - 1) + 2 * side + run.sides - 3;
  check_call(&run, "sweep", from, sweep, published(&run));
  check_call(&run, "identity", from, soon(&run), published_trees(&run));
  check_call(&run, "product", from, words * (side - 1), published_product(&run));
}

/* As print_row, for q = 2, 3. */
static void print_identities(FILE *page, struct run run, const char *start, const char *end,
                             int64_t (*from)(const struct run *)) {
  fprintf(page, "%s", start);
  for (int k = 1; k <= K_MOST; k++)
    for (int64_t q = 2; q <= 3; q++) {
      run.k = k;
      run.q = q;
      fprintf(page, " %d", (int)(from != NULL ? from(&run) : counted(run, 0.125, 0)));
    }
  fprintf(page, "%s", end);
}

static void print_all_identities(FILE *page) {
  const struct run product = {.way = PRODUCT, .sides = 1}, first = {.way = IDENTITIES, .sides = 1};
  static const int sides[] = {1, 2, 16, 33};
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    const struct run trees = {.way = TREES, .sides = sides[i]};
    char given[20] = "";
    if (sides[i] > 1) snprintf(given, sizeof given, " R = %d:", sides[i]);
    fprintf(page, "| identity | 6.4 (J35, J37) | (q - 1)(2k + R - 1) + k | 1-4 |%s", given);
    print_identities(page, trees, "", " |", published_trees);
    print_identities(page, trees, given, " |\n", NULL);
  }
  print_identities(page, product,
                   "| product | 6.5 (J36, J37) | q(q - 1) r 2^(k-1) + max((q - 1)/2, r) q + k - 1 "
                   "| 1-4 |",
                   " |", published_product);
  print_identities(page, product, "", " |\n", NULL);
  print_identities(page, first, "| both: the identities | not counted there | | 1-4 | |", " |\n",
                   NULL);
}

static void print_sweeps(FILE *page) {
  fprintf(page,
          "\n## Triangular systems, element by element\n\n"
          "johnsson-1987, section 6.4: the library's own column sweep, run by the simulator with\n"
          "all ports, on N = q 2^k equations element-cyclic on 2^k x 2^k nodes under Gray code,\n"
          "from right-hand sides on the first rank column to the solution on the diagonal; R\n"
          "right-hand sides go one behind the other.  With the transpose stored the same (J37,\n"
          "simulated too). Equal for R to 2^k and for q = 1, else fewer: max(2 2^k, R)(q - 1) + 2\n"
          "2^k + R - 3.  The paper sends the sums for the blocks at hand and behind them those\n"
          "for the next 2^k; here each block's sums go round the ring of rank columns once, and\n"
          "so cross half as many links.  A block of the solution goes only to ranks with unknowns\n"
          "to come.  The arithmetic is 3 (2^k - 1) + 1 steps for N = 2^k, equal to theorem 6.2's.\n"
          "One more reduction brings the solution to the place of the right-hand sides.\n"
          "The same counts are those of the parts of a run of hyla_trsm_plan, as the commands\n"
          "at the end of this page show: `time to: solution on the diagonal`.\n"
          "\n"
          "| variant | theorem | communications | k | N = 2^k and 2^(k+1), k = 1 ... 4: paper | "
          "simulated |\n|---|---|---|---|---|---|\n");
  print_row(page, "6.2 (J33, J37)", ONE_SIDE, 1);
  print_row(page, "6.3 (J34, J37)", SIDES, 2);
  print_row(page, "6.3 (J34, J37)", SIDES, 16);
  print_row(page, "6.3 (J34, J37)", SIDES, 33);
}

/* The two readings of theorem 6.5, and the counted value, where they differ most. */
static void print_readings(FILE *page) {
  enum { Q = 5 };
  fprintf(
      page,
      "\nTheorem 6.5's bracket is lost in print: max((q-1)/2, r) q + k - 1, as above, or\n"
      "max((q-1)/2, r q + k - 1).  They agree for q = 2 and 3 and r = 1.  The first is taken:\n"
      "max((q-1)/2, r) q approximates the sum of max(j, r) over j = 1 ... q-1, the elements of\n"
      "block columns and block rows that set out, which the second does not.  For q = 5, r = "
      "1:\n\n"
      "| k | as read here | the other reading | simulated |\n|---|---|---|---|\n");
  for (int k = 1; k <= K_MOST; k++) {
    const struct run run = {.way = PRODUCT, .k = k, .q = Q, .sides = 1};
    int64_t products = Q * (Q - 1) * (INT64_C(1) << k) / 2, found = counted(run, 0.125, 0);
    assert_int_equal(published_product(&run), products + 2 * Q + k - 1);
    assert_int_equal(found, (1 + 2 + 3 + 4) * ((INT64_C(1) << k) - 1));
    fprintf(page, "| %d | %d | %d | %d |\n", k, (int)published_product(&run),
            (int)(products + hy_max((Q - 1) / 2, Q + k - 1)), (int)found);
  }
}

static void print_all(FILE *page) {
  print_sweeps(page);
  fprintf(
      page,
      "\n"
      "Systems with identities on the diagonal, simulated alike, with right-hand sides cyclic\n"
      "over the rank columns, r = ceil(R / 2^k); `identity` ends with the solution on the\n"
      "diagonal, `product` where right-hand sides lay.  The theorems suppose the identities,\n"
      "so a row of its own has the steps that make them: q elements of block columns along the\n"
      "rank rows and q (q-1)/2 + q r elements of block rows down the rank columns, 2^k times,\n"
      "by broadcasts.  `identity`: (q-2) max(2k, R) + 3k + R - 1 for q > 1, nothing for q =\n"
      "1, since right-hand sides leave again as soon as their own sums are there; equal for q\n"
      "= 2, and for R = 1 if q > 1, else fewer, for q > 2 by (q-2)(min(2k, R) - 1).  The\n"
      "first 2k right-hand sides come to the diagonal along their rank rows, ahead of the\n"
      "sums; the others in the rank row beside, by links that the sums leave free.  The\n"
      "arithmetic is q (q-1) R, and at most k q R additions of sums on their way, which the\n"
      "paper leaves out.  `product`: the sum of max(j, r) (2^k-1) over j = 1 ... q-1,\n"
      "always fewer, since a block column travels once for all right-hand sides of a rank,\n"
      "and at the same time as the rows of the solution; the arithmetic is q (q-1) r 2^k,\n"
      "equal.  The transposed forms count the same (J37, simulated too).\n"
      "\n"
      "| variant | theorem | communications | k | q = 2, 3, k = 1 ... 4: paper | simulated "
      "|\n|---|---|---|---|---|---|\n");
  print_all_identities(page);
  print_readings(page);
}

void triangular_check_all(FILE *page) {
  static const int sides[] = {1, 2, 3, 4, 7, 9, 11, 16, 33};
  enum { CASES = Q_MOST * 2 * (sizeof sides / sizeof *sides) };
  for (int k = 1; k <= K_MOST; k++) {
    struct harness_walk walk = harness_walk(CASES, k < K_MOST ? CASES : CASES / 8);
    for (int64_t i; harness_next(&walk, &i);) {
      const struct run run = {.k = k,
                              .q = 1 + i % Q_MOST,
                              .sides = sides[i / (2 * Q_MOST)],
                              .transposed = i / Q_MOST % 2 == 1};
      check(run);
      check_identities(run);
      if (k < K_MOST || run.sides <= 4) check_calls(run);
    }
  }
  check_arithmetic();
  print_all(page);
}
