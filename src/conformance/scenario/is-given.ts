/** Whether a fixture gives a variable to cases, and keeps it in profiles and reports: those that begin with _ are its own. */
export function isGiven(name: string): boolean {
  return !name.startsWith('_')
}
