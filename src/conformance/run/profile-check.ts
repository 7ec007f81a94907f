import type { JsonValue } from '../../contract/index.js'
import type { Variables } from '../scenario/fill.js'
import type { Fixture } from '../scenario/scenario.js'
import { findingText } from './result/finding-text.js'
import type { StepsOutcome } from './run-steps.js'

/** What an earlier run found, by the fixture's name. */
export type Profile = ReadonlyMap<string, Readonly<Record<string, JsonValue>>>

/** What a profile is checked with. */
export interface ProfileCheckOptions {
  readonly fixtures: readonly Fixture[]
  readonly profile: Profile
  /** What is known without any fixture. */
  readonly variables: Variables
  /** Runs what must still hold of a fixture. */
  readonly tryStill: (fixture: Fixture, known: Variables) => Promise<StepsOutcome>
  /** Told, once, why the profile is left aside. */
  readonly onReset: ((reason: string) => void) | undefined
}

/**
 * Gives the profile where it belongs to what the target serves now, and an empty one where it does not: the chain began
 * anew, or the URL leads to another one. Fixtures that are anchors tell. It is asked when a fixture is first needed.
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
        ? `it does not hold ${anchor.name}, which tells what it was made on`
        : await whyNot(anchor, new Map([...variables, ...Object.entries(stored)]), tryStill)
    if (reason === undefined) continue
    onReset?.(reason)
    return new Map()
  }
  return profile
}

/** Why an anchor no longer holds; an answer that breaks the contract, or none at all, tells nothing of that. */
async function whyNot(
  anchor: Fixture,
  known: Variables,
  tryStill: ProfileCheckOptions['tryStill'],
): Promise<string | undefined> {
  const outcome = await tryStill(anchor, known).catch(() => undefined)
  if (outcome?.kind !== 'fail' || outcome.breaksContract) return undefined
  return `${anchor.name} is another one now: ${findingText(outcome.findings)}`
}
