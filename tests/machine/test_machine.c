/* Machines: presets, files and their faults, the cube's choice of a machine, measurements. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "cube/cube.h"
#include "cube/link.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that all ranks of this run share and no other run uses; the first call is made by all. */
static const char *scratch(void) {
  static char path[64];
  if (path[0] != '\0') return path;
  int id = (int)getpid();
  harness_broadcast(&id, 1, MPI_INT, 0);
  snprintf(path, sizeof path, "machine-%d.tmp", id);
  return path;
}

/* Rank 0 alone reads and writes. */
static void fill(const char *text) {
  const char *path = scratch();
  if (harness_rank() != 0) return;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void clear(void) {
  if (harness_rank() == 0) unlink(scratch());
}

static hyla_cube *open_cube(void) {
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  return cube;
}

static bool same(const hyla_machine *a, const hyla_machine *b) {
  return strcmp(a->name, b->name) == 0 && a->alpha == b->alpha && a->beta == b->beta &&
         a->gamma == b->gamma && a->delta == b->delta && a->rho == b->rho && a->omega == b->omega &&
         a->mu == b->mu && a->sigma == b->sigma && a->share == b->share &&
         a->network == b->network && strcmp(a->links, b->links) == 0 && a->ports == b->ports &&
         a->switching == b->switching;
}

static void presets_are_found_by_name(void **state) {
  (void)state;
  hyla_cube *cube = open_cube();
  const hyla_machine *preset = NULL;
  int count = 0;
  for (; (preset = hyla_machine_preset(count)) != NULL; count++) {
    hyla_machine found;
    assert_int_equal(hyla_machine_read(cube, preset->name, &found), HYLA_OK);
    assert_true(same(&found, preset));
  }
  assert_int_equal(count, 6);
  assert_null(hyla_machine_preset(-1));
  const hyla_machine *unit = hyla_machine_preset(1);
  assert_true(unit->alpha == 1 && 8 * unit->beta == 1 && unit->gamma == 1);
  hyla_cube_destroy(&cube);
}

static void a_file_gives_back_what_was_written(void **state) {
  (void)state;
  hyla_cube *cube = open_cube();
  for (int trial = 0; trial < 20; trial++) {
    hyla_machine wrote = {.name = "a machine", .alpha = exp2((double)harness_draw(-60, 5)) / 3};
    wrote.beta = wrote.alpha / (double)harness_draw(1, 1000);
    wrote.gamma = harness_draw(0, 1) ? wrote.beta / 7 : 0;
    wrote.delta = harness_draw(0, 1) ? 1.0 / (double)harness_draw(1, 1 << 30) : 0;
    wrote.rho = harness_draw(0, 1) ? 0x1p-1074 : 0;
    wrote.omega = harness_draw(0, 1) ? 1.7e308 : 0;
    wrote.mu = harness_draw(0, 1) ? wrote.alpha / 3 : 0;
    wrote.sigma = harness_draw(0, 1) ? wrote.alpha / 11 : 0;
    const bool links = harness_draw(0, 1) == 1; /* a switch has one port and circuits */
    wrote.network = links ? HYLA_NETWORK_CUBE : HYLA_NETWORK_SWITCH;
    if (links && harness_draw(0, 1) == 1) {
      wrote.network = HYLA_NETWORK_OTHER;
      strcpy(wrote.links, "torus:4x4x2");
    }
    wrote.ports = links ? (hyla_ports)harness_draw(0, 1) : HYLA_ONE_PORT;
    wrote.switching = links ? (hyla_switching)harness_draw(0, 1) : HYLA_CIRCUIT;
    hyla_machine read;
    assert_int_equal(hyla_machine_write(cube, &wrote, scratch()), HYLA_OK);
    assert_int_equal(hyla_machine_read(cube, scratch(), &read), HYLA_OK);
    assert_true(same(&read, &wrote));
  }
  clear();
  hyla_cube_destroy(&cube);
}

static void files_are_read_freely(void **state) {
  (void)state;
  hyla_cube *cube = open_cube();
  hyla_machine read;
  fill("\n# speaks\n  gamma=2e-11 # last\n\talpha = 1e-6\r\nbeta   =  0\nomega = 3");
  assert_int_equal(hyla_machine_read(cube, scratch(), &read), HYLA_OK);
  hyla_machine wanted = {
      .alpha = 1e-6, .gamma = 2e-11, .omega = 3, .ports = HYLA_ONE_PORT, .switching = HYLA_CIRCUIT};
  strcpy(wanted.name, scratch()); /* a file without a name gives its own */
  assert_true(same(&read, &wanted));
  fill("name = unit\nalpha = 5\nbeta = 6\ngamma = 7\n");
  assert_int_equal(hyla_machine_read(cube, scratch(), &read), HYLA_OK);
  assert_string_equal(read.name, "unit");
  assert_true(read.alpha == 5 && read.beta == 6 && read.gamma == 7);
  fill("ports = one # before network\nalpha = 5\nbeta = 6\ngamma = 7\nnetwork = cube\n");
  assert_int_equal(hyla_machine_read(cube, scratch(), &read), HYLA_OK);
  assert_true(read.network == HYLA_NETWORK_CUBE && read.ports == HYLA_ONE_PORT);
  assert_true(read.switching == HYLA_STORE);
  fill("alpha = 5\nbeta = 6\ngamma = 7\nnetwork = torus 4x4x2\n");
  assert_int_equal(hyla_machine_read(cube, scratch(), &read), HYLA_OK);
  assert_true(read.network == HYLA_NETWORK_OTHER && read.ports == HYLA_ALL_PORTS);
  assert_string_equal(read.links, "torus:4x4x2");
  clear();
  hyla_cube_destroy(&cube);
}

static void damaged_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", ":0: the file ends without alpha"},
      {"alpha = 1\ngamma = 1\n", ":2: the file ends without beta"},
      {"alpha = 1\nbeta 1\n", ":2: there is no '='"},
      {"alpha = 1\nbetta = 1\n", ":2: there is no key 'betta'"},
      {"alpha = 1\nbeta = 1\nalpha = 2\n", ":3: alpha has been given in line 1"},
      {"name = a\nname = b\n", ":2: name has been given in line 1"},
      {"name =\n", ":1: a name has 1 to 63 characters"},
      {"name = a\tb\n", ":1: the name has a character"},
      {"alpha = -1\n", ":1: alpha is '-1'; give seconds"},
      {"alpha = 1,5\n", ":1: alpha is '1,5'; give seconds"},
      {"alpha = nan\n", ":1: alpha is 'nan'"},
      {"alpha = 1e999\n", ":1: alpha is '1e999'"},
      {"alpha = \n", ":1: alpha is ''"},
      {"alpha = 1 s\n", ":1: alpha is '1 s'"},
      {"= 1\n", ":1: there is no key ''"},
      {"network = mesh\n", ":1: network is 'mesh'; give switch or cube"},
      {"network = torus\n", ":1: network is 'torus'; give switch or cube, or another one with"},
      {"alpha = 1\nbeta = 1\ngamma = 1\nnetwork = torus 4x0\n", ": the network torus:4x0: a side"},
      {"alpha = 1\nbeta = 1\ngamma = 1\nnetwork = sphere 4\n", ": the network sphere:4: "},
      {"ports = 1\n", ":1: ports is '1'; give all or one"},
      {"switching = store\nswitching = store\n", ":2: switching has been given in line 1"},
      {"alpha = 1\nbeta = 1\ngamma = 1\nports = one\n",
       ":4: ports is for machines with links, as network = cube has"},
      {"#.........................................................................................."
       "....."
       "..........................................................................................."
       "....."
       ".....................................................................................\n",
       ":1: the line is too long"},
  };
  hyla_cube *cube = open_cube();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_machine read = {.alpha = 42};
    fill(cases[i].text);
    harness_note("case %zu", i);
    assert_int_equal(hyla_machine_read(cube, scratch(), &read), HYLA_FORMAT);
    assert_non_null(strstr(hyla_cube_message(cube), cases[i].says));
    assert_non_null(strstr(hyla_cube_message(cube), scratch()));
    assert_true(read.alpha == 42);
  }
  clear();
  hyla_cube_destroy(&cube);
}

