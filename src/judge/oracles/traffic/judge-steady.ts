import type { HeaderNumber } from '../../scenario/invariant.js'
import { headerReader, recorded, type Seen, type TrafficJudge, Violations, withoutLongBody } from './seen.js'

/** An answer with a value that the answer before did not have. */
interface Change {
  readonly value: string
  readonly seen: Seen
}

/**
 * Judges a value that is the same in every answer to a key. The value may change once to another, when the service
 * gets new settings or another limit becomes the nearest. A value that comes back after another was wrong.
 */
export function judgeSteady(form: HeaderNumber): TrafficJudge {
  const read = headerReader(form)
  const changes = new Map<string, readonly Change[]>()
  const violations = new Violations()
  let compared = 0
  return {
    see(seen) {
      const found = read(seen)
      if (found === undefined) return
      compared++
      const { group, value } = found
      const known = changes.get(group) ?? []
      const [before, last] = known.length > 1 ? known.slice(-2) : [undefined, known[0]]
      if (last?.value === value || (last !== undefined && last.seen.received > seen.sent)) return
      const change = { value, seen: withoutLongBody(seen) }
      changes.set(group, [...known.slice(-1), change])
      if (last === undefined || before?.value !== value) return
      violations.add(() => ({
        finding: {
          where: `header ${form.header}`,
          expected: `${value}, as in the answers to this key before and after`,
          got: last.value,
        },
        answers: [recorded(last.seen, 1), recorded(change.seen, 2)],
      }))
    },
    verdict: () => violations.verdict(compared),
  }
}
