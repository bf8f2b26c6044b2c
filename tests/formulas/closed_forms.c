/* Rows of the families and the texts of their closed forms; see closed_forms.h.  The right-hand
 * side of each equality is read from the text.  The row's own numbers (form(), which the command
 * prints) must be the same. */
#include "closed_forms.h"

#include "formula.h"
#include "tests/collective/cases.h"

/* The reason why a row differs from the paper's formula somewhere. */
static const char *remark(enum hy_task task, const char *name) {
  static const struct {
    enum hy_task task;
    const char *name;
    const char *text;
  } remarks[] = {
      {HY_TASK_BROADCAST, "sw90-3a", "equal; d = 1: what returns to the root is not sent"},
      {HY_TASK_ALLGATHER, "v92",
       "equal; d = 1: nothing has to be packed; V13's bound ceil(2^d/d) + 2d - 1 holds"},
      {HY_TASK_ALLGATHER, "successive",
       "equal, counting steps for which nodes do not wait when it is run; d = 1: the step in "
       "between sends nothing"},
      {HY_TASK_PARTIAL, "v92-1", "equal, counting steps in which nothing needs to move"},
      {HY_TASK_PARTIAL, "v92-2", "equal, counting such steps; within V11's (M/d)(N-1)/N + 2"},
      {HY_TASK_PARTIAL, "v92-3", "equal, counting such steps; within V12's ceil(M/d) + 2d - 1"},
      {HY_TASK_PARTIAL_EXCHANGE, "v92", "equal, counting steps in which nothing needs to move"},
      {HY_TASK_WINDOW, "v92", "equal; the paper's (M+1)/d for m = 1 in d parts"},
      {HY_TASK_SCATTER, "sw90-2", "equal; with less tau m / beta it takes longer"},
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
      {HY_TASK_PERMUTE, "inversion",
       "equal; to the complement h = d, tau m + d beta; over one dimension tau m + beta"},
      {HY_TASK_PERMUTE, "arbitrary-2b",
       "equal: n + g steps for d/2 <= n <= d-2, one less than SEND 2"},
      {HY_TASK_PERMUTE, "transpose-stages",
       "equal; least, at g^2 = tau m / (2 k beta): tau m / 2 + 2 sqrt(k beta tau m / 2) + k beta"},
      {HY_TASK_PARTIAL_EXCHANGE, "corners", "equal: from two opposite corners in the time of one"},
      {HY_TASK_SCATTER, "b91-cut",
       "equal: no more transmissions than b91, where the whole broadcast has 2^d (2^d-1)"},
      {HY_TASK_PERMUTE, "paths",
       "equal: k paths of k links and d-k of k+2 to a node at distance k, those with a lost link "
       "left out"},
      {HY_TASK_PERMUTE, "transpose", "equal; half of the recursive one"},
      {HY_TASK_PERMUTE, "recursive", "equal; g = m: 2^(2(n-k)) + 2k - 1"},
      {HY_TASK_PERMUTE, "gray", "equal; g = m = M: n + M - 2; d < 2 takes none"},
      {HY_TASK_PERMUTE, "torus", "equal; g = m = 1: 2^k"},
      {HY_TASK_PERMUTE, "torus-paths", "equal; 2 g = m or m + 1: (ceil(m/2) + 1) 2^(k-1)"},
      {HY_TASK_PERMUTE, "mesh", "equal; g = m = 1: 2 (2^k - 1)"},
      {HY_TASK_PERMUTE, "turn-rings", "equal; the quarter turn, every block k links"},
      {HY_TASK_PERMUTE, "turn-pairs", "equal; the quarter turn under Gray code"},
      {HY_TASK_PERMUTE, "rotate-disjoint", "equal; found for every i, see doc/theory.md"},
      {HY_TASK_EXCHANGE, "v92-band", "equal for all b < d, see tests/collective/test_variants"},
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

/* ------------------------------------------------------ meanings of names -- */

static bool is_transposition(const struct hy_collective_variant *row) {
  return row->sends == hy_variant_find(HY_TASK_PERMUTE, "recursive")->sends;
}

static bool is_turn(const struct hy_collective_variant *row) {
  return row == &hy_permute_turn_rings || row == &hy_permute_turn_pairs;
}

static bool is_rotation(const struct hy_collective_variant *row) {
  return strncmp(row->base.name, "rotate", 6) == 0;
}

/* Names for a permutation: n of a single message, or of two that cross, i places of a rotation, h
 * of the farthest message, k pairs of dimensions that change places, turned or not. */
static void name_permutation(const struct hy_collective_variant *row, int d,
                             struct formula_names *names) {
  int farthest = 0, moved = 0;
  for (int32_t x = 0; x < 1 << d; x++)
    if (to[x] >= 0) farthest = (int)hy_max(farthest, hy_popcount((uint32_t)(x ^ to[x])));
  for (int bit = 0; bit < d; bit++) moved += to[1 << bit] != 1 << bit;
  if (is_transposition(row))
    formula_set(names, "k", moved / 2);
  else if (is_turn(row))
    formula_set(names, "k", d / 2);
  else if (is_rotation(row))
    formula_set(names, "i", (int64_t)hy_gray_inverse((uint32_t)to[0]));
  else
    formula_set(names, "n", farthest);
  formula_set(names, "h", farthest);
}

/* The smallest tau m / beta for which DISTRIBUTE 2 takes its time. */
static struct hy_ratio least_of(int d) {
  static const struct hy_ratio least[] = {{3, 1},    {24, 1}, {60, 29}, {15, 8},
                                          {280, 99}, {4, 1},  {16, 1}};
  return d < 3 ? (struct hy_ratio){0, 1} : least[d - 3];
}

static void name_least(int d, struct formula_names *names) {
  const struct hy_ratio least = least_of(d);
  formula_set(names, "c", 0);
  names->of[names->count - 1].value = (struct formula_number){least.num, least.den};
}

/* Names for the paths of a send without a lost link: p of them, the longest of l links. */
static void name_paths(const struct hy_collective *collective, struct formula_names *names) {
  const int d = collective->dims;
  uint32_t sender = 0, left = (1u << d) - 1;
  while (to[sender] < 0) sender++;
  const uint32_t target = sender ^ (uint32_t)to[sender];
  for (int i = 0; i < collective->lost_count; i++) left &= ~collective->lost[i].across;
  formula_set(names, "p", hy_popcount(left));
  formula_set(names, "l", hy_popcount(target) + ((left & ~target) != 0 ? 2 : 0));
}

static struct formula_names names_of(const struct hy_collective_variant *row,
                                     const struct hy_collective *collective) {
  struct formula_names names = {.phases = collective->phases,
                                .phase_count = collective->phase_count};
  int64_t count = 0;
  for (int x = 0; x < 1 << collective->dims; x++) count += active[x] != 0;
  formula_set(&names, "d", collective->dims);
  formula_set(&names, "m", collective->blocks.words);
  formula_set(&names, "g", collective->groups);
  if (row->task == HY_TASK_PARTIAL) formula_set(&names, "M", count);
  if (row->banded) formula_set(&names, "b", collective->band - 1);
  if (row->holds != NULL) name_least(collective->dims, &names);
  if (row->task == HY_TASK_WINDOW) formula_set(&names, "k", collective->window);
  if (row->detours) name_paths(collective, &names);
  if (row->task == HY_TASK_PERMUTE) name_permutation(row, collective->dims, &names);
  return names;
}

/* The time on a machine where a word takes tau and a start beta; a single node has nothing to
 * do. */
static struct formula_number time_of(const struct hy_collective_variant *row,
                                     struct formula_names *names, int64_t tau, int64_t beta,
                                     int d) {
  if (d == 0) return (struct formula_number){0, 1};
  formula_set(names, "tau", tau);
  formula_set(names, "beta", beta);
  return formula_value(row->formula, names);
}

static void assert_is(int64_t counted, struct formula_number value) {
  assert_int_equal(value.den, 1);
  assert_int_equal(counted, value.num);
}

/* ------------------------------------------------------------ equality -- */

static void assert_number(const struct hy_collective_variant *row,
                          const struct hy_collective *collective,
                          const struct hy_paper_machine *machine, struct formula_number value) {
  struct hy_form form = hy_variant_form(row, collective);
  int64_t words = form.words.num * collective->blocks.words / form.words.den;
  assert_is(form.steps * machine->beta + words * machine->tau, value);
}

static void assert_equal(const struct hy_collective_variant *row,
                         const struct hy_collective *collective,
                         const struct hy_paper_machine *machine,
                         const struct hy_verify_report *report) {
  struct formula_names names = names_of(row, collective);
  int d = collective->dims;
  struct formula_number time = time_of(row, &names, machine->tau, machine->beta, d);
  assert_number(row, collective, machine, time);
  int64_t packets = hy_variant_form(row, collective).packets;
  int64_t printed = d == 0 ? 0 : formula_beside(row->formula, "transmissions", &names);
  int64_t diagonals = d == 0 ? -1 : formula_beside(row->formula, "diagonals", &names);
  if (row->asynchronous) {
    assert_is(report->makespan, time);
    return;
  }
  assert_true(report->makespan <= time.num);
  struct formula_number steps = time_of(row, &names, 0, 1, d);
  struct formula_number words = time_of(row, &names, 1, 0, d);
  if (hy_task_chooses(row->task) &&
      row != &hy_partial_exchange_corners) { /* such rows may by luck be faster; others never are */
    assert_is(report->planned, steps);
    assert_true(report->words * words.den <= words.num);
    return;
  }
  assert_is(report->steps, steps);
  assert_is(report->words, words);
  if (packets > 0) assert_int_equal(report->packets, packets);
  if (printed >= 0) assert_int_equal(report->packets, printed);
  if (diagonals >= 0) assert_int_equal(diagonals, 2 * (1 << (collective->band - 1)) + 1);
}

/* ------------------------------------------------------------- one case -- */

static uint8_t phases[HYLA_DIMS_MAX];

/* Draws the phases of an exchange in some. */
static void draw_phases(struct hy_collective *collective) {
  int left = collective->dims;
  collective->phases = phases;
  for (collective->phase_count = 0; left > 0; left -= phases[collective->phase_count++])
    phases[collective->phase_count] = (uint8_t)harness_draw(1, left);
}

static struct hy_collective draw_case(const struct hy_collective_variant *row, enum hy_task task,
                                      int d, int groups) {
  struct hy_collective collective = {.task = task,
                                     .dims = d,
                                     .band = draw_band(row, d),
                                     .window = draw_window(row, d),
                                     .matrices = draw_matrices(row),
                                     .groups = groups,
                                     .tau = 1000,
                                     .beta = 1000,
                                     .active = active,
                                     .to = to};
  if (strcmp(row->base.name, "multiphase") == 0) draw_phases(&collective);
  draw(row, d);
  draw_lost(row, &collective);
  collective.root = task >= HY_TASK_ALLGATHER ? 0 : (uint32_t)harness_draw(0, (1 << d) - 1);
  return collective;
}

/* Makes the message `times' times as long as the shortest one for which the form is exact; false:
 * the row has no such message. */
static bool fit(const struct hy_collective_variant *row, struct hy_collective *collective,
                int times) {
  collective->blocks.words = times;
  struct hy_form form = hy_variant_form(row, collective);
  collective->blocks.words = times * form.divisor;
  /* the slowest node may depend on the length */
  while (form = hy_variant_form(row, collective), collective->blocks.words % form.divisor != 0)
    collective->blocks.words *= form.divisor;
  return hy_variant_refuses(row, collective) == NULL;
}

/* Prices of a start relative to a word: free, medium, high; and the number of them that a row
 * needs. */
static const int64_t STARTS[] = {0, 1000, 1000000};

static int starts_of(const struct hy_collective_variant *row) { return row->holds ? 2 : 3; }

static int64_t draw_start(const struct hy_collective_variant *row) {
  return STARTS[harness_draw(0, starts_of(row) - 1)];
}

/* Waves whose form holds from some tau m / beta on: it must hold for that value, and a smaller one
 * must take longer. */
static void check_least(const struct hy_collective_variant *row, struct hy_collective collective) {
  const struct hy_ratio least = least_of(collective.dims);
  if (collective.dims < 3) return;
  collective.blocks.words *= least.num;
  collective.beta = collective.tau * collective.blocks.words / least.num * least.den;
  for (int less = 0; less < 2; less++, collective.beta += collective.beta / 100) {
    struct hy_paper_machine machine = machine_of(row, &collective);
    machine.beta = collective.beta;
    struct formula_names names = names_of(row, &collective);
    struct formula_number time = time_of(row, &names, machine.tau, machine.beta, collective.dims);
    struct hy_verify_report report =
        machine.dry ? verify_cuts(row, &collective, &machine) : verify(row, &collective, &machine);
    const struct hy_form form = hy_variant_form(row, &collective);
    const int64_t words = form.words.num * collective.blocks.words / form.words.den;
    const int64_t value = form.steps * machine.beta + words * machine.tau;
    assert_int_equal(row->holds(&collective), less == 0);
    if (less == 0) assert_is(report.makespan, time);
    if (less == 1) assert_int_equal(time.num, 0);
    if (less == 1) assert_true(report.makespan > value);
  }
}

/* Checks one case; on one node rows for bands have no case. */
static void check(const struct hy_collective_variant *row, enum hy_task task, int d, int groups,
                  int64_t start) {
  struct hy_collective collective = draw_case(row, task, d, groups);
  collective.beta = start;
  harness_note("%s %s, d = %d, g = %d, root %u, beta %lld", hy_task_name(task), row->base.name, d,
               groups, collective.root, (long long)collective.beta);
  bool fits = fit(row, &collective, 1 + 2 * (groups == 2));
  assert_true(fits || (d == 0 && row->banded));
  if (!fits) return;
  struct hy_paper_machine machine = machine_of(row, &collective);
  machine.beta = collective.beta;
  bool cut = machine.dry && row->asynchronous && row->task == HY_TASK_SCATTER;
  assert_true(cut || !machine.dry || !row->asynchronous);
  struct hy_verify_report report =
      cut ? verify_cuts(row, &collective, &machine) : verify(row, &collective, &machine);
  assert_equal(row, &collective, &machine, &report);
  if (row->holds != NULL && groups == 1) check_least(row, collective);
}

/* An odd length that need not divide: the schedule has no more steps than the form, and no packet
 * longer than that of the next length that divides. */
static void check_odd(const struct hy_collective_variant *row, enum hy_task task, int d,
                      int groups) {
  struct hy_collective collective = draw_case(row, task, d, groups), whole = collective;
  collective.blocks.words = 2 * harness_draw(0, d > 8 ? 4 : 40) + 1;
  if (row->asynchronous || hy_variant_refuses(row, &collective) != NULL) return;
  int64_t divisor = hy_variant_form(row, &collective).divisor;
  whole.blocks.words = hy_ceil_div(collective.blocks.words, divisor) * divisor;
  harness_note("%s %s, d = %d, odd m = %lld, g = %d, root %u", hy_task_name(task), row->base.name,
               d, (long long)collective.blocks.words, groups, collective.root);
  struct hy_paper_machine machine = machine_of(row, &collective);
  struct hy_verify_report report = verify(row, &collective, &machine);
  struct formula_names names = names_of(row, &whole);
  struct formula_number steps = time_of(row, &names, 0, 1, d);
  struct formula_number words = time_of(row, &names, 1, 0, d);
  assert_true(report.steps <= steps.num);
  assert_true(report.words * words.den <= words.num);
}

/* If no number of groups is asked for, the variant is no slower than the form for any number of
 * groups. */
static void check_choice(const struct hy_collective_variant *row, enum hy_task task, int d) {
  struct hy_collective chosen = draw_case(row, task, d, 1);
  if (hy_variant_refuses(row, &chosen) != NULL) return;
  chosen.beta = draw_start(row);
  chosen.blocks.words = hy_variant_form(row, &chosen).divisor * 12;
  if (hy_variant_refuses(row, &chosen) != NULL) return;
  struct hy_collective asked = chosen;
  struct hy_paper_machine machine = machine_of(row, &chosen);
  machine.beta = chosen.beta;
  chosen.groups = 0;
  harness_note("%s %s, d = %d, m = %lld, beta %lld", hy_task_name(task), row->base.name, d,
               (long long)chosen.blocks.words, (long long)chosen.beta);
  struct hy_verify_report report = verify(row, &chosen, &machine);
  for (asked.groups = 1; asked.groups <= 12; asked.groups++) {
    if (asked.blocks.words % hy_variant_form(row, &asked).divisor != 0) continue;
    struct formula_names names = names_of(row, &asked);
    struct formula_number time = time_of(row, &names, machine.tau, machine.beta, d);
    assert_true(report.makespan * time.den <= time.num);
  }
}

/* ------------------------------------------------------------ all of them -- */

/* The largest cube on which a row is verified.  On larger ones all pairs of nodes would be too
 * many, and so would the words of a message with very many parts. */
static int deepest(const struct hy_collective_variant *row) {
  static const struct {
    const struct hy_collective_variant *row;
    int most;
  } rows[] = {{&hy_scatter_sw90_2, 9},          {&hy_permute_sw90, 8},
              {&hy_permute_corner_4, 10},       {&hy_permute_arbitrary_1, 11},
              {&hy_permute_transpose, 10},      {&hy_permute_arbitrary_3, 11},
              {&hy_permute_rotate_disjoint, 9}, {&hy_permute_turn_pairs, 10}};
  static const int most[] = {
      [HY_TASK_BROADCAST] = 11, [HY_TASK_ALLREDUCE] = 11,       [HY_TASK_SCATTER] = 11,
      [HY_TASK_ALLGATHER] = 9,  [HY_TASK_PARTIAL] = 9,          [HY_TASK_EXCHANGE] = 9,
      [HY_TASK_PERMUTE] = 11,   [HY_TASK_PARTIAL_EXCHANGE] = 9, [HY_TASK_WINDOW] = 9};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].row == row) return rows[i].most;
  return most[row->task];
}

