/* hyla machine: what starting a message, a byte and an operation take on these
 * ranks, and the machine file that says so. */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct grammar machine_grammar = {
    .usage = "",
    .text = "Measure the machine: starts and bytes of messages, barriers, products of matrices."
            "\vRun it as the real run is started, with as many ranks on the same nodes.  With "
            "--output it writes a machine file; set HYLA_MACHINE to its name and variants are "
            "chosen for this machine.",
    .lists = {options_of_machine, options_of_progress},
};

/* What is measured: how it is called, and what one of it amounts to. */
struct row {
  const char *text, *key;
  const hyla_spread *spread;
  double bytes, flops;
};
enum { ROWS = 7 };

static void list_rows(const hyla_measurement *m, struct row rows[ROWS]) {
  double bytes = (double)m->stream_bytes, n = m->multiply_size;
  const struct row all[ROWS] = {
      {"ping-pong of 8 bytes, one way", "pingpong", &m->pingpong, 0, 0},
      {"exchange of 8 bytes", "exchange", &m->exchange, 0, 0},
      {"exchange of a long message", "stream", &m->stream, bytes, 0},
      {"reading as much of a neighbour in place", "read", &m->read, bytes, 0},
      {"copying as much that it has just written", "copy", &m->copy, bytes, 0},
      {"barrier", "barrier", &m->barrier, 0, 0},
      {"product of square matrices", "multiply", &m->multiply, 0, 2 * n * n * n},
  };
  memcpy(rows, all, sizeof all);
}

static void print_text(const struct run *run, const hyla_measurement *m) {
  struct row rows[ROWS];
  list_rows(m, rows);
  const hyla_machine *machine = &m->machine;
  int nodes = hyla_cube_nodes(run->cube);
  printf("%s: %d node%s, each figure measured %d times, the slowest node's seconds;\n"
         "long messages have %lld bytes, matrices %d rows\n",
         machine->name, nodes, nodes == 1 ? "" : "s", m->repeat, (long long)m->stream_bytes,
         m->multiply_size);
  printf("%-40s %10s %10s %10s\n", "", "median", "least", "most");
  for (int i = 0; i < ROWS; i++) {
    const hyla_spread *s = rows[i].spread;
    if (s->most <= 0) continue;
    printf("%-40s %10.3g %10.3g %10.3g", rows[i].text, s->median, s->least, s->most);
    if (rows[i].bytes > 0) printf("  %.3g GB/s", 1e-9 * rows[i].bytes / s->median);
    if (rows[i].flops > 0) printf("  %.3g Gflop/s", 1e-9 * rows[i].flops / s->median);
    printf("\n");
  }
  printf("alpha %.4g s a start, beta %.4g s a byte, gamma %.4g s an operation\n", machine->alpha,
         machine->beta, machine->gamma);
  if (nodes == 1)
    printf("On one node no message can be measured: alpha and beta are as they were.  Run\n"
           "mpiexec -n RANKS hyla machine.\n");
  if (run->options.output) printf("written to %s\n", run->options.output);
}

static void print_json(const struct run *run, const hyla_measurement *m) {
  struct row rows[ROWS];
  list_rows(m, rows);
  const hyla_machine *x = &m->machine;
  json_t *json = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
                           "op", "machine", "status", "HYLA_OK", "machine", x->name, "ranks",
                           run->ranks, "dims", hyla_cube_dims(run->cube), "repeat", m->repeat,
                           "alpha", x->alpha, "beta", x->beta, "gamma", x->gamma, "delta", x->delta,
                           "rho", x->rho, "omega", x->omega, "share", x->share);
  for (int i = 0; i < ROWS; i++) {
    const hyla_spread *s = rows[i].spread;
    json_t *seconds = s->most > 0 ? json_pack("{s:f, s:f, s:f}", "seconds_median", s->median,
                                              "seconds_min", s->least, "seconds_max", s->most)
                                  : json_null();
    json_object_set_new(json, rows[i].key, seconds);
  }
  if (run->options.output) json_object_set_new(json, "written", json_string(run->options.output));
  json_line(json);
}

/* "HOST-4": rank 0's host and the number of nodes. */
static void name_machine(const struct run *run, hyla_machine *machine) {
  char host[48] = "";
  if (gethostname(host, sizeof host - 1) != 0) strcpy(host, "measured");
  host[strcspn(host, "#\n")] = 0;
  snprintf(machine->name, sizeof machine->name, "%s-%d", host, hyla_cube_nodes(run->cube));
}

int tool_machine(struct run *run) {
  hyla_measurement measurement;
  ticker_phase(run->ticker, "measuring");
  hyla_status status = hyla_machine_measure(run->cube, run->options.repeat, &measurement);
  if (status == HYLA_OK) name_machine(run, &measurement.machine);
  if (status == HYLA_OK && run->options.output)
    status = hyla_machine_write(run->cube, &measurement.machine, run->options.output);
  ticker_stop(&run->ticker);
  if (status != HYLA_OK) {
    const char *why = hyla_cube_message(run->cube);
    tell(run, "%s", *why ? why : hyla_status_text(status));
    return EXIT_USE;
  }
  if (run->rank != 0) return EXIT_DONE;
  if (run->options.json)
    print_json(run, &measurement);
  else
    print_text(run, &measurement);
  return EXIT_DONE;
}
