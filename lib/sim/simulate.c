/* Runs a program of the library on a virtual cube: turns, deadlocks, the report. */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 8 };

/* The nodes that are ready take turns in the order in which they became so. */
void hy_simulator_make_ready(struct hy_sim_node *node) {
  struct hy_simulator *s = node->simulator;
  node->state = HY_SIM_READY;
  node->next_ready = NULL;
  *s->ready_end = node;
  s->ready_end = &node->next_ready;
}

static struct hy_sim_node *next_node(struct hy_simulator *s) {
  struct hy_sim_node *next = s->ready;
  s->ready = next->next_ready;
  if (s->ready == NULL) s->ready_end = &s->ready;
  return next;
}

void hy_simulator_wait(struct hy_sim_node *node) {
  node->state = HY_SIM_WAITING;
  hy_coroutine_yield(&node->simulator->coroutines, &node->coroutine);
}

/* Says which nodes wait for which; names the first few. */
static void explain_deadlock(struct hy_simulator *s) {
  struct hy_text text = {.text = s->who_waits, .capacity = sizeof s->who_waits};
  int waiting = 0;
  hy_text_add(&text, "dead lock:");
  for (int i = 0; i < s->nodes; i++) {
    const struct hy_sim_node *node = &s->node[i];
    if (node->state != HY_SIM_WAITING || waiting++ >= LISTED) continue;
    hy_text_add(&text, "%s node %d waits for ", waiting == 1 ? "" : ",", i);
    if (node->missing_from < 0) {
      hy_text_add(&text, "all to agree");
      continue;
    }
    uint32_t way = (uint32_t)(i ^ node->missing_from);
    hy_text_add(&text, "node %d", node->missing_from);
    if (s->cube && hy_popcount(way) == 1) hy_text_add(&text, " over dimension %d", hy_lowest(way));
    if (s->node[node->missing_from].state == HY_SIM_DONE) hy_text_add(&text, ", which has ended");
  }
  if (waiting > LISTED) hy_text_add(&text, ", and %d more", waiting - LISTED);
}

static void declare_stuck(struct hy_simulator *s) {
  explain_deadlock(s);
  s->stuck = true;
  for (int i = 0; i < s->nodes; i++)
    if (s->node[i].state == HY_SIM_WAITING) hy_simulator_make_ready(&s->node[i]);
}

static void add_ledger(hyla_report *report, const hyla_ledger *ledger) {
  report->steps = hy_max(report->steps, ledger->steps);
  for (int dim = 0; dim < ledger->dims; dim++) {
    report->messages[dim] += ledger->messages[dim];
    report->bytes[dim] += ledger->bytes[dim];
    report->most_messages[dim] = hy_max(report->most_messages[dim], ledger->messages[dim]);
    report->most_bytes[dim] = hy_max(report->most_bytes[dim], ledger->bytes[dim]);
  }
  report->far_messages += ledger->far_messages;
  report->far_bytes += ledger->far_bytes;
}

/* Variants are chosen for the simulated machine, if there is one; false: there is none. */
static bool take_machine(const hyla_simulation *model, hyla_machine *machine) {
  if (model->machine != NULL) *machine = *model->machine;
  if (model->machine != NULL) return true;
  if (model->alpha == 0 && model->beta == 0 && model->gamma == 0) return false;
  *machine = (hyla_machine){.name = "simulated",
                            .alpha = model->alpha,
                            .beta = model->beta,
                            .gamma = model->gamma,
                            .network = HYLA_NETWORK_CUBE,
                            .ports = model->ports,
                            .switching = model->switching};
  return true;
}

static bool is_given(const char *text) { return text != NULL && text[0] != '\0'; }

/* Does the array have sides, or is it to be found? */
static bool has_sides(const char *array) {
  return is_given(array) && strcmp(array, "auto") != 0 && strcmp(array, "cube") != 0;
}

/* The collectives run on the network of the simulation, unless the options say otherwise. */
static bool takes_all(const struct hy_simulator *s, const hyla_options *options) {
  return !is_given(options->network) && !s->cube &&
         (hy_network_is_mesh(&s->network) || s->network.kind == HY_FOLDED);
}

