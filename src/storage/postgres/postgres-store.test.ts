import { vi } from 'vitest';
import { emptyPostgresStore } from '../../../test/support/empty-postgres-store.ts';
import { storeContract } from '../contract/store-contract.ts';

// Properties ask a server thousands of times, which takes long beside other tests.
vi.setConfig({ testTimeout: 180_000 });
storeContract('postgres', emptyPostgresStore);
