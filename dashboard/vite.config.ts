import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { helpDocuments } from './help/documents.mjs';

const SERVICE = 'http://localhost:4700';

export default defineConfig({
  plugins: [helpDocuments(), react()],
  // Everything is a separate file: the content security policy forbids inline scripts.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // One chunk for shared code: thirty small ones would load six at a time.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'shared', test: /dashboard\/src\/shared\/(?!filter\/filter-bar)/ }],
        },
      },
    },
  },
  server: { port: 4701, strictPort: true, proxy: { '/api': SERVICE, '/openapi.json': SERVICE } },
});
