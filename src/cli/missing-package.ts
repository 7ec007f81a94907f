/**
 * Returns how to install the package that an import did not find; undefined for other errors. The commands that run the
 * service need `@concordat/gateway`, which users of the toolkit do not install.
 */
export function missingPackage(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  const name = /Cannot find (?:package|module) '((?:@[^/']+\/)?[^'./@][^'/]*)/.exec(String(error))?.[1]
  return name && `this command needs the package ${name}. Run: npm install ${name}`
}
