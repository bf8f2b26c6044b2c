/* Compares the words of the command line over all ranks.  With different words one rank could fail,
 * or print its help and end, while the others wait for it. */
#include "speaker.h"
#include "tool.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The number of ranks that a launcher has started, according to its environment; 0 without a
 * launcher.  PMIx alone tells only this rank's number. */
static long launched_ranks(void) {
  static const char *const names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
  if (launched_rank() < 0) return 0;
  for (int i = 0; i < 3; i++) {
    const char *text = getenv(names[i]);
    if (text) return strtol(text, NULL, 10);
  }
  return LONG_MAX;
}

bool is_launched_with_others(void) { return launched_ranks() > 1; }

static bool is_number(const char *name, long number) {
  const char *text = getenv(name);
  return text && strtol(text, NULL, 10) == number;
}

/* Are all ranks on this machine, according to the launcher? */
static bool is_on_one_machine(void) {
  long ranks = launched_ranks();
  return ranks == 0 || is_number("MPI_LOCALNRANKS", ranks) ||
         is_number("OMPI_COMM_WORLD_LOCAL_SIZE", ranks) || is_number("SLURM_STEP_NUM_NODES", 1);
}

void start_light(void) {
  if (is_on_one_machine()) (void)setenv("HWLOC_COMPONENTS", "-pci,-linuxio,-gl", 0);
}

static bool needs_quotes(const char *word) { return !*word || strpbrk(word, " '") != NULL; }

/* Makes "hyla solve A.mtx 'my file.mtx'"; the caller frees it. */
static char *join_words(int argc, char **argv) {
  size_t size = sizeof "hyla";
  for (int i = 1; i < argc; i++) size += strlen(argv[i]) + sizeof " ''";
  char *text = memory_take(size), *end = text;
  end += sprintf(end, "hyla");
  for (int i = 1; i < argc; i++)
    end += sprintf(end, needs_quotes(argv[i]) ? " '%s'" : " %s", argv[i]);
  return text;
}

hyla_status words_agree(int argc, char **argv, char *why, size_t capacity) {
  char *text = join_words(argc, argv);
  hyla_status status = hyla_words_agree(MPI_COMM_WORLD, NULL, text, why, capacity);
  free(text);
  return status;
}
