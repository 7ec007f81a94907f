import { errorResponse, type RpcError, resultHead } from '../rpc/index.js'
import { type AnswerText, joinTexts } from './answer-text.js'
import type { Reporter } from './reporter.js'

/** The response to one request: its text, undefined for a notification, and the error that it carries. */
export interface ItemAnswer {
  readonly text: AnswerText | undefined
  readonly error: RpcError | undefined
}

/**
 * Writes the response that carries an error; one whose `data` is no JSON becomes a failed handler.
 *
 * @param idText the id as JSON text, undefined for a notification, which gets no response
 */
export function errorAnswer<Context>(
  idText: string | undefined,
  error: RpcError,
  reporter: Reporter<Context>,
): ItemAnswer {
  if (idText === undefined) return { text: undefined, error }
  try {
    return { text: errorResponse(idText, error), error }
  } catch (cause) {
    const plain = reporter.thrown(cause, undefined, undefined)
    return { text: errorResponse(idText, plain), error: plain }
  }
}

/**
 * Writes the response that carries a result, the result's own text unchanged.
 *
 * @param idText the id as JSON text, undefined for a notification, which gets no response
 */
export function resultAnswer(idText: string | undefined, text: AnswerText): ItemAnswer {
  if (idText === undefined) return { text: undefined, error: undefined }
  const head = resultHead(idText)
  if (typeof text === 'string') return { text: `${head}${text}}`, error: undefined }
  return { text: joinTexts([head, text, '}']), error: undefined }
}
