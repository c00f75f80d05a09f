import { useParams } from '@tanstack/react-router';

/** The part of the path that a route names, for instance `callId` of `/calls/$callId`. */
export function usePathParameter(name: string): string {
  const parameters: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return parameters[name] ?? '';
}
