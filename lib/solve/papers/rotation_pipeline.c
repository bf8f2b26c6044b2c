/* Rotations, element by element: the schedule of pivots' rows and quotients (pipeline.h).
 *
 * Element s of pivot j's row, on a rank column at distance d from the pivot's, has made y hops y +
 * d + s steps after start[j]; if d > 0, f - 1 steps later, where f is the largest number of
 * quotients on a rank row.  Quotient s leaves the rank column s steps after the row's first element
 * came.
 *
 * The row passes all rank rows and comes home over the last link of their circle.  The last 2^r - 1
 * pivots have fewer rank rows with rows below: their rows go to the last of these and back the way
 * they came, against the stream.  When rotations are undone, rows always go round against it.
 *
 * Example with 4 rank rows, pivot on row 0: hops 0 1 2 3 4 are at rank rows 0 1 2 3 0.  If only
 * rank rows 1 and 2 have rows below: hops 0 1 2 3 4 are at rank rows 0 1 2 1 0. */
#include "solve/papers/pipeline.h"

/* ----------------------------------------------------------------- tours -- */

struct hy_row_path hy_row_path_of(const struct hy_pipeline *p, int64_t pivot) {
  struct hy_row_path path = {.parts = p->row.parts, .back = p->kind == HY_ROTATE_BACK};
  path.farthest = (int)hy_min(path.parts - 1, p->row.n - 1 - pivot);
  path.circle = path.farthest > 0 && (path.back || path.farthest == path.parts - 1);
  path.hops = path.circle ? path.parts : 2 * path.farthest;
  return path;
}

int hy_row_path_visits(const struct hy_row_path *path, int offset, int hops[2]) {
  hops[0] = path->back && offset > 0 ? path->parts - offset : offset;
  hops[1] = path->hops - hops[0];
  if (path->circle) return offset == 0 ? 2 : 1;
  if (offset > path->farthest) return 0;
  return offset < path->farthest ? 2 : 1;
}

/* The offset of the row's rank row after some hops. */
static int place_after(const struct hy_row_path *path, int hops) {
  if (path->back) return (path->parts - hops) % path->parts;
  if (path->circle) return hops % path->parts;
  return (int)hy_min(hops, path->hops - hops);
}

int hy_row_path_offset(const struct hy_pipeline *p, uint32_t node, int64_t pivot) {
  int parts = p->row.parts, own = hy_axis_owner(&p->row, pivot);
  return (hy_part_of(&p->row, (int)node) - own + parts) % parts;
}

/* The largest number of quotients that a rank row makes. */
static int64_t quotients_of(const struct hy_pipeline *p, int64_t pivot) {
  return hy_ceil_div(p->row.n - 1 - pivot, p->row.parts);
}

int64_t hy_row_path_wait(const struct hy_pipeline *p, uint32_t way, int64_t pivot) {
  return way == 0 ? 0 : hy_max(0, quotients_of(p, pivot) - 1);
}

/* ----------------------------------------------------------------- times -- */

static uint32_t column_way(const struct hy_pipeline *p, int part, int64_t pivot) {
  uint32_t own = (uint32_t)hy_axis_owner(&p->col, pivot);
  return hy_axis_address(&p->col.code, own) ^ hy_axis_address(&p->col.code, (uint32_t)part);
}

/* The steps that a rank column's elements are behind those of the pivot's own column. */
static int64_t behind(const struct hy_pipeline *p, int part, int64_t pivot) {
  uint32_t way = column_way(p, part, pivot);
  return hy_popcount(way) + hy_row_path_wait(p, way, pivot);
}

/* Steps from a pivot to the next one, which comes to a rank row one hop sooner: until this one has
 * left the entries as the next one needs them, and links are free for elements and for
 * quotients. */
static int64_t apart(const struct hy_pipeline *p, int64_t pivot, int64_t next) {
  int64_t steps = 1, sooner = p->row.parts > 1;
  for (int part = 0; part < p->col.parts; part++) {
    uint32_t way = column_way(p, part, pivot);
    int64_t elements = hy_pivot_elements(p, part, pivot);
    int64_t left = behind(p, part, pivot) - behind(p, part, next);
    int64_t closer = hy_popcount(way) - hy_popcount(column_way(p, part, next));
    if (p->col.parts > 1) steps = hy_max(steps, sooner + closer + quotients_of(p, pivot));
    if (elements == 0) continue;
    int64_t first = way == 0 && hy_columns_travel(p); /* the next column is then the first one */
    steps = hy_max(steps, sooner + left + first);
    if (p->row.parts > 1) steps = hy_max(steps, sooner + left + elements);
  }
  return steps;
}

/* How far quotients go: to the columns with elements that travel. */
static int reach_of(const struct hy_pipeline *p, int64_t pivot) {
  int reach = 0;
  for (int part = 0; part < p->col.parts; part++)
    if (hy_pivot_elements(p, part, pivot) > 0)
      reach = (int)hy_max(reach, hy_popcount(column_way(p, part, pivot)));
  return reach;
}

