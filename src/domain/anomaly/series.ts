/** Usage of one series in one UTC hour. */
export interface HourBucket {
  /** Start of the hour, epoch ms, a multiple of 3,600,000. */
  readonly hour: number;
  /** Nano-USD. */
  readonly cost: number;
  /** null = not known, as in a file that has only costs. */
  readonly calls: number | null;
  readonly failed: number | null;
  readonly tokens: number | null;
}

export const SCOPE_KINDS = ['workspace', 'key', 'tag', 'model', 'provider'] as const;
export type ScopeKind = (typeof SCOPE_KINDS)[number];

/** Identifies a series. */
export interface SeriesScope {
  readonly kind: ScopeKind;
  /** A key's id, a model, a provider's id, a tag's value; '' for the whole workspace. */
  readonly id: string;
  /** The tag's name; '' where it is no tag. */
  readonly tag: string;
}

export interface SpendSeries {
  readonly scope: SeriesScope;
  /** Name in sentences: `the workspace`, `key ci`, `model gpt-5`, `team=search`. */
  readonly name: string;
  /** Ascending by hour, each hour at most once. An hour that is absent had nothing. */
  readonly hours: readonly HourBucket[];
}

export const SENSITIVITIES = ['low', 'normal', 'high'] as const;
export type DetectionSensitivity = (typeof SENSITIVITIES)[number];

export interface DetectSettings {
  readonly sensitivity: DetectionSensitivity;
  /** Least excess that is reported, in nano-USD. */
  readonly minExcessNano: number;
}

export const WHOLE_WORKSPACE: SeriesScope = { kind: 'workspace', id: '', tag: '' };

/** Equal scopes have equal texts, for instance `key:key_1` or `tag:team=search`. */
export function scopeKey({ kind, id, tag }: SeriesScope): string {
  if (kind === 'workspace') return 'workspace';
  return kind === 'tag' ? `tag:${tag}=${id}` : `${kind}:${id}`;
}

/** Returns the scope as alerts write it: `{}` for the whole workspace, `{ key: … }`, `{ 'tag:team': … }`. */
export function scopeRecord({ kind, id, tag }: SeriesScope): Readonly<Record<string, string>> {
  if (kind === 'workspace') return {};
  return { [kind === 'tag' ? `tag:${tag}` : kind]: id };
}
