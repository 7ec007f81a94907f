import type { HeaderNumber } from '../../scenario/invariant.js'
import { headerReader, recorded, type Seen, type TrafficJudge, Violations } from './seen.js'

/** Tolerated differences between a stated reset and the end of the window, in seconds. */
const tolerated = {
  /** The time is that of the service's own `Date` header, which has whole seconds. */
  ownClock: 5,
  /** The time is that of this machine. */
  otherClock: 300,
} as const

/**
 * Judges the seconds until the end of a window. Windows begin at multiples of their length since 1970 UTC, such as each
 * day at 00:00. An answer without `Date` is judged by the clock of this machine, with more tolerance. A service may state
 * the seconds when the request arrives and the date when it answers, so the duration of the exchange is tolerated, too.
 * @param windowSeconds length of the window
 */
export function judgeResets(form: HeaderNumber, windowSeconds: number): TrafficJudge {
  const read = headerReader(form)
  const violations = new Violations()
  let compared = 0
  return {
    see(seen) {
      const found = read(seen)
      const seconds = Number(found?.value)
      if (found === undefined || !Number.isSafeInteger(seconds)) return
      compared++
      const { now, margin } = clockOf(seen)
      const late = (now + seconds) % windowSeconds
      const isLate = late > margin + (seen.received - seen.sent) / 1000
      if (seconds <= windowSeconds + margin && (!isLate || windowSeconds - late <= margin)) return
      const right = windowSeconds - (Math.floor(now) % windowSeconds)
      violations.add(() => ({
        finding: {
          where: `header ${form.header}`,
          expected: `about ${right} s until the reset at ${new Date((now + right) * 1000).toISOString()}`,
          got: `${seconds} s, in ${found.text}`,
        },
        answers: [recorded(seen, 1)],
      }))
    },
    verdict: () => violations.verdict(compared),
  }
}

/** Seconds since 1970 UTC at the answer, with the tolerated difference. */
function clockOf({ exchange: { reply }, clock }: Seen): { readonly now: number; readonly margin: number } {
  const own = Date.parse(reply?.headers['date'] ?? '')
  if (Number.isNaN(own)) return { now: clock / 1000, margin: tolerated.otherClock }
  return { now: own / 1000, margin: tolerated.ownClock }
}
