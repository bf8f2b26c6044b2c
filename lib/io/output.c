/* The file that a matrix is written into, before it has its name.
 *
 * Where all nodes are on one host and the file system can do it the file has no name at all
 * (O_TMPFILE) until it is complete, so that nothing stays of a process that is killed; the
 * other nodes open it as node 0's, below /proc.  Elsewhere it is .hyla-HOST-PROCESS-COUNT.tmp
 * in the folder of the path; such files of processes that are no more are removed by the next
 * that writes there on that host. */
#include "io/output.h"

#include "collective/collective.h"
#include "cube/link.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for a temporary file's name besides the folder's; names and links that are tried. */
enum { NAME_MOST = 64, TRIES = 100, LINKS = 40 };

hyla_status hy_output_take(struct hy_output *output, hyla_cube *cube) {
  struct hy_base *base = &cube->base;
  output->cube = cube;
  TRY(hy_alloc(base, PATH_MAX, 1, &output->target));
  TRY(hy_alloc(base, PATH_MAX + NAME_MOST, 1, &output->name));
  TRY(hy_group_make(cube, (uint32_t)cube->nodes - 1, HY_TASK_BROADCAST, PATH_MAX + NAME_MOST, 1,
                    &output->group));
  return hy_group_take(&output->group);
}

void hy_output_free(struct hy_output *output, hyla_cube *cube) {
  hy_io_close(output->file);
  if (output->made) unlink(output->name);
  hy_group_free(&output->group);
  hy_free(&cube->base, &output->name);
  hy_free(&cube->base, &output->target);
}

static hyla_status fail_to_write(const struct hy_io_file *file) {
  return hy_fail(file->base, HYLA_FILE, "cannot write %s: %s", hy_io_name(file->path),
                 strerror(errno));
}

static int folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (int)(slash + 1 - path);
}

/* target := what the path names behind symbolic links, be it there or not. */
static hyla_status follow(struct hy_output *output) {
  char link[PATH_MAX], next[2 * PATH_MAX];
  const char *at = output->file->path;
  for (int i = 0; i < LINKS; i++) {
    errno = ENAMETOOLONG;
    if (strlen(at) >= PATH_MAX) return fail_to_write(output->file);
    memmove(output->target, at, strlen(at) + 1);
    ssize_t length = readlink(output->target, link, sizeof link - 1);
    if (length < 0) return HYLA_OK;
    link[length] = '\0';
    int folder = link[0] == '/' ? 0 : folder_length(output->target);
    snprintf(next, sizeof next, "%.*s%s", folder, output->target, link);
    at = next;
  }
  errno = ELOOP;
  return fail_to_write(output->file);
}

/* May what is there be replaced?  Its mode is kept. */
static hyla_status look_at_target(struct hy_output *output) {
  struct stat old;
  TRY(follow(output));
  if (stat(output->target, &old) != 0)
    return errno == ENOENT ? HYLA_OK : fail_to_write(output->file);
  errno = EISDIR;
  if (S_ISDIR(old.st_mode)) return fail_to_write(output->file);
  CHECK(output->file->base, S_ISREG(old.st_mode), FILE, "cannot write %s: it is not a regular file",
        hy_io_name(output->file->path));
  if (access(output->target, W_OK) != 0) return fail_to_write(output->file);
  output->replaces = true;
  output->mode = old.st_mode & 07777;
  return HYLA_OK;
}

/* Until the file is complete nobody may read it who may not read what it replaces. */
static mode_t first_mode(const struct hy_output *output) {
  return output->replaces ? (output->mode & 0777) | S_IRUSR | S_IWUSR : 0666;
}

/* "." where the target names none.  folder: PATH_MAX. */
static void get_folder(const struct hy_output *output, char *folder) {
  int length = folder_length(output->target);
  snprintf(folder, PATH_MAX, "%.*s", length > 0 ? length : 1, length > 0 ? output->target : ".");
}

static void make_nameless(struct hy_output *output) {
  char folder[PATH_MAX];
  get_folder(output, folder);
  output->file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(output));
  if (output->file->fd >= 0)
    snprintf(output->name, PATH_MAX, "/proc/%ld/fd/%d", (long)getpid(), output->file->fd);
}

