/* Every closed form of the papers on collectives, exactly: the verifier's steps, words and times
 * for whole cubes compared with the formula, as rationals.  Writes the results to formulas.md in
 * the current folder and compares it with doc/formulas.md; to renew the latter, copy the former
 * over it.  The largest cubes are those of a harness_walk (closed_forms.c). */
// limit: 240
#include "bertsekas.h"
#include "bounds.h"
#include "broadcasting.h"
#include "closed_forms.h"
#include "conversions.h"
#include "dense_lines.h"
#include "eliminations.h"
#include "embeddings.h"
#include "formula.h"
#include "gemm_3d.h"
#include "gemm_elements.h"
#include "gemv_counts.h"
#include "mesh_collectives.h"
#include "mmc.h"
#include "networks.h"
#include "papers.h"
#include "partial_exchanges.h"
#include "partitions.h"
#include "routing.h"
#include "shapes.h"
#include "sweeps.h"
#include "tags.h"
#include "tests/collective/cases.h"
#include "triangular.h"
#include "tridiagonal.h"
#include "turns.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *page;

static void one_node_and_the_others_by_their_forms(void **state) {
  (void)state;
  fprintf(page, "| collective | variant | reference | time | d | result |\n"
                "|---|---|---|---|---|---|\n");
  closed_forms_check(page, HY_TASK_BROADCAST, HY_TASK_SCATTER);
}

static void all_nodes_by_their_forms(void **state) {
  (void)state;
  closed_forms_check(page, HY_TASK_GATHER, HY_TASK_EXCHANGE);
}

static void permutations_by_their_forms(void **state) {
  (void)state;
  closed_forms_check(page, HY_TASK_PERMUTE, HY_TASK_PERMUTE);
}

static void parts_of_a_cube_by_their_forms(void **state) {
  (void)state;
  closed_forms_check(page, HY_TASK_PARTIAL_EXCHANGE, HY_TASK_WINDOW);
}

/* The reader of the texts: the meaning of each part of them. */
static void texts_are_read_as_they_are_meant(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t num, den;
  } texts[] = {
      {"2d + 3^2 / (d g) d g - 1", 18, 1},
      {"(2^d-1)/d tau m / 2", 31 * 7, 10},
      {"2^-d", 1, 32},
      {"-d + i mod 2^(1+2) - 7 mod d", -4, 1},
      {"ceil(d/g) + floor(d/g) + ceil(log2 i) + floor(log2 i) + ceil(log2 8)", 13, 1},
      {"max(d, i, g) min(d, i, g) + ones(i) popcount(i) + zeros(i-g)", 33 + 9 + 3, 1},
      {"K(g) + d, K(x) = sum(j = 0 ... x: 1/C(x,j))", 5 * 3 + 8, 3},
      {"max(j = 1 ... g: p j), p = max(min(j, 2), ceil(d / j))", 6, 1},
      {"sum(j = 2 ... 1: j) + count(j = 0 ... i: 2 < j <= d and j != 4)", 2, 1},
      {"least(k: k^2 > d and k > 1)", 3, 1},
      {"sum(x in phases: x 2^x)", 2 + 8, 1},
      {"1, d < 5; 2, d = 5, k > 2, k = g; 3, d > 5", 2, 1},
      {"1, d < 5; 3, d > 5", 0, 1},
      {"M' - d, 7 words, M' = ceil(i/g)", -1, 1},
  };
  static const uint8_t phases[] = {1, 2};
  struct formula_names names = {.phases = phases, .phase_count = 2};
  formula_set(&names, "d", 1);
  formula_set(&names, "d", 5);
  formula_set(&names, "g", 3);
  formula_set(&names, "i", 11);
  formula_set(&names, "m", 7);
  formula_set(&names, "tau", 1);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    harness_note("%s", texts[i].text);
    struct formula_number value = formula_value(texts[i].text, &names);
    assert_int_equal(value.num, texts[i].num);
    assert_int_equal(value.den, texts[i].den);
  }
  assert_int_equal(formula_beside("1, d > 0, d g words", "words", &names), 15);
  assert_int_equal(formula_beside("1, d > 0, d g words", "steps", &names), -1);
}

/* The step in which a node gets each block; 0 for its own. */
static void arrivals(const struct hy_collective_variant *row, const struct hy_collective *task,
                     uint32_t node, int step_of[]) {
  hyla_cube cube = {0};
  struct hy_schedule schedule;
  assert_int_equal(hy_collective_schedule(&cube, row, task, node, &schedule), HYLA_OK);
  for (uint32_t i = 0; i >> task->dims == 0; i++) step_of[i] = 0;
  for (int64_t i = 0; i < schedule.packet_count; i++) {
    const struct hy_packet *packet = &schedule.packets[i];
    if (packet->action != HY_IN) continue;
    assert_int_equal(packet->count, 1);
    step_of[schedule.pieces[packet->first].block] = packet->step + 1;
  }
  hy_schedule_free(&schedule);
}

