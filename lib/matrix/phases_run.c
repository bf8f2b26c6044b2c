/* Redistribution in phases: the lists of places and the run. */
#include "matrix/phases.h"

#include <string.h>

/* ---------------------------------------------------------- the places -- */

/* The places of the node's indices before (by the target's bits) or after a phase
 * (by the source's), sorted by class. */
struct listing {
  const struct hy_crossing *crossing;
  uint32_t tied, node;
  uint32_t done; /* dimensions settled at that moment */
  uint32_t dims; /* that the classes are about */
  bool by_target;
};

static uint32_t class_of(const struct listing *l, const struct hy_run *run) {
  return hy_extract(l->by_target ? run->target : run->source, l->dims);
}

/* Where the run begins in the node's part; *next: how many indices came before. */
static int64_t place_of(const struct listing *l, const struct hy_run *run, int64_t *next) {
  int64_t place = *next;
  *next += run->length;
  if (l->done != 0 || !l->by_target) return place;
  /* The source itself, of which a node may hold more than it sends. */
  const struct hy_axis *axis = l->crossing->axis;
  return hy_axis_before(axis, (int)hy_axis_part(&axis->code, l->node), run->first);
}

static hyla_status make_lists(struct hy_base *base, const struct listing *l,
                              struct hy_class_lists *lists, int32_t *held) {
  const struct hy_crossing *crossing = l->crossing;
  int64_t classes = (int64_t)1 << hy_popcount(l->dims), total = 0, next = 0;
  for (int64_t r = 0; r < crossing->count; r++)
    if (hy_phase_here(crossing, &crossing->runs[r], l->tied, l->node, l->done))
      total += crossing->runs[r].length;
  TRY(hy_alloc(base, classes + 1 + total, sizeof *lists->start, &lists->start));
  lists->place = lists->start + classes + 1;
  *held = (int32_t)total;
  for (int64_t r = 0; r < crossing->count; r++)
    if (hy_phase_here(crossing, &crossing->runs[r], l->tied, l->node, l->done))
      lists->start[class_of(l, &crossing->runs[r]) + 1] += (int32_t)crossing->runs[r].length;
  for (int64_t c = 0; c < classes; c++) lists->start[c + 1] += lists->start[c];
  for (int64_t r = 0; r < crossing->count; r++) {
    const struct hy_run *run = &crossing->runs[r];
    if (!hy_phase_here(crossing, run, l->tied, l->node, l->done)) continue;
    int64_t place = place_of(l, run, &next);
    int32_t *at = &lists->start[class_of(l, run)];
    for (int64_t i = 0; i < run->length; i++) lists->place[(*at)++] = (int32_t)(place + i);
  }
  /* Each start has moved to its end, which is the next one's start. */
  for (int64_t c = classes; c > 0; c--) lists->start[c] = lists->start[c - 1];
  lists->start[0] = 0;
  return HYLA_OK;
}

static hyla_status make_leg(struct hy_base *base, const struct hy_crossing *crossing, uint32_t tied,
                            uint32_t node, const struct hy_phase *phase, struct hy_leg *leg) {
  const struct listing out = {
      crossing, tied, node, phase->done, phase->dims & crossing->target_mask, true};
  const struct listing in = {
      crossing, tied, node, phase->done | phase->dims, phase->dims & crossing->source_mask, false};
  int32_t before = 0;
  TRY(make_lists(base, &out, &leg->out, &before));
  return make_lists(base, &in, &leg->in, &leg->held);
}

static hyla_status take_phase(struct hy_phases *phases, struct hy_phase *phase) {
  struct hy_base *base = &phases->problem.cube->base;
  uint32_t node = (uint32_t)phases->problem.cube->address;
  int count = phases->problem.count;
  TRY(hy_alloc(base, count, sizeof *phase->legs, &phase->legs));
  for (int x = 0; x < count; x++) {
    const struct hy_passage *passage = &phases->passages[x];
    TRY(make_leg(base, &passage->row, passage->tied, node, phase, &phase->legs[x][0]));
    TRY(make_leg(base, &passage->col, passage->tied, node, phase, &phase->legs[x][1]));
  }
  return HYLA_OK;
}

hyla_status hy_phases_take(void *state) {
  struct hy_phases *phases = state;
  const struct hy_redistribution *problem = &phases->problem;
  struct hy_base *base = &problem->cube->base;
  if (problem->cube->address < 0) return HYLA_OK;
  int64_t tiles = 0;
  for (int i = 0; i < phases->count; i++) TRY(take_phase(phases, &phases->phase[i]));
  for (int x = 0; x < problem->count; x++)
    tiles = hy_max(tiles, hy_copy_scratch(problem->transfers[x].op));
  for (int i = 0; i < 2; i++) TRY(hy_alloc(base, phases->store[i], 1, &phases->stores[i]));
  TRY(hy_alloc(base, phases->most_out, 1, &phases->out));
  TRY(hy_alloc(base, phases->most_in, 1, &phases->in));
  return hy_alloc(base, tiles, problem->k->size, &phases->scratch);
}

/* -------------------------------------------------------------- the run -- */

/* Where a transfer's entries are at a stage. */
struct stock {
  char *data;
  int64_t ld;
};

/* After phase i (from -1): the source, the target, or a place in a store. */
static struct stock stock_after(const struct hy_phases *phases, int i, int x) {
  const hyla_transfer *transfer = &phases->problem.transfers[x];
  if (i < 0) return (struct stock){transfer->from->local, transfer->from->ld};
  if (i == phases->count - 1) return (struct stock){transfer->to->local, transfer->to->ld};
  int64_t before = 0;
  uint32_t node = (uint32_t)phases->problem.cube->address;
  const struct hy_phase *phase = &phases->phase[i];
  for (int y = 0; y < x; y++)
    if (hy_phase_holds(&phases->passages[y], node, phase->done | phase->dims))
      before += (int64_t)phase->legs[y][0].held * phase->legs[y][1].held;
  return (struct stock){phases->stores[i % 2] + (size_t)before * phases->problem.k->size,
                        hy_max(1, phase->legs[x][0].held)};
}

