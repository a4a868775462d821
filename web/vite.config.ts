// SPDX-License-Identifier: Apache-2.0
// Builds a page as one file, dist/viewer.html, or dist/study.html with --mode study: script and style
// inline, no address of anything outside, and a policy in it that forbids the browser to ask any but
// the page's own server.
import type { OutputAsset, OutputChunk } from 'rollup';
import type { Plugin, ServerOptions } from 'vite';
import { defineConfig } from 'vitest/config';
import { patience } from './tests/support/patience';

const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

// Text that an inline script may hold: nothing in it ends the script or opens a comment.
function scriptText(code: string): string {
  return code.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '\\x3C!--');
}

// Of each page: the file that it is made from, and the one that is made.
const pages = {
  run: { source: 'index.html', file: 'viewer.html', policy },
  // Cases are played in a frame.
  study: { source: 'study.html', file: 'study.html', policy: [...policy, "frame-src 'self'"] },
};

function oneFile({ source, file: made, policy: rules }: typeof pages.run): Plugin {
  return {
    name: 'vinci-one-file',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file) => file.fileName === source) as OutputAsset | undefined;
      if (!page) throw new Error(`the build made no ${source}`);
      let html = String(page.source);
      for (const file of files) {
        if (file === page) continue;
        html = inlined(html, file);
        delete bundle[file.fileName];
      }
      html = html.replace(
        '<head>',
        () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">`,
      );
      delete bundle[source];
      this.emitFile({ type: 'asset', fileName: made, source: html });
    },
  };
}

// The page with the element that names the file replaced by the file itself.
function inlined(html: string, file: OutputAsset | OutputChunk): string {
  const name = file.fileName.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const element =
    file.type === 'chunk'
      ? new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`)
      : new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
  if (!element.test(html)) throw new Error(`nothing in the page names ${file.fileName}`);
  const text =
    file.type === 'chunk'
      ? `<script type="module">\n${scriptText(file.code)}</script>`
      : `<style>\n${String(file.source)}</style>`;
  return html.replace(element, () => text);
}

// `VINCI_ADDRESS=http://127.0.0.1:PORT/TOKEN/ npm run dev` shows the runs of a server.
function served(address: string | undefined): ServerOptions {
  if (!address) return {};
  const { origin, pathname } = new URL(address);
  const rewrite = (path: string): string => pathname.replace(/\/$/, '') + path;
  return { proxy: { '/api': { target: origin, changeOrigin: true, rewrite } } };
}

export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [oneFile(mode === 'study' ? pages.study : pages.run)],
  server: served(process.env.VINCI_ADDRESS),
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000_000,
    chunkSizeWarningLimit: 4000,
    rollupOptions: {
      input: mode === 'study' ? pages.study.source : pages.run.source,
      output: { inlineDynamicImports: true },
    },
  },
  test: { include: ['tests/*.test.ts'], environment: 'node', testTimeout: patience },
}));
