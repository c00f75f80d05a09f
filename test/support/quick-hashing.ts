import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHashing } from '../../src/accounts/auth-library.ts';

const KEY_BYTES = 32;
/** The cheapest of scrypt. */
const COST = { N: 2, r: 1, p: 1 };
const stretch = promisify<string, string, number, object, Buffer>(scrypt);

/** Hashes passwords as the service does, at the smallest cost: most tests of accounts hash many. */
export const QUICK_HASHING: PasswordHashing = {
  async hash(password) {
    const salt = randomBytes(16).toString('hex');
    return await stretched(password, salt);
  },
  async verify({ hash, password }) {
    const [salt = ''] = hash.split(':');
    return (await stretched(password, salt)) === hash;
  },
};

async function stretched(password: string, salt: string): Promise<string> {
  return `${salt}:${(await stretch(password, salt, KEY_BYTES, COST)).toString('hex')}`;
}