/* Up to ALWAYS dimensions every cube is verified each time; larger ones are a walk.  Above SMALL
 * even the whole walk does not take all. */
enum { ALWAYS = 6, SMALL = 8, LARGE_AT_ONCE = 2 };

static void check_dims(const struct hy_collective_variant *row, enum hy_task task, int d) {
  int trials = strncmp(row->base.name, "arbitrary", 9) == 0 ? 5 : 1; /* distances */
  for (int trial = 0; trial < trials; trial++)
    for (int groups = 1; groups <= 3 && d <= SMALL; groups++)
      check(row, task, d, groups, draw_start(row));
  /* On a large cube each start, with groups and an odd length. */
  for (int start = 0; start < starts_of(row) && d > SMALL; start++)
    check(row, task, d, 2 + start % 2, STARTS[start]);
  for (int groups = d > SMALL ? 2 : 3; groups <= 3; groups++) check_odd(row, task, d, groups);
  if (d <= 6) check_choice(row, task, d);
}

static void check_small(FILE *page, const struct hy_collective_variant *row, enum hy_task task) {
  for (int d = 0; d <= hy_min(deepest(row), ALWAYS); d++) check_dims(row, task, d);
  fprintf(page, "| %s | %s | %s | %s | 0-%d | %s |\n", hy_task_name(task), row->base.name,
          row->base.reference, row->formula, deepest(row), remark(task, row->base.name));
}