/* Removes what dead processes of this host left in the folder. */
static void sweep(const struct hy_output *output, uint64_t host) {
  char folder[PATH_MAX];
  get_folder(output, folder);
  DIR *entries = host != 0 ? opendir(folder) : NULL;
  if (entries == NULL) return;
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    uint64_t whose = 0;
    long process = 0;
    int count = 0, end = 0;
    if (sscanf(entry->d_name, ".hyla-%" SCNx64 "-%ld-%d.tmp%n", &whose, &process, &count, &end) !=
        3)
      continue;
    if (end == 0 || entry->d_name[end] != '\0' || whose != host || process <= 0) continue;
    if (kill((pid_t)process, 0) != 0 && errno == ESRCH) unlinkat(dirfd(entries), entry->d_name, 0);
  }
  closedir(entries);
}

/* A free name in the folder: for a new file, or for the nameless one. */
static hyla_status take_name(struct hy_output *output, const char *nameless) {
  const uint64_t host = output->cube->link->place.host;
  int folder = folder_length(output->target);
  errno = EEXIST;
  for (int i = 0; i < TRIES && !output->made && errno == EEXIST; i++) {
    snprintf(output->name, PATH_MAX + NAME_MOST, "%.*s.hyla-%" PRIx64 "-%ld-%d.tmp", folder,
             output->target, host, (long)getpid(), i);
    if (nameless != NULL) {
      output->made = linkat(AT_FDCWD, nameless, AT_FDCWD, output->name, AT_SYMLINK_FOLLOW) == 0;
    } else {
      output->file->fd =
          open(output->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(output));
      output->made = output->file->fd >= 0;
    }
  }
  return output->made ? HYLA_OK : fail_to_write(output->file);
}

/* Node 0 has made a file, or has none; the others open it. */
static hyla_status open_by_name(struct hy_output *output) {
  hyla_cube *cube = output->cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_group_broadcast(&output->group, 0, output->name, PATH_MAX + NAME_MOST));
  if (cube->address > 0 && output->name[0] != '\0')
    output->file->fd = open(output->name, O_WRONLY | O_CLOEXEC);
  return HYLA_OK;
}

static hyla_status open_nameless(struct hy_output *output, bool *done) {
  hyla_cube *cube = output->cube;
  if (cube->address == 0) make_nameless(output);
  TRY(open_by_name(output));
  int64_t missing = cube->address >= 0 && output->file->fd < 0;
  TRY(hy_cube_max(cube, &missing, 1));
  *done = missing == 0;
  if (!*done) hy_io_close(output->file);
  return HYLA_OK;
}

/* Node 0's verdict becomes that of all ranks. */
static hyla_status agree_with_first(hyla_cube *cube, hyla_status mine) {
  if (cube->address >= 0) mine = hy_io_share_verdict(cube, 0, mine);
  return hy_agree(cube, mine);
}

hyla_status hy_output_open(struct hy_output *output) {
  hyla_cube *cube = output->cube;
  bool done = false;
  hyla_status mine = cube->address == 0 ? look_at_target(output) : HYLA_OK;
  TRY(agree_with_first(cube, mine));
  if (cube->address == 0) sweep(output, cube->link->place.host);
  if (cube->one_host) TRY(hy_agree(cube, open_nameless(output, &done)));
  if (done) return HYLA_OK;
  mine = cube->address == 0 ? take_name(output, NULL) : HYLA_OK;
  TRY(agree_with_first(cube, mine));
  mine = open_by_name(output);
  if (mine == HYLA_OK && cube->address >= 0 && output->file->fd < 0)
    mine = fail_to_write(output->file);
  return hy_agree(cube, mine);
}

hyla_status hy_output_flush(const struct hy_output *output) {
  return fsync(output->file->fd) == 0 ? HYLA_OK : fail_to_write(output->file);
}

/* On node 0. */
static hyla_status give_name(struct hy_output *output) {
  char nameless[NAME_MOST];
  if (output->replaces && fchmod(output->file->fd, output->mode) != 0)
    return fail_to_write(output->file);
  if (!output->made) {
    snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", output->file->fd);
    if (linkat(AT_FDCWD, nameless, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0)
      return HYLA_OK;
    if (errno != EEXIST) return fail_to_write(output->file);
    TRY(take_name(output, nameless));
  }
  if (rename(output->name, output->target) != 0) return fail_to_write(output->file);
  output->made = false;
  return HYLA_OK;
}

hyla_status hy_output_name(struct hy_output *output) {
  hyla_cube *cube = output->cube;
  return agree_with_first(cube, cube->address == 0 ? give_name(output) : HYLA_OK);
}
