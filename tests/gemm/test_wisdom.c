/* Plans that are measured, and the notes kept of them. */
// ranks: 1 2 3 4 5
// sample: 1 3 4
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "gemm/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name that all ranks of this run share and no other run uses; the first call is made by all. */
static const char *scratch(void) {
  static char path[64];
  if (path[0] != '\0') return path;
  int id = (int)getpid();
  harness_broadcast(&id, 1, MPI_INT, 0);
  snprintf(path, sizeof path, "wisdom-%d.tmp", id);
  return path;
}

static void fill(const char *text) {
  const char *path = scratch();
  if (harness_rank() == 0) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
  }
  harness_barrier();
}

static void clear(void) {
  harness_barrier();
  if (harness_rank() == 0) unlink(scratch());
}

/* ---- the file ---- */

static void notes_are_found_again(void **state) {
  (void)state;
  struct hy_base base = {0};
  struct hy_wisdom *here = NULL, *there = NULL;
  double seconds = -1;
  const char *path = scratch();
  if (harness_rank() != 0) return;
  assert_int_equal(hy_wisdom_create(&base, path, false, &here), HYLA_FILE);
  hy_wisdom_destroy(&base, &here);
  assert_int_equal(hy_wisdom_create(&base, path, true, &here), HYLA_OK);
  assert_int_equal(hy_wisdom_create(&base, path, true, &there), HYLA_OK);
  assert_null(hy_wisdom_find(here, "a", &seconds));
  assert_int_equal(hy_wisdom_note(&base, here, "a", "cannon", 0.1), HYLA_OK);
  assert_int_equal(hy_wisdom_note(&base, there, "b \"quoted\" \n", "summa", 1e-9), HYLA_OK);
  /* The second reads the first one's notes before it writes. */
  assert_string_equal(hy_wisdom_find(there, "a", &seconds), "cannon");
  assert_true(seconds == 0.1);
  assert_null(hy_wisdom_find(here, "b \"quoted\" \n", &seconds));
  hy_wisdom_destroy(&base, &here);
  assert_int_equal(hy_wisdom_create(&base, path, false, &here), HYLA_OK);
  assert_string_equal(hy_wisdom_find(here, "b \"quoted\" \n", &seconds), "summa");
  assert_true(seconds == 1e-9);
  hy_wisdom_destroy(&base, &here);
  hy_wisdom_destroy(&base, &there);
  assert_int_equal(hy_wisdom_create(&base, NULL, false, &here), HYLA_OK);
  assert_int_equal(hy_wisdom_note(&base, here, "c", "word", 1), HYLA_OK);
  assert_string_equal(hy_wisdom_find(here, "c", &seconds), "word");
  hy_wisdom_destroy(&base, &here);
  assert_int_equal(base.bytes_now, 0);
  unlink(path);
}

static void damaged_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", ":1: "},
      {"{\"hyla wisdom\": 1,\n\"plans\": {}", ":2: "},
      {"[1, 2]", ": it is not a wisdom file"},
      {"{\"plans\": {}}", ": it is not a wisdom file"},
      {"{\"hyla wisdom\": 2, \"plans\": {}}", ": it is of another version"},
      {"{\"hyla wisdom\": 1}", ": it has no plans"},
      {"{\"hyla wisdom\": 1, \"plans\": {\"a\": 5}}", ": a plan names no variant"},
      {"{\"hyla wisdom\": 1, \"plans\": {\"a\": {\"variant\": \"x\"}}}", ": a plan has no seconds"},
  };
  hyla_options options;
  hyla_options_init(&options);
  options.wisdom = scratch();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_cube *cube = NULL;
    harness_note("case %zu", i);
    fill(cases[i].text);
    options.measure = i % 2;
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_FORMAT);
    assert_non_null(strstr(hyla_cube_message(cube), cases[i].says));
    assert_non_null(strstr(hyla_cube_message(cube), scratch()));
    assert_non_null(strstr(hyla_cube_message(cube), "remove the file"));
    hyla_cube_destroy(&cube);
  }
  clear();
}

