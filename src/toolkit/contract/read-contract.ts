import { bundleDocuments, bundledComponents } from './bundle/bundle-documents.js'
import { publishDocument } from './bundle/publish-document.js'
import { checkExtensions } from './checks/check-extensions.js'
import { checkSchemas } from './checks/check-schemas.js'
import { ContractError, type ContractProblem, contractError } from './contract-error.js'
import { arrayMember, isObject, type JsonObject, objectMember, stringMember } from './json.js'
import { joinPointer } from './json-pointer.js'
import { createDocumentReader, type Documents, documentOf, lookUp, singleDocument } from './load/documents.js'
import { type LoadOptions, loadDocuments } from './load/load-documents.js'
import { parseDocument } from './load/parse-document.js'
import { withPositions } from './load/source-positions.js'
import { validateDocument } from './load/validate-document.js'
import type { Contract, NamedSchema, Server } from './model/contract.js'
import { recordDialects } from './model/dialect.js'
import { distinctErrors, duplicateErrorKeys, readErrors, readMethods } from './model/read-methods.js'
import { isSchema, type LocatedSchema } from './model/schema.js'

/**
 * Builds the model of a contract. References in schemas are kept.
 * @param documents the files; the main document is valid according to the meta-schema
 * @throws ContractError with all dangling references, duplicate names and unsupported constructs
 */
export function readContract(documents: Documents): Contract {
  const { contract, problems } = readModel(documents)
  if (problems.length > 0) throw new ContractError(withPositions(problems, documents.all()))
  return contract
}

/** Builds the model as far as possible, and lists the problems. */
export function readModel(documents: Documents): {
  readonly contract: Contract
  readonly problems: readonly ContractProblem[]
} {
  const document = documents.root
  recordDialects(document)
  for (const { name, value } of documents.all()) if (name !== '') recordDialects(value)
  const reader = createDocumentReader(documents)
  const info = objectMember(document, 'info')
  const components = objectMember(document, 'components')
  const resolve = resolver(documents)
  let published: JsonObject | undefined
  const declared = readErrors(reader, components)
  const methods = readMethods(reader, document, { resolve, errors: declared })
  const contract: Contract = {
    document,
    bundled: () => (documents.all().length === 1 ? document : bundleDocuments(documents)),
    published: () => {
      published ??= publishDocument(documents)
      return published
    },
    componentNames: () => schemaNames(documents),
    openrpc: stringMember(document, 'openrpc') ?? '',
    title: stringMember(info, 'title') ?? '',
    version: stringMember(info, 'version') ?? '',
    description: stringMember(info, 'description'),
    info,
    servers: readServers(document),
    methods,
    schemas: readSchemas(components),
    errors: distinctErrors([...declared, ...methods.flatMap(({ errors }) => errors)]),
    resolve,
  }
  const problems = [
    ...reader.problems,
    ...duplicateErrorKeys(contract.errors),
    ...checkSchemas(contract),
    ...checkExtensions(contract, documents),
  ]
  return { contract, problems }
}

/** The names that a bundle gives to schemas of other files, by place. */
function schemaNames(documents: Documents): ReadonlyMap<string, string> {
  const schemas = bundledComponents(documents).filter(({ kind }) => kind === 'schemas')
  return new Map(schemas.map(({ place, name }) => [place, name]))
}

function resolver(documents: Documents): Contract['resolve'] {
  const known = new Map<string, LocatedSchema>()
  const find = (reference: string, from: string): LocatedSchema => {
    const target = lookUp(documents, reference, from)
    if (typeof target === 'string') throw contractError(from, target)
    const { pointer, tokens, value } = target
    if (!isSchema(value) || (documentOf(pointer) === '' && isOtherObject(tokens))) {
      throw contractError(from, `"${reference}" is not a schema`)
    }
    return { pointer, schema: value }
  }
  return (reference, from) => {
    const key = `${documentOf(from)}#${reference}`
    const found = known.get(key) ?? find(reference, from)
    known.set(key, found)
    return found
  }
}

/** Returns true for places of an OpenRPC document that hold something other than a schema. */
function isOtherObject([kind, key, part, ...inside]: readonly string[]): boolean {
  if (kind === 'methods')
    return part === undefined || (methodParts.has(part) && inside.length <= (part === 'result' ? 0 : 1))
  if (kind === 'components')
    return part === undefined || (key !== 'schemas' && componentKinds.has(key ?? '') && inside.length === 0)
  return (
    kind === undefined ||
    (['info', 'servers', 'externalDocs', 'x-extensions'].includes(kind) && part === undefined)
  )
}

/** Members of a method that are not schemas but may contain schemas deeper inside. */
const methodParts: ReadonlySet<string> = new Set(
  'params result errors examples links tags servers externalDocs'.split(' '),
)
const componentKinds: ReadonlySet<string> = new Set(
  'contentDescriptors examples links errors examplePairings examplePairingObjects tags'.split(' '),
)

function readSchemas(components: JsonObject): readonly NamedSchema[] {
  return Object.entries(objectMember(components, 'schemas')).flatMap(([key, schema]) =>
    isSchema(schema) ? [{ key, schema, pointer: joinPointer('#/components/schemas', key) }] : [],
  )
}

function readServers(document: JsonObject): readonly Server[] {
  return arrayMember(document, 'servers').flatMap((server, at) => {
    if (!isObject(server)) return []
    return {
      pointer: joinPointer('#/servers', at),
      name: stringMember(server, 'name'),
      url: stringMember(server, 'url') ?? '',
      summary: stringMember(server, 'summary'),
      description: stringMember(server, 'description'),
      variables: objectMember(server, 'variables'),
    }
  })
}

/**
 * Loads a contract in JSON or YAML with all files that its references name. Each reference is resolved
 * against the file that holds it.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @param options limits and permissions for other files
 * @throws ContractError when the contract cannot be read, is invalid or uses unsupported constructs
 */
export async function loadContract(source: string, options: LoadOptions = {}): Promise<Contract> {
  return readContract(await loadDocuments(source, options))
}

/**
 * Parses a contract that consists of one document.
 * @param text the document in JSON or YAML
 * @throws ContractError when the document is invalid or uses unsupported constructs
 */
export function parseContract(text: string): Contract {
  const document = parseDocument(text, '')
  validateDocument(document)
  return readContract(singleDocument(document))
}
