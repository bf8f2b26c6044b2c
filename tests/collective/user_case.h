/* Collectives on users' buffers, compared with MPI's on the same ranks: the buffers, subcubes,
 * runs. */
#ifndef USER_CASE_H
#define USER_CASE_H 1

#include "cube/cube.h"
#include "hyla_collective.h"
#include "tests/harness/harness.h"

enum { MEMBERS = 16, COUNT_MAX = 40, BYTES_MAX = 16, ROOM = MEMBERS * COUNT_MAX * BYTES_MAX };

/* given: the data that are sent, and a copy of them; got: the library's result; want: MPI's. */
extern hyla_cube *cube;
extern unsigned char given[ROOM], kept[ROOM], got[ROOM], want[ROOM];

int set_up(void **state);
int tear_down(void **state);

/* A subcube as MPI has it; the caller owns its communicator. */
struct ground {
  uint32_t apart;
  MPI_Comm comm;
  int me, ranks;
};
struct ground make_ground(uint32_t apart);

void fill(void);
/* Runs the plan without taking memory, and frees it.  in_place: this many bytes of the data that
 * are sent stand in `got', from `at' on; 0: none, they are all in `given'. */
void run_at(hyla_plan *plan, size_t at, size_t in_place);
void run(hyla_plan *plan, size_t in_place);
void compare(void);
/* MPI's exchange, into `want': each rank x gets `one' bytes if out[x], and sends as many if
 * in[x]. */
void by_blocks(const struct ground *g, size_t one, const bool *out, const bool *in);
/* x := a x + b, composed: associative, not commutative, modulo 2^32; for hyla, and for MPI. */
void compose(void *into, const void *from, int64_t count, const void *arg);
void compose_mpi(void *from, void *into, int *count, MPI_Datatype *type);

#endif
