/* Redistribution in phases: who holds which entries between phases, and the cost. */
#include "redistribute/phases.h"

#include <string.h>

static hyla_status make_axis_pair(struct hy_base *base, void *owner, const struct hy_axis *source,
                                  const struct hy_axis *target, struct hy_axis_pair *pair) {
  int64_t n = target->n, count = 0;
  pair->axis = *source;
  pair->source_mask = hy_axis_mask(&source->code);
  pair->target_mask = hy_axis_mask(&target->code);
  for (int64_t i = 0; i < n; count++) i += hy_min(hy_axis_run(source, i), hy_axis_run(target, i));
  TRY(hy_alloc_for(base, owner, count, sizeof *pair->runs, &pair->runs));
  pair->count = count;
  struct hy_index_run *run = pair->runs;
  for (int64_t i = 0; i < n; i += run->length, run++)
    *run = (struct hy_index_run){
        .first = i,
        .length = hy_min(hy_axis_run(source, i), hy_axis_run(target, i)),
        .source = hy_axis_address(&source->code, (uint32_t)hy_axis_owner(source, i)),
        .target = hy_axis_address(&target->code, (uint32_t)hy_axis_owner(target, i))};
  return HYLA_OK;
}

/* The dimensions that some index has to cross: dimensions that split both axes if an address
 * changes in them, and all dimensions that split only one of the two. */
static uint32_t crossed(const struct hy_axis_pair *pair) {
  uint32_t both = pair->source_mask & pair->target_mask, differ = 0;
  for (int64_t r = 0; r < pair->count; r++)
    differ |= (pair->runs[r].source ^ pair->runs[r].target) & both;
  return differ | (pair->source_mask ^ pair->target_mask);
}

hyla_status hy_phases_create(const struct hy_redistribution *problem, struct hy_phases **phases) {
  struct hy_base *base = &problem->cube->base;
  struct hy_phases *p = NULL;
  *phases = NULL;
  TRY(hy_alloc(base, 1, sizeof *p, &p));
  *phases = p;
  p->problem = *problem;
  p->problem.count = 0;
  TRY(hy_alloc_for(base, p, problem->count, sizeof *p->surplus, &p->surplus));
  TRY(hy_alloc_for(base, p, problem->count, sizeof *p->transfer_axes, &p->transfer_axes));
  p->problem.count = problem->count;
  for (int x = 0; x < problem->count; x++) {
    struct hy_transfer_axes *axes = &p->transfer_axes[x];
    const hyla_matrix *from = problem->transfers[x].from, *to = problem->transfers[x].to;
    const struct hy_operand source = hy_operand_of(from, problem->transfers[x].op);
    axes->transfer = &problem->transfers[x];
    if (from->layout.rest == HYLA_REPLICATED)
      axes->tied = from->unused_dims;
    else
      axes->source_face = from->unused_dims;
    if (to->layout.rest == HYLA_FACE) axes->target_face = to->unused_dims;
    TRY(make_axis_pair(base, p, &source.row, &to->row, &axes->axis[0]));
    TRY(make_axis_pair(base, p, &source.col, &to->col, &axes->axis[1]));
    /* Entries that go from a face to copies over the same dimensions cross all of these. */
    uint32_t spread = axes->target_face == 0 ? axes->source_face & to->unused_dims : 0;
    p->needed |= (crossed(&axes->axis[0]) | crossed(&axes->axis[1]) | spread) & ~axes->tied;
  }
  /* The lengths by class, with room for any phase. */
  for (int x = 0; x < 2 * problem->count; x++) {
    struct hy_axis_pair *pair = &p->transfer_axes[x / 2].axis[x % 2];
    int64_t out = INT64_C(1) << hy_popcount(p->needed & pair->target_mask);
    int64_t in = INT64_C(1) << hy_popcount(p->needed & pair->source_mask);
    TRY(hy_alloc_for(base, p, out + in, sizeof *pair->out, &pair->out));
    pair->in = pair->out + out;
  }
  return hy_alloc_for(base, p, INT64_C(2) << hy_popcount(p->needed), sizeof *p->words, &p->words);
}

