import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { Ago } from '../../shared/theme/instant.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { Amount } from './amount.tsx';
import { LimitMeter } from './limit-meter.tsx';

/** How a limit stands this moment. */
export function LimitFigures({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const { unit, left, counted, held, uncertain, projection, resetsAt, amountInForce } = limit;
  const passes = projection !== null && projection > amountInForce;
  return (
    <div className="cards">
      <Figure name="Left" value={<Amount unit={unit} of={left} />} note={<LimitMeter of={limit} unit={unit} />} />
      {unit !== 'concurrency' && (
        <Figure
          name="Counted"
          value={<Amount unit={unit} of={counted} />}
          note={
            uncertain > 0 ? (
              <>
                of it uncertain: <Amount unit={unit} of={uncertain} />
              </>
            ) : (
              'calls that have ended'
            )
          }
        />
      )}
      <Figure name="Held" value={<Amount unit={unit} of={held} />} note="set aside by calls under way" />
      {unit !== 'concurrency' && (
        <Figure
          name="At its end, if it goes on so"
          value={projection === null ? '–' : <Amount unit={unit} of={projection} />}
          note={projectionNote(resetsAt, projection, passes)}
        />
      )}
    </div>
  );
}

function projectionNote(resetsAt: string | null, projection: number | null, passes: boolean): ReactNode {
  if (resetsAt === null) return 'its window never ends';
  return (
    <>
      counts anew <Ago at={resetsAt} />
      {projection === null ? '; too early to say' : passes ? '; that is more than it allows' : ''}
    </>
  );
}
