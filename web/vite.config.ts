import react from '@vitejs/plugin-react';
import tailwind from '@tailwindcss/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react(), tailwind()],
  // The server replaces it in each answer: scripts and styles without it do not run.
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: Object.fromEntries(['/api', '/openapi.json'].map((path) => [path, process.env['KINTSUGI'] ?? 'http://127.0.0.1:7480'])),
  },
});
