/** Maximum length of a package name in npm, in characters. */
export const packageNameMost = 214

/** Names that npm reserves. */
export const reservedNames: readonly string[] = ['node_modules', 'favicon.ico']

/** Returns true for a name under which npm publishes new packages, with or without a scope. */
export function isPackageName(name: string): boolean {
  return (
    /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name) &&
    name.length <= packageNameMost &&
    !reservedNames.includes(name)
  )
}
