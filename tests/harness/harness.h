/* CMocka under MPI.
 *
 * A test program is written once and run at the rank counts that a comment line
 * of its own in its source names; without such a line it is one process without
 * MPI and calls harness_run_serial.  The whole of a program tests/base/test_sum.c:
 *
 *   // ranks: 1 3 4 5 8
 *   // sample: 1 3 4          of these, unless HYLA_TEST_FULL is set
 *   // arrays: 2x3 5x1        further runs, on 6 and 5 ranks, with HYLA_ARRAY
 *   // alone: 1               no other test runs beside it
 *   #include "tests/harness/harness.h"
 *
 *   static void ranks_count_themselves(void **state) {
 *     (void)state;
 *     int one = (int)harness_draw(1, 9), sum = 0;
 *     harness_note("one = %d", one);
 *     harness_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM);
 *     assert_int_equal(sum, one * harness_ranks());
 *   }
 *
 *   int main(void) {
 *     const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_count_themselves)};
 *     return harness_run(tests, sizeof tests / sizeof *tests);
 *   }
 *
 * and in tests/base/Makefile.inc:
 *
 *   check_PROGRAMS += tests/base/test_sum
 *   TESTS += tests/base/test_sum
 *   tests_base_test_sum_LDADD = $(HARNESS)
 *
 * All of CMocka's asserts may be used on any rank.  After each test the ranks
 * gather their verdicts; equal failures are printed once, with the ranks, the
 * file and line, and the test goes on with the next function.  When one rank
 * fails while others sit in a collective, or when a rank hangs, crashes or leaves, the verdicts so
 * far are printed after a short grace and the run is aborted.  The exit status is the same on all
 * ranks.
 *
 * Whoever writes behind the end of a block of hy_alloc or of a window is told when
 * the block is freed, and the program is aborted.
 *
 * `make check` runs the programs; by hand, in the build directory:
 *   ../tests/run tests/base/test_sum                   all its rank counts
 *   mpiexec -n 3 tests/base/test_sum                   one of them
 * Environment:
 *   HYLA_SEED         seed of harness_draw (default 1)
 *   HYLA_TEST_RANKS   rank counts instead of the source's
 *   HYLA_TEST_ONLY    runs only the tests whose name contains this text
 *   HYLA_TEST_FULL    1: every case of the products that tests go through else in
 *                     samples, without time limits; 2/5: the second of five parts
 *   HYLA_TEST_HALF    0 or 1: of these only one half. tests/run sets it on 6 ranks and more, and
 *                     where a program on cubes (harness_on_a_cube) runs both on 2 and 3 ranks, or
 *                     on 4 and 5
 *   HYLA_TEST_UNTIL   the second (date +%s) after which a program that begins goes through its
 *                     samples alone, in spite of HYLA_TEST_FULL
 *   HYLA_TEST_PATIENCE  by which time limits are multiplied, on a slow or busy machine (1)
 *   HYLA_TEST_LIMIT   seconds after which one test function counts as hanging (90)
 *   HYLA_TEST_GRACE   seconds that a failed rank waits for the others (5)
 *   HYLA_TEST_WRAPPER a command put before the program, such as valgrind, under which
 *                     samples are a third as large
 *   MPIEXEC           the launcher
 *   MPIEXEC_TIMEOUT   seconds for a whole run at one rank count (120); a comment
 *                     line "// limit: 120" in the source replaces the default
 */
#ifndef HARNESS_H
#define HARNESS_H 1

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpi.h>

/* Runs the tests one after the other and returns main's exit status. */
int harness_run(const struct CMUnitTest *tests, size_t count);
int harness_run_serial(const struct CMUnitTest *tests, size_t count);

/* Called before harness_run: the ranks' cubes are the largest ones, of 2^d nodes, where HYLA_ARRAY
 * does not say otherwise. */
void harness_on_a_cube(void);

/* This process' number and the number of processes, in MPI_COMM_WORLD; 0 and 1 without MPI. */
int harness_rank(void);
int harness_ranks(void);

/* A number from low to high, both included.  The stream starts anew with each
 * test function, from HYLA_SEED and the function's name: all ranks draw the same. */
int64_t harness_draw(int64_t low, int64_t high);

/* The current case (printf style), printed with a failure. */
void harness_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The sizes to try against p parts: 0, 1, p-1, p, p+1 and the first prime above 2p, each once.
 * Returns their number. */
#define HARNESS_SIZES 6
int harness_sizes(int p, int64_t sizes[HARNESS_SIZES]);

/* MPI's barrier, broadcast and allreduce over MPI_COMM_WORLD.  Tests call these, because MPICH's
 * own spin, which costs milliseconds a call if ranks share a core. */
void harness_finish(MPI_Request *request); /* completes a non-blocking call of MPI */
void harness_wait(int polls);              /* waits a little, longer after more polls; polls counts
                                            * from 0 */
void harness_barrier(void);
void harness_broadcast(void *data, int count, MPI_Datatype type, int root);
void harness_allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op);

/* The part that HYLA_TEST_FULL asks for: 1: all cases, part 1 of 1; I/N: part I of N, from 1;
 * false: a sample. */
bool harness_part(int64_t *part, int64_t *parts);

/* Is there a wrapper under which everything takes many times as long?  Then fewer cases are drawn:
 * a wrapper finds its errors in any case that takes the same path. */
bool harness_slowed(void);
/* `count' drawn cases, or a third of them under a wrapper. */
int harness_few(int count);

/* The cases, out of `count', that a test goes through: all with HYLA_TEST_FULL=1; with
 * HYLA_TEST_FULL=I/N every N-th from the I-th on, so that N runs together go through all; with
 * HYLA_TEST_HALF besides, those of them whose number has an even number of ones, or an odd one.
 * Otherwise `few' cases, from a drawn one on, in a step that has no common factor with `count'. */
struct harness_walk {
  int64_t count, at, step, left;
  int half; /* -1: both */
};
struct harness_walk harness_walk(int64_t count, int64_t few);
/* The next case; false after the last one. */
bool harness_next(struct harness_walk *walk, int64_t *index);

#endif
