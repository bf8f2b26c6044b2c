/* The eliminations of Johnsson 1987, section 6, verified; see eliminations.h. */
#include "eliminations.h"
#include "elimination_calls.h"
#include "elimination_forms.h"
#include "elimination_variants.h"

#include "mmc.h"

#include <stdlib.h>
#include <string.h>

enum { K_MOST = 4, Q_MOST = 3, R_MOST = 2 };

/* The order in which the elements of a block step follow each other. */
struct elimination {
  int k, q, r;
  bool chosen; /* last links are chosen apart, as for MMC4.2; otherwise trees are binomial */
  int start[Q_MOST + 1], apart[Q_MOST]; /* of block steps; of pivots within one */
};

/* The words that move along one line, those of block step 0 first. */
struct eliminated_line {
  const struct elimination *e;
  int number;
  bool column;        /* elements of pivots' rows; otherwise factors */
  int words;          /* of a node */
  uint8_t *last_link; /* [block][word][node], the dimension over which an element comes to a node */
};

static int nodes_of(const struct elimination *e) { return 1 << e->k; }

/* The elements that a node sends in block step b. */
static int slots_of(const struct elimination *e, bool column, int b) {
  return e->q - b + (column ? e->r : 0);
}

static int word_at(const struct elimination *e, bool column, int b, int slot) {
  int word = slot;
  for (int before = 0; before < b; before++) word += slots_of(e, column, before);
  return word;
}

static int distance(int i, int j) {
  return hy_popcount(hy_gray((uint32_t)i) ^ hy_gray((uint32_t)j));
}

/* The time when a word leaves place m. */
static int departure(const struct eliminated_line *line, int m, int word) {
  const struct elimination *e = line->e;
  int b = 0;
  while (word >= slots_of(e, line->column, b)) word -= slots_of(e, line->column, b++);
  return e->start[b] + m * e->apart[b] + word + distance(m, line->number);
}

static uint8_t *last_link(const struct eliminated_line *line, uint32_t block, int word,
                          uint32_t node) {
  return &line->last_link[(block * (uint32_t)line->words + (uint32_t)word) << line->e->k | node];
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *schedule) {
  const struct eliminated_line *line = generator->table;
  schedule->parts = (uint32_t)line->words;
  for (int m = 0; m < nodes_of(line->e); m++)
    for (int word = 0; word < line->words; word++) {
      uint32_t block = hy_gray((uint32_t)m), mine = node ^ block, from = (uint32_t)word;
      struct hy_piece piece = {.block = block, .run = 1, .from = from, .to = from + 1};
      int here = departure(line, m, word) + hy_popcount(mine);
      uint32_t link = mine == 0 ? 0 : 1u << *last_link(line, block, word, node);
      if (mine != 0) TRY(hy_schedule_add(schedule, here - 1, link, HY_IN, piece));
      for (int bit = 0; bit < line->e->k; bit++)
        if ((mine >> bit & 1) == 0 && *last_link(line, block, word, node ^ 1u << bit) == bit)
          TRY(hy_schedule_add(schedule, here, 1u << bit, HY_OUT, piece));
    }
  return HYLA_OK;
}

/* ---------------------------------------------------------- last links -- */

static void choose_links(struct eliminated_line *line, uint32_t node, int time) {
  struct arrivals all = {0};
  for (int m = 0; m < nodes_of(line->e); m++)
    for (int word = 0; word < line->words; word++) {
      uint32_t block = hy_gray((uint32_t)m), mine = node ^ block;
      if (mine == 0 || departure(line, m, word) + hy_popcount(mine) != time) continue;
      assert_true(all.count < SLOTS_MAX + K_MAX);
      all.ways[all.count] = mine;
      all.link[all.count++] = last_link(line, block, word, node);
      if (!line->e->chosen) *last_link(line, block, word, node) = (uint8_t)hy_log2_floor(mine);
    }
  if (line->e->chosen) assert_true(mmc_match(&all, 0, 0));
}

/* -------------------------------------------------------------- arrivals -- */

/* The times when the words come to the nodes of all lines of a kind; for their owner, the times
 * when they leave. */
