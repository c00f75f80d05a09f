import type { ReactNode } from 'react';
import { Breakable } from '../ui/values.tsx';

interface ActorProps {
  /** An id, or a word for who has none; null = it is not known. */
  readonly id: string | null;
  /** As the service tells it: of a person, with the e-mail address. */
  readonly name: string | null;
}

/** Who did something; a person's e-mail address stands beneath the name. */
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

const PERSON = /^(?<name>.*) <(?<email>[^<>]*)>$/su;