/* Opening a pipe without a writer would wait forever. */
static void what_is_no_file_is_refused(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  options.wisdom = scratch();
  clear();
  if (harness_rank() == 0) assert_int_equal(mkfifo(scratch(), 0600), 0);
  harness_barrier();
  for (int measure = 0; measure < 2; measure++) {
    hyla_cube *cube = NULL;
    options.measure = measure == 1;
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_FILE);
    assert_non_null(strstr(hyla_cube_message(cube), "it is not a regular file"));
    assert_non_null(strstr(hyla_cube_message(cube), scratch()));
    hyla_cube_destroy(&cube);
  }
  clear();
}

/* ---- plans ---- */

/* A product of its own matrices: C := A B + beta C. */
struct product {
  hyla_cube *cube;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
};

static void product_make(struct product *p, hyla_cube *cube, int64_t m, int64_t n, int64_t k) {
  *p = (struct product){.cube = cube};
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, m, k, NULL, &p->a), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, k, n, NULL, &p->b), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, m, n, NULL, &p->c), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, p->a, HYLA_RANDOM, 1), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, p->b, HYLA_RANDOM, 2), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, p->c, HYLA_RANDOM, 3), HYLA_OK);
}

static hyla_status product_plan(struct product *p, const char *variant) {
  hyla_plan_destroy(&p->plan);
  return hyla_gemm_plan(p->cube, HYLA_NONE, HYLA_NONE, 1, p->a, p->b, 2, p->c, variant, &p->plan);
}

static bool explains(const struct product *p, const char *words) {
  static char text[1 << 14]; /* the simulator's nodes have small stacks, and take turns */
  assert_true(hyla_plan_explain(p->plan, text, sizeof text) < sizeof text);
  return strstr(text, words) != NULL;
}

static void product_free(struct product *p) {
  hyla_plan_destroy(&p->plan);
  hyla_matrix_destroy(&p->a);
  hyla_matrix_destroy(&p->b);
  hyla_matrix_destroy(&p->c);
}

/* Does C still have its generated entries? */
static bool untouched(const struct product *p) {
  hyla_matrix *other = NULL;
  void *mine = NULL, *theirs = NULL;
  int64_t rows, cols, ld;
  assert_int_equal(hyla_matrix_create(p->cube, HYLA_DOUBLE, hyla_matrix_rows(p->c),
                                      hyla_matrix_cols(p->c), NULL, &other),
                   HYLA_OK);
  assert_int_equal(hyla_matrix_generate(p->cube, other, HYLA_RANDOM, 3), HYLA_OK);
  hyla_matrix_local(p->c, &mine, &rows, &cols, &ld);
  hyla_matrix_local(other, &theirs, NULL, NULL, NULL);
  bool equal = true;
  for (int64_t j = 0; j < cols; j++)
    equal &= rows == 0 || memcmp((double *)mine + j * ld, (double *)theirs + j * ld,
                                 (size_t)rows * sizeof(double)) == 0;
  hyla_matrix_destroy(&other);
  return equal;
}

static hyla_cube *open_cube(bool measure, const char *wisdom, int64_t memory) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.measure = measure;
  options.wisdom = wisdom;
  options.memory = memory;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

static void plans_are_measured_once(void **state) {
  (void)state;
  struct product p;
  char variant[32];
  hyla_cube *cube = open_cube(true, scratch(), 0);
  product_make(&p, cube, 23, 17, 31);
  hyla_ledger before, after;
  hyla_cube_ledger(cube, &before);
  assert_int_equal(product_plan(&p, NULL), HYLA_OK);
  hyla_cube_ledger(cube, &after);
  assert_memory_equal(&before, &after, sizeof before);
  assert_true(untouched(&p));
  assert_true(explains(&p, "measured to be the fastest") && explains(&p, "s measured: slower"));
  assert_true(explains(&p, "not among those measured"));
  snprintf(variant, sizeof variant, "%s", hyla_plan_variant(p.plan));
  assert_int_equal(hyla_plan_run(cube, p.plan), HYLA_OK);
  bool same = untouched(&p);
  assert_false(harness_rank() == 0 && same);
  assert_int_equal(product_plan(&p, NULL), HYLA_OK);
  assert_true(explains(&p, "as wisdom has it"));
  assert_string_equal(hyla_plan_variant(p.plan), variant);
  product_free(&p);
  hyla_cube_destroy(&cube);
  /* Another cube reads the notes, and uses them for the same sizes only. */
  cube = open_cube(false, scratch(), 0);
  product_make(&p, cube, 23, 17, 31);
  assert_int_equal(product_plan(&p, NULL), HYLA_OK);
  assert_string_equal(hyla_plan_variant(p.plan), variant);
  assert_true(explains(&p, "as wisdom has it"));
  assert_int_equal(product_plan(&p, "dns"), HYLA_OK);
  assert_true(explains(&p, "because it was asked for"));
  product_free(&p);
  product_make(&p, cube, 23, 17, 32);
  assert_int_equal(product_plan(&p, NULL), HYLA_OK);
  assert_true(explains(&p, "predicted to be the fastest"));
  product_free(&p);
  hyla_cube_destroy(&cube);
  clear();
}

