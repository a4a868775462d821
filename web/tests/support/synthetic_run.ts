// SPDX-License-Identifier: Apache-2.0
// Runs made by formula, for tests and for looking at the page without a recording: bodies fall onto a
// floor, slide on it, and stop. Closed form, so that tests know what every frame holds.
import type { Contacts, Description, Frame, Freedom, ModelJson, ShapeJson, Vector3 }
    from '../../src/data/types';

export interface SyntheticOptions {
  world: 'planar' | 'spatial';
  bodies: number; // that move; body 0 is the floor
  frames: number;
  step?: number; // s between frames
  friction?: number;
  name?: string;
}

export interface SyntheticRun {
  description: Description;
  models: ModelJson[];
  frame: (index: number) => Frame;
}

const gravity = 9.81;
const half = 0.1; // m, half the height of each body
const mass = 1; // kg
const speed = 0.8; // m/s along x at the start

export function syntheticRun(options: SyntheticOptions): SyntheticRun {
  const step = options.step ?? 0.01;
  const friction = options.friction ?? 0.3;
  const size = options.world === 'planar' ? 3 : 6;
  const freedom = options.world as Freedom;
  const bodies = Array.from({ length: options.bodies + 1 }, (_, i) => ({
    name: i === 0 ? 'floor' : `part ${i}`,
    freedom: i === 0 ? ('fixed' as Freedom) : freedom,
    velocity_offset: i === 0 ? 0 : (i - 1) * size,
    velocity_size: i === 0 ? 0 : size,
  }));
  const description: Description = {
    name: options.name ?? 'synthetic.h5',
    title: options.bodies === 1 ? 'a body falling onto a floor' : `${options.bodies} bodies falling onto a floor`,
    version: '0.4.0', created: '2026-01-01T00:00:00Z',
    frames: options.frames, finished: true, has_writer: false,
    total_steps: Math.max(0, options.frames - 1), step_size: step,
    duration: Math.max(0, options.frames - 1) * step, world: options.world, bodies, models: 1,
    event_driven: false, events: 0, signals: [],
    lines: [['worst residual', '3.1e-12 relative, in step 42'], ['state hash', '0123456789abcdef']],
    summary: {
      steps: Math.max(0, options.frames - 1), uncertified_steps: 0, contacts_mean: 2 * options.bodies,
      diverged: false, diverged_body: '', several_steps: 0, first_several: 0, largest_distance: 0, state_hash: '0123456789abcdef',
    },
    options: {
      run: { motion: 'dynamic', stepper: 'stewart-trinkle', cone: 'quadratic', solver: 'auto', step },
      plugins: {}, parameters: { mu: friction },
    },
  };
  const model: ModelJson = {
    title: description.title, world: options.world,
    gravity: options.world === 'planar' ? [0, -gravity, 0] : [0, 0, -gravity],
    parameters: { mu: friction },
    bodies: bodies.map((body, i) => ({ ...body, mass: i === 0 ? 0 : mass, center: [0, 0, 0] })),
    materials: ['wood'], surfaces: [{ materials: [0, 0], friction, restitution: 0 }],
    shapes: bodies.map((_, i) => shapeOf(i, options.world)),
    elements: [],
  };
  return { description, models: [model], frame: (index) => frameAt(index, options, step, friction) };
}

function shapeOf(body: number, world: 'planar' | 'spatial'): ShapeJson {
  const placed = {
    body, material: 0,
    offset: { position: [0, 0, 0] as Vector3, rotation: [1, 0, 0, 0] as [number, number, number, number] },
  };
  if (body === 0) return { ...placed, kind: world === 'planar' ? 'half-plane' : 'half-space' };
  if (world === 'planar') {
    if (body % 3 === 0) return { ...placed, kind: 'circle', radius: half };
    return { ...placed, kind: 'polygon', pieces: [[0, 1, 2, 3]],
             vertices: [[-half, -half], [half, -half], [half, half], [-half, half]] };
  }
  switch (body % 4) {
    case 0: return { ...placed, kind: 'sphere', radius: half };
    case 2: return { ...placed, kind: 'cylinder', radius: 0.8 * half, half_height: half };
    default: return { ...placed, kind: 'box', half_extents: [half, half, half] };
  }
}

