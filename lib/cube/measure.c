/* Measures the machine that the cube runs on: the times that price the costs of variants, taken
 * under the conditions in which variants run, with all nodes at work at once. */
#include "cube/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  STREAM = 1 << 20, /* bytes: many, but they fit the cache, as the library's pieces do */
  SIZE = 512,       /* order of the matrices */
  LD = SIZE + 8,    /* distance of columns; no power of two, as in users' matrices */
  ROWS = 3920,      /* rows of a matrix that is larger than the caches */
  COLS = 1008,      /* a node's columns of it when there are many nodes */
  PAD = 8,          /* entries between columns */
  BLOCK = 56,       /* columns of its cyclic blocks */
  HEIGHT = 2048,    /* rows of a node when WIDTH of them are moved */
  WIDTH = 64,       /* rows that are moved, the width of a panel */
  PRIME = 1009,     /* distance between these rows */
  SHORT_TIMES = 50, /* repetitions of short work in a sample */
  LONG_TIMES = 4,
  SHARED_TIMES = 8, /* the same for products and moves of ranks that share cores */
  BARRIERS = 10,
  REPEAT_MOST = 1000
};

struct measuring {
  hyla_cube *cube;
  int repeat;
  struct hy_window *window; /* STREAM bytes to send or read, then STREAM bytes to receive */
  struct hy_window *large;  /* a matrix to move, and room for its transpose */
  int cols;                 /* columns of that matrix */
  double *matrices;         /* three matrices */
  size_t turn;              /* copies of rows so far */
  double *times;
  int64_t *bits; /* the times' bits, as integers */
  uint64_t sum;  /* of the words read, so that the compiler keeps the reads */
};

/* Takes one sample, in seconds.  Local: nodes take it without agreement. */
typedef hyla_status sample(struct measuring *m, double *seconds);

static double now(const struct measuring *m) {
  return m->cube->network.link->kind->clock(m->cube->network.link);
}

static char *buffer(const struct measuring *m) { return hy_window_data(m->window); }

/* dims_of: the dimensions of the smallest cube that has all nodes' numbers.  The neighbour over one
 * of them is -1 on a guest, and where an array has no such node. */
static int dims_of(const hyla_cube *cube) {
  int dims = 0;
  while (1 << dims < cube->nodes) dims++;
  return dims;
}

static int neighbour(const hyla_cube *cube, int dim) {
  const int other = cube->base.rank ^ 1 << dim;
  return cube->address >= 0 && other < cube->nodes ? hy_address_of(cube, other) : -1;
}

/* Swaps bytes over each dimension in turn; *seconds: the average time of one swap. */
static hyla_status swap(struct measuring *m, int64_t bytes, int times, double *seconds) {
  hyla_cube *cube = m->cube;
  const int dims = dims_of(cube);
  double start = now(m);
  for (int i = 0; i < times; i++)
    for (int dim = 0; dim < dims; dim++) {
      const int peer = neighbour(cube, dim);
      if (peer >= 0) TRY(hy_exchange(cube, peer, buffer(m), bytes, buffer(m) + STREAM, bytes));
    }
  *seconds = (now(m) - start) / (times * dims);
  return HYLA_OK;
}

static hyla_status exchange(struct measuring *m, double *seconds) {
  return m->cube->nodes > 1 && m->cube->address >= 0 ? swap(m, 8, SHORT_TIMES, seconds) : HYLA_OK;
}

static hyla_status stream(struct measuring *m, double *seconds) {
  return m->cube->nodes > 1 && m->cube->address >= 0 ? swap(m, STREAM, LONG_TIMES, seconds)
                                                     : HYLA_OK;
}

static hyla_status pingpong(struct measuring *m, double *seconds) {
  hyla_cube *cube = m->cube;
  const int peer = neighbour(cube, 0);
  if (peer < 0 || cube->base.rank > 1) return HYLA_OK;
  double start = now(m);
  for (int i = 0; i < SHORT_TIMES; i++)
    for (int way = 0; way < 2; way++) {
      struct hy_message message = {.verb = cube->base.rank == way ? HY_SEND : HY_RECV,
                                   .peer = peer,
                                   .bytes = 8,
                                   .data = buffer(m)};
      TRY(hy_link_step(cube, &message, 1));
    }
  *seconds = (now(m) - start) / (2 * SHORT_TIMES);
  return HYLA_OK;
}

