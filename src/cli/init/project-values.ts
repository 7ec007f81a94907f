import { shellWord } from '../../judge/index.js'
import { access, code, indentRest, proseLine, quote } from '../../toolkit/codegen/index.js'
import type { Contract } from '../../toolkit/contract/index.js'
import type { ToolVersions } from '../package-file.js'
import { callExample } from './call-example.js'
import { urlPath } from './copied-files.js'
import type { TemplateValues } from './fill-template.js'
import type { ReadDocument } from './read-document.js'
import { standInHandlers } from './stand-in-handlers.js'
import { isCallable, isShown, needsNothing, needsScopes, type StandIn } from './stand-ins.js'

/** Maximum number of generated tests. They are examples and will be replaced. */
const testsMost = 5

/** What the files of a project depend on. */
export interface ProjectFacts {
  /** The name of the service's package. */
  readonly name: string
  /** The name of the contract's package. */
  readonly contract: string
  readonly document: ReadDocument
  readonly versions: ToolVersions
  /** Returns the path of the archive or folder of this package or of one of its siblings; undefined for the registry. */
  readonly localSpecifier: (name: string) => string | undefined
  /** True for a contract with subscriptions or calls to clients, which need WebSockets. */
  readonly isConnected: boolean
  /** True for the sample, which has its own handlers and test. */
  readonly isSample: boolean
  readonly standIns: readonly StandIn[]
  /** Sentences about remaining work. */
  readonly remarks: readonly string[]
}

/** The values of the templates, without the dependencies of the service, which follow from its files. */
export function projectValues(facts: ProjectFacts): TemplateValues {
  const { name, contract, document, versions, localSpecifier, standIns, remarks } = facts
  const has = (kind: StandIn['kind']) => !facts.isSample && standIns.some((standIn) => standIn.kind === kind)
  const allowRemote = document.isRemote ? ' --allow-remote' : ''
  const documentWord = shellWord(document.path)
  return {
    name,
    contract,
    node: versions.node,
    title: proseLine(document.contract.title) || 'This',
    documentWord,
    documentJson: JSON.stringify(document.path),
    documentLink: `[${code(document.path)}](${urlPath(document.path)})`,
    allowRemote,
    conformJson: JSON.stringify(`concordat conform --contract ${documentWord}${allowRemote} --allow write`),
    devDependencies: jsonMember({
      ...localSiblings(localSpecifier),
      '@types/node': versions.nodeTypes,
      concordat: localSpecifier('concordat') ?? `^${versions.version}`,
      typescript: versions.typescript,
    }),
    connected: facts.isConnected,
    scopes: standIns.some(needsScopes),
    remarks: remarks.map((remark) => `- ${remark}`).join('\n'),
    call: callExample(contract, standIns),
    handlers: standInHandlers(standIns),
    example: has('example'),
    subscription: has('subscription'),
    missing: has('missing'),
    ...testValues(standIns),
    ...errorValues(document.contract, contract),
  }
}

/** Formats an object as a member of package.json. */
export const jsonMember = (value: object): string => indentRest(JSON.stringify(value, null, 2))

/**
 * Returns the values of the template service.test.ts. The test does not use the types of methods, so it still compiles
 * after the contract changes. Only the handlers have to be adapted.
 */
function testValues(standIns: readonly StandIn[]): TemplateValues {
  const callable = standIns.filter(isCallable)
  const shown = callable.filter(isShown).slice(0, testsMost)
  const missing = callable.find((standIn) => standIn.kind === 'missing' && needsNothing(standIn))?.method.name
  return {
    shown: shown.length > 0,
    shownMethods: shown.map(({ method }) => `  ${quote(method.name)},`).join('\n'),
    missingTest: shown.length === 0 && missing !== undefined,
    missingTitle: quote(`${missing} is not implemented yet`),
    missingMethod: quote(missing ?? ''),
    unknownTest: shown.length === 0 && missing === undefined,
  }
}

/** Unauthorized and rate-limited calls are answered with the errors that the contract declares for 401, 403 and 429. */
function errorValues({ errors }: Contract, contract: string): TemplateValues {
  const declared = (status: number) =>
    errors.find(({ httpStatus, dataRequired }) => httpStatus === status && !dataRequired)
  const [unauthorized, limited] = [declared(401) ?? declared(403), declared(429)]
  const importOf = (error: object | undefined) =>
    error ? `import { errors } from '${contract}/errors'` : "import { RpcError } from '@concordat/rpc'"
  return {
    unauthorizedImport: importOf(unauthorized),
    unauthorized: unauthorized
      ? `errors${access(unauthorized.key)}()`
      : "new RpcError({ code: -32016, message: 'Unauthorized', httpStatus: 401 })",
    limitedImport: importOf(limited),
    limitedSeconds: String(limited?.retryAfterSeconds || 60),
    limited: limited
      ? `errors${access(limited.key)}({ retryAfterSeconds: seconds })`
      : "new RpcError({ code: -32005, message: 'Too many calls', httpStatus: 429, retryAfterSeconds: seconds })",
  }
}

/**
 * Returns the siblings of this package that are archives or folders. The workspace names them, because npm looks up the
 * version ranges of its packages, and those of an archive, in the registry otherwise. Only this package.json has paths:
 * those of a published package would not exist for those who install it.
 */
function localSiblings(localSpecifier: ProjectFacts['localSpecifier']): Readonly<Record<string, string>> {
  const siblings = ['@concordat/client', '@concordat/rpc', '@concordat/server']
  return Object.fromEntries(
    siblings.flatMap((name) => {
      const specifier = localSpecifier(name)
      return specifier === undefined ? [] : [[name, specifier]]
    }),
  )
}