// Where body i is at time t: falls from `height`, turning to upright, then slides until friction
// stops it.
export function motionOf(body: number, time: number, friction: number) {
  const height = 0.3 + 0.25 * ((body * 7) % 5);
  const landing = Math.sqrt((2 * height) / gravity);
  const stop = speed / (friction * gravity);
  const after = Math.max(0, time - landing);
  const sliding = Math.min(after, stop);
  const flying = time < landing;
  return {
    along: speed * Math.min(time, landing) + speed * sliding - 0.5 * friction * gravity * sliding ** 2,
    above: flying ? height - 0.5 * gravity * time ** 2 : 0,
    angle: flying ? (0.5 + 0.1 * (body % 4)) * (1 - time / landing) : 0,
    speedAlong: flying ? speed : Math.max(0, speed - friction * gravity * after),
    speedDown: flying ? gravity * time : 0,
    touching: !flying,
    sliding: !flying && after < stop,
  };
}

function frameAt(index: number, options: SyntheticOptions, step: number, friction: number): Frame {
  const planar = options.world === 'planar';
  const time = index * step;
  const size = planar ? 3 : 6;
  const poses = new Float32Array((options.bodies + 1) * 7);
  const velocities = new Float32Array(options.bodies * size);
  poses[3] = 1;
  const columns = Math.ceil(planar ? options.bodies : Math.sqrt(options.bodies));
  const rows: number[][] = [];
  let kinetic = 0, potential = 0;
  for (let body = 1; body <= options.bodies; ++body) {
    const motion = motionOf(body, time, friction);
    const x = ((body - 1) % columns) * 0.5 + motion.along;
    const across = Math.floor((body - 1) / columns) * 0.5;
    const up = half + motion.above;
    poses.set(planar ? [x, up, 0, Math.cos(motion.angle / 2), 0, 0, Math.sin(motion.angle / 2)]
                     : [x, across, up, Math.cos(motion.angle / 2), 0, Math.sin(motion.angle / 2), 0],
              body * 7);
    velocities.set(planar ? [motion.speedAlong, -motion.speedDown, 0]
                          : [motion.speedAlong, 0, -motion.speedDown, 0, 0, 0], (body - 1) * size);
    kinetic += 0.5 * mass * (motion.speedAlong ** 2 + motion.speedDown ** 2);
    potential += mass * gravity * up;
    if (motion.touching) rows.push(...contactsOf(body, x, across, motion, planar, step, friction));
  }
  return {
    index, time, step: index, kinetic, potential, residual: 1e-14 * (1 + (index % 17) ** 3),
    penetration: 0, status: 0, iterations: rows.length, active: rows.length, model: 0, uniqueness: 0,
    poses, velocities, contacts: gathered(rows), joints: new Float32Array(), signals: new Float32Array(),
  };
}

// One row: key 4, bodies 2, points 6, normal and tangents 9, impulse 3, velocity 3, gap, friction.
function contactsOf(body: number, x: number, across: number, motion: ReturnType<typeof motionOf>,
                    planar: boolean, step: number, friction: number): number[][] {
  const box = shapeOf(body, planar ? 'planar' : 'spatial').kind === (planar ? 'polygon' : 'box');
  const corners = !box ? [[0, 0]] : planar ? [[-half, 0], [half, 0]]
    : [[-half, -half], [half, -half], [half, half], [-half, half]];
  const normal = (mass * gravity * step) / corners.length;
  const tangential = motion.sliding ? -friction * normal : -0.4 * friction * normal;
  const axes = planar ? [0, 1, 0, 1, 0, 0, 0, 0, 1] : [0, 0, 1, 1, 0, 0, 0, 1, 0];
  return corners.map(([dx, dy], feature) => {
    const point = planar ? [x + dx, 0, 0] : [x + dx, across + dy, 0];
    return [0, body, 0, feature, 0, body, ...point, ...point, ...axes,
            normal, tangential, 0, 0, motion.speedAlong, 0, 0, friction];
  });
}

function gathered(rows: number[][]): Contacts {
  const floats = (begin: number, end: number) =>
      Float32Array.from(rows.flatMap((row) => row.slice(begin, end)));
  return {
    count: rows.length,
    key: Uint32Array.from(rows.flatMap((row) => row.slice(0, 4))),
    bodies: Int32Array.from(rows.flatMap((row) => row.slice(4, 6))),
    pointA: floats(6, 9), pointB: floats(9, 12), normal: floats(12, 15),
    tangent1: floats(15, 18), tangent2: floats(18, 21), impulse: floats(21, 24),
    velocity: floats(24, 27), gap: floats(27, 28), friction: floats(28, 29),
    friction2: floats(28, 29),
    moment: new Float32Array(3 * rows.length),
    turning: new Float32Array(3 * rows.length),
  };
}
