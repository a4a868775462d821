// SPDX-License-Identifier: Apache-2.0
// What the page knows of a run: its description, its models, its frames. SI units, world axes.

export type Freedom = 'fixed' | 'planar' | 'spatial';
export type Vector3 = [number, number, number];
export type ContactKey = [number, number, number, number]; // shape a, shape b, feature a, feature b

export interface BodyDescription {
  name: string;
  freedom: Freedom;
  velocity_offset: number; // into the packed velocities of a frame
  velocity_size: number; // 0, 3 (vx vy wz) or 6 (vx vy vz wx wy wz)
}

// What the page decides by, over every step of the run, recorded or not.
export interface Summary {
  steps: number;
  uncertified_steps: number;
  contacts_mean: number | null; // null: not finite
  diverged: boolean;
  diverged_body: string;
  ending?: string; // why the motion model has no next state; older recordings lack it
  several_steps: number; // that allow more than one motion; 0 where nobody asked
  first_several: number;
  largest_distance: number | null; // m/s, between two motions of one step
  state_hash: string;
}

export interface Description {
  name: string; // of the file
  title: string;
  version: string; // of the program that made it
  created: string; // UTC, ISO 8601
  frames: number; // complete ones
  finished: boolean; // its writer closed it properly
  has_writer: boolean; // a run is writing it now
  total_steps: number; // that the run is meant to have
  step_size: number | null; // s
  duration: number | null; // s
  world: 'planar' | 'spatial';
  bodies: BodyDescription[];
  models: number; // how many
  event_driven: boolean; // its stepper leaves events
  events: number; // so far
  signals: string[]; // "pd.effort [N m]": of controllers and constraints, over the frames
  summary: Summary;
  lines: [string, string][]; // what there is to tell of the run, in words: what, and how it was
  options: RecordedOptions;
  stride?: number; // a thinned page keeps one frame of so many recorded ones
}

export interface RecordedOptions {
  run?: Record<string, unknown>;
  plugins?: Record<string, Record<string, unknown>>;
  parameters?: Record<string, number>;
  [other: string]: unknown;
}

export interface PoseJson {
  position: Vector3;
  rotation: [number, number, number, number]; // w x y z
}

// Triangles are counter-clockwise seen from outside; an open surface has that side alone.
export interface MeshJson {
  vertices: Vector3[];
  triangles: [number, number, number][];
  closed: boolean;
}

interface PlacedShape {
  body: number;
  material: number;
  offset: PoseJson; // in the body frame
  // Of a surface that runs: the way gone since 0 s along the shape's axes, m, at times `step` s apart.
  surface_way?: { step: number; points: Vector3[] };
}

export type ShapeJson = PlacedShape &
  (
    | { kind: 'circle'; radius: number }
    | { kind: 'polygon'; vertices: [number, number][]; pieces: number[][] }
    | { kind: 'superellipse'; axes: [number, number]; exponent: number; vertices: [number, number][] }
    | { kind: 'implicit'; function: string; vertices: [number, number][] } // vertices: its outline
    | { kind: 'half-plane' } // below the local x axis: its outward normal is local y
    | { kind: 'capsule'; half_axis: Vector3; radius: number }
    | { kind: 'sphere'; radius: number }
    | { kind: 'box'; half_extents: Vector3 }
    | { kind: 'cylinder'; radius: number; half_height: number }
    | { kind: 'superquadric'; axes: Vector3; e1: number; e2: number }
    | { kind: 'polyhedron'; vertices: Vector3[]; faces: number[][] }
    | { kind: 'mesh' | 'height-field'; mesh: number } // of the model's meshes
    | { kind: 'half-space' } // its outward normal is local z
  );

export interface ModelBody extends BodyDescription {
  mass: number; // kg
  center: Vector3; // of mass, in the body frame
}

// Where an element holds a body.
export interface Anchor {
  body: number; // -1: the world
  point: Vector3; // in the body frame, m
}

// What acts between two bodies besides contact, such as a spring.
export interface ElementJson {
  name: string;
  kind: string; // what it is drawn by
  anchors: [Anchor, Anchor];
  numbers: Record<string, number>; // of its own, by the names of the scene's keys; SI units
  columns: { name: string; unit: string }[]; // that recordings keep of it
}

export type JointKind =
  | 'fixed' | 'revolute' | 'prismatic' | 'screw' | 'cylindrical' | 'universal' | 'ball' | 'planar';

