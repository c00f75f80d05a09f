/** Stands where a provider's id does in an address: there the holder of a wrapped key sees what is left for it. */
export const OWN_LIMITS = 'limits';

/** An OpenAI-compatible provider that the operator added. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  /** With the path prefix that its clients write, usually `/v1`. */
  readonly url: string;
  /** Whose prices apply; null = only the user's own. */
  readonly priceProvider: string | null;
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
