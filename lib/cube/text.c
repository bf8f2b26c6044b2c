/* Texts that programs write about their results. */
#include "cube/link.h"
#include "hyla_lab.h"

hyla_status hyla_text_write(hyla_cube *cube, const char *path, hyla_text_writer *write,
                            const void *arg) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hy_base *base = &cube->base;
  CHECK(base, path != NULL && path[0] != '\0' && write != NULL, ARGUMENT,
        "hyla_text_write: the path or the writer is missing");
  struct hy_text_file *file = NULL;
  TRY(hy_text_open(base, path, &file));
  bool whole = write(arg, file->stream);
  hyla_status status = hy_text_close(base, whole, &file);
  CHECK(base, whole, MEMORY, "cannot write %s: out of memory", hy_path_shown(path));
  return status;
}
