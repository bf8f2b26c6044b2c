"""hyla for Spack.  In a repository of recipes this is packages/hyla/package.py; the sources are those
of a clone: spack dev-build hyla@0.1.0 there."""

from spack.package import *


class Hyla(AutotoolsPackage):
    """Dense linear algebra on MPI ranks seen as a Boolean cube or an array: solves systems and multiplies
    matrices of any size, tells which algorithm it took and why, and simulates cubes of many nodes."""

    manual_download = True

    license("BSD-3-Clause")

    version("0.1.0")

    variant("fortran", default=True, description="module hyla for Fortran")
    variant("hdf5", default=True, description="HDF5 files and MATLAB's v7.3")
    variant("python", default=False, description="package hyla for Python")
    variant("scalapack", default=False, description="the drop-in for ScaLAPACK")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("autoconf@2.69:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:")
    # One library for both: OpenBLAS has LAPACK and LAPACKE in it, for which there is no pkg-config.
    depends_on("openblas ~ilp64")
    depends_on("jansson")
    depends_on("zlib-api")
    depends_on("random123", type="build")
    depends_on("cmocka", type="test")
    depends_on("hdf5@1.10.1:", when="+hdf5")
    depends_on("scalapack", when="+scalapack")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")

    def configure_args(self):
        spec = self.spec
        # A front end may not start MPI programs: the launcher is not tried.
        arguments = ["--disable-probe", f"CC={spec['mpi'].mpicc}"]
        openblas = spec["openblas"]
        for name in ["OPENBLAS", "LAPACKE"]:
            arguments.append(f"{name}_CFLAGS={openblas.headers.include_flags}")
            arguments.append(f"{name}_LIBS={openblas.libs.ld_flags}")
        arguments += self.with_or_without("hdf5")
        if spec.satisfies("+fortran"):
            arguments.append(f"FC={spec['mpi'].mpifc}")
        if spec.satisfies("+scalapack"):
            arguments.append(f"SCALAPACK_LIBS={spec['scalapack'].libs.ld_flags}")
        if spec.satisfies("+python"):
            arguments.append(f"PYTHON={spec['python'].command.path}")
        return arguments
