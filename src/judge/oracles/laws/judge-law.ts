import type { Law } from '../../../toolkit/contract/index.js'
import { judgeFirst, judgeSum, judgeUndone } from './judge-calls.js'
import { judgePartition } from './judge-partition.js'
import { judgeResult } from './judge-result.js'
import { type Asking, type LawCalls, LawViolated, parametersTried } from './law-calls.js'
import { judgePages } from './walk-pages.js'

/**
 * Judges a law. Laws about one result are judged by every answer that the run has received; only if none shows them,
 * they ask for calls. Laws about several calls ask for them.
 * @returns why nothing was judged; undefined if the law was followed
 * @throws LawViolated for an answer that violates the law
 * @throws LawUndecided if other programs change what is compared
 */
export function* judgeLaw(law: Law, calls: LawCalls): Asking<string | undefined> {
  const isSeen = judgeSeen(calls)
  switch (law.kind) {
    case 'pages':
      return yield* judgePages(law, calls)
    case 'first-of':
      return yield* judgeFirst(law, calls)
    case 'undone-by':
      return yield* judgeUndone(law, calls)
    case 'adds-up':
      return yield* law.of === undefined
        ? judgeOwn(law, calls, isSeen)
        : judgeSum({ ...law, of: law.of }, calls)
    case 'partition':
      return yield* judgePartition(law, calls)
    case 'sorted':
    case 'subset-by':
    case 'echoes':
      return yield* judgeOwn(law, calls, isSeen)
  }
}

/**
 * Judges the answers that the run has received.
 * @returns true if some answer shows the law
 * @throws LawViolated for an answer that violates it
 */
function judgeSeen({ answers, stated }: LawCalls): boolean {
  const { followed, violated, first } = answers.verdict(stated)
  if (first === undefined) return followed > 0
  const { finding, exchange } = first
  const more = violated > 1 ? `, and ${violated - 1} more times` : ''
  throw new LawViolated(exchange, { ...finding, got: finding.got + more })
}

/** Asks for calls of a law about one result, if no answer has shown it. */
function* judgeOwn(law: Law, calls: LawCalls, isSeen: boolean): Asking<string | undefined> {
  const { method } = calls.stated
  if (isSeen) return undefined
  for (const params of calls.parametersOf(method).slice(0, parametersTried)) {
    const { step, result } = yield* calls.call(method, params)
    const verdict = result === undefined ? 'nothing' : judgeResult(law, method, params, result)
    if (typeof verdict === 'object') throw new LawViolated(step, verdict)
    if (verdict === 'follows') return undefined
  }
  return `no answer of ${method.name} has what it is about`
}
