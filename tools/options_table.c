/* The options of each subcommand as argp wants them: lists, from which subcommands are composed. */
#include "operation.h"
#include "options.h"

const struct argp_option options_of_all[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", OF_COMMON},
    {"help", 'h', NULL, 0, "Print this text", OF_COMMON},
    {"usage", KEY_USAGE, NULL, 0, "Print the usage in short", OF_COMMON},
    {0}};

const struct argp_option options_of_progress[] = {
    {"progress", KEY_PROGRESS, NULL, 0,
     "Show progress on standard error also where that is no terminal (under mpiexec it never is)",
     OF_COMMON},
    {0}};

const struct argp_option options_of_report[] = {
    {"explain", KEY_EXPLAIN, NULL, 0,
     "Print all that is known: the plan and every other variant, the traffic, all errors",
     OF_COMMON},
    {0}};

#define DELIMITER                                                                                  \
  {                                                                                                \
    "delimiter", KEY_DELIMITER, "CHARACTER", 0,                                                    \
        "What stands between the numbers of tables, as , or ; or the words tab and blank "         \
        "(default: found in the first row)",                                                       \
        OF_ALL                                                                                     \
  }

const struct argp_option options_of_plot[] = {
    {"output", 'o', "FILE.svg", 0, "Write a picture too", OF_ALL}, {0}};

const struct argp_option options_of_input[] = {DELIMITER, {0}};

const struct argp_option options_of_files[] = {
    {"output", 'o', "FILE", 0,
     "Write the result: .mtx (Matrix Market), .npy (NumPy), .csv, .tsv or .txt (tables), "
     "FILE.h5:/DATASET (HDF5), or - (standard output, as -.npy for a format)",
     OF_ALL},
    DELIMITER,
    {"force", KEY_FORCE, NULL, 0,
     "Let the result replace a file that is read; for solve and invert: write X even if it cannot "
     "be trusted",
     OF_ALL},
    {"variant", KEY_VARIANT, "NAME", 0,
     "Use this variant, as `hyla info' lists them; auto (the default) picks the fastest that "
     "applies",
     OF_ALL},
    {"layout", KEY_LAYOUT, "LAYOUT", 0,
     "How matrices lie on the cube: CODE/STORAGE[:BLOCK][@RxC], as in gray/cyclic:64@2x4, with "
     "CODE binary or gray, STORAGE consecutive or cyclic; one for rows and columns or two, "
     "separated by a comma; `hyla layout' shows them, and its manual page has all forms",
     OF_ALL},
    {0}};

const struct argp_option options_of_methods[] = {
    {"method", KEY_METHOD, "METHOD", 0,
     "How A is factored (default lu, but solve and invert look at A and choose; solve also takes "
     "`triangular', which factors nothing)",
     OF_MATRICES},
    {0}};

const struct argp_option options_of_refinement[] = {
    {"refine", KEY_REFINE, "none|fixed|mixed|extended|mixed-extended", 0,
     "How X is improved; fixed: by residuals in the precision of X, until they are of the order of "
     "the roundoff; mixed: with A factored in half the precision, where that suffices; extended: "
     "by residuals in twice the precision, until X is wrong by rounding alone; mixed-extended: "
     "both (default: none, but fixed for gauss-jordan)",
     OF_MATRICES},
    {"equilibrate", KEY_EQUILIBRATE, NULL, 0,
     "Scale the rows and columns of A first, by powers of two, if their largest entries differ "
     "very much in size",
     OF_MATRICES},
    {"quick", KEY_QUICK, NULL, 0,
     "Judge X by its residual alone: without condition, bounds of errors and refinement",
     OF_MATRICES},
    {"report", KEY_REPORT, "short|full", 0,
     "full: the true condition too, by A's singular values, which takes several times as long",
     OF_MATRICES},
    {0}};

