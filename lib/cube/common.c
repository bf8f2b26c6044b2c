/* Objects that all nodes of a simulated cube would make alike, made once for all of them. */
#include "cube/link.h"

void *hy_common(const hyla_cube *cube, uint64_t number) {
  struct hy_link *link = cube->link;
  return link != NULL && link->kind->common != NULL ? link->kind->common(link, number) : NULL;
}

bool hy_common_keep(hyla_cube *cube, uint64_t number, void *thing, hy_end *end) {
  struct hy_link *link = cube->link;
  return link != NULL && link->kind->common_keep != NULL &&
         link->kind->common_keep(link, number, thing, end);
}
