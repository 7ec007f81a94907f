import { type Contract, isObject, type JsonValue, member } from '../../../toolkit/contract/index.js'
import type { CaseResult, Evidence, Report } from '../../report/index.js'
import { createJudge } from '../../verify/verify-report.js'
import {
  type IsPossible,
  type MutationKind,
  mutationKinds,
  type ResultMutation,
  resultMutations,
} from './result-mutations.js'

/** Options for judging mutations. */
export interface MutationOptions {
  readonly contract: Contract
  /** Reports of runs with generated calls in which nothing failed. */
  readonly reports: readonly Report[]
  /** Returns true if the schema of a method's result accepts a value. It must not be the runner's own check. */
  readonly accepts: (method: string, result: JsonValue) => boolean
  readonly isPossible: IsPossible
}

/** Judged mutations. */
export interface JudgedMutations {
  readonly kinds: readonly MutationCounts[]
  /** JSON pointers of schemas of results that no value fits. They have no mutations. */
  readonly impossible: readonly string[]
}

/** Numbers of mutations of one kind. */
export interface MutationCounts {
  readonly kind: MutationKind
  /** Mutations at all places that schemas describe. */
  readonly applied: number
  /** Mutations that changed an answer. */
  readonly reached: number
  /** Reached mutations after which a result violates its schema, and how many made a case fail. */
  readonly forbidden: { readonly reached: number; readonly caught: number }
  /** The other reached mutations. A case that checks a law caught those of `byLaws`, and no other did. */
  readonly allowed: { readonly reached: number; readonly caught: number; readonly byLaws: number }
  /** Methods and places of forbidden mutations that no case caught. */
  readonly missed: readonly string[]
  /** Methods and places of mutations that changed no answer. */
  readonly unreached: readonly string[]
}

/** Maximum number of changed cases that are judged for one mutation. */
const judgedMost = 12

/** A case with an answer to a method, parsed. */
interface Called {
  readonly judge: ReturnType<typeof createJudge>
  readonly result: CaseResult
  readonly answers: ReadonlyMap<Evidence, JsonValue>
}

/**
 * Changes the stored answers of a run as a faulty service would, one mutation at a time, and judges them
 * again. The judge is the one that a run uses.
 */
export async function judgeMutations({
  contract,
  reports,
  accepts,
  isPossible,
}: MutationOptions): Promise<JudgedMutations> {
  const runs = reports.map((report) => ({
    report,
    judge: createJudge(report, { contract, scenarios: [], functions: {}, variables: new Map() }),
  }))
  const outcomes: { readonly mutation: ResultMutation; readonly outcome: Outcome }[] = []
  const impossible = new Set<string>()
  for (const method of contract.methods) {
    const called = runs.flatMap(({ report, judge }) =>
      casesThatCall(report, method.name).map((found) => ({ ...found, judge })),
    )
    const found = resultMutations(contract, method, isPossible)
    for (const pointer of found.impossible) impossible.add(pointer)
    for (const mutation of found.mutations)
      outcomes.push({ mutation, outcome: await outcomeOf(mutation, called) })
  }
  const kinds = mutationKinds.map((kind) =>
    countsOf(
      kind,
      outcomes.filter(({ mutation }) => mutation.kind === kind),
    ),
  )
  return { kinds, impossible: [...impossible] }

  async function outcomeOf(mutation: ResultMutation, called: readonly Called[]): Promise<Outcome> {
    let [judged, isForbidden, caughtByLaw] = [0, false, false]
    for (const { judge, result, answers } of called) {
      const changed = new Map<Evidence, JsonValue>()
      for (const [evidence, answer] of answers) {
        const mutated = mutation.mutate(answer)
        if (JSON.stringify(mutated) !== JSON.stringify(answer)) changed.set(evidence, mutated)
      }
      if (changed.size === 0) continue
      if (judged === judgedMost) break
      judged++
      isForbidden ||= [...changed.values()].some((value) => !accepts(mutation.method, value))
      const evidence = result.evidence.map((one) => withResult(one, changed.get(one)))
      const { now } = await judge({ ...result, evidence })
      const isLaw = result.generated?.case['follows-head'] === true
      if (now === 'fail' && !isLaw) return { isReached: true, isForbidden, caughtBy: 'call' }
      caughtByLaw ||= now === 'fail'
    }
    return { isReached: judged > 0, isForbidden, caughtBy: caughtByLaw ? 'law' : undefined }
  }
}

interface Outcome {
  readonly isReached: boolean
  readonly isForbidden: boolean
  readonly caughtBy: 'call' | 'law' | undefined
}

function casesThatCall({ cases }: Report, method: string): readonly Omit<Called, 'judge'>[] {
  return cases.flatMap((result) => {
    if (result.generated === undefined) return []
    const answers = result.evidence.flatMap((evidence) => {
      const { request, response } = evidence
      const call = JSON.parse(request.body) as JsonValue
      if (
        !isObject(call) ||
        member(call, 'method') !== method ||
        response === undefined ||
        response.altered !== undefined
      )
        return []
      const value = member(JSON.parse(response.body), 'result')
      return value === undefined ? [] : [[evidence, value] as const]
    })
    return answers.length > 0 ? [{ result, answers: new Map(answers) }] : []
  })
}

function withResult(evidence: Evidence, result: JsonValue | undefined): Evidence {
  const { response } = evidence
  if (result === undefined || response === undefined) return evidence
  const body = JSON.stringify({ ...(JSON.parse(response.body) as object), result })
  return { ...evidence, response: { ...response, body } }
}

function placeOf({ mutation }: { readonly mutation: ResultMutation }): string {
  return `${mutation.method} /${mutation.path.join('/')}`
}

function countsOf(
  kind: MutationKind,
  outcomes: readonly { readonly mutation: ResultMutation; readonly outcome: Outcome }[],
): MutationCounts {
  const reached = outcomes.filter(({ outcome }) => outcome.isReached)
  const forbidden = reached.filter(({ outcome }) => outcome.isForbidden)
  const allowed = reached.filter(({ outcome }) => !outcome.isForbidden)
  const missed = forbidden.filter(({ outcome }) => outcome.caughtBy === undefined)
  const caught = (list: typeof outcomes) =>
    list.filter(({ outcome }) => outcome.caughtBy !== undefined).length
  return {
    kind,
    applied: outcomes.length,
    reached: reached.length,
    forbidden: { reached: forbidden.length, caught: caught(forbidden) },
    allowed: {
      reached: allowed.length,
      caught: caught(allowed),
      byLaws: allowed.filter(({ outcome }) => outcome.caughtBy === 'law').length,
    },
    missed: missed.map(placeOf),
    unreached: outcomes.filter(({ outcome }) => !outcome.isReached).map(placeOf),
  }
}
