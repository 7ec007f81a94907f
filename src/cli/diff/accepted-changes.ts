import { type Change, changeKinds } from '../../toolkit/diff/index.js'
import type { AcceptedChange } from '../config/config-content.js'
import type { ProjectConfig } from '../config/project-config.js'

/** A change and the reason why the project accepts it. */
export interface ReviewedChange extends Change {
  readonly accepted?: string
}

/** Changes with the decisions of a project. */
export interface ReviewedChanges {
  readonly changes: readonly ReviewedChange[]
  /** Entries for this version that match no breaking change. */
  readonly idle: readonly AcceptedChange[]
}

/**
 * Marks the breaking changes that a project accepts. An entry applies if its version is that of the new document, so
 * that it expires with the next version.
 * @param version `info.version` of the new document
 * @throws UsageError with the line of the configuration for an unknown kind
 */
export function reviewed(
  changes: readonly Change[],
  config: ProjectConfig,
  version: string,
): ReviewedChanges {
  const all = config.diff?.accepted ?? []
  for (const [at, { kind }] of all.entries()) {
    if (kind === undefined || changeKinds.some((known) => known === kind)) continue
    const message = `unknown kind of change "${kind}": docs/compatibility.md lists all kinds`
    throw config.refusal(['diff', 'accepted', at, 'kind'], message)
  }
  const entries = all.filter((entry) => entry.version === version)
  const breaking = changes.filter(({ breaks }) => breaks.length > 0)
  return {
    changes: changes.map((change) => {
      const entry = change.breaks.length > 0 ? entries.find((known) => matches(change, known)) : undefined
      return entry ? { ...change, accepted: entry.reason } : change
    }),
    idle: entries.filter((entry) => !breaking.some((change) => matches(change, entry))),
  }
}

function matches({ kind, pointer }: Change, entry: AcceptedChange): boolean {
  const { at } = entry
  const isThere = at === undefined || pointer === at || pointer.startsWith(`${at}/`)
  return isThere && (entry.kind === undefined || entry.kind === kind)
}
