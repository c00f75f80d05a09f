import { callClaudeInPython, callClaudeInTypescript } from '../anthropic/claude-lines.ts';
import { compatibleProvider } from '../compatible/compatible.ts';
import { ADDED_HARMLESS } from '../compatible/harmless-fields.ts';
import { BOTH } from '../compatible/rows.ts';
import { python, typescript } from '../client-lines.ts';
import { setKey, UNSIGNED } from '../provider-key.ts';
import type { MakeClientLines, Provider } from '../provider.ts';
import type { AddedProvider } from './added-provider.ts';
import { anthropicForm } from './anthropic-form.ts';
import { isSigningKey, refuseAwsKey, signAws } from './aws-key.ts';
import { requireRegion } from './aws-region.ts';

/** Members of a provider whose requests are signed for a service of AWS, or have a key of it in a header. */
function awsKeys(
  service: string,
  { url, region: given }: AddedProvider,
  setOwn: (headers: Record<string, string>, key: string) => void,
): Pick<Provider, 'authorize' | 'sign' | 'refuseKey'> {
  const region = requireRegion(url, given);
  return {
    authorize: (headers, key) =>
      isSigningKey(key) ? setKey(headers, 'authorization', UNSIGNED) : setOwn(headers, key),
    sign: (request, key, now) => signAws(request, key, now, { service, region }),
    refuseKey: refuseAwsKey,
  };
}

const MANTLE = 'bedrock-mantle';
const setBearer = (headers: Record<string, string>, key: string): void =>
  setKey(headers, 'authorization', `Bearer ${key}`);

/** Builds Bedrock's address for OpenAI's form (Bedrock docs, "Chat Completions API"). */
export function bedrockOpenai(added: AddedProvider): Provider {
  const { id, name, url, priceProvider, deployments } = added;
  const provider = compatibleProvider({
    id,
    name,
    url,
    priceProvider: priceProvider ?? 'aws',
    includeUsage: true,
    maxima: BOTH,
    harmless: ADDED_HARMLESS,
    keyCheckPath: '/models',
    isKeyless: false,
    hasChat: true,
    deployments: deployments.size > 0 ? deployments : null,
  });
  return { ...provider, ...awsKeys(MANTLE, added, setBearer) };
}

const MANTLE_CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('@anthropic-ai/bedrock-sdk', 'AnthropicBedrockMantle', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
      import: "import { AnthropicBedrockMantle } from '@anthropic-ai/bedrock-sdk';",
      call: callClaudeInTypescript('anthropic.claude-haiku-4-5'),
    }),
];

/** Builds Bedrock's address for Anthropic's form (Bedrock docs, "Inference using Anthropic Messages API"). */
export function bedrockAnthropic(added: AddedProvider): Provider {
  return {
    ...anthropicForm(added, { prices: 'aws', keepsModel: true }),
    ...awsKeys(MANTLE, added, setBearer),
    clients: MANTLE_CLIENTS,
  };
}

const PLATFORM_CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    python('anthropic', 'Anthropic', [`api_key="${key}",`, `base_url="${address}",`], {
      import: 'from anthropic import Anthropic',
      call: callClaudeInPython('claude-haiku-4-5', ['extra_headers={"anthropic-workspace-id": "WORKSPACE"},']),
    }),
];

/** Builds Anthropic's own platform on AWS (Claude docs, "Claude Platform on AWS"): Anthropic's form, models and prices. */
export function awsAnthropic(added: AddedProvider): Provider {
  return {
    ...anthropicForm(added, { prices: 'anthropic', keepsModel: false }),
    ...awsKeys('aws-external-anthropic', added, (headers, key) => setKey(headers, 'x-api-key', key)),
    clients: PLATFORM_CLIENTS,
  };
}
