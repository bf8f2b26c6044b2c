/* Files on one rank: the parts of a path, the file opened, read and written at given offsets, named
 * in messages; and one rank's failure told to the others. */
#include "collective/collective.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest piece for one system call: Linux moves at most 2 GiB. */
enum { PIECE = 1 << 30 };

const char *hy_io_quote(const char *text, int64_t length, char quote[HY_IO_QUOTE]) {
  const int64_t room = HY_IO_QUOTE - 4;
  int64_t shown = hy_min(length, room);
  for (int64_t i = 0; i < shown; i++) quote[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  strcpy(quote + shown, length > room ? "..." : "");
  return quote;
}

/* ------------------------------------------------------------------- paths -- */

/* The path of a matrix: FILE.h5:/DATASET names a dataset in an HDF5 file; FILE.h5:rows:/DATASET and
 * FILE.h5:columns:/DATASET also give the order of its indices.  FILE.npz:NAME names a member of an
 * archive. */
struct word {
  const char *text;
  enum hy_io_order order;
};

/* The text between the file's name and the dataset's. */
static const struct word words[] = {
    {":", HY_IO_AS_MARKED}, {":rows:", HY_IO_BY_ROWS}, {":columns:", HY_IO_BY_COLUMNS}};
static const char *const endings[] = {".h5", ".hdf5", ".mat"};
enum { WORDS = sizeof words / sizeof *words, ENDINGS = sizeof endings / sizeof *endings };

static bool ends_in(const char *path, int64_t length, const char *ending) {
  int64_t tail = (int64_t)strlen(ending);
  return length > tail && memcmp(path + length - tail, ending, (size_t)tail) == 0;
}

static bool is_hdf5(const char *path, int64_t length) {
  for (int i = 0; i < ENDINGS; i++)
    if (ends_in(path, length, endings[i])) return true;
  return false;
}

/* The word at a colon with a dataset's / behind it; NULL if there is none. */
static const struct word *find_word(const char *colon) {
  for (int i = 0; i < WORDS; i++) {
    size_t length = strlen(words[i].text);
    if (strncmp(colon, words[i].text, length) == 0 && colon[length] == '/') return &words[i];
  }
  return NULL;
}

struct hy_io_name hy_io_name_of(const char *path) {
  struct hy_io_name name = {.length = (int64_t)strlen(path)};
  for (const char *colon = strchr(path, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
    const struct word *word = find_word(colon);
    if (colon[1] != '\0' && ends_in(path, colon - path, ".npz")) {
      name.length = colon - path;
      name.member = colon + 1;
      break;
    }
    if (word == NULL || !is_hdf5(path, colon - path)) continue;
    name.length = colon - path;
    name.dataset = colon + strlen(word->text);
    name.order = word->order;
    break;
  }
  name.matlab = ends_in(path, name.length, ".mat");
  return name;
}

int64_t hyla_path_file(const char *path, const char **dataset) {
  if (dataset != NULL) *dataset = NULL;
  if (path == NULL) return 0;
  struct hy_io_name name = hy_io_name_of(path);
  if (dataset != NULL) *dataset = name.dataset != NULL ? name.dataset : name.member;
  return name.length;
}

/* ------------------------------------------------------------------- files -- */

static hyla_status check_kind(struct hy_io_file *file) {
  struct stat about;
  CHECK(file->base, fstat(file->fd, &about) == 0, FILE, "cannot read %s: %s",
        hy_path_shown(file->path), strerror(errno));
  CHECK(file->base, !S_ISDIR(about.st_mode), FILE, "cannot read %s: %s", hy_path_shown(file->path),
        strerror(EISDIR));
  CHECK(file->base, S_ISREG(about.st_mode), FILE, "cannot read %s: it is not a regular file",
        hy_path_shown(file->path));
  file->size = (int64_t)about.st_size;
  return HYLA_OK;
}

/* A file that gzip has compressed is recognized by its first bytes. */
static hyla_status look_inside(struct hy_io_file *file) {
  static const char magic[2] = {'\x1f', '\x8b'};
  char start[sizeof magic];
  if (file->size < (int64_t)sizeof start) return HYLA_OK;
  TRY(hy_io_get(file, start, sizeof start, 0));
  return memcmp(start, magic, sizeof start) == 0 ? hy_io_gzip_open(file) : HYLA_OK;
}

hyla_status hy_io_name(struct hy_base *base, const char *path, struct hy_io_file *file) {
  *file = (struct hy_io_file){.base = base, .path = path, .name = hy_io_name_of(path), .fd = -1};
  if (file->name.dataset == NULL && file->name.member == NULL) return HYLA_OK;
  int64_t length = file->name.length;
  TRY(hy_alloc(base, length + 1, 1, &file->own));
  memcpy(file->own, path, (size_t)length);
  file->path = file->own;
  return HYLA_OK;
}

static hyla_status open_named(struct hy_io_file *file) {
  /* Without O_NONBLOCK opening a named pipe would hang before it can be refused. */
  file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  CHECK(file->base, file->fd >= 0, FILE, "cannot read %s: %s", hy_path_shown(file->path),
        strerror(errno));
  return check_kind(file);
}

hyla_status hy_io_open(struct hy_base *base, const char *path, struct hy_io_file *file) {
  TRY(hy_io_name(base, path, file));
  hyla_status status = open_named(file);
  if (status == HYLA_OK) status = look_inside(file);
  if (status != HYLA_OK) hy_io_close(file);
  return status;
}

hyla_status hy_io_open_copy(struct hy_base *base, int copied, struct hy_io_file *file) {
  *file = (struct hy_io_file){.base = base, .path = "standard input", .fd = -1};
  file->name = (struct hy_io_name){.length = (int64_t)strlen(file->path), .standard = true};
  file->fd = fcntl(copied, F_DUPFD_CLOEXEC, 0);
  CHECK(base, file->fd >= 0, FILE, "cannot read %s: %s", file->path, strerror(errno));
  hyla_status status = check_kind(file);
  if (status == HYLA_OK) status = look_inside(file);
  if (status != HYLA_OK) hy_io_close(file);
  return status;
}

hyla_status hy_io_open_plain(struct hy_base *base, const char *path, struct hy_io_file *file) {
  *file = (struct hy_io_file){.base = base, .path = path, .fd = -1};
  hyla_status status = open_named(file);
  if (status != HYLA_OK) hy_io_close(file);
  return status;
}

void hy_io_shut(struct hy_io_file *file) {
  hy_io_stream_close(file);
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

void hy_io_close(struct hy_io_file *file) {
  hy_io_shut(file);
  hy_free(file->base, &file->own);
}

bool hy_io_take(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset,
                struct hy_io_fault *fault) {
  char *to = data;
  while (bytes > 0) {
    ssize_t got = pread(file->fd, to, (size_t)hy_min(bytes, PIECE), (off_t)(file->first + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      *fault = (struct hy_io_fault){true, got < 0 ? errno : 0, file->first + offset};
      return false;
    }
    to += got;
    bytes -= got;
    offset += got;
  }
  return true;
}

hyla_status hy_io_refuse(const struct hy_io_file *file, const struct hy_io_fault *fault) {
  CHECK(file->base, fault->error == 0, FILE, "cannot read %s: %s", hy_path_shown(file->path),
        strerror(fault->error));
  return hy_fail(file->base, HYLA_FILE,
                 "cannot read %s: it ends at byte %" PRId64 "; it was longer when it was opened",
                 hy_path_shown(file->path), fault->at);
}

hyla_status hy_io_get(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset) {
  struct hy_io_fault fault = {0};
  if (file->stream != NULL) return hy_io_stream_get(file, data, bytes, offset);
  return hy_io_take(file, data, bytes, offset, &fault) ? HYLA_OK : hy_io_refuse(file, &fault);
}

hyla_status hy_io_put(const struct hy_io_file *file, const void *data, int64_t bytes,
                      int64_t offset) {
  const char *from = data;
  while (bytes > 0) {
    ssize_t put = pwrite(file->fd, from, (size_t)hy_min(bytes, PIECE), (off_t)offset);
    if (put < 0 && errno == EINTR) continue;
    CHECK(file->base, put >= 0, FILE, "cannot write %s: %s", hy_path_shown(file->path),
          strerror(errno));
    from += put;
    bytes -= put;
    offset += put;
  }
  return HYLA_OK;
}

hyla_status hy_io_share_status(hyla_cube *cube, int root, hyla_status mine) {
  struct {
    int64_t status;
    char message[HY_MESSAGE_MAX];
  } shared;
  memset(&shared, 0, sizeof shared);
  shared.status = mine;
  memcpy(shared.message, cube->base.message, sizeof shared.message);
  TRY(hy_broadcast(cube, hy_all_dims(cube), root, &shared, sizeof shared));
  if (shared.status == HYLA_OK) return HYLA_OK;
  return hy_fail(&cube->base, (hyla_status)shared.status, "%s", shared.message);
}
