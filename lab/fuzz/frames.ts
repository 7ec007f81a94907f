import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import type { JsonValue } from '../../src/toolkit/contract/index.js'
import { isArray, isObject, member } from '../../src/toolkit/contract/index.js'
import { codePoint } from '../../test/support/code-point.js'
import { httpMutations, mutate } from '../../test/support/mutations.js'
import { type Direction, Finding } from './direction.js'
import type { RequestTexts } from './inputs/request-texts.js'
import { type AnswerJudge, sentJson } from './judge-answers.js'

/** A frame of a WebSocket (RFC 6455, section 5.2). */
export interface FrameInput {
  /** The first byte: FIN, RSV1 to 3, opcode. */
  readonly first: number
  readonly isMasked: boolean
  /** Bytes as Latin-1. */
  readonly payload: string
  /** Difference between the stated length and the actual one. */
  readonly lengthError: number
}

/** Frames of one connection, or changed bytes. */
export interface FramesInput {
  readonly frames: readonly FrameInput[]
  /** Bytes that are sent instead of the frames, as Latin-1; empty if the frames are sent unchanged. */
  readonly changed: string
}

const text = 0x81
const closeFrame = 8
/** A call that is sent after each input. */
const lastId = 'the last call'
const lastCall = JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'eth_chainId', params: [] })
/** Milliseconds without a frame after which a connection with invalid input is closed. */
const patience = 100
/** Milliseconds without a frame after which a connection with valid input is closed: its last call must be answered. */
const patienceForAnswer = 120_000

const frame = ({ body }: RequestTexts): fc.Arbitrary<FrameInput> => {
  const usual = body.map((payload) => ({ first: text, isMasked: true, payload, lengthError: 0 }))
  const unusual = fc.record({
    first: fc.oneof(fc.constantFrom(0x01, 0x00, 0x80, 0x82, 0x88, 0x89, 0x8a, 0xc1, 0x83), fc.nat(255)),
    isMasked: fc.nat(9).map((number) => number > 0),
    payload: fc.oneof(
      body,
      fc.string({ unit: codePoint, maxLength: 200 }).map(latin1),
      fc.constant('\x03\xe8bye'),
    ),
    lengthError: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -9, max: 9 }) },
    ),
  })
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: unusual })
}

const latin1 = (value: string) => Buffer.from(value).toString('latin1')

/** Creates the direction that sends frames to `concordat mock`, because the gateway has no WebSockets. */
export function frameDirection(
  url: string,
  requests: RequestTexts,
  judge: AnswerJudge,
): Direction<FramesInput> {
  const frames = fc.array(frame(requests), { minLength: 1, maxLength: 4 })
  const address = { host: new URL(url).hostname, port: Number(new URL(url).port) }
  return {
    name: 'frames',
    atOnce: 16,
    inputs: fc.oneof(
      { weight: 5, arbitrary: frames.map((list) => ({ frames: list, changed: '' })) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(frames, fc.array(httpMutations, { minLength: 1, maxLength: 3 }))
          .map(([list, changes]) => ({ frames: list, changed: mutate(list.map(encoded).join(''), changes) })),
      },
    ),
    async send({ frames: list, changed }) {
      const isValid =
        changed === '' &&
        list.every(({ first, isMasked, lengthError }) => first === text && isMasked && lengthError === 0)
      const bytes = changed === '' ? list.map(encoded).join('') : changed
      const answers = await exchange(address, bytes, isValid)
      return judgeFrames(answers, isValid ? list : undefined, judge)
    },
  }
}

function encoded({ first, isMasked, payload, lengthError }: FrameInput): string {
  const length = Math.max(0, payload.length + lengthError)
  const head = [first]
  const mask = isMasked ? 0x80 : 0
  if (length < 126) head.push(mask | length)
  else if (length < 65_536) head.push(mask | 126, length >> 8, length & 255)
  else head.push(mask | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255)
  // A mask of zeros leaves the payload as it is.
  return `${Buffer.from([...head, ...(isMasked ? [0, 0, 0, 0] : [])]).toString('latin1')}${payload}`
}

/** The frames that the server sent. */
interface Received {
  readonly texts: readonly string[]
  readonly closeCode: number | undefined
}

function exchange(
  address: { host: string; port: number },
  bytes: string,
  isValid: boolean,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ ...address, noDelay: true })
    let received = Buffer.alloc(0)
    let isOpen = false
    const limit = setTimeout(() => socket.destroy(), isValid ? patienceForAnswer : patience)
    socket.on('error', () => undefined)
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece])
      limit.refresh()
      const headEnd = received.indexOf('\r\n\r\n')
      if (!isOpen && headEnd >= 0) {
        isOpen = true
        received = received.subarray(headEnd + 4)
        const last = encoded({ first: text, isMasked: true, payload: lastCall, lengthError: 0 })
        socket.write(bytes + last, 'latin1')
      }
      if (received.includes(`"${lastId}"`)) socket.destroy()
    })
    socket.on('close', () => {
      clearTimeout(limit)
      try {
        resolve(framesIn(received))
      } catch (error) {
        reject(error)
      }
    })
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
  })
}

/** Reads complete frames. Servers do not mask frames, and this one does not fragment them. */
function framesIn(bytes: Buffer): Received {
  const texts: string[] = []
  let closeCode: number | undefined
  let at = 0
  while (at + 2 <= bytes.length) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2)
    const [size, start] =
      second < 126
        ? [second, at + 2]
        : second === 126
          ? [bytes.length < at + 4 ? Number.NaN : bytes.readUInt16BE(at + 2), at + 4]
          : [bytes.length < at + 10 ? Number.NaN : Number(bytes.readBigUInt64BE(at + 2)), at + 10]
    if (Number.isNaN(size) || start + size > bytes.length) break
    if ((first & 0x70) !== 0 || second > 127) throw new Finding('a frame of the server is invalid')
    const payload = bytes.subarray(start, start + size)
    if ((first & 15) === 1) texts.push(payload.toString('utf8'))
    if ((first & 15) === closeFrame) closeCode = size < 2 ? 1005 : payload.readUInt16BE(0)
    at = start + size
  }
  return { texts, closeCode }
}

/** Close code of an internal error (RFC 6455, section 7.4.1). */
const failedCode = 1011

function judgeFrames(
  { texts, closeCode }: Received,
  frames: readonly FrameInput[] | undefined,
  judge: AnswerJudge,
): string {
  if (closeCode === failedCode) throw new Finding('the server closed with 1011, an internal error')
  const byId = new Map<JsonValue | undefined, JsonValue>()
  for (const { payload } of frames ?? []) {
    const sent = sentJson(payload)
    for (const one of isArray(sent) ? sent : sent === undefined ? [] : [sent])
      if (isObject(one)) {
        const id = member(one, 'id')
        // Requests with the same id cannot be told apart.
        byId.set(id, byId.has(id) ? null : one)
      }
  }
  const isUnique = frames?.length === 1
  for (const message of texts) {
    const parsed = JSON.parse(message) as JsonValue
    for (const answer of isArray(parsed) ? parsed : [parsed]) {
      const id = isObject(answer) ? member(answer, 'id') : undefined
      const request = isUnique && id !== lastId ? byId.get(id) : undefined
      judge.message(answer, request)
    }
  }
  if (closeCode !== undefined) return `closed with ${closeCode}`
  const isAnswered = texts.some((message) => message.includes(`"${lastId}"`))
  if (frames !== undefined && !isAnswered) throw new Finding('valid frames, and the last call got no answer')
  return isAnswered ? 'answered' : 'closed'
}
