/* Collectives on users' buffers beside MPI's on the same ranks: the buffers, subcubes, runs. */
#ifndef USER_CASE_H
#define USER_CASE_H 1

#include "cube/cube.h"
#include "harness.h"
#include "hyla_collective.h"

enum { MEMBERS = 16, COUNT_MAX = 40, BYTES_MAX = 16, ROOM = MEMBERS * COUNT_MAX * BYTES_MAX };

/* given: what is sent, and kept as it was; got by the library, and by MPI as it is wanted. */
extern hyla_cube *cube;
extern unsigned char given[ROOM], kept[ROOM], got[ROOM], want[ROOM];

int set_up(void **state);
int tear_down(void **state);

/* A subcube as MPI has it; its communicator is the caller's. */
struct ground {
  uint32_t apart;
  MPI_Comm comm;
  int me, ranks;
};
struct ground make_ground(uint32_t apart);

void fill(void);
/* Runs the plan without taking memory, and frees it.  in_place: so many bytes of what is given
 * stand in `got', from `at' on; 0: none, as they are in `given'. */
void run_at(hyla_plan *plan, size_t at, size_t in_place);
void run(hyla_plan *plan, size_t in_place);
void compare(void);
/* MPI's exchange, into `want': of each rank x `one' bytes if `out' says so, and as much from it if
 * `in' does. */
void by_blocks(const struct ground *g, size_t one, const bool *out, const bool *in);

#endif
