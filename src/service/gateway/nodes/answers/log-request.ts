import { limits } from '@concordat/node-access-contract/contract'
import type { JsonValue } from '@concordat/rpc'
import { isList, isObject } from '../../ethereum/index.js'
import type { LogReceiver, LogText, NodeAnswer } from '../node-call.js'
import {
  type Attempt,
  bodyOf,
  droppedBytes,
  isRefusal,
  NodeRequest,
  type RequestOwner,
  smallAnswerBytes,
} from '../node-request.js'
import type { NodeResponse } from '../node-response.js'
import { answerPace } from './answer-pace.js'
import type { OnDropped } from './dropped-members.js'
import { LogScanner } from './log-scanner.js'
import { readLog } from './log-text.js'
import { parseNodeJson, readAnswer } from './read-answer.js'

/** Maximum size of an answer without its logs, in bytes. */
const mostAround = 65_536

/**
 * Sends one eth_getLogs call, streams its logs to the receiver, and reports the outcome to the node.
 * Backpressure of the receiver pauses the node and stops the node's deadline.
 */
export async function sendLogs(node: RequestOwner, attempt: Attempt, receiver: LogReceiver): Promise<void> {
  const request = new NodeRequest(node, [attempt])
  try {
    const response = await request.post(bodyOf(attempt))
    if (request.isLeft) {
      await response.drop(droppedBytes)
      return
    }
    request.isReadingLogs = true
    const read = await readLogs(response, request, attempt, receiver, node.onDropped)
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
  response: NodeResponse,
  request: NodeRequest,
  attempt: Attempt,
  receiver: LogReceiver,
  onDropped: OnDropped | undefined,
): Promise<NodeAnswer | string> {
  const patienceMs = attempt.expiresAt - attempt.startedAt
  const { userId } = request
  const reading = new LogReading(response.statusCode, attempt.id, receiver, onDropped)
  let size = 0
  for await (const chunk of response) {
    const begunAt = performance.now()
    const flow = reading.read(chunk)
    size += chunk.length
    answerPace.worked(userId, begunAt, chunk.length)
    if (flow === 'end') return reading.outcome
    if (flow === 'skipped') continue
    const turn = size > smallAnswerBytes ? answerPace.turn(userId, request) : undefined
    if (turn !== undefined || flow !== 'more') {
      attempt.expiresAt = Number.POSITIVE_INFINITY
      await flow
      if (turn !== undefined) await (receiver.pausedFor?.(turn) ?? turn)
    }
    attempt.expiresAt = performance.now() + patienceMs
  }
  return reading.end()
}

/** The reading of one answer. */
class LogReading {
  /** The answer, or the text of an unusable response. */
  outcome: NodeAnswer | string = ''
  readonly #statusCode: number
  readonly #id: number
  readonly #receiver: LogReceiver
  readonly #onDropped: OnDropped | undefined
  readonly #scanner = new LogScanner()
  readonly #around: Buffer[] = []
  #aroundBytes = 0
  /** Bytes since the last complete log. */
  #logBytes = 0
  #idBefore: JsonValue | undefined
  #hasLogs = false
  #isEnough = false

  constructor(statusCode: number, id: number, receiver: LogReceiver, onDropped: OnDropped | undefined) {
    this.#statusCode = statusCode
    this.#id = id
    this.#receiver = receiver
    this.#onDropped = onDropped
  }

  /** Reads a piece. Returns `end` when the rest is not needed, `skipped` after a piece that shows no progress. */
  read(chunk: Buffer): 'end' | 'skipped' | 'more' | Promise<void> {
    const found: Buffer[] = []
    const rest: Buffer = isRefusal(this.#statusCode) ? chunk : this.#scanner.read(chunk, found)
    if (rest.length > 0) this.#around.push(rest)
    this.#aroundBytes += rest.length
    this.#logBytes = found.length > 0 ? 0 : this.#logBytes + chunk.length
    if (this.#logBytes > limits.logBytes) return this.#end(`a log of more than ${limits.logBytes} bytes`)
    if (this.#aroundBytes > mostAround) return this.#end(`more than ${mostAround} bytes other than logs`)
    const logs = found.map((bytes) => readLog(bytes, this.#onDropped))
    if (this.#scanner.isRubbish || !logs.every(isLog))
      return this.#end((found.at(-1) ?? chunk).toString('utf8'))
    if (logs.length === 0 || this.#isEnough) return 'skipped'
    return this.#take(logs, chunk)
  }

  /** Returns the outcome at the end of the answer. */
  end(): NodeAnswer | string {
    const text = textOf(this.#around)
    const answer = isRefusal(this.#statusCode) ? undefined : readAnswer(text, this.#id)
    const isWhole = answer?.error !== undefined || (isList(answer?.result) && answer.result.length === 0)
    return answer !== undefined && isWhole ? answer : text
  }

  #take(logs: readonly LogText[], chunk: Buffer): 'end' | 'skipped' | 'more' | Promise<void> {
    if (!this.#hasLogs) this.#idBefore = idBefore(textOf(this.#around))
    this.#hasLogs = true
    const id = this.#idBefore
    if (id !== undefined && id !== this.#id) return this.#end(textOf(this.#around))
    const flow = this.#receiver.take(logs)
    if (flow === 'rubbish') return this.#end(chunk.toString('utf8'))
    if (flow !== 'enough') return flow
    if (id === this.#id) return this.#end({ result: [] })
    this.#isEnough = true
    return 'skipped'
  }

  #end(outcome: NodeAnswer | string): 'end' {
    this.outcome = outcome
    return 'end'
  }
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