/* ------------------------------------------------------------- counting -- */

bool hy_phase_holds(const struct hy_transfer_axes *axes, uint32_t node, uint32_t done) {
  return (node & axes->source_face & ~done) == 0 &&
         (node & axes->target_face & (done | axes->tied)) == 0;
}

bool hy_phase_sends(const struct hy_transfer_axes *axes, uint32_t from, uint32_t to, uint32_t done,
                    uint32_t dims) {
  return ((from ^ to) & axes->tied) == 0 && hy_phase_holds(axes, from, done) &&
         hy_phase_holds(axes, to, done | dims);
}

/* Counts the indices of an axis that the node sends to each class and gets from each. */
static void tally_axis(const struct hy_axis_pair *pair, uint32_t tied, uint32_t node, uint32_t done,
                       uint32_t dims) {
  uint32_t out_dims = dims & pair->target_mask, in_dims = dims & pair->source_mask;
  memset(pair->out, 0, sizeof *pair->out << hy_popcount(out_dims));
  memset(pair->in, 0, sizeof *pair->in << hy_popcount(in_dims));
  for (int64_t r = 0; r < pair->count; r++) {
    const struct hy_index_run *run = &pair->runs[r];
    if (!hy_phase_touches(pair, run, tied, node, done, dims)) continue;
    if (hy_phase_here(pair, run, tied, node, done))
      pair->out[hy_extract(run->target, out_dims)] += run->length;
    if (hy_phase_here(pair, run, tied, node, done | dims))
      pair->in[hy_extract(run->source, in_dims)] += run->length;
  }
}

/* The number of indices of an axis that arrive, from all classes. */
static int64_t sum_in(const struct hy_axis_pair *pair, uint32_t dims) {
  int64_t total = 0, classes = INT64_C(1) << hy_popcount(dims & pair->source_mask);
  for (int64_t i = 0; i < classes; i++) total += pair->in[i];
  return total;
}

/* Adds what one transfer sends to each peer (out), or gets from it, to its words; a peer's number
 * is made of the bits in which it differs from the node. */
static void add_transfer(const struct hy_transfer_axes *axes, bool out, uint32_t node,
                         uint32_t done, uint32_t dims, int64_t *words) {
  const struct hy_axis_pair *row = &axes->axis[0], *col = &axes->axis[1];
  const int64_t *rows = out ? row->out : row->in, *cols = out ? col->out : col->in;
  uint32_t row_dims = dims & (out ? row->target_mask : row->source_mask);
  uint32_t col_dims = dims & (out ? col->target_mask : col->source_mask);
  uint32_t free = dims & ~(row_dims | col_dims);
  for (uint32_t r = 0; r >> hy_popcount(row_dims) == 0; r++)
    for (uint32_t c = 0; rows[r] > 0 && c >> hy_popcount(col_dims) == 0; c++) {
      if (cols[c] == 0) continue;
      uint32_t fixed = (node & ~dims) | hy_deposit(r, row_dims) | hy_deposit(c, col_dims);
      uint32_t bits = 0;
      do { /* all subsets of the free bits */
        uint32_t peer = fixed | bits;
        if (hy_phase_sends(axes, out ? node : peer, out ? peer : node, done, dims))
          words[hy_extract(peer ^ node, dims)] += rows[r] * cols[c];
        bits = (bits - free) & free;
      } while (bits != 0);
    }
}