/* Johnsson 1987, lemma 3.5: broadcasts from roots that follow each other in the Gray code, one
 * started every second step, arrive everywhere in the order in which they started. */
static void gray_broadcasts_keep_their_order(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_ALLGATHER, "successive");
  enum { DIMS = 8 };
  static int step_of[1 << DIMS];
  for (int d = 1; d <= DIMS; d++)
    for (uint32_t node = 0; node >> d == 0; node++) {
      const struct hy_collective task = {
          .task = HY_TASK_ALLGATHER, .dims = d, .blocks = {.words = 1}};
      int last = -1;
      harness_note("d = %d, node %u", d, node);
      arrivals(row, &task, node, step_of);
      for (uint32_t i = 0; i >> d == 0; i++) {
        uint32_t root = hy_gray(i);
        if (root == node) continue; /* its own block is already there */
        assert_int_equal(step_of[root], 2 * (int)i + hy_popcount(node ^ root));
        assert_true(step_of[root] > last);
        last = step_of[root];
      }
    }
  fprintf(page,
          "| successive broadcasts | allgather successive | johnsson-1987, lemma 3.5 (J17) | "
          "the block of root G(i) after 2 i + ones(G(i) xor node) steps: in order everywhere "
          "| 1-%d | equal |\n",
          DIMS);
}

/* Transposition of an N x N matrix by rows is a total exchange of N^2 / 4^d words. */
static void transposition_by_rows_is_an_exchange(void **state) {
  (void)state;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "sw90-sym");
  for (int d = 1; d <= 6; d++) {
    int64_t n = (int64_t)d << d; /* d 2^d rows */
    struct hy_collective task = {
        .task = HY_TASK_EXCHANGE, .dims = d, .blocks = {.words = (n >> d) * (n >> d)}};
    struct hy_paper_machine machine = machine_of(row, &task);
    struct hy_verify_report report = verify(row, &task, &machine);
    assert_int_equal(report.words << (d + 1), n * n);
    assert_int_equal(report.steps, d);
  }
  fprintf(page, "| transposition by rows | exchange sw90-sym | stout-wagar-1990, section 7.1 | "
                "tau N^2 / 2^(d+1) + d beta | 1-6 | equal |\n");
}

/* Varvarigos 1992: tags, neighbourhoods, packing. */
static void tags_of_isotropic_tasks(void **state) {
  (void)state;
  tags_check_all(page);
}

/* Johnsson 1987, section 4, compared with Stout and Wagar: a 2^n x 2^n matrix on a 2^k x 2^k array,
 * words that travel one by one; theorem 4.3 bounds the time on a torus. */
static int64_t transposed_in(const char *name, int k, int64_t m, int groups) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, name);
  struct hy_collective task = {
      .task = HY_TASK_PERMUTE, .dims = 2 * k, .groups = groups, .to = to, .blocks = {.words = m}};
  draw(row, 2 * k);
  struct hy_paper_machine machine = machine_of(row, &task);
  struct hy_verify_report report = verify(row, &task, &machine);
  assert_int_equal(report.words, report.steps); /* words travel one by one */
  return report.steps;
}

/* In each step of a recursive transposition of whole blocks, one dimension is crossed, and half of
 * its directed links are used (J42). */
static void half_of_the_links(int dims) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, "recursive");
  const struct hy_collective task = {
      .task = HY_TASK_PERMUTE, .dims = dims, .groups = 1, .to = to, .blocks = {.words = 1}};
  int used[2 * HYLA_DIMS_MAX] = {0};
  uint32_t across[2 * HYLA_DIMS_MAX] = {0};
  hyla_cube cube = {0};
  draw(row, dims);
  for (uint32_t node = 0; node >> dims == 0; node++) {
    struct hy_schedule schedule;
    assert_int_equal(hy_collective_schedule(&cube, row, &task, node, &schedule), HYLA_OK);
    assert_int_equal(schedule.steps, dims);
    for (int64_t i = 0; i < schedule.packet_count; i++) {
      const struct hy_packet *packet = &schedule.packets[i];
      if (packet->action != HY_OUT || packet->across == 0) continue;
      used[packet->step]++;
      across[packet->step] |= packet->across;
    }
    hy_schedule_free(&schedule);
  }
  for (int step = 0; step < dims; step++) {
    harness_note("%d dimensions, step %d", dims, step);
    assert_int_equal(hy_popcount(across[step]), 1);
    assert_int_equal(used[step], (1 << dims) / 2);
  }
}