static void assert_says(const hyla_cube *cube, const char *words) {
  harness_note("%s", hyla_cube_message(cube));
  assert_non_null(strstr(hyla_cube_message(cube), words));
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  hyla_cube *cube = open_cube();
  hyla_machine machine = *hyla_machine_preset(0);
  assert_int_equal(hyla_machine_read(cube, "no/such/file", &machine), HYLA_FILE);
  assert_non_null(strstr(hyla_cube_message(cube), "no/such/file"));
  assert_int_equal(hyla_machine_read(cube, "/", &machine), HYLA_FILE);
  assert_int_equal(hyla_machine_read(cube, "", &machine), HYLA_ARGUMENT);
  assert_int_equal(hyla_machine_read(cube, "unit", NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_machine_write(cube, &machine, "no/such/folder/file"), HYLA_FILE);
  assert_int_equal(hyla_machine_write(cube, &machine, ""), HYLA_ARGUMENT);
  assert_int_equal(hyla_machine_write(cube, NULL, "x"), HYLA_ARGUMENT);
  machine.beta = -1;
  assert_int_equal(hyla_machine_write(cube, &machine, scratch()), HYLA_ARGUMENT);
  assert_says(cube, "the machine's beta is -1; give seconds from 0");
  machine.beta = (double)NAN;
  assert_int_equal(hyla_machine_write(cube, &machine, scratch()), HYLA_ARGUMENT);
  machine = *hyla_machine_preset(0);
  machine.ports = (hyla_ports)2;
  assert_int_equal(hyla_machine_write(cube, &machine, scratch()), HYLA_ARGUMENT);
  assert_says(cube, "the machine's ports is 2, which is none of its values");
  machine = *hyla_machine_preset(0);
  strcpy(machine.name, "a#b");
  assert_int_equal(hyla_machine_write(cube, &machine, scratch()), HYLA_ARGUMENT);
  assert_int_not_equal(access(scratch(), F_OK), 0);
  if (harness_ranks() > 1) {
    strcpy(machine.name, "unit");
    const char *text = harness_rank() == 1 ? "unit" : "default";
    assert_int_equal(hyla_machine_read(cube, text, &machine), HYLA_MISMATCH);
  }
  hyla_cube_destroy(&cube);
}

/* The cube takes its machine from an option or the environment, and says which. */
static void a_cube_has_its_machine(void **state) {
  (void)state;
  fill("name = fast\nalpha = 0.5\nbeta = 0.25\ngamma = 0.125\ndelta = 2\n");
  for (int way = 0; way < 3; way++) {
    hyla_options options;
    if (way == 0) setenv("HYLA_MACHINE", scratch(), 1);
    hyla_options_init(&options);
    if (way == 1) options.machine = scratch();
    if (way == 2) options.machine = "ipsc860";
    hyla_cube *cube = NULL;
    hyla_machine machine;
    char text[2048];
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
    assert_int_equal(hyla_cube_machine(cube, &machine), HYLA_OK);
    int dims = 0; /* of the largest cube */
    while (2 << dims <= hyla_cube_nodes(cube)) dims++;
    double alpha = way == 2 ? 177.5e-6 + 10.3e-6 * dims : 0.5 + 2 * dims;
    assert_true(machine.alpha == alpha && machine.delta == 0);
    assert_string_equal(machine.name, way == 2 ? "ipsc860" : "fast");
    hyla_cube_describe(cube, text, sizeof text);
    assert_non_null(strstr(text, way == 2 ? "machine: ipsc860," : "machine: fast,"));
    hyla_ledger ledger;
    assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
    assert_int_equal(ledger.steps, 0);
    hyla_cube_destroy(&cube);
    unsetenv("HYLA_MACHINE");
  }
  fill("alpha = x\n");
  hyla_options options;
  hyla_options_init(&options);
  options.machine = scratch();
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_FORMAT);
  assert_non_null(strstr(hyla_cube_message(cube), ":1: alpha is 'x'"));
  hyla_cube_destroy(&cube);
  clear();
}

