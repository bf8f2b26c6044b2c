/* Ranks numbered anew for meshes, tori and trees: each rank's place and neighbours, according to
 * MPI, are those of the embedding; refusals; if one rank fails, no rank keeps a communicator. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "cube/cube.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <string.h>

static hyla_cube *cube;

static int set_up(void **state) {
  (void)state;
  return hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) != HYLA_OK;
}

static int tear_down(void **state) {
  (void)state;
  return hyla_cube_destroy(&cube) != HYLA_OK;
}

static const hyla_embedding guests[] = {
    {.kind = HYLA_MESH_NAIVE, .axes = 1, .side = {1}},
    {.kind = HYLA_MESH_NAIVE, .axes = 1, .side = {2}},
    {.kind = HYLA_MESH_NAIVE, .axes = 2, .side = {2, 3}},
    {.kind = HYLA_MESH_NAIVE, .axes = 3, .side = {2, 2, 2}},
    {.kind = HYLA_MESH_NAIVE, .axes = 2, .side = {2, 4}, .closed = true},
    {.kind = HYLA_TORUS, .axes = 1, .side = {3}},
    {.kind = HYLA_TORUS, .axes = 1, .side = {6}},
    {.kind = HYLA_TORUS, .axes = 1, .side = {8}},
    {.kind = HYLA_MESH_FOLD, .axes = 2, .side = {1, 3}},
    {.kind = HYLA_MESH_STEP, .axes = 2, .side = {2, 3}},
    {.kind = HYLA_MESH_COMPRESSION, .axes = 2, .side = {2, 3}},
    {.kind = HYLA_MESH_COMPRESSION, .axes = 2, .side = {2, 3}, .closed = true},
    {.kind = HYLA_TREE_INORDER, .axes = 1, .side = {1}},
    {.kind = HYLA_TREE_INORDER, .axes = 1, .side = {2}},
    {.kind = HYLA_TREE_INORDER, .axes = 1, .side = {3}},
    {.kind = HYLA_TREE_GRAY, .axes = 1, .side = {3}},
    {.kind = HYLA_TREE_CONTRACTED, .axes = 1, .side = {3}},
    {.kind = HYLA_TREE_HEAP, .axes = 1, .side = {2}},
};
enum { GUESTS = sizeof guests / sizeof *guests };

static bool is_tree(const hyla_embedding *e) { return e->kind >= HYLA_TREE_INORDER; }

/* The cube node of a rank of the communicator. */
static int node_of(MPI_Comm comm, int rank) {
  MPI_Group here, world;
  int node = -1;
  MPI_Comm_group(comm, &here);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(here, 1, &rank, world, &node);
  MPI_Group_free(&here);
  MPI_Group_free(&world);
  return node;
}

static int distance(int a, int b) { return hy_popcount((uint32_t)(a ^ b)); }

/* Coordinates and neighbours along each axis, according to MPI. */
static void check_mesh(const hyla_embedding *e, MPI_Comm comm, int rank, const int64_t *point) {
  int side[HYLA_EMBED_AXES], closed[HYLA_EMBED_AXES], place[HYLA_EMBED_AXES], axes = 0;
  assert_int_equal(MPI_Cartdim_get(comm, &axes), MPI_SUCCESS);
  assert_int_equal(axes, e->axes);
  MPI_Cart_get(comm, axes, side, closed, place);
  for (int i = 0; i < axes; i++) {
    int before = -1, after = -1;
    int64_t next[HYLA_EMBED_AXES];
    assert_int_equal(side[i], e->side[i]);
    assert_int_equal(closed[i] != 0, e->closed || e->kind == HYLA_TORUS);
    assert_int_equal(place[i], point[i]);
    memcpy(next, point, sizeof next);
    next[i] = closed[i] ? (point[i] + 1) % e->side[i] : point[i] + 1;
    MPI_Cart_shift(comm, i, 1, &before, &after);
    assert_true((after == MPI_PROC_NULL) == (next[i] == e->side[i]));
    if (after == MPI_PROC_NULL) continue;
    assert_int_equal(node_of(comm, after), hyla_embed_node(e, next));
    assert_true(distance(node_of(comm, rank), node_of(comm, after)) <= e->dilation);
  }
}

