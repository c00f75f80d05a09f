import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import { useMay } from '../../shared/session/session.ts';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import styles from './overview.module.css';

interface FirstStepsProps {
  readonly setup: OverviewShape['setup'];
}

/** First steps for an empty workspace: see spend, ask about it, enforce limits. */
export function FirstSteps({ setup }: FirstStepsProps): ReactNode {
  const mayManage = useMay('manage');
  const mayWork = useMay('work');
  return (
    <>
      <p className="soft">Three steps, in any order. Your dashboard appears after the first call or report.</p>
      <ol className={styles.steps}>
        <FirstStep number={1} done={setup.adminKeys > 0} title="See your current spend">
          <p>
            Connect a provider with an admin key. Tollbook reads its usage and cost reports. Your programs stay
            unchanged.
          </p>
          {mayManage ? <StepLink to="/reports">Connect provider</StepLink> : <AskSomeone who="Admins" />}
        </FirstStep>
        <FirstStep number={2} done={setup.accessTokens > 0} title="Ask your assistant">
          <p>
            The tool server answers questions about cost inside Claude Code, Codex and others, and counts their local
            usage. It needs an access token.
          </p>
          {mayWork ? (
            <>
              <CopyBlock name="command for the tool server" text="npx tollbook tools --setup" />
              <StepLink to="/settings" search={{ part: 'tokens' }}>
                Create access token
              </StepLink>
            </>
          ) : (
            <AskSomeone who="Members" />
          )}
        </FirstStep>
        <FirstStep number={3} done={setup.wrappedKeys > 0} title="Enforce limits">
          <p>Create a wrapped key and use it in one program. From then on, limits apply and every call is recorded.</p>
          {mayWork ? <StepLink to="/keys/new">Create key</StepLink> : <AskSomeone who="Members" />}
        </FirstStep>
      </ol>
    </>
  );
}

interface FirstStepProps {
  readonly number: number;
  readonly done: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

function FirstStep({ number, done, title, children }: FirstStepProps): ReactNode {
  return (
    <li className={styles.step}>
      <span className={styles.number}>{done ? <Icon name="check" /> : number}</span>
      <div className={styles.body}>
        <h2>
          {title}
          {done && <span className="soft"> · Done</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}

interface StepLinkProps {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
}

function StepLink({ to, search, children }: StepLinkProps): ReactNode {
  const navigate = useNavigate();
  return (
    <Button variant="light" onClick={() => void navigate({ to, ...(search && { search }) })}>
      {children}
    </Button>
  );
}

function AskSomeone({ who }: { readonly who: 'Admins' | 'Members' }): ReactNode {
  return (
    <p className="soft">
      {who === 'Members' ? 'Viewers can’t do this. Ask a member or an admin.' : 'Ask an admin to do this.'}
    </p>
  );
}
