import { expect, test } from 'vitest';
import { startProviderDouble } from '../doubles/provider-double.ts';
import { runLine } from '../run-line.ts';
import { startService } from '../service.ts';

test('calls are followed from the newest ones on, each once, until the service stops', async () => {
  const double = await startProviderDouble();
  const service = await startService({ urls: double.urls });
  const key = await service.createKey('anthropic', { name: 'followed' });
  const other = await service.createKey('anthropic', { name: 'other' });
  const call = async (secret: string): Promise<void> => {
    const answer = await fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: '{"model":"claude-haiku-4-5","max_tokens":50,"messages":[{"role":"user","content":"Hello"}]}',
    });
    await answer.arrayBuffer();
  };
  const heard = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  let lines = 0;
  const onOut = (text: string): void => {
    for (const _ of text.trimEnd().split('\n')) heard[lines++]?.resolve();
  };
  const following = runLine('calls --follow --key followed --no-color', {
    env: { SVC_DATA_DIR: service.dataDir },
    onOut,
  });
  await heard[0]?.promise;
  for (const line of heard.slice(1)) {
    await call(other);
    await call(key);
    await line.promise;
  }
  await service.close();
  const { code, out, err } = await following;
  expect([code, err]).toEqual([1, 'tollbook: The service was stopped.\n']);
  const [head, ...rows] = out.trimEnd().split('\n');
  expect(head).toMatch(/^STARTED +STATUS +MODEL +KEY +IN +OUT +COST$/);
  expect(rows).toHaveLength(3);
  for (const row of rows) expect(row).toMatch(/ 200 +claude-haiku-4-5 +followed +\d+ +\d+ +\$0\.\d{4}$/);
  await double.close();
});
