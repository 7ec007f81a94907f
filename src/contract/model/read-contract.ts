import { bundleDocuments } from '../bundle/bundle-documents.js'
import { ContractError, type ContractProblem, contractError } from '../contract-error.js'
import { arrayMember, isObject, type JsonObject, objectMember, stringMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { checkSchemas } from '../load/check-schemas.js'
import {
  createDocumentReader,
  type Documents,
  documentOf,
  lookUp,
  singleDocument,
} from '../load/documents.js'
import { missingExtensions } from '../load/extension-problems.js'
import { type LoadOptions, loadDocuments } from '../load/load-documents.js'
import { parseDocument } from '../load/parse-document.js'
import { withPositions } from '../load/source-positions.js'
import { validateDocument } from '../load/validate-document.js'
import type { Contract, DeclaredError, Method, NamedSchema, Server } from './contract.js'
import { danglingExtensions } from './extension-references.js'
import { brokenSchemaExtensions, extensionDeclarations } from './extensions.js'
import { distinctErrors, duplicateErrorKeys, readErrors, readMethods } from './read-methods.js'
import { isSchema, type LocatedSchema } from './schema.js'

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
  const reader = createDocumentReader(documents)
  const info = objectMember(document, 'info')
  const components = objectMember(document, 'components')
  const resolve = resolver(documents)
  const declared = readErrors(reader, components)
  const methods = readMethods(reader, document, { resolve, errors: declared })
  const contract: Contract = {
    document,
    bundled: () => (documents.all().length === 1 ? document : bundleDocuments(documents)),
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
  const declarations = extensionDeclarations(document)
  const problems = [
    ...reader.problems,
    ...duplicateErrorKeys(contract.errors),
    ...checkSchemas(contract),
    ...missingExtensions(contract, documents, declarations),
    ...danglingExtensions(contract, documents, declarations),
    ...brokenSchemaExtensions(contract, documents, declarations),
  ]
  return { contract, problems }
}

function resolver(documents: Documents): Contract['resolve'] {
  return (reference, from): LocatedSchema => {
    const target = lookUp(documents, reference, from)
    if (typeof target === 'string') throw contractError(from, target)
    const { pointer, tokens, value } = target
    if (!isSchema(value) || (documentOf(pointer) === '' && isOtherObject(tokens))) {
      throw contractError(from, `"${reference}" is not a schema`)
    }
    return { pointer, schema: value }
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

/** Equal errors that methods declare inline. */
interface Group {
  readonly first: DeclaredError
  /** The message as a name, if it can be one. */
  readonly title: string | undefined
  /** Names after each place: the method and the code. */
  readonly places: string[]
}

/** Most words of a message that become a name. */
const mostWords = 5

/**
 * Names the errors that methods declare inline. Equal errors share one name: their message, if no different error
 * has this name. Otherwise the name is the first of their methods, by name, and the code.
 * @param methods the methods, whose inline errors have empty keys
 * @param components the errors of `components.errors`
 */
export function withInlineErrorNames(
  methods: readonly Method[],
  components: readonly DeclaredError[],
): readonly Method[] {
  const groups = groupsOf(methods)
  const names = new Map<string, number>(components.map(({ key }) => [key, 1]))
  for (const { title } of groups.values()) {
    if (title !== undefined) names.set(title, (names.get(title) ?? 0) + 1)
  }
  const keyOf = ({ title, places }: Group) =>
    title !== undefined && names.get(title) === 1 ? title : ([...places].sort()[0] ?? '')
  return methods.map((method) => ({
    ...method,
    errors: method.errors.map((error) => {
      const group = error.key === '' ? groups.get(identity(error)) : undefined
      return group ? { ...error, key: keyOf(group), data: group.first.data } : error
    }),
  }))
}

function groupsOf(methods: readonly Method[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const { name, errors } of methods) {
    for (const error of errors) {
      if (error.key !== '') continue
      const group = groups.get(identity(error)) ?? { first: error, title: titleOf(error), places: [] }
      group.places.push(`${name}_${String(error.code).replace('-', 'minus_')}`)
      groups.set(identity(error), group)
    }
  }
  return groups
}

/** Returns what equal errors have in common. References of a data schema depend on the file that holds them. */
function identity({ code, message, description, data, dataRequired }: DeclaredError): string {
  const schema = data && [documentOf(data.pointer), data.schema]
  return JSON.stringify([code, message, description, schema, dataRequired])
}

/** Returns the words before the first punctuation mark as a name: `Invalid params: …` gives `invalidParams`. */
function titleOf({ message }: DeclaredError): string | undefined {
  const [clause = ''] = message.split(/[.:;,!?(){}]/)
  const [first, ...others] = clause
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords)
  if (first === undefined || !/^\p{L}/u.test(first)) return undefined
  const isAcronym = first === first.toUpperCase()
  const start = isAcronym ? first.toLowerCase() : first.replace(/^./u, (letter) => letter.toLowerCase())
  return start + others.map((word) => word.replace(/^./u, (letter) => letter.toUpperCase())).join('')
}