/* Steps until all words of a pivot have arrived. */
static int64_t steps_of(const struct hy_pipeline *p, int64_t pivot) {
  const struct hy_row_path path = hy_row_path_of(p, pivot);
  int64_t steps = 0, reach = reach_of(p, pivot);
  for (int part = 0; part < p->col.parts && path.hops > 0; part++) {
    int64_t elements = hy_pivot_elements(p, part, pivot);
    if (elements > 0) steps = hy_max(steps, path.hops + behind(p, part, pivot) + elements - 1);
  }
  for (int part = 0; part < p->row.parts && reach > 0; part++) {
    int offset = (part - hy_axis_owner(&p->row, pivot) + path.parts) % path.parts, hops[2];
    int64_t quotients = hy_pivot_factors(p, part, pivot);
    if (quotients == 0) continue;
    int visits = hy_row_path_visits(&path, offset, hops);
    steps = hy_max(steps, hops[path.back ? visits - 1 : 0] + quotients - 1 + reach);
  }
  return steps;
}

void hy_row_path_times(struct hy_pipeline *p) {
  int64_t next = 0;
  for (int64_t i = 0; i < p->row.n; i++) {
    int64_t pivot = hy_pipeline_pivot(p, i);
    bool sends = pivot < hy_pipeline_sending(p);
    int64_t steps = sends ? steps_of(p, pivot) : 0;
    p->start[pivot] = next;
    if (steps > 0) p->steps = hy_max(p->steps, next + steps);
    if (sends && i + 1 < p->row.n) next += apart(p, pivot, hy_pipeline_pivot(p, i + 1));
  }
}

/* -------------------------------------------------------------- packets -- */

/* A node on a pivot's tour. */
struct stop {
  const struct hy_pipeline *p;
  struct hy_row_path path;
  struct hy_pivot_place at;
  int64_t pivot, since; /* since: the time when the pivot's first element is at this distance from
                         * its column */
  int offset;
};

/* The dimension of the link between two rank rows. */
static uint32_t link_between(const struct stop *stop, int offset, int other) {
  const struct hy_axis *row = &stop->p->row;
  int parts = row->parts, own = hy_axis_owner(row, stop->pivot);
  return hy_axis_address(&row->code, (uint32_t)((own + offset) % parts)) ^
         hy_axis_address(&row->code, (uint32_t)((own + other) % parts));
}

/* Adds the row's elements that come after some hops, and leave. */
static hyla_status add_elements(const struct stop *stop, int hops, int64_t word,
                                struct hy_schedule *schedule) {
  const struct hy_row_path *path = &stop->path;
  int64_t here = stop->since + hops + hy_row_path_wait(stop->p, stop->at.col_way, stop->pivot);
  for (int64_t s = 0; s < stop->at.elements; s++) {
    const struct hy_piece piece = {.block = (uint32_t)(word + s), .run = 1, .from = 0, .to = 1};
    if (hops > 0)
      TRY(hy_schedule_add(schedule, (int)(here + s) - 1,
                          link_between(stop, stop->offset, place_after(path, hops - 1)), HY_IN,
                          piece));
    if (hops < path->hops)
      TRY(hy_schedule_add(schedule, (int)(here + s),
                          link_between(stop, stop->offset, place_after(path, hops + 1)), HY_OUT,
                          piece));
  }
  return HYLA_OK;
}

static hyla_status add_stop(const struct stop *stop, int64_t factor, int64_t element,
                            struct hy_schedule *schedule) {
  const struct hy_pipeline *p = stop->p;
  const struct hy_pivot_tree along = {.way = stop->at.col_way,
                                      .dims = hy_axis_mask(&p->col.code),
                                      .reach = reach_of(p, stop->pivot)};
  int hops[2], visits = hy_row_path_visits(&stop->path, stop->offset, hops);
  if (visits == 0) return HYLA_OK;
  int64_t turn = stop->since + hops[stop->path.back ? visits - 1 : 0];
  for (int64_t s = 0; s < stop->at.factors; s++)
    TRY(hy_pivot_tree_add(schedule, &along, turn + s, factor + s));
  for (int visit = 0; visit < visits; visit++)
    TRY(add_elements(stop, hops[visit], element, schedule));
  return HYLA_OK;
}

hyla_status hy_row_path_make(const struct hy_pipeline *p, uint32_t node,
                             struct hy_schedule *schedule) {
  int64_t factor = 0, element = p->rows_at;
  for (int64_t j = 0; j < hy_pipeline_sending(p); j++) {
    struct stop stop = {.p = p, .path = hy_row_path_of(p, j), .pivot = j};
    stop.at = hy_pivot_place(p, node, j);
    stop.offset = hy_row_path_offset(p, node, j);
    stop.since = p->start[j] + hy_popcount(stop.at.col_way);
    TRY(add_stop(&stop, factor, element, schedule));
    factor += stop.at.factors;
    element += stop.at.elements;
  }
  return HYLA_OK;
}
