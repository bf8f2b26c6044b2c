/* The trace of all ranks, written by rank 0 as a file for trace viewers.
 *
 * Format: Trace Event Format, JSON object form, as hyla simulate --trace writes it.  A rank is a
 * process.  Its first thread shows what it did; one thread for each dimension shows the messages
 * that it sent over that link, and the last one messages to ranks that are no neighbours.
 *
 * Clocks.  Each rank asks rank 0 for the time, several times, when the cube is made and when the
 * file is written.  The answer with the shortest round trip is the best; its error is at most half
 * of that round trip.  Between the two times offsets change evenly.
 *
 * Rank 0 takes the spans of one rank after the other, in pieces, so that it needs no memory for
 * all. */
#include "cube/trace.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

enum { ASKED = 16, PIECE = 256 };

/* Sent to rank 0 before the spans of a rank. */
struct head {
  int64_t count, lost;
  double error;
  char call[HY_CALLS_MOST][HY_CALL_LENGTH];
};

/* One span as it is sent; times are in seconds on rank 0's clock.  start: when the message started,
 * if its span is shown later.  paired: the other side has kept the message too. */
struct record {
  struct hy_trace_span span;
  double start;
  int64_t paired;
};

struct file {
  FILE *file; /* NULL: it cannot be written, and records are dropped */
  const hyla_cube *cube;
  double begin;
};

static double now(const hyla_cube *cube) {
  return cube->network.link->kind->clock(cube->network.link);
}

/* ------------------------------------------------------------------ clocks -- */

/* One rank asks, rank 0 answers. */
static hyla_status ask(hyla_cube *cube, int rank, struct hy_offset *best) {
  best->error = 1e300;
  for (int i = 0; i < ASKED; i++) {
    double start = now(cube), there = start;
    if (cube->address == 0) {
      TRY(hy_control(cube, rank, NULL, &there, sizeof there));
      there = now(cube);
      TRY(hy_control(cube, rank, &there, NULL, sizeof there));
      continue;
    }
    TRY(hy_control(cube, 0, &there, NULL, sizeof there));
    TRY(hy_control(cube, 0, NULL, &there, sizeof there));
    double end = now(cube), error = (end - start) / 2;
    if (error < best->error) *best = (struct hy_offset){start, there - (start + error), error};
  }
  return HYLA_OK;
}

hyla_status hy_trace_align(hyla_cube *cube, struct hy_offset *offset) {
  for (int rank = 1; rank < cube->nodes; rank++)
    if (cube->base.rank == rank || cube->base.rank == 0) TRY(ask(cube, rank, offset));
  if (cube->address <= 0) *offset = (struct hy_offset){.at = now(cube)};
  return HYLA_OK;
}

static double aligned(const struct hy_offset *first, const struct hy_offset *last, double time) {
  double part = last->at > first->at ? (time - first->at) / (last->at - first->at) : 0;
  return time + first->offset + part * (last->offset - first->offset);
}

/* -------------------------------------------------------------------- text -- */

static int dimension_of(const hyla_cube *cube, int rank, int peer) {
  uint32_t way = (uint32_t)(hy_address_of(cube, rank) ^ hy_address_of(cube, peer));
  return hy_popcount(way) == 1 ? hy_lowest(way) : cube->dims;
}

static double microseconds(const struct file *f, double time) { return 1e6 * (time - f->begin); }

static void put_names(const struct file *f, int rank) {
  static const char form[] =
      "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":"
      "\"%s %d\"}}";
  fprintf(f->file, form, rank > 0 ? ",\n" : "", "process_name", rank, 0, "rank", rank);
  fprintf(f->file, form, ",\n", "thread_name", rank, 0, "rank", rank);
  for (int dim = 0; dim < f->cube->dims; dim++)
    fprintf(f->file, form, ",\n", "thread_name", rank, 1 + dim, "link, dimension", dim);
}

static void put_span(const struct file *f, int rank, const struct head *head,
                     const struct hy_trace_span *span) {
  static const char *const names[] = {[HY_SPAN_COMPUTE] = "compute",
                                      [HY_SPAN_COPY] = "copy",
                                      [HY_SPAN_LOCAL] = "local",
                                      [HY_SPAN_WAIT] = "wait",
                                      [HY_SPAN_AGREE] = "agree"};
  fprintf(f->file,
          ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":0,\"ts\":%.3f,\"dur\":%.3f,\"args\":"
          "{\"call\":\"%s\"}}",
          names[span->kind], rank, microseconds(f, span->begin), 1e6 * (span->end - span->begin),
          head->call[span->call]);
}

