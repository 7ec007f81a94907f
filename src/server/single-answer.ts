import { errorResponse } from '../rpc/index.js'
import { type AnswerText, joinTexts } from './answer-text.js'
import { type Failure, failureError } from './failures.js'
import type { ItemAnswer } from './item-answer.js'
import type { Answer } from './protocol-options.js'

type Headers = Answer['headers']

const NOTHING_TO_SAY = 204
const NO_HEADERS: Headers = Object.freeze({})

/** The answer to a body that holds no batch, or that is refused whole: status and `Retry-After` are its error's. */
export function singleAnswer({ text, error }: ItemAnswer, headers: Headers = NO_HEADERS): Answer {
  if (text === undefined) return { status: NOTHING_TO_SAY, headers, body: null }
  if (error === undefined) return { status: 200, headers, body: text }
  const { httpStatus, retryAfterSeconds } = error
  if (retryAfterSeconds === undefined) return { status: httpStatus, headers, body: text }
  return { status: httpStatus, headers: { ...headers, 'retry-after': String(retryAfterSeconds) }, body: text }
}

/** The answer to an HTTP request that ends in a failure before any JSON-RPC request is read. */
export function failureAnswer(failure: Failure): Answer {
  const error = failureError(failure)
  return singleAnswer({ text: errorResponse('null', error), error })
}

/** The answer to a batch: always 200, or nothing when it holds notifications alone (JSON-RPC 2.0, section 6). */
export function batchAnswer(answers: readonly ItemAnswer[], headers: Headers = NO_HEADERS): Answer {
  const texts = answers.flatMap(({ text }) => (text === undefined ? [] : [text]))
  if (texts.length === 0) return { status: NOTHING_TO_SAY, headers, body: null }
  return { status: 200, headers, body: joined(texts) }
}

function joined(texts: readonly AnswerText[]): AnswerText {
  if (texts.every((text) => typeof text === 'string')) return `[${texts.join(',')}]`
  return joinTexts([...texts.flatMap((text, index) => [index === 0 ? '[' : ',', text]), ']'])
}
