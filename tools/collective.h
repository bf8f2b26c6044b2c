/* One collective by one variant, with its results; for simulate and bench. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H 1

#include "trace.h"

/* One measured collective. */
struct outcome {
  const char *op; /* simulate or bench */
  struct run *run;
  char choice[32]; /* the planner's among all measured variants; "": only one is measured */
  hyla_collective_result result;
  int64_t transmissions[HYLA_DIMS_MAX + 1]; /* exchange: messages of a node, by their number */
  int dims;
  int nodes;            /* that take part */
  const char *network;  /* simulate: the network of all of these; NULL: the cube */
  hyla_machine machine; /* the simulated one; in bench the ports for which the variant is made */
  bool given;           /* named, or given by ports, so variants do not bring their own ports */
  bool simulated;
  double median, least, most; /* seconds or virtual time */
  double *times;              /* bench: one for each run, owned; then the same sorted */
  double *mpi;                /* the same for MPI's own operation, after each of the runs */
  bool has_mpi;               /* MPI has such an operation */
  hyla_report report;         /* of the latest simulation */
  struct trace trace;         /* of the latest simulation, if it is asked for */
  json_t *plan;               /* of the latest simulation, owned; NULL unless it is printed */
};

/* Collective.  Sets the machine of the options, or one with a start and a word of one unit each on
 * the links of a cube. */
hyla_status collective_machine(struct outcome *o);
/* hyla simulate collective --name active-ranks. */
int simulate_active_ranks(struct run *run);
/* hyla simulate collective --name jacobi-sweep. */
int simulate_sweep(struct run *run);

/* On rank 0, nothing on others: prints one variant's outcome; or that one of all does not apply. */
void collective_print(const struct outcome *o);
void collective_refused(const struct outcome *o, const char *message);

#endif
