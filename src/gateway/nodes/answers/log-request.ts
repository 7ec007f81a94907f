import type { JsonValue } from '@concordat/rpc'
import type { Dispatcher } from 'undici'
import { isList, isObject } from '../../ethereum/index.js'
import type { LogReceiver, LogText, NodeAnswer } from '../node-call.js'
import {
  type Attempt,
  bodyOf,
  droppedBytes,
  isRefusal,
  NodeRequest,
  type RequestOwner,
} from '../node-request.js'
import { LogPace } from './log-pace.js'
import { LogScanner } from './log-scanner.js'
import { readLog } from './log-text.js'
import { parseNodeJson, readAnswer } from './read-answer.js'

/** The pace of all large answers of a process. */
const pace = new LogPace()

/** Maximum size of an answer without its logs, in bytes. */
const mostAround = 1024 * 1024

/**
 * Sends one eth_getLogs call, streams its logs to the receiver, and reports the outcome to the node.
 * Backpressure of the receiver pauses the node and stops the node's deadline.
 */
export async function sendLogs(node: RequestOwner, attempt: Attempt, receiver: LogReceiver): Promise<void> {
  const request = new NodeRequest(node, [attempt])
  try {
    const response = await request.post(bodyOf(attempt))
    if (request.isLeft) {
      await response.body.dump({ limit: droppedBytes })
      return
    }
    request.isReadingLogs = true
    const read = await readLogs(node, response, attempt, receiver)
    if (attempt.hasEnded) return
    if (typeof read === 'string') request.rejected(node, response.statusCode, read)
    else node.answered(attempt, read)
  } catch (cause) {
    request.broke(node, cause)
  } finally {
    request.end()
  }
}

/** Reads a response; leaving the loop closes the connection. Returns the text of an unusable response. */
async function readLogs(
  { answerBytes }: RequestOwner,
  { statusCode, body }: Dispatcher.ResponseData,
  attempt: Attempt,
  receiver: LogReceiver,
): Promise<NodeAnswer | string> {
  const patienceMs = attempt.expiresAt - attempt.startedAt
  const scanner = new LogScanner()
  const around: Buffer[] = []
  let aroundBytes = 0
  /** Bytes since the last complete log. */
  let logBytes = 0
  let id: JsonValue | undefined
  let hasLogs = false
  let isEnough = false
  for await (const chunk of body) {
    const begunAt = performance.now()
    const found: Buffer[] = []
    const rest: Buffer = isRefusal(statusCode) ? chunk : scanner.read(chunk, found)
    if (rest.length > 0) around.push(rest)
    aroundBytes += rest.length
    logBytes = found.length > 0 ? 0 : logBytes + chunk.length
    if (logBytes > answerBytes) return `a log of more than ${answerBytes} bytes`
    if (aroundBytes > mostAround) return `more than ${mostAround} bytes other than logs`
    const logs = found.map(readLog)
    if (scanner.isRubbish || !logs.every(isLog)) return (found.at(-1) ?? chunk).toString('utf8')
    if (logs.length === 0 || isEnough) continue
    if (!hasLogs) id = idBefore(textOf(around))
    hasLogs = true
    if (id !== undefined && id !== attempt.id) return textOf(around)
    const flow = receiver.take(logs)
    if (flow === 'rubbish') return chunk.toString('utf8')
    if (flow === 'enough') {
      if (id === attempt.id) return { result: [] }
      isEnough = true
      continue
    }
    const nextTurn = pace.worked(begunAt)
    if (nextTurn !== undefined) await nextTurn
    if (flow !== 'more') {
      attempt.expiresAt = Number.POSITIVE_INFINITY
      await flow
    }
    attempt.expiresAt = performance.now() + patienceMs
  }
  const text = textOf(around)
  const answer = isRefusal(statusCode) ? undefined : readAnswer(text, attempt.id)
  const isWhole = answer?.error !== undefined || (isList(answer?.result) && answer.result.length === 0)
  return answer !== undefined && isWhole ? answer : text
}

const isLog = (log: LogText | undefined): log is LogText => log !== undefined

const textOf = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8')

/**
 * Reads the id of an answer from the text before its list of logs; undefined when the id follows the list.
 */
function idBefore(text: string): JsonValue | undefined {
  const begun = parseNodeJson(`${text}]}`)
  return isObject(begun) ? begun['id'] : undefined
}
