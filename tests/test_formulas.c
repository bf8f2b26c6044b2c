/* Every closed form of the papers on collectives, exactly: the verifier's steps,
 * words and times of whole cubes against the formula, as rationals.  Writes what
 * was checked to formulas.md in the current folder and compares that with
 * doc/formulas.md; to renew the latter, copy the former over it. */
#include "cases.h"
#include "conversions.h"
#include "eliminations.h"
#include "gemm_3d.h"
#include "mmc.h"
#include "partitions.h"
#include "tags.h"
#include "triangular.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *page;

/* The largest cube on which a row is verified; past 8 only where schedules are short. */
static int deepest(const struct hy_collective_variant *row) {
  bool wide = row->task == HY_TASK_BROADCAST || strcmp(row->row.name, "inversion") == 0 ||
              strncmp(row->row.name, "corner", 6) == 0;
  return wide ? 10 : 8;
}

/* What keeps a row from being equal to the paper's formula somewhere. */
static const char *remark(enum hy_task task, const char *name) {
  static const struct {
    enum hy_task task;
    const char *name;
    const char *text;
  } remarks[] = {
      {HY_TASK_BROADCAST, "sw90-3a",
       "equal for d >= 2; d = 1 takes one step, for what returns to the root is not sent"},
      {HY_TASK_ALLGATHER, "v92",
       "equal; d = 1 takes one step less, nothing has to be packed; V13's bound "
       "ceil(2^d/d) + 2d - 1 holds"},
      {HY_TASK_PARTIAL, "v92-1", "equal, counting steps in which nothing needs to move"},
      {HY_TASK_PARTIAL, "v92-2", "equal, counting such steps; within V11's (M/d)(N-1)/N + 2"},
      {HY_TASK_PARTIAL, "v92-3", "equal, counting such steps; within V12's ceil(M/d) + 2d - 1"},
      {HY_TASK_SCATTER, "sw90-2", "equal with tau m / beta large"},
      {HY_TASK_BROADCAST, "sw90-4",
       "equal; least at g^2 = (d-1) tau m / (d beta): tau m / d + 2 sqrt((d-1) beta tau m / d) + "
       "(d-1) beta"},
      {HY_TASK_PERMUTE, "corner-4",
       "equal; least, for d >= 2: tau m / d + 2 sqrt((K(d-1)-1) beta tau m / d) + (d-1) beta"},
      {HY_TASK_PERMUTE, "arbitrary-1",
       "equal; least, for n >= 2: tau m / n + 2 sqrt((K(n-1)-1) beta tau m / n) + (n-1) beta"},
      {HY_TASK_PERMUTE, "arbitrary-2",
       "equal; least, with s = min(n+1,d-1): tau m / d + 2 sqrt(s beta tau m / d) + s beta"},
      {HY_TASK_PERMUTE, "arbitrary-3",
       "equal; the second is X.O.C. SEND 2 for its m / d, with g = 1 X.O.C. SEND 1"},
      {HY_TASK_REDUCE_SCATTER, "sw90",
       "equal; HISTOGRAM of m' = 2^d m bins: (1 - 2^-d) tau m' / d + d beta"},
      {HY_TASK_PERMUTE, "transpose", "equal; half of the recursive one"},
      {HY_TASK_PERMUTE, "recursive", "equal; g = m: 2^(2(n-k)) + 2k - 1"},
      {HY_TASK_PERMUTE, "gray", "equal; g = m = M: n + M - 2; d < 2 takes none"},
      {HY_TASK_PERMUTE, "torus", "equal; g = m = 1: 2^k"},
      {HY_TASK_PERMUTE, "torus-paths", "equal; 2 g = m: (m/2 + 1) 2^(k-1)"},
      {HY_TASK_PERMUTE, "mesh", "equal; g = m = 1: 2 (2^k - 1)"},
      {HY_TASK_PERMUTE, "rotate-disjoint", "equal; found for every i, see doc/theory.md"},
      {HY_TASK_EXCHANGE, "v92-band", "equal for all b < d, see tests/test_variants"},
      {HY_TASK_EXCHANGE, "pipelined", "equal; g = m = 1: 2^(n-1) + n - 1"},
      {HY_TASK_EXCHANGE, "direct", "equal with lambda + delta for beta, but for the shuffle"},
      {HY_TASK_EXCHANGE, "standard", "equal, but for the shuffles, which it does without"},
      {HY_TASK_EXCHANGE, "multiphase", "equal, but for the shuffles, which it does without"},
  };
  for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
    if ((remarks[i].task == task || remarks[i].task == hy_task_forward(task)) &&
        strcmp(remarks[i].name, name) == 0)
      return remarks[i].text;
  return "equal";
}

