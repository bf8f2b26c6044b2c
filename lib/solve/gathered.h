/* Private to lib/solve: the columns of a matrix, each rank's rows of them all on the ranks that
 * hold the same rows. */
#ifndef HY_GATHERED_H
#define HY_GATHERED_H 1

#include "solve/solve.h"

struct hy_gathered {
  const struct hy_group *group; /* an all-gather over the dimensions of the columns */
  const hyla_matrix *m;
  int64_t *offsets; /* members + 1; set by run */
  char *data;       /* all columns, member by member */
};

/* Collective over the group; not agreed. */
hyla_status hy_gathered_run(const struct hy_gathered *g);
/* Local.  Where a column is, once they have been gathered. */
const char *hy_gathered_column(const struct hy_gathered *g, int64_t column);

#endif
