import { env } from 'node:process';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { anyOrder } from '../contract/observed-contract.ts';

anyOrder(() => emptySqliteStore(), Number(env['TEST_WINDOW_RUNS'] ?? 1_000));