/* One case; returns the length m that it was checked for, 0 if it was too large. */
static int64_t check(const struct hy_collective_variant *row, enum hy_task task, int d, int times) {
  struct hy_collective collective = {.task = task,
                                     .dims = d,
                                     .band = draw_band(row, d),
                                     .groups = times,
                                     .tau = 1000,
                                     .beta = 1000,
                                     .active = active,
                                     .to = to};
  draw(row, d);
  collective.blocks.words = times;
  struct hy_form form = row->form(&collective);
  collective.blocks.words = times * form.divisor;
  /* What is slowest may depend on the length. */
  while (form = row->form(&collective), collective.blocks.words % form.divisor != 0)
    collective.blocks.words *= form.divisor;
  if (hy_variant_refuses(row, &collective) != NULL) return 0;
  collective.root = task >= HY_TASK_ALLGATHER ? 0 : (uint32_t)harness_draw(0, (1 << d) - 1);
  struct hy_network network = network_of(row, &collective);
  bool cut = network.dry && row->free_running && row->task == HY_TASK_SCATTER;
  if (network.dry && row->free_running && !cut) return 0;
  harness_note("%s %s, d = %d, m = %lld, root %u", hy_task_name(task), row->row.name, d,
               (long long)collective.blocks.words, collective.root);
  struct hy_verdict verdict =
      cut ? verify_cuts(row, &collective, &network) : verify(row, &collective, &network);
  form = row->form(&collective);
  assert_form(row, &network, &verdict, &form, collective.blocks.words);
  return collective.blocks.words;
}

static void check_row(const struct hy_collective_variant *row, enum hy_task task) {
  int last = 0;
  int trials = strncmp(row->row.name, "arbitrary", 9) == 0 ? 5 : 1; /* distances */
  for (int d = 0; d <= deepest(row); d++)
    for (int times = 1; times <= (d > 8 ? 1 : 3); times += 2)
      for (int trial = 0; trial < trials; trial++)
        if (check(row, task, d, times) > 0) last = d;
  fprintf(page, "| %s | %s | %s | %s | 0-%d | %s |\n", hy_task_name(task), row->row.name,
          row->row.reference, row->formula, last, remark(task, row->row.name));
}

static void every_row_is_exactly_its_closed_form(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  fprintf(page, "| collective | variant | reference | time | d | result |\n"
                "|---|---|---|---|---|---|\n");
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    int count = tasks_of(row, tasks);
    for (int i = 0; i < count; i++) check_row(row, tasks[i]);
  }
}

/* Johnsson 1987, lemma 3.5: broadcasts down spanning binomial trees from roots that
 * follow each other in the Gray code, one started every second step. */
static hyla_status make_gray_broadcasts(const struct hy_generator *generator, uint32_t node,
                                        struct hy_schedule *out) {
  int d = generator->dims;
  for (uint32_t i = 0; i >> d == 0; i++) {
    uint32_t root = hy_gray(i);
    struct hy_piece piece = {.block = root, .run = 1, .from = 0, .to = 1};
    uint32_t mine = node ^ root;
    int start = 2 * (int)i;
    uint32_t parent = mine == 0 ? 0 : hy_binomial_parent(mine);
    if (mine != 0)
      TRY(hy_schedule_add(out, start + hy_popcount(parent), mine ^ parent, HY_IN, piece));
    for (uint32_t bit = 1; bit >> d == 0; bit <<= 1)
      if ((mine & bit) == 0 && hy_binomial_parent(mine | bit) == mine)
        TRY(hy_schedule_add(out, start + hy_popcount(mine), bit, HY_OUT, piece));
  }
  return HYLA_OK;
}

/* They meet on no link and arrive everywhere in the order in which they started. */
static void gray_broadcasts_keep_their_order(void **state) {
  (void)state;
  struct hy_network all_ports = {.tau = 1, .beta = 0};
  for (int d = 1; d <= 8; d++) {
    struct hy_generator broadcasts = {make_gray_broadcasts, .dims = d, .numbered = true};
    struct hy_collective task = {.task = HY_TASK_ALLGATHER, .dims = d, .blocks = {.words = 1}};
    harness_note("d = %d", d);
    struct hy_verdict verdict = paper_sound(&broadcasts, &task, &all_ports);
    assert_int_equal(verdict.planned, 2 * ((1 << d) - 1) + d);
    for (uint32_t node = 0; node >> d == 0; node++)
      for (uint32_t i = 0; (i + 1) >> d == 0; i++)
        assert_true(2 + hy_popcount(node ^ hy_gray(i + 1)) > hy_popcount(node ^ hy_gray(i)));
  }
  fprintf(page, "| successive broadcasts | binomial trees | johnsson-1987, lemma 3.5 (J17) | "
                "2 (2^d-1) + d steps for 2^d messages, in order everywhere | 1-8 | equal |\n");
}

