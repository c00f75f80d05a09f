import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFields } from '../../shared/ui/fields.ts';

interface FindCallProps {
  /** What is looked for at present. */
  readonly found: string | undefined;
  readonly onFind: (id: string | undefined) => void;
}

/** Finds calls by any id that people have: Tollbook's, the provider's, or an assistant's session. */
export function FindCall({ found, onFind }: FindCallProps): ReactNode {
  const submit = useFields((fields) => onFind(fields('id') || undefined));
  return (
    <form className="row" role="search" aria-label="Find a call" onSubmit={submit}>
      <TextInput
        // Another search begins with its own text.
        key={found}
        name="id"
        type="search"
        aria-label="Id of a call, a request, an answer or a session"
        placeholder="Call, request or session id"
        defaultValue={found}
      />
      <Button type="submit" variant="default">
        Find
      </Button>
      {found !== undefined && (
        <Button variant="subtle" onClick={() => onFind(undefined)}>
          All calls
        </Button>
      )}
    </form>
  );
}
