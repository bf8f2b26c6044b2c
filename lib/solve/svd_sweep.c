/* What a sweep of Jacobi's method sends, alone: hyla_jacobi_sweep, and its formulas.
 *
 * Reference: Mantharam and Eberlein 1993; Royo, Gonzalez and Valero-Garcia 1998, for packets that
 * go on as soon as their columns have met those that stay.  theory.md, svd:jacobi-*.
 * Method: a phase of an ordering moves second blocks along a path of L = 2^e - 1 links.  In stage s
 * of L + Q - 1 a node sends the packets (t, s - t) of Q a block, packet q of the t-th move over
 * link t of the path: all that cross one dimension as one message.  With all ports a stage takes
 * as long as its longest message, and in deep pipelines a phase as long as the dimension that its
 * path crosses most often.  A division, and the last transition, move a block over one link.
 * Steps: as in the formulas that hyla_jacobi_sweep_formula finds.  Restriction: packets on cubes,
 * not on rings. */
#include "solve/jacobi/jacobi.h"
#include "solve/solve.h"

#include <hyla_lab.h>
#include <math.h>
#include <string.h>

static const struct hy_jacobi_ordering *const ORDERINGS[] = {&hy_jacobi_balanced, &hy_jacobi_br,
                                                             &hy_jacobi_long_run, &hy_jacobi_ring};
enum { COUNT = sizeof ORDERINGS / sizeof *ORDERINGS };

const char *hyla_jacobi_ordering(int i) { return i >= 0 && i < COUNT ? ORDERINGS[i]->name : NULL; }

static const struct hy_jacobi_ordering *find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (name != NULL && strcmp(name, ORDERINGS[i]->name) == 0) return ORDERINGS[i];
  return NULL;
}

/* -------------------------------------------------------------------- phases -- */

/* A part of a sweep: a path, whose packets may overlap, or one transition. */
struct phase {
  int64_t first, length;
  int64_t packets;
  bool path;
};

static bool next_phase(const struct hy_jacobi_order *order, int64_t packets, struct phase *p) {
  p->first += p->length;
  p->length = 0;
  if (p->first >= order->steps) return false;
  while (p->first + p->length < order->steps && !order->divides[p->first + p->length]) p->length++;
  /* The last transition leads to the next sweep. */
  p->path = p->length > 0 && p->first + p->length < order->steps;
  p->packets = p->path ? packets : 1;
  if (p->length == 0) p->length = 1;
  return true;
}

static int64_t stages_of(const struct phase *p) { return p->length + p->packets - 1; }

/* The words of each dimension's message in a stage. */
static void stage_words(const struct hy_jacobi_order *order, const struct phase *p, int64_t stage,
                        int64_t words, int64_t message[HYLA_DIMS_MAX]) {
  memset(message, 0, HYLA_DIMS_MAX * sizeof *message);
  for (int64_t t = hy_max(0, stage - p->packets + 1); t <= hy_min(stage, p->length - 1); t++) {
    const int64_t q = stage - t;
    message[order->link[p->first + t]] += (q + 1) * words / p->packets - q * words / p->packets;
  }
}

/* ---------------------------------------------------------------------- runs -- */

/* A sweep on this node: what it sends and gets lies in two places of `room' words each. */
struct sweep {
  hyla_cube *cube;
  const hyla_sweep *is;
  struct hy_jacobi_order order;
  char *data; /* the owner of the tables */
  char *out, *in;
};

static hyla_status exchange(const struct sweep *s, const int64_t message[HYLA_DIMS_MAX]) {
  struct hy_message messages[2 * HYLA_DIMS_MAX];
  int64_t at = 0;
  int count = 0;
  for (int i = 0; i < s->order.dims; i++) {
    const int64_t bytes = message[i] * (int64_t)sizeof(double);
    const int peer = s->cube->address ^ 1 << i;
    if (bytes == 0) continue;
    messages[count++] =
        (struct hy_message){.verb = HY_SEND, .peer = peer, .bytes = bytes, .data = s->out + at};
    messages[count++] =
        (struct hy_message){.verb = HY_RECV, .peer = peer, .bytes = bytes, .data = s->in + at};
    at += bytes;
  }
  return count == 0 ? HYLA_OK : hy_link_step(s->cube, messages, count);
}

