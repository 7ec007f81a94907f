import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import type {
  HandlerCall,
  JsonValue,
  MethodDescriptor,
  ServiceDescriptor,
} from '../../../src/runtime/rpc/index.js'
import { createService, type ErrorReport, type ServiceOptions } from '../../../src/runtime/server/index.js'
import { mountWebSocket, type WebSocketOptions } from '../../../src/runtime/server/web-socket/index.js'
import { until } from '../../support/until.js'
import { method } from '../../unit/runtime/server/calculator.js'
import { listening } from './transport-harness.js'

export const isAnything = () => undefined
export const isNumber = (value: unknown) => (typeof value === 'number' ? undefined : 'must be a number')
export const isText = (value: unknown) => (typeof value === 'string' ? undefined : 'must be a string')
export const id = { name: 'subscription', check: isText }

export const withExtensions = <Own extends MethodDescriptor['extensions']>(
  own: MethodDescriptor,
  extensions: Own,
) => ({
  ...own,
  extensions,
})

const errors = { nine: { code: 9, message: 'Nine' } }
const service: ServiceDescriptor = { limits: {}, envelope: undefined, failures: {}, errors, withoutData: [] }

/** A contract with a subscription, and with methods in both directions. */
export const methods = {
  count: withExtensions(
    { ...method('count', [{ name: 'to', check: isNumber }], { result: isText }), errors: ['nine'], service },
    {
      'x-subscription': { notification: 'counted', unsubscribe: 'stop', end: 'ended' },
    } as const,
  ),
  counted: withExtensions(
    method('counted', [id, { name: 'result', check: isNumber }], {
      structure: 'by-name',
      notification: true,
    }),
    { 'x-direction': 'serverToClient' } as const,
  ),
  ended: withExtensions(method('ended', [id], { structure: 'by-name', notification: true }), {
    'x-direction': 'serverToClient',
  } as const),
  stop: method('stop', [id], { result: isAnything }),
  double: withExtensions(method('double', [{ name: 'value', check: isNumber }]), {
    'x-direction': 'serverToClient',
  } as const),
  quadruple: method('quadruple', [{ name: 'value', check: isNumber }]),
  wait: method('wait', [], { result: isAnything }),
}

interface ClientMethods {
  readonly double: { readonly params: { readonly value: number }; readonly result: number }
}

export type Count = (
  params: { to: number },
  context: undefined,
  call: HandlerCall,
) => AsyncIterable<JsonValue> | Promise<never>

export function create(count: Count, options: Partial<ServiceOptions<undefined, typeof methods>> = {}) {
  const reports: ErrorReport<undefined>[] = []
  const aborted: string[] = []
  const waiting: (() => void)[] = []
  const service = createService<undefined>({
    methods,
    handlers: {
      count,
      quadruple: async ({ value }: { value: number }, _: undefined, { peer }: HandlerCall<ClientMethods>) =>
        2 * (await peer.request('double', { value })),
      wait: (_: object, __: undefined, { signal }: HandlerCall) =>
        new Promise<null>((resolve) => {
          waiting.push(() => resolve(null))
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason.name)
            resolve(null)
          })
        }),
    },
    onError: (report) => {
      reports.push(report)
    },
    ...options,
  })
  return { service, reports, aborted, waiting }
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: number }
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

type Service = ReturnType<typeof create>['service']

/** A WebSocket to a service, with everything that it received. */
export async function connect(t: Test, service: Service, options: Partial<WebSocketOptions<undefined>> = {}) {
  const server = createHttpServer()
  const endpoint = mountWebSocket(server, { service, path: '/ws', ...options })
  const origin = await listening(t, server)
  t.teardown(() => endpoint.close())
  const socket = new WebSocket(`ws://${origin}/ws`)
  t.teardown(() => socket.terminate())
  const received: Message[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const find = (test: (message: Message) => unknown) => until(() => received.find(test))
  return { socket, received, find, endpoint, origin, send: (text: string) => socket.send(text) }
}

/** Counts to a number, and records how the generator ended. */
export function counter(ends: string[], delivered: number[] = []): Count {
  return async function* ({ to }, _, { signal }) {
    try {
      for (let at = 1; at <= to && !signal.aborted; at++) {
        delivered.push(at)
        yield at
      }
      await new Promise<void>((resolve) => {
        if (signal.aborted || to < 10) resolve()
        else signal.addEventListener('abort', () => resolve())
      })
    } finally {
      ends.push(signal.aborted ? 'aborted' : 'done')
    }
  }
}