const struct argp_option options_of_factors[] = {
    {"lower", KEY_LOWER, "FILE", 0,
     "Write L: .mtx (Matrix Market), .npy (NumPy), .csv, .tsv or .txt (tables), or "
     "FILE.h5:/DATASET (HDF5)",
     OF_ALL},
    {"upper", KEY_UPPER, "FILE", 0, "Write U; by cholesky it is L's conjugate transpose", OF_ALL},
    {"pivots", KEY_PIVOTS, "FILE", 0,
     "Write P as a vector of integers, .npy: row i of P A is row p[i] of A, counted from 0",
     OF_ALL},
    {"force", KEY_FORCE, NULL, 0, "Let a result replace the file that is read", OF_ALL},
    {"variant", KEY_VARIANT, "NAME", 0,
     "Use this variant, as `hyla info' lists them; auto (the default) picks the fastest", OF_ALL},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How A and its factors lie, as in gray/cyclic:64@2x4",
     OF_ALL},
    {0}};

const struct argp_option options_of_spectra[] = {
    {"values", KEY_VALUES, "FILE", 0, "Write the eigenvalues as a vector, .npy", OF_ALL},
    {"triangle", KEY_TRIANGLE, "lower|upper", 0, "The triangle of A that is read (default lower)",
     OF_MATRICES},
    {"range", KEY_RANGE, "I:J", 0,
     "Only values number I to J, in ascending order, counted from 0, both included", OF_MATRICES},
    {"interval", KEY_INTERVAL, "LO:HI", 0,
     "Only values above LO up to HI; without LO or HI, the ends of the spectrum", OF_MATRICES},
    {"no-vectors", KEY_NO_VECTORS, NULL, 0, "Find values alone, which takes less time",
     OF_MATRICES},
    {"type", KEY_PENCIL, "1|2|3", 0,
     "With B: A x = w B x (1, the default), A B x = w x (2), or B A x = w x (3)", OF_MATRICES},
    {0}};

const struct argp_option options_of_singular[] = {
    {"left", KEY_LEFT, "FILE", 0,
     "Write U: .mtx (Matrix Market), .npy (NumPy), or FILE.h5:/DATASET (HDF5)", OF_ALL},
    {"values", KEY_VALUES, "FILE", 0, "Write the singular values as a vector, .npy", OF_ALL},
    {"right", KEY_RIGHT, "FILE", 0, "Write V^H", OF_ALL},
    {"no-vectors", KEY_NO_VECTORS, NULL, 0, "Find values alone, which takes less time",
     OF_MATRICES},
    {"method", KEY_DECOMPOSITION, "bidiagonal|jacobi", 0,
     "By bidiagonal form, or by rotations; the planner chooses among the method's variants",
     OF_MATRICES},
    {"accuracy", KEY_ACCURACY, "normal|high", 0,
     "high: small values to many digits, however A's columns are scaled, by rotations",
     OF_MATRICES},
    DELIMITER,
    {"force", KEY_FORCE, NULL, 0, "Let a result replace the file that is read", OF_ALL},
    {"variant", KEY_VARIANT, "NAME", 0,
     "Use this variant, as `hyla info' lists them; auto (the default) picks the fastest", OF_ALL},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How A and its vectors lie, as in gray/cyclic:64@2x4",
     OF_ALL},
    {0}};

const struct argp_option options_of_squares[] = {
    {"method", KEY_PIVOTING, "auto|qr|pivoted", 0,
     "Pivot columns where the condition asks for it (auto, the default), never, or always", OF_ALL},
    {"rcond", KEY_RCOND, "T", 0,
     "The least part of the first pivot that counts (default max(m, n) ulp)", OF_ALL},
    {"extended", KEY_EXTENDED, NULL, 0, "Refine X with residuals in twice the precision", OF_ALL},
    {0}};

const struct argp_option options_of_lowrank[] = {
    {"rank", KEY_RANK, "K", 0, "The columns of Q; with --tolerance the most", OF_ALL},
    {"tolerance", KEY_TOLERANCE, "T", 0, "As many columns as |A - Q B| <= T |A| takes", OF_ALL},
    {"power", KEY_POWER, "N", 0,
     "Products with A A^H before columns are chosen (default 0); 1 or 2 where singular values fall "
     "slowly",
     OF_ALL},
    {"seed", KEY_SEED, "S", 0, "Seed of the random products (default 0)", OF_ALL},
    {"left", KEY_LEFT, "FILE", 0,
     "Write Q: .mtx (Matrix Market), .npy (NumPy), or FILE.h5:/DATASET (HDF5)", OF_ALL},
    {"right", KEY_RIGHT, "FILE", 0, "Write B", OF_ALL},
    DELIMITER,
    {"force", KEY_FORCE, NULL, 0, "Let a result replace the file that is read", OF_ALL},
    {"variant", KEY_VARIANT, "NAME", 0,
     "Use this variant of qr, as `hyla info' lists them; auto (the default) picks the fastest",
     OF_ALL},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How A and the factors lie, as in gray/cyclic:64@2x4",
     OF_ALL},
    {0}};

