/* Files that get their name only when they are complete.
 *
 * Where the file system supports it (O_TMPFILE), the file has no name until it is complete, so a
 * killed process leaves nothing behind.  On other file systems, and at the moment when the file
 * replaces another one, its name is .hyla-HOST-PROCESS-NUMBER.tmp in the folder of the path.
 * NUMBER is random, so that no other machine that shares the disk uses the same name.
 *
 * The next process that writes in the folder on the same host removes files of processes that are
 * dead.  It does so only until the host restarts, because afterwards the host cannot be told from a
 * clone of itself. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATH_SHOWN: characters of a path that a message shows.  TRIES: names that are tried.  LINKS:
 * symbolic links that are followed. */
enum { PATH_SHOWN = 200, TRIES = 100, LINKS = 40 };

const char *hy_path_shown(const char *path) {
  size_t length = strlen(path);
  return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

hyla_status hy_fail_to_write(struct hy_base *base, const char *path) {
  return hy_fail(base, HYLA_FILE, "cannot write %s: %s", hy_path_shown(path), strerror(errno));
}

static int folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (int)(slash + 1 - path);
}

/* target->path := the path behind all symbolic links, whether a file exists there or not. */
static hyla_status follow(struct hy_base *base, const char *path, struct hy_output_file *target) {
  char link[PATH_MAX], next[2 * PATH_MAX];
  const char *at = path;
  for (int i = 0; i < LINKS; i++) {
    errno = ENAMETOOLONG;
    if (strlen(at) >= PATH_MAX) return hy_fail_to_write(base, path);
    memmove(target->path, at, strlen(at) + 1);
    ssize_t length = readlink(target->path, link, sizeof link - 1);
    if (length < 0) return HYLA_OK;
    link[length] = '\0';
    int folder = link[0] == '/' ? 0 : folder_length(target->path);
    snprintf(next, sizeof next, "%.*s%s", folder, target->path, link);
    at = next;
  }
  errno = ELOOP;
  return hy_fail_to_write(base, path);
}

/* The folder of target->path; "." if the path names none.  folder: PATH_MAX characters. */
static void get_folder(const struct hy_output_file *target, char *folder) {
  int length = folder_length(target->path);
  snprintf(folder, PATH_MAX, "%.*s", length > 0 ? length : 1, length > 0 ? target->path : ".");
}

/* Identifies this host since its last start.  Only in that time does a process' number say which
 * process it is. */
static uint64_t host_since_its_start(void) {
  const uint64_t start = hy_start_number();
  return hy_fingerprint(hy_host_number(), &start, sizeof start);
}

/* Removes the files that dead processes of this host left in the folder. */
static void sweep(const struct hy_output_file *target) {
  const uint64_t host = host_since_its_start();
  char folder[PATH_MAX];
  get_folder(target, folder);
  DIR *entries = opendir(folder);
  if (entries == NULL) return;
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    uint64_t whose = 0, number = 0;
    long process = 0;
    int end = 0;
    if (sscanf(entry->d_name, ".hyla-%" SCNx64 "-%ld-%" SCNx64 ".tmp%n", &whose, &process, &number,
               &end) != 3)
      continue;
    if (end == 0 || entry->d_name[end] != '\0' || whose != host || process <= 0) continue;
    if (kill((pid_t)process, 0) != 0 && errno == ESRCH) unlinkat(dirfd(entries), entry->d_name, 0);
  }
  closedir(entries);
}

hyla_status hy_output_file_find(struct hy_base *base, const char *path,
                                struct hy_output_file *target) {
  struct stat old;
  *target = (struct hy_output_file){.made = false};
  TRY(follow(base, path, target));
  sweep(target);
  if (stat(target->path, &old) != 0)
    return errno == ENOENT ? HYLA_OK : hy_fail_to_write(base, path);
  errno = EISDIR;
  if (S_ISDIR(old.st_mode)) return hy_fail_to_write(base, path);
  CHECK(base, S_ISREG(old.st_mode), FILE, "cannot write %s: it is not a regular file",
        hy_path_shown(path));
  if (access(target->path, W_OK) != 0) return hy_fail_to_write(base, path);
  target->replaces = true;
  target->mode = old.st_mode & 07777;
  return HYLA_OK;
}

