/* The machine file: "key = value" lines, times in seconds, a word for each trait.  '#' begins a
 * comment.
 *
 * Numbers have decimal points in every locale. */
#include "machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 256, PATH_SHOWN = 200 };

/* The keys of the machine's times; the first three must be given. */
static const struct {
  const char *key;
  size_t offset;
} FIGURES[] = {{"alpha", offsetof(hyla_machine, alpha)}, {"beta", offsetof(hyla_machine, beta)},
               {"gamma", offsetof(hyla_machine, gamma)}, {"delta", offsetof(hyla_machine, delta)},
               {"rho", offsetof(hyla_machine, rho)},     {"omega", offsetof(hyla_machine, omega)},
               {"mu", offsetof(hyla_machine, mu)},       {"sigma", offsetof(hyla_machine, sigma)},
               {"share", offsetof(hyla_machine, share)}};
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES, REQUIRED = 3 };

/* The keys of its traits, each with its words in the order of the enumeration. */
enum { WORDS = 2 };
static const struct trait {
  const char *key, *words[WORDS];
} TRAITS[] = {{"network", {"switch", "cube"}}, /* or the name of another one */
              {"ports", {"all", "one"}},
              {"switching", {"store", "circuit"}}};
enum { NETWORK, PORTS, SWITCHING, TRAIT_COUNT };

static double *figure(hyla_machine *machine, int i) {
  return (double *)((char *)machine + FIGURES[i].offset);
}

/* A file that is being read, and the keys that it has given so far. */
struct reader {
  struct hy_base *base;
  const char *path; /* the end of a long path */
  locale_t c_locale;
  hyla_machine machine;
  int line;
  int seen[FIGURE_COUNT]; /* the line of each key; 0: not yet */
  int told[TRAIT_COUNT];  /* likewise */
  int trait[TRAIT_COUNT]; /* the number of the trait's word */
  int named;
};

/* Cuts white space from both ends, in place. */
static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) end--;
  *end = '\0';
  return text;
}

static hyla_status check_once(const struct reader *r, const char *key, int before) {
  CHECK(r->base, before == 0, FORMAT, "%s:%d: %s has been given in line %d", r->path, r->line, key,
        before);
  return HYLA_OK;
}

static hyla_status read_name(struct reader *r, const char *value) {
  TRY(check_once(r, "name", r->named));
  r->named = r->line;
  CHECK(r->base, value[0] != '\0' && strlen(value) < sizeof r->machine.name, FORMAT,
        "%s:%d: a name has 1 to %zu characters", r->path, r->line, sizeof r->machine.name - 1);
  for (const char *c = value; *c != '\0'; c++)
    CHECK(r->base, (unsigned char)*c >= ' ' && *c != 127, FORMAT,
          "%s:%d: the name has a character that cannot be printed", r->path, r->line);
  strcpy(r->machine.name, value);
  return HYLA_OK;
}

static hyla_status read_figure(struct reader *r, int i, const char *value) {
  TRY(check_once(r, FIGURES[i].key, r->seen[i]));
  r->seen[i] = r->line;
  char *end = NULL;
  double number = strtod_l(value, &end, r->c_locale);
  CHECK(r->base, end != value && *end == '\0' && isfinite(number) && number >= 0, FORMAT,
        "%s:%d: %s is '%.40s'; give seconds from 0, as in 1.5e-6", r->path, r->line, FIGURES[i].key,
        value);
  *figure(&r->machine, i) = number;
  return HYLA_OK;
}

/* Reads "torus 4x4x2", or "torus:4x4x2".  Whether there is such a network is for rooms that know
 * networks. */
static bool read_links(struct reader *r, const char *value) {
  const size_t kind = strspn(value, "abcdefghijklmnopqrstuvwxyz");
  const char *sides = value + kind + strspn(value + kind, " \t:");
  if (kind == 0 || sides == value + kind || *sides < '0' || *sides > '9') return false;
  if (kind + 1 + strlen(sides) >= sizeof r->machine.links) return false;
  snprintf(r->machine.links, sizeof r->machine.links, "%.*s:%s", (int)kind, value, sides);
  r->trait[NETWORK] = HYLA_NETWORK_OTHER;
  return true;
}

