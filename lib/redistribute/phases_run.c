/* Redistribution in phases: the lists of positions, the run, and where a node's entries are between
 * two phases.
 *
 * They are in the target, as a matrix without gaps; columns for which the target has no room are in
 * the surplus.  A phase leaves its entries where the next one expects them, so entries that stay on
 * the node move within one array.  Their columns before and after are two ascending sequences of
 * intervals.  So some order of the moves overwrites nothing that is still needed: if the new place
 * of a column reaches into the old place of the next column, the next one moves first. */
#include "redistribute/phases.h"

/* ------------------------------------------------------- between phases -- */

/* Bytes that are lifted out of their old place at one time, through the first-level cache. */
enum { LIFTED = 1 << 15 };

/* The place of a node's entries of a transfer between phases: a matrix whose columns from `split'
 * on are in an array of their own. */
struct place {
  char *data;
  int64_t ld;
  int64_t split; /* INT64_MAX: all columns are in one array */
  char *rest;
  int64_t rest_ld;
};

int64_t hy_staging_split(const hyla_matrix *to, int64_t rows, int64_t cols, int64_t *ld) {
  int64_t held = to->local_rows * to->local_cols;
  bool dense = to->ld == to->local_rows || to->local_cols == 1;
  int64_t room = to->owner && held > 0 ? to->ld * to->local_cols : dense ? held : 0;
  *ld = to->ld;
  if (rows <= to->local_rows && cols <= to->local_cols) return INT64_MAX;
  if (room == 0) return rows <= to->local_rows ? hy_min(cols, to->local_cols) : 0;
  *ld = hy_max(1, rows);
  return hy_min(cols, room / *ld);
}

/* The number of the columns that are in the first of a place's two arrays. */
static int64_t unsplit(const struct hy_positions *cols, enum hy_side_layout side,
                       const struct place *at) {
  bool split = side != HY_PACKED && at->split < INT64_MAX;
  return split ? hy_positions_below(cols, side, at->split) : cols->entries;
}

/* The address of column 0 of the array that has the columns from `first' on; all of them are in one
 * of the two arrays. */
static char *base_of(const struct place *at, enum hy_side_layout side, int64_t first, bool rest,
                     size_t size, int64_t *ld) {
  *ld = rest ? at->rest_ld : at->ld;
  int64_t columns = side == HY_PACKED ? first : rest ? -at->split : 0;
  /* In the surplus, column 0 would lie before the surplus itself: compute with integers. */
  uintptr_t data = (uintptr_t)(rest ? at->rest : at->data);
  return (char *)(data + (uintptr_t)(columns * *ld * (int64_t)size));
}

/* hy_copy_positions between such places. */
static void copy_between(const struct hy_copy *copy, const struct hy_positions *rows,
                         const struct hy_positions *cols, const struct place *from,
                         const struct place *to) {
  int64_t out = unsplit(cols, cols->from, from), in = unsplit(cols, cols->to, to);
  const int64_t cuts[] = {hy_min(out, in), hy_max(out, in), cols->entries};
  int64_t first = 0, from_ld, to_ld;
  for (int i = 0; i < 3; i++) {
    struct hy_positions some = *cols;
    some.first += first;
    some.entries = cuts[i] - first;
    if (some.entries == 0) continue;
    char *source = base_of(from, cols->from, first, first >= out, copy->k->size, &from_ld);
    char *target = base_of(to, cols->to, first, first >= in, copy->k->size, &to_ld);
    hy_copy_positions(copy, rows, &some, source, from_ld, target, to_ld);
    first = cuts[i];
  }
}

/* ---------------------------------------------------- within one array -- */

/* Moves the entries that stay, item by item; an item is a group of whole columns or a piece of
 * one. */
struct items {
  const struct hy_copy *copy;
  const struct hy_positions *rows, *cols; /* from here to there */
  const struct place *before, *after;
  int64_t height, width; /* of an item */
  int64_t count;
};

static struct hy_positions part_of(const struct hy_positions *positions, int64_t first,
                                   int64_t most) {
  struct hy_positions part = *positions;
  part.first += first;
  part.entries = hy_min(most, positions->entries - first);
  return part;
}

static void item_at(const struct items *all, int64_t item, struct hy_positions *rows,
                    struct hy_positions *cols) {
  int64_t down = hy_ceil_div(all->rows->entries, all->height);
  *rows = part_of(all->rows, item % down * all->height, all->height);
  *cols = part_of(all->cols, item / down * all->width, all->width);
}

