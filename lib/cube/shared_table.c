/* Objects that all nodes of a simulated cube would make alike, made once for all of them. */
#include "cube/link.h"

void *hy_shared_table(const hyla_cube *cube, uint64_t number) {
  struct hy_link *link = cube->network.link;
  return link != NULL && link->kind->shared_table != NULL ? link->kind->shared_table(link, number)
                                                          : NULL;
}

bool hy_shared_table_keep(hyla_cube *cube, uint64_t number, void *thing, hy_end *end) {
  struct hy_link *link = cube->network.link;
  return link != NULL && link->kind->shared_table_keep != NULL &&
         link->kind->shared_table_keep(link, number, thing, end);
}