static void put_arrow(const struct file *f, char phase, int rank, int thread, double time, int from,
                      int to, int number) {
  fprintf(
      f->file,
      ",\n{\"ph\":\"%c\",\"name\":\"message\",\"cat\":\"message\",\"id\":\"%d-%d-%d\",\"pid\":%d,"
      "\"tid\":%d,\"ts\":%.3f%s}",
      phase, from, to, number, rank, thread, microseconds(f, time),
      phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_sent(const struct file *f, int rank, const struct head *head,
                     const struct record *record) {
  const struct hy_trace_span *span = &record->span;
  int dim = dimension_of(f->cube, rank, span->peer);
  char dimension[32] = "";
  if (dim < f->cube->dims) snprintf(dimension, sizeof dimension, ",\"dimension\":%d", dim);
  fprintf(f->file,
          ",\n{\"ph\":\"X\",\"name\":\"to %d: %lld "
          "bytes\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
          "\"args\":{\"to\":%d,\"bytes\":%lld%s,\"call\":\"%s\"}}",
          span->peer, (long long)span->bytes, rank, 1 + dim, microseconds(f, span->begin),
          1e6 * (span->end - span->begin), span->peer, (long long)span->bytes, dimension,
          head->call[span->call]);
  if (record->paired)
    put_arrow(f, 's', rank, 1 + dim, record->start, rank, span->peer, span->number);
}

static void put_record(const struct file *f, int rank, const struct head *head,
                       const struct record *record) {
  const struct hy_trace_span *span = &record->span;
  if (f->file == NULL) return;
  if (span->kind == HY_SPAN_SENT)
    put_sent(f, rank, head, record);
  else if (span->kind != HY_SPAN_TAKEN)
    put_span(f, rank, head, span);
  else if (record->paired)
    put_arrow(f, 'f', rank, 0, span->end, span->peer, rank, span->number);
}

/* ---------------------------------------------------------------- the ranks -- */

/* Lowers the lost numbers of each lane to the first message that either side has not kept. */
static hyla_status compare_lanes(hyla_cube *cube, struct hy_trace *t) {
  for (int way = 1; way < hy_addresses(cube); way++) {
    if (!hy_has_node(cube, cube->address ^ way)) continue;
    const int peer = hy_rank_at(cube, cube->address ^ way);
    struct hy_trace_lane *mine = &t->lanes[peer], theirs;
    TRY(hy_control(cube, peer, mine, &theirs, sizeof theirs));
    if (theirs.taken_lost < mine->sent_lost) mine->sent_lost = theirs.taken_lost;
    if (theirs.sent_lost < mine->taken_lost) mine->taken_lost = theirs.sent_lost;
  }
  return HYLA_OK;
}

static void fill_head(const struct hy_trace *t, const struct hy_offset *last, struct head *head) {
  *head = (struct head){.count = t->count, .lost = t->lost, .error = last->error};
  if (t->first.error > head->error) head->error = t->first.error;
  for (int i = 0; i < t->call_count; i++)
    snprintf(head->call[i], HY_CALL_LENGTH, "%s", t->calls[i]);
}

/* A link shows one message at a time, though several may be under way: each is cut where the next
 * one starts. */
static void part_messages(const hyla_cube *cube) {
  const struct hy_trace *t = cube->network.trace;
  double next[HYLA_DIMS_MAX + 1];
  for (int dim = 0; dim <= HYLA_DIMS_MAX; dim++) next[dim] = 1e300;
  for (int64_t i = t->count; i-- > 0;) {
    struct hy_trace_span *span = &t->spans[i];
    if (span->kind != HY_SPAN_SENT) continue;
    double *until = &next[dimension_of(cube, cube->base.rank, span->peer)];
    if (*until < span->end) span->end = *until > span->begin ? *until : span->begin;
    *until = span->begin;
  }
}

/* free: the time until which each link shows a message already, if messages ended in another
 * order. */
static void fill_record(const hyla_cube *cube, const struct hy_offset *last,
                        const struct hy_trace_span *span, double *free, struct record *record) {
  const struct hy_trace *t = cube->network.trace;
  *record = (struct record){.span = *span};
  struct hy_trace_span *s = &record->span;
  s->begin = aligned(&t->first, last, span->begin);
  s->end = aligned(&t->first, last, span->end);
  if (s->kind == HY_SPAN_TAKEN) record->paired = s->number < t->lanes[s->peer].taken_lost;
  if (s->kind != HY_SPAN_SENT) return;
  record->start = s->begin;
  record->paired = s->number < t->lanes[s->peer].sent_lost;
  double *until = &free[dimension_of(cube, cube->base.rank, s->peer)];
  if (s->begin < *until) s->begin = *until;
  if (s->end < s->begin) s->end = s->begin;
  *until = s->end;
}

/* Gives this rank's records to rank 0 or, on rank 0, to the file. */
static hyla_status give(hyla_cube *cube, const struct hy_offset *last, struct file *file) {
  const struct hy_trace *t = cube->network.trace;
  struct head head;
  struct record records[PIECE];
  double free[HYLA_DIMS_MAX + 1] = {0};
  fill_head(t, last, &head);
  if (file == NULL) TRY(hy_control(cube, 0, &head, NULL, sizeof head));
  for (int64_t i = 0; i < t->count;) {
    int count = 0;
    for (; count < PIECE && i < t->count; i++, count++)
      fill_record(cube, last, &t->spans[i], free, &records[count]);
    if (file == NULL) TRY(hy_control(cube, 0, records, NULL, count * (int64_t)sizeof *records));
    for (int x = 0; file != NULL && x < count; x++) put_record(file, 0, &head, &records[x]);
  }
  return HYLA_OK;
}

static hyla_status take(hyla_cube *cube, int rank, struct file *file, int64_t *lost,
                        double *error) {
  struct head head;
  struct record records[PIECE];
  TRY(hy_control(cube, rank, NULL, &head, sizeof head));
  *lost += head.lost;
  if (head.error > *error) *error = head.error;
  for (int64_t i = 0; i < head.count; i += PIECE) {
    int64_t count = hy_min(PIECE, head.count - i);
    TRY(hy_control(cube, rank, NULL, records, count * (int64_t)sizeof *records));
    for (int64_t x = 0; x < count; x++) put_record(file, rank, &head, &records[x]);
  }
  return HYLA_OK;
}

/* ----------------------------------------------------------------- the file -- */

static void put_head(struct file *f) {
  if (f->file == NULL) return;
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", f->file);
  for (int rank = 0; rank < f->cube->nodes; rank++) put_names(f, rank);
}

static void put_end(const struct file *f, int64_t lost, double error) {
  if (f->file == NULL) return;
  fprintf(f->file,
          "\n],\"otherData\":{\"version\":\"%s\",\"nodes\":%d,\"microseconds_a_unit\":1000000,"
          "\"events_left_out\":%lld,\"clock_error_microseconds\":%.3f}}\n",
          hyla_version(), f->cube->nodes, (long long)lost, 1e6 * error);
}

/* Rank 0 takes the other ranks' records even if the file cannot be written. */
static hyla_status collect(hyla_cube *cube, const struct hy_offset *last) {
  const struct hy_trace *t = cube->network.trace;
  struct hy_text_file *text = NULL;
  hyla_status status = hy_text_open(&cube->base, t->path, &text);
  struct file file = {.cube = cube, .begin = t->begin};
  if (text != NULL) file.file = text->stream;
  int64_t lost = t->lost;
  double error = 0;
  put_head(&file);
  hyla_status moved = give(cube, last, &file);
  for (int rank = 1; rank < cube->nodes && moved == HYLA_OK; rank++)
    moved = take(cube, rank, &file, &lost, &error);
  put_end(&file, lost, error);
  hyla_status closed = hy_text_close(&cube->base, moved == HYLA_OK, &text);
  if (moved != HYLA_OK) return moved;
  return status != HYLA_OK ? status : closed;
}

static hyla_status write_aligned(hyla_cube *cube) {
  struct hy_offset last = {0};
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_trace_align(cube, &last));
  TRY(compare_lanes(cube, cube->network.trace));
  part_messages(cube);
  return cube->address == 0 ? collect(cube, &last) : give(cube, &last, NULL);
}

/* printf obeys the thread's locale. */
hyla_status hy_trace_write(hyla_cube *cube) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(c_locale != (locale_t)0 ? c_locale : LC_GLOBAL_LOCALE);
  hyla_status status = write_aligned(cube);
  uselocale(before);
  if (c_locale != (locale_t)0) freelocale(c_locale);
  return status;
}
