/* hyla info: prints the version, the libraries, the memory of blocks, and the variants.
 * about.c answers for a file. */
#include "network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar info_grammar = {
    .usage = "[A.mtx]",
    .text =
        "Tell what this build of hyla is made of and can do, or what a matrix is."
        "\vRun it under mpiexec as the real run is started: it then tells the ranks, threads and "
        "shared memory that the run will get.  With a file: the size and type of its matrix, "
        "whether it is symmetric or Hermitian, triangular, a band and finite, and its norms.",
    .lists = {options_of_input, options_of_progress},
    .least = 0,
    .most = 1,
};

/* Adds the "key: value" lines of a text to an object. */
static void add_description(json_t *object, char *text) {
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *colon = strstr(line, ": ");
    if (!colon) continue;
    *colon = 0;
    char *end = NULL;
    long long number = strtoll(colon + 2, &end, 10);
    json_object_set_new(object, line, *end == 0 ? json_integer(number) : json_string(colon + 2));
  }
}

/* The variants on networks that are no cubes; they are asked for before anything is printed. */
struct network_rows {
  int count;
  struct {
    const char *op;
    hyla_network_variant variant;
  } row[64];
};

/* False: there was no memory. */
static bool ask_networks(struct network_rows *rows) {
  const int most = sizeof rows->row / sizeof *rows->row;
  const char *op = NULL;
  rows->count = 0;
  for (int o = 0; (op = hyla_variant_operation(o)) != NULL; o++)
    for (int i = 0; rows->count < most; i++) {
      const hyla_collective name = {.name = op, .variant = ""}; /* none is counted */
      hyla_network_variant *variant = &rows->row[rows->count].variant;
      const hyla_status status = hyla_network_variant_at("ring:3", &name, NULL, i, variant);
      if (status == HYLA_MEMORY) return false;
      if (status != HYLA_OK || !*variant->variant) break;
      rows->row[rows->count++].op = op;
    }
  return true;
}

static json_t *network_variants(const struct network_rows *rows) {
  json_t *variants = json_array();
  for (int i = 0; i < rows->count; i++)
    json_array_append_new(variants, json_pack("{s:s, s:s, s:s}", "op", rows->row[i].op, "variant",
                                              rows->row[i].variant.variant, "reference",
                                              rows->row[i].variant.reference));
  return variants;
}

static void print_json(const struct run *run, char *description, const struct network_rows *rows) {
  json_t *json =
      json_pack("{s:s, s:s, s:i}", "op", "info", "version", hyla_version(), "ranks", run->ranks);
  add_description(json, description);
  json_t *variants = json_array();
  const char *op = NULL;
  for (int o = 0; (op = hyla_variant_operation(o)) != NULL; o++)
    for (int i = 0; hyla_variant_name(op, i); i++)
      json_array_append_new(variants, json_pack("{s:s, s:s, s:s}", "op", op, "variant",
                                                hyla_variant_name(op, i), "reference",
                                                hyla_variant_reference(op, i)));
  json_object_set_new(json, "variants", variants);
  json_object_set_new(json, "network_variants", network_variants(rows));
  json_t *machines = json_array();
  for (int i = 0; hyla_machine_preset(i); i++)
    json_array_append_new(machines, json_string(hyla_machine_preset(i)->name));
  json_object_set_new(json, "machines", machines);
  json_line(json);
}

/* The length of the longest name of a variant. */
static int name_width(void) {
  int width = 0;
  const char *op = NULL;
  for (int o = 0; (op = hyla_variant_operation(o)) != NULL; o++)
    for (int i = 0; hyla_variant_name(op, i); i++) {
      int length = (int)strlen(hyla_variant_name(op, i));
      if (length > width) width = length;
    }
  return width;
}

static void print_machine(const hyla_machine *machine) {
  char network[96];
  printf("  %-*s  alpha %.3g s, beta %.3g s, gamma %.3g s; network: %s\n", name_width(),
         machine->name, machine->alpha, machine->beta, machine->gamma,
         tool_network(machine, network));
}

static void print_text(const struct run *run, const char *description,
                       const struct network_rows *rows) {
  printf("hyla %s on %d rank%s\n", hyla_version(), run->ranks, run->ranks == 1 ? "" : "s");
  for (const char *line = description; *line;) {
    int length = (int)strcspn(line, "\n");
    int key = (int)strcspn(line, ":");
    if (key < length) printf("  %-12.*s%.*s\n", key, line, length - key - 2, line + key + 2);
    line += length + (line[length] == '\n');
  }
  const char *op = NULL;
  for (int o = 0; (op = hyla_variant_operation(o)) != NULL; o++) {
    printf("variants of %s\n", op);
    for (int i = 0; hyla_variant_name(op, i); i++)
      printf("  %-*s  %s\n", name_width(), hyla_variant_name(op, i), hyla_variant_reference(op, i));
  }
  for (int i = 0; i < rows->count; i++) {
    if (i == 0 || rows->row[i].op != rows->row[i - 1].op)
      printf("variants of %s on arrays, tori or folded cubes (--network)\n", rows->row[i].op);
    printf("  %-*s  %s\n", name_width(), rows->row[i].variant.variant,
           rows->row[i].variant.reference);
  }
  printf("machines known by name\n");
  for (int i = 0; hyla_machine_preset(i); i++) print_machine(hyla_machine_preset(i));
}

int tool_info(struct run *run) {
  if (run->options.path_count > 0) return tool_info_file(run);
  if (run->rank != 0) return EXIT_DONE;
  char *description = tool_describe(run->cube);
  struct network_rows *rows = calloc(1, sizeof *rows);
  const bool whole = description && rows && ask_networks(rows);
  if (!whole)
    tell(run, "out of memory");
  else if (run->options.json)
    print_json(run, description, rows);
  else
    print_text(run, description, rows);
  free(rows);
  free(description);
  return whole ? EXIT_DONE : EXIT_USE;
}