// What acts along one freedom of a joint; SI units, N or N m.
export interface JointFreedom {
  lower: number | null; // of the coordinate; null: none
  upper: number | null;
  friction: number;
  damping: number;
  stiffness: number;
  motor: string; // none, effort, velocity, position
  motor_limit: number | null;
}

export interface JointJson {
  name: string;
  kind: JointKind;
  bodies: [number, number]; // -1: the world
  frames: [PoseJson, PoseJson]; // in the frames of the bodies; z is the axis
  pitch: number; // of a screw, m/rad
  freedoms: JointFreedom[];
}

// Keeps the second coordinate at ratio times the first plus an offset.
export interface CouplingJson {
  name: string;
  joints: [number, number];
  freedoms: [number, number];
  ratio: number;
  offset: number;
  breakaway: number | null; // N or N m; null: it never slips
}

export interface ModelJson {
  title: string;
  world: 'planar' | 'spatial';
  gravity: Vector3;
  parameters: Record<string, number>;
  bodies: ModelBody[];
  materials: string[];
  surfaces: { materials: [number, number]; friction: number; restitution: number }[];
  shapes: ShapeJson[];
  meshes?: MeshJson[]; // which shapes name by number
  elements: ElementJson[];
  joints?: JointJson[];
  couplings?: CouplingJson[];
  constraints?: ConstraintJson[];
  machines?: MachineJson[];
}

// Of the scene, as an expression.
export interface ConstraintJson {
  name: string;
  kind: string; // contact: h >= 0, link: h = 0
  text: string; // h
  reads: string[]; // what its variables are
}

export interface MachineJson {
  name: string;
  states: string[];
}

// Status of a step, in the order of the recording's numbers.
export const statusNames = ['solved', 'inaccurate', 'no solution', 'limit', 'refused'] as const;

// The contacts of one frame, or of many one after the other: one row per contact.
export interface Contacts {
  count: number;
  key: Uint32Array; // 4 a row
  bodies: Int32Array; // 2 a row
  pointA: Float32Array; // 3 a row, m
  pointB: Float32Array;
  normal: Float32Array; // from a to b
  tangent1: Float32Array;
  tangent2: Float32Array;
  impulse: Float32Array; // 3 a row, N s on b, along normal, tangent 1, tangent 2
  velocity: Float32Array; // 3 a row, m/s of b relative to a, same axes
  gap: Float32Array; // m
  friction: Float32Array; // coefficient along tangent 1
  friction2: Float32Array; // along tangent 2: another where friction has an axis
  moment: Float32Array; // 3 a row, N m s on b, about normal, tangent 1, tangent 2; often 0
  turning: Float32Array; // 3 a row, rad/s of b relative to a, same axes; 0 without moments
}

// One frame: views into a decoded block, no copies.
export interface Frame {
  index: number;
  time: number; // s
  step: number;
  kinetic: number; // J
  potential: number; // J
  residual: number; // relative
  penetration: number; // m
  status: number; // into statusNames
  iterations: number;
  active: number; // contacts with an impulse
  model: number;
  uniqueness: number; // of the motion: 0 not asked, 1 unique, 2 unknown, 3 several
  poses: Float32Array; // bodies x 7: x y z, quaternion w x y z
  velocities: Float32Array; // packed
  contacts: Contacts;
  joints: Float32Array; // numbers of joints (joints.ts); empty where there are none
  signals: Float32Array; // of the description's list; empty where they were not asked for
}

// Frames `first`, `first + stride`, ... of a run, decoded. Columns that were not asked for are empty.
export interface FrameBlock {
  first: number;
  stride: number;
  frames: number;
  bodies: number; // with poses in each frame
  entries: number; // velocities in each frame
  time: Float64Array;
  step: Float64Array;
  kinetic: Float64Array;
  potential: Float64Array;
  residual: Float64Array;
  penetration: Float64Array;
  status: Int32Array;
  iterations: Int32Array;
  active: Int32Array;
  model: Int32Array;
  uniqueness: Int32Array;
  contactStart: Uint32Array; // frames + 1
  poses: Float32Array;
  velocities: Float32Array;
  contacts: Contacts;
  jointNumbers: number; // in each frame
  joints: Float32Array;
  signalNumbers: number; // in each frame
  signals: Float32Array;
  bytes: number; // in memory
}

// A run with its models loaded.
export interface Run {
  description: Description;
  models: (version: number) => ModelJson;
}
