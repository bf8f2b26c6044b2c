/* Making a cube: options, environment, its properties; a fault on one rank fails the call on
 * all. */
// ranks: 1 3 4 5 8
// sample: 1 3 8
#include "cube/cube.h"
#include "cube/link.h"
#include "hyla_collective.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Asserts that all ranks got this status, and that the message has these words (NULL: any). */
static void assert_failure(hyla_status status, hyla_status expected, hyla_cube **cube,
                           const char *words) {
  int mine = (int)status, lowest = 0, highest = 0;
  harness_allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN);
  harness_allreduce(&mine, &highest, 1, MPI_INT, MPI_MAX);
  assert_int_equal(lowest, highest);
  assert_int_equal(status, expected);
  if (words != NULL) {
    harness_note("\"%s\" in \"%s\"", words, hyla_cube_message(*cube));
    assert_non_null(*cube);
    assert_non_null(strstr(hyla_cube_message(*cube), words));
    assert_int_equal(hyla_cube_barrier(*cube), HYLA_BROKEN);
  }
  assert_int_equal(hyla_cube_destroy(cube), HYLA_OK);
}

static void bad_communicators_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = NULL;
  assert_failure(hyla_cube_create(MPI_COMM_NULL, NULL, &cube), HYLA_ARGUMENT, &cube,
                 "needs a communicator");
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, NULL), HYLA_ARGUMENT);
  /* The output is missing on one rank only. */
  int bad = harness_ranks() - 1;
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, harness_rank() == bad ? NULL : &cube);
  assert_failure(status, HYLA_ARGUMENT, &cube, NULL);
  if (harness_ranks() == 1) return;
  MPI_Comm half, inter;
  int color = harness_rank() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 7, &inter);
  assert_failure(hyla_cube_create(inter, NULL, &cube), HYLA_ARGUMENT, &cube,
                 "no intercommunicator");
  MPI_Comm_free(&inter);
  /* Any other communicator works. */
  assert_int_equal(hyla_cube_create(half, NULL, &cube), HYLA_OK);
  MPI_Comm_free(&half);
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  hyla_cube_destroy(&cube);
}

/* Another MPI's launcher leaves its traces and worlds of one rank.  Its own launcher's trace, or a
 * world of several ranks, shows that all is well. */
static void ranks_of_another_launcher_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *names[3];
    const char *values[3];
    bool alone; /* one rank is refused */
  } cases[] = {
      {{"OMPI_COMM_WORLD_SIZE"}, {"4"}, true},
      {{"OMPI_COMM_WORLD_SIZE"}, {"1"}, false},
      {{"PMI_SIZE"}, {"2"}, true},
      {{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}, {"1", "4"}, false},
      {{"PMIX_RANK"}, {"3"}, true},
      {{"PMIX_RANK"}, {"0"}, false},
      {{"SLURM_NTASKS"}, {"8"}, false},
      {{"SLURM_NTASKS", "SLURM_STEP_ID"}, {"8", "0"}, true},
      {{"SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS"}, {"8", "0", "1"}, false},
  };
  /* The variables of this run's own launcher. */
  static const char *const own[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK"};
  char *before[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; i++)
    if (getenv(own[i]) != NULL) before[i] = strdup(getenv(own[i]));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int v = 0; v < 3; v++) unsetenv(own[v]);
    for (int v = 0; v < 3 && cases[i].names[v] != NULL; v++)
      setenv(cases[i].names[v], cases[i].values[v], 1);
    hyla_cube *cube = NULL;
    hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
    if (cases[i].alone && harness_ranks() == 1)
      assert_failure(status, HYLA_ARGUMENT, &cube, "start them with mpiexec");
    else
      assert_failure(status, HYLA_OK, &cube, NULL);
    for (int v = 0; v < 3 && cases[i].names[v] != NULL; v++) unsetenv(cases[i].names[v]);
  }
  for (int i = 0; i < 3; i++) {
    if (before[i] != NULL) setenv(own[i], before[i], 1);
    free(before[i]);
  }
}

