/* Texts that one rank writes into a file.  The file gets its name when the text is complete. */
#include "base/base.h"

#include <errno.h>
#include <unistd.h>

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
