/* Redistribution in phases: the lists of positions and the run. */
#include "redistribute/phases.h"

/* ---------------------------------------------------------- the places -- */

/* A walk over the node's indices that go out, come in or stay, sorted by class. */
struct walk {
  const struct hy_axis_pair *pair;
  const struct hy_phase *phase;
  uint32_t tied, node;
  enum { OUT, IN, KEEP } about;
};

/* Where a run begins in the node's part before the phase.  Before the first phase the source may
 * hold more than the node sends; later the node holds exactly the entries that came. */
static int64_t place_before(const struct walk *w, const struct hy_index_run *run, int64_t passed) {
  return w->phase->done != 0 ? passed : hy_axis_place(&w->pair->axis, run->first);
}

static void walk_runs(const void *arg, const struct hy_gathering *gathering) {
  const struct walk *w = arg;
  const struct hy_axis_pair *pair = w->pair;
  uint32_t done = w->phase->done, dims = w->phase->dims;
  bool falls = done == 0 && pair->axis.mirrored;
  int64_t passed = 0, after = 0;
  for (int64_t r = 0; r < pair->count; r++) {
    const struct hy_index_run *run = &pair->runs[r];
    if (!hy_phase_touches(pair, run, w->tied, w->node, done, dims)) continue;
    bool was = hy_phase_here(pair, run, w->tied, w->node, done);
    bool is = hy_phase_here(pair, run, w->tied, w->node, done | dims);
    int64_t place = was ? place_before(w, run, passed) : 0;
    if (w->about == OUT && was)
      hy_gather_transposed(gathering, (int)hy_extract(run->target, dims & pair->target_mask),
                           run->length, place, falls, place, falls);
    if (w->about == IN && is)
      hy_gather_run(gathering, (int)hy_extract(run->source, dims & pair->source_mask), run->length,
                    after, after);
    if (w->about == KEEP && was && is)
      hy_gather_transposed(gathering, 0, run->length, place, falls, after, false);
    passed += was ? run->length : 0;
    after += is ? run->length : 0;
  }
}

static int64_t held_after(const struct walk *w) {
  int64_t held = 0;
  for (int64_t r = 0; r < w->pair->count; r++)
    if (hy_phase_here(w->pair, &w->pair->runs[r], w->tied, w->node,
                      w->phase->done | w->phase->dims))
      held += w->pair->runs[r].length;
  return held;
}

static hyla_status make_axis(struct hy_base *base, void *owner, const struct hy_axis_pair *pair,
                             uint32_t tied, uint32_t node, const struct hy_phase *phase,
                             struct hy_phase_axis *axis) {
  struct walk walk = {pair, phase, tied, node, OUT};
  int out = 1 << hy_popcount(phase->dims & pair->target_mask);
  int in = 1 << hy_popcount(phase->dims & pair->source_mask);
  axis->held = held_after(&walk);
  TRY(hy_intersection_gather(base, owner, out, walk_runs, &walk, &axis->out));
  walk.about = IN;
  TRY(hy_intersection_gather(base, owner, in, walk_runs, &walk, &axis->in));
  walk.about = KEEP;
  return hy_intersection_gather(base, owner, 1, walk_runs, &walk, &axis->keep);
}

static hyla_status take_phase(struct hy_phases *phases, struct hy_phase *phase) {
  struct hy_base *base = &phases->problem.cube->base;
  uint32_t node = (uint32_t)phases->problem.cube->address;
  int count = phases->problem.count;
  TRY(hy_alloc_for(base, phases, count, sizeof *phase->axes, &phase->axes));
  for (int x = 0; x < count; x++) {
    const struct hy_transfer_axes *axes = &phases->transfer_axes[x];
    TRY(make_axis(base, phases, &axes->row, axes->tied, node, phase, &phase->axes[x][0]));
    TRY(make_axis(base, phases, &axes->col, axes->tied, node, phase, &phase->axes[x][1]));
  }
  return HYLA_OK;
}

hyla_status hy_phases_allocate(void *state) {
  struct hy_phases *phases = state;
  const struct hy_redistribution *problem = &phases->problem;
  struct hy_base *base = &problem->cube->base;
  if (problem->cube->address < 0) return HYLA_OK;
  int64_t tiles = 0;
  for (int i = 0; i < phases->count; i++) TRY(take_phase(phases, &phases->phase[i]));
  for (int x = 0; x < problem->count; x++)
    tiles = hy_max(tiles, hy_copy_scratch(problem->transfers[x].op));
  if (phases->count > 1) tiles = hy_max(tiles, hy_staging_scratch(problem->k));
  TRY(hy_alloc_data_for(base, phases, phases->over + phases->packing, 1, &phases->buffer));
  return hy_alloc_data_for(base, phases, tiles, problem->k->size, &phases->scratch);
}

/* -------------------------------------------------------------- the run -- */

/* The place of a transfer's entries after phase i: the source for i = -1, the target after the last
 * phase, else a place between phases. */
static struct hy_staging staging_after(const struct hy_phases *phases, int i, int x) {
  const hyla_transfer *transfer = &phases->problem.transfers[x];
  const hyla_matrix *whole = i < 0 ? transfer->from : transfer->to;
  char *surplus = phases->buffer;
  if (i < 0 || i == phases->count - 1)
    return (struct hy_staging){whole->local, whole->ld, INT64_MAX, NULL, 0};
  for (int y = 0; y < x; y++) surplus += phases->surplus[y];
  const struct hy_phase_axis *axes = phases->phase[i].axes[x];
  return hy_staging_make(transfer->to, axes[0].held, axes[1].held, surplus);
}

