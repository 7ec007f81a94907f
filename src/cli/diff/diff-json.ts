import { printableJson } from '../../toolkit/contract/index.js'
import { bumpedVersion, versionBump } from '../../toolkit/diff/index.js'
import { countByClass } from './diff-class.js'
import type { DiffReport } from './diff-report.js'

/**
 * Version of the JSON output. Added members keep it; a member with a changed meaning requires the next
 * version.
 */
const form = 'concordat-diff/1'

/** Formats changes as JSON. `concordat diff --help` describes the members. */
export function diffJson({ old: before, next: after, changes }: DiffReport): string {
  const [old, next] = [before.contract, after.contract]
  const bump = versionBump(changes)
  const counts = countByClass(changes)
  const breaking = (party: 'clients' | 'servers') =>
    changes.filter(({ breaks }) => breaks.includes(party)).length
  const json = JSON.stringify(
    {
      schema: form,
      old: { title: old.title, version: old.version },
      new: { title: next.title, version: next.version },
      changes: changes.map(({ breaks, kind, pointer, reason, old: before, new: after, ...more }) => ({
        class: breaks.length === 0 ? ['compatible'] : breaks.map((party) => `breaking-for-${party}`),
        kind,
        pointer,
        ...(before && { old: before }),
        ...(after && { new: after }),
        reason,
        ...more,
      })),
      summary: {
        changes: changes.length,
        breakingForClients: breaking('clients'),
        breakingForServers: breaking('servers'),
        undecided: counts.undecided,
        compatible: counts.compatible,
        accepted: changes.filter(({ accepted }) => accepted !== undefined).length,
        bump,
        version: bumpedVersion(old.version, bump),
      },
    },
    null,
    2,
  )
  return printableJson(json)
}
