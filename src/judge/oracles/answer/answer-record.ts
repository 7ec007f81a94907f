import type { Checks } from '../../checks/checks.js'
import type { Request } from '../../requests/build-request.js'
import type { Expectation } from '../../scenario/scenario.js'
import type { Exchange, Reply } from '../../send/exchange.js'
import type { ReplyView } from '../../send/reply-view.js'

/** The record of one answer, and what the step states about it. */
export interface AnswerRecord {
  readonly request: Request
  readonly reply: Reply
  readonly view: ReplyView
  readonly milliseconds: Exchange['milliseconds']
  readonly expect: Expectation
  readonly isBatch: boolean
  readonly checks: Checks
}
