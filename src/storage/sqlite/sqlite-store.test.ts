import { emptySqliteStore } from '../contract/empty-database.ts';
import { storeContract } from '../contract/store-contract.ts';

storeContract('sqlite', () => emptySqliteStore());
