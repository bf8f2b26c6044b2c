/* hyla machine: measures the time of starting a message, of a byte and of an operation on these
 * ranks, and writes a machine file with them. */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct grammar machine_grammar = {
    .usage = "",
    .text = "Measure the machine: starts and bytes of messages, barriers, products of matrices."
            "\vRun it as the real run is started, with as many ranks on the same nodes.  With "
            "--output it writes a machine file; set HYLA_MACHINE to its name and variants are "
            "chosen for this machine.  With --scalapack it measures instead from which size each "
            "call of ScaLAPACK's routines is faster by hyla's drop-in, which reads that table by "
            "HYLA_SCALAPACK_SIZES.",
    .lists = {options_of_machine, options_of_progress},
};

/* One measurement: its names, and the bytes or operations of one repetition. */
struct row {
  const char *text, *key;
  const hyla_spread *spread;
  double bytes, flops;
};
enum { ROWS = 9 };

static void list_rows(const hyla_measurement *m, struct row rows[ROWS]) {
  double bytes = (double)m->stream_bytes, n = m->multiply_size;
  const struct row all[ROWS] = {
      {"ping-pong of 8 bytes, one way", "pingpong", &m->pingpong, 0, 0},
      {"exchange of 8 bytes", "exchange", &m->exchange, 0, 0},
      {"exchange of a long message", "stream", &m->stream, bytes, 0},
      {"reading as much of a neighbour in place", "read", &m->read, bytes, 0},
      {"copying as much that it has just written", "copy", &m->copy, bytes, 0},
      {"barrier", "barrier", &m->barrier, 0, 0},
      {"transposing from memory to memory", "move", &m->move, (double)m->move_bytes, 0},
      {"copying rows far apart, and back", "rows", &m->rows, 0, 0},
      {"product of square matrices", "multiply", &m->multiply, 0, 2 * n * n * n},
  };
  memcpy(rows, all, sizeof all);
}

const char *ports_name(hyla_ports ports) { return ports == HYLA_ONE_PORT ? "one" : "all"; }
const char *switching_name(hyla_switching switching) {
  return switching == HYLA_CIRCUIT ? "circuit" : "store";
}

int tool_network_dims(const char *network) {
  const hyla_collective any = {.name = "broadcast"};
  hyla_network_variant none;
  if (hyla_network_variant_at(network, &any, NULL, -1, &none) != HYLA_OK) return 0;
  int dims = 0;
  while (2 << dims <= none.nodes) dims++;
  return dims;
}

/* The name of a machine's network. */
static const char *kind_of(const hyla_machine *machine) {
  if (machine->network == HYLA_NETWORK_OTHER) return machine->links;
  return machine->network == HYLA_NETWORK_CUBE ? "cube" : "switch";
}

const char *tool_network(const hyla_machine *machine, char text[96]) {
  if (machine->network == HYLA_NETWORK_SWITCH) return "switch";
  snprintf(text, 96, "%s, %s port%s, %s", kind_of(machine), ports_name(machine->ports),
           machine->ports == HYLA_ONE_PORT ? "" : "s", switching_name(machine->switching));
  return text;
}

hyla_status tool_machine_simulated(struct run *run, hyla_machine *machine) {
  const struct options *options = &run->options;
  hyla_status status = options->machine ? hyla_machine_read(run->cube, options->machine, machine)
                                        : hyla_cube_machine(run->cube, machine);
  if (!options->machine) {
    machine->network = HYLA_NETWORK_CUBE;
    machine->ports = HYLA_ALL_PORTS;
    machine->switching = HYLA_STORE;
  }
  if (options->ports_given) machine->ports = options->ports;
  return status;
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
  char network[96];
  printf("alpha %.4g s a start, beta %.4g s a byte, gamma %.4g s an operation; network: %s\n",
         machine->alpha, machine->beta, machine->gamma, tool_network(machine, network));
  if (nodes == 1)
    printf("On one node no message can be measured: alpha and beta are as they were.  Run\n"
           "mpiexec -n RANKS hyla machine.\n");
  if (run->options.output) printf("written to %s\n", run->options.output);
}

static void print_json(const struct run *run, const hyla_measurement *m) {
  struct row rows[ROWS];
  list_rows(m, rows);
  const hyla_machine *x = &m->machine;
  const char *network = kind_of(x);
  json_t *json =
      json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s, "
                "s:s, s:s}",
                "op", "machine", "status", "HYLA_OK", "machine", x->name, "ranks", run->ranks,
                "dims", hyla_cube_dims(run->cube), "repeat", m->repeat, "alpha", x->alpha, "beta",
                x->beta, "gamma", x->gamma, "delta", x->delta, "rho", x->rho, "omega", x->omega,
                "mu", x->mu, "sigma", x->sigma, "share", x->share, "network", network, "ports",
                ports_name(x->ports), "switching", switching_name(x->switching));
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

/* Names the machine "HOST-4", after rank 0's host and the number of nodes. */
static void name_machine(const struct run *run, hyla_machine *machine) {
  char host[48] = "";
  if (gethostname(host, sizeof host - 1) != 0) strcpy(host, "measured");
  host[strcspn(host, "#\n")] = 0;
  snprintf(machine->name, sizeof machine->name, "%s-%d", host, hyla_cube_nodes(run->cube));
}

int tool_machine(struct run *run) {
  hyla_measurement measurement;
  if (run->options.for_scalapack) return tool_machine_scalapack(run);
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
