# SPDX-License-Identifier: Apache-2.0
"""The published schema accepts every scene of the gallery and of the manual, and refuses mistakes of
structure. Run by CTest: scene_schema_test.py SOURCE_FOLDER."""
import json
import pathlib
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as the editors' language server reads it: `on` is a word."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), ["t", "f"])
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"),
                             list("-+0123456789"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"), list("-+.0123456789"))

# Mistakes that a schema can see, one a file of tests/bad_scenes.
STRUCTURAL = """
angle_in_space bodies_as_list box_of_three capsule_half_given capsule_without_radius
change_before_start change_without_time constraint_damping_alone constraint_machine_without_states
constraint_of_two_kinds cylinder_without_height exclude_not_a_pair freedom_unknown
freedom_spatial_in_plane gravity_not_a_list gravity_of_wrong_length half_plane_angle_and_normal
impact_damping_alone machine_transition_of_two_kinds rolls_how_far
inertia_zero mass_negative mass_zero material_key_unknown misspelt_key motion_unknown_coordinate
negative_friction no_world parameter_as_list parameter_name_with_dash polygon_of_two
polyhedron_of_three position_and_pose position_of_three radius_negative restitution_above_one
rotation_axis_alone rotation_twice run_cone_unknown run_directions_not_whole
run_plugin_without_name run_unknown_key shape_of_two_kinds shape_planar_in_space
shape_spatial_in_plane shape_without_kind spin_as_list superellipse_axis_negative
superellipse_exponent_large superellipse_in_space superellipse_not_convex superellipse_of_one_axis
superellipse_without_exponent implicit_without_function superquadric_axis_negative
superquadric_exponent_small superquadric_in_plane superquadric_not_convex superquadric_of_two_axes
superquadric_without_exponent supports_in_space supports_points_and_patch surface_of_one table_friction_negative table_in_space unknown_world
""".split()


def manual_scenes(text):
    """The YAML blocks of the manual."""
    return [m.group(1) for m in re.finditer(r"^```yaml\n(.*?)^```", text, re.M | re.S)]


def main():
    root = pathlib.Path(sys.argv[1])
    schema = json.loads((root / "scenes/vinci.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = []

    good = {p.name: p.read_text() for p in sorted((root / "scenes").glob("*.yaml"))}
    for page in ("scene.md", "constraints.md"):
        for i, text in enumerate(manual_scenes((root / "docs" / page).read_text())):
            good[f"docs/{page}, block {i}"] = text
    for name, text in good.items():
        for error in validator.iter_errors(yaml.load(text, Loader)):
            failures.append(f"{name}: {error.message}")
    for name in STRUCTURAL:
        text = (root / "tests/bad_scenes" / f"{name}.yaml").read_text()
        if validator.is_valid(yaml.load(text, Loader)):
            failures.append(f"{name}: the schema accepts it")

    print("\n".join(failures) or f"{len(good)} scenes fit, {len(STRUCTURAL)} mistakes do not")
    return 1 if failures else 0


sys.exit(main())