static void transposes_word_by_word(void **state) {
  (void)state;
  fprintf(
      page,
      "\n## Transposition word by word\n\n"
      "Steps for a 2^n x 2^n matrix on 2^k x 2^k nodes, one word on a link in a step, as\n"
      "johnsson-1987, section 4 counts; m = 4^(n-k) words a node.  Two paths take S + 1\n"
      "steps, S the largest j p of j = 1 ... k, p the least with 2 j p >= m, at least 2 for\n"
      "j > 1: fewer than theorems 4.1 and 4.2.  The bound is theorem 4.3's.  The last column is\n"
      "the mesh's count over the cube's, about 2^k for n well above k and (2^k-1)/k for n = k,\n"
      "where the paper has 2^k/k (J41).  In each of its steps the recursive transposition of\n"
      "whole blocks uses half of the links of the dimension that it crosses (J42), as\n"
      "`hyla simulate collective --name permute --variant recursive --schedule` shows.\n\n"
      "| k | n | recursive m + 2k - 1 | two paths | torus (m+1) 2^(k-1) | on two paths "
      "(ceil(m/2)+1) 2^(k-1) | mesh (m+1)(2^k-1) | torus at least | mesh / cube |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
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
      /* J41: (2^k-1)/k for n = k; from there it rises towards 2^k - 1. */
      if (n == k) assert_int_equal(mesh * k, (side - 1) * recursive);
      assert_true(mesh * k >= (side - 1) * recursive && mesh <= (side - 1) * recursive);
      if (n == k + 3) assert_true(4 * mesh > 3 * (side - 1) * recursive);
      fprintf(page, "| %d | %d | %lld | %lld | %lld | %lld | %lld | %g | %.3g |\n", k, n,
              (long long)recursive, (long long)two, (long long)torus, (long long)paths,
              (long long)mesh, bound, (double)mesh / (double)recursive);
    }
  for (int k = 1; k <= 4; k++) half_of_the_links(2 * k);
}

/* Corollary 3.5 compared with Varvarigos: a 2^n x 2^n matrix, a row on each of 2^n nodes. */
static void transposes_on_a_line(void **state) {
  (void)state;
  fprintf(page, "\n## Transposition of a 2^n x 2^n matrix on 2^n nodes, word by word\n\n"
                "| n | pipelined 2^(n-1) + n - 1 (johnsson-1987, corollary 3.5) | coloured 2^(n-1) "
                "(varvarigos-1992, chapter 2, theorem 5) |\n|---|---|---|\n");
  for (int d = 1; d <= 8; d++) {
    int64_t steps[2];
    static const char *const names[] = {"pipelined", "v92"};
    for (int i = 0; i < 2; i++) {
      const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, names[i]);
      struct hy_collective task = {
          .task = HY_TASK_EXCHANGE, .dims = d, .groups = 1, .blocks = {.words = 1}};
      struct hy_paper_machine machine = machine_of(row, &task);
      steps[i] = verify(row, &task, &machine).steps;
    }
    assert_int_equal(steps[0], (1 << (d - 1)) + d - 1);
    assert_int_equal(steps[1], 1 << (d - 1));
    fprintf(page, "| %d | %lld | %lld |\n", d, (long long)steps[0], (long long)steps[1]);
  }
}

/* Stout and Wagar 1990, section 10. */
static void turns_and_shapes(void **state) {
  (void)state;
  turns_check_all(page);
  shapes_check_all(page);
}

/* Varvarigos 1992, 3.7. */
static void partial_exchanges_beside_the_paper(void **state) {
  (void)state;
  partial_exchanges_check_all(page);
  dense_lines_check_all(page);
}

/* Varvarigos 1992, chapter 4. */
static void broadcasts_one_after_the_other(void **state) {
  (void)state;
  broadcasting_check_all(page);
}

/* Varvarigos 1992, chapter 7. */
static void networks_related_to_the_cube(void **state) {
  (void)state;
  networks_check_all(page);
}

