/* Checkpoints of factorizations that are damaged, cut off or another matrix' are reported and not
 * used; a checkpoint that cannot be written is reported and has no other effect. */
// ranks: 1 3 4
// sample: 1 3
// limit: 240
#include "checkpoint_case.h"

#include "io/output.h"
#include "solve/guard/guard.h"
#include "tests/harness/cube.h"

#include <complex.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const char checkpoint_shared[] = "test_checkpoint_refused.states";

static struct checkpoint_run run_room;

static char *read_whole(const char *path, long *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *length = ftell(file);
  char *bytes = malloc((size_t)*length + 1);
  assert_non_null(bytes);
  rewind(file);
  assert_int_equal(fread(bytes, 1, (size_t)*length, file), *length);
  fclose(file);
  return bytes;
}

static void write_whole(const char *path, const char *bytes, long length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, (size_t)length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* If these bytes replace the checkpoint, a run ends with this message and leaves them. */
static void expect_refusal(const char *path, const char *bytes, long length, const char *say) {
  char left[512];
  if (harness_rank() == 0) write_whole(path, bytes, length);
  harness_barrier();
  const hyla_options options = checkpoint_options(checkpoint_shared);
  run_room.stop = 0;
  checkpoint_run_on(harness_ranks(), &options, &run_room);
  assert_int_equal(run_room.status, HYLA_FORMAT);
  assert_non_null(strstr(run_room.message, path));
  if (strstr(run_room.message, say) == NULL) fail_msg("'%s' has no '%s'", run_room.message, say);
  assert_non_null(strstr(run_room.message, "remove it to begin anew"));
  assert_non_null(checkpoint_state(checkpoint_shared, left));
  harness_barrier();
}

/* A swap with a row beyond the last one, with all sums correct. */
static void forge_swap(char *bytes, int64_t order) {
  struct hy_state_head head;
  int64_t far = 1 << 30;
  memcpy(&head, bytes, sizeof head);
  memcpy(bytes + HY_STATE_HEAD + 3 * sizeof far, &far, sizeof far);
  head.numbers_sum = hy_fingerprint(0, bytes + HY_STATE_HEAD, (size_t)order * sizeof far);
  head.sum = hy_fingerprint(0, &head, offsetof(struct hy_state_head, sum));
  memcpy(bytes, &head, sizeof head);
}

/* Makes the checkpoint of an older hyla, which computed the number differently. */
static void forge_version(char *bytes) {
  struct hy_state_head head;
  memcpy(&head, bytes, sizeof head);
  head.version--;
  head.sum = hy_fingerprint(0, &head, offsetof(struct hy_state_head, sum));
  memcpy(bytes, &head, sizeof head);
}

static void damage_is_told(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options(checkpoint_shared);
  const struct checkpoint_case p = {
      .method = HYLA_LU, .variant = "partial", .type = HYLA_DOUBLE, .m = 30, .n = 30, .seed = 3};
  char path[512];
  long length = 0;
  checkpoint_make_shared();
  run_room = (struct checkpoint_run){.problem = &p, .layout = "binary/cyclic:8", .stop = 2};
  checkpoint_run_on(harness_ranks(), &options, &run_room);
  assert_int_equal(run_room.status, HYLA_BROKEN);
  assert_non_null(checkpoint_state(checkpoint_shared, path));
  char *whole = read_whole(path, &length), *bytes = malloc((size_t)length + 1);
  assert_non_null(bytes);
  harness_barrier();
  for (int trial = 0; trial < 40; trial++) {
    memcpy(bytes, whole, (size_t)length);
    long at = trial < 10 ? (long)harness_draw(0, 127) : (long)harness_draw(0, length - 1);
    bytes[at] ^= (char)(1 << harness_draw(0, 7));
    harness_note("a bit of byte %ld of %ld", at, length);
    expect_refusal(path, bytes, length, "");
  }
  for (int trial = 0; trial < 5; trial++) {
    long cut = (long)harness_draw(0, length - 1);
    harness_note("%ld of %ld bytes", cut, length);
    expect_refusal(path, whole, cut, "");
  }
  memcpy(bytes, whole, (size_t)length);
  bytes[length - 1] ^= 1;
  expect_refusal(path, bytes, length, "column 29 is damaged");
  /* Bytes compressed by gzip are no checkpoint, whatever they begin with. */
  memcpy(bytes, whole, (size_t)length);
  memcpy(bytes, "\x1f\x8b", 2);
  expect_refusal(path, bytes, length, "");
  memcpy(bytes, whole, (size_t)length);
  forge_swap(bytes, 30);
  expect_refusal(path, bytes, length, "a swap is of no row");
  memcpy(bytes, whole, (size_t)length);
  forge_version(bytes);
  expect_refusal(path, bytes, length, "it is a state of version 1, not 2");
  if (harness_rank() == 0) write_whole(path, whole, length);
  harness_barrier();
  checkpoint_run_on(1, &options, &run_room);
  assert_int_equal(run_room.status, HYLA_OK);
  assert_int_equal(run_room.checkpoints.resumed, 1);
  free(bytes);
  free(whole);
  checkpoint_forget_shared();
}

static void states_of_other_matrices_are_refused(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options(checkpoint_shared);
  const struct checkpoint_case p = {
      .method = HYLA_LU, .variant = "partial", .type = HYLA_DOUBLE, .m = 30, .n = 30, .seed = 3};
  struct checkpoint_case other = p;
  char path[2][512];
  long length = 0;
  checkpoint_make_shared();
  other.seed = 4;
  char *bytes = NULL;
  for (int i = 0; i < 2; i++) {
    run_room = (struct checkpoint_run){
        .problem = i == 0 ? &p : &other, .layout = "binary/cyclic:8", .stop = 1};
    checkpoint_run_on(harness_ranks(), &options, &run_room);
    assert_int_equal(run_room.status, HYLA_BROKEN);
    assert_non_null(checkpoint_state(checkpoint_shared, path[i]));
    if (i == 0) bytes = read_whole(path[i], &length);
    harness_barrier();
    if (i == 0 && harness_rank() == 0) unlink(path[i]);
    harness_barrier();
  }
  run_room.problem = &other;
  assert_string_not_equal(path[0], path[1]);
  expect_refusal(path[1], bytes, length, "a state of another matrix");
  /* Under its own name it is left alone, and counted. */
  run_room = (struct checkpoint_run){.problem = &p, .layout = "binary/cyclic:8"};
  checkpoint_run_on(harness_ranks(), &options, &run_room);
  assert_int_equal(run_room.status, HYLA_OK);
  assert_int_equal(run_room.checkpoints.resumed, 0);
  assert_int_equal(run_room.checkpoints.others, 1);
  assert_string_equal(checkpoint_state(checkpoint_shared, path[0]), path[1]);
  free(bytes);
  checkpoint_forget_shared();
}

/* ---------------------------------------------------------------- numbers -- */

/* A change of some entries: the last bit of one, the signs of two, the places of two. */
enum change { NOTHING, BIT, SIGNS, PLACES, CHANGES };

struct given {
  uint64_t seed;
  enum change change;
  int64_t at[2][2]; /* row and column */
};

static double part_of(uint64_t seed, const int64_t at[2], int part) {
  const int64_t of[] = {at[0], at[1], part};
  return 1 + (double)(hy_fingerprint(seed, of, sizeof of) % 5000) / 4096; /* exact in all types */
}

static double _Complex entry_of(void *arg, int64_t row, int64_t col) {
  const struct given *g = arg;
  const int64_t here[] = {row, col}, *from = here;
  int which = -1;
  for (int i = 0; i < 2; i++)
    if (g->at[i][0] == row && g->at[i][1] == col) which = i;
  if (which >= 0 && g->change == PLACES) from = g->at[1 - which];
  double re = part_of(g->seed, from, 0), im = part_of(g->seed, from, 1);
  if (which == 0 && g->change == BIT) re += 0x1p-12;
  return which >= 0 && g->change == SIGNS ? -re - I * im : re + I * im;
}

static uint64_t number_of(hyla_cube *cube, const struct checkpoint_case *p, const char *lies,
                          struct given *given, bool lower) {
  const hyla_layout layout = cube_layout(cube, lies);
  hyla_matrix *a = NULL;
  uint64_t number = 0;
  assert_int_equal(hyla_matrix_create(cube, p->type, p->m, p->n, &layout, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_fill(cube, a, entry_of, given), HYLA_OK);
  assert_int_equal(hy_checkpoint_origin(a, lower, &number), HYLA_OK);
  hyla_matrix_destroy(&a);
  return number;
}

/* A matrix has the same number in all layouts, a changed matrix another one.  If only the lower
 * triangle counts, changes above the diagonal change nothing. */
static void numbers_tell_matrices_apart(void **state) {
  (void)state;
  static const char *const layouts[] = {"binary/cyclic:3", "gray/cyclic:7", "binary/consecutive"};
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  for (int trial = 0; trial < 60; trial++) {
    const struct checkpoint_case p = {
        .type = (hyla_type)(trial % 4), .m = harness_draw(3, 30), .n = harness_draw(3, 30)};
    struct given g = {.seed = (uint64_t)harness_draw(1, 1000)};
    uint64_t number[CHANGES];
    g.at[0][0] = harness_draw(2, p.m - 1), g.at[0][1] = harness_draw(0, 1);
    g.at[1][0] = harness_draw(0, 1), g.at[1][1] = harness_draw(2, p.n - 1);
    harness_note("type %d, %lld x %lld, entries (%lld, %lld) and (%lld, %lld)", (int)p.type,
                 (long long)p.m, (long long)p.n, (long long)g.at[0][0], (long long)g.at[0][1],
                 (long long)g.at[1][0], (long long)g.at[1][1]);
    if (entry_of(&g, g.at[0][0], g.at[0][1]) == entry_of(&g, g.at[1][0], g.at[1][1])) continue;
    for (g.change = NOTHING; g.change < CHANGES; g.change++) {
      number[g.change] = number_of(cube, &p, layouts[0], &g, false);
      assert_true(number[g.change] == number_of(cube, &p, layouts[1 + trial % 2], &g, false));
      for (enum change before = NOTHING; before < g.change; before++)
        assert_true(number[before] != number[g.change]);
    }
    g.change = NOTHING;
    uint64_t lower = number_of(cube, &p, layouts[0], &g, true);
    g.change = BIT;
    assert_true(lower != number_of(cube, &p, layouts[1], &g, true));
    int64_t below[2];
    memcpy(below, g.at[0], sizeof below);
    memcpy(g.at[0], g.at[1], sizeof below);
    memcpy(g.at[1], below, sizeof below);
    assert_true(lower == number_of(cube, &p, layouts[1], &g, true));
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------------ files -- */

static void folders_that_cannot_be_written_are_told_first(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options("test_checkpoint_refused.none");
  const struct checkpoint_case p = {.method = HYLA_CHOLESKY, .type = HYLA_FLOAT, .m = 9, .n = 9};
  run_room = (struct checkpoint_run){.problem = &p};
  checkpoint_run_on(harness_ranks(), &options, &run_room);
  assert_int_equal(run_room.status, HYLA_FILE);
  assert_non_null(strstr(run_room.message, strerror(ENOENT)));
}

/* As if the disk were full. */
static void states_that_cannot_be_written_cost_nothing_else(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options(checkpoint_shared);
  const struct checkpoint_case p = {
      .method = HYLA_LU, .variant = "partial", .type = HYLA_DOUBLE, .m = 30, .n = 30, .seed = 3};
  char path[512];
  struct rlimit before, little = {.rlim_cur = 4000};
  checkpoint_make_shared();
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  little.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
  run_room = (struct checkpoint_run){.problem = &p, .layout = "binary/cyclic:8"};
  checkpoint_run_on(harness_ranks(), &options, &run_room);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(run_room.status, HYLA_OK);
  checkpoint_residuals(&run_room);
  assert_int_equal(run_room.checkpoints.written, 0);
  assert_int_equal(run_room.checkpoints.failed, 3);
  assert_non_null(strstr(run_room.checkpoints.text, strerror(EFBIG)));
  assert_string_equal(run_room.message, "");
  assert_null(checkpoint_state(checkpoint_shared, path));
  checkpoint_forget_shared();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damage_is_told),
      cmocka_unit_test(states_of_other_matrices_are_refused),
      cmocka_unit_test(numbers_tell_matrices_apart),
      cmocka_unit_test(folders_that_cannot_be_written_are_told_first),
      cmocka_unit_test(states_that_cannot_be_written_cost_nothing_else),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
