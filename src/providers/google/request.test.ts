import { expect, test } from 'vitest';
import { requestBounds } from '../contract/request-contract.ts';
import { google } from './google.ts';

const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo' };
const said = (part: unknown, more = {}) => ({ contents: [{ role: 'user', parts: [part] }], ...more });

for (const model of ['gemini-2.5-flash', 'gemini-3.8-flash'])
  requestBounds(google, `/v1beta/models/${model}:generateContent`, {
    dearTool: said({ text: 'Hi' }, { tools: [{ googleSearch: {} }] }),
    picture: said({ inlineData }),
    unknownPart: said({ hologram: {} }),
  });

test.each([
  ['/v1beta/cachedContents', 'storage is billed by the hour'],
  ['/cachedContents/a', 'storage is billed by the hour'],
  ['/v1beta/files', 'what other keys have stored'],
])('%s is refused with the reason and what helps', (path, reason) => {
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
    expect(google.route(method, path)).toMatchObject({
      kind: 'none',
      status: 404,
      reason: expect.stringMatching(new RegExp(`${reason}.*Served paths`)) as string,
    });
});
