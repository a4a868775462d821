#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing of the named sections of packages.txt; asks the network for nothing when
# nothing is missing. Usage: scripts/install_packages.sh [--dry-run] SECTION...
set -euo pipefail
cd "$(dirname "$0")/.."

dry_run=false
if [[ ${1:-} == --dry-run ]]; then
  dry_run=true
  shift
fi
if (($# == 0)); then
  echo "usage: $0 [--dry-run] SECTION...; sections: $(awk '!/^#/ && NF {print $1}' packages.txt |
    sort -u | paste -sd' ')" >&2
  exit 2
fi

wanted=()
for section in "$@"; do
  mapfile -t found < <(awk -v section="$section" '!/^#/ && $1 == section {print $2, $3}' packages.txt)
  if ((${#found[@]} == 0)); then
    echo "$0: packages.txt has no section '$section'" >&2
    exit 2
  fi
  for line in "${found[@]}"; do
    read -r package command <<<"$line"
    [[ -n $command ]] && command -v "$command" >/dev/null && continue
    wanted+=("$package")
  done
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "Not a Debian system: nothing is installed here. Needed, under whatever names your system" >&2
  echo "gives them: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

echo "Missing Debian packages: ${missing[*]}"
$dry_run && exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Neither root nor sudo here. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