struct times {
  struct eliminated_line line;
  int *came; /* [line][node][block][word] */
};

static int *came_at(const struct times *t, int line, int place, int m, int word) {
  int k = t->line.e->k;
  int64_t node = hy_gray((uint32_t)place), block = hy_gray((uint32_t)m);
  return &t->came[((((int64_t)line << k | node) << k) | block) * t->line.words + word];
}

static void note_times(struct times *t, const struct hy_generator *generator, int number,
                       int place) {
  struct hy_base base = {0};
  struct hy_schedule schedule;
  assert_int_equal(hy_generate(generator, hy_gray((uint32_t)place), &base, &schedule), HYLA_OK);
  for (int m = 0; m < nodes_of(t->line.e); m++)
    for (int word = 0; word < t->line.words; word++)
      *came_at(t, number, place, m, word) = INT32_MAX;
  for (int64_t i = 0; i < schedule.packet_count; i++) {
    const struct hy_packet *packet = &schedule.packets[i];
    const struct hy_piece *piece = &schedule.pieces[packet->first];
    int m = (int)hy_gray_inverse(piece->block);
    int *when = came_at(t, number, place, m, (int)piece->from);
    if ((m == place) == (packet->action == HY_OUT))
      *when = (int)hy_min(*when, packet->step + (m != place));
  }
  hy_schedule_free(&schedule);
}

/* Verifies all lines of a kind; each is sound by itself. */
static struct times verify_lines(const struct elimination *e, bool column) {
  struct times t = {.line = {.e = e, .column = column}};
  int64_t nodes = nodes_of(e);
  t.line.words = word_at(e, column, e->q, 0);
  t.came = calloc((size_t)(nodes * nodes * nodes * t.line.words), sizeof *t.came);
  t.line.last_link = calloc((size_t)(nodes * nodes * t.line.words), 1);
  assert_true(t.came && t.line.last_link);
  struct hy_generator generator = {.make = make, .dims = e->k, .numbered = true, .table = &t.line};
  struct hy_collective task = {
      .task = HY_TASK_ALLGATHER, .dims = e->k, .blocks = {.words = t.line.words}};
  struct hy_paper_machine all_ports = {.tau = 1, .beta = 0};
  for (t.line.number = 0; t.line.number < nodes; t.line.number++) {
    memset(t.line.last_link, UINT8_MAX, (size_t)(nodes * nodes * t.line.words));
    for (uint32_t node = 0; node < (uint32_t)nodes; node++)
      for (int time = 0; time <= e->start[e->q] + 4 * e->k + e->r; time++)
        choose_links(&t.line, node, time);
    struct hy_verify_report report = paper_sound(&generator, &task, &all_ports);
    assert_int_equal(report.words, report.steps); /* no packet is longer than one element */
    for (int place = 0; place < nodes; place++) note_times(&t, &generator, t.line.number, place);
  }
  free(t.line.last_link);
  return t;
}

/* ----------------------------------------------------------- elimination -- */

/* Where element (I, J) of a node stands. */
struct state {
  const struct elimination *e;
  struct times factors, rows;
  int *ready;      /* [i][l][I][J]: the time from which it is as the preceding steps leave it */
  int *operations; /* [i][l]: quotients, and products with additions */
  int last;
};

static int *ready_at(const struct state *s, int i, int l, int block_row, int block_col) {
  int k = s->e->k, n = s->e->q + s->e->r;
  return &s->ready[(((i << k | l) * s->e->q) + block_row) * n + block_col];
}

static int row_time(const struct state *s, int i, int l, int b, int m, int block_col) {
  return *came_at(&s->rows, l, i, m, word_at(s->e, true, b, block_col - b));
}

static int factor_time(const struct state *s, int i, int l, int b, int m, int block_row) {
  return *came_at(&s->factors, i, l, m, word_at(s->e, false, b, block_row - b));
}

static void operate(struct state *s, int i, int l, int time) {
  s->operations[i << s->e->k | l]++;
  s->last = (int)hy_max(s->last, time);
}

