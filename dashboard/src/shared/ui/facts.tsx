import type { ReactNode } from 'react';
import styles from './facts.module.css';

interface FactsProps {
  /** A name and what is true of it; a fact that is null is left out. */
  readonly of: readonly (readonly [name: string, fact: ReactNode])[];
}

/** What is known of one thing, name beside fact. */
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
