import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'words', include: ['src/**/*.test.ts'] } },
      { test: { name: 'page', include: ['e2e/**/*.test.ts'], testTimeout: 60_000, fileParallelism: false } },
    ],
  },
});