const struct argp_option options_of_multiply[] = {
    {"as", KEY_AS, "PRODUCT", 0,
     "The product: gemm (the default), A B; symm, hemm: A is symmetric, Hermitian; trmm: A "
     "is triangular; syrk, herk: A times its transpose, without B",
     OF_MATRICES},
    {0}};

const struct argp_option options_of_triangles[] = {
    {"side", KEY_SIDE, "left|right", 0, "Where A stands: symm, hemm, trmm, trsm (left)",
     OF_MATRICES},
    {"triangle", KEY_TRIANGLE, "lower|upper", 0,
     "The triangle of A that is read (default lower); for syrk, herk: the one of C that is "
     "computed",
     OF_MATRICES},
    {"transpose", KEY_TRANSPOSE, NULL, 0,
     "Take the transpose of A (trmm, trsm, gemv); for syrk, herk: multiply A's transpose by A",
     OF_MATRICES},
    {"op", KEY_OP, "n|t|c", 0,
     "trmm, trsm, gemv: A as it is (n, the default), transposed (t) or conjugated too (c); ger: y "
     "transposed (t) or conjugated too (c)",
     OF_MATRICES},
    {0}};

const struct argp_option options_of_systems[] = {
    {"diagonal", KEY_DIAGONAL, "non-unit|unit", 0,
     "How the diagonal of A is taken: it is read (non-unit, the default), or stands for ones and "
     "is not read",
     OF_MATRICES},
    {"alpha", KEY_FACTOR, "RE[,IM]", 0, "Multiply B by this number (default 1)", OF_MATRICES},
    {0}};

const struct argp_option options_of_wisdom[] = {
    {"measure", KEY_MEASURE, NULL, 0,
     "Choose by running (for products: the variants predicted to be the fastest)", OF_MATRICES},
    {"wisdom", KEY_WISDOM, "FILE", 0,
     "Choose by earlier measurements (for products); with --measure, add to them", OF_MATRICES},
    {0}};

const struct argp_option options_of_parts[] = {{"collective", KEY_COLLECTIVE, "NAME=VARIANT,...", 0,
                                                "The variants of the collectives inside, as in "
                                                "broadcast=sw90-3a,allgather=b91; see hyla info",
                                                OF_MATRICES},
                                               {0}};

const struct argp_option options_of_bits[] = {
    {"reproducible", KEY_REPRODUCIBLE, NULL, 0,
     "Compute the same bits on any number of ranks and in any layout, by the variants called "
     "fixed, which take longer; lu and cholesky: without refinement",
     OF_MATRICES},
    {"verify", KEY_VERIFY, NULL, 0,
     "Detect bits that change during the run: in messages, and, by sums over rows that correct one "
     "wrong entry, in products and in factors of lu and cholesky; the check at the end stays",
     OF_MATRICES},
    {0}};

const struct argp_option options_of_states[] = {
    {"checkpoint", KEY_CHECKPOINT, "DIR", 0,
     "Write the state of the factorization to this folder now and then, and go on from a state of "
     "this matrix that is there; for lu and cholesky",
     OF_MATRICES},
    {"every", KEY_EVERY, "SECONDS", 0,
     "Least time from one state to the next (default 600); 0: one after each panel", OF_MATRICES},
    {0}};

const struct argp_option options_of_target[] = {
    {"to", KEY_TO, "LAYOUT", 0, "How the result lies on the cube", OF_ALL},
    {"band", KEY_BAND, "W", 0,
     "The matrix is a band: entry (i, j) of n x n is 0 where W < |i - j| < n - W", OF_ALL},
    {0}};

