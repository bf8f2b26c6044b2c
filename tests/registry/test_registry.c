/* Names of operations and variants: names that options may ask for, and suggestions for others. */
// ranks: 1 3 4
#include "registry/registry.h"
#include "tests/harness/harness.h"

#include <string.h>

static void every_family_is_found_by_name(void **state) {
  (void)state;
  const struct hy_family *family;
  int families = 0;
  for (; (family = hy_family_at(families)) != NULL; families++) {
    assert_string_equal(hyla_variant_operation(families), family->name);
    for (int i = 0; i <= hy_family_count(family); i++) {
      const char *name = hyla_variant_name(family->name, i);
      if (i == hy_family_count(family)) {
        assert_null(name);
        assert_false(hyla_variant_asked_only(family->name, i));
        continue;
      }
      assert_true(hyla_variant_asked_only(family->name, i) == (family->rows[i]->asked != NULL));
      assert_ptr_equal(hy_family_find(family, name), family->rows[i]);
      for (int j = 0; j < i; j++) assert_string_not_equal(name, family->rows[j]->name);
    }
  }
  assert_true(families >= 12);
  assert_null(hyla_variant_operation(families));
  assert_null(hyla_variant_operation(-1));
}

static void the_nearest_name_is_meant(void **state) {
  (void)state;
  static const char *const names[] = {"cannon", "dekel", "summa", "summa-a", "dns", "lu", NULL};
  static const struct {
    const char *word, *nearest;
  } cases[] = {
      {"canon", "cannon"},   {"cannon", "cannon"}, {"sum", "summa"}, {"summa-b", "summa-a"},
      {"dsn", "dns"},        {"dxy", NULL},        {"ul", "lu"},     {"xy", NULL},
      {"cnanon", "cannon"},  {"", NULL},           {"l", NULL},      {"x", NULL},
      {"gauss-jordan", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *nearest = hyla_name_nearest(cases[i].word, names);
    harness_note("%s", cases[i].word);
    if (cases[i].nearest == NULL)
      assert_null(nearest);
    else
      assert_string_equal(nearest, cases[i].nearest);
  }
}

static void options_name_what_there_is(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool collectives;
    const char *message; /* NULL: it is accepted */
  } cases[] = {
      {NULL, false, NULL},
      {"", false, NULL},
      {",,gemm:cannon,", false, NULL},
      {"gemm=cannon,lu:partial", false, NULL},
      {"broadcast=sw90-3a,allreduce=halving", true, NULL},
      {"nonsense", false, "OPERATION:VARIANT"},
      {"gemm:", false, "OPERATION:VARIANT"},
      {"gemm=", false, "OPERATION:VARIANT"},
      {"gem:cannon", false, "did you mean 'gemm'"},
      {"gemm:canon", false, "did you mean 'cannon'"},
      {"gemm:cannon,lu:qr-with-pivots", false, "lu has no variant"},
      {"gemm=cannon,broadcast:sw90-3a", false, "by the option collective"},
      {"gemm=cannon", true, "there is no collective 'gemm'"},
      {"brodcast=doubling", true, "did you mean 'broadcast'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hy_base base = {0};
    hyla_status status = hy_forced_check(&base, "variant", cases[i].text, cases[i].collectives);
    harness_note("%s: %s", cases[i].text == NULL ? "NULL" : cases[i].text, base.message);
    assert_int_equal(status, cases[i].message == NULL ? HYLA_OK : HYLA_ARGUMENT);
    if (cases[i].message != NULL) assert_non_null(strstr(base.message, cases[i].message));
  }
}

/* All ranks refuse, and the remaining cube is good for its message only. */
static void cubes_with_unknown_names_are_refused(void **state) {
  (void)state;
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.variant = "gem:cannon";
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "did you mean 'gemm'"));
  assert_int_equal(hyla_cube_barrier(cube), HYLA_BROKEN);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_family_is_found_by_name),
      cmocka_unit_test(the_nearest_name_is_meant),
      cmocka_unit_test(options_name_what_there_is),
      cmocka_unit_test(cubes_with_unknown_names_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