/* The parent and the children of a node; each rank receives all neighbours' numbers. */
static void check_tree(const hyla_embedding *e, MPI_Comm comm, int rank, int64_t v) {
  int in = 0, out = 0, weighted = 0, sources[3] = {0}, targets[3] = {0}, heard[3] = {-1, -1, -1};
  int64_t parent = hyla_embed_parent(e, v), other = 0;
  int first = parent >= 0;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  assert_in_range(in, 0, 3);
  assert_int_equal(in, out);
  MPI_Dist_graph_neighbors(comm, in, sources, MPI_UNWEIGHTED, out, targets, MPI_UNWEIGHTED);
  for (int i = 0; i < in; i++) {
    assert_int_equal(sources[i], targets[i]);
    assert_true(hyla_embed_point(e, node_of(comm, sources[i]), &other));
    if (i < first)
      assert_int_equal(other, parent);
    else
      assert_int_equal(hyla_embed_parent(e, other), v);
    if (i > first) assert_true(sources[i - 1] < sources[i]);
  }
  int64_t children = 0;
  for (int64_t u = 0; u < INT64_C(1) << e->side[0]; u++) children += hyla_embed_parent(e, u) == v;
  assert_int_equal(in - first, children);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, heard, 1, MPI_INT, comm);
  for (int i = 0; i < in; i++) assert_int_equal(heard[i], sources[i]);
}

static void check_guest(hyla_embedding e, int dims) {
  MPI_Comm comm = MPI_COMM_SELF;
  assert_int_equal(hyla_embed(&e), HYLA_OK);
  hyla_status status = hyla_embed_comm(cube, &e, &comm);
  if (e.dims > dims) {
    assert_int_equal(status, HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), "dimensions"));
    assert_true(comm == MPI_COMM_SELF);
    return;
  }
  assert_int_equal(status, HYLA_OK);
  int64_t point[HYLA_EMBED_AXES] = {0};
  bool placed = cube->address >= 0 && hyla_embed_point(&e, cube->address, point);
  assert_true(placed == (comm != MPI_COMM_NULL));
  if (!placed) return;
  int rank = -1, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  assert_int_equal(ranks, e.points);
  assert_int_equal(node_of(comm, rank), cube->address);
  if (is_tree(&e))
    check_tree(&e, comm, rank, point[0]);
  else
    check_mesh(&e, comm, rank, point);
  MPI_Comm_free(&comm);
}

static void guests_lie_as_their_embeddings_say(void **state) {
  (void)state;
  for (int i = 0; i < GUESTS; i++) {
    harness_note("guest %d", i);
    check_guest(guests[i], hyla_cube_dims(cube));
  }
}

static void a_handle_is_that_of_the_communicator(void **state) {
  (void)state;
  const MPI_Fint none = MPI_Comm_c2f(MPI_COMM_NULL);
  MPI_Fint handle = MPI_Comm_c2f(MPI_COMM_SELF);
  assert_int_equal(hyla_embed_comm_f(cube, &guests[0], &handle), HYLA_OK);
  assert_true((handle == none) == (cube->address != 0));
  if (handle == none) return;
  MPI_Comm comm = MPI_Comm_f2c(handle);
  int axes = 0;
  MPI_Cartdim_get(comm, &axes);
  assert_int_equal(axes, guests[0].axes);
  MPI_Comm_free(&comm);
}

static void what_cannot_be_is_refused_by_all(void **state) {
  (void)state;
  MPI_Comm comm = MPI_COMM_SELF;
  hyla_embedding bad = {.kind = HYLA_MESH_FOLD, .axes = 2, .side = {1, 4}};
  assert_int_equal(hyla_embed_comm(cube, &bad, &comm), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "power of two already"));
  assert_int_equal(hyla_embed_comm(cube, NULL, &comm), HYLA_ARGUMENT);
  assert_int_equal(hyla_embed_comm(cube, &guests[0], NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_embed_comm(NULL, &guests[0], &comm), HYLA_ARGUMENT);
  assert_int_equal(hyla_embed_comm_f(cube, &guests[0], NULL), HYLA_ARGUMENT);
  hyla_embedding mine = guests[harness_rank() == 0 ? 0 : 1];
  hyla_status wanted = harness_ranks() == 1 ? HYLA_OK : HYLA_MISMATCH;
  assert_int_equal(hyla_embed_comm(cube, &mine, &comm), wanted);
  if (wanted == HYLA_OK) MPI_Comm_free(&comm);
}