static hyla_status run_cube(const struct sweep *s) {
  struct phase p = {0};
  while (next_phase(&s->order, s->is->packets, &p))
    for (int64_t stage = 0; stage < stages_of(&p); stage++) {
      int64_t message[HYLA_DIMS_MAX];
      stage_words(&s->order, &p, stage, s->is->words, message);
      TRY(exchange(s, message));
    }
  return HYLA_OK;
}

static hyla_status run_ring(const struct sweep *s) {
  const uint32_t all = hy_all_dims(s->cube), me = hy_member(s->cube, all, s->cube->address);
  const int64_t bytes = s->is->words * (int64_t)sizeof(double);
  for (int64_t t = 0; t < s->order.steps; t++) {
    struct hy_message messages[4];
    int count = 0;
    for (int slot = 0; slot < 2; slot++) {
      const struct hy_jacobi_slot here = {me, slot}, to = hy_jacobi_to(&s->order, 0, t, here),
                                  from = hy_jacobi_from(&s->order, 0, t, here);
      if (to.node != me)
        messages[count++] =
            (struct hy_message){.verb = HY_SEND,
                                .peer = (int)hy_member_address(s->cube, all, to.node),
                                .bytes = bytes,
                                .data = s->out + slot * bytes};
      if (from.node != me)
        messages[count++] =
            (struct hy_message){.verb = HY_RECV,
                                .peer = (int)hy_member_address(s->cube, all, from.node),
                                .bytes = bytes,
                                .data = s->in + slot * bytes};
    }
    if (count > 0) TRY(hy_link_step(s->cube, messages, count));
  }
  return HYLA_OK;
}

/* ----------------------------------------------------------------- arguments -- */

static hyla_status check(struct hy_base *base, const hyla_sweep *sweep) {
  CHECK(base, sweep != NULL, ARGUMENT, "the sweep is NULL");
  const struct hy_jacobi_ordering *ordering = find(sweep->ordering);
  CHECK(base, ordering != NULL, ARGUMENT,
        "there is no ordering \"%s\"; take balanced, br, long-run or ring",
        sweep->ordering == NULL ? "" : sweep->ordering);
  CHECK(base, sweep->words >= 1 && sweep->words <= INT64_C(1) << 40, ARGUMENT,
        "a block of %lld words; give 1 or more", (long long)sweep->words);
  CHECK(base, sweep->packets >= 1 && sweep->packets <= sweep->words, ARGUMENT,
        "%lld packets of a block of %lld words; give from 1 to as many", (long long)sweep->packets,
        (long long)sweep->words);
  CHECK(base, ordering->path != NULL || sweep->packets == 1, ARGUMENT,
        "on a ring blocks travel whole; give 1 packet, not %lld", (long long)sweep->packets);
  return HYLA_OK;
}

/* This node's tables and places. */
static hyla_status open_sweep(struct sweep *s) {
  struct hy_base *base = &s->cube->base;
  const int64_t room = 2 * s->is->words * HYLA_DIMS_MAX;
  TRY(hy_alloc(base, 1, 1, &s->data));
  if (s->cube->address < 0) return HYLA_OK;
  TRY(hy_jacobi_order_make(base, s->data, find(s->is->ordering), (uint32_t)s->cube->nodes,
                           &s->order));
  TRY(hy_alloc_data_for(base, s->data, room, sizeof(double), &s->out));
  return hy_alloc_data_for(base, s->data, room, sizeof(double), &s->in);
}

