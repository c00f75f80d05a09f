import type { IconName } from '../../shared/ui/icon.tsx';

/** Groups of targets, in the order in which they are shown. */
const TARGET_GROUPS = [
  'Pages',
  'Actions',
  'Keys',
  'Limits',
  'Models',
  'People',
  'Sessions',
  'Tags',
  'Periods',
] as const;
export type TargetGroup = (typeof TARGET_GROUPS)[number];

/** Something that the palette opens or does. */
export interface PaletteTarget {
  readonly group: TargetGroup;
  readonly id: string;
  readonly name: string;
  readonly icon: IconName;
  /** More words that find it. */
  readonly words?: string;
  readonly run: () => void;
}

export interface FoundGroup {
  readonly group: TargetGroup;
  readonly targets: readonly PaletteTarget[];
}

/** Offered before anything is typed. */
const OFFERED: ReadonlySet<TargetGroup> = new Set(['Pages', 'Actions', 'Periods']);
const PER_GROUP_MAX = 7;
/** The group of the best match holds this many. */
const FIRST_GROUP_MAX = 12;
const PAGES_MAX = 20;

/** Returns the targets that match, best first in each group, groups by their best match. */
export function findTargets(targets: readonly PaletteTarget[], text: string): readonly FoundGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0)
    return toGroups(
      targets.filter(({ group }) => OFFERED.has(group)).map((target) => ({ target, rank: 0 })),
      () => PAGES_MAX,
    );
  const ranked = targets.flatMap((target) => {
    const rank = rankTarget(target, words);
    return rank === null ? [] : [{ target, rank }];
  });
  return toGroups(ranked, (index) => (index === 0 ? FIRST_GROUP_MAX : PER_GROUP_MAX));
}

interface RankedTarget {
  readonly target: PaletteTarget;
  /** Smaller is better. */
  readonly rank: number;
}

function toGroups(ranked: readonly RankedTarget[], max: (index: number) => number): readonly FoundGroup[] {
  const byGroup = Map.groupBy(ranked, ({ target }) => target.group);
  return TARGET_GROUPS.flatMap((group) => {
    const found = byGroup.get(group)?.toSorted((a, b) => a.rank - b.rank);
    return found ? [{ group, rank: found[0]?.rank ?? 0, targets: found.map(({ target }) => target) }] : [];
  })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ group, targets }, index) => ({ group, targets: targets.slice(0, max(index)) }));
}

const AT_START = 0;
const AT_WORD = 1;
const INSIDE = 2;
const BY_OTHER_WORDS = 3;

/** Returns the sum of the ranks of all words; null = one does not match. */
function rankTarget({ name, words = '' }: PaletteTarget, asked: readonly string[]): number | null {
  let sum = 0;
  for (const word of asked) {
    const rank = rankWord(name.toLowerCase(), words.toLowerCase(), word);
    if (rank === null) return null;
    sum += rank;
  }
  return sum;
}

function rankWord(name: string, others: string, word: string): number | null {
  const at = name.indexOf(word);
  if (at === 0) return AT_START;
  if (at > 0) return /[\p{L}\p{N}]/u.test(name[at - 1] ?? '') ? INSIDE : AT_WORD;
  return others.includes(word) ? BY_OTHER_WORDS : null;
}

const CALL_ID = /^call_[\w-]{1,64}$/;

/** Returns the page of a call by its ID; null = the text is no call ID. */
export function findCallPath(text: string): string | null {
  const id = text.trim();
  return CALL_ID.test(id) ? `/calls/${id}` : null;
}
