/* hyla layout: prints who owns which entries, as text, JSON or a picture, and how a Gray code
 * becomes a binary one.  Nothing is stored or sent: everything follows from the layout. */
#include "layout.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct grammar layout_grammar = {
    .usage = "",
    .text =
        "Show which node of a cube owns which entry of a matrix, as a table or a picture."
        "\vNeeds no mpiexec: the cube has as many nodes as --dims says, whatever the ranks; with "
        "--ranks or --array the nodes are an array of rows x columns."
        "  LAYOUT is CODE/STORAGE[:BLOCK][@ARRAY] as for the other subcommands; ARRAY is RxC, "
        "or two lists of cube dimensions as in [3,1]x[0].  Dimensions left over hold copies, "
        "or nothing when :face follows.",
    .lists = {options_of_layout},
    .sides = true,
};

/* The largest matrix that each form shows, and the largest cube. */
enum { TEXT_MOST = 64, PICTURE_MOST = 256, DIMS_MOST = 10 };

uint32_t ownership_others(const struct ownership *o) {
  uint32_t others = (UINT32_C(1) << o->dims) - 1;
  const hyla_axis *axes[] = {&o->layout.row, &o->layout.col};
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < axes[a]->dims; i++) others &= ~(UINT32_C(1) << axes[a]->dim[i]);
  return others;
}

int ownership_split(const hyla_axis *axis) {
  return axis->parts > 0 ? axis->parts : 1 << axis->dims;
}

int ownership_node(const struct ownership *o, int64_t row, int64_t col) {
  return hyla_layout_owner(&o->layout, o->rows, o->cols, row, col);
}

void ownership_parts(const struct ownership *o, int node, int *row_part, int *col_part) {
  *row_part = *col_part = -1;
  (void)hyla_layout_part(&o->layout, node, row_part, col_part); /* the layout is valid */
}

/* ----------------------------------------------------------------- text -- */

/* Prints "dimensions 3 2", the highest bit first, or "no dimension". */
static void print_dims(const hyla_axis *axis) {
  if (axis->dims == 0) printf("no dimension");
  if (axis->dims > 0) printf("dimension%s", axis->dims == 1 ? "" : "s");
  for (int i = axis->dims; i-- > 0;) printf(" %d", axis->dim[i]);
}

/* Prints the meaning of the dimensions that split neither axis. */
static void print_rest(const struct ownership *o) {
  uint32_t others = ownership_others(o);
  if (others == 0) return;
  printf(o->layout.rest == HYLA_FACE ? "only nodes with 0 in dimension"
                                     : "copies on all nodes that differ in dimension");
  for (int dim = o->dims; dim-- > 0;)
    if (others >> dim & 1) printf(" %d", dim);
  printf(o->layout.rest == HYLA_FACE ? " hold entries\n" : "; the first is shown\n");
}

static void print_matrix(const struct ownership *o) {
  int width = snprintf(NULL, 0, "%d", o->nodes - 1) + 1;
  int index = snprintf(NULL, 0, "%lld", (long long)(o->cols > o->rows ? o->cols : o->rows) - 1) + 1;
  if (width < index) width = index;
  printf("\n%*s", index + 2, "");
  for (int64_t j = 0; j < o->cols; j++) printf("%*lld", width, (long long)j);
  printf("\n");
  for (int64_t i = 0; i < o->rows; i++) {
    printf("%*lld |", index, (long long)i);
    for (int64_t j = 0; j < o->cols; j++) printf("%*d", width, ownership_node(o, i, j));
    printf("\n");
  }
}

/* Does the part hold this row (column)? */
static bool holds(const struct ownership *o, bool rows, int64_t index, int part) {
  int p, q;
  ownership_parts(o, rows ? ownership_node(o, index, 0) : ownership_node(o, 0, index), &p, &q);
  return (rows ? p : q) == part;
}

/* Writes the indices of a part as "0-3 8-11"; returns their number. */
static int64_t format_indices(const struct ownership *o, bool rows, int part, char *text,
                              size_t capacity) {
  int64_t n = rows ? o->rows : o->cols, count = 0;
  size_t length = 0;
  text[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t first = i;
    while (i < n && holds(o, rows, i, part)) i++;
    if (i == first) continue;
    count += i - first;
    char piece[64];
    int bytes = i - first == 1 ? snprintf(piece, sizeof piece, "%lld", (long long)first)
                               : snprintf(piece, sizeof piece, "%lld-%lld", (long long)first,
                                          (long long)i - 1);
    if (length + (size_t)bytes + 5 < capacity)
      length +=
          (size_t)snprintf(text + length, capacity - length, "%s%s", length ? " " : "", piece);
    else if (length > 3 && strcmp(text + length - 3, "...") != 0)
      length += (size_t)snprintf(text + length, capacity - length, "...");
  }
  return count;
}

