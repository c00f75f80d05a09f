import type { DetectionContext } from './detection-context.ts';
import type { Finding, FindingKind } from './finding.ts';
import { findMovers, moversText, SCOPE_ORDER } from './movers.ts';
import { scopeKey } from './series.ts';

/** Order of kinds: the first one found for a series is reported. */
const KIND_ORDER: readonly FindingKind[] = ['cost', 'errors', 'model_shift', 'volume', 'newcomer', 'drop'];
/** Two views of one incident have about the same excess. */
const ALIKE = 2.5;

/**
 * Reduces findings to one per incident. A series is reported once, spend before other kinds. Findings of the whole
 * workspace include the parts that caused them. Parts are reported alone only when the whole is calm, and once when a
 * key, its tag and its model agree.
 */
export function rollUp(context: DetectionContext, found: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = [];
  for (const finding of found.toSorted(compareFindings)) {
    const home = kept.findIndex((other) => isSameMatter(finding, other));
    const host = kept[home];
    if (host) kept[home] = absorbFinding(host, finding);
    else kept.push(finding.scope.kind === 'workspace' ? addMovers(context, finding) : finding);
  }
  return kept.toSorted((a, b) => b.strength - a.strength || compareFindings(a, b));
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    SCOPE_ORDER[a.scope.kind] - SCOPE_ORDER[b.scope.kind] ||
    KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind) ||
    b.strength - a.strength ||
    (scopeKey(a.scope) < scopeKey(b.scope) ? -1 : 1)
  );
}

function addMovers(context: DetectionContext, finding: Finding): Finding {
  const movers = findMovers(context, finding);
  const covers = movers.map(({ scope }) => scopeKey(scope));
  return { ...finding, movers, covers, text: finding.text + moversText(movers) };
}

function isSameMatter(finding: Finding, host: Finding): boolean {
  if (!canAbsorb(host, finding)) return false;
  if (scopeKey(host.scope) === scopeKey(finding.scope)) return true;
  const sameKind = host.kind === finding.kind;
  if (host.scope.kind === 'workspace')
    return sameKind || host.type === finding.type || host.covers.includes(scopeKey(finding.scope));
  if (host.scope.kind === finding.scope.kind && host.scope.tag === finding.scope.tag) return false;
  if (host.excessNano === 0 || finding.excessNano === 0) return sameKind;
  const ratio = finding.excessNano / host.excessNano;
  return ratio > 1 / ALIKE && ratio < ALIKE;
}

/** A spike of spend includes unusual activity, not the reverse; errors and drops are always separate. */
export function canAbsorb(host: IncidentKind, finding: IncidentKind): boolean {
  if ((host.kind === 'drop') !== (finding.kind === 'drop')) return false;
  return host.type === finding.type || (host.type === 'COST_SPIKE' && finding.type === 'UNUSUAL_ACTIVITY');
}

type IncidentKind = Pick<Finding, 'type' | 'kind'>;

function absorbFinding(host: Finding, finding: Finding): Finding {
  const key = scopeKey(finding.scope);
  const same = key === scopeKey(host.scope);
  const also = same && finding.kind !== host.kind && !host.also.includes(finding.kind) ? [finding.kind] : [];
  const covers = same || host.covers.includes(key) ? [] : [key];
  return { ...host, also: [...host.also, ...also], covers: [...host.covers, ...covers] };
}
