import type { ReactNode } from 'react';
import { Breakable } from '../ui/values.tsx';

interface ActorProps {
  /** ID, or a word such as `owner` for actors without one; null = unknown. */
  readonly id: string | null;
  /** Name from the service; for a person with the email address. */
  readonly name: string | null;
}

/** Shows who did something; for a person with the email address below the name. */
export function Actor({ id, name }: ActorProps): ReactNode {
  const text = actorText(id, name);
  const person = PERSON.exec(text)?.groups;
  if (!person) return text;
  return (
    <>
      {person['name']}
      <span className="soft beneath">
        <Breakable text={person['email'] ?? ''} />
      </span>
    </>
  );
}

/**
 * Returns the display name of an actor.
 * @param actor ID, or a word for actors without one; null = unknown
 * @param name of a person or an access token; null = neither
 */
export function actorText(actor: string | null, name: string | null): string {
  if (name !== null) return name;
  if (actor === null) return 'Unknown';
  return ACTOR_NAMES[actor] ?? actor;
}

const ACTOR_NAMES: Readonly<Record<string, string>> = {
  owner: 'Command line',
  system: 'Tollbook',
  resolve_uncertain_calls: 'Tollbook (provider report)',
  demo: 'Demo',
};

const PERSON = /^(?<name>.*) <(?<email>[^<>]*)>$/su;
