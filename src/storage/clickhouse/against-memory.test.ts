import { env } from 'node:process';
import { vi } from 'vitest';
import { emptyClickhouseStore } from '../../../test/support/empty-clickhouse-store.ts';
import { againstMemory } from '../contract/memory-contract.ts';

vi.setConfig({ testTimeout: 300_000 });
againstMemory('ClickHouse', emptyClickhouseStore, env['TEST_PROPERTIES_WHOLE'] ? 20 : 2);
