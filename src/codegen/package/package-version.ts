const semver =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?((?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?)$/

/**
 * Converts the version of a contract to a version of a package (Semantic Versioning 2.0.0): `1.2` becomes `1.2.0`, and
 * a leading `v` is dropped. Returns undefined for a version that has no such form.
 */
export function packageVersion(version: string): string | undefined {
  const [, major, minor = '0', patch = '0', rest = ''] = semver.exec(version.trim()) ?? []
  return major === undefined ? undefined : `${major}.${minor}.${patch}${rest}`
}
