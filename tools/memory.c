/* Memory for output.  One rank alone builds results from many small pieces.  If it cannot allocate
 * one, the job ends; otherwise a result would have gaps, or the other ranks would wait for this
 * one. */
#include "speaker.h"
#include "tool.h"

#include <stdlib.h>
#include <unistd.h>

_Noreturn void memory_end(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (take_turn(rank))
    dprintf(STDERR_FILENO, "hyla: out of memory: there is no room for the result\n");
  abort_job();
}

void *memory_take(size_t bytes) {
  void *block = malloc(bytes);
  if (!block) memory_end();
  return block;
}

void memory_watch(void) { json_set_alloc_funcs(memory_take, free); }
