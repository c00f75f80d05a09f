import { env } from 'node:process';
import fc from 'fast-check';
import { vi } from 'vitest';
import { emptyClickhouseStore } from '../../../test/support/empty-clickhouse-store.ts';
import { storeContract } from '../contract/store-contract.ts';

// Each step asks two servers; `npm run storage-properties` runs each property as often as on SQLite.
if (!env['TEST_PROPERTIES_WHOLE']) fc.configureGlobal({ numRuns: 2 });
vi.setConfig({ testTimeout: 300_000 });
storeContract('clickhouse', emptyClickhouseStore);
