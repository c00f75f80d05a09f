import { requestBounds } from '../contract/request-contract.ts';
import { compatibleProvider } from './compatible.ts';
import { COMPATIBLE_ROWS } from './rows.ts';

const url = 'data:image/png;base64,iVBORw0KGgo';
const chat = (...content: unknown[]) => ({ model: 'some-model', messages: [{ role: 'user', content }] });

for (const row of COMPATIBLE_ROWS)
  requestBounds(compatibleProvider(row), '/chat/completions', {
    dearTool: { ...chat({ type: 'text', text: 'Hi' }), tools: [{ type: 'web_search' }] },
    picture: chat({ type: 'image_url', image_url: { url } }),
    unknownPart: chat({ type: 'hologram' }),
  });
