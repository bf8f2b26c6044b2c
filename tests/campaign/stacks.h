/* Of failing.so: from where calls are made. */
#ifndef CAMPAIGN_STACKS_H
#define CAMPAIGN_STACKS_H 1

/* Notes that a call, of that number, is made from here; not for two threads at once. */
void stacks_note(long call, const char *name);
/* Adds a line to a file for each stack of return addresses: the rank, the numbers of its first,
 * second and last call (0: it made one call alone), how many it made, the call's name. */
void stacks_write(const char *path, int rank);

#endif
