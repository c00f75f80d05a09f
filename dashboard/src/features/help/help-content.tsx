import { createElement, Fragment, type ReactNode } from 'react';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import type { HelpBlock, HelpInline } from './document.ts';
import styles from './help.module.css';

/** The blocks of a help page. */
export function HelpContent({ blocks }: { readonly blocks: readonly HelpBlock[] }): ReactNode {
  return createElement(Fragment, null, ...blocks.map(renderBlock));
}

function renderBlock(block: HelpBlock): ReactNode {
  switch (block.kind) {
    case 'heading':
      return <HelpHeading block={block} />;
    case 'paragraph':
      return <p>{renderText(block.children)}</p>;
    case 'code':
      return <CopyBlock name="example" text={block.text} />;
    case 'quote':
      return (
        <blockquote>
          <HelpContent blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return createElement(block.ordered ? 'ol' : 'ul', null, ...block.items.map(renderItem));
    case 'table':
      return <HelpTable block={block} />;
  }
}

type BlockProps<Kind extends HelpBlock['kind']> = { readonly block: Extract<HelpBlock, { readonly kind: Kind }> };

/** A heading that links to itself. */
function HelpHeading({ block: { level, id, children } }: BlockProps<'heading'>): ReactNode {
  const Heading = level <= 2 ? 'h2' : 'h3';
  return (
    <Heading id={id} className={styles.heading}>
      <a href={`#${id}`}>{renderText(children)}</a>
    </Heading>
  );
}

function renderItem(blocks: readonly HelpBlock[]): ReactNode {
  const parts = blocks.map((block) => (block.kind === 'paragraph' ? renderText(block.children) : renderBlock(block)));
  return createElement('li', null, ...parts);
}

function HelpTable({ block: { head, rows } }: BlockProps<'table'>): ReactNode {
  const heads = head.map((cell) => createElement('th', { scope: 'col' }, renderText(cell)));
  const lines = rows.map((row) =>
    createElement('tr', null, ...row.map((cell) => createElement('td', null, renderText(cell)))),
  );
  return (
    <div className={styles.table} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>{createElement('tr', null, ...heads)}</thead>
        {createElement('tbody', null, ...lines)}
      </table>
    </div>
  );
}

function renderText(parts: readonly HelpInline[]): ReactNode {
  return createElement(Fragment, null, ...parts.map(renderInline));
}

function renderInline(part: HelpInline): ReactNode {
  if (typeof part === 'string') return part;
  if (part.kind === 'code') return <code>{part.text}</code>;
  const children = renderText(part.children);
  switch (part.kind) {
    case 'strong':
      return <strong>{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 'group':
      return children;
    case 'link':
      return part.page === null ? (
        <a href={part.href}>{children}</a>
      ) : (
        <PageLink to={`/help/${part.page}`} hash={part.href.slice(1)}>
          {children}
        </PageLink>
      );
  }
}
