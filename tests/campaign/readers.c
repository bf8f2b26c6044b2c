/* The list of readers, and the readers of files: the bytes become a file in memory. */
#include "readers.h"

#include "io/io.h"
#include "registry/registry.h"
#include "usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static const struct reader readers[] = {
    {"matrix-market", read_matrix_market},
    {"gzip", read_gzip},
    {"npy", read_npy},
    {"parts", read_parts},
    {"matrix", read_matrix},
    {"machine", read_machine},
    {"wisdom", read_wisdom},
    {"state", read_state},
    {"layout", read_layout},
    {"words", read_words},
    {"numbers", read_numbers},
    {"options", read_options},
};
enum { READERS = sizeof readers / sizeof *readers };

const struct reader *reader_at(int i) { return i >= 0 && i < READERS ? &readers[i] : NULL; }

const struct reader *reader_find(const char *name) {
  for (int i = 0; i < READERS; i++)
    if (strcmp(readers[i].name, name) == 0) return &readers[i];
  return NULL;
}

void reader_expect(bool condition, const char *what, const char *message) {
  if (condition) return;
  fprintf(stderr, "campaign: %s: %s\n", what, message);
  abort();
}

void reader_expect_message(const char *message) {
  reader_expect(message[0] != '\0', "a failure without a message", "");
  for (const char *c = message; *c != '\0'; c++)
    reader_expect(((unsigned char)*c >= ' ') && *c != 0x7f, "a control character", message);
}

void reader_play(const struct reader *reader, const uint8_t *bytes, size_t size) {
  int before = usage_descriptors();
  reader->read(bytes, size);
  reader_expect(usage_descriptors() == before, "a descriptor stays open", "");
}

/* --------------------------------------------------------------- files -- */

/* A file in memory, and its reader. */
struct given {
  struct hy_base base;
  int fd;
  char path[32];
};

static void give(struct given *g, const void *bytes, size_t size) {
  *g = (struct given){.fd = memfd_create("campaign", MFD_CLOEXEC)};
  reader_expect(g->fd >= 0, "no memory for a file", "");
  reader_expect(write(g->fd, bytes, size) == (ssize_t)size, "a file is not written", "");
  snprintf(g->path, sizeof g->path, "/proc/self/fd/%d", g->fd);
}

/* Checks that the reader released everything that it took. */
static void take_back(struct given *g, hyla_status status) {
  close(g->fd);
  reader_expect(g->base.bytes_now == 0, "memory stays allocated", g->base.message);
  if (status == HYLA_OK) return;
  reader_expect(status == g->base.status, "status and message differ", g->base.message);
  reader_expect_message(g->base.message);
}

/* -------------------------------------------------------- Matrix Market -- */

/* The entries in their order, as one number. */
struct sum {
  const struct hy_mm_header *header;
  uint64_t entries;
  int64_t count;
};

static void take(void *arg, int64_t row, int64_t col, const double value[2]) {
  struct sum *sum = arg;
  const struct hy_mm_header *h = sum->header;
  reader_expect(row >= 0 && row < h->rows && col >= 0 && col < h->cols, "an entry outside", "");
  const double entry[] = {(double)row, (double)col, value[0], value[1]};
  sum->entries = hy_fingerprint(sum->entries, entry, sizeof entry);
  sum->count++;
}

/* Reads the data in chunks of `bytes' bytes; no data is kept. */
static hyla_status read_body(const struct hy_io_file *file, const struct hy_mm_header *header,
                             int64_t bytes, struct sum *sum) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  char *buffer = malloc((size_t)(bytes + hy_mm_slack(header)));
  reader_expect(c_locale != (locale_t)0 && buffer != NULL, "no memory", "");
  const struct hy_mm_parser parser = {file, header, c_locale, take, sum};
  int64_t lines = header->lines, entries = 0;
  hyla_status status = HYLA_OK;
  for (int64_t at = header->body; at < file->size && status == HYLA_OK; at += bytes) {
    struct hy_mm_chunk chunk;
    int64_t lines_here, entries_here;
    status = hy_mm_load(file, header, at, bytes, buffer, &chunk);
    if (status != HYLA_OK) break;
    hy_mm_count(header, &chunk, &lines_here, &entries_here);
    status = hy_mm_parse(&parser, &chunk, lines, entries);
    lines += lines_here;
    entries += entries_here;
  }
  if (status == HYLA_OK) status = hy_mm_finish(&parser, lines, entries);
  free(buffer);
  freelocale(c_locale);
  return status;
}

