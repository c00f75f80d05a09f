import { storeContract } from '../contract/store-contract.ts';
import { openStore } from '../open.ts';

storeContract('sqlite', () => openStore({ file: ':memory:' }));
