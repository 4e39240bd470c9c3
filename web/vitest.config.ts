import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'words', include: ['src/**/*.test.ts'] } },
      { test: { name: 'bench', include: ['bench/**/*.test.ts'], testTimeout: 600_000, fileParallelism: false } },
      { test: { name: 'page', include: ['e2e/**/*.test.ts'], testTimeout: 240_000, fileParallelism: false } },
    ],
  },
});