const struct argp_option options_of_types[] = {
    {"type", KEY_TYPE, "s|d|c|z", 0, "Type of the entries of the result (default: as A's)", OF_ALL},
    {0}};

const struct argp_option options_of_transpose[] = {
    {"conjugate", KEY_CONJUGATE, NULL, 0, "Take the conjugate too", OF_ALL}, {0}};

const struct argp_option options_of_turn[] = {
    {"to", KEY_TO, "LAYOUT", 0, "How the result lies on the cube", OF_ALL},
    {"by", KEY_BY, "TURN", 0, "left (the default) or right, a quarter turn, or half, a half turn",
     OF_ALL},
    {0}};

const struct argp_option options_of_problems[] = {
    {NULL, 0, NULL, 0, "Operations on matrices:", OF_MATRICES},
    {"pencil", KEY_PENCIL, "T", 0, "eig: 1 A x = w B x, 2 A B x = w x, 3 B A x = w x", OF_MATRICES},
    {"no-vectors", KEY_NO_VECTORS, NULL, 0, "eig: values alone", OF_MATRICES},
    {"size", KEY_SIZE, "SIZE", 0,
     "N, MxN or, of gemm, MxNxK; bench takes several, 500,1e3 or FIRST:LAST:STEP", OF_MATRICES},
    {"type", KEY_TYPE, "s|d|c|z", 0, "Type of the entries (default d)", OF_MATRICES},
    {"method", KEY_METHOD, "NAME", 0, "invert, solve: how (default lu)", OF_MATRICES},
    {"nrhs", KEY_NRHS, "R", 0,
     "solve, lstsq, methods: how many right-hand sides (default 1; for methods 0: a factorization "
     "alone)",
     OF_MATRICES},
    {"dense", KEY_DENSE, "C/R", 0, "transpose: all but columns C, rows R is 0: 3,9/1", OF_MATRICES},
    {"band", KEY_BAND, "W", 0,
     "convert, transpose: entry (i, j) of the n x n matrix is 0 where W < |i - j| < n - W",
     OF_MATRICES},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How the matrices lie, as in gray/cyclic:64@2x4",
     OF_MATRICES},
    {"to", KEY_TO, "LAYOUT", 0,
     "convert, transpose, turn: layout of the result; trsm: layout of B and X, if not as A",
     OF_MATRICES},
    {"conjugate", KEY_CONJUGATE, NULL, 0, "transpose: take the conjugate too", OF_MATRICES},
    {"by", KEY_BY, "TURN", 0, "turn: left (default) or right, a quarter; or half", OF_MATRICES},
    {NULL, 0, NULL, 0, "Collectives:", OF_COLLECTIVES},
    {"name", KEY_NAME, "NAME", 0,
     "The collective, as `hyla info' lists them; simulate also takes active-ranks, "
     "jacobi-sweep",
     OF_COLLECTIVES},
    {"words", KEY_WORDS, "M", 0,
     "Words of 8 bytes in a message (default 1000), or several: 1,8,64 or FIRST:LAST:STEP",
     OF_COLLECTIVES},
    {"root", KEY_ROOT, "NODE", 0, "Node where it starts or ends (default 0)", OF_COLLECTIVES},
    {"distance", KEY_DISTANCE, "N", 0,
     "Distance from a single sender to its receiver (default: the opposite corner); exchange: K-L, "
     "with nodes at these distances alone; v92-band, band-*: b + 1, for a band of 2^(b+1) + 1; "
     "window: its dimensions; rotate-*: the places",
     OF_COLLECTIVES},
    {"active", KEY_ACTIVE, "N", 0,
     "partial, active-ranks: how many nodes have a message, or which ones, as 1,3,6 (default: "
     "all); permute with one sender: 2, its receiver sends back",
     OF_COLLECTIVES},
    {"lost", KEY_LOST, "A-B", 0,
     "Links that must not be crossed, by their two nodes, as 0-1,5-7; in simulate they lose every "
     "message.  permute by paths goes round them",
     OF_COLLECTIVES},
    {"tags", KEY_TAGS, "T", 0, "exchange: only nodes whose XOR is one of these", OF_COLLECTIVES},
    {"partition", KEY_PARTITION, "X", 0,
     "exchange by multiphase: the dimensions of each phase, as 2,3,1", OF_COLLECTIVES},
    {NULL, 0, NULL, 0, "All operations:", OF_ALL},
    {"variant", KEY_VARIANT, "NAME", 0,
     "Use this variant; auto (the default) picks the fastest; all takes each in turn", OF_ALL},
    {0}};

