/* The scripts that run as subcommands. */
#ifndef TOOL_SCRIPT_H
#define TOOL_SCRIPT_H 1

#include "tool.h"

#include <stdio.h>

/* The script that a command line names, directly or after help; NULL: none. */
const char *script_of(int argc, char **argv);

/* Replaces this process by the script, before MPI is started; returns an exit code if that
 * fails. */
int script_run(int argc, char **argv);

/* The i-th script's name, NULL beyond the last; prints a line for each, like the subcommands'. */
const char *script_name(int i);
void script_usage(FILE *stream);

#endif
