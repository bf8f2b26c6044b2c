/* Private to this folder: the file that a matrix is written into, before it has its name. */
#ifndef HY_OUTPUT_H
#define HY_OUTPUT_H 1

#include "io/io.h"

struct hy_output {
  struct hy_io_file *file; /* open once hy_output_open has succeeded */
  hyla_cube *cube;
  bool secret;              /* for its owner alone, from its first byte on; set by the caller */
  struct hy_target *target; /* of node 0; the others know where it is */
  struct hy_group group;
};

/* Local: memory.  file and secret are set by the caller, the rest 0.  MEMORY.  Freed in any state,
 * which closes the file and, unless it has got its name, removes it. */
hyla_status hy_output_take(struct hy_output *output, hyla_cube *cube);
void hy_output_free(struct hy_output *output, hyla_cube *cube);
/* Collective over nodes and guests, agreed upon: the file is open on all nodes.  FILE when it
 * cannot be made, or what is there cannot be replaced. */
hyla_status hy_output_open(struct hy_output *output);
/* Local, on a node: what it has written is on the disk.  FILE. */
hyla_status hy_output_flush(const struct hy_output *output);
/* Collective over nodes and guests, agreed upon: the complete file gets its name.  FILE. */
hyla_status hy_output_name(struct hy_output *output);

#endif
