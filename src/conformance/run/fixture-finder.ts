import type { JsonValue } from '../../contract/index.js'
import type { Variables } from '../scenario/fill.js'
import type { Fixture } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { ExchangeTrail, type RecordedExchange } from './evidence.js'
import { findingText } from './finding-text.js'
import { notRunReason } from './not-run-reason.js'
import type { Finding } from './report.js'
import { runSteps, type StepsContext } from './run-steps.js'

/** What became of looking for a fixture. */
export type FixtureOutcome =
  | { readonly kind: 'found'; readonly captures: ReadonlyMap<string, JsonValue> }
  | { readonly kind: 'not-applicable' | 'not-run' | 'harness-error'; readonly reason: string }
  /** An answer on the way broke the contract: that is a failure, not a fact that the target lacks. */
  | {
      readonly kind: 'fail'
      readonly reason: string
      readonly cause: string
      readonly findings: readonly Finding[]
      readonly exchanges: readonly RecordedExchange[]
    }

/** Looks for fixtures when they are first needed, each once. */
export type FindFixture = (name: string) => Promise<FixtureOutcome>

/** What fixtures are looked for with. */
export interface FixtureFinderOptions {
  readonly fixtures: readonly Fixture[]
  readonly variables: Variables
  readonly profile: ReadonlyMap<string, Readonly<Record<string, JsonValue>>>
  readonly onFound: ((fixture: string, captures: Readonly<Record<string, JsonValue>>) => void) | undefined
  readonly context: Omit<StepsContext, 'trail' | 'owner' | 'rules'>
}

/** A finder of fixtures; two cases that need the same one wait for the same search. */
export function createFixtureFinder(options: FixtureFinderOptions): FindFixture {
  const byName = new Map(options.fixtures.map((fixture) => [fixture.name, fixture]))
  const started = new Map<string, Promise<FixtureOutcome>>()

  const find = (name: string, path: readonly string[]): Promise<FixtureOutcome> => {
    if (path.includes(name)) return failed(`fixtures need each other: ${[...path, name].join(' needs ')}`)
    const running = started.get(name)
    if (running !== undefined) return running
    const fixture = byName.get(name)
    if (fixture === undefined) return failed(`"${name}" is neither a fact nor a fixture`)
    const search = look(fixture, (needed) => find(needed, [...path, name]), options)
    started.set(name, search)
    return search
  }
  return (name) => find(name, [])
}

function failed(reason: string): Promise<FixtureOutcome> {
  return Promise.resolve({ kind: 'harness-error', reason })
}

async function look(
  fixture: Fixture,
  find: FindFixture,
  { variables, profile, onFound, context }: FixtureFinderOptions,
): Promise<FixtureOutcome> {
  const stored = profile.get(fixture.name)
  if (stored !== undefined) return { kind: 'found', captures: new Map(Object.entries(stored)) }
  const known = new Map(variables)
  for (const name of fixture.needs) {
    const needed = await find(name)
    if (needed.kind !== 'found') return needed
    for (const [variable, value] of needed.captures) known.set(variable, value)
  }
  const trail = new ExchangeTrail()
  const owner = { builtIn: false, effect: 'read' } as const
  try {
    const outcome = await runSteps(fixture.steps, known, { ...context, owner, rules: [], trail })
    if (outcome.kind === 'pass') {
      onFound?.(fixture.name, Object.fromEntries(outcome.captures))
      return { kind: 'found', captures: outcome.captures }
    }
    if (outcome.kind === 'skip')
      return { kind: 'not-applicable', reason: `${fixture.name} was not found: ${outcome.reason}` }
    const { step, findings, cause, breaksContract } = outcome
    const reason = `${fixture.name} was not found: step ${step}: ${findingText(findings)}`
    if (!breaksContract) return { kind: 'not-applicable', reason }
    return { kind: 'fail', reason, cause, findings, exchanges: trail.exchanges }
  } catch (error) {
    const reason = notRunReason(error)
    if (reason !== undefined) return { kind: 'not-run', reason }
    if (!(error instanceof ScenarioRunError)) throw error
    return { kind: 'harness-error', reason: `fixture ${fixture.name}, ${error.message}` }
  }
}
