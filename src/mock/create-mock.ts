import { lookup } from 'node:dns/promises'
import Fastify from 'fastify'
import { type Contract, contractError } from '../contract/index.js'
import {
  createProtocolHandler,
  defaultLimits,
  type ErrorReport,
  type ListenOptions,
  type Methods,
  type RunningServer,
  registerRpc,
  rpcServerOptions,
  stopGracefully,
} from '../server/index.js'
import { createAnswerCall } from './answer-call.js'
import { contractSettings } from './contract-settings.js'
import { type ExampleTable, readExamples } from './example-table.js'
import type { SentParams } from './params-key.js'
import { refusingMethods } from './refusing-methods.js'
import { servedPaths } from './served-paths.js'

/** What a mock server is made of. */
export interface MockOptions {
  readonly contract: Contract
  /** The contract's methods with their validators: what `methods` of generated code is. */
  readonly methods: Methods
  /** Another seed makes other values, the same one the same. */
  readonly seed: string
  /** Told of what callers are not told: defects of the mock server itself. */
  readonly onError: (report: ErrorReport<unknown>) => void
}

/** A call as a caller sends it. */
export interface ShownCall {
  readonly method: string
  readonly params: SentParams
}

/** A server of a contract that does not listen yet. */
export interface Mock {
  /** The calls that examples show a result of. */
  readonly shown: readonly ShownCall[]
  /** The methods that can be called and that no example answers. */
  readonly withoutExample: readonly string[]
  /** Examples that are not answered as they stand there, each in a sentence. */
  readonly notes: readonly string[]
  listen(options: ListenOptions): Promise<RunningServer>
}

const MILLISECONDS = 1_000

/**
 * Makes a server of a contract that answers from the contract alone: what its examples show where a call has the
 * parameters of one, and a value that fits the result's schema where none has. It refuses what the contract refuses.
 * @throws ContractError where the contract cannot be served
 */
export function createMock({ contract, methods, seed, onError }: MockOptions): Mock {
  const examples = readAllExamples(contract, methods)
  const { limits, failures, envelope } = contractSettings(contract)
  const protocol = createProtocolHandler<unknown>({
    methods: refusingMethods(methods, examples),
    call: createAnswerCall({ contract, examples, seed }),
    document: JSON.stringify(contract.document),
    envelope,
    limits,
    failures,
    onError,
  })
  const callable = Object.values(methods).filter(({ notification }) => !notification)
  return {
    shown: [...examples].flatMap(([method, { answers }]) =>
      [...answers.values()].flatMap(({ sent, error }) => (error ? [] : { method, params: sent })),
    ),
    withoutExample: callable.map(({ name }) => name).filter((name) => !examples.get(name)?.answers.size),
    notes: [...examples.values()].flatMap(({ notes }) => notes),
    async listen({ port, host = '127.0.0.1' }) {
      const app = Fastify(rpcServerOptions({ limits, failures }))
      const paths = servedPaths(contract)
      const rpc = registerRpc(app, { paths, protocol, authorize: () => undefined, alone: true })
      // By a name that has several addresses Fastify would open several servers, and stop only one gracefully.
      const { address } = await lookup(host)
      const url = new URL('/', await app.listen({ port, host: address })).href
      const seconds = Math.min(protocol.limits.gracefulStopSeconds, defaultLimits.gracefulStopSeconds)
      return {
        url,
        async close() {
          await stopGracefully({ app, rpc, deadlineMilliseconds: seconds * MILLISECONDS })
        },
      }
    },
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
