import { canonicalText } from '../canonical.js'
import { isObject, type JsonObject, type JsonValue } from '../json.js'
import type { Contract } from '../model/contract.js'
import { alternativesOf } from './alternatives-of.js'
import { type Conjunction, commonValues, type Together } from './conjunction.js'
import { evaluationForm } from './evaluation-form.js'
import { type Naming, normalKeywords } from './normal-keywords.js'
import { allTypes, type TypeAtom, typeOfValue } from './type-atoms.js'

/** Schemas of one contract that a value must fit together. */
export interface Place {
  readonly contract: Contract
  readonly all: Together
}

/** Compares schemas of any number of contracts by the values that they accept. */
export interface SchemaClasses {
  /** Returns a number that is equal for schemas whose normal forms are equal. */
  readonly classOf: (place: Place) => number
}

/** A place, and the alternatives of its schemas. */
interface Node {
  readonly place: Place
  readonly alternatives: readonly Conjunction[]
}

/**
 * Creates the classes of schemas. The normal form of a schema lists the alternatives of each type with all their
 * keywords, and refers to members and items by their classes. Classes are refined until all schemas of a class have the
 * same normal form, which also works for recursive schemas.
 * @param starts the places to compare; later places are compared by the classes of their members and items
 * @param isValid tells whether a value fits the schemas of a place; undefined if they cannot be compiled. Used for lists
 *   of values
 */
export function createSchemaClasses(
  starts: readonly Place[],
  isValid: (place: Place, value: JsonValue) => boolean | undefined,
): SchemaClasses {
  const objects = new Map<Contract, WeakMap<object, number>>()
  let lastObject = 0
  let classCount = 1
  const nodes = new Map<string, Node>()
  const classes = new Map<string, number>()
  const classesByText = new Map<string, number>()

  function keyOf({ contract, all }: Place): string {
    const numbers = objects.get(contract) ?? new WeakMap<object, number>()
    objects.set(contract, numbers)
    const keys = all.map(({ schema }) => {
      if (!isObject(schema)) return String(schema)
      const known = numbers.get(schema) ?? ++lastObject
      numbers.set(schema, known)
      return String(known)
    })
    return [...new Set(keys)].sort().join(' ')
  }

  function nodeOf(place: Place): Node {
    const key = keyOf(place)
    const node = nodes.get(key) ?? { place, alternatives: alternativesOf(place.contract, place.all) }
    nodes.set(key, node)
    return node
  }

  /** Finds all places without a class, including those of members and items. */
  function discover(from: readonly Place[]): ReadonlyMap<string, Node> {
    const found = new Map<string, Node>()
    const waiting = [...from]
    for (let place = waiting.pop(); place; place = waiting.pop()) {
      const key = keyOf(place)
      if (classes.has(key) || found.has(key)) continue
      const node = nodeOf(place)
      found.set(key, node)
      textOf(node, (inner) => {
        waiting.push(inner)
        return 0
      })
    }
    return found
  }

  function refine(found: ReadonlyMap<string, Node>): void {
    let current = new Map([...found.keys()].map((key) => [key, -1]))
    for (let before = 0; ; ) {
      const texts = new Map<string, number>()
      const next = new Map<string, number>()
      for (const [key, node] of found) {
        const text = textOf(node, (inner) => classes.get(keyOf(inner)) ?? current.get(keyOf(inner)) ?? -1)
        const number = texts.get(text) ?? -2 - texts.size
        texts.set(text, number)
        next.set(key, number)
      }
      current = next
      if (texts.size === before) break
      before = texts.size
    }
    name(found, current)
  }

  /** Assigns numbers to the classes: the number of an equal known class, or a new number. */
  function name(found: ReadonlyMap<string, Node>, current: ReadonlyMap<string, number>): void {
    const numbers = new Map<number, number>()
    const own = (inner: Place) => classes.get(keyOf(inner)) ?? current.get(keyOf(inner)) ?? -1
    const all = [...found].map(([key, node]) => ({
      key,
      mark: current.get(key) ?? -1,
      text: textOf(node, own),
    }))
    for (const { mark, text } of all) {
      // Recursive classes refer to marks, which are meaningless after this round.
      const isClosed = !/"#-/.test(text)
      const number = (isClosed ? classesByText.get(text) : undefined) ?? numbers.get(mark) ?? classCount++
      numbers.set(mark, number)
      if (isClosed) classesByText.set(text, number)
    }
    for (const { key, mark } of all) classes.set(key, numbers.get(mark) ?? -1)
    for (const [key, node] of found)
      classesByText.set(
        textOf(node, (inner) => classes.get(keyOf(inner)) ?? -1),
        classes.get(key) ?? -1,
      )
  }

  function textOf(node: Node, classOf: (place: Place) => number): string {
    const { contract } = node.place
    const inner = (all: Together) => ({ '': `#${classOf({ contract, all })}` })
    const forms = new Map<Node, JsonObject>()
    const naming: Naming = {
      inner,
      outer: (all) => {
        const part = nodeOf({ contract, all })
        const form = forms.get(part) ?? formOf(part, naming, isValid)
        forms.set(part, form)
        return form
      },
      whole: (located) => evaluationForm(contract, located, (part) => inner([part])),
    }
    return canonicalText(formOf(node, naming, isValid))
  }

  refine(discover(starts))
  return {
    classOf: (place) => {
      const key = keyOf(place)
      if (!classes.has(key)) refine(discover([place]))
      return classes.get(key) ?? -1
    },
  }
}

