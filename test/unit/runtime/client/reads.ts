import { createRpcClient } from '../../../../src/runtime/client/index.js'
import { type Answer, json } from './rpc-server.js'

type Call = (...given: readonly unknown[]) => Promise<unknown>

/** A client of the contract below. */
export interface ReadClient {
  readonly balance: Call
  readonly logs: Call
  readonly send: Call
  readonly request: Call
  readonly batch: (
    build: (
      call: Readonly<Record<'balance' | 'logs' | 'send', (...given: readonly unknown[]) => object>>,
    ) => readonly object[],
    options?: object,
  ) => Promise<readonly { readonly status: string; readonly value?: unknown; readonly reason?: unknown }[]>
  readonly quota: { limit?: number; remaining: number; resetSeconds?: number } | undefined
}

/** A batchable read, a read that travels alone, and a write. */
const contract = {
  methods: {
    balance: { params: ['of'], effect: 'read', batchable: true },
    logs: { params: ['of'], effect: 'read' },
    send: { params: ['of'] },
  },
  errors: { refused: 7, gone: 9 },
  transient: [9],
  limits: { batchItems: 4, bodyBytes: 1_000 },
} as const

export function readClient(url: string, options?: object): ReadClient {
  return createRpcClient<ReadClient>(url, contract, options)
}

/** One request object. */
export interface Sent {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Answers each call with its first parameter, or with what `reply` returns for it. */
export function echo(reply: (call: Sent) => object | undefined = () => undefined): Answer {
  return ({ sent, batch }, response) => {
    const answer = (call: Sent) => ({
      jsonrpc: '2.0',
      id: call.id,
      ...(reply(call) ?? { result: call.params[0] }),
    })
    const body = Array.isArray(sent) ? (batch as readonly Sent[]).map(answer) : answer(sent as Sent)
    json(body)({ sent } as never, response)
  }
}

/** The methods and first parameters of each HTTP request: a list for a batch. */
export function shapes(all: readonly { readonly sent: unknown }[]): unknown[] {
  const shape = ({ method, params }: Sent) => `${method} ${params[0]}`
  return all.map(({ sent }) => (Array.isArray(sent) ? sent.map(shape) : shape(sent as Sent)))
}
