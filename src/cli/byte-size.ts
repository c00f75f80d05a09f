import { TollbookError } from '../domain/errors.ts';

const SIZES = { '': 1, B: 1, KiB: 1_024, MiB: 1_024 ** 2 } as const;

/** Bytes of `1MiB`, `512KiB` or `4096`. */
export function readByteSize(text: string, option: string): number {
  const match = /^(\d{1,9}) ?(B|KiB|MiB)?$/.exec(text.trim());
  if (match) return Number(match[1]) * SIZES[(match[2] ?? '') as keyof typeof SIZES];
  throw new TollbookError('invalid', `"${text}" is not a valid size; for example: ${option} 1MiB, 512KiB or 4096.`);
}
