/* The scripts that are run as subcommands. */
#ifndef TOOL_SCRIPT_H
#define TOOL_SCRIPT_H 1

#include "tool.h"

#include <stdio.h>

/* The script that a command line names, by itself or after help; NULL: none. */
const char *script_of(int argc, char **argv);

/* Becomes that script, which there is, before MPI is there; returns an exit code where it cannot be
 * run. */
int script_run(int argc, char **argv);

/* The i-th script's name, NULL behind the last; a line for each, as the subcommands have. */
const char *script_name(int i);
void script_usage(FILE *stream);

#endif
