import { type CustomProvider, PROVIDER_KINDS, type ProviderKind } from '../../domain/identity/custom-provider.ts';
import { compatibleProvider } from '../compatible/compatible.ts';
import { ADDED_HARMLESS } from '../compatible/harmless-fields.ts';
import { BOTH } from '../compatible/rows.ts';
import type { DeploymentModels, Provider } from '../provider.ts';
import type { AddedProvider } from './added-provider.ts';
import { azureAnthropic } from './azure-anthropic.ts';
import { azureOpenai } from './azure-openai.ts';
import { awsAnthropic, bedrockAnthropic, bedrockOpenai } from './aws-forms.ts';
import { bedrock } from './bedrock.ts';
import { vertex } from './vertex.ts';

interface KindRow {
  /** Hosts whose URLs imply this kind, with one of the paths. */
  readonly host: RegExp | null;
  /** null = any path. */
  readonly paths: readonly string[] | null;
  /** Path of the API; null = the URL is complete. */
  readonly path: string | null;
  readonly build: (added: AddedProvider) => Provider;
}

/** Hosts of the resources of Azure OpenAI and Foundry, in all Azure clouds. */
const AZURE_HOST = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;
/** Hosts of Vertex AI, for one region, several or all. */
const VERTEX_HOST = /(?:^|-)aiplatform\.(?:(?:us|eu)\.rep\.)?googleapis\.com$/;
const BEDROCK_HOST = /(?:^|\.)bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;
const MANTLE_HOST = /(?:^|\.)bedrock-mantle\.[a-z0-9-]+\.api\.aws$/;
const PLATFORM_HOST = /^aws-external-anthropic\.[a-z0-9-]+\.api\.aws$/;

const KINDS: Readonly<Record<ProviderKind, KindRow>> = {
  'azure-anthropic': {
    host: AZURE_HOST,
    paths: ['/anthropic', '/anthropic/v1'],
    path: '/anthropic',
    build: azureAnthropic,
  },
  'azure-openai': {
    host: AZURE_HOST,
    paths: ['', '/openai', '/openai/v1'],
    path: '/openai/v1',
    build: azureOpenai,
  },
  vertex: { host: VERTEX_HOST, paths: null, path: null, build: vertex },
  bedrock: { host: BEDROCK_HOST, paths: null, path: null, build: bedrock },
  'bedrock-anthropic': {
    host: MANTLE_HOST,
    paths: ['/anthropic', '/anthropic/v1'],
    path: '/anthropic',
    build: bedrockAnthropic,
  },
  'bedrock-openai': { host: MANTLE_HOST, paths: ['', '/v1'], path: '/v1', build: bedrockOpenai },
  'aws-anthropic': { host: PLATFORM_HOST, paths: null, path: null, build: awsAnthropic },
  'openai-compatible': { host: null, paths: [], path: null, build: buildCompatible },
};

/** Builds an added provider. The kind follows from the URL, unless it is named. */
export function buildAdded({ id, name, url, region, priceProvider, kind, deployments = {} }: CustomProvider): Provider {
  const row = KINDS[addedKind({ kind, url })];
  const names: DeploymentModels = new Map(Object.entries(deployments));
  return row.build({ id, name, url: completeUrl(url, row), region, priceProvider, deployments: names });
}

/** Returns the kind of an added provider: the named one, or the one that the URL implies. */
export function addedKind({ kind, url }: Pick<CustomProvider, 'kind' | 'url'>): ProviderKind {
  if (kind) return kind;
  const { hostname, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  const fits = ({ host, paths }: KindRow): boolean =>
    host !== null && host.test(hostname) && (paths === null || paths.includes(path));
  return PROVIDER_KINDS.find((each) => fits(KINDS[each])) ?? 'openai-compatible';
}

/** Returns the URL without a trailing slash, and with the path of the API if it has a part of it or none. */
function completeUrl(url: string, { paths, path }: KindRow): string {
  const bare = url.replace(/\/+$/, '');
  const { pathname } = new URL(bare);
  const given = pathname.replace(/\/+$/, '');
  if (path === null || (given !== '' && !paths?.includes(given))) return bare;
  return bare.slice(0, bare.length - given.length) + path;
}

function buildCompatible({ id, name, url, priceProvider, deployments }: AddedProvider): Provider {
  return compatibleProvider({
    id,
    name,
    url,
    priceProvider,
    includeUsage: true,
    maxima: BOTH,
    harmless: ADDED_HARMLESS,
    keyCheckPath: '/models',
    isKeyless: true,
    hasChat: true,
    deployments: deployments.size > 0 ? deployments : null,
  });
}
