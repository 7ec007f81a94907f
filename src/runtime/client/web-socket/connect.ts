import type { JsonValue } from '@concordat/rpc'
import { functionsOf, nestedMembers, sending } from '../client-members.js'
import type { CallOptions, Next } from '../client-options.js'
import { transportFault } from '../fault.js'
import { createEndpoint } from '../http/endpoint.js'
import { isObject } from '../http/read-response.js'
import { layeredCall } from '../pipeline/layers.js'
import type { WireParams } from '../wire-params.js'
import type { ConnectOptions, SocketContract } from './connect-options.js'
import { createCallHandler } from './received-calls.js'
import { Socket } from './socket.js'
import { SocketCalls } from './socket-calls.js'
import { Subscriptions } from './subscriptions.js'

/**
 * Connects a client over a WebSocket: a function for each method, and an iteration for each subscription. The
 * generated `connect` adds the type.
 * @param url the service's URL with its key: ws, wss, http or https
 * @param contract the generated contract
 * @param options options of the client, with the handlers of methods that the server calls
 * @returns the client, when the connection is open
 * @throws TransportError when the connection cannot be opened in time
 * @throws TypeError when the URL is invalid, or the runtime has no WebSocket
 * @throws RangeError when a time is not greater than 0
 */
export async function connectRpc<Client extends object>(
  url: string | URL,
  contract: SocketContract,
  options: ConnectOptions = {},
): Promise<Client> {
  const endpoint = createEndpoint(String(url).replace(/^ws/i, 'http'))
  if (endpoint.headers['authorization'] !== undefined)
    throw new TypeError(
      'connect: a WebSocket URL cannot have a user and password; use the option webSocket to send headers',
    )
  const calls = new SocketCalls(contract, endpoint.redact, options.timeoutMilliseconds)
  const { call } = layeredCall(options, async (wanted) => calls.start(wanted))
  const subscriptions = new Subscriptions(contract, call, options.reconnect !== false)
  const answer = createCallHandler(contract, options.handlers, options.onHandlerError)
  let connection = new AbortController()

  const receive = async (message: JsonValue): Promise<string | undefined> => {
    if (!isObject(message)) return undefined
    if (typeof message['method'] !== 'string') calls.receive(message)
    else if (!subscriptions.receive(message)) return answer(message, connection.signal)
    return undefined
  }
  const respond = async (answers: Promise<string | undefined>, { signal }: AbortController) => {
    const text = await answers
    // An answer to a request of an earlier connection would answer another request on this one.
    if (text !== undefined && !signal.aborted) socket.send(text)
  }
  const socket = new Socket(endpoint, options, {
    onOpen() {
      connection = new AbortController()
      calls.opened((text) => socket.send(text))
      subscriptions.opened()
    },
    onMessage(text) {
      const message = parsed(text)
      if (message === undefined) socket.refuse('a message that is not JSON')
      else if (Array.isArray(message)) respond(listed(message.map(receive)), connection)
      else respond(receive(message), connection)
    },
    onSilent() {
      calls.start({ method: 'rpc.ping', params: [], options: {} }).catch(() => undefined)
    },
    onLost(fault) {
      connection.abort(fault('connection'))
      calls.lost(fault)
      subscriptions.lost(fault)
    },
    onEnd(fault) {
      calls.ended(fault ?? transportFault({ kind: 'network', message: 'the client was closed' }))
      subscriptions.ended(fault)
    },
  })
  await socket.connect()
  return members<Client>(contract, socket, call, subscriptions)
}

/** Builds the members of a client. */
function members<Client extends object>(
  contract: SocketContract,
  socket: Socket,
  call: Next,
  subscriptions: Subscriptions,
): Client {
  const { close = 'close', request = 'request', state = 'state' } = contract.names ?? {}
  const unsubscribes = new Set(Object.values(contract.subscriptions ?? {}).map((one) => one.unsubscribe))
  const methods = Object.entries(contract.methods).filter(([name]) => !unsubscribes.has(name))
  const functions = functionsOf({ methods: Object.fromEntries(methods) }, (callOf, name) =>
    Object.hasOwn(contract.subscriptions ?? {}, name)
      ? (...given: readonly unknown[]) => subscriptions.create(callOf(...given))
      : sending(call)(callOf),
  )
  const anyMethod = async (method: string, params: WireParams = [], options: CallOptions = {}) =>
    call({ method, params, options })
  const client = nestedMembers([...functions, [[request], anyMethod], [[close], () => socket.close()]])
  Object.defineProperty(client, state, { get: () => socket.state, enumerable: true, configurable: true })
  return client as Client
}

/** The texts of several responses as one message (JSON-RPC 2.0, section 6). */
async function listed(answers: readonly Promise<string | undefined>[]): Promise<string | undefined> {
  const texts = (await Promise.all(answers)).filter((text) => text !== undefined)
  return texts.length === 0 ? undefined : `[${texts.join()}]`
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
