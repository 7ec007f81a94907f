import {
  type Contract,
  type ContractProblem,
  facets,
  isArray,
  isObject,
  type JsonValue,
  joinPointer,
  type Link,
  type LocatedSchema,
  type Method,
  member,
  memberSchemas,
  type Param,
  schemaList,
  schemaMember,
} from '../../contract/index.js'
import { type Expression, expressionsOf, readTemplate, type Template } from './runtime-expressions.js'

/** A valid link. */
export interface ValidLink {
  readonly link: Link
  readonly target: Method
  /** Templates that compute the target's parameters, keyed by parameter name. */
  readonly values: ReadonlyMap<string, Template>
}

/** Checks the links of a method. Returns a valid link or a problem for each. */
export function judgeLinks(contract: Contract, method: Method): readonly (ValidLink | ContractProblem)[] {
  const first = new Map<string, string>()
  return method.links.map((link) => {
    const other = first.get(link.name)
    first.set(link.name, other ?? link.pointer)
    return other === undefined
      ? judgeLink(contract, method, link)
      : { pointer: link.pointer, message: `has the name "${link.name}", which ${other} already has` }
  })
}

function judgeLink(contract: Contract, method: Method, link: Link): ValidLink | ContractProblem {
  const target = contract.methods.find(({ name }) => name === link.method)
  if (!target) return problem(link, ['method'], `there is no method "${link.method}" in this contract`)
  const values = new Map<string, Template>()
  for (const [name, value] of Object.entries(link.params)) {
    const param = target.params.find((known) => known.name === name)
    if (!param) return problem(link, ['params', name], `"${target.name}" has no parameter "${name}"`)
    const template = readTemplate(value ?? null)
    const message =
      typeof template === 'string'
        ? `${template} is not a runtime expression: write \${result.member} or \${params.name}`
        : templateProblem(contract, method, param, template)
    if (message !== undefined) return problem(link, ['params', name], message)
    if (typeof template !== 'string') values.set(name, template)
  }
  return { link, target, values }
}

function problem({ pointer }: Link, tokens: readonly string[], message: string): ContractProblem {
  return { pointer: joinPointer(pointer, ...tokens), message }
}

/** Returns why a template cannot be evaluated, or why its type does not match the parameter. */
function templateProblem(
  contract: Contract,
  method: Method,
  param: Param,
  template: Template,
): string | undefined {
  for (const { root, path, text } of expressionsOf(template)) {
    if (root === 'result' && !method.result) return `${text}: "${method.name}" has no result`
    if (root === 'params' && !method.params.some(({ name }) => name === path[0])) {
      return `${text}: "${method.name}" has no parameter "${path[0]}"`
    }
  }
  if (!('expression' in template)) return undefined
  const { text } = template.expression
  const given = typesAt(contract, sourceSchemas(method, template.expression), pathIn(template.expression))
  if (given === 'nothing') return `${text} refers to a member of a value without members`
  const taken = typesOf(facets(contract, [param.schema]))
  if (!given || !taken || [...given].some((type) => taken.has(type))) return undefined
  return `${text} is ${words(given)}, and "${param.name}" requires ${words(taken)}`
}

function sourceSchemas({ params, result }: Method, { root, path }: Expression): readonly LocatedSchema[] {
  if (root === 'result') return result ? [result.schema] : []
  return params.filter(({ name }) => name === path[0]).map(({ schema }) => schema)
}

function pathIn({ root, path }: Expression): Expression['path'] {
  return root === 'result' ? path : path.slice(1)
}

/**
 * Returns the types at the end of a path, or undefined if the schemas leave them open. The result is
 * `nothing` if the path leads into a scalar.
 */
function typesAt(
  contract: Contract,
  starts: readonly LocatedSchema[],
  path: Expression['path'],
): ReadonlySet<string> | 'nothing' | undefined {
  let here = facets(contract, starts)
  for (const key of path) {
    const types = typesOf(here)
    if (types && !types.has('object') && !types.has('array')) return 'nothing'
    const inner = [
      ...(memberSchemas(here).get(String(key)) ?? []),
      ...here.flatMap((located) => itemsAt(located, String(key))),
    ]
    if (inner.length === 0) return undefined
    here = facets(contract, inner)
  }
  return typesOf(here)
}

function itemsAt(located: LocatedSchema, key: string): readonly LocatedSchema[] {
  if (!/^\d+$/.test(key)) return []
  const one = schemaMember(located, 'items') ?? schemaList(located, 'items')[Number(key)]
  return one ? [one] : []
}

/**
 * Returns the types that the schemas of one value name, without null, or undefined if they leave the type
 * open.
 */
function typesOf(schemas: readonly LocatedSchema[]): ReadonlySet<string> | undefined {
  const named = schemas.flatMap(({ schema }) => {
    if (!isObject(schema)) return []
    const type = member(schema, 'type')
    const constant = member(schema, 'const')
    const listed = member(schema, 'enum')
    if (type !== undefined) return isArray(type) ? type.map(String) : [String(type)]
    if (constant !== undefined) return [typeOfValue(constant)]
    return isArray(listed) ? listed.map(typeOfValue) : []
  })
  const types = new Set(
    named.map((type) => (type === 'integer' ? 'number' : type)).filter((type) => type !== 'null'),
  )
  return types.size === 0 ? undefined : types
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null'
  return isArray(value) ? 'array' : typeof value
}

function words(types: ReadonlySet<string>): string {
  return [...types].map((type) => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`).join(' or ')
}
