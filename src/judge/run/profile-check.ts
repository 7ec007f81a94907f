import type { JsonValue } from '../../toolkit/contract/index.js'
import { findingText } from '../record/finding-text.js'
import type { Variables } from '../scenario/fill.js'
import type { Fixture } from '../scenario/scenario.js'
import type { StepsOutcome } from './run-steps.js'

/** Captures from an earlier run, by fixture name. */
export type Profile = ReadonlyMap<string, Readonly<Record<string, JsonValue>>>

/** Options for checking a profile. */
export interface ProfileCheckOptions {
  readonly fixtures: readonly Fixture[]
  readonly profile: Profile
  /** Variables known without any fixture. */
  readonly variables: Variables
  /** Runs the `still` steps of a fixture. */
  readonly tryStill: (fixture: Fixture, known: Variables) => Promise<StepsOutcome>
  /** Called at most once, with the reason for discarding the profile. */
  readonly onReset: ((reason: string) => void) | undefined
}

/**
 * Creates a function that verifies the profile on first use, by means of anchor fixtures. The result is empty
 * when the target now serves different data, for example after a chain reset or when the URL leads to another node.
 */
export function profileCheck(options: ProfileCheckOptions): () => Promise<Profile> {
  let checked: Promise<Profile> | undefined
  return () => {
    checked ??= check(options)
    return checked
  }
}

async function check({
  fixtures,
  profile,
  variables,
  tryStill,
  onReset,
}: ProfileCheckOptions): Promise<Profile> {
  if (profile.size === 0) return profile
  for (const anchor of fixtures.filter((fixture) => fixture.anchor)) {
    const stored = profile.get(anchor.name)
    const reason =
      stored === undefined
        ? `it does not hold ${anchor.name}, which identifies its chain`
        : await whyNot(anchor, new Map([...variables, ...Object.entries(stored)]), tryStill)
    if (reason === undefined) continue
    onReset?.(reason)
    return new Map()
  }
  return profile
}

/**
 * Returns why an anchor no longer holds. A missing answer, or one that violates the contract, proves nothing.
 */
async function whyNot(
  anchor: Fixture,
  known: Variables,
  tryStill: ProfileCheckOptions['tryStill'],
): Promise<string | undefined> {
  const outcome = await tryStill(anchor, known).catch(() => undefined)
  if (outcome?.kind !== 'fail' || outcome.breaksContract) return undefined
  return `${anchor.name} has changed: ${findingText(outcome.findings)}`
}
