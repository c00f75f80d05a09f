import { Fragment, type ReactNode } from 'react';

/** An address or a name of parts reads on in the next line before @, and after what divides its parts. */
const PARTS = /@?[^@:/_.=-]*[:/_.=-]|@?[^@:/_.=-]+|@/gu;

/** Text without spaces, which breaks between its parts where it has to. */
export function Breakable({ text }: { readonly text: string }): ReactNode {
  return Array.from(text.matchAll(PARTS), ({ index, 0: part }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
