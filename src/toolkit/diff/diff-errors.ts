import { type DeclaredError, joinPointer, type Method } from '../contract/index.js'
import type { Change } from './change.js'
import { byName, change, type DiffContext, everybody } from './diff-context.js'
import { diffTexts } from './diff-texts.js'
import { isShared } from './places.js'
import { shown } from './words.js'

/** Members of an error object that are compared by dedicated functions. */
const comparedMembers: ReadonlySet<string> = new Set([
  ...['code', 'message', 'x-data-schema', 'x-data-optional', 'x-http-status'],
])

/** Corresponding errors of the two contracts. */
interface ErrorPair {
  readonly old: DeclaredError
  readonly new: DeclaredError
}

/**
 * Compares the errors of a method by code (OpenRPC 1.3, error object). A removed code breaks servers. A new
 * code breaks nobody: every call can fail with an undeclared error. An error that exists in one document only is reported once, with all its
 * methods.
 */
export function diffErrors(context: DiffContext, old: Method, next: Method): readonly Change[] {
  const { kept, removed, added } = byName(byCode(old), byCode(next))
  const pairs: ErrorPair[] = kept.map((pair) => pair)
  const newByKey = new Map(added.map(([, error]) => [identity(error), error] as const))
  const gone = removed.flatMap(([, error]) => {
    const recoded = newByKey.get(identity(error))
    if (!recoded) return [error]
    newByKey.delete(identity(error))
    pairs.push({ old: error, new: recoded })
    return []
  })
  const recoded = new Set(pairs.map((pair) => pair.new))
  const come = added.flatMap(([, error]) => (recoded.has(error) ? [] : [error]))
  return [
    ...gone.map((error) => removedError(context, next.name, error)),
    ...come.map((error) => addedError(context, next.name, error)),
    ...pairs.flatMap((pair) => diffError(context, next.name, pair)),
  ]
}

/** What stays the same if the code of an error changes: its component, or the message of an inline error. */
function identity({ pointer, message }: DeclaredError): string {
  return isShared(pointer) ? pointer : message
}

function byCode({ errors }: Method): ReadonlyMap<string, DeclaredError> {
  return new Map(errors.map((error) => [String(error.code), error]))
}

function removedError({ newSource }: DiffContext, method: string, error: DeclaredError): Change {
  const isGone = isShared(error.pointer) && !newSource.has(error.pointer)
  const reason = `error ${error.code} (${shown(error.message)}) removed: servers may no longer return it`
  return change('error-removed', isGone ? error.pointer : placeOf(method, error), ['servers'], reason, {
    old: { pointer: error.pointer, value: error.code },
    ...(isGone && { methods: [method] }),
  })
}

function addedError({ oldSource }: DiffContext, method: string, error: DeclaredError): Change {
  const isNew = isShared(error.pointer) && !oldSource.has(error.pointer)
  const reason = `error ${error.code} (${shown(error.message)}) added: clients have to expect undeclared errors anyway`
  return change('error-added', isNew ? error.pointer : placeOf(method, error), [], reason, {
    new: { pointer: error.pointer, value: error.code },
    ...(isNew && { methods: [method] }),
  })
}

function placeOf(method: string, error: DeclaredError): string {
  return joinPointer('#/methods', method, 'errors', error.code)
}

function diffError(context: DiffContext, method: string, { old, new: next }: ErrorPair): readonly Change[] {
  const shared = isShared(next.pointer) && old.pointer === next.pointer
  const place = shared ? next.pointer : placeOf(method, next)
  const methods: { methods?: readonly string[] } = shared ? { methods: [method] } : {}
  const sides = (name: 'code' | 'message') => ({
    old: { pointer: joinPointer(old.pointer, name), value: old[name] },
    new: { pointer: joinPointer(next.pointer, name), value: next[name] },
    ...methods,
  })
  const changes: Change[] = []
  if (old.code !== next.code) {
    const reason = `code ${old.code} became ${next.code}`
    changes.push(change('error-code-changed', place, everybody, reason, sides('code')))
  }
  if (old.message !== next.message) {
    const reason = `message ${shown(old.message)} became ${shown(next.message)}`
    changes.push(change('error-message-changed', place, [], reason, sides('message')))
  }
  if (old.httpStatus !== next.httpStatus) {
    const reason = `HTTP status ${old.httpStatus ?? 200} became ${next.httpStatus ?? 200}`
    const pair = { old: { pointer: old.pointer }, new: { pointer: next.pointer }, ...methods }
    changes.push(change('error-status-changed', place, everybody, reason, pair))
  }
  if (old.data && next.data && old.dataRequired !== next.dataRequired) {
    const [kind, party, reason] = next.dataRequired
      ? (['constraint-tightened', 'servers', 'its data became required'] as const)
      : (['constraint-loosened', 'clients', 'its data became optional'] as const)
    const pair = { old: { pointer: old.pointer }, new: { pointer: next.pointer }, ...methods }
    changes.push(change(kind, joinPointer(place, 'x-data-optional'), [party], reason, pair))
  }
  const dataOf = (error: DeclaredError) =>
    error.data ?? { pointer: joinPointer(error.pointer, 'x-data-schema'), schema: true }
  context.schemas.start(dataOf(old), dataOf(next), joinPointer(place, 'x-data-schema'), 'results', method)
  const pair = { old: old.pointer, new: next.pointer, place }
  return [...changes, ...diffTexts(context, pair, (name) => comparedMembers.has(name), methods.methods)]
}
