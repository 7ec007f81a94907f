import { isArray, isObject, type JsonValue } from '../../contract/index.js'

/** A parsed runtime expression. The first path element of a `params` expression is the parameter name. */
export interface Expression {
  readonly root: 'result' | 'params'
  readonly path: readonly (string | number)[]
  /** The source text. */
  readonly text: string
}

/** A value that can contain expressions. */
export type Template =
  | { readonly constant: JsonValue }
  | { readonly expression: Expression }
  | { readonly text: readonly (string | Expression)[] }
  | { readonly list: readonly Template[] }
  | { readonly members: readonly (readonly [string, Template])[] }

/**
 * Parses the runtime expressions in a value (OpenRPC 1.3, Runtime Expression): `${result.owner.name}`,
 * `${params.id}`, `${result.list[0]}`, `${result['a b']}`. A string that is one expression evaluates to a
 * value of any type. The older forms `$result.owner` and `$params.id` are accepted if they are the whole
 * string.
 * @returns the template, or the text of an invalid expression
 */
export function readTemplate(value: JsonValue): Template | string {
  if (typeof value === 'string') return readText(value)
  if (isArray(value)) {
    const list = value.map(readTemplate)
    const unread = list.find((item) => typeof item === 'string')
    if (typeof unread === 'string') return unread
    const items = list.filter((item) => typeof item !== 'string')
    return items.every(isConstant) ? { constant: value } : { list: items }
  }
  if (!isObject(value)) return { constant: value }
  const members = Object.entries(value).map(([name, item]) => [name, readTemplate(item ?? null)] as const)
  const unread = members.find(([, item]) => typeof item === 'string')?.[1]
  if (typeof unread === 'string') return unread
  const read = members.flatMap(([name, item]) => (typeof item === 'string' ? [] : [[name, item] as const]))
  return read.every(([, item]) => isConstant(item)) ? { constant: value } : { members: read }
}

/** Returns every expression in a template. */
export function expressionsOf(template: Template): readonly Expression[] {
  if ('expression' in template) return [template.expression]
  if ('text' in template) return template.text.filter((part) => typeof part !== 'string')
  if ('list' in template) return template.list.flatMap(expressionsOf)
  return 'members' in template ? template.members.flatMap(([, item]) => expressionsOf(item)) : []
}

function isConstant(template: Template): boolean {
  return 'constant' in template
}

function readText(text: string): Template | string {
  const older = text.startsWith('$') ? readExpression(text.slice(1), text) : undefined
  if (older) return { expression: older }
  const parts: (string | Expression)[] = []
  let end = 0
  for (const { 0: whole, 1: inside = '', index } of text.matchAll(/\$\{([^{}]*)\}/g)) {
    const expression = readExpression(inside, whole)
    if (!expression) return whole
    parts.push(text.slice(end, index), expression)
    end = index + whole.length
  }
  const rest = text.slice(end)
  if (rest.includes('${')) return rest
  const said = [...parts, rest].filter((part) => part !== '')
  const [only] = said
  if (said.length === 1 && typeof only === 'object') return { expression: only }
  return parts.length === 0 ? { constant: text } : { text: said }
}

const step = /\s*(?:\.\s*([^\s.[\]{}'"`$()]+)|\[\s*(\d{1,9})\s*\]|\[\s*'([^']*)'\s*\]|\[\s*"([^"]*)"\s*\])/y

function readExpression(inside: string, text: string): Expression | undefined {
  const start = /^\s*(result|params)(?![\w$])/.exec(inside)
  if (!start) return undefined
  const path: (string | number)[] = []
  let at = start[0].length
  while (at < inside.length) {
    step.lastIndex = at
    const found = step.exec(inside)
    if (!found) return inside.slice(at).trim() === '' ? expressionOf(start[1], path, text) : undefined
    const [whole, name, position, single, double] = found
    path.push(position === undefined ? (name ?? single ?? double ?? '') : Number(position))
    at += whole.length
  }
  return expressionOf(start[1], path, text)
}

function expressionOf(
  root: string | undefined,
  path: readonly (string | number)[],
  text: string,
): Expression | undefined {
  if (root === 'result') return { root, path, text }
  return root === 'params' && typeof path[0] === 'string' ? { root, path, text } : undefined
}
