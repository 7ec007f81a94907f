import {
  arrayMember,
  type Contract,
  facets,
  isArray,
  isObject,
  type JsonValue,
  type Method,
  member,
  objectMember,
} from '../../toolkit/contract/index.js'
import { type AnswerProbe, headAt, headNow } from '../requests/head-reader.js'
import { fill } from '../scenario/fill.js'
import type { HeadQuestion } from '../terms/contract-terms.js'
import type { KnownHead, KnownHeads } from './known-heads.js'

/** A parameter whose value has several spellings (`x-spellings`). */
export interface SpelledParam {
  readonly at: number
  readonly name: string
  /** Templates over `number` and `hash`, and tags. */
  readonly values: readonly JsonValue[]
}

/** A call with another spelling of a parameter. */
export interface SpelledCall {
  readonly params: JsonValue
  /** The spelling in words, such as `by {blockHash}`. */
  readonly words: string
  readonly head: KnownHead
  /** True if the spelling refers to the head, which moves. */
  readonly isMoving: boolean
}

/** Spells parameters of calls in other ways, which the contract states with `x-spellings`. */
export class Spellings {
  readonly #params: ReadonlyMap<string, readonly SpelledParam[]>
  readonly #heads: KnownHeads
  readonly #question: HeadQuestion | undefined

  constructor(contract: Contract, heads: KnownHeads, question: HeadQuestion | undefined) {
    this.#params = new Map(contract.methods.map((method) => [method.name, spelledParams(contract, method)]))
    this.#heads = heads
    this.#question = question
  }

  /**
   * Spells the first parameter of a call that can be spelled in another way: a number whose hash is known, or the head.
   * @param choice number that chooses the spelling
   */
  spell(method: string, params: JsonValue | undefined, choice: number): SpelledCall | undefined {
    for (const { at, name, values } of this.#params.get(method) ?? []) {
      const place = isArray(params) ? at : name
      const value = isArray(params) ? params[at] : isObject(params) ? member(params, name) : undefined
      const head = value === undefined || isObject(value) ? undefined : this.#heads.of(value)
      // Tags that do not move name a number that cases may compare with it.
      if (
        value === undefined ||
        head === undefined ||
        !(value === head.number || this.#heads.isMoving(value))
      )
        continue
      for (let next = 0; next < values.length; next++) {
        const stated = values[(choice + next) % values.length] ?? null
        const spelled = this.#spelled(stated, value, head)
        if (spelled === undefined) continue
        return {
          params: isArray(params) ? params.with(at, spelled) : { ...(params as object), [place]: spelled },
          ...{ words: spellingWords(stated), head, isMoving: this.#heads.isMoving(stated) },
        }
      }
    }
    return undefined
  }

  /** Returns a spelling of a value; undefined if the call already has it, or if it does not name the same block. */
  #spelled(stated: JsonValue, value: JsonValue, head: KnownHead): JsonValue | undefined {
    const isTag = typeof stated === 'string' && !stated.includes('${')
    if (isTag && (this.#heads.isMoving(value) || this.#heads.of(stated)?.number !== head.number))
      return undefined
    const spelled = fill(
      stated,
      new Map([
        ['number', head.number],
        ['hash', head.hash],
      ]),
    )
    return spelled === value ? undefined : spelled
  }

  /**
   * True if a spelling may have referred to something else when it was sent, because the head moved or was replaced.
   * Waits until no earlier answer about the head is cached any more.
   */
  async isOutdated(
    { head, isMoving }: SpelledCall,
    { target, send, nextId, pause }: Omit<AnswerProbe, 'question'>,
  ): Promise<boolean> {
    const question = this.#question
    if (question === undefined) return true
    await pause(question.cachedMilliseconds)
    const asked = [question, target, send, nextId] as const
    const again = await headAt(head.number, ...asked)
    if (again?.hash !== head.hash) return true
    return isMoving && (await headNow(...asked))?.number !== head.number
  }
}

/** Words for each spelling that a contract states. */
export function statedSpellings(contract: Contract): readonly string[] {
  const values = contract.methods
    .flatMap((method) => spelledParams(contract, method))
    .flatMap(({ values }) => values)
  return [...new Set(values.map(spellingWords))]
}

/** Rules about spellings. Cases about them keep their own. */
export function spellingRules(contract: Contract): ReadonlySet<string> {
  const stated = contract.methods.flatMap((method) => statementsOf(contract, method))
  const rules = stated.flatMap(({ statement }) => arrayMember(statement, 'rules'))
  return new Set(rules.filter((rule) => typeof rule === 'string'))
}

/** Returns the parameters of a method that have several spellings. */
export function spelledParams(contract: Contract, method: Method): readonly SpelledParam[] {
  return statementsOf(contract, method).map(({ at, name, statement }) => ({
    ...{ at, name, values: arrayMember(statement, 'values') },
  }))
}

function statementsOf(contract: Contract, { params }: Method) {
  return params.flatMap(({ name, schema }, at) => {
    const [statement] = facets(contract, [schema]).flatMap((facet) =>
      isObject(facet.schema) && member(facet.schema, 'x-spellings') !== undefined
        ? [objectMember(facet.schema, 'x-spellings')]
        : [],
    )
    return statement === undefined ? [] : [{ at, name, statement }]
  })
}

/** True for a form in words that has another spelling of a parameter. */
export function isRespelled(form: string | undefined): boolean {
  return form?.split(', ').some((part) => part.startsWith('by ')) === true
}

/** Describes a spelling by its variable, its tag or its members: `by hash`, `by earliest`, `by {blockHash}`. */
function spellingWords(stated: JsonValue): string {
  if (isObject(stated)) return `by {${Object.keys(stated).join(' ')}}`
  const text = typeof stated === 'string' ? stated : JSON.stringify(stated)
  return `by ${text.replace(/^\$\{(\w+)\}$/, '$1')}`
}
