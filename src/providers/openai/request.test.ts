import { requestBounds } from '../contract/request-contract.ts';
import { openai } from './openai.ts';

const url = 'data:image/png;base64,iVBORw0KGgo';
const answered = (...content: unknown[]) => ({ model: 'gpt-5-mini', input: [{ role: 'user', content }] });
const chat = (...content: unknown[]) => ({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] });

requestBounds(openai, '/responses', {
  dearTool: { model: 'gpt-5-mini', input: 'Hi', tools: [{ type: 'web_search' }] },
  picture: answered({ type: 'input_image', image_url: url }),
  unknownPart: answered({ type: 'hologram' }),
});

requestBounds(openai, '/chat/completions', {
  dearTool: { ...chat({ type: 'text', text: 'Hi' }), tools: [{ type: 'web_search' }] },
  picture: chat({ type: 'image_url', image_url: { url } }),
  unknownPart: chat({ type: 'hologram' }),
});
