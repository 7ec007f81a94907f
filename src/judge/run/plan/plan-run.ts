import type { JsonValue } from '../../../toolkit/contract/index.js'
import { countOf } from '../../requests/build-request.js'
import type { Variables } from '../../scenario/fill.js'
import type { Fixture, Scenario, Step } from '../../scenario/scenario.js'
import { ScenarioRunError } from '../../scenario/scenario-run-error.js'
import { sentSteps } from '../../scenario/sent-steps.js'
import type { createSafeMode } from '../../send/safe-mode.js'
import { runDefaults } from '../../terms/run-defaults.js'
import type { SkipReason } from './skip-reasons.js'

type SafeMode = ReturnType<typeof createSafeMode>

/** Upper bound of billed requests. `isOpen` is true when a part of it depends on answers. */
export interface Bound {
  readonly requests: number
  readonly isOpen: boolean
}

/** Cost of a run, computed before any request is sent. */
export interface Plan {
  readonly groups: readonly GroupPlan[]
  /** Cost of fixture searches, network calls and the first reading of the head. */
  readonly discovery: Bound
  readonly total: Bound
}

/** Cost of the cases in a group. */
export interface GroupPlan {
  readonly group: string
  /** Number of cases that would run. */
  readonly cases: number
  readonly bound: Bound
  /** Reasons for not running cases, each with its number of cases. */
  readonly notTried: ReadonlyMap<string, number>
}

/** Options for planning a run. */
export interface PlanOptions {
  readonly scenarios: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  /** Variables already known the run. */
  readonly variables: Variables
  /** Names of fixtures found by an earlier run. */
  readonly profile: ReadonlySet<string>
  /** Number of times that each case that only reads runs; 1 by default. */
  readonly repeat?: number | undefined
  /** True when the contract has `x-head`. */
  readonly hasHead: boolean
  /** Number of calls that read network numbers. */
  readonly networkCalls: number
  /** Returns the reason why a case cannot run; undefined if it can. */
  readonly skipReason: (scenario: Scenario) => SkipReason | undefined
  /** The same safe mode that a real run uses. */
  readonly safeMode: SafeMode
  /** Default URL of requests. */
  readonly url: string
}

const NOTHING: Bound = { requests: 0, isOpen: false }

/** Computes the maximum cost of a run, by group. */
export async function planRun(options: PlanOptions): Promise<Plan> {
  const { scenarios, fixtures, variables, profile, hasHead, repeat = 1 } = options
  const groups = new Map<string, { cases: number; bound: Bound; notTried: Map<string, number> }>()
  const needed = new Set<string>()
  for (const scenario of scenarios) {
    const group = groups.get(scenario.group) ?? { cases: 0, bound: NOTHING, notTried: new Map() }
    groups.set(scenario.group, group)
    const reason = options.skipReason(scenario)?.reason ?? (await heldBack(scenario, options))
    if (reason === undefined) {
      group.cases++
      const { requests, isOpen } = caseBound(scenario, variables, hasHead)
      // Every second run sends each call twice, in a batch, and alone if that fails.
      const times = scenario.effect === 'read' ? repeat + 2 * Math.floor(repeat / 2) : 1
      group.bound = sum(group.bound, { requests: requests * times, isOpen })
      for (const name of scenario.needs) addFixture(name, fixtures, needed)
    } else group.notTried.set(reason, (group.notTried.get(reason) ?? 0) + 1)
  }
  const searched = fixtures.filter(({ name }) => needed.has(name) && !profile.has(name))
  const discovery = searched
    .map(({ steps }) => stepsBound(steps, variables))
    .reduce(sum, { requests: options.networkCalls + (hasHead ? 1 : 0), isOpen: false })
  const plans = [...groups].map(([group, plan]) => ({ group, ...plan }))
  return { groups: plans, discovery, total: plans.map(({ bound }) => bound).reduce(sum, discovery) }
}

function addFixture(name: string, fixtures: readonly Fixture[], needed: Set<string>): void {
  const fixture = fixtures.find((fixture) => fixture.name === name)
  if (fixture === undefined || needed.has(name)) return
  needed.add(name)
  for (const other of fixture.needs) addFixture(other, fixtures, needed)
}

/** Asks safe mode about the methods of a case. Methods in raw bodies are unknown before they are sent. */
async function heldBack(scenario: Scenario, { safeMode, url }: PlanOptions): Promise<string | undefined> {
  const methods = sentSteps(scenario.steps).flatMap((step) =>
    step.kind === 'call'
      ? [step.call.method]
      : step.kind === 'batch'
        ? step.items.map(({ method }) => method)
        : [],
  )
  for (const step of scenario.steps) if (step.kind === 'law') methods.push(...step.methods)
  const { builtIn, effect } = scenario
  const outgoing = { verb: 'POST', url, headers: {}, body: undefined, methods, billed: 1, builtIn, effect }
  return (await safeMode(outgoing, undefined)).refusal
}

/** Includes head readings: one after a failure, and two for each attempt of a case that follows the head. */
function caseBound({ steps, followsHead }: Scenario, variables: Variables, hasHead: boolean): Bound {
  const once = stepsBound(steps, variables)
  if (!hasHead) return once
  if (!followsHead) return { ...once, requests: once.requests + 1 }
  return { ...once, requests: (once.requests + 2) * runDefaults.attemptsUnderMovingHead }
}

function stepsBound(steps: readonly Step[], variables: Variables): Bound {
  return steps.map((step) => stepBound(step, variables)).reduce(sum, NOTHING)
}

function stepBound(step: Step, variables: Variables): Bound {
  if (step.kind === 'compute' || step.kind === 'skip') return NOTHING
  // A law sends calls for what the answers before contain.
  if (step.kind === 'law') return { requests: 1, isOpen: true }
  if (step.kind === 'parallel') return stepsBound(step.steps, variables)
  const items =
    step.kind === 'batch'
      ? step.items.map(({ times }) => timesOf(times, variables)).reduce(sum, NOTHING)
      : ONE
  const times = timesOf(step.repeatUntil?.atMost, variables)
  return { requests: items.requests * times.requests, isOpen: items.isOpen || times.isOpen }
}

const ONE: Bound = { requests: 1, isOpen: false }

/** Evaluates a count. A count that depends on a later answer is unknown before the run. */
function timesOf(template: JsonValue | undefined, variables: Variables): Bound {
  if (template === undefined) return ONE
  try {
    return { requests: countOf(template, variables), isOpen: false }
  } catch (error) {
    if (error instanceof ScenarioRunError) return { requests: 1, isOpen: true }
    throw error
  }
}

function sum(one: Bound, other: Bound): Bound {
  return { requests: one.requests + other.requests, isOpen: one.isOpen || other.isOpen }
}
