import { env } from 'node:process';
import fc from 'fast-check';
import { vi } from 'vitest';
import { emptyPostgresStore } from '../../../test/support/empty-postgres-store.ts';
import { storeContract } from '../contract/store-contract.ts';

// Each step asks a server; `npm run storage-properties` runs each property as often as on SQLite.
if (!env['TEST_PROPERTIES_WHOLE']) fc.configureGlobal({ numRuns: 5 });
vi.setConfig({ testTimeout: 180_000 });
storeContract('postgres', emptyPostgresStore);