static hyla_status read_trait(struct reader *r, int i, const char *value) {
  const struct trait *trait = &TRAITS[i];
  TRY(check_once(r, trait->key, r->told[i]));
  r->told[i] = r->line;
  if (i == NETWORK && read_links(r, value)) return HYLA_OK;
  for (int word = 0; word < WORDS; word++) {
    r->trait[i] = word;
    if (strcmp(value, trait->words[word]) == 0) return HYLA_OK;
  }
  return hy_fail(r->base, HYLA_FORMAT, "%s:%d: %s is '%.40s'; give %s or %s%s", r->path, r->line,
                 trait->key, value, trait->words[0], trait->words[1],
                 i == NETWORK ? ", or another one with its sides, as in torus 4x4x2" : "");
}

static hyla_status read_line(struct reader *r, char *line) {
  char *comment = strchr(line, '#');
  if (comment != NULL) *comment = '\0';
  char *key = trim(line);
  if (*key == '\0') return HYLA_OK;
  char *equals = strchr(key, '=');
  CHECK(r->base, equals != NULL, FORMAT, "%s:%d: there is no '='; write KEY = VALUE", r->path,
        r->line);
  *equals = '\0';
  char *value = trim(equals + 1);
  key = trim(key);
  if (strcmp(key, "name") == 0) return read_name(r, value);
  for (int i = 0; i < FIGURE_COUNT; i++)
    if (strcmp(key, FIGURES[i].key) == 0) return read_figure(r, i, value);
  for (int i = 0; i < TRAIT_COUNT; i++)
    if (strcmp(key, TRAITS[i].key) == 0) return read_trait(r, i, value);
  return hy_fail(r->base, HYLA_FORMAT,
                 "%s:%d: there is no key '%.40s'; there are name, alpha, beta, gamma, delta, rho, "
                 "omega, mu, sigma, share, network, ports and switching",
                 r->path, r->line, key);
}

/* A switch has no ports or switching to choose.  Links use all ports and store messages, unless the
 * file says otherwise. */
static hyla_status take_traits(struct reader *r) {
  const bool linked = r->trait[NETWORK] != HYLA_NETWORK_SWITCH;
  for (int i = PORTS; i <= SWITCHING; i++)
    CHECK(r->base, linked || r->told[i] == 0, FORMAT,
          "%s:%d: %s is for machines with links, as network = cube has", r->path, r->told[i],
          TRAITS[i].key);
  r->machine.network = (hyla_network)r->trait[NETWORK];
  r->machine.ports = linked ? (hyla_ports)r->trait[PORTS] : HYLA_ONE_PORT;
  r->machine.switching = linked ? (hyla_switching)r->trait[SWITCHING] : HYLA_CIRCUIT;
  return HYLA_OK;
}

static hyla_status read_lines(struct reader *r, FILE *file) {
  char line[LINE_MOST];
  while (fgets(line, sizeof line, file) != NULL) {
    r->line++;
    size_t length = strlen(line);
    bool whole = length > 0 && (line[length - 1] == '\n' || feof(file));
    CHECK(r->base, whole, FORMAT,
          "%s:%d: the line is too long or is not text; is this a machine file?", r->path, r->line);
    TRY(read_line(r, line));
  }
  CHECK(r->base, !ferror(file), FILE, "cannot read %s: %s", r->path, strerror(errno));
  for (int i = 0; i < REQUIRED; i++)
    CHECK(r->base, r->seen[i] > 0, FORMAT, "%s:%d: the file ends without %s", r->path, r->line,
          FIGURES[i].key);
  return take_traits(r);
}

/* text := " (did you mean 'cluster'?)" if a preset has a similar name, else "". */
static void guess_preset(const char *name, char *text, size_t capacity) {
  enum { NAMES_MAX = 16 };
  const char *names[NAMES_MAX + 1] = {NULL};
  for (int i = 0; i < NAMES_MAX && hyla_machine_preset(i) != NULL; i++)
    names[i] = hyla_machine_preset(i)->name;
  const char *nearest = hyla_name_nearest(name, names);
  text[0] = '\0';
  if (nearest != NULL) snprintf(text, capacity, " (did you mean '%s'?)", nearest);
}

