/* Lists the datasets of an HDF5 file, for a user who has named none or a wrong one.  A variable of
 * Octave's counts as one. */
#include "io/hdf5_file.h"

#include <string.h>

/* Limits of the search: nesting of groups, number of links. */
enum { DEEP = 8, LINKS = 4096 };

struct walk {
  struct hy_hdf5 *h;
  struct hy_hdf5_names *names;
  int left; /* links that may still be visited */
};

static void look_at(struct walk *walk, const char *name, int depth);

/* Visits the members of a group, sorted by name.  prefix: the group's name, "" for the root. */
static void look_into(struct walk *walk, const char *prefix, int depth) {
  H5G_info_t facts;
  const char *group = *prefix == '\0' ? "/" : prefix;
  if (H5Gget_info_by_name(walk->h->in, group, &facts, H5P_DEFAULT) < 0) return;
  for (hsize_t i = 0; i < facts.nlinks; i++) {
    char name[HY_HDF5_NAME];
    size_t length = strlen(prefix);
    if (walk->left-- <= 0 || walk->names->more) {
      walk->names->more = true;
      return;
    }
    memcpy(name, prefix, length);
    name[length++] = '/';
    ssize_t more = H5Lget_name_by_idx(walk->h->in, group, H5_INDEX_NAME, H5_ITER_INC, i,
                                      name + length, sizeof name - length, H5P_DEFAULT);
    /* MATLAB keeps the contents of cells in groups named #...#. */
    if (more <= 0 || (size_t)more >= sizeof name - length || name[length] == '#') continue;
    look_at(walk, name, depth);
  }
}

static void look_at(struct walk *walk, const char *name, int depth) {
  struct hy_hdf5_names *names = walk->names;
  enum hy_hdf5_kind kind = hy_hdf5_kind_of(walk->h, name);
  char octave[HY_OCTAVE_KIND];
  const bool variable = kind == HY_HDF5_GROUP && hy_octave_kind(walk->h, name, octave);
  /* Soft links can form circles; the depth limits them. */
  if (kind == HY_HDF5_GROUP && !variable && depth < DEEP) look_into(walk, name, depth + 1);
  if (kind != HY_HDF5_DATASET && !variable) return;
  if (names->count == HY_HDF5_NAMES) {
    names->more = true;
    return;
  }
  names->name[names->count] = names->text[names->count];
  strcpy(names->text[names->count++], name);
}

void hy_hdf5_list(struct hy_hdf5 *h, struct hy_hdf5_names *names) {
  struct walk walk = {.h = h, .names = names, .left = LINKS};
  bool elsewhere = h->elsewhere;
  look_into(&walk, "", 0);
  h->elsewhere = elsewhere;
}

/* Writes "/a, /b, ...": all names that have room. */
static void join(const struct hy_hdf5_names *names, char *text, size_t capacity) {
  size_t length = 0;
  for (int i = 0; i < names->count; i++) {
    size_t more = strlen(names->name[i]);
    if (length + more + sizeof ", ..." > capacity) break;
    length += (size_t)sprintf(text + length, "%s%s", length > 0 ? ", " : "", names->name[i]);
    if (i == names->count - 1 && !names->more) return;
  }
  strcpy(text + length, length > 0 ? ", ..." : "...");
}

static hyla_status say_missing(struct hy_hdf5 *h, const struct hy_hdf5_names *names) {
  enum { ROOM = 200 };
  char text[ROOM];
  const char *file = hy_path_shown(h->file->path), *name = hy_path_shown(h->dataset);
  struct hy_base *base = h->file->base;
  CHECK(base, names->count > 0, FORMAT, "%s: there is no dataset %s, nor any other", file, name);
  const char *nearest = hyla_name_nearest(h->dataset, names->name);
  CHECK(base, nearest == NULL, FORMAT, "%s: there is no dataset %s; did you mean %s?", file, name,
        nearest);
  join(names, text, sizeof text);
  return hy_fail(base, HYLA_FORMAT, "%s: there is no dataset %s; there are %s", file, name, text);
}

hyla_status hy_hdf5_missing(struct hy_hdf5 *h) {
  struct hy_hdf5_names *names;
  TRY(hy_alloc(h->file->base, 1, sizeof *names, &names));
  hy_hdf5_list(h, names);
  hyla_status status = say_missing(h, names);
  hy_free(h->file->base, &names);
  return status;
}

/* Chooses the only dataset of a file, when the path names none. */
static hyla_status choose_only(struct hy_hdf5 *h, const struct hy_hdf5_names *names,
                               char own[HY_HDF5_NAME]) {
  enum { ROOM = 200 };
  char text[ROOM];
  const char *file = hy_path_shown(h->file->path);
  struct hy_base *base = h->file->base;
  CHECK(base, names->count > 0, FORMAT, "%s: an HDF5 file without a dataset", file);
  join(names, text, sizeof text);
  CHECK(base, names->count == 1 && !names->more, FORMAT,
        "%s: say which of its datasets, as in FILE:%s; there are %s", file, names->name[0], text);
  strcpy(own, names->name[0]);
  h->dataset = own;
  return HYLA_OK;
}

hyla_status hy_hdf5_choose(struct hy_hdf5 *h, char own[HY_HDF5_NAME]) {
  own[0] = '\0';
  h->dataset = h->file->name.dataset;
  if (h->dataset != NULL) return HYLA_OK;
  struct hy_hdf5_names *names;
  TRY(hy_alloc(h->file->base, 1, sizeof *names, &names));
  hy_hdf5_list(h, names);
  hyla_status status = choose_only(h, names, own);
  hy_free(h->file->base, &names);
  return status;
}
