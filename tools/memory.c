/* Memory for what is printed.  Results are put together from many small pieces, by one rank alone;
 * where a piece cannot be had the job ends, in place of a result with gaps or of ranks that wait
 * for this one. */
#include "tool.h"
#include "word.h"

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
