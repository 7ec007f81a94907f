import type { CaseResult, Report, Verdict, ViolatedRule } from '../report.js'
import { failingCall } from './failing-call.js'

/** The rule that a failure violates. */
export interface BrokenRule {
  readonly id: string
  readonly text: string
  /** Section of the specification, or an empty string. */
  readonly section: string
  /** JSON pointer into the contract. */
  readonly pointer: string | undefined
}

/** Every request gets an answer. */
export const completeAnswer: ViolatedRule = {
  id: 'answer.complete',
  text: 'Every request gets a complete answer in time.',
  isAlone: true,
}

/** The rule that a run violates by giving up. */
const completeRun: ViolatedRule = {
  id: 'run.complete',
  text: 'The service answers until all cases are judged.',
  isAlone: true,
}

/** Rules of verdicts about the service as a whole. */
const ofVerdict: Partial<Record<Verdict, ViolatedRule>> = {
  'no-answer': completeAnswer,
  'gave-up': completeRun,
}

/**
 * Returns the rule that a case violates. It is a rule for every answer if no expectation of the case failed, or if the
 * cases with this cause share no rule; otherwise the main rule. A case of a contract without rules has its own sentence,
 * and the place of the method that it calls.
 * @param shared rules of all cases with the cause
 */
export function brokenRule(
  result: CaseResult,
  report: Pick<Report, 'rules' | 'elements'>,
  shared: readonly string[] = result.rules,
): BrokenRule {
  const [id = result.rules[0]] = shared
  const violated = result.violated ?? ofVerdict[result.verdict]
  const placeOf = (method: string | undefined) =>
    report.elements.find(({ kind, id }) => kind === 'method' && id === method)?.pointer
  if (violated !== undefined && (violated.isAlone === true || shared.length === 0)) {
    const { text, pointer, method } = violated
    return { id: violated.id, text, section: '', pointer: pointer ?? placeOf(method) }
  }
  const rule = report.rules.find((rule) => rule.id === id)
  if (rule !== undefined) return rule
  const pointer = placeOf(failingCall(result)?.method)
  return { id: id ?? result.id, text: result.scenario, section: '', pointer }
}
