import { isArray, isObject, type JsonValue, member } from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import { answeredCalls, exchangeJson } from '../../record/answered-calls.js'
import type { CaseResult } from '../../report/index.js'
import { type AutomaticFinding, answerFindings } from '../answer/automatic-checks.js'
import { causeOf } from '../answer/cause.js'
import { recorded, type Seen, trafficDefaults, Violations, withoutLongBody } from './seen.js'

/** A finding in an answer that no case judges. */
interface Unjudged {
  readonly finding: AutomaticFinding
  readonly seen: Seen
  readonly cause: string
}

/** Id of the result about answers that no case judges. */
export const everyAnswer = 'invariants/every-answer'

/**
 * Judges the answers that no case judges, such as those of fixtures: envelope, schema of the result, declared errors.
 * Cases about the same method usually fail for the same cause, so a violation counts only if all of them pass.
 */
export class UnjudgedAnswers {
  readonly #found: Unjudged[] = []
  readonly #checks: Checks
  #judged = 0

  constructor(checks: Checks) {
    this.#checks = checks
  }

  see(seen: Seen): void {
    const { reply } = seen.exchange
    if (reply?.text === undefined || reply.status !== 200) return
    this.#judged++
    const { sent = null, received = null } = exchangeJson(seen.exchange)
    for (const [at, [answer, call]] of answeredCalls(sent, received).entries()) {
      if (this.#found.length >= trafficDefaults.unjudgedFindings) return
      const place = isArray(received) ? `/items/${callAt(sent, call) ?? at}` : ''
      const [finding] = answerFindings(answer, sentCall(call), place, this.#checks)
      if (finding !== undefined)
        this.#found.push({
          finding,
          seen: withoutLongBody(seen, trafficDefaults.unjudgedBytes),
          cause: causeOfAnswer([finding]),
        })
    }
  }

  /** @param cases results of the cases, which may have failed for the same causes */
  verdict(cases: readonly Pick<CaseResult, 'verdict' | 'cause'>[]) {
    const known = new Set(
      cases.flatMap(({ verdict, cause }) =>
        verdict === 'fail' && cause !== undefined ? [withoutItem(cause)] : [],
      ),
    )
    const violations = new Violations()
    for (const { finding, seen, cause } of this.#found) {
      if (known.has(cause)) continue
      const { where, expected, got } = finding
      violations.add(() => ({ finding: { where, expected, got }, answers: [recorded(seen, 1)] }))
    }
    return violations.verdict(this.#judged)
  }
}

/** Position of a call in its batch. */
function callAt(sent: JsonValue, call: JsonValue | undefined): number | undefined {
  const at = isArray(sent) && call !== undefined ? sent.indexOf(call) : -1
  return at < 0 ? undefined : at
}

function causeOfAnswer(findings: readonly AutomaticFinding[]): string {
  return withoutItem(causeOf(findings, [], [], (text) => text) ?? '')
}

/** The same fault is one cause, whether the answer came in a batch or alone. */
const withoutItem = (cause: string): string => cause.replace(' /items/*', ' ')

function sentCall(call: JsonValue | undefined) {
  const method = isObject(call) ? member(call, 'method') : undefined
  if (!isObject(call) || typeof method !== 'string') return undefined
  return { method, params: member(call, 'params'), id: '' }
}
