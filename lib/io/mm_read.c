/* Matrix Market data and tables, read by all nodes together.
 *
 * Method: in each round every node takes one chunk of the file, in the order of the nodes'
 * addresses.  It counts the chunk's lines and entries, learns how many are before its own, parses,
 * and sends the entries to their owners.  So every line is read once, line numbers in messages are
 * exact, and entries reach their owner in the order of the file: duplicates add up to the same bits
 * on any number of nodes.
 * The first fault in the file ends the round on all nodes, with one message.
 * Memory: the chunk and the route's buffers. */
#include "collective/collective.h"
#include "io/io.h"

#include <string.h>

/* ROUND: bytes that all nodes together read in a round.  CHUNK_LEAST: the least for one node. */
enum { ROUND = 1 << 19, CHUNK_LEAST = 4096 };

/* A node sends this to the others before it parses its chunk. */
struct news {
  int64_t lines;
  int64_t entries;
  int64_t failed; /* to read this chunk, or to parse the one before */
};

struct hy_mm_reader {
  struct hy_mm_parser parser;
  hyla_cube *cube;
  int64_t bytes; /* of a chunk */
  char *buffer;
  struct news *news;
  int64_t *offsets; /* of each node's news */
  struct hy_subcube_op group;
  struct hy_route *route;
};

static void take(void *arg, int64_t row, int64_t col, const double value[2]) {
  hy_route_add(arg, row, col, value);
}

/* The most entries that lines beginning in a chunk can give: every number takes at least a digit
 * and a separator. */
static int64_t most_entries(const struct hy_mm_header *header, int64_t bytes) {
  /* All rows of a table have the same number of entries, or reading fails. */
  if (header->format == HY_MM_TABLE) return bytes / 2 + 2 * header->cols;
  int64_t lines = bytes / (2 * hy_mm_columns(header)) + 1;
  return header->symmetry == HY_MM_GENERAL ? lines : 2 * lines;
}

static hyla_status prepare(struct hy_mm_reader *r, hyla_matrix *matrix) {
  struct hy_base *base = &r->cube->base;
  int64_t nodes = r->cube->nodes;
  const bool sum = r->parser.header->format == HY_MM_COORDINATE;
  TRY(hy_alloc_for(base, r, r->bytes + hy_mm_slack(r->parser.header), 1, &r->buffer));
  TRY(hy_alloc_for(base, r, nodes, sizeof *r->news, &r->news));
  TRY(hy_alloc_for(base, r, nodes + 1, sizeof *r->offsets, &r->offsets));
  for (int64_t x = 0; x <= nodes; x++) r->offsets[x] = x;
  TRY(hy_subcube_make(r->cube, (uint32_t)nodes - 1, HY_TASK_ALLGATHER, nodes, sizeof *r->news,
                      &r->group));
  TRY(hy_subcube_allocate(&r->group));
  TRY(hy_route_create(matrix, most_entries(r->parser.header, r->bytes), sum, &r->route));
  hy_own(r, r->route);
  r->parser.take = take;
  r->parser.arg = r->route;
  return hy_c_locale(base, &r->parser.c_locale);
}

hyla_status hy_mm_reader_create(const struct hy_io_file *file, const struct hy_mm_header *header,
                                int64_t chunk, hyla_matrix *matrix, struct hy_mm_reader **reader) {
  hyla_cube *cube = matrix->cube;
  *reader = NULL;
  struct hy_mm_reader *r;
  TRY(hy_alloc(&cube->base, 1, sizeof *r, &r));
  r->cube = cube;
  r->parser.file = file;
  r->parser.header = header;
  int64_t bytes = chunk > 0 ? chunk : hy_max(CHUNK_LEAST, ROUND / cube->nodes);
  r->bytes = hy_max(1, hy_min(bytes, file->size - header->body));
  hyla_status status = cube->address < 0 ? HYLA_OK : prepare(r, matrix);
  if (status != HYLA_OK) {
    hy_mm_reader_destroy(&cube->base, &r);
    return status;
  }
  *reader = r;
  return HYLA_OK;
}

void hy_mm_reader_destroy(struct hy_base *base, struct hy_mm_reader **reader) {
  struct hy_mm_reader *r = *reader;
  if (r == NULL) return;
  if (r->parser.c_locale != (locale_t)0) freelocale(r->parser.c_locale);
  hy_subcube_free(&r->group);
  hy_free(base, reader);
}

/* Exchanges the news of all nodes, and finds the lowest node that has failed, or -1.  mine: the
 * status of this node's last parsing. */
static hyla_status swap_news(struct hy_mm_reader *r, struct hy_mm_chunk *chunk, int64_t start,
                             hyla_status *mine, int *failed) {
  const struct hy_mm_parser *p = &r->parser;
  struct news *own = &r->news[r->cube->address];
  *own = (struct news){0};
  if (*mine == HYLA_OK) *mine = hy_mm_load(p->file, p->header, start, r->bytes, r->buffer, chunk);
  if (*mine == HYLA_OK) hy_mm_count(p->header, chunk, &own->lines, &own->entries);
  own->failed = *mine != HYLA_OK;
  TRY(hy_subcube_allgather(&r->group, r->news, r->offsets));
  *failed = -1;
  for (int x = r->cube->nodes - 1; x >= 0; x--) {
    if (r->news[x].failed) *failed = x;
  }
  return HYLA_OK;
}

hyla_status hy_mm_reader_run(struct hy_mm_reader *reader) {
  const struct hy_mm_parser *p = &reader->parser;
  hyla_cube *cube = reader->cube;
  int64_t lines = p->header->lines, entries = 0; /* before this round's first chunk */
  int64_t round = reader->bytes * cube->nodes;
  hyla_status mine = HYLA_OK;
  for (int64_t at = p->header->body;; at += round) {
    struct hy_mm_chunk chunk;
    int failed;
    TRY(swap_news(reader, &chunk, at + cube->address * reader->bytes, &mine, &failed));
    if (failed >= 0) return hy_io_share_status(cube, failed, mine);
    if (at >= p->file->size) return hy_mm_finish(p, lines, entries);
    int64_t lines_before = lines, entries_before = entries;
    for (int x = 0; x < cube->nodes; x++) {
      if (x < cube->address) {
        lines_before += reader->news[x].lines;
        entries_before += reader->news[x].entries;
      }
      lines += reader->news[x].lines;
      entries += reader->news[x].entries;
    }
    mine = hy_mm_parse(p, &chunk, lines_before, entries_before);
    TRY(hy_route_exchange(reader->route));
  }
}
