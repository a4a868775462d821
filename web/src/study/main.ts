// SPDX-License-Identifier: Apache-2.0
// Starts the page of a study. For tests and scripts it is reachable as `window.vinciStudy`:
//   ready  promise that is fulfilled when all cases that were there at the start are shown
//   model  the state of the page
import { pageStyle } from '../ui/styles';
import { startTheme } from '../ui/theme';
import type { StudyApp } from './app';
import './app';
import { StudyModel } from './model';
import { studySource } from './source';

declare global {
  interface Window {
    vinciStudy: { ready: Promise<void>; model: StudyModel };
  }
}

const model = new StudyModel(studySource(document));

async function start(): Promise<void> {
  const style = document.createElement('style');
  style.textContent = pageStyle;
  document.head.append(style);
  document.getElementById('opening')?.remove();
  startTheme(model);
  const app = document.createElement('vinci-study') as StudyApp;
  app.model = model;
  document.body.append(app);
  model.addEventListener('data', () => {
    if (model.description) document.title = model.description.title || model.description.name;
  });
  await model.open();
  await app.updateComplete;
}

window.vinciStudy = { ready: start(), model };