/* Turns column m of block column b into factors, which may then leave. */
static void make_factors(struct state *s, int b, int m) {
  for (int i = 0; i < nodes_of(s->e); i++)
    for (int row = b; row < s->e->q; row++) {
      int time = (int)hy_max(row_time(s, i, m, b, m, b), *ready_at(s, i, m, row, b));
      assert_true(time <= factor_time(s, i, m, b, m, row));
      *ready_at(s, i, m, row, b) = time;
      operate(s, i, m, time);
    }
}

/* Adds multiples for pivot m of block step b in column l of a later block column. */
static void add_multiples(struct state *s, int b, int m, int l, int column) {
  assert_true(*ready_at(s, m, l, b, column) <= row_time(s, m, l, b, m, column));
  for (int i = 0; i < nodes_of(s->e); i++)
    for (int row = b; row < s->e->q; row++) {
      int *ready = ready_at(s, i, l, row, column), came = factor_time(s, i, l, b, m, row);
      *ready = (int)hy_max(*ready, hy_max(came, row_time(s, i, l, b, m, column)));
      operate(s, i, l, *ready);
    }
}

static void eliminate(struct state *s) {
  for (int b = 0; b < s->e->q; b++)
    for (int m = 0; m < nodes_of(s->e); m++) {
      assert_true(*ready_at(s, m, m, b, b) <= row_time(s, m, m, b, m, b));
      make_factors(s, b, m);
      for (int column = b; column < s->e->q + s->e->r; column++)
        for (int l = column == b ? m + 1 : 0; l < nodes_of(s->e); l++)
          add_multiples(s, b, m, l, column);
    }
}

struct counts {
  int communications, operations; /* operations: those of the busiest node */
};

static struct counts counts_of(const struct elimination *e) {
  struct state s = {.e = e, .factors = verify_lines(e, false), .rows = verify_lines(e, true)};
  struct counts counts = {0};
  size_t nodes = (size_t)nodes_of(e) * (size_t)nodes_of(e);
  s.ready = calloc(nodes * (size_t)(e->q * (e->q + e->r)), sizeof *s.ready);
  s.operations = calloc(nodes, sizeof *s.operations);
  assert_true(s.ready && s.operations);
  eliminate(&s);
  counts.communications = s.last;
  for (size_t node = 0; node < nodes; node++)
    counts.operations = (int)hy_max(counts.operations, s.operations[node]);
  free(s.operations);
  free(s.ready);
  free(s.rows.came);
  free(s.factors.came);
  return counts;
}

/* ----------------------------------------------------------- the theorems -- */

/* published: i + 2 steps from pivot to pivot with i block columns.  Otherwise the fewest: i for the
 * elements, two to reach the next pivot, three if its block row is another one. */
static struct elimination plan(int k, int q, int r, bool published) {
  struct elimination e = {.k = k, .q = q, .r = r, .chosen = !published};
  for (int b = 0; b < q; b++) {
    int columns = q - b + r;
    e.apart[b] = published ? columns + 2 : (int)hy_max(2, columns);
    e.start[b + 1] = e.start[b] + e.apart[b] * nodes_of(&e) + (!published && columns == 2);
  }
  return e;
}

/* With right-hand sides the last factors must cross all rank columns, which takes k steps more. */
static void check(int k, int q, int r) {
  const struct elimination published = plan(k, q, r, true), closer = plan(k, q, r, false);
  harness_note("k = %d, q = %d, r = %d", k, q, r);
  struct counts counts = counts_of(&published), fewer = counts_of(&closer);
  if (q == 1 && r == 0) {
    assert_int_equal(theorem(k, q, r), value(JORDAN, k, q, r));
    assert_int_equal(fewest(k, q, r), value(CLOSER_JORDAN, k, q, r));
  }
  assert_int_equal(counts.communications, theorem(k, q, r) + (r > 0 ? k : 0));
  assert_int_equal(fewer.communications, fewest(k, q, r));
  assert_true(fewer.communications < theorem(k, q, r));
  assert_int_equal(counts.operations, (3 * (q + r) - q + 1) * q * (q + 1) / 6 * (1 << k));
  assert_int_equal(fewer.operations, counts.operations);
}