static hyla_status read_peer(struct measuring *m, double *seconds) {
  hyla_cube *cube = m->cube;
  const int peer = neighbour(cube, 0);
  if (peer < 0) return HYLA_OK;
  const uint64_t *there = hy_window_peer(m->window, peer);
  if (there == NULL) return HYLA_OK;
  double start = now(m);
  for (int i = 0; i < LONG_TIMES; i++)
    for (size_t word = 0; word < STREAM / sizeof *there; word++) m->sum += there[word];
  *seconds = (now(m) - start) / LONG_TIMES;
  return HYLA_OK;
}

/* Waits for the neighbour over dimension 0. */
static hyla_status meet(struct measuring *m) {
  hyla_cube *cube = m->cube;
  int64_t out = 0, in = 0;
  const int peer = neighbour(cube, 0);
  if (peer < 0) return HYLA_OK;
  return hy_exchange(cube, peer, &out, sizeof out, &in, sizeof in);
}

/* If ranks share cores, a sample ends when all ranks have done theirs, because each may have had a
 * core to itself meanwhile.  Such a sample repeats the work, so that little of it falls to its end,
 * when some ranks have a core to themselves. */
static hyla_status wait_for_all(const struct measuring *m) {
  return m->cube->ranks.share > 1 ? hy_agree(m->cube, HYLA_OK) : HYLA_OK;
}

/* Short work is done within one turn of a core; the turns of the other ranks are added. */
static double with_others(const struct measuring *m, double seconds) {
  return seconds * fmax(1, m->cube->ranks.share);
}

static int times_of(const struct measuring *m) {
  return m->cube->ranks.share > 1 ? SHARED_TIMES : 1;
}

/* The copy of redistribution: each node copies what a neighbour has just written, if it can read
 * it. */
static hyla_status copy(struct measuring *m, double *seconds) {
  hyla_cube *cube = m->cube;
  if (cube->address < 0) return HYLA_OK;
  const int peer = neighbour(cube, 0);
  const void *there = peer >= 0 ? hy_window_peer(m->window, peer) : NULL;
  const void *from = there != NULL ? there : buffer(m);
  for (int i = 0; i < LONG_TIMES; i++) {
    memset(buffer(m), i, STREAM);
    TRY(meet(m));
    double start = now(m);
    memcpy(buffer(m) + STREAM, from, STREAM);
    *seconds += with_others(m, now(m) - start) / LONG_TIMES;
    TRY(meet(m));
  }
  return HYLA_OK;
}

/* Entries of a matrix, and of its transpose. */
static size_t large_entries(const struct measuring *m) {
  return (size_t)(ROWS + PAD) * (size_t)(m->cols + PAD);
}

/* Transposes a matrix as redistribution does.  On one node it transposes the whole matrix.  On more
 * the matrix is cyclic in blocks of columns, and a neighbour has every other block.  The node then
 * fills its new columns block by block, first from its own part, then from the neighbour's. */
static void turn(const struct measuring *m, const double *own, const double *there, double *to) {
  const struct hy_kernels *k = hy_kernels_of(HYLA_DOUBLE);
  const int parts = there != NULL ? 2 : 1, mine = parts == 2 ? m->cube->base.rank & 1 : 0;
  const int from_ld = ROWS + PAD, to_ld = parts * m->cols + PAD;
  const int height = parts == 2 ? BLOCK : ROWS, width = parts == 2 ? BLOCK : m->cols;
  for (int j = 0; j < ROWS / parts; j += height)
    for (int part = 0; part < parts; part++) {
      const double *from = (part == 0 ? own : there) + parts * j + mine * BLOCK;
      double *column = to + (part ^ mine) * BLOCK + (ptrdiff_t)j * to_ld;
      for (int i = 0; i < m->cols; i += width, from += (ptrdiff_t)width * from_ld)
        k->turn(HYLA_TRANSPOSE, width, height, 1, from, from_ld, column + parts * i, to_ld, true,
                i + width < m->cols ? from + (ptrdiff_t)width * from_ld : NULL);
    }
}

/* Empties the caches: reads a word of each line of a matrix that is larger than they are. */
static void empty_caches(struct measuring *m, const double *matrix) {
  for (size_t word = 0; word < large_entries(m); word += 8) m->sum += (uint64_t)matrix[word];
}

/* A redistribution of large matrices, on all nodes at once.  No plan knows where a matrix is
 * beforehand; here it is in memory, as in `hyla bench'. */
static hyla_status move(struct measuring *m, double *seconds) {
  hyla_cube *cube = m->cube;
  if (cube->address < 0) return wait_for_all(m);
  double *own = hy_window_data(m->large), *to = own + large_entries(m);
  const int peer = neighbour(cube, 0);
  const double *there = peer >= 0 ? hy_window_peer(m->large, peer) : NULL;
  empty_caches(m, to);
  TRY(meet(m));
  double start = now(m);
  for (int i = 0; i < times_of(m); i++) turn(m, own, there, to);
  hy_stream_end();
  TRY(wait_for_all(m));
  *seconds = (now(m) - start) / times_of(m);
  return meet(m);
}