/* Where ranks share a core, the times of a byte and of an operation are multiplied by their number,
 * and the start of a message takes longer.  All ranks go to one core meanwhile, if they may. */
static void ranks_that_share_a_core_are_slower(void **state) {
  (void)state;
  cpu_set_t before, one;
  int core = 0;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  while (!CPU_ISSET((size_t)core, &before)) core++;
  harness_broadcast(&core, 1, MPI_INT, 0);
  CPU_ZERO(&one);
  CPU_SET((size_t)core, &one);
  (void)sched_setaffinity(0, sizeof one, &one);
  fill("alpha = 0.5\nbeta = 0.25\ngamma = 0.125\nrho = 2\nshare = 1\nnetwork = switch\n");
  hyla_options options;
  hyla_options_init(&options);
  options.machine = scratch();
  hyla_cube *cube = NULL;
  hyla_machine machine;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  assert_int_equal(hyla_cube_machine(cube, &machine), HYLA_OK);
  const double share = fmax(1, (double)cube->network.link->crowd / cube->network.link->cores);
  if (cube->network.link->cores == 1) assert_true(share == harness_ranks());
  assert_true(fabs(machine.share - share) <= .001);
  assert_true(machine.beta == .25 * machine.share && machine.gamma == .125 * machine.share &&
              machine.rho == 2 * machine.share);
  assert_true((machine.alpha > .5) == (machine.share > 1));
  hyla_cube_destroy(&cube);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  clear();
}

