import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { accountQuery } from '../../shared/session/account.ts';
import { Card } from '../../shared/ui/card.tsx';
import styles from './entrance.module.css';

interface AuthPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Around the pages of those who are not signed in yet. */
export function AuthPage({ title, children }: AuthPageProps): ReactNode {
  const { data: account } = useQuery(accountQuery);
  useEffect(() => {
    document.title = `${title} · Tollbook`;
  }, [title]);
  return (
    <main className={styles.entrance}>
      <div className={styles.brand}>
        <img src="/favicon.svg" alt="" width="34" height="34" />
        Tollbook
        {account?.demo && <span className={styles.demo}>DEMO</span>}
      </div>
      <Card>
        <h1>{title}</h1>
        {children}
      </Card>
    </main>
  );
}
