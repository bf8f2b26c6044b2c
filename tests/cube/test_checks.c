/* Messages with checks: they arrive as usual, in pieces and lent.  Damage by the network below is
 * reported and never accepted; without checks some of it is.  Damaged alarms still are alarms. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
#include "cube/cube.h"
#include "tests/campaign/network.h"
#include "tests/harness/cube.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20, NODES = 4, WORDS = 400 };

static void messages_arrive(void **state) {
  (void)state;
  static const int64_t sizes[] = {0, 1, 7, 8, 4099, PIECE, 2 * PIECE + 9};
  hyla_options options;
  hyla_options_init(&options);
  options.check_messages = true;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  assert_true(cube->network.link->checked);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes && cube->address >= 0; s++) {
    int64_t bytes = sizes[s];
    int to = (cube->address + 1) % cube->nodes,
        from = (cube->address + cube->nodes - 1) % cube->nodes;
    unsigned char *out = malloc((size_t)bytes + 1), *in = calloc((size_t)bytes + 1, 1);
    for (int64_t i = 0; i < bytes; i++) out[i] = (unsigned char)(i * 7 + cube->address);
    struct hy_message ring[] = {{.verb = HY_SEND, .peer = to, .bytes = bytes, .data = out},
                                {.verb = HY_RECV, .peer = from, .bytes = bytes, .data = in}};
    assert_int_equal(hy_link_step(cube, ring, 2), HYLA_OK);
    for (int64_t i = 0; i < bytes; i++) assert_int_equal(in[i], (unsigned char)(i * 7 + from));
    free(out);
    free(in);
  }
  hyla_matrix *a = NULL, *c = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 37, 37, NULL, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 37, 37, NULL, &c), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  assert_int_equal(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, a, a, 0, c), HYLA_OK);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
}

static void ranks_must_ask_alike(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  options.check_messages = harness_rank() > 0;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube),
                   harness_ranks() > 1 ? HYLA_MISMATCH : HYLA_OK);
  hyla_cube_destroy(&cube);
}

/* Ten exchanges over each dimension; returns the number of accepted words that were never sent. */
static hyla_status exchange(hyla_cube *cube, void *arg) {
  int64_t *wrong = arg, out[WORDS], in[WORDS];
  hyla_status status = HYLA_OK;
  for (int round = 0; round < 10 && status == HYLA_OK; round++)
    for (int dim = 0; dim < cube->dims && status == HYLA_OK; dim++) {
      int peer = cube->address ^ 1 << dim;
      for (int i = 0; i < WORDS; i++) out[i] = round * 100 + cube->address;
      status = hy_exchange(cube, peer, out, sizeof out, in, sizeof in);
      for (int i = 0; i < WORDS && status == HYLA_OK; i++) *wrong += in[i] != round * 100 + peer;
    }
  return hy_agree(cube, status);
}

static hyla_options options_with(bool checks) {
  hyla_options options;
  hyla_options_init(&options);
  options.timeout = 10;
  options.check_messages = checks;
  return options;
}

static int64_t run_with(struct run *run, const hyla_options *options) {
  int64_t wrong = 0;
  run->ranks = NODES;
  run->options = options;
  run->body = exchange;
  run->arg = &wrong;
  assert_true(network_run(run));
  assert_false(run->hung);
  return wrong;
}

static void faults_are_told(void **state) {
  (void)state;
  static const enum fault_kind kinds[] = {LOST, DAMAGED, SHORT, CUT, DEAD};
  if (harness_ranks() > 1) skip(); /* the same at every count */
  const hyla_options options = options_with(true);
  struct run sound = {.seed = 1};
  assert_int_equal(run_with(&sound, &options), 0);
  for (int trial = 0; trial < 200; trial++) {
    enum fault_kind kind = kinds[trial % 5];
    struct run run = {.seed = (uint64_t)trial, .faults = 1};
    run.fault[0] = (struct fault){
        .kind = kind, .at = harness_draw(1, sound.sent), .bit = (uint64_t)harness_draw(0, 1 << 20)};
    harness_note("%s at transfer %lld", fault_name(kind), (long long)run.fault[0].at);
    assert_int_equal(run_with(&run, &options), 0);
    int failed = 0;
    for (int i = 0; i < NODES; i++) {
      assert_true(run.status[i] == HYLA_OK || run.status[i] == HYLA_TIMEOUT ||
                  run.status[i] == HYLA_COMMUNICATION || run.status[i] == HYLA_BROKEN);
      failed += run.status[i] != HYLA_OK;
    }
    assert_true(failed > 0);
  }
}

/* The check of nine bytes as they arrive: their number, their sum, and the published CRC of
 * them. */
static hyla_status compare(hyla_cube *cube, int spoilt) {
  static const char piece[] = "123456789";
  struct hy_check check = {.piece = piece, .bytes = 9, .number = 7};
  check.told[0] = 7;
  check.told[1] = hy_fingerprint(8, piece, 9);
  check.told[2] = 0xcbf43926;
  if (spoilt >= 0) check.told[spoilt] ^= 1;
  return hy_check_compare(cube->network.link, 0, &check);
}

static void number_sum_and_crc_count(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  assert_int_equal(compare(cube, -1), HYLA_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(compare(cube, i), HYLA_COMMUNICATION);
  hyla_cube_destroy(&cube);
}

/* This shows that the checks detect it. */
static void without_checks_damage_is_taken(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  const hyla_options options = options_with(false);
  struct run sound = {.seed = 1};
  assert_int_equal(run_with(&sound, &options), 0);
  int64_t wrong = 0;
  for (int trial = 0; trial < 50; trial++) {
    struct run run = {.seed = 1, .faults = 1};
    run.fault[0] =
        (struct fault){.kind = DAMAGED, .at = harness_draw(sound.sent / 2, sound.sent), .bit = 5};
    wrong += run_with(&run, &options);
  }
  assert_true(wrong > 0);
}

/* The first fault breaks the cube; some of the alarms that follow are damaged too. */
static void damaged_alarms_are_alarms(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip(); /* the same at every count */
  const hyla_options options = options_with(true);
  struct run sound = {.seed = 1};
  assert_int_equal(run_with(&sound, &options), 0);
  int told = 0;
  for (int after = 1; after < 40; after++) {
    struct run run = {.seed = 1, .faults = 2};
    run.fault[0] = (struct fault){.kind = DAMAGED, .at = sound.sent / 2, .bit = 3};
    run.fault[1] = (struct fault){.kind = DAMAGED, .at = sound.sent / 2 + after, .bit = 7};
    assert_int_equal(run_with(&run, &options), 0);
    if (!run.fault[1].met || run.fault[1].stream != HY_ALARM) continue;
    for (int i = 0; i < NODES; i++) {
      assert_int_equal(run.status[i], HYLA_COMMUNICATION);
      told += strstr(run.message[i], "its reason did not come whole to rank") != NULL;
    }
  }
  assert_true(told > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_arrive),           cmocka_unit_test(ranks_must_ask_alike),
      cmocka_unit_test(faults_are_told),           cmocka_unit_test(without_checks_damage_is_taken),
      cmocka_unit_test(damaged_alarms_are_alarms), cmocka_unit_test(number_sum_and_crc_count),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
