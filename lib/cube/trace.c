/* The trace of this rank, kept while it runs; see trace.h. */
#include "cube/trace.h"

#include <string.h>

/* A shorter span is joined to the next one. */
static const double shortest = 1e-6;

static double now(const hyla_cube *cube) {
  return cube->network.link->kind->clock(cube->network.link);
}

static hyla_status allocate_memory(hyla_cube *cube, const char *path) {
  struct hy_base *base = &cube->base;
  struct hy_trace *t = NULL;
  TRY(hy_alloc(base, 1, sizeof *t, &t));
  cube->network.trace = t;
  TRY(hy_alloc_for(base, t, (int64_t)strlen(path) + 1, 1, &t->path));
  strcpy(t->path, path);
  TRY(hy_alloc_for(base, t, HY_SPANS_MOST, sizeof *t->spans, &t->spans));
  TRY(hy_alloc_for(base, t, cube->nodes, sizeof *t->lanes, &t->lanes));
  t->last = now(cube);
  t->current = -1;
  for (int i = 0; i < cube->nodes; i++)
    t->lanes[i] = (struct hy_trace_lane){0, 0, INT32_MAX, INT32_MAX};
  return HYLA_OK;
}

hyla_status hy_trace_open(hyla_cube *cube, const char *path) {
  if (path == NULL || path[0] == '\0' || cube->network.link->kind->reach != NULL) return HYLA_OK;
  cube->network.traced = true;
  hyla_status mine = cube->address >= 0 ? allocate_memory(cube, path) : HYLA_OK;
  if (mine != HYLA_OK) hy_free(&cube->base, &cube->network.trace);
  TRY(hy_agree(cube, mine));
  struct hy_offset offset = {0};
  TRY(hy_agree(cube, hy_trace_align(cube, &offset)));
  if (cube->network.trace == NULL) return HYLA_OK;
  cube->network.trace->first = offset;
  cube->network.trace->begin = now(cube) + offset.offset;
  cube->network.trace->last = now(cube);
  cube->network.trace->count = 0;
  cube->network.trace->current = -1;
  return HYLA_OK;
}

/* The number of a call's name.  The last number stands for all names that do not fit. */
static int16_t call_of(struct hy_trace *t, const char *call) {
  int i = 0;
  while (i < t->call_count && t->calls[i] != call) i++;
  if (i == HY_CALLS_MOST) return HY_CALLS_MOST - 1;
  if (i == t->call_count) t->calls[t->call_count++] = i < HY_CALLS_MOST - 1 ? call : "others";
  return (int16_t)i;
}

static struct hy_trace_span *add(struct hy_trace *t) {
  if (t->count < HY_SPANS_MOST) return &t->spans[t->count++];
  t->lost++;
  return NULL;
}

void hy_trace_skip(hyla_cube *cube) {
  if (cube->network.trace != NULL) cube->network.trace->last = now(cube);
}

void hy_trace_mark(hyla_cube *cube, enum hy_span_kind kind) {
  struct hy_trace *t = cube->network.trace;
  if (t == NULL) return;
  const double end = now(cube), begin = t->last;
  if (kind == HY_SPAN_LOCAL && end - begin < shortest) return;
  if (!(begin < end)) return;
  t->last = end;
  int16_t call = call_of(t, cube->session.call);
  struct hy_trace_span *before = t->current >= 0 ? &t->spans[t->current] : NULL;
  if (before != NULL && before->kind == (int)kind && before->call == call && before->end == begin) {
    before->end = end;
    return;
  }
  struct hy_trace_span *span = add(t);
  t->current = span != NULL ? span - t->spans : -1;
  if (span != NULL)
    *span = (struct hy_trace_span){.begin = begin, .end = end, .kind = kind, .call = call};
}

static bool goes_out(const struct hy_message *m) {
  return m->verb == HY_SEND || m->verb == HY_LEND;
}

/* A trace shows the nodes and what travels between two of them. */
static bool is_shown(const hyla_cube *cube, const struct hy_message *m) {
  return m->bytes > 0 && m->rank != cube->base.rank && m->rank < cube->nodes;
}

/* Both ranks number their messages alike, since these match in the order they are started. */
void hy_trace_start(hyla_cube *cube, struct hy_message *m) {
  struct hy_trace *t = cube->network.trace;
  if (t == NULL || !is_shown(cube, m)) return;
  struct hy_trace_lane *lane = &t->lanes[m->rank];
  m->flight.began = now(cube);
  m->flight.number = goes_out(m) ? lane->sent++ : lane->taken++;
}

static void keep_message(hyla_cube *cube, struct hy_message *m, double end) {
  struct hy_trace *t = cube->network.trace;
  struct hy_flight *f = &m->flight;
  if (!is_shown(cube, m) || f->reached || !hy_message_ended(m)) return;
  f->reached = true;
  struct hy_trace_span *span = add(t);
  if (span != NULL) {
    *span = (struct hy_trace_span){.begin = f->began,
                                   .end = end,
                                   .bytes = m->bytes,
                                   .peer = m->rank,
                                   .number = f->number,
                                   .kind = goes_out(m) ? HY_SPAN_SENT : HY_SPAN_TAKEN,
                                   .call = call_of(t, cube->session.call)};
    return;
  }
  int32_t *lost = goes_out(m) ? &t->lanes[m->rank].sent_lost : &t->lanes[m->rank].taken_lost;
  if (f->number < *lost) *lost = f->number;
}

void hy_trace_waited(hyla_cube *cube, struct hy_message *messages, int count) {
  if (cube->network.trace == NULL) return;
  hy_trace_mark(cube, HY_SPAN_WAIT);
  for (int i = 0; i < count; i++) keep_message(cube, &messages[i], cube->network.trace->last);
}