static hyla_status read_whole(struct given *g, int64_t bytes, struct sum *sum) {
  struct hy_io_file file;
  struct hy_mm_header header = {0};
  hyla_status status = hy_io_open(&g->base, g->path, &file);
  if (status != HYLA_OK) return status;
  *sum = (struct sum){.header = &header};
  status = hy_mm_read_header(&file, &header);
  if (status == HYLA_OK) status = read_body(&file, &header, bytes, sum);
  hy_io_close(&file);
  if (status == HYLA_OK)
    reader_expect(sum->count >= header.entries, "fewer entries than lines", "");
  return status;
}

/* Both ways must give the same entries, or the same message behind the path. */
static void expect_alike(struct given *a, int64_t bytes_a, struct given *b, int64_t bytes_b) {
  struct sum sum_a = {0}, sum_b = {0};
  hyla_status status = read_whole(a, bytes_a, &sum_a);
  hyla_status other = read_whole(b, bytes_b, &sum_b);
  size_t path_a = strlen(a->path), path_b = strlen(b->path);
  reader_expect(status == other, "read otherwise in other chunks", a->base.message);
  reader_expect(status != HYLA_FORMAT || strncmp(a->base.message, a->path, path_a) == 0,
                "the message does not begin with the path", a->base.message);
  if (status == HYLA_FORMAT)
    reader_expect(strcmp(a->base.message + path_a, b->base.message + path_b) == 0,
                  "another message in other chunks", b->base.message);
  else if (status == HYLA_OK)
    reader_expect(sum_a.entries == sum_b.entries && sum_a.count == sum_b.count,
                  "other entries in other chunks", "");
  take_back(a, status);
  take_back(b, other);
}

static int64_t some_chunk(const uint8_t *bytes, size_t size) {
  return 1 + (int64_t)(hy_fingerprint(0, bytes, size) % 64);
}

void read_matrix_market(const uint8_t *bytes, size_t size) {
  struct given whole, cut;
  give(&whole, bytes, size);
  give(&cut, bytes, size);
  expect_alike(&whole, 4096, &cut, some_chunk(bytes, size));
}