/* Varvarigos 1992, chapters 5 and 6. */
static void traffic_at_random(void **state) {
  (void)state;
  routing_check_all(page);
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

/* Bertsekas et al.; Nicol and Bokhari. */
static void orders_trees_and_slots(void **state) {
  (void)state;
  bertsekas_check_all(page);
}

/* Stout and Wagar, section 9; Bertsekas et al.; Varvarigos. */
static void no_variant_is_below_its_bound(void **state) {
  (void)state;
  bounds_check_all(page);
}

/* Johnsson 1987, 3.1 to 3.4. */
static void embeddings_by_edges(void **state) {
  (void)state;
  embeddings_check_all(page);
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
  tridiagonal_check_all(page);
}

static char *read_all(const char *path) {
  enum { MOST = 1 << 18 };
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  char *text = calloc(1, MOST);
  if (text != NULL && fread(text, 1, MOST - 1, file) == 0) text[0] = 0;
  fclose(file);
  return text;
}

/* Johnsson 1987, 6.4, for any matrix. */
static void vectors_by_elements(void **state) {
  (void)state;
  gemv_counts_check_all(page);
}

/* Mantharam and Eberlein 1993. */
static void sweeps_of_jacobis_method(void **state) {
  (void)state;
  sweeps_check_all(page);
}

/* All five papers, row by row. */
static void every_figure_has_its_row(void **state) {
  (void)state;
  fflush(page);
  char *verified = read_all("formulas.md");
  assert_non_null(verified);
  papers_check_all(page, verified);
  free(verified);
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

static void arrays_tori_and_folded_cubes(void **state) {
  (void)state;
  mesh_collectives_check_all(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_read_as_they_are_meant),
      cmocka_unit_test(one_node_and_the_others_by_their_forms),
      cmocka_unit_test(all_nodes_by_their_forms),
      cmocka_unit_test(permutations_by_their_forms),
      cmocka_unit_test(parts_of_a_cube_by_their_forms),
      cmocka_unit_test(gray_broadcasts_keep_their_order),
      cmocka_unit_test(transposition_by_rows_is_an_exchange),
      cmocka_unit_test(tags_of_isotropic_tasks),
      cmocka_unit_test(transposes_word_by_word),
      cmocka_unit_test(transposes_on_a_line),
      cmocka_unit_test(turns_and_shapes),
      cmocka_unit_test(partial_exchanges_beside_the_paper),
      cmocka_unit_test(broadcasts_one_after_the_other),
      cmocka_unit_test(networks_related_to_the_cube),
      cmocka_unit_test(traffic_at_random),
      cmocka_unit_test(multiphase_exchanges),
      cmocka_unit_test(arrays_tori_and_folded_cubes),
      cmocka_unit_test(multiplications_by_elements),
      cmocka_unit_test(multiplications_by_blocks),
      cmocka_unit_test(conversions_by_elements),
      cmocka_unit_test(orders_trees_and_slots),
      cmocka_unit_test(no_variant_is_below_its_bound),
      cmocka_unit_test(embeddings_by_edges),
      cmocka_unit_test(eliminations_by_elements),
      cmocka_unit_test(triangular_systems_by_elements),
      cmocka_unit_test(vectors_by_elements),
      cmocka_unit_test(sweeps_of_jacobis_method),
      cmocka_unit_test(every_figure_has_its_row),
      cmocka_unit_test(the_document_is_up_to_date),
  };
  page = fopen("formulas.md", "w");
  if (page == NULL) return 1;
  fprintf(
      page,
      "# Closed forms, and what was counted\n\n"
      "Written by tests/formulas/test_formulas, which verifies the schedule of every row for "
      "whole\n"
      "cubes and requires equality, as rationals and without tolerance, for the d given,\n"
      "several lengths m, odd ones too, roots, numbers of groups, and beta = 0, tau and\n"
      "1000 tau.  The right-hand side is the text in the column `time`, the library's own,\n"
      "which `hyla simulate collective` prints too: the test reads and evaluates it\n"
      "(tests/formulas/formula.h says how).  If none of its conditions holds, and on one node,\n"
      "nothing is sent; but with tau m < c beta DISTRIBUTE 2 takes longer.\n\n"
      "tau: a word over a link; beta: the start of a packet; g: groups of a pipeline, which\n"
      "divide the message (if the library chooses g, no other g is better); M: active nodes;\n"
      "n: distance; K to L: the distances of an exchange; tags: source XOR target of its\n"
      "messages; k: dimensions of a window, or pairs of dimensions that change places, turned or\n"
      "not, d = 2k or 2k + 1; i: places of a rotation; h: links of the longest way; x: the\n"
      "dimensions of a phase; c: the least tau m / beta, 3, 24, 60/29, 15/8, 280/99, 4, 16 for\n"
      "d = 3 ... 9 and 0 for smaller d.  On cubes that hold more than three million words only\n"
      "links and lengths are verified, not contents.\n\n");
  int failed = harness_run_serial(tests, sizeof tests / sizeof *tests);
  fclose(page);
  return failed;
}
