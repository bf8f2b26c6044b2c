/* Redistribution in phases: the lists of places and the run. */
#include "matrix/phases.h"

/* ---------------------------------------------------------- the places -- */

/* Which of the node's indices a walk is about, and how it sorts them. */
struct walk {
  const struct hy_crossing *crossing;
  const struct hy_phase *phase;
  uint32_t tied, node;
  enum { OUT, IN, KEEP } about;
};

/* Where a run begins in the node's part before the phase: in the source itself a
 * node may hold more than it sends, afterwards it holds what came before. */
static int64_t place_before(const struct walk *w, const struct hy_run *run, int64_t passed) {
  if (w->phase->done != 0) return passed;
  const struct hy_axis *axis = w->crossing->axis;
  return hy_axis_before(axis, (int)hy_axis_part(&axis->code, w->node), run->first);
}

static void walk_runs(const void *arg, const struct hy_gathering *gathering) {
  const struct walk *w = arg;
  const struct hy_crossing *crossing = w->crossing;
  uint32_t done = w->phase->done, dims = w->phase->dims;
  int64_t passed = 0, after = 0;
  for (int64_t r = 0; r < crossing->count; r++) {
    const struct hy_run *run = &crossing->runs[r];
    bool was = hy_phase_here(crossing, run, w->tied, w->node, done);
    bool is = hy_phase_here(crossing, run, w->tied, w->node, done | dims);
    int64_t place = place_before(w, run, passed);
    if (w->about == OUT && was)
      hy_gather_run(gathering, (int)hy_extract(run->target, dims & crossing->target_mask),
                    run->length, place, place);
    if (w->about == IN && is)
      hy_gather_run(gathering, (int)hy_extract(run->source, dims & crossing->source_mask),
                    run->length, after, after);
    if (w->about == KEEP && was && is) hy_gather_run(gathering, 0, run->length, place, after);
    passed += was ? run->length : 0;
    after += is ? run->length : 0;
  }
}

static int64_t held_after(const struct walk *w) {
  int64_t held = 0;
  for (int64_t r = 0; r < w->crossing->count; r++)
    if (hy_phase_here(w->crossing, &w->crossing->runs[r], w->tied, w->node,
                      w->phase->done | w->phase->dims))
      held += w->crossing->runs[r].length;
  return held;
}

static hyla_status make_leg(struct hy_base *base, const struct hy_crossing *crossing, uint32_t tied,
                            uint32_t node, const struct hy_phase *phase, struct hy_leg *leg) {
  struct walk walk = {crossing, phase, tied, node, OUT};
  int out = 1 << hy_popcount(phase->dims & crossing->target_mask);
  int in = 1 << hy_popcount(phase->dims & crossing->source_mask);
  leg->held = held_after(&walk);
  TRY(hy_shares_gather(base, out, walk_runs, &walk, &leg->out));
  walk.about = IN;
  TRY(hy_shares_gather(base, in, walk_runs, &walk, &leg->in));
  walk.about = KEEP;
  return hy_shares_gather(base, 1, walk_runs, &walk, &leg->keep);
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
      before += phase->legs[y][0].held * phase->legs[y][1].held;
  return (struct stock){phases->stores[i % 2] + (size_t)before * phases->problem.k->size,
                        hy_max(1, phase->legs[x][0].held)};
}

/* Copies out of the stock before phase i; the first phase finds the source as it
 * lies, and operates. */
static void copy_out(const struct hy_phases *phases, int i, int x, const struct hy_places *rows,
                     const struct hy_places *cols, void *target, int64_t ld) {
  const hyla_transfer *t = &phases->problem.transfers[x];
  struct stock stock = stock_after(phases, i - 1, x);
  struct hy_copy copy = {.k = phases->problem.k, .alpha = 1};
  if (i == 0) {
    copy.op = t->op;
    copy.alpha = t->alpha;
    copy.scratch = phases->scratch;
  }
  hy_copy_places(&copy, rows, cols, stock.data, stock.ld, target, ld);
}

/* Packs for a peer; returns the bytes. */
static int64_t pack(const struct hy_phases *phases, int i, uint32_t node, uint32_t peer) {
  const struct hy_phase *phase = &phases->phase[i];
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_passage *passage = &phases->passages[x];
    const struct hy_leg *legs = phase->legs[x];
    if (!hy_phase_sends(passage, node, peer, phase->done, phase->dims)) continue;
    uint32_t row = hy_extract(peer, phase->dims & passage->row.target_mask);
    uint32_t col = hy_extract(peer, phase->dims & passage->col.target_mask);
    struct hy_places rows = hy_places_of(&legs[0].out, row, HY_HERE, HY_PACKED);
    struct hy_places cols = hy_places_of(&legs[1].out, col, HY_HERE, HY_PACKED);
    copy_out(phases, i, x, &rows, &cols, phases->out + bytes, hy_max(1, rows.entries));
    bytes += rows.entries * cols.entries * (int64_t)phases->problem.k->size;
  }
  return bytes;
}

/* Goes through what comes from a peer: counts its bytes, or puts it in place. */
static int64_t unpack(const struct hy_phases *phases, int i, uint32_t node, uint32_t peer,
                      bool put) {
  const struct hy_phase *phase = &phases->phase[i];
  const struct hy_copy copy = {.k = phases->problem.k, .alpha = 1};
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_passage *passage = &phases->passages[x];
    const struct hy_leg *legs = phase->legs[x];
    if (!hy_phase_sends(passage, peer, node, phase->done, phase->dims)) continue;
    uint32_t row = hy_extract(peer, phase->dims & passage->row.source_mask);
    uint32_t col = hy_extract(peer, phase->dims & passage->col.source_mask);
    struct hy_places rows = hy_places_of(&legs[0].in, row, HY_PACKED, HY_HERE);
    struct hy_places cols = hy_places_of(&legs[1].in, col, HY_PACKED, HY_HERE);
    struct stock stock = stock_after(phases, i, x);
    if (put)
      hy_copy_places(&copy, &rows, &cols, phases->in + bytes, hy_max(1, rows.entries), stock.data,
                     stock.ld);
    bytes += rows.entries * cols.entries * (int64_t)copy.k->size;
  }
  return bytes;
}

/* What stays on the node goes from one stock to the next. */
static void keep(const struct hy_phases *phases, int i, uint32_t node) {
  const struct hy_phase *phase = &phases->phase[i];
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_leg *legs = phase->legs[x];
    if (!hy_phase_sends(&phases->passages[x], node, node, phase->done, phase->dims)) continue;
    struct hy_places rows = hy_places_of(&legs[0].keep, 0, HY_HERE, HY_THERE);
    struct hy_places cols = hy_places_of(&legs[1].keep, 0, HY_HERE, HY_THERE);
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