/* Products prefetch the rows that move next (the update of LU in lib/solve), so half of the waiting
 * for these rows falls to the product.  Here the entries of every other column are in the caches
 * beforehand. */
static double fetch_half(const double *matrix, size_t first) {
  double sum = 0;
  for (size_t j = 0; j < COLS; j += 2)
    for (size_t i = 0; i < WIDTH; i++)
      sum += matrix[j * (HEIGHT + PAD) + (i + first) * PRIME % HEIGHT];
  return sum;
}

/* The row swaps of a panel.  Each sample moves other rows, in turns in two matrices, so that rows
 * are met again only after both matrices have passed through the caches. */
static hyla_status move_rows(struct measuring *m, double *seconds) {
  if (m->cube->address < 0) return HYLA_OK;
  double *matrix = hy_window_data(m->large), *strip = m->matrices;
  const size_t first = 1 + m->turn / 2 * WIDTH;
  if (m->turn++ % 2 == 1) matrix += large_entries(m);
  strip[0] = fetch_half(matrix, first);
  double start = now(m);
  for (size_t j = 0; j < COLS; j++) {
    double *column = matrix + j * (HEIGHT + PAD), *out = strip + j * WIDTH;
    for (size_t i = 0; i < WIDTH; i++) out[i] = column[(i + first) * PRIME % HEIGHT];
    for (size_t i = 0; i < WIDTH; i++) column[(i + first) * PRIME % HEIGHT] = column[i];
  }
  *seconds = with_others(m, now(m) - start);
  return HYLA_OK;
}

static hyla_status barrier(struct measuring *m, double *seconds) {
  double start = now(m);
  for (int i = 0; i < BARRIERS; i++) TRY(hy_agree(m->cube, HYLA_OK));
  *seconds = (now(m) - start) / BARRIERS;
  return HYLA_OK;
}

