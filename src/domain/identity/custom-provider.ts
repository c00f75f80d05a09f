/** Takes the place of a provider id in a URL: there, the holder of a wrapped key sees what remains of its limits. */
export const OWN_LIMITS = 'limits';

/** Kinds of providers that the operator can add. */
export const PROVIDER_KINDS = [
  'openai-compatible',
  'azure-openai',
  'azure-anthropic',
  'vertex',
  'bedrock',
  'bedrock-openai',
  'bedrock-anthropic',
  'aws-anthropic',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Deployments of one provider. */
export const DEPLOYMENTS_MAX = 500;
export const DEPLOYMENT_NAME_CHARS_MAX = 256;

/** A provider that the operator added. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  /** With the path prefix that its clients write, usually `/v1`. */
  readonly url: string;
  /** Provider whose list prices apply; null = only custom prices. */
  readonly priceProvider: string | null;
  /** Absent or null = the kind that the URL implies. */
  readonly kind?: ProviderKind | null | undefined;
  /** Region that signatures name; absent or null = the URL says it, or nothing is signed. */
  readonly region?: string | null | undefined;
  /** Name of a deployment → its model. */
  readonly deployments?: Readonly<Record<string, string>> | undefined;
}

const ADDRESS_SETTING = /^SVC_([A-Z][A-Z0-9_]{0,31})_URL$/;

/** Returns the name of the setting that says where a provider is reached: `SVC_ANTHROPIC_URL`. */
export function addressSetting(providerId: string): string {
  return `SVC_${providerId.toUpperCase().replaceAll('-', '_')}_URL`;
}

/** Returns the id of the provider that a setting moves, by the setting's form alone; null = it has another form. */
export function movedProvider(setting: string): string | null {
  const [, name] = ADDRESS_SETTING.exec(setting) ?? [];
  return name === undefined ? null : name.toLowerCase().replaceAll('_', '-');
}
