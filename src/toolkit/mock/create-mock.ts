import type { Readable, Writable } from 'node:stream'
import {
  createProtocolHandler,
  createService,
  defaultLimits,
  type ErrorReport,
  type ListenOptions,
  type Methods,
  protocolEndpoint,
  type RunningServer,
  serveHttp,
} from '@concordat/server'
import { serveStdio } from '@concordat/server/stdio'
import { mountWebSocket } from '@concordat/server/web-socket'
import { type Contract, contractError, sessionOf } from '../contract/index.js'
import { createAnswerCall } from './answer-call.js'
import { contractSettings } from './contract-settings.js'
import { type ExampleTable, readExamples } from './example-table.js'
import { createMockHandlers } from './mock-handlers.js'
import type { SentParams } from './params-key.js'
import { refusingMethods } from './refusing-methods.js'
import { servedPaths } from './served-paths.js'

/** Options of a mock server. */
export interface MockOptions {
  readonly contract: Contract
  /** Methods of the contract with their validators: `methods` of the generated code. */
  readonly methods: Methods
  /** Seed of generated values. The same seed gives the same values. */
  readonly seed: string
  /** Milliseconds between two notifications of a subscription. Default: {@link mockDefaults}. */
  readonly notifyMilliseconds?: number | undefined
  /** Called with internal errors of the mock server, which clients do not see. */
  readonly onError: (report: ErrorReport<unknown>) => void
}

/** The defaults of {@link MockOptions}. */
export const mockDefaults = { notifyMilliseconds: 1_000 } as const

/** A call as a client sends it. */
export interface ShownCall {
  readonly method: string
  readonly params: SentParams
}

/** A mock server that serves nothing yet. */
export interface Mock {
  /** Calls with a result in an example. */
  readonly shown: readonly ShownCall[]
  /** Callable methods without an example answer. */
  readonly withoutExample: readonly string[]
  /** Notes in full sentences on examples that do not fit the contract or are ignored. */
  readonly notes: readonly string[]
  listen(options: ListenOptions): Promise<RunningServer>
  /**
   * Serves a pair of streams in the framing of the contract (`x-session`), until the input ends and all messages are
   * answered. Standard input and output by default.
   * @throws FramingError if the input has a header that cannot be read; the error of a stream
   */
  serveStreams(streams?: { readonly input: Readable; readonly output: Writable }): Promise<void>
}

/**
 * Creates a server that answers from the contract alone. A call with the parameters of an example receives
 * that example's answer. Other calls receive a value generated from the result's schema. Invalid calls are
 * rejected as the contract says. WebSockets on any path of the same port take the same calls, and subscriptions.
 * @throws ContractError if the contract cannot be served
 */
export function createMock(options: MockOptions): Mock {
  const { contract, methods, seed, onError, notifyMilliseconds = mockDefaults.notifyMilliseconds } = options
  const examples = readAllExamples(contract, methods)
  const settings = {
    ...contractSettings(contract),
    methods: refusingMethods(methods, examples),
    document: contract.published(),
    scopes: () => undefined,
    onError,
  }
  const answer = createAnswerCall({ contract, examples, seed })
  const protocol = createProtocolHandler<unknown>({ ...settings, call: answer })
  const handlers = createMockHandlers({ contract, methods, examples, answer, seed, notifyMilliseconds })
  const service = onConnections(() => createService({ ...settings, handlers }))
  const callable = Object.values(methods).filter(({ notification }) => !notification)
  return {
    shown: [...examples].flatMap(([method, { answers }]) =>
      [...answers.values()].flatMap(({ sent, error }) => (error ? [] : { method, params: sent })),
    ),
    withoutExample: callable.map(({ name }) => name).filter((name) => !examples.get(name)?.answers.size),
    notes: [...examples.values()].flatMap(({ notes }) => notes),
    serveStreams: (streams) =>
      serveStdio({ service, context: undefined, framing: sessionOf(contract).framing, ...streams }),
    async listen(address) {
      const gracefulStopSeconds = Math.min(
        protocol.limits.gracefulStopSeconds,
        defaultLimits.gracefulStopSeconds,
      )
      const running = await serveHttp(
        { ...protocolEndpoint(protocol, () => undefined), paths: servedPaths(contract), gracefulStopSeconds },
        address,
      )
      const sockets = mountWebSocket(running.server, { service, path: '*' })
      return {
        ...running,
        async close(deadlineMilliseconds) {
          await sockets.close()
          return running.close(deadlineMilliseconds)
        },
      }
    },
  }
}

/** Reports a subscription whose methods do not exist as a problem of the contract. */
function onConnections<Service>(create: () => Service): Service {
  try {
    return create()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw contractError('#/methods', cause.message, { cause })
  }
}

function readAllExamples(contract: Contract, methods: Methods): ReadonlyMap<string, ExampleTable> {
  return new Map(
    contract.methods.map((method) => {
      const descriptor = Object.hasOwn(methods, method.name) ? methods[method.name] : undefined
      if (!descriptor) throw contractError(method.pointer, `"${method.name}" has no validators`)
      return [method.name, readExamples(method, descriptor)]
    }),
  )
}
