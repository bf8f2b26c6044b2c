/* hyla SUBCOMMAND --help, which fits a terminal, and hyla help, which tells everything. */
#include "options.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 24, COLUMNS = 80, NAMES_WIDTH = 28, TEXT_WIDTH = COLUMNS - 1 - NAMES_WIDTH };

/* Writes "-o, --output=FILE". */
static void name_option(const struct argp_option *option, char *name, size_t size) {
  char letter[8] = "    ";
  if (option->key > 0 && option->key < KEY_FIRST)
    snprintf(letter, sizeof letter, "-%c, ", option->key);
  snprintf(name, size, "  %s--%s%s%s", letter, option->name, option->arg ? "=" : "",
           option->arg ? option->arg : "");
}

/* Prints the beginning of an option's text; the rest is for the manual. */
static void print_option(const struct argp_option *option) {
  char name[COLUMNS];
  int length = (int)strcspn(option->doc, ";:(,");
  while (length > 0 && option->doc[length - 1] == ' ') length--;
  name_option(option, name, sizeof name);
  if (strlen(name) >= NAMES_WIDTH) { /* too long: leave out its argument */
    char *equals = strchr(name, '=');
    if (equals) snprintf(equals, sizeof name - (size_t)(equals - name), "=...");
  }
  printf("%-*s %.*s\n", NAMES_WIDTH, name, length < TEXT_WIDTH ? length : TEXT_WIDTH, option->doc);
}

/* Prints the names of one group's options behind its title, in full lines. */
static void print_names(const char *title, const struct grammar *grammar, int group) {
  const struct argp_option *option = NULL;
  int column = printf("%s", title);
  for (int i = 0; (option = option_at(grammar, i)); i++) {
    if (!option->name || option->group != group) continue;
    char name[COLUMNS];
    name_option(option, name, sizeof name);
    const char *text = name + strspn(name, " ");
    int length = (int)strlen(text) + 1;
    if (column + length >= COLUMNS) column = printf("\n ") - 1;
    column += printf(" %s", text);
  }
  printf("\n");
}

/* The options of a group; 0: of all groups. */
static int count_options(const struct grammar *grammar, int group) {
  const struct argp_option *option = NULL;
  int count = 0;
  for (int i = 0; (option = option_at(grammar, i)); i++)
    count += option->name && (group == 0 || option->group == group);
  return count;
}

/* Prints "Usage: hyla bench OPERATION [OPTION...]". */
static void print_usage(const char *name, const struct grammar *grammar) {
  bool operations = strchr(grammar->usage, '|') != NULL;
  printf("Usage: %s %s [OPTION...]\n", name, operations ? "OPERATION" : grammar->usage);
}

void help_short(const char *name, const struct grammar *grammar) {
  const bool grouped = count_options(grammar, 0) + 8 > LINES;
  const struct argp_option *option = NULL;
  print_usage(name, grammar);
  print_paragraph(NULL, "%.*s", (int)strcspn(grammar->text, "\v"), grammar->text);
  if (grouped) {
    print_names("Operations on matrices:", grammar, OF_MATRICES);
    if (count_options(grammar, OF_COLLECTIVES) > 0)
      print_names("Collectives:", grammar, OF_COLLECTIVES);
    if (count_options(grammar, OF_TRAFFIC) > 0) print_names("Traffic:", grammar, OF_TRAFFIC);
    if (count_options(grammar, OF_RUNS) > 0) print_names("One variant's run:", grammar, OF_RUNS);
    printf("All operations:\n");
  }
  for (int i = 0; (option = option_at(grammar, i)); i++)
    if (option->name && (!grouped || option->group == OF_ALL || option->group == OF_COMMON))
      print_option(option);
  for (int i = 0; options_of_all[i].name; i++) print_option(&options_of_all[i]);
  const char *word = name + strlen("hyla ");
  printf("More: hyla help %s, hyla help --OPTION, man hyla-%s\n", word, word);
}

/* ---- topics ---- */

