import { expect, test } from 'vitest';
import { readJsonBody } from './read-body.ts';

test('a connection that closes inside a body is not an error of the service', async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new Error('aborted')),
  });
  const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' });
  await expect(readJsonBody(request, false, 100)).rejects.toMatchObject({ type: 'invalid' });
});
