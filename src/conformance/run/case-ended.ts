/**
 * A case ends before it can be judged, whatever it expects. The message says why in one sentence: no answer came, an
 * answer says nothing about the case, the service's limit is spent, or the target lacks what the case is about.
 */
export class CaseEnded extends Error {
  override readonly name = 'CaseEnded'
  readonly verdict: 'no-answer' | 'inconclusive' | 'not-run' | 'not-applicable'
  /** The text that failures with the same cause share; undefined where the case did not fail. */
  readonly sharedCause: string | undefined

  constructor(verdict: CaseEnded['verdict'], message: string, sharedCause?: string) {
    super(message)
    this.verdict = verdict
    this.sharedCause = sharedCause
  }
}