/* The program of one node, from its cube's making to its end. */
static void live(void *arg) {
  struct hy_sim_node *node = arg;
  struct hy_simulator *s = node->simulator;
  hyla_options options;
  hyla_options_init(&options);
  options.network = options.array = NULL; /* the environment's are for ranks */
  if (s->model->options != NULL) options = *s->model->options;
  if (is_given(s->model->array)) options.array = s->model->array;
  if (!is_given(options.array)) options.array = "cube";
  if (takes_all(s, &options)) options.network = s->name;
  hyla_cube *cube = NULL;
  hyla_machine machine;
  if (take_machine(s->model, &machine)) node->link.machine = &machine;
  node->status = hy_cube_over(&node->link, &node->books, &options, s->choose, &cube);
  if (node->status == HYLA_OK) {
    node->status = s->body(cube, s->arg);
    add_ledger(s->report, &cube->network.ledger);
  }
  if (node->status != HYLA_OK && s->report->status == HYLA_OK) {
    s->report->status = node->status;
    snprintf(s->report->message, sizeof s->report->message, "%s",
             cube != NULL ? hyla_cube_message(cube) : hyla_status_text(node->status));
  }
  hyla_cube_destroy(&cube);
  if (node->clock > s->report->time) s->report->time = node->clock;
  node->state = HY_SIM_DONE;
}

/* Lets the nodes take turns until all have ended. */
static void run(struct hy_simulator *s) {
  int done = 0;
  for (int i = 0; i < s->nodes; i++) {
    hy_link_sim_init(&s->node[i], s, i);
    hy_coroutine_init(&s->coroutines, i, live, &s->node[i], &s->node[i].coroutine);
    hy_simulator_make_ready(&s->node[i]);
  }
  while (done < s->nodes) {
    if (s->ready == NULL) declare_stuck(s);
    struct hy_sim_node *next = next_node(s);
    if (s->ready != NULL) hy_coroutine_fetch(&s->ready->coroutine);
    hy_coroutine_resume(&s->coroutines, &next->coroutine);
    done += next->state == HY_SIM_DONE;
  }
  hy_link_sim_end(s);
}

static hyla_status check_model(const hyla_simulation *model, hyla_report *report) {
  bool numbers = model->dims >= 0 && model->dims <= HYLA_DIMS_MAX && model->alpha >= 0 &&
                 model->beta >= 0 && model->gamma >= 0;
  bool faulty = model->dry && model->fault == HYLA_FAULT_CORRUPTED;
  if (!numbers)
    snprintf(report->message, sizeof report->message,
             "a cube of %d dimensions with alpha %g, beta %g and gamma %g cannot be simulated",
             model->dims, model->alpha, model->beta, model->gamma);
  if (faulty)
    snprintf(report->message, sizeof report->message,
             "a dry simulation has no data that could be corrupted");
  return numbers && !faulty ? HYLA_OK : HYLA_ARGUMENT;
}

/* N nodes without links. */
static const char *make_switch(int64_t nodes, struct hy_simulator *s) {
  if (nodes < 1 || nodes > 1 << HYLA_DIMS_MAX) return "it has from 1 to 2^20 nodes";
  s->switched = true;
  s->network = (struct hy_network){.nodes = (uint32_t)nodes};
  return NULL;
}

/* The nodes of an array: a cube where their number is a power of two. */
static const char *make_for_array(const char *array, struct hy_simulator *s) {
  uint32_t rows, cols;
  if (!hy_array_read(array, &rows, &cols)) return "give rows x columns of nodes, as in 2x3";
  const uint32_t nodes = rows * cols;
  if (hy_popcount(nodes) > 1) return make_switch(nodes, s);
  return hy_network_make(&s->network, HY_CUBE, hy_lowest(nodes), NULL, 0);
}

static const char *read_network(const char *name, struct hy_simulator *s) {
  static const char word[] = "switch:";
  if (strncmp(name, word, strlen(word)) != 0) return hy_network_read(&s->network, name);
  char *end = NULL;
  const char *digits = name + strlen(word);
  const int64_t nodes = strtoll(digits, &end, 10);
  return make_switch(*digits >= '0' && *digits <= '9' && *end == '\0' ? nodes : 0, s);
}

/* The network: as given, or as the machine names it, or that of the array, or the cube of
 * model->dims dimensions. */
