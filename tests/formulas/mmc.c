/* The multiplications of Johnsson 1987, section 5, verified against the theorems. */
#include "mmc.h"
#include "formula.h"

#include <stdlib.h>

static struct hy_generator generator_of(const struct algorithm *x, const struct line *line) {
  return (struct hy_generator){.make = x->make, .dims = line->k, .numbered = true, .table = line};
}

/* The steps of a line's schedule; notes when each word first came to each node. */
static int verify_line(const struct algorithm *x, const struct line *line, int *came) {
  struct hy_paper_machine all_ports = {.tau = 1, .beta = 0};
  struct hy_collective task = {
      .task = HY_TASK_ALLGATHER, .dims = line->k, .blocks = {.words = line->words}};
  struct hy_generator generator = generator_of(x, line);
  struct hy_verify_report report = paper_sound(&generator, &task, &all_ports);
  /* no packet is longer than one element */
  assert_int_equal(report.words, report.steps);
  struct hy_base base = {0};
  int64_t each = (int64_t)(1u << line->k) * line->words;
  for (uint32_t node = 0; node < (1u << line->k); node++) {
    struct hy_schedule schedule;
    assert_int_equal(hy_generate(&generator, node, &base, &schedule), HYLA_OK);
    for (int64_t i = 0; i < each; i++) came[node * each + i] = INT32_MAX;
    for (int e = 0; e < line->words; e++) came[node * each + node * (uint32_t)line->words + e] = 0;
    for (int64_t i = 0; i < schedule.packet_count; i++) {
      const struct hy_packet *packet = &schedule.packets[i];
      const struct hy_piece *piece = &schedule.pieces[packet->first];
      int *when = &came[node * each + piece->block * (uint32_t)line->words + piece->from];
      if (packet->action == HY_IN) *when = (int)hy_min(*when, packet->step + 1);
    }
    hy_schedule_free(&schedule);
  }
  return (int)report.planned;
}

/* A factor on all lines. */
struct factor {
  struct line model;
  int word[SLOTS_MAX]; /* the word for a product, and its slot */
  int slot[SLOTS_MAX];
  int *came; /* [line][node][block][word] */
};

static int verify_factor(const struct algorithm *x, struct factor *factor) {
  const struct line *model = &factor->model;
  int64_t nodes = INT64_C(1) << model->k;
  int steps = 0;
  factor->came = calloc((size_t)(nodes * nodes * nodes * model->words), sizeof *factor->came);
  assert_non_null(factor->came);
  for (int number = 0; number < nodes; number++) {
    struct line line = *model;
    line.number = number;
    if (x->prepare != NULL) x->prepare(&line);
    int *came = factor->came + number * nodes * nodes * model->words;
    steps = (int)hy_max(steps, verify_line(x, &line, came));
    free(line.last_link);
  }
  return steps;
}

static int compare(const void *left, const void *right) {
  const int *x = left, *y = right;
  return (*x > *y) - (*x < *y);
}

static int came_at(const struct factor *factor, int k, int line, uint32_t node, uint32_t block,
                   int word) {
  int64_t at = (((int64_t)line << k | node) << k | block) * factor->model.words + word;
  return factor->came[at];
}

/* The time when element m of both factors, sent in a slot, meets at node (i, j), if elements go out
 * from a root. */
static int meeting(const struct algorithm *x, const struct line *line, int i, int j, int m,
                   int slot) {
  uint32_t root = x->from_zero ? 0 : hy_gray((uint32_t)m);
  int distance =
      hy_popcount(root ^ hy_gray((uint32_t)i)) + hy_popcount(root ^ hy_gray((uint32_t)j));
  return m * (line->slots + x->more) + slot + distance;
}

/* The time when both elements are there for product (I, J, L) of block m at node (i, j). */
static int ready_at(const struct algorithm *x, const struct factor *a, const struct factor *b,
                    const int at[3], int z) {
  const struct line *line = &a->model;
  int i = at[0], j = at[1], m = at[2];
  int a_word = a->word[z], b_word = b->word[z];
  bool gray = x->gray;
  uint32_t row = gray ? hy_gray((uint32_t)i) : (uint32_t)i;
  uint32_t col = gray ? hy_gray((uint32_t)j) : (uint32_t)j;
  uint32_t block = gray ? hy_gray((uint32_t)m) : (uint32_t)m;
  int held = (int)hy_max(came_at(a, line->k, i, col, block, a_word),
                         came_at(b, line->k, j, row, block, b_word));
  if (x->tour) return held;
  int time = meeting(x, line, i, j, m, (int)hy_max(a->slot[z], b->slot[z]));
  assert_true(held <= time);
  return time;
}

/* All products of all nodes, q 2^k of them, each in a step of its own after both elements have
 * come.  With a slot for each product the last one ends at most q steps after the last
 * communication; with fewer slots the products take longer. */