static void measuring_takes_sound_figures(void **state) {
  (void)state;
  hyla_cube *cube = open_cube();
  hyla_measurement found;
  /* The first and the last number of repetitions that it takes, and their neighbours. */
  static const struct {
    int repeat;
    const char *says;
  } refused[] = {
      {0, "give 1 to 1000"}, {1, "is NULL"}, {1000, "is NULL"}, {1001, "give 1 to 1000"}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(hyla_machine_measure(cube, refused[i].repeat, NULL), HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), refused[i].says));
  }
  assert_int_equal(hyla_machine_measure(cube, 3, &found), HYLA_OK);
  const hyla_spread *spreads[] = {&found.exchange, &found.stream,   &found.pingpong, &found.copy,
                                  &found.barrier,  &found.multiply, &found.move,     &found.rows};
  bool alone = hyla_cube_dims(cube) == 0;
  for (int i = 0; i < 8; i++) {
    const hyla_spread *s = spreads[i];
    assert_true(s->least <= s->median && s->median <= s->most);
    if (i < 3 && alone)
      assert_true(s->most == 0);
    else
      assert_true(s->least > 0);
  }
  hyla_machine machine;
  hyla_cube_machine(cube, &machine);
  assert_true(found.machine.gamma > 0);
  assert_true(found.machine.mu * (double)found.move_bytes == found.move.median ||
              fabs(found.machine.mu * (double)found.move_bytes / found.move.median - 1) < 1e-15);
  assert_true(fabs(found.machine.sigma * (double)found.rows_entries / found.rows.median - 1) <
              1e-15);
  /* Consequences of the figures, whatever they are: on busy cores a long message may take no longer
   * than a short one. */
  double longer = found.stream.median - found.exchange.median;
  double word = longer > 0 ? longer / (double)found.stream_bytes : 0;
  if (alone)
    assert_true(found.machine.alpha == machine.alpha && found.machine.beta == machine.beta);
  else
    assert_true(found.machine.alpha == found.exchange.median && found.machine.beta == word);
  hyla_ledger ledger;
  hyla_cube_ledger(cube, &ledger);
  assert_int_equal(ledger.steps, 0);
  hyla_cube_destroy(&cube);
}

/* A clock that goes on by a second whenever it is read. */
static double ticking(struct hy_link *link) {
  static double time = 0;
  (void)link;
  return time++;
}

/* A sample's time is that of one repetition: with a clock that ticks between two looks at it, a
 * repetition takes a second if its clock is read around each, and its part of one if around all. */
static void samples_are_of_one_repetition(void **state) {
  (void)state;
  if (harness_ranks() > 1) return;
  hyla_cube *cube = open_cube();
  struct hy_link_kind kind = *cube->network.link->kind;
  const struct hy_link_kind *before = cube->network.link->kind;
  hyla_measurement found;
  kind.clock = ticking;
  cube->network.link->kind = &kind;
  const hyla_status status = hyla_machine_measure(cube, 2, &found);
  cube->network.link->kind = before;
  assert_int_equal(status, HYLA_OK);
  assert_true(found.multiply.median == 1 && found.copy.median == 1);
  assert_true(found.move.median == 1 && found.rows.median == 1);
  assert_true(found.machine.rho == 1 / (double)found.stream_bytes);
  hyla_cube_destroy(&cube);
}

static hyla_status measure_once(hyla_cube *cube, void *arg) {
  hyla_measurement found;
  hyla_status status = hyla_machine_measure(cube, 1, &found);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) *(hyla_measurement *)arg = found;
  return status;
}

/* Measuring a virtual cube finds the figures that it was made with. */
static void virtual_machines_are_measured_exactly(void **state) {
  (void)state;
  if (harness_ranks() > 1) return;
  hyla_simulation model = {
      .dims = 3, .alpha = 0x1p-10, .beta = 0x1p-20, .gamma = 0x1p-40, .ports = HYLA_ONE_PORT};
  hyla_measurement found;
  hyla_report report;
  assert_int_equal(hyla_simulate(&model, measure_once, &found, &report), HYLA_OK);
  assert_true(found.exchange.median == model.alpha + 8 * model.beta);
  assert_true(found.pingpong.median == model.alpha + 8 * model.beta);
  double beta = model.beta - 8 * model.beta / (double)found.stream_bytes;
  assert_true(fabs(found.machine.beta - beta) <= 1e-12 * beta);
  assert_true(found.machine.gamma == model.gamma);
  assert_true(found.barrier.median == 0 && found.read.median == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(presets_are_found_by_name),
      cmocka_unit_test(a_file_gives_back_what_was_written),
      cmocka_unit_test(files_are_read_freely),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(what_is_no_file_is_refused),
      cmocka_unit_test(a_cube_has_its_machine),
      cmocka_unit_test(ranks_that_share_a_core_are_slower),
      cmocka_unit_test(measuring_takes_sound_figures),
      cmocka_unit_test(samples_are_of_one_repetition),
      cmocka_unit_test(virtual_machines_are_measured_exactly),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
