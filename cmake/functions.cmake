# SPDX-License-Identifier: Apache-2.0
# The functions of the C library whose last bits depend on the processor, in its present version or a
# later one: the linker sends calls of them to ours (vinci/base/functions.h).
set(VINCI_WRAP sin cos sincos tan asin acos atan atan2 exp log pow sinh cosh tanh expm1 log1p log10)
list(TRANSFORM VINCI_WRAP PREPEND "-Wl,--wrap=")
