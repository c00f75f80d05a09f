import type { ProviderShape } from '../../../../src/contract/providers.ts';

export type ProviderKind = NonNullable<ProviderShape['kind']>;

interface KindText {
  readonly name: string;
  /** Parts from which the address follows; absent = the address is entered. */
  readonly place?: 'region' | 'region and project';
}

/** Texts of the kinds of providers that can be added. */
export const KIND_TEXTS: Readonly<Record<ProviderKind, KindText>> = {
  'openai-compatible': { name: 'OpenAI-compatible' },
  'azure-openai': { name: 'Azure OpenAI' },
  'azure-anthropic': { name: 'Claude on Microsoft Foundry' },
  vertex: { name: 'Vertex AI', place: 'region and project' },
  bedrock: { name: 'Amazon Bedrock', place: 'region' },
  'bedrock-openai': { name: 'Bedrock, OpenAI’s form', place: 'region' },
  'bedrock-anthropic': { name: 'Bedrock, Anthropic’s form', place: 'region' },
  'aws-anthropic': { name: 'Claude Platform on AWS', place: 'region' },
};

export const PROVIDER_KINDS = Object.keys(KIND_TEXTS) as readonly ProviderKind[];
