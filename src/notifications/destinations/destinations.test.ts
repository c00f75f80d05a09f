import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WEBHOOK_TYPES } from '../../domain/alerts/webhook-kinds.ts';
import { NOTICE_KINDS } from './destination.ts';

test.each(WEBHOOK_TYPES)('%s passes the destination contract and has recorded requests', (type) => {
  const file = `${type.toLowerCase()}.test.ts`;
  expect({ file, exists: existsSync(`src/notifications/destinations/${file}`) }).toEqual({ file, exists: true });
  const names = NOTICE_KINDS.map((kind) => `${type.toLowerCase()}-${kind}.json`);
  expect(names.filter((name) => !existsSync(`src/notifications/destinations/contract/requests/${name}`))).toEqual([]);
});
