// SPDX-License-Identifier: Apache-2.0
// The program `vinci` in a folder: recordings, pages and servers for the tests.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const scenes = process.env.VINCI_SCENES ?? new URL('../../../../scenes', import.meta.url).pathname;

export type Row = Record<string, string>;

// Programs that a test started and has not ended: none may outlive it.
export class Children {
  private readonly running = new Set<ChildProcess>();

  start(program: string, args: string[], folder: string): ChildProcess {
    const { DISPLAY: _x, WAYLAND_DISPLAY: _wayland, ...env } = process.env; // opens no window
    const child = spawn(program, args, { cwd: folder, env });
    this.running.add(child);
    child.once('exit', () => this.running.delete(child));
    return child;
  }

  async end(): Promise<void> {
    for (const child of [...this.running]) await stop(child, 'SIGKILL');
  }
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  return (await ended)[0] as number | null;
}

// What the child prints until it matches.
export function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (part: Buffer): void => {
      text += part.toString();
      const found = text.match(pattern);
      if (found) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}, having said: ${text}`)));
  });
}

export class Workshop {
  constructor(
    readonly folder: string,
    readonly program = process.env.VINCI_PROGRAM ?? 'vinci',
  ) {}

  path(name: string): string {
    return join(this.folder, name);
  }

  address(name: string): string {
    return pathToFileURL(this.path(name)).href;
  }

  write(name: string, text: string | Uint8Array): void {
    writeFileSync(this.path(name), text);
  }

  read(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  // A scene that comes with the project.
  scene(name: string): string {
    return join(scenes, `${name}.yaml`);
  }

  readScene(name: string): string {
    return readFileSync(this.scene(name), 'utf8');
  }

  async vinci(...args: string[]): Promise<string> {
    const options = { cwd: this.folder, maxBuffer: 1 << 28 };
    return (await promisify(execFile)(this.program, args, options)).stdout;
  }

  async run(scene: string, recording: string, ...more: string[]): Promise<void> {
    await this.vinci('run', scene, '-o', recording, '--quiet', ...more);
  }

  async page(name: string, ...recordings: string[]): Promise<void> {
    await this.vinci('view', ...recordings, '--html', name);
  }

  // A table of `vinci export`: contacts, states, steps or joints.
  async table(recording: string, table: 'contacts' | 'states' | 'steps' | 'joints'): Promise<Row[]> {
    const folder = `${recording}-tables-${table}`;
    await this.vinci('export', recording, '--csv', folder);
    const [head, ...lines] = this.read(join(folder, `${table}.csv`))
      .toString()
      .trimEnd()
      .split('\n');
    const names = head.split(',');
    return lines.map((line) => {
      const cells = line.split(',');
      return Object.fromEntries(names.map((name, i) => [name, cells[i]]));
    });
  }

  // A server; its address.
  async serve(
    children: Children,
    ...args: string[]
  ): Promise<{ address: string; child: ChildProcess }> {
    const child = children.start(
      this.program,
      ['view', '--json', '--no-browser', ...args],
      this.folder,
    );
    const [, address] = await printed(child, /"address":\s*"([^"]+)"/);
    return { address, child };
  }
}
