// SPDX-License-Identifier: Apache-2.0
// Keeps the most recently used values up to a number of bytes. The newest one stays even if it alone
// is larger, else it could not be shown at all.

export class BlockCache<Value extends { bytes: number }> {
  private readonly values = new Map<string, Value>(); // oldest use first
  private held = 0;

  constructor(private capacity: number) {}

  get limit(): number {
    return this.capacity;
  }

  set limit(bytes: number) {
    this.capacity = bytes;
    this.forget(null);
  }

  get bytes(): number {
    return this.held;
  }

  get size(): number {
    return this.values.size;
  }

  has(key: string): boolean {
    return this.values.has(key);
  }

  get(key: string): Value | undefined {
    const value = this.values.get(key);
    if (value === undefined) return undefined;
    this.values.delete(key);
    this.values.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.values.set(key, value);
    this.held += value.bytes;
    this.forget(key);
  }

  // Drops the oldest until the rest is within the limit, or the one to keep is reached.
  private forget(kept: string | null): void {
    for (const [oldest] of this.values) {
      if (this.held <= this.capacity || oldest === kept) break;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.values.clear();
    this.held = 0;
  }

  delete(key: string): void {
    const value = this.values.get(key);
    if (value === undefined) return;
    this.values.delete(key);
    this.held -= value.bytes;
  }
}