void read_gzip(const uint8_t *bytes, size_t size) {
  enum { LEVEL = 1, GZIP = 16, MEMORY = 8 };
  struct given plain, packed;
  struct sum sum;
  give(&plain, bytes, size);
  if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) { /* already compressed, and perhaps
                                                            * damaged */
    take_back(&plain, read_whole(&plain, 4096, &sum));
    return;
  }
  z_stream stream = {0};
  reader_expect(deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP + MAX_WBITS, MEMORY,
                             Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib does not begin", "");
  size_t room = deflateBound(&stream, (uLong)size);
  uint8_t *out = malloc(room);
  reader_expect(out != NULL, "no memory", "");
  stream.next_in = (Bytef *)(uintptr_t)bytes;
  stream.avail_in = (uInt)size;
  stream.next_out = out;
  stream.avail_out = (uInt)room;
  reader_expect(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib does not end", "");
  give(&packed, out, room - stream.avail_out);
  deflateEnd(&stream);
  free(out);
  expect_alike(&plain, 4096, &packed, some_chunk(bytes, size));
}

/* ------------------------------------------------------ .npy, the cube -- */

void read_npy(const uint8_t *bytes, size_t size) {
  struct given g;
  struct hy_io_file file;
  struct hy_npy_header header = {0};
  give(&g, bytes, size);
  hyla_status status = hy_io_open(&g.base, g.path, &file);
  if (status == HYLA_OK) status = hy_npy_read_header(&file, &header);
  if (status == HYLA_OK) {
    int64_t data = (int64_t)size - header.body, count = header.rows * header.cols;
    reader_expect(file.stream != NULL || count * header.element.size == data,
                  "not as many entries as bytes", "");
    char *entries = malloc((size_t)count * sizeof(double _Complex) + 1);
    reader_expect(entries != NULL, "no memory", "");
    if (file.stream == NULL)
      hy_npy_convert(&header.element, (const char *)bytes + header.body, count, entries);
    free(entries);
  }
  hy_io_close(&file);
  take_back(&g, status);
}

/* Finds the matrix in an archive or in a MAT file; UNSUPPORTED: it is neither. */
static hyla_status find_part(struct hy_io_file *file, struct hy_npy_header *header) {
  char start[64];
  struct hy_io_part part;
  struct hy_mat_header mat;
  const int64_t length = hy_min(file->size, (int64_t)sizeof start);
  TRY(hy_io_get(file, start, length, 0));
  const int version = hy_mat_version(file, start, length);
  if (version > 0) {
    TRY(hy_mat_read_header(file, version, &mat));
    *header = mat.real;
    return HYLA_OK;
  }
  if (file->stream != NULL || length < 4 || memcmp(start, HY_ZIP_MAGIC, 4) != 0)
    return HYLA_UNSUPPORTED;
  TRY(hy_zip_find(file, &part));
  TRY(hy_io_enter(file, &part));
  return hy_npy_read_header(file, header);
}

void read_parts(const uint8_t *bytes, size_t size) {
  struct given g;
  struct hy_io_file file;
  struct hy_npy_header header;
  give(&g, bytes, size);
  hyla_status status = hy_io_open(&g.base, g.path, &file);
  if (status == HYLA_OK) status = find_part(&file, &header);
  if (status == HYLA_OK) status = hy_io_finish(&file);
  hy_io_close(&file);
  take_back(&g, status == HYLA_UNSUPPORTED ? HYLA_OK : status);
}

enum { DIMS = 1, NODES = 1 << DIMS };

struct reading {
  const char *path;
  int64_t chunk;
  hyla_status status[NODES];
  char message[NODES][HY_MESSAGE_MAX];
};

static hyla_status read_on_cube(hyla_cube *cube, void *arg) {
  struct reading *r = arg;
  hyla_matrix *a = NULL;
  int64_t held = cube->base.bytes_now;
  hyla_status status = hy_io_read(cube, r->path, NULL, r->chunk, &a);
  reader_expect((a != NULL) == (status == HYLA_OK), "a matrix without success", "");
  hyla_matrix_destroy(&a);
  reader_expect(cube->base.bytes_now == held, "a node keeps memory", hyla_cube_message(cube));
  r->status[cube->address] = status;
  memcpy(r->message[cube->address], hyla_cube_message(cube), HY_MESSAGE_MAX);
  return HYLA_OK;
}

/* A small file may request much memory; that is the user's concern: see SECURITY.md. */
static bool asks_for_little(struct given *g) {
  enum { MOST = 100 };
  struct hy_io_file file;
  struct hy_mm_header text;
  struct hy_npy_header elements;
  if (hy_io_open(&g->base, g->path, &file) != HYLA_OK) return true;
  bool little = true;
  if (hy_mm_read_header(&file, &text) == HYLA_OK) little = text.rows <= MOST && text.cols <= MOST;
  if (hy_npy_read_header(&file, &elements) == HYLA_OK)
    little = elements.rows <= MOST && elements.cols <= MOST;
  if (find_part(&file, &elements) == HYLA_OK)
    little = elements.rows <= MOST && elements.cols <= MOST;
  hy_io_close(&file);
  return little;
}

void read_matrix(const uint8_t *bytes, size_t size) {
  struct given g;
  give(&g, bytes, size);
  if (asks_for_little(&g)) {
    struct reading r = {.path = g.path, .chunk = some_chunk(bytes, size)};
    const hyla_simulation model = {.dims = DIMS};
    hyla_report report;
    hyla_status status = hyla_simulate(&model, read_on_cube, &r, &report);
    reader_expect(status == HYLA_OK, "the cube fails", report.message);
    for (int node = 0; node < NODES; node++) {
      reader_expect(r.status[node] == r.status[0], "nodes differ in status", r.message[node]);
      if (r.status[0] == HYLA_OK) continue;
      reader_expect(strcmp(r.message[node], r.message[0]) == 0, "nodes differ in message",
                    r.message[node]);
      reader_expect_message(r.message[node]);
    }
  }
  take_back(&g, HYLA_OK);
}

/* ----------------------------------------------------- machine, wisdom -- */

void read_machine(const uint8_t *bytes, size_t size) {
  struct given g;
  hyla_machine machine = {0};
  give(&g, bytes, size);
  hyla_status status = hy_machine_file_read(&g.base, g.path, &machine);
  if (status == HYLA_OK) {
    reader_expect_message(machine.name);
    reader_expect(machine.alpha >= 0 && machine.beta >= 0 && machine.gamma >= 0 &&
                      machine.alpha + machine.beta + machine.gamma < 1e300,
                  "times that are none", machine.name);
  }
  take_back(&g, status);
}

void read_wisdom(const uint8_t *bytes, size_t size) {
  struct given g;
  struct hy_wisdom *wisdom = NULL;
  double seconds = 0;
  give(&g, bytes, size);
  hyla_status status = hy_wisdom_create(&g.base, g.path, false, &wisdom);
  if (status == HYLA_OK) (void)hy_wisdom_find(wisdom, "k", &seconds);
  hy_wisdom_destroy(&g.base, &wisdom);
  take_back(&g, status);
}