static int length(const struct hy_class_lists *lists, uint32_t class) {
  return lists->start[class + 1] - lists->start[class];
}

/* The rows or columns that go to, come from a peer: from places before the phase
 * to packed order, from packed order to places after it. */
static struct hy_places going(const struct hy_leg *leg, uint32_t class) {
  return (struct hy_places){.count = length(&leg->out, class),
                            .from = leg->out.place + leg->out.start[class]};
}

static struct hy_places coming(const struct hy_leg *leg, uint32_t class) {
  return (struct hy_places){.count = length(&leg->in, class),
                            .to = leg->in.place + leg->in.start[class]};
}

/* Copies rows x cols of the target's orientation out of the stock before phase i;
 * the first phase finds the source as it lies. */
static void copy_out(const struct hy_phases *phases, int i, int x, const struct hy_places *rows,
                     const struct hy_places *cols, void *target, int64_t ld) {
  hyla_operation op = i == 0 ? phases->problem.transfers[x].op : HYLA_NONE;
  struct stock stock = stock_after(phases, i - 1, x);
  bool turned = op != HYLA_NONE;
  hy_copy_places(phases->problem.k, op, turned ? cols : rows, turned ? rows : cols, stock.data,
                 stock.ld, target, ld, phases->scratch);
}

/* Packs for a peer (peer other than the node); returns the bytes. */
static int64_t pack(const struct hy_phases *phases, int i, uint32_t node, uint32_t peer) {
  const struct hy_phase *phase = &phases->phase[i];
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_passage *passage = &phases->passages[x];
    const struct hy_leg *legs = phase->legs[x];
    if (!hy_phase_sends(passage, node, peer, phase->done, phase->dims)) continue;
    struct hy_places rows =
        going(&legs[0], hy_extract(peer, phase->dims & passage->row.target_mask));
    struct hy_places cols =
        going(&legs[1], hy_extract(peer, phase->dims & passage->col.target_mask));
    copy_out(phases, i, x, &rows, &cols, phases->out + bytes, hy_max(1, rows.count));
    bytes += (int64_t)rows.count * cols.count * (int64_t)phases->problem.k->size;
  }
  return bytes;
}

/* Goes through what comes from a peer: counts its bytes, or puts it in place. */
static int64_t unpack(const struct hy_phases *phases, int i, uint32_t node, uint32_t peer,
                      bool put) {
  const struct hy_phase *phase = &phases->phase[i];
  const struct hy_kernels *k = phases->problem.k;
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_passage *passage = &phases->passages[x];
    const struct hy_leg *legs = phase->legs[x];
    if (!hy_phase_sends(passage, peer, node, phase->done, phase->dims)) continue;
    struct hy_places rows =
        coming(&legs[0], hy_extract(peer, phase->dims & passage->row.source_mask));
    struct hy_places cols =
        coming(&legs[1], hy_extract(peer, phase->dims & passage->col.source_mask));
    struct stock stock = stock_after(phases, i, x);
    if (put)
      hy_copy_places(k, HYLA_NONE, &rows, &cols, phases->in + bytes, hy_max(1, rows.count),
                     stock.data, stock.ld, phases->scratch);
    bytes += (int64_t)rows.count * cols.count * (int64_t)k->size;
  }
  return bytes;
}

/* What stays on the node goes from one stock to the next. */
static void keep(const struct hy_phases *phases, int i, uint32_t node) {
  const struct hy_phase *phase = &phases->phase[i];
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_passage *passage = &phases->passages[x];
    const struct hy_leg *legs = phase->legs[x];
    if (!hy_phase_sends(passage, node, node, phase->done, phase->dims)) continue;
    struct hy_places rows =
        going(&legs[0], hy_extract(node, phase->dims & passage->row.target_mask));
    struct hy_places cols =
        going(&legs[1], hy_extract(node, phase->dims & passage->col.target_mask));
    rows.to = coming(&legs[0], hy_extract(node, phase->dims & passage->row.source_mask)).to;
    cols.to = coming(&legs[1], hy_extract(node, phase->dims & passage->col.source_mask)).to;
    struct stock stock = stock_after(phases, i, x);
    copy_out(phases, i, x, &rows, &cols, stock.data, stock.ld);
  }
}

static hyla_status run_phase(const struct hy_phases *phases, int i) {
  hyla_cube *cube = phases->problem.cube;
  uint32_t node = (uint32_t)cube->address, dims = phases->phase[i].dims;
  keep(phases, i, node);
  for (uint32_t other = 1; other >> hy_popcount(dims) == 0; other++) {
    uint32_t peer = node ^ hy_deposit(other, dims);
    int64_t out = pack(phases, i, node, peer), in = unpack(phases, i, node, peer, false);
    if (out == 0 && in == 0) continue;
    TRY(hy_exchange(cube, (int)peer, phases->out, out, phases->in, in));
    (void)unpack(phases, i, node, peer, true);
  }
  return HYLA_OK;
}

hyla_status hy_phases_run(void *state) {
  const struct hy_phases *phases = state;
  if (phases->problem.cube->address < 0) return HYLA_OK;
  for (int i = 0; i < phases->count; i++) TRY(run_phase(phases, i));
  return HYLA_OK;
}

void hy_phases_release(hyla_cube *cube, void **state) {
  (void)cube;
  struct hy_phases *phases = *state;
  hy_phases_destroy(&phases);
  *state = NULL;
}
