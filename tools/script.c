/* hyla suite, plot, report: runs the scripts of benchmarks/, which are installed with hyla.  They
 * are looked for in HYLA_SCRIPTS, which env.sh of a build tree sets, then relative to this program,
 * so that a moved tree still works, then at the place of installation. */
#include "script.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *arguments;
} scripts[] = {{"suite", "[GROUP...]"}, {"plot", "FILE..."}, {"report", "FILE..."}};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

const char *script_name(int i) { return i >= 0 && i < SCRIPTS ? scripts[i].name : NULL; }

void script_usage(FILE *stream) {
  fprintf(stream, "Scripts, without mpiexec:");
  for (int i = 0; i < SCRIPTS; i++)
    fprintf(stream, "%s hyla %s %s", i > 0 ? "," : "", scripts[i].name, scripts[i].arguments);
  fprintf(stream, "\n");
}

/* Finds this program's path and folder. */
static bool find_program(char program[PATH_MAX], char folder[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  char copy[PATH_MAX];
  memcpy(copy, program, (size_t)length + 1);
  snprintf(folder, PATH_MAX, "%s", dirname(copy));
  return true;
}

/* Finds the script's path; false if it is nowhere, and path is then where it should be. */
static bool find_script(const char *name, const char *folder, char *path, size_t capacity) {
  const char *scripts_of_tree = getenv("HYLA_SCRIPTS");
  snprintf(path, capacity, "%s/%s", scripts_of_tree ? scripts_of_tree : "", name);
  if (scripts_of_tree && access(path, X_OK) == 0) return true;
  snprintf(path, capacity, "%s/../share/hyla/benchmarks/%s", folder, name);
  if (access(path, X_OK) == 0) return true;
  snprintf(path, capacity, "%s/benchmarks/%s", HY_PKGDATADIR, name);
  return access(path, X_OK) == 0;
}

/* Is the path that of a matrix rather than of records, by its ending? */
static bool is_matrix(const char *path) {
  static const char *const endings[] = {".npy",  ".mtx", ".mtx.gz", ".npz", ".h5",
                                        ".hdf5", ".mat", ".csv",    ".tsv"};
  const char *inside;
  const size_t length = (size_t)hyla_path_file(path, &inside);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t tail = strlen(endings[i]);
    if (length > tail && memcmp(path + length - tail, endings[i], tail) == 0) return true;
  }
  return false;
}

/* hyla plot draws matrices itself. */
static bool draws_matrix(int argc, char **argv) {
  bool found = false;
  for (int i = 2; i < argc && strcmp(argv[1], "plot") == 0; i++)
    found = found || is_matrix(argv[i]);
  return found;
}

const char *script_of(int argc, char **argv) {
  bool help = argc == 3 && strcmp(argv[1], "help") == 0;
  if (argc < 2 || draws_matrix(argc, argv)) return NULL;
  for (int i = 0; i < SCRIPTS; i++)
    if (strcmp(argv[help ? 2 : 1], scripts[i].name) == 0) return scripts[i].name;
  return NULL;
}

int script_run(int argc, char **argv) {
  const char *name = script_of(argc, argv);
  char program[PATH_MAX] = "", folder[PATH_MAX] = "", path[2 * PATH_MAX], help[] = "--help";
  /* The suite runs this hyla, not another one in the PATH. */
  if (find_program(program, folder)) setenv("HYLA", program, 0);
  if (!find_script(name, folder, path, sizeof path)) {
    fprintf(stderr, "hyla %s: there is no %s; run benchmarks/%s of the source\n", name, path, name);
    return EXIT_USE;
  }
  if (strcmp(argv[1], name) != 0) argv[2] = help;
  argv[1] = path;
  execv(path, argv + 1);
  fprintf(stderr, "hyla %s: %s cannot be run: %s\n", name, path, strerror(errno));
  return EXIT_USE;
}
