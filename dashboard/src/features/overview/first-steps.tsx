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

/** How to begin, in the order that costs least and shows soonest: see first, then ask, then enforce. */
export function FirstSteps({ setup }: FirstStepsProps): ReactNode {
  const mayManage = useMay('manage');
  const mayWork = useMay('work');
  return (
    <>
      <p className="soft">Three steps, each useful by itself. This page fills as soon as the first figure is in.</p>
      <ol className={styles.steps}>
        <FirstStep number={1} done={setup.adminKeys > 0} title="See what is spent already">
          <p>
            Connect a provider’s organization with its admin key. Tollbook reads its usage and cost reports; no line of
            your programs changes.
          </p>
          {mayManage ? <StepLink to="/reports">Connect a provider</StepLink> : <AskSomeone who="Admins" />}
        </FirstStep>
        <FirstStep number={2} done={setup.accessTokens > 0} title="Let your assistant ask">
          <p>
            The tool server answers questions about cost inside Claude Code, Codex and others, and counts their local
            sessions. It needs an access token.
          </p>
          {mayWork ? (
            <>
              <CopyBlock name="command for the tool server" text="npx tollbook tools --setup" />
              <StepLink to="/settings" search={{ part: 'tokens' }}>
                Make an access token
              </StepLink>
            </>
          ) : (
            <AskSomeone who="Members" />
          )}
        </FirstStep>
        <FirstStep number={3} done={setup.wrappedKeys > 0} title="Enforce where it matters">
          <p>
            Wrap a provider key and send the calls of one program through the gate. From then on limits hold, and every
            call is in the book.
          </p>
          {mayWork ? <StepLink to="/keys">Make a wrapped key</StepLink> : <AskSomeone who="Members" />}
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
          {done && <span className="soft"> · done</span>}
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
  return <p className="soft">{who} of this workspace can do this.</p>;
}
