/* Was this process started by the launcher of its own MPI?  Another MPI's launcher starts n
 * processes that do not know of each other.  Each is a world of one rank and would do all the work,
 * into the same files.  Launchers tell the number of processes in the environment. */
#include "cube/link.h"

#include <stdlib.h>

/* The environment variables by which a launcher tells the number of ranks. */
struct trace {
  const char *count;   /* the variable with the number of ranks */
  const char *rank;    /* or the variable with this rank's number */
  const char *beside;  /* counts only if this variable is set; NULL: always */
  const char *starter; /* the launcher */
};

static const struct trace traces[] = {
    {"PMI_SIZE", "PMI_RANK", NULL, "the mpiexec of MPICH or its kin"},
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", NULL, "the mpiexec of Open MPI"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_ID", "Slurm's srun"},
    {"SLURM_NTASKS", "SLURM_PROCID", "SLURM_STEP_ID", "Slurm's srun"},
    {NULL, "PMIX_RANK", NULL, "a launcher that speaks PMIx"},
};
enum { TRACES = sizeof traces / sizeof *traces };

static long number(const char *name) {
  const char *text = name != NULL ? getenv(name) : NULL;
  return text != NULL ? strtol(text, NULL, 10) : 0;
}

/* The ranks that this launcher has started, as far as they are known; 0: none. */
static long started(const struct trace *trace) {
  if (trace->beside != NULL && getenv(trace->beside) == NULL) return 0;
  if (trace->count != NULL) return number(trace->count);
  return getenv(trace->rank) != NULL ? number(trace->rank) + 1 : 0;
}

hyla_status hy_launcher_check(struct hy_base *base, int ranks, const char *library,
                              const char *launcher) {
  const struct trace *other = NULL;
  if (ranks != 1) return HYLA_OK;
  for (int i = TRACES - 1; i >= 0; i--) {
    const struct trace *trace = &traces[i];
    long count = started(trace);
    if (trace->count != NULL && count == ranks) return HYLA_OK; /* one launcher in another's job */
    if (count > ranks) other = trace;
  }
  if (other == NULL) return HYLA_OK;
  const char *name = other->count != NULL ? other->count : other->rank;
  return hy_fail(base, HYLA_ARGUMENT,
                 "%s=%s: %s has started several ranks, but MPI knows only this one; start "
                 "them with %s: hyla is built with %.40s",
                 name, getenv(name), other->starter, launcher, library);
}
