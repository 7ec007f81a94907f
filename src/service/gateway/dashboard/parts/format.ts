import type { Tally } from '../../administration/index.js'

const PER_MILLE = 1_000
const SHORT_MS = 10
const MILLISECONDS_PER_SECOND = 1_000
const MINUTES_END = 16
const SECONDS_END = 19

/** Formats a number, such as `25,000`. */
export const numberText = (value: number): string => value.toLocaleString('en-US')

/**
 * Formats a share as a percentage with one decimal, such as `98.5 %`. Rounding never yields `0 %` or `100 %` for other
 * shares. A whole of zero gives a dash.
 */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '–'
  const rounded = Math.round((part / whole) * PER_MILLE)
  const shown = part > 0 && part < whole ? Math.min(Math.max(rounded, 1), PER_MILLE - 1) : rounded
  return `${(shown / 10).toLocaleString('en-US')} %`
}

/** Formats a ratio, such as `0.25` or `1,600`. Rounding never yields 0 for a larger ratio. A divisor of 0 gives a dash. */
export function ratioText(dividend: number, divisor: number): string {
  if (divisor === 0) return '–'
  const ratio = dividend / divisor
  if (ratio >= 10) return numberText(Math.round(ratio))
  return numberText(dividend > 0 ? Math.max(0.01, Number(ratio.toFixed(2))) : 0)
}

/** Formats a duration, such as `0.04 ms`, `35 ms` or `2.5 s`; a dash without a value. */
export function durationText(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '–'
  if (milliseconds >= MILLISECONDS_PER_SECOND)
    return `${numberText(Number((milliseconds / MILLISECONDS_PER_SECOND).toFixed(1)))} s`
  return `${milliseconds.toFixed(milliseconds < 1 ? 2 : milliseconds < SHORT_MS ? 1 : 0)} ms`
}

/** Formats a time, such as `2026-05-17 09:30 UTC`. */
export const minuteText = (at: Date): string => timeText(at, MINUTES_END)

/** Formats a time, such as `2026-05-17 09:30:05 UTC`. */
export const secondText = (at: Date): string => timeText(at, SECONDS_END)

const timeText = (at: Date, end: number): string => `${at.toISOString().slice(0, end).replace('T', ' ')} UTC`

/** Formats the share of calls with a result. */
export const successText = ({ outcomes, requests }: Tally): string => shareText(outcomes.result, requests)

/**
 * Says that a limit of the account is not that of the service.
 * @param reason the operator's; null without one
 */
export const loweredNote = (limit: string, reason: string | null): string =>
  `An operator of this service has lowered the ${limit} of your account.${reason === null ? '' : ` Reason: ${reason}`}`