void eliminations_check_all(FILE *page) {
  elimination_variants_check_arrays();
  enum { CASES = Q_MOST * (R_MOST + 1) };
  for (int k = 1; k <= K_MOST; k++) {
    struct harness_walk walk = harness_walk(CASES, k < K_MOST ? CASES : CASES / 4);
    for (int64_t i; harness_next(&walk, &i);) {
      int q = 1 + (int)i % Q_MOST, r = (int)i / Q_MOST;
      check(k, q, r);
      elimination_variants_check(k, q, r);
      if (k < K_MOST || q * (1 + r) < Q_MOST) elimination_calls_check(k, q, r);
    }
  }
  fprintf(
      page,
      "\n## Elimination, element by element\n\n"
      "johnsson-1987, sections 6.1 and 6.2, with pivots on the diagonal: q 2^k equations with R\n"
      "right-hand sides, element-cyclic on 2^k x 2^k nodes under Gray code, r = ceil(R / 2^k),\n"
      "n = q + r; one element over a link in a step.  The first three rows are schedules of the\n"
      "paper's own form.  The schedule of each line is verified; no element is sent or used\n"
      "before it is there.  Theorem 6.1 is garbled in print; its reading is the sum of\n"
      "(i+2) 2^k over i = r+1 ... n, and k - 3 (doc/theory.md).  The arithmetic on the busiest\n"
      "node, quotients and multiplications with an addition, is (3n-q+1) q (q+1)/6 2^k, equal\n"
      "to the paper's.  In the last column pivots follow as soon as they can, max(2, i) steps\n"
      "apart, and their elements go along trees of shortest paths with last links chosen apart,\n"
      "as for MMC4.2.\n\n"
      "The rows below are the schedules of the library's variants, which choose last links by a\n"
      "rule.  `lu:diagonal` leaves the rows above a pivot as they are.  The busiest node of\n"
      "`gauss-jordan:diagonal` does 2^(k+1) - 1 operations for N = 2^k, where the corollary has\n"
      "2 (2^k + k - 1).  In `qr:givens` row j goes from rank row to rank row and home again, and\n"
      "quotients go along trees; the paper says that this takes as many communications as LU,\n"
      "for N = 2^k.  If 2^k does not divide R the paper counts by r = ceil(R / 2^k), and\n"
      "`lu:diagonal` takes no more than for r 2^k: 31, 33 and 33 steps for k = 4, N = 16 and R\n"
      "= 1, 5 and 16.  `gauss-jordan:blocked` looks for pivots; its figures are the times of two\n"
      "simulated runs: in one only starts take time, one each, in the other only elements.\n\n"
      "`hyla simulate lu --size 32 --dims 8 --variant diagonal --layout gray/cyclic:1@16x16\n"
      "--nrhs 16 --alpha 0 --beta 1 --gamma 0`, and the like for the others, shows the paper's\n"
      "count, the library's own, and the time of the elimination in the run.\n\n"
      "| elimination | reference | communications | k | result | fewer |\n"
      "|---|---|---|---|---|---|\n");
  fprintf(page,
          "| Gauss-Jordan, product form of the inverse, N = 2^k | corollary 6.1 (J30) | %s | 1-%d "
          "| equal | %s |\n",
          JORDAN, K_MOST, CLOSER_JORDAN);
  fprintf(page,
          "| LU, Gauss-Jordan in the pivot's block row, R = 0 | theorem 6.1 (J31) | %s | 1-%d | "
          "equal, q = 1-%d | %s |\n",
          SQUARE, K_MOST, Q_MOST, CLOSER_SQUARE);
  fprintf(page,
          "| the same, R = r 2^k > 0 | theorem 6.1 (J31) | %s | 1-%d | k more, q = 1-%d, r = 1-%d: "
          "the last factors cross all rank columns | %s |\n",
          SIDES, K_MOST, Q_MOST, R_MOST, CLOSER_SIDES);
  elimination_variants_print(page, K_MOST, Q_MOST, R_MOST);
  elimination_calls_print(page, K_MOST);
}