static hyla_status multiply(struct measuring *m, double *seconds) {
  if (m->cube->address < 0) return wait_for_all(m);
  const struct hy_kernels *k = hy_kernels_of(HYLA_DOUBLE);
  double *a = m->matrices, *b = a + LD * SIZE, *c = b + LD * SIZE;
  double start = now(m);
  for (int i = 0; i < times_of(m); i++) {
    k->gemm(HYLA_NONE, HYLA_NONE, SIZE, SIZE, SIZE, 1, a, LD, b, LD, 0, c, LD);
    hy_compute(m->cube, INT64_C(2) * SIZE * SIZE * SIZE, k->size, k->complex_type);
  }
  TRY(wait_for_all(m));
  *seconds = (now(m) - start) / times_of(m);
  return HYLA_OK;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Replaces each sample by the slowest node's.  Times are not negative, so they are ordered as the
 * integers with the same bits. */
static hyla_status slowest(struct measuring *m, double *times) {
  size_t bytes = (size_t)m->repeat * sizeof *times;
  memcpy(m->bits, times, bytes);
  TRY(hy_cube_max(m->cube, m->bits, m->repeat));
  memcpy(times, m->bits, bytes);
  return HYLA_OK;
}

/* Measures one figure: one sample to warm up, then those that count; each is the slowest node's. */
static hyla_status measure(struct measuring *m, sample *take, hyla_spread *spread) {
  hyla_cube *cube = m->cube;
  memset(m->times, 0, (size_t)(m->repeat + 1) * sizeof *m->times);
  hyla_status mine = HYLA_OK;
  for (int i = 0; i <= m->repeat; i++) {
    TRY(hy_agree(cube, mine));
    mine = take(m, &m->times[i]);
  }
  TRY(hy_agree(cube, mine));
  double *counted = m->times + 1;
  TRY(hy_agree(cube, slowest(m, counted)));
  qsort(counted, (size_t)m->repeat, sizeof *counted, by_value);
  *spread = (hyla_spread){.median = (counted[(m->repeat - 1) / 2] + counted[m->repeat / 2]) / 2,
                          .least = counted[0],
                          .most = counted[m->repeat - 1]};
  return HYLA_OK;
}

static hyla_status allocate_memory(struct measuring *m) {
  hyla_cube *cube = m->cube;
  struct hy_base *base = &cube->base;
  TRY(hy_alloc(base, m->repeat + 1, sizeof *m->times, &m->times));
  TRY(hy_alloc(base, m->repeat, sizeof *m->bits, &m->bits));
  int64_t entries = cube->address >= 0 ? 3 * LD * SIZE : 0;
  TRY(hy_alloc(base, entries, sizeof *m->matrices, &m->matrices));
  for (int64_t i = 0; i < entries; i++) m->matrices[i] = 1.0 / (double)(i + 1);
  return HYLA_OK;
}

static hyla_status measure_all(struct measuring *m, hyla_measurement *found) {
  hyla_cube *cube = m->cube;
  TRY(hy_agree(cube, allocate_memory(m)));
  TRY(hy_window_create(cube, cube->address >= 0 ? 2 * STREAM : 0, &m->window));
  if (cube->address >= 0) memset(buffer(m), 1, 2 * STREAM);
  const size_t large = cube->address >= 0 ? 2 * large_entries(m) * sizeof(double) : 0;
  TRY(hy_window_create(cube, (int64_t)large, &m->large));
  if (large > 0) memset(hy_window_data(m->large), 0, large);
  /* Long measurements come first: afterwards ranks that started on one core have one each. */
  TRY(measure(m, multiply, &found->multiply));
  TRY(measure(m, pingpong, &found->pingpong));
  TRY(measure(m, exchange, &found->exchange));
  TRY(measure(m, stream, &found->stream));
  TRY(measure(m, read_peer, &found->read));
  TRY(measure(m, copy, &found->copy));
  TRY(measure(m, move, &found->move));
  TRY(measure(m, move_rows, &found->rows));
  return measure(m, barrier, &found->barrier);
}

/* Derives the machine.  On one node the network's times stay as they were given. */
static void conclude(const hyla_cube *cube, hyla_measurement *found) {
  hyla_machine *machine = &found->machine;
  strcpy(machine->name, "measured");
  machine->gamma = found->multiply.median / (2.0 * SIZE * SIZE * SIZE);
  machine->rho = found->copy.median / STREAM;
  machine->mu = found->move.median / (double)found->move_bytes;
  machine->sigma = found->rows.median / (double)found->rows_entries;
  machine->share = cube->ranks.share;
  machine->network = HYLA_NETWORK_SWITCH;
  machine->ports = HYLA_ONE_PORT;
  machine->switching = HYLA_CIRCUIT;
  if (cube->nodes == 1) return;
  machine->alpha = found->exchange.median;
  machine->beta = fmax(0, found->stream.median - found->exchange.median) / STREAM;
  machine->delta = 0;
  machine->omega = found->barrier.median / dims_of(cube);
}

static hyla_status check(hyla_cube *cube, int repeat, const hyla_measurement *measurement) {
  CHECK(&cube->base, repeat >= 1 && repeat <= REPEAT_MOST, ARGUMENT,
        "hyla_machine_measure: %d repetitions; give 1 to %d", repeat, REPEAT_MOST);
  CHECK(&cube->base, measurement != NULL, ARGUMENT,
        "hyla_machine_measure: the place for the measurement is NULL");
  return hy_need_data(cube, "hyla_machine_measure");
}

hyla_status hyla_machine_measure(hyla_cube *cube, int repeat, hyla_measurement *measurement) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  TRY(hy_enter(cube, check(cube, repeat, measurement), hy_fingerprint(0, &repeat, sizeof repeat),
               "hyla_machine_measure"));
  /* With few nodes each has more columns, so that the matrices are larger than the caches. */
  struct measuring m = {
      .cube = cube, .repeat = repeat, .cols = (int)hy_max(COLS, ROWS / cube->nodes)};
  hyla_measurement found = {.machine = cube->session.machine,
                            .stream_bytes = STREAM,
                            .move_bytes = (int64_t)sizeof(double) * ROWS * m.cols,
                            .rows_entries = INT64_C(2) * WIDTH * COLS,
                            .multiply_size = SIZE,
                            .repeat = repeat};
  hyla_ledger before = cube->network.ledger;
  hyla_status status = measure_all(&m, &found);
  if (status == HYLA_OK) {
    conclude(cube, &found);
    status = hy_agree(cube, hy_tell_guests(cube, &found, sizeof found));
  }
  cube->network.ledger = before; /* measuring does not count in the ledger */
  hy_window_destroy(cube, &m.window);
  hy_window_destroy(cube, &m.large);
  hy_free(&cube->base, &m.matrices);
  hy_free(&cube->base, &m.times);
  hy_free(&cube->base, &m.bits);
  if (status == HYLA_OK) *measurement = found;
  return status;
}
