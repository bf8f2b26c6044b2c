/* Private to this folder: what layout.c, layout_text.c and scalapack.c share. */
#ifndef HY_LAYOUT_H
#define HY_LAYOUT_H 1

#include "matrix/matrix.h"

/* An axis on the cube dimensions low ... low+dims-1, in that order. */
hyla_axis hy_layout_axis(hyla_code code, hyla_storage storage, int64_t block, int low, int dims);
/* Does an axis lie on the dimensions low, low + 1, ...? */
bool hy_layout_runs_from(const hyla_axis *axis, int low);

#endif