static void options_come_from_the_environment(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  assert_null(options.variant);
  assert_true(options.timeout == 300 && options.log_level == 0 && options.threads == 0);
  assert_false(options.private_memory);
  setenv("HYLA_VARIANT", "gemm:cannon", 1);
  setenv("HYLA_TIMEOUT", "12.5", 1);
  setenv("HYLA_THREADS", "2", 1);
  setenv("HYLA_PRIVATE", "1", 1);
  assert_int_equal(options.memory_kept, 256 << 20);
  setenv("HYLA_MEMORY", "1.5M", 1);
  setenv("HYLA_MEMORY_KEPT", "3M", 1);
  hyla_options_init(&options);
  assert_string_equal(options.variant, "gemm:cannon");
  assert_true(options.timeout == 12.5 && options.threads == 2 && options.private_memory);
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  assert_string_equal(cube->session.forced, "gemm:cannon");
  assert_true(cube->network.timeout == 12.5 && cube->session.private_memory);
  assert_int_equal(cube->base.memory_limit, 3 << 19);
  assert_int_equal(cube->session.keep_limit, 3 << 20);
  hyla_cube_destroy(&cube);
  /* An option that is set has precedence over the environment. */
  options.timeout = 7;
  options.private_memory = false;
  options.variant = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  assert_null(cube->session.forced);
  assert_true(cube->network.timeout == 7 && !cube->session.private_memory);
  hyla_cube_destroy(&cube);
  unsetenv("HYLA_VARIANT");
  unsetenv("HYLA_TIMEOUT");
  unsetenv("HYLA_THREADS");
  unsetenv("HYLA_PRIVATE");
  unsetenv("HYLA_MEMORY");
  unsetenv("HYLA_MEMORY_KEPT");
}

static void a_bad_variable_is_named(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"HYLA_TIMEOUT", "soon"},  {"HYLA_TIMEOUT", "-1"},  {"HYLA_TIMEOUT", "nan"},
      {"HYLA_LOG", "1.5"},       {"HYLA_THREADS", "two"}, {"HYLA_THREADS", "1e99"},
      {"HYLA_PRIVATE", "0.5"},   {"HYLA_PRIVATE", "yes"}, {"HYLA_MEMORY", "much"},
      {"HYLA_MEMORY", "-1"},     {"HYLA_MEMORY", "1T"},   {"HYLA_MEMORY", "1.5"},
      {"HYLA_MEMORY", "1kk"},    {"HYLA_MEMORY", "k"},    {"HYLA_MEMORY_KEPT", "some"},
      {"HYLA_MEMORY_KEPT", "G"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    int rank = (int)harness_draw(0, harness_ranks() - 1);
    if (harness_rank() == rank) setenv(bad[i][0], bad[i][1], 1);
    hyla_cube *cube = NULL;
    hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
    unsetenv(bad[i][0]);
    char words[64];
    snprintf(words, sizeof words, "%s is \"%s\"", bad[i][0], bad[i][1]);
    assert_failure(status, HYLA_ARGUMENT, &cube, words);
  }
}

static void bad_options_are_refused(void **state) {
  (void)state;
  for (int trial = 0; trial < 4; trial++) {
    hyla_options options;
    hyla_options_init(&options);
    if (harness_rank() == trial % harness_ranks()) {
      if (trial == 0) options.timeout = -1;
      if (trial == 1) options.timeout = (double)NAN;
      if (trial == 2) options.log_level = -1;
      if (trial == 3) options.threads = -1;
    }
    hyla_cube *cube = NULL;
    hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &options, &cube);
    assert_failure(status, HYLA_ARGUMENT, &cube, "the option ");
  }
}

static void ranks_must_agree_on_options(void **state) {
  (void)state;
  if (harness_ranks() == 1) return;
  for (int trial = 0; trial < 5; trial++) {
    hyla_options options;
    hyla_options_init(&options);
    int rank = (int)harness_draw(0, harness_ranks() - 1);
    if (harness_rank() == rank) {
      if (trial == 0) options.timeout = 299;
      if (trial == 1) options.threads = 1;
      if (trial == 2) options.private_memory = true;
      if (trial == 3) options.variant = "gemm:summa";
      if (trial == 4) options.machine = "unit";
    }
    hyla_cube *cube = NULL;
    hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &options, &cube);
    char words[16];
    snprintf(words, sizeof words, "%d ", rank);
    assert_failure(status, HYLA_MISMATCH, &cube, words);
  }
}

