// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Player, speedName, speeds } from '../src/player';

function playerOf(end: number): Player {
  const player = new Player();
  player.setRange(0, end);
  return player;
}

describe('the player', () => {
  it('plays simulated time at its speed', () => {
    const player = playerOf(10);
    player.speed = 0.1;
    player.play();
    for (let i = 0; i < 60; ++i) player.advance(1 / 60);
    expect(player.time).toBeCloseTo(0.1, 12);
  });

  it('stops at the end, and plays from the start again', () => {
    const player = playerOf(1);
    player.play();
    player.advance(3);
    expect([player.time, player.playing]).toEqual([1, false]);
    player.play();
    expect([player.time, player.playing]).toEqual([0, true]);
  });

  it('loops to where it would be, however long the picture took', () => {
    const player = playerOf(2);
    player.loop = true;
    player.play();
    player.advance(4.5);
    expect(player.time).toBeCloseTo(0.5, 12);
    expect(player.playing).toBe(true);
  });

  it('waits at the end of a run that grows, and goes on with it', () => {
    const player = playerOf(1);
    player.play();
    player.advance(3, true);
    expect([player.time, player.playing]).toEqual([1, true]);
    player.setRange(0, 1.5, false);
    player.advance(0.2, true);
    expect(player.time).toBeCloseTo(1.2, 12);
  });

  it('stays at the end of a growing run if it is there, and nowhere else', () => {
    const player = playerOf(1);
    player.seek(1);
    player.setRange(0, 2, true);
    expect(player.time).toBe(2);
    player.seek(0.5);
    player.setRange(0, 3, true);
    expect(player.time).toBe(0.5);
  });

  it('does not play a run of one frame, nor seek to what is no time', () => {
    const player = playerOf(0);
    player.play();
    player.seek(NaN);
    expect([player.playing, player.time]).toEqual([false, 0]);
    player.seek(5);
    expect(player.time).toBe(0);
  });

  it('walks through its speeds and stops at both ends', () => {
    const player = playerOf(1);
    for (let i = 0; i < 20; ++i) player.faster();
    expect(player.speed).toBe(10);
    for (let i = 0; i < 20; ++i) player.slower();
    expect(player.speed).toBe(0.01);
    expect(speeds.map(speedName)[0]).toBe('1/100×');
    expect(speedName(5)).toBe('5×');
  });
});
