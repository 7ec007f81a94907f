import {
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  readLaws,
  type StatedLaw,
  stringMember,
} from '../../../toolkit/contract/index.js'
import { answeredCalls, exchangeJson } from '../../record/answered-calls.js'
import type { Finding } from '../../report/index.js'
import type { Exchange } from '../../send/exchange.js'
import { judgeResult } from './judge-result.js'
import { isAbout, namedParams } from './law-params.js'

/** A call that gave a result in this run, and whose parameters laws use again. */
export interface SeenCall {
  /** By name. */
  readonly params: JsonObject
  /** Length of the result as JSON text. */
  readonly size: number
}

/** What the answers of a run say about a law. */
export interface SeenVerdict {
  /** Answers that follow the law. */
  readonly followed: number
  readonly violated: number
  readonly first: { readonly finding: Finding; readonly exchange: Exchange } | undefined
}

/** Where an answer comes from. */
interface Answered {
  readonly exchange: Exchange
  /** Place of the answer in a batch, such as `/items/2`; empty for a single one. */
  readonly place: string
}

/** Limits of what is remembered. */
const lawDefaults = {
  /** Calls of one method, the first ones. */
  rememberedCalls: 200,
  /** Characters of an answer that is read. */
  readCharacters: 8 * 1024 * 1024,
} as const

/** Judges every answer of a run by the laws about one result, and remembers calls that laws send again. */
export class LawAnswers {
  readonly #laws: ReadonlyMap<string, readonly StatedLaw[]>
  readonly #methods: ReadonlyMap<string, Method>
  readonly #verdicts = new Map<StatedLaw['pointer'], SeenVerdict>()
  readonly #calls = new Map<string, Map<string, SeenCall>>()

  constructor(contract: Contract) {
    const laws = readLaws(contract).filter(({ law }) => law !== undefined)
    const names = new Set(laws.flatMap(({ method, law }) => [method.name, ...calledBy(law)]))
    this.#laws = new Map(
      laws.map(({ method: { name } }) => [name, laws.filter(({ method }) => method.name === name)]),
    )
    this.#methods = new Map(
      contract.methods.filter(({ name }) => names.has(name)).map((method) => [method.name, method]),
    )
  }

  /** Judges an exchange, with its earlier attempts. */
  see(exchange: Exchange): void {
    for (const earlier of exchange.earlier ?? []) this.see(earlier)
    const { reply } = exchange
    if (this.#methods.size === 0 || reply?.text === undefined) return
    if (reply.text.length > lawDefaults.readCharacters) return
    const { sent = null, received = null } = exchangeJson(exchange)
    for (const [answer, call] of answeredCalls(sent, received)) {
      const method = isObject(call) ? this.#methods.get(stringMember(call, 'method') ?? '') : undefined
      const result = isObject(answer) ? member(answer, 'result') : undefined
      if (method !== undefined && isObject(call) && result !== undefined)
        this.#judge(method, namedParams(method, member(call, 'params')), result, {
          exchange,
          place: isArray(sent) ? `/items/${sent.indexOf(call)}` : '',
        })
    }
  }

  /** Laws of a method without mistakes. */
  laws(method: string): readonly StatedLaw[] {
    return this.#laws.get(method) ?? []
  }

  /** What the answers so far say about a law. */
  verdict({ pointer }: StatedLaw): SeenVerdict {
    return this.#verdicts.get(pointer) ?? { followed: 0, violated: 0, first: undefined }
  }

  /** Calls of a method that gave a result, those with the longest result first. */
  calls({ name }: Method): readonly SeenCall[] {
    const calls = [...(this.#calls.get(name) ?? [])]
    calls.sort(([one, first], [other, second]) => second.size - first.size || (one < other ? -1 : 1))
    return calls.map(([, call]) => call)
  }

  #judge(method: Method, params: JsonObject, result: JsonValue, { exchange, place }: Answered): void {
    const calls = this.#calls.get(method.name) ?? new Map<string, SeenCall>()
    this.#calls.set(method.name, calls)
    const text = JSON.stringify(params)
    if (calls.has(text) || calls.size < lawDefaults.rememberedCalls)
      calls.set(text, { params, size: JSON.stringify(result).length })
    for (const stated of this.laws(method.name)) {
      if (!isAbout(stated, params)) continue
      const verdict = stated.law && judgeResult(stated.law, method, params, result)
      if (verdict === undefined || verdict === 'nothing') continue
      const before = this.verdict(stated)
      const isFollowed = verdict === 'follows'
      this.#verdicts.set(stated.pointer, {
        followed: before.followed + Number(isFollowed),
        violated: before.violated + Number(!isFollowed),
        first:
          before.first ??
          (isFollowed ? undefined : { finding: { ...verdict, where: place + verdict.where }, exchange }),
      })
    }
  }
}

/** Names of the other methods that a law calls. */
export function calledBy(law: StatedLaw['law']): readonly string[] {
  switch (law?.kind) {
    case 'first-of':
      return [law.of.method.name]
    case 'adds-up':
      return law.of === undefined ? [] : [law.of.method.name]
    case 'undone-by':
      return [law.by, ...law.observe].map(({ method }) => method.name)
    default:
      return []
  }
}
