import { openaiLibraries } from '../openai/clients.ts';
import type { FirstCall, MakeClientLines } from '../provider.ts';

export const COMPATIBLE_FIRST_CALL: FirstCall = {
  path: '/chat/completions',
  body: ['{"model":"MODEL",', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

export const COMPATIBLE_CLIENTS: readonly MakeClientLines[] = openaiLibraries({
  typescript: [
    'const answer = await client.chat.completions.create({',
    "  model: 'MODEL',",
    "  messages: [{ role: 'user', content: 'Hello' }],",
    '});',
  ],
  python: [
    'answer = client.chat.completions.create(',
    '    model="MODEL",',
    '    messages=[{"role": "user", "content": "Hello"}],',
    ')',
  ],
});
