import type { JsonValue } from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import type { Problem } from '../expect/schema-check.js'
import { isGiven } from '../load/scenario-file.js'
import { ExchangeTrail, type RecordedExchange } from '../record/evidence.js'
import { findingText } from '../record/finding-text.js'
import type { CaseResult, Finding, ViolatedRule } from '../report/index.js'
import { type Unsent, unsentBy } from '../requests/not-sent.js'
import type { Variables } from '../scenario/fill.js'
import type { Fixture, Step } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { CaseEnded } from './case-ended.js'
import { type Profile, profileCheck } from './profile-check.js'
import { runSteps, type StepsContext, type StepsOutcome } from './run-steps.js'

/** Result of a fixture search. */
export type FixtureOutcome =
  | {
      readonly kind: 'found'
      readonly captures: ReadonlyMap<string, JsonValue>
      /** Time of the search, in milliseconds of `performance.now()`. */
      readonly at: number
    }
  | {
      readonly kind: 'not-applicable'
      readonly reason: string
      readonly lacks: NonNullable<CaseResult['lacks']>
    }
  | { readonly kind: 'harness-error'; readonly reason: string }
  | { readonly kind: Unsent['verdict']; readonly reason: string; readonly cause: string | undefined }
  /**
   * An answer during the search was missing or violated the contract. The target may still have the fixture.
   */
  | {
      readonly kind: 'fail' | CaseEnded['verdict']
      readonly reason: string
      readonly cause: string | undefined
      readonly findings: readonly Finding[]
      readonly violated?: ViolatedRule | undefined
      readonly exchanges: readonly RecordedExchange[]
    }

/**
 * Finds a fixture on first use and caches the result. A search without an answer is repeated on the next use.
 */
export type FindFixture = (name: string) => Promise<FixtureOutcome>

/** Options for finding fixtures. */
export interface FixtureFinderOptions {
  readonly fixtures: readonly Fixture[]
  readonly variables: Variables
  readonly profile: Profile
  /**
   * Called at most once, with the reason for discarding the profile. A profile is discarded when the target
   * now serves different data.
   */
  readonly onReset?: ((reason: string) => void) | undefined
  readonly onFound: ((fixture: string, captures: Readonly<Record<string, JsonValue>>) => void) | undefined
  readonly context: Omit<StepsContext, 'trail' | 'owner' | 'rules'>
}

/** Creates a fixture finder. Concurrent requests for one fixture share a search. */
export function createFixtureFinder(options: FixtureFinderOptions): FindFixture {
  const byName = new Map(options.fixtures.map((fixture) => [fixture.name, fixture]))
  const started = new Map<string, Promise<FixtureOutcome>>()
  const tryStill = ({ still }: Fixture, known: Variables, trail = new ExchangeTrail()) =>
    search(still, known, trail, options.context, () => true)
  const profile = profileCheck({ ...options, onReset: options.onReset, tryStill })

  const find = (name: string, path: readonly string[]): Promise<FixtureOutcome> => {
    if (path.includes(name)) return failed(`fixtures form a cycle: ${[...path, name].join(' needs ')}`)
    const running = started.get(name)
    if (running !== undefined) return running
    const fixture = byName.get(name)
    if (fixture === undefined) return failed(`"${name}" is neither a fact nor a fixture`)
    const searched = tried(fixture, async (trail) => {
      const stored = (await profile()).get(name)
      if (stored === undefined)
        return look(fixture, (needed) => find(needed, [...path, name]), trail, options)
      const captures = new Map(Object.entries(stored))
      // The profile check has already verified anchors.
      if (fixture.anchor || fixture.still.length === 0)
        return { kind: 'found', captures, at: performance.now() }
      const outcome = await tryStill(fixture, new Map([...options.variables, ...captures]), trail)
      if (outcome.kind === 'pass') return { kind: 'found', captures, at: performance.now() }
      return unfound(fixture, `${name}, from the profile, no longer exists`, outcome, trail)
    })
    started.set(name, searched)
    // A missing answer proves nothing about the target, so the next case searches again.
    void searched.then(({ kind }) => kind === 'no-answer' && started.delete(name)).catch(() => {})
    return searched
  }
  return (name) => find(name, [])
}

function failed(reason: string): Promise<FixtureOutcome> {
  return Promise.resolve({ kind: 'harness-error', reason })
}

