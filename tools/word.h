/* Whose word it is where ranks can agree on nothing more, and how the job ends then. */
#ifndef WORD_H
#define WORD_H 1

#include <stdbool.h>

/* Which rank it is, as launchers say before MPI does; -1: none has started it. */
int launched_rank(void);
/* Is this rank to say why the job ends?  Rank 0 at once, another one after those before it; of the
 * ranks of one host the first one that asks has the word until it ends.  A rank that was stopped,
 * or that the launcher ends already, comes last.  False: another one speaks, and has had the time
 * to end the job. */
bool take_turn(int rank);
/* Does another rank of this host have the word?  At once, unless this one was stopped. */
bool is_told(void);
/* Ends the job with EXIT_USE, once what was printed has passed; this rank within a second, also
 * where MPI waits for a launcher that cannot be reached. */
_Noreturn void abort_job(void);
/* Once what was printed has passed: the launcher drops lines that it has not passed on when the job
 * ends, and ranks that do not yet wait for their turn find the word taken. */
void let_pass(void);
/* From now on SIGCONT waits until a rank asks for its turn.  Before any thread is started. */
void word_prepare(void);

#endif
