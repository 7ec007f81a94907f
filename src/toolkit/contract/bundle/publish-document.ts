import {
  arrayMember,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../json.js'
import type { Documents } from '../load/documents.js'
import { withUsedErrorExtensions } from '../load/error-extensions.js'
import { defaultsExtension } from '../load/method-defaults.js'
import type { Contract } from '../model/contract.js'
import { type BundleOptions, bundleDocuments } from './bundle-documents.js'

/**
 * Returns the document that a service publishes: one document without the terms that concern the service alone.
 * These are extensions whose declaration has `"x-private": true`, and limits with `"private": true`.
 * @param documents the files of the contract
 * @param chosen names of components by the place of their object
 * @returns the main document itself if it is the only one, has no private terms, and declares all extensions of errors
 * @throws ContractError for a reference without a target
 */
export function publishDocument(documents: Documents, chosen?: BundleOptions['chosen']): JsonObject {
  const { root } = documents
  const omitted = privateExtensions(root)
  const declarations = arrayMember(root, 'x-extensions').filter((item) => !omitted.has(nameOf(item)))
  const info = objectMember(root, 'info')
  const limits = Object.entries(objectMember(info, 'x-limits'))
  const published = limits.filter(([, limit]) => !isPrivate(limit, 'private'))
  const isWhole = omitted.size === 0 && published.length === limits.length
  if (isWhole && documents.all().length === 1) return withUsedErrorExtensions(root)
  const bundled = bundleDocuments(documents, { omitted, ...(chosen && { chosen }) })
  return withUsedErrorExtensions({
    ...bundled,
    info: {
      ...objectMember(bundled, 'info'),
      ...(limits.length > 0 && { 'x-limits': Object.fromEntries(published) }),
    },
    ...(member(root, 'x-extensions') !== undefined && { 'x-extensions': declarations }),
  })
}

/** Returns the model of a contract without private terms in the info object and in methods, for documentation. */
export function withoutPrivateTerms(contract: Contract): Contract {
  const omitted = privateExtensions(contract.document)
  return {
    ...contract,
    info: objectMember(contract.published(), 'info'),
    methods: contract.methods.map((method) => ({
      ...method,
      extensions: Object.fromEntries(
        Object.entries(method.extensions).filter(([name]) => !omitted.has(name)),
      ),
    })),
  }
}

/** The names of private extensions, and of the one that is written out. */
function privateExtensions(document: JsonObject): ReadonlySet<string> {
  const declarations = arrayMember(document, 'x-extensions')
  return new Set(
    declarations
      .filter((item) => isPrivate(item, 'x-private') || nameOf(item) === defaultsExtension)
      .map(nameOf),
  )
}

function nameOf(declaration: JsonValue): string {
  return isObject(declaration) ? (stringMember(declaration, 'name') ?? '') : ''
}

function isPrivate(value: JsonValue | undefined, name: 'private' | 'x-private'): boolean {
  return isObject(value) && member(value, name) === true
}
