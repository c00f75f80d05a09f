import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './copy-block.module.css';
import { Icon } from './icon.tsx';

interface CopyBlockProps {
  /** What is shown and copied, exactly. */
  readonly text: string;
  /** What it is, for who doesn't see it: "curl", "wrapped key". */
  readonly name: string;
  /** It is what the page or the dialog is there for, and is shown only now: its button has the focus. */
  readonly first?: boolean;
}

/** Text that is ready to use: lines for a terminal, code, a secret that is shown once. */
export function CopyBlock({ text, name, first = false }: CopyBlockProps): ReactNode {
  const clipboard = useClipboard({ timeout: 2_000 });
  return (
    <div className={styles.block}>
      {/* It scrolls where it is too wide, so that the keyboard must be able to reach it. */}
      <pre className={styles.text} tabIndex={0} role="group" aria-label={name}>
        {text}
      </pre>
      <Button
        size="xs"
        variant="default"
        autoFocus={first}
        data-first={first || undefined}
        leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} size={15} />}
        onClick={() => clipboard.copy(text)}
      >
        {clipboard.copied ? 'Copied' : 'Copy'}
        <span className="visually-hidden"> {name}</span>
      </Button>
    </div>
  );
}
