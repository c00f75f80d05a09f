import { emptyPostgresStore } from '../../../test/support/empty-postgres-store.ts';
import { againstMemory } from '../contract/memory-contract.ts';

againstMemory('PostgreSQL', emptyPostgresStore, 20);
