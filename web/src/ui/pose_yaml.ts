// SPDX-License-Identifier: Apache-2.0
// A pose as a scene says it: `position` of every joint. Joints of robots stand below their robot.
import { Quaternion } from 'three';

import type { JointJson, ModelJson } from '../data/types';
import { jointPlace } from '../scene/joint_motion';
import type { Posing } from '../scene/posing';

const plain = /^[A-Za-z_][\w-]*$/;
const words = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'null', 'y', 'n']);

function key(name: string): string {
  return plain.test(name) && !words.has(name.toLowerCase()) ? name : JSON.stringify(name);
}

// Ten digits: far finer than what loops have to be closed to.
function number(value: number): string {
  return String(Number(value.toPrecision(10)) + 0);
}

function position(joint: JointJson, q: number[]): string | null {
  if (q.length === 0) return null;
  if (joint.kind !== 'ball') return q.length === 1 ? number(q[0]) : `[${q.map(number).join(', ')}]`;
  // Scenes turn the second body along the axes of the first.
  const [w, x, y, z] = joint.frames[0].rotation;
  const axes = new Quaternion(x, y, z, w);
  const turned = axes.clone().multiply(jointPlace(joint, q).r).multiply(axes.conjugate());
  return `{quaternion: [${[turned.w, turned.x, turned.y, turned.z].map(number).join(', ')}]}`;
}

export function poseYaml(model: ModelJson, posing: Posing): string {
  const own: string[] = [];
  const robots = new Map<string, string[]>();
  model.joints?.forEach((joint, j) => {
    const text = posing.isDriven(j) ? null : position(joint, posing.valuesOf(j));
    if (text === null) return;
    const dot = joint.name.indexOf('.');
    const line = `${key(joint.name.slice(dot + 1))}: {position: ${text}}`;
    if (dot <= 0) own.push(`  ${line}`);
    else {
      const robot = joint.name.slice(0, dot);
      robots.set(robot, [...(robots.get(robot) ?? []), `      ${line}`]);
    }
  });
  const lines = own.length > 0 ? ['joints:', ...own] : [];
  if (robots.size > 0) lines.push('robots:');
  for (const [robot, joints] of robots) lines.push(`  ${key(robot)}:`, '    joints:', ...joints);
  return lines.length > 0 ? `${lines.join('\n')}\n` : '';
}
