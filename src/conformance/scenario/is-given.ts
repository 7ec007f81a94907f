/**
 * Returns true if a fixture exports a variable to cases, profiles and reports. Names that begin with _ are
 * private.
 */
export function isGiven(name: string): boolean {
  return !name.startsWith('_')
}