/* ------------------------------------------------------------- failures -- */

/* MPI's own calls, counted; the failing one fails after all ranks have taken part. */
enum call { NONE, SPLIT, CART, GRAPH };
static struct {
  enum call fails; /* the call that fails on this rank */
  int made, freed;
} mpi;

static int note(enum call call, int code, MPI_Comm *comm) {
  if (code != MPI_SUCCESS || *comm == MPI_COMM_NULL) return code;
  if (mpi.fails == call) {
    PMPI_Comm_free(comm);
    return MPI_ERR_OTHER;
  }
  mpi.made++;
  return code;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  return note(SPLIT, PMPI_Comm_split(comm, color, key, made), made);
}

int MPI_Cart_create(MPI_Comm comm, int axes, const int side[], const int closed[], int reorder,
                    MPI_Comm *made) {
  return note(CART, PMPI_Cart_create(comm, axes, side, closed, reorder, made), made);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int from[], const int from_weight[],
                                   int out, const int to[], const int to_weight[], MPI_Info info,
                                   int reorder, MPI_Comm *made) {
  int code = PMPI_Dist_graph_create_adjacent(comm, in, from, from_weight, out, to, to_weight, info,
                                             reorder, made);
  return note(GRAPH, code, made);
}

int MPI_Comm_free(MPI_Comm *comm) {
  mpi.freed++;
  return PMPI_Comm_free(comm);
}

static void nothing_stays_where_one_rank_fails(void **state) {
  (void)state;
  enum { TRIALS = 12 };
  for (int trial = 0; trial < TRIALS; trial++) {
    enum call fails =
        SPLIT + trial % (hyla_cube_dims(cube) > 0 ? 3 : 2); /* a tree needs two nodes */
    hyla_embedding e = {.kind = HYLA_MESH_NAIVE, .axes = 1, .side = {hyla_cube_nodes(cube)}};
    if (fails == GRAPH) e = (hyla_embedding){.kind = HYLA_TREE_INORDER, .axes = 1, .side = {1}};
    MPI_Comm comm = MPI_COMM_SELF;
    int last = fails == GRAPH ? 0 : hyla_cube_nodes(cube) - 1;
    mpi.fails = harness_rank() == (int)harness_draw(0, last) ? fails : NONE;
    mpi.made = mpi.freed = 0;
    harness_note("trial %d", trial);
    assert_int_equal(hyla_embed_comm(cube, &e, &comm), HYLA_COMMUNICATION);
    assert_true(comm == MPI_COMM_SELF);
    assert_int_equal(mpi.made, mpi.freed);
    mpi.fails = NONE;
    assert_int_equal(hyla_embed_comm(cube, &e, &comm), HYLA_OK);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    assert_int_equal(mpi.made, mpi.freed);
  }
}

static hyla_status on_a_virtual_cube(hyla_cube *virtual, void *arg) {
  (void)arg;
  MPI_Comm comm = MPI_COMM_SELF;
  return hyla_embed_comm(virtual, &guests[0], &comm);
}

static void virtual_cubes_have_no_communicators(void **state) {
  (void)state;
  const hyla_simulation simulation = {.dims = 1, .alpha = 1, .beta = 1};
  hyla_report report;
  assert_int_equal(hyla_simulate(&simulation, on_a_virtual_cube, NULL, &report), HYLA_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(guests_lie_as_their_embeddings_say, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_handle_is_that_of_the_communicator, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_be_is_refused_by_all, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_stays_where_one_rank_fails, set_up, tear_down),
      cmocka_unit_test(virtual_cubes_have_no_communicators),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