/* An array of packed entries. */
static struct hy_staging packed_at(char *data, const struct hy_positions *rows) {
  return (struct hy_staging){data, hy_max(1, rows->entries), INT64_MAX, NULL, 0};
}

/* How entries are copied out of their place before phase i.  The first phase reads the source and
 * applies op and alpha. */
static struct hy_copy copy_before(const struct hy_phases *phases, int i, int x) {
  const hyla_transfer *t = &phases->problem.transfers[x];
  struct hy_copy copy = {.k = phases->problem.k, .alpha = 1, .scratch = phases->scratch};
  if (i == 0) {
    copy.op = hy_without_turn(t->op);
    copy.alpha = t->alpha;
  }
  return copy;
}

/* Counts the bytes that go to a peer; packs them unless `out' is NULL. */
static int64_t pack(const struct hy_phases *phases, int i, uint32_t node, uint32_t peer,
                    char *out) {
  const struct hy_phase *phase = &phases->phase[i];
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_transfer_axes *transfer_axes = &phases->transfer_axes[x];
    const struct hy_phase_axis *axes = phase->axes[x];
    if (!hy_phase_sends(transfer_axes, node, peer, phase->done, phase->dims)) continue;
    uint32_t row = hy_extract(peer, phase->dims & transfer_axes->row.target_mask);
    uint32_t col = hy_extract(peer, phase->dims & transfer_axes->col.target_mask);
    struct hy_positions rows = hy_positions_of(&axes[0].out, row, HY_HERE, HY_PACKED);
    struct hy_positions cols = hy_positions_of(&axes[1].out, col, HY_HERE, HY_PACKED);
    if (out != NULL) {
      struct hy_copy copy = copy_before(phases, i, x);
      struct hy_staging from = staging_after(phases, i - 1, x), to = packed_at(out + bytes, &rows);
      hy_staging_copy(&copy, &rows, &cols, &from, &to);
    }
    bytes += rows.entries * cols.entries * (int64_t)phases->problem.k->size;
  }
  return bytes;
}

/* Counts the bytes that come from a peer; unpacks them unless `in' is NULL. */
static int64_t unpack(const struct hy_phases *phases, int i, uint32_t node, uint32_t peer,
                      char *in) {
  const struct hy_phase *phase = &phases->phase[i];
  const struct hy_copy copy = {.k = phases->problem.k, .alpha = 1};
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_transfer_axes *transfer_axes = &phases->transfer_axes[x];
    const struct hy_phase_axis *axes = phase->axes[x];
    if (!hy_phase_sends(transfer_axes, peer, node, phase->done, phase->dims)) continue;
    uint32_t row = hy_extract(peer, phase->dims & transfer_axes->row.source_mask);
    uint32_t col = hy_extract(peer, phase->dims & transfer_axes->col.source_mask);
    struct hy_positions rows = hy_positions_of(&axes[0].in, row, HY_PACKED, HY_HERE);
    struct hy_positions cols = hy_positions_of(&axes[1].in, col, HY_PACKED, HY_HERE);
    if (in != NULL) {
      struct hy_staging from = packed_at(in + bytes, &rows), to = staging_after(phases, i, x);
      hy_staging_copy(&copy, &rows, &cols, &from, &to);
    }
    bytes += rows.entries * cols.entries * (int64_t)copy.k->size;
  }
  return bytes;
}

/* Moves entries that stay on the node from one place to the next. */
static void keep(const struct hy_phases *phases, int i, uint32_t node) {
  const struct hy_phase *phase = &phases->phase[i];
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_phase_axis *axes = phase->axes[x];
    if (!hy_phase_sends(&phases->transfer_axes[x], node, node, phase->done, phase->dims)) continue;
    struct hy_positions rows = hy_positions_of(&axes[0].keep, 0, HY_HERE, HY_THERE);
    struct hy_positions cols = hy_positions_of(&axes[1].keep, 0, HY_HERE, HY_THERE);
    struct hy_staging from = staging_after(phases, i - 1, x), to = staging_after(phases, i, x);
    struct hy_copy copy = copy_before(phases, i, x);
    if (i == 0)
      hy_staging_copy(&copy, &rows, &cols, &from, &to);
    else
      hy_staging_keep(&copy, &rows, &cols, &from, &to);
  }
}

static hyla_status run_phase(const struct hy_phases *phases, int i) {
  hyla_cube *cube = phases->problem.cube;
  uint32_t node = (uint32_t)cube->address, dims = phases->phase[i].dims;
  uint32_t peers = UINT32_C(1) << hy_popcount(dims);
  char *next = phases->buffer + phases->over, *behind = next;
  /* Incoming entries take the places of outgoing ones, so all outgoing ones are packed first. */
  for (uint32_t other = 1; other < peers && i > 0; other++)
    behind += pack(phases, i, node, node ^ hy_deposit(other, dims), behind);
  keep(phases, i, node);
  for (uint32_t other = 1; other < peers; other++) {
    uint32_t peer = node ^ hy_deposit(other, dims);
    int64_t out = pack(phases, i, node, peer, i == 0 ? next : NULL);
    int64_t in = unpack(phases, i, node, peer, NULL);
    if (out == 0 && in == 0) continue;
    char *coming = i == 0 ? next + out : behind;
    TRY(hy_exchange(cube, (int)peer, next, out, coming, in));
    (void)unpack(phases, i, node, peer, coming);
    next += i == 0 ? 0 : out;
  }
  return HYLA_OK;
}

hyla_status hy_phases_run(void *state) {
  const struct hy_phases *phases = state;
  if (phases->problem.cube->address < 0) return HYLA_OK;
  for (int i = 0; i < phases->count; i++) TRY(run_phase(phases, i));
  return HYLA_OK;
}