/* Wisdom may be older than the library, or made without today's memory limit. */
static void wisdom_that_does_not_hold_is_left(void **state) {
  (void)state;
  struct product p;
  for (int way = 0; way < 2; way++) {
    hyla_cube *cube = open_cube(true, scratch(), 0);
    product_make(&p, cube, 40, 40, 40);
    assert_int_equal(product_plan(&p, NULL), HYLA_OK);
    product_free(&p);
    hyla_cube_destroy(&cube);
    harness_barrier();
    if (harness_rank() == 0) { /* the same keys, other variants */
      char command[256];
      snprintf(command, sizeof command,
               "sed -i 's/\"variant\": \"[^\"]*\"/\"variant\": \"%s\"/' %s",
               way == 0 ? "forgotten" : "dns", scratch());
      assert_int_equal(system(command), 0);
    }
    harness_barrier();
    cube = open_cube(false, scratch(), way == 0 ? 0 : 1);
    product_make(&p, cube, 40, 40, 40);
    hyla_status status = product_plan(&p, NULL);
    bool none = way == 1 && status == HYLA_UNSUPPORTED; /* all need more than a byte */
    assert_true(none || status == HYLA_OK);
    if (!none && harness_ranks() > 1) assert_true(explains(&p, "predicted to be the fastest"));
    product_free(&p);
    hyla_cube_destroy(&cube);
    clear();
  }
}

/* ---- virtual ranks ---- */

struct trial {
  int64_t m, n, k;
  char variant[32];
};

/* Virtual time: the measured time of each variant is the time that it then takes. */
static hyla_status measure_there(hyla_cube *cube, void *arg) {
  struct trial *t = arg;
  struct product p;
  product_make(&p, cube, t->m, t->n, t->k);
  assert_int_equal(product_plan(&p, NULL), HYLA_OK);
  assert_true(untouched(&p) && explains(&p, "measured to be the fastest"));
  if (hyla_cube_address(cube) == 0)
    snprintf(t->variant, sizeof t->variant, "%s", hyla_plan_variant(p.plan));
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  assert_string_equal(hyla_plan_variant(p.plan), t->variant);
  double begin = hyla_cube_clock(cube);
  assert_int_equal(hyla_plan_run(cube, p.plan), HYLA_OK);
  int64_t took = llround(1e9 * (hyla_cube_clock(cube) - begin));
  assert_int_equal(hyla_cube_max(cube, &took, 1), HYLA_OK);
  char words[64];
  snprintf(words, sizeof words, "%.3g s measured", 1e-9 * (double)took);
  assert_true(explains(&p, words));
  product_free(&p);
  return HYLA_OK;
}

static void virtual_ranks_agree(void **state) {
  (void)state;
  if (harness_ranks() > 1) return;
  for (int dims = 0; dims <= 4; dims++) {
    hyla_options options;
    hyla_report report;
    hyla_options_init(&options);
    options.measure = true;
    const hyla_simulation model = {
        .dims = dims, .alpha = 1e-5, .beta = 1e-9, .gamma = 1e-10, .options = &options};
    struct trial t = {.m = harness_draw(1, 40), .n = harness_draw(1, 40), .k = harness_draw(1, 40)};
    harness_note("%d dimensions, %d x %d x %d", dims, (int)t.m, (int)t.n, (int)t.k);
    assert_int_equal(hyla_simulate(&model, measure_there, &t, &report), HYLA_OK);
    assert_true(t.variant[0] != '\0');
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(notes_are_found_again),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(what_is_no_file_is_refused),
      cmocka_unit_test(plans_are_measured_once),
      cmocka_unit_test(wisdom_that_does_not_hold_is_left),
      cmocka_unit_test(virtual_ranks_agree),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