const struct argp_option options_of_simulate[] = {
    {"machine", KEY_MACHINE, "NAME|FILE", 0,
     "The machine, by name or file (default: the times of these ranks; for collectives 1 on cube "
     "links)",
     OF_ALL},
    {"packets", KEY_PACKETS, "Q", 0, "jacobi-sweep: packets of a block (default 1)",
     OF_COLLECTIVES},
    {"gamma", KEY_GAMMA, "TIME", 0, "Time of an operation on real numbers of 8 bytes", OF_MATRICES},
    {"dims", KEY_DIMS, "D", 0, "Dimensions of the cube (default 4)", OF_ALL},
    {"network", KEY_NETWORK, "KIND:SIDES", 0,
     "In place of --dims: all nodes of a network, as torus:4x6, line:7 or folded:6 (default: the "
     "machine's)",
     OF_ALL},
    {"ranks", KEY_RANKS, "P", 0, "In place of --dims: a switch", OF_MATRICES},
    {"array", KEY_ARRAY, "RxC|auto|cube", 0, "The nodes' rows and columns", OF_MATRICES},
    {"dry", KEY_DRY, NULL, 0, "Counts and times without data, for large cubes", OF_ALL},
    {"ports", KEY_PORTS, "one|all", 0,
     "Links a node uses at once (default: the machine's, or what a collective's paper assumes, or "
     "all)",
     OF_ALL},
    {"alpha", KEY_ALPHA, "TIME", 0, "Time to start a packet", OF_ALL},
    {"beta", KEY_BETA, "TIME", 0,
     "Time of a word of 8 bytes (default: 1 for collectives, else the machine's); csr: control",
     OF_ALL},
    {NULL, 0, NULL, 0, "One variant's run:", OF_RUNS},
    {"trace", KEY_TRACE, "FILE", 0,
     "Write what each node computed, waited for and sent, for trace viewers (Perfetto)", OF_RUNS},
    {"svg", KEY_SVG, "FILE", 0, "Draw a space-time diagram with its critical path", OF_RUNS},
    {"cube-svg", KEY_CUBE_SVG, "FILE", 0,
     "Draw the cube, up to 5 dimensions, with the load of each link, and the messages step by step",
     OF_RUNS},
    {"schedule", KEY_SCHEDULE, "FILE", OPTION_ARG_OPTIONAL,
     "Write each message and what it waits for, see hyla-schedule(5); without FILE to standard "
     "output, in place of the table",
     OF_RUNS},
    {0}};

const struct argp_option options_of_traffic[] = {
    {NULL, 0, NULL, 0, "Traffic:", OF_TRAFFIC},
    {"scheme", KEY_SCHEME, "NAME", 0, "How packets are routed", OF_TRAFFIC},
    {"buffers", KEY_BUFFERS, "K", 0, "Packets that wait at a link, or inf (default 0)", OF_TRAFFIC},
    {"access", KEY_ACCESS, "P0", 0, "Chance of a new packet at a link (default 1)", OF_TRAFFIC},
    {"load", KEY_LOAD, "RHO", 0, "Part of the time that packets keep links busy", OF_TRAFFIC},
    {"retry", KEY_RETRY, "QR", 0, "Of csr: chance of another try (default: none)", OF_TRAFFIC},
    {"prefix", KEY_PREFIX, "TP", 0, "Slots of a hop of a prefix (default 0)", OF_TRAFFIC},
    {"whole", KEY_WHOLE, NULL, 0, "Of broadcasts: packets are not split", OF_TRAFFIC},
    {"pattern", KEY_PATTERN, "uniform|opposite", 0, "Where packets go", OF_TRAFFIC},
    {"slots", KEY_SLOTS, "T", 0, "Slots (default 100000); 0: formulas alone", OF_TRAFFIC},
    {"seed", KEY_SEED, "S", 0, "Seed of the drawn numbers (default 0)", OF_TRAFFIC},
    {0}};

