import { storeContract } from '../../../src/storage/contract/store-contract.ts';
import { openMemoryStore } from './memory-store.ts';

storeContract('memory', openMemoryStore);
