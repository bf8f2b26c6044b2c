/* hyla simulate collective --name active-ranks: how many active nodes are before each node, by a
 * prefix sum over the dimensions (Varvarigos 1992, 3.6.1). */
#include "collective.h"
#include "options.h"

#include <hyla_collective.h>
#include <stdio.h>
#include <stdlib.h>

/* The data that the simulated nodes share. */
struct ranking {
  const bool *active;
  int *before; /* for each node: active nodes before it */
  int all;
  double time; /* the slowest node's */
};

static hyla_status rank_nodes(hyla_cube *cube, void *arg) {
  struct ranking *r = arg;
  const int me = hyla_cube_address(cube);
  int all = 0;
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_active_ranks(cube, 0, r->active[me], &r->before[me], &all);
  double time = hyla_cube_clock(cube) - begin;
  if (time > r->time) r->time = time;
  r->all = all;
  return status;
}

/* Marks the active nodes; false, with a message, if a node is not on the cube or comes twice. */
static bool mark(const struct run *run, bool *active) {
  const struct options *options = &run->options;
  const hyla_collective *c = &options->collective;
  const int nodes = 1 << options->dims, count = c->active > 0 ? c->active : nodes;
  for (int i = 0; i < count; i++) {
    int node = c->which ? c->which[i] : i;
    if (node >= nodes || active[node]) {
      tell(run, node >= nodes ? "there is no node %d on this cube" : "node %d is given twice",
           node);
      return false;
    }
    active[node] = true;
  }
  return true;
}

static void print_json(const struct outcome *o, const struct ranking *r) {
  const hyla_collective *c = &o->run->options.collective;
  json_t *ranks = json_array();
  for (int node = 0; node < 1 << o->dims; node++)
    if (r->active[node])
      json_array_append_new(ranks, json_pack("{s:i, s:i}", "node", node, "rank", r->before[node]));
  json_line(json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:f, s:f, s:f, s:f, s:s, s:s, s:o, s:o}",
                      "op", "simulate", "name", c->name, "status", "HYLA_OK", "dims", o->dims,
                      "ports", ports_name(o->machine.ports), "machine", o->machine.name, "alpha",
                      c->alpha, "beta", c->beta, "time", r->time, "formula_value",
                      o->dims * (c->alpha + c->beta), "formula", "varvarigos-1992, section 3.6.1",
                      "closed_form", "d (tau + beta)", "letters",
                      json_pack("{s:i, s:f, s:f}", "d", o->dims, "tau", c->beta, "beta", c->alpha),
                      "ranks", ranks));
}

static void print(const struct outcome *o, const struct ranking *r) {
  const hyla_collective *c = &o->run->options.collective;
  if (o->run->options.json) {
    print_json(o, r);
    return;
  }
  printf("active-ranks  %d of %d nodes are active\n", r->all, 1 << o->dims);
  printf("time     %.15g with alpha %g, beta %g a word\n", r->time, c->alpha, c->beta);
  printf("formula  %.15g = d (tau + beta) (varvarigos-1992, section 3.6.1)\n",
         o->dims * (c->alpha + c->beta));
  printf("letters  d = %d, tau = %.15g, beta = %.15g\n\n", o->dims, c->beta, c->alpha);
  printf("%8s  %8s\n", "node", "rank");
  for (int node = 0; node < 1 << o->dims; node++)
    if (r->active[node]) printf("%8d  %8d\n", node, r->before[node]);
}

/* On rank 0: simulates and prints. */
static int simulate(struct outcome *o, bool *active, int *before) {
  struct ranking r = {.active = active, .before = before};
  const hyla_simulation model = {
      .dims = o->dims, .dry = o->run->options.dry, .machine = &o->machine};
  if (!mark(o->run, active)) return EXIT_USE;
  hyla_status status = hyla_simulate(&model, rank_nodes, &r, &o->report);
  if (status == HYLA_OK)
    print(o, &r);
  else
    tell(o->run, "%s", o->report.message);
  return status == HYLA_OK ? EXIT_DONE : EXIT_USE;
}

static bool check_options(const struct run *run) {
  static const int others[] = {KEY_WORDS,     KEY_ROOT,    KEY_DISTANCE, KEY_TAGS,
                               KEY_PARTITION, KEY_VARIANT, KEY_LOST};
  uint64_t given = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) given |= OPTION_BIT(others[i]);
  bool sound = (run->options.given & given) == 0 && !trace_wanted(&run->options);
  if (!sound)
    tell(run, "active-ranks takes only --active, --dims, the machine's options and --json");
  return sound;
}

int simulate_active_ranks(struct run *run) {
  struct outcome o = {.op = "simulate", .run = run, .dims = run->options.dims, .simulated = true};
  if (!check_options(run)) return EXIT_USE;
  if (collective_machine(&o) != HYLA_OK) {
    tell(run, "%s", hyla_cube_message(run->cube));
    return EXIT_USE;
  }
  int64_t code = EXIT_DONE;
  if (run->rank == 0) {
    size_t nodes = (size_t)1 << o.dims;
    int *before = memory_take(nodes * sizeof *before);
    bool *active = memory_take(nodes * sizeof *active);
    for (size_t i = 0; i < nodes; i++) active[i] = false;
    code = simulate(&o, active, before);
    free(active);
    free(before);
  }
  return hyla_cube_max(run->cube, &code, 1) == HYLA_OK ? (int)code : EXIT_USE;
}
