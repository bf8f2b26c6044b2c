/* The marks of MATLAB's and Octave's variables in HDF5 files.  Arrays are stored by columns: the
 * dataset's indices are the variable's in reverse order.
 *
 * MATLAB's files of version 7.3: 512 bytes of its own, then HDF5.  Each variable is a dataset with
 * an attribute that names its class.
 *
 * Octave's (save -hdf5): a group with a mark, in which `type' names the kind of `value'. */
#include "io/hdf5_file.h"

#include <string.h>

#define MATLAB_CLASS "MATLAB_class"
#define MATLAB_EMPTY "MATLAB_empty"
#define OCTAVE_MARK "OCTAVE_NEW_FORMAT"
#define OCTAVE_EMPTY "OCTAVE_EMPTY_MATRIX"
#define VALUE "/value"

/* Reads the one string of fixed length that an attribute or a dataset holds. */
static bool read_text(const struct hy_hdf5_library *lib, hid_t holder, bool attribute, char *text,
                      size_t capacity) {
  hid_t type = attribute ? lib->H5Aget_type(holder) : lib->H5Dget_type(holder);
  hid_t all = attribute ? lib->H5Aget_space(holder) : lib->H5Dget_space(holder);
  size_t length = type < 0 ? 0 : lib->H5Tget_size(type);
  bool good = type >= 0 && all >= 0 && lib->H5Tget_class(type) == H5T_STRING &&
              lib->H5Tis_variable_str(type) == 0 && lib->H5Sget_simple_extent_npoints(all) == 1 &&
              length < capacity;
  if (good)
    good = (attribute ? lib->H5Aread(holder, type, text)
                      : lib->H5Dread(holder, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)) >= 0;
  text[good ? length : 0] = '\0';
  hy_hdf5_close(lib, type);
  hy_hdf5_close(lib, all);
  return good;
}

/* An empty variable's dataset holds the variable's two sizes, one of them 0, instead of entries. */
static bool read_sizes(const struct hy_hdf5_library *lib, hid_t set, hsize_t size[2]) {
  uint64_t own[2] = {1, 1};
  hid_t all = lib->H5Dget_space(set);
  bool two = all >= 0 && lib->H5Sget_simple_extent_npoints(all) == 2;
  bool good = two && lib->H5Dread(set, HY_HDF5_TYPE(lib, NATIVE_UINT64), H5S_ALL, H5S_ALL,
                                  H5P_DEFAULT, own) >= 0;
  hy_hdf5_close(lib, all);
  size[0] = own[0];
  size[1] = own[1];
  return good && (own[0] == 0 || own[1] == 0);
}

/* ------------------------------------------------------------------ MATLAB -- */

bool hy_matlab_class(const struct hy_hdf5_library *lib, hid_t set, char text[64]) {
  text[0] = '\0';
  if (lib->H5Aexists(set, MATLAB_CLASS) <= 0) return false;
  hid_t attribute = lib->H5Aopen(set, MATLAB_CLASS, H5P_DEFAULT);
  if (attribute < 0) return false;
  bool good = read_text(lib, attribute, true, text, 64);
  hy_hdf5_close(lib, attribute);
  return good;
}

bool hy_matlab_empty(const struct hy_hdf5_library *lib, hid_t set, hsize_t size[2]) {
  return lib->H5Aexists(set, MATLAB_EMPTY) > 0 && read_sizes(lib, set, size);
}

static herr_t put_attribute(const struct hy_hdf5_library *lib, hid_t set, const char *name,
                            hid_t type, const void *value) {
  hid_t one = lib->H5Screate(H5S_SCALAR);
  hid_t attribute = one < 0 ? -1 : lib->H5Acreate2(set, name, type, one, H5P_DEFAULT, H5P_DEFAULT);
  herr_t done = attribute < 0 ? -1 : lib->H5Awrite(attribute, type, value);
  if (attribute >= 0 && lib->H5Aclose(attribute) < 0) done = -1;
  hy_hdf5_close(lib, one);
  return done;
}

herr_t hy_matlab_mark(const struct hy_hdf5_library *lib, hid_t set, const struct hy_kernels *k,
                      bool empty) {
  const char *class = k->epsilon > 1e-10 ? "single" : "double";
  const unsigned char yes = 1;
  hid_t type = lib->H5Tcopy(HY_HDF5_TYPE(lib, C_S1));
  herr_t done = type < 0 ? -1 : lib->H5Tset_size(type, strlen(class));
  if (done >= 0) done = put_attribute(lib, set, MATLAB_CLASS, type, class);
  if (done >= 0 && empty)
    done = put_attribute(lib, set, MATLAB_EMPTY, HY_HDF5_TYPE(lib, NATIVE_UINT8), &yes);
  hy_hdf5_close(lib, type);
  return done;
}

