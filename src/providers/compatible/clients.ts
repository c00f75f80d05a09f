import { openaiLibraries } from '../openai/clients.ts';
import type { FirstCall, MakeClientLines } from '../provider.ts';

export const firstCall: FirstCall = {
  path: '/chat/completions',
  body: ['{"model":"MODEL",', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

export const clients: readonly MakeClientLines[] = openaiLibraries({
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
