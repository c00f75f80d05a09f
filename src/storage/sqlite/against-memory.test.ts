import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { againstMemory } from '../contract/memory-contract.ts';

againstMemory('SQLite', () => emptySqliteStore({ sliceEntries: 3 }), 150);
