/* hyla_embed_comm: the ranks of a cube, renumbered as a mesh, a torus or a tree. */
#include "cube/link.h"
#include "hyla_lab.h"

#include <string.h>

/* ---------------------------------------------------------------- meshes -- */

/* Points are numbered with the last axis fastest, as MPI numbers Cartesian topologies. */
static void describe_mesh(const hyla_embedding *e, const int64_t *point,
                          struct hy_topology *topology) {
  int64_t number = 0;
  topology->axes = e->axes;
  topology->closed = e->closed || e->kind == HYLA_TORUS;
  for (int i = 0; i < e->axes; i++) {
    number = number * e->side[i] + point[i];
    topology->side[i] = (int)e->side[i];
  }
  topology->place = (int)number;
}

/* ----------------------------------------------------------------- trees -- */

/* first_of: the number of a tree's first node.  apart_in: the distance between consecutive
 * numbers. */
static int64_t first_of(const hyla_embedding *e) { return e->kind >= HYLA_TREE_CONTRACTED; }
static int64_t apart_in(const hyla_embedding *e) { return e->kind == HYLA_TREE_CONTRACTED ? 2 : 1; }

static void add_neighbour(const hyla_embedding *e, int64_t v, struct hy_topology *topology) {
  topology->neighbour[topology->neighbours++] = (int)((v - first_of(e)) / apart_in(e));
}

/* Adds the parent, then the children in the order of their numbers. */
static void describe_tree(const hyla_embedding *e, int64_t v, struct hy_topology *topology) {
  int64_t parent = hyla_embed_parent(e, v), last = first_of(e) + (e->points - 1) * apart_in(e);
  topology->place = (int)((v - first_of(e)) / apart_in(e));
  if (parent >= 0) add_neighbour(e, parent, topology);
  for (int64_t u = first_of(e); u <= last; u += apart_in(e))
    if (hyla_embed_parent(e, u) == v) add_neighbour(e, u, topology);
}

/* ---------------------------------------------------------------- public -- */

static uint64_t fingerprint_of(const hyla_embedding *e) {
  uint64_t fingerprint = hy_fingerprint(0, &e->kind, sizeof e->kind);
  fingerprint = hy_fingerprint(fingerprint, &e->closed, sizeof e->closed);
  fingerprint = hy_fingerprint(fingerprint, &e->axes, sizeof e->axes);
  return hy_fingerprint(fingerprint, e->side, sizeof e->side);
}

/* Checks the arguments and measures the embedding in a copy, *e. */
static hyla_status check(hyla_cube *cube, const hyla_embedding *embedding, const MPI_Comm *comm,
                         hyla_embedding *e) {
  struct hy_base *base = &cube->base;
  *e = (hyla_embedding){0};
  CHECK(base, embedding != NULL && comm != NULL, ARGUMENT,
        "the embedding or the place for the communicator is NULL");
  e->kind = embedding->kind;
  e->closed = embedding->closed;
  e->axes = embedding->axes;
  for (int i = 0; i < e->axes && i < HYLA_EMBED_AXES; i++) e->side[i] = embedding->side[i];
  CHECK(base, hyla_embed(e) == HYLA_OK, ARGUMENT, "%s", e->message);
  CHECK(base, cube->sides.count == 0, UNSUPPORTED,
        "an embedding needs a cube, not the array of %u x %u nodes; give the option array \"cube\"",
        cube->sides.rows, cube->sides.cols);
  CHECK(base, e->dims <= cube->dims, ARGUMENT,
        "the embedding wants a cube of %d dimensions, and this one has %d", e->dims, cube->dims);
  CHECK(base, cube->network.link != NULL && cube->network.link->kind->renumber != NULL, UNSUPPORTED,
        "a virtual cube has no communicators");
  return HYLA_OK;
}

/* Makes the communicator on all ranks, or keeps it on none. */
static hyla_status make(hyla_cube *cube, const struct hy_topology *topology, MPI_Comm *comm) {
  struct hy_link *link = cube->network.link;
  MPI_Comm numbered = MPI_COMM_NULL, made = MPI_COMM_NULL;
  hyla_status status = hy_agree(cube, link->kind->renumber(link, topology->place, &numbered));
  if (status == HYLA_OK)
    status = hy_agree(cube, link->kind->connect(link, topology, numbered, &made));
  link->kind->release(&numbered, cube->network.broken);
  if (status == HYLA_OK)
    *comm = made;
  else
    link->kind->release(&made, cube->network.broken);
  return status;
}

hyla_status hyla_embed_comm(hyla_cube *cube, const hyla_embedding *embedding, MPI_Comm *comm) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_embedding e;
  hyla_status mine = check(cube, embedding, comm, &e);
  TRY(hy_enter(cube, mine, fingerprint_of(&e), "hyla_embed_comm"));
  struct hy_topology topology = {.place = -1};
  int64_t point[HYLA_EMBED_AXES];
  if (cube->address >= 0 && hyla_embed_point(&e, cube->address, point)) {
    if (e.kind >= HYLA_TREE_INORDER)
      describe_tree(&e, point[0], &topology);
    else
      describe_mesh(&e, point, &topology);
  }
  return make(cube, &topology, comm);
}

hyla_status hyla_embed_comm_f(hyla_cube *cube, const hyla_embedding *embedding, MPI_Fint *comm) {
  MPI_Comm made = MPI_COMM_NULL;
  hyla_status status = hyla_embed_comm(cube, embedding, comm != NULL ? &made : NULL);
  if (status == HYLA_OK) *comm = hy_link_handle(made);
  return status;
}