/* Until the file is complete, only those who may read the file that it replaces may read it. */
static mode_t first_mode(const struct hy_output_file *target) {
  if (target->secret) return S_IRUSR | S_IWUSR;
  return target->replaces ? (target->mode & 0777) | S_IRUSR | S_IWUSR : 0666;
}

int hy_output_file_nameless(struct hy_output_file *target) {
  char folder[PATH_MAX];
  get_folder(target, folder);
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(target));
}

bool hy_output_file_show(struct hy_output_file *target, int fd) {
  struct stat facts;
  struct hy_output_file_at *at = &target->at;
  if (fstat(fd, &facts) != 0) return false;
  snprintf(at->name, sizeof at->name, "/proc/%ld/fd/%d", (long)getpid(), fd);
  at->device = (uint64_t)facts.st_dev;
  at->inode = (uint64_t)facts.st_ino;
  at->number = hy_drawn_number();
  return pwrite(fd, &at->number, sizeof at->number, 0) == (ssize_t)sizeof at->number;
}

static bool is_at(const struct stat *facts, const struct hy_output_file_at *at) {
  return S_ISREG(facts->st_mode) && (uint64_t)facts->st_dev == at->device &&
         (uint64_t)facts->st_ino == at->inode;
}

int hy_output_file_meet(const struct hy_output_file_at *at) {
  struct stat facts;
  uint64_t number = 0;
  /* A device must not even be opened, since opening it may have effects. */
  if (stat(at->name, &facts) != 0 || !is_at(&facts, at)) return -1;
  int fd = open(at->name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return -1;
  if (fstat(fd, &facts) == 0 && is_at(&facts, at) &&
      pread(fd, &number, sizeof number, 0) == (ssize_t)sizeof number && number == at->number)
    return fd;
  close(fd);
  return -1;
}

bool hy_output_file_hide(int fd) { return ftruncate(fd, 0) == 0; }

/* Draws a temporary name, which is most likely free. */
static void set_name(struct hy_output_file *target) {
  snprintf(target->at.name, sizeof target->at.name, "%.*s.hyla-%" PRIx64 "-%ld-%" PRIx64 ".tmp",
           folder_length(target->path), target->path, host_since_its_start(), (long)getpid(),
           hy_drawn_number());
}

int hy_output_file_named(struct hy_output_file *target) {
  int fd = -1;
  errno = EEXIST;
  for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST; i++) {
    set_name(target);
    fd = open(target->at.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(target));
  }
  target->made = fd >= 0;
  return fd;
}

/* Gives the nameless file a free temporary name. */
static void take_name(struct hy_output_file *target, const char *nameless) {
  errno = EEXIST;
  for (int i = 0; i < TRIES && !target->made && errno == EEXIST; i++) {
    set_name(target);
    target->made = linkat(AT_FDCWD, nameless, AT_FDCWD, target->at.name, AT_SYMLINK_FOLLOW) == 0;
  }
}

/* Sets the mode of a complete file, where it differs from that of a new one. */
static bool set_mode(const struct hy_output_file *target, int fd) {
  if (target->secret) return fchmod(fd, S_IRUSR | S_IWUSR) == 0;
  return !target->replaces || fchmod(fd, target->mode) == 0;
}

hyla_status hy_output_file_place(struct hy_base *base, const char *path, int fd,
                                 struct hy_output_file *target) {
  char nameless[64];
  if (!set_mode(target, fd)) return hy_fail_to_write(base, path);
  if (!target->made) {
    snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, nameless, AT_FDCWD, target->path, AT_SYMLINK_FOLLOW) == 0) return HYLA_OK;
    if (errno == EEXIST) take_name(target, nameless);
    if (!target->made) return hy_fail_to_write(base, path);
  }
  if (rename(target->at.name, target->path) != 0) return hy_fail_to_write(base, path);
  target->made = false;
  return HYLA_OK;
}

void hy_output_file_drop(struct hy_output_file *target) {
  if (target->made) unlink(target->at.name);
  target->made = false;
}
