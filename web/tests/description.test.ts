// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { parseModel } from '../src/data/description';
import type { ModelJson } from '../src/data/types';
import { syntheticRun } from './support/synthetic_run';

const { description, models } = syntheticRun({ world: 'planar', bodies: 2, frames: 1 });

const rope = {
  name: 'rope',
  kind: 'spring',
  anchors: [{ body: -1, point: [0, 1, 0] }, { body: 2, point: [0, 0.1, 0] }],
  numbers: { stiffness: 100, damping: 0, length: 0.4 },
  columns: [{ name: 'length', unit: 'm' }],
};

const parsed = (elements: unknown): ModelJson =>
  parseModel(JSON.parse(JSON.stringify({ ...models[0], elements })), description);

describe('the elements of a model', () => {
  it('are as they were written', () => {
    expect(parsed([rope]).elements).toEqual([rope]);
  });

  it('are none where the model has none', () => {
    expect(parsed(undefined).elements).toEqual([]);
    expect(parsed([]).elements).toEqual([]);
  });

  it('may lack numbers and columns', () => {
    const { numbers: _numbers, columns: _columns, ...bare } = rope;
    expect(parsed([bare]).elements).toEqual([{ ...bare, numbers: {}, columns: [] }]);
  });

  it.each([
    ['no list', {}, /its elements are no list/],
    ['no object', [7], /element 0 of the model is damaged/],
    ['no kind', [{ ...rope, kind: 3 }], /“rope” has no kind/],
    ['one anchor', [{ ...rope, anchors: rope.anchors.slice(1) }], /“rope” has not two anchors/],
    ['anchors that are no objects', [{ ...rope, anchors: [1, 2] }], /an anchor of the element “rope”/],
    ['a body that is not there', [{ ...rope, anchors: [rope.anchors[0], { body: 3, point: [0, 0, 0] }] }],
      /holds a body that is not there/],
    ['half a body', [{ ...rope, anchors: [rope.anchors[0], { body: 0.5, point: [0, 0, 0] }] }],
      /holds a body that is not there/],
    ['a point of two numbers', [{ ...rope, anchors: [rope.anchors[0], { body: 1, point: [0, 0] }] }],
      /an anchor that is no point/],
    ['a point that is not finite', [{ ...rope, anchors: [rope.anchors[0], { body: 1, point: [0, null, 0] }] }],
      /an anchor that is no point/],
    ['a number that is none', [{ ...rope, numbers: { stiffness: null } }], /no number for its stiffness/],
    ['columns that are no list', [{ ...rope, columns: 'length' }], /columns that are no list/],
  ])('with %s are refused', (_what, elements, sentence) => {
    expect(() => parsed(elements)).toThrow(sentence);
  });
});
