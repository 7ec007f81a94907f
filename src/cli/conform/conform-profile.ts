import { readFile } from 'node:fs/promises'
import { isObject, type JsonObject, type JsonValue } from '../../toolkit/contract/index.js'
import { UsageError } from '../io.js'

const SCHEMA = 'concordat-conformance-profile/1'

/** Data that fixtures found on a target. The next run reuses it. */
export type Profile = ReadonlyMap<string, Readonly<Record<string, JsonValue>>>

/** The network and contract of a profile. */
export interface ProfileOwner {
  readonly network: string | undefined
  /** SHA-256 of the contract's file. */
  readonly contractSha256: string
}

/**
 * Reads a profile. A missing file is an empty profile.
 * @param path the profile's file
 * @param owner the network and contract of this run
 * @throws UsageError when the file is not a profile, or belongs to another network or contract
 */
export async function readProfile(path: string, owner: ProfileOwner): Promise<Profile> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new UsageError(`${path} cannot be read (${cause.code})`, { cause })
  })
  if (text === undefined) return new Map()
  const profile = parsed(text)
  if (profile?.['schema'] !== SCHEMA || !isObject(profile['fixtures'])) {
    throw new UsageError(`${path} is not a profile: give another file or delete it`)
  }
  if (profile['network'] !== (owner.network ?? null)) {
    throw new UsageError(`${path} is a profile of another network (${profile['network']}): give another file`)
  }
  if (profile['contract'] !== owner.contractSha256) {
    throw new UsageError(`${path} is a profile for another contract: delete it or give another file`)
  }
  const fixtures = Object.entries(profile['fixtures']).filter(([, captures]) => isObject(captures))
  return new Map(fixtures as [string, Readonly<Record<string, JsonValue>>][])
}

/** Formats a profile as the text of a file. */
export function profileText(profile: Profile, { network, contractSha256 }: ProfileOwner): string {
  const fixtures = Object.fromEntries([...profile].sort(([a], [b]) => (a < b ? -1 : 1)))
  const content = { schema: SCHEMA, network: network ?? null, contract: contractSha256, fixtures }
  return `${JSON.stringify(content, null, 2)}\n`
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
