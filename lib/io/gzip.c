/* Files that gzip has compressed, read as if they were plain.
 *
 * Such a stream can only be read from its start.  Each rank reads it on its own: once for the
 * length and the check sum, which stand behind the data, then for its share of the lines.
 * hyla_matrix_probe reads all of it too, so that a damaged file is refused before memory is taken
 * and anything is planned; it does not keep the data, which may be larger than the memory.  Nothing
 * is unpacked to memory or to a disk, so a small file that unpacks to a huge one costs only time.
 * The last bytes of each read are kept, because the next chunk of lines begins a little before its
 * end.  Format: Deutsch, RFC 1952; zlib reads it. */
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { KEPT = 2 * HY_MM_SLACK, ROOM = 1 << 16 };

struct hy_io_gzip {
  gzFile stream;
  int64_t at; /* bytes of the stream that have been read */
  int64_t kept;
  char tail[KEPT]; /* the last bytes that were read */
  char room[ROOM]; /* for bytes that are skipped */
};

static hyla_status damaged(const struct hy_io_file *file) {
  int error = Z_OK;
  const char *why = gzerror(file->gzip->stream, &error);
  if (error == Z_ERRNO) why = strerror(errno);
  if (error == Z_OK) why = "it ends too soon";
  return hy_fail(file->base, HYLA_FILE, "cannot read %s: the compressed data are damaged: %s",
                 hy_path_shown(file->path), why);
}

static void keep(struct hy_io_gzip *gzip, const char *data, int64_t bytes) {
  int64_t old = hy_min(gzip->kept, KEPT - hy_min(bytes, KEPT));
  memmove(gzip->tail, gzip->tail + (gzip->kept - old), (size_t)old);
  gzip->kept = hy_min(old + bytes, KEPT);
  memcpy(gzip->tail + old, data + (bytes - (gzip->kept - old)), (size_t)(gzip->kept - old));
  gzip->at += bytes;
}

/* Reads at most `most' of the next bytes.  *got = 0: the end, and the check sum is right. */
static hyla_status next(const struct hy_io_file *file, char *data, int64_t most, int64_t *got) {
  struct hy_io_gzip *gzip = file->gzip;
  int read = gzread(gzip->stream, data, (unsigned)hy_min(most, ROOM));
  int error = Z_OK;
  (void)gzerror(gzip->stream, &error);
  if (read < 0 || error != Z_OK) return damaged(file);
  *got = read;
  keep(gzip, data, read);
  return HYLA_OK;
}

static hyla_status measure(struct hy_io_file *file) {
  int64_t got = 1;
  while (got > 0) TRY(next(file, file->gzip->room, ROOM, &got));
  file->size = file->gzip->at;
  return HYLA_OK;
}

hyla_status hy_io_gzip_open(struct hy_io_file *file) {
  int own = dup(file->fd); /* gzclose closes this one */
  CHECK(file->base, own >= 0, FILE, "cannot read %s: %s", hy_path_shown(file->path),
        strerror(errno));
  hyla_status status = hy_alloc(file->base, 1, sizeof *file->gzip, &file->gzip);
  if (status == HYLA_OK && (file->gzip->stream = gzdopen(own, "rb")) == NULL) {
    status = hy_fail(file->base, HYLA_MEMORY, "out of memory: zlib has none for %s",
                     hy_path_shown(file->path));
  }
  if (status != HYLA_OK) {
    close(own);
    hy_free(file->base, &file->gzip);
    return status;
  }
  return measure(file);
}

void hy_io_gzip_close(struct hy_io_file *file) {
  if (file->gzip == NULL) return;
  (void)gzclose_r(file->gzip->stream); /* reading: an error here loses nothing */
  hy_free(file->base, &file->gzip);
}

static hyla_status rewind_to_start(const struct hy_io_file *file) {
  struct hy_io_gzip *gzip = file->gzip;
  if (gzrewind(gzip->stream) != 0) return damaged(file);
  gzip->at = 0;
  gzip->kept = 0;
  return HYLA_OK;
}

/* Skips bytes until the stream is at the offset. */
static hyla_status pass(const struct hy_io_file *file, int64_t offset) {
  struct hy_io_gzip *gzip = file->gzip;
  while (gzip->at < offset) {
    int64_t got = 0;
    TRY(next(file, gzip->room, offset - gzip->at, &got));
    if (got == 0) return damaged(file);
  }
  return HYLA_OK;
}

hyla_status hy_io_gzip_get(const struct hy_io_file *file, char *data, int64_t bytes,
                           int64_t offset) {
  struct hy_io_gzip *gzip = file->gzip;
  if (offset < gzip->at - gzip->kept) TRY(rewind_to_start(file));
  TRY(pass(file, offset));
  int64_t old = hy_min(gzip->at - offset, bytes);
  memcpy(data, gzip->tail + (gzip->kept - (gzip->at - offset)), (size_t)old);
  while (old < bytes) {
    int64_t got = 0;
    TRY(next(file, data + old, bytes - old, &got));
    if (got == 0) return damaged(file);
    old += got;
  }
  return HYLA_OK;
}