const struct argp_option options_of_bench[] = {
    {"alpha", KEY_ALPHA, "SECONDS", 0, "Time to start a packet, for the choice", OF_COLLECTIVES},
    {"beta", KEY_BETA, "SECONDS", 0,
     "Time of a word, for the choice (default for both: the machine's)", OF_COLLECTIVES},
    {"network", KEY_NETWORK, "KIND:SIDES|all", 0,
     "All ranks take part, also where they are no power of two: on the fastest of the line, array "
     "and torus shapes (all), or on a network of as many nodes, as torus:2x3 (default: "
     "HYLA_NETWORK; all, where ranks are no power of two and no option asks for a cube's)",
     OF_COLLECTIVES},
    {"repeat", KEY_REPEAT, "R", 0, "How many runs count (default 5)", OF_ALL},
    {0}};

const struct argp_option options_of_explain[] = {
    {"alpha", KEY_ALPHA, "SECONDS", 0, "Time to start a packet", OF_COLLECTIVES},
    {"beta", KEY_BETA, "SECONDS", 0, "Time of a word (default for both: the machine's)",
     OF_COLLECTIVES},
    {"ranks", KEY_RANKS, "P", 0, "Number of ranks (default 4)", OF_ALL},
    {"array", KEY_ARRAY, "RxC|auto|cube", 0,
     "The ranks as rows x columns, as 2x3; cube: the largest cube; auto: what is predicted to be "
     "the "
     "fastest (default: auto, where P is no power of two)",
     OF_MATRICES},
    {"machine", KEY_MACHINE, "NAME|FILE", 0,
     "For which machine, as `hyla machine' writes it (default: HYLA_MACHINE)", OF_ALL},
    {"bound", KEY_BOUND, NULL, 0, "Print also the time that no variant can beat", OF_COLLECTIVES},
    {"network", KEY_NETWORK, "KIND:SIDES", 0,
     "On a network that is no cube: line:7, ring:7, array:7x7, torus:4x6x6 or folded:6; each "
     "variant with its closed form, and its steps counted",
     OF_COLLECTIVES},
    {"counts", KEY_COUNTS, "C", 0,
     "With --network: the words of each node's block, as 3,1,4, in place of --words; scatter, "
     "gather, allgather and reduce-scatter",
     OF_COLLECTIVES},
    {"schedule", KEY_SCHEDULE, "FILE", OPTION_ARG_OPTIONAL,
     "With --network: write the packets of the fastest variant, or of --variant, as a text from "
     "which the time can be computed again, see hyla-schedule(5); without FILE to standard output",
     OF_COLLECTIVES},
    {"svg", KEY_SVG, "FILE", 0,
     "With --network: draw the way of the block of --root's node, on arrays and tori of one or two "
     "axes",
     OF_COLLECTIVES},
    {"phases", KEY_PHASES, NULL, 0,
     "exchange: print instead the best phases of a multiphase exchange over circuits, by the "
     "length of a message, and the best of all partitions for --words",
     OF_COLLECTIVES},
    {"load", KEY_LOAD, "RHO", 0,
     "Rank the variants by their times among other packets at random, which keep the links busy "
     "for "
     "this part of the time, also with --network",
     OF_COLLECTIVES},
    {"seed", KEY_SEED, "S", 0, "With --load: seed of the drawn numbers (default 0)",
     OF_COLLECTIVES},
    {"memory", KEY_MEMORY, "BYTES", 0,
     "Say whether it fits, if each rank may take BYTES, as 64G, its part of the matrices included",
     OF_MATRICES},
    {0}};

