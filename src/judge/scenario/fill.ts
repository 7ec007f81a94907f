import type { JsonValue } from '@concordat/rpc'
import { isArray, isObject, toQuantity } from '../../toolkit/contract/index.js'
import { parseTemplate, type TemplatePart } from './parse-template.js'
import type { Template } from './scenario.js'
import { BelowZero, ScenarioRunError } from './scenario-run-error.js'

/** Values of variables, by name. */
export type Variables = ReadonlyMap<string, JsonValue>

/**
 * Replaces `${name}` in all strings of a template, including member names. A string that consists of one
 * `${…}` becomes the value with its type. Inside other text, strings are inserted as they are and other
 * values as JSON.
 * @throws ScenarioRunError for an unknown variable, for arithmetic on a value that is no number, and for a
 * result below zero
 */
export function fill(template: Template, variables: Variables): JsonValue {
  if (typeof template === 'string') return fillString(template, variables)
  if (isArray(template)) return template.map((item) => fill(item, variables))
  if (!isObject(template)) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [
      fillText(name, variables),
      fill(value ?? null, variables),
    ]),
  )
}

/**
 * Replaces `${name}` in a text. The result stays a text, so a number becomes its digits.
 * @throws ScenarioRunError as `fill` does
 */
export function fillText(template: string, variables: Variables): string {
  return partsOf(template)
    .map((part) => ('text' in part ? part.text : textOf(variableValue(part, variables))))
    .join('')
}

function fillString(template: string, variables: Variables): JsonValue {
  const parts = partsOf(template)
  const [first] = parts
  if (parts.length === 1 && first !== undefined && 'variable' in first) return variableValue(first, variables)
  return fillText(template, variables)
}

function partsOf(template: string): readonly TemplatePart[] {
  const parts = parseTemplate(template)
  if (typeof parts === 'string') throw new ScenarioRunError(parts)
  return parts
}

function variableValue(part: Exclude<TemplatePart, { text: string }>, variables: Variables): JsonValue {
  const value = variables.get(part.variable)
  if (value === undefined) {
    throw new ScenarioRunError(
      `${part.source}: no variable "${part.variable}" is known here; capture it first`,
    )
  }
  return part.add === 0n ? value : moved(value, part.add, part.source)
}

function moved(value: JsonValue, add: bigint, source: string): JsonValue {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value)
  if (!isNumber && !(typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value))) {
    const text = textOf(value)
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text
    throw new ScenarioRunError(`${source}: ${shown} is neither an integer nor a hexadecimal quantity`)
  }
  const sum = BigInt(value) + add
  if (sum < 0n) throw new BelowZero(`${source}: ${value} moved by ${add} falls below zero`)
  if (!isNumber) return toQuantity(sum)
  if (sum > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ScenarioRunError(`${source}: ${sum} is beyond 2^53 - 1, where numbers lose digits`)
  }
  return Number(sum)
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
