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
