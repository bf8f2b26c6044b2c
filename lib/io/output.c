/* The file into which a matrix is written, before it has its name.
 *
 * Node 0 makes it (lib/base/output_file.c).  If all nodes seem to be on one host and the file
 * system allows it, the file has no name, so that nothing is left of a process that is killed.  The
 * other nodes open it through node 0's descriptor below /proc, and a random number in it proves
 * that it is the same file.  Otherwise it has a temporary name in the folder of the path. */
#include "io/output.h"

#include "collective/collective.h"
#include "cube/link.h"

#include <fcntl.h>
#include <unistd.h>

hyla_status hy_output_allocate(struct hy_output *output, hyla_cube *cube) {
  output->cube = cube;
  TRY(hy_alloc(&cube->base, 1, sizeof *output->target, &output->target));
  TRY(hy_subcube_make(cube, hy_all_dims(cube), HY_TASK_BROADCAST, sizeof output->target->at, 1,
                      &output->group));
  return hy_subcube_allocate(&output->group);
}

void hy_output_free(struct hy_output *output, hyla_cube *cube) {
  hy_io_close(output->file);
  if (output->target != NULL) hy_output_file_drop(output->target);
  hy_subcube_free(&output->group);
  hy_free(&cube->base, &output->target);
}

static hyla_status fail_to_write(const struct hy_output *output) {
  return hy_fail_to_write(output->file->base, output->file->path);
}

/* On a node: node 0 tells all nodes where its file is, or that it has none. */
static hyla_status tell_where(struct hy_output *output) {
  return hy_subcube_broadcast(&output->group, 0, &output->target->at, sizeof output->target->at);
}

static int make_nameless(struct hy_output_file *target) {
  int fd = hy_output_file_nameless(target);
  if (fd < 0 || hy_output_file_show(target, fd)) return fd;
  close(fd);
  return -1;
}

static hyla_status open_nameless(struct hy_output *output, bool *done) {
  hyla_cube *cube = output->cube;
  struct hy_output_file *target = output->target;
  if (cube->address == 0) output->file->fd = make_nameless(target);
  if (cube->address == 0 && output->file->fd < 0) target->at.name[0] = '\0';
  if (cube->address >= 0) TRY(tell_where(output));
  if (cube->address > 0) output->file->fd = hy_output_file_meet(&target->at);
  int64_t missing = cube->address >= 0 && output->file->fd < 0;
  TRY(hy_cube_max(cube, &missing, 1));
  *done = missing == 0;
  if (!*done) hy_io_shut(output->file);
  if (*done && cube->address == 0 && !hy_output_file_hide(output->file->fd))
    return fail_to_write(output);
  return HYLA_OK;
}

static hyla_status open_named(struct hy_output *output) {
  hyla_cube *cube = output->cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(tell_where(output));
  if (cube->address > 0) output->file->fd = open(output->target->at.name, O_RDWR | O_CLOEXEC);
  return output->file->fd >= 0 ? HYLA_OK : fail_to_write(output);
}

/* All ranks return node 0's status. */
static hyla_status agree_with_first(hyla_cube *cube, hyla_status mine) {
  if (cube->address >= 0) mine = hy_io_share_status(cube, 0, mine);
  return hy_agree(cube, mine);
}

static hyla_status make_named(struct hy_output *output) {
  output->file->fd = hy_output_file_named(output->target);
  return output->file->fd >= 0 ? HYLA_OK : fail_to_write(output);
}

hyla_status hy_output_open(struct hy_output *output) {
  hyla_cube *cube = output->cube;
  bool done = false;
  hyla_status mine = HYLA_OK;
  if (cube->address == 0)
    mine = hy_output_file_find(&cube->base, output->file->path, output->target);
  TRY(agree_with_first(cube, mine));
  output->target->secret = output->secret;
  if (cube->ranks.one_host) TRY(hy_agree(cube, open_nameless(output, &done)));
  if (done) return HYLA_OK;
  mine = cube->address == 0 ? make_named(output) : HYLA_OK;
  TRY(agree_with_first(cube, mine));
  return hy_agree(cube, open_named(output));
}

hyla_status hy_output_flush(const struct hy_output *output) {
  return fsync(output->file->fd) == 0 ? HYLA_OK : fail_to_write(output);
}

hyla_status hy_output_name(struct hy_output *output) {
  hyla_cube *cube = output->cube;
  const struct hy_io_file *file = output->file;
  hyla_status mine = HYLA_OK;
  if (cube->address == 0 && output->standard)
    mine = hy_output_print(output);
  else if (cube->address == 0)
    mine = hy_output_file_place(&cube->base, file->path, file->fd, output->target);
  return agree_with_first(cube, mine);
}