hyla_status hy_machine_file_read(struct hy_base *base, const char *path, hyla_machine *machine) {
  FILE *file = NULL;
  char meant[64];
  const char *why = hy_file_open(path, &file);
  guess_preset(path, meant, sizeof meant);
  CHECK(base, why == NULL, FILE,
        "cannot read machine file %s: %s%s; `hyla machine -o %s' makes one, `hyla info' names the "
        "machines that need no file",
        hy_path_shown(path), why, meant, hy_path_shown(path));
  struct reader r = {.base = base, .path = hy_path_shown(path)};
  const char *slash = strrchr(path, '/');
  snprintf(r.machine.name, sizeof r.machine.name, "%s", slash != NULL ? slash + 1 : path);
  hyla_status status = hy_c_locale(base, &r.c_locale);
  if (status == HYLA_OK) status = read_lines(&r, file);
  if (r.c_locale != (locale_t)0) freelocale(r.c_locale);
  fclose(file);
  if (status == HYLA_OK) *machine = r.machine;
  return status;
}

static hyla_status check_machine(struct hy_base *base, const hyla_machine *machine) {
  hyla_machine copy = *machine;
  for (int i = 0; i < FIGURE_COUNT; i++) {
    double number = *figure(&copy, i);
    CHECK(base, isfinite(number) && number >= 0, ARGUMENT,
          "the machine's %s is %g; give seconds from 0", FIGURES[i].key, number);
  }
  const int traits[] = {(int)copy.network, (int)copy.ports, (int)copy.switching};
  for (int i = 0; i < TRAIT_COUNT; i++)
    CHECK(base, traits[i] >= 0 && traits[i] < WORDS + (i == NETWORK), ARGUMENT,
          "the machine's %s is %d, which is none of its values", TRAITS[i].key, traits[i]);
  CHECK(base, memchr(copy.name, '\0', sizeof copy.name) != NULL && copy.name[0] != '\0', ARGUMENT,
        "the machine has no name, or its name has no end");
  for (const char *c = copy.name; *c != '\0'; c++)
    CHECK(base, (unsigned char)*c >= ' ' && *c != 127 && *c != '#', ARGUMENT,
          "the machine's name has a character that a machine file cannot hold");
  return HYLA_OK;
}

static void print_machine(FILE *file, const hyla_machine *machine) {
  hyla_machine copy = *machine;
  fprintf(file, "# A machine for hyla: seconds for the start of a message (alpha), a byte (beta),\n"
                "# an operation (gamma), ...; see hyla-machine(1).\n");
  fprintf(file, "name = %s\n", copy.name);
  for (int i = 0; i < FIGURE_COUNT; i++)
    if (i < REQUIRED || *figure(&copy, i) > 0)
      fprintf(file, "%s = %.17g\n", FIGURES[i].key, *figure(&copy, i));
  if (copy.network == HYLA_NETWORK_SWITCH) return;
  const int traits[] = {(int)copy.network, (int)copy.ports, (int)copy.switching};
  if (copy.network == HYLA_NETWORK_OTHER) fprintf(file, "network = %s\n", copy.links);
  for (int i = copy.network == HYLA_NETWORK_OTHER ? PORTS : NETWORK; i < TRAIT_COUNT; i++)
    fprintf(file, "%s = %s\n", TRAITS[i].key, TRAITS[i].words[traits[i]]);
}

hyla_status hy_machine_file_write(struct hy_base *base, const char *path,
                                  const hyla_machine *machine) {
  TRY(check_machine(base, machine));
  struct hy_text_file *file = NULL;
  TRY(hy_text_open(base, path, &file));
  locale_t c_locale;
  hyla_status status = hy_c_locale(base, &c_locale);
  if (status == HYLA_OK) {
    locale_t before = uselocale(c_locale); /* printf obeys the locale of the thread */
    print_machine(file->stream, machine);
    uselocale(before);
    freelocale(c_locale);
  }
  hyla_status closed = hy_text_close(base, status == HYLA_OK, &file);
  return status != HYLA_OK ? status : closed;
}
