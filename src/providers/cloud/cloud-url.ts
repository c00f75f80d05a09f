import { TollbookError } from '../../domain/errors.ts';
import type { CustomProvider, ProviderKind } from '../../domain/identity/custom-provider.ts';
import { bedrockUrl } from './bedrock.ts';
import { vertexUrl } from './vertex.ts';

/** Address of a provider that the operator adds: its URL, or the place at a cloud from which the URL follows. */
interface ProviderPlace {
  readonly kind: ProviderKind | null;
  readonly url?: string | undefined;
  readonly project?: string | undefined;
  readonly region?: string | undefined;
}

const REGION = /^[a-z]{2,16}(?:-[a-z0-9]{1,16}){0,4}$/;
/** Ids of projects, also those of a domain (`example.com:project`). */
const PROJECT = /^[a-z][a-z0-9.:-]{0,62}[a-z0-9]$/;

const AWS_EXAMPLE = 'us-east-1';
/** URLs by region, of the kinds whose requests are signed for it. */
const AWS_URLS: ReadonlyMap<ProviderKind | null, (region: string) => string> = new Map([
  ['bedrock', bedrockUrl],
  ['bedrock-openai', (region) => `https://bedrock-mantle.${region}.api.aws/v1`],
  ['bedrock-anthropic', (region) => `https://bedrock-mantle.${region}.api.aws/anthropic`],
  ['aws-anthropic', (region) => `https://aws-external-anthropic.${region}.api.aws`],
]);

/** Address of a provider as it is stored. */
type StoredPlace = Pick<CustomProvider, 'url' | 'region'>;

/** Returns the URL of a provider, and its region where signatures need it. Throws a `TollbookError` (`invalid`) that names the field. */
export function providerPlace({ kind, url, project, region }: ProviderPlace): StoredPlace {
  if (url !== undefined) return givenPlace({ kind, url, project, region });
  const awsUrl = AWS_URLS.get(kind);
  if (awsUrl) return { url: awsUrl(requirePlace(REGION, region, 'region', AWS_EXAMPLE)) };
  if (kind !== 'vertex') throw new TollbookError('invalid', 'The URL of the provider is missing.', 'url');
  const place = requirePlace(REGION, region, 'region', 'us-east5');
  return { url: vertexUrl(requirePlace(PROJECT, project, 'project', 'my-project-123'), place) };
}

/** A URL of AWS elsewhere, for example of a private endpoint, needs the region. Other URLs say everything. */
function givenPlace({ kind, url, project, region }: ProviderPlace & { readonly url: string }): StoredPlace {
  if (project === undefined && region === undefined) return { url };
  if (AWS_URLS.has(kind) && project === undefined)
    return { url, region: requirePlace(REGION, region, 'region', AWS_EXAMPLE) };
  throw new TollbookError('invalid', 'Give the URL, or the region (and project). The URL follows from these.', 'url');
}

function requirePlace(form: RegExp, text: string | undefined, field: string, example: string): string {
  if (text !== undefined && form.test(text)) return text;
  throw new TollbookError(
    'invalid',
    text === undefined
      ? `The ${field} is missing. Enter one such as ${example}, or a URL.`
      : `"${text.slice(0, 64)}" is not a valid ${field}. Enter one such as ${example}.`,
    field,
  );
}
