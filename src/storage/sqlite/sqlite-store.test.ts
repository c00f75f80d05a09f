import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import { storeContract } from '../contract/store-contract.ts';

storeContract('sqlite', () => emptySqliteStore());