void format_bits(int node, int dims, char bits[HYLA_DIMS_MAX + 1]) {
  for (int i = 0; i < dims; i++) bits[i] = node >> (dims - 1 - i) & 1 ? '1' : '0';
  bits[dims] = 0;
}

void ownership_place(const struct ownership *o, int node, char place[PLACE_TEXT]) {
  if (o->down == 0)
    format_bits(node, o->dims, place);
  else
    snprintf(place, PLACE_TEXT, "%d,%d", node / o->along, node % o->along);
}

static void print_nodes(const struct ownership *o) {
  printf("\n%6s  %-*s  %-26s  %-26s  %s\n", "node", o->dims < 7 ? 7 : o->dims,
         o->down > 0 ? "place" : "address", "rows", "columns", "entries");
  for (int node = 0; node < o->nodes; node++) {
    int p, q;
    char bits[PLACE_TEXT], rows[27] = "", cols[27] = "";
    ownership_place(o, node, bits);
    ownership_parts(o, node, &p, &q);
    int64_t height = p < 0 ? 0 : format_indices(o, true, p, rows, sizeof rows);
    int64_t width = q < 0 ? 0 : format_indices(o, false, q, cols, sizeof cols);
    printf("%6d  %-*s  %-26s  %-26s  %7lld\n", node, o->dims < 7 ? 7 : o->dims, bits,
           height ? rows : "-", width ? cols : "-", (long long)(height * width));
  }
}

static void print_text(const struct ownership *o) {
  printf("%s: %lld x %lld entries on ", o->name, (long long)o->rows, (long long)o->cols);
  if (o->down > 0)
    printf("an array of %d x %d nodes\n", o->down, o->along);
  else
    printf("a cube of %d node%s\n", o->nodes, o->nodes > 1 ? "s" : "");
  printf("rows over ");
  print_dims(&o->layout.row);
  printf(", columns over ");
  print_dims(&o->layout.col);
  printf("\n");
  print_rest(o);
  print_matrix(o);
  print_nodes(o);
}

/* ----------------------------------------------------------------- JSON -- */

/* A part's indices as a list. */
static json_t *indices_json(const struct ownership *o, bool rows, int part) {
  json_t *list = json_array();
  for (int64_t i = 0; part >= 0 && i < (rows ? o->rows : o->cols); i++)
    if (holds(o, rows, i, part)) json_array_append_new(list, json_integer(i));
  return list;
}

static json_t *node_json(const struct ownership *o, int node) {
  int p, q;
  char bits[PLACE_TEXT];
  ownership_place(o, node, bits);
  ownership_parts(o, node, &p, &q);
  return json_pack("{s:i, s:s, s:i, s:i, s:o, s:o}", "node", node, "address", bits, "row_part", p,
                   "col_part", q, "rows", indices_json(o, true, p), "columns",
                   indices_json(o, false, q));
}

static void print_json(const struct ownership *o) {
  json_t *owner = json_array(), *nodes = json_array();
  for (int64_t i = 0; i < o->rows; i++) {
    json_t *row = json_array();
    for (int64_t j = 0; j < o->cols; j++)
      json_array_append_new(row, json_integer(ownership_node(o, i, j)));
    json_array_append_new(owner, row);
  }
  for (int node = 0; node < o->nodes; node++) json_array_append_new(nodes, node_json(o, node));
  const int parts = ownership_split(&o->layout.row) * ownership_split(&o->layout.col);
  const int copies = o->layout.rest == HYLA_FACE ? 1 : o->nodes / parts;
  char array[32] = "";
  if (o->down > 0) snprintf(array, sizeof array, "%dx%d", o->down, o->along);
  json_line(json_pack("{s:s, s:s, s:I, s:I, s:i, s:s, s:i, s:o, s:o}", "op", "layout", "layout",
                      o->name, "m", (json_int_t)o->rows, "n", (json_int_t)o->cols, "dims", o->dims,
                      "array", array, "copies", copies, "owner", owner, "nodes", nodes));
}

/* ------------------------------------------------------------------ work -- */

/* A layout being read from the command line, on every node of a virtual cube. */
struct reading {
  const char *text;
  struct ownership *o;
};

static hyla_status read_layout(hyla_cube *cube, void *arg) {
  const struct reading *reading = arg;
  struct ownership *o = reading->o;
  if (hyla_cube_address(cube) != 0) return HYLA_OK;
  hyla_status status = reading->text == NULL
                           ? hyla_layout_default(cube, o->rows, o->cols, &o->layout)
                           : hyla_layout_parse(cube, reading->text, &o->layout);
  if (status == HYLA_OK) hyla_layout_format(&o->layout, o->name, sizeof o->name);
  o->dims = hyla_cube_dims(cube);
  return status;
}

