import type { ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';

/** The one moment at which a secret is shown. */
export function NewSecretNote({ secret }: { readonly secret: string }): ReactNode {
  return (
    <div className="stack">
      <p>
        It is shown only now. Give it to the program that receives: libraries of Standard Webhooks verify{' '}
        <code>webhook-signature</code> with it, in every language.
      </p>
      <CopyBlock first name="secret" text={secret} />
    </div>
  );
}
