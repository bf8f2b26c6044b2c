/* The machine model and the choice between variants.  No MPI. */
#include "plan/plan.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

static const hyla_machine UNIT = {.name = "unit", .alpha = 1e6, .beta = 1e3, .gamma = 1};

static void seconds_add_up(void **state) {
  (void)state;
  hyla_cost cost = {.steps = 3, .messages = 2, .words = 5, .flops = 7, .memory = 1 << 20};
  assert_true(hy_machine_seconds(&UNIT, &cost, 8, false) == 3e6 + 40e3 + 7);
  cost.messages = 4;
  assert_true(hy_machine_seconds(&UNIT, &cost, 8, false) == 4e6 + 40e3 + 7);
  assert_true(hy_machine_seconds(&UNIT, &cost, 4, false) == 4e6 + 20e3 + 3.5);
  assert_true(hy_machine_seconds(&UNIT, &cost, 16, true) == 4e6 + 80e3 + 28);
  assert_true(hy_machine_seconds(&UNIT, &cost, 8, true) == 4e6 + 40e3 + 14);
}

static void copies_are_priced_and_words_in_place_are_not_sent(void **state) {
  (void)state;
  hyla_machine machine = UNIT;
  machine.rho = 10;
  hyla_cost cost = {.words = 5, .lent = 3, .copied = 4};
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 2 * 8e3 + 4 * 80);
  cost.lent = 6; /* more than the words: another node's maximum */
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 4 * 80);
}

/* Copies past the caches and copies of single entries have their own prices, if the machine knows
 * them. */
static void far_copies_are_priced_apart(void **state) {
  (void)state;
  hyla_machine machine = UNIT;
  machine.rho = 10;
  hyla_cost cost = {.copied = 9, .streamed = 4, .scattered = 3};
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 9 * 80);
  machine.mu = 100;
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 5 * 80 + 4 * 800);
  machine.sigma = 1000;
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 2 * 80 + 4 * 800 + 3 * 1000);
  hyla_machine on = hy_machine_on(&(hyla_machine){.mu = 1, .sigma = 2, .share = 2}, 0, 4);
  assert_true(on.mu == 2 && on.sigma == 4);
}

/* A word that is only read takes half the time of a copied one, of a copy past the caches if there
 * is such a price. */
static void reading_takes_half_of_a_copy(void **state) {
  (void)state;
  hyla_machine machine = UNIT;
  machine.rho = 10;
  const hyla_cost cost = {.copied = 2, .read = 3};
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 2 * 80 + 3 * 40);
  machine.mu = 100;
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 2 * 80 + 3 * 400);
}

/* Ranks that share a core wait for each other between steps: for a quarter of the others' work in a
 * step, or of their turn of 1.4 ms. */
static void ranks_of_a_core_wait_for_each_other(void **state) {
  (void)state;
  const hyla_cost most = {.steps = 5, .flops = 60}, mean = {.steps = 5, .flops = 40};
  const hyla_cost once = {.steps = 1, .flops = 40};
  hyla_machine machine = {.gamma = 1e-5, .share = 2};
  const struct {
    double gamma, share;
    const hyla_cost *most;
    double seconds;
  } cases[] = {{1e-5, 2, &most, 5e-4 + 4 * 2e-5},
               {1, 2, &most, 50 + 4 * 0.35e-3},
               {1e-5, 4, &most, 4.5e-4 + 3 * 4 * 2e-5},
               {1e-5, 1, &most, 6e-4},
               {1e-5, 0, &most, 6e-4},
               {1e-5, 2, &once, 4e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    machine.gamma = cases[i].gamma;
    machine.share = cases[i].share;
    const double found = hy_machine_seconds_shared(&machine, cases[i].most, &mean, 8, false);
    harness_note("case %zu: %g", i, found);
    assert_true(fabs(found / cases[i].seconds - 1) < 1e-12);
  }
}

/* A product takes its operations' time, or the time of reading its entries once if that is
 * longer. */
static void thin_products_take_their_entries(void **state) {
  (void)state;
  hyla_machine machine = UNIT;
  machine.rho = 10;
  hyla_cost cost = {.flops = 1000, .touched = 5};
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 1000);
  cost.touched = 20;
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 1600);
  cost.copied = 1;
  assert_true(hy_machine_seconds(&machine, &cost, 8, false) == 1680);
}

/* On a core of its own the busiest rank counts; if very many ranks share a core, the mean does. */
static void on_shared_cores_the_mean_counts(void **state) {
  (void)state;
  hyla_machine machine = UNIT;
  hyla_cost most = {.steps = 1, .words = 4, .flops = 300}, mean = {.words = 1, .flops = 100};
  double alone = hy_machine_seconds(&machine, &most, 8, false);
  assert_true(hy_machine_seconds_shared(&machine, &most, &mean, 8, false) == alone);
  machine.share = 1;
  assert_true(hy_machine_seconds_shared(&machine, &most, &mean, 8, false) == alone);
  machine.share = 4;
  assert_true(hy_machine_seconds_shared(&machine, &most, &mean, 8, false) ==
              1e6 + 0.25 * (32e3 + 300) + 0.75 * (8e3 + 100));
  assert_true(hy_machine_seconds_shared(&machine, &most, &most, 8, false) == alone);
}

