import { connect, type Socket } from 'node:net'
import { resolve } from 'node:path'
import type { JsonValue } from '@concordat/rpc'
import { CONTROL_SOCKET, socketPathIn } from '../../store/index.js'
import { OperatorError, operatorErrorCodes, reasonOf, systemCode } from '../../util/index.js'
import { CONTROL_VERSION, type ControlAnswer, createLineReader } from './control-protocol.js'

/** A service without an answer within this time counts as unreachable. */
const ANSWER_MS = 10_000

/** A connection to the service that runs on a data folder. */
export interface ControlClient {
  /**
   * Runs a command in the service.
   * @throws OperatorError of the service, or `service_unreachable`
   */
  run(command: string, input: JsonValue): Promise<JsonValue>
  close(): void
}

/**
 * Connects to the service that runs on a data folder; undefined when none does.
 * @throws OperatorError `service_unreachable`, `data_folder_unusable`
 */
export async function connectControl(dataDir: string): Promise<ControlClient | undefined> {
  const folder = resolve(dataDir)
  try {
    const sockets = await socketPathIn(folder, CONTROL_SOCKET)
    try {
      return clientOver(await connectTo(sockets.pathOf(CONTROL_SOCKET)), folder)
    } finally {
      await sockets.close()
    }
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return undefined
    throw error instanceof OperatorError ? error : unreachable(folder, reasonOf(error), error)
  }
}

function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function clientOver(socket: Socket, folder: string): ControlClient {
  const waiting: ((answer: ControlAnswer | OperatorError) => void)[] = []
  const lines = createLineReader((line) => waiting.shift()?.(readAnswer(line, folder)))
  const fail = (reason: string, cause?: unknown) => {
    for (const give of waiting.splice(0)) give(unreachable(folder, reason, cause))
    socket.destroy()
  }
  socket.setEncoding('utf8')
  socket.setTimeout(ANSWER_MS, () => {
    if (waiting.length > 0) fail(`no answer within ${ANSWER_MS / 1000} seconds`)
  })
  socket.on('data', (chunk: string) => lines.push(chunk))
  socket.on('error', (error) => fail(reasonOf(error), error))
  socket.on('close', () => fail('it stopped before answering'))
  return {
    async run(command, input) {
      if (socket.destroyed) throw unreachable(folder, 'the connection was closed')
      const answer = await new Promise<ControlAnswer | OperatorError>((give) => {
        waiting.push(give)
        socket.write(`${JSON.stringify({ version: CONTROL_VERSION, command, input })}\n`)
      })
      if (answer instanceof OperatorError) throw answer
      if ('output' in answer) return answer.output
      const { code, message } = answer.error
      throw new OperatorError(
        operatorErrorCodes.find((known) => known === code) ?? 'service_unreachable',
        message,
      )
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(line: string, folder: string): ControlAnswer | OperatorError {
  try {
    return JSON.parse(line) as ControlAnswer
  } catch (error) {
    return unreachable(folder, 'its answer cannot be read', error)
  }
}

function unreachable(folder: string, reason: string, cause?: unknown): OperatorError {
  return new OperatorError(
    'service_unreachable',
    `The service that uses ${folder} cannot be reached: ${reason}`,
    { cause },
  )
}
