import {
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  type Session,
  stringMember,
  valueAt,
} from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import { describe, type Finding } from '../../report/index.js'
import type { BesideMessage } from '../../send/exchange.js'
import { answerFindings } from '../answer/automatic-checks.js'
import { recorded, type Seen, type TrafficVerdict, Violations } from './seen.js'

/** Id of the statement about all responses of a session, and the beginning of the others. */
const prefix = 'invariants/session'

/** Name of the statement about all responses, which is no name of a method. */
const responses = ''

/** A statement about the messages of one method that belong to no exchange of a case. */
interface SessionStatement {
  readonly method: string
  readonly id: string
  readonly invariant: string
}

/** Returns the statements about the calls that open a session, and about the calls of the server. */
export function sessionStatements(
  { open, serverMethods }: Session,
  ofSubscriptions: ReadonlySet<string> = new Set(),
): readonly SessionStatement[] {
  const opening = new Set(open.filter(({ isNotification }) => !isNotification).map(({ method }) => method))
  return [
    {
      method: responses,
      invariant: 'Each answer over a connection belongs to a request, which has one answer.',
    },
    ...[...opening].map((method) => ({
      method,
      invariant: `The answer of ${method}, which opens a session, fits the contract.`,
    })),
    ...[...serverMethods]
      .filter((method) => !ofSubscriptions.has(method))
      .map((method) => ({ method, invariant: `The server calls ${method} with parameters that fit.` })),
  ].map((statement) => ({ ...statement, id: [prefix, statement.method].filter(Boolean).join('/') }))
}

/** Judges the messages of a session that belong to no exchange of a case. Calls that the contract lacks are ignored. */
export class SessionJudge {
  readonly #checks: Checks
  readonly #methods: ReadonlyMap<string, { judged: number; readonly violations: Violations }>

  constructor(statements: readonly SessionStatement[], checks: Checks) {
    this.#checks = checks
    this.#methods = new Map(
      statements.map(({ method }) => [method, { judged: 0, violations: new Violations() }]),
    )
  }

  see(seen: Seen): void {
    const { besides } = seen.exchange.reply ?? {}
    const state = this.#methods.get(responses)
    if (besides !== undefined && state !== undefined) state.judged++
    for (const message of besides ?? []) this.#judge(message, seen)
  }

  verdict(method: string): TrafficVerdict {
    const { judged, violations } = this.#methods.get(method) ?? { judged: 0, violations: new Violations() }
    return violations.verdict(judged)
  }

  #judge(message: BesideMessage, seen: Seen): void {
    const received = parseJson(message.received) ?? null
    const call = message.sent === undefined ? received : (parseJson(message.sent) ?? null)
    const method = isObject(call) ? (stringMember(call, 'method') ?? responses) : undefined
    const state = method === undefined ? undefined : this.#methods.get(method)
    if (state === undefined || method === undefined || !isObject(call)) return
    if (method !== responses) state.judged++
    const [finding] =
      method === responses
        ? [
            {
              where: '/id',
              expected: 'the id of a request without an answer',
              got: describe(member(call, 'id')),
            },
          ]
        : message.sent === undefined
          ? this.#callFindings(method, call)
          : answerFindings(received, { method, params: member(call, 'params'), id: '' }, '', this.#checks)
    if (finding === undefined) return
    const { where, expected, got } = finding
    state.violations.add(() => ({
      finding: { where, expected, got },
      answers: [recorded({ ...seen, exchange: exchangeOf(message, seen) }, 1)],
    }))
  }

  #callFindings(method: string, call: JsonObject): readonly Finding[] {
    const params = member(call, 'params')
    const version = member(call, 'jsonrpc')
    return [
      ...(version === '2.0' ? [] : [{ where: '/jsonrpc', expected: '"2.0"', got: describe(version) }]),
      ...this.#checks.params(method, params).map(({ path, message }) => ({
        where: `/params${path}`,
        expected: message,
        got: describe(partAt(params, path)),
      })),
    ]
  }
}

/** The part of the parameters at a JSON pointer of a problem. */
function partAt(params: JsonValue | undefined, path: string): JsonValue | undefined {
  const tokens = path.split('/').slice(1)
  const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  return params === undefined ? undefined : valueAt(params, names)
}

/** The message as the answer of an exchange. A call of the server has no request. */
function exchangeOf({ sent, received }: BesideMessage, { exchange }: Seen): Seen['exchange'] {
  const reply = { status: 200, headers: {}, bytes: Buffer.from(received), text: received }
  const body = sent === undefined ? undefined : Buffer.from(sent)
  return { ...exchange, outgoing: { ...exchange.outgoing, body }, reply, trouble: undefined }
}
