/* One collective, by one variant, and what came of it; for simulate and bench. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H 1

#include "trace.h"

/* One collective, measured. */
struct outcome {
  const char *op; /* simulate or bench */
  struct run *run;
  char choice[32]; /* the planner's, among all that are measured; "": one alone is */
  hyla_collective_result result;
  int64_t transmissions[HYLA_DIMS_MAX + 1]; /* of an exchange: messages of a node, by how many */
  int dims;
  hyla_machine machine; /* simulated; of bench the ports that the variant is for */
  bool given;           /* it is by ports or name, so that variants do not bring theirs */
  bool simulated;
  double median, least, most; /* seconds or virtual time */
  double *times;              /* of bench, one a run, owned; then the same by value; */
  double *mpi;                /* likewise MPI's own, each after one of the runs */
  bool has_mpi;               /* MPI has such an operation */
  hyla_report report;         /* of the latest simulation */
  struct trace trace;         /* likewise, when it is asked for */
  json_t *plan;               /* of the latest, owned; NULL unless it is to be printed */
};

/* The machine in its options, or a start and a word of one unit each, on the links of a cube.
 * Collective. */
hyla_status collective_machine(struct outcome *o);
/* hyla simulate collective --name active-ranks. */
int simulate_active_ranks(struct run *run);

/* On rank 0, nothing on others: one variant's outcome; one of all that does not apply. */
void collective_print(const struct outcome *o);
void collective_refused(const struct outcome *o, const char *message);

#endif
