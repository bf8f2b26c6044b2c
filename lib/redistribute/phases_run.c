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
    /* Before the first phase the source may hold more than the node sends; later the node holds
     * exactly the entries that came. */
    int64_t place = !was ? 0 : done != 0 ? passed : hy_axis_place(&pair->axis, run->first);
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

static hyla_status make_axis(struct hy_phases *phases, const struct hy_phase *phase,
                             const struct hy_axis_pair *pair, uint32_t tied,
                             struct hy_phase_axis *axis) {
  struct hy_base *base = &phases->problem.cube->base;
  struct walk walk = {pair, phase, tied, (uint32_t)phases->problem.cube->address, OUT};
  int out = 1 << hy_popcount(phase->dims & pair->target_mask);
  int in = 1 << hy_popcount(phase->dims & pair->source_mask);
  for (int64_t r = 0; r < pair->count; r++)
    if (hy_phase_here(pair, &pair->runs[r], tied, walk.node, phase->done | phase->dims))
      axis->held += pair->runs[r].length;
  TRY(hy_intersection_gather(base, phases, out, walk_runs, &walk, &axis->out));
  walk.about = IN;
  TRY(hy_intersection_gather(base, phases, in, walk_runs, &walk, &axis->in));
  walk.about = KEEP;
  return hy_intersection_gather(base, phases, 1, walk_runs, &walk, &axis->keep);
}

hyla_status hy_phases_allocate(void *state) {
  struct hy_phases *phases = state;
  const struct hy_redistribution *problem = &phases->problem;
  struct hy_base *base = &problem->cube->base;
  if (problem->cube->address < 0) return HYLA_OK;
  int64_t tiles = 0;
  for (int i = 0; i < phases->count; i++) {
    struct hy_phase *phase = &phases->phase[i];
    TRY(hy_alloc_for(base, phases, problem->count, sizeof *phase->axes, &phase->axes));
    for (int x = 0; x < 2 * problem->count; x++) {
      const struct hy_transfer_axes *axes = &phases->transfer_axes[x / 2];
      TRY(make_axis(phases, phase, &axes->axis[x % 2], axes->tied, &phase->axes[x / 2][x % 2]));
    }
  }
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

/* How entries of a transfer are copied.  first: out of the source, by op and alpha. */
static struct hy_copy copy_of(const struct hy_phases *phases, int x, bool first) {
  const hyla_transfer *t = &phases->problem.transfers[x];
  struct hy_copy copy = {.k = phases->problem.k, .alpha = 1, .scratch = phases->scratch};
  if (first) {
    copy.op = hy_without_turn(t->op);
    copy.alpha = t->alpha;
  }
  return copy;
}

/* Counts the bytes that go to a peer (out), or come from it; packs, or unpacks, them unless `data'
 * is NULL. */
static int64_t carry(const struct hy_phases *phases, int i, uint32_t peer, bool out, char *data) {
  const struct hy_phase *phase = &phases->phase[i];
  const uint32_t node = (uint32_t)phases->problem.cube->address;
  int64_t bytes = 0;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_transfer_axes *transfer = &phases->transfer_axes[x];
    struct hy_positions at[2]; /* rows and columns */
    if (!hy_phase_sends(transfer, out ? node : peer, out ? peer : node, phase->done, phase->dims))
      continue;
    for (int a = 0; a < 2; a++) {
      const struct hy_axis_pair *pair = &transfer->axis[a];
      const struct hy_phase_axis *axis = &phase->axes[x][a];
      uint32_t mask = out ? pair->target_mask : pair->source_mask;
      at[a] = hy_positions_of(out ? &axis->out : &axis->in, hy_extract(peer, phase->dims & mask),
                              out ? HY_HERE : HY_PACKED, out ? HY_PACKED : HY_HERE);
    }
    if (data != NULL) {
      struct hy_staging packed = {data + bytes, hy_max(1, at[0].entries), INT64_MAX, NULL, 0};
      struct hy_staging own = staging_after(phases, out ? i - 1 : i, x);
      const struct hy_copy copy = copy_of(phases, x, out && i == 0);
      hy_staging_copy(&copy, &at[0], &at[1], out ? &own : &packed, out ? &packed : &own);
    }
    bytes += at[0].entries * at[1].entries * (int64_t)phases->problem.k->size;
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
    const struct hy_copy copy = copy_of(phases, x, i == 0);
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
    behind += carry(phases, i, node ^ hy_deposit(other, dims), true, behind);
  keep(phases, i, node);
  for (uint32_t other = 1; other < peers; other++) {
    uint32_t peer = node ^ hy_deposit(other, dims);
    int64_t out = carry(phases, i, peer, true, i == 0 ? next : NULL);
    int64_t in = carry(phases, i, peer, false, NULL);
    if (out == 0 && in == 0) continue;
    char *coming = i == 0 ? next + out : behind;
    TRY(hy_exchange(cube, (int)peer, next, out, coming, in));
    (void)carry(phases, i, peer, false, coming);
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
