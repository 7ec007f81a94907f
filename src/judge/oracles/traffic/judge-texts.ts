import {
  isObject,
  type JsonValue,
  joinPointer,
  member,
  stringMember,
} from '../../../toolkit/contract/index.js'
import { answeredCalls, exchangeJson } from '../../record/answered-calls.js'
import { cut, describe } from '../../report/index.js'
import type { InvariantForm } from '../../scenario/invariant.js'
import {
  recorded,
  type Seen,
  type TrafficJudge,
  trafficDefaults,
  Violations,
  withoutLongBody,
} from './seen.js'

type NoText = Extract<InvariantForm, { kind: 'no-text' }>

/** Maximum length of patterns and texts in findings, in characters. */
const shownCharacters = 120

/**
 * Judges that no text of any answer in a run matches a pattern. Texts of the request may be repeated.
 */
export function judgeTexts({ pattern, except }: NoText): TrafficJudge {
  const forbidden = new RegExp(pattern, 'u')
  const violations = new Violations()
  let compared = 0

  function judge(seen: Seen, sent: string, value: JsonValue, pointer: string): void {
    if (typeof value === 'string') {
      const [found] = forbidden.exec(value) ?? []
      if (found === undefined || sent.includes(found) || sent.includes(JSON.stringify(found).slice(1, -1)))
        return
      violations.add(() => ({
        finding: {
          where: pointer,
          expected: `no text that matches /${cut(pattern, shownCharacters)}/`,
          got: describe(cut(value, shownCharacters)),
        },
        answers: [recorded(withoutLongBody(seen, trafficDefaults.unjudgedBytes), 1)],
      }))
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (inner !== undefined) judge(seen, sent, inner, joinPointer(pointer, name))
      }
    }
  }

  return {
    see(seen) {
      const { outgoing, reply } = seen.exchange
      const text = reply?.text ?? ''
      if (text === '' || text.length > trafficDefaults.searchedCharacters) return
      compared++
      const sent = Buffer.from(outgoing.body ?? []).toString()
      const { sent: request = null, received } = exchangeJson(seen.exchange)
      if (received === undefined) return judge(seen, sent, text, 'body')
      for (const [answer, call = null] of answeredCalls(request, received)) {
        if (!isObject(answer)) continue
        const method = isObject(call) ? stringMember(call, 'method') : undefined
        const error = member(answer, 'error')
        const result = member(answer, 'result')
        if (error !== undefined) judge(seen, sent, error, '/error')
        if (result !== undefined && !except.has(method ?? '')) judge(seen, sent, result, '/result')
      }
    },
    verdict: () => violations.verdict(compared),
  }
}
