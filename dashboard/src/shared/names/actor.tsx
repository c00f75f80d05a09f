import type { ReactNode } from 'react';
import { Breakable } from '../theme/breakable.tsx';
import { actorText } from './actor-text.ts';

const PERSON = /^(?<name>.*) <(?<email>[^<>]*)>$/su;

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
