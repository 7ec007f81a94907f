import {
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  type StatedLaw,
} from '../../../toolkit/contract/index.js'
import type { LawAnswers } from '../../oracles/laws/law-answers.js'
import { isAbout, namedParams, sentParams } from '../../oracles/laws/law-params.js'
import { describe, type Finding, type ViolatedRule } from '../../report/index.js'
import type { CallStep } from '../../scenario/scenario.js'
import type { Exchange } from '../../send/exchange.js'
import { CaseEnded } from '../case-ended.js'
import { refuseUnjudged, type SendContext, sendStep } from '../send-step.js'

/** Context for judging laws. */
export interface LawContext extends SendContext {
  readonly lawAnswers: LawAnswers
}

/** Ends a law with a violation. */
export class LawViolated extends Error {
  override readonly name = 'LawViolated'
  readonly step: number
  readonly finding: Finding
  /** Set if an answer breaks a rule for every answer instead of the law. */
  readonly broken: { readonly cause: string; readonly violated: ViolatedRule | undefined } | undefined

  constructor(step: number, finding: Finding, broken?: LawViolated['broken']) {
    super(finding.where)
    this.step = step
    this.finding = finding
    this.broken = broken
  }
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

/** Calls of a law that are sent at most for one set of parameters. */
export const parametersTried = 3
/** Times that a law is tried again, because other programs change what it compares. */
export const attemptsMost = 3

const plainCall: Omit<CallStep, 'call'> = {
  kind: 'call',
  share: false,
  headers: {},
  verb: undefined,
  path: undefined,
  key: undefined,
  expect: undefined,
  tolerate: [],
  inconclusive: [],
  capture: {},
  captureHeader: {},
  repeatUntil: undefined,
}

/** Sends the calls of one law. */
export class LawRun {
  readonly stated: StatedLaw
  readonly context: LawContext
  #step = 0

  constructor(stated: StatedLaw, context: LawContext) {
    this.stated = stated
    this.context = context
  }

  /**
   * Sends a call and holds its answer to the contract.
   * @throws LawViolated for an answer that breaks a rule for every answer
   * @throws CaseEnded for a missing answer, or one that proves nothing
   */
  async call(method: Method, named: JsonObject): Promise<LawAnswer> {
    const params = sentParams(method, named) ?? named
    const step = ++this.#step
    const variables = new Map<string, JsonValue>([
      ['method', method.name],
      ['params', params],
    ])
    const call: CallStep = {
      ...plainCall,
      call: { method: `\${method}`, params: `\${params}`, id: undefined },
    }
    const judgement = await sendStep(call, step, variables, this.context)
    refuseUnjudged(judgement, step)
    if (judgement.kind === 'fail') {
      const { cause, violated } = judgement
      const [finding = { where: 'answer', expected: 'an answer', got: 'none' }] = judgement.findings
      throw new LawViolated(step, finding, { cause, violated })
    }
    const answer = judgement.view.json
    const error = isObject(answer) ? member(answer, 'error') : undefined
    const result = isObject(answer) ? member(answer, 'result') : undefined
    return { step, result, error: result === undefined ? `error ${describe(error)}` : undefined }
  }

  /** Repeats the exchange of a step, because reports show the last one of a failed case. */
  showLast(step: number): void {
    const { trail } = this.context
    const found = trail.exchanges.find((recorded) => recorded.step === step)
    if (found !== undefined && trail.exchanges.at(-1) !== found) trail.add({ ...found, isShared: true })
  }

  /** The end of a law whose answers change without its calls. */
  changing({ name }: Method): CaseEnded {
    const reason = `other calls changed what ${name} is compared with, in each of ${attemptsMost} attempts`
    return new CaseEnded('inconclusive', reason)
  }

  /** Adds an answer that another case received, as the next step. */
  addSeen(exchange: Exchange): number {
    const step = ++this.#step
    this.context.trail.add({ step, exchange, isShared: true })
    return step
  }

  /**
   * Returns parameters of a method to send: those of calls that gave a result in this run, those of the examples, and
   * none. Valid ones only.
   * @param isOwnFirst true if the examples come first
   */
  parametersOf(method: Method, isOwnFirst = false): readonly JsonObject[] {
    const { lawAnswers, checks } = this.context
    const seen = lawAnswers.calls(method).map(({ params }) => params)
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
      return sent !== undefined && checks.takes(method.name, sent)
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
