/* Texts in files: one rank reads a file that a user names, or writes one, which gets its name when
 * the text is complete. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without O_NONBLOCK the open of a named pipe would hang before the check can refuse it. */
const char *hy_file_open(const char *path, FILE **file) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *file = NULL;
  if (fd < 0) return strerror(errno);
  struct stat about;
  bool regular = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  if (regular) *file = fdopen(fd, "r");
  if (*file != NULL) return NULL;
  int why = errno;
  close(fd);
  errno = regular ? why : EINVAL;
  return regular ? strerror(why) : "it is not a regular file";
}

hyla_status hy_c_locale(struct hy_base *base, locale_t *locale) {
  *locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  CHECK(base, *locale != (locale_t)0, MEMORY, "out of memory: no room for a locale");
  return HYLA_OK;
}

hyla_status hy_text_open(struct hy_base *base, const char *path, struct hy_text_file **file) {
  struct hy_text_file *f = NULL;
  *file = NULL;
  TRY(hy_alloc(base, 1, sizeof *f, &f));
  hyla_status status = hy_output_file_find(base, path, &f->target);
  if (status == HYLA_OK) {
    int fd = hy_output_file_nameless(&f->target);
    if (fd < 0) fd = hy_output_file_named(&f->target);
    f->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f->stream == NULL) status = hy_fail_to_write(base, path);
    if (f->stream == NULL && fd >= 0) close(fd);
  }
  if (status == HYLA_OK) {
    f->path = path;
    *file = f;
    return HYLA_OK;
  }
  hy_output_file_drop(&f->target);
  hy_free(base, &f);
  return status;
}

/* True if the whole text is on the disk; otherwise errno says why not. */
static bool flush(FILE *stream) {
  errno = EIO;
  return !ferror(stream) && fflush(stream) == 0 && fsync(fileno(stream)) == 0;
}

hyla_status hy_text_close(struct hy_base *base, bool whole, struct hy_text_file **file) {
  struct hy_text_file *f = *file;
  if (f == NULL) return HYLA_OK;
  hyla_status status = HYLA_OK;
  if (whole)
    status = flush(f->stream) ? hy_output_file_place(base, f->path, fileno(f->stream), &f->target)
                              : hy_fail_to_write(base, f->path);
  (void)fclose(f->stream); /* the file is on the disk, or goes */
  hy_output_file_drop(&f->target);
  hy_free(base, file);
  return status;
}
