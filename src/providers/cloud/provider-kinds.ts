import type { CustomProvider, ProviderKind } from '../../domain/identity/custom-provider.ts';
import { compatibleProvider } from '../compatible/compatible.ts';
import { ADDED_HARMLESS } from '../compatible/harmless-fields.ts';
import { BOTH } from '../compatible/rows.ts';
import type { DeploymentModels, Provider } from '../provider.ts';
import type { AddedProvider } from './added-provider.ts';
import { azureAnthropic } from './azure-anthropic.ts';
import { azureOpenai } from './azure-openai.ts';
import { bedrock, readRegion } from './bedrock.ts';
import { vertex } from './vertex.ts';

interface KindRow {
  /** Paths of URLs at Azure that imply this kind. */
  readonly paths: readonly string[];
  /** Path of the API; null = the URL is complete. */
  readonly path: string | null;
  readonly build: (added: AddedProvider) => Provider;
}

const KINDS: Readonly<Record<ProviderKind, KindRow>> = {
  'azure-openai': { paths: ['', '/openai', '/openai/v1'], path: '/openai/v1', build: azureOpenai },
  'azure-anthropic': { paths: ['/anthropic', '/anthropic/v1'], path: '/anthropic', build: azureAnthropic },
  vertex: { paths: [], path: null, build: vertex },
  bedrock: { paths: [], path: null, build: bedrock },
  'openai-compatible': { paths: [], path: null, build: buildCompatible },
};

/** Hosts of the resources of Azure OpenAI and Foundry, in all Azure clouds. */
const AZURE_HOST = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

/** Hosts of Vertex AI, for one region, several or all. */
const VERTEX_HOST = /(?:^|-)aiplatform\.(?:(?:us|eu)\.rep\.)?googleapis\.com$/;

/** Builds an added provider. The kind follows from the URL, unless it is named. */
export function buildAdded({ id, name, url, region, priceProvider, kind, deployments = {} }: CustomProvider): Provider {
  const row = KINDS[kind ?? impliedKind(url)];
  const names: DeploymentModels = new Map(Object.entries(deployments));
  return row.build({ id, name, url: completeUrl(url, row), region, priceProvider, deployments: names });
}

function impliedKind(url: string): ProviderKind {
  const { hostname, pathname } = new URL(url);
  if (readRegion(url) !== null) return 'bedrock';
  if (VERTEX_HOST.test(hostname)) return 'vertex';
  if (!AZURE_HOST.test(hostname)) return 'openai-compatible';
  const path = pathname.replace(/\/+$/, '');
  if (KINDS['azure-anthropic'].paths.includes(path)) return 'azure-anthropic';
  return KINDS['azure-openai'].paths.includes(path) ? 'azure-openai' : 'openai-compatible';
}

/** Returns the URL without a trailing slash, and with the path of the API if it has a part of it or none. */
function completeUrl(url: string, { paths, path }: KindRow): string {
  const bare = url.replace(/\/+$/, '');
  const { pathname } = new URL(bare);
  const given = pathname.replace(/\/+$/, '');
  if (path === null || (given !== '' && !paths.includes(given))) return bare;
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
    deployments: deployments.size > 0 ? deployments : null,
  });
}
