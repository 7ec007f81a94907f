import type { JsonObject, JsonValue, Method, StatedLaw } from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import type { Finding, ViolatedRule } from '../../report/index.js'
import type { Exchange } from '../../send/exchange.js'
import type { LawAnswers } from './law-answers.js'
import { isAbout, namedParams, sentParams } from './law-params.js'

/** A call whose answer a law needs. */
export interface WantedCall {
  readonly method: Method
  /** By name. */
  readonly params: JsonObject
  /** True if an earlier answer of the run will do. */
  readonly isShared: boolean
}

/** The answer to a call of a law. */
export interface LawAnswer {
  /** Number of the call in the case, from 1. */
  readonly step: number
  /** Undefined for an error. */
  readonly result: JsonValue | undefined
  /** The error in words; undefined for a result. */
  readonly error: string | undefined
}

/**
 * A judgement that needs further answers. It yields the calls, and the run that sends them continues it with each
 * answer. It sends nothing itself.
 */
export type Asking<Value> = Generator<WantedCall, Value, LawAnswer>

/** Ends a law with a violation. */
export class LawViolated extends Error {
  override readonly name = 'LawViolated'
  /** Number of the call with the wrong answer, or the answer of another case. */
  readonly at: number | Exchange
  readonly finding: Finding
  /** Set if an answer breaks a rule for every answer instead of the law. */
  readonly broken: { readonly cause: string; readonly violated: ViolatedRule | undefined } | undefined

  constructor(at: number | Exchange, finding: Finding, broken?: LawViolated['broken']) {
    super(finding.where)
    this.at = at
    this.finding = finding
    this.broken = broken
  }
}

/** Thrown to end a law if other programs change what it compares in each attempt. */
export class LawUndecided extends Error {
  override readonly name = 'LawUndecided'
}

/** Calls that a law asks for at most for one set of parameters. */
export const parametersTried = 3
/** Times that a law is tried again, because other programs change what it compares. */
export const attemptsMost = 3

/** A law, the answers of the run so far, and the calls that it can ask for. */
export class LawCalls {
  readonly stated: StatedLaw
  readonly answers: LawAnswers
  readonly checks: Pick<Checks, 'takes'>

  constructor(stated: StatedLaw, answers: LawAnswers, checks: Pick<Checks, 'takes'>) {
    this.stated = stated
    this.answers = answers
    this.checks = checks
  }

  /**
   * Asks for the answer to a call.
   * @param isShared true if an earlier answer of the run will do
   */
  *call(method: Method, params: JsonObject, isShared = false): Asking<LawAnswer> {
    return yield { method, params, isShared }
  }

  /** Creates the error for a law that cannot be judged because other calls changed the answers in every attempt. */
  changing({ name }: Method): LawUndecided {
    return new LawUndecided(
      `other calls changed what ${name} is compared with, in each of ${attemptsMost} attempts`,
    )
  }

  /**
   * Returns valid parameters to call a method with: those of calls that gave a result in this run, those of the
   * examples, and empty ones.
   * @param isOwnFirst true if the examples come first
   */
  parametersOf(method: Method, isOwnFirst = false): readonly JsonObject[] {
    const seen = this.answers.calls(method).map(({ params }) => params)
    const shown = method.examples
      .filter(({ result }) => result !== undefined)
      .map(({ params }) => {
        const isNamed = params.every(({ name }) => method.params.some((param) => param.name === name))
        return isNamed
          ? Object.fromEntries(params.map(({ name, value }) => [name, value]))
          : namedParams(
              method,
              params.map(({ value }) => value),
            )
      })
    const all: readonly JsonObject[] = isOwnFirst ? [...shown, ...seen, {}] : [...seen, ...shown, {}]
    return distinct(all).filter((named) => {
      const sent = sentParams(method, named)
      if (method === this.stated.method && !isAbout(this.stated, named)) return false
      return sent !== undefined && this.checks.takes(method.name, sent)
    })
  }
}

/** Returns each of equal parameters once, in order. */
export function distinct(all: readonly JsonObject[]): readonly JsonObject[] {
  const byText = new Map<string, JsonObject>()
  for (const named of all) {
    const sorted = Object.entries(named).toSorted(([one], [other]) => (one < other ? -1 : 1))
    const text = JSON.stringify(sorted)
    if (!byText.has(text)) byText.set(text, named)
  }
  return [...byText.values()]
}