/** Fixture searches only read, and get no more trust than a case. */
const READING = { builtIn: false, effect: 'read', isOfRun: true } as const

async function look(
  fixture: Fixture,
  find: FindFixture,
  trail: ExchangeTrail,
  { variables, onFound, context }: FixtureFinderOptions,
): Promise<FixtureOutcome> {
  const known = new Map(variables)
  for (const name of fixture.needs) {
    const needed = await find(name)
    if (needed.kind !== 'found') return needed
    for (const [variable, value] of needed.captures) known.set(variable, value)
  }
  const outcome = await search(fixture.steps, known, trail, context, isOfSchema)
  if (outcome.kind !== 'pass')
    return unfound(fixture, `${fixture.name} was not found`, outcome, trail, fixture.fixture)
  const captures = new Map([...outcome.captures].filter(([variable]) => isGiven(variable)))
  onFound?.(fixture.name, Object.fromEntries(captures))
  return { kind: 'found', captures, at: performance.now() }
}

/** True when the finding concerns a capture, or a place in the result that violates the schema. */
function isOfSchema({ where }: Finding, problems: readonly Problem[]): boolean {
  if (where.startsWith('$')) return true
  const [, place] = /^(?:\/items\/\d+)?\/result(.*)$/.exec(where) ?? []
  if (place === undefined) return false
  const [, parent, name] = /^(.*)\/([^/]+)$/.exec(place) ?? []
  return problems.some(
    ({ path, message }) => path === place || (path === parent && message.includes(JSON.stringify(name))),
  )
}

/**
 * Runs the steps of a fixture search and ignores most schema violations in results. Cases about that method
 * report such a violation. Otherwise every case that needs, say, a block would fail too. A violation counts
 * only if it caused the search to fail.
 * @param isBlamed true when these schema problems explain the finding
 */
async function search(
  steps: readonly Step[],
  known: Variables,
  trail: ExchangeTrail,
  { checks, ...context }: FixtureFinderOptions['context'],
  isBlamed: (finding: Finding, problems: readonly Problem[]) => boolean,
): Promise<StepsOutcome> {
  const problems: Problem[] = []
  const result: Checks['result'] = (...answer) => {
    problems.push(...checks.result(...answer))
    return []
  }
  const lenient = { ...context, checks: { ...checks, result }, owner: READING, rules: [], trail }
  const outcome = await runSteps(steps, known, lenient)
  if (outcome.kind !== 'fail' || problems.length === 0) return outcome
  const isBroken = outcome.findings.some((finding) => isBlamed(finding, problems))
  return isBroken ? { ...outcome, breaksContract: true } : outcome
}

function unfound(
  { name, optional: isOptional }: Fixture,
  what: string,
  outcome: Exclude<StepsOutcome, { kind: 'pass' }>,
  { exchanges }: ExchangeTrail,
  description?: string,
): FixtureOutcome {
  const lacks = { fixture: name, isOptional }
  if (outcome.kind === 'skip') return { kind: 'not-applicable', reason: `${what}: ${outcome.reason}`, lacks }
  const { step, findings, cause, violated, breaksContract } = outcome
  const found = `step ${step}: ${findingText(findings)}`
  if (breaksContract)
    return { kind: 'fail', reason: `${what}: ${found}`, cause, findings, violated, exchanges }
  // The fixture's description says more than the failed step.
  const reason = description === undefined ? found : `${description.replace(/\.$/, '')} (${found})`
  return { kind: 'not-applicable', reason: `${what}: ${reason}`, lacks }
}

/** Turns errors during a search into its outcome. */
async function tried(
  fixture: Fixture,
  work: (trail: ExchangeTrail) => Promise<FixtureOutcome>,
): Promise<FixtureOutcome> {
  const trail = new ExchangeTrail()
  const describeError = (error: Error) => `fixture ${fixture.name}, ${error.message}`
  try {
    return await work(trail)
  } catch (error) {
    if (error instanceof CaseEnded) {
      const { verdict: kind, sharedCause: cause } = error
      return { kind, reason: describeError(error), cause, findings: [], exchanges: trail.exchanges }
    }
    const unsent = unsentBy(error)
    if (unsent !== undefined) {
      const { verdict: kind, reason, cause } = unsent
      return { kind, reason, cause }
    }
    if (!(error instanceof ScenarioRunError)) throw error
    return { kind: 'harness-error', reason: describeError(error) }
  }
}
