import { TollbookError } from '../../domain/errors.ts';

/** Receiver of telemetry. */
interface TelemetryTarget {
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Access token with the scope `otlp:write`. */
  readonly token: string;
}

interface TelemetryProgram {
  readonly title: string;
  /** File or environment in which the lines belong. */
  readonly place: string;
  readonly lines: (target: TelemetryTarget) => readonly string[];
}

const headers = ({ token }: TelemetryTarget): string => `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer ${token}`;

const PROGRAMS: Readonly<Record<string, TelemetryProgram>> = {
  'claude-code': {
    title: 'Claude Code',
    place: 'the environment, or "env" in ~/.claude/settings.json',
    lines: (target) => [
      'CLAUDE_CODE_ENABLE_TELEMETRY=1',
      'OTEL_LOGS_EXPORTER=otlp',
      'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
      `OTEL_EXPORTER_OTLP_ENDPOINT=${target.baseUrl}`,
      headers(target),
    ],
  },
  codex: {
    title: 'Codex',
    place: '~/.codex/config.toml',
    lines: ({ baseUrl, token }) => [
      '[otel]',
      `exporter = { otlp-http = { endpoint = "${baseUrl}/v1/logs", protocol = "binary", headers = { "Authorization" = "Bearer ${token}" } } }`,
    ],
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    place: 'the environment',
    lines: (target) => [
      'GEMINI_TELEMETRY_ENABLED=true',
      'GEMINI_TELEMETRY_TARGET=local',
      'GEMINI_TELEMETRY_USE_COLLECTOR=true',
      `GEMINI_TELEMETRY_OTLP_ENDPOINT=${target.baseUrl}`,
      'GEMINI_TELEMETRY_OTLP_PROTOCOL=http',
      'GEMINI_TELEMETRY_LOG_PROMPTS=false',
      headers(target),
    ],
  },
  other: {
    title: 'GitHub Copilot and other programs with OpenTelemetry',
    place: 'the environment',
    lines: (target) => [
      'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
      `OTEL_EXPORTER_OTLP_ENDPOINT=${target.baseUrl}`,
      headers(target),
    ],
  },
};

/** Returns the lines that make programs send their telemetry; without names, those of all. */
export function telemetrySetup(names: readonly string[], target: TelemetryTarget): string {
  const known = Object.keys(PROGRAMS);
  const asked = names.length === 0 ? known : names;
  return asked
    .map((name) => {
      const program = PROGRAMS[name];
      if (!program)
        throw new TollbookError('invalid', `Unknown program "${name}"; choose from ${known.join(', ')}.`, 'host');
      return [`${program.title}: in ${program.place}`, '', ...program.lines(target)].join('\n');
    })
    .join('\n\n');
}
