import { arrayMember, isObject, type JsonValue, member, objectMember, stringMember } from '../json.js'
import type { Contract } from './contract.js'

/**
 * How messages are separated on standard input and output: one a line, as in the Model Context Protocol, or each after
 * a header `Content-Length`, as in the Language Server Protocol.
 */
export type Framing = 'newline' | 'content-length'

/** A call or a notification that opens a session. */
export interface SessionMessage {
  readonly method: string
  readonly params: JsonValue | undefined
  /** True for a method without a result. */
  readonly isNotification: boolean
}

/** How clients and servers talk over a connection (`x-session`). */
export interface Session {
  /** Default: `newline`. */
  readonly framing: Framing
  /** The messages with which a client opens a connection, in order. */
  readonly open: readonly SessionMessage[]
  /** Methods that only the server calls (`x-direction`). */
  readonly serverMethods: ReadonlySet<string>
  /** Results of clients to these methods, from the first example with a result. */
  readonly results: ReadonlyMap<string, JsonValue>
}

/** Reads `x-session` and the methods that the server calls. */
export function sessionOf({ info, methods }: Pick<Contract, 'info' | 'methods'>): Session {
  const stated = objectMember(info, 'x-session')
  const withoutResult = new Set(methods.filter(({ result }) => result === undefined).map(({ name }) => name))
  const ofServer = methods.filter(({ extensions }) => extensions['x-direction'] === 'serverToClient')
  return {
    framing: stated['framing'] === 'content-length' ? 'content-length' : 'newline',
    open: arrayMember(stated, 'open').flatMap((message) => {
      const method = isObject(message) ? stringMember(message, 'method') : undefined
      if (!isObject(message) || method === undefined) return []
      return [{ method, params: member(message, 'params'), isNotification: withoutResult.has(method) }]
    }),
    serverMethods: new Set(ofServer.map(({ name }) => name)),
    results: new Map(
      ofServer.flatMap(({ name, examples }) => {
        const shown = examples.find(({ result }) => result !== undefined)?.result
        return shown === undefined ? [] : [[name, shown.value] as const]
      }),
    ),
  }
}
