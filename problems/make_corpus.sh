#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the corpus anew from runs of our own scenes: problems/make_corpus.sh path/to/vinci
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# save NAME SCENE STEP [flags]: the problem of one step of a scene, as problems/NAME.h5
save() {
  local name=$1 scene=$2 step=$3
  shift 3
  "$program" run "scenes/$scene.yaml" --quiet --overwrite --output "$work/run.h5" \
    --dump-problems "step $step" --dump-dir "$work/$name" "$@"
  mv "$work/$name"/*.h5 "problems/$name.h5"
}

save incline_stick       block_on_incline  10
save slide_planar        sliding_block     50
save slide_spatial       sliding_box       50
save slide_pyramid_4     sliding_box       50   --cone pyramid --directions 4
save slide_pyramid_16    sliding_box       50   --cone pyramid --directions 16
save roll_planar         rolling_disk      5
save painleve_impact     painleve_rod      1
save painleve_pyramid    painleve_rod      1    --cone pyramid
save stack_planar        stack             1
save stack_pyramid       stack             1    --cone pyramid
save stack_spatial       box_stack         1
save stack_spatial_4     box_stack         1    --cone pyramid --directions 4
save push_by_wall        wall_push         31
save cup_lands           cup_on_pegs       400
save parts_land          tumbling_parts    300
save parts_land_pyramid  tumbling_parts    300  --cone pyramid --directions 8
save parts_rest          tumbling_parts    990
