import type { StatedLaw } from '../../../toolkit/contract/index.js'
import { judgeResult } from '../../oracles/laws/judge-result.js'
import { lawWords } from '../../oracles/laws/law-words.js'
import type { Finding, ViolatedRule } from '../../report/index.js'
import type { LawStep } from '../../scenario/scenario.js'
import { ScenarioRunError } from '../../scenario/scenario-run-error.js'
import { judgeFirst, judgeSum, judgeUndone } from './judge-calls.js'
import { judgePartition } from './judge-partition.js'
import { type LawContext, LawRun, LawViolated, parametersTried } from './law-run.js'
import { judgePages } from './walk-pages.js'

/** Result of a law. */
export type LawOutcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'skip'; readonly reason: string }
  | {
      readonly kind: 'fail'
      readonly step: number
      readonly findings: readonly Finding[]
      readonly cause: string
      readonly violated: ViolatedRule | undefined
      readonly breaksContract: boolean
    }

/**
 * Judges a law. Laws about one result are judged by every answer that the run has received; only if none shows them,
 * calls are sent. Laws about several calls send them.
 * @throws CaseEnded for a missing answer, or one that proves nothing
 * @throws ScenarioRunError for a law with mistakes
 */
export async function lawStep({ stated }: LawStep, context: LawContext): Promise<LawOutcome> {
  const { law, problems, method, pointer } = stated
  if (law === undefined) {
    const [problem] = problems
    throw new ScenarioRunError(`${problem?.pointer ?? pointer}: ${problem?.message ?? 'not a law'}`)
  }
  const run = new LawRun(stated, context)
  try {
    const isSeen = judgeSeen(run)
    const reason = await (() => {
      switch (law.kind) {
        case 'pages':
          return judgePages(law, run)
        case 'first-of':
          return judgeFirst(law, run)
        case 'undone-by':
          return judgeUndone(law, run)
        case 'adds-up':
          return law.of === undefined ? judgeOwn(run, isSeen) : judgeSum({ ...law, of: law.of }, run)
        case 'partition':
          return judgePartition(law, run)
        case 'sorted':
        case 'subset-by':
        case 'echoes':
          return judgeOwn(run, isSeen)
      }
    })()
    return reason === undefined ? { kind: 'pass' } : { kind: 'skip', reason }
  } catch (error) {
    if (!(error instanceof LawViolated)) throw error
    const { step, finding, broken } = error
    run.showLast(step)
    const where = finding.where.replaceAll(/\d+/g, '#')
    const violated = stated.rule === undefined ? violatedLaw(stated) : undefined
    return {
      kind: 'fail',
      step,
      findings: [finding],
      ...(broken ?? { cause: `law ${method.name} ${law.kind} ${where}`, violated }),
      breaksContract: broken !== undefined,
    }
  }
}

function violatedLaw(stated: StatedLaw): ViolatedRule {
  const { law, pointer, method } = stated
  const text = law === undefined ? '' : lawWords(law, stated)
  return { id: `law.${law?.kind}`, text, pointer, method: method.name, isAlone: true }
}

/**
 * Judges the answers that the run has received.
 * @returns true if some answer shows the law
 * @throws LawViolated for an answer that violates it
 */
function judgeSeen(run: LawRun): boolean {
  const { followed, violated, first } = run.context.lawAnswers.verdict(run.stated)
  if (first === undefined) return followed > 0
  const { finding, exchange } = first
  const more = violated > 1 ? `, and ${violated - 1} more times` : ''
  throw new LawViolated(run.addSeen(exchange), { ...finding, got: finding.got + more })
}

/** Sends calls for a law about one result, if no answer has shown it. */
async function judgeOwn(run: LawRun, isSeen: boolean): Promise<string | undefined> {
  const { law, method } = run.stated
  if (isSeen || law === undefined) return undefined
  for (const params of run.parametersOf(method).slice(0, parametersTried)) {
    const { step, result } = await run.call(method, params)
    const verdict = result === undefined ? 'nothing' : judgeResult(law, method, params, result)
    if (typeof verdict === 'object') throw new LawViolated(step, verdict)
    if (verdict === 'follows') return undefined
  }
  return `no answer of ${method.name} has what it is about`
}