static hyla_status find_network(const hyla_simulation *model, struct hy_simulator *s,
                                hyla_report *report) {
  const hyla_machine *machine = model->machine;
  const char *wrong, *name = "of a cube";
  if (is_given(model->network))
    s->name = model->network;
  else if (machine != NULL && machine->network == HYLA_NETWORK_OTHER)
    s->name = machine->links;
  if (s->name != NULL)
    wrong = read_network(name = s->name, s);
  else if (has_sides(model->array))
    wrong = make_for_array(name = model->array, s);
  else
    wrong = hy_network_make(&s->network, HY_CUBE, model->dims, NULL, 0);
  s->cube = s->network.kind == HY_CUBE && !s->switched;
  if (wrong == NULL) return HYLA_OK;
  snprintf(report->message, sizeof report->message, "the network %s cannot be simulated: %s", name,
           wrong);
  return HYLA_ARGUMENT;
}

/* The bits of the nodes' addresses. */
static int dims_of(const hyla_simulation *model, uint32_t nodes) {
  uint32_t rows, cols;
  struct hy_sides sides;
  if (has_sides(model->array) && hy_array_read(model->array, &rows, &cols))
    return hy_sides_make(&sides, rows, cols);
  return hy_log2_floor(nodes);
}

/* The machine on this network, with one core for each node, and the model with its times. */
static hyla_simulation with_machine(const hyla_simulation *given, int dims, hyla_machine *machine) {
  hyla_simulation model = *given;
  model.dims = dims;
  if (given->machine == NULL) return model;
  *machine = *given->machine;
  machine->share = 0;
  *machine = hy_machine_on(machine, dims, 0);
  model.machine = machine;
  model.ports = machine->ports;
  model.switching = machine->switching;
  model.alpha = machine->alpha;
  model.beta = machine->beta;
  model.gamma = machine->gamma;
  return model;
}

/* The peers of all nodes, which each message asks for. */
static bool list_peers(struct hy_simulator *s) {
  if (s->cube || s->switched) return true;
  s->peer = calloc((size_t)s->nodes * (size_t)s->network.ports, sizeof *s->peer);
  if (s->peer != NULL) hy_network_peers(&s->network, s->peer);
  return s->peer != NULL;
}

/* A message crosses at most one link less than there are nodes, on a cube or a drawn network one
 * for each dimension and one more. */
static bool take_memory(struct hy_simulator *s) {
  const size_t links = hy_network_is_mesh(&s->network) ? (size_t)s->nodes : HYLA_DIMS_MAX + 1;
  s->node = calloc((size_t)s->nodes, sizeof *s->node);
  s->memories = calloc(HY_SIM_MEMORIES, sizeof *s->memories);
  s->way = calloc(links, sizeof(struct hy_calendar *));
  return s->node != NULL && s->memories != NULL && s->way != NULL && list_peers(s) &&
         hy_coroutines_create(s->nodes, &s->coroutines);
}

hyla_status hy_simulate(const hyla_simulation *given, hy_array_chooser *choose, hyla_body *body,
                        void *arg, hyla_report *report) {
  if (given == NULL || body == NULL || report == NULL) return HYLA_ARGUMENT;
  struct hy_simulator s = {.choose = choose, .body = body, .arg = arg, .report = report};
  hyla_machine machine;
  *report = (hyla_report){.dims = given->dims};
  hyla_simulation model = with_machine(given, given->dims, &machine);
  report->status = check_model(&model, report);
  if (report->status == HYLA_OK) report->status = find_network(given, &s, report);
  if (report->status != HYLA_OK) return report->status;
  s.nodes = (int)s.network.nodes;
  report->nodes = s.nodes;
  report->dims = dims_of(given, s.network.nodes);
  model = with_machine(given, hy_log2_floor(s.network.nodes), &machine);
  s.model = &model;
  s.ready_end = &s.ready;
  bool room = take_memory(&s);
  if (room && model.dry) room = (s.no_data = hy_reserve_nowhere(&s.no_data_bytes)) != NULL;
  if (room) run(&s);
  hy_release_nowhere(s.no_data, s.no_data_bytes);
  hy_coroutines_destroy(&s.coroutines);
  free(s.memories);
  free(s.way);
  free(s.peer);
  free(s.node);
  if (room) return report->status;
  snprintf(report->message, sizeof report->message, "out of memory for %d nodes", s.nodes);
  return report->status = HYLA_MEMORY;
}