const struct argp_option options_of_layout[] = {
    {"size", KEY_SIZE, "MxN", 0, "Rows and columns of the matrix; with --embed the sides or levels",
     OF_ALL},
    {"dims", KEY_DIMS, "D", 0, "Dimensions of the cube (default 4)", OF_ALL},
    {"ranks", KEY_RANKS, "P", 0, "In place of --dims: the nodes of any number of ranks", OF_ALL},
    {"array", KEY_ARRAY, "RxC", 0, "The nodes as rows x columns, as 2x3", OF_ALL},
    {"layout", KEY_LAYOUT, "LAYOUT", 0,
     "How the matrix lies on the cube, as in gray/cyclic:2@4x4 (default: that of a new matrix)",
     OF_ALL},
    {"svg", KEY_SVG, "FILE", 0, "Draw the matrix and the cube", OF_ALL},
    {"embed", KEY_EMBED, "KIND", 0,
     "Instead of a matrix, show how a mesh of --size lies on a cube: naive, torus, fold, step, "
     "compression; or a tree of --size levels: inorder, inorder-gray, contracted, heap, "
     "heap-complement; sizes may follow, as in torus:5x9x3; or graph:FILE, the graph of a matrix' "
     "entries; or blocks:8,4,4, the blocks of a matrix on 8, 4 and 4 nodes; or paths:0,6, the "
     "paths between these two nodes of --dims dimensions that meet nowhere else",
     OF_ALL},
    {"closed", KEY_CLOSED, NULL, 0,
     "The sides of the mesh are closed, as a torus' are, whatever the kind", OF_ALL},
    {"network", KEY_NETWORK, "KIND:SIDES", 0,
     "Instead of a matrix, show a network: line:7, ring:7, array:4x6, torus:4x6, cube:5, folded:6; "
     "or one that is drawn, with its seed: pseudo:8/3, permutation:8/3, symmetric:8/3, "
     "enhanced:8/3, matched:8/3",
     OF_ALL},
    {"distances", KEY_DISTANCES, "SEEDS", 0,
     "With --network: instead, the mean distances of this many drawn networks of each size",
     OF_ALL},
    {"exchanges", KEY_EXCHANGES, "SEEDS", 0,
     "With --network: instead, the slots of a total exchange on this many drawn networks of each "
     "size",
     OF_ALL},
    {"permutations", KEY_PERMUTATIONS, "NAMES", 0,
     "With --network enhanced: instead, draw until one serves all these permutations soon: "
     "reversal, complement, transpose, shuffle, rotate:I",
     OF_ALL},
    {"codes", KEY_CODES, "N", 0,
     "Instead of a matrix, show how a Gray code of N bits becomes a binary one", OF_ALL},
    {0}};

const struct argp_option options_of_machine[] = {
    {"output", 'o', "FILE", 0, "Write the machine file, or the table", OF_ALL},
    {"repeat", KEY_REPEAT, "R", 0, "How often each figure is measured, up to 1000 (default 5)",
     OF_ALL},
    {"scalapack", KEY_SCALAPACK, "LIBRARY", OPTION_ARG_OPTIONAL,
     "Instead, measure from which size each routine is faster by the drop-in than by this "
     "ScaLAPACK "
     "(default: the one with which hyla was built)",
     OF_ALL},
    {"budget", KEY_BUDGET, "SECONDS", 0, "With --scalapack: the time to take (default 300)",
     OF_ALL},
    {"type", KEY_TYPE, "s|d|c|z", 0,
     "With --scalapack: this type alone (default d and z, whose sizes s and c take)", OF_ALL},
    {0}};

const struct argp_option options_of_generate[] = {
    {"list", KEY_LIST, NULL, 0, "List all kinds and their known properties", OF_ALL},
    {"size", KEY_SIZE, "SIZE", 0, "N or, for kinds with rectangles, MxN", OF_ALL},
    {"type", KEY_TYPE, "s|d|c|z", 0, "Type of the entries (default d)", OF_ALL},
    {"seed", KEY_SEED, "S", 0, "Seed of random kinds (default 0)", OF_ALL},
    {"output", 'o', "FILE", 0,
     "Write the matrix: .mtx (Matrix Market), .npy (NumPy), .csv, .tsv or .txt (tables), "
     "FILE.h5:/DATASET (HDF5), or - (standard output, as -.npy for a format)",
     OF_ALL},
    {"layout", KEY_LAYOUT, "LAYOUT", 0, "How the matrix lies on the cube, as in gray/cyclic:64@2x4",
     OF_ALL},
    {0}};