static bool check_size(const struct run *run, int64_t most, const char *form) {
  const int64_t *size = run->options.size;
  if (size[0] <= most && size[1] <= most) return true;
  tell(run, "%s shows matrices up to %lld x %lld, this is %lld x %lld; %s", form, (long long)most,
       (long long)most, (long long)size[0], (long long)size[1],
       size[0] <= PICTURE_MOST && size[1] <= PICTURE_MOST
           ? "ask for --svg FILE or --json, or show a smaller matrix"
           : "a smaller matrix shows the same pattern");
  return false;
}

static bool check_options(const struct run *run) {
  const struct options *options = &run->options;
  if (options->size_count != 2) {
    tell(run, "--size ROWSxCOLUMNS is needed, as in --size 16x16");
    return false;
  }
  if (options->dims > DIMS_MOST) {
    tell(run, "--dims is %d; layouts are shown on cubes of up to %d dimensions", options->dims,
         DIMS_MOST);
    return false;
  }
  if (options->svg) return check_size(run, PICTURE_MOST, "a picture");
  return options->json ? check_size(run, PICTURE_MOST, "JSON")
                       : check_size(run, TEXT_MOST, "the text");
}

/* The nodes: those of --array, or of --ranks as an array that is nearly square unless they are a
 * cube, or of --dims.  array: the array's text, "" on a cube. */
static bool take_nodes(const struct run *run, struct ownership *o, char array[PLACE_TEXT]) {
  const struct options *options = &run->options;
  const bool many = options->given & OPTION_BIT(KEY_RANKS);
  int end = 0, down = 0, along = 0;
  array[0] = '\0';
  o->nodes = many ? options->ranks : 1 << o->dims;
  if (options->array) {
    const bool read = sscanf(options->array, "%5dx%5d%n", &down, &along, &end) == 2 &&
                      options->array[end] == '\0' && down > 0 && along > 0;
    if (!read || (int64_t)down * along > 1 << DIMS_MOST ||
        (many && down * along != options->ranks)) {
      tell(run, "--array takes rows x columns of %s, as 2x3, not `%s'",
           many ? "all --ranks" : "up to 1024 nodes", options->array);
      return false;
    }
  } else if (many && (o->nodes & (o->nodes - 1)) != 0) {
    for (down = 1; (down + 1) * (down + 1) <= o->nodes;) down++;
    while (o->nodes % down != 0) down--;
    along = o->nodes / down;
  }
  if (o->nodes > 1 << DIMS_MOST) {
    tell(run, "--ranks is %d; layouts are shown on up to %d nodes", o->nodes, 1 << DIMS_MOST);
    return false;
  }
  if (down > 0) snprintf(array, PLACE_TEXT, "%dx%d", down, along);
  if (down > 0) o->nodes = down * along;
  while (down == 0 && many && 1 << o->dims != o->nodes) o->dims += 1 << o->dims < o->nodes ? 1 : -1;
  o->down = down;
  o->along = along;
  return true;
}

static bool draw(const void *ownership, FILE *file) {
  layout_draw(ownership, file);
  return true;
}

/* On rank 0: prints what was asked for. */
static int show(struct run *run) {
  const struct options *options = &run->options;
  if (options->codes > 0) {
    layout_print_codes(options->codes);
    return EXIT_DONE;
  }
  if (options->network || options->distances > 0 || options->exchanges > 0 || options->permutations)
    return layout_network(run);
  if (options->embedding == EMBED_PATHS) return layout_paths(run);
  if (options->embedding >= EMBED_GRAPH) return layout_sparse(run);
  if (options->embedding >= 0) return layout_embed(run);
  if (!check_options(run)) return EXIT_USE;
  struct ownership o = {.dims = options->dims, .rows = options->size[0], .cols = options->size[1]};
  char array[PLACE_TEXT];
  if (!take_nodes(run, &o, array)) return EXIT_USE;
  struct reading reading = {options->layout, &o};
  const hyla_simulation cube = {.dims = o.dims, .array = array};
  hyla_report report;
  if (hyla_simulate(&cube, read_layout, &reading, &report) != HYLA_OK) {
    tell(run, "%s", report.message);
    return EXIT_USE;
  }
  if (options->json) print_json(&o);
  if (options->svg) return write_whole(run, options->svg, draw, &o);
  if (!options->json) print_text(&o);
  return EXIT_DONE;
}

int tool_layout(struct run *run) {
  int64_t code = run->rank == 0 ? show(run) : EXIT_DONE;
  return hyla_cube_max(run->cube, &code, 1) == HYLA_OK ? (int)code : EXIT_USE;
}
