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