/* 116 characters of text, 8 bytes for an offset that is not used, the version, and "MI" as a 2-byte
 * number in the machine's byte order. */
void hy_matlab_head(char head[HY_MATLAB_HEAD]) {
  static const char text[] = "MATLAB 7.3 MAT-file, Platform: hyla, HDF5 schema 1.00 .";
  enum { TEXT = 116, VERSION = 124, BYTES = 126 };
  const uint16_t version = 0x0200, bytes = 'M' << 8 | 'I';
  memset(head, 0, HY_MATLAB_HEAD);
  memset(head, ' ', TEXT);
  memcpy(head, text, sizeof text - 1);
  memcpy(head + VERSION, &version, sizeof version);
  memcpy(head + BYTES, &bytes, sizeof bytes);
}

/* ------------------------------------------------------------------ Octave -- */

bool hy_octave_kind(struct hy_hdf5 *h, const char *group, char kind[HY_OCTAVE_KIND]) {
  char name[PATH_MAX];
  kind[0] = '\0';
  if (h->lib.H5Aexists_by_name(h->in, group, OCTAVE_MARK, H5P_DEFAULT) <= 0) return false;
  if (snprintf(name, sizeof name, "%s/type", group) >= (int)sizeof name) return false;
  if (hy_hdf5_kind_of(h, name) != HY_HDF5_DATASET) return false;
  hid_t set = h->lib.H5Dopen2(h->in, name, H5P_DEFAULT);
  bool good = set >= 0 && read_text(&h->lib, set, false, kind, HY_OCTAVE_KIND);
  hy_hdf5_close(&h->lib, set);
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

hyla_status hy_octave_enter(struct hy_hdf5 *h, char own[HY_IO_NAME]) {
  char kind[HY_OCTAVE_KIND];
  size_t length = strlen(h->dataset);
  if (hy_hdf5_kind_of(h, h->dataset) != HY_HDF5_GROUP || !hy_octave_kind(h, h->dataset, kind))
    return HYLA_OK;
  TRY(check_kind(h, kind));
  HDF5_CHECK(h, length + sizeof VALUE <= HY_IO_NAME, "the name of Octave's %s is too long", kind);
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

/* If the name is a soft link, replaces it by the link's target; false if it is none. */
static bool follow(const struct hy_hdf5 *h, char name[PATH_MAX]) {
  char to[PATH_MAX];
  H5L_info_t link;
  if (h->lib.H5Lget_info(h->in, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_SOFT)
    return false;
  char *last = strrchr(name, '/');
  const size_t group = last == NULL ? 0 : (size_t)(last - name) + 1;
  if (link.u.val_size + group > PATH_MAX) return false;
  if (h->lib.H5Lget_val(h->in, name, to, sizeof to, H5P_DEFAULT) < 0) return false;
  /* A relative target is inside the link's own group. */
  memcpy(*to == '/' ? name : name + group, to, link.u.val_size);
  return true;
}

hyla_status hy_octave_find(struct hy_hdf5 *h, struct hy_octave *octave) {
  enum { LINKS = 16 }; /* links in a row, as many as HDF5 follows */
  char name[PATH_MAX], kind[HY_OCTAVE_KIND];
  *octave = (struct hy_octave){.marked = false};
  ssize_t length = h->lib.H5Iget_name(h->set, name, sizeof name);
  if (length <= 0 || (size_t)length >= sizeof name) return HYLA_OK;
  for (int i = 0; i < LINKS && follow(h, name); i++) continue;
  if (!ends_in(name, VALUE)) return HYLA_OK;
  name[strlen(name) - (sizeof VALUE - 1)] = '\0';
  if (*name == '\0' || !hy_octave_kind(h, name, kind)) return HYLA_OK;
  TRY(check_kind(h, kind));
  octave->marked = true;
  octave->empty = h->lib.H5Aexists_by_name(h->in, name, OCTAVE_EMPTY, H5P_DEFAULT) > 0 &&
                  read_sizes(&h->lib, h->set, octave->size);
  octave->element = element_of(kind);
  return HYLA_OK;
}
