/* Private to this folder: files that are written in parallel, before they have their names; files
 * of states. */
#ifndef HY_OUTPUT_H
#define HY_OUTPUT_H 1

#include "io/io.h"

#include <limits.h>

struct hy_output {
  struct hy_io_file *file; /* open once hy_output_open has succeeded */
  hyla_cube *cube;
  bool standard;                 /* goes to standard output in the end, and gets no name */
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

/* ------------------------------------------------------ standard streams -- */

/* Local.  Is the path standard input or output: "-", or "-" and an ending?  The path of a temporary
 * file, which stands for no file of this name. */
bool hy_is_standard(const char *path);
const char *hy_spool_path(char path[PATH_MAX]);
/* Collective over nodes and guests, with the same status on all.  Reads standard input to its end,
 * unless that was done; then session.input is open on each node.  FILE, MEMORY. */
hyla_status hy_input_ready(hyla_cube *cube);
/* Local, on node 0.  Copies the complete file to standard output.  FILE, MEMORY. */
hyla_status hy_output_print(const struct hy_output *output);

/* ------------------------------------------------------------ state files -- */

/* Layout of a file: the head; the numbers; a check sum of each column; the columns. */
#define HY_STATE_MAGIC "HYLA\x1as\r\n"
#define HY_STATE_ORDER UINT64_C(0x0102030405060708)
enum { HY_STATE_VERSION = 2, HY_STATE_HEAD = 128 };

/* The head as it is in the file, in HY_STATE_HEAD bytes. */
struct hy_state_head {
  char magic[8];
  uint64_t order; /* shows the byte order */
  int64_t version, type, rows, cols, lower, numbers;
  uint64_t origin;
  int64_t columns, block;
  uint64_t numbers_sum, spare[3];
  uint64_t sum; /* check sum of everything before it */
};

#endif
