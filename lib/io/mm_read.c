/* Matrix Market data and tables, read by all nodes together.
 *
 * Method: in each round every node takes one chunk of the file, in the order of the nodes'
 * addresses.  It counts the chunk's lines and entries, learns how many are before its own, parses,
 * and sends the entries to their owners; if there are copies, to the owners on the face.  So every
 * line is read once, line numbers in messages are exact, and entries reach their owner in the order
 * of the file: duplicates add up to the same bits on any number of nodes.
 * The entries of a round are sorted by owner, in stable order; the nodes exchange counts; then one
 * message goes to each owner, which stores them in the order of the senders.
 * The first fault in the file ends the round on all nodes, with one message.
 * Memory: the chunk, twice its entries, and nodes times its entries for arriving ones. */
#include "collective/collective.h"
#include "io/io.h"

#include <string.h>

/* ROUND: bytes that all nodes together read in a round.  CHUNK_LEAST: the least for one node. */
enum { ROUND = 1 << 19, CHUNK_LEAST = 4096 };

/* A node sends this to the others before it parses its chunk. */
struct news {
  int64_t lines, entries;
  int64_t failed; /* to read this chunk, or to parse the one before */
};

/* An entry being moved: its place in the owner's local block, and its value.  value[1] of a real
 * entry is not sent. */
struct parcel {
  int32_t row, col;
  double value[2];
};

struct reader {
  struct hy_mm_parser parser;
  hyla_cube *cube;
  hyla_matrix *matrix; /* double or double complex, 0 before */
  int64_t bytes;       /* of a chunk */
  char *buffer;
  struct news *news;
  int64_t *offsets; /* of each node's news */
  struct hy_subcube_op group;
  bool sum;     /* entries are added to the matrix instead of replacing its entries */
  int words;    /* of an entry */
  int64_t size; /* bytes of a parcel that are sent */
  int64_t count;
  char *found;    /* `count' parcels in the order in which they were found */
  int32_t *owner; /* the owner of each */
  char *out;      /* the same parcels sorted by owner */
  char *in;       /* from the other nodes, by sender */
  int64_t *leaving, *coming, *start;
  int *row_bits; /* address bits of each row part */
  int *col_bits; /* address bits of each column part */
  struct hy_message *messages;
};

/* ------------------------------------------------------------------ entries -- */

/* Adds an entry to those found. */
static void take(void *arg, int64_t row, int64_t col, const double value[2]) {
  struct reader *r = arg;
  const hyla_matrix *m = r->matrix;
  int p = hy_axis_owner(&m->row, row), q = hy_axis_owner(&m->col, col);
  const struct parcel parcel = {(int32_t)hy_axis_before(&m->row, p, row),
                                (int32_t)hy_axis_before(&m->col, q, col),
                                {value[0], value[1]}};
  memcpy(r->found + r->count * r->size, &parcel, (size_t)r->size);
  /* Part 0 has address bits 0 in both codes, so the other axis adds no bits. */
  r->owner[r->count++] = hy_rank_at(r->cube, r->row_bits[p] | r->col_bits[q]);
}

/* Sorts the found parcels by owner; start[x]: the first one for node x. */
static void sort_by_owner(struct reader *r) {
  int nodes = r->cube->nodes;
  memset(r->leaving, 0, (size_t)nodes * sizeof *r->leaving);
  for (int64_t i = 0; i < r->count; i++) r->leaving[r->owner[i]]++;
  r->start[0] = 0;
  for (int x = 0; x < nodes; x++) r->start[x + 1] = r->start[x] + r->leaving[x];
  for (int64_t i = 0; i < r->count; i++) {
    int64_t to = r->start[r->owner[i]]++;
    memcpy(r->out + to * r->size, r->found + i * r->size, (size_t)r->size);
  }
  for (int x = 0; x < nodes; x++) r->start[x] -= r->leaving[x];
}

/* Exchanges counts with every other node in one step. */
static hyla_status exchange_counts(struct reader *r) {
  hyla_cube *cube = r->cube;
  int count = 0;
  for (int x = 0; x < cube->nodes; x++) {
    const int peer = hy_address_of(cube, x);
    if (peer == cube->address) continue;
    r->messages[count++] = (struct hy_message){
        .verb = HY_SEND, .peer = peer, .bytes = sizeof(int64_t), .data = &r->leaving[x]};
    r->messages[count++] = (struct hy_message){
        .verb = HY_RECV, .peer = peer, .bytes = sizeof(int64_t), .data = &r->coming[x]};
  }
  return hy_link_step(cube, r->messages, count);
}

