import { python, typescript } from '../client-lines.ts';
import type { FirstCall, MakeClientLines } from '../provider.ts';

export const ANTHROPIC_FIRST_CALL: FirstCall = {
  path: '/v1/messages',
  body: ['{"model":"claude-haiku-4-5","max_tokens":64,', ' "messages":[{"role":"user","content":"Hello"}]}'],
};

export const ANTHROPIC_CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('@anthropic-ai/sdk', 'Anthropic', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
      import: "import Anthropic from '@anthropic-ai/sdk';",
      call: [
        'const answer = await client.messages.create({',
        "  model: 'claude-haiku-4-5',",
        '  max_tokens: 64,',
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '});',
      ],
    }),
  (address, key) =>
    python('anthropic', 'Anthropic', [`api_key="${key}",`, `base_url="${address}",`], {
      import: 'from anthropic import Anthropic',
      call: [
        'answer = client.messages.create(',
        '    model="claude-haiku-4-5",',
        '    max_tokens=64,',
        '    messages=[{"role": "user", "content": "Hello"}],',
        ')',
      ],
    }),
  (address, key) => ({
    client: 'Claude Code',
    lines: [`export ANTHROPIC_BASE_URL=${address}`, `export ANTHROPIC_AUTH_TOKEN=${key}`, 'claude'],
  }),
];
