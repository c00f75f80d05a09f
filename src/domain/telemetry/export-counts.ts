export type ExportSignal = 'traces' | 'metrics';

/** Fate of a span, or of a point of a metric. */
export type ExportResult = 'sent' | 'queue_full' | 'rejected' | 'unreachable';

/** Spans and points of metrics since the start. */
export type ExportCounts = Readonly<Record<ExportSignal, Readonly<Record<ExportResult, number>>>>;