void hy_phases_count(const struct hy_phases *phases, uint32_t done, uint32_t dims,
                     struct hy_phase_count *count) {
  uint32_t node = (uint32_t)phases->problem.cube->address;
  int64_t classes = (int64_t)1 << hy_popcount(dims);
  int64_t *out = phases->words, *in = out + classes;
  *count = (struct hy_phase_count){0};
  memset(out, 0, 2 * (size_t)classes * sizeof *out);
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_transfer_axes *axes = &phases->transfer_axes[x];
    for (int a = 0; a < 2; a++) tally_axis(&axes->axis[a], axes->tied, node, done, dims);
    add_transfer(axes, true, node, done, dims, out);
    add_transfer(axes, false, node, done, dims, in);
    if (hy_phase_holds(axes, node, done | dims))
      count->held += sum_in(&axes->axis[0], dims) * sum_in(&axes->axis[1], dims);
  }
  for (int64_t other = 1; other < classes; other++) {
    count->steps += out[other] > 0 || in[other] > 0;
    count->messages += out[other] > 0;
    count->words += out[other];
    count->most_in = hy_max(count->most_in, in[other]);
    count->most_both = hy_max(count->most_both, out[other] + in[other]);
  }
}

/* Counts the entries that do not fit into the targets after the phase counted last. */
static void count_surplus(struct hy_phases *phases, uint32_t done, uint32_t dims) {
  const hyla_cube *cube = phases->problem.cube;
  for (int x = 0; x < phases->problem.count; x++) {
    const struct hy_transfer_axes *axes = &phases->transfer_axes[x];
    if (!hy_phase_holds(axes, (uint32_t)cube->address, done | dims)) continue;
    int64_t rows = sum_in(&axes->axis[0], dims), cols = sum_in(&axes->axis[1], dims), ld;
    int64_t split = hy_staging_split(axes->transfer->to, rows, cols, &ld);
    int64_t bytes = rows * (cols - hy_min(cols, split)) * (int64_t)phases->problem.k->size;
    phases->surplus[x] = hy_max(phases->surplus[x], bytes);
  }
}

void hy_phases_set(struct hy_phases *phases, const uint32_t *dims, int count) {
  int64_t size = (int64_t)phases->problem.k->size;
  uint32_t done = 0;
  phases->count = count;
  for (int i = 0; i < count; i++) {
    struct hy_phase_count now = {0};
    phases->phase[i].done = done;
    phases->phase[i].dims = dims[i];
    if (phases->problem.cube->address >= 0) {
      hy_phases_count(phases, done, dims[i], &now);
      if (i < count - 1) count_surplus(phases, done, dims[i]);
    }
    phases->cost.steps += now.steps;
    phases->cost.messages += now.messages;
    phases->cost.words += now.words;
    phases->cost.copied += now.words + now.held;
    /* The source keeps its entries until they are sent, so one message each way is enough.  Entries
     * in the target must make room at once: everything that leaves is packed first. */
    int64_t packing = i == 0 ? now.most_both : now.words + now.most_in;
    phases->packing = hy_max(phases->packing, packing * size);
    done |= dims[i];
  }
  hy_free(&phases->problem.cube->base, &phases->words); /* counting is over */
  for (int x = 0; x < phases->problem.count; x++) phases->over += phases->surplus[x];
  phases->cost.memory = phases->over + phases->packing;
}

hyla_cost hy_phases_cost(const void *state) {
  const struct hy_phases *phases = state;
  return phases->cost;
}

void hy_phases_explain(const void *state, struct hy_text *text) {
  const struct hy_phases *phases = state;
  if (phases->needed == 0) {
    hy_text_add(text, "  nothing crosses a cube dimension\n");
    return;
  }
  for (int i = 0; i < phases->count; i++) {
    hy_text_add(text, i == 0 ? "  over cube dimension" : ", then");
    for (int dim = 0; dim < HYLA_DIMS_MAX; dim++)
      if (phases->phase[i].dims >> dim & 1u) hy_text_add(text, " %d", dim);
  }
  hy_text_add(text, "\n  between phases in the targets; a packing buffer of %lld bytes",
              (long long)(phases->over + phases->packing));
  if (phases->over > 0)
    hy_text_add(text, ", %lld of them for what the targets have no room for",
                (long long)phases->over);
  hy_text_add(text, "\n");
}
