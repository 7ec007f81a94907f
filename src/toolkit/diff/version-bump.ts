import type { Change } from './change.js'
import type { ChangeKind } from './change-kinds.js'

/** The part of a semantic version that has to increase. */
type VersionBump = 'major' | 'minor' | 'patch' | 'none'

/** Kinds of changes that callers cannot observe, or that only change texts. */
const textual: ReadonlySet<ChangeKind> = new Set([
  ...(['documentation-changed', 'error-message-changed', 'reference-changed'] as const),
  ...(['component-added', 'component-removed', 'component-renamed', 'component-changed'] as const),
  ...(['rule-text-changed', 'extension-changed'] as const),
])

/**
 * Returns the bump that follows from changes (Semantic Versioning 2.0.0). It is major if they break clients, minor if
 * they break servers or add something that callers can use, and patch if they only change texts.
 */
export function versionBump(changes: readonly Change[]): VersionBump {
  const counted = changes.filter(({ pointer }) => pointer !== '#/info/version')
  if (counted.some(({ breaks }) => breaks.includes('clients'))) return 'major'
  if (counted.some(({ breaks, kind }) => breaks.length > 0 || !textual.has(kind))) return 'minor'
  return counted.length > 0 ? 'patch' : 'none'
}

/**
 * Returns the lowest version after a bump. Before 1.0.0, a breaking change increases the minor version, and any other
 * change the patch version.
 * @returns undefined if the version is not a semantic version
 */
export function bumpedVersion(version: string, bump: VersionBump): string | undefined {
  const parts = versionParts(version)
  if (!parts) return undefined
  const [major, minor, patch] = parts
  if (bump === 'none') return version
  if (bump === 'major') return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`
  return bump === 'minor' && major > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

/** Returns true if a version is lower than another; false if one of them is not a semantic version. */
export function isLowerVersion(version: string, than: string): boolean {
  const [own, other] = [versionParts(version), versionParts(than)]
  if (!own || !other) return false
  const at = own.findIndex((part, index) => part !== other[index])
  return at >= 0 && (own[at] ?? 0) < (other[at] ?? 0)
}

function versionParts(version: string): readonly [number, number, number] | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version) ?? []
  return patch === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}
