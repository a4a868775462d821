// SPDX-License-Identifier: Apache-2.0
// Where a study comes from: the server that sent the page, or the page itself.
import { unpacked } from '../data/embedded_source';
import { answer, jsonAnswer } from '../data/http_source';
import { parseStudy, type StudyDescription } from './description';
import { decodeCaseBlock, type CaseBlock } from './table';

export interface ReplayState {
  state: 'running' | 'done' | 'failed';
  same?: boolean | null; // as in the study, bit for bit
  error?: string;
}

export interface StudySource {
  readonly canReplay: boolean;
  readonly mayGrow: boolean;
  description(): Promise<StudyDescription>;
  block(first: number, columns: number): Promise<CaseBlock>;
  report(): Promise<unknown>;
  replay(number: number): Promise<ReplayState>;
}

export function studySource(page: Document): StudySource {
  return page.getElementById('vinci-study') ? new EmbeddedStudy(page) : new HttpStudy();
}

class HttpStudy implements StudySource {
  readonly canReplay = true;
  readonly mayGrow = true;

  async description(): Promise<StudyDescription> {
    return parseStudy(await jsonAnswer('api/study'));
  }

  async block(first: number, columns: number): Promise<CaseBlock> {
    return decodeCaseBlock(await (await answer(`api/study/cases?first=${first}`)).arrayBuffer(), columns);
  }

  report(): Promise<unknown> {
    return jsonAnswer('api/study/report');
  }

  async replay(number: number): Promise<ReplayState> {
    return (await jsonAnswer(`cases/${number}/state`)) as ReplayState;
  }
}

class EmbeddedStudy implements StudySource {
  readonly canReplay = false;
  readonly mayGrow = false;
  private next = 0; // block

  constructor(private readonly page: Document) {}

  async description(): Promise<StudyDescription> {
    return parseStudy(this.json('vinci-study'));
  }

  // In their order: the table asks for one after the other.
  async block(_first: number, columns: number): Promise<CaseBlock> {
    const element = this.page.querySelectorAll('script.vinci-study-block')[this.next++];
    if (!element) throw new Error('the page is cut off: it has fewer cases than it says');
    return decodeCaseBlock(await unpacked(element.textContent ?? ''), columns);
  }

  async report(): Promise<unknown> {
    return this.json('vinci-study-report');
  }

  replay(): Promise<ReplayState> {
    return Promise.reject(new Error('a page of its own cannot simulate'));
  }

  private json(id: string): unknown {
    try {
      return JSON.parse(this.page.getElementById(id)?.textContent ?? '');
    } catch {
      throw new Error('the study in this page is damaged');
    }
  }
}
