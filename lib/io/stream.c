/* Compressed bytes, read as if they were plain: files that gzip has compressed, members of ZIP
 * archives, and variables of MAT files.
 *
 * Such a stream can only be read from its start.  Each rank reads it on its own.  A gzipped file is
 * read once for the length and the check sum, which stand behind the data, then for the rank's
 * share of the lines.  hyla_matrix_probe reads all of it too, so that a damaged file is refused
 * before memory is taken and anything is planned; it does not keep the data, which may be larger
 * than the memory.  A part of a file has a head that tells its length, so it is read once; its
 * check sum is compared at the end.  Nothing is unpacked to memory or to a disk, so a small file
 * that unpacks to a huge one costs only time.  The last bytes of each read are kept, because the
 * next chunk of lines begins a little before its end.  Formats: Deutsch, RFC 1950 to 1952; zlib
 * reads them. */
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { KEPT = 2 * HY_MM_SLACK, ROOM = 1 << 16 };

struct hy_io_stream {
  gzFile gzip;      /* of a gzipped file; NULL: `part' is unpacked by `inflate' */
  z_stream inflate; /* of a part */
  bool ended;       /* the part has been unpacked whole */
  int64_t from;     /* the next packed byte in the file */
  uLong sum;        /* CRC of what has been unpacked */
  struct hy_io_part part;
  int64_t at; /* bytes of the stream that have been read */
  int64_t kept;
  char tail[KEPT];   /* the last bytes that were read */
  char room[ROOM];   /* for bytes that are skipped */
  char packed[ROOM]; /* of a part */
};

static hyla_status damaged(const struct hy_io_file *file, const char *why) {
  return hy_fail(file->base, HYLA_FILE, "cannot read %s: the compressed data are damaged: %s",
                 hy_path_shown(file->path), why);
}

static const char too_soon[] = "it ends too soon";

static hyla_status damaged_gzip(const struct hy_io_file *file) {
  int error = Z_OK;
  const char *why = gzerror(file->stream->gzip, &error);
  if (error == Z_ERRNO) why = strerror(errno);
  return damaged(file, error == Z_OK ? too_soon : why);
}

static void keep(struct hy_io_stream *stream, const char *data, int64_t bytes) {
  int64_t old = hy_min(stream->kept, KEPT - hy_min(bytes, KEPT));
  memmove(stream->tail, stream->tail + (stream->kept - old), (size_t)old);
  stream->kept = hy_min(old + bytes, KEPT);
  memcpy(stream->tail + old, data + (bytes - (stream->kept - old)), (size_t)(stream->kept - old));
  stream->at += bytes;
}

/* -------------------------------------------------------------- parts of files -- */

/* Fetches packed bytes when there are none left; does nothing at the part's end. */
static hyla_status fetch(const struct hy_io_file *file) {
  struct hy_io_stream *s = file->stream;
  struct hy_io_fault fault = {0};
  const int64_t bytes = hy_min(ROOM, s->part.first + s->part.bytes - s->from);
  if (s->inflate.avail_in > 0 || bytes == 0) return HYLA_OK;
  if (!hy_io_take(file, s->packed, bytes, s->from, &fault)) return hy_io_refuse(file, &fault);
  s->from += bytes;
  s->inflate.next_in = (Bytef *)s->packed;
  s->inflate.avail_in = (uInt)bytes;
  return HYLA_OK;
}

/* Compares a part that has been unpacked whole with its head. */
static hyla_status end_part(const struct hy_io_file *file, int64_t size) {
  const struct hy_io_stream *s = file->stream;
  const bool summed = s->part.packing == HY_IO_DEFLATED;
  if (size < s->part.size && s->part.size != INT64_MAX) return damaged(file, too_soon);
  return summed && s->sum != s->part.sum ? damaged(file, "incorrect check sum") : HYLA_OK;
}

/* Unpacks at most `most' bytes; *got = 0 only at the end. */
static hyla_status unpack(const struct hy_io_file *file, char *data, int64_t most, int64_t *got) {
  struct hy_io_stream *s = file->stream;
  z_stream *z = &s->inflate;
  z->next_out = (Bytef *)data;
  z->avail_out = (uInt)most;
  while (!s->ended && z->avail_out == (uInt)most) {
    TRY(fetch(file));
    const int code = inflate(z, Z_NO_FLUSH);
    s->ended = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR)
      return hy_fail(file->base, HYLA_MEMORY, "out of memory: zlib has none for %s",
                     hy_path_shown(file->path));
    if (code == Z_BUF_ERROR) return damaged(file, too_soon);
    if (code != Z_OK && !s->ended) return damaged(file, z->msg != NULL ? z->msg : "no data");
  }
  *got = most - z->avail_out;
  s->sum = crc32_z(s->sum, (const Bytef *)data, (z_size_t)*got);
  if (s->at + *got > s->part.size) return damaged(file, "it is longer than its head says");
  return s->ended ? end_part(file, s->at + *got) : HYLA_OK;
}

