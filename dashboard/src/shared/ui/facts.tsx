import type { ReactNode } from 'react';
import styles from './facts.module.css';

interface FactsProps {
  /** Names with their facts; null facts are left out. */
  readonly of: readonly (readonly [name: string, fact: ReactNode])[];
}

/** Facts about one thing, as a list of names and values. */
export function Facts({ of }: FactsProps): ReactNode {
  const known = of.filter(([, fact]) => fact !== null);
  return (
    <dl className={styles.facts}>
      {known.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
