import { type ReactNode, useId } from 'react';
import styles from './card.module.css';

interface CardProps {
  readonly title?: string;
  /** Content to the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A titled section of a page, which screen readers can jump to. */
export function Card({ title, aside, children }: CardProps): ReactNode {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title === undefined ? undefined : id}>
      {(title !== undefined || aside !== undefined) && (
        <header className={styles.head}>
          {title !== undefined && <h2 id={id}>{title}</h2>}
          {aside !== undefined && <div className={styles.aside}>{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
