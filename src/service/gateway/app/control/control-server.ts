import type { Socket } from 'node:net'
import type { JsonValue } from '@concordat/rpc'
import type { DataFolder } from '../../store/index.js'
import { OperatorError } from '../../util/index.js'
import {
  CONTROL_VERSION,
  type ControlAnswer,
  type ControlRequest,
  createLineReader,
  REQUEST_BYTES,
} from './control-protocol.js'

/** The commands of the control socket. A command throws an OperatorError to refuse. */
export type ControlHandlers = Readonly<Record<string, (input: JsonValue) => JsonValue | Promise<JsonValue>>>

/** How to serve the control socket. */
export interface ControlServerOptions {
  readonly handlers: ControlHandlers
  /** Called for errors other than OperatorError: defects, and failures of the database. */
  readonly onError?: (error: unknown) => void
}

/**
 * Answers the control socket of a data folder, which only its owner can connect to (0600 in a 0700 folder).
 * Nothing that a client sends ends the service.
 */
export function serveControl(folder: Pick<DataFolder, 'onConnection'>, options: ControlServerOptions): void {
  folder.onConnection((socket) => serve(socket, options))
}

function serve(socket: Socket, options: ControlServerOptions): void {
  let before: Promise<unknown> = Promise.resolve()
  const send = (answer: ControlAnswer) => {
    if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`)
  }
  const lines = createLineReader((line) => {
    before = before.then(async () => send(await answerTo(line, options)))
  })
  const tooLong = () => {
    socket.pause()
    before.then(() =>
      socket.end(`${JSON.stringify(failed(`A request has at most ${REQUEST_BYTES} bytes`))}\n`),
    )
  }
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    lines.push(chunk)
    if (lines.pending() > REQUEST_BYTES) tooLong()
  })
}

async function answerTo(line: string, { handlers, onError }: ControlServerOptions): Promise<ControlAnswer> {
  const request = readRequest(line)
  if (typeof request === 'string') return failed(request)
  const handler = Object.hasOwn(handlers, request.command) ? handlers[request.command] : undefined
  if (handler === undefined) return failed(`This service has no command ${JSON.stringify(request.command)}`)
  try {
    return { version: CONTROL_VERSION, output: await handler(request.input) }
  } catch (error) {
    if (error instanceof OperatorError) return failed(error.message, error.code)
    onError?.(error)
    return failed('The command failed. The log of the service has the reason')
  }
}

/** Parses a line into a request, or describes its problem. */
function readRequest(line: string): ControlRequest | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'A request is one line of JSON'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'A request is a JSON object'
  const { version, command, input } = value as Partial<ControlRequest>
  if (version !== CONTROL_VERSION)
    return `This service speaks version ${CONTROL_VERSION} of the control protocol`
  if (typeof command !== 'string') return 'A request needs a command'
  return { version, command, input: input ?? null }
}

function failed(message: string, code = 'control_error'): ControlAnswer {
  return { version: CONTROL_VERSION, error: { code, message } }
}
