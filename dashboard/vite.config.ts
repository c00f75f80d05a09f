import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SERVICE = 'http://localhost:4700';

export default defineConfig({
  plugins: [react()],
  // Everything is fetched from the service itself: no piece is ever written into the page, where the policy forbids it.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // What pages share comes in one piece and with the first: thirty small ones would be fetched six at a time.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: /dashboard\/src\/shared\/(?!chart\/bar-chart)/ }] } },
    },
  },
  server: { port: 4701, strictPort: true, proxy: { '/api': SERVICE, '/openapi.json': SERVICE } },
});
