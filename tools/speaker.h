/* Which rank prints when ranks can agree on nothing more, and how the job then ends. */
#ifndef SPEAKER_H
#define SPEAKER_H 1

#include <stdbool.h>

/* This rank's number, which launchers tell before MPI does; -1 without a launcher. */
int launched_rank(void);
/* May this rank print why the job ends?  Rank 0 may at once, another rank after the ranks before
 * it; on one host the first rank that asks has the word until it ends.  A rank that was stopped, or
 * that the launcher is ending, comes last.  False: another rank prints, and has had the time to end
 * the job. */
bool take_turn(int rank);
/* Does another rank of this host have the word?  Answers at once, unless this rank was stopped. */
bool is_told(void);
/* Ends the job with EXIT_USE once the output has passed the launcher.  This rank ends within a
 * second, even if MPI waits for a launcher that cannot be reached. */
_Noreturn void abort_job(void);
/* Waits until the output has passed.  The launcher drops lines that it has not passed on when the
 * job ends; and ranks that ask for their turn later find the word taken. */
void let_pass(void);
/* From now on SIGCONT stays pending until a rank asks for its turn.  Call before any thread. */
void speaker_prepare(void);

#endif
