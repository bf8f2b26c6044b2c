"""A water molecule in local orbitals, with ScaLAPACK on a 1 x 2 grid."""
from ase import Atoms
from gpaw import GPAW, LCAO
from gpaw.mpi import world

water = Atoms("OHH", [(3, 3, 3), (3.757, 3.586, 3), (2.243, 3.586, 3)], cell=(6, 6, 6))
water.calc = GPAW(
    mode=LCAO(), basis="dzp", xc="PBE", h=0.25, txt=None, parallel={"sl_default": (1, world.size, 8)}
)
energy = water.get_potential_energy()
if world.rank == 0:
    print(f"energy {energy:.6f} eV")
