/* Which packets of a node's schedule must come before which.
 *
 * Every point where a piece begins or ends cuts the buffer into cells.  Packets visit their cells
 * in the order of the steps, in each step first those that go out, then those that come in.  A cell
 * knows the packet that wrote it last and the packets that have read it since. */
#include "schedule/run.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  int32_t packet;
  int64_t before; /* the previous reader of the cell, 0: none */
};

struct making {
  const struct hy_schedule *schedule;
  const struct hy_blocks *blocks;
  struct hy_order *order;
  int64_t *cuts; /* where cells begin, and the end of the last one */
  int64_t cut_count;
  int32_t *writer;        /* of each cell, numbered from 1; 0: none */
  int64_t *reader;        /* of each cell, its last reader; 0: none */
  struct reader *readers; /* numbered from 1 */
  int64_t reader_count;
  int32_t *seen; /* for each packet, the last packet found to follow it, from 1 */
  bool fills;    /* this pass lists followers; otherwise it counts them */
};

static int compare_numbers(const void *left, const void *right) {
  int64_t a, b;
  memcpy(&a, left, sizeof a);
  memcpy(&b, right, sizeof b);
  return a < b ? -1 : a > b;
}

static struct hy_span span_of(const struct making *making, int64_t piece) {
  return hy_piece_span(making->schedule, making->blocks, &making->schedule->pieces[piece]);
}

static void find_cuts(struct making *making) {
  int64_t count = 0;
  for (int64_t i = 0; i < making->schedule->piece_count; i++) {
    struct hy_span span = span_of(making, i);
    if (span.length == 0) continue;
    making->cuts[count++] = span.offset;
    making->cuts[count++] = span.offset + span.length;
  }
  if (count > 0) qsort(making->cuts, (size_t)count, sizeof *making->cuts, compare_numbers);
  for (int64_t i = 0; i < count; i++)
    if (making->cut_count == 0 || making->cuts[i] != making->cuts[making->cut_count - 1])
      making->cuts[making->cut_count++] = making->cuts[i];
}

/* The cell that begins at an offset. */
static int64_t cell_at(const struct making *making, int64_t offset) {
  int64_t low = 0, high = making->cut_count;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (making->cuts[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Records that packet `from' comes before packet `to', both numbered from 1. */
static void put(struct making *making, int32_t from, int32_t to) {
  const struct hy_packet *packets = making->schedule->packets;
  struct hy_order *order = making->order;
  if (from == 0 || making->seen[from - 1] == to) return;
  making->seen[from - 1] = to;
  if (!making->fills) {
    order->first[from]++;
    return;
  }
  bool same = packets[from - 1].step == packets[to - 1].step;
  order->follows[order->first[from - 1]++] = to - 1;
  *(same ? &order->staged[to - 1] : &order->waits[to - 1]) += 1;
}

static void read_cell(struct making *making, int64_t cell, int32_t packet) {
  put(making, making->writer[cell], packet);
  making->readers[++making->reader_count] = (struct reader){packet, making->reader[cell]};
  making->reader[cell] = making->reader_count;
}

static void write_cell(struct making *making, int64_t cell, int32_t packet) {
  int64_t reader = making->reader[cell];
  if (reader == 0) put(making, making->writer[cell], packet);
  for (; reader > 0; reader = making->readers[reader].before)
    put(making, making->readers[reader].packet, packet);
  making->reader[cell] = 0;
  making->writer[cell] = packet;
}

/* Visits a packet's cells and returns their number.  packet: its number from 1; 0: only count
 * cells. */
static int64_t pass(struct making *making, const struct hy_packet *p, int32_t packet) {
  int64_t cells = 0;
  for (int64_t i = p->first; i < p->first + p->count; i++) {
    struct hy_span span = span_of(making, i);
    if (span.length == 0) continue;
    for (int64_t cell = cell_at(making, span.offset);
         making->cuts[cell] < span.offset + span.length; cell++, cells++) {
      if (packet == 0) continue;
      if (p->action == HY_OUT)
        read_cell(making, cell, packet);
      else
        write_cell(making, cell, packet);
    }
  }
  return cells;
}

static void pass_all(struct making *making, bool fills) {
  const struct hy_schedule *schedule = making->schedule;
  making->fills = fills;
  making->reader_count = 0;
  memset(making->seen, 0, (size_t)schedule->packet_count * sizeof *making->seen);
  memset(making->writer, 0, (size_t)making->cut_count * sizeof *making->writer);
  memset(making->reader, 0, (size_t)making->cut_count * sizeof *making->reader);
  for (int64_t first = 0, last = 0; first < schedule->packet_count; first = last) {
    int32_t step = schedule->packets[first].step;
    while (last < schedule->packet_count && schedule->packets[last].step == step) last++;
    for (int coming = 0; coming < 2; coming++)
      for (int64_t i = first; i < last; i++)
        if ((schedule->packets[i].action == HY_OUT) == (coming == 0))
          (void)pass(making, &schedule->packets[i], (int32_t)i + 1);
  }
}

hyla_status hy_order_make(void *owner, const struct hy_schedule *schedule,
                          const struct hy_blocks *blocks, struct hy_order *order) {
  struct hy_base *base = schedule->base;
  struct making making = {.schedule = schedule, .blocks = blocks, .order = order};
  int64_t packets = schedule->packet_count, reads = 0;
  *order = (struct hy_order){0};
  TRY(hy_alloc_for(base, owner, 2 * schedule->piece_count + 1, sizeof *making.cuts, &making.cuts));
  find_cuts(&making);
  TRY(hy_alloc_for(base, making.cuts, making.cut_count, sizeof *making.writer, &making.writer));
  TRY(hy_alloc_for(base, making.cuts, making.cut_count, sizeof *making.reader, &making.reader));
  TRY(hy_alloc_for(base, making.cuts, packets, sizeof *making.seen, &making.seen));
  for (int64_t i = 0; i < packets; i++) {
    CHECK(base, schedule->packets[i].action != HY_ADD, UNSUPPORTED,
          "packets that add keep their steps");
    if (schedule->packets[i].action == HY_OUT) reads += pass(&making, &schedule->packets[i], 0);
  }
  TRY(hy_alloc_for(base, making.cuts, reads + 1, sizeof *making.readers, &making.readers));
  TRY(hy_alloc_for(base, owner, packets + 1, sizeof *order->first, &order->first));
  TRY(hy_alloc_for(base, owner, packets, sizeof *order->waits, &order->waits));
  TRY(hy_alloc_for(base, owner, packets, sizeof *order->staged, &order->staged));
  pass_all(&making, false);
  /* The numbers of followers become the places where these begin. */
  for (int64_t i = 0; i < packets; i++) order->first[i + 1] += order->first[i];
  TRY(hy_alloc_for(base, owner, order->first[packets], sizeof *order->follows, &order->follows));
  pass_all(&making, true);
  /* Listing the followers moved each place to its list's end, where the next list begins. */
  for (int64_t i = packets; i > 0; i--) order->first[i] = order->first[i - 1];
  order->first[0] = 0;
  hy_free(base, &making.cuts);
  return HYLA_OK;
}
