import { hash } from 'node:crypto';
import { clientAddress } from '../../providers/client-lines.ts';
import type { ApiSettings } from '../settings.ts';
import type { Provider } from '../../providers/provider.ts';

export interface HomePageServices {
  readonly settings: ApiSettings;
  readonly providers: ReadonlyMap<string, Provider>;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .4rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .15rem 1.5rem .15rem 0; }
.demo { padding: .5rem 1rem; background: #b45309; color: #fff; font-weight: 600; border-radius: .4rem; }
`;

/** Headers of text pages: only their own style sheet is allowed, nothing else may run or load. */
export const TEXT_PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

/** Renders the first steps for a person who opens the address in a browser. Shows no usage, because it is public. */
export function homePage({ settings, providers }: HomePageServices): string {
  const { baseUrl, version, demo } = settings;
  const clients = [...providers.values()].map(
    (one) =>
      `<tr><td>${escapeHtml(one.name)}</td><td><code>${escapeHtml(clientAddress(baseUrl, one))}</code></td></tr>`,
  );
  return renderPage(
    demo,
    `<h1>Tollbook</h1>
<p>Tollbook ${escapeHtml(version)} is running. The dashboard is not built. To build it, run <code>npm run build</code> and start Tollbook again.</p>
<h2>Send calls through the gateway</h2>
<p>Create a wrapped key for your provider key. The command prints lines that are ready to use.</p>
<pre>npx tollbook keys create --provider anthropic --name first --provider-key-env ANTHROPIC_API_KEY</pre>
<p>Then configure your client with the wrapped key and one of these base addresses:</p>
<table><tr><th>Provider</th><th>Base address</th></tr>
${clients.join('\n')}
</table>
<h2>Set a limit</h2>
<p>The limit holds: the cost bound of each call is set aside before it leaves.</p>
<pre>npx tollbook limits set --unit usd --amount 5 --window day
npx tollbook limits list</pre>
<h2>Query usage</h2>
<p>Create an access token, then query usage and cost.</p>
<pre>npx tollbook tokens create --name reader
curl -H "Authorization: Bearer $TOKEN" ${escapeHtml(baseUrl)}/api/mcp/usage/summary</pre>
<p><a href="/openapi.json">All endpoints</a> · <a href="/healthz">health</a> · <a href="/readyz">readiness</a> · <a href="/metrics">metrics</a></p>`,
  );
}

/**
 * Renders the target of links in alerts: how to read the alert. Shows nothing of the alert, because the page is public.
 */
export function alertPage(id: string, { settings: { baseUrl, demo } }: Pick<HomePageServices, 'settings'>): string {
  const shown = /^al_\w{1,64}$/.test(id) ? id : 'ID';
  return renderPage(
    demo,
    `<h1>Alert</h1>
<p>Read it on the machine where Tollbook runs. This also marks it as read:</p>
<pre>npx tollbook alerts read ${shown}</pre>
<p>Other unread alerts, current anomalies and limits:</p>
<pre>npx tollbook alerts list --unread
npx tollbook anomalies
npx tollbook limits list</pre>
<p>From another machine, with an access token that may read alerts:</p>
<pre>curl -H "Authorization: Bearer $TOKEN" ${escapeHtml(baseUrl)}/api/mcp/alerts</pre>`,
  );
}

function renderPage(demo: boolean, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollbook${demo ? ' (DEMO)' : ''}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${demo ? '<p class="demo">DEMO: the providers are a sandbox, and the traffic is invented.</p>' : ''}
${main}
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
