/* Private to this folder: the file into which a matrix is written, before it has its name. */
#ifndef HY_OUTPUT_H
#define HY_OUTPUT_H 1

#include "io/io.h"

struct hy_output {
  struct hy_io_file *file; /* open once hy_output_open has succeeded */
  hyla_cube *cube;
  bool secret;                   /* readable by its owner alone from the first byte on */
  struct hy_output_file *target; /* made by node 0; the other nodes know where it is */
  struct hy_subcube_op group;
};

/* Local.  take: takes the memory; the caller has set file and secret, the rest is 0.  MEMORY.
 * free: in any state, closes the file and removes it unless it has got its name. */
hyla_status hy_output_allocate(struct hy_output *output, hyla_cube *cube);
void hy_output_free(struct hy_output *output, hyla_cube *cube);
/* Collective over nodes and guests, with the same status on all.  Opens the file on all nodes.
 * FILE if it cannot be made, or if the existing file cannot be replaced. */
hyla_status hy_output_open(struct hy_output *output);
/* Local, on a node.  Returns when all bytes that it has written are on the disk.  FILE. */
hyla_status hy_output_flush(const struct hy_output *output);
/* Collective over nodes and guests, with the same status on all.  Gives the complete file its name.
 * FILE. */
hyla_status hy_output_name(struct hy_output *output);

#endif
