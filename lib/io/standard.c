/* Standard input and output as files of matrices.
 *
 * All nodes read a matrix at once, each its own share, and a program may ask for a matrix' size
 * before it reads it.  A pipe can do neither.  So node 0 copies standard input to a file without a
 * name (output.c), which all nodes open and which the cube keeps.  A matrix for standard output is
 * written to such a file as well, and node 0 copies it once it is complete. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

bool hy_is_standard(const char *path) {
  return path[0] == '-' && (path[1] == '\0' || path[1] == '.');
}

const char *hy_spool_path(char path[PATH_MAX]) {
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || strlen(folder) + 16 > PATH_MAX) folder = "/tmp";
  return strcat(strcat(strcpy(path, *folder == '\0' ? "/tmp" : folder), "/"), "hyla-standard");
}

/* Copies all that is left of one descriptor to the other, at their own places. */
static bool copy(int from, int to, char *buffer) {
  for (;;) {
    ssize_t got = read(from, buffer, BLOCK);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = write(to, buffer + done, (size_t)(got - done));
      if (put < 0 && errno != EINTR) return false;
      done += put < 0 ? 0 : put;
    }
  }
}

static hyla_status copy_input(struct hy_base *base, int to) {
  char *buffer;
  TRY(hy_alloc(base, BLOCK, 1, &buffer));
  const bool done = lseek(to, 0, SEEK_SET) == 0 && copy(STDIN_FILENO, to, buffer);
  const int error = errno;
  hy_free(base, &buffer);
  CHECK(base, done, FILE, "cannot read standard input: %s", strerror(error));
  return HYLA_OK;
}

/* On a node: keeps the copy open behind the call. */
static hyla_status keep_open(hyla_cube *cube, int copied) {
  cube->session.input = fcntl(copied, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  CHECK(&cube->base, cube->session.input >= 0, FILE, "cannot keep standard input: %s",
        strerror(errno));
  return HYLA_OK;
}

static hyla_status fill(hyla_cube *cube, struct hy_output *output) {
  hyla_status mine = HYLA_OK;
  TRY(hy_agree(cube, hy_output_allocate(output, cube)));
  TRY(hy_output_open(output));
  if (cube->address == 0) mine = copy_input(&cube->base, output->file->fd);
  TRY(hy_agree(cube, mine));
  cube->session.input = -1;
  if (cube->address >= 0) mine = keep_open(cube, output->file->fd);
  return hy_agree(cube, mine);
}

hyla_status hy_input_ready(hyla_cube *cube) {
  char path[PATH_MAX];
  if (cube->session.input != 0) return HYLA_OK;
  struct hy_io_file file = {.base = &cube->base, .path = hy_spool_path(path), .fd = -1};
  struct hy_output output = {.file = &file, .secret = true};
  hyla_status status = fill(cube, &output);
  hy_output_free(&output, cube);
  return status;
}

hyla_status hy_output_print(const struct hy_output *output) {
  const struct hy_io_file *file = output->file;
  char *buffer;
  TRY(hy_alloc(file->base, BLOCK, 1, &buffer));
  const bool done = lseek(file->fd, 0, SEEK_SET) == 0 && copy(file->fd, STDOUT_FILENO, buffer);
  const int error = errno;
  hy_free(file->base, &buffer);
  CHECK(file->base, done, FILE, "cannot write standard output: %s", strerror(error));
  return HYLA_OK;
}
