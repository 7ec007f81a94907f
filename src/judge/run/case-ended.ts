import type { Judgement } from '../oracles/answer/judge-answer.js'
/**
 * Ends a case early, whatever it expects. Reasons are a missing or unusable answer, an exhausted limit, and a
 * target without the tested feature. The message is one sentence.
 */
export class CaseEnded extends Error {
  override readonly name = 'CaseEnded'
  readonly verdict: 'no-answer' | 'inconclusive' | 'not-run' | 'not-applicable'
  /** Key that groups failures with the same cause; undefined when the case did not fail. */
  readonly sharedCause: string | undefined

  constructor(verdict: CaseEnded['verdict'], message: string, sharedCause?: string) {
    super(message)
    this.verdict = verdict
    this.sharedCause = sharedCause
  }
}

const LIMITED =
  "the service's limit is spent: it stated no short time to wait, or still refused after it (--rps sends more slowly)"

/**
 * Rejects judgements that cannot decide the step.
 * @throws CaseEnded for a missing, rate-limited or inconclusive answer
 */
export function refuseUnjudged(
  judgement: Judgement,
  number: number,
): asserts judgement is Extract<Judgement, { kind: 'pass' | 'tolerated' | 'fail' }> {
  const at = `step ${number}: `
  switch (judgement.kind) {
    case 'no-answer': {
      const { kind, message } = judgement.trouble
      throw new CaseEnded('no-answer', `${at}${message}`, `no answer ${kind}`)
    }
    case 'limited':
      throw new CaseEnded('not-run', LIMITED, 'limit spent')
    case 'inconclusive':
      throw new CaseEnded('inconclusive', `${at}${judgement.reason}`)
  }
}
