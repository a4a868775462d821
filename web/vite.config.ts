// SPDX-License-Identifier: Apache-2.0
// Builds the page as one file, dist/viewer.html: script and style inline, no address of anything
// outside, and a policy in it that forbids the browser to ask any but the page's own server.
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
].join('; ');

// Text that an inline script may hold: nothing in it ends the script or opens a comment.
function scriptText(code: string): string {
  return code.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '\\x3C!--');
}

function oneFile(): Plugin {
  return {
    name: 'vinci-one-file',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file) => file.fileName === 'index.html') as OutputAsset | undefined;
      if (!page) throw new Error('the build made no index.html');
      let html = String(page.source);
      for (const file of files) {
        if (file === page) continue;
        html = inlined(html, file);
        delete bundle[file.fileName];
      }
      html = html.replace(
        '<head>',
        () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      );
      delete bundle['index.html'];
      this.emitFile({ type: 'asset', fileName: 'viewer.html', source: html });
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

export default defineConfig({
  base: './',
  plugins: [oneFile()],
  server: served(process.env.VINCI_ADDRESS),
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 100_000_000,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
  test: { include: ['tests/*.test.ts'], environment: 'node', testTimeout: patience },
});