/* Is the row of one of these tasks, and has it a closed form? */
static bool is_checked(const struct hy_collective_variant *row, enum hy_task first,
                       enum hy_task last) {
  return first <= row->task && row->task <= last && row->formula != NULL;
}

/* Checks the index-th of the larger cubes, in the order of rows; returns their number. */
static int64_t check_large(enum hy_task first, enum hy_task last, int64_t index) {
  const struct hy_collective_variant *row = NULL;
  int64_t before = 0;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    int count = is_checked(row, first, last) ? tasks_of(row, tasks) : 0;
    int64_t larger = hy_max(0, deepest(row) - ALWAYS);
    for (int i = 0; i < count; i++, before += larger)
      if (before <= index && index < before + larger)
        check_dims(row, tasks[i], ALWAYS + 1 + (int)(index - before));
  }
  return before;
}

void closed_forms_check(FILE *page, enum hy_task first, enum hy_task last) {
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    int count = is_checked(row, first, last) ? tasks_of(row, tasks) : 0;
    for (int i = 0; i < count; i++) check_small(page, row, tasks[i]);
  }
  int64_t index = 0;
  struct harness_walk walk = harness_walk(check_large(first, last, -1), LARGE_AT_ONCE);
  while (harness_next(&walk, &index)) (void)check_large(first, last, index);
}
