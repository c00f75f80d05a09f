/*
 * Rules of admission that the gateway follows and a replay of past calls repeats.
 */

/** Calls that wait under one counter. One key may take as many of these places as it leaves free (`KEY_TIMES_FREE`). */
export const WAITING_PER_COUNTER_MAX = 64;

/** Longest wait of one call. */
export const WAIT_MS_MAX = 2_000;

/** A shortened call takes at most this part of what is left, unless its shortest form needs more: other calls follow. */
export const PARTS_OF_REST = 2;

/**
 * Longest retry delay in an answer, in seconds; client libraries obey no longer one. A call that fits into a window that
 * begins sooner is not shortened.
 */
export const RETRY_S_MAX = 60;