hyla_status hyla_jacobi_sweep(hyla_cube *cube, const hyla_sweep *sweep) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check(&cube->base, sweep);
  if (mine == HYLA_OK && find(sweep->ordering)->path != NULL &&
      (cube->nodes & (cube->nodes - 1)) != 0)
    mine = hy_fail(&cube->base, HYLA_UNSUPPORTED, "%s is for cubes, not for %d nodes; take ring",
                   sweep->ordering, cube->nodes);
  struct sweep s = {.cube = cube, .is = sweep};
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? (uint64_t)(sweep->words * 31 + sweep->packets) : 0,
               "hyla_jacobi_sweep"));
  hyla_status status = hy_agree(cube, open_sweep(&s));
  if (status == HYLA_OK && cube->address >= 0 && cube->nodes > 1)
    status = s.order.link == NULL ? run_ring(&s) : run_cube(&s);
  status = hy_agree(cube, status);
  hy_free(&cube->base, &s.data);
  return status;
}

/* ------------------------------------------------------------------ formulas -- */

/* The moves of a phase's busiest dimension. */
static int64_t busiest(const struct hy_jacobi_order *order, const struct phase *p) {
  int64_t count[HYLA_DIMS_MAX] = {0}, most = 0;
  for (int64_t t = 0; t < p->length; t++) most = hy_max(most, ++count[order->link[p->first + t]]);
  return most;
}

static void add_stage(const hyla_machine *machine, const int64_t message[HYLA_DIMS_MAX],
                      hyla_sweep_formula *f) {
  double longest = 0, all = 0;
  for (int i = 0; i < HYLA_DIMS_MAX; i++) {
    if (message[i] == 0) continue;
    const double time = machine->alpha + machine->beta * (double)message[i] * sizeof(double);
    f->messages++;
    f->words += message[i];
    longest = fmax(longest, time);
    all += time;
  }
  f->seconds += machine->ports == HYLA_ONE_PORT ? all : longest;
}

static void add_phases(const struct hy_jacobi_order *order, const hyla_machine *machine,
                       const hyla_sweep *sweep, hyla_sweep_formula *f) {
  struct phase p = {0};
  while (next_phase(order, sweep->packets, &p)) {
    f->busiest += busiest(order, &p);
    for (int64_t stage = 0; stage < stages_of(&p); stage++) {
      int64_t message[HYLA_DIMS_MAX];
      stage_words(order, &p, stage, sweep->words, message);
      add_stage(machine, message, f);
    }
    int e = 0;
    while ((INT64_C(1) << e) - 1 < p.length) e++;
    f->least += p.path ? hy_ceil_div(p.length, e) : 1;
  }
}

hyla_status hyla_jacobi_sweep_formula(const hyla_machine *machine, int dims,
                                      const hyla_sweep *sweep, hyla_sweep_formula *formula) {
  struct hy_base base = {0};
  struct hy_jacobi_order order;
  char *owner = NULL;
  CHECK(NULL, machine != NULL && formula != NULL, ARGUMENT, "the machine or the result is NULL");
  TRY(check(NULL, sweep));
  CHECK(NULL, dims >= 0 && dims <= 12, ARGUMENT, "a cube of %d dimensions; give 0 to 12", dims);
  *formula = (hyla_sweep_formula){0};
  const int64_t nodes = INT64_C(1) << dims;
  formula->steps = 2 * nodes - 1;
  if (find(sweep->ordering)->path == NULL) {
    formula->messages = nodes == 1 ? 0 : (nodes == 2 ? 1 : 2) * formula->steps;
    formula->words = formula->messages * sweep->words;
    formula->seconds = NAN;
    return HYLA_OK;
  }
  TRY(hy_alloc(&base, 1, 1, &owner));
  hyla_status status =
      hy_jacobi_order_make(&base, owner, find(sweep->ordering), (uint32_t)nodes, &order);
  if (status == HYLA_OK && dims > 0) add_phases(&order, machine, sweep, formula);
  hy_free(&base, &owner);
  return status;
}
