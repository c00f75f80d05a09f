import type { ReactNode } from 'react';
import { formatChange } from '../../../../src/domain/text/percent.ts';
import styles from './change-mark.module.css';

interface ChangeMarkProps {
  readonly now: number;
  readonly before: number;
}

/** The change against the previous period: `+12%`, `new`; nothing if there was no usage in either. */
export function ChangeMark({ now, before }: ChangeMarkProps): ReactNode {
  if (now === 0 && before === 0) return null;
  const tone = now > before ? 'more' : now < before ? 'less' : 'same';
  return (
    <span className={styles.change} data-tone={tone}>
      {formatChange(now, before) ?? 'new'}
    </span>
  );
}