static hyla_status exchange_parcels(struct reader *r) {
  hyla_cube *cube = r->cube;
  int count = 0;
  int64_t arrived = 0;
  for (int x = 0; x < cube->nodes; x++) {
    const int peer = hy_address_of(cube, x);
    if (peer == cube->address) continue;
    r->messages[count++] = (struct hy_message){.verb = HY_SEND,
                                               .peer = peer,
                                               .bytes = r->leaving[x] * r->size,
                                               .data = r->out + r->start[x] * r->size};
    r->messages[count++] = (struct hy_message){.verb = HY_RECV,
                                               .peer = peer,
                                               .bytes = r->coming[x] * r->size,
                                               .data = r->in + arrived * r->size};
    arrived += r->coming[x];
  }
  return hy_link_step(cube, r->messages, count);
}

static void unpack(struct reader *r, const char *from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    struct parcel parcel;
    memcpy(&parcel, from + i * r->size, (size_t)r->size);
    double *entry = (double *)(void *)hy_at(r->matrix, parcel.row, parcel.col);
    for (int w = 0; w < r->words; w++)
      entry[w] = r->sum ? entry[w] + parcel.value[w] : parcel.value[w];
  }
}

/* Moves all found entries to their owners. */
static hyla_status move_entries(struct reader *r) {
  sort_by_owner(r);
  TRY(exchange_counts(r));
  TRY(exchange_parcels(r));
  const char *in = r->in;
  for (int x = 0; x < r->cube->nodes; x++) {
    if (x == r->cube->base.rank) {
      unpack(r, r->out + r->start[x] * r->size, r->leaving[x]);
    } else {
      unpack(r, in, r->coming[x]);
      in += r->coming[x] * r->size;
    }
  }
  r->count = 0;
  return HYLA_OK;
}

/* ------------------------------------------------------------------- rounds -- */

/* The most entries that lines beginning in a chunk can give: every number takes at least a digit
 * and a separator. */
static int64_t most_entries(const struct hy_mm_header *header, int64_t bytes) {
  /* All rows of a table have the same number of entries, or reading fails. */
  if (header->format == HY_MM_TABLE) return bytes / 2 + 2 * header->cols;
  int64_t lines = bytes / (2 * hy_mm_columns(header)) + 1;
  return header->symmetry == HY_MM_GENERAL ? lines : 2 * lines;
}

/* On a node: takes the memory. */
static hyla_status prepare(struct reader *r) {
  struct hy_base *base = &r->cube->base;
  const hyla_matrix *m = r->matrix;
  const int64_t nodes = r->cube->nodes, capacity = most_entries(r->parser.header, r->bytes);
  r->sum = r->parser.header->format == HY_MM_COORDINATE;
  r->words = m->k->complex_type ? 2 : 1;
  r->size = (int64_t)offsetof(struct parcel, value) + r->words * (int64_t)sizeof(double);
  const size_t size = (size_t)r->size;
  TRY(hy_alloc_for(base, r, r->bytes + hy_mm_slack(r->parser.header), 1, &r->buffer));
  TRY(hy_alloc_for(base, r, nodes, sizeof *r->news, &r->news));
  TRY(hy_alloc_for(base, r, nodes + 1, sizeof *r->offsets, &r->offsets));
  TRY(hy_alloc_for(base, r, capacity, size, &r->found));
  TRY(hy_alloc_for(base, r, capacity, sizeof *r->owner, &r->owner));
  TRY(hy_alloc_for(base, r, capacity, size, &r->out));
  TRY(hy_alloc_for(base, r, (nodes - 1) * capacity, size, &r->in));
  TRY(hy_alloc_for(base, r, nodes, sizeof *r->leaving, &r->leaving));
  TRY(hy_alloc_for(base, r, nodes, sizeof *r->coming, &r->coming));
  TRY(hy_alloc_for(base, r, nodes + 1, sizeof *r->start, &r->start));
  TRY(hy_alloc_for(base, r, m->row.parts, sizeof *r->row_bits, &r->row_bits));
  TRY(hy_alloc_for(base, r, m->col.parts, sizeof *r->col_bits, &r->col_bits));
  TRY(hy_alloc_for(base, r, 2 * nodes, sizeof *r->messages, &r->messages));
  for (int64_t x = 0; x <= nodes; x++) r->offsets[x] = x;
  for (int p = 0; p < m->row.parts; p++) r->row_bits[p] = hy_matrix_node(m, p, 0);
  for (int q = 0; q < m->col.parts; q++) r->col_bits[q] = hy_matrix_node(m, 0, q);
  TRY(hy_subcube_make(r->cube, hy_all_dims(r->cube), HY_TASK_ALLGATHER, nodes, sizeof *r->news,
                      &r->group));
  TRY(hy_subcube_allocate(&r->group));
  return hy_c_locale(base, &r->parser.c_locale);
}

