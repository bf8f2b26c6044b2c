/* The scripts that are run as subcommands. */
#ifndef TOOL_SCRIPT_H
#define TOOL_SCRIPT_H 1

#include "tool.h"

#include <stdio.h>

enum { SCRIPT_NONE = -1 };

/* Becomes the script that the first argument names, or `help' its second, before MPI is there;
 * returns SCRIPT_NONE where it names none, an exit code where that cannot be run. */
int script_run(int argc, char **argv);

/* The i-th script's name, NULL behind the last; a line for each, as the subcommands have. */
const char *script_name(int i);
void script_usage(FILE *stream);

#endif
