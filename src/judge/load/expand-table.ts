import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  stringMember,
} from '../../toolkit/contract/index.js'
import { fill } from '../scenario/fill.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import { checkForm } from './check/check-form.js'
import type { PlacedProblem } from './check/check-steps.js'
import { childrenOf } from './check/step-contents.js'

/** One case of a table, and the place of its row. */
export interface TableCase {
  /** The name of the case, which is the second part of its id. */
  readonly name: string
  /** JSON pointer of the row in fragment form. */
  readonly pointer: string
  /** The document of the table with the values of the row, without `each`. */
  readonly document: JsonObject
}

/**
 * Expands a document with `each` into one document for each row. Every `${column}` is replaced when the file
 * is loaded, so that all later checks see complete cases.
 */
export function expandTable(table: JsonObject): {
  readonly cases: readonly TableCase[]
  readonly problems: readonly PlacedProblem[]
} {
  const { each, ...shared } = table
  const form = checkForm({ each: each ?? null }, 'table')
  if (form.length > 0) return { cases: [], problems: form }
  const rows = (isArray(each) ? each : []).filter(isObject)
  const columns = [...new Set(rows.flatMap(columnsOf))]
  const problems = [...rowProblems(rows, columns), ...columnProblems(shared, columns)]
  if (problems.length > 0) return { cases: [], problems }
  const cases = rows.flatMap((row, at) => {
    const pointer = joinPointer('#/each', at)
    const variables = new Map(columns.map((name) => [name, member(row, name) ?? null]))
    try {
      const document = withColumns(shared, variables) as JsonObject
      return [{ name: nameOf(row), pointer, document }]
    } catch (error) {
      if (!(error instanceof ScenarioRunError)) throw error
      problems.push({ pointer, message: error.message })
      return []
    }
  })
  return { cases, problems }
}

function nameOf(row: JsonObject): string {
  return stringMember(row, 'case') ?? ''
}

function columnsOf(row: JsonObject): readonly string[] {
  return Object.keys(row).filter((name) => name !== 'case')
}

/** Reports names that occur twice, and columns that a row lacks. */
function rowProblems(rows: readonly JsonObject[], columns: readonly string[]): PlacedProblem[] {
  return rows.flatMap((row, at) => {
    const pointer = joinPointer('#/each', at)
    const name = nameOf(row)
    const isTwice = rows.findIndex((other) => nameOf(other) === name) < at
    const twice = isTwice
      ? [
          {
            pointer: joinPointer(pointer, 'case'),
            message: `the case "${name}" is in an earlier row as well`,
          },
        ]
      : []
    const missing = columns
      .filter((column) => member(row, column) === undefined)
      .map((column) => ({
        pointer,
        message: `the row "${name}" has no column "${column}", which other rows have; add it`,
      }))
    return [...twice, ...missing]
  })
}

/** Reports columns that nothing uses, and columns with the name of a capture. */
function columnProblems(shared: JsonObject, columns: readonly string[]): readonly PlacedProblem[] {
  const text = JSON.stringify(shared)
  const captured = capturedIn(shared)
  return columns.flatMap((column) => {
    if (captured.has(column)) {
      return [
        {
          pointer: '#/each',
          part: 'name',
          message: `"${column}" is a column and a capture; rename one of them`,
        },
      ]
    }
    if (placeholders(text).some(({ name }) => name === column)) return []
    return [
      {
        pointer: '#/each',
        part: 'name',
        message: `no step uses the column "${column}"; write \${${column}} or remove it`,
      },
    ]
  })
}

function capturedIn(value: JsonValue): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (place: { readonly pointer: string; readonly value: JsonValue }): void => {
    if (/\/capture(-header)?$/.test(place.pointer)) {
      for (const name of Object.keys(place.value ?? {})) names.add(name)
    }
    childrenOf(place).forEach(visit)
  }
  visit({ pointer: '#', value })
  return names
}

/** Replaces the columns in all strings and member names. Other variables stay for the run. */
function withColumns(value: JsonValue, columns: ReadonlyMap<string, JsonValue>): JsonValue {
  if (typeof value === 'string') return textWithColumns(value, columns)
  if (isArray(value)) return value.map((item) => withColumns(item, columns))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      String(textWithColumns(name, columns)),
      withColumns(item ?? null, columns),
    ]),
  )
}

function textWithColumns(text: string, columns: ReadonlyMap<string, JsonValue>): JsonValue {
  let filled = ''
  let end = 0
  for (const { name, source, index } of placeholders(text)) {
    if (!columns.has(name)) continue
    // A column can hold a variable of the run. Filling it in here would be too early.
    const plain = source === `\${${name}}`
    const value = plain ? (columns.get(name) ?? null) : fill(source, columns)
    if (source === text) return value
    filled += text.slice(end, index) + (typeof value === 'string' ? value : JSON.stringify(value))
    end = index + source.length
  }
  return filled + text.slice(end)
}

/** Finds `${name}`, `${name + 1}` and `${name - 1}`, but not `$${`. */
function placeholders(text: string) {
  return [...text.matchAll(/(?<!\$)\$\{\s*([\w-]+?)\s*(?:[+-]\s*\d+\s*)?\}/g)].map((match) => ({
    name: match[1] ?? '',
    source: match[0],
    index: match.index,
  }))
}
