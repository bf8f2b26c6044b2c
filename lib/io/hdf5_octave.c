/* Octave's variables in HDF5 files (save -hdf5): a group with a mark, in which `type' names the
 * kind of `value'.  Arrays are stored by columns: the dataset's indices are the variable's in
 * reverse order. */
#include "io/hdf5_file.h"

#include <string.h>

#define MARK "OCTAVE_NEW_FORMAT"
#define EMPTY "OCTAVE_EMPTY_MATRIX"
#define VALUE "/value"

/* Reads a dataset that holds one string of fixed length. */
static bool read_text(hid_t set, char *text, size_t capacity) {
  hid_t type = H5Dget_type(set), all = H5Dget_space(set);
  size_t length = type < 0 ? 0 : H5Tget_size(type);
  bool good = type >= 0 && all >= 0 && H5Tget_class(type) == H5T_STRING &&
              H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(all) == 1 &&
              length < capacity && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  text[good ? length : 0] = '\0';
  if (type >= 0) (void)H5Tclose(type);
  if (all >= 0) (void)H5Sclose(all);
  return good;
}

bool hy_octave_kind(struct hy_hdf5 *h, const char *group, char kind[HY_OCTAVE_KIND]) {
  char name[PATH_MAX];
  kind[0] = '\0';
  if (H5Aexists_by_name(h->in, group, MARK, H5P_DEFAULT) <= 0) return false;
  if (snprintf(name, sizeof name, "%s/type", group) >= (int)sizeof name) return false;
  if (hy_hdf5_kind_of(h, name) != HY_HDF5_DATASET) return false;
  hid_t set = H5Dopen2(h->in, name, H5P_DEFAULT);
  bool good = set >= 0 && read_text(set, kind, HY_OCTAVE_KIND);
  if (set >= 0) (void)H5Dclose(set);
  return good;
}

static bool ends_in(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_full(const char *kind) {
  return strstr(kind, "sparse") == NULL &&
         (ends_in(kind, "matrix") || ends_in(kind, "scalar") || strcmp(kind, "bool") == 0);
}

static hyla_status check_kind(const struct hy_hdf5 *h, const char *kind) {
  bool made_full = strstr(kind, "sparse") != NULL || ends_in(kind, "range");
  HDF5_CHECK(h, !made_full, "Octave's %s; save full(...) of it", kind);
  HDF5_CHECK(h, is_full(kind), "expected numbers, found Octave's %s", kind);
  return HYLA_OK;
}

hyla_status hy_octave_enter(struct hy_hdf5 *h, char own[HY_HDF5_NAME]) {
  char kind[HY_OCTAVE_KIND];
  size_t length = strlen(h->dataset);
  if (hy_hdf5_kind_of(h, h->dataset) != HY_HDF5_GROUP || !hy_octave_kind(h, h->dataset, kind))
    return HYLA_OK;
  TRY(check_kind(h, kind));
  HDF5_CHECK(h, length + sizeof VALUE <= HY_HDF5_NAME, "the name of Octave's %s is too long", kind);
  memmove(own, h->dataset, length);
  memcpy(own + length, VALUE, sizeof VALUE);
  h->dataset = own;
  return HYLA_OK;
}

/* The type that an empty matrix' entries would have, according to its kind. */
static struct hy_npy_element element_of(const char *kind) {
  const bool pair = strstr(kind, "complex") != NULL, single = strncmp(kind, "float", 5) == 0;
  return (struct hy_npy_element){.kind = pair ? 'c' : 'f', .size = (single ? 4 : 8) << pair};
}

static bool read_empty(const struct hy_hdf5 *h, const char *group, hsize_t size[2]) {
  if (H5Aexists_by_name(h->in, group, EMPTY, H5P_DEFAULT) <= 0) return false;
  uint64_t own[2] = {1, 1};
  hid_t all = H5Dget_space(h->set);
  bool two = all >= 0 && H5Sget_simple_extent_npoints(all) == 2;
  bool good = two && H5Dread(h->set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, own) >= 0;
  if (all >= 0) (void)H5Sclose(all);
  good = good && (own[0] == 0 || own[1] == 0);
  for (int d = 0; d < 2 && good; d++) size[d] = own[d];
  return good;
}

/* If the name is a soft link, replaces it by the link's target; false if it is none. */
static bool follow(const struct hy_hdf5 *h, char name[PATH_MAX]) {
  char to[PATH_MAX];
  H5L_info_t link;
  if (H5Lget_info(h->in, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_SOFT) return false;
  char *last = strrchr(name, '/');
  const size_t group = last == NULL ? 0 : (size_t)(last - name) + 1;
  if (link.u.val_size + group > PATH_MAX) return false;
  if (H5Lget_val(h->in, name, to, sizeof to, H5P_DEFAULT) < 0) return false;
  /* A relative target is inside the link's own group. */
  memcpy(*to == '/' ? name : name + group, to, link.u.val_size);
  return true;
}

hyla_status hy_octave_find(struct hy_hdf5 *h, struct hy_octave *octave) {
  enum { LINKS = 16 }; /* links in a row, as many as HDF5 follows */
  char name[PATH_MAX], kind[HY_OCTAVE_KIND];
  *octave = (struct hy_octave){.marked = false};
  ssize_t length = H5Iget_name(h->set, name, sizeof name);
  if (length <= 0 || (size_t)length >= sizeof name) return HYLA_OK;
  for (int i = 0; i < LINKS && follow(h, name); i++) continue;
  if (!ends_in(name, VALUE)) return HYLA_OK;
  name[strlen(name) - (sizeof VALUE - 1)] = '\0';
  if (*name == '\0' || !hy_octave_kind(h, name, kind)) return HYLA_OK;
  TRY(check_kind(h, kind));
  octave->marked = true;
  octave->empty = read_empty(h, name, octave->size);
  octave->element = element_of(kind);
  return HYLA_OK;
}