/* The position of the first or last entry, as a number that also grows from the first array to the
 * second. */
static int64_t address_of(const struct place *at, enum hy_side_layout side,
                          const struct hy_positions *rows, const struct hy_positions *cols,
                          bool last) {
  int64_t row = hy_positions_at(rows, side, last ? rows->entries - 1 : 0);
  int64_t col = hy_positions_at(cols, side, last ? cols->entries - 1 : 0);
  if (col < at->split) return row + col * at->ld;
  return INT64_MAX / 2 + row + (col - at->split) * at->rest_ld;
}

/* Does an item's new place reach into the old place of the next one? */
static bool reaches_next(const struct items *all, int64_t item) {
  struct hy_positions rows, cols;
  item_at(all, item, &rows, &cols);
  int64_t end = address_of(all->after, HY_THERE, &rows, &cols, true);
  item_at(all, item + 1, &rows, &cols);
  return end >= address_of(all->before, HY_HERE, &rows, &cols, false);
}

/* Moves an item through the scratch tile, because its old and new place may overlap. */
static void move_item(const struct items *all, int64_t item) {
  struct hy_positions rows, cols;
  item_at(all, item, &rows, &cols);
  const struct place tile = {all->copy->scratch, rows.entries, INT64_MAX, NULL, 0};
  rows.to = cols.to = HY_PACKED;
  copy_between(all->copy, &rows, &cols, all->before, &tile);
  rows.from = cols.from = HY_PACKED;
  rows.to = cols.to = HY_THERE;
  copy_between(all->copy, &rows, &cols, &tile, all->after);
}

/* copy_between from here to there, for two places that share target and surplus and may overlap.
 * copy: neither op nor alpha, with scratch for LIFTED bytes. */
static void move_within(const struct hy_copy *copy, const struct hy_positions *rows,
                        const struct hy_positions *cols, const struct place *before,
                        const struct place *after) {
  if (copy->k->dry || rows->entries == 0 || cols->entries == 0) return;
  int64_t most = LIFTED / (int64_t)copy->k->size;
  struct items all = {copy, rows, cols, before, after, hy_min(rows->entries, most), 1, 0};
  if (all.height == rows->entries) all.width = hy_min(cols->entries, most / all.height);
  all.count = hy_ceil_div(rows->entries, all.height) * hy_ceil_div(cols->entries, all.width);
  for (int64_t item = 0, next; item < all.count; item = next) {
    for (next = item + 1; next < all.count && reaches_next(&all, next - 1);) next++;
    for (int64_t last = next; last-- > item;) move_item(&all, last);
  }
}

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
  if (phases->count > 1) tiles = hy_max(tiles, LIFTED / (int64_t)problem->k->size);
  TRY(hy_alloc_data_for(base, phases, phases->over + phases->packing, 1, &phases->buffer));
  return hy_alloc_data_for(base, phases, tiles, problem->k->size, &phases->scratch);
}

/* -------------------------------------------------------------- the run -- */

/* The place of a transfer's entries after phase i: the source for i = -1, the target after the last
 * phase, else a place between phases. */
static struct place staging_after(const struct hy_phases *phases, int i, int x) {
  const hyla_transfer *transfer = &phases->problem.transfers[x];
  const hyla_matrix *whole = i < 0 ? transfer->from : transfer->to;
  char *surplus = phases->buffer;
  if (i < 0 || i == phases->count - 1)
    return (struct place){whole->local, whole->ld, INT64_MAX, NULL, 0};
  for (int y = 0; y < x; y++) surplus += phases->surplus[y];
  const struct hy_phase_axis *axes = phases->phase[i].axes[x];
  int64_t rows = axes[0].held, ld;
  int64_t split = hy_staging_split(whole, rows, axes[1].held, &ld);
  return (struct place){whole->local, ld, split, surplus, hy_max(1, rows)};
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
      struct place packed = {data + bytes, hy_max(1, at[0].entries), INT64_MAX, NULL, 0};
      struct place own = staging_after(phases, out ? i - 1 : i, x);
      const struct hy_copy copy = copy_of(phases, x, out && i == 0);
      copy_between(&copy, &at[0], &at[1], out ? &own : &packed, out ? &packed : &own);
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
    struct place from = staging_after(phases, i - 1, x), to = staging_after(phases, i, x);
    const struct hy_copy copy = copy_of(phases, x, i == 0);
    if (i == 0)
      copy_between(&copy, &rows, &cols, &from, &to);
    else
      move_within(&copy, &rows, &cols, &from, &to);
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
