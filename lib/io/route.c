/* Moves entries from the ranks that find them to their owners; if there are copies, to the owners
 * on the face.
 *
 * Method: a round is a total exchange.  The found entries are sorted by owner, in stable order; the
 * ranks exchange counts; then one message goes to each owner.  The owner stores the entries in the
 * order of the senders, so that sums do not depend on the order of arrival.
 * Memory: 2 capacity entries, and nodes x capacity for arriving ones, taken once. */
#include "io/io.h"

#include <string.h>

/* An entry being moved: its place in the owner's local block, and its value.  value[1] of a real
 * entry is not sent. */
struct parcel {
  int32_t row;
  int32_t col;
  double value[2];
};

struct hy_route {
  hyla_matrix *matrix;
  bool sum;
  int words;
  int64_t size; /* bytes of a parcel that are sent */
  int64_t count;
  char *found;    /* `count' parcels in the order in which they were added */
  int32_t *owner; /* the owner of each */
  char *out;      /* the same parcels sorted by owner */
  char *in;       /* from the other nodes, by sender */
  int64_t *leaving;
  int64_t *coming;
  int64_t *start;
  int *row_bits; /* address bits of each row part */
  int *col_bits; /* address bits of each column part */
  struct hy_message *messages;
};

static hyla_status allocate_buffers(struct hy_route *r, int64_t capacity) {
  struct hy_base *base = &r->matrix->cube->base;
  int64_t nodes = r->matrix->cube->nodes;
  size_t size = (size_t)r->size;
  TRY(hy_alloc_for(base, r, capacity, size, &r->found));
  TRY(hy_alloc_for(base, r, capacity, sizeof *r->owner, &r->owner));
  TRY(hy_alloc_for(base, r, capacity, size, &r->out));
  TRY(hy_alloc_for(base, r, (nodes - 1) * capacity, size, &r->in));
  TRY(hy_alloc_for(base, r, nodes, sizeof *r->leaving, &r->leaving));
  TRY(hy_alloc_for(base, r, nodes, sizeof *r->coming, &r->coming));
  TRY(hy_alloc_for(base, r, nodes + 1, sizeof *r->start, &r->start));
  TRY(hy_alloc_for(base, r, r->matrix->row.parts, sizeof *r->row_bits, &r->row_bits));
  TRY(hy_alloc_for(base, r, r->matrix->col.parts, sizeof *r->col_bits, &r->col_bits));
  return hy_alloc_for(base, r, 2 * nodes, sizeof *r->messages, &r->messages);
}

hyla_status hy_route_create(hyla_matrix *matrix, int64_t capacity, bool sum,
                            struct hy_route **route) {
  struct hy_base *base = &matrix->cube->base;
  *route = NULL;
  struct hy_route *r;
  TRY(hy_alloc(base, 1, sizeof *r, &r));
  r->matrix = matrix;
  r->sum = sum;
  r->words = matrix->k->complex_type ? 2 : 1;
  r->size = (int64_t)offsetof(struct parcel, value) + r->words * (int64_t)sizeof(double);
  hyla_status status = allocate_buffers(r, capacity);
  if (status != HYLA_OK) {
    hy_free(base, &r);
    return status;
  }
  for (int p = 0; p < matrix->row.parts; p++) r->row_bits[p] = hy_matrix_node(matrix, p, 0);
  for (int q = 0; q < matrix->col.parts; q++) r->col_bits[q] = hy_matrix_node(matrix, 0, q);
  *route = r;
  return HYLA_OK;
}

void hy_route_add(struct hy_route *route, int64_t row, int64_t col, const double value[2]) {
  const hyla_matrix *m = route->matrix;
  int p = hy_axis_owner(&m->row, row), q = hy_axis_owner(&m->col, col);
  const struct parcel parcel = {(int32_t)hy_axis_before(&m->row, p, row),
                                (int32_t)hy_axis_before(&m->col, q, col),
                                {value[0], value[1]}};
  memcpy(route->found + route->count * route->size, &parcel, (size_t)route->size);
  /* Part 0 has address bits 0 in both codes, so the other axis adds no bits. */
  route->owner[route->count++] = route->row_bits[p] | route->col_bits[q];
}

/* Sorts the found parcels by owner; start[x]: the first one for node x. */
static void sort_by_owner(struct hy_route *r) {
  int nodes = r->matrix->cube->nodes;
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
static hyla_status exchange_counts(struct hy_route *r) {
  hyla_cube *cube = r->matrix->cube;
  int count = 0;
  for (int step = 1; step < cube->nodes; step++) {
    int peer = cube->address ^ step;
    r->messages[count++] = (struct hy_message){
        .verb = HY_SEND, .peer = peer, .bytes = sizeof(int64_t), .data = &r->leaving[peer]};
    r->messages[count++] = (struct hy_message){
        .verb = HY_RECV, .peer = peer, .bytes = sizeof(int64_t), .data = &r->coming[peer]};
  }
  return hy_link_step(cube, r->messages, count);
}

static hyla_status exchange_parcels(struct hy_route *r) {
  hyla_cube *cube = r->matrix->cube;
  int count = 0;
  int64_t arrived = 0;
  for (int peer = 0; peer < cube->nodes; peer++) {
    if (peer == cube->address) continue;
    r->messages[count++] = (struct hy_message){.verb = HY_SEND,
                                               .peer = peer,
                                               .bytes = r->leaving[peer] * r->size,
                                               .data = r->out + r->start[peer] * r->size};
    r->messages[count++] = (struct hy_message){.verb = HY_RECV,
                                               .peer = peer,
                                               .bytes = r->coming[peer] * r->size,
                                               .data = r->in + arrived * r->size};
    arrived += r->coming[peer];
  }
  return hy_link_step(cube, r->messages, count);
}

static void unpack(struct hy_route *r, const char *from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    struct parcel parcel;
    memcpy(&parcel, from + i * r->size, (size_t)r->size);
    double *entry = (double *)(void *)hy_at(r->matrix, parcel.row, parcel.col);
    for (int w = 0; w < r->words; w++)
      entry[w] = r->sum ? entry[w] + parcel.value[w] : parcel.value[w];
  }
}

hyla_status hy_route_exchange(struct hy_route *route) {
  const hyla_cube *cube = route->matrix->cube;
  sort_by_owner(route);
  TRY(exchange_counts(route));
  TRY(exchange_parcels(route));
  const char *in = route->in;
  for (int x = 0; x < cube->nodes; x++) {
    if (x == cube->address) {
      unpack(route, route->out + route->start[x] * route->size, route->leaving[x]);
    } else {
      unpack(route, in, route->coming[x]);
      in += route->coming[x] * route->size;
    }
  }
  route->count = 0;
  return HYLA_OK;
}