static const struct topic {
  const char *name, *text;
} topics[] = {
    {"files", "Files are Matrix Market (.mtx, array or coordinate, also compressed by gzip) and\n"
              "NumPy (.npy), and tables (.csv, .tsv, .txt; a line of names may come first);\n"
              "read, they are known by their first bytes, written, by the name's ending.\n"
              "FILE.npz:NAME is a member of an archive, FILE.h5:/DATASET a dataset in an\n"
              "HDF5 file, FILE.mat:/NAME a variable of MATLAB's (version 4, 5, 7.3);\n"
              "written, these are HDF5, and the rest of the file stays.  - is standard input,\n"
              "or standard output as Matrix Market; -.npy, -.csv, ... say another format.\n"
              "A file is written under another name first, and is there whole or not at all.\n"
              "A file that is read is replaced only with --force.\n"},
    {"environment", "HYLA_VARIANT, HYLA_COLLECTIVE, HYLA_MACHINE, HYLA_WISDOM, HYLA_THREADS,\n"
                    "HYLA_MEMORY, HYLA_TIMEOUT, HYLA_NETWORK, HYLA_ARRAY, HYLA_LOG and HYLA_TRACE\n"
                    "are read; "
                    "man hyla says what each does.\n"},
    {"ranks", "mpiexec -n RANKS, the launcher of the MPI that hyla was built with, starts the\n"
              "ranks, any number of them: 2^d form a cube, others an array of rows and\n"
              "columns.  HYLA_ARRAY=cube takes the largest cube; the other ranks are idle.\n"
              "simulate, explain and layout take virtual cubes and need no ranks.\n"},
    {"variants", "An operation has several variants, algorithms of different papers; hyla info\n"
                 "lists them.  The planner takes the one predicted to be the fastest on these\n"
                 "ranks; --explain says why, --variant=NAME asks for one, hyla explain needs no\n"
                 "ranks and bench --variant=all times each.\n"},
};
enum { TOPICS = sizeof topics / sizeof *topics };

/* Prints an option of all subcommands that have it, each text once. */
static bool print_option_topic(const char *word, bool speaks) {
  const struct subcommand *subcommand = NULL;
  const struct argp_option *option = NULL;
  const char *before = NULL;
  for (int s = 0; (subcommand = subcommand_at(s)); s++)
    for (int i = 0; (option = option_at(subcommand->grammar, i)); i++) {
      if (!option->name || strcmp(option->name, word) != 0) continue;
      if (speaks && (!before || strcmp(before, option->doc) != 0)) {
        printf("--%s%s%s, of hyla %s%s:\n", word, option->arg ? "=" : "",
               option->arg ? option->arg : "", subcommand->name, before ? "" : " and others");
        print_paragraph("", "%s", option->doc);
      }
      before = option->doc;
    }
  return before != NULL;
}

/* Lists the names of all options, each once. */
static int list_options(const char *names[], int most) {
  const struct subcommand *subcommand = NULL;
  const struct argp_option *option = NULL;
  int count = 0;
  for (int s = 0; (subcommand = subcommand_at(s)); s++)
    for (int i = 0; (option = option_at(subcommand->grammar, i)) && count < most; i++) {
      int known = 0;
      while (known < count && option->name && strcmp(names[known], option->name) != 0) known++;
      if (option->name && known == count) names[count++] = option->name;
    }
  return count;
}

static void refuse_topic(const char *topic) {
  enum { NAMES = 128 };
  const char *names[NAMES + 1] = {NULL};
  char meant[MEANT_TEXT] = "";
  int count = 0;
  if (strncmp(topic, "--", 2) == 0) {
    list_options(names, NAMES);
    const char *nearest = hyla_name_nearest(topic + 2, names);
    if (nearest) snprintf(meant, sizeof meant, " (did you mean `--%s'?)", nearest);
  } else {
    for (int i = 0; i < TOPICS; i++) names[count++] = topics[i].name;
    for (int i = 0; count < NAMES && subcommand_at(i); i++) names[count++] = subcommand_at(i)->name;
    meant_text(topic, names, meant);
  }
  fprintf(stderr,
          "hyla help: there is no topic `%s'%s; give a subcommand, an option as --layout, files, "
          "environment, ranks or variants\n",
          topic, meant);
}

bool help_topic(const char *topic, bool speaks) {
  for (int i = 0; i < TOPICS; i++) {
    if (strcmp(topics[i].name, topic) != 0) continue;
    if (speaks) fputs(topics[i].text, stdout);
    return true;
  }
  for (int i = 0; subcommand_at(i); i++) {
    if (strcmp(subcommand_at(i)->name, topic) != 0) continue;
    if (speaks) options_print_all(subcommand_at(i)->grammar, topic);
    return true;
  }
  if (strncmp(topic, "--", 2) == 0 && print_option_topic(topic + 2, speaks)) return true;
  if (speaks) refuse_topic(topic);
  return false;
}
