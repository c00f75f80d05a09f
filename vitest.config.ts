import { env, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findChromium } from './test/browser/chromium.ts';
import { CLICKHOUSE_TESTED } from './test/support/clickhouse-server.ts';
import { findMemoryFolder } from './test/support/memory-folder.ts';
import { POSTGRES_TESTED } from './test/support/postgres-server.ts';

const browserTests = 'test/browser/**/*.test.ts';
// Where tests decide, a missing browser fails them; where somebody works on something else, it does not.
const browserMissing = findChromium() === null && !env['CI'];
if (browserMissing)
  stderr.write('Skipped: the tests in a browser. There is no Chromium; install it, or name it in CHROMIUM.\n');

// Tests that run once more with PostgreSQL. Secrets and providers in files are SQLite's alone.
const recordTests = [
  'src/{storage/records,accounts}/*.test.ts',
  'src/jobs/claimed-job.test.ts',
  'src/notifications/deliveries/delivery-runner.test.ts',
];
const fileTests = ['src/**/*-file.test.ts'];
// The whole service, with the guarantees that depend most on its database; `npm run service-postgres` runs more of them.
const serviceTests = [
  'crash',
  'limits-cap',
  'limits-crash',
  ...(env['TEST_SERVICE_MORE'] ? ['limits-alerts', 'live', 'reports-crash'] : []),
].map((name) => `test/e2e/${name}.test.ts`);
const storageTests = 'src/storage/**/*.test.ts';
// These have no other engine.
const postgresTests = ['src/storage/postgres/**/*.test.ts', 'test/**/postgres*.test.ts'];
if (!POSTGRES_TESTED)
  stderr.write(
    'Skipped: the tests on PostgreSQL. There is none; install it (Debian: postgresql), or set TEST_POSTGRES_URL.\n',
  );
// ClickHouse has the entries, and PostgreSQL the rest.
const clickhouseTests = ['src/storage/clickhouse/**/*.test.ts', 'test/**/clickhouse*.test.ts'];
if (!CLICKHOUSE_TESTED)
  stderr.write(
    "Skipped: the tests on ClickHouse. There is none; install its engine (npm run install-clickhouse), or set TEST_CLICKHOUSE_URL to a server's.\n",
  );
const skipped = [
  '**/node_modules/**',
  ...(POSTGRES_TESTED ? [] : postgresTests),
  ...(POSTGRES_TESTED && CLICKHOUSE_TESTED ? [] : clickhouseTests),
];

const memoryFolder = findMemoryFolder();

// Many tests start processes of their own, and wait for them: those keep what Node makes of each TypeScript file.
// A machine may be many times as busy as the one on which a test takes some seconds.
const usual = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // The usual second is too short there.
  expect: { poll: { timeout: 60_000 } },
  env: {
    NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tollbook-tests', import.meta.url)),
    // Nothing waits for a disk there, and what a killed process wrote stays.
    ...(memoryFolder !== null && { TMPDIR: memoryFolder }),
  },
};

const serviceBundle = './test/support/service-bundle.ts';

export default defineConfig({
  test: {
    maxWorkers: '100%',
    globalSetup: ['./test/support/postgres-launcher.ts', './test/support/clickhouse-launcher.ts'],
    projects: [
      {
        test: {
          ...usual,
          name: 'parts',
          include: ['src/**/*.test.ts', 'dashboard/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...skipped, storageTests],
          // Hundreds of files import the same modules: each worker loads them once.
          isolate: false,
        },
      },
      {
        test: {
          ...usual,
          name: 'storage',
          include: [storageTests],
          exclude: skipped,
        },
      },
      {
        test: {
          ...usual,
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...skipped, browserTests],
          globalSetup: serviceBundle,
        },
      },
      ...(POSTGRES_TESTED
        ? [
            {
              test: {
                ...usual,
                name: 'postgres',
                include: recordTests,
                exclude: fileTests,
                provide: { engine: 'postgres' as const },
              },
            },
            {
              test: {
                ...usual,
                name: 'service-postgres',
                include: serviceTests,
                globalSetup: serviceBundle,
                env: { ...usual.env, TEST_ENGINE: 'postgres' },
              },
            },
          ]
        : []),
      ...(browserMissing
        ? []
        : [
            {
              test: {
                ...usual,
                name: 'browser',
                include: [browserTests],
                globalSetup: [serviceBundle, './test/browser/setup.ts'],
                testTimeout: 300_000,
                hookTimeout: 300_000,
              },
            },
          ]),
    ],
  },
});
