// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { clock, count, number, plainNumber, quantity, withPowers } from '../src/ui/format';
import { pictureTimes } from '../src/ui/export';

describe('numbers', () => {
  it('show four digits, and powers of ten where they are small or large', () => {
    expect([0, 1.23456, -0.5, 123456, 3.1e-12, 0.001].map((value) => number(value)))
      .toEqual(['0', '1.235', '−0.5000', '1.23×10⁵', '3.10×10⁻¹²', '0.001000']);
  });

  it('that are not finite are a dash, without a unit', () => {
    expect([number(NaN), number(null), quantity(Infinity, 'm')]).toEqual(['–', '–', '–']);
  });

  it('that people wrote keep their digits and no more', () => {
    expect([0.3, 0.01, 1e-6, 2.5e-7, 100000].map(plainNumber)).toEqual(['0.3', '0.01', '10⁻⁶', '2.5×10⁻⁷', '10⁵']);
  });

  it('writes the powers of ten in words of the program as its own', () => {
    expect(withPowers('deepest 1.1e-07 m, of 3e+05')).toBe('deepest 1.1×10⁻⁷ m, of 3×10⁵');
    expect(withPowers('state hash 9ce2afd605c9b9fb, one-e-5')).toBe('state hash 9ce2afd605c9b9fb, one-e-5');
  });

  it('of time tell neighbouring frames apart', () => {
    expect([clock(1.5, 0.01), clock(1.5, 0.001), clock(0, 0)]).toEqual(['1.50', '1.500', '0.000']);
  });

  it('come with the right word', () => {
    expect([count(1, 'body', 'bodies'), count(1234, 'step')]).toEqual(['1 body', '1,234 steps']);
  });
});

describe('the pictures of a video', () => {
  it('are evenly spaced and end at the end of the range', () => {
    expect(pictureTimes({ from: 1, to: 2, speed: 1, pictureRate: 4 })).toEqual([1, 1.25, 1.5, 1.75, 2]);
    expect(pictureTimes({ from: 0, to: 0.3, speed: 0.5, pictureRate: 5 })).toHaveLength(4);
    expect(pictureTimes({ from: 0, to: 0, speed: 1, pictureRate: 30 })).toEqual([0]);
    expect(pictureTimes({ from: 2, to: 1, speed: 1, pictureRate: 30 })).toEqual([]);
  });
});