static void check_products(const struct algorithm *x, const struct factor *a,
                           const struct factor *b, int products, int last) {
  int nodes = 1 << a->model.k;
  int *ready = calloc((size_t)(products * nodes), sizeof *ready);
  assert_non_null(ready);
  for (int i = 0; i < nodes; i++)
    for (int j = 0; j < nodes; j++) {
      for (int m = 0; m < nodes; m++)
        for (int z = 0; z < products; z++) {
          int now = m * products + z;
          ready[now] = ready_at(x, a, b, (const int[]){i, j, m}, z);
          if (x->in_order && m > 0) assert_true(ready[now] > ready[now - products]);
        }
      qsort(ready, (size_t)(products * nodes), sizeof *ready, compare);
      int free_from = 0;
      for (int p = 0; p < products * nodes; p++) free_from = (int)hy_max(free_from, ready[p]) + 1;
      assert_true(free_from <= last);
    }
  free(ready);
}

/* Sets each product's word and slot.  Data that are sent for each product are separate words,
 * unless a set-up brings them several times. */
static void plan_slots(struct factor *factor, int products, bool once, bool copies) {
  struct line *model = &factor->model;
  if (copies) model->words = products;
  for (int slot = 0; slot < model->slots; slot++)
    model->word[slot] = slot < model->words ? slot : -1;
  for (int z = 0; z < products; z++) {
    if (copies) factor->word[z] = z;
    factor->slot[z] = once ? factor->word[z] : z;
    if (!once) model->word[z] = factor->word[z];
  }
}

/* The theorem's count, with `slots' for q. */
static int64_t communications(const char *formula, int k, int products, int s) {
  struct formula_names names = {0};
  formula_set(&names, "k", k);
  formula_set(&names, "q", products);
  formula_set(&names, "s", s);
  return formula_whole(formula, &names);
}

struct shape {
  int q1, q2, q3;
};

static void check(const struct algorithm *x, int k, struct shape q, bool once) {
  int products = q.q1 * q.q2 * q.q3, s = (int)hy_max(q.q1, q.q3) * q.q2;
  struct factor a = {.model = {.k = k, .slots = once ? s : products}};
  if (x->tour) a.model.set_up = s + k - 1;
  struct factor b = a;
  a.model.words = q.q1 * q.q2;
  b.model.words = q.q2 * q.q3;
  for (int z = 0; z < products; z++) {
    /* z = (I q2 + J) q3 + L */
    a.word[z] = z / q.q3;
    b.word[z] = z / q.q3 % q.q2 * q.q3 + z % q.q3;
  }
  plan_slots(&a, products, once, !once && !x->tour);
  plan_slots(&b, products, once, !once && !x->tour);
  harness_note("%s, k = %d, q = %d %d %d%s", x->name, k, q.q1, q.q2, q.q3, once ? ", once" : "");
  int steps = (int)hy_max(verify_factor(x, &a), verify_factor(x, &b));
  assert_int_equal(steps, communications(once ? x->once : x->formula, k, products, s));
  check_products(x, &a, &b, products, steps + products * (once ? 1 << k : 1));
  free(a.came);
  free(b.came);
}

/* One product a node: along binomial trees elements of MMC4.2 meet. */
static void check_binomial_trees(void) {
  for (int k = 1; k <= K_MAX; k++) {
    bool meet = false;
    for (int number = 0; number < 1 << k; number++) {
      struct line line = {.k = k, .number = number, .words = 1, .slots = 1};
      struct hy_generator generator = generator_of(&mmc_binomial, &line);
      struct hy_collective task = {.task = HY_TASK_ALLGATHER, .dims = k, .blocks = {.words = 1}};
      struct hy_paper_machine all_ports = {.tau = 1, .beta = 0};
      struct hy_base base = {0};
      struct hy_verify_report report;
      assert_int_equal(hy_verify(&generator, &task, &all_ports, &base, &report), HYLA_OK);
      meet |= report.fault == HY_LINK_TAKEN || report.words > report.steps;
    }
    assert_int_equal(meet, k >= 3);
  }
}

void mmc_check_all(FILE *page) {
  static const struct shape shapes[] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 3, 2}};
  fprintf(page,
          "\n## Multiplication, element by element\n\n"
          "johnsson-1987, section 5: a 2k-cube as a 2^k x 2^k array, q1 q2 elements of A and\n"
          "q2 q3 of B on a node, one element over a link and one product a node in a step.\n"
          "q = q1 q2 q3, s = max(q1, q3) q2.  Arithmetic: q 2^k steps.  The last column: each\n"
          "element sent once a block step for all of its products, where the paper sends it\n"
          "once for each.  These schedules are the tests' own, verified for five shapes; "
          "the\nlibrary's own, below, are run by the simulator.\n\n"
          "| algorithm | reference | communications | k | result | sent once |\n"
          "|---|---|---|---|---|---|\n");
  int64_t part, parts;
  const bool whole = harness_part(&part, &parts); /* otherwise the largest arrays in one shape */
  for (int i = 0; i < MMC_COUNT; i++) {
    const struct algorithm *x = &mmc_algorithms[i];
    for (int k = 1; k <= K_MAX; k++)
      for (int shape = 0; shape < (k <= 3 ? 5 : k == 4 && whole ? 4 : 1); shape++)
        for (int once = 0; once < 2; once++) check(x, k, shapes[shape], once == 1);
    fprintf(page, "| %s | %s | %s | 1-%d | %s | %s |\n", x->name, x->theorem, x->formula, K_MAX,
            x->remark, x->once);
  }
  check_binomial_trees();
}
