// SPDX-License-Identifier: Apache-2.0
// The state of the page: the study as far as it is known, which cases are chosen, and the loop that
// asks for more.
import { message } from '../data/source';
import type { Theme } from '../palette';
import { isAnswerOfDesign, type Column, type StudyDescription } from './description';
import { designsOf, type DesignJson } from './designs';
import { intervalRule, type Interval, type IntervalRule } from './interval';
import type { StudySource } from './source';
import { CaseTable } from './table';

const livePeriod = 1000; // ms
const idlePeriod = 4000; // a study that stands still may be resumed
const rateWindow = 20; // s of wall time

export interface Brush {
  from: number;
  to: number;
}

// 'data': more cases, or another description; 'change': what is chosen, or how it looks.
export type StudyEvent = 'data' | 'change';

export class StudyModel extends EventTarget {
  description: StudyDescription | null = null;
  table = new CaseTable(0);
  report: Record<string, unknown> | null = null;
  problem = '';
  readonly options: { theme: Theme } = { theme: 'light' };
  readonly brushes = new Map<number, Brush>(); // by column
  chosen: Uint8Array | null = null; // rows within all brushes; null: all of them
  chosenCount = 0;
  replayed: { number: number; others: number[] } | null = null;
  interval: IntervalRule = intervalRule(0.95, false);
  rate: number | null = null; // cases a second of wall time
  private designs = new Map<number, DesignJson>(); // of the report, those with a probability
  private readonly history: { time: number; cases: number }[] = [];
  private reported = '';

  constructor(readonly source: StudySource) {
    super();
  }

  get columns(): Column[] {
    return this.description?.columns ?? [];
  }

  // The verdict of the row is a draw: not placed by a strategy, not an answer of the whole design.
  isDraw(row: number): boolean {
    const it = this.description;
    return it !== null && it.draws && !isAnswerOfDesign(it.levels, this.table.levels[row], this.table.verdicts[row]);
  }

  // Of draws of one design. Where those that are unknown are not like the others, whatever they were.
  cellInterval(successes: number, failures: number, unknown: number): Interval {
    const known = successes + failures, found = this.interval(successes, known);
    if (unknown === 0 || !this.description?.open) return found;
    return { value: found.value, lower: this.interval(successes, known + unknown).lower,
             upper: this.interval(successes + unknown, known + unknown).upper };
  }

  // Of a cell that has all cases of a design, its interval is that of the report, which knows by what
  // the cases ended. Null where the report does not tell of just these.
  designInterval(design: number, successes: number, failures: number, unknown: number): Interval | null {
    const it = this.designs.get(design);
    if (!it || it.verdicts.successes !== successes || it.verdicts.failures !== failures || it.verdicts.unknown !== unknown) return null;
    const { value, lower, upper } = it.probability;
    return { value: value ?? NaN, lower, upper };
  }

  announce(event: StudyEvent): void {
    this.dispatchEvent(new Event(event));
  }

  setTheme(theme: Theme): void {
    document.documentElement.dataset.theme = theme;
    this.options.theme = theme;
    this.announce('change');
  }

  setBrush(column: number, brush: Brush | null): void {
    if (brush) this.brushes.set(column, brush);
    else this.brushes.delete(column);
    this.choose();
    this.announce('change');
  }

  clearBrushes(): void {
    this.brushes.clear();
    this.choose();
    this.announce('change');
  }

  // Shows a case in the player, or what is known of it where there is none.
  replay(number: number, others: number[] = []): void {
    this.replayed = { number, others };
    this.announce('change');
  }

  closeReplay(): void {
    this.replayed = null;
    this.announce('change');
  }

  // Follows the study until it is complete. Fulfilled when all cases that are there now are shown.
  async open(): Promise<void> {
    await this.load();
    if (this.source.mayGrow) this.schedule();
  }

  private schedule(): void {
    const period = this.description?.running && !this.problem ? livePeriod : idlePeriod;
    if (this.description?.complete && this.description.rows === this.table.rows) return;
    setTimeout(() => void this.load().then(() => this.schedule()), period);
  }

  private async load(): Promise<void> {
    try {
      do await this.loadPart();
      while (this.source.mayGrow && this.table.rows < (this.description?.cases ?? 0));
      await this.loadReport();
      this.problem = '';
    } catch (error) {
      this.problem = message(error);
    }
    this.announce('data');
  }

  private async loadPart(): Promise<void> {
    const before = this.description;
    const now = await this.source.description();
    if (!before || before.generation !== now.generation || before.columns.length !== now.columns.length) {
      this.table = new CaseTable(now.columns.length);
      this.history.length = 0;
      this.interval = intervalRule(now.cellConfidence, now.exact);
    }
    this.description = now;
    this.note(now);
    while (this.table.rows < now.rows) {
      const block = await this.source.block(this.table.rows, now.columns.length);
      if (block.generation !== now.generation) return; // begun anew in between
      if (block.rows === 0) throw new Error('the study has fewer cases than it says');
      this.table.add(block);
      this.choose();
      this.announce('data');
    }
  }

  private async loadReport(): Promise<void> {
    const key = `${this.description?.generation} ${this.description?.rounds} ${this.description?.complete}`;
    if (key === this.reported) return;
    this.report = (await this.source.report()) as Record<string, unknown>;
    this.designs = designsOf(this.report);
    this.reported = key;
  }

  // How fast it went lately.
  private note({ cases, running }: StudyDescription): void {
    const time = performance.now() / 1000;
    if (this.history.at(-1)?.cases === cases && !running) return void (this.rate = null);
    this.history.push({ time, cases });
    while (this.history.length > 2 && time - this.history[0].time > rateWindow) this.history.shift();
    const first = this.history[0];
    this.rate = running && time - first.time > 0.5 ? (cases - first.cases) / (time - first.time) : null;
  }

  private choose(): void {
    if (this.brushes.size === 0) {
      this.chosen = null;
      this.chosenCount = this.table.rows;
      return;
    }
    const chosen = new Uint8Array(this.table.rows).fill(1);
    for (const [column, { from, to }] of this.brushes) {
      const values = this.table.columns[column];
      for (let i = 0; i < chosen.length; ++i)
        if (!(values[i] >= from && values[i] <= to)) chosen[i] = 0;
    }
    this.chosen = chosen;
    this.chosenCount = chosen.reduce((sum, one) => sum + one, 0);
  }
}
