import { isObject, type JsonValue, member, type StatedLaw } from '../../toolkit/contract/index.js'
import { judgeLaw } from '../oracles/laws/judge-law.js'
import type { LawAnswers } from '../oracles/laws/law-answers.js'
import {
  type LawAnswer,
  LawCalls,
  LawUndecided,
  LawViolated,
  type WantedCall,
} from '../oracles/laws/law-calls.js'
import { sentParams } from '../oracles/laws/law-params.js'
import { lawWords } from '../oracles/laws/law-words.js'
import { describe, type Finding, type ViolatedRule } from '../report/index.js'
import type { CallStep, LawStep } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { CaseEnded } from './case-ended.js'
import { type SendContext, sendStep } from './send-step.js'

/** Context for the calls of laws. */
export interface LawContext extends SendContext {
  readonly lawAnswers: LawAnswers
}

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
 * Sends the calls that a law asks for, until it is judged.
 * @throws CaseEnded for a missing answer, or one that proves nothing
 * @throws ScenarioRunError for a law with mistakes
 */
export async function lawStep({ stated }: LawStep, context: LawContext): Promise<LawOutcome> {
  const { law, problems, method, pointer } = stated
  if (law === undefined) {
    const [problem] = problems
    throw new ScenarioRunError(`${problem?.pointer ?? pointer}: ${problem?.message ?? 'not a law'}`)
  }
  const { trail } = context
  let step = 0
  try {
    const asking = judgeLaw(law, new LawCalls(stated, context.lawAnswers, context.checks))
    let asked = asking.next()
    while (asked.done !== true) asked = asking.next(await answerTo(asked.value, ++step, context))
    return asked.value === undefined ? { kind: 'pass' } : { kind: 'skip', reason: asked.value }
  } catch (error) {
    if (error instanceof LawUndecided) throw new CaseEnded('inconclusive', error.message)
    if (!(error instanceof LawViolated)) throw error
    const { at, finding, broken } = error
    if (typeof at !== 'number') trail.add({ step: ++step, exchange: at, isShared: true })
    // Reports show the last exchange of a failed case.
    const found = trail.exchanges.find((recorded) => recorded.step === at)
    if (found !== undefined && trail.exchanges.at(-1) !== found) trail.add({ ...found, isShared: true })
    const where = finding.where.replaceAll(/\d+/g, '#')
    const violated = stated.rule === undefined ? violatedLaw(stated) : undefined
    return {
      kind: 'fail',
      step: typeof at === 'number' ? at : step,
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

const wantedCall: CallStep = {
  kind: 'call',
  call: { method: `\${method}`, params: `\${params}`, id: undefined },
  share: false,
  headers: {},
  verb: undefined,
  path: undefined,
  key: undefined,
  expect: undefined,
  tolerate: [],
  inconclusive: [],
  capture: {},
  captureHeader: {},
  repeatUntil: undefined,
}

/**
 * Sends a call of a law and holds its answer to the contract.
 * @throws LawViolated for an answer that breaks a rule for every answer
 * @throws CaseEnded for a missing answer, or one that proves nothing
 */
async function answerTo(
  { method, params: named, isShared }: WantedCall,
  step: number,
  context: LawContext,
): Promise<LawAnswer> {
  const variables = new Map<string, JsonValue>([
    ['method', method.name],
    ['params', sentParams(method, named) ?? named],
  ])
  const judgement = await sendStep({ ...wantedCall, share: isShared }, step, variables, context)
  if (judgement.kind === 'fail') {
    const { cause, violated } = judgement
    const [finding = { where: 'answer', expected: 'an answer', got: 'none' }] = judgement.findings
    throw new LawViolated(step, finding, { cause, violated })
  }
  const answer = judgement.view.json
  const error = isObject(answer) ? member(answer, 'error') : undefined
  const result = isObject(answer) ? member(answer, 'result') : undefined
  return { step, result, error: result === undefined ? `error ${describe(error)}` : undefined }
}
