import type { Param } from '../../contract/index.js'

/** Words that name no variable of a JavaScript module (ECMA-262, sections 12.7.2 and 13.1.1). */
const reserved =
  words(`arguments await break case catch class const continue debugger default delete do else enum eval export
  extends false finally for function if implements import in instanceof interface let new null package private protected
  public return static super switch this throw true try typeof var void while with yield`)

/** Keywords of TypeScript that name no type, or that readers would take for the keyword. */
const keywords =
  words(`any as async bigint boolean declare infer is keyof module namespace never number object of
  readonly string symbol type undefined unique unknown`)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/**
 * Derives a type name from a component key. The key itself is used if it is a free identifier.
 * Invalid characters become `_`. A taken name gets a trailing `_`, and a name that begins with a digit a
 * leading one.
 */
export function typeName(key: string): string {
  const name = labelName(key)
  return keywords.has(name) ? `${name}_` : name
}

/**
 * Derives an identifier that need not be unique, such as a tuple label. Letters of all languages are kept
 * (ECMA-262, section 12.7), except those outside the Basic Multilingual Plane, which compilers support
 * unevenly.
 */
export function labelName(key: string): string {
  const name = key.replaceAll(
    /(?:[^\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$]|[\u2e2f\u{10000}-\u{10ffff}])+/gu,
    '_',
  )
  if (!/^[\p{L}\p{Nl}_$]/u.test(name)) return `_${name}`
  return reserved.has(name) ? `${name}_` : name
}

/** Returns the words of a text as one name: `get_events` gives `GetEvents`. */
export function pascalName(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return labelName(words.map((word) => word.replace(/^./u, (first) => first.toUpperCase())).join(''))
}

/** Types of the language and its library that readers would take another type for. */
const standardTypes =
  words(`Array ArrayBuffer AsyncIterable Awaited BigInt Boolean Capitalize DataView Date Error Exclude Extract Function Generator
  Infinity Iterable Iterator JSON Map Math NaN NonNullable Number Object Omit Parameters Partial Pick Promise PropertyKey Proxy Readonly Record RegExp
  Required ReturnType Set String Symbol TypeError Uint8Array URL WeakMap WeakSet`)

/** Returns true if no reserved word or type of the language is this name. */
export function isFreeName(name: string): boolean {
  return typeName(name) === name && !standardTypes.has(name)
}

/** Appends `_` to a name until it is free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}

/** Returns a unique identifier for each parameter. */
export function uniqueLabels(params: readonly Param[]): readonly string[] {
  // The last parameter of each function of the client.
  const taken = new Set(['options'])
  return params.map(({ name }) => {
    let label = labelName(name)
    while (taken.has(label)) label += '_'
    taken.add(label)
    return label
  })
}
