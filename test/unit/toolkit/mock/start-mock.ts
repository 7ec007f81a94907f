import type { Test } from 'tap'
import { loadMethods } from '../../../../src/cli/mock/mock-methods.js'
import type { ErrorReport } from '../../../../src/runtime/server/index.js'
import type { Contract, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { createMock, type Mock } from '../../../../src/toolkit/mock/index.js'
import { post } from '../../../support/service.js'

/** A mock server on a real socket, stopped when the test ends. */
export interface StartedMock {
  readonly mock: Mock
  readonly url: string
  /** Internal errors of the server. Tests expect none. */
  readonly reports: readonly ErrorReport<unknown>[]
  /** Sends a raw body. */
  readonly send: (body: unknown, path?: string) => ReturnType<typeof post>
  /** Calls a method and returns `{ result }` or `{ error }`. */
  readonly ask: (
    method: string,
    params?: unknown,
  ) => Promise<{ readonly result?: JsonValue; readonly error?: JsonValue }>
}

/** Starts a mock server for a contract. */
export async function startMock(t: Test, contract: Contract, seed = 'seed'): Promise<StartedMock> {
  const reports: ErrorReport<unknown>[] = []
  const methods = await loadMethods(contract)
  const mock = createMock({ contract, methods, seed, onError: (report) => reports.push(report) })
  const { url, close } = await mock.listen({ port: 0 })
  t.teardown(close)
  const send = (body: unknown, path = '') => post(new URL(path, url).href, body)
  return {
    mock,
    url,
    reports,
    send,
    async ask(method, params) {
      const { json } = await send({
        jsonrpc: '2.0',
        id: 7,
        method,
        ...(params === undefined ? {} : { params }),
      })
      const { jsonrpc: _, id, ...answer } = json
      t.equal(id, 7)
      return answer
    },
  }
}