/* Transposition of an N x N matrix by rows is a total exchange of N^2 / 4^d words. */
static void transposition_by_rows_is_an_exchange(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "sw90-sym");
  for (int d = 1; d <= 6; d++) {
    int64_t n = (int64_t)d << d; /* d 2^d rows */
    struct hy_collective task = {
        .task = HY_TASK_EXCHANGE, .dims = d, .blocks = {.words = (n >> d) * (n >> d)}};
    struct hy_network network = network_of(row, &task);
    struct hy_verdict verdict = verify(row, &task, &network);
    assert_int_equal(verdict.words << (d + 1), n * n);
    assert_int_equal(verdict.steps, d);
  }
  fprintf(page, "| transposition by rows | exchange sw90-sym | stout-wagar-1990, section 1.6 | "
                "tau N^2 / 2^(d+1) + d beta | 1-6 | equal |\n");
}

/* Varvarigos 1992: tags, neighbourhoods, packing. */
static void tags_of_isotropic_tasks(void **state) {
  (void)state;
  tags_check_all(page);
}

/* Johnsson 1987, section 4, beside Stout and Wagar: a 2^n x 2^n matrix on a 2^k x 2^k
 * array, words that travel one by one; theorem 4.3 bounds what a torus can do. */
static int64_t transposed_in(const char *name, int k, int64_t m, int groups) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, name);
  struct hy_collective task = {
      .task = HY_TASK_PERMUTE, .dims = 2 * k, .groups = groups, .to = to, .blocks = {.words = m}};
  draw(row, 2 * k);
  struct hy_network network = network_of(row, &task);
  struct hy_verdict verdict = verify(row, &task, &network);
  assert_int_equal(verdict.words, verdict.steps); /* words go one by one */
  return verdict.steps;
}

static void transposes_word_by_word(void **state) {
  (void)state;
  fprintf(page,
          "\n## Transposition word by word\n\n"
          "Steps for a 2^n x 2^n matrix on 2^k x 2^k nodes, one word on a link in a step, as\n"
          "johnsson-1987, section 4 counts; m = 4^(n-k) words a node.  Two paths take S + 1\n"
          "steps, S the largest j p of j = 1 ... k, p the least with 2 j p >= m, at least 2 for\n"
          "j > 1: fewer than theorems 4.1 and 4.2.  The bound is theorem 4.3's.\n\n"
          "| k | n | recursive m + 2k - 1 | two paths | torus (m+1) 2^(k-1) | on two paths "
          "(ceil(m/2)+1) 2^(k-1) | mesh (m+1)(2^k-1) | torus at least |\n"
          "|---|---|---|---|---|---|---|---|\n");
  for (int k = 1; k <= 3; k++)
    for (int n = k; n <= k + 3; n++) {
      int64_t m = (int64_t)1 << (2 * (n - k)), side = (int64_t)1 << k;
      int64_t recursive = transposed_in("recursive", k, m, (int)m);
      int64_t torus = transposed_in("torus", k, m, (int)m);
      int64_t paths = transposed_in("torus-paths", k, m, (int)hy_ceil_div(m, 2));
      int64_t mesh = transposed_in("mesh", k, m, (int)m);
      /* theorem 4.3: 4^n (1 - 2^-k) / (8 (2^k - 1)) = 4^n / 2^(k+3) */
      double bound = (double)((int64_t)1 << (2 * n)) / (double)(8 * side);
      int64_t two = transposed_in("transpose", k, m, (int)hy_ceil_div(m, 2)), most = 0;
      for (int j = 1; j <= k; j++)
        most = hy_max(most, j * hy_max(1 + (j > 1), hy_ceil_div(m, 2 * j)));
      assert_int_equal(recursive, m + 2 * k - 1);
      assert_int_equal(torus, (m + 1) * side / 2);
      assert_int_equal(paths, (hy_ceil_div(m, 2) + 1) * side / 2);
      assert_int_equal(mesh, (m + 1) * (side - 1));
      assert_true((double)paths >= bound && (double)torus >= bound && (double)mesh >= bound);
      assert_true(two <= most + 1);
      if (m % (2 * most) == 0) assert_int_equal(two, most + 1);
      fprintf(page, "| %d | %d | %lld | %lld | %lld | %lld | %lld | %g |\n", k, n,
              (long long)recursive, (long long)two, (long long)torus, (long long)paths,
              (long long)mesh, bound);
    }
}

