// SPDX-License-Identifier: Apache-2.0
// Plays a run in headless Chromium for some seconds and prints pictures a second, milliseconds of
// the page's own work a picture, and memory. 60 a second leave 16.7 ms for a picture; how many
// refreshes there are is up to the compositor, which also works in software here.
// Usage: node viewer.mjs ADDRESS
import { chromium } from '../../web/node_modules/playwright-core/index.mjs';

const seconds = 10;

// Runs in the page before its own script.
function leaveOutDrawing() {
  for (const name of Object.getOwnPropertyNames(WebGL2RenderingContext.prototype))
    if (name.startsWith('drawArrays') || name.startsWith('drawElements'))
      WebGL2RenderingContext.prototype[name] = () => {};
}

// Runs in the page: plays, and watches every picture.
async function play(duration) {
  const { player } = window.vinci;
  player.seek(player.start);
  player.loop = true;
  player.play();
  let pictures = 0;
  let shown = -1;
  const gaps = [];
  const work = [];
  const start = performance.now();
  let last = start;
  await new Promise((resolve) => {
    const look = (now) => {
      gaps.push(now - last);
      last = now;
      const frame = window.vinci.state().frames[0];
      if (frame !== shown) ++pictures;
      shown = frame;
      work.push(window.vinci.view.statistics().milliseconds);
      if (now - start > duration * 1000) resolve(undefined);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const elapsed = (performance.now() - start) / 1000;
  player.pause();
  const middle = (values, part) => values.sort((a, b) => a - b)[Math.floor(part * (values.length - 1))];
  return {
    elapsed,
    refreshes: gaps.length / elapsed,
    shown: pictures / elapsed,
    late: middle(gaps, 0.95),
    draw: middle([...work], 0.5),
    slowDraw: middle(work, 0.95),
    heap: performance.memory ? performance.memory.usedJSHeapSize / 1e6 : NaN,
  };
}

const root = process.getuid?.() === 0;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [...(root ? ['--no-sandbox'] : []), '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
         '--enable-precise-memory-info', '--disable-background-networking'],
});
try {
  for (const drawn of [false, true]) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    if (!drawn) await page.addInitScript(leaveOutDrawing);
    await page.goto(process.argv[2]);
    await page.evaluate(() => window.vinci.ready);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });  // CPU time
    const scripts = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find((metric) => metric.name === 'TaskDuration').value;
    };
    const before = await scripts();
    const result = await page.evaluate(play, seconds);
    const busy = (await scripts()) - before;
    console.log(
      `${drawn ? 'software WebGL   ' : 'without drawing  '} ` +
      `${result.refreshes.toFixed(1)} refreshes a second, ${result.shown.toFixed(1)} new pictures, ` +
      `95 % within ${result.late.toFixed(0)} ms; scene ${result.draw.toFixed(1)} ms a picture ` +
      `(95 %: ${result.slowDraw.toFixed(1)}); all of the main thread ` +
      `${(1000 * busy / (result.refreshes * result.elapsed)).toFixed(1)} ms of CPU a refresh; ` +
      `heap ${result.heap.toFixed(0)} MB`);
    await page.close();
  }
} finally {
  await browser.close();
}