static void ranks_that_share_a_core_take_turns(void **state) {
  (void)state;
  hyla_machine machine = {.alpha = 1, .beta = 2, .gamma = 3, .delta = 4, .rho = 5, .omega = 6};
  hyla_machine on = hy_machine_on(&machine, 2, 8);
  assert_true(on.alpha == 9 && on.beta == 2 && on.gamma == 3 && on.delta == 0 && on.rho == 5);
  assert_true(on.share == 0 && on.omega == 6);
  machine.share = 2;
  on = hy_machine_on(&machine, 0, 8);
  assert_true(on.alpha > 1 && on.beta == 8 && on.gamma == 12 && on.rho == 20 && on.share == 8);
  on = hy_machine_on(&machine, 0, 1);
  assert_true(on.alpha == 1 && on.beta == 1 && on.gamma == 1.5 && on.rho == 2.5 && on.share == 1);
}

static void default_machine_is_sane(void **state) {
  (void)state;
  hyla_machine machine = *hyla_machine_preset(0);
  assert_true(machine.alpha > machine.beta && machine.beta > machine.gamma && machine.gamma > 0);
  assert_string_equal(machine.name, "default");
}

static void forced_names_are_found(void **state) {
  (void)state;
  char name[16];
  static const struct {
    const char *text, *operation, *name;
  } cases[] = {
      {NULL, "gemm", ""},
      {"", "gemm", ""},
      {"gemm:cannon", "gemm", "cannon"},
      {"gemm:cannon", "lu", ""},
      {"gemm:cannon,lu:partial", "lu", "partial"},
      {"lu:partial,gemm:cannon", "gemm", "cannon"},
      {"gemmy:no,gemm", "gemm", ""},
      {"gemm:", "gemm", ""},
      {",,gemm:summa,", "gemm", "summa"},
      {"gemm:cannon,gemm:summa", "gemm", "summa"},
      {"gemm:a_name_that_is_too_long", "gemm", "a_name_that_is_"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hy_forced_variant(cases[i].text, cases[i].operation, name, sizeof name);
    assert_string_equal(name, cases[i].name);
  }
}

static const struct hy_family OP = {.name = "op"};

static hyla_status choose(struct hy_base *base, struct hy_candidate *list, int count,
                          const char *wanted, int *chosen) {
  struct hy_choice choice = {
      .family = &OP, .base = base, .count = count, .candidates = list, .wanted = wanted};
  hyla_status status = hy_choose(&choice);
  *chosen = choice.chosen;
  return status;
}

static void explain(struct hy_text *text, struct hy_candidate *list, int count, int chosen,
                    enum hy_why why) {
  const struct hy_choice choice = {
      .family = &OP, .count = count, .candidates = list, .chosen = chosen, .why = why};
  hy_choice_explain(text, &choice, &UNIT);
}

static struct hy_candidate candidate(const char *name, const char *reason, double seconds) {
  return (struct hy_candidate){.name = name, .reason = reason, .seconds = seconds};
}

static void fastest_that_applies_wins(void **state) {
  (void)state;
  struct hy_base base = {0};
  int choice = 0;
  struct hy_candidate list[] = {candidate("slow", NULL, 3), candidate("no", "it is odd", 1),
                                candidate("first", NULL, 2), candidate("second", NULL, 2)};
  assert_int_equal(choose(&base, list, 4, "", &choice), HYLA_OK);
  assert_int_equal(choice, 2);
  assert_int_equal(choose(&base, list, 4, "slow", &choice), HYLA_OK);
  assert_int_equal(choice, 0);
}

static void refusals_say_why(void **state) {
  (void)state;
  struct hy_base base = {0};
  int choice = 0;
  struct hy_candidate list[] = {candidate("one", "it is odd", 3),
                                candidate("two", "it is even", 1)};
  assert_int_equal(choose(&base, list, 2, "", &choice), HYLA_UNSUPPORTED);
  assert_int_equal(choice, -1);
  assert_non_null(strstr(base.message, "one: it is odd; two: it is even"));
  assert_int_equal(choose(&base, list, 2, "two", &choice), HYLA_UNSUPPORTED);
  assert_non_null(strstr(base.message, "it is even"));
  assert_int_equal(choose(&base, list, 2, "three", &choice), HYLA_ARGUMENT);
  assert_non_null(strstr(base.message, "'three'; there are: one two"));
  assert_int_equal(choose(&base, list, 0, "", &choice), HYLA_UNSUPPORTED);
}

static void explanation_names_everyone(void **state) {
  (void)state;
  char buffer[2048];
  struct hy_candidate list[] = {candidate("slow", NULL, 3), candidate("no", "it is odd", 1),
                                candidate("first", NULL, 2), candidate("second", NULL, 2)};
  list[2].cost = (hyla_cost){.steps = 11,
                             .messages = 22,
                             .words = 33,
                             .flops = 44,
                             .memory = 55,
                             .lent = 6,
                             .copied = 7,
                             .touched = 8};
  struct hy_text text = {.text = buffer, .capacity = sizeof buffer};
  explain(&text, list, 4, 2, HY_PREDICTED);
  assert_true(text.length < sizeof buffer);
  assert_non_null(strstr(buffer, "op: variant first, predicted to be the fastest"));
  assert_non_null(strstr(buffer, "machine unit: alpha 1e+06 s, beta 1e+03 s, gamma 1 s"));
  assert_non_null(strstr(buffer, "11 steps, 22 messages, 33 words (6 read in place), 7 copied, 44 "
                                 "flops on 8 entries, 55 bytes"));
  assert_non_null(strstr(buffer, "not no: does not apply: it is odd"));
  assert_non_null(strstr(buffer, "3 s predicted: slower"));
  assert_non_null(strstr(buffer, "2 s predicted: as fast, later in the list"));
  text.length = 0;
  explain(&text, list, 4, 0, HY_ASKED);
  assert_non_null(strstr(buffer, "op: variant slow, because it was asked for"));
  assert_non_null(strstr(buffer, "not no: does not apply: it is odd"));
}

/* One line stands for all variants that would do the same, and one for all that were not priced. */
static void what_is_alike_is_said_once(void **state) {
  (void)state;
  char buffer[2048];
  struct hy_candidate list[] = {candidate("first", NULL, 2), candidate("second", NULL, 2),
                                candidate("no", "it is odd", 0), candidate("third", NULL, 2),
                                candidate("fourth", NULL, 2)};
  list[4].cost.memory = 1;
  struct hy_text text = {.text = buffer, .capacity = sizeof buffer};
  explain(&text, list, 5, 0, HY_PREDICTED);
  assert_non_null(strstr(buffer, "\n  not second, third: the same cost, later in the list\n"));
  assert_non_null(strstr(buffer, "\n  not no: does not apply: it is odd\n"));
  assert_non_null(strstr(buffer, "s predicted: as fast, later in the list\n"));
  for (int i = 1; i < 5; i++) list[i].unpriced = true;
  text.length = 0;
  explain(&text, list, 5, 0, HY_ASKED);
  assert_non_null(strstr(buffer, "\n  not second, third, fourth: not asked for, and not priced\n"));
  assert_non_null(strstr(buffer, "\n  not no: does not apply: it is odd\n"));
  assert_null(strstr(buffer, "later in the list"));
}

/* The fastest variant within the limit is chosen; a variant that is asked for is refused above
 * it. */
static void memory_is_limited(void **state) {
  (void)state;
  char buffer[2048];
  struct hy_base base = {.memory_limit = 100};
  struct hy_candidate list[] = {candidate("slow", NULL, 3), candidate("fast", NULL, 1)};
  int choice = 0;
  list[0].cost.memory = 100;
  list[1].cost.memory = 101;
  assert_int_equal(choose(&base, list, 2, "", &choice), HYLA_OK);
  assert_int_equal(choice, 0);
  struct hy_text text = {.text = buffer, .capacity = sizeof buffer};
  explain(&text, list, 2, choice, HY_PREDICTED);
  assert_non_null(strstr(buffer,
                         "not fast: does not apply: it takes 101 bytes of memory, the limit "
                         "is 100"));
  assert_int_equal(choose(&base, list, 2, "fast", &choice), HYLA_UNSUPPORTED);
  assert_non_null(strstr(base.message, "it takes 101 bytes"));
  base.memory_limit = 99;
  assert_int_equal(choose(&base, list, 2, "", &choice), HYLA_UNSUPPORTED);
  assert_non_null(
      strstr(base.message, "slow: it takes 100 bytes of memory, the limit is 99; fast"));
  base.memory_limit = 0;
  assert_int_equal(choose(&base, list, 2, "", &choice), HYLA_OK);
  assert_int_equal(choice, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seconds_add_up),
      cmocka_unit_test(copies_are_priced_and_words_in_place_are_not_sent),
      cmocka_unit_test(far_copies_are_priced_apart),
      cmocka_unit_test(reading_takes_half_of_a_copy),
      cmocka_unit_test(ranks_of_a_core_wait_for_each_other),
      cmocka_unit_test(thin_products_take_their_entries),
      cmocka_unit_test(on_shared_cores_the_mean_counts),
      cmocka_unit_test(ranks_that_share_a_core_take_turns),
      cmocka_unit_test(default_machine_is_sane),
      cmocka_unit_test(forced_names_are_found),
      cmocka_unit_test(fastest_that_applies_wins),
      cmocka_unit_test(refusals_say_why),
      cmocka_unit_test(explanation_names_everyone),
      cmocka_unit_test(what_is_alike_is_said_once),
      cmocka_unit_test(memory_is_limited),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