/* Exchanges the news of all nodes, and finds the lowest node that has failed, or -1.  mine: the
 * status of this node's last parsing. */
static hyla_status swap_news(struct reader *r, struct hy_mm_chunk *chunk, int64_t start,
                             hyla_status *mine, int *failed) {
  const struct hy_mm_parser *p = &r->parser;
  struct news *own = &r->news[r->cube->base.rank];
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

/* On the nodes: all return the same status and message. */
static hyla_status run(struct reader *r) {
  const struct hy_mm_parser *p = &r->parser;
  hyla_cube *cube = r->cube;
  int64_t lines = p->header->lines, entries = 0; /* before this round's first chunk */
  int64_t round = r->bytes * cube->nodes;
  hyla_status mine = HYLA_OK;
  for (int64_t at = p->header->body;; at += round) {
    struct hy_mm_chunk chunk;
    int failed;
    TRY(swap_news(r, &chunk, at + cube->base.rank * r->bytes, &mine, &failed));
    if (failed >= 0) return hy_io_share_status(cube, hy_address_of(cube, failed), mine);
    if (at >= p->file->size) return hy_mm_finish(p, lines, entries);
    int64_t lines_before = lines, entries_before = entries;
    for (int x = 0; x < cube->nodes; x++) {
      if (x < cube->base.rank) {
        lines_before += r->news[x].lines;
        entries_before += r->news[x].entries;
      }
      lines += r->news[x].lines;
      entries += r->news[x].entries;
    }
    mine = hy_mm_parse(p, &chunk, lines_before, entries_before);
    hy_file_step(cube, round);
    TRY(move_entries(r));
  }
}

/* Entries of a Matrix Market file go to the face; then the face is broadcast to the copies. */
static hyla_status copy_from_face(hyla_matrix *matrix) {
  int64_t entries = matrix->local_rows == 0 ? 0 : matrix->ld * matrix->local_cols;
  struct hy_subcube_op group;
  TRY(hy_subcube_once(matrix->cube, matrix->unused_dims, HY_TASK_BROADCAST, entries,
                      matrix->k->size, NULL, &group));
  hyla_status status = hy_subcube_broadcast(&group, 0, matrix->local, entries);
  hy_subcube_free(&group);
  return status;
}

static hyla_status read_all(struct reader *r) {
  hyla_status status = hy_agree(r->cube, r->cube->address < 0 ? HYLA_OK : prepare(r));
  hy_file_begin(r->cube, r->parser.file->size - r->parser.header->body);
  if (status == HYLA_OK && r->cube->address >= 0) status = run(r);
  hy_file_begin(r->cube, 0);
  if (!hy_matrix_has_copies(r->matrix)) return status;
  TRY(hy_agree(r->cube, status));
  return copy_from_face(r->matrix);
}

hyla_status hy_mm_read_body(const struct hy_io_file *file, const struct hy_mm_header *header,
                            int64_t chunk, hyla_matrix *matrix) {
  hyla_cube *cube = matrix->cube;
  struct reader *r = NULL;
  hyla_status status = hy_agree(cube, hy_alloc(&cube->base, 1, sizeof *r, &r));
  if (status != HYLA_OK) {
    hy_free(&cube->base, &r);
    return status;
  }
  if (chunk == 0) chunk = hy_max(CHUNK_LEAST, ROUND / cube->nodes);
  r->parser = (struct hy_mm_parser){.file = file, .header = header, .take = take, .arg = r};
  r->cube = cube;
  r->matrix = matrix;
  r->bytes = hy_max(1, hy_min(chunk, file->size - header->body));
  status = read_all(r);
  if (r->parser.c_locale != (locale_t)0) freelocale(r->parser.c_locale);
  hy_subcube_free(&r->group);
  hy_free(&cube->base, &r);
  return status;
}
