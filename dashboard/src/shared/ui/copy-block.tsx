import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import styles from './copy-block.module.css';
import { Icon } from './icon.tsx';

interface CopyBlockProps {
  /** The exact text to show and copy. */
  readonly text: string;
  /** Accessible name: "curl", "wrapped key". */
  readonly name: string;
  /** Focuses the button: for secrets, which are shown only once. */
  readonly first?: boolean;
}

/** Text with a copy button: commands, code, secrets. */
export function CopyBlock({ text, name, first = false }: CopyBlockProps): ReactNode {
  const clipboard = useClipboard({ timeout: 2_000 });
  return (
    <div className={styles.block}>
      {/* Wide text scrolls, so the keyboard must be able to focus it. */}
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
