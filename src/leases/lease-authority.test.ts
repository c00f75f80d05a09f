import { openMemoryLeases } from '../../test/support/lease-stores.ts';
import { leasesContract } from '../storage/contract/leases-contract.ts';

leasesContract('memory', openMemoryLeases);
