import { callClaudeInTypescript } from '../anthropic/claude-lines.ts';
import type { MakeClientLines, Provider } from '../provider.ts';
import { typescript } from '../client-lines.ts';
import type { AddedProvider } from './added-provider.ts';
import { anthropicForm } from './anthropic-form.ts';

const CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('@anthropic-ai/foundry-sdk', 'AnthropicFoundry', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
      import: "import { AnthropicFoundry } from '@anthropic-ai/foundry-sdk';",
      call: callClaudeInTypescript('claude-haiku-4-5'),
    }),
  (address, key) => ({
    client: 'Claude Code',
    lines: [
      'export CLAUDE_CODE_USE_FOUNDRY=1',
      `export ANTHROPIC_FOUNDRY_BASE_URL=${address}`,
      `export ANTHROPIC_FOUNDRY_API_KEY=${key}`,
      'claude',
    ],
  }),
];

/**
 * Builds a resource of Microsoft Foundry with Claude models (Claude docs, "Claude in Microsoft Foundry"): Anthropic's form
 * and prices, and names of deployments, which are those of the models unless the operator chose others.
 */
export function azureAnthropic(added: AddedProvider): Provider {
  return {
    ...anthropicForm(added, { prices: 'anthropic', keepsModel: false }),
    // Deployments in a data zone cost more than global ones. The policy of a key says where they are.
    regional: true,
    clients: CLIENTS,
  };
}
