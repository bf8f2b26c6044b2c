/* MATLAB's files of version 7.3: 512 bytes of its own, then HDF5.  Each variable is a dataset with
 * an attribute that names its class.  Arrays are stored by columns: the dataset's indices are the
 * variable's in reverse order. */
#include "io/hdf5_file.h"

#include <string.h>

#define CLASS "MATLAB_class"
#define EMPTY "MATLAB_empty"

/* Reads an attribute that holds one string of fixed length. */
static bool read_text(hid_t attribute, char *text, size_t capacity) {
  hid_t type = H5Aget_type(attribute), all = H5Aget_space(attribute);
  size_t length = type < 0 ? 0 : H5Tget_size(type);
  bool good = type >= 0 && all >= 0 && H5Tget_class(type) == H5T_STRING &&
              H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(all) == 1 &&
              length < capacity && H5Aread(attribute, type, text) >= 0;
  text[good ? length : 0] = '\0';
  if (type >= 0) (void)H5Tclose(type);
  if (all >= 0) (void)H5Sclose(all);
  return good;
}

bool hy_matlab_class(hid_t set, char text[64]) {
  text[0] = '\0';
  if (H5Aexists(set, CLASS) <= 0) return false;
  hid_t attribute = H5Aopen(set, CLASS, H5P_DEFAULT);
  if (attribute < 0) return false;
  bool good = read_text(attribute, text, 64);
  (void)H5Aclose(attribute);
  return good;
}

bool hy_matlab_empty(hid_t set, hsize_t size[2]) {
  if (H5Aexists(set, EMPTY) <= 0) return false;
  uint64_t own[2] = {0, 0};
  hid_t all = H5Dget_space(set);
  bool two = all >= 0 && H5Sget_simple_extent_npoints(all) == 2;
  bool good = two && H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, own) >= 0;
  if (all >= 0) (void)H5Sclose(all);
  size[0] = own[0];
  size[1] = own[1];
  return good && (own[0] == 0 || own[1] == 0);
}

static herr_t put_attribute(hid_t set, const char *name, hid_t type, const void *value) {
  hid_t one = H5Screate(H5S_SCALAR);
  hid_t attribute = one < 0 ? -1 : H5Acreate2(set, name, type, one, H5P_DEFAULT, H5P_DEFAULT);
  herr_t done = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
  if (attribute >= 0 && H5Aclose(attribute) < 0) done = -1;
  if (one >= 0) (void)H5Sclose(one);
  return done;
}

herr_t hy_matlab_mark(hid_t set, const struct hy_kernels *k, bool empty) {
  const char *class = k->epsilon > 1e-10 ? "single" : "double";
  const unsigned char yes = 1;
  hid_t type = H5Tcopy(H5T_C_S1);
  herr_t done = type < 0 ? -1 : H5Tset_size(type, strlen(class));
  if (done >= 0) done = put_attribute(set, CLASS, type, class);
  if (done >= 0 && empty) done = put_attribute(set, EMPTY, H5T_NATIVE_UINT8, &yes);
  if (type >= 0) (void)H5Tclose(type);
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
