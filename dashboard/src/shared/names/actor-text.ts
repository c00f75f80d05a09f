/**
 * Who did something, for people.
 * @param actor an id, or a word for who has none; null = it is not known
 * @param name of a person or an access token; null = it is neither
 */
export function actorText(actor: string | null, name: string | null): string {
  if (name !== null) return name;
  if (actor === null) return 'not known';
  return ACTOR_NAMES[actor] ?? actor;
}

const ACTOR_NAMES: Readonly<Record<string, string>> = {
  owner: 'the command line',
  system: 'Tollbook',
  share_uncertain: 'Tollbook, by a report',
  demo: 'the demo',
};