/* The n-th allocation of one rank fails, for increasing n until the cube is made. */
static void each_allocation_may_fail(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  options.variant = "gemm:cannon";
  for (int bad = 0; bad < harness_ranks(); bad++) {
    int failures = 0;
    for (int64_t n = 1; n <= 12; n++) {
      harness_note("allocation %d of rank %d", (int)n, bad);
      hyla_cube *cube = NULL;
      hyla_status status =
          hy_cube_make(MPI_COMM_WORLD, &options, harness_rank() == bad ? n : 0, NULL, &cube);
      int common = (int)status;
      harness_broadcast(&common, 1, MPI_INT, 0);
      assert_int_equal(status, common);
      assert_true(status == HYLA_OK || status == HYLA_MEMORY);
      failures += status != HYLA_OK;
      if (status != HYLA_OK && cube != NULL) {
        /* Only the cube and its link remain. */
        assert_in_range(cube->base.bytes_now, sizeof *cube, 2 * sizeof *cube);
        assert_true(strlen(hyla_cube_message(cube)) > 0);
      }
      hyla_cube_destroy(&cube);
    }
    assert_true(failures >= 4);
    assert_true(failures < 12);
  }
}

/* The bytes of address space that this process has taken. */
static rlim_t addresses(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* A rank without memory for the buffers of BLAS reports that when the cube is made; otherwise BLAS
 * would look for them for ever. */
static void room_for_blas_is_taken_first(void **state) {
  (void)state;
  const rlim_t little = 64 << 20, sane = (rlim_t)1 << 40;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  /* A sanitizer takes more, and valgrind (as wrapper) takes some of its own meanwhile. */
  if (addresses() > sane || harness_slowed()) skip();
  hyla_cube *cube = NULL;
  for (int bad = 0; bad < harness_ranks(); bad += 1 + bad) { /* 0, 1, 3, 7 */
    struct rlimit limit = before;
    limit.rlim_cur = addresses() + little;
    if (harness_rank() == bad) assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
    if (harness_rank() == bad) assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_failure(status, HYLA_MEMORY, &cube, "for OpenBLAS' buffers on rank");
  }
  assert_failure(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK, &cube, NULL);
}

static void a_cube_describes_itself(void **state) {
  (void)state;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  char text[4000], piece[40];
  size_t length = hyla_cube_describe(cube, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_int_equal(hyla_cube_describe(cube, NULL, 0), length);
  assert_int_equal(hyla_cube_describe(cube, piece, sizeof piece), length);
  assert_int_equal(strlen(piece), sizeof piece - 1);
  assert_memory_equal(piece, text, sizeof piece - 1);
  static const char *const keys[] = {"nodes: ",   "\ndimensions: ", "\nguests: ",  "\nmpi: ",
                                     "\ncores: ", "\nblas: ",       "\nthreads: ", "\nmemory: "};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) assert_non_null(strstr(text, keys[i]));
  if (harness_ranks() > 1) assert_int_equal(cube->session.threads, 1);
  hyla_cube_destroy(&cube);
  assert_int_equal(hyla_cube_describe(NULL, text, sizeof text), 0);
  assert_string_equal(text, "");
}

static void cores_are_kept_busy(void **state) {
  (void)state;
  static const struct {
    int cores, ranks, threads;
  } cases[] = {{1, 1, 1}, {2, 2, 1},  {3, 1, 3},  {4, 4, 1},   {5, 1, 5},   {6, 2, 3},
               {7, 1, 7}, {12, 4, 3}, {24, 8, 3}, {64, 64, 1}, {96, 32, 3}, {100, 4, 25}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct hy_start best = hy_best_start(cases[i].cores);
    assert_int_equal(best.ranks, cases[i].ranks);
    assert_int_equal(best.threads, cases[i].threads);
  }
}

/* Asserts the cube's line of advice on a host with this many cores, ranks and threads. */
static void assert_advice(hyla_cube *cube, int cores, int ranks, int nodes, int threads,
                          const char *expected) {
  char text[400] = "";
  struct hy_text out = {.text = text, .capacity = sizeof text};
  struct hy_link *link = cube->network.link;
  const hyla_cube before = *cube;
  const int cores_before = link->cores, crowd = link->crowd;
  link->cores = cores;
  link->crowd = ranks;
  cube->ranks.members = nodes;
  cube->session.threads = threads;
  hy_hosts_advise(cube, &out);
  cube->ranks.members = before.ranks.members;
  cube->session.threads = before.session.threads;
  link->cores = cores_before;
  link->crowd = crowd;
  assert_string_equal(text, expected);
}

static void a_better_start_is_told(void **state) {
  (void)state;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  if (cube->address >= 0) {
    assert_advice(cube, 6, 2, 2, 3, "");
    assert_advice(cube, 2, 4, 4, 1, "");
    assert_advice(cube, 6, 4, 4, 1,
                  "better: 2 ranks of 3 threads (HYLA_THREADS=3): 6 of 6 cores busy, not 4\n");
    assert_advice(cube, 96, 64, 64, 1,
                  "better: 32 ranks of 3 threads (HYLA_THREADS=3): 96 of 96 cores busy, not 64\n");
    assert_advice(cube, 3, 1, 1, 1,
                  "better: 1 rank of 3 threads (HYLA_THREADS=3): 3 of 3 cores busy, not 1\n");
    assert_advice(cube, 2, 3, 2, 1,
                  "better: 2 ranks of 1 thread (HYLA_THREADS=1): none left over\n");
  }
  hyla_cube_destroy(&cube);
}

/* By default all ranks are nodes, of a cube or of an array; what needs a cube says so. */
static void all_ranks_are_nodes(void **state) {
  (void)state;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  assert_int_equal(hyla_cube_nodes(cube), harness_ranks());
  assert_int_equal(hyla_cube_guests(cube), 0);
  assert_int_equal(hyla_cube_address(cube), harness_rank());
  if ((harness_ranks() & (harness_ranks() - 1)) != 0) {
    const hyla_message one = {.count = 1, .size = 1};
    const hyla_embedding mesh = {.kind = HYLA_MESH_NAIVE, .axes = 1, .side = {2}};
    hyla_plan *plan = NULL;
    MPI_Comm comm;
    assert_int_equal(hyla_broadcast_plan(cube, &one, 0, &plan), HYLA_UNSUPPORTED);
    assert_non_null(strstr(hyla_cube_message(cube), "the option array \"cube\""));
    assert_int_equal(hyla_embed_comm(cube, &mesh, &comm), HYLA_UNSUPPORTED);
    assert_non_null(strstr(hyla_cube_message(cube), "the option array \"cube\""));
  }
  hyla_cube_destroy(&cube);
  const hyla_options asked[] = {{.variant = "gemm:dns"}, {.array = "cube"}};
  for (int i = 0; i < 2; i++) {
    hyla_options options;
    hyla_options_init(&options);
    options.variant = asked[i].variant;
    options.array = asked[i].array;
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
    assert_int_equal(hyla_cube_nodes(cube), 1 << hyla_cube_dims(cube));
    assert_true(2 * hyla_cube_nodes(cube) > harness_ranks());
    hyla_cube_destroy(&cube);
  }
}

static void no_cube_is_an_answer(void **state) {
  (void)state;
  assert_int_equal(hyla_cube_dims(NULL), 0);
  assert_int_equal(hyla_cube_nodes(NULL), 0);
  assert_int_equal(hyla_cube_address(NULL), -1);
  assert_int_equal(hyla_cube_guests(NULL), 0);
  assert_string_equal(hyla_cube_message(NULL), "");
  assert_int_equal(hyla_cube_barrier(NULL), HYLA_ARGUMENT);
  hyla_options_init(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_communicators_are_refused),
      cmocka_unit_test(ranks_of_another_launcher_are_refused),
      cmocka_unit_test(options_come_from_the_environment),
      cmocka_unit_test(a_bad_variable_is_named),
      cmocka_unit_test(bad_options_are_refused),
      cmocka_unit_test(ranks_must_agree_on_options),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(room_for_blas_is_taken_first),
      cmocka_unit_test(a_cube_describes_itself),
      cmocka_unit_test(cores_are_kept_busy),
      cmocka_unit_test(a_better_start_is_told),
      cmocka_unit_test(all_ranks_are_nodes),
      cmocka_unit_test(no_cube_is_an_answer),
  };
  /* Only the variables that the test sets may be set. */
  unsetenv("HYLA_PRIVATE");
  return harness_run(tests, sizeof tests / sizeof *tests);
}
