import { vi } from 'vitest';
import { emptyPostgresStore } from '../../../test/support/empty-postgres-store.ts';
import { againstMemory } from '../contract/memory-contract.ts';

// It asks a server thousands of times, which takes long beside other tests.
vi.setConfig({ testTimeout: 180_000 });
againstMemory('PostgreSQL', emptyPostgresStore, 20);