type IsValid = Parameters<typeof createSchemaClasses>[1]

/** Returns the normal form of a place: the distinct alternatives of each type, sorted. */
function formOf({ place, alternatives }: Node, naming: Naming, isValid: IsValid): JsonObject {
  const entries = [...allTypes].flatMap((type) => {
    const forms = alternatives.flatMap((one) => ofType(one, type, naming, (value) => isValid(place, value)))
    const texts = new Map(withJoinedValues(forms).map((form) => [canonicalText(form), form]))
    if (texts.size === 0) return []
    // An alternative that accepts every value of the type makes all other alternatives redundant.
    const whole = texts.get('{}')
    return [
      [
        type,
        whole ? [whole] : [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, form]) => form),
      ] as const,
    ]
  })
  return Object.fromEntries(entries)
}

function ofType(
  one: Conjunction,
  type: TypeAtom,
  naming: Naming,
  isValid: (value: JsonValue) => boolean | undefined,
): readonly JsonObject[] {
  if (!one.types.has(type)) return []
  const found = commonValues(one.values)?.filter((value) => typeOfValue(value) === type)
  const values = found?.filter((value) => isValid(value) !== false)
  if (values?.length === 0) return []
  if (values?.every(isValid)) return [listed(type, values)]
  const form = normalKeywords(one, type, naming)
  return form === undefined ? [] : [{ ...form, ...(values && listed(type, values)) }]
}

function listed(type: TypeAtom, values: readonly JsonValue[]): JsonObject {
  const texts = [...new Set(values.map(canonicalText))].sort()
  const isEvery = type === 'null' || (type === 'boolean' && texts.length === 2)
  return isEvery ? {} : { enum: texts }
}

/** Joins alternatives that only list values. */
function withJoinedValues(forms: readonly JsonObject[]): readonly JsonObject[] {
  const isList = (form: JsonObject) => Object.keys(form).join() === 'enum'
  const values = forms.filter(isList).flatMap((form) => form['enum'] as readonly string[])
  if (values.length === 0) return forms
  const type: TypeAtom = values.every((text) => text === 'true' || text === 'false') ? 'boolean' : 'string'
  const texts = [...new Set(values)].sort()
  const all: JsonObject = type === 'boolean' && texts.length === 2 ? {} : { enum: texts }
  return [...forms.filter((form) => !isList(form)), all]
}
