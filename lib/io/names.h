/* Private to this folder: the names of the matrices in a file that holds several, for a user who
 * has named none of them or a wrong one. */
#ifndef HY_IO_NAMES_H
#define HY_IO_NAMES_H 1

#include "io/io.h"

enum { HY_IO_NAMES = 64 }; /* that are kept */

struct hy_io_names {
  int count;
  bool more;                         /* there are names that are not kept */
  const char *name[HY_IO_NAMES + 1]; /* ends with NULL */
  char text[HY_IO_NAMES][HY_IO_NAME];
};

/* Local.  Adds a name of `length' characters, if it is not too long. */
void hy_io_names_add(struct hy_io_names *names, const char *name, int64_t length);

/* Local.  A kind of file, and what it holds: "an HDF5 file", "dataset". */
struct hy_io_holder {
  const char *file, *what;
};
/* FORMAT: no matrix has this name; the message tells those that there are. */
hyla_status hy_io_names_missing(const struct hy_io_file *file, const struct hy_io_names *names,
                                const struct hy_io_holder *holder, const char *name);
/* The only name, which is copied to `own'; FORMAT if there is none, or more than one. */
hyla_status hy_io_names_only(const struct hy_io_file *file, const struct hy_io_names *names,
                             const struct hy_io_holder *holder, char own[HY_IO_NAME]);

#endif
