import { requestBounds } from '../contract/request-contract.ts';
import { anthropic } from './anthropic.ts';

const said = (content: unknown) => ({ model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content }] });
const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo' };

requestBounds(anthropic, '/v1/messages', {
  dearTool: { ...said('Hi'), tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  picture: said([{ type: 'image', source }]),
  unknownPart: said([{ type: 'hologram' }]),
});
