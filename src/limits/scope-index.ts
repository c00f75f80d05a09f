import type { CallContext } from '../domain/usage/call-context.ts';
import { countsAgents, type Limit, scopeKeyId } from '../domain/limits/limit.ts';
import { changeList } from './list-map.ts';
import { type ModelNames, ModelPatterns } from './model-patterns.ts';
import type { CounterSeries } from './counter-series.ts';

/** The properties of a call that decide which limits apply to it. */
export interface LimitSubject {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly provider: string;
  /** Name in the request. */
  readonly model: string;
  /** Name that it is priced under; null = no price. */
  readonly pricedModel: string | null;
  /** Further models that may answer or be asked by tools; absent = none. */
  readonly otherModels?: readonly ModelNames[];
  /** Any model may answer; absent = only the named ones. */
  readonly anyModel?: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** Session, agent and run; absent = none. */
  readonly context?: CallContext;
}

/** Properties that all calls of a wrapped key share. */
export type KeySubject = Omit<LimitSubject, 'model' | 'pricedModel' | 'otherModels' | 'anyModel'>;

/**
 * The series of one workspace, found by the properties of a call: one look-up per property, however many limits there
 * are.
 */
export class ScopeIndex {
  readonly #everything: CounterSeries[] = [];
  readonly #keys = new Map<string, CounterSeries[]>();
  readonly #providers = new Map<string, CounterSeries[]>();
  readonly #models = new ModelPatterns<CounterSeries>();
  /** Tag key → value → series. */
  readonly #tags = new Map<string, Map<string, CounterSeries[]>>();
  /** Limits on each agent, by the key whose calls they count; null = all keys. */
  readonly #agentLimits = new Map<string | null, number>();
  size = 0;

  add(series: CounterSeries): void {
    this.#change(series.limit, (list) => list.push(series));
    this.#countAgentLimit(series.limit, 1);
    this.size += 1;
  }

  remove(series: CounterSeries): void {
    this.#change(series.limit, (list) => {
      const at = list.indexOf(series);
      if (at >= 0) list.splice(at, 1);
    });
    this.#countAgentLimit(series.limit, -1);
    this.size -= 1;
  }

  /** Reports whether a limit on each agent counts the calls of a key. */
  countsAgents(keyId: string): boolean {
    return this.#agentLimits.size > 0 && (this.#agentLimits.has(null) || this.#agentLimits.has(keyId));
  }

  /** Collects every series that counts a call. */
  find(subject: LimitSubject, found: CounterSeries[]): void {
    push(found, this.#everything);
    push(found, this.#keys.get(subject.keyId));
    push(found, this.#providers.get(subject.provider));
    if (this.#models.size > 0) this.#findByModel(subject, found);
    if (this.#tags.size === 0) return;
    for (const key in subject.tags) push(found, this.#tags.get(key)?.get(subject.tags[key] ?? ''));
  }

  /** Returns every series that may count a call of a key. */
  findForKey({ keyId, provider, tags }: KeySubject): CounterSeries[] {
    const found = [...this.#everything, ...this.#models.all()];
    push(found, this.#keys.get(keyId));
    push(found, this.#providers.get(provider));
    for (const [key, value] of Object.entries(tags)) push(found, this.#tags.get(key)?.get(value));
    return found;
  }

  /** Each series once, however many of the call's models its pattern matches. */
  #findByModel(subject: LimitSubject, found: CounterSeries[]): void {
    const { otherModels, anyModel } = subject;
    if (anyModel) return push(found, [...this.#models.all()]);
    const asked = this.#models.find(subject);
    if (otherModels === undefined || otherModels.length === 0) return push(found, asked);
    const series = new Set(asked);
    for (const names of otherModels) for (const each of this.#models.find(names)) series.add(each);
    push(found, [...series]);
  }

  #change({ scope }: Limit, act: (list: CounterSeries[]) => void): void {
    switch (scope.kind) {
      // A call without the tag is counted too, under a separate value.
      case 'workspace':
      case 'each_tag':
        return act(this.#everything);
      case 'each':
        return scope.keyId === null ? act(this.#everything) : changeList(this.#keys, scope.keyId, act);
      case 'key':
        return changeList(this.#keys, scope.keyId, act);
      case 'provider':
        return changeList(this.#providers, scope.provider, act);
      case 'model':
        return this.#models.change(scope.pattern, act);
      case 'tag':
        return this.#changeTag(scope.key, scope.value, act);
      default:
        scope satisfies never;
    }
  }

  #countAgentLimit(limit: Limit, change: 1 | -1): void {
    if (!countsAgents(limit)) return;
    const keyId = scopeKeyId(limit.scope);
    const limits = (this.#agentLimits.get(keyId) ?? 0) + change;
    if (limits > 0) this.#agentLimits.set(keyId, limits);
    else this.#agentLimits.delete(keyId);
  }

  #changeTag(key: string, value: string, act: (list: CounterSeries[]) => void): void {
    const values = this.#tags.get(key) ?? new Map<string, CounterSeries[]>();
    changeList(values, value, act);
    if (values.size > 0) this.#tags.set(key, values);
    else this.#tags.delete(key);
  }
}

function push(found: CounterSeries[], list: readonly CounterSeries[] | undefined): void {
  if (list) for (const series of list) found.push(series);
}
