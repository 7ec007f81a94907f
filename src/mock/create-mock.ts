import {
  createProtocolHandler,
  defaultLimits,
  type ErrorReport,
  type ListenOptions,
  type Methods,
  type RunningServer,
  serveHttp,
} from '@concordat/server'
import { type Contract, contractError } from '../contract/index.js'
import { createAnswerCall } from './answer-call.js'
import { contractSettings } from './contract-settings.js'
import { type ExampleTable, readExamples } from './example-table.js'
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
  /** Called with internal errors of the mock server, which clients do not see. */
  readonly onError: (report: ErrorReport<unknown>) => void
}

/** A call as a client sends it. */
export interface ShownCall {
  readonly method: string
  readonly params: SentParams
}

/** A mock server that does not listen yet. */
export interface Mock {
  /** Calls with a result in an example. */
  readonly shown: readonly ShownCall[]
  /** Callable methods without an example answer. */
  readonly withoutExample: readonly string[]
  /** Notes in full sentences on examples that do not fit the contract or are ignored. */
  readonly notes: readonly string[]
  listen(options: ListenOptions): Promise<RunningServer>
}

/**
 * Creates a server that answers from the contract alone. A call with the parameters of an example receives
 * that example's answer. Other calls receive a value generated from the result's schema. Invalid calls are
 * rejected as the contract says.
 * @throws ContractError if the contract cannot be served
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
    listen(address) {
      const gracefulStopSeconds = Math.min(
        protocol.limits.gracefulStopSeconds,
        defaultLimits.gracefulStopSeconds,
      )
      return serveHttp(
        { paths: servedPaths(contract), protocol, authorize: () => undefined, gracefulStopSeconds },
        address,
      )
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
