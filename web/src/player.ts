// SPDX-License-Identifier: Apache-2.0
// The clock of the page: a simulated time that plays, loops, and stops at the ends. It knows nothing
// of frames but their times.

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10] as const; // simulated s a wall s

export class Player {
  time = 0; // s, simulated
  start = 0;
  end = 0;
  playing = false;
  loop = false;
  speed = 1;

  // The range of times to play. At the end of a growing run the player stays at the end.
  setRange(start: number, end: number, stick = false): void {
    const atEnd = stick && this.time >= this.end;
    this.start = start;
    this.end = Math.max(start, end);
    this.time = atEnd ? this.end : Math.min(this.end, Math.max(this.start, this.time));
  }

  get atEnd(): boolean {
    return this.time >= this.end;
  }

  // Starts, from the beginning if it stands at the end.
  play(): void {
    if (this.end <= this.start) return;
    if (this.atEnd) this.time = this.start;
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(this.end, Math.max(this.start, time));
  }

  // Lets so many seconds of wall time pass. `wait`: at the end of a growing run playing goes on when
  // there is more.
  advance(seconds: number, wait = false): void {
    if (!this.playing || !(seconds > 0)) return;
    const span = this.end - this.start;
    let time = this.time + seconds * this.speed;
    if (time >= this.end && this.loop && !wait && span > 0)
      time = this.start + ((time - this.start) % span);
    if (time >= this.end) {
      time = this.end;
      if (!wait) this.playing = false;
    }
    this.time = time;
  }

  faster(): void {
    this.speed = speeds.find((speed) => speed > this.speed * 1.001) ?? this.speed;
  }

  slower(): void {
    this.speed = [...speeds].reverse().find((speed) => speed < this.speed * 0.999) ?? this.speed;
  }
}

// 1/100, 1/2, 1, 10: slow speeds read better as fractions.
export function speedName(speed: number): string {
  return speed < 1 ? `1/${Math.round(1 / speed)}×` : `${speed}×`;
}