/* Corollary 3.5 beside Varvarigos: a 2^n x 2^n matrix, a row on each of 2^n nodes. */
static void transposes_on_a_line(void **state) {
  (void)state;
  fprintf(page, "\n## Transposition of a 2^n x 2^n matrix on 2^n nodes, word by word\n\n"
                "| n | pipelined 2^(n-1) + n - 1 (johnsson-1987, corollary 3.5) | coloured 2^(n-1) "
                "(varvarigos-1992, theorem 5) |\n|---|---|---|\n");
  for (int d = 1; d <= 8; d++) {
    int64_t steps[2];
    static const char *const names[] = {"pipelined", "v92"};
    for (int i = 0; i < 2; i++) {
      const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, names[i]);
      struct hy_collective task = {
          .task = HY_TASK_EXCHANGE, .dims = d, .groups = 1, .blocks = {.words = 1}};
      struct hy_network network = network_of(row, &task);
      steps[i] = verify(row, &task, &network).steps;
    }
    assert_int_equal(steps[0], (1 << (d - 1)) + d - 1);
    assert_int_equal(steps[1], 1 << (d - 1));
    fprintf(page, "| %d | %lld | %lld |\n", d, (long long)steps[0], (long long)steps[1]);
  }
}

/* Nicol and Bokhari: (1), (2), the theorems, the iPSC/860. */
static void multiphase_exchanges(void **state) {
  (void)state;
  partitions_check_all(page);
}

/* Johnsson 1987, section 5. */
static void multiplications_by_elements(void **state) {
  (void)state;
  mmc_check_all(page);
  gemm_elements_check_all(page);
}

/* Berntsen; Dekel, Nassimi and Sahni; 3-D All; Ho, Johnsson and Edelman. */
static void multiplications_by_blocks(void **state) {
  (void)state;
  gemm_3d_check_all(page);
}

/* Johnsson 1987, 3.1.3 and 3.3. */
static void conversions_by_elements(void **state) {
  (void)state;
  conversions_check_all(page);
}

/* Johnsson 1987, 6.1 and 6.2. */
static void eliminations_by_elements(void **state) {
  (void)state;
  eliminations_check_all(page);
}

/* Johnsson 1987, 6.4. */
static void triangular_systems_by_elements(void **state) {
  (void)state;
  triangular_check_all(page);
}

static char *read_all(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  char *text = calloc(1, 1 << 16);
  if (text != NULL && fread(text, 1, (1 << 16) - 1, file) == 0) text[0] = 0;
  fclose(file);
  return text;
}

static void the_document_is_up_to_date(void **state) {
  (void)state;
  fflush(page);
  const char *source = getenv("srcdir");
  char path[1000];
  snprintf(path, sizeof path, "%s/doc/formulas.md", source != NULL ? source : "..");
  char *written = read_all("formulas.md");
  char *kept = read_all(path);
  assert_non_null(written);
  if (kept == NULL || strcmp(written, kept) != 0)
    fail_msg("%s is out of date: copy formulas.md over it", path);
  free(written);
  free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_exactly_its_closed_form),
      cmocka_unit_test(gray_broadcasts_keep_their_order),
      cmocka_unit_test(transposition_by_rows_is_an_exchange),
      cmocka_unit_test(tags_of_isotropic_tasks),
      cmocka_unit_test(transposes_word_by_word),
      cmocka_unit_test(transposes_on_a_line),
      cmocka_unit_test(multiphase_exchanges),
      cmocka_unit_test(multiplications_by_elements),
      cmocka_unit_test(multiplications_by_blocks),
      cmocka_unit_test(conversions_by_elements),
      cmocka_unit_test(eliminations_by_elements),
      cmocka_unit_test(triangular_systems_by_elements),
      cmocka_unit_test(the_document_is_up_to_date),
  };
  page = fopen("formulas.md", "w");
  if (page == NULL) return 1;
  fprintf(page,
          "# Closed forms, and what was counted\n\n"
          "Written by tests/test_formulas, which verifies the schedule of every row for whole\n"
          "cubes and requires equality, as rationals and without tolerance, for the d given,\n"
          "several lengths m and roots.  tau: a word over a link; beta: the start of a packet;\n"
          "g: groups of a pipeline; M: active nodes; n: distance; k: pairs of dimensions that\n"
          "change places, d = 2k or 2k + 1.  Where a cube holds more than\n"
          "three million words links and lengths are verified, contents are not.\n\n");
  int failed = harness_run_serial(tests, sizeof tests / sizeof *tests);
  fclose(page);
  return failed;
}
