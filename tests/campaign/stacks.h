/* Part of failing.so: the places that make calls. */
#ifndef CAMPAIGN_STACKS_H
#define CAMPAIGN_STACKS_H 1

/* Notes that the call of this number is made here; not for two threads at once. */
void stacks_note(long call, const char *name);
/* Adds a line to a file for each stack of return addresses: the rank, the numbers of its first,
 * second and last call (0: there was no second one), the number of its calls, and the call's
 * name. */
void stacks_write(const char *path, int rank);

#endif
