import { emptyPostgresStore } from '../../../test/support/empty-postgres-store.ts';
import { storeContract } from '../contract/store-contract.ts';

storeContract('postgres', emptyPostgresStore);
