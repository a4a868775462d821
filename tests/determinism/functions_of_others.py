# SPDX-License-Identifier: Apache-2.0
"""Names every function of the C library's mathematics that the program, a library or the Python module
takes from it and whose bits it does not promise: functions_of_others.py BUILD."""
import pathlib
import subprocess
import sys

# Exact, or rounded once, by their definition; or one version for all processors (hypot, hypotl, and
# cabs, which is hypot of two parts).
SAME_BITS = {"sqrt", "fma", "fmod", "remainder", "frexp", "ldexp", "scalbn", "scalbln", "modf", "logb", "ilogb",
             "floor", "ceil", "trunc", "round", "rint", "nearbyint", "lround", "lrint", "llround", "llrint",
             "fmin", "fmax", "fdim", "fabs", "copysign", "nextafter", "nan", "hypot",
             "hypotl", "cabs"}


def symbols(file, *flags):
    answer = subprocess.run(["nm", "-D", *flags, file], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in answer.stdout.splitlines()}


def main():
    build = pathlib.Path(sys.argv[1])
    files = [build / "vinci", *build.glob("libraries/*/libvinci-*.so"), *build.glob("python/vinci/*.so")]
    library = next(line.split()[2] for line in subprocess.run(
        ["ldd", build / "vinci"], capture_output=True, text=True, check=True).stdout.splitlines()
        if "libm.so" in line)
    mathematics = symbols(library, "--defined-only")
    taken = {file: symbols(file, "--undefined-only") & mathematics for file in files}
    for file, names in taken.items():
        if names - SAME_BITS:
            print(f"{file}: {sorted(names - SAME_BITS)}")
    count = len(set().union(*taken.values()))
    print(f"{len(files)} files take {count} functions from {library}")
    return 1 if any(names - SAME_BITS for names in taken.values()) or len(files) < 20 or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