static hyla_status restart_part(const struct hy_io_file *file) {
  struct hy_io_stream *s = file->stream;
  (void)inflateReset(&s->inflate); /* fails only for a stream that was not made */
  s->inflate.avail_in = 0;
  s->ended = false;
  s->from = s->part.first;
  s->sum = crc32_z(0, NULL, 0);
  return HYLA_OK;
}

/* ------------------------------------------------------------------- all streams -- */

/* Reads at most `most' of the next bytes.  *got = 0: the end, and the check sum is right. */
static hyla_status next(const struct hy_io_file *file, char *data, int64_t most, int64_t *got) {
  struct hy_io_stream *stream = file->stream;
  most = hy_min(most, ROOM);
  if (stream->gzip == NULL) {
    TRY(unpack(file, data, most, got));
  } else {
    *got = gzread(stream->gzip, data, (unsigned)most);
    int error = Z_OK;
    (void)gzerror(stream->gzip, &error);
    if (*got < 0 || error != Z_OK) return damaged_gzip(file);
  }
  keep(stream, data, *got);
  return HYLA_OK;
}

hyla_status hy_io_finish(const struct hy_io_file *file) {
  int64_t got = file->stream != NULL;
  while (got > 0) TRY(next(file, file->stream->room, ROOM, &got));
  return HYLA_OK;
}

static hyla_status out_of_memory(const struct hy_io_file *file) {
  return hy_fail(file->base, HYLA_MEMORY, "out of memory: zlib has none for %s",
                 hy_path_shown(file->path));
}

hyla_status hy_io_gzip_open(struct hy_io_file *file) {
  int own = dup(file->fd); /* gzclose closes this one */
  CHECK(file->base, own >= 0, FILE, "cannot read %s: %s", hy_path_shown(file->path),
        strerror(errno));
  hyla_status status = hy_alloc(file->base, 1, sizeof *file->stream, &file->stream);
  if (status == HYLA_OK) (void)lseek(own, 0, SEEK_SET); /* zlib reads from here on */
  if (status == HYLA_OK && (file->stream->gzip = gzdopen(own, "rb")) == NULL)
    status = out_of_memory(file);
  if (status != HYLA_OK) {
    close(own);
    hy_free(file->base, &file->stream);
    return status;
  }
  TRY(hy_io_finish(file));
  file->size = file->stream->at;
  return HYLA_OK;
}

hyla_status hy_io_enter(struct hy_io_file *file, const struct hy_io_part *part) {
  file->size = part->size;
  if (part->packing == HY_IO_STORED) {
    file->first = part->first;
    return HYLA_OK;
  }
  TRY(hy_alloc(file->base, 1, sizeof *file->stream, &file->stream));
  struct hy_io_stream *s = file->stream;
  s->part = *part;
  /* A negative number of bits means no head, as in ZIP archives. */
  const int bits = part->packing == HY_IO_DEFLATED ? -MAX_WBITS : MAX_WBITS;
  if (inflateInit2(&s->inflate, bits) != Z_OK) {
    hy_free(file->base, &file->stream);
    return out_of_memory(file);
  }
  return restart_part(file);
}

void hy_io_stream_close(struct hy_io_file *file) {
  if (file->stream == NULL) return;
  if (file->stream->gzip != NULL)
    (void)gzclose_r(file->stream->gzip); /* reading: an error here loses nothing */
  else
    (void)inflateEnd(&file->stream->inflate);
  hy_free(file->base, &file->stream);
}

static hyla_status rewind_to_start(const struct hy_io_file *file) {
  struct hy_io_stream *stream = file->stream;
  if (stream->gzip == NULL)
    TRY(restart_part(file));
  else if (gzrewind(stream->gzip) != 0)
    return damaged_gzip(file);
  stream->at = 0;
  stream->kept = 0;
  return HYLA_OK;
}

/* Skips bytes until the stream is at the offset. */
static hyla_status pass(const struct hy_io_file *file, int64_t offset) {
  struct hy_io_stream *stream = file->stream;
  while (stream->at < offset) {
    int64_t got = 0;
    TRY(next(file, stream->room, offset - stream->at, &got));
    if (got == 0) return damaged(file, too_soon);
  }
  return HYLA_OK;
}

hyla_status hy_io_stream_get(const struct hy_io_file *file, char *data, int64_t bytes,
                             int64_t offset) {
  struct hy_io_stream *stream = file->stream;
  if (offset < stream->at - stream->kept) TRY(rewind_to_start(file));
  TRY(pass(file, offset));
  int64_t old = hy_min(stream->at - offset, bytes);
  memcpy(data, stream->tail + (stream->kept - (stream->at - offset)), (size_t)old);
  while (old < bytes) {
    int64_t got = 0;
    TRY(next(file, data + old, bytes - old, &got));
    if (got == 0) return damaged(file, too_soon);
    old += got;
  }
  return HYLA_OK;
}
